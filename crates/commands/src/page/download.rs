//! `download`: what a target or an address gives, saved to a file.

use crate::core::acting::{act_on, outcome, was_done};
use crate::core::args::{ExpectArgs, WordyTargetArgs};
use crate::{Command, Effect, Render, Session};
use handeye_engine::Action;
use handeye_engine::observe::outline::quote;
use handeye_scene::{Button, Code, Evidence, Modifiers, Problem, Receipt, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a click may take to bring a download.
const BEGIN: Duration = Duration::from_secs(10);

/// Download a file by clicking a target or by its address; its size and SHA-256 are reported
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    override_usage = "handeye download [OPTIONS] REF\n       handeye download [OPTIONS] --css SELECTOR\n       handeye download [OPTIONS] URL",
    after_help = "Examples:\n  handeye download 7 --to report.pdf\n  handeye download /files/report.pdf --to downloads/ --timeout 120"
)]
pub struct Download {
    #[command(flatten)]
    #[serde(flatten)]
    target: WordyTargetArgs,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
    /// Address of the file, relative to the page's
    #[arg(skip)]
    #[serde(default)]
    url: Option<String>,
    /// File to save it to, or a folder that exists, where it keeps the name that the site suggests [default: the session's own folder]
    #[arg(long, value_name = "PATH")]
    #[serde(default)]
    to: Option<PathBuf>,
    /// Replace a file that is there already
    #[arg(long)]
    #[serde(default)]
    overwrite: bool,
}

/// Where something is saved: a file, or a folder in which it keeps its name.
struct Goal {
    path: PathBuf,
    overwrite: bool,
}

/// What `download` returns.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Downloaded {
    /// Of the click, where there was one.
    receipt: Option<Receipt>,
    /// What was saved; none when the click was not done.
    file: Option<SavedFile>,
}

/// A file that was saved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedFile {
    /// Where it is.
    path: String,
    /// The name that the site suggests.
    name: String,
    /// Where it came from.
    url: String,
    /// Its size.
    bytes: u64,
    /// Its digest, in hexadecimal.
    sha256: String,
}

impl Render for Downloaded {
    fn render(&self) -> String {
        let click = self.receipt.as_ref().map(Render::render);
        let file = self.file.as_ref().map(|f| {
            format!(
                "saved {} ({} bytes, sha256 {}) from {}",
                quote(&f.path, 500),
                f.bytes,
                f.sha256,
                handeye_engine::wording::shown::address(&f.url)
            )
        });
        click.into_iter().chain(file).collect::<Vec<_>>().join("\n")
    }

    fn verdict(&self) -> Verdict {
        match (&self.file, &self.receipt) {
            (None, Some(receipt)) => receipt.verdict,
            _ => Verdict::Confirmed,
        }
    }
}

/// A name that makes no file a configuration of ours: commands that run in its folder would go by it.
fn harmless(name: String) -> String {
    if is_configuration(&name) { format!("{name}.download") } else { name }
}

/// Whether a file of this name could be found as a configuration, on file systems that fold names too.
fn is_configuration(name: &str) -> bool {
    let passed_over = |c: char| c.is_whitespace() || c.is_control() || ('\u{200b}'..='\u{200f}').contains(&c);
    let plain: String = name.chars().filter(|c| !passed_over(*c)).collect();
    plain.trim_end_matches('.').eq_ignore_ascii_case("handeye.toml")
}

impl Goal {
    /// Where to save something of this name.
    fn place(&self, name: &str) -> Result<PathBuf, Problem> {
        let name = harmless(name.to_owned());
        let name = name.as_str();
        if !self.path.is_dir() {
            return Ok(self.path.clone());
        }
        let (stem, ending) = match name.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
            _ => (name, String::new()),
        };
        let names = (0..1000).map(|n| if n == 0 { name.to_owned() } else { format!("{stem} ({n}){ending}") });
        let mut paths = names.map(|n| self.path.join(n));
        let free = paths.find(|p| self.overwrite || !p.exists());
        free.ok_or_else(|| Problem::new(Code::File, format!("{} is full of files named {name}", self.path.display())))
    }

    /// The folder that it comes to lie in.
    fn folder(&self) -> &Path {
        if self.path.is_dir() { &self.path } else { self.path.parent().unwrap_or(Path::new("/")) }
    }

    /// Refuses before anything is done what couldn't be saved afterwards.
    fn check(&self) -> Result<(), Problem> {
        if self.path.is_dir() {
            return Ok(());
        }
        let shown = self.path.display();
        if self
            .path
            .as_os_str()
            .as_encoded_bytes()
            .last()
            .is_some_and(|last| std::path::is_separator(char::from(*last)))
        {
            let what = format!("there is no folder {shown}: make it first, or name a file");
            return Err(Problem::new(Code::File, what).hint("handeye download REF --to FILE"));
        }
        if self.path.file_name().is_some_and(|name| is_configuration(&name.to_string_lossy())) {
            let what = format!("{shown} would be a configuration of handeye's: a download is saved under another name");
            return Err(Problem::new(Code::Denied, what).hint("handeye download REF --to FILE"));
        }
        if self.path.exists() && !self.overwrite {
            return Err(Problem::new(
                Code::File,
                format!("{shown} is there already: give --overwrite, or another name"),
            ));
        }
        match self.path.parent() {
            Some(folder) if folder.is_dir() => Ok(()),
            _ => Err(Problem::new(Code::File, format!("can't save {shown}: its folder doesn't exist"))),
        }
    }
}

impl Command for Download {
    const NAME: &'static str = "download";
    const EFFECT: Effect = Effect::Acts;
    type Output = Downloaded;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        self.target.locate_by_word()?;
        let mut words = self.target.take_words();
        self.url = words.pop();
        if !words.is_empty() || self.url.is_some() != self.target.target.is_empty() {
            return Err(Problem::new(Code::BadRequest, "give one target, or one address")
                .hint("handeye download REF --to FILE")
                .hint("handeye download URL --to FILE"));
        }
        Ok(self)
    }

    fn resolve_paths(mut self) -> Result<Self, Problem> {
        if let Some(to) = &mut self.to {
            crate::core::args::resolve(to)?;
        }
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Downloaded, Problem> {
        let goal = self.goal(session)?;
        goal.check()?;
        let limit = session.limit(session.settings().waits.load);
        if let Some(url) = &self.url {
            permit(session, url).await?;
            let folder = goal.folder();
            let partial = tempfile::NamedTempFile::new_in(folder).map_err(|e| unsaved(folder, &e))?;
            let (name, url) = session.files()?.load_file(url, partial.path(), limit).await?;
            let path = goal.place(&name)?;
            partial.persist(&path).map_err(|e| unsaved(&path, &e.error))?;
            return Ok(Downloaded { receipt: None, file: Some(saved(&path, name, url)?) });
        }
        // What it saves is what the page gives.
        crate::core::permission::permit_reading(session, Self::NAME).await?;
        let before = session.files()?.downloads().await?;
        let action = Action::Click {
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::default(),
            by: handeye_engine::ClickBy::Pointer,
            offset: None,
        };
        let page = session.web()?.location().await.map(|(url, _)| url).ok();
        let mut receipt = act_on(session, &self.target.target, &self.expect, action.clone()).await?;
        if !was_done(&receipt, &action) {
            return Ok(Downloaded { receipt: Some(receipt), file: None });
        }
        let (download, file) = match fetch(&goal, session, before, limit).await {
            Ok(fetched) => fetched,
            Err(problem) => return Err(clicked(session, &receipt, page, problem).await),
        };
        // What it says of a download is said better by the file.
        receipt.notices.retain(|n| n.kind != "download");
        if matches!(receipt.verdict, Verdict::NoEffect | Verdict::Unverifiable) {
            // It began only after the page had got quiet.
            receipt.evidence.push(Evidence::Download { name: download.name.clone() });
            (receipt.verdict, receipt.reason, receipt.hints) = (Verdict::Confirmed, None, Vec::new());
        }
        Ok(Downloaded { receipt: Some(receipt), file: Some(file) })
    }
}

impl Download {
    /// Where it is saved: as told, or in a folder of the session's, which is closed to others.
    fn goal(&self, session: &Session) -> Result<Goal, Problem> {
        let path = match &self.to {
            Some(to) => to.clone(),
            None => match session.means.folder_for("downloads") {
                Some(own) => own.map_err(|e| unsaved(Path::new("the session's own folder"), &e))?,
                None => {
                    return Err(Problem::new(Code::BadRequest, "this session has no folder to save to: say where")
                        .hint("handeye download REF --to FILE"));
                }
            },
        };
        Ok(Goal { path, overwrite: self.overwrite })
    }
}

/// Waits for the download that a click has brought, and saves it.
async fn fetch(
    goal: &Goal,
    session: &mut Session,
    before: usize,
    limit: Duration,
) -> Result<(handeye_scene::Download, SavedFile), Problem> {
    let download = session.files()?.downloaded(before, BEGIN, limit).await?;
    // The browser may have saved it there already.
    let there = download.ours && !goal.overwrite && download.path.parent() == Some(goal.path.as_path());
    let path = match there && !is_configuration(&download.name) {
        true => download.path.clone(),
        false => goal.place(&download.name)?,
    };
    if path != download.path {
        take(&download.path, &path, download.ours)?;
    }
    let file = saved(&path, download.name.clone(), download.url.clone())?;
    Ok((download, file))
}

/// A problem after a click, with what the click did: whoever took it for one that was not made would make it again.
async fn clicked(session: &mut Session, receipt: &Receipt, page: Option<String>, problem: Problem) -> Problem {
    let mut did = vec![outcome(receipt)];
    let mut dialog = None;
    let mut since = Vec::new();
    if let Ok(surface) = session.surface() {
        since = surface.notices();
        dialog = surface.web().and_then(|web| web.dialog());
    }
    if let Some(open) = &dialog {
        did.push(format!("a dialog is open: {} {}", open.kind, quote(&open.message, 120)));
    } else if let Ok(web) = session.web()
        && let Ok((now, _)) = web.location().await
        && page.is_some_and(|before| before != now)
        && !receipt.evidence.iter().any(|e| matches!(e, Evidence::Navigated { url, .. } if *url == now))
    {
        did.push(format!("the page is {now} now"));
    }
    let told = receipt.notices.iter().chain(&since).filter(|n| n.kind != "dialog" || dialog.is_none());
    did.extend(told.map(|n| format!("{}: {}", n.kind, n.text)));
    let hints: &[&str] = if dialog.is_some() { &["dialog accept", "dialog dismiss"] } else { &["state"] };
    let problem = Problem::new(problem.code, format!("{}; but {}", problem.message, did.join("; ")));
    hints.iter().fold(problem, |problem, hint| problem.hint(format!("handeye {hint}")))
}

/// Refuses an address of an origin that must be neither acted on nor read. What is no address is refused by who loads it.
async fn permit(session: &mut Session, url: &str) -> Result<(), Problem> {
    let (page, _) = session.web()?.location().await?;
    let Some(origin) = handeye_engine::policy::origin::of_address(url, &page) else { return Ok(()) };
    session.permit_origin(Effect::Acts, &origin, "download from")?;
    session.permit_origin(Effect::Reads, &origin, "download from")
}

fn unsaved(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(Code::File, format!("can't save {}: {error}", path.display()))
        .hint("choose a folder that exists and that you may write to")
}

/// Moves a file that is ours and copies another, to another file system too: whole or not at all.
fn take(from: &Path, to: &Path, ours: bool) -> Result<(), Problem> {
    if ours && std::fs::rename(from, to).is_ok() {
        return Ok(());
    }
    let mut partial =
        tempfile::NamedTempFile::new_in(to.parent().unwrap_or(Path::new("/"))).map_err(|e| unsaved(to, &e))?;
    let mut source = std::fs::File::open(from).map_err(|e| unsaved(from, &e))?;
    std::io::copy(&mut source, &mut partial).map_err(|e| unsaved(to, &e))?;
    partial.persist(to).map_err(|e| unsaved(to, &e.error))?;
    if ours { std::fs::remove_file(from).map_err(|e| unsaved(from, &e)) } else { Ok(()) }
}

fn saved(path: &Path, name: String, url: String) -> Result<SavedFile, Problem> {
    let failed = |e| Problem::new(Code::File, format!("can't read {}: {e}", path.display()));
    let mut file = std::fs::File::open(path).map_err(failed)?;
    let (mut digest, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut piece).map_err(failed)?;
        if read == 0 {
            break;
        }
        bytes += read as u64;
        digest.update(&piece[..read]);
    }
    let sha256 = digest.finalize().iter().map(|b| format!("{b:02x}")).collect();
    Ok(SavedFile { path: path.display().to_string(), name, url, bytes, sha256 })
}

#[cfg(test)]
mod tests {
    use super::{harmless, is_configuration};

    #[test]
    fn no_name_is_a_configuration() {
        for name in ["handeye.toml", "HandEye.TOML", "handeye.toml.", "handeye.toml ", "handeye\u{200b}.toml"] {
            assert!(is_configuration(name), "{name}");
            assert!(!is_configuration(&harmless(name.to_owned())), "{name}");
        }
        for name in ["handeye.txt", "handeye.toml.download", "toml", "report.pdf", "handeye"] {
            assert!(!is_configuration(name), "{name}");
        }
    }
}
