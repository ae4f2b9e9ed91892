//! Connections: with limits, and ended in order.

use super::admit::{App, Door};
use super::pair::TRIES;
use super::rate::Rates;
use super::refusals::REPORTS;
use super::routes::router;
use super::sight::Snapshots;
use super::steady::Steady;
use super::watch::Watch;
use crate::run::Service;
use axum::Router;
use handeye_scene::{Code, Problem};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

/// Connections at once; further ones wait until one of these is over.
const CONNECTIONS: usize = 4_096;
/// How long a connection may take to say what it asks for, and how long it may stay without asking for anything.
const HEAD: Duration = Duration::from_secs(20);
/// Bytes that a connection reads or writes at a time. It would keep what it once had, though it only streams from then on.
const BUFFER: usize = 16 << 10;
/// How long a client may leave what it is sent.
const TAKING: Duration = Duration::from_secs(120);
/// How long connections may take to end, once nothing is answered any more; and where nobody wants to wait.
const CLOSING: Duration = Duration::from_secs(5);
const HURRIED: Duration = Duration::from_millis(500);
/// How long nothing is accepted after the system refused to.
const PAUSE: Duration = Duration::from_millis(500);
/// How long answers that are under way may take once the server is asked to end.
pub const DRAIN: Duration = Duration::from_secs(20);

/// Where clients connect, and who is let in.
pub struct Listen {
    /// Bound already.
    pub listener: TcpListener,
    /// Who is let in.
    pub door: Door,
}

/// Serves until `stop` ends; then answers what is under way, takes nothing more, and returns. Nobody may ask for snapshots.
pub async fn serve(service: Arc<Service>, listen: Listen, stop: impl Future<Output = ()>) -> Result<(), Problem> {
    serve_with(service, listen, None, (stop, std::future::pending())).await
}

/// The same, with snapshots of the pages that sessions have open. Once `hurry` ends as well, what is under way isn't waited for: it is
/// told to end, and what was said so far is kept.
pub async fn serve_with(
    service: Arc<Service>,
    listen: Listen,
    snapshots: Option<Arc<dyn Snapshots>>,
    (stop, hurry): (impl Future<Output = ()>, impl Future<Output = ()>),
) -> Result<(), Problem> {
    let fault = |e| Problem::new(Code::Unavailable, format!("can't serve HTTP: {e}"));
    listen.listener.set_nonblocking(true).map_err(fault)?;
    let listener = tokio::net::TcpListener::from_std(listen.listener).map_err(fault)?;
    let rates = Rates::new(listen.door.requests_per_minute);
    let (pairings, refusals) = (Rates::new(TRIES), Rates::new(REPORTS));
    let (door, watch) = (listen.door, Watch::default());
    let app = App { service: service.clone(), door, rates, pairings, refusals, snapshots, watch };
    let app = router(Arc::new(app));
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let ending = watch::Sender::new(false);
    tokio::select! {
        () = accept(listener, app, &room, &ending) => {}
        () = stop => {}
    }
    let closing = tokio::select! {
        () = service.stop(DRAIN) => CLOSING,
        () = hurry => {
            service.stop(Duration::ZERO).await;
            HURRIED
        }
    };
    ending.send_replace(true);
    // All places are free once all connections are over.
    let _ = timeout(closing, room.acquire_many(CONNECTIONS as u32)).await;
    service.store().close().await;
    Ok(())
}

/// Takes connections, each of which is dropped where it says nothing.
async fn accept(listener: tokio::net::TcpListener, app: Router, room: &Arc<Semaphore>, ending: &watch::Sender<bool>) {
    while let Ok(place) = room.clone().acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                // What is streamed is sent piece by piece.
                let _ = stream.set_nodelay(true);
                let mut http = http1::Builder::new();
                http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(BUFFER);
                let connection = http
                    .serve_connection(TokioIo::new(Steady::new(stream, TAKING)), TowerToHyperService::new(app.clone()));
                let mut ending = ending.subscribe();
                tokio::spawn(async move {
                    let mut connection = std::pin::pin!(connection);
                    let ended = async { drop(ending.wait_for(|is_ending| *is_ending).await) };
                    // How it broke off is its client's matter.
                    tokio::select! {
                        _ = connection.as_mut() => {}
                        () = ended => {
                            connection.as_mut().graceful_shutdown();
                            let _ = connection.await;
                        }
                    }
                    drop(place);
                });
            }
            // There are too many open files, or the client has gone already.
            Err(_) => sleep(PAUSE).await,
        }
    }
}
