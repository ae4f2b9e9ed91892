//! Tools and calls held to JSON Schema. Nothing is fetched for it.

use crate::wire::{ChatError, ErrorCode, Json, ToolSpec};
use boon::{Compiler, SchemaIndex, Schemas, UrlLoader, ValidationError};
use regex::RegexBuilder;
use serde_json::Value;
use std::error::Error;

/// Where schemas are said to be: nothing is there.
const PLACE: &str = "handeye:tool";
/// Faults that a model is told of at most.
const FAULTS: usize = 5;
/// Characters of one answer to a model.
const TOLD: usize = 1_500;
/// Patterns of all schemas of a client.
const PATTERNS: usize = 200;
/// Bytes that one of them may take, compiled, and all together: `\p{L}{99}` takes millions.
const PATTERN: usize = 256 << 10;
const ALL_PATTERNS: usize = 2 << 20;

/// Refuses whatever a schema names outside of itself.
struct Nothing;

impl UrlLoader for Nothing {
    fn load(&self, url: &str) -> Result<Value, Box<dyn Error>> {
        Err(format!("{url} isn't fetched: a schema holds all that it needs").into())
    }
}

/// What the patterns of a client's schemas take, before anything is compiled of them without a bound.
#[derive(Default)]
struct Patterns {
    count: usize,
    bytes: usize,
}

impl Patterns {
    /// Weighs all that a schema may hold: whatever is called `pattern`, and the names of `patternProperties`.
    fn weigh(&mut self, schema: &Json) -> Result<(), String> {
        match schema {
            Json::List(items) => items.iter().try_for_each(|item| self.weigh(item)),
            Json::Object(members) => members.iter().try_for_each(|(name, value)| {
                match value {
                    Json::Text(pattern) if name == "pattern" => self.add(pattern)?,
                    Json::Object(of) if name == "patternProperties" => {
                        of.iter().try_for_each(|(pattern, _)| self.add(pattern))?;
                    }
                    _ => {}
                }
                self.weigh(value)
            }),
            _ => Ok(()),
        }
    }

    fn add(&mut self, pattern: &str) -> Result<(), String> {
        self.count += 1;
        if self.count > PATTERNS {
            return Err(format!("the tools have more than {PATTERNS} patterns"));
        }
        self.bytes += size(pattern)?;
        if self.bytes > ALL_PATTERNS {
            return Err(format!("the patterns of the tools take more than {ALL_PATTERNS} bytes"));
        }
        Ok(())
    }
}

/// Bytes that a pattern takes, compiled, rounded up. One that can't be read so isn't weighed, and not taken.
fn size(pattern: &str) -> Result<usize, String> {
    let mut most = 4 << 10;
    loop {
        match RegexBuilder::new(pattern).size_limit(most).build() {
            Ok(_) => return Ok(most),
            Err(regex::Error::CompiledTooBig(_)) if most < PATTERN => most *= 4,
            Err(regex::Error::CompiledTooBig(_)) => return Err(format!("a pattern takes more than {PATTERN} bytes")),
            Err(_) => return Err(format!("`{}` is no pattern", pattern.escape_debug())),
        }
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
    /// Bytes of the client's patterns.
    patterns: usize,
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
        let mut patterns = Patterns::default();
        for (at, tool) in tools.iter().enumerate() {
            let wrong = |why: &dyn std::fmt::Display| {
                let field = format!("browser_tools[{at}].parameters");
                let why: String = format!("`{field}` of `{}` can't be used as a JSON Schema: {why}", tool.name)
                    .chars()
                    .take(TOLD)
                    .collect();
                ChatError::new(ErrorCode::BadTool, why).at(field)
            };
            patterns.weigh(&tool.parameters).map_err(|why| wrong(&why))?;
            let index = compiled(&format!("{PLACE}{at}"), tool, &mut schemas).map_err(|why| wrong(&why))?;
            of.push((tool.name.clone(), Some(index)));
        }
        Ok(Self { schemas, of, patterns: patterns.bytes })
    }

    /// Bytes that the client's patterns take.
    pub fn patterns(&self) -> usize {
        self.patterns
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
    fn what_would_take_too_much_is_refused_before_it_is_compiled() {
        let pattern = |number: usize, text: &str| json!({"pattern": format!("{text}{number}")});
        let many = |count: usize, text: &str| (0..count).map(|number| pattern(number, text)).collect::<Vec<_>>();
        let named: serde_json::Map<String, Value> =
            (0..PATTERNS + 1).map(|number| (format!("^{number}$"), json!({}))).collect();
        let begun = std::time::Instant::now();
        for (schemas, field) in [
            (vec![json!({"allOf": many(3_000, "\\p{L}{99}")})], Some(0)),
            (vec![json!({"properties": {"a": {"pattern": "\\p{L}{99}"}}})], Some(0)),
            (vec![json!({"pattern": "((a{100}){100}){100}"})], Some(0)),
            (vec![json!({"pattern": "\\cA\\p{L}{99}"})], Some(0)),
            (vec![json!({"allOf": many(PATTERNS + 1, "x")})], Some(0)),
            (vec![json!({"patternProperties": named})], Some(0)),
            (vec![json!({"allOf": many(PATTERNS / 2, "x")}), json!({"allOf": many(PATTERNS / 2 + 1, "y")})], Some(1)),
            (vec![json!({"allOf": many(PATTERNS, "[a-z0-9]+@")})], None),
            (vec![json!({"properties": {"pattern": {"type": "string"}, "mail": {"pattern": "^\\w+@\\w+$"}}})], None),
        ] {
            let tools: Vec<ToolSpec> =
                schemas.iter().enumerate().map(|(at, schema)| tool(&format!("t{at}"), schema)).collect();
            let came = Checks::compile(&tools, &[]).err();
            let wanted = field.map(|at| (ErrorCode::BadTool, Some(format!("browser_tools[{at}].parameters"))));
            assert_eq!(came.map(|error| (error.code, error.field)), wanted, "{:.80}", schemas[0].to_string());
        }
        assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
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
