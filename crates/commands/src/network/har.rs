//! Requests as a HAR 1.2 archive, which other tools read.

use crate::core::secrets::spellings::base64;
use handeye_scene::{Body, Header, NetworkRequest};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The archive of these exchanges, each with its body where there is one, and with what was sent where `values` are wanted.
pub fn archive(exchanges: &[(NetworkRequest, Option<Body>)], values: bool, version: &str) -> Value {
    let entries: Vec<Value> = exchanges.iter().map(|(exchange, body)| entry(exchange, body.as_ref(), values)).collect();
    json!({ "log": {
        "version": "1.2", "creator": { "name": "handeye", "version": version }, "pages": [], "entries": entries,
    } })
}

fn entry(e: &NetworkRequest, body: Option<&Body>, values: bool) -> Value {
    let took = e.took_ms.unwrap_or(0.0).max(0.0);
    let waited = e.waited_ms.unwrap_or(took).clamp(0.0, took.max(0.0));
    let mut request = json!({
        "method": e.method, "url": e.url, "httpVersion": http(&e.protocol), "cookies": [],
        "headers": pairs(&e.request_headers), "queryString": query(&e.url), "headersSize": -1,
        "bodySize": e.sent.as_ref().map_or(0, String::len),
    });
    if let Some(sent) = e.sent.as_ref().filter(|_| values) {
        let mime = e.request_headers.iter().find(|h| h.name.eq_ignore_ascii_case("content-type"));
        request["postData"] = json!({ "mimeType": mime.map_or("", |h| h.value.as_str()), "text": sent });
    }
    let mut content = json!({ "size": body.map_or(e.unpacked, |b| b.bytes.len() as u64), "mimeType": e.mime });
    if let Some(body) = body {
        match (body.text, std::str::from_utf8(&body.bytes)) {
            (true, Ok(text)) => content["text"] = json!(text),
            _ => {
                content["text"] = json!(base64(&body.bytes, false));
                content["encoding"] = json!("base64");
            }
        }
    }
    let location = e.response_headers.iter().find(|h| h.name.eq_ignore_ascii_case("location"));
    let mut out = json!({
        "startedDateTime": started(e.time), "time": took, "request": request,
        "response": {
            "status": e.status.unwrap_or(0), "statusText": e.status_text, "httpVersion": http(&e.protocol), "cookies": [],
            "headers": pairs(&e.response_headers), "content": content,
            "redirectURL": location.map_or("", |h| h.value.as_str()), "headersSize": -1, "bodySize": e.bytes,
        },
        "cache": {},
        "timings": { "send": 0, "wait": waited, "receive": took - waited },
        "_resourceType": e.kind,
    });
    if !e.server.is_empty() {
        out["serverIPAddress"] = json!(e.server);
    }
    if let Some(failure) = &e.failure {
        out["response"]["_error"] = json!(failure);
    }
    out
}

fn pairs(headers: &[Header]) -> Vec<Value> {
    headers.iter().map(|h| json!({ "name": h.name, "value": h.value })).collect()
}

fn query(url: &str) -> Vec<Value> {
    let text = url.split_once('?').map_or("", |(_, q)| q.split('#').next().unwrap_or(q));
    let parts = text.split('&').filter(|p| !p.is_empty()).map(|p| p.split_once('=').unwrap_or((p, "")));
    parts.map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn http(protocol: &str) -> String {
    match protocol {
        "" => "HTTP/1.1".into(),
        "h2" => "HTTP/2".into(),
        "h3" => "HTTP/3".into(),
        other => other.to_uppercase(),
    }
}

fn started(ms: f64) -> String {
    let time = OffsetDateTime::from_unix_timestamp_nanos((ms * 1e6) as i128).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let whole = time.replace_nanosecond(time.millisecond() as u32 * 1_000_000).unwrap_or(time);
    whole.format(&Rfc3339).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_base64() {
        for (bytes, text) in
            [("", ""), ("M", "TQ=="), ("Ma", "TWE="), ("Man", "TWFu"), ("light work.", "bGlnaHQgd29yay4=")]
        {
            assert_eq!(base64(bytes.as_bytes(), false), text);
        }
    }

    #[test]
    fn an_entry_has_what_the_format_asks_for() {
        let exchange = NetworkRequest {
            time: 1_700_000_000_123.4,
            method: "GET".into(),
            url: "http://a/x?b=1&c".into(),
            status: Some(200),
            protocol: "h2".into(),
            waited_ms: Some(4.0),
            took_ms: Some(10.0),
            ..NetworkRequest::default()
        };
        let body = Body { bytes: "页".into(), text: true };
        let har = archive(&[(exchange, Some(body))], true, "1");
        let entry = &har["log"]["entries"][0];
        assert_eq!(har["log"]["version"], "1.2");
        assert_eq!(entry["startedDateTime"], "2023-11-14T22:13:20.123Z");
        assert_eq!(entry["request"]["queryString"], json!([{"name": "b", "value": "1"}, {"name": "c", "value": ""}]));
        assert_eq!(entry["response"]["content"], json!({"size": 3, "mimeType": "", "text": "页"}));
        assert_eq!(entry["timings"], json!({"send": 0, "wait": 4.0, "receive": 6.0}));
        assert_eq!(entry["request"]["httpVersion"], "HTTP/2");
    }
}
