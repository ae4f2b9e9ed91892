//! What went wrong in pages while an action was under way: exceptions that nothing caught, and requests that failed.

use super::text::cut;
use handeye_scene::Notice;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many are told of one action.
const TOLD: usize = 3;
/// Characters of each that are told.
pub(crate) const LENGTH: usize = 160;
/// Faults that came without an action, of which so many are kept: pages that do so all the time.
const HABITS: usize = 50;
/// What goes wrong so soon after an action may come of it still, and is no habit.
const COMES_OF_IT: Duration = Duration::from_secs(5);

/// What went wrong since an action began.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Whether an action is under way.
    pub(crate) acting: bool,
    /// When the last one ended.
    ended: Option<Instant>,
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
            let text = format!("{} more went wrong meanwhile", self.more);
            told.push(Notice::new("fault", text).hint("handeye errors").hint("handeye network list --failed"));
        }
        (self.acting, self.more, self.ended) = (false, 0, Some(Instant::now()));
        told
    }

    /// Notes one: of what kind, what, and the command that tells more.
    pub(crate) fn note(&mut self, kind: &str, what: &str, next: &str) {
        let what = cut(what, LENGTH);
        if !self.acting {
            let may_come_of_it = self.ended.is_some_and(|ended| ended.elapsed() < COMES_OF_IT);
            if !may_come_of_it && !self.habits.contains(&what) {
                self.habits.push_back(what);
                if self.habits.len() > HABITS {
                    self.habits.pop_front();
                }
            }
            return;
        }
        let notice = Notice::new(kind, what.as_str()).hint(next);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(notices: &[Notice]) -> Vec<&str> {
        notices.iter().map(|n| n.text.as_str()).collect()
    }

    #[test]
    fn what_goes_wrong_all_the_time_and_what_is_too_much_is_not_told() {
        let mut faults = Faults::default();
        faults.note("exception", "a", "handeye errors");
        faults.begin();
        for what in ["a", "b", "b", "c", "d", "e", "f"] {
            faults.note("exception", what, "handeye errors");
        }
        let more = "2 more went wrong meanwhile";
        assert_eq!(texts(&faults.end()), ["b", "c", "d", more]);
        faults.begin();
        assert_eq!(texts(&faults.end()), [""; 0]);
        // What an action set off may fail once it is over: of the next one it is told.
        faults.note("exception", "late", "handeye errors");
        faults.begin();
        faults.note("exception", "late", "handeye errors");
        assert_eq!(texts(&faults.end()), ["late"]);
    }
}
