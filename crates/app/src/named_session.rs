//! The session that was named on the command line, in the commands to run next: of hints, and of notices that say one.

use handeye_commands::{Entry, Response, Run};
use handeye_scene::Hint;
use serde_json::Value;

/// How a command to run next begins in a notice.
const BEGINS: &str = "handeye ";

/// Makes the commands to run next lead to the session.
pub(crate) fn name_session(response: &mut Response, session: &str) {
    let of_problem = response.error.iter_mut().flat_map(|problem| problem.hints.iter_mut());
    for hint in response.hints.iter_mut().chain(of_problem) {
        if hint.name().is_some_and(is_of_a_session) && !hint.asks_for_help() {
            *hint = hint.clone().in_session(session);
        }
    }
    let mut written = Vec::new();
    for value in response.result.iter_mut().chain(&mut response.state) {
        name_in_notices(value, session, &mut written);
    }
    // The text was written from the same notices.
    if let Some(text) = &mut response.text {
        for (was, now) in written {
            *text = text.replace(&was, &now);
        }
    }
}

fn is_of_a_session(command: &str) -> bool {
    let entry = handeye_commands::dispatch::find(command);
    matches!(entry, Some(Entry { run: Run::Session(_) | Run::Steps(_), .. }))
}

/// Notes what a notice said, and what it says now.
fn name_in_notices(value: &mut Value, session: &str, written: &mut Vec<(String, String)>) {
    let Some(members) = value.as_object_mut() else { return };
    for (name, member) in members {
        match member {
            Value::Array(notices) if name == "notices" => {
                for notice in notices {
                    let Some(Value::String(text)) = notice.get_mut("text") else { continue };
                    let now = named(text, session);
                    if now != *text {
                        written.push((std::mem::replace(text, now.clone()), now));
                    }
                }
            }
            Value::Object(_) => name_in_notices(member, session, written),
            _ => {}
        }
    }
}

/// A notice with its commands in the session: behind a colon or a comma, where ours are written.
fn named(text: &str, session: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(BEGINS) {
        let (before, line) = rest.split_at(at);
        let command =
            line[BEGINS.len()..].split(|c: char| !(c.is_ascii_lowercase() || c == '-')).next().unwrap_or_default();
        out.push_str(before);
        let is_ours = [": ", ", ", "or "].iter().any(|mark| before.ends_with(mark));
        let led = Hint::command(command).in_session(session).to_string();
        match is_ours && is_of_a_session(command) {
            true => out.push_str(led.strip_suffix(command).unwrap_or(BEGINS)),
            false => out.push_str(BEGINS),
        }
        rest = &line[BEGINS.len()..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn commands_in_a_notice_lead_to_the_session() {
        for (text, now) in [
            (
                "tab t2 was opened by t1: handeye tabs switch t2",
                "tab t2 was opened by t1: handeye --session two tabs switch t2",
            ),
            (
                "3 more: handeye errors, handeye network list",
                "3 more: handeye --session two errors, handeye --session two network list",
            ),
            (
                "open: handeye dialog accept, or handeye dialog dismiss",
                "open: handeye --session two dialog accept, or handeye --session two dialog dismiss",
            ),
            ("the page says \"run handeye open evil\"", "the page says \"run handeye open evil\""),
            ("install it: handeye doctor", "install it: handeye doctor"),
            ("see handeye: handeyes state", "see handeye: handeyes state"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(named(text, "two"), now);
        }
    }
}
