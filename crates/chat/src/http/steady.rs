//! A connection whose other side has to go on reading: one that takes nothing for too long is over, so that nobody holds a place, and what
//! is kept for them, for nothing.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection, and since when nothing was taken from it.
pub(super) struct Steady<S> {
    stream: S,
    patience: Duration,
    /// None while what is written is taken.
    blocked: Option<Pin<Box<Sleep>>>,
}

impl<S> Steady<S> {
    pub(super) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, blocked: None }
    }

    /// What writing came to, unless it has been waited for too long.
    fn held<T>(&mut self, context: &mut Context<'_>, came: Poll<Result<T>>) -> Poll<Result<T>> {
        if came.is_ready() {
            self.blocked = None;
            return came;
        }
        let patience = self.patience;
        let blocked = self.blocked.get_or_insert_with(|| Box::pin(sleep(patience)));
        blocked.as_mut().poll(context).map(|()| Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Steady<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Steady<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.held(context, came)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let came = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.held(context, came)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let came = Pin::new(&mut self.stream).poll_flush(context);
        self.held(context, came)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let came = Pin::new(&mut self.stream).poll_shutdown(context);
        self.held(context, came)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn who_takes_nothing_is_left_and_who_is_slow_is_not() {
        let (ours, mut theirs) = duplex(16);
        let mut steady = Steady::new(ours, Duration::from_millis(400));
        // Longer than anybody waits, but piece by piece.
        let reading = async {
            let mut read = [0; 4];
            for _ in 0..16 {
                sleep(Duration::from_millis(50)).await;
                theirs.read_exact(&mut read).await.expect("it is there");
            }
        };
        let (written, ()) = tokio::join!(steady.write_all(&[1; 64]), reading);
        written.expect("it is taken");
        let left = steady.write_all(&[1; 64]).await.expect_err("nobody takes it");
        assert_eq!(left.kind(), ErrorKind::TimedOut);
    }
}
