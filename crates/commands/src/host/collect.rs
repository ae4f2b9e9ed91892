//! `collect`: the addresses of all items of a list, over all of its pages.

use crate::core::render::count;
use crate::{Host, HostCommand, Render};
use handeye_engine::wording::shown::{address, line, whole};
use handeye_scene::collect::{CollectOutcome, CollectReport, Collecting, RuleCheck};
use handeye_scene::{Code, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::PathBuf;

/// Pages in a second at most, where nothing says so.
const RATE: f64 = 1.0;
/// Characters of one text.
const TEXT: usize = 300;
/// Names of fields that items have anyway.
const TAKEN: [&str; 2] = ["url", "page"];

/// Collect the addresses of all items of a list, over all of its pages; a model is asked about the first ones alone
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "The model is that of the role agent (`handeye models list`). It picks a few items of the first page; each pick is held\nto the page. From them comes a rule, which is held to what the model picks of the second page, and used without it\nfrom then on. The next page is found by a link, numbers, a button for more, scrolling, or a number in the address.\n\nEach page is noted in a checkpoint beside the output (FILE.checkpoint). Ctrl-C ends it in order; --resume goes on.\n\nExit status: 0 the end of the list was reached; 1 stopped before, can be gone on with; 2 a problem.\n\nExamples:\n  handeye collect https://shop.example/list --want \"product pages\" -o products.jsonl\n  handeye collect https://a.example/projects --want \"project detail pages\" --fields title,date --max 500 -o projects.csv\n  handeye collect --resume -o products.jsonl"
)]
pub struct Collect {
    /// Address of the list's first page
    #[arg(value_name = "URL", required_unless_present = "resume")]
    #[serde(default)]
    url: Option<String>,
    /// What the items are, in your words
    #[arg(long, value_name = "WORDS", required_unless_present = "resume")]
    #[serde(default)]
    want: Option<String>,
    /// Fields to read of each item, separated by commas, such as title,date
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    #[serde(default)]
    fields: Vec<String>,
    /// Items at most
    #[arg(long, value_name = "N", value_parser = crate::core::value_parsers::whole("number of items", 1_u64..=100_000_000, 500))]
    #[serde(default)]
    max: Option<u64>,
    /// File to write, whose name ends in .jsonl, .csv or .sqlite [default: the items are shown]
    #[arg(short, long, value_name = "FILE")]
    #[serde(default)]
    output: Option<PathBuf>,
    /// Pages in a second at most [default: 1; a longer pause that robots.txt asks for is kept to]
    #[arg(long, value_name = "N", value_parser = crate::core::value_parsers::real("number of pages in a second", 0.001..=1000.0, 0.5))]
    #[serde(default)]
    rate: Option<f64>,
    /// Open pages that the site's robots.txt asks robots to leave alone
    #[arg(long)]
    #[serde(default)]
    ignore_robots: bool,
    /// Go on from the checkpoint of a run that didn't come to its end
    #[arg(long)]
    #[serde(default)]
    resume: bool,
}

impl HostCommand for Collect {
    const NAME: &'static str = "collect";
    type Output = CollectReport;

    fn run(self, host: &dyn Host) -> Result<CollectReport, Problem> {
        let fields: Vec<String> = self.fields.iter().map(|name| name.trim().to_owned()).collect();
        for (at, name) in fields.iter().enumerate() {
            let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
            let why = match () {
                () if !is_word || name.len() > 64 => "isn't a word of letters, digits, _ and -",
                () if TAKEN.contains(&name.as_str()) => "is what every item has anyway",
                () if fields[..at].contains(name) => "is named twice",
                () => continue,
            };
            let text = format!("the field `{}` {why}", line(name, 80));
            return Err(Problem::new(Code::BadRequest, text).hint("handeye collect --help"));
        }
        host.collect(&Collecting {
            url: self.url,
            want: self.want,
            fields,
            max: self.max,
            output: self.output,
            rate: self.rate.unwrap_or(RATE),
            ignore_robots: self.ignore_robots,
            resume: self.resume,
        })
    }
}

impl Render for CollectReport {
    fn render(&self) -> String {
        let mut out = String::new();
        for item in &self.found {
            let _ = writeln!(out, "{} {}", whole(&item.url, 4_000), line(&item.title, TEXT));
        }
        let how = if self.outcome == CollectOutcome::Done { "done" } else { "stopped" };
        let _ = write!(out, "{how}: {}", line(&self.reason, 4 * TEXT));
        let _ = write!(
            out,
            "\n{} on {} of {}",
            count(self.items as usize, "item"),
            count(self.pages as usize, "page"),
            address(&self.url)
        );
        if self.repeated > 0 {
            let _ = write!(out, ", {} of them again on later pages", self.repeated);
        }
        if let Some(rule) = &self.rule {
            let _ = write!(out, "\nrule {} (confidence {:.2})", line(&rule.css, 2 * TEXT), rule.confidence);
        }
        for check in &self.checks {
            let _ = write!(out, "\n{}", check_line(check));
        }
        if let Some(paging) = &self.paging {
            let _ = write!(out, "\nnext page by {}", line(paging, 40));
        }
        for warning in &self.warnings {
            let _ = write!(out, "\nwarning: {}", line(warning, 2 * TEXT));
        }
        let _ = write!(
            out,
            "\n{} answers of the model, {:.0} s, {:.1} pages/s",
            self.model_calls, self.seconds, self.pages_per_second
        );
        if let Some(output) = &self.output {
            let _ = write!(out, "\nwritten to {}", line(output, 4 * TEXT));
        }
        if let Some(checkpoint) = &self.checkpoint {
            let _ = write!(out, "\nto go on from {}: the same command with --resume", line(checkpoint, 4 * TEXT));
        }
        out
    }

    fn verdict(&self) -> Verdict {
        match self.outcome {
            CollectOutcome::Done => Verdict::Confirmed,
            CollectOutcome::Stopped => Verdict::NoEffect,
        }
    }
}

fn check_line(check: &RuleCheck) -> String {
    let refined = if check.refined { "; the rule was refined" } else { "" };
    format!(
        "page {}: precision {:.1} %, recall {:.1} % ({} picked, {} taken, {} by both){refined}",
        check.page,
        100.0 * check.precision,
        100.0 * check.recall,
        check.picked,
        check.taken,
        check.both
    )
}
