//! Sends requests: within a time, again where that can help, and within the budget.
//!
//! To cancel a request, drop the future.

use crate::budget::{Budget, Charge};
use crate::dialect::{Dialect, Dialects, Member};
use crate::endpoint::Endpoint;
use crate::pieces::Pieces;
use crate::stream::{self, LONGEST};
use crate::wire::estimate;
use crate::{ModelError, retry, wire};
use bytes::Bytes;
use futures_util::StreamExt;
use handeye_scene::Wire;
use handeye_scene::chat::{ChatReply, ChatRequest, Delta, Message, Part};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);
/// Tokens that a picture takes, where a server doesn't say.
const PICTURE: u64 = 1_500;

/// A request as it is sent.
#[derive(Debug, Clone)]
pub struct Written {
    body: Bytes,
    /// How many tokens it has, roughly.
    pub tokens: u64,
    /// What was known of the model as it was written.
    dialect: Dialect,
    /// It asks for a temperature, which a model that took others may refuse.
    has_temperature: bool,
}

/// A client of one endpoint.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    endpoint: Endpoint,
    budget: Arc<Budget>,
    dialects: Arc<Dialects>,
}

/// Why an attempt failed.
struct Failed {
    error: ModelError,
    /// How long the server asks to be left alone.
    pause: Option<Duration>,
    /// What of the request the model doesn't take.
    refused: Option<Member>,
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Self {
        Self { error, pause: None, refused: None }
    }
}

impl Client {
    /// A client whose requests count against `budget`.
    pub fn new(endpoint: Endpoint, budget: Arc<Budget>) -> Result<Self, ModelError> {
        Ok(Self::with(Self::connections(&endpoint)?, endpoint, budget, Arc::default()))
    }

    /// The same with connections that are there already, and what is known of models.
    pub(crate) fn with(
        http: reqwest::Client,
        endpoint: Endpoint,
        budget: Arc<Budget>,
        dialects: Arc<Dialects>,
    ) -> Self {
        Self { http, endpoint, budget, dialects }
    }

    /// Connections for any endpoint; `endpoint` is named where they can't be had.
    pub(crate) fn connections(endpoint: &Endpoint) -> Result<reqwest::Client, ModelError> {
        // Another part of the program may have chosen before; either will do.
        let _ = rustls::crypto::ring::default_provider().install_default();
        reqwest::Client::builder()
            .connect_timeout(CONNECTING)
            // A redirect would take the key to another server.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("handeye/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|e| unreachable(endpoint, &e))
    }

    /// The endpoint.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What was used of the budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Asks, and waits for the whole answer.
    pub async fn ask(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        self.repeat(self.written(request, false), None).await
    }

    /// Asks, and hands on the answer as it comes.
    pub async fn stream(
        &self,
        request: &ChatRequest,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<ChatReply, ModelError> {
        self.stream_written(self.write(request), tell).await
    }

    /// A request whose answer is streamed, as it is sent: a tenth of what it takes before that.
    pub fn write(&self, request: &ChatRequest) -> Written {
        self.written(request, true)
    }

    /// Sends it, and hands on the answer as it comes. The last time that it is sent, nothing of it is kept.
    pub async fn stream_written(
        &self,
        request: Written,
        tell: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<ChatReply, ModelError> {
        self.repeat(request, Some(tell)).await
    }

    fn written(&self, request: &ChatRequest, is_streamed: bool) -> Written {
        let dialect = self.dialects.of(&self.endpoint);
        let body = wire::body(&self.endpoint, request, is_streamed, dialect);
        let has_temperature = request.temperature.is_some() && !dialect.no_temperature;
        Written { body: body.to_string().into(), tokens: prompt(request), dialect, has_temperature }
    }

    async fn repeat(
        &self,
        request: Written,
        mut tell: Option<&mut (dyn FnMut(Delta) + Send)>,
    ) -> Result<ChatReply, ModelError> {
        self.budget.check()?;
        let Written { mut body, tokens, mut dialect, has_temperature } = request;
        let (limit, begun) = (self.endpoint.timeout, Instant::now());
        let all = async {
            let mut attempt = 1;
            loop {
                let mut told = false;
                let is_last = attempt >= self.endpoint.attempts;
                // It is kept as long as it may have to be sent again.
                let is_spare = is_last && dialect.is_taken && !has_temperature;
                let sent = if is_spare { std::mem::take(&mut body) } else { body.clone() };
                let charge = Charge::new(self.budget.clone(), self.endpoint.price, tokens);
                let once = match tell.as_deref_mut() {
                    Some(tell) => {
                        let mut pieces = Pieces::new(self.endpoint.key.as_ref());
                        let mut noting = |delta| {
                            if let Some(delta) = pieces.pass(delta) {
                                told = true;
                                tell(delta);
                            }
                        };
                        let once = self.once(sent, charge, Some(&mut noting)).await;
                        if once.is_ok() {
                            pieces.rest().for_each(tell);
                        }
                        once
                    }
                    None => self.once(sent, charge, None).await,
                };
                let Failed { error, pause, refused } = match once {
                    Ok(reply) => {
                        self.dialects.take(&self.endpoint);
                        return Ok(reply);
                    }
                    Err(failed) => failed,
                };
                // What a model doesn't take is left out from then on, and the attempt doesn't count.
                if let Some(refused) = refused.filter(|refused| !dialect.is_without(*refused))
                    && let Some(shorter) = refused.left_out(&body)
                {
                    self.dialects.learn(&self.endpoint, refused);
                    (body, dialect) = (shorter, dialect.without(refused));
                    continue;
                }
                let left = limit.saturating_sub(begun.elapsed());
                let error = too_late(error, pause, left).shown(self.endpoint.key.as_ref());
                if !error.is_passing() || is_last {
                    return Err(counted(error, attempt));
                }
                if let Some(tell) = tell.as_deref_mut().filter(|_| told) {
                    tell(Delta::Restart);
                }
                tokio::time::sleep(retry::wait(attempt, pause)).await;
                attempt += 1;
                self.budget.check()?;
            }
        };
        let reply = tokio::time::timeout(limit, all).await;
        let mut reply = reply.unwrap_or(Err(ModelError::TimedOut(limit.as_secs())))?;
        if let Some(key) = &self.endpoint.key {
            // A server that repeats the key must not have it shown, or kept in a record.
            reply.text = key.redact(&reply.text);
            reply.thinking = key.redact(&reply.thinking);
            for call in &mut reply.calls {
                for text in [&mut call.id, &mut call.name, &mut call.arguments] {
                    *text = key.redact(text);
                }
            }
        }
        Ok(reply)
    }

    /// One attempt. What it comes to is counted when this is over, or dropped.
    async fn once(
        &self,
        body: Bytes,
        mut charge: Charge,
        tell: Option<&mut (dyn FnMut(Delta) + Send)>,
    ) -> Result<ChatReply, Failed> {
        let address = self.endpoint.address(wire::path(self.endpoint.wire));
        let headers = wire::headers(&self.endpoint).inspect_err(|_| charge.waive())?;
        let request = self.http.post(address).headers(headers).header(CONTENT_TYPE, "application/json");
        let sent = request.body(body).send().await;
        let answer = sent.map_err(|e| unreachable(&self.endpoint, &e)).inspect_err(|error| {
            if matches!(error, ModelError::Unreachable { .. }) {
                charge.waive();
            }
        })?;
        let status = answer.status().as_u16();
        if !answer.status().is_success() {
            if is_free(status) {
                charge.waive();
            }
            if answer.status().is_redirection() {
                return Err(self.redirect(&answer).into());
            }
            let pause = retry_after(&answer);
            let said = text_of(answer).await.unwrap_or_default();
            let refused = Member::refused(status, &said).filter(|_| self.endpoint.wire == Wire::Openai);
            return Err(Failed { error: Self::failed(status, &said), pause, refused });
        }
        let kind = answer.headers().get("content-type").and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
        let mut reply = match tell.filter(|_| kind.starts_with("text/event-stream")) {
            Some(tell) => stream::read(self.endpoint.wire, Box::pin(answer.bytes_stream()), tell, &mut charge).await?,
            // A server that can't stream answers whole.
            None => {
                let said = text_of(answer).await?;
                let parsed = serde_json::from_str::<Value>(&said).map_err(|e| garbled(&said, &e))?;
                charge.note(wire::usage(self.endpoint.wire, &parsed).unwrap_or_default());
                wire::reply(self.endpoint.wire, &parsed)?
            }
        };
        charge.note(reply.usage);
        reply.usage = charge.usage();
        Ok(reply)
    }

    /// Where a server sends elsewhere.
    fn redirect(&self, answer: &reqwest::Response) -> ModelError {
        let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let to = location.and_then(|location| self.endpoint.led_to(wire::path(self.endpoint.wire), location));
        ModelError::Redirect {
            status: answer.status().as_u16(),
            to: to.unwrap_or_else(|| "which it doesn't say".to_owned()),
        }
    }

    fn failed(status: u16, said: &str) -> ModelError {
        let message = wire::error_message(said);
        match status {
            401 | 403 => ModelError::Key { status, message },
            408 | 409 | 425 | 429 | 500.. => ModelError::Server { status, message, attempts: 1 },
            _ => ModelError::Request { status, message },
        }
    }
}

/// Whether a status says that the model was not asked: the request was refused, or turned away. A server that fails otherwise may
/// have asked it, and so may one that another stands before.
const fn is_free(status: u16) -> bool {
    !matches!(status, 408 | 500 | 502 | 504)
}

/// The same error; where the server asks for a pause that is longer than the time that is `left`, that.
fn too_late(error: ModelError, pause: Option<Duration>, left: Duration) -> ModelError {
    match (error, pause.filter(|pause| *pause > left)) {
        (ModelError::Server { status, message, .. }, Some(pause)) => {
            ModelError::Later { status, message, seconds: pause.as_secs() }
        }
        (other, _) => other,
    }
}

/// The same error, with how often it was tried.
fn counted(error: ModelError, tried: u32) -> ModelError {
    match error {
        ModelError::Server { status, message, .. } => ModelError::Server { status, message, attempts: tried },
        other => other,
    }
}

fn retry_after(answer: &reqwest::Response) -> Option<Duration> {
    let seconds: u64 = answer.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// A body as text, of no more than fits.
async fn text_of(answer: reqwest::Response) -> Result<String, ModelError> {
    let mut bytes = Vec::new();
    let mut chunks = answer.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|e| ModelError::Dropped(e.without_url().to_string()))?;
        if bytes.len() + chunk.len() > LONGEST {
            return Err(ModelError::Garbled(format!("it is longer than {LONGEST} bytes")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn garbled(said: &str, error: &serde_json::Error) -> ModelError {
    let start = said.trim_start();
    ModelError::Garbled(if start.is_empty() {
        "it is empty".into()
    } else if start.starts_with('<') {
        "it is a web page, not JSON: is the model's `url` right?".into()
    } else if error.is_eof() {
        "its JSON is cut off".into()
    } else {
        format!("it isn't JSON: {error}")
    })
}

/// Why there is no connection; a URL may hold a password, so it is left out.
fn unreachable(endpoint: &Endpoint, error: &reqwest::Error) -> ModelError {
    let mut message = "no connection".to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        message = inner.to_string();
        cause = inner.source();
    }
    let host = endpoint.base.host_str().unwrap_or("?");
    let port = endpoint.base.port_or_known_default().map(|port| format!(":{port}")).unwrap_or_default();
    let address = format!("{}://{host}{port}", endpoint.base.scheme());
    if error.is_connect() || error.is_builder() {
        ModelError::Unreachable { address, message }
    } else {
        ModelError::Dropped(message)
    }
}

/// Tokens of a request, roughly.
pub fn prompt(request: &ChatRequest) -> u64 {
    let of_part = |part: &Part| match part {
        Part::Text { text } => estimate(text.len()),
        Part::Image { .. } => PICTURE,
    };
    let of_message = |message: &Message| match message {
        Message::User { parts } => parts.iter().map(of_part).sum(),
        Message::Assistant { text, .. } => estimate(text.len()),
        Message::Tool { content, .. } => estimate(content.len()),
    };
    let system = request.system.as_ref().map_or(0, |text| estimate(text.len()));
    system + request.messages.iter().map(of_message).sum::<u64>()
}
