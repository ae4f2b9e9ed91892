//! Evidence: where to look for it, and whether what is seen there is it.

use crate::never::{breach, is_gentle, said};
use crate::own::Prove;
use handeye_engine::matching::{contains, normalize};
use handeye_engine::wording::shown;
use handeye_scene::Ref;
use handeye_scene::task::{Proof, ProofKind, Step, StepKind};
use serde_json::{Value, json};

/// The verdict of what is seen to have been done.
const CONFIRMED: &str = "confirmed";
/// Commands that come to the same when they are done again.
const SETTING: [&str; 4] = ["input", "select", "check", "uncheck"];

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
        // What is typed without a wording may be anything, and what is pressed by it, too.
        ProofKind::Never => prove.forbidden.is_none_or(|kind| kind == StepKind::Type),
        ProofKind::Target | ProofKind::Page | ProofKind::Address | ProofKind::Step => true,
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
            let step = step.ok_or_else(|| format!("there is no step {}", prove.step.unwrap_or_default()))?;
            holds(step, text).map(|()| proof(text, None))
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

/// Whether a step is evidence: it put something in or pressed something, its receipt says itself that it is confirmed, and it was done
/// to what says the text, or with it. Else why not.
fn holds(step: &Step, text: &str) -> Result<(), String> {
    let number = step.number;
    if step.verdict != CONFIRMED {
        return Err(format!("step {number} came to {}, and only a step that is confirmed is evidence", step.verdict));
    }
    if is_gentle(&step.command) {
        return Err(format!("step {number} ({}) changes nothing, and proves nothing", step.command));
    }
    match said(step).iter().any(|said| contains(said, text)) {
        true => Ok(()),
        false => Err(format!("step {number} ({}) doesn't say that", step_words(step))),
    }
}

/// How evidence is looked at again before the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Again {
    /// Here: it was seen on the page that is open, and something was done since.
    Look(Look),
    /// Nowhere: it was seen on another page, and something was done since that may have changed it.
    Elsewhere,
}

/// How evidence is looked at again before the end; none where it is still as it was, as far as anyone can say.
pub fn again(proof: &Proof, steps: &[Step], page: &str) -> Option<Again> {
    let look = match (proof.kind, proof.r#ref) {
        (ProofKind::Target, Some(number)) => Look::Target(number.0.into()),
        (ProofKind::Page, _) => Look::Page,
        _ => return None,
    };
    let since = || steps.iter().filter(|step| step.done && step.number > proof.after);
    if proof.page == page {
        return since().next().map(|_| Again::Look(look));
    }
    let mut before = proof.page.as_str();
    let may_differ = since().any(|step| !only_leads(step, std::mem::replace(&mut before, &step.page)));
    // A page that names what it shows in its address is the same page.
    may_differ.then(|| if place(&proof.page) == place(page) { Again::Look(look) } else { Again::Elsewhere })
}

/// An address without its query and fragment.
fn place(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or(address)
}

/// Whether a step did nothing but look, or lead to another page. `before`: the page that it was done on.
fn only_leads(step: &Step, before: &str) -> bool {
    let is_link = step.command == "click" && step.target.as_ref().is_some_and(|target| target.starts_with("link "));
    is_gentle(&step.command) || matches!(step.command.as_str(), "open" | "tabs") || is_link && step.page != before
}

/// Whether what a step did to its target was done over by a later one.
pub fn is_done_over(proof: &Proof, steps: &[Step]) -> bool {
    let Some(own) = steps.iter().find(|step| Some(step.number) == proof.step) else { return false };
    let later = steps.iter().filter(|step| step.done && step.number > own.number && !is_gentle(&step.command));
    let is_same = |step: &Step| SETTING.contains(&step.command.as_str()) && step.arguments == own.arguments;
    let (aim, command) = (own.arguments.get("ref"), &own.command);
    aim.is_some()
        && later.filter(|step| step.arguments.get("ref") == aim).any(|step| step.command != *command || !is_same(step))
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
            (prove(Step, "Add pear", None, Some(1)), &Value::Null, Ok(())),
            (prove(Step, "the order is placed", None, Some(1)), &Value::Null, Err("doesn't say")),
            (prove(Step, "Pay", None, Some(2)), &Value::Null, Err("contradicted")),
            (prove(Step, "Add pear", None, Some(9)), &Value::Null, Err("no step 9")),
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

    fn done(number: u32, command: &str, arguments: Value, target: &str, page: &str) -> Step {
        Step {
            number,
            command: command.into(),
            arguments,
            target: Some(target.into()),
            says: vec![target.into()],
            verdict: "confirmed".into(),
            done: true,
            page: page.into(),
        }
    }

    fn seen(kind: ProofKind, number: Option<u32>, page: &str, after: u32) -> Proof {
        let (text, step) = ("Pears: 2".into(), number.filter(|_| kind == ProofKind::Step));
        Proof { kind, text, r#ref: number.map(Ref), step, forbidden: None, page: page.into(), after }
    }

    #[test]
    fn only_a_step_whose_receipt_is_confirmed_and_that_did_something_is_evidence() {
        for (step, text, wanted) in [
            (done(1, "click", json!({}), "Place order", ""), "Place order", true),
            (done(1, "input", json!({"text": "Ann"}), "Name", ""), "Ann", true),
            (done(1, "click", json!({}), "Place order", ""), "Pay", false),
            (done(1, "hover", json!({}), "Place order", ""), "Place order", false),
            (done(1, "wait", json!({"text": "Place order"}), "", ""), "Place order", false),
            // They have no verdict of their own.
            (Step { verdict: "ok".into(), ..done(1, "tabs", json!({"action": "list"}), "", "") }, "list", false),
            (Step { verdict: "ok".into(), ..done(1, "open", json!({"url": "http://a/paid"}), "", "") }, "paid", false),
            (Step { verdict: "unknown".into(), ..done(1, "click", json!({}), "Pay", "") }, "Pay", false),
        ] {
            let prove = prove(ProofKind::Step, text, None, Some(1));
            assert_eq!(judge(&prove, &Value::Null, std::slice::from_ref(&step), "").is_ok(), wanted, "{step:?}");
        }
    }

    #[test]
    fn what_was_seen_before_something_was_done_on_its_page_is_looked_at_again() {
        use ProofKind::{Address, Never, Page, Step, Target};
        let look = |look| Some(Again::Look(look));
        for (proof, wanted) in [
            (seen(Page, None, "http://a/", 0), look(Look::Page)),
            (seen(Target, Some(4), "http://a/", 0), look(Look::Target(4))),
            // Nothing was done since: the second step was refused.
            (seen(Page, None, "http://a/", 1), None),
            (seen(Page, None, "http://b/", 1), None),
            // The page names what it shows in its address.
            (seen(Page, None, "http://a/?added=0#top", 0), look(Look::Page)),
            (seen(Page, None, "http://b/", 0), Some(Again::Elsewhere)),
            (seen(Address, None, "http://a/", 0), None),
            (seen(Step, None, "http://a/", 0), None),
            (seen(Never, None, "http://a/", 0), None),
        ] {
            assert_eq!(again(&proof, &steps(), "http://a/"), wanted, "{proof:?}");
        }
    }

    #[test]
    fn what_only_leads_elsewhere_changes_nothing_of_what_was_seen() {
        let open = || done(1, "open", json!({}), "", "http://a/2");
        let link = |page: &str| done(1, "click", json!({}), "link \"Next\"", page);
        let press = |page: &str| done(2, "click", json!({}), "button \"Add\"", page);
        for (steps, now, wanted) in [
            (vec![open()], "http://a/2", None),
            (vec![link("http://a/2")], "http://a/2", None),
            (vec![link("http://a/1?page=2")], "http://a/1?page=2", None),
            // A link that stays where it is may do anything.
            (
                vec![link("http://a/1"), done(2, "back", json!({}), "", "http://a/2")],
                "http://a/2",
                Some(Again::Elsewhere),
            ),
            (vec![open(), press("http://a/2")], "http://a/2", Some(Again::Elsewhere)),
            (vec![press("http://a/1?added=1")], "http://a/1?added=1", Some(Again::Look(Look::Page))),
        ] {
            let proof = seen(ProofKind::Page, None, "http://a/1", 0);
            assert_eq!(again(&proof, &steps, now), wanted, "{steps:?}");
        }
    }

    #[test]
    fn a_step_that_was_done_over_is_no_evidence_any_more() {
        let on = |number, command: &str, arguments: Value| done(number, command, arguments, "Gift", "");
        let proof = Proof { step: Some(1), ..seen(ProofKind::Step, None, "", 1) };
        let checked = || on(1, "check", json!({"ref": 3}));
        for (later, wanted) in [
            (on(2, "uncheck", json!({"ref": 3})), true),
            (on(2, "click", json!({"ref": 3})), true),
            (on(2, "check", json!({"ref": 3})), false),
            (on(2, "hover", json!({"ref": 3})), false),
            (on(2, "uncheck", json!({"ref": 4})), false),
            (Step { done: false, ..on(2, "uncheck", json!({"ref": 3})) }, false),
        ] {
            assert_eq!(is_done_over(&proof, &[checked(), later.clone()]), wanted, "{later:?}");
        }
        let twice = [on(1, "click", json!({"ref": 3})), on(2, "click", json!({"ref": 3}))];
        assert!(is_done_over(&proof, &twice), "it may be off again");
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
            (prove(Step, "a", None, None), Err(())),
            (prove(Step, " ", None, Some(1)), Err(())),
            (prove(Step, "a", None, Some(1)), Ok(Look::Steps)),
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
