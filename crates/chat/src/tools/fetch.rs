//! `fetch_url`: the text of a public page. Where it may lead is asked of the same bounds that hold browsers, for each redirection anew, and
//! the connection goes to the very addresses that were asked about.

use super::http::connections;
use super::port::{ServerTool, declared};
use super::text::text_of;
use crate::wire::ToolSpec;
use async_trait::async_trait;
use futures_util::StreamExt;
use handeye_commands::core::chat_settings::ChatEffect;
use handeye_engine::policy::bounds::Origins;
use handeye_scene::{Bounds, Ruling};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use url::Url;

/// How long it may take, redirections included.
const LIMIT: Duration = Duration::from_secs(30);
/// Bytes that are read.
const LONGEST: usize = 2 << 20;
/// Characters that are told.
const TOLD: usize = 15_000;
/// Redirections that are followed.
const HOPS: usize = 5;

/// The tool.
pub struct FetchUrl {
    spec: ToolSpec,
    bounds: Origins,
}

/// What came of one request.
enum Got {
    /// The page.
    Page(Value),
    /// It is elsewhere.
    Elsewhere(Url),
}

impl FetchUrl {
    /// One that is held to these bounds.
    pub fn new(bounds: Origins) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {"url": {"type": "string", "maxLength": 2000, "description": "http 或 https 地址"}},
            "required": ["url"],
            "additionalProperties": false
        });
        Self {
            spec: declared("fetch_url", "读取一个公开网页或文本文件的文字内容。", &parameters), bounds
        }
    }

    async fn fetch(&self, text: &str) -> Result<String, String> {
        let mut url = Url::parse(text).map_err(|e| format!("the address can't be read: {e}"))?;
        for _ in 0..=HOPS {
            match self.once(&url).await? {
                Got::Page(page) => return Ok(page.to_string()),
                Got::Elsewhere(next) => url = next,
            }
        }
        Err(format!("it leads elsewhere more than {HOPS} times"))
    }

    /// The addresses to connect to, where they are within the bounds; none where the address of the page is one itself.
    async fn addresses(&self, url: &Url) -> Result<Option<(String, Vec<SocketAddr>)>, String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err("the address begins with neither http:// nor https://".to_owned());
        }
        match self.bounds.document(url.as_str()) {
            Ruling::Allow => Ok(None),
            Ruling::Refuse(why) => Err(format!("{} is out of bounds: {why}", url.origin().ascii_serialization())),
            Ruling::Resolve(name) => {
                let port = url.port_or_known_default().unwrap_or(80);
                let found = tokio::net::lookup_host((name.as_str(), port)).await;
                let found: Vec<SocketAddr> = found.map_err(|_| format!("there is no host `{name}`"))?.collect();
                if let Some(why) = found.iter().find_map(|address| self.bounds.place(address.ip())) {
                    return Err(format!("{name} is out of bounds: {why}"));
                }
                Ok(Some((url.host_str().unwrap_or_default().to_owned(), found)))
            }
        }
    }

    async fn once(&self, url: &Url) -> Result<Got, String> {
        // A proxy would look the name up itself.
        let mut client = connections().no_proxy();
        if let Some((name, addresses)) = self.addresses(url).await? {
            client = client.resolve_to_addrs(&name, &addresses);
        }
        let client = client.build().map_err(|e| format!("no connection can be had: {e}"))?;
        let mut bare = url.clone();
        bare.set_fragment(None);
        // A password in an address is nothing that a model may send.
        if !bare.username().is_empty() || bare.password().is_some() {
            return Err("the address holds a user name or a password".to_owned());
        }
        let answer = client.get(bare).send().await.map_err(|e| format!("it can't be reached: {}", e.without_url()))?;
        let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if answer.status().is_redirection()
            && let Some(place) = header("location")
        {
            return url.join(&place).map(Got::Elsewhere).map_err(|e| format!("it leads to no address: {e}"));
        }
        if !answer.status().is_success() {
            return Err(format!("it answered with status {}", answer.status().as_u16()));
        }
        let kind = header("content-type").unwrap_or_default().to_ascii_lowercase();
        let is_html = kind.contains("html");
        if !is_html && !["text/", "json", "xml"].iter().any(|part| kind.contains(part)) {
            return Err(format!("it is no text but `{}`", kind.chars().take(80).collect::<String>()));
        }
        let mut bytes = Vec::new();
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            bytes.extend_from_slice(&chunk.map_err(|e| format!("it broke off: {}", e.without_url()))?);
            if bytes.len() > LONGEST {
                bytes.truncate(LONGEST);
                break;
            }
        }
        let read = String::from_utf8_lossy(&bytes);
        let text = if is_html { text_of(&read) } else { read.into_owned() };
        let told: String = text.chars().take(TOLD).collect();
        Ok(Got::Page(json!({"success": true, "url": url.as_str(), "cut": told.len() < text.len(), "text": told})))
    }
}

#[async_trait]
impl ServerTool for FetchUrl {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> ChatEffect {
        ChatEffect::Read
    }

    async fn call(&self, arguments: &Value) -> Result<String, String> {
        let url = arguments.get("url").and_then(Value::as_str).unwrap_or_default();
        let fetched = tokio::time::timeout(LIMIT, self.fetch(url)).await;
        fetched.unwrap_or_else(|_| Err(format!("it took more than {} s", LIMIT.as_secs())))
    }
}
