//! Documents that Chromium leaves frozen.
//!
//! While a debugger stops a page, Chromium holds the loading of every frame in the page's process, and afterwards lets go of
//! those that are in a page. A frame that it makes meanwhile for a document that is still on its way isn't in one yet, and stays
//! held: its document is never parsed (measured with Chromium 156, for frames in pages; a tab's own is spared). One more stop,
//! once the document is there, lets go of it. Tabs that we aren't attached to can't be helped so.

use crate::cdp::link::Link;
use crate::cdp::transport::CallError;
use crate::model::{GestureState, GuardState};
use crate::protocol::Evaluated;
use crate::protocol::json::parse;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// The page's time, and whether nothing of the document was parsed yet. One that isn't HTML has a root from the beginning.
const LOOK: &str = "[Date.now(), !document.documentElement
    || document.contentType !== 'text/html' && document.readyState === 'loading']";
/// What stays unparsed for so long is taken for frozen: if it isn't, no more comes of it than a few stops. Doubled each time.
const WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// How often a document is stopped: one that is late, not frozen, stays unparsed however often that is done.
const STOPS: u8 = 3;
/// How long a page may be too busy to answer.
const LIMIT: Duration = Duration::from_secs(60);
/// How long it may take to stop, less than input waits for that.
const STOP_LIMIT: Duration = Duration::from_secs(1);

/// A frame has a new document, with this context.
pub(super) fn came(link: &Link, session: &str, frame: &str, context: &str) {
    let is_marked = {
        let mut model = link.model();
        model.pages.frames.get_mut(frame).is_some_and(|frame| std::mem::take(&mut frame.may_be_frozen))
    };
    if is_marked {
        let came = Came { link: link.clone(), session: session.to_owned(), context: context.to_owned() };
        // An end with an error is one of the document, or of its page: who acts on that page is told.
        tokio::spawn(async move { came.thaw().await });
    }
}

struct Came {
    link: Link,
    session: String,
    context: String,
}

/// What came of a stop.
enum Stop {
    Done,
    /// It is parsed.
    Needless,
    /// The page didn't stop.
    Missed,
}

/// A document that isn't parsed yet, by the page's time.
struct Unparsed {
    at: f64,
}

impl Came {
    /// Ends, too, where the document is gone.
    async fn thaw(&self) -> Result<(), CallError> {
        let end = Instant::now() + LIMIT;
        let (mut stops, mut wait) = (0, WAIT);
        while stops < STOPS && Instant::now() < end && self.look(LIMIT).await?.is_some() {
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
            if self.look(LIMIT).await?.is_none() {
                break;
            }
            match self.stop_once().await {
                Ok(Stop::Needless) => break,
                Ok(Stop::Done) => stops += 1,
                // The page is busy, or a gesture has ended just then, after which nothing stops.
                Ok(Stop::Missed) | Err(CallError::Timeout { .. }) => {}
                Err(gone) => return Err(gone),
            }
        }
        Ok(())
    }

    /// None: it is parsed.
    async fn look(&self, limit: Duration) -> Result<Option<Unparsed>, CallError> {
        let evaluated: Evaluated = self.evaluate(LOOK, limit).await?;
        let told = evaluated.result.value.and_then(|value| parse::<(f64, bool)>(value.get()).ok());
        Ok(told.and_then(|(at, is_unparsed)| is_unparsed.then_some(Unparsed { at })))
    }

    async fn evaluate<T: serde::de::DeserializeOwned>(
        &self,
        expression: &str,
        limit: Duration,
    ) -> Result<T, CallError> {
        let params = json!({
            "expression": expression, "uniqueContextId": self.context, "returnByValue": true, "silent": true,
        });
        self.link.connection.call(Some(&self.session), "Runtime.evaluate", params, limit).await
    }

    /// Stops the page, if that is needed still. Input that comes to a page that is stopped is lost: none is on its way
    /// meanwhile, and a page that is too busy to stop in time doesn't stop later.
    async fn stop_once(&self) -> Result<Stop, CallError> {
        let _stopping = self.link.shared.stopping().await;
        let Some(Unparsed { at }) = self.look(STOP_LIMIT).await? else { return Ok(Stop::Needless) };
        let tell = |method, params: Value| self.link.connection.notify(Some(&self.session), method, params);
        self.link.model().guard.thawing = Some(self.session.clone());
        tell("Debugger.enable", json!({}));
        tell("Debugger.setSkipAllPauses", json!({ "skip": false }));
        let until = at + STOP_LIMIT.as_secs_f64() * 1000.0;
        let ran = self.evaluate::<Value>(&format!("if (Date.now() < {until}) debugger"), STOP_LIMIT).await;
        let mut model = self.link.model();
        let has_stopped = model.guard.thawing.take().is_none();
        match Debugger::afterwards(&model.guard, &model.gesture, &self.session) {
            Debugger::Stops => {}
            Debugger::Notes => {
                model.gesture.debugged.push(self.session.clone());
                tell("Debugger.setSkipAllPauses", json!({ "skip": true }));
            }
            Debugger::Off => tell("Debugger.disable", json!({})),
        }
        ran.map(|_| if has_stopped { Stop::Done } else { Stop::Missed })
    }
}

/// What the debugger of a session is to do.
#[derive(Debug, PartialEq, Eq)]
enum Debugger {
    /// It stops at listeners of a gesture.
    Stops,
    /// It keeps what began what, which a gesture's verdict asks for; it is turned off with the gesture's end.
    Notes,
    Off,
}

impl Debugger {
    /// What it did before it stopped a document.
    fn afterwards(guard: &GuardState, gesture: &GestureState, session: &str) -> Self {
        if guard.paused_checks.contains_key(session) {
            Self::Stops
        } else if gesture.is_noted {
            Self::Notes
        } else {
            Self::Off
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debugger_goes_on_with_what_it_did() {
        let mut guard = GuardState::default();
        guard.paused_checks.insert("stops".into(), Vec::new());
        for (session, is_noted, does) in [
            ("stops", true, Debugger::Stops),
            ("stops", false, Debugger::Stops),
            ("another", true, Debugger::Notes),
            ("another", false, Debugger::Off),
        ] {
            let gesture = GestureState { is_noted, ..GestureState::default() };
            assert_eq!(Debugger::afterwards(&guard, &gesture, session), does, "{session} {is_noted}");
        }
    }
}
