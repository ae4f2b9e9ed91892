//! What every server of ours needs: an address of this machine, and the moment at which it is asked to end.

use handeye_scene::{Code, Problem};
use std::net::{SocketAddr, TcpListener};

/// Reads an address that is this machine's alone. Names aren't looked up but for `localhost`: others' could lead anywhere.
pub(crate) fn this_machines(address: &str) -> Result<SocketAddr, String> {
    let number = match address.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => address.to_owned(),
    };
    let at: SocketAddr = number.parse().map_err(|_| "it takes ADDRESS:PORT, where 0 is any free port".to_owned())?;
    if at.ip().is_loopback() {
        return Ok(at);
    }
    Err(format!("other machines could connect to {}, and the token would travel unencrypted", at.ip()))
}

/// What listens, and where.
pub(crate) struct Bound {
    pub(crate) listener: TcpListener,
    pub(crate) at: SocketAddr,
}

/// Listens on an address of this machine, as `--http` names it. `usage`: what to write.
pub(crate) fn bound(address: &str, usage: &str) -> Result<Bound, Problem> {
    let at = this_machines(address)
        .map_err(|why| Problem::new(Code::BadRequest, format!("--http {address}: {why}")).hint(usage))?;
    let taken = |e| {
        let any = usage.rsplit_once(' ').map_or(usage, |(words, _)| words);
        Problem::new(Code::Unavailable, format!("can't listen on {address}: {e}")).hint(format!("{any} 127.0.0.1:0"))
    };
    let listener = TcpListener::bind(at).map_err(taken)?;
    let at = listener.local_addr().map_err(taken)?;
    Ok(Bound { listener, at })
}

/// Waits until the system asks this process to end.
#[cfg(unix)]
pub(crate) async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let heard = |kind| async move {
        match signal(kind) {
            Ok(mut signals) => {
                signals.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = heard(SignalKind::terminate()) => {}
        () = heard(SignalKind::interrupt()) => {}
        () = heard(SignalKind::hangup()) => {}
    }
}

/// Waits for Ctrl-C from now on. It alone: who asks a service to end may send several other signals at once.
#[cfg(unix)]
pub(crate) async fn interrupted() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::interrupt()) {
        Ok(mut signals) => {
            signals.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

/// Waits for Ctrl-C from now on.
#[cfg(windows)]
pub(crate) async fn interrupted() {
    stopped().await;
}

/// Waits until the system asks this process to end.
#[cfg(windows)]
pub(crate) async fn stopped() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
