//! The shapes of requests: what the browser tells of them, and those that it stops for us.

use super::stacks::StackTrace;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// `Network.requestWillBeSent`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestSent {
    pub(crate) request_id: String,
    pub(crate) frame_id: Option<String>,
    #[serde(rename = "documentURL")]
    pub(crate) document_url: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) request: Request,
    pub(crate) timestamp: f64,
    pub(crate) wall_time: f64,
    pub(crate) redirect_response: Option<Response>,
    pub(crate) initiator: Initiator,
}

/// `Network.Initiator`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Initiator {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) stack: Option<StackTrace>,
}

/// `Network.webSocketCreated`, which has the address, and `Network.webSocketFrameSent`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct SocketEvent {
    pub(crate) request_id: String,
    pub(crate) url: String,
}

/// `Network.Request`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Request {
    pub(crate) url: String,
    pub(crate) method: String,
    pub(crate) headers: BTreeMap<String, Value>,
    pub(crate) post_data: Option<String>,
}

/// `Network.loadingFinished`, `loadingFailed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Finished {
    pub(crate) request_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) timestamp: f64,
    pub(crate) encoded_data_length: f64,
    pub(crate) error_text: String,
    pub(crate) blocked_reason: Option<String>,
}

/// `Network.dataReceived`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Received {
    pub(crate) request_id: String,
    pub(crate) data_length: f64,
}

/// `Network.getResponseBody`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct BodyReply {
    pub(crate) body: String,
    pub(crate) base64_encoded: bool,
}

/// `Network.responseReceived`, `requestServedFromCache`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestEvent {
    pub(crate) request_id: String,
    pub(crate) loader_id: String,
    pub(crate) frame_id: Option<String>,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) response: Option<Response>,
    pub(crate) timestamp: f64,
}

/// `Network.Response`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) status_text: String,
    pub(crate) headers: BTreeMap<String, Value>,
    pub(crate) mime_type: String,
    pub(crate) protocol: String,
    #[serde(rename = "remoteIPAddress")]
    pub(crate) remote_ip_address: String,
    pub(crate) from_disk_cache: bool,
    pub(crate) encoded_data_length: f64,
}

/// `Network.loadNetworkResource`.
#[derive(Debug, Deserialize)]
pub(crate) struct Loaded {
    pub(crate) resource: LoadedResource,
}

/// `Network.LoadNetworkResourcePageResult`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LoadedResource {
    pub(crate) success: bool,
    pub(crate) net_error_name: Option<String>,
    pub(crate) http_status_code: Option<u16>,
    pub(crate) stream: Option<String>,
    pub(crate) headers: Option<BTreeMap<String, Value>>,
}

/// `IO.read`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Piece {
    pub(crate) base64_encoded: bool,
    pub(crate) data: String,
    pub(crate) eof: bool,
}

/// `Fetch.requestPaused`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub(crate) request_id: String,
    pub(crate) frame_id: String,
    pub(crate) resource_type: String,
    pub(crate) request: Request,
    /// Of a document's request: its loader.
    pub(crate) network_id: String,
}

/// `Fetch.authRequired`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct AuthRequired {
    pub(crate) request_id: String,
    pub(crate) auth_challenge: AuthChallenge,
}

/// `Fetch.AuthChallenge`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct AuthChallenge {
    pub(crate) source: String,
    pub(crate) origin: String,
}
