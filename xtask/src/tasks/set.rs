//! The files of the set: what is in them, and what a task must have to prove anything.

use super::line;
use crate::run::{Fail, Outcome};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Where the set is.
pub(crate) const FOLDER: &str = "eval/tasks";

/// The tasks that were asked for.
pub(super) struct Set {
    pub(super) books: Vec<RefTable>,
}

/// One file: a library, or an app.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefTable {
    /// Its name without the ending.
    #[serde(skip)]
    pub(super) file: String,
    /// What it is about, with the version where one matters.
    pub(super) title: String,
    /// Page that its tasks are on, unless they name another: a file of `pages` or of an installed package.
    #[serde(default)]
    pub(super) page: String,
    /// What must be true of a page before the first step: JavaScript.
    #[serde(default)]
    pub(super) ready: String,
    /// The program of a desktop, with its arguments; none for pages.
    #[serde(default)]
    pub(super) app: Vec<String>,
    #[serde(rename = "task")]
    pub(super) tasks: Vec<Task>,
}

/// One job.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    pub(super) name: String,
    #[serde(default)]
    pub(super) page: String,
    #[serde(default)]
    pub(super) ready: String,
    /// Files that an app finds in its folder: name and text.
    #[serde(default)]
    pub(super) files: std::collections::BTreeMap<String, String>,
    /// More arguments for the app.
    #[serde(default)]
    pub(super) args: Vec<String>,
    pub(super) steps: Vec<Step>,
}

/// One command line, and what must be true once it has returned.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// As an agent would type it, without `handeye`; `[button "Save"]` stands for the number that a state shows.
    pub(super) run: String,
    /// What the eye asks: JavaScript for a page, Python for an app.
    #[serde(default)]
    pub(super) check: String,
    /// What the answer must be.
    #[serde(default = "yes")]
    pub(super) is: Value,
    /// The true verdict, or the code of the right refusal, where it isn't `confirmed`; any of these.
    #[serde(default)]
    pub(super) expect: Vec<String>,
    /// Whether the check held before already, as where a key must leave things as they are.
    #[serde(default)]
    pub(super) before: bool,
}

fn yes() -> Value {
    Value::Bool(true)
}

/// Commands that only look or wait, or set things up: they have no verdict, and no check is needed.
const NO_DEED: &[&str] = &[
    "state",
    "find",
    "get",
    "inspect",
    "wait",
    "windows",
    "tabs",
    "set",
    "permissions",
    "mouse",
    "keydown",
    "keyup",
    "clipboard",
    "network",
    "dialog",
    "focus",
    "storage",
];

impl Step {
    pub(super) fn command(&self) -> &str {
        self.run.split_whitespace().next().unwrap_or_default()
    }

    fn needs_check(&self) -> bool {
        !NO_DEED.contains(&self.command())
    }
}

impl Set {
    /// The files of a folder, or those tasks of them that `only` names: `FILE`, or `FILE/` and a part of a task's name.
    pub(super) fn read(folder: &Path, only: Option<&str>) -> Outcome<Self> {
        let (file, part) = only.map_or((None, ""), |only| {
            let (file, part) = only.split_once('/').unwrap_or((only, ""));
            (Some(file), part)
        });
        let mut names: Vec<String> = std::fs::read_dir(folder)?
            .flatten()
            .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
            .filter(|name| file.is_none_or(|file| file == name))
            .collect();
        names.sort();
        let mut books = Vec::new();
        for name in names {
            let text = std::fs::read_to_string(folder.join(format!("{name}.toml")))?;
            let mut book = RefTable::parse(&name, &text)?;
            book.tasks.retain(|task| task.name.contains(part));
            if !book.tasks.is_empty() {
                books.push(book);
            }
        }
        if books.is_empty() {
            return Err(Fail::usage(format!("no task in {} is called {}", folder.display(), only.unwrap_or_default())));
        }
        Ok(Self { books })
    }
}

impl RefTable {
    fn parse(name: &str, text: &str) -> Outcome<Self> {
        let mut book: Self = toml::from_str(text).map_err(|e| Fail::usage(format!("{name}.toml: {e}")))?;
        book.file = name.to_owned();
        for task in &mut book.tasks {
            if task.page.is_empty() {
                task.page.clone_from(&book.page);
            }
            if task.ready.is_empty() {
                task.ready.clone_from(&book.ready);
            }
            let wrong = |what: &str| Fail::usage(format!("{name}.toml: {}: {what}", task.name));
            if task.page.is_empty() == book.app.is_empty() {
                return Err(wrong("it needs a page, or its file an app, and not both"));
            }
            for (at, step) in task.steps.iter().enumerate() {
                line::words(&step.run).map_err(|e| wrong(&format!("`{}`: {e}", step.run)))?;
                // While a dialog is open, a page answers nothing.
                let asks = task.steps.get(at + 1).is_some_and(|next| next.command() == "dialog");
                if step.check.is_empty() && step.needs_check() && !asks {
                    return Err(wrong(&format!("`{}` needs a check", step.run)));
                }
            }
            if task.steps.iter().all(|step| step.check.is_empty()) {
                return Err(wrong("it has no check"));
            }
        }
        Ok(book)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        title = "A library 1.0"
        page = "a.html"
        [[task]]
        name = "a task"
        steps = [{ run = 'click [button "Go"]', check = 'document.title', is = "gone" }]
    "#;

    #[test]
    fn a_file_is_read() {
        let book = RefTable::parse("a", GOOD).unwrap();
        let step = &book.tasks[0].steps[0];
        assert_eq!((book.tasks[0].page.as_str(), step.command(), &step.is), ("a.html", "click", &Value::from("gone")));
    }

    #[test]
    fn what_proves_nothing_is_refused() {
        for (from, to, said) in [
            ("check = 'document.title', is = \"gone\"", "is = 1", "needs a check"),
            ("page = \"a.html\"", "", "it needs a page"),
            ("[button \"Go\"]", "[button \"Go]", "never closed"),
            ("name = \"a task\"", "nome = \"a task\"", "unknown field"),
        ] {
            let message = RefTable::parse("a", &GOOD.replace(from, to)).err().map(|fail| fail.message);
            assert!(message.as_ref().is_some_and(|text| text.contains(said)), "{said}: {message:?}");
        }
    }

    #[test]
    fn the_set_is_sound() {
        let set = Set::read(&crate::run::root().join(super::FOLDER), None).unwrap();
        let mut names: Vec<String> = set
            .books
            .iter()
            .flat_map(|book| book.tasks.iter().map(|task| format!("{}/{}", book.file, task.name)))
            .collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "two tasks have one name");
        assert!(all >= 80, "{all} tasks");
    }
}
