//! Tools as a client defines them in `browser_tools`.

use super::error::{ChatError, ErrorCode};
use super::fields::Fields;
use super::json::Json;
use handeye_scene::chat::Tool;

/// Tools that a request may define.
pub const TOOLS: usize = 64;
/// Characters of a tool's name, as both wires of models have it.
const NAME: usize = 64;
/// Characters of a tool's description.
const DESCRIPTION: usize = 8_000;
/// Bytes of a tool's schema.
const SCHEMA: usize = 64 << 10;

/// A tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments, its members in the order in which they came.
    pub parameters: Json,
}

impl ToolSpec {
    /// Reads one of the list. Its schema is compiled elsewhere.
    pub fn read(value: &Json, place: &str) -> Result<Self, ChatError> {
        let fields = Fields::of(value, place)?;
        let name = fields.filled("name", NAME)?;
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            let why = format!("`{name}` is no name of a tool: it takes ASCII letters, digits, `_` and `-`");
            return Err(ChatError::field(fields.path("name"), why));
        }
        let description = fields.needed("description", DESCRIPTION)?;
        let place = fields.path("parameters");
        let parameters = fields.get("parameters").ok_or_else(|| ChatError::field(&*place, "is missing"))?;
        Fields::of(parameters, &place)?;
        let size = parameters.python().len();
        if size > SCHEMA {
            return Err(ChatError::field(place, format!("has {size} bytes, and {SCHEMA} are the most")));
        }
        Ok(Self { name: name.to_owned(), description: description.to_owned(), parameters: parameters.clone() })
    }

    /// Reads the list. Two tools of one name are refused.
    pub fn read_all(values: &[Json], place: &str) -> Result<Vec<Self>, ChatError> {
        let mut tools: Vec<Self> = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let place = format!("{place}[{at}]");
            let tool = Self::read(value, &place)?;
            if tools.iter().any(|known| known.name == tool.name) {
                let what = format!("`{place}.name` `{}` is the name of another tool of the list", tool.name);
                return Err(ChatError::new(ErrorCode::BadTool, what).at(format!("{place}.name")));
            }
            tools.push(tool);
        }
        Ok(tools)
    }

    /// As models are given it by themselves.
    pub fn to_tool(&self) -> Tool {
        Tool { name: self.name.clone(), description: self.description.clone(), parameters: self.parameters.to_value() }
    }
}
