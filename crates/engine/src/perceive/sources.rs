//! Asking perceivers, one after the other: each is told what those before it saw.

use crate::perceive::overlap::is_place;
use handeye_scene::{Claim, Claims, Notice, Perceiver, Sight};

/// Most claims that are taken of one perceiver.
const MOST: usize = 5_000;

/// What perceivers see. One that fails, or says what can't be, is told of by a notice; what the others see stands.
pub async fn claims(sight: &Sight<'_>, perceivers: &[&dyn Perceiver]) -> (Vec<Claim>, Vec<Notice>) {
    let (mut seen, mut notices): (Vec<Claim>, Vec<Notice>) = (Vec::new(), Vec::new());
    for perceiver in perceivers {
        let word = perceiver.source().word();
        notices.extend(perceiver.prompt().map(|prompt| Notice::new("prompt", format!("{word} asks by {prompt}"))));
        match perceiver.perceive(sight, &seen).await {
            Ok(Claims { mut claims, notes }) => {
                notices.extend(notes.into_iter().map(|note| Notice::new("perceiver", format!("{word}: {note}"))));
                let told = claims.len();
                claims.retain(|c| is_place(&c.rect) && c.confidence.is_finite());
                claims.truncate(MOST);
                claims.iter_mut().for_each(|c| c.confidence = c.confidence.clamp(0.0, 1.0));
                if claims.len() < told {
                    let dropped = told - claims.len();
                    notices.push(Notice::new("perceiver", format!("{word}: {dropped} of {told} claims were left out")));
                }
                seen.extend(claims);
            }
            Err(problem) => {
                let next: String = problem.hints.iter().map(|hint| format!("; try: {hint}")).collect();
                notices.push(Notice::new("perceiver", format!("{word} saw nothing: {}{next}", problem.message)));
            }
        }
    }
    (seen, notices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use handeye_scene::{Capture, Code, Problem, Rect, Source, Wants};

    /// Says how many claims it was told of, as its own claim's name; or fails.
    struct Counts(Option<f64>);

    #[async_trait]
    impl Perceiver for Counts {
        fn source(&self) -> Source {
            Source::Vision
        }
        fn wants(&self) -> Wants {
            Wants { pixels: true, ax: false }
        }
        async fn perceive(&self, _: &Sight<'_>, known: &[Claim]) -> Result<Claims, Problem> {
            let width = self.0.ok_or_else(|| Problem::new(Code::Unavailable, "no answer"))?;
            let claim = Claim::new(Source::Vision, "button", known.len().to_string(), Rect::new(0.0, 0.0, width, 5.0));
            Ok(Claims { claims: vec![Claim { confidence: 7.0, ..claim }], notes: vec!["half of it".into()] })
        }
    }

    #[tokio::test]
    async fn a_perceiver_that_fails_takes_nothing_from_the_others() {
        let capture = Capture::default();
        let sight = Sight { capture: &capture, picture: None, ax: None };
        let all = [Counts(Some(5.0)), Counts(None), Counts(Some(f64::NAN)), Counts(Some(6.0))];
        let all: Vec<&dyn Perceiver> = all.iter().map(|p| p as &dyn Perceiver).collect();
        let (claims, notices) = claims(&sight, &all).await;
        let told: Vec<(&str, f64)> = claims.iter().map(|c| (c.name.as_str(), c.confidence)).collect();
        assert_eq!(told, [("0", 1.0), ("1", 1.0)]);
        assert_eq!(notices.iter().map(|n| n.kind.as_str()).collect::<Vec<_>>(), ["perceiver"; 5]);
    }
}
