//! What every HTTP server of ours does: it takes connections within bounds, and lets in who shows the token.

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use handeye_scene::{Code, Problem};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use tokio::time::sleep;

/// Connections at once; further ones wait until one of these is over.
const CONNECTIONS: usize = 128;
/// How long a connection may take to say what it asks for, and how long it may stay without asking for anything.
const HEAD: Duration = Duration::from_secs(20);
/// How long nothing is accepted after the system refused to.
const PAUSE: Duration = Duration::from_millis(500);

/// Where clients connect, and what they show.
pub struct Listen {
    /// Bound to an address of this machine.
    pub listener: TcpListener,
    /// Sent as `Authorization: Bearer TOKEN` with each request.
    pub token: String,
}

/// Runs a server on one thread, so that calls queue in the order in which they came.
pub(crate) fn in_order(serve: impl Future<Output = Result<(), Problem>>) -> Result<(), Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| Problem::new(Code::Unavailable, format!("no tasks can be run: {e}")))?;
    let served = runtime.block_on(serve);
    // A read of standard input can't be ended.
    runtime.shutdown_background();
    served
}

/// Takes connections, each of which is dropped where it says nothing.
pub(crate) async fn accept(listener: tokio::net::TcpListener, app: Router) {
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

/// The answer to a request that doesn't show the token.
pub(crate) fn refused(request: &Request, token: &str) -> Option<Response> {
    let shown = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(bearer);
    if shown.is_some_and(|shown| is_same(shown, token)) {
        return None;
    }
    let told = "the token is missing or wrong: send `Authorization: Bearer TOKEN`\n";
    Some((StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], told).into_response())
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
