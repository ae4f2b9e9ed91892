//! The same server over streamable HTTP, at `/mcp`: for clients that show its token, none of them a page of a browser.

use super::lines::unreadable;
use super::port::Calls;
use super::server::Server;
use super::sessions::Sessions;
use crate::transport::framing::LINE_MAX;
use crate::transport::http::{Listen, accept, in_order, refused};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use handeye_scene::{Code, Problem};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long the body of a request may take.
const BODY: Duration = Duration::from_secs(30);
/// Serves clients over HTTP until `stop` ends.
pub fn serve_mcp_http(
    calls: Arc<dyn Calls>,
    version: &str,
    listen: Listen,
    stop: impl Future<Output = ()>,
) -> Result<(), Problem> {
    in_order(serve(Server::new(calls, version), listen, stop))
}

async fn serve(server: Server, listen: Listen, stop: impl Future<Output = ()>) -> Result<(), Problem> {
    let fault = |e| Problem::new(Code::Unavailable, format!("can't serve HTTP: {e}"));
    listen.listener.set_nonblocking(true).map_err(fault)?;
    let listener = tokio::net::TcpListener::from_std(listen.listener).map_err(fault)?;
    // A page that gives its name another address is told by the name, and any page by its origin.
    let own = listener.local_addr().map_err(fault)?.ip().to_string();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned(), own])
        .enforce_origin_validation()
        .with_max_request_body_bytes(LINE_MAX as usize);
    let ended = config.cancellation_token.clone();
    let each = server.clone();
    let sessions = Arc::new(Sessions::default());
    let service = StreamableHttpService::new(move || Ok(each.for_client()), sessions.clone(), config);
    let token: Arc<str> = listen.token.into();
    let app = Router::new().route_service("/mcp", service).layer(from_fn_with_state(token, admit));
    tokio::select! {
        () = accept(listener, app) => {}
        () = sessions.watch() => {}
        () = stop => {}
    }
    ended.cancel();
    server.end().await;
    Ok(())
}

/// Whether the body is said to be a message.
fn is_message(head: &Parts) -> bool {
    let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    head.method == Method::POST && essence.eq_ignore_ascii_case("application/json")
}

/// Lets a request in that shows the token, once all of it is there.
async fn admit(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    if let Some(refused) = refused(&request, &token) {
        return refused;
    }
    let (head, body) = request.into_parts();
    match timeout(BODY, to_bytes(body, LINE_MAX as usize)).await {
        Ok(Ok(whole)) => match unreadable(&whole).filter(|_| is_message(&head)) {
            // The protocol's library would answer in words, under the status of another kind of body.
            Some(refusal) => {
                let kind = [(CONTENT_TYPE, "application/json")];
                (StatusCode::BAD_REQUEST, kind, refusal.to_string()).into_response()
            }
            None => next.run(Request::from_parts(head, Body::from(whole))).await,
        },
        Ok(Err(e)) => {
            let told = format!("the body can't be taken, which may have {LINE_MAX} bytes: {e}\n");
            (StatusCode::PAYLOAD_TOO_LARGE, told).into_response()
        }
        Err(_) => {
            let told = format!("the body isn't there after {} s\n", BODY.as_secs());
            (StatusCode::REQUEST_TIMEOUT, told).into_response()
        }
    }
}
