//! Asks a person at the terminal what the policy asks of one.

use handeye_commands::core::question::told;
use handeye_scene::Question;
use handeye_server::Asks;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock};
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
    let line = read_line().map_or(Err(RecvTimeoutError::Disconnected), |lines| lines.recv_timeout(limit));
    if !line.as_ref().is_ok_and(|line| line.ends_with('\n')) {
        // The cursor still stands behind the question; where that can't be helped, it does no harm.
        let _ = err.write_all(b"\n");
    }
    match line {
        Ok(line) => Some(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes")),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(false),
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
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let _ = err.write_all(b"\n");
    None
}

/// The line that is typed next; none where none can be read.
fn read_line() -> Option<Receiver<String>> {
    static TERMINAL: LazyLock<Option<Lines>> = LazyLock::new(|| Lines::of(BufReader::new(io::stdin())));
    TERMINAL.as_ref()?.next()
}

/// The lines of a terminal, read by one thread as long as this process lives: a thread for each question would stay where nobody
/// answers it, and take the answer to the next one.
struct Lines(Sender<Sender<String>>);

impl Lines {
    fn of(mut terminal: impl BufRead + Send + 'static) -> Option<Self> {
        let (asks, asked) = channel::<Sender<String>>();
        let reads = move || {
            // Read where a line is asked for alone: what is typed else is for whoever comes after this process.
            while let Ok(mut told) = asked.recv() {
                let mut line = String::new();
                if terminal.read_line(&mut line).is_err() {
                    return;
                }
                // It is for the question that is open now, however many weren't answered in time before.
                while let Ok(newer) = asked.try_recv() {
                    told = newer;
                }
                // Nobody waits for it once the limit has passed.
                let _ = told.send(line);
            }
        };
        std::thread::Builder::new().name("answers".into()).spawn(reads).ok().map(|_| Self(asks))
    }

    /// The line that comes next, for who asked last.
    fn next(&self) -> Option<Receiver<String>> {
        let (told, tells) = channel();
        self.0.send(told).ok().map(|()| tells)
    }
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
    fn the_question_that_is_open_gets_the_line_whatever_went_unanswered_before() {
        let (terminal, mut keyboard) = io::pipe().unwrap();
        let lines = Lines::of(BufReader::new(terminal)).unwrap();
        let soon = Duration::from_millis(50);
        for answer in ["y\n", "n\n"] {
            for _ in 0..3 {
                assert_eq!(lines.next().unwrap().recv_timeout(soon), Err(RecvTimeoutError::Timeout));
            }
            let open = lines.next().unwrap();
            keyboard.write_all(answer.as_bytes()).unwrap();
            assert_eq!(open.recv_timeout(Duration::from_secs(20)).as_deref(), Ok(answer));
        }
        drop(keyboard);
        assert_eq!(lines.next().unwrap().recv_timeout(Duration::from_secs(20)).as_deref(), Ok(""));
    }

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
