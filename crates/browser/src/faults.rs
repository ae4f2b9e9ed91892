//! What went wrong in pages while an action was under way: exceptions that nothing caught, and requests that failed.

use crate::console::cut;
use crate::world::World;
use handeye_scene::{Exchange, Message, Notice};
use std::collections::VecDeque;

/// So many are told of one action.
const TOLD: usize = 3;
/// Characters of each that are told.
const LENGTH: usize = 160;
/// Faults that came without an action, of which so many are kept: pages that do so all the time.
const HABITS: usize = 50;
/// Kinds of requests that pages depend on; a picture that is missing is no news.
const KINDS: [&str; 5] = ["document", "xhr", "fetch", "script", "eventsource"];

/// What went wrong since an action began.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    acting: bool,
    told: Vec<Notice>,
    more: usize,
    habits: VecDeque<String>,
}

impl Faults {
    /// An action begins.
    pub(crate) fn begin(&mut self) {
        (self.acting, self.more) = (true, 0);
        self.told.clear();
    }

    /// What is to be told of the action that ends.
    pub(crate) fn end(&mut self) -> Vec<Notice> {
        let mut told = std::mem::take(&mut self.told);
        if self.acting && self.more > 0 {
            let text =
                format!("{} more went wrong meanwhile: handeye errors, handeye network list --failed", self.more);
            told.push(Notice::new("fault", text));
        }
        (self.acting, self.more) = (false, 0);
        told
    }

    fn note(&mut self, kind: &str, what: &str, next: &str) {
        let what = cut(what, LENGTH);
        if !self.acting {
            if !self.habits.contains(&what) {
                self.habits.push_back(what);
                if self.habits.len() > HABITS {
                    self.habits.pop_front();
                }
            }
            return;
        }
        let notice = Notice::new(kind, format!("{what}: {next}"));
        if self.habits.contains(&what) || self.told.contains(&notice) {
            return;
        }
        if self.told.len() < TOLD {
            self.told.push(notice);
        } else {
            self.more += 1;
        }
    }
}

impl World {
    /// Notes an exception that nothing caught.
    pub(crate) fn note_exception(&mut self, message: &Message) {
        if message.kind != "exception" || message.origin.as_deref().is_some_and(|origin| self.is_unread(origin)) {
            return;
        }
        let first = message.text.lines().next().unwrap_or_default();
        self.faults.note("exception", &format!("nothing caught {first}"), "handeye errors");
    }

    /// Notes a request that failed, if it did and was sent since the action began.
    pub(crate) fn note_failure(&mut self, session: &str, id: &str) {
        let mask = self.mask.clone();
        let Some((exchange, is_new)) = self.flows.told(session, id) else { return };
        let Some(failure) = failure(exchange) else { return };
        let barred = self.is_unread(&exchange.url) || self.is_unread(&exchange.document);
        if barred || !KINDS.contains(&exchange.kind.as_str()) || (self.faults.acting && !is_new) {
            return;
        }
        let what = format!("{} {} → {failure}", exchange.method, cut(&mask.of(&exchange.url), LENGTH / 2));
        let next = format!("handeye network show {}", exchange.number);
        self.faults.note("failed_request", &what, &next);
    }
}

/// Why a request failed, in words. One that was given up, as by going elsewhere, didn't.
fn failure(exchange: &Exchange) -> Option<String> {
    match (&exchange.failure, exchange.status) {
        (Some(why), _) if why.starts_with("net::ERR_ABORTED") => None,
        (Some(why), _) => Some(why.clone()),
        (None, Some(status)) if status >= 400 => {
            Some(format!("{status} {}", exchange.status_text).trim_end().to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(notices: &[Notice]) -> Vec<&str> {
        notices.iter().map(|n| n.text.as_str()).collect()
    }

    #[test]
    fn what_goes_wrong_all_the_time_and_what_is_too_much_is_not_told() {
        let mut faults = Faults::default();
        faults.note("exception", "a", "x");
        faults.begin();
        for what in ["a", "b", "b", "c", "d", "e", "f"] {
            faults.note("exception", what, "x");
        }
        let more = "2 more went wrong meanwhile: handeye errors, handeye network list --failed";
        assert_eq!(texts(&faults.end()), ["b: x", "c: x", "d: x", more]);
        faults.begin();
        assert_eq!(texts(&faults.end()), [""; 0]);
    }
}
