//! `cookies`: list, set and clear cookies.

use crate::core::domain::is_sent;
use crate::{Command, Effect, Render, Session};
use handeye_engine::observe::outline::quote;
use handeye_engine::wording::shown::{address, word};
use handeye_scene::{Code, Cookie, Hint, Notice, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List, set and clear cookies
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  handeye cookies list --domain example.com\n  handeye cookies set theme dark --expires 86400"
)]
pub struct Cookies {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Action,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Show the browser's cookies; values of those that scripts can't read are masked
    List {
        /// Only those that are sent to this host
        #[arg(long, value_name = "HOST")]
        #[serde(default)]
        domain: Option<String>,
        /// Show masked values too: they may be session tokens that give access to an account
        #[arg(long)]
        #[serde(default)]
        values: bool,
    },
    /// Set one cookie, for the host of the active page unless --domain says another
    Set {
        /// Its name
        name: String,
        /// Its value
        value: String,
        /// Host it is sent to; with a dot before it, to hosts below it too
        #[arg(long, value_name = "HOST")]
        #[serde(default)]
        domain: Option<String>,
        /// Path below which it is sent
        #[arg(long, value_name = "PATH", default_value = "/")]
        #[serde(default = "root")]
        path: String,
        /// Seconds until it expires; without it, it is a session cookie
        #[arg(long, value_name = "SECONDS", value_parser = crate::core::value_parsers::real("time in seconds", 1.0.., 3600.0))]
        #[serde(default)]
        expires: Option<f64>,
        /// Hide it from scripts (HttpOnly)
        #[arg(long)]
        #[serde(default)]
        http_only: bool,
        /// Send it over HTTPS only (Secure)
        #[arg(long)]
        #[serde(default)]
        secure: bool,
        /// Whether requests from other sites send it (SameSite)
        #[arg(long, value_name = "RULE")]
        #[serde(default)]
        same_site: Option<SameSite>,
    },
    /// Remove all cookies, or those of a name or a host
    Clear {
        /// Only those of this name
        #[serde(default)]
        name: Option<String>,
        /// Only those that are sent to this host
        #[arg(long, value_name = "HOST")]
        #[serde(default)]
        domain: Option<String>,
    },
}

/// Seconds by which a cookie may end earlier without a word.
const LENIENCE: f64 = 60.0;
/// Most bytes of a cookie's name and value together that browsers keep.
const LARGEST: usize = 4096;

fn root() -> String {
    "/".into()
}

/// When other sites' pages send a cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum SameSite {
    /// Never
    Strict,
    /// When they lead to its site
    Lax,
    /// Always, over HTTPS
    None,
}

/// The cookies, or what was done to them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Jar {
    /// Those that were listed, set or removed.
    cookies: Vec<Cookie>,
    /// `listed`, `set` or `removed`.
    done: &'static str,
    /// What was left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Notice>,
}

impl Render for Jar {
    fn render(&self) -> String {
        let mut out = self.lines();
        for notice in &self.notices {
            out.push_str(&format!("\n{}", handeye_engine::observe::outline::notice_line(notice)));
        }
        out
    }
}

impl Jar {
    fn lines(&self) -> String {
        match (self.done, self.cookies.len()) {
            ("listed", 0) => "no cookies".into(),
            ("listed", _) => self.cookies.iter().map(line).collect::<Vec<_>>().join("\n"),
            (done, 1) => format!("{done} {}", line(&self.cookies[0])),
            (done, n) => format!("{done} {n} cookies"),
        }
    }
}

fn line(cookie: &Cookie) -> String {
    let mut out = format!(
        "{}={} for {}",
        word(&cookie.name, 200),
        quote(&cookie.value, 200),
        address(&format!("{}{}", cookie.domain, cookie.path))
    );
    match timestamp(cookie.expires) {
        Some(end) => out.push_str(&format!(", until {end}")),
        None => out.push_str(", until the browser ends"),
    }
    for (holds, word) in [(cookie.http_only, "HttpOnly"), (cookie.secure, "Secure")] {
        if holds {
            out.push_str(&format!(", {word}"));
        }
    }
    if let Some(rule) = &cookie.same_site {
        out.push_str(&format!(", SameSite={rule}"));
    }
    out
}

fn timestamp(seconds: f64) -> Option<String> {
    if seconds < 0.0 {
        return None;
    }
    let time = time::OffsetDateTime::from_unix_timestamp(seconds as i64).ok()?;
    time.format(&time::format_description::well_known::Rfc3339).ok()
}

/// Keeps a login from being read off a listing.
fn masked(mut cookie: Cookie) -> Cookie {
    if cookie.http_only {
        cookie.value = "•".repeat(cookie.value.chars().count().min(8));
    }
    cookie
}

impl Command for Cookies {
    const NAME: &'static str = "cookies";
    const EFFECT: Effect = Effect::Acts;
    const VARIES: bool = true;
    type Output = Jar;

    fn effect(&self) -> Effect {
        match self.action {
            Action::List { .. } => Effect::Reads,
            _ => Effect::Acts,
        }
    }

    async fn run(self, session: &mut Session) -> Result<Jar, Problem> {
        match self.action {
            Action::List { domain, values } => {
                if let Some(host) = &domain {
                    session.permit_host(Effect::Reads, host, "read cookies of")?;
                }
                let (all, notices) = readable(session).await?;
                let wanted = all.into_iter().filter(|c| domain.as_ref().is_none_or(|d| is_sent(&c.domain, d)));
                let mut cookies: Vec<Cookie> = wanted.map(|c| if values { c } else { masked(c) }).collect();
                cookies.sort_by(|a, b| (&a.domain, &a.path, &a.name).cmp(&(&b.domain, &b.path, &b.name)));
                Ok(Jar { cookies, done: "listed", notices })
            }
            Action::Set { name, value, domain, path, expires, http_only, secure, same_site } => {
                let domain = match domain {
                    Some(domain) => domain,
                    None => host_of(&session.stores()?.origin())?,
                };
                session.permit_host(Effect::Acts, &domain, "set a cookie for")?;
                let expires = match expires {
                    None => -1.0,
                    Some(s) if s.is_finite() && s > 0.0 => now(session)? + s,
                    Some(s) => {
                        return Err(Problem::new(Code::BadRequest, format!("--expires {s} is no time to come"))
                            .hint(Hint::command("cookies").arg("clear").arg(name)));
                    }
                };
                let same_site = same_site.map(|s| format!("{s:?}"));
                let cookie =
                    Cookie { name, value, domain, path, expires, http_only, secure, same_site, partition_key: None };
                session.stores()?.set_cookies(std::slice::from_ref(&cookie)).await.map_err(
                    |problem| match problem.code {
                        Code::BadRequest => refusal(&cookie).unwrap_or(problem),
                        _ => problem,
                    },
                )?;
                let all = session.stores()?.cookies().await?;
                let (kept, notices) = match all.into_iter().find(|kept| is_kept(&cookie, kept)) {
                    Some(kept) => (kept.clone(), shortened(&cookie, &kept).into_iter().collect()),
                    // It was, and has ended since.
                    None if (0.0..now(session)? + 1.0).contains(&cookie.expires) => (cookie, Vec::new()),
                    None => {
                        return Err(refusal(&cookie).unwrap_or_else(|| not_kept(&cookie, "it doesn't say why")));
                    }
                };
                Ok(Jar { cookies: vec![masked(kept)], done: "set", notices })
            }
            Action::Clear { name, domain } => {
                if let Some(host) = &domain {
                    session.permit_host(Effect::Acts, host, "remove cookies of")?;
                }
                let all = session.stores()?.cookies().await?;
                let matches = |c: &Cookie| {
                    name.as_ref().is_none_or(|n| *n == c.name) && domain.as_ref().is_none_or(|d| is_sent(&c.domain, d))
                };
                let gone: Vec<Cookie> = all.into_iter().filter(matches).collect();
                if gone.is_empty() && (name.is_some() || domain.is_some()) {
                    return Err(Problem::new(Code::NotFound, "no such cookie is set").hint("handeye cookies list"));
                }
                gone.iter().try_for_each(|c| session.permit_host(Effect::Acts, &c.domain, "remove cookies of"))?;
                session.stores()?.remove_cookies(&gone).await?;
                Ok(Jar { cookies: gone.into_iter().map(masked).collect(), done: "removed", notices: Vec::new() })
            }
        }
    }
}

/// Whether a cookie that the browser keeps is the one that it was given: it writes hosts and paths in its own way.
pub(crate) fn is_kept(asked: &Cookie, kept: &Cookie) -> bool {
    let host = |domain: &str| {
        let name = domain.trim_start_matches('.');
        handeye_engine::policy::origin::host(&format!("http://{name}/")).unwrap_or_else(|| name.to_ascii_lowercase())
    };
    let same = asked.name == kept.name && asked.value == kept.value && host(&asked.domain) == host(&kept.domain);
    let flags = (asked.secure, asked.http_only) == (kept.secure, kept.http_only);
    let path =
        asked.path == kept.path || asked.path.contains(|c: char| !c.is_ascii_graphic()) || asked.path.contains("..");
    same && flags && path && asked.same_site == kept.same_site
}

/// Tells of a cookie that ends before it was to end.
fn shortened(asked: &Cookie, kept: &Cookie) -> Option<Notice> {
    let short = asked.expires > 0.0 && kept.expires + LENIENCE < asked.expires;
    short.then(|| {
        Notice::new("cut", "the browser keeps cookies for 400 days at most; it ends before the time asked for")
    })
}

/// Why the browser doesn't keep a cookie, where that is known.
fn refusal(cookie: &Cookie) -> Option<Problem> {
    let prefixed = |prefix: &str| cookie.name.get(..prefix.len()).is_some_and(|p| p.eq_ignore_ascii_case(prefix));
    let open = !cookie.secure;
    let why = if open && cookie.same_site.as_deref() == Some("None") {
        "SameSite=None is for cookies that are sent over HTTPS alone: give --secure"
    } else if open && (prefixed("__Host-") || prefixed("__Secure-")) {
        "a name that begins so is for cookies that are sent over HTTPS alone: give --secure"
    } else if prefixed("__Host-") && (cookie.path != "/" || cookie.domain.starts_with('.')) {
        "a name that begins with __Host- is for one host and every path"
    } else if cookie.name.len() + cookie.value.len() > LARGEST {
        "name and value have more than 4096 bytes"
    } else {
        return None;
    };
    Some(not_kept(cookie, why))
}

fn not_kept(cookie: &Cookie, why: &str) -> Problem {
    Problem::new(Code::BadRequest, format!("the browser doesn't keep the cookie {}: {why}", cookie.name))
        .hint("handeye cookies set NAME VALUE --secure")
        .hint("handeye cookies set --help")
}

/// The cookies of hosts that the rules let be read, and what is said of others.
async fn readable(session: &mut Session) -> Result<(Vec<Cookie>, Vec<Notice>), Problem> {
    let (mut kept, mut denied) = (Vec::new(), 0);
    for cookie in session.stores()?.cookies().await? {
        if session.policy()?.denies_host(Effect::Reads, &cookie.domain) {
            denied += 1;
        } else {
            kept.push(cookie);
        }
    }
    let told = (denied > 0)
        .then(|| Notice::new("denied", format!("cookies of hosts that the policy denies are left out: {denied}")));
    Ok((kept, told.into_iter().collect()))
}

/// Seconds since 1970.
fn now(session: &Session) -> Result<f64, Problem> {
    let now = session.clock.timestamp();
    let time = time::OffsetDateTime::parse(&now, &time::format_description::well_known::Rfc3339);
    time.map(|t| t.unix_timestamp() as f64)
        .map_err(|_| Problem::new(Code::Bug, format!("the clock says {now}, which is no time")))
}

fn host_of(origin: &str) -> Result<String, Problem> {
    handeye_engine::policy::origin::host(origin).filter(|_| origin.starts_with("http")).ok_or_else(|| {
        Problem::new(Code::BadRequest, "the active page has no host that a cookie could be for: say which")
            .hint("handeye cookies set NAME VALUE --domain HOST")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_sent_to_its_host_and_with_a_dot_to_those_below() {
        for (domain, host, sent) in [
            ("example.com", "example.com", true),
            ("example.com", "www.example.com", false),
            (".example.com", "www.example.com", true),
            (".example.com", "example.com", true),
            (".example.com", "badexample.com", false),
        ] {
            assert_eq!(is_sent(domain, host), sent, "{domain} {host}");
        }
    }

    #[test]
    fn the_host_of_an_origin() {
        let host = |origin: &str| host_of(origin).unwrap_or_else(|p| p.code.word().to_owned());
        assert_eq!(host("http://127.0.0.1:8000"), "127.0.0.1");
        assert_eq!(host("https://例え.jp"), "xn--r8jz45g.jp", "as the browser writes it");
        assert_eq!(host("http://[::1]"), "[::1]");
        assert_eq!(host("http://[::1]:8000"), "[::1]");
        assert_eq!(host("null"), "bad_request");
        assert_eq!(host("file://"), "bad_request");
    }
}
