//! What `handeye --help` says: the commands by what they are for, examples, exit statuses, configuration.

use crate::chat;
use crate::config::VARIABLES;
use clap::{Arg, Command};
use handeye_commands::COMMANDS;
use std::fmt::Write;

/// What handeye is.
pub(crate) const ABOUT: &str = "Turns a web page or a desktop window into a numbered list of targets, acts on a number, and proves that it acted on the right thing.";

/// Commands by what they are for. One that is in no group is shown under the last.
pub(crate) const GROUPS: &[(&str, &[&str])] = &[
    ("See", &["open", "state", "find", "locate", "inspect", "get", "screenshot", "pdf", "highlight", "wait", "verify"]),
    (
        "Act on a target",
        &[
            "click",
            "dblclick",
            "rightclick",
            "hover",
            "focus",
            "input",
            "fill-form",
            "type",
            "keys",
            "select",
            "check",
            "uncheck",
            "expand",
            "collapse",
            "upload",
            "download",
            "scroll",
            "drag",
        ],
    ),
    ("Act on a place", &["click-at", "dblclick-at", "rightclick-at", "drag-at", "mouse", "keydown", "keyup"]),
    ("Go around", &["back", "forward", "reload", "tabs", "dialog", "batch", "close"]),
    ("Set up", &["set", "permissions", "clipboard", "eval"]),
    ("Listen", &["console", "errors", "network"]),
    ("What the browser keeps", &["cookies", "storage"]),
    ("Use the desktop", &["windows", "launch", "menu", "window"]),
    ("Work on a task", &["do", "collect", "extract", "observe", "act"]),
    ("Manage", &["sessions", "config", "models", "skill", "trace", "doctor", "completions", "version"]),
];

/// What serves others than the shell.
pub(crate) const FRONTS: &[(&str, &str)] = &[
    ("mcp", "Serve an agent over standard input and output, by the Model Context Protocol"),
    (
        "view",
        "Show a session live in a browser of this machine: its screen, what it does, and questions of the policy to answer",
    ),
    ("serve", "Serve the chat about the page that a person looks at, over HTTP"),
    ("token", "Make, list and revoke tokens of the chat's users"),
];

/// What takes the arguments of one of [`FRONTS`].
pub(crate) fn front(name: &'static str, about: &'static str) -> Command {
    let command = Command::new(name).about(about);
    match name {
        "serve" => return chat::serve_command(command),
        "token" => return chat::token_command(command),
        "view" => {
            let http = Arg::new("http").long("http").value_name("ADDRESS");
            return command.arg(http.help("Listen here, such as on 127.0.0.1:8933 [default: any free port]"));
        }
        _ => {}
    }
    let http = Arg::new("http").long("http").value_name("ADDRESS");
    command.arg(http.help(
        "Listen here instead, such as on 127.0.0.1:8931, and serve streamable HTTP at /mcp to who shows the token",
    ))
}

const EXAMPLES: &str = "\
Examples:
  handeye open https://example.com        open a page; the session's browser starts
  handeye state                           read the page as numbered targets
  handeye click 3 --expect \"Sign in\"      click [3], only if it still says so
  handeye input 5 \"Ann\" --return-state    fill in [5], and see what changed
  handeye find --role button --name Pay   look a target up
  handeye open desktop:                   look at the windows of the desktop instead
  handeye do \"Find the opening hours\" --on https://example.com
                                          let the configured model do it
  handeye close                           end the session and its browser";

const STATUSES: &str = "\
Exit status:
  0  done, and confirmed where there was something to confirm
  1  not confirmed: no effect, contradicted, unverifiable; or a check of `doctor` failed
  2  a problem: error[CODE] on standard error, with commands to try next";

const JSON: &str = "\
With --json standard output holds one value: the command's result; with --return-state
{\"result\", \"state\"}; for a problem {\"error\": {\"code\", \"message\", \"hints\"}}.

Commands of a session run one at a time, in the order in which they come; of several sessions
(--session NAME) at once.";

const CONFIGURATION: &str = "\
Configuration: flags over environment over file over defaults; `handeye config show` tells
what holds and why. The file is --config FILE, else $HANDEYE_CONFIG, else the nearest
handeye.toml here or in a folder above, else ~/.config/handeye/handeye.toml (or where
$XDG_CONFIG_HOME says). One that is found in a folder may set only what starts nothing. The
environment:";

/// Gives the root command its own help.
pub(crate) fn dress(root: Command) -> Command {
    root.override_usage("handeye COMMAND [ARGUMENTS] [OPTIONS]")
        .help_template("{about}\n\nUsage: {usage}\n\n{before-help}{options}{after-help}\n")
        .before_help(commands())
        .after_help(after())
}

/// The help of everything.
pub(crate) fn overview(whole: &mut Command) -> String {
    whole.render_help().to_string()
}

fn commands() -> String {
    let mut text = String::new();
    for (group, names) in groups() {
        let _ = writeln!(text, "{group}:");
        for (name, about) in names {
            let _ = writeln!(text, "  {name:<14} {}", short(&about));
        }
        text.push('\n');
    }
    text.push_str("handeye COMMAND --help tells more of one.\n\nOptions of every command:");
    text
}

/// At most one line of it: what comes after the last break that fits, else after the last word, is left to the command's own help.
fn short(about: &str) -> String {
    const ROOM: usize = 80;
    let Some((head, rest)) = about.split_at_checked(ROOM).filter(|(_, rest)| !rest.is_empty()) else {
        return about.to_owned();
    };
    if let Some(end) = [", ", "; ", ": ", " ("].iter().filter_map(|at| head.rfind(at)).max() {
        return head.get(..end).unwrap_or(head).to_owned();
    }
    let words = if rest.starts_with(' ') { head } else { head.rsplit_once(' ').map_or(head, |(words, _)| words) };
    format!("{words} …")
}

fn after() -> String {
    let mut text = format!("{EXAMPLES}\n\n{STATUSES}\n\n{JSON}\n\n{CONFIGURATION}\n");
    for (name, meaning) in VARIABLES {
        let _ = writeln!(text, "  {name:<20} {meaning}");
    }
    text.trim_end().to_owned()
}

/// Every command with what it does, by group.
pub(crate) fn groups() -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let about = |name: &str| {
        COMMANDS
            .iter()
            .find(|e| e.name == name)
            .map(|e| (e.name, (e.cli)().get_about().map(ToString::to_string).unwrap_or_default()))
    };
    let mut groups: Vec<_> = GROUPS
        .iter()
        .map(|(group, names)| (*group, names.iter().filter_map(|n| about(n)).collect::<Vec<_>>()))
        .collect();
    let grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    if let Some((_, rest)) = groups.last_mut() {
        rest.extend(COMMANDS.iter().filter(|e| !grouped(e.name)).filter_map(|e| about(e.name)));
    }
    groups.retain(|(_, names)| !names.is_empty());
    groups.push(("Serve agents and people", FRONTS.iter().map(|(name, about)| (*name, (*about).to_owned())).collect()));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_description_ends_within_a_word() {
        for (_, names) in groups() {
            for (name, about) in names {
                let short = short(&about);
                let kept = short.strip_suffix(" …").unwrap_or(&short);
                let next = about.strip_prefix(kept).expect(name).chars().next();
                assert!(next.is_none_or(|next| !next.is_alphanumeric()), "{name}: {short}");
                assert!(short.chars().count() <= 82, "{name}: {short}");
            }
        }
        assert_eq!(short(&"longer ".repeat(20)), format!("{}…", "longer ".repeat(11)));
    }
}
