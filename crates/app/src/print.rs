//! The only printing: results to standard output, problems to standard error; with `--json` one value to standard output
//! for either.

use handeye_commands::{Response, Status};
use handeye_scene::{Code, Problem};
use serde_json::{Value, json};
use std::io::{self, ErrorKind, Write};

/// How the line of a hint begins, in problems and receipts; no text from outside begins a line.
pub(crate) const TRY: &str = "  try: ";

/// Exit status of a problem.
pub(crate) const PROBLEM: u8 = 2;

/// Prints an answer and returns the exit status.
pub(crate) fn response(response: Response, json: bool) -> u8 {
    let status = match response.status {
        Status::Ok => 0,
        Status::NotConfirmed => 1,
        Status::Error => PROBLEM,
    };
    if let Some(problem) = response.error {
        return self::problem(&problem, json);
    }
    if json {
        let result = response.result.unwrap_or(Value::Null);
        let value = match response.state {
            Some(state) => json!({"result": result, "state": state}),
            None => result,
        };
        return out(&value.to_string()).unwrap_or(status);
    }
    out(&response.text.unwrap_or_default()).unwrap_or(status)
}

/// Prints a problem and returns the exit status.
pub(crate) fn problem(problem: &Problem, json: bool) -> u8 {
    if json {
        return out(&json!({ "error": problem }).to_string()).unwrap_or(PROBLEM);
    }
    let mut text = format!("error[{}]: {}\n", problem.code.word(), problem.message);
    for hint in &problem.hints {
        text.push_str(TRY);
        text.push_str(hint);
        text.push('\n');
    }
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
