//! `trace`: shows, verifies, replays and exports what a session wrote with `--trace`.

use crate::core::render::count;
use crate::trace::export::{self, Exported};
use crate::trace::folder;
use crate::trace::page;
use crate::trace::reader::{self, Found, Verified};
use crate::trace::replay::Replayed;
use crate::{Host, HostCommand, Render};
use handeye_engine::chain;
use handeye_engine::wording::shown::{MESSAGE, address, line};
use handeye_scene::{Code, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Show, verify, replay or export the trace of a session (see --trace)
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "Exit status: 0 intact, or replayed alike; 1 edited, cut short, or otherwise; 2 a problem.\n\nExamples:\n  handeye open https://example.com --trace shop\n  handeye trace verify shop\n  handeye trace show shop -o shop.html\n  handeye trace replay shop\n  handeye trace replay shop --live --on http://localhost:8000\n  handeye trace export shop -o shop.spec.ts"
)]
pub struct Trace {
    #[command(subcommand)]
    #[serde(flatten)]
    action: TraceAction,
}

/// What to do.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum TraceAction {
    /// Write it as one page of HTML that needs nothing else: timeline, pictures, states, receipts, console, search
    Show {
        /// Its folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// The page [default: trace.html in the folder]
        #[arg(short, long, value_name = "FILE")]
        #[serde(default)]
        output: Option<PathBuf>,
    },
    /// Tell whether every line, picture and recorded byte is as it was written
    Verify {
        /// Its folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// The digest that `close` told: a trace that was written anew from the start has another
        #[arg(long, value_name = "DIGEST")]
        #[serde(default)]
        last: Option<String>,
    },
    /// Run its commands again, on what was recorded or on a live page, up to the first that comes to something else
    Replay {
        /// Its folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// In a new session on the live page; what the policy asks, you are asked
        #[arg(long)]
        #[serde(default)]
        live: bool,
        /// Open this address in place of the one that was opened first
        #[arg(long, value_name = "URL", requires = "live")]
        #[serde(default)]
        on: Option<String>,
    },
    /// Write it as a test for Playwright (@playwright/test): each action to what it was done to, by role and name, and what was seen to come of it as expectations
    Export {
        /// Its folder
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// The test [default: trace.spec.ts in the folder]
        #[arg(short, long, value_name = "FILE")]
        #[serde(default)]
        output: Option<PathBuf>,
    },
}

/// What came of it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Traced {
    /// Of `show`.
    Shown(Shown),
    /// Of `verify`.
    Verified(Verified),
    /// Of `replay`.
    Replayed(Replayed),
    /// Of `export`.
    Exported(Exported),
}

/// A page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// Where it is.
    path: String,
    /// Its size.
    bytes: usize,
    /// How many calls it shows.
    calls: usize,
    /// How many pictures it lacks, since they were changed, are gone, or would make it too large.
    pictures_lacking: usize,
    /// What the trace proved to be.
    found: Found,
}

impl Render for Traced {
    fn render(&self) -> String {
        match self {
            Self::Shown(shown) => {
                let lacking = match shown.pictures_lacking {
                    0 => String::new(),
                    n => format!("; pictures it lacks: {n}"),
                };
                let (bytes, calls) = (count(shown.bytes, "byte"), count(shown.calls, "call"));
                let notice = match shown.found {
                    Found::Edited => "\nthe trace isn't as it was written: `handeye trace verify` tells where",
                    Found::CutShort => "\nthe trace is cut short: its end is missing",
                    Found::Intact | Found::Running => "",
                };
                format!("saved {} ({bytes}, {calls}{lacking}){notice}", shown.path)
            }
            Self::Verified(verified) => verified_words(verified),
            Self::Replayed(replayed) => replayed_words(replayed),
            Self::Exported(exported) => exported_words(exported),
        }
    }

    fn verdict(&self) -> Verdict {
        let holds = match self {
            Self::Shown(_) | Self::Exported(_) => true,
            Self::Verified(verified) => matches!(verified.found, Found::Intact | Found::Running),
            Self::Replayed(replayed) => replayed.is_alike(),
        };
        if holds { Verdict::Confirmed } else { Verdict::Contradicted }
    }
}

fn verified_words(verified: &Verified) -> String {
    let mut out = page::words(verified);
    for fault in &verified.faults {
        out.push_str(&format!("\n{}", line(&page::fault_words(fault), MESSAGE)));
    }
    let (calls, pictures) = (count(verified.calls, "call"), count(verified.pictures, "picture"));
    out.push_str(&format!("\n{calls}, {pictures}; the last line's digest is {}", verified.last));
    out
}

fn replayed_words(replayed: &Replayed) -> String {
    let how = if replayed.live { "on the live page" } else { "on what was recorded" };
    let mut out =
        format!("{} alike {how}, {} of them with a verdict", count(replayed.alike, "call"), replayed.verdicts);
    if replayed.left_out > 0 {
        out.push_str(&format!(", {} left out", replayed.left_out));
        if !replayed.left_out_commands.is_empty() {
            out.push_str(&format!(" ({})", replayed.left_out_commands.join(", ")));
        }
    }
    if replayed.found == Found::CutShort {
        out.push_str("\nthe trace is cut short: what was done after its last line can't be replayed");
    }
    if let Some(divergence) = &replayed.divergence {
        let (at, command) = (divergence.line, &divergence.command);
        let file = if replayed.live { folder::LINES } else { folder::RECORDING };
        out.push_str(&format!(
            "\n`{command}` of line {at} of {file} goes otherwise: {}",
            line(&divergence.what, MESSAGE)
        ));
    }
    out
}

fn exported_words(exported: &Exported) -> String {
    let (path, steps, expectations) = (&exported.path, exported.steps, exported.expectations);
    let mut out = format!("saved {path} ({steps} steps, {expectations} expectations)");
    for left in &exported.left_out {
        out.push_str(&format!("\nleft out line {}, `{}`: {}", left.line, left.command, left.why));
    }
    if let Some(end) = exported.ends_before {
        out.push_str(&format!("\nit ends before line {end} of {}", folder::LINES));
    }
    if !exported.variables.is_empty() {
        out.push_str(&format!("\nto be set where it is run: {}", exported.variables.join(", ")));
    }
    out
}

impl HostCommand for Trace {
    const NAME: &'static str = "trace";
    type Output = Traced;

    fn run(self, host: &dyn Host) -> Result<Traced, Problem> {
        match self.action {
            TraceAction::Show { folder, output } => show(&folder, output).map(Traced::Shown),
            TraceAction::Verify { folder, last } => verify(&folder, last.as_deref()).map(Traced::Verified),
            TraceAction::Replay { folder, live, on } => {
                if let Some(on) = on.as_deref().filter(|on| on.trim().is_empty()) {
                    let what = format!("`{}` is no address to replay on", address(on));
                    return Err(Problem::new(Code::BadRequest, what).hint("handeye trace replay --help"));
                }
                host.replay(&folder, live, on.as_deref()).map(Traced::Replayed)
            }
            TraceAction::Export { folder, output } => export(&folder, output).map(Traced::Exported),
        }
    }
}

fn show(at: &Path, output: Option<PathBuf>) -> Result<Shown, Problem> {
    let book = reader::read(at)?;
    let (html, pictures_lacking) = page::html(&book);
    let path = output.unwrap_or_else(|| at.join(page::NAME));
    page::save(&path, &html)?;
    let (path, bytes, calls) = (path.display().to_string(), html.len(), book.calls.len());
    Ok(Shown { path, bytes, calls, pictures_lacking, found: book.verified.found })
}

fn export(at: &Path, output: Option<PathBuf>) -> Result<Exported, Problem> {
    let (test, mut exported) = export::playwright(&reader::read(at)?)?;
    let path = output.unwrap_or_else(|| at.join("trace.spec.ts"));
    folder::replace(&path, &test, (export::START, "test made from a trace"))?;
    exported.path = path.display().to_string();
    Ok(exported)
}

fn verify(at: &Path, last: Option<&str>) -> Result<Verified, Problem> {
    let last = last.map(str::to_ascii_lowercase);
    if let Some(last) = last.as_deref().filter(|last| !chain::is_digest(last)) {
        let what = format!("`{}` is no digest: write the 64 digits that `close` told", line(last, 80));
        return Err(Problem::new(Code::BadRequest, what).hint("handeye trace verify --help"));
    }
    let mut verified = reader::read(at)?.verified;
    if last.is_some_and(|last| last != verified.last) && verified.found != Found::Running {
        verified.found = if verified.found == Found::CutShort { Found::CutShort } else { Found::Edited };
        verified.faults.push(reader::Fault {
            file: folder::LINES.to_owned(),
            line: None,
            kind: "edited".to_owned(),
            what: "its last digest isn't the one that was noted".to_owned(),
        });
    }
    Ok(verified)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_a_trace_that_is_cut_short_says_so() {
        for (found, says, alike) in [
            (Found::Intact, false, Verdict::Confirmed),
            (Found::Running, false, Verdict::Confirmed),
            (Found::CutShort, true, Verdict::Contradicted),
        ] {
            let (path, bytes, calls, pictures_lacking) = ("t.html".to_owned(), 1, 1, 0);
            let shown = Traced::Shown(Shown { path, bytes, calls, pictures_lacking, found });
            assert_eq!(
                (shown.render().contains("cut short"), shown.verdict()),
                (says, Verdict::Confirmed),
                "{found:?}"
            );
            let replayed = Traced::Replayed(Replayed { alike: 1, ..Replayed::new(found, false) });
            assert_eq!((replayed.render().contains("cut short"), replayed.verdict()), (says, alike), "{found:?}");
        }
    }

    #[test]
    fn the_digest_that_was_noted_is_taken_in_any_case() {
        let folder = tempfile::tempdir().unwrap();
        let mut chain = chain::Chain::default();
        let begun = serde_json::json!({ "trace": { "format": 1, "session": "s", "version": "1", "time": "t" } });
        let line = chain.line(begun.as_object().cloned().unwrap_or_default());
        std::fs::write(folder.path().join(folder::LINES), line + "\n").unwrap();
        let faults = |last: &str| verify(folder.path(), Some(last)).map(|v| v.faults.len()).map_err(|e| e.code);
        assert_eq!(faults(&chain.last().to_uppercase()), Ok(0));
        assert_eq!(faults(&"A".repeat(64)), Ok(1));
        assert_eq!(faults("no digest"), Err(Code::BadRequest));
    }
}
