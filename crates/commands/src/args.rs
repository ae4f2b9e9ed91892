//! Arguments that several commands share: how a target is named, and what is expected of it.

use clap::{Arg, ArgAction, ArgMatches, Args, Command as Cli, FromArgMatches, error::ErrorKind};
use handeye_engine::{Expectation, Locator};
use handeye_scene::{Code, Point, Problem, Ref, Via};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// One locator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LocatorArg {
    /// XPath; an absolute one may lead through iframes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xpath: Option<String>,
    /// CSS selector, through shadow roots
    #[serde(skip_serializing_if = "Option::is_none")]
    pub css: Option<String>,
    /// ARIA role
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Accessible name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Test id
    #[serde(skip_serializing_if = "Option::is_none")]
    pub testid: Option<String>,
}

const OPTIONS: [(&str, &str, &str); 5] = [
    ("xpath", "XPATH", "XPath of the target; an absolute one may lead through iframes"),
    ("css", "SELECTOR", "CSS selector of the target, through shadow roots"),
    ("role", "ROLE", "ARIA role of the target, with --name"),
    ("name", "NAME", "Accessible name of the target; of what has none, all that it says"),
    ("testid", "ID", "Test id (data-testid) of the target"),
];

impl Args for TargetArgs {
    fn augment_args(cli: Cli) -> Cli {
        let number = Arg::new("ref")
            .value_name("REF")
            .help("Number of the target, as shown in the state")
            .value_parser(parse_ref);
        add_locators(cli.arg(number))
    }

    fn augment_args_for_update(cli: Cli) -> Cli {
        Self::augment_args(cli)
    }
}

impl FromArgMatches for TargetArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { r#ref: matches.get_one::<u32>("ref").copied(), locators: locators(matches)? })
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
            .help("Number of the target (left out when a locator names it), then the arguments; see Usage")
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
        let locators = locators(matches)?;
        let number = if locators.is_empty() && words.first().is_some_and(|w| parse_ref(w).is_ok()) {
            Some(
                parse_ref(&words.remove(0))
                    .map_err(|e| clap::Error::raw(ErrorKind::ValueValidation, format!("{e}\n")))?,
            )
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
    /// What to say of several words where one is wanted, before which no target is named: the first may be meant for its name.
    pub fn misnamed(&self, command: &str, words: &[String]) -> Option<Problem> {
        let (first, rest) = words.split_first()?;
        if !self.target.is_empty() || rest.is_empty() {
            return None;
        }
        let quoted = |text: &str| handeye_engine::outline::quote_own(text, 80);
        let text =
            format!("{} is not a target's number: give the number that the state shows, or --name", quoted(first));
        let rest: Vec<String> = rest.iter().map(|word| quoted(word)).collect();
        let problem = Problem::new(Code::BadRequest, text).hint(format!("handeye find {}", quoted(first)));
        Some(problem.hint(format!("handeye {command} --name {} {}", quoted(first), rest.join(" "))))
    }

    /// The words after the number.
    pub fn take_words(&mut self) -> Vec<String> {
        std::mem::take(&mut self.words)
    }
}

fn add_locators(cli: Cli) -> Cli {
    OPTIONS.iter().fold(cli, |cli, (name, value, help)| {
        let help = format!("{help} [repeatable; tried in order]");
        cli.arg(
            Arg::new(*name).long(*name).value_name(*value).help(help).action(ArgAction::Append).help_heading("Target"),
        )
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
            return Err(clap::Error::raw(ErrorKind::ValueValidation, format!("--{option} is empty\n")));
        }
        let value = Some(value);
        match (option, out.last_mut()) {
            ("name", Some(last)) if last.role.is_some() && last.name.is_none() => last.name = value,
            ("role", Some(last)) if last.name.is_some() && last.role.is_none() => last.role = value,
            ("xpath", _) => out.push(LocatorArg { xpath: value, ..Default::default() }),
            ("css", _) => out.push(LocatorArg { css: value, ..Default::default() }),
            ("role", _) => out.push(LocatorArg { role: value, ..Default::default() }),
            ("name", _) => out.push(LocatorArg { name: value, ..Default::default() }),
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

/// `5` or `[5]`.
pub fn parse_ref(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    match digits.parse::<u32>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(format!(
            "`{text}` is not a target's number: write it as the state shows it, such as 5, or name the target by --name, --role, --css or --xpath (handeye find TEXT)"
        )),
    }
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

impl LocatorArg {
    fn locator(&self) -> Result<Locator, Problem> {
        match self.clone() {
            Self { xpath: Some(x), css: None, role: None, name: None, testid: None } => Ok(Locator::Xpath(x)),
            Self { xpath: None, css: Some(s), role: None, name: None, testid: None } => Ok(Locator::Css(s)),
            Self { xpath: None, css: None, role: None, name: None, testid: Some(t) } => Ok(Locator::TestId(t)),
            Self { xpath: None, css: None, role, name, testid: None } if role.is_some() || name.is_some() => {
                Ok(Locator::Role { role, name })
            }
            _ => Err(Problem::new(Code::BadRequest, "a locator is one of xpath, css, testid, or role and name")),
        }
    }
}

/// What must be true of the target at the moment of the action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ExpectArgs {
    /// Act only if the target shows this text; without it, only if it is what you were last shown
    #[arg(long, value_name = "TEXT", help_heading = "Expectation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// Act whatever the target shows
    #[arg(long, conflicts_with = "expect", help_heading = "Expectation")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expect_any: bool,
}

impl ExpectArgs {
    /// The expectation that is meant.
    pub fn expectation(&self) -> Expectation {
        match (&self.expect, self.expect_any) {
            (_, true) => Expectation::Any,
            // An empty text says nothing, as when a script's variable is unset: what was last shown still holds.
            (Some(text), false) if !handeye_engine::matching::normalize(text).is_empty() => {
                Expectation::Text(text.clone())
            }
            _ => Expectation::LastShown,
        }
    }
}
