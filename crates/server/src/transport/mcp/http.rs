//! The same server over streamable HTTP, at `/mcp`: for clients that show its token, none of them a page of a browser.

use super::port::Calls;
use super::server::Server;
use super::sessions::Sessions;
use crate::transport::framing::LINE_MAX;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use handeye_scene::{Code, Problem};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Connections at once; further ones wait until one of these is over.
const CONNECTIONS: usize = 128;
/// How long a connection may take to say what it asks for, and how long it may stay without asking for anything.
const HEAD: Duration = Duration::from_secs(20);
/// How long the body of a request may take.
const BODY: Duration = Duration::from_secs(30);
/// How long nothing is accepted after the system refused to.
const PAUSE: Duration = Duration::from_millis(500);

/// Where clients connect, and what they show.
pub struct Listen {
    /// Bound to an address of this machine.
    pub listener: TcpListener,
    /// Sent as `Authorization: Bearer TOKEN` with each request.
    pub token: String,
}

/// Serves clients over HTTP until `stop` ends.
pub fn serve_mcp_http(
    calls: Arc<dyn Calls>,
    version: &str,
    listen: Listen,
    stop: impl Future<Output = ()>,
) -> Result<(), Problem> {
    super::server::in_order(serve(Server::new(calls, version), listen, stop))
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

/// Takes connections, each of which is dropped where it says nothing.
async fn accept(listener: tokio::net::TcpListener, app: Router) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    while let Ok(place) = room.clone().acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let mut http = http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(HEAD);
                let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app.clone()));
                tokio::spawn(async move {
                    // How it broke off is its client's matter.
                    let _ = connection.await;
                    drop(place);
                });
            }
            // There are too many open files, or the client has gone already.
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Lets a request in that shows the token, once all of it is there.
async fn admit(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
    if !shown.is_some_and(|shown| is_same(shown, &token)) {
        let told = "the token is missing or wrong: send `Authorization: Bearer TOKEN`\n";
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], told).into_response();
    }
    let (head, body) = request.into_parts();
    match timeout(BODY, to_bytes(body, LINE_MAX as usize)).await {
        Ok(Ok(whole)) => next.run(Request::from_parts(head, Body::from(whole))).await,
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

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Compares without telling by the time that it takes where the first difference is.
fn is_same(shown: &str, token: &str) -> bool {
    shown.as_bytes().ct_eq(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let admitted = |header: &str| bearer(header).is_some_and(|shown| is_same(shown, "0123456789abcdef"));
        assert!(admitted("Bearer 0123456789abcdef") && admitted("bearer  0123456789abcdef "));
        for other in
            ["", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Basic 0123456789abcdef"]
        {
            assert!(!admitted(other), "{other}");
        }
    }
}
