//! The list of `batch`, read where its caller is: from a file, standard input or the arguments, each line as the command line
//! reads it. What the daemon gets is the list of calls.

use crate::cli::{self, Call, Globals, Parsed};
use crate::config;
use handeye_commands::core::steps::Step;
use handeye_commands::dispatch::find;
use handeye_commands::flow::batch::{Batch, Written};
use handeye_commands::{Entry, Run};
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::File;
use std::io::{IsTerminal, Read};

/// Bytes of a list, at most.
const LARGEST: u64 = 4 * 1024 * 1024;
/// How standard input is named.
const STDIN: &str = "-";

/// What a caller may name, and may not.
#[derive(Clone, Copy)]
pub(crate) struct Caller {
    /// Whether standard input is the caller's list, and not a protocol.
    pub(crate) has_stdin: bool,
    /// Refuses arguments that this caller must not give.
    pub(crate) check: fn(&Value) -> Result<(), Problem>,
}

/// Whoever runs the command line.
pub(crate) const ANYONE: Caller = Caller { has_stdin: true, check: |_| Ok(()) };

/// A call, with its list read where it is one.
pub(crate) fn spelled_out(call: Call, caller: Caller) -> Result<Call, Problem> {
    if !is_list(call.entry) {
        return Ok(call);
    }
    Ok(Call { args: read(call.args, caller)?, ..call })
}

/// Whether a call is a list of others.
pub(crate) const fn is_list(entry: &Entry) -> bool {
    matches!(entry.run, Run::Steps(_))
}

/// Puts the calls in the place of files and lines. Nothing is run where one of them can't be read.
pub(crate) fn read(args: Value, caller: Caller) -> Result<Value, Problem> {
    let wrong = |e: serde_json::Error| {
        Problem::new(Code::BadRequest, format!("the list of commands is wrong: {e}")).hint("handeye batch --help")
    };
    let Batch { file, keep_going, steps } = serde_json::from_value(args).map_err(wrong)?;
    let written = match (file, steps.is_empty()) {
        (Some(_), false) => {
            let what = "the commands are given twice: in a file and as steps";
            return Err(Problem::new(Code::BadRequest, what).hint("handeye batch --help"));
        }
        (None, false) => steps.into_iter().map(|step| (None, step)).collect(),
        (file, true) => lines(&text_of(file.as_deref().unwrap_or(STDIN), caller)?)?,
    };
    let mut calls = Vec::new();
    for (at, (line, written)) in written.into_iter().enumerate() {
        let place = line.map_or_else(|| format!("step {}", at + 1), |line| format!("line {line}"));
        let step = step_of(written, line).and_then(|step| brought(step, caller)).map_err(|mut problem| {
            problem.message = format!("{place}: {}; nothing was run", problem.message);
            problem
        })?;
        calls.push(Written::Call(step));
    }
    serde_json::to_value(Batch { file: None, keep_going, steps: calls }).map_err(wrong)
}

/// Whether the first call of a list opens what the rest is for.
pub(crate) fn opens(args: &Value) -> bool {
    first(args).and_then(|step| find(step.get("command")?.as_str()?)).is_some_and(|entry| entry.opens)
}

fn first(args: &Value) -> Option<&Value> {
    args.get("steps")?.as_array()?.first()
}

/// Whether a call of a list asks models.
pub(crate) fn asks_models(args: &Value) -> bool {
    let steps = args.get("steps").and_then(Value::as_array).into_iter().flatten();
    let mut steps = steps.filter_map(|step| Some((find(step.get("command")?.as_str()?)?, step.get("args"))));
    steps.any(|(entry, args)| (entry.asks_models)(args.unwrap_or(&Value::Null)))
}

/// The text of the list.
fn text_of(file: &str, caller: Caller) -> Result<String, Problem> {
    let fails = |e: std::io::Error| {
        let what = if file == STDIN { "standard input" } else { file };
        Problem::new(Code::File, format!("the list of commands can't be read from {what}: {e}"))
            .hint("handeye batch --help")
    };
    let mut bytes = Vec::new();
    if file == STDIN {
        if !caller.has_stdin {
            let what = "the commands are missing: give them as `steps`, or name a `file`";
            return Err(Problem::new(Code::BadRequest, what).hint("handeye batch --help"));
        }
        if std::io::stdin().is_terminal() {
            return Err(Problem::new(
                Code::BadRequest,
                "the commands are missing: name a file, or write them to batch",
            )
            .hint("handeye batch FILE")
            .hint("printf 'state\\nclick 3\\n' | handeye batch"));
        }
        std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes).map_err(fails)?;
    } else {
        File::open(file).map_err(fails)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(fails)?;
    }
    if bytes.len() as u64 > LARGEST {
        let what = format!("the list of commands is larger than {} MB", LARGEST / (1024 * 1024));
        return Err(Problem::new(Code::BadRequest, what).hint("handeye batch --help"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::new(Code::File, "the list of commands isn't UTF-8").hint("handeye batch --help"))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The commands of a list and the lines that they stand in: a JSON array, or lines of which each is an object or a command line.
/// Empty lines, and those that begin with #, say nothing.
fn lines(text: &str) -> Result<Vec<(Option<usize>, Written)>, Problem> {
    if text.trim_start().starts_with('[') {
        let all: Vec<Value> = serde_json::from_str(text).map_err(|e| {
            Problem::new(Code::BadRequest, format!("the list begins with [ and is no JSON array: {e}"))
                .hint("handeye batch --help")
        })?;
        let read = |(at, value): (usize, Value)| {
            let written = written(value).map_err(|e| misread(&format!("step {}", at + 1), &e))?;
            Ok::<(Option<usize>, Written), Problem>((None, written))
        };
        return all.into_iter().enumerate().map(read).collect();
    }
    let mut out = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let (number, line) = (at + 1, line.trim());
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let one = if line.starts_with('{') {
            let value = serde_json::from_str::<Value>(line).map_err(|e| misread(&format!("line {number}"), &e));
            value.and_then(|value| written(value).map_err(|e| misread(&format!("line {number}"), &e)))?
        } else {
            Written::Line(line.to_owned())
        };
        out.push((Some(number), one));
    }
    Ok(out)
}

fn written(value: Value) -> Result<Written, serde_json::Error> {
    match value {
        Value::String(line) => Ok(Written::Line(line)),
        other => serde_json::from_value(other).map(Written::Call),
    }
}

fn misread(place: &str, e: &serde_json::Error) -> Problem {
    let what = format!("{place}: no command can be read: {e}; nothing was run");
    Problem::new(Code::BadRequest, what).hint("handeye batch --help")
}

/// The call that is written.
fn step_of(written: Written, line: Option<usize>) -> Result<Step, Problem> {
    match written {
        Written::Call(mut step) => {
            if let Some(entry) = find(&step.command).filter(|entry| matches!(entry.run, Run::Session(_))) {
                step.args = (entry.resolve_paths)(step.args)?;
            }
            step.line = step.line.or(line);
            Ok(step)
        }
        Written::Line(text) => {
            let words = shlex::split(&text).ok_or_else(|| {
                Problem::new(Code::BadRequest, "a quote is open, or it ends with a backslash")
                    .hint("handeye batch --help")
            })?;
            let words = if words.first().is_some_and(|word| word == "handeye") { &words[1..] } else { &words[..] };
            let Call { entry, args, globals } = call(words)?;
            let Globals { return_state, timeout, window, tab, backend, .. } = globals;
            Ok(Step { command: entry.name.to_owned(), args, return_state, timeout, window, tab, backend, line })
        }
    }
}

/// The call that a command line means.
fn call(words: &[String]) -> Result<Call, Problem> {
    let wrong = |what: &str| Problem::new(Code::BadRequest, what).hint("handeye batch --help");
    match cli::parse(words.iter().map(OsString::from).collect()).map_err(|refused| refused.problem)? {
        Parsed::Call(call) => {
            let Globals { session, json, record, trace, config, .. } = &call.globals;
            if session.is_some() || *json || record.is_some() || trace.is_some() || config.is_some() {
                return Err(wrong(
                    "--session, --json, --record, --trace and --config hold for the whole list: give them to `batch`",
                ));
            }
            Ok(call)
        }
        Parsed::Text(_) | Parsed::Mcp { .. } | Parsed::View { .. } | Parsed::Serve { .. } | Parsed::Token { .. } => {
            Err(wrong("this is no command that runs in a session"))
        }
    }
}

/// The call with what it takes from where its caller is.
fn brought(mut step: Step, caller: Caller) -> Result<Step, Problem> {
    (caller.check)(&step.args)?;
    config::take_passwords(&mut step.args)?;
    config::take_secrets(&mut step.args)?;
    let name = find(&step.command).map_or("", |entry| entry.name);
    if name == "launch" && step.args.is_null() {
        step.args = json!({});
    }
    config::take_surroundings(name, &mut step.args);
    Ok(step)
}

/// Refuses lines that are no commands.
#[cfg(test)]
pub(crate) fn check_lines(text: &str) -> Result<(), Problem> {
    lines(text)?.into_iter().try_for_each(|(line, written)| step_of(written, line).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Caller = Caller { has_stdin: false, check: |_| Ok(()) };

    fn steps(list: Value) -> Result<Vec<Step>, Problem> {
        let read = read(json!({ "steps": list }), ANY)?;
        let Batch { steps, .. } = serde_json::from_value(read).expect("it was written as one");
        let call = |written| match written {
            Written::Call(step) => step,
            Written::Line(line) => panic!("{line} was left a line"),
        };
        Ok(steps.into_iter().map(call).collect())
    }

    #[test]
    fn lines_and_objects_are_the_same_calls() {
        let text = "\u{feff}";
        assert_eq!(lines(text.trim_start_matches('\u{feff}')).expect("nothing is amiss").len(), 0);
        let text = "# a list\n\nclick 5 --expect 'Sign in'\r\n{\"command\":\"click\",\"args\":{\"ref\":5,\"expect\":\"Sign in\"}}\nhandeye click 5 --expect Sign\\ in\n";
        let read = lines(text).expect("nothing is amiss");
        assert_eq!(read.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [Some(3), Some(4), Some(5)]);
        let array =
            r#"[ "click 5 --expect 'Sign in'", {"command": "click", "arguments": {"ref": 5, "expect": "Sign in"}} ]"#;
        for (_, written) in read.into_iter().chain(lines(array).expect("nothing is amiss")) {
            let step = step_of(written, None).expect("it can be read");
            assert_eq!(
                (step.command.as_str(), &step.args["ref"], &step.args["expect"]),
                ("click", &json!(5), &json!("Sign in"))
            );
        }
    }

    #[test]
    fn names_and_options_are_those_of_the_command_line() {
        let read =
            steps(json!(["press Enter --timeout 2.5 --tab 2", "type 3 Ann --return-state", "minimize --window Notes"]));
        let read = read.expect("nothing is amiss");
        let names: Vec<&str> = read.iter().map(|step| step.command.as_str()).collect();
        assert_eq!(names, ["keys", "input", "window"]);
        assert_eq!((read[0].timeout, read[0].tab.as_deref()), (Some(2.5), Some("t2")));
        assert!(read[1].return_state.is_some() && read[1].args["text"] == "Ann");
        assert_eq!(read[2].window.as_deref(), Some("Notes"));
    }

    #[test]
    fn what_can_not_be_read_is_named_by_its_place() {
        for (list, says) in [
            (json!(["state", "clik 5"]), "step 2: "),
            (json!(["state", "click five"]), "step 2: "),
            (json!(["click 'open"]), "a quote is open"),
            (json!(["state --session other"]), "give them to `batch`"),
            (json!(["state --json"]), "give them to `batch`"),
            (json!(["help"]), "no command that runs"),
            (json!(["mcp"]), "no command that runs"),
            (json!([{ "command": "click", "args": { "reff": 5 } }]), "there is no `reff`"),
            (json!([{ "command": "click", "refs": 5 }]), "the list of commands is wrong"),
            (json!([7]), "the list of commands is wrong"),
        ] {
            let problem = steps(list.clone()).expect_err("it is wrong");
            assert!(problem.code == Code::BadRequest && problem.message.contains(says), "{list}: {}", problem.message);
        }
        for (text, says) in
            [("[1]", "step 1: "), ("[\"state\"", "no JSON array"), ("state\n{\"command\":}", "line 2: ")]
        {
            let problem = lines(text).expect_err("it is wrong");
            assert!(problem.message.contains(says), "{text}: {}", problem.message);
        }
        assert!(read(json!({ "file": "x", "steps": ["state"] }), ANY).is_err());
        assert!(read(json!({}), ANY).is_err_and(|problem| problem.message.contains("`steps`")));
    }

    #[test]
    fn a_list_takes_what_its_caller_may_give_in_each_step() {
        let caller = Caller { has_stdin: false, check: |_| Err(Problem::new(Code::Denied, "not for you")) };
        let problem = read(json!({ "steps": ["state"] }), caller).expect_err("it is refused");
        assert_eq!((problem.code, problem.message.as_str()), (Code::Denied, "step 1: not for you; nothing was run"));
        let list = read(json!({ "steps": ["open localhost", "click 5"] }), ANY).expect("it can be read");
        assert!(opens(&list) && !asks_models(&list));
        let list = read(json!({ "steps": ["click 5", "locate 'the bin'"] }), ANY).expect("it can be read");
        assert!(!opens(&list) && asks_models(&list));
    }
}
