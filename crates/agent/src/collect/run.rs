//! A collection from its beginning, or from where it was left, to its end.

use crate::collect::asking::{Asking, prompt};
use crate::collect::begin::{Begun, begin, first_page};
use crate::collect::journal::{self, Job, Journal, PageLine, Settled, Written};
use crate::collect::learn::{Learnt, confidence, learn};
use crate::collect::output;
use crate::collect::paging::{self, Way};
use crate::collect::port::{CollectPorts, Stop};
use crate::collect::rule::{Found, Page};
use crate::collect::site::{Opened, Site};
use crate::collect::walk::{Step, Walk};
use handeye_engine::wording::shown::{address, line};
use handeye_scene::collect::{CollectOutcome, CollectReport, CollectRule, Collecting, Item, StoppedBy};
use handeye_scene::{Code, Problem};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use url::Url;

/// Pages without a new item in a row, after which it ends.
const REPEATS: u32 = 3;
/// Warnings that are kept.
const WARNINGS: usize = 50;

/// Collects until the end of the list, or until something ends it. A problem is one that kept it from beginning.
pub fn collect(asked: &Collecting, ports: &CollectPorts<'_>) -> Result<CollectReport, Problem> {
    let form = asked.output.as_deref().map(output::form).transpose()?;
    let Begun { job, journal, has_rest } = begin(asked, ports)?;
    let first = first_page(&job.url)?;
    let site = Site::new(ports, asked.rate, asked.ignore_robots);
    let mut run = Run {
        ports,
        site: &site,
        max: asked.max,
        job,
        settled: None,
        pages: Vec::new(),
        seen: HashSet::new(),
        checkpoint: Checkpoint { length: 0, is_cut: has_rest, written: Vec::new() },
        done: Done::default(),
        warnings: Vec::new(),
        calls: 0,
        resumed: None,
    };
    let ended = run.work(journal, first);
    let (outcome, stopped_by, reason) = match ended {
        Ok(reason) => (CollectOutcome::Done, None, reason),
        // Before anything was begun, it is a problem like any other.
        Err(Stop { problem: Some(problem), .. }) if run.settled.is_none() => {
            run.forget_own()?;
            return Err(problem);
        }
        Err(stop) if !run.done.is_reached && stop.by == StoppedBy::Failed => {
            run.forget_own()?;
            return Err(Problem::new(Code::Unreachable, stop.reason).hint("handeye collect --help"));
        }
        Err(stop) => (CollectOutcome::Stopped, Some(stop.by), stop.reason),
    };
    let mut report = run.report(outcome, stopped_by, reason);
    let mut found: Vec<Item> = run.pages.iter().flat_map(|page| page.items.clone()).collect();
    found.truncate(asked.max.map_or(usize::MAX, |max| usize::try_from(max).unwrap_or(usize::MAX)));
    match form {
        // Nothing was found yet: what is there stays as it is.
        Some(_) if run.settled.is_none() => {}
        Some(form) => run.publish(&output::written(&found, &run.job.fields, form)?, &mut report)?,
        None => report.found = found,
    }
    if outcome == CollectOutcome::Done {
        ports.store.forget()?;
    } else if run.done.is_reached || run.resumed.is_some() {
        report.checkpoint = Some(ports.store.name());
    } else {
        // It holds nothing but what the command says, and would stand in the way of another command.
        run.forget_own()?;
    }
    Ok(report)
}

struct Run<'a> {
    ports: &'a CollectPorts<'a>,
    site: &'a Site<'a>,
    max: Option<u64>,
    job: Job,
    settled: Option<Settled>,
    pages: Vec<PageLine>,
    seen: HashSet<String>,
    checkpoint: Checkpoint,
    done: Done,
    warnings: Vec<String>,
    calls: u32,
    resumed: Option<u32>,
}

/// The checkpoint, as far as it is written.
struct Checkpoint {
    /// Bytes.
    length: u64,
    /// Whether the rest of a line stands behind them.
    is_cut: bool,
    /// What was written out by it.
    written: Vec<Written>,
}

/// What was collected so far.
#[derive(Default)]
struct Done {
    items: u64,
    repeated: u64,
    /// Pages of this run.
    visited: u32,
    /// Whether a page of the list was opened, by this run or one before.
    is_reached: bool,
}

impl<'a> Run<'a> {
    /// Works until the end of the list; why it is known.
    fn work(&mut self, journal: Option<Journal>, first: Url) -> Result<String, Stop> {
        match journal {
            Some(journal) => self.take_up(journal),
            None => {
                let line = journal::job_line(&self.job).map_err(|problem| Stop::of(StoppedBy::File, problem))?;
                self.append(&line)?;
            }
        }
        if self.settled.is_none() {
            return self.begin_at(&first);
        }
        if self.is_full() {
            return Ok(self.full());
        }
        self.go_on(&first)
    }

    fn take_up(&mut self, journal: Journal) {
        self.checkpoint.length = journal.length;
        self.checkpoint.is_cut = journal.is_torn;
        if journal.is_torn {
            self.warn(
                "the last line of the checkpoint was cut short and was dropped; that page is collected anew".to_owned(),
            );
        }
        self.resumed = Some(journal.pages.len() as u32);
        for page in &journal.pages {
            self.seen.extend(page.items.iter().map(|item| item.url.clone()));
            self.done.items += page.items.len() as u64;
        }
        if let Some(settled) = &journal.settled {
            self.calls = settled.calls;
        }
        self.done.is_reached = journal.settled.is_some();
        self.settled = journal.settled;
        self.pages = journal.pages;
        self.checkpoint.written = journal.written;
    }

    /// Takes the checkpoint away, where this run has begun it. One that it has written nothing to isn't its own.
    fn forget_own(&self) -> Result<(), Problem> {
        if self.resumed.is_none() && self.checkpoint.length > 0 { self.ports.store.forget() } else { Ok(()) }
    }

    /// Writes the output. What it will be is noted first: what isn't noted isn't known as this collection's own later.
    fn publish(&mut self, content: &[u8], report: &mut CollectReport) -> Result<(), Problem> {
        let written = Written::of(content);
        if !self.checkpoint.written.contains(&written) {
            let noted = journal::written_line(&written)
                .map_err(|problem| Stop::of(StoppedBy::File, problem))
                .and_then(|line| self.append(&line));
            match noted {
                Ok(()) => {}
                // What is over needs no note.
                Err(_) if report.outcome == CollectOutcome::Done => {}
                Err(stop) => {
                    report.warnings.push(format!("the output isn't written, --resume makes it: {}", stop.reason));
                    return Ok(());
                }
            }
        }
        report.output = self.ports.store.publish(content, &self.checkpoint.written)?;
        self.checkpoint.written.push(written);
        Ok(())
    }

    fn warn(&mut self, text: String) {
        if self.warnings.len() < WARNINGS && !self.warnings.contains(&text) {
            (self.ports.tell)(&format!("  warning: {}", line(&text, 300)));
            self.warnings.push(text);
        }
    }

    fn append(&mut self, line: &str) -> Result<(), Stop> {
        let added = self.ports.store.append(line, self.checkpoint.length, self.checkpoint.is_cut);
        added.map_err(|problem| Stop::of(StoppedBy::File, problem))?;
        self.checkpoint.length += line.len() as u64;
        self.checkpoint.is_cut = false;
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.max.is_some_and(|max| self.done.items >= max)
    }

    fn full(&self) -> String {
        format!("{} items were asked for (--max)", self.max.unwrap_or_default())
    }

    /// Opens the first page, and learns from it.
    fn begin_at(&mut self, first: &Url) -> Result<String, Stop> {
        let page = self.first(first)?;
        self.done.is_reached = true;
        self.site.settle()?;
        let page = self.site.look().unwrap_or(page);
        let names = self.job.fields.clone();
        let want = self.job.want.clone();
        let mut asking = Asking::new(self.ports, self.site, &want, &names);
        let learnt = learn(self.site, &mut asking, page, &names);
        self.calls += asking.calls;
        let Learnt { mut settled, pages, is_end } = learnt?;
        settled.calls = self.calls;
        (self.ports.tell)(&format!(
            "rule: {} (confidence {:.2}); next page by {}",
            line(&settled.rule.css(), 300),
            confidence(&settled.checks),
            settled.way.as_ref().map_or("nothing: one page", Way::word)
        ));
        let text = journal::settled_line(&settled).map_err(|problem| Stop::of(StoppedBy::File, problem))?;
        self.append(&text)?;
        self.settled = Some(settled);
        for page in &pages {
            self.record(page)?;
            if self.is_full() {
                return Ok(self.full());
            }
        }
        match pages.last() {
            Some(last) if !is_end => self.walk(last.clone(), first, None),
            _ => Ok("there is no further page".to_owned()),
        }
    }

    fn first(&self, first: &Url) -> Result<Page, Stop> {
        match self.site.open(first, None)? {
            Opened::Page(page) | Opened::Empty(page) => Ok(page),
            Opened::Gone(status) => {
                let text = format!("{} can't be loaded: HTTP {status}", address(first.as_str()));
                Err(Stop::of(StoppedBy::Failed, Problem::new(Code::Unreachable, text)))
            }
        }
    }

    /// Goes on after the last page of the checkpoint, once that was found again.
    fn go_on(&mut self, first: &Url) -> Result<String, Stop> {
        let Some(settled) = self.settled.clone() else { return Ok(String::new()) };
        let Some(last) = self.pages.last().cloned() else {
            let page = self.first(first)?;
            self.record(&page)?;
            return self.walk(page, first, None);
        };
        (self.ports.tell)(&format!("going on after page {}, {} items", last.number, self.done.items));
        let is_alone = self.pages.iter().filter(|page| page.url == last.url).count() == 1;
        let is_addressed = !settled.way.as_ref().is_some_and(Way::adds)
            && (is_alone && last.url != first.as_str() || last.number == 1);
        let shown: BTreeSet<String> = last.shown.iter().cloned().collect();
        if is_addressed
            && let Ok(url) = Url::parse(&last.url)
            && let Opened::Page(page) = self.site.open(&url, Some(&settled.rule))?
        {
            let now: BTreeSet<String> = settled.rule.items(&page).into_iter().map(|item| item.url.into()).collect();
            if now == shown {
                return self.walk(page, first, None);
            }
            self.warn(format!(
                "page {} shows other items than before: the list is gone through anew from its first page",
                last.number
            ));
        }
        // What has no address of its own is reached the way it was reached before.
        let page = self.first(first)?;
        let met = self.record_new(&page, &shown)?;
        self.walk(page, first, Some(shown).filter(|_| !met))
    }

    /// Walks from a page that is done to the end. `sought`: items of the checkpoint's last page that are still to be met again.
    fn walk(&mut self, page: Page, first: &Url, mut sought: Option<BTreeSet<String>>) -> Result<String, Stop> {
        let Some(settled) = self.settled.clone() else { return Ok(String::new()) };
        let Some(way) = settled.way else { return Ok("there is no further page".to_owned()) };
        let mut visited: HashSet<String> = HashSet::from([first.to_string(), page.url.to_string()]);
        if sought.is_none() {
            visited.extend(self.pages.iter().map(|page| page.url.clone()));
        }
        let mut walk = Walk {
            site: self.site,
            rule: &settled.rule,
            way: &way,
            visited,
            first: first.clone(),
            warnings: Vec::new(),
            is_trial: false,
        };
        let mut page = page;
        let mut without_new = 0;
        // Pages in a row that are gone through anew and show nothing new.
        let mut again = 0;
        loop {
            let step = walk.next(&page);
            for text in std::mem::take(&mut walk.warnings) {
                self.warn(text);
            }
            page = match step? {
                Step::Page(page) => page,
                Step::End(reason) => {
                    if sought.is_some() {
                        self.warn(
                            "the items of the last page before weren't met again: the list has changed".to_owned(),
                        );
                    }
                    return Ok(reason);
                }
            };
            if let Some(shown) = &sought {
                let before = self.done.items;
                if self.record_new(&page, shown)? {
                    sought = None;
                }
                again = if self.done.items == before { again + 1 } else { 0 };
                if again > self.pages.len() + REPEATS as usize {
                    let text = "the items of the last page before aren't met again, and no page shows new ones";
                    return Err(Stop::new(StoppedBy::Repeats, text));
                }
            } else {
                let fresh = self.record(&page)?;
                without_new = if fresh == 0 { without_new + 1 } else { 0 };
                if fresh == 0 {
                    self.warn(format!("page {} shows only items of pages before it", self.pages.len()));
                }
                if without_new >= REPEATS {
                    let text = format!("{REPEATS} pages in a row show only items of pages before them");
                    return Err(Stop::new(StoppedBy::Repeats, text));
                }
            }
            if self.is_full() {
                return Ok(self.full());
            }
        }
    }

    /// Notes a page that is gone through anew; whether it shows what the last page of the checkpoint did. One without a new item is
    /// noted already.
    fn record_new(&mut self, page: &Page, shown: &BTreeSet<String>) -> Result<bool, Stop> {
        let Some(settled) = &self.settled else { return Ok(true) };
        let items: BTreeSet<String> = settled.rule.items(page).into_iter().map(|item| item.url.into()).collect();
        let met = shown.is_subset(&items);
        if items.iter().any(|url| !self.seen.contains(url)) {
            self.record(page)?;
        }
        Ok(met)
    }

    /// Notes the items of a page that is done; how many are new.
    fn record(&mut self, page: &Page) -> Result<usize, Stop> {
        let Some(settled) = &self.settled else { return Ok(0) };
        let number = self.pages.len() as u32 + 1;
        let items = settled.rule.items(page);
        let all = items.len();
        let is_new = |found: &Found| !self.seen.contains(found.url.as_str());
        let fresh: Vec<Found> = items.iter().filter(|found| is_new(found)).cloned().collect();
        let shown: Vec<String> = if settled.way.as_ref().is_some_and(Way::adds) && !fresh.is_empty() {
            fresh.iter().map(|found| found.url.to_string()).collect()
        } else {
            self.done.repeated += (all - fresh.len()) as u64;
            items.iter().map(|found| found.url.to_string()).collect()
        };
        let names = &self.job.fields;
        let items: Vec<Item> = fresh.iter().map(|found| item((settled, names), page, found, number)).collect();
        let left = paging::numbers(page, &settled.rule).map(|numbers| numbers.last.saturating_sub(numbers.current));
        let count = items.len();
        let done = PageLine { number, url: page.url.to_string(), items, shown };
        let text = journal::page_line(&done).map_err(|problem| Stop::of(StoppedBy::File, problem))?;
        self.append(&text)?;
        self.seen.extend(done.items.iter().map(|item| item.url.clone()));
        self.done.items += count as u64;
        self.pages.push(done);
        self.done.visited += 1;
        self.tell(number, count, left);
        Ok(count)
    }

    fn tell(&self, number: u32, new: usize, pages_left: Option<u64>) {
        let rate = f64::from(self.done.visited) / self.site.elapsed().as_secs_f64().max(0.001);
        (self.ports.tell)(&progress(number, (new as u64, self.done.items), self.max, pages_left, rate));
    }

    fn report(&self, outcome: CollectOutcome, stopped_by: Option<StoppedBy>, reason: String) -> CollectReport {
        let used = self.ports.brain.as_ref().map(|brain| brain.used()).ok();
        let rule = self.settled.as_ref().map(|settled| CollectRule {
            css: settled.rule.css(),
            hosts: settled.rule.hosts.clone(),
            is_without_adverts: settled.rule.is_without_adverts,
            confidence: confidence(&settled.checks),
        });
        let seconds = self.site.elapsed().as_secs_f64();
        let settled = self.settled.as_ref();
        let mut warnings = settled.map(|settled| settled.warnings.clone()).unwrap_or_default();
        warnings.extend(self.warnings.iter().cloned());
        CollectReport {
            outcome,
            stopped_by,
            reason,
            url: self.job.url.clone(),
            want: self.job.want.clone(),
            items: self.max.map_or(self.done.items, |max| self.done.items.min(max)),
            pages: self.pages.len() as u32,
            repeated: self.done.repeated,
            model_calls: self.calls,
            usage: used.map(|used| used.usage).unwrap_or_default(),
            cost: used.map_or(0.0, |used| used.cost),
            model: self.ports.brain.as_ref().ok().map(|brain| brain.model()),
            prompt: prompt().version.to_owned(),
            rule,
            checks: settled.map(|settled| settled.checks.clone()).unwrap_or_default(),
            paging: settled.and_then(|settled| settled.way.as_ref()).map(|way| way.word().to_owned()),
            warnings,
            output: None,
            checkpoint: None,
            resumed_after: self.resumed,
            seconds,
            pages_per_second: f64::from(self.done.visited) / seconds.max(0.001),
            found: Vec::new(),
        }
    }
}

/// An item as it is written out.
fn item((settled, names): (&Settled, &[String]), page: &Page, found: &Found, number: u32) -> Item {
    let value = |name: &String| {
        let field = settled.fields.iter().find(|field| field.name == *name);
        (name.clone(), field.and_then(|field| field.value(&page.tree, found.item)))
    };
    let mut fields: BTreeMap<String, Option<String>> = names.iter().map(value).collect();
    let title = fields.remove("title").flatten().unwrap_or_else(|| found.title.clone());
    Item { url: found.url.to_string(), title, fields, page: number }
}

/// How far it is after a page. Of a page that brings more than were asked for, only those count that are kept.
fn progress(number: u32, (new, all): (u64, u64), max: Option<u64>, pages_left: Option<u64>, rate: f64) -> String {
    let kept = max.map_or(all, |max| all.min(max));
    let new = new.saturating_sub(all - kept);
    let left = match (max, pages_left) {
        (Some(max), _) => format!("{} items left", max - kept),
        (None, Some(pages)) => format!("at least {pages} pages left"),
        (None, None) => "how many are left isn't known".to_owned(),
    };
    format!("page {number}: {new} new, {kept} items; {rate:.1} pages/s; {left}")
}

#[cfg(test)]
mod tests {
    use super::progress;

    #[test]
    fn no_more_items_are_told_than_are_kept() {
        for (told, counts, max, left) in [
            ("page 2: 6 new, 12 items; 0.5 pages/s; how many are left isn't known", (6, 12), None, None),
            ("page 2: 6 new, 12 items; 0.5 pages/s; at least 3 pages left", (6, 12), None, Some(3)),
            ("page 2: 6 new, 12 items; 0.5 pages/s; 8 items left", (6, 12), Some(20), Some(3)),
            ("page 2: 1 new, 7 items; 0.5 pages/s; 0 items left", (6, 12), Some(7), Some(3)),
        ] {
            assert_eq!(progress(2, counts, max, left, 0.5), told);
        }
    }
}
