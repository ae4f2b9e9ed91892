//! handeye as a library: a session with its own browser, driven without a command line, a daemon or a socket.
//!
//! Run it with `cargo run --example embed`, or with an address: `cargo run --example embed https://example.com`.

use async_trait::async_trait;
use handeye_browser::Chromium;
use handeye_commands::dispatch;
use handeye_commands::{Flags, Request, Response, Session};
use handeye_scene::{Clock, Problem};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAGE: &str =
    "data:text/html,<title>Embedded</title><button onclick=\"document.title='Clicked'\">Press me</button>";

/// Time, as the embedding program wants to have it told: here, the machine's.
struct MachineClock(Instant);

#[async_trait]
impl Clock for MachineClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
    fn timestamp(&self) -> String {
        time::OffsetDateTime::now_utc().format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
    }
    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// One call, by name and arguments, exactly as every front end makes it.
async fn call(session: &mut Session, command: &str, args: Value) -> Result<Response, Problem> {
    let request = Request { command: command.to_owned(), args, flags: Flags::default() };
    let response = dispatch(session, request).await;
    match response.error {
        Some(problem) => Err(problem),
        None => Ok(response),
    }
}

/// Shows an answer.
#[allow(clippy::print_stdout)] // an example shows what it does
fn show(response: &Response) {
    println!("{}\n", response.text.as_deref().unwrap_or_default());
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Problem> {
    let folder = std::env::temp_dir().join(format!("handeye-embed-{}", std::process::id()));
    let opener = Arc::new(Chromium::new(&folder));
    let mut session = Session::new("embedded", opener, Arc::new(MachineClock(Instant::now())));
    let page = std::env::args().nth(1);

    show(&call(&mut session, "open", json!({"url": page.as_deref().unwrap_or(PAGE)})).await?);
    show(&call(&mut session, "state", json!({})).await?);
    if page.is_none() {
        // The bundled page has one target. What it must show is said with the action, and checked inside the event.
        show(&call(&mut session, "click", json!({"ref": 1, "expect": "Press me"})).await?);
        show(&call(&mut session, "get", json!({"what": "title"})).await?);
    }
    show(&call(&mut session, "close", json!({})).await?);
    // A folder that a browser no longer needs may be gone already.
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}
