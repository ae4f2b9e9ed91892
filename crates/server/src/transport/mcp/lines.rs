//! Lines of JSON-RPC over two pipes. A line that can't be read, or isn't what its method takes, is answered here: the protocol's
//! library answers such without the number of the request, or not at all, and whoever sent it would wait for ever.

use crate::transport::framing::{self, LINE_MAX, Line};
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, ClientRequest, InitializeRequestParams, ReadResourceRequestParams};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{Error, ErrorKind, Result};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

/// JSON-RPC's number for what is no JSON.
const NO_JSON: i32 = -32_700;
/// Its number for what is no request.
const NO_REQUEST: i32 = -32_600;
/// Its number for what a method doesn't take.
const WRONG_PARAMS: i32 = -32_602;
/// What a text may begin with that says nothing.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

type Message = RxJsonRpcMessage<RoleServer>;
type Output<W> = Arc<Mutex<Option<W>>>;

/// A client at the other ends of two pipes.
pub(super) struct Lines<W> {
    messages: mpsc::Receiver<Message>,
    output: Output<W>,
    reading: JoinHandle<()>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// One that writes to `input` and reads from `output`.
    pub(super) fn new(input: impl AsyncRead + Send + Unpin + 'static, output: W) -> Self {
        let output = Arc::new(Mutex::new(Some(output)));
        let (sender, messages) = mpsc::channel(1);
        // A task of its own: what waits for a message may be dropped, in the middle of a line too.
        let reading = tokio::spawn(read(BufReader::new(input), sender, output.clone()));
        Self { messages, output, reading }
    }
}

impl<W> Drop for Lines<W> {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move { write(&output, &item).await }
    }

    async fn receive(&mut self) -> Option<Message> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}

async fn read<W: AsyncWrite + Unpin>(
    mut input: BufReader<impl AsyncRead + Unpin>,
    messages: mpsc::Sender<Message>,
    output: Output<W>,
) {
    loop {
        let is_over = match framing::next(&mut input, LINE_MAX).await {
            Ok(Line::Whole(line)) => match understood(&line) {
                Ok(Some(message)) => messages.send(message).await.is_err(),
                Ok(None) => false,
                Err(refusal) => write(&output, &refusal).await.is_err(),
            },
            Ok(Line::TooLong) => {
                let refusal = refusal(&Value::Null, NO_REQUEST, "the line is longer than 64 MB");
                write(&output, &refusal).await.is_err()
            }
            Ok(Line::End) | Err(_) => true,
        };
        if is_over {
            return;
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(output: &Output<W>, message: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or_else(|| Error::new(ErrorKind::NotConnected, "the transport is closed"))?;
    output.write_all(&line).await?;
    output.flush().await
}

/// The message of a line; none where it says nothing that is to be answered. Else the answer.
fn understood(line: &[u8]) -> std::result::Result<Option<Message>, Value> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    match serde_json::from_slice::<Message>(line) {
        Ok(Message::Request(request)) => match &request.request {
            // A request of this name whose params aren't those of the method is taken for one of another protocol.
            ClientRequest::CustomRequest(custom) => match wrong_params(&custom.method, custom.params.clone()) {
                Some(why) => Err(refusal(&json!(request.id), WRONG_PARAMS, &why)),
                None => Ok(Some(Message::Request(request))),
            },
            _ => Ok(Some(Message::Request(request))),
        },
        Ok(message) => Ok(Some(message)),
        Err(_) => match serde_json::from_slice::<Value>(line) {
            Ok(value) => unread(&value).map_or(Ok(None), Err),
            Err(e) => Err(refusal(&Value::Null, NO_JSON, &format!("the line is no JSON: {e}"))),
        },
    }
}

/// The answer to a body that can't be read, as the same line would get it; none where it is a message, or nobody waits for an answer.
pub(super) fn unreadable(body: &[u8]) -> Option<Value> {
    if serde_json::from_slice::<Message>(body).is_ok() {
        return None;
    }
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => unread(&value),
        Err(e) => Some(refusal(&Value::Null, NO_JSON, &format!("the body is no JSON: {e}"))),
    }
}

/// The answer to what is JSON and no message; none to what nobody waits for.
fn unread(value: &Value) -> Option<Value> {
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).unwrap_or(&Value::Null);
    match value.get("method").and_then(Value::as_str) {
        Some(method) => match no_request(value) {
            Some(why) => Some(refusal(id, NO_REQUEST, why)),
            None if id.is_null() => None,
            None => {
                let why = wrong_params(method, value.get("params").cloned());
                let why = why.unwrap_or_else(|| format!("`{}` takes other params", super::answer::shortened(method)));
                Some(refusal(id, WRONG_PARAMS, &why))
            }
        },
        // An answer of the client's is answered by nothing.
        None if value.get("result").is_some() || value.get("error").is_some() => None,
        None => Some(refusal(id, NO_REQUEST, "this is no request: it names no `method`")),
    }
}

/// Why what names a method is no request all the same, whatever its params; none where it is one.
fn no_request(value: &Value) -> Option<&'static str> {
    if value.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Some("this is no request: its `jsonrpc` must be \"2.0\"");
    }
    let is_id = |id: &Value| id.is_string() || id.is_i64() || id.is_null();
    let has_wrong_id = value.get("id").is_some_and(|id| !is_id(id));
    has_wrong_id.then_some("this is no request: its `id` must be a string or a whole number of 64 bits")
}

/// Why these are no params of a method; none where they are, or the method isn't known here.
fn wrong_params(method: &str, params: Option<Value>) -> Option<String> {
    fn fault<T: DeserializeOwned>(params: Value) -> Option<String> {
        serde_json::from_value::<T>(params).err().map(|e| e.to_string())
    }
    let params = params.unwrap_or_else(|| json!({}));
    if !params.is_object() {
        return Some(format!("the params of `{method}` must be an object"));
    }
    let why = match method {
        "tools/call" => fault::<CallToolRequestParams>(params),
        "resources/read" => fault::<ReadResourceRequestParams>(params),
        "initialize" => fault::<InitializeRequestParams>(params),
        _ => None,
    }?;
    Some(format!("the params of `{method}` are wrong: {why}"))
}

fn refusal(id: &Value, code: i32, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_can_not_be_read_is_answered_as_a_line_is() {
        let deep = "[".repeat(100_000);
        let named = r#"{"jsonrpc":"2.0","id":7}"#;
        let wrong = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}"#;
        for (body, answer) in [
            ("hello", Some((json!(null), NO_JSON))),
            ("", Some((json!(null), NO_JSON))),
            ("\u{0}\u{ffff}", Some((json!(null), NO_JSON))),
            (&deep, Some((json!(null), NO_JSON))),
            ("[]", Some((json!(null), NO_REQUEST))),
            (named, Some((json!(7), NO_REQUEST))),
            (wrong, Some((json!(7), WRONG_PARAMS))),
            // The protocol's library reads these, and answers them.
            (r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, None),
        ] {
            let told = unreadable(body.as_bytes());
            let told = told.map(|told| (told["id"].clone(), told["error"]["code"].as_i64()));
            assert_eq!(told, answer.map(|(id, code)| (id, Some(i64::from(code)))), "{body:.80}");
        }
    }

    #[test]
    fn what_can_not_be_read_is_answered_by_its_number() {
        for (line, id, code, part) in [
            ("hello", json!(null), NO_JSON, "no JSON"),
            ("{\"jsonrpc\":", json!(null), NO_JSON, "no JSON"),
            ("[]", json!(null), NO_REQUEST, "`method`"),
            ("{\"jsonrpc\":\"2.0\",\"id\":7}", json!(7), NO_REQUEST, "`method`"),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"nam\":\"x\"}}",
                json!(3),
                WRONG_PARAMS,
                "name",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":[1]}",
                json!("a"),
                WRONG_PARAMS,
                "tools/call",
            ),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"arguments\":3}}",
                json!(4),
                WRONG_PARAMS,
                "tools/call",
            ),
            ("{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\"}", json!(5), WRONG_PARAMS, "tools/call"),
            ("{\"id\":1,\"method\":\"ping\"}", json!(1), NO_REQUEST, "`jsonrpc`"),
            ("{\"method\":\"ping\"}", json!(null), NO_REQUEST, "`jsonrpc`"),
            ("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", json!(1), NO_REQUEST, "`jsonrpc`"),
            ("{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"tools/call\"}", json!("a"), NO_REQUEST, "`jsonrpc`"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", json!(1.5), NO_REQUEST, "`id`"),
            ("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"tools/call\"}", json!(null), NO_REQUEST, "`id`"),
            ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", json!(null), NO_REQUEST, "`id`"),
            ("{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"nonsense/call\"}", json!(null), NO_REQUEST, "`id`"),
        ] {
            let refused = understood(line.as_bytes()).expect_err(line);
            assert_eq!((&refused["id"], &refused["error"]["code"]), (&id, &json!(code)), "{line}: {refused}");
            assert!(refused["error"]["message"].as_str().is_some_and(|why| why.contains(part)), "{line}: {refused}");
        }
    }

    #[test]
    fn what_is_for_the_server_comes_through_and_what_asks_for_nothing_gets_none() {
        let ping = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        for line in [
            ping,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"arguments\":{}}}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nonsense/call\",\"params\":{}}",
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        ] {
            assert!(understood(line.as_bytes()).is_ok_and(|message| message.is_some()), "{line}");
        }
        for line in [
            "",
            "  ",
            "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":[[]],\"id\":null}",
            "{\"id\":1,\"result\":{}}",
        ] {
            assert!(understood(line.as_bytes()).is_ok_and(|message| message.is_none()), "{line}");
        }
    }
}
