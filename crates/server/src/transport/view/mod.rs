//! The live view of a session, over HTTP on this machine: a page that shows what it does, and asks the person who looks.
//!
//! The page itself is public and holds nothing; what it asks for needs the token, which stands in the fragment of its address and
//! so is never sent but by the page.

use crate::transport::http::{Listen, accept, in_order, refused};
use axum::extract::{Query, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use handeye_scene::{Code, Problem};
use serde::Deserialize;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;

const PAGE: &str = include_str!("view.html");
const STYLE: &str = include_str!("view.css");
const SCRIPT: &str = include_str!("view.js");

/// What the page may load: what comes from here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src blob:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// How long an event is waited for, in milliseconds.
const WAIT: u64 = 10_000;
/// Bytes of a request's body, at most.
const BODY: usize = 1024;

/// The session that is watched.
pub trait Views: Send + Sync {
    /// Its name.
    fn session(&self) -> String;
    /// Asks it, as `Client::watch` does. It may block.
    fn ask(&self, command: &str, args: Value) -> Result<Value, Problem>;
}

#[derive(Clone)]
struct Shown {
    views: Arc<dyn Views>,
    token: Arc<str>,
    at: SocketAddr,
}

/// Serves the page until `stop` ends.
pub fn serve_view(views: Arc<dyn Views>, listen: Listen, stop: impl Future<Output = ()>) -> Result<(), Problem> {
    in_order(serve(views, listen, stop))
}

async fn serve(views: Arc<dyn Views>, listen: Listen, stop: impl Future<Output = ()>) -> Result<(), Problem> {
    let fault = |e| Problem::new(Code::Unavailable, format!("can't serve HTTP: {e}"));
    listen.listener.set_nonblocking(true).map_err(fault)?;
    let listener = tokio::net::TcpListener::from_std(listen.listener).map_err(fault)?;
    let shown = Shown { views, token: listen.token.into(), at: listener.local_addr().map_err(fault)? };
    tokio::select! {
        () = accept(listener, app(shown)) => {}
        () = stop => {}
    }
    Ok(())
}

fn app(shown: Shown) -> Router {
    let asked = Router::new()
        .route("/api/events", get(events))
        .route("/api/picture", get(picture))
        .route("/api/answer", post(answer))
        .route("/api/hold", post(hold))
        .layer(from_fn_with_state(shown.clone(), admit))
        .layer(axum::extract::DefaultBodyLimit::max(BODY));
    Router::new()
        .route("/", get(|| async { file("text/html; charset=utf-8", PAGE) }))
        .route("/view.css", get(|| async { file("text/css; charset=utf-8", STYLE) }))
        .route("/view.js", get(|| async { file("text/javascript; charset=utf-8", SCRIPT) }))
        .merge(asked)
        .layer(from_fn_with_state(shown.clone(), own_host))
        .with_state(shown)
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let all: [(HeaderName, &str); 5] = [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (all.map(|(name, value)| (name, HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static("")))), text)
        .into_response()
}

/// Refuses a page that gives its name this machine's address.
async fn own_host(State(shown): State<Shown>, request: Request, next: Next) -> Response {
    let port = shown.at.port();
    let own = [format!("{}", shown.at), format!("localhost:{port}")];
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    match host {
        Some(host) if own.iter().any(|own| own.eq_ignore_ascii_case(host)) => next.run(request).await,
        _ => (StatusCode::MISDIRECTED_REQUEST, "this is no address of the view\n").into_response(),
    }
}

/// Lets in who shows the token.
async fn admit(State(shown): State<Shown>, request: Request, next: Next) -> Response {
    match refused(&request, &shown.token) {
        Some(refused) => refused,
        None => next.run(request).await,
    }
}

#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    since: u64,
}

async fn events(State(shown): State<Shown>, Query(Since { since }): Query<Since>) -> Response {
    let session = shown.views.session();
    asked(shown, "_watch", json!({ "since": since, "wait": WAIT }), move |mut told| {
        told["session"] = session.into();
        told
    })
    .await
}

async fn picture(State(shown): State<Shown>) -> Response {
    asked(shown, "_watch_picture", json!({}), |told| told).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    id: u64,
    consent: bool,
}

async fn answer(State(shown): State<Shown>, Json(Answer { id, consent }): Json<Answer>) -> Response {
    asked(shown, "_watch_answer", json!({ "id": id, "consent": consent }), |told| told).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hold {
    held: bool,
}

async fn hold(State(shown): State<Shown>, Json(Hold { held }): Json<Hold>) -> Response {
    asked(shown, "_watch_hold", json!({ "held": held }), |told| told).await
}

/// Asks the session, which may take a while.
async fn asked(shown: Shown, command: &'static str, args: Value, finish: impl FnOnce(Value) -> Value) -> Response {
    let told = tokio::task::spawn_blocking(move || shown.views.ask(command, args)).await;
    match told {
        Ok(Ok(told)) => Json(finish(told)).into_response(),
        Ok(Err(problem)) => (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "error": problem }))).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, Json(json!({ "error": null }))).into_response(),
    }
}
