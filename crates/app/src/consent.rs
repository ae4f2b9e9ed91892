//! Asks a person at the terminal what the policy asks of one.

use handeye_commands::core::question::told;
use handeye_scene::Question;
use handeye_server::Asks;
use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// How long a person has to answer a question of a model.
const ANSWER: Duration = Duration::from_secs(300);
/// How often it is looked whether the answer is still waited for.
const TICK: Duration = Duration::from_millis(100);

/// Whoever sits at the terminal; none where nobody does: standard input or error is no terminal, or this runs in the background.
pub(crate) fn terminal() -> Option<Asks> {
    let there = io::stdin().is_terminal() && io::stderr().is_terminal() && is_in_front();
    there.then(|| Arc::new(ask) as Asks)
}

/// Asks, and waits as long as the question stands; none where nobody answers until then. Ctrl-C ends this process, which cancels the call.
fn ask(question: &Question) -> Option<bool> {
    forget_typed();
    let mut err = io::stderr();
    if err.write_all(prompt(question).as_bytes()).and_then(|()| err.flush()).is_err() {
        return Some(false);
    }
    let limit = Duration::try_from_secs_f64(question.limit).unwrap_or_default();
    let line = read_line().map_or(Err(mpsc::RecvTimeoutError::Disconnected), |lines| lines.recv_timeout(limit));
    if !line.as_ref().is_ok_and(|line| line.ends_with('\n')) {
        // The cursor still stands behind the question; where that can't be helped, it does no harm.
        let _ = err.write_all(b"\n");
    }
    match line {
        Ok(line) => Some(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")),
        Err(mpsc::RecvTimeoutError::Timeout) => None,
        Err(mpsc::RecvTimeoutError::Disconnected) => Some(false),
    }
}

/// Puts a question of a model to the person at the terminal, and takes a line in answer; none where nobody answers in time, or
/// `cancelled` says that nobody waits for it.
pub(crate) fn answer(question: &str, cancelled: &dyn Fn() -> bool) -> Option<String> {
    forget_typed();
    let mut err = io::stderr();
    let shown = format!("The model asks: {question}\nYour answer (empty for none): ");
    err.write_all(shown.as_bytes()).and_then(|()| err.flush()).ok()?;
    let lines = read_line()?;
    let end = Instant::now() + ANSWER;
    while Instant::now() < end && !cancelled() {
        match lines.recv_timeout(TICK) {
            Ok(line) => return Some(line.trim().to_owned()).filter(|line| !line.is_empty()),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    let _ = err.write_all(b"\n");
    None
}

/// One line of the terminal. It is read without a limit; the thread that does ends with this process.
fn read_line() -> Option<mpsc::Receiver<String>> {
    let (told, tells) = mpsc::channel();
    let reads = std::thread::Builder::new().name("answer".into()).spawn(move || {
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).is_ok() {
            // Nobody waits for it once the limit has passed.
            let _ = told.send(line);
        }
    });
    reads.ok().map(|_| tells)
}

/// The question as it is shown: what is done, where, to what.
fn prompt(question: &Question) -> String {
    let mut out = told(question).join("\n  ");
    out.push('\n');
    out.push_str(&format!("Allow it this once? [y/N] (no in {:.0} s) ", question.limit));
    out
}

/// What was typed before the question was there is no answer to it.
#[cfg(unix)]
fn forget_typed() {
    // Where this fails, nothing was typed that could be forgotten: it is no terminal any more.
    let _ = nix::sys::termios::tcflush(io::stdin(), nix::sys::termios::FlushArg::TCIFLUSH);
}

#[cfg(not(unix))]
fn forget_typed() {}

/// Whether this process may read from its terminal: one in the background would be stopped.
#[cfg(unix)]
fn is_in_front() -> bool {
    nix::unistd::tcgetpgrp(io::stdin()).is_ok_and(|front| front == nix::unistd::getpgrp())
}

#[cfg(not(unix))]
fn is_in_front() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_says_what_is_done_where_and_to_what() {
        let question = Question {
            command: "input".into(),
            does: "acts on the page".into(),
            place: Some("https://bank.example".into()),
            target: Some("[5] textbox \"Amount\"".into()),
            details: vec!["text: \"100\"".into()],
            limit: 60.0,
        };
        assert_eq!(
            prompt(&question),
            "The policy asks for consent: `input` on https://bank.example (acts on the page)\n  target: [5] textbox \"Amount\"\n  text: \"100\"\nAllow it this once? [y/N] (no in 60 s) "
        );
    }
}
