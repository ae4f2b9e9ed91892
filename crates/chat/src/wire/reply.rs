//! What a client sends back about a call: a browser tool's result inside a message, or the person's decision.

use super::chunk::REJECTED;
use super::error::ChatError;
use super::fields::Fields;
use super::json::Json;

/// How a message begins that is the result of a browser tool.
const RESULT: &str = "浏览器工具 ";
/// What stands between the tool's name and its result.
const RETURNED: &str = " 执行结果: ";
/// Characters of a reason.
const REASON: usize = 2_000;
/// Characters of an id.
const ID: usize = 200;

/// A message as the result of a browser tool: name and what it returned; none where it is none.
pub fn browser_result(message: &str) -> Option<(&str, &str)> {
    let (name, result) = message.strip_prefix(RESULT)?.split_once(RETURNED.trim_end())?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    is_name.then(|| (name, result.trim()))
}

/// The message that is the result of a browser tool.
pub fn browser_message(tool: &str, result: &str) -> String {
    format!("{RESULT}{tool}{RETURNED}{result}")
}

/// Whether a result says that the tool failed.
pub fn says_failed(result: &str) -> bool {
    Json::parse(result.as_bytes()).is_ok_and(|result| result.get("success") == Some(&Json::Bool(false)))
}

/// Whether a result says that the person refused the call.
pub fn says_refused(result: &str) -> bool {
    let refusal = Json::text(REJECTED);
    Json::parse(result.as_bytes()).is_ok_and(|result| result.get("error") == Some(&refusal))
}

/// The person's decision on a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// Which call is meant; none where the client wasn't told ids.
    pub id: Option<String>,
    /// Whether it may be made.
    pub approved: bool,
    /// Other arguments, where the person changed them.
    pub arguments: Option<Json>,
    /// Hash of what the person was shown.
    pub hash: Option<String>,
    /// Why not.
    pub reason: Option<String>,
    /// Whether calls of the tool need no further question on this site, for this conversation.
    pub grants: bool,
}

impl Approval {
    /// Reads the message of a request with the role `function`.
    pub fn read(message: &str) -> Result<Self, ChatError> {
        let body = Json::parse(message.as_bytes())
            .map_err(|e| ChatError::field("message", format!("isn't the JSON of an approval: {e}")))?;
        let fields = Fields::of(&body, "message")?;
        let owned = |text: Option<&str>| text.map(str::to_owned).filter(|text| !text.is_empty());
        let arguments = match fields.get("arguments") {
            None => None,
            Some(Json::Text(text)) => Some(
                Json::parse(text.as_bytes())
                    .map_err(|e| ChatError::field("message.arguments", format!("isn't JSON: {e}")))?,
            ),
            Some(other) => Some(other.clone()),
        };
        Ok(Self {
            id: owned(fields.text("toolId", ID)?),
            approved: fields.flag("approved")?.ok_or_else(|| ChatError::field("message.approved", "is missing"))?,
            arguments,
            hash: owned(fields.text("hash", ID)?),
            reason: owned(fields.text("reason", REASON)?),
            grants: match fields.text("scope", ID)? {
                None | Some("once") => false,
                Some("conversation") => true,
                Some(_) => return Err(ChatError::field("message.scope", "is neither `once` nor `conversation`")),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_told_from_what_a_person_says() {
        for (message, wanted) in [
            ("浏览器工具 page_action 执行结果: {\"success\": true}", Some(("page_action", "{\"success\": true}"))),
            ("浏览器工具 page_action 执行结果:{}", Some(("page_action", "{}"))),
            ("浏览器工具 a 执行结果: x 执行结果: y", Some(("a", "x 执行结果: y"))),
            ("浏览器工具 a b 执行结果: {}", None),
            ("浏览器工具  执行结果: {}", None),
            (" 浏览器工具 a 执行结果: {}", None),
            ("浏览器工具 a", None),
            ("你好", None),
        ] {
            assert_eq!(browser_result(message), wanted, "{message}");
        }
        assert_eq!(browser_message("a", "{}"), "浏览器工具 a 执行结果: {}");
        assert!(
            says_failed("{\"success\": false, \"error\": \"x\"}")
                && !says_failed("{\"success\": true}")
                && !says_failed("x")
        );
        for (result, wanted) in [
            ("{\"success\": false, \"error\": \"用户取消了工具执行\"}", true),
            ("{\"success\": false, \"error\": \"x\"}", false),
            ("{\"success\": true, \"text\": \"用户取消了工具执行\"}", false),
            ("用户取消了工具执行", false),
        ] {
            assert_eq!(says_refused(result), wanted, "{result}");
        }
    }

    #[test]
    fn a_decision_is_read_or_told_what_is_wrong_with_it() {
        let read =
            Approval::read(r#"{"toolId": "t", "approved": true, "arguments": "{\"a\": 1}"}"#).expect("it is whole");
        assert_eq!((read.id.as_deref(), read.approved), (Some("t"), true));
        assert_eq!(read.arguments.map(|json| json.python()), Some("{\"a\": 1}".into()));
        assert_eq!(
            Approval::read(r#"{"approved": false, "reason": "no"}"#).expect("it is whole").reason.as_deref(),
            Some("no")
        );
        for (message, field) in [
            ("yes", "message"),
            ("[]", "message"),
            ("{}", "message.approved"),
            (r#"{"approved": "true"}"#, "message.approved"),
            (r#"{"approved": true, "toolId": 5}"#, "message.toolId"),
            (r#"{"approved": true, "arguments": "{"}"#, "message.arguments"),
            (r#"{"approved": true, "scope": "always"}"#, "message.scope"),
        ] {
            assert_eq!(Approval::read(message).expect_err(message).field.as_deref(), Some(field), "{message}");
        }
    }
}
