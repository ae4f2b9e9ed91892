//! `search_web`: a search by a configured SearXNG, in its JSON form.

use super::port::{ServerTool, declared};
use crate::wire::ToolSpec;
use async_trait::async_trait;
use futures_util::StreamExt;
use handeye_commands::core::chat_settings::ChatEffect;
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// How long a search may take.
const LIMIT: Duration = Duration::from_secs(20);
/// Bytes of an answer that are read.
const LONGEST: usize = 4 << 20;
/// Hits that are told.
const HITS: usize = 10;
/// Characters of one text of a hit.
const TEXT: usize = 500;

/// The tool.
pub struct SearchWeb {
    spec: ToolSpec,
    url: Url,
    http: reqwest::Client,
}

impl SearchWeb {
    /// One that searches at this address.
    pub fn new(url: Url, http: reqwest::Client) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "搜索词"}},
            "required": ["query"],
            "additionalProperties": false
        });
        Self {
            spec: declared("search_web", "在互联网上搜索，返回标题、地址和摘要。", &parameters), url, http
        }
    }

    async fn search(&self, query: &str) -> Result<String, String> {
        let mut url = self.url.clone();
        url.query_pairs_mut().append_pair("q", query).append_pair("format", "json");
        let answer =
            self.http.get(url).send().await.map_err(|e| format!("the search can't be reached: {}", e.without_url()))?;
        if !answer.status().is_success() {
            return Err(format!("the search answered with status {}", answer.status().as_u16()));
        }
        let mut bytes = Vec::new();
        let mut chunks = answer.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|e| format!("the search's answer broke off: {}", e.without_url()))?;
            if bytes.len() + chunk.len() > LONGEST {
                return Err(format!("the search's answer has more than {LONGEST} bytes"));
            }
            bytes.extend_from_slice(&chunk);
        }
        let body: Value = serde_json::from_slice(&bytes).map_err(|e| format!("the search's answer is no JSON: {e}"))?;
        let hits = body.get("results").and_then(Value::as_array).ok_or("the search's answer has no `results`")?;
        let text = |hit: &Value, member: &str| -> String {
            hit.get(member).and_then(Value::as_str).unwrap_or_default().chars().take(TEXT).collect()
        };
        let told: Vec<Value> = hits
            .iter()
            .take(HITS)
            .map(|hit| json!({"title": text(hit, "title"), "url": text(hit, "url"), "content": text(hit, "content")}))
            .collect();
        Ok(json!({"success": true, "results": told}).to_string())
    }
}

#[async_trait]
impl ServerTool for SearchWeb {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn effect(&self) -> ChatEffect {
        ChatEffect::Read
    }

    async fn call(&self, arguments: &Value) -> Result<String, String> {
        let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
        let searched = tokio::time::timeout(LIMIT, self.search(query)).await;
        searched.unwrap_or_else(|_| Err(format!("the search took more than {} s", LIMIT.as_secs())))
    }
}
