//! `handeye view`: the live view of a session, for the person at this machine.

use crate::cli::Globals;
use crate::config::{self, Config};
use crate::listening::{Bound, bound, stopped};
use crate::print;
use crate::serve::client;
use handeye_scene::{Code, Problem};
use handeye_server::{Listen, Place, SessionName, Views, serve_view};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// What to write to be listened on.
const LISTEN: &str = "handeye view --http 127.0.0.1:8933";
/// Where it listens unless it is told.
const ADDRESS: &str = "127.0.0.1:0";

/// Serves until this process is asked to end.
pub(crate) fn show(globals: &Globals, http: Option<&str>) -> Result<(), Problem> {
    let session = SessionName::new(&Config::load(&globals.given())?.session)?;
    let watched = Watched { session };
    // That there is none is told at once, and not only on the page.
    watched.ask("_watch", serde_json::json!({}))?;
    let Bound { listener, at } = bound(http.unwrap_or(ADDRESS), LISTEN)?;
    let token = handeye_server::token()?;
    // The fragment stays in the browser: no server and no log gets it.
    if print::out(&format!("http://{at}/#{token}\n")).is_some() {
        return Err(Problem::new(Code::File, "where it listens can't be told"));
    }
    serve_view(Arc::new(watched), Listen { listener, token }, stopped())
}

/// The session, wherever its daemon is by now.
struct Watched {
    session: SessionName,
}

impl Views for Watched {
    fn session(&self) -> String {
        self.session.as_str().to_owned()
    }

    fn ask(&self, command: &str, args: Value) -> Result<Value, Problem> {
        let folder = config::runtime_folder();
        if Path::new(&folder).symlink_metadata().is_err() {
            return Err(Problem::new(Code::NotFound, format!("nothing is open in session `{}`", self.session))
                .hint("handeye open URL"));
        }
        client(&Place::open(&folder)?).watch(&self.session, command, args)
    }
}
