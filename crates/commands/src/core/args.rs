//! Arguments that several commands share: how a target is named, and what is expected of it.

pub use crate::core::locator::{LocatorArg, parse_ref};
use crate::core::named::{Named, parse_locator, parse_named};
use crate::core::settings::Unverifiable;
use clap::{Arg, ArgAction, ArgMatches, Args, Command as Cli, FromArgMatches, error::ErrorKind};
use handeye_engine::{Expectation, Locator};
use handeye_scene::{Code, Hint, Point, Problem, Ref, Via};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the target is named: by its number, or by locators tried in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TargetArgs {
    /// Number of the target, as shown in the state
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#ref: Option<u32>,
    /// Locators, tried in order
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locators: Vec<LocatorArg>,
}

/// Makes a path absolute where this is called.
pub(crate) fn resolve(path: &mut PathBuf) -> Result<(), Problem> {
    *path = std::path::absolute(&*path).map_err(|e| Problem::new(Code::File, format!("{}: {e}", path.display())))?;
    Ok(())
}

const OPTIONS: [(&str, &str, &str); 6] = [
    ("xpath", "XPATH", "XPath of the target; an absolute one may lead through iframes"),
    ("css", "SELECTOR", "CSS selector of the target, through shadow roots"),
    ("role", "ROLE", "ARIA role of the target, with --name"),
    ("name", "NAME", "Accessible name of the target; of what has none, all that it says"),
    ("text", "TEXT", "Text that the target says: whole words in any case"),
    ("testid", "ID", "Test id (data-testid) of the target"),
];

impl Args for TargetArgs {
    fn augment_args(cli: Cli) -> Cli {
        let number = Arg::new("ref")
            .value_name("REF")
            .help("Number of the target, as shown in the state; or a locator in one word, such as css=#pay")
            .value_parser(parse_named);
        add_locators(cli.arg(number))
    }

    fn augment_args_for_update(cli: Cli) -> Cli {
        Self::augment_args(cli)
    }
}

impl FromArgMatches for TargetArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut locators = locators(matches)?;
        let r#ref = match matches.get_one::<Named>("ref") {
            Some(Named::Ref(number)) => Some(*number),
            Some(Named::By(first)) => {
                locators.insert(0, first.clone());
                None
            }
            None => None,
        };
        Ok(Self { r#ref, locators })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// As [`TargetArgs`], for commands with further positional arguments: the number is the first of their words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WordyTargetArgs {
    /// The target
    #[serde(flatten)]
    pub target: TargetArgs,
    #[serde(skip)]
    words: Vec<String>,
}

impl Args for WordyTargetArgs {
    fn augment_args(cli: Cli) -> Cli {
        let words = Arg::new("words")
            .value_name("[REF] ARG")
            .help("Number of the target, or a locator in one word (left out when an option names it), then the arguments; see Usage")
            .num_args(0..)
            .action(ArgAction::Append)
            .allow_negative_numbers(true);
        add_locators(cli.arg(words))
    }

    fn augment_args_for_update(cli: Cli) -> Cli {
        Self::augment_args(cli)
    }
}

impl FromArgMatches for WordyTargetArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut words: Vec<String> = matches.get_many::<String>("words").into_iter().flatten().cloned().collect();
        let mut locators = locators(matches)?;
        // One word alone is what is put in, whatever it looks like.
        if let (true, Some(first)) = (locators.is_empty() && words.len() > 1, words.first())
            && let Some(locator) = parse_locator(first).map_err(wrong_value)?
        {
            locators.push(locator);
            words.remove(0);
        }
        let number = if locators.is_empty() && words.first().is_some_and(|w| parse_ref(w).is_ok()) {
            Some(parse_ref(&words.remove(0)).map_err(wrong_value)?)
        } else {
            None
        };
        Ok(Self { target: TargetArgs { r#ref: number, locators }, words })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl WordyTargetArgs {
    /// The number of the target, where it is named by one.
    pub fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }

    /// What to say of several words where one is wanted, before which no target is named: the first may be meant for its name.
    pub fn misnamed(&self, command: &str, words: &[String]) -> Option<Problem> {
        let (first, rest) = words.split_first()?;
        if !self.target.is_empty() || rest.is_empty() {
            return None;
        }
        let quoted = |text: &str| handeye_engine::observe::outline::quote_own(text, 80);
        let text =
            format!("{} is not a target's number: give the number that the state shows, or --name", quoted(first));
        let short = |text: &str| handeye_engine::observe::outline::cut(text, 80);
        let named = Hint::command(command).arg("--name").arg(short(first));
        let named = rest.iter().fold(named, |hint, word| hint.arg(short(word)));
        Some(Problem::new(Code::BadRequest, text).hint(Hint::command("find").arg(short(first))).hint(named))
    }

    /// Takes a word alone for the target, where it is a locator: for commands whose words are no text to put in.
    pub fn locate_by_word(&mut self) -> Result<(), Problem> {
        if let (true, [word]) = (self.target.is_empty(), self.words.as_slice())
            && let Some(locator) = parse_locator(word).map_err(|why| Problem::new(Code::BadRequest, why))?
        {
            self.target.locators.push(locator);
            self.words.clear();
        }
        Ok(())
    }

    /// The words after the number.
    pub fn take_words(&mut self) -> Vec<String> {
        std::mem::take(&mut self.words)
    }
}

fn wrong_value(why: String) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n"))
}

fn add_locators(cli: Cli) -> Cli {
    OPTIONS.iter().fold(cli, |cli, (name, value, help)| {
        let help = format!("{help} [repeatable; tried in order]");
        let arg = Arg::new(*name).long(*name).value_name(*value).help(help);
        let arg = arg.action(ArgAction::Append).help_heading("Target");
        cli.arg(if *name == "css" { arg.alias("selector") } else { arg })
    })
}

/// The locators in the order in which they were written; a name belongs to the role before it.
fn locators(matches: &ArgMatches) -> Result<Vec<LocatorArg>, clap::Error> {
    let mut written: Vec<(usize, &str, String)> = Vec::new();
    for (name, ..) in OPTIONS {
        let (Some(indices), Some(values)) = (matches.indices_of(name), matches.get_many::<String>(name)) else {
            continue;
        };
        written.extend(indices.zip(values).map(|(i, v)| (i, name, v.clone())));
    }
    written.sort_by_key(|w| w.0);
    let mut out: Vec<LocatorArg> = Vec::new();
    for (_, option, value) in written {
        if value.trim().is_empty() {
            return Err(wrong_value(format!("--{option} is empty")));
        }
        let value = Some(value);
        match (option, out.last_mut()) {
            ("name", Some(last)) if last.role.is_some() && last.name.is_none() => last.name = value,
            ("role", Some(last)) if last.name.is_some() && last.role.is_none() => last.role = value,
            ("xpath", _) => out.push(LocatorArg { xpath: value, ..Default::default() }),
            ("css", _) => out.push(LocatorArg { css: value, ..Default::default() }),
            ("role", _) => out.push(LocatorArg { role: value, ..Default::default() }),
            ("name", _) => out.push(LocatorArg { name: value, ..Default::default() }),
            ("text", _) => out.push(LocatorArg { text: value, ..Default::default() }),
            _ => out.push(LocatorArg { testid: value, ..Default::default() }),
        }
    }
    Ok(out)
}

/// `script` or `ax`.
pub fn parse_via(text: &str) -> Result<Via, String> {
    match text {
        "script" => Ok(Via::Script),
        "ax" => Ok(Via::Ax),
        _ => Err(format!("`{text}` is no way to look: write script, or ax for the browser's accessibility tree")),
    }
}

/// Whether a way to look is the usual one, which need not be written.
pub fn is_usual(via: &Via) -> bool {
    *via == Via::default()
}

/// `X,Y` in pixels: CSS pixels of the main viewport, or pixels of the screen.
pub fn parse_point(text: &str) -> Result<Point, String> {
    let numbers: Vec<f64> =
        text.split(',').filter_map(|p| p.trim().parse().ok()).filter(|n: &f64| n.is_finite()).collect();
    match numbers[..] {
        [x, y] if text.split(',').count() == 2 => Ok(Point::new(x, y)),
        _ => Err(format!("`{text}` is not a place: write it as X,Y in pixels, such as 120,45.5")),
    }
}

impl TargetArgs {
    /// The number of the target, where it is named by one.
    pub fn refs(&self) -> Vec<u32> {
        self.r#ref.into_iter().collect()
    }

    /// Whether no target was named.
    pub fn is_empty(&self) -> bool {
        self.r#ref.is_none() && self.locators.is_empty()
    }

    /// The locators to try, in order: the number first.
    pub fn locators(&self) -> Result<Vec<Locator>, Problem> {
        let number = self.r#ref.map(|n| Locator::Ref(Ref(n)));
        let rest = self.locators.iter().map(LocatorArg::locator).collect::<Result<Vec<_>, _>>()?;
        Ok(number.into_iter().chain(rest).collect())
    }
}

/// What must be true of the target at the moment of the action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ExpectArgs {
    /// Act only if the target shows this text [default: only if it still reads as it was last shown to you]
    #[arg(long, value_name = "TEXT", value_parser = parse_expected, help_heading = "Expectation")]
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some_expected")]
    pub expect: Option<String>,
    /// Act without checking what the target shows
    #[arg(long, conflicts_with = "expect", help_heading = "Expectation")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expect_any: bool,
    /// Where the target has no text and no model can judge its picture by --expect: act on it all the same, or refuse
    #[arg(
        long,
        value_name = "act|refuse",
        requires = "expect",
        hide_possible_values = true,
        help_heading = "Expectation"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverifiable: Option<Unverifiable>,
}

/// A text that says something. An empty one is a mistake, as where a script's variable isn't set: it would hold the target to
/// nothing that the caller meant.
fn parse_expected(text: &str) -> Result<String, String> {
    match handeye_engine::matching::normalize(text).is_empty() {
        false => Ok(text.to_owned()),
        true => Err("an empty text expects nothing: write what the target shows, or leave it out, which holds the target to what you were last shown".to_owned()),
    }
}

fn some_expected<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| parse_expected(&text).map_err(serde::de::Error::custom)).transpose()
}

impl ExpectArgs {
    /// The expectation that is meant.
    pub fn expectation(&self) -> Expectation {
        match (&self.expect, self.expect_any) {
            (_, true) => Expectation::Any,
            (Some(text), false) => Expectation::Text(text.clone()),
            (None, false) => Expectation::LastShown,
        }
    }
}
