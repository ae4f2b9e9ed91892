//! Whether an answer may end the task.

use crate::ledger;
use crate::own::Finish;
use boon::{Compiler, SchemaIndex, Schemas, UrlLoader, ValidationError};
use handeye_engine::wording::shown;
use handeye_scene::task::{Ledger, Outcome};
use handeye_scene::{Code, Problem};
use serde_json::Value;
use std::error::Error;

/// What comes of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// It is given back, and why.
    Back(String),
    /// It ends the task.
    End(Outcome, Option<String>),
}

/// A schema, to hold answers to.
pub struct Validator {
    schemas: Schemas,
    index: SchemaIndex,
}

/// Fetches nothing: a schema stands by itself.
struct Nowhere;

impl UrlLoader for Nowhere {
    fn load(&self, url: &str) -> Result<Value, Box<dyn Error>> {
        Err(format!("{url} isn't fetched: put it into the schema, under $defs").into())
    }
}

/// What a schema is called where it names parts of itself.
const PLACE: &str = "https://handeye.invalid/answer.json";

/// A schema, to hold answers to. One that is no schema, or names another that would have to be fetched, is refused.
pub fn validator(schema: &Value) -> Result<Validator, Problem> {
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.use_loader(Box::new(Nowhere));
    compiler.add_resource(PLACE, schema.clone()).map_err(|e| unusable(&e.to_string()))?;
    let index = compiler.compile(PLACE, &mut schemas).map_err(|e| unusable(&format!("{e:#}")))?;
    Ok(Validator { schemas, index })
}

fn unusable(why: &str) -> Problem {
    let text = format!("the schema of the answer can't be used: {}", shown::line(why, 300));
    Problem::new(Code::BadRequest, text).hint("handeye do --help")
}

/// What is wrong with an answer by its schema, each in words.
pub fn faults(validator: &Validator, answer: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    if let Err(error) = validator.schemas.validate(answer, validator.index) {
        gather(&error, &mut faults);
    }
    faults.truncate(5);
    faults
}

/// The innermost causes of an error: those that say what to do.
fn gather(error: &ValidationError<'_, '_>, faults: &mut Vec<String>) {
    if error.causes.is_empty() {
        let place = error.instance_location.to_string();
        let place = if place.is_empty() { "the answer".to_owned() } else { place };
        faults.push(shown::line(&format!("{place}: {}", error.kind), 200));
    }
    error.causes.iter().for_each(|cause| gather(cause, faults));
}

/// Decides on an answer. `given_back`: how often one was given back before.
pub fn decide(finish: &Finish, validator: Option<&Validator>, ledger: &Ledger, given_back: u32) -> Ending {
    // An answer that says why it can't be done needs no form.
    let faults = match validator {
        Some(validator) if finish.success => self::faults(validator, &finish.answer),
        None if !finish.answer.is_string() => vec!["the answer is to be words".to_owned()],
        _ => Vec::new(),
    };
    if !faults.is_empty() {
        let why = format!("the answer doesn't have the form that was asked for: {}", faults.join("; "));
        return if given_back < 2 { Ending::Back(why) } else { Ending::End(Outcome::Unproven, Some(why)) };
    }
    if !finish.success {
        return Ending::End(Outcome::Failed, Some("the model says that it can't be done as asked".into()));
    }
    let gaps = ledger::gaps(ledger);
    if gaps.is_empty() {
        return Ending::End(Outcome::Done, None);
    }
    let why = gaps.join("; ");
    if given_back == 0 { Ending::Back(why) } else { Ending::End(Outcome::Unproven, Some(why)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::task::{Proof, ProofKind};
    use serde_json::json;

    fn ledger(is_proven: bool) -> Ledger {
        let mut ledger = Ledger::default();
        ledger::plan(&mut ledger, &["it is done".into()]).expect("it is stated");
        if is_proven {
            let proof = Proof {
                kind: ProofKind::Page,
                text: "Done".into(),
                r#ref: None,
                step: None,
                forbidden: None,
                page: String::new(),
                after: 0,
            };
            ledger::prove(&mut ledger, 1, proof).expect("it is there");
        }
        ledger
    }

    #[test]
    fn a_claim_without_evidence_is_given_back_once_and_then_unproven() {
        let finish = |success, answer| Finish { success, answer };
        let of = |success, is_proven, back| match decide(&finish(success, json!("a")), None, &ledger(is_proven), back) {
            Ending::Back(_) => "back",
            Ending::End(outcome, _) => outcome.word(),
        };
        for (success, is_proven, back, wanted) in [
            (true, true, 0, "done"),
            (true, true, 5, "done"),
            (true, false, 0, "back"),
            (true, false, 1, "unproven"),
            (false, false, 0, "failed"),
            (false, true, 0, "failed"),
        ] {
            assert_eq!(of(success, is_proven, back), wanted, "{success} {is_proven} {back}");
        }
    }

    #[test]
    fn an_answer_has_the_form_that_was_asked_for() {
        let schema = json!({"type": "object", "required": ["price"], "properties": {"price": {"type": "number"}}});
        let validator = validator(&schema).expect("it is a schema");
        let of = |answer: Value, back| decide(&Finish { success: true, answer }, Some(&validator), &ledger(true), back);
        assert_eq!(of(json!({"price": 12.5}), 0), Ending::End(Outcome::Done, None));
        for answer in [json!("12.5"), json!({"price": "12.5"}), json!({})] {
            assert!(matches!(of(answer.clone(), 0), Ending::Back(why) if why.contains("form")), "{answer}");
            assert!(matches!(of(answer, 2), Ending::End(Outcome::Unproven, Some(_))));
        }
    }

    #[test]
    fn what_is_no_schema_is_refused_and_nothing_is_fetched() {
        for schema in [json!({"type": "nothing"}), json!(5), json!({"$ref": "https://example.com/schema.json"})] {
            assert_eq!(validator(&schema).map(drop).map_err(|p| p.code), Err(Code::BadRequest), "{schema}");
        }
    }
}
