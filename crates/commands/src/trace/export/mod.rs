//! A trace as a test for Playwright: what was done, each to what it was done to by role and name, and what was seen to come of it
//! as expectations. What acted and wasn't confirmed is done without expectations, what was withheld isn't done.

mod effects;
mod places;
mod steps;
mod words;

use crate::trace::change::after;
use crate::trace::line::Called;
use crate::trace::reader::{Book, Found};
use effects::{Acted, Around, expectations};
use handeye_engine::recording::is_hidden;
use handeye_engine::wording::shown::{line, quote};
use handeye_scene::{Code, Evidence, Hint, Problem, Receipt, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use steps::{Hidden, LOOKS, Step};
use words::literal;

/// How every such file begins, by which it is known again.
pub const START: &str = "// A test made from a trace of handeye";

/// What became of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Exported {
    /// Where the test is.
    pub path: String,
    /// How many calls are steps of it.
    pub steps: usize,
    /// How many expectations it holds.
    pub expectations: usize,
    /// Calls that acted and are no steps, each with why, by their lines in the trace.
    pub left_out: Vec<LeftOut>,
    /// Variables of the environment that the test asks for, since the trace hides what they hold.
    pub variables: Vec<String>,
    /// The line of the call before which it ends, where a test can't go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ends_before: Option<usize>,
}

/// A call that is no step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Its line in the trace.
    pub line: usize,
    /// Its command.
    pub command: String,
    /// Why.
    pub why: String,
}

/// The test, and what is to be told of it.
///
/// # Errors
/// [`Code::File`] where the trace isn't as it was written, [`Code::Unsupported`] where nothing in it was done to a page.
pub fn playwright(book: &Book) -> Result<(String, Exported), Problem> {
    let folder = book.folder.display().to_string();
    let refused = match book.verified.found {
        Found::Edited => Some("isn't as it was written"),
        // What was done after its last line, and whether that undid what came before, nobody knows.
        Found::CutShort => Some("is cut short"),
        Found::Intact | Found::Running => None,
    };
    if let Some(why) = refused {
        let text = format!("{folder} {why}, so no test is made of it");
        return Err(Problem::new(Code::File, text).hint(Hint::from("handeye trace verify").arg(folder)));
    }
    let mut walk = Walk { base: first_origin(&book.calls), ..Walk::default() };
    for (at, (line, called)) in book.calls.iter().enumerate() {
        if let Some(why) = walk.step(*line, called, book.calls.get(at + 1..).unwrap_or_default()) {
            walk.leave(*line, called, why);
            walk.told.ends_before = Some(*line);
            break;
        }
    }
    if !walk.is_opened {
        let text = format!("no page is opened in {folder}: a test of Playwright is about pages");
        return Err(Problem::new(Code::Unsupported, text).hint(Hint::from("handeye trace show").arg(folder)));
    }
    walk.told.variables = std::mem::take(&mut walk.hidden.names);
    Ok((walk.script(book), walk.told))
}

#[derive(Default)]
struct Walk {
    /// The first page's origin.
    base: Option<String>,
    /// The state as it was last told.
    state: Vec<String>,
    is_opened: bool,
    hidden: Hidden,
    body: Vec<String>,
    told: Exported,
}

impl Walk {
    /// Takes a call; why the test ends before it, where it does.
    fn step(&mut self, line: usize, called: &Called, rest: &[(usize, Called)]) -> Option<&'static str> {
        let before = self.state.clone();
        if let Some(lines) = &called.state {
            self.state = after(&before, lines).unwrap_or_default();
        }
        let answer = called.answer.as_ref();
        let is_told = called.flags.contains_key("tab") || called.flags.contains_key("window");
        if LOOKS.contains(&called.command.as_str()) {
            return None;
        }
        if answer.is_none_or(|answer| answer.get("error").is_some()) {
            self.leave(line, called, "it ended in a problem");
            return None;
        }
        match called.command.as_str() {
            "open" => self.open(called),
            "tabs" if called.args.get("action").and_then(Value::as_str) == Some("list") => None,
            "tabs" => Some("what follows is about another tab"),
            _ if is_told => Some("it is about another tab or window"),
            "back" | "forward" | "reload" => {
                let deed = match called.command.as_str() {
                    "back" => "goBack",
                    "forward" => "goForward",
                    _ => "reload",
                };
                self.add(called, None, vec![format!("await page.{deed}();")], Vec::new());
                None
            }
            // It was answered where it opened.
            "dialog" => None,
            "verify" => {
                if answer.and_then(|answer| answer.pointer("/result/holds")) == Some(&Value::Bool(true)) {
                    self.take(line, called, steps::verified(called, &before));
                } else {
                    self.leave(line, called, "it didn't hold");
                }
                None
            }
            "wait" => {
                self.take(line, called, steps::waited(called));
                None
            }
            "fill-form" => {
                for (deed, receipt, found) in steps::fields(called, &before, &mut self.hidden) {
                    let acted = Acted { locator: &found.0, tag: &found.1 };
                    self.acted(called, &receipt, (deed.as_str(), Some(&acted)), &before, rest);
                }
                None
            }
            _ => {
                self.act(line, called, &before, rest);
                None
            }
        }
    }

    fn open(&mut self, called: &Called) -> Option<&'static str> {
        let told =
            |name: &str| called.answer.as_ref()?.pointer(&format!("/result/{name}"))?.as_str().map(str::to_owned);
        let url = told("url").filter(|url| url.contains(':') && !is_hidden(url))?;
        if url.starts_with("desktop:") {
            return Some("what follows is about windows");
        }
        // An address is opened as it was asked for, if that is one: it may lead on to another.
        let asked = called.args.get("url").and_then(Value::as_str);
        let asked = asked.filter(|asked| asked.contains("://") && !is_hidden(asked)).unwrap_or(&url);
        let mut expected = vec![format!("await expect(page).toHaveURL({});", self.address(&url))];
        expected.extend(told("title").and_then(|title| effects::titled(&title)));
        let deed = vec![format!("await page.goto({});", self.address(asked))];
        self.add(called, Some(&url), deed, expected);
        self.is_opened = true;
        None
    }

    fn act(&mut self, line: usize, called: &Called, before: &[String], rest: &[(usize, Called)]) {
        let told = called.answer.as_ref().and_then(|answer| answer.get("result")).cloned().unwrap_or_default();
        let Ok(receipt) = serde_json::from_value::<Receipt>(told) else {
            return self.leave(line, called, "no statement of a test does the same");
        };
        if receipt.verdict == Verdict::Contradicted {
            return self.leave(line, called, "it was withheld, or something else came of it");
        }
        match steps::act(called, &receipt, before, &mut self.hidden) {
            Step::Act(deed, found) => {
                let acted = found.as_ref().map(|(locator, tag)| Acted { locator, tag });
                self.acted(called, &receipt, (deed.as_str(), acted.as_ref()), before, rest);
            }
            other => self.take(line, called, other),
        }
    }

    /// An action with what came of it.
    fn acted(
        &mut self,
        called: &Called,
        receipt: &Receipt,
        (deed, acted): (&str, Option<&Acted<'_>>),
        before: &[String],
        rest: &[(usize, Called)],
    ) {
        let lines = doing(deed, receipt, rest, &|url| self.address(url));
        let expected = match receipt.verdict {
            Verdict::Confirmed => {
                let around = Around { before, after: &self.state };
                expectations(receipt, acted, &around, &|url| self.address(url))
            }
            _ => Vec::new(),
        };
        let target = receipt.target.as_ref().map(|target| format!("{} {}", target.role, quote(target.words(), 60)));
        self.add(called, target.as_deref(), lines, expected);
    }

    fn take(&mut self, line: usize, called: &Called, step: Step) {
        match step {
            Step::Look => {}
            Step::Act(deed, _) => self.add(called, None, vec![format!("await {deed};")], Vec::new()),
            Step::Say(expected) => self.add(called, None, Vec::new(), expected),
            Step::Left(why) => self.leave(line, called, why),
        }
    }

    fn add(&mut self, called: &Called, about: Option<&str>, deed: Vec<String>, expected: Vec<String>) {
        let title = [called.command.as_str(), about.unwrap_or_default()].join(" ");
        self.body.push(format!("  await test.step({}, async () => {{", literal(title.trim())));
        self.told.steps += 1;
        self.told.expectations += deed.iter().chain(&expected).filter(|line| line.contains("expect(")).count();
        self.body.extend(deed.iter().chain(&expected).map(|line| format!("    {line}")));
        self.body.push("  });".to_owned());
    }

    fn leave(&mut self, at: usize, called: &Called, why: &str) {
        self.body.push(format!(
            "  // Left out: {}, line {at} of the trace: {}.",
            line(&called.command, 40),
            line(why, 200)
        ));
        self.told.left_out.push(LeftOut { line: at, command: called.command.clone(), why: why.to_owned() });
    }

    /// An address, below the first page's origin where it is there.
    fn address(&self, url: &str) -> String {
        let rest = self
            .base
            .as_ref()
            .and_then(|base| url.strip_prefix(base))
            .filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
        match rest {
            Some(rest) => format!("base + {}", literal(rest)),
            None => literal(url),
        }
    }

    fn script(&self, book: &Book) -> String {
        let begun = book.begun.as_ref();
        let of = |told: Option<&str>| line(told.unwrap_or("?"), 100);
        let (session, time) =
            (of(begun.map(|begun| begun.session.as_str())), of(begun.map(|begun| begun.time.as_str())));
        let mut out = vec![
            format!("{START}: session {session}, begun at {time}."),
            "import { expect, test } from '@playwright/test';".to_owned(),
            String::new(),
            "declare const process: { env: Record<string, string | undefined> };".to_owned(),
        ];
        if let Some(base) = &self.base {
            out.push("/** Where the pages are: HANDEYE_BASE_URL names another place. */".to_owned());
            out.push(format!("const base = process.env.HANDEYE_BASE_URL ?? {};", literal(base)));
        }
        if !self.told.variables.is_empty() {
            out.push("/** A text that the trace doesn't hold. */".to_owned());
            out.push("const hidden = (name: string): string => {".to_owned());
            out.push("  const text = process.env[name];".to_owned());
            out.push(
                "  if (text === undefined) throw new Error(`set ${name}: the trace doesn't hold what was put in`);"
                    .to_owned(),
            );
            out.push("  return text;\n};".to_owned());
        }
        let area = book.calls.iter().find_map(|(_, called)| called.after.as_ref().or(called.before.as_ref()));
        if let Some(area) = area.map(|picture| picture.area).filter(|area| area.width >= 1.0 && area.height >= 1.0) {
            let (width, height) = (area.width.round(), area.height.round());
            out.push(format!("\ntest.use({{ viewport: {{ width: {width}, height: {height} }} }});"));
        }
        out.push(format!("\ntest({}, async ({{ page }}) => {{", literal(&format!("the session {session}"))));
        out.extend(self.body.iter().cloned());
        out.push("});\n".to_owned());
        out.join("\n")
    }
}

/// An action, waiting for what it opens.
fn doing(deed: &str, receipt: &Receipt, rest: &[(usize, Called)], address: &dyn Fn(&str) -> String) -> Vec<String> {
    let opened = receipt.evidence.iter().find_map(|evidence| match evidence {
        Evidence::Dialog { message, .. } => {
            let answer = rest.iter().map(|(_, called)| called).find(|called| called.command == "dialog");
            Some(steps::with_dialog(deed, message, answer))
        }
        Evidence::Download { name } => Some(vec![
            "const download = page.waitForEvent('download');".to_owned(),
            format!("await {deed};"),
            format!("expect((await download).suggestedFilename()).toBe({});", literal(name)),
        ]),
        Evidence::NewTab { url } => Some(vec![
            "const popup = page.waitForEvent('popup');".to_owned(),
            format!("await {deed};"),
            format!("await expect(await popup).toHaveURL({});", address(url)),
        ]),
        _ => None,
    });
    opened.unwrap_or_else(|| vec![format!("await {deed};")])
}

/// The origin of the first page that was opened.
fn first_origin(calls: &[(usize, Called)]) -> Option<String> {
    let opened = calls.iter().filter(|(_, called)| called.command == "open");
    let url = opened.filter_map(|(_, called)| called.answer.as_ref()?.pointer("/result/url")?.as_str()).next()?;
    let scheme = url.split_once("://").filter(|(scheme, _)| ["http", "https"].contains(scheme))?;
    let host = scheme.1.split(['/', '?', '#']).next().unwrap_or_default();
    Some(format!("{}://{host}", scheme.0))
}
