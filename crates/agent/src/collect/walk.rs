//! From a page of the list to the next: what is done to get there, and whether it is another page.

use crate::collect::paging::{self, Control, Way, number_of};
use crate::collect::port::Stop;
use crate::collect::rule::{Page, Rule};
use crate::collect::site::{Opened, Site};
use handeye_engine::wording::shown::address;
use handeye_scene::collect::StoppedBy;
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;
use url::Url;

/// Pauses before something is pressed or scrolled again that brought nothing.
const AGAIN: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// Pauses between looks for what a press or a scroll brings.
const LOOKS: [Duration; 3] = [Duration::ZERO, Duration::from_millis(100), Duration::from_millis(200)];

/// What came of going on.
pub enum Step {
    /// Another page, or the same with more items.
    Page(Page),
    /// This was the last page; why it is known.
    End(String),
}

/// A way along the pages of a list.
pub struct Walk<'a> {
    /// The site.
    pub site: &'a Site<'a>,
    /// The rule.
    pub rule: &'a Rule,
    /// The way.
    pub way: &'a Way,
    /// Addresses of pages that were opened.
    pub visited: HashSet<String>,
    /// The address of the first page.
    pub first: Url,
    /// What came up.
    pub warnings: Vec<String>,
    /// Whether it isn't known yet that this way leads anywhere: then it is given up sooner.
    pub is_trial: bool,
}

impl Walk<'_> {
    /// Goes on from a page. `known`: what was on the pages so far, where a list that grows is told from one that doesn't.
    pub fn next(&mut self, page: &Page) -> Result<Step, Stop> {
        self.site.goes_on()?;
        match self.way {
            Way::Next { .. } | Way::Numbers => self.follow(page),
            Way::More { .. } => self.more(page),
            Way::Scroll => self.scroll(page),
            Way::Parameter { name, step } => self.count(page, name, *step),
        }
    }

    fn urls(&self, page: &Page) -> BTreeSet<Url> {
        self.rule.items(page).into_iter().map(|item| item.url).collect()
    }

    fn follow(&mut self, page: &Page) -> Result<Step, Stop> {
        let Some(control) = paging::control(page, self.rule, self.way) else {
            let last = paging::numbers(page, self.rule).filter(|numbers| numbers.last > numbers.current);
            if let Some(numbers) = last {
                let text =
                    format!("nothing leads on from page {}, though page {} is told of", numbers.current, numbers.last);
                return Err(Stop::new(StoppedBy::Failed, text));
            }
            return Ok(Step::End("no link leads on".to_owned()));
        };
        let Some(url) = control.url.clone() else { return self.press(page, &control) };
        if let (Some(from), Some(to)) = (number_of(&page.url), number_of(&url))
            && to.checked_sub(from).is_some_and(|step| step > 1)
        {
            self.warnings.push(format!(
                "pages {} to {} were skipped: page {from} leads to page {to}",
                from + 1,
                to - 1
            ));
        }
        if self.visited.contains(url.as_str()) {
            if url == self.first {
                self.warnings.push("the last page leads back to the first".to_owned());
                return Ok(Step::End("the last page leads back to the first".to_owned()));
            }
            return Err(Stop::new(
                StoppedBy::Loop,
                format!("{} leads back to {}", address(page.url.as_str()), address(url.as_str())),
            ));
        }
        match self.open(&url)? {
            Opened::Page(page) => Ok(Step::Page(page)),
            Opened::Empty(page) => {
                let text = format!("{} shows no item of the list", address(page.url.as_str()));
                Err(Stop::new(StoppedBy::Empty, text))
            }
            Opened::Gone(status) => {
                Err(Stop::new(StoppedBy::Failed, format!("{} can't be loaded: HTTP {status}", address(url.as_str()))))
            }
        }
    }

    fn open(&mut self, url: &Url) -> Result<Opened, Stop> {
        self.visited.insert(url.to_string());
        let opened = self.site.open(url, Some(self.rule))?;
        if let Opened::Page(page) = &opened {
            self.visited.insert(page.url.to_string());
        }
        Ok(opened)
    }

    /// Presses what puts the next page in this one's place.
    fn press(&mut self, page: &Page, control: &Control) -> Result<Step, Stop> {
        let before = self.urls(page);
        let mut control = control.clone();
        let mut now = None;
        for attempt in 0..self.attempts() {
            self.wait(attempt, page)?;
            self.site.press(&control, now.as_ref().unwrap_or(page))?;
            for pause in LOOKS {
                self.site.pause(pause)?;
                let look = self.site.look()?;
                let urls = self.urls(&look);
                if !urls.is_empty() && urls != before {
                    return self.landed(look);
                }
            }
            self.site.settle()?;
            let look = self.site.look()?;
            let urls = self.urls(&look);
            if !urls.is_empty() && urls != before {
                return self.landed(look);
            }
            if urls.is_empty() {
                self.site.check_barrier(&look)?;
            }
            match paging::control(&look, self.rule, self.way) {
                Some(found) => control = found,
                None => return Ok(Step::End("nothing leads on".to_owned())),
            }
            now = Some(look);
        }
        self.nothing_new(page)
    }

    /// The page that a press came to, which may be at any address.
    fn landed(&self, look: Page) -> Result<Step, Stop> {
        self.site.landed(look, Some(self.rule)).map(Step::Page)
    }

    /// How often something is done at most that brings nothing.
    fn attempts(&self) -> usize {
        if self.is_trial { 2 } else { AGAIN.len() + 1 }
    }

    /// Waits before an attempt that isn't the first. What failed before the last one doesn't tell that the list goes on.
    fn wait(&self, attempt: usize, page: &Page) -> Result<(), Stop> {
        if attempt + 1 == self.attempts() {
            self.site.failed_requests(page);
        }
        attempt.checked_sub(1).and_then(|before| AGAIN.get(before)).map_or(Ok(()), |time| self.site.pause(*time))
    }

    /// Something that was pressed again and again brought nothing: the end, unless requests of the page failed.
    fn nothing_new(&mut self, page: &Page) -> Result<Step, Stop> {
        if let Some(failed) = self.site.failed_requests(page) {
            return Err(Stop::new(StoppedBy::Failed, format!("nothing more comes: {failed}")));
        }
        self.warnings
            .push("what leads on brought nothing more, again and again: that was taken for the end".to_owned());
        Ok(Step::End("what leads on brings nothing more".to_owned()))
    }

    fn more(&mut self, page: &Page) -> Result<Step, Stop> {
        let before = self.urls(page);
        let mut now: Option<Page> = None;
        for attempt in 0..self.attempts() {
            self.wait(attempt, page)?;
            let here = now.as_ref().unwrap_or(page);
            match paging::more_control(here, self.rule, self.way) {
                Some(control) => self.site.press(&control, here)?,
                // It may be away while it loads.
                None if attempt > 1 => return Ok(Step::End("nothing leads to more".to_owned())),
                None => {}
            }
            match self.grown(&before)? {
                (true, page) => return self.landed(page),
                (false, look) => now = Some(look),
            }
        }
        self.nothing_new(page)
    }

    fn scroll(&mut self, page: &Page) -> Result<Step, Stop> {
        let before = self.urls(page);
        for attempt in 0..self.attempts() {
            self.wait(attempt, page)?;
            self.site.scroll(page, attempt > 0)?;
            if let (true, page) = self.grown(&before)? {
                return self.landed(page);
            }
        }
        match self.site.failed_requests(page) {
            Some(failed) => Err(Stop::new(StoppedBy::Failed, format!("nothing more comes: {failed}"))),
            None => Ok(Step::End("scrolling to the end brings nothing more".to_owned())),
        }
    }

    /// Whether the page shows items that weren't there, after a while at most; and the page.
    fn grown(&self, before: &BTreeSet<Url>) -> Result<(bool, Page), Stop> {
        let is_more = |look: &Page| self.urls(look).iter().any(|url| !before.contains(url));
        for pause in LOOKS {
            self.site.pause(pause)?;
            let look = self.site.look()?;
            if is_more(&look) {
                return Ok((true, look));
            }
        }
        self.site.settle()?;
        let look = self.site.look()?;
        if self.urls(&look).is_empty() {
            self.site.check_barrier(&look)?;
        }
        Ok((is_more(&look), look))
    }

    fn count(&mut self, page: &Page, name: &str, step: u64) -> Result<Step, Stop> {
        let usual = u64::from(step == 1);
        let here = crate::collect::address::parameter(&page.url, name).unwrap_or(usual);
        let Some(value) = here.checked_add(step) else {
            return Ok(Step::End("the number of the page has no next".to_owned()));
        };
        let url = crate::collect::address::with_parameter(&page.url, name, value);
        if self.visited.contains(url.as_str()) {
            return Err(Stop::new(StoppedBy::Loop, format!("{} was opened before", address(url.as_str()))));
        }
        match self.open(&url)? {
            Opened::Page(next) if self.urls(&next) == self.urls(page) => {
                Ok(Step::End(format!("{} shows what the page before it shows", address(url.as_str()))))
            }
            // Led elsewhere, as to the first page: the number is none.
            Opened::Page(next) if crate::collect::address::parameter(&next.url, name) != Some(value) => {
                Ok(Step::End(format!("{} leads to {}", address(url.as_str()), address(next.url.as_str()))))
            }
            Opened::Page(next) => Ok(Step::Page(next)),
            Opened::Empty(_) => Ok(Step::End(format!("{} shows no item", address(url.as_str())))),
            Opened::Gone(status) => Ok(Step::End(format!("{} answers with HTTP {status}", address(url.as_str())))),
        }
    }
}
