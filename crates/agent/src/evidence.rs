//! Evidence: where to look for it, and whether what is seen there is it.

use crate::never::breach;
use crate::own::Prove;
use handeye_engine::matching::{contains, normalize};
use handeye_engine::wording::shown;
use handeye_scene::Ref;
use handeye_scene::task::{Proof, ProofKind, Step, StepKind};
use serde_json::{Value, json};

/// What must be looked at to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// A target.
    Target(u64),
    /// The text of the page.
    Page,
    /// The address of the page.
    Address,
    /// Nothing: the steps tell.
    Steps,
}

impl Look {
    /// The command that looks, and its arguments.
    pub fn command(&self) -> Option<(&'static str, Value)> {
        match self {
            Self::Target(number) => Some(("inspect", json!({ "ref": number }))),
            Self::Page => Some(("get", json!({"what": "text"}))),
            Self::Address => Some(("get", json!({"what": "url"}))),
            Self::Steps => None,
        }
    }
}

/// Where a mark is looked at: 0 is the text of the page.
pub fn at(mark: u64) -> Look {
    if mark == 0 { Look::Page } else { Look::Target(mark) }
}

/// Where a proof is looked for; what is wrong with it, for the model.
pub fn look(prove: &Prove) -> Result<Look, String> {
    let needs_text = match prove.by {
        ProofKind::Step => false,
        // What is typed without a wording may be anything, and what is pressed by it, too.
        ProofKind::Never => prove.forbidden.is_none_or(|kind| kind == StepKind::Type),
        ProofKind::Target | ProofKind::Page | ProofKind::Address => true,
    };
    if needs_text && normalize(&prove.expected_text).is_empty() {
        return Err("`expected_text` is missing: the text that proves it, copied".into());
    }
    match (prove.by, prove.mark_id, prove.step) {
        (ProofKind::Target, Some(0) | None, _) => {
            Err("`mark_id` is missing: the number of the target that shows it".into())
        }
        (ProofKind::Target, Some(number), _) => Ok(Look::Target(number)),
        (ProofKind::Page, ..) => Ok(Look::Page),
        (ProofKind::Address, ..) => Ok(Look::Address),
        (ProofKind::Step, _, None) => Err("`step` is missing: the number of a confirmed step".into()),
        (ProofKind::Step | ProofKind::Never, ..) => Ok(Look::Steps),
    }
}

/// Whether what was seen proves it; else what was found instead. `seen`: what the look returned.
pub fn judge(prove: &Prove, seen: &Value, steps: &[Step], page: &str) -> Result<Proof, String> {
    let text = prove.expected_text.trim();
    let proof = |text: &str, number: Option<u64>| Proof {
        kind: prove.by,
        text: text.to_owned(),
        r#ref: number.and_then(|number| u32::try_from(number).ok()).map(Ref),
        step: prove.step.filter(|_| prove.by == ProofKind::Step),
        forbidden: prove.forbidden.filter(|_| prove.by == ProofKind::Never),
        page: page.to_owned(),
        after: steps.last().map_or(0, |step| step.number),
    };
    match prove.by {
        ProofKind::Target | ProofKind::Page => {
            shows(seen, text).map(|()| proof(text, prove.mark_id.filter(|_| prove.by == ProofKind::Target)))
        }
        ProofKind::Address => {
            let address = seen.get("value").and_then(Value::as_str).unwrap_or(page);
            match address.contains(text) {
                true => Ok(Proof { page: address.to_owned(), ..proof(text, None) }),
                false => Err(format!("the address is {}", shown::address(address))),
            }
        }
        ProofKind::Step => {
            let step = steps.iter().find(|step| Some(step.number) == prove.step);
            match step {
                Some(step) if step.verdict == "confirmed" => Ok(proof(&step_words(step), None)),
                Some(step) => Err(format!("step {} came to {}", step.number, step.verdict)),
                None => Err(format!("there is no step {}", prove.step.unwrap_or_default())),
            }
        }
        ProofKind::Never => match breach(text, prove.forbidden, steps) {
            None => Ok(proof(text, None)),
            Some((number, why)) => {
                let step = steps.iter().find(|step| step.number == number);
                Err(format!("step {number} {why} ({})", step.map(step_words).unwrap_or_default()))
            }
        },
    }
}

/// Where evidence is to be looked at again before the end: it was seen on the page that is open, and something was done since.
pub fn again(proof: &Proof, steps: &[Step], page: &str) -> Option<Look> {
    let is_old = steps.iter().any(|step| step.done && step.number > proof.after);
    let look = match (proof.kind, proof.r#ref) {
        (ProofKind::Target, Some(number)) => Look::Target(number.0.into()),
        (ProofKind::Page, _) => Look::Page,
        _ => return None,
    };
    (is_old && proof.page == page).then_some(look)
}

/// Whether what was looked at shows a text; else what it shows.
pub fn shows(seen: &Value, text: &str) -> Result<(), String> {
    // A target has a role; of the page there is its text alone.
    let page = seen.get("value").and_then(Value::as_str).filter(|_| seen.get("role").is_none());
    if let Some(page) = page {
        return if contains(page, text) { Ok(()) } else { Err("the page's text doesn't hold it".into()) };
    }
    let own = ["name", "text", "value"].iter().filter_map(|member| seen.get(*member)?.as_str());
    let more = seen.get("texts").and_then(Value::as_object).into_iter().flatten().filter_map(|(_, text)| text.as_str());
    let said: Vec<&str> = own.chain(more).filter(|said| !said.trim().is_empty()).collect();
    if said.iter().any(|said| contains(said, text)) {
        return Ok(());
    }
    Err(match said.first() {
        Some(said) => format!("it shows {}", shown::quote(said, 200)),
        None => "it shows no text".to_owned(),
    })
}

/// A step in words.
fn step_words(step: &Step) -> String {
    match &step.target {
        Some(target) => format!("{} {target}", step.command),
        None => step.command.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps() -> Vec<Step> {
        let step = |number, target: &str, verdict: &str, done| Step {
            number,
            command: "click".into(),
            arguments: Value::Null,
            target: Some(target.into()),
            says: vec![target.trim_start_matches("button ").trim_matches('"').into()],
            verdict: verdict.into(),
            done,
            page: "http://a/".into(),
        };
        vec![step(1, "button \"Add pear\"", "confirmed", true), step(2, "button \"Pay\"", "contradicted", false)]
    }

    fn prove(by: ProofKind, text: &str, mark_id: Option<u64>, step: Option<u32>) -> Prove {
        Prove { constraint: 1, by, expected_text: text.into(), mark_id, step, forbidden: None }
    }

    #[test]
    fn what_is_claimed_is_looked_at() {
        use ProofKind::{Address, Never, Page, Step, Target};
        let target =
            json!({"role": "textbox", "name": "Total", "value": "12", "texts": {"text": "Total 12 EUR", "title": ""}});
        let page = json!({"value": "Basket\nPears: 2\n"});
        let address = json!({"value": "http://a/orders?page=2"});
        let cases = [
            (prove(Target, "12 EUR", Some(4), None), &target, Ok(())),
            (prove(Target, "2 EUR", Some(4), None), &target, Err("it shows")),
            (prove(Page, "Pears: 2", None, None), &page, Ok(())),
            (prove(Page, "Pears: 3", None, None), &page, Err("doesn't hold")),
            (prove(Address, "page=2", None, None), &address, Ok(())),
            (prove(Address, "page=3", None, None), &address, Err("the address is")),
            (prove(Step, "", None, Some(1)), &Value::Null, Ok(())),
            (prove(Step, "", None, Some(2)), &Value::Null, Err("contradicted")),
            (prove(Step, "", None, Some(9)), &Value::Null, Err("no step 9")),
            (prove(Never, "Pay", None, None), &Value::Null, Ok(())),
            (prove(Never, "Add pear", None, None), &Value::Null, Err("step 1")),
        ];
        for (prove, seen, wanted) in cases {
            let got = judge(&prove, seen, &steps(), "http://a/");
            match (&got, wanted) {
                (Ok(_), Ok(())) => {}
                (Err(why), Err(part)) if why.contains(part) => {}
                _ => panic!("{prove:?}: {got:?}"),
            }
        }
    }

    #[test]
    fn what_was_seen_before_something_was_done_on_its_page_is_looked_at_again() {
        let proof = |kind, number: Option<u32>, page: &str, after| Proof {
            kind,
            text: "Pears: 2".into(),
            r#ref: number.map(Ref),
            step: None,
            forbidden: None,
            page: page.into(),
            after,
        };
        use ProofKind::{Address, Never, Page, Step, Target};
        for (proof, wanted) in [
            (proof(Page, None, "http://a/", 0), Some(Look::Page)),
            (proof(Target, Some(4), "http://a/", 0), Some(Look::Target(4))),
            // Nothing was done since: the second step was refused.
            (proof(Page, None, "http://a/", 1), None),
            (proof(Page, None, "http://b/", 0), None),
            (proof(Address, None, "http://a/", 0), None),
            (proof(Step, None, "http://a/", 0), None),
            (proof(Never, None, "http://a/", 0), None),
        ] {
            assert_eq!(again(&proof, &steps(), "http://a/"), wanted, "{proof:?}");
        }
    }

    #[test]
    fn what_a_proof_lacks_is_told() {
        use ProofKind::{Address, Never, Page, Step, Target};
        let forbidding = |kind, text| Prove { forbidden: Some(kind), ..prove(Never, text, None, None) };
        for (prove, wanted) in [
            (prove(Target, "a", None, None), Err(())),
            (prove(Target, "", Some(1), None), Err(())),
            (prove(Target, "a", Some(1), None), Ok(Look::Target(1))),
            (prove(Page, " ", None, None), Err(())),
            (prove(Page, "a", None, None), Ok(Look::Page)),
            (prove(Address, "a", None, None), Ok(Look::Address)),
            (prove(Step, "", None, None), Err(())),
            (prove(Step, "", None, Some(1)), Ok(Look::Steps)),
            (prove(Never, "", None, None), Err(())),
            (prove(Never, "\u{200b}", None, None), Err(())),
            (prove(Never, "Pay", None, None), Ok(Look::Steps)),
            (forbidding(StepKind::Type, ""), Err(())),
            (forbidding(StepKind::Type, "Pay"), Ok(Look::Steps)),
            (forbidding(StepKind::Press, ""), Ok(Look::Steps)),
        ] {
            assert_eq!(look(&prove).map_err(drop), wanted, "{prove:?}");
        }
    }
}
