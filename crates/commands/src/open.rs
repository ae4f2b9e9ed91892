//! `open`: get a browser if there is none yet, and load a page.

use crate::{Command, Effect, Render, Session};
use handeye_scene::{Code, Launch, Navigation, Notice, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Open a page, launching or attaching to a browser first if this session has none
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Open {
    /// Address of the page; left out with --cdp, the page that is open there
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
    /// Keep the browser's profile in this folder; without it, a new one that is deleted with the session
    #[arg(long, value_name = "DIR", help_heading = "Browser")]
    #[serde(default)]
    profile: Option<PathBuf>,
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
    fn render(&self) -> String {
        let mut out = format!("opened {} {}", handeye_engine::outline::quote(&self.title, 200), self.url);
        if let Some(navigation) = &self.navigation {
            match navigation.status {
                Some(status) if status >= 400 => out.push_str(&format!(" (HTTP {status})")),
                _ => {}
            }
            if !navigation.loaded {
                out.push_str(" (still loading: handeye wait --idle)");
            }
        }
        for notice in &self.notices {
            out.push_str(&format!("\nnotice {}: {}", notice.kind, notice.text));
        }
        out
    }

    fn verdict(&self) -> Verdict {
        Verdict::Confirmed
    }
}

impl Open {
    fn launch(&self, session: &Session) -> Launch {
        let settings = &session.settings().browser;
        Launch {
            browser: self.browser.clone().or_else(|| settings.path.clone()),
            headed: self.headed || settings.headed,
            cdp: self.cdp.clone().or_else(|| settings.cdp.clone()),
            profile: self.profile.clone().or_else(|| settings.profile.clone()),
            viewport: settings.viewport,
            args: settings.args.clone(),
        }
    }

    fn names_a_browser(&self) -> bool {
        self.browser.is_some() || self.headed || self.cdp.is_some() || self.profile.is_some()
    }
}

impl Command for Open {
    const NAME: &'static str = "open";
    const EFFECT: Effect = Effect::Manages;
    type Output = Opened;

    fn tidy(mut self) -> Result<Self, Problem> {
        // The daemon has a working folder of its own.
        for path in [&mut self.browser, &mut self.profile].into_iter().flatten() {
            *path = std::path::absolute(&*path)
                .map_err(|e| Problem::new(Code::File, format!("{}: {e}", path.display())))?;
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
        let launch = self.launch(session);
        if session.surface.is_some() && self.names_a_browser() {
            // A browser that is gone makes way; one that answers is not replaced silently.
            if session.web()?.location().await.is_err_and(|p| p.code == Code::Lost) {
                session.drop_surface();
            } else {
                return Err(Problem::new(
                    Code::BadRequest,
                    format!(
                        "session `{}` has a browser already; browser options belong to the first `open`",
                        session.name
                    ),
                )
                .hint("handeye sessions stop")
                .hint("handeye open URL --session OTHER"));
            }
        }
        if self.url.is_none() && launch.cdp.is_none() {
            return Err(Problem::new(Code::BadRequest, "the address of a page is missing").hint("handeye open URL"));
        }
        let limit = session.limit(session.settings().waits.load);
        let fresh = session.surface.is_none();
        if fresh {
            session.surface = Some(session.opener.browser(&launch).await?);
        }
        match self.load(session, limit).await {
            // A lost browser is replaced by a new one here, and only here: the caller asked for a page to be opened.
            Err(problem) if problem.code == Code::Lost && !fresh && self.url.is_some() => {
                session.drop_surface();
                session.surface = Some(session.opener.browser(&launch).await?);
                self.load(session, limit).await
            }
            Err(problem) if fresh && problem.code == Code::BadRequest => {
                if let Some(mut surface) = session.surface.take() {
                    surface.close().await?;
                }
                session.drop_surface();
                Err(problem)
            }
            other => other,
        }
    }
}

impl Open {
    async fn load(&self, session: &mut Session, limit: std::time::Duration) -> Result<Opened, Problem> {
        let navigation = match &self.url {
            Some(url) => Some(session.web()?.navigate(url, limit).await?),
            None => None,
        };
        let (url, title) = match &navigation {
            Some(n) => (n.url.clone(), n.title.clone()),
            None => session.web()?.location().await?,
        };
        session.eye.forget_shown();
        Ok(Opened { navigation, url, title, notices: session.surface()?.notices() })
    }
}
