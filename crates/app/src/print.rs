//! The only printing: results to standard output, problems to standard error; with `--json` one value to standard output
//! for either.

use handeye_commands::{Response, Status};
use handeye_scene::{Code, Hint, Problem};
use serde_json::{Value, json};
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Exit status of a problem.
pub(crate) const PROBLEM: u8 = 2;

/// Prints an answer and returns the exit status.
pub(crate) fn response(mut response: Response, json: bool) -> u8 {
    let status = match response.status {
        Status::Ok => 0,
        Status::NotConfirmed => 1,
        Status::Error => PROBLEM,
    };
    let hints = response.write_hints(Hint::to_string);
    if let Some(problem) = response.error {
        return failure(&problem, &hints, json);
    }
    if json {
        let result = response.result.unwrap_or(Value::Null);
        let value = match response.state {
            Some(state) => json!({"result": result, "state": state}),
            None => result,
        };
        return out(&value.to_string()).unwrap_or(status);
    }
    out(&(response.text.unwrap_or_default() + &hints)).unwrap_or(status)
}

/// Prints a problem and returns the exit status.
pub(crate) fn problem(problem: &Problem, json: bool) -> u8 {
    response(problem.clone().into(), json)
}

fn failure(problem: &Problem, hints: &str, json: bool) -> u8 {
    if json {
        return out(&json!({ "error": problem }).to_string()).unwrap_or(PROBLEM);
    }
    let text = format!("error[{}]: {}{hints}\n", problem.code.word(), problem.told());
    // Where standard error is gone too, there is nobody left to tell.
    let _ = io::stderr().write_all(text.as_bytes());
    PROBLEM
}

/// Prints text, ended by one newline; an exit status where that failed.
pub(crate) fn out(text: &str) -> Option<u8> {
    let mut to = io::stdout().lock();
    let written =
        to.write_all(text.as_bytes()).and_then(|()| if text.ends_with('\n') { Ok(()) } else { to.write_all(b"\n") });
    match written.and_then(|()| to.flush()) {
        Ok(()) => None,
        // Whoever read has read enough (`handeye state | head -1`); what was asked for is done all the same.
        Err(e) if e.kind() == ErrorKind::BrokenPipe => None,
        Err(e) => Some(problem(&Problem::new(Code::File, format!("the output can't be written: {e}")), false)),
    }
}

/// Whether a line of progress can take the place of the one before: on a terminal.
pub(crate) fn is_passing() -> bool {
    io::stderr().is_terminal()
}

/// Tells on standard error how far something is; `passing`: until the next line takes its place.
pub(crate) fn progress(text: &str, passing: bool) {
    let text = if passing { format!("\r{text}\u{1b}[K") } else { format!("{text}\n") };
    // Where standard error is gone, nobody waits for it.
    let _ = io::stderr().write_all(text.as_bytes());
}
