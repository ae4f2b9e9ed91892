//! `open`: get a browser if there is none yet, and load a page.

use crate::core::policy::DESKTOP;
use crate::core::secrets::{Given, Secret};
use crate::core::session::Kind;
use crate::core::settings::Capability;
use crate::page::proxy;
use crate::{Command, Effect, Render, Session};
use handeye_engine::Origins;
use handeye_scene::{Bounds, Code, Hint, Launch, Navigation, Notice, Problem, TAB, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Open a page, launching or attaching to a browser first if this session has none; or the desktop
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Open {
    /// Address of a page; desktop: for windows, tab:CODE for a lent tab; left out, with --cdp: the page open there
    #[arg(value_name = "URL")]
    #[serde(default)]
    url: Option<String>,
    /// Path of a Chromium-family browser
    #[arg(long, value_name = "PATH", help_heading = "Browser")]
    #[serde(default)]
    browser: Option<PathBuf>,
    /// Show the browser's window
    #[arg(long, help_heading = "Browser")]
    #[serde(default)]
    headed: bool,
    /// Attach to a running browser at this address (http://HOST:PORT or ws://…) and launch none
    #[arg(long, value_name = "URL", help_heading = "Browser")]
    #[serde(default)]
    cdp: Option<String>,
    /// In the browser that is attached to: work in a browser context of this session's own, whose cookies, storage and permissions are no other's, in an empty tab where URL is left out; it ends with the session
    #[arg(long, help_heading = "Browser")]
    #[serde(default)]
    context: bool,
    /// Keep the browser's profile in this folder; without it, a new one that is deleted with the session
    #[arg(long, value_name = "DIR", help_heading = "Browser")]
    #[serde(default)]
    profile: Option<PathBuf>,
    /// Load pages through this proxy, such as http://proxy.example:3128 or socks5://127.0.0.1:1080
    #[arg(long, value_name = "URL", help_heading = "Browser")]
    #[serde(default)]
    proxy: Option<String>,
    /// Load pages whose certificates can't be trusted
    #[arg(long, help_heading = "Browser")]
    #[serde(default)]
    ignore_tls_errors: bool,
    /// One more argument for the browser, such as --browser-arg=--disable-gpu [repeatable]
    #[arg(long, value_name = "ARG", allow_hyphen_values = true, help_heading = "Browser")]
    #[serde(default)]
    browser_arg: Vec<String>,
    /// Enable a capability for this session: eval runs JavaScript that the caller supplies
    #[arg(long, value_name = "WHAT", value_delimiter = ',', help_heading = "Browser")]
    #[serde(default)]
    allow: Vec<Capability>,
    /// A text that input REF --secret NAME puts in, in documents of its origin [default: the page's]; shown nowhere. NAME@ORIGIN=env:VARIABLE, =file:PATH, or =TEXT, which others may see [repeatable]
    #[arg(long, value_name = "NAME=…", help_heading = "Secrets")]
    #[serde(skip)]
    secret: Vec<String>,
    /// The same, read
    #[arg(skip)]
    #[serde(default)]
    secrets: Vec<Given>,
    /// Show documents of these origins only, such as 'https://*.example.com', 'http://localhost:*', data: [repeatable]
    #[arg(long, value_name = "PATTERN", help_heading = "Bounds")]
    #[serde(default)]
    allow_origin: Vec<String>,
    /// Show no documents of these origins, whatever is allowed [repeatable]
    #[arg(long, value_name = "PATTERN", help_heading = "Bounds")]
    #[serde(default)]
    deny_origin: Vec<String>,
    /// Ask nothing of this machine or a private network: names are looked up, and refused if any of their addresses is such. With --proxy, WebSockets go where that lets them
    #[arg(long, help_heading = "Bounds")]
    #[serde(default)]
    public_only: bool,
}

/// What `open` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Opened {
    /// Where it ended; none when nothing was loaded.
    navigation: Option<Navigation>,
    /// Address of the page.
    url: String,
    /// Its title.
    title: String,
    /// What else there is to know.
    notices: Vec<Notice>,
}

impl Render for Opened {
    fn hints(&self) -> Vec<Hint> {
        self.navigation.as_ref().map(Render::hints).unwrap_or_default()
    }

    fn render(&self) -> String {
        let done = if self.stayed() { "stayed at" } else { "opened" };
        let mut out = format!(
            "{done} {} {}",
            handeye_engine::observe::outline::quote(&self.title, 200),
            handeye_engine::wording::shown::address(&self.url)
        );
        if let Some(navigation) = &self.navigation {
            match navigation.status {
                Some(status) if status >= 400 => out.push_str(&format!(" (HTTP {status})")),
                _ => {}
            }
            if !navigation.loaded {
                out.push_str(" (still loading)");
            }
        }
        for notice in &self.notices {
            out.push_str(&format!("\n{}", handeye_engine::observe::outline::notice_line(notice)));
        }
        out
    }

    fn verdict(&self) -> Verdict {
        if self.stayed() { Verdict::NoEffect } else { Verdict::Confirmed }
    }
}

impl Opened {
    /// Whether the address gave no page.
    fn stayed(&self) -> bool {
        self.navigation.as_ref().is_some_and(|navigation| navigation.stayed)
    }
}

impl Open {
    /// Where the browser may go: what holds in the session already, or the settings, made stricter by what is given here.
    fn bounds(&self, session: &Session, held: Option<Origins>) -> Result<Origins, Problem> {
        let policy = &session.settings().policy;
        let held = match held {
            Some(held) => held,
            None => Origins::default().with(&policy.allow_origins, &policy.deny_origins, policy.public_only)?,
        };
        held.with(&self.allow_origin, &self.deny_origin, self.public_only)
    }

    /// How a browser is got: as the session's first one was, or by what is given here and the settings.
    fn launch(&self, session: &Session, bounds: &Origins, first: Option<&Launch>) -> Launch {
        let bounds = Some(bounds.clone()).filter(|b| !b.is_open()).map(|b| Arc::new(b) as Arc<dyn Bounds>);
        if let Some(first) = first {
            // A code is for one use.
            let cdp = if first.is_lent() { self.cdp.clone() } else { None }.or_else(|| first.cdp.clone());
            return Launch { bounds, cdp, ..first.clone() };
        }
        let settings = &session.settings().browser;
        Launch {
            bounds,
            browser: self.browser.clone().or_else(|| settings.path.clone()),
            headed: self.headed || settings.headed,
            cdp: self.cdp.clone().or_else(|| settings.cdp.clone()),
            context: self.context,
            profile: self.profile.clone().or_else(|| settings.profile.clone()),
            viewport: settings.viewport,
            args: settings.args.iter().chain(&self.browser_arg).cloned().collect(),
            proxy: self.proxy.clone().or_else(|| settings.proxy.clone()),
            ignore_tls_errors: self.ignore_tls_errors || settings.ignore_tls_errors,
        }
    }

    /// What a browser would be started with, where all of it can be had.
    fn prepare(
        &self,
        session: &Session,
        (held, first): (Option<Origins>, Option<&Launch>),
    ) -> Result<(Origins, Vec<Secret>, Launch), Problem> {
        let bounds = self.bounds(session, held)?;
        let page = self.url.as_deref();
        let secrets = self.secrets.iter().map(|s| s.clone().keep(page)).collect::<Result<Vec<_>, _>>()?;
        let launch = self.launch(session, &bounds, first);
        proxy::check(&launch)?;
        check_context(&launch)?;
        if launch.cdp.is_some() {
            self.check_attached()?;
        }
        if launch.is_lent() && launch.bounds.is_some() {
            let what = "no bounds can be held in a tab that is lent: it is in a person's own browser, whose requests we don't stop";
            return Err(Problem::new(Code::Unsupported, what).hint("handeye open URL --session OTHER"));
        }
        if self.url.is_none() && launch.cdp.is_none() {
            return Err(Problem::new(Code::BadRequest, "the address of a page is missing").hint("handeye open URL"));
        }
        Ok((bounds, secrets, launch))
    }

    /// Refuses what says how a browser is to be launched, when one that runs already is attached to.
    fn check_attached(&self) -> Result<(), Problem> {
        let given = [
            ("--browser", self.browser.is_some()),
            ("--headed", self.headed),
            ("--profile", self.profile.is_some()),
            ("--proxy", self.proxy.is_some()),
            ("--ignore-tls-errors", self.ignore_tls_errors),
            ("--browser-arg", !self.browser_arg.is_empty()),
        ];
        let Some((option, _)) = given.into_iter().find(|(_, given)| *given) else { return Ok(()) };
        let what =
            format!("{option} is for a browser that is launched; --cdp (or HANDEYE_CDP) attaches to one that runs");
        Err(Problem::new(Code::BadRequest, what).hint("handeye open --cdp http://127.0.0.1:9222"))
    }

    /// An option that asks for another browser than the session's first one, or for more than it was allowed.
    fn differs(&self, first: &Launch, allowed: &[Capability]) -> Option<&'static str> {
        let other = |given: bool, option: &'static str| given.then_some(option);
        [
            other(self.browser.is_some() && self.browser != first.browser, "--browser"),
            other(self.headed && !first.headed, "--headed"),
            other(self.cdp.is_some() && self.cdp != first.cdp && !(self.is_lent() && first.is_lent()), "--cdp"),
            other(self.context && !first.context, "--context"),
            other(self.profile.is_some() && self.profile != first.profile, "--profile"),
            other(self.proxy.is_some() && self.proxy != first.proxy, "--proxy"),
            other(self.ignore_tls_errors && !first.ignore_tls_errors, "--ignore-tls-errors"),
            other(self.browser_arg.iter().any(|arg| !first.args.contains(arg)), "--browser-arg"),
            other(self.allow.iter().any(|capability| !allowed.contains(capability)), "--allow"),
        ]
        .into_iter()
        .flatten()
        .next()
    }

    /// `open tab:CODE` attaches to that tab, and loads nothing.
    fn lend(mut self) -> Result<Self, Problem> {
        if self.url.as_deref().is_some_and(|url| url.starts_with(TAB)) {
            if self.cdp.is_some() {
                let what = "--cdp and tab: name two things to attach to";
                return Err(Problem::new(Code::BadRequest, what).hint("handeye open tab:CODE"));
            }
            self.cdp = self.url.take();
        }
        Ok(self)
    }

    fn is_lent(&self) -> bool {
        self.cdp.as_deref().is_some_and(|endpoint| endpoint.starts_with(TAB))
    }

    fn names_bounds(&self) -> bool {
        self.public_only || !self.allow_origin.is_empty() || !self.deny_origin.is_empty()
    }

    fn names_a_browser(&self) -> bool {
        let launches = self.headed
            || self.context
            || self.ignore_tls_errors
            || !self.browser_arg.is_empty()
            || !self.allow.is_empty();
        let named = [self.browser.is_some(), self.cdp.is_some(), self.profile.is_some(), self.proxy.is_some()];
        launches || named.contains(&true) || self.names_bounds() || !self.secrets.is_empty()
    }
}

impl Command for Open {
    const NAME: &'static str = "open";
    const EFFECT: Effect = Effect::Manages;
    type Output = Opened;

    fn normalize_args(mut self) -> Result<Self, Problem> {
        self.secrets = self.secret.iter().map(|text| Given::parse(text)).collect::<Result<_, _>>()?;
        Ok(self)
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        for path in [&mut self.browser, &mut self.profile].into_iter().flatten() {
            crate::core::args::resolve(path)?;
        }
        if let Some(url) = &mut self.url
            && !url.contains("://")
            && std::path::Path::new(url.as_str()).is_file()
        {
            let path =
                std::path::absolute(url.as_str()).map_err(|e| Problem::new(Code::File, format!("{url}: {e}")))?;
            *url = path
                .into_os_string()
                .into_string()
                .map_err(|_| Problem::new(Code::File, format!("the path {url} is not valid UTF-8")))?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Opened, Problem> {
        if self.url.as_deref().is_some_and(|url| url == DESKTOP || url == "desktop") {
            return self.desktop(session).await;
        }
        let opening = self.lend()?;
        opening.pages(session).await
    }
}

impl Open {
    async fn pages(self, session: &mut Session) -> Result<Opened, Problem> {
        session.turn_to(Kind::Pages);
        let corrects = self.names_a_browser() && session.kind() == Some(Kind::Pages) && shows_nothing(session).await;
        // What a refused page was to be held to says nothing of the next.
        let held = session.terms.bounds.clone().filter(|_| !corrects);
        let first = session.terms.launch.clone().filter(|_| !corrects);
        let (bounds, secrets, mut launch) = self.prepare(session, (held.clone(), first.as_ref()))?;
        // One that showed nothing yet is corrected in what is named: it stays apart from others, in the same browser.
        let before =
            session.terms.launch.as_ref().filter(|before| corrects && before.context && before.cdp == launch.cdp);
        launch.context |= before.is_some();
        let other = first.as_ref().and_then(|first| self.differs(first, &session.terms.allowed));
        if session.kind() == Some(Kind::Pages) && self.names_a_browser() {
            make_way(session, corrects, other).await?;
        } else if let Some(option) = other {
            return Err(another(&session.name, option));
        }
        let limit = session.limit(session.settings().waits.load);
        let began = session.clock.elapsed();
        if session.kind() == Some(Kind::Desktop) {
            session.make_room();
        }
        let (fresh, rules) = (session.surface.is_none(), session.terms.rules.clone());
        if fresh {
            if launch.is_lent() && !self.is_lent() && first.is_some() {
                let what = "the tab is lent no more, and its code was for one use";
                return Err(Problem::new(Code::Lost, what).hint("handeye open tab:CODE"));
            }
            // A session's secrets stay hidden when its browser is replaced.
            session.secrets.extend(secrets);
            if let Err(problem) = start(session, &launch).await {
                session.turn_back();
                return Err(problem);
            }
            session.terms.unshown = true;
            if first.is_none() {
                session.terms.allowed =
                    self.allow.iter().copied().chain(session.settings().policy.capabilities()).collect();
            }
            session.terms.launch = Some(launch.clone());
            session.terms.bounds = Some(bounds.clone());
            session.begin_rules();
        }
        // Time spent starting the browser counts against the page's limit, which has a minimum all the same.
        let left = limit.saturating_sub(session.clock.elapsed().saturating_sub(began)).max(limit.min(LEAST_LOAD));
        let opened = self.load(session, left).await.map(|opened| self.warned(opened));
        match opened {
            // A lost browser is replaced by a new one here, and only here: the caller asked for a page to be opened.
            Err(problem) if problem.code == Code::Lost && !fresh && self.url.is_some() && !launch.is_lent() => {
                // Where the tab alone is gone, what the browser holds for the session stays.
                if session.web()?.new_tab(None, limit).await.is_ok() {
                    return self.load(session, limit).await;
                }
                session.drop_surface();
                start(session, &launch).await?;
                session.terms.bounds = Some(bounds);
                self.load(session, limit).await
            }
            Err(problem) if fresh && problem.code == Code::BadRequest => {
                if let Some(mut surface) = session.surface.take() {
                    surface.close().await?;
                }
                session.drop_surface();
                session.turn_back();
                (session.terms.bounds, session.terms.launch, session.terms.rules) = (held, first, rules);
                Err(problem)
            }
            other => other,
        }
    }
}

/// Refuses a context where there is none to be had: a browser that is launched has no other, and a tab that is lent is in a person's.
fn check_context(launch: &Launch) -> Result<(), Problem> {
    let what = match (launch.context, launch.is_lent(), launch.cdp.is_some()) {
        (true, true, _) => {
            "a tab that is lent stays in its own browser context: --context makes another in a browser that --cdp names"
        }
        (true, _, false) => {
            "a browser that is launched is this session's own already: --context is for one that --cdp attaches to"
        }
        _ => return Ok(()),
    };
    Err(Problem::new(Code::BadRequest, what).hint("handeye open URL --cdp http://127.0.0.1:9222 --context"))
}

/// Whether the browser shows nothing but an empty page or why the first one couldn't be shown, and nothing was done with it.
async fn shows_nothing(session: &mut Session) -> bool {
    if !session.terms.unshown {
        return false;
    }
    let Ok(web) = session.web() else { return false };
    web.location().await.is_ok_and(|(url, _)| url == "about:blank" || url.starts_with("chrome-error:"))
}

/// Lets a browser go that is gone, or that is to be started anew, since what it was opened with was refused; one that answers is
/// not replaced silently.
async fn make_way(session: &mut Session, corrects: bool, other: Option<&str>) -> Result<(), Problem> {
    if corrects {
        if let Some(mut surface) = session.surface.take() {
            surface.close().await?;
        }
        session.terms.bounds = None;
    } else if !session.web()?.location().await.is_err_and(|p| p.code == Code::Lost) {
        return Err(Problem::new(
            Code::BadRequest,
            format!("session `{}` has a browser already; browser options belong to the first `open`", session.name),
        )
        .hint(format!("handeye sessions stop {}", session.name))
        .hint("handeye open URL --session OTHER"));
    } else if let Some(option) = other {
        return Err(another(&session.name, option));
    }
    session.drop_surface();
    Ok(())
}

/// A session's browser comes back as it was, and as no other.
fn another(session: &str, option: &str) -> Problem {
    let what = format!(
        "{option} differs from how session `{session}` opened its browser: reopen it without that, or stop the session first"
    );
    Problem::new(Code::BadRequest, what)
        .hint("handeye open URL")
        .hint(format!("handeye sessions stop {session}"))
        .hint("handeye open URL --session OTHER")
}

/// Gets a browser, which keeps the session's secrets out of its pictures.
async fn start(session: &mut Session, launch: &Launch) -> Result<(), Problem> {
    session.surface = Some(session.means.opener.browser(launch).await?);
    let hidden = session.secrets.iter().map(|s| s.value.clone()).collect();
    let mask = crate::core::secrets::mask_of(&session.secrets);
    session.web()?.redact(hidden, mask);
    Ok(())
}

/// How long a page may take at least, when the browser was long in starting.
const LEAST_LOAD: Duration = Duration::from_secs(2);

impl Open {
    async fn desktop(&self, session: &mut Session) -> Result<Opened, Problem> {
        if self.names_a_browser() {
            return Err(Problem::new(Code::BadRequest, "browser options don't go with the desktop")
                .hint("handeye open desktop:"));
        }
        open_desktop(session).await?;
        let count = session.windows()?.list().await?.len();
        let title = format!("{count} window{}", if count == 1 { "" } else { "s" });
        session.memory.forget_shown();
        Ok(Opened { navigation: None, url: DESKTOP.into(), title, notices: session.surface()?.notices() })
    }

    fn warned(&self, mut opened: Opened) -> Opened {
        let warnings = self.secrets.iter().filter_map(Given::warning);
        opened.notices.extend(warnings.map(|text| Notice::new("secret", text)));
        opened
    }

    async fn load(&self, session: &mut Session, limit: Duration) -> Result<Opened, Problem> {
        let navigation = match &self.url {
            Some(url) => Some(session.web()?.navigate(url, limit).await?),
            None => None,
        };
        let (url, title) = match &navigation {
            Some(n) => (n.url.clone(), n.title.clone()),
            None => session.web()?.location().await?,
        };
        session.memory.forget_shown();
        Ok(Opened { navigation, url, title, notices: session.surface()?.notices() })
    }
}

/// Turns to the desktop, and opens it first where it isn't open yet.
pub(crate) async fn open_desktop(session: &mut Session) -> Result<(), Problem> {
    session.turn_to(Kind::Desktop);
    if session.kind() != Some(Kind::Desktop) {
        let desk = session.terms.desktop.clone().unwrap_or_else(|| session.call.flags.settings.desktop.clone());
        let desktop = session.means.opener.desktop(&desk).await?;
        session.make_room();
        session.surface = Some(desktop);
        session.terms.desktop = Some(desk);
        session.begin_rules();
    }
    Ok(())
}
