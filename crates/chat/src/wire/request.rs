//! A request of the chat, read field by field. Members that aren't known are passed over, as the document's own server does.

use super::error::{ChatError, ErrorCode};
use super::fields::Fields;
use super::json::Json;
use super::page::Page;
use super::tool::{TOOLS, ToolSpec};

/// Characters of a message.
pub const MESSAGE: usize = 200_000;
/// Characters of a name or an id.
const NAME: usize = 200;
/// The model of a request that names none.
pub const MODEL: &str = "claude-3-opus";

/// Who speaks, as the wire has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person, or the client with what a browser tool returned.
    User,
    /// The client, with the person's decision on a call.
    Function,
}

/// A request of the chat.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatBody {
    /// What is said.
    pub message: String,
    /// Who says it.
    pub role: Role,
    /// Which model is asked.
    pub model: String,
    /// Which agent.
    pub agent: String,
    /// Which conversation of the user.
    pub session: String,
    /// Who the client says that the user is.
    pub user: Option<String>,
    /// The page that the person looks at.
    pub page: Option<Page>,
    /// What the client can do there.
    pub tools: Vec<ToolSpec>,
    /// Which call a result is of, where the client was told ids.
    pub call: Option<String>,
    /// What makes this request the same as an earlier one.
    pub request_id: Option<String>,
}

impl ChatBody {
    /// Reads the body. `needs_user`: whether `user_id` must be there, since nothing else tells who the user is.
    pub fn read(bytes: &[u8], needs_user: bool) -> Result<Self, ChatError> {
        let body = Json::parse(bytes)
            .map_err(|e| ChatError::new(ErrorCode::BadBody, format!("the body can't be read as JSON: {e}")))?;
        let fields = Fields::of_body(&body)?;
        let optional = |name| match fields.get(name) {
            None => Ok(None),
            Some(_) => fields.filled(name, NAME).map(|text| Some(text.to_owned())),
        };
        let role = match fields.text("role", NAME)? {
            None | Some("user") => Role::User,
            Some("function") => Role::Function,
            Some(other) => {
                let why = format!("is `{}`, neither `user` nor `function`", other.escape_debug());
                return Err(ChatError::field("role", why));
            }
        };
        let user = if needs_user { Some(fields.filled("user_id", NAME)?.to_owned()) } else { optional("user_id")? };
        let message = fields.needed("message", MESSAGE)?;
        if message.trim().is_empty() {
            return Err(ChatError::field("message", "is empty"));
        }
        let page = fields.get("current_page_info").map(|page| Page::read(page, "current_page_info")).transpose()?;
        Ok(Self {
            message: message.to_owned(),
            role,
            model: optional("model")?.unwrap_or_else(|| MODEL.to_owned()),
            agent: fields.filled("agent_id", NAME)?.to_owned(),
            session: fields.session("session_id", NAME)?.to_owned(),
            user,
            page: page.flatten(),
            tools: ToolSpec::read_all(fields.list("browser_tools", TOOLS)?, "browser_tools")?,
            call: optional("tool_call_id")?,
            request_id: optional("request_id")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(body: &Value) -> Result<ChatBody, ChatError> {
        ChatBody::read(body.to_string().as_bytes(), true)
    }

    fn least() -> Value {
        json!({"message": "hi", "agent_id": "a", "session_id": "s", "user_id": "u"})
    }

    #[test]
    fn what_is_left_out_has_the_document_s_defaults() {
        let body = read(&least()).expect("it is whole");
        assert_eq!((body.role, body.model.as_str()), (Role::User, "claude-3-opus"));
        assert_eq!((body.page, body.tools), (None, Vec::new()));
        let mut nulls = least();
        nulls["current_page_info"] = Value::Null;
        nulls["browser_tools"] = Value::Null;
        assert_eq!(read(&nulls).expect("nulls are absent"), read(&least()).expect("it is whole"));
    }

    #[test]
    fn each_field_that_is_wrong_is_named() {
        let page = |page: Value| ("current_page_info", page);
        let tool = |tool: Value| ("browser_tools", json!([tool]));
        for ((name, value), field) in [
            (("message", json!(null)), "message"),
            (("message", json!(" \n")), "message"),
            (("message", json!(5)), "message"),
            (("message", json!("x".repeat(MESSAGE + 1))), "message"),
            (("role", json!("system")), "role"),
            (("role", json!(true)), "role"),
            (("model", json!("")), "model"),
            (("agent_id", json!(null)), "agent_id"),
            (("agent_id", json!("a\nb")), "agent_id"),
            (("session_id", json!([])), "session_id"),
            (("session_id", json!("s".repeat(201))), "session_id"),
            (("user_id", json!(7)), "user_id"),
            (("tool_call_id", json!("")), "tool_call_id"),
            (("request_id", json!({})), "request_id"),
            (page(json!("x")), "current_page_info"),
            (page(json!({"url": 1})), "current_page_info.url"),
            (page(json!({"title": "t".repeat(2001)})), "current_page_info.title"),
            (page(json!({"elements": {}})), "current_page_info.elements"),
            (
                page(json!({"elements": [{"id": "a", "desc": "b"}, {"id": 5, "desc": ""}]})),
                "current_page_info.elements[1].id",
            ),
            (page(json!({"elements": [{"id": "a"}]})), "current_page_info.elements[0].desc"),
            (
                page(json!({"elements": vec![json!({"id": "a", "desc": ""}); ELEMENTS_TOO_MANY]})),
                "current_page_info.elements",
            ),
            (page(json!({"selectedText": false})), "current_page_info.selectedText"),
            (("browser_tools", json!({})), "browser_tools"),
            (tool(json!("x")), "browser_tools[0]"),
            (tool(json!({"name": "a b", "description": "", "parameters": {}})), "browser_tools[0].name"),
            (tool(json!({"name": "a", "parameters": {}})), "browser_tools[0].description"),
            (tool(json!({"name": "a", "description": ""})), "browser_tools[0].parameters"),
            (tool(json!({"name": "a", "description": "", "parameters": []})), "browser_tools[0].parameters"),
            (
                ("browser_tools", json!(vec![json!({"name": "a", "description": "", "parameters": {}}); 2])),
                "browser_tools[1].name",
            ),
        ] {
            let mut body = least();
            body[name] = value;
            let error = read(&body).expect_err(field);
            assert_eq!(error.field.as_deref(), Some(field), "{error}");
            assert!(error.message.contains(field), "{error}");
        }
        for text in ["", "[]", "{", "5", "\"\\ud800\""] {
            let error = ChatBody::read(text.as_bytes(), true).expect_err(text);
            assert_eq!(error.code, ErrorCode::BadBody, "{text}");
        }
    }

    const ELEMENTS_TOO_MANY: usize = crate::wire::page::ELEMENTS + 1;
}
