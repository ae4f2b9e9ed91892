//! The site, by the commands that everyone has: its pages are opened, looked at, pressed and scrolled. Every wait has its limit.

use crate::collect::barrier::barrier;
use crate::collect::paging::Control;
use crate::collect::pick::{Mark, marks, number_at};
use crate::collect::port::{CollectPorts, Stop};
use crate::collect::robots::Robots;
use crate::collect::rule::{Page, Rule};
use crate::port::Hand;
use handeye_commands::dispatch::find;
use handeye_engine::wording::shown::address;
use handeye_scene::collect::StoppedBy;
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};
use url::Url;

/// Pauses before a page is tried again.
const BACK_OFF: [Duration; 4] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];
/// Pauses before a page is looked at again that shows no item yet.
const LATER: [Duration; 4] =
    [Duration::from_millis(100), Duration::from_millis(300), Duration::from_secs(1), Duration::from_secs(2)];
/// How often it is looked whether the person has ended it.
const TICK: Duration = Duration::from_millis(50);
/// Commands by which something is asked of a site.
const ASKS: [&str; 3] = ["open", "click", "scroll"];
/// Characters of a state that the model is shown.
const STATE: usize = 60_000;
/// How far up is scrolled before the end is scrolled to again, in pixels.
const UP: u32 = 1_200;

/// Sites in a row that a page may lead to, each to the next.
const SITES: usize = 3;

/// What came of opening an address.
pub enum Opened {
    /// A page of the list.
    Page(Page),
    /// A page without items.
    Empty(Page),
    /// There is no such page.
    Gone(u16),
}

/// The site.
pub struct Site<'a> {
    ports: &'a CollectPorts<'a>,
    begun: Instant,
    gap: Duration,
    last: Cell<Option<Instant>>,
    /// What each site asks of robots; none where nobody asks.
    robots: Option<RefCell<HashMap<String, Robots>>>,
}

impl<'a> Site<'a> {
    /// One that is asked for so many pages in a second at most.
    pub fn new(ports: &'a CollectPorts<'a>, rate: f64, ignores_robots: bool) -> Self {
        let gap = Duration::try_from_secs_f64(1.0 / rate.max(f64::MIN_POSITIVE)).unwrap_or(ports.limit);
        let robots = (!ignores_robots).then(RefCell::default);
        Self { ports, begun: Instant::now(), gap, last: Cell::default(), robots }
    }

    /// Whether it goes on.
    pub fn goes_on(&self) -> Result<(), Stop> {
        if (self.ports.cancelled)() {
            return Err(Stop::new(StoppedBy::Person, "ended by the person"));
        }
        let limit = self.ports.limit;
        if self.begun.elapsed() >= limit {
            let reason = format!("{} s were the limit (--timeout)", limit.as_secs_f64());
            return Err(Stop::new(StoppedBy::Time, reason));
        }
        Ok(())
    }

    /// How long it takes by now.
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Waits.
    pub fn pause(&self, time: Duration) -> Result<(), Stop> {
        let end = Instant::now() + time.min(self.ports.limit);
        loop {
            self.goes_on()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(TICK));
        }
    }

    /// Waits until the next page may be asked for.
    fn pace(&self, url: Option<&Url>) -> Result<(), Stop> {
        let asked = url.and_then(|url| self.robots.as_ref()?.borrow().get(&origin(url))?.pause);
        let gap = self.gap.max(asked.unwrap_or_default());
        if let Some(last) = self.last.get() {
            self.pause(gap.saturating_sub(last.elapsed()))?;
        }
        self.last.set(Some(Instant::now()));
        Ok(())
    }

    fn command(&self, name: &str, args: Value) -> Result<handeye_commands::Response, Problem> {
        let entry = find(name).ok_or_else(|| Problem::new(Code::Bug, format!("there is no command `{name}`")))?;
        let response = self.ports.hands.call(Hand { entry, args, return_state: None, window: None });
        // A browser that starts, or a machine that is busy, asks for the page long after the call began: the next one would come
        // right behind it, were it counted from there.
        if ASKS.contains(&name) {
            self.last.set(Some(Instant::now()));
        }
        response.error.clone().map_or(Ok(response), Err)
    }

    fn result(&self, name: &str, args: Value) -> Result<Value, Problem> {
        Ok(self.command(name, args)?.result.unwrap_or_default())
    }

    /// A problem as what ends it, unless the person has.
    fn stop(&self, problem: Problem) -> Stop {
        let by = if problem.code == Code::Denied { StoppedBy::Denied } else { StoppedBy::Failed };
        self.goes_on().err().unwrap_or_else(|| Stop::of(by, problem))
    }

    /// What robots are asked to leave alone, looked up once for each site.
    fn allowed(&self, url: &Url) -> Result<(), Stop> {
        let Some(robots) = &self.robots else { return Ok(()) };
        if !matches!(url.scheme(), "http" | "https") {
            return Ok(());
        }
        let origin = origin(url);
        if !robots.borrow().contains_key(&origin) {
            let read = self.read_robots(url)?;
            robots.borrow_mut().insert(origin.clone(), read);
        }
        match robots.borrow().get(&origin).and_then(|robots| robots.forbids(url)) {
            None => Ok(()),
            Some(rule) => {
                let text =
                    format!("robots.txt of {origin} forbids {} by `{rule}` (--ignore-robots)", address(url.as_str()));
                Err(Stop::of(StoppedBy::Robots, Problem::new(Code::Denied, text).hint("handeye collect --help")))
            }
        }
    }

    /// Whether what a site asks of robots is known, or isn't asked for.
    fn is_known(&self, url: &Url) -> bool {
        let is_read = |robots: &RefCell<HashMap<String, Robots>>| robots.borrow().contains_key(&origin(url));
        !matches!(url.scheme(), "http" | "https") || self.robots.as_ref().is_none_or(is_read)
    }

    /// A page that came, where robots are let in there, too: it may be at another address than was asked for. To look up what another
    /// site asks of them leads away from the page, which is then opened again.
    pub fn landed(&self, mut page: Page, rule: Option<&Rule>) -> Result<Page, Stop> {
        for _ in 0..SITES {
            let is_known = self.is_known(&page.url);
            self.allowed(&page.url)?;
            if is_known {
                return Ok(page);
            }
            self.pace(Some(&page.url))?;
            self.result("open", json!({ "url": page.url.as_str() })).map_err(|problem| self.stop(problem))?;
            page = self.look_for(rule)?;
        }
        Err(Stop::new(
            StoppedBy::Failed,
            format!("it leads from site to site, and now to {}", address(page.url.as_str())),
        ))
    }

    fn read_robots(&self, url: &Url) -> Result<Robots, Stop> {
        let Ok(place) = url.join("/robots.txt") else { return Ok(Robots::default()) };
        let mut reason = String::new();
        for attempt in 0..=BACK_OFF.len() {
            self.again(attempt, &reason)?;
            self.pace(None)?;
            match self.result("open", json!({ "url": place.as_str() })) {
                Ok(opened) => match status(&opened) {
                    // What isn't there asks for nothing.
                    Some(400..=499) => return Ok(Robots::default()),
                    Some(500..) => reason = failed(&place, status(&opened)),
                    // It came as a file to save, so that nobody has read it.
                    _ if opened.pointer("/navigation/stayed") == Some(&json!(true)) => {
                        reason = format!("{} came as no text", address(place.as_str()));
                        break;
                    }
                    _ => {
                        let text = self.result("get", json!({"what": "text"})).map_err(|problem| self.stop(problem))?;
                        return Ok(Robots::read(text["value"].as_str().unwrap_or_default()));
                    }
                },
                Err(problem) if !may_pass(&problem) => return Err(self.stop(problem)),
                Err(problem) => reason = problem.to_string(),
            }
        }
        Err(Stop::new(
            StoppedBy::Failed,
            format!("{reason}; whether the site lets robots in isn't known (--ignore-robots)"),
        ))
    }

    /// Waits before an attempt that isn't the first, and says so.
    fn again(&self, attempt: usize, reason: &str) -> Result<(), Stop> {
        self.goes_on()?;
        let Some(time) = attempt.checked_sub(1).and_then(|before| BACK_OFF.get(before)) else { return Ok(()) };
        (self.ports.tell)(&format!("  {reason}; trying again in {:.1} s", time.as_secs_f64()));
        self.pause(*time)
    }

    /// Opens a page of the list. What fails, or shows no item, is tried again.
    pub fn open(&self, url: &Url, rule: Option<&Rule>) -> Result<Opened, Stop> {
        self.allowed(url)?;
        let mut stop = Stop::new(StoppedBy::Failed, String::new());
        for attempt in 0..=BACK_OFF.len() {
            self.again(attempt, &stop.reason)?;
            self.pace(Some(url))?;
            let opened = match self.result("open", json!({ "url": url.as_str() })) {
                Ok(opened) => opened,
                Err(problem) if !may_pass(&problem) => return Err(self.stop(problem)),
                Err(problem) => {
                    stop = self.stop(problem);
                    continue;
                }
            };
            match status(&opened) {
                Some(status @ (404 | 410)) => return Ok(Opened::Gone(status)),
                Some(status @ (429 | 500..)) => {
                    let problem = Problem::new(Code::Unreachable, failed(url, Some(status)));
                    stop = Stop::of(StoppedBy::Failed, problem);
                    continue;
                }
                _ => {}
            }
            let refused = status(&opened).filter(|status| *status >= 400);
            let page = match self.look_for(rule) {
                Ok(page) => page,
                Err(stopped) if matches!(stopped.by, StoppedBy::Failed) => {
                    stop = stopped;
                    continue;
                }
                Err(stopped) => return Err(stopped),
            };
            let shows = |page: &Page| refused.is_none() && rule.is_none_or(|rule| !rule.items(page).is_empty());
            if !shows(&page)
                && let Some(barrier) = barrier(&page.tree, &page.url)
            {
                return Err(barred(barrier, &page));
            }
            let page = self.landed(page, rule)?;
            if shows(&page) {
                return Ok(Opened::Page(page));
            }
            if let Some(status) = refused {
                let problem = Problem::new(Code::Unreachable, failed(url, Some(status)));
                return Err(Stop::of(StoppedBy::Failed, problem));
            }
            // Whether it is the end or a fault of the moment, one more look tells.
            if attempt > 0 {
                return Ok(Opened::Empty(page));
            }
            stop = Stop::new(StoppedBy::Empty, format!("{} shows no item", address(url.as_str())));
        }
        Err(stop)
    }

    /// The page as it is, once it shows an item, or doesn't for a while.
    fn look_for(&self, rule: Option<&Rule>) -> Result<Page, Stop> {
        let mut page = self.look()?;
        for time in LATER {
            if rule.is_none_or(|rule| !rule.items(&page).is_empty()) {
                break;
            }
            self.pause(time)?;
            page = self.look()?;
        }
        Ok(page)
    }

    /// The page as it is.
    pub fn look(&self) -> Result<Page, Stop> {
        let read = || -> Result<Page, Problem> {
            let url = self.result("get", json!({"what": "url"}))?;
            let url = url["value"].as_str().unwrap_or_default();
            let url = Url::parse(url).map_err(|e| Problem::new(Code::Unreachable, format!("{}: {e}", address(url))))?;
            let markup = self.result("get", json!({"what": "html"}))?;
            Ok(Page::read(&url, markup["value"].as_str().unwrap_or_default()))
        };
        // Looking again changes nothing, and a busy machine may have been too slow.
        let mut reason = String::new();
        for attempt in 0..BACK_OFF.len() {
            self.again(attempt, &reason)?;
            match read() {
                Err(problem) if problem.code == Code::Timeout => reason = problem.to_string(),
                done => return done.map_err(|problem| self.stop(problem)),
            }
        }
        read().map_err(|problem| self.stop(problem))
    }

    /// The state: in words for the model, its targets, and whether parts of it are folded because it is long.
    pub fn state(&self) -> Result<(String, BTreeMap<u64, Mark>, bool), Stop> {
        let read = || -> Result<_, Problem> {
            let words = |budget: usize| self.command("state", json!({ "budget": budget }));
            let mut text = words(0)?.text.unwrap_or_default();
            let is_folded = text.chars().count() > STATE;
            if is_folded {
                text = words(STATE)?.text.unwrap_or_default();
            }
            Ok((text, self.numbered()?, is_folded))
        };
        read().map_err(|problem| self.stop(problem))
    }

    fn numbered(&self) -> Result<BTreeMap<u64, Mark>, Problem> {
        Ok(marks(&self.result("state", json!({"budget": 0, "verbose": true}))?))
    }

    /// Presses a control of a page, held to what it says. Whether that brought anything, the page tells.
    pub fn press(&self, control: &Control, page: &Page) -> Result<(), Stop> {
        self.pace(Some(&page.url))?;
        let pressed = || -> Result<(), Problem> {
            let path = page.tree.path(control.node);
            let args = match control.label.trim() {
                // What says nothing is held to what the state shows for it.
                "" => match number_at(&self.numbered()?, &path) {
                    Some(number) => json!({ "ref": number }),
                    None => return Ok(()),
                },
                label => json!({"locators": [{ "xpath": path }], "expect": label}),
            };
            match self.command("click", args) {
                Err(problem) if is_told_by_page(problem.code) => Ok(()),
                done => done.map(drop),
            }
        };
        pressed().map_err(|problem| self.stop(problem))
    }

    /// Scrolls to the end of a page; once more from above where it is there.
    pub fn scroll(&self, page: &Page, is_again: bool) -> Result<(), Stop> {
        self.pace(Some(&page.url))?;
        let scrolled = || -> Result<(), Problem> {
            if is_again {
                self.command("scroll", json!({"direction": "up", "pixels": UP}))?;
            }
            self.command("scroll", json!({"direction": "bottom"})).map(drop)
        };
        match scrolled() {
            Err(problem) if is_told_by_page(problem.code) => Ok(()),
            done => done.map_err(|problem| self.stop(problem)),
        }
    }

    /// Waits until nothing is loaded any more, or long enough.
    pub fn settle(&self) -> Result<(), Stop> {
        match self.command("wait", json!({"idle": true})) {
            Err(problem) if problem.code == Code::Timeout => Ok(()),
            done => done.map(drop).map_err(|problem| self.stop(problem)),
        }
    }

    /// What was asked of the site in the background since this was last asked, and failed.
    pub fn failed_requests(&self, page: &Page) -> Option<String> {
        let list = self.result("network", json!({"action": "list", "failed": true, "kind": ["fetch", "xhr"]})).ok()?;
        let requests = list.get("requests").and_then(Value::as_array)?;
        let is_own = |request: &&Value| {
            let url = request.get("url").and_then(Value::as_str).and_then(|url| Url::parse(url).ok());
            url.is_some_and(|url| url.host_str() == page.url.host_str())
        };
        let request = requests.iter().rev().find(is_own)?;
        let status = request.get("status").and_then(Value::as_u64);
        let why = status.map_or_else(|| "failed".to_owned(), |status| format!("was answered with HTTP {status}"));
        Some(format!("{} {why}", address(request["url"].as_str().unwrap_or_default())))
    }

    /// What stands in place of a list.
    pub fn check_barrier(&self, page: &Page) -> Result<(), Stop> {
        barrier(&page.tree, &page.url).map_or(Ok(()), |found| Err(barred(found, page)))
    }
}

fn barred(barrier: crate::collect::barrier::Barrier, page: &Page) -> Stop {
    let by = match barrier {
        crate::collect::barrier::Barrier::Captcha => StoppedBy::Captcha,
        crate::collect::barrier::Barrier::Login => StoppedBy::Login,
    };
    Stop::new(by, format!("{}: {}", barrier.words(), address(page.url.as_str())))
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn status(opened: &Value) -> Option<u16> {
    opened.pointer("/navigation/status")?.as_u64()?.try_into().ok()
}

fn failed(url: &Url, status: Option<u16>) -> String {
    let status = status.map(|status| format!(": HTTP {status}")).unwrap_or_default();
    format!("{} can't be loaded{status}", address(url.as_str()))
}

/// Whether it is the next look that tells what came of a press or a scroll.
fn is_told_by_page(code: Code) -> bool {
    matches!(code, Code::Stale | Code::Blocked | Code::NotFound | Code::Timeout)
}

/// Whether a problem may be one of the moment.
fn may_pass(problem: &Problem) -> bool {
    matches!(problem.code, Code::Unreachable | Code::Timeout | Code::Lost)
}
