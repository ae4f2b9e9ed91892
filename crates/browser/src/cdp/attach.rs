//! Attaching to a browser that runs already.

use crate::cdp::lent;
use crate::cdp::wire::Wire;
use crate::protocol::Version;
use handeye_scene::{Code, Problem, TAB};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use url::Url;

/// How long the endpoint may take to answer.
const LIMIT: Duration = Duration::from_secs(10);
/// Largest answer taken from its `/json/version`.
const ANSWER: u64 = 1 << 20;

/// A wire to the browser at `endpoint`: `ws://` and `wss://` directly, `http://` by way of `/json/version`; `tab:` to a tab that is
/// lent.
pub(crate) async fn attach(endpoint: &str) -> Result<Wire, Problem> {
    if endpoint.starts_with(TAB) {
        return lent::attach(endpoint).await;
    }
    let url = Url::parse(endpoint).map_err(|e| unusable(endpoint, &e.to_string()))?;
    let socket = match url.scheme() {
        "ws" | "wss" => endpoint.to_owned(),
        "http" => match tokio::time::timeout(LIMIT, socket_of(&url)).await {
            Ok(found) => found.map_err(|why| unreachable(endpoint, &why))?,
            Err(_) => return Err(unreachable(endpoint, "it didn't answer within 10 s")),
        },
        "https" => format!("wss://{}/devtools/browser", url.authority()),
        other => return Err(unusable(endpoint, &format!("{other} is none of http, https, ws, wss"))),
    };
    Wire::websocket(&socket, LIMIT).await.map_err(|why| unreachable(endpoint, &why))
}

fn unusable(endpoint: &str, why: &str) -> Problem {
    Problem::new(Code::BadRequest, format!("`{endpoint}` is no address of a browser: {why}"))
        .hint("handeye open --cdp http://127.0.0.1:9222")
}

fn unreachable(endpoint: &str, why: &str) -> Problem {
    Problem::new(Code::Unreachable, format!("no browser answers at {endpoint}: {why}"))
        .hint("chromium --remote-debugging-port=9222")
        .hint("handeye open URL")
}

/// Asks the browser for the address of its socket.
async fn socket_of(url: &Url) -> Result<String, String> {
    let host = url.host_str().ok_or("it has no host")?;
    let port = url.port_or_known_default().unwrap_or(80);
    let mut stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await.map_err(|e| e.to_string())?;
    // Chromium answers only to IP addresses and localhost in the Host header.
    let request = format!("GET /json/version HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", url.authority());
    stream.write_all(request.as_bytes()).await.map_err(|e| e.to_string())?;
    let body = body_of(stream).await?;
    let version: Version =
        serde_json::from_slice(&body).map_err(|_| "its /json/version is not that of a browser".to_owned())?;
    let socket = version.socket.ok_or("its /json/version names no socket")?;
    // The browser names itself by the address it knows; the one we reached it by is the one that works.
    let mut socket = Url::parse(&socket).map_err(|e| e.to_string())?;
    socket.set_host(Some(host)).map_err(|e| e.to_string())?;
    socket.set_port(Some(port)).map_err(|()| "its socket has no port".to_owned())?;
    Ok(socket.to_string())
}

/// The body of an HTTP answer whose length its head tells, or that ends with the connection.
async fn body_of(stream: TcpStream) -> Result<Vec<u8>, String> {
    let mut stream = BufReader::new(stream.take(ANSWER));
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = String::new();
        let read = stream.read_line(&mut line).await.map_err(|e| e.to_string())?;
        if read == 0 || (first && !line.starts_with("HTTP/1.")) {
            return Err("its answer is no HTTP".into());
        }
        first = false;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse::<usize>().ok()
            }
            _ if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = Vec::new();
    match length {
        Some(length) => {
            body.resize(length.min(ANSWER as usize), 0);
            stream.read_exact(&mut body).await.map_err(|e| e.to_string())?;
        }
        None => {
            stream.read_to_end(&mut body).await.map_err(|e| e.to_string())?;
        }
    }
    Ok(body)
}
