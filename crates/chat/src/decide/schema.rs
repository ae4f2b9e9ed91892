//! Tools and calls held to JSON Schema. Nothing is fetched for it.

use crate::wire::{ChatError, ErrorCode, ToolSpec};
use boon::{Compiler, SchemaIndex, Schemas, UrlLoader, ValidationError};
use serde_json::Value;
use std::error::Error;

/// Where schemas are said to be: nothing is there.
const PLACE: &str = "handeye:tool";
/// Faults that a model is told of at most.
const FAULTS: usize = 5;
/// Characters of one answer to a model.
const TOLD: usize = 1_500;

/// Refuses whatever a schema names outside of itself.
struct Nothing;

impl UrlLoader for Nothing {
    fn load(&self, url: &str) -> Result<Value, Box<dyn Error>> {
        Err(format!("{url} isn't fetched: a schema holds all that it needs").into())
    }
}

/// A tool's schema, compiled; why it is none.
fn compiled(place: &str, tool: &ToolSpec, schemas: &mut Schemas) -> Result<SchemaIndex, String> {
    let mut compiler = Compiler::new();
    compiler.use_loader(Box::new(Nothing));
    compiler.add_resource(place, tool.parameters.to_value()).map_err(|e| e.to_string())?;
    compiler.compile(place, schemas).map_err(|e| e.to_string())
}

/// The schemas of a request's tools.
pub struct Checks {
    schemas: Schemas,
    /// None: held to nothing but that they are an object.
    of: Vec<(String, Option<SchemaIndex>)>,
}

impl Checks {
    /// Compiles the schemas of the client's tools and of the server's. Of the client's, one that is none is named by its place in
    /// the list; a tool of the server whose schema isn't understood (a pattern that looks around, say) checks its calls itself.
    pub fn compile(tools: &[ToolSpec], ours: &[ToolSpec]) -> Result<Self, ChatError> {
        let mut checks = Self::of_client(tools)?;
        for (at, tool) in ours.iter().enumerate() {
            let index = compiled(&format!("{PLACE}-server-{at}"), tool, &mut checks.schemas).ok();
            checks.of.push((tool.name.clone(), index));
        }
        Ok(checks)
    }

    fn of_client(tools: &[ToolSpec]) -> Result<Self, ChatError> {
        let (mut schemas, mut of) = (Schemas::new(), Vec::new());
        for (at, tool) in tools.iter().enumerate() {
            let wrong = |why: &dyn std::fmt::Display| {
                let field = format!("browser_tools[{at}].parameters");
                let why: String =
                    format!("`{field}` of `{}` is no JSON Schema: {why}", tool.name).chars().take(TOLD).collect();
                ChatError::new(ErrorCode::BadTool, why).at(field)
            };
            let index = compiled(&format!("{PLACE}{at}"), tool, &mut schemas).map_err(|why| wrong(&why))?;
            of.push((tool.name.clone(), Some(index)));
        }
        Ok(Self { schemas, of })
    }

    /// Whether a tool may be called so; why not, for the model.
    pub fn check(&self, tool: &str, arguments: &Value) -> Result<(), String> {
        let Some((_, index)) = self.of.iter().find(|(name, _)| name == tool) else {
            let known: Vec<String> = self.of.iter().map(|(name, _)| format!("`{name}`")).collect();
            let known =
                if known.is_empty() { "there are none".to_owned() } else { format!("there are {}", known.join(", ")) };
            let tool: String = tool.chars().filter(|c| !c.is_control()).take(64).collect();
            return Err(format!("there is no tool `{tool}`; {known}"));
        };
        if !arguments.is_object() {
            return Err(format!("the arguments of `{tool}` are no JSON object"));
        }
        let Some(index) = *index else { return Ok(()) };
        self.schemas.validate(arguments, index).map_err(|error| {
            let mut faults = Vec::new();
            leaves(&error, &mut faults);
            let why: String = faults.join("; ").chars().take(TOLD).collect();
            format!("the arguments of `{tool}` don't fit its schema: {why}")
        })
    }
}

fn leaves(error: &ValidationError<'_, '_>, faults: &mut Vec<String>) {
    if error.causes.is_empty() && faults.len() < FAULTS {
        let place = error.instance_location.to_string();
        faults.push(format!("{}: {}", if place.is_empty() { "/" } else { &place }, error.kind));
    }
    error.causes.iter().for_each(|cause| leaves(cause, faults));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Json;
    use serde_json::json;

    fn tool(name: &str, parameters: &Value) -> ToolSpec {
        ToolSpec { name: name.into(), description: String::new(), parameters: Json::from(parameters) }
    }

    #[test]
    fn calls_are_held_to_the_schema() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x"]}}});
        let checks = Checks::compile(&[tool("t", &schema)], &[]).expect("it is a schema");
        assert_eq!(checks.check("t", &json!({"a": "x", "b": 1})), Ok(()));
        for (name, arguments, part) in [
            ("T", json!({"a": "x"}), "there is no tool `T`; there are `t`"),
            ("t", json!([]), "no JSON object"),
            ("t", json!({}), "/: missing"),
            ("t", json!({"a": "y"}), "/a: "),
        ] {
            let why = checks.check(name, &arguments).expect_err(part);
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn what_is_no_schema_is_refused_and_nothing_is_fetched() {
        for schema in [
            json!({"type": "objekt"}),
            json!({"properties": 5}),
            json!({"properties": {"a": {"pattern": "("}}}),
            json!({"$ref": "http://127.0.0.1:1/x.json"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"$schema": "http://example.com/own"}),
        ] {
            let error =
                Checks::compile(&[tool("ok", &json!({})), tool("t", &schema)], &[]).err().expect("it is refused");
            assert_eq!(
                (error.code, error.field.as_deref()),
                (ErrorCode::BadTool, Some("browser_tools[1].parameters")),
                "{schema}"
            );
        }
    }

    #[test]
    fn a_schema_of_the_servers_that_is_not_understood_keeps_nobody_from_talking() {
        let odd = json!({"type": "object", "properties": {"q": {"type": "string", "pattern": "^(?!x)"}}});
        assert!(Checks::compile(&[tool("t", &odd)], &[]).is_err());
        let checks = Checks::compile(&[], &[tool("t", &odd)]).expect("it is the server's own");
        assert_eq!(checks.check("t", &json!({"q": "x"})), Ok(()));
        assert!(checks.check("t", &json!([])).is_err());
    }
}
