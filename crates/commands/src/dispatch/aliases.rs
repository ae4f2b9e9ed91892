//! What other tools call our commands: names that are taken as ours, and names for which ours is suggested.

use crate::core::command::Entry;
use crate::dispatch::catalog::COMMANDS;

/// What is taken as one of ours: the other name and ours.
pub const ALIASES: &[(&str, &str)] =
    &[("press", "keys"), ("fill", "input"), ("goto", "open"), ("navigate", "open"), ("tab", "tabs")];

/// Words that stand for a command with its first argument.
pub const SHORTHANDS: &[(&str, [&str; 2])] = &[
    ("minimize", ["window", "minimise"]),
    ("minimise", ["window", "minimise"]),
    ("maximize", ["window", "maximise"]),
    ("maximise", ["window", "maximise"]),
];

/// Names that we don't take, since their arguments differ, by the command that does what they mean. Without case, `-` and `_`.
const MEANINGS: &[(&str, &str)] = &[
    // What is looked at.
    ("a11y", "snapshot"),
    ("accessibility", "snapshot"),
    ("browse", "open"),
    ("capture", "screenshot"),
    ("describe", "inspect"),
    ("dom", "state"),
    ("elements", "state"),
    ("info", "inspect"),
    ("load", "open"),
    ("look", "state"),
    ("picture", "screenshot"),
    ("print", "pdf"),
    ("query", "find"),
    ("queryselector", "find"),
    ("read", "state"),
    ("savepdf", "pdf"),
    ("search", "find"),
    ("shot", "screenshot"),
    ("takescreenshot", "screenshot"),
    ("text", "get"),
    ("title", "get"),
    ("tree", "state"),
    ("url", "open"),
    ("view", "state"),
    ("visit", "open"),
    // What is waited for.
    ("pause", "wait"),
    ("sleep", "wait"),
    ("waitfor", "wait"),
    ("waitforselector", "wait"),
    ("waituntil", "wait"),
    // What is done to a target.
    ("activate", "click"),
    ("attach", "upload"),
    ("choose", "select"),
    ("clear", "input"),
    ("contextclick", "rightclick"),
    ("contextmenu", "rightclick"),
    ("doubleclick", "dblclick"),
    ("dragdrop", "drag"),
    ("draganddrop", "drag"),
    ("enter", "input"),
    ("hit", "click"),
    ("hotkey", "keys"),
    ("key", "keys"),
    ("mark", "highlight"),
    ("mouseover", "hover"),
    ("move", "hover"),
    ("option", "select"),
    ("presskey", "keys"),
    ("push", "click"),
    ("rclick", "rightclick"),
    ("scrollintoview", "scroll"),
    ("scrollto", "scroll"),
    ("selectoption", "select"),
    ("sendkeys", "keys"),
    ("settext", "input"),
    ("setvalue", "input"),
    ("shortcut", "keys"),
    ("swipe", "scroll"),
    ("tap", "click"),
    ("tick", "check"),
    ("toggle", "check"),
    ("uploadfile", "upload"),
    ("untick", "uncheck"),
    ("wheel", "scroll"),
    ("write", "type"),
    // Pages and tabs.
    ("accept", "dialog"),
    ("alert", "dialog"),
    ("confirm", "dialog"),
    ("dismiss", "dialog"),
    ("goback", "back"),
    ("goforward", "forward"),
    ("newtab", "tabs"),
    ("previous", "back"),
    ("prompt", "dialog"),
    ("refresh", "reload"),
    ("switchtab", "tabs"),
    // Scripts, settings, what the browser keeps and hears.
    ("copy", "clipboard"),
    ("cookie", "cookies"),
    ("device", "set"),
    ("emulate", "set"),
    ("evaluate", "eval"),
    ("exceptions", "errors"),
    ("exec", "eval"),
    ("execute", "eval"),
    ("geolocation", "set"),
    ("grant", "permissions"),
    ("har", "network"),
    ("intercept", "network"),
    ("javascript", "eval"),
    ("js", "eval"),
    ("localstorage", "storage"),
    ("log", "console"),
    ("logs", "console"),
    ("mock", "network"),
    ("paste", "clipboard"),
    ("permission", "permissions"),
    ("requests", "network"),
    ("resize", "set"),
    ("route", "network"),
    ("script", "eval"),
    ("sessionstorage", "storage"),
    ("viewport", "set"),
    // Windows, sessions and the program itself.
    ("app", "launch"),
    ("diagnose", "doctor"),
    ("end", "close"),
    ("exit", "close"),
    ("focuswindow", "focus"),
    ("listwindows", "windows"),
    ("quit", "close"),
    ("restore", "window"),
    ("run", "launch"),
    ("session", "sessions"),
    ("settings", "config"),
    ("start", "launch"),
    ("stop", "close"),
];

/// Options that a command doesn't take, by what does what they mean.
const OPTIONS: &[(&str, &str, &str)] = &[("close", "--all", "sessions stop --all")];

/// The command line that does what an option of a command would mean that it doesn't take.
pub fn by_option(command: &str, option: &str) -> Option<&'static str> {
    OPTIONS.iter().find(|(of, wrong, _)| (*of, *wrong) == (command, option)).map(|(.., line)| *line)
}

/// The entry named `name`, or that other tools call so.
pub fn find(name: &str) -> Option<&'static Entry> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, ours)| ours);
    COMMANDS.iter().find(|e| e.name == name)
}

/// The command that is nearest by meaning to a name that none has.
pub fn by_meaning(name: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect::<String>().to_lowercase();
    // The names of ours may be written in another way, too.
    let own = COMMANDS.iter().map(|entry| entry.name).find(|own| own.replace('-', "") == plain);
    let taken = || ALIASES.iter().find(|(other, _)| *other == plain).map(|(_, ours)| *ours);
    let meant = || MEANINGS.iter().find(|(other, _)| *other == plain).map(|(_, ours)| *ours);
    own.or_else(taken).or_else(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_of_one_command_that_there_is_and_is_none_itself() {
        let (mut seen, mut wrong) = (std::collections::HashSet::new(), Vec::new());
        let shorthands = SHORTHANDS.iter().map(|(other, words)| (*other, words[0]));
        for (other, ours) in ALIASES.iter().copied().chain(MEANINGS.iter().copied()).chain(shorthands) {
            let is_ours = COMMANDS.iter().any(|entry| entry.name == other);
            if !seen.insert(other) || is_ours || find(ours).is_none() {
                wrong.push(other);
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn a_name_is_known_by_its_meaning_however_it_is_written() {
        for (name, ours) in [
            ("tap", Some("click")),
            ("visit", Some("open")),
            ("wait_for", Some("wait")),
            ("waitFor", Some("wait")),
            ("js", Some("eval")),
            ("clickat", Some("click-at")),
            ("Goto", Some("open")),
            ("frobnicate", None),
        ] {
            assert_eq!(by_meaning(name), ours, "{name}");
        }
    }
}
