//! Whether the picture of one target shows what it is described as: asked of the model of the role judge. What it says is evidence
//! about the pixels that it was shown; a target that looks otherwise by the time of the answer is shown to it again.

use crate::locate::crosshair::reply::section;
use crate::locate::sight::prompt::{Prompt, Prompts};
use crate::perceive::pixels::{decode, encode, enlarged};
use crate::perceive::resample::{crop, fitted};
use handeye_scene::chat::{ChatRequest, Message, Part};
use handeye_scene::{Aim, Clock, Code, ModelAccess, ModelRole, Models, NativeId, Picture, Problem, Rect, Surface};
use std::time::Duration;

/// How often a question is put before an answer that can't be read says nothing.
const TRIES: usize = 3;
/// How often a target is shown that looks otherwise when the answer comes.
const LOOKS: usize = 3;
/// Tokens of an answer at most: models that think aloud need some.
const ANSWER: u32 = 1_000;
/// What is shorter on its shorter side is shown enlarged, in pixels, by so many times at most.
const LEAST: f64 = 128.0;
const MOST_TIMES: f64 = 8.0;
/// So much around the target is shown with it, in pixels of the surface.
const MARGIN: f64 = 2.0;

/// What a model says of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// The target is that.
    Yes,
    /// It isn't.
    No,
    /// It can't say.
    Unsure,
}

/// What is asked about which target.
#[derive(Debug, Clone, Copy)]
pub struct Description<'a> {
    /// The target.
    pub of: NativeId,
    /// It in words.
    pub text: &'a str,
    /// Letters that a page can't foresee.
    pub nonce: &'a str,
    /// The longest side of a picture that the model is shown.
    pub longest: u32,
    /// How long all of it may take.
    pub limit: Duration,
}

impl Description<'_> {
    fn prompt(&self) -> Prompt {
        Prompts::new(self.text, self.nonce).described()
    }

    /// Name and version of the prompt that the model is asked by.
    pub fn version(&self) -> String {
        self.prompt().version
    }
}

/// Has a model look at a target. A problem is one of the surface or of the model's server.
pub async fn judge(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    (models, access): (&dyn Models, &ModelAccess),
    description: Description<'_>,
) -> Result<Answer, Problem> {
    let end = clock.elapsed().saturating_add(description.limit);
    let prompt = description.prompt();
    let mut shown = pictured(surface, description.of).await?;
    for _ in 0..LOOKS {
        let answer = ask((models, access), &prompt, &readable(&shown, description.longest)?, (clock, end)).await?;
        let now = pictured(surface, description.of).await?;
        if now.rgba() == shown.rgba() {
            return Ok(answer);
        }
        shown = now;
    }
    let text = "it looks otherwise each time before the model has said what it shows";
    Err(Problem::new(Code::Blocked, text).hint("handeye state"))
}

/// A target as it looks now.
async fn pictured(surface: &mut dyn Surface, of: NativeId) -> Result<Picture, Problem> {
    let gone = || Problem::new(Code::Stale, "it is gone").hint("handeye state");
    let probe = surface.probe(of, Aim { scroll: true, ..Aim::default() }).await?.ok_or_else(gone)?;
    let picture = decode(&surface.picture().await?)?;
    let part = picture.in_pixels(probe.rect);
    let whole = Rect::new(0.0, 0.0, f64::from(picture.width()), f64::from(picture.height()));
    if part.width < 1.0 || part.height < 1.0 || !part.intersects(&whole) {
        return Err(Problem::new(Code::Blocked, "it isn't in view, so no picture shows it").hint("handeye state"));
    }
    let margin = MARGIN * picture.scale();
    let around = Rect::new(part.x - margin, part.y - margin, part.width + 2.0 * margin, part.height + 2.0 * margin);
    Ok(crop(&picture, around))
}

/// The same in a size in which something can be seen.
fn readable(picture: &Picture, longest: u32) -> Result<Picture, Problem> {
    let side = f64::from(picture.width().min(picture.height()).max(1));
    let times = (LEAST / side).floor().clamp(1.0, MOST_TIMES);
    Ok(fitted(&enlarged(picture, times as u32)?, longest.clamp(64, 16_384)))
}

async fn ask(
    (models, access): (&dyn Models, &ModelAccess),
    prompt: &Prompt,
    picture: &Picture,
    (clock, end): (&dyn Clock, Duration),
) -> Result<Answer, Problem> {
    let image = Part::Image { media_type: "image/png".into(), bytes: encode(picture)? };
    let parts = vec![image, Part::Text { text: prompt.text.clone() }];
    let request = ChatRequest { messages: vec![Message::User { parts }], max_tokens: ANSWER, ..ChatRequest::default() };
    for _ in 0..TRIES {
        let reply = models.ask(access, ModelRole::Judge, &request, end.saturating_sub(clock.elapsed())).await?;
        if let Some(answer) = read(&reply.text) {
            return Ok(answer);
        }
    }
    Err(Problem::new(Code::Unavailable, "the model's answers can't be read").hint("handeye models test judge"))
}

/// Reads an answer: a section `[shown]` or `[判断]` with one word, or that word alone.
fn read(text: &str) -> Option<Answer> {
    let said = section(text, &["判断", "shown"]).unwrap_or_else(|| handeye_scene::normalize(text));
    match said.trim_matches(|c: char| !c.is_alphanumeric()) {
        "yes" | "是" | "是的" => Some(Answer::Yes),
        "no" | "不是" | "否" => Some(Answer::No),
        "unsure" | "不确定" | "无法确定" => Some(Answer::Unsure),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Point;

    #[test]
    fn an_answer_is_one_word_and_anything_else_is_none() {
        use Answer::{No, Unsure, Yes};
        for (text, answer) in [
            ("[shown]\nyes", Some(Yes)),
            ("It is a bin.\n\n[shown]\nYes.\n", Some(Yes)),
            ("[shown]\nno", Some(No)),
            ("[shown] unsure", Some(Unsure)),
            ("[判断]\n是", Some(Yes)),
            ("[判断]\n不是", Some(No)),
            ("[判断]：不确定", Some(Unsure)),
            ("no", Some(No)),
            // The last section counts: it may repeat the form first.
            ("[shown]\nyes, no or unsure\n\n[shown]\nno", Some(No)),
            ("[shown]\nyes, no or unsure", None),
            ("[shown]\nyes and no", None),
            ("[shown]\n", None),
            ("not sure, yes?", None),
            ("", None),
        ] {
            assert_eq!(read(text), answer, "{text:?}");
        }
    }

    #[test]
    fn a_small_icon_is_enlarged_and_nothing_is_larger_than_a_model_sees() {
        let of = |width: u32, height: u32| {
            let rgba = vec![9; (width * height * 4) as usize];
            Picture::new((width, height), rgba, 1.0, Point::new(0.0, 0.0)).expect("it has a size")
        };
        for ((width, height), longest, wanted) in [
            ((16, 16), 1_000, (128, 128)),
            ((20, 40), 1_000, (120, 240)),
            ((4, 4), 1_000, (32, 32)),
            ((300, 200), 1_000, (300, 200)),
            ((300, 200), 150, (150, 100)),
        ] {
            let shown = readable(&of(width, height), longest).expect("it is a picture");
            assert_eq!((shown.width(), shown.height()), wanted, "{width}x{height}");
        }
    }
}
