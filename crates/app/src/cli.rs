//! The command line, made from the list of commands.
//!
//! Only the subcommand that is named is built: building all of them costs more than a whole warm call.

use crate::chat::{self, Serve, Token};
use crate::config::{Given, parse_seconds};
use crate::help;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command, FromArgMatches};
use handeye_commands::core::named::parse_named;
use handeye_commands::core::tab_id::TabId;
use handeye_commands::dispatch::find;
use handeye_commands::trace::line::Asked;
use handeye_commands::{ALIASES, COMMANDS, Entry, ReturnState, SHORTHANDS, by_meaning, by_option};
use handeye_scene::{Backend, Code, Hint, Problem};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;

/// Options of every command, before or after its name.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Globals {
    /// Session to run in: 1 to 64 letters, digits, `_` or `-` [default: default] [env: HANDEYE_SESSION]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Print one JSON value, for problems too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Return the state too: the change since it was last shown, or all of it
    #[arg(long, global = true, value_name = "change|full", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "change", hide_possible_values = true)]
    pub(crate) return_state: Option<ReturnState>,
    /// Limit on the whole command, in seconds [env: HANDEYE_TIMEOUT]
    #[arg(long, global = true, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<f64>,
    /// Window to look at from here on (desktop): part of its title or process, or its handle
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) window: Option<String>,
    /// Tab to look at in this call (web), by its number, such as 2 or t2; the active tab stays the active one
    #[arg(long, global = true, value_name = "N")]
    pub(crate) tab: Option<TabId>,
    /// By what windows are looked into (Windows): UI Automation, or window messages to Win32's own controls
    #[arg(long, global = true, value_name = "uia|win32", value_parser = parse_backend)]
    pub(crate) backend: Option<Backend>,
    /// Record the session into this file, to replay it in a test or to report a fault: with the command that opens it, before anything is open. Pages' texts are in it, passwords and secrets are not
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Trace the session into this new folder: commands, answers, states, pictures before and after, console and what models were asked, chained by digests (see handeye trace). With the command that opens it, before anything is open. Passwords and secrets are not in it
    #[arg(long, global = true, value_name = "FOLDER", conflicts_with = "record")]
    pub(crate) trace: Option<PathBuf>,
    /// What the caller's own model was asked before this call
    #[arg(skip)]
    pub(crate) asked: Vec<Asked>,
    /// Configuration file [default: the nearest handeye.toml] [env: HANDEYE_CONFIG]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl Globals {
    /// The part that concerns configuration.
    pub(crate) fn given(&self) -> Given {
        Given { session: self.session.clone(), timeout: self.timeout, config: self.config.clone() }
    }
}

/// A call, parsed.
pub(crate) struct Call {
    /// The command.
    pub(crate) entry: &'static Entry,
    /// Its arguments, in their wire form.
    pub(crate) args: Value,
    /// The rest.
    pub(crate) globals: Globals,
}

/// What a command line asks for.
pub(crate) enum Parsed {
    /// A command.
    Call(Call),
    /// Help or version.
    Text(String),
    /// To serve agents.
    Mcp {
        /// What holds for all of their calls.
        globals: Globals,
        /// Where to listen for them; without it, one is served on standard input and output.
        http: Option<String>,
    },
    /// To show a session live.
    View {
        /// Which, among others.
        globals: Globals,
        /// Where to listen.
        http: Option<String>,
    },
    /// To serve the chat.
    Serve {
        /// What says where the configuration is.
        globals: Globals,
        /// How.
        serve: Serve,
    },
    /// To make, list or revoke tokens of the chat.
    Token {
        /// Whether it is told as JSON.
        json: bool,
        /// What to do.
        token: Token,
        /// On which database.
        database: Option<String>,
    },
}

/// A command line that is wrong.
pub(crate) struct Refused {
    /// Why.
    pub(crate) problem: Problem,
    /// Whether it asked for JSON.
    pub(crate) json: bool,
    /// The session and the configuration that it names.
    pub(crate) given: Box<Given>,
}

/// What a command line says of session and configuration, whatever else is wrong with it.
fn given_in(args: &[OsString]) -> Given {
    let value = |name: &str| {
        let mut args = args.iter().take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str());
        let is_it = |rest: &&str| rest.is_empty() || rest.starts_with('=');
        let option = args.find_map(|arg| arg.strip_prefix(name).filter(is_it))?;
        option.strip_prefix('=').or_else(|| args.next()).map(str::to_owned)
    };
    Given { session: value("--session"), timeout: None, config: value("--config").map(PathBuf::from) }
}

/// Reads a command line, without the program's name.
pub(crate) fn parse(args: Vec<OsString>) -> Result<Parsed, Refused> {
    let args = spelled_out(args);
    match parse_as_written(args.clone()) {
        Err(refused) => match typed_into_a_target(&args) {
            // What is wrong with it in the other form says less of what was written.
            Some(other) => parse_as_written(other).map_err(|_| refused),
            None => Err(refused),
        },
        parsed => parsed,
    }
}

/// The command line with a shorthand in its full form: `minimize` is `window minimise`.
fn spelled_out(mut args: Vec<OsString>) -> Vec<OsString> {
    let name = position(&args);
    let full = name.and_then(|at| SHORTHANDS.iter().find(|(short, _)| args[at] == *short));
    if let (Some(at), Some((_, words))) = (name, full) {
        args.splice(at..=at, words.iter().map(OsString::from));
    }
    args
}

/// `type REF TEXT`, which other tools have, as `input REF TEXT --method keys`. The target may be a locator, too.
fn typed_into_a_target(args: &[OsString]) -> Option<Vec<OsString>> {
    let at = position(args).filter(|at| args[*at] == "type")?;
    let mut words = args.iter().skip(at + 1).filter_map(|arg| arg.to_str()).filter(|arg| !arg.starts_with("--"));
    let is_target = words.next().is_some_and(|first| parse_named(first).is_ok());
    let mut other = args.to_vec();
    other.splice(at..=at, ["input", "--method", "keys"].map(OsString::from));
    (is_target && words.next().is_some()).then_some(other)
}

fn parse_as_written(args: Vec<OsString>) -> Result<Parsed, Refused> {
    let json = args.iter().take_while(|a| *a != "--").any(|a| a == "--json");
    let given = given_in(&args);
    let refuse = |problem| Refused { problem, json, given: Box::new(given.clone()) };
    let word = subcommand(&args);
    let named = word.and_then(find);
    let front = help::FRONTS.iter().find(|(name, _)| word == Some(name));
    let garbled = args.iter().find(|a| a.to_str().is_none()).cloned();
    let cli = match (named, front) {
        (Some(entry), _) => root().subcommand(subcommand_of(entry)),
        (None, Some((name, about))) => root().subcommand(help::front(name, about)),
        (None, None) => whole(),
    };
    let argv = std::iter::once(OsString::from("handeye")).chain(args);
    let matches = match cli.try_get_matches_from(argv) {
        Ok(matches) => matches,
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return Ok(Parsed::Text(e.to_string()));
        }
        Err(e) => return Err(refuse(usage(&e, named))),
    };
    let Some((name, args)) = matches.subcommand() else {
        return Ok(Parsed::Text(help::overview(&mut whole())));
    };
    if let Some((front, _)) = front {
        let globals = Globals::from_arg_matches(args).map_err(|e| refuse(usage(&e, None)))?;
        return match *front {
            "serve" => Ok(Parsed::Serve { globals, serve: Serve::from_matches(args) }),
            "token" => {
                let told = chat::token_from_matches(args);
                let (token, database) = told.ok_or_else(|| {
                    refuse(Problem::new(Code::BadRequest, "`token` needs to be told what: create, list or revoke"))
                })?;
                Ok(Parsed::Token { json, token, database })
            }
            "view" => Ok(Parsed::View { globals, http: args.get_one::<String>("http").cloned() }),
            _ => Ok(Parsed::Mcp { globals, http: args.get_one::<String>("http").cloned() }),
        };
    }
    let Some(entry) = find(name) else {
        return Err(refuse(
            Problem::new(Code::BadRequest, format!("there is no command `{name}`")).hint("handeye help"),
        ));
    };
    let globals = Globals::from_arg_matches(args).map_err(|e| refuse(usage(&e, named)))?;
    let args = (entry.from_cli)(args).map_err(|problem| match garbled {
        // Files may have such names, JSON strings can't.
        Some(arg) => refuse(Problem::new(
            Code::File,
            format!("the path {} isn't valid UTF-8, which the browser needs", arg.display()),
        )),
        None => refuse(readable(problem, entry)),
    })?;
    Ok(Parsed::Call(Call { entry, args, globals }))
}

/// Every command.
pub(crate) fn whole() -> Command {
    let fronts = help::FRONTS.iter().map(|(name, about)| help::front(name, about));
    let root = COMMANDS.iter().fold(help::dress(root()), |root, entry| root.subcommand(subcommand_of(entry)));
    root.subcommands(fronts)
}

fn root() -> Command {
    // The globals' own description would take the place of the command's, so that comes after them.
    Globals::augment_args(Command::new("handeye").bin_name("handeye").version(crate::version::VERSION))
        .about(help::ABOUT)
}

fn subcommand_of(entry: &Entry) -> Command {
    let aliases = ALIASES.iter().filter(|(_, ours)| *ours == entry.name).map(|(alias, _)| *alias);
    numbers((entry.cli)().aliases(aliases))
}

/// Lets values be negative numbers, everywhere: coordinates are.
fn numbers(command: Command) -> Command {
    command
        .mut_args(|arg| if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(numbers)
}

/// The command's name.
fn subcommand(args: &[OsString]) -> Option<&str> {
    position(args).and_then(|at| args.get(at)?.to_str())
}

/// Where the first word stands that is no option: the command's name.
fn position(args: &[OsString]) -> Option<usize> {
    let mut args = args.iter().enumerate();
    while let Some((at, arg)) = args.next() {
        match arg.to_str()? {
            "--session" | "--timeout" | "--config" | "--window" | "--tab" | "--backend" | "--record" | "--trace" => {
                args.next();
            }
            // Help before the name is help on everything.
            "--help" | "-h" => return None,
            option if option.starts_with('-') => {}
            _ => return Some(at),
        }
    }
    None
}

/// An interface to windows.
fn parse_backend(text: &str) -> Result<Backend, String> {
    match text {
        "uia" => Ok(Backend::Uia),
        "win32" => Ok(Backend::Win32),
        _ => Err(format!("`{text}` is no way to look into windows: write uia or win32")),
    }
}

/// A usage error in the form of every other problem.
fn usage(error: &clap::Error, named: Option<&Entry>) -> Problem {
    let help = named.map_or_else(|| "handeye help".into(), |entry| Hint::command(entry.name).arg("--help"));
    if let (ErrorKind::InvalidSubcommand, Some(entry)) = (error.kind(), named) {
        let wrong = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string).unwrap_or_default();
        let known = parts(&(entry.cli)()).join(", ");
        let text = format!("`{wrong}` is nothing that `{}` does: write one of {known}", entry.name);
        return Problem::new(Code::BadRequest, text).hint(help);
    }
    if let (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, Some(entry)) = (error.kind(), named) {
        let known = parts(&(entry.cli)()).join(", ");
        return Problem::new(Code::BadRequest, format!("`{}` needs to be told what: {known}", entry.name)).hint(help);
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let text = text.split("\n\nUsage:").next().unwrap_or(text);
    let text = text.split("\n\nFor more information").next().unwrap_or(text);
    let message: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let problem = Problem::new(Code::BadRequest, message.join("; ").replace(":;", ":"));
    if let Some(entry) = named {
        let wrong = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
        let meant = by_option(entry.name, &wrong).map(|line| format!("handeye {line}"));
        return meant.into_iter().fold(problem, Problem::hint).hint(help);
    }
    let wrong = error.get(ContextKind::InvalidSubcommand).map(ToString::to_string).unwrap_or_default();
    let problem = match error.kind() {
        ErrorKind::InvalidSubcommand => Problem::new(Code::BadRequest, format!("there is no command `{wrong}`")),
        _ => problem,
    };
    let mut meant: Vec<String> = by_meaning(&wrong).into_iter().map(str::to_owned).collect();
    if let Some(ContextValue::Strings(names)) = error.get(ContextKind::SuggestedSubcommand) {
        // The likest comes last there.
        meant.extend(names.iter().rev().filter(|name| !meant.contains(name)).cloned().collect::<Vec<_>>());
    }
    let hints = meant.iter().map(|name| Hint::command(name).arg("--help"));
    hints.fold(problem, Problem::hint).hint(help)
}

/// Names of the parts of a command.
fn parts(command: &Command) -> Vec<String> {
    command.get_subcommands().map(|part| part.get_name().to_owned()).collect()
}

/// Errors that a command raises while its arguments are read come with clap's frame around them.
fn readable(mut problem: Problem, entry: &Entry) -> Problem {
    if let Some(text) = problem.message.strip_prefix("error: ") {
        problem.message = text.trim().to_owned();
    }
    if problem.hints.is_empty() {
        problem.hints.push(Hint::command(entry.name).arg("--help"));
    }
    problem
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    /// Texts that no number is, and numbers that are too much.
    const JUNK: [&str; 8] = ["abc", "", "1.5x", "-1", "1e99", "NaN", "inf", "99999999999999999999999"];

    /// Every argument of a command and its parts, with the path to it.
    fn arguments(command: &Command, path: &str) -> Vec<(String, Arg)> {
        let here = command.get_arguments().map(|arg| (format!("{path} {}", arg.get_id()), arg.clone()));
        let below = command.get_subcommands().flat_map(|part| arguments(part, &format!("{path} {}", part.get_name())));
        here.chain(below).collect()
    }

    #[test]
    fn a_wrong_value_of_any_argument_is_answered_by_what_to_write() {
        let (mut wrong, mut refused) = (Vec::new(), 0);
        for (path, arg) in arguments(&whole(), "handeye") {
            for junk in JUNK {
                let alone = Arg::new("value").long("value").value_parser(arg.get_value_parser().clone());
                let command = Command::new("x").arg(alone.allow_hyphen_values(true));
                let Err(error) = command.try_get_matches_from(["x", "--value", junk]) else { continue };
                refused += 1;
                let said = usage(&error, None).message;
                if !["write ", "give ", "possible values", "a value is required"].iter().any(|way| said.contains(way)) {
                    wrong.push(format!("{path} {junk:?}: {said}"));
                }
            }
        }
        assert!(refused > 300, "only {refused} were refused");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
