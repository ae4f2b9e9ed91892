//! The ways a browser is reached: a pipe to one that we launched, a websocket to one that runs already, or from the extension that
//! lends a tab of one.

use super::outbox::{Outbox, outbox};
use futures_util::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio::io::{AsyncReadExt, AsyncWriteExt};
#[cfg(unix)]
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;

/// The largest message taken from a browser. A longer one ends the connection.
pub(crate) const LARGEST: usize = 512 << 20;

/// Both directions of a connection, as whole messages. The `incoming` side ends when the other side is gone.
pub(crate) struct Wire {
    /// Messages to send.
    pub(crate) outgoing: Outbox,
    /// Messages received, or why there are no more.
    pub(crate) incoming: mpsc::Receiver<Result<Vec<u8>, String>>,
    /// The tasks that move them.
    pub(crate) tasks: Vec<JoinHandle<()>>,
}

impl Wire {
    /// A wire over the pipe of a browser started with `--remote-debugging-pipe`: messages end in a zero byte.
    #[cfg(unix)]
    pub(crate) fn pipe(mut input: ChildStdin, mut output: ChildStdout) -> Self {
        let (outgoing, mut to_send) = outbox();
        let (received, incoming) = mpsc::channel(64);
        let writer = tokio::spawn(async move {
            while let Some(message) = to_send.next().await {
                let mut bytes = message.into_bytes();
                bytes.push(0);
                if input.write_all(&bytes).await.is_err() {
                    break;
                }
            }
        });
        let reader = tokio::spawn(async move {
            let mut buffer: Vec<u8> = Vec::with_capacity(1 << 16);
            loop {
                let seen = buffer.len();
                if seen > LARGEST {
                    let _ = received.send(Err("the browser sent a message beyond 512 MB".into())).await;
                    return;
                }
                match output.read_buf(&mut buffer).await {
                    Ok(0) | Err(_) => {
                        let _ = received.send(Err("the browser closed its pipe".into())).await;
                        return;
                    }
                    Ok(_) => {}
                }
                let mut from = seen;
                while let Some(end) = buffer[from..].iter().position(|b| *b == 0) {
                    let rest = buffer.split_off(from + end + 1);
                    buffer.truncate(from + end);
                    if received.send(Ok(std::mem::replace(&mut buffer, rest))).await.is_err() {
                        return;
                    }
                    from = 0;
                }
            }
        });
        Self { outgoing, incoming, tasks: vec![writer, reader] }
    }

    /// A wire over a websocket.
    pub(crate) async fn websocket(url: &str, limit: Duration) -> Result<Self, String> {
        let mut config = WebSocketConfig::default();
        config.max_message_size = Some(LARGEST);
        config.max_frame_size = Some(LARGEST);
        let connecting = tokio_tungstenite::connect_async_with_config(url, Some(config), true);
        let (socket, _) = match tokio::time::timeout(limit, connecting).await {
            Ok(Ok(connected)) => connected,
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err(format!("no answer within {} s", limit.as_secs())),
        };
        Ok(Self::over(socket, |_| "the browser closed the connection".into()))
    }

    /// A wire over a websocket that is open; `why` is what its end says.
    pub(crate) fn over<S>(socket: WebSocketStream<S>, why: fn(Option<&CloseFrame>) -> String) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sink, mut stream) = socket.split();
        let (outgoing, mut to_send) = outbox();
        let (received, incoming) = mpsc::channel(64);
        let writer = tokio::spawn(async move {
            while let Some(message) = to_send.next().await {
                if sink.send(Message::text(message)).await.is_err() {
                    break;
                }
            }
            let _ = sink.close().await;
        });
        let reader = tokio::spawn(async move {
            while let Some(message) = stream.next().await {
                let out = match message {
                    Ok(Message::Text(text)) => Ok(text.as_bytes().to_vec()),
                    Ok(Message::Binary(bytes)) => Ok(bytes.to_vec()),
                    Ok(Message::Close(frame)) => {
                        let _ = received.send(Err(why(frame.as_ref()))).await;
                        return;
                    }
                    Ok(_) => continue,
                    Err(error) => Err(error.to_string()),
                };
                let ended = out.is_err();
                if received.send(out).await.is_err() || ended {
                    return;
                }
            }
            let _ = received.send(Err(why(None))).await;
        });
        Self { outgoing, incoming, tasks: vec![writer, reader] }
    }
}
