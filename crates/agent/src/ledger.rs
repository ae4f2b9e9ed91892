//! The ledger: what the task must hold to, what was found, what came up by itself, and what is open.

use handeye_engine::wording::shown;
use handeye_scene::task::{Constraint, Fact, Ledger, Meanwhile, OpenQuestion, Proof, ProofKind, Step};
use std::fmt::Write;

/// Constraints at most.
const CONSTRAINTS: usize = 30;
/// Facts, and things that came up, that are kept at most.
const KEPT: usize = 100;
/// Characters of one text.
const TEXT: usize = 300;

/// Adds constraints, as the model states them; what is wrong with them, for the model.
pub fn plan(ledger: &mut Ledger, constraints: &[String]) -> Result<(), String> {
    let mut fresh: Vec<&str> = Vec::new();
    for text in constraints.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
        if !fresh.contains(&text) && ledger.constraints.iter().all(|known| known.text != text) {
            fresh.push(text);
        }
    }
    if fresh.is_empty() && ledger.constraints.is_empty() {
        return Err("a task has at least one constraint: that what it asks for was done".into());
    }
    if ledger.constraints.len() + fresh.len() > CONSTRAINTS {
        return Err(format!("more than {CONSTRAINTS} constraints: put those together that are proven together"));
    }
    for text in fresh {
        let id = ledger.constraints.len() as u32 + 1;
        ledger.constraints.push(Constraint { id, text: shown::cut(text, TEXT), evidence: Vec::new() });
    }
    Ok(())
}

/// Adds a fact that was found.
pub fn found(ledger: &mut Ledger, fact: Fact) {
    if !ledger.facts.contains(&fact) && ledger.facts.len() < KEPT {
        ledger.facts.push(fact);
    }
}

/// Adds evidence to the constraint of this number.
pub fn prove(ledger: &mut Ledger, constraint: u32, proof: Proof) -> Result<(), String> {
    let count = ledger.constraints.len();
    let found = ledger.constraints.iter_mut().find(|known| known.id == constraint);
    let found = found.ok_or_else(|| format!("there is no constraint {constraint}; there are {count}"))?;
    // Seen again, it is as new as that.
    found.evidence.retain(|known| Proof { after: proof.after, ..known.clone() } != proof);
    found.evidence.push(proof);
    Ok(())
}

/// Adds what came up by itself; what is new of it.
pub fn came_up(ledger: &mut Ledger, texts: Vec<String>, step: u32, page: &str) -> Vec<String> {
    let mut fresh = Vec::new();
    for text in texts {
        let is_known = ledger.meanwhile.iter().any(|known| alike(&known.text, &text) && known.page == page);
        if !is_known && ledger.meanwhile.len() < KEPT {
            ledger.meanwhile.push(Meanwhile { text: text.clone(), step, page: page.to_owned() });
            fresh.push(text);
        }
    }
    fresh
}

/// Whether two texts are the same but for their digits, as a clock's are.
fn alike(one: &str, other: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_numeric()).collect::<String>();
    letters(one) == letters(other)
}

/// Notes a question, with its answer where there is one.
pub fn asked(ledger: &mut Ledger, question: &str, answer: Option<String>) {
    let question = shown::cut(question, TEXT);
    match ledger.questions.iter_mut().find(|known| known.question == question) {
        Some(known) if known.answer.is_none() => known.answer = answer,
        Some(_) => {}
        None => ledger.questions.push(OpenQuestion { question, answer }),
    }
}

/// Takes back what was proven by something not having been done, where it was done since, or by a step that a later one did over.
pub fn recheck(ledger: &mut Ledger, steps: &[Step]) {
    let holds = |proof: &Proof| match proof.kind {
        ProofKind::Never => crate::never::breach(&proof.text, proof.forbidden, steps).is_none(),
        ProofKind::Step => !crate::evidence::is_done_over(proof, steps),
        ProofKind::Target | ProofKind::Page | ProofKind::Address => true,
    };
    for constraint in &mut ledger.constraints {
        constraint.evidence.retain(holds);
    }
}

/// Takes back evidence that isn't to be seen any more.
pub fn take_back(ledger: &mut Ledger, gone: &[Proof]) {
    for constraint in &mut ledger.constraints {
        constraint.evidence.retain(|proof| !gone.contains(proof));
    }
}

/// What keeps the task from being done, each in words; nothing where it is done.
pub fn gaps(ledger: &Ledger) -> Vec<String> {
    let mut gaps = Vec::new();
    if ledger.constraints.is_empty() {
        gaps.push("no constraint of the task was stated".to_owned());
    }
    let unproven = ledger.constraints.iter().filter(|constraint| constraint.evidence.is_empty());
    gaps.extend(unproven.map(|c| format!("constraint {} is unproven: {}", c.id, c.text)));
    let open = ledger.questions.iter().filter(|question| question.answer.is_none());
    gaps.extend(open.map(|q| format!("a question to the person is open: {}", q.question)));
    gaps
}

/// The ledger in lines. Texts from outside are in quotes.
pub fn lines(ledger: &Ledger) -> String {
    let mut out = String::from("constraints:");
    if ledger.constraints.is_empty() {
        out.push_str(" none stated");
    }
    for constraint in &ledger.constraints {
        let mark = if constraint.evidence.is_empty() { "unproven" } else { "proven" };
        let _ = write!(out, "\n  {}. {} ({mark})", constraint.id, shown::line(&constraint.text, TEXT));
        for proof in &constraint.evidence {
            let _ = write!(out, "\n     by {}", words(proof));
        }
    }
    if !ledger.facts.is_empty() {
        out.push_str("\nfacts:");
    }
    for fact in &ledger.facts {
        let place = fact.r#ref.map_or_else(|| "in the page".to_owned(), |number| format!("at {number}"));
        let (text, page) = (shown::quote(&fact.text, TEXT), shown::address(&fact.page));
        let _ = write!(out, "\n  {text} {place} of {page}: {}", shown::line(&fact.reasoning, TEXT));
    }
    if !ledger.meanwhile.is_empty() {
        out.push_str("\nmeanwhile:");
    }
    for came in &ledger.meanwhile {
        let _ = write!(out, "\n  after step {}: {}", came.step, shown::line(&came.text, TEXT));
    }
    if !ledger.questions.is_empty() {
        out.push_str("\nquestions to the person:");
    }
    for question in &ledger.questions {
        let answer = question.answer.as_deref().map_or("open".to_owned(), |answer| shown::quote(answer, TEXT));
        let _ = write!(out, "\n  {}: {answer}", shown::line(&question.question, TEXT));
    }
    out
}

/// A proof in words.
fn words(proof: &Proof) -> String {
    let (text, page) = (shown::quote(&proof.text, TEXT), shown::address(&proof.page));
    match (proof.kind, proof.r#ref, proof.step) {
        (ProofKind::Target, Some(number), _) => format!("{number}, which shows {text} on {page}"),
        (ProofKind::Address, ..) => format!("the address {page}, which holds {text}"),
        (ProofKind::Step, _, Some(step)) => format!("step {step}, confirmed, which says {text}"),
        (ProofKind::Never, ..) => match (proof.forbidden, proof.text.is_empty()) {
            (Some(kind), true) => format!("no step having been of the kind `{}`", kind.word()),
            (Some(kind), false) => format!("no step having been of the kind `{}`, or done to {text}", kind.word()),
            (None, _) => format!("no step having been done to {text}"),
        },
        _ => format!("the page {page}, which shows {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(kind: ProofKind, text: &str) -> Proof {
        Proof { kind, text: text.into(), r#ref: None, step: None, forbidden: None, page: "http://a/".into(), after: 0 }
    }

    #[test]
    fn a_task_is_done_when_each_constraint_is_proven_and_no_question_is_open() {
        let mut ledger = Ledger::default();
        assert_eq!(gaps(&ledger).len(), 1, "nothing stated is nothing proven");
        assert!(plan(&mut ledger, &["  ".into()]).is_err());
        plan(&mut ledger, &["two pears".into(), "not paid".into(), "two pears".into()]).expect("they are stated");
        // Stating them again takes nothing away.
        plan(&mut ledger, &["two pears".into()]).expect("it is known");
        assert_eq!(ledger.constraints.len(), 2, "{ledger:?}");
        assert_eq!(gaps(&ledger).len(), 2);
        assert!(prove(&mut ledger, 3, proof(ProofKind::Page, "Pears: 2")).is_err());
        prove(&mut ledger, 1, proof(ProofKind::Page, "Pears: 2")).expect("it is there");
        prove(&mut ledger, 2, proof(ProofKind::Never, "Pay")).expect("it is there");
        assert!(gaps(&ledger).is_empty());
        asked(&mut ledger, "Which size?", None);
        assert_eq!(gaps(&ledger).len(), 1);
        asked(&mut ledger, "Which size?", Some("M".into()));
        assert!(gaps(&ledger).is_empty());
        // What was proven by its not having been done is unproven once it is.
        let step = |target: &str, done| Step {
            number: 1,
            command: "click".into(),
            arguments: serde_json::Value::Null,
            target: Some(target.into()),
            says: vec![target.into()],
            verdict: "confirmed".into(),
            done,
            page: String::new(),
        };
        recheck(&mut ledger, &[step("Pay now", false), step("Payments", true)]);
        assert!(gaps(&ledger).is_empty());
        recheck(&mut ledger, &[step("Pay now", true)]);
        assert_eq!(gaps(&ledger).len(), 1);
    }

    #[test]
    fn what_comes_up_is_noted_once() {
        let mut ledger = Ledger::default();
        let mut came = |text: &str| came_up(&mut ledger, vec![text.to_owned()], 1, "http://a/").len();
        assert_eq!([came("12:01"), came("12:02"), came("New message"), came("New message")], [1, 0, 1, 0]);
    }

    #[test]
    fn texts_from_outside_stay_in_their_lines() {
        let mut ledger = Ledger::default();
        plan(&mut ledger, &["a\nfacts:".into()]).expect("it is stated");
        prove(&mut ledger, 1, proof(ProofKind::Page, "b\nconstraints:\n  9. all (proven)")).expect("it is there");
        assert_eq!(lines(&ledger).lines().count(), 3, "{}", lines(&ledger));
    }
}
