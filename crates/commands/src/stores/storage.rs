//! `storage`: entries of local and session storage, and logins saved to a file and loaded from it.

use crate::core::render::count;
use crate::stores::cookies::is_kept;
use crate::{Command, Effect, Render, Session};
use handeye_engine::observe::outline::quote;
use handeye_engine::wording::shown::word;
use handeye_scene::{Code, Cookie, Problem, StorageArea, StorageChange, StorageItem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Largest file of a saved login that is read, bytes.
const LARGEST: u64 = 50 << 20;

/// List, get, set and clear web storage; save a login (cookies and local storage) and load it
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "Examples:\n  handeye storage list --area session\n  handeye storage save login.json     a login, readable by you alone\n  handeye storage load login.json     in another session, before the site is opened"
)]
pub struct Storage {
    #[command(subcommand)]
    #[serde(flatten)]
    action: Action,
}

/// Which storage.
#[derive(Debug, Clone, Default, clap::Args, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Which {
    /// Local storage or session storage
    #[arg(long, value_name = "AREA", default_value = "local")]
    area: Area,
    /// Origin it belongs to [default: that of the active page]
    #[arg(long, value_name = "ORIGIN")]
    origin: Option<String>,
}

/// The two storages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// Kept in the profile
    #[default]
    Local,
    /// Kept as long as the tab
    Session,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Action {
    /// Show every entry
    List {
        /// Where
        #[command(flatten)]
        #[serde(flatten)]
        which: Which,
    },
    /// Show one entry's value
    Get {
        /// Its key
        key: String,
        /// Where
        #[command(flatten)]
        #[serde(flatten)]
        which: Which,
    },
    /// Set one entry
    Set {
        /// Its key
        key: String,
        /// Its value
        value: String,
        /// Where
        #[command(flatten)]
        #[serde(flatten)]
        which: Which,
    },
    /// Remove every entry, or one
    Clear {
        /// Its key
        #[serde(default)]
        key: Option<String>,
        /// Where
        #[command(flatten)]
        #[serde(flatten)]
        which: Which,
    },
    /// Save cookies, and local storage of the origins shown in tabs, to a file that you alone can read: whoever has it is
    /// logged in as you
    Save {
        /// Where to save it
        file: PathBuf,
    },
    /// Load cookies and local storage from a file that `save` wrote
    Load {
        /// The file
        file: PathBuf,
    },
}

/// A saved login: the members that other tools' files of this kind have.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Login {
    cookies: Vec<Cookie>,
    origins: Vec<OriginStorage>,
}

/// Local storage of one origin.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OriginStorage {
    origin: String,
    local_storage: Vec<StorageItem>,
}

/// What `storage` returns.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Kept {
    /// Entries of a storage.
    Items {
        /// Whose.
        origin: String,
        /// They.
        items: Vec<StorageItem>,
    },
    /// One value.
    Value {
        /// It.
        value: String,
    },
    /// What was changed.
    Done {
        /// It, in words.
        done: String,
        /// Whose storage.
        origin: String,
    },
    /// What was saved or loaded.
    File {
        /// `saved` or `loaded`.
        done: &'static str,
        /// The file.
        path: String,
        /// How many cookies.
        cookies: usize,
        /// Cookies that the browser didn't take, as those that have ended.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        refused: Vec<String>,
        /// Whose local storage.
        origins: Vec<String>,
    },
}

impl Render for Kept {
    fn render(&self) -> String {
        match self {
            Kept::Items { items, origin } if items.is_empty() => format!("the storage of {origin} is empty"),
            Kept::Items { items, .. } => items
                .iter()
                .map(|i| format!("{} = {}", word(&i.name, 200), quote(&i.value, 200)))
                .collect::<Vec<_>>()
                .join("\n"),
            Kept::Value { value } => handeye_engine::wording::shown::whole(value, 100_000),
            Kept::Done { done, origin } => format!("{done} in the storage of {origin}"),
            Kept::File { done, path, cookies, refused, origins } => {
                let of = if origins.is_empty() { String::new() } else { format!(" of {}", origins.join(", ")) };
                let not = match &refused[..] {
                    [] => String::new(),
                    _ => format!("\nthe browser didn't take, or has ended: {}", quote(&refused.join(", "), 500)),
                };
                format!(
                    "{done} {path}: {}, local storage of {}{of}{not}",
                    count(*cookies, "cookie"),
                    count(origins.len(), "origin")
                )
            }
        }
    }
}

impl Which {
    fn area(&self) -> StorageArea {
        match self.area {
            Area::Local => StorageArea::Local,
            Area::Session => StorageArea::Session,
        }
    }

    fn origin(&self, session: &mut Session, effect: Effect) -> Result<String, Problem> {
        let origin = match &self.origin {
            Some(written) => handeye_engine::policy::origin::of(written),
            None => session.stores()?.origin(),
        };
        if origin.starts_with("http://") || origin.starts_with("https://") {
            let action = if effect == Effect::Reads { "read the storage of" } else { "change the storage of" };
            return session.permit_origin(effect, &origin, action).map(|()| origin);
        }
        Err(match &self.origin {
            Some(written) => Problem::new(Code::BadRequest, format!("`{written}` is no origin with a storage"))
                .hint("handeye storage list --origin https://example.com"),
            None => Problem::new(Code::Unsupported, "the active page has no origin, and so no storage")
                .hint("handeye storage list --origin https://example.com")
                .hint("handeye open URL"),
        })
    }
}

impl Command for Storage {
    const NAME: &'static str = "storage";
    const EFFECT: Effect = Effect::Acts;
    const VARIES: bool = true;
    type Output = Kept;

    fn effect(&self) -> Effect {
        match self.action {
            Action::List { .. } | Action::Get { .. } | Action::Save { .. } => Effect::Reads,
            Action::Set { .. } | Action::Clear { .. } | Action::Load { .. } => Effect::Acts,
        }
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        if let Action::Save { file } | Action::Load { file } = &mut self.action {
            crate::core::args::resolve(file)?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Kept, Problem> {
        match self.action {
            Action::List { which } => {
                let origin = which.origin(session, Effect::Reads)?;
                let items = session.stores()?.storage(which.area(), &origin).await?;
                Ok(Kept::Items { origin, items })
            }
            Action::Get { key, which } => {
                let origin = which.origin(session, Effect::Reads)?;
                let items = session.stores()?.storage(which.area(), &origin).await?;
                let found = items.into_iter().find(|i| i.name == key);
                found.map(|i| Kept::Value { value: i.value }).ok_or_else(|| {
                    Problem::new(Code::NotFound, format!("the storage of {origin} has no entry `{key}`"))
                        .hint("handeye storage list")
                })
            }
            Action::Set { key, value, which } => {
                let change = StorageChange::Set(vec![StorageItem { name: key.clone(), value }]);
                changed(session, &which, &change, format!("set {key}")).await
            }
            Action::Clear { key: Some(key), which } => {
                changed(session, &which, &StorageChange::Remove(key.clone()), format!("removed {key}")).await
            }
            Action::Clear { key: None, which } => {
                changed(session, &which, &StorageChange::Clear, "removed every entry".into()).await
            }
            Action::Save { file } => save(session, &file).await,
            Action::Load { file } => load(session, &file).await,
        }
    }
}

async fn changed(session: &mut Session, which: &Which, change: &StorageChange, done: String) -> Result<Kept, Problem> {
    let origin = which.origin(session, Effect::Acts)?;
    session.stores()?.change_storage(which.area(), &origin, change).await?;
    Ok(Kept::Done { done, origin })
}

async fn save(session: &mut Session, file: &Path) -> Result<Kept, Problem> {
    let web = session.stores()?;
    let mut login = Login { cookies: web.cookies().await?, origins: Vec::new() };
    for origin in web.origins() {
        let local_storage = web.storage(StorageArea::Local, &origin).await?;
        if !local_storage.is_empty() {
            login.origins.push(OriginStorage { origin, local_storage });
        }
    }
    permit(session, Effect::Reads, &login, "save what is kept for")?;
    let text = serde_json::to_vec_pretty(&login)
        .map_err(|e| Problem::new(Code::Bug, format!("can't write the login as JSON: {e}")))?;
    // Files that are put in place whole are made readable by their owner alone.
    crate::core::saved::save(file, &text)?;
    Ok(said("saved", file, &login, Vec::new()))
}

async fn load(session: &mut Session, file: &Path) -> Result<Kept, Problem> {
    let unread = |why: String| Problem::new(Code::File, format!("can't load {}: {why}", file.display()));
    let size = std::fs::metadata(file).map_err(|e| unread(e.to_string()))?.len();
    if size > LARGEST {
        return Err(unread(format!("it has {size} bytes, more than {LARGEST}")));
    }
    let bytes = std::fs::read(file).map_err(|e| unread(e.to_string()))?;
    let login: Login = serde_json::from_slice(&bytes)
        .map_err(|e| unread(format!("it is no login that was saved: {e}")).hint("handeye storage save login.json"))?;
    if let Some(wrong) = login.origins.iter().find(|o| handeye_engine::policy::origin::of(&o.origin) != o.origin) {
        return Err(unread(format!("`{}` is no origin", wrong.origin)));
    }
    permit(session, Effect::Acts, &login, "load what is kept for")?;
    let web = session.stores()?;
    web.set_cookies(&login.cookies).await?;
    let kept = web.cookies().await?;
    let refused = login.cookies.iter().filter(|asked| !kept.iter().any(|kept| is_kept(asked, kept)));
    let refused = refused.map(|c| format!("{} of {}", c.name, c.domain)).collect();
    for of in &login.origins {
        web.change_storage(StorageArea::Local, &of.origin, &StorageChange::Set(of.local_storage.clone())).await?;
    }
    Ok(said("loaded", file, &login, refused))
}

/// Refuses all of a login when the rules name anything it is for.
fn permit(session: &Session, effect: Effect, login: &Login, action: &str) -> Result<(), Problem> {
    login.cookies.iter().try_for_each(|cookie| session.permit_host(effect, &cookie.domain, action))?;
    login.origins.iter().try_for_each(|of| session.permit_origin(effect, &of.origin, action))
}

fn said(done: &'static str, file: &Path, login: &Login, refused: Vec<String>) -> Kept {
    let origins = login.origins.iter().map(|o| o.origin.clone()).collect();
    Kept::File {
        done,
        path: file.display().to_string(),
        cookies: login.cookies.len() - refused.len(),
        refused,
        origins,
    }
}
