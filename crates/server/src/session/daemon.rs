//! The daemon: holds one session, answers on its socket, and leaves nothing behind when it ends.
//!
//! It ends when a command ended the session, when it is told to (`_shutdown`, or by the system's signals), when nothing was
//! asked of it for as long as the settings say, or when nothing was opened and whoever could open something is gone.
//! Either way it removes the socket, closes the surface (a browser that was launched dies), removes the session's folder
//! and its record, and only then gives the last answer.

use crate::process::handshake::{Started, tell};
use crate::process::hold;
use crate::process::lock_file::Record;
use crate::process::remains::{remove, remove_own};
use crate::process::runtime_dir::{Place, SessionName};
use crate::session::connection::{self, Counted, Shared};
use crate::session::handle::{Around, Over, SessionHandle, becomes, unwinding};
use crate::transport::system;
use handeye_commands::Session;
use handeye_scene::{Code, Problem};
use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// How long a surface may take to close before it is dropped, which kills what it launched.
const CLOSE_LIMIT: Duration = Duration::from_secs(10);
/// How long clients may take to read their last answers.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// What a daemon serves.
pub struct Serve {
    /// The folder it is found in.
    pub place: Place,
    /// The session's name.
    pub name: SessionName,
    /// The session.
    pub session: Session,
    /// Version of handeye; clients of another one are told to end it.
    pub version: String,
}

/// Runs a daemon in this process until its session ends. The process must have been made for it: it leaves its terminal,
/// its folder and every inherited file, takes its standard input for the starter's pipe, and tells on its standard
/// output, as one line, when it is ready or why it can't be.
pub fn serve(serve: Serve) -> Result<(), Problem> {
    quiet_panics();
    let run = || {
        system::detach(serve.place.folder()).map_err(|e| fault("leave the terminal", &e))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|e| fault("start its threads", &e))?;
        let result = runtime.block_on(listen(serve));
        // Connections that stay open to the end, by now, are closed by it.
        runtime.shutdown_background();
        result
    };
    run().inspect_err(|problem| tell(&Started::Failed(problem.clone())))
}

/// Notes where a panic was, not what it said: that may hold what a page shows, or a secret, and the log outlives a daemon that is
/// killed. Whoever called is told the words, without the session's secrets.
fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // Nobody is left to tell where the log can't be written.
        let _ = writeln!(std::io::stderr(), "a fault of handeye at {place}");
    }));
}

async fn listen(serve: Serve) -> Result<(), Problem> {
    let Serve { place, name, session, version } = serve;
    let address = place.address(&name)?;
    let held = hold::hold(&place, &name, &Record::own(&version))?;
    // Connections are taken from here on, and wait in the system until there is a session to serve them.
    let mut listener = system::Listener::bind(&address).map_err(|e| fault("listen for clients", &e))?;

    let (stop, stopping) = watch::channel(false);
    let (guests, guests_seen) = watch::channel(0);
    let (due, mut due_seen) = watch::channel(0);
    let (tidy, tidied) = watch::channel(false);
    let stops = stop.clone();
    let asked = system::when_asked_to_end(move || {
        stops.send_replace(true);
    });
    asked.map_err(|e| fault("listen for signals", &e))?;
    await_starter(Counted::new(&guests));
    let (handle, mut task) = SessionHandle::spawn_within(session, Around { guests: guests_seen, stop: stopping });
    let shared = Arc::new(Shared { handle, name: name.clone(), version, stop, tidied, due });
    tell(&Started::Ready);

    let over = loop {
        tokio::select! {
            over = &mut task => break over.ok(),
            accepted = listener.accept() => match accepted {
                Ok(Some((reading, writing))) => {
                    let guest = Counted::new(&guests);
                    let shared = shared.clone();
                    tokio::spawn(async move {
                        connection::serve(reading, writing, shared).await;
                        drop(guest);
                    });
                }
                Ok(None) => {}
                // Out of descriptors, most likely: some will be given back.
                Err(_) => sleep(Duration::from_millis(50)).await,
            },
        }
    };
    drop(listener);
    let last = match over {
        Some(over) => close(over).await,
        None => None,
    };
    remove_remains(&place, &name, held);
    if let Some((reply, response)) = last {
        let _ = reply.send(response);
    }
    tidy.send_replace(true);
    let _ = timeout(ANSWER_LIMIT, becomes(&mut due_seen, |due| *due == 0)).await;
    Ok(())
}

type Last = (tokio::sync::oneshot::Sender<handeye_commands::Response>, handeye_commands::Response);

async fn close(over: Over) -> Option<Last> {
    let Over { mut session, last } = over;
    for surface in session.surface.iter_mut().chain(session.other_surface.iter_mut().map(|aside| &mut aside.surface)) {
        let _ = timeout(CLOSE_LIMIT, unwinding(surface.close())).await;
    }
    last
}

/// The record goes last: while it is held, a new daemon of the same name waits.
fn remove_remains(place: &Place, name: &SessionName, held: File) {
    remove_own(&place.own(name));
    system::drop_log();
    remove(&place.log(name));
    remove(&place.record(name));
    drop(held);
}

/// Counts the starter as a guest until it is gone: it may be stopped before it connects.
fn await_starter(guest: Counted) {
    tokio::spawn(async move {
        system::starter_gone().await;
        drop(guest);
    });
}

fn fault(what: &str, error: &std::io::Error) -> Problem {
    Problem::new(Code::Unavailable, format!("the daemon can't {what}: {error}")).hint("handeye doctor")
}
