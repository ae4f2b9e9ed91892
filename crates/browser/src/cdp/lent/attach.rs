//! Meeting the extension: at a port of this machine, once, and only the one that knows the code.

use super::code::PairingCode;
use super::proof::{Nonces, Side, hex, is_nonce, proof, proves};
use super::wire::{Challenge, EXTENSION, Ended, Hello, Offer, PATH, Welcome};
use crate::cdp::wire::{LARGEST, Wire};
use futures_util::{SinkExt, StreamExt};
use handeye_scene::{Code, Problem};
use serde::de::DeserializeOwned;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderMap, StatusCode, header};
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long the extension may take to come: it looks for us about once a second.
const LIMIT: Duration = Duration::from_secs(20);
/// How long a meeting may take, with the browser's own attaching in it.
const MEETING: Duration = Duration::from_secs(10);
/// So many may be met at once; nobody but the extension has a reason to come.
const COMERS: usize = 8;
/// Bytes of a message before the code is proven.
const SMALL: usize = 4096;

/// Why a comer wasn't let in.
enum Turned {
    /// It isn't the extension, or doesn't know the code, or says nothing that we know.
    Away,
    /// The extension says that we don't know its code.
    Mistrusted,
    /// The browser doesn't let the tab be lent.
    Refused(String),
}

/// A wire to the tab that is lent by the code in `address`.
pub(crate) async fn attach(address: &str) -> Result<Wire, Problem> {
    let code = Arc::new(PairingCode::read(address)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, code.port)).await.map_err(|e| {
        let what =
            format!("port {} of the code can't be listened on: {e}; have the panel show another code", code.port);
        Problem::new(Code::Unavailable, what).hint("handeye open tab:CODE")
    })?;
    let mut comers: JoinSet<Result<WebSocketStream<TcpStream>, Turned>> = JoinSet::new();
    let until = tokio::time::sleep(LIMIT);
    tokio::pin!(until);
    loop {
        tokio::select! {
            accepted = listener.accept(), if comers.len() < COMERS => {
                let (stream, _) = accepted
                    .map_err(|e| Problem::new(Code::Unavailable, format!("nobody can be let in for the tab: {e}")))?;
                let code = code.clone();
                comers.spawn(async move {
                    tokio::time::timeout(MEETING, meet(stream, &code)).await.unwrap_or(Err(Turned::Away))
                });
            }
            Some(met) = comers.join_next() => match met {
                // Listener and other comers are dropped: nobody else is let in.
                Ok(Ok(socket)) => return Ok(Wire::over(socket, why)),
                Ok(Err(Turned::Mistrusted)) => return Err(wrong()),
                Ok(Err(Turned::Refused(why))) => {
                    let why: String = why.chars().filter(|c| !c.is_control()).take(200).collect();
                    let what = format!("the browser doesn't let this tab be lent: {why}");
                    return Err(Problem::new(Code::Unsupported, what).hint("handeye open tab:CODE"));
                }
                Ok(Err(Turned::Away)) | Err(_) => {}
            },
            () = &mut until => return Err(nobody()),
        }
    }
}

fn wrong() -> Problem {
    let what = "that isn't the code that the side panel shows; it holds no more: have the panel show another one";
    Problem::new(Code::Unavailable, what).hint("handeye open tab:CODE")
}

fn nobody() -> Problem {
    let what = format!(
        "no tab is lent by this code: nobody came within {} s. A code is for one use within five minutes, while the panel shows it",
        LIMIT.as_secs()
    );
    Problem::new(Code::Unreachable, what).hint("handeye open tab:CODE")
}

/// Why there is nothing more to come, as the extension says it.
fn why(frame: Option<&CloseFrame>) -> String {
    let ended = frame.and_then(|frame| Ended::of(frame.code.into()));
    ended.map_or("the extension has gone, and with it the tab", Ended::words).to_owned()
}

/// Lets the extension in: nothing that it says is taken before it has proven that it knows the code.
async fn meet(stream: TcpStream, code: &PairingCode) -> Result<WebSocketStream<TcpStream>, Turned> {
    let _ = stream.set_nodelay(true);
    let mut config = WebSocketConfig::default();
    (config.max_message_size, config.max_frame_size) = (Some(SMALL), Some(SMALL));
    let port = code.port;
    // The shape of it is the library's.
    #[allow(clippy::result_large_err)]
    let door = move |request: &Request, response: Response| {
        if is_extension(request, port) { Ok(response) } else { Err(forbidden()) }
    };
    let accepted = tokio_tungstenite::accept_hdr_async_with_config(stream, door, Some(config)).await;
    let mut socket = accepted.map_err(|_| Turned::Away)?;
    let hello: Hello = next(&mut socket).await?;
    if !is_nonce(&hello.nonce) {
        return Err(Turned::Away);
    }
    let mut made_up = [0; 16];
    getrandom::fill(&mut made_up).map_err(|_| Turned::Away)?;
    let nonces = Nonces { handeye: hex(&made_up), extension: hello.nonce };
    let challenge = Challenge { nonce: nonces.handeye.clone(), proof: proof(&code.key, Side::Handeye, &nonces) };
    say(&mut socket, &challenge).await?;
    let offer: Offer = next(&mut socket).await?;
    if !proves(&code.key, Side::Extension, &nonces, &offer.proof) {
        return Err(Turned::Away);
    }
    if let Some(why) = offer.refused {
        return Err(Turned::Refused(why));
    }
    say(&mut socket, &Welcome { welcome: true }).await?;
    // From here on answers may be large. The extension says nothing before it is asked, so nothing is lost in between.
    (config.max_message_size, config.max_frame_size) = (Some(LARGEST), Some(LARGEST));
    Ok(WebSocketStream::from_raw_socket(socket.into_inner(), Role::Server, Some(config)).await)
}

/// Whether a request is the extension's, for us by our own address: a page can't give itself another origin.
fn is_extension(request: &Request, port: u16) -> bool {
    let only = |name| one(request.headers(), name);
    only(header::ORIGIN) == Some(&format!("chrome-extension://{EXTENSION}"))
        && only(header::HOST) == Some(&format!("127.0.0.1:{port}"))
        && request.uri().path() == PATH
}

/// The value of a header that is there once.
fn one(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then(|| first.to_str().ok()).flatten()
}

fn forbidden() -> ErrorResponse {
    let mut response = ErrorResponse::new(None);
    *response.status_mut() = StatusCode::FORBIDDEN;
    response
}

async fn say<T: serde::Serialize>(socket: &mut WebSocketStream<TcpStream>, message: &T) -> Result<(), Turned> {
    let text = serde_json::to_string(message).map_err(|_| Turned::Away)?;
    socket.send(Message::text(text)).await.map_err(|_: Error| Turned::Away)
}

async fn next<T: DeserializeOwned>(socket: &mut WebSocketStream<TcpStream>) -> Result<T, Turned> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => return serde_json::from_str(&text).map_err(|_| Turned::Away),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(Some(frame)))) if Ended::of(frame.code.into()) == Some(Ended::Mistrusted) => {
                return Err(Turned::Mistrusted);
            }
            _ => return Err(Turned::Away),
        }
    }
}
