//! The model's tools besides commands: the ledger, questions to the person, and the end.

use handeye_commands::core::schema;
use handeye_scene::chat::Tool;
use handeye_scene::task::{ProofKind, StepKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A call of one of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Own {
    /// States what must be held to.
    Plan(Plan),
    /// Writes down what was found.
    Note(Note),
    /// Proves that a constraint is met.
    Prove(Prove),
    /// Asks the person.
    Ask(Ask),
    /// Shows the ledger.
    Ledger,
    /// Ends the task.
    Finish(Finish),
}

/// State the task's constraints: everything that it asks for, and everything that it forbids or limits. Call it first
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// One short sentence each
    pub constraints: Vec<String>,
}

/// Write down facts that you are shown; each is checked, and kept with its page
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Numbers of the targets that show them; 0 for text of the page that is in no target
    pub mark_ids: Vec<u64>,
    /// What each of them shows, copied, in the same order
    pub expected_texts: Vec<String>,
    /// What they are for
    pub reasoning: String,
}

/// Prove that a constraint is met, by what can be seen now or by what was done; it is checked
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prove {
    /// Number of the constraint, from 1
    pub constraint: u32,
    /// By what: a target shows expected_text (with mark_id); the page shows it; the page's address holds it; a step of yours,
    /// pressing what says it or putting it in, was confirmed (with step); or never: none of your steps was done to what says
    /// expected_text, or with it, nor was of the kind forbidden. Then expected_text is the wording of what would do it, as you were shown it; forbidden type needs it, too
    pub by: ProofKind,
    /// The text that is looked for
    #[serde(default)]
    pub expected_text: String,
    /// Number of the target
    #[serde(default)]
    pub mark_id: Option<u64>,
    /// Number of the step
    #[serde(default)]
    pub step: Option<u32>,
    /// For never: a kind of step that none of yours may be
    #[serde(default)]
    pub forbidden: Option<StepKind>,
}

/// Ask the person what the task leaves open and you can't see: one question, answered in words
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The question
    pub question: String,
}

/// End the task with an answer
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// Whether the task is done as it was asked for
    pub success: bool,
    /// The answer
    pub answer: Value,
}

/// Show the ledger: constraints with their evidence, facts, what came up meanwhile, questions
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// Name of the tool that shows the ledger.
pub const LEDGER: &str = "ledger";

/// Them as tools. `answer`: what the answer must satisfy, where it isn't words.
pub fn tools(answer: Option<&Value>) -> Vec<Tool> {
    let mut finish = tool::<Finish>("finish");
    let mut answer =
        answer.cloned().unwrap_or_else(|| json!({"type": "string", "description": "The answer, in words"}));
    // What a schema names of itself, it names from the root.
    for defined in ["$defs", "definitions"] {
        if let Some(parts) = answer.as_object_mut().and_then(|members| members.remove(defined)) {
            finish.parameters[defined] = parts;
        }
    }
    if let Some(member) = finish.parameters.pointer_mut("/properties/answer") {
        *member = answer;
    }
    vec![
        tool::<Plan>("plan"),
        tool::<Note>("note"),
        tool::<Prove>("prove"),
        tool::<Ask>("ask"),
        tool::<Nothing>(LEDGER),
        finish,
    ]
}

fn tool<T: JsonSchema>(name: &str) -> Tool {
    let declared = schemars::schema_for!(T).to_value();
    let description = declared.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut parameters = schema::whole(&declared);
    parameters.entry("properties").or_insert_with(|| json!({}));
    Tool { name: name.to_owned(), description, parameters: Value::Object(parameters) }
}

/// A call of one of them; none where the name is none of theirs.
pub fn read(name: &str, args: &Map<String, Value>) -> Option<Result<Own, String>> {
    let args = Value::Object(args.clone());
    Some(match name {
        "plan" => of(args).map(Own::Plan),
        "note" => of(args).map(Own::Note),
        "prove" => of(args).map(Own::Prove),
        "ask" => of(args).map(Own::Ask),
        LEDGER => of::<Nothing>(args).map(|_| Own::Ledger),
        "finish" => of(args).map(Own::Finish),
        _ => return None,
    })
}

fn of<T: DeserializeOwned>(args: Value) -> Result<T, String> {
    serde_json::from_value(args).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_call_is_told() {
        let read = |name: &str, args: Value| read(name, args.as_object().expect("an object"));
        assert!(read("click", json!({})).is_none());
        assert!(matches!(read("ledger", json!({})), Some(Ok(Own::Ledger))));
        for (name, args, wrong) in [
            ("plan", json!({}), "constraints"),
            ("note", json!({"mark_ids": [1], "expected_texts": ["a"]}), "reasoning"),
            ("note", json!({"mark_ids": ["1"], "expected_texts": ["a"], "reasoning": "r"}), "string"),
            ("prove", json!({"constraint": 1, "by": "hope"}), "hope"),
            ("finish", json!({"success": "yes", "answer": "a"}), "boolean"),
            ("ledger", json!({"all": true}), "all"),
        ] {
            let said = read(name, args).expect("it is one of ours").expect_err("it is wrong");
            assert!(said.contains(wrong), "{said}");
        }
    }

    #[test]
    fn the_answer_has_the_schema_that_was_asked_for() {
        let of = |schema: Option<&Value>| {
            let tools = tools(schema);
            let finish = tools.iter().find(|tool| tool.name == "finish").expect("it is there");
            finish.parameters["properties"]["answer"].clone()
        };
        assert_eq!(of(None)["type"], "string");
        let schema = json!({"type": "object", "required": ["price"]});
        assert_eq!(of(Some(&schema)), schema);
        let schema = json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}});
        let tools = tools(Some(&schema));
        let finish = tools.iter().find(|tool| tool.name == "finish").expect("it is there");
        assert_eq!(finish.parameters.pointer("/$defs/a"), schema.pointer("/$defs/a"));
    }
}
