//! A recording, read: its commands, and the answers to what they ask, in order.

use super::calls::{ELAPSED, PERFORM};
use super::line::{Call, FORMAT, Line};
use handeye_scene::{Code, Problem};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How much an answer in numbers may be off: what JSON loses of a number, and no more.
const SLIGHT: f64 = 1e-9;

/// A recording that can be played.
#[derive(Debug)]
pub struct Tape {
    /// Name of its session.
    pub session: String,
    /// Its commands, in order.
    pub groups: Vec<Group>,
    /// Whether it ends before its session did, since it grew too large.
    pub is_full: bool,
    reel: Mutex<Reel>,
}

/// One command of a recording.
#[derive(Debug)]
pub struct Group {
    /// The line where it begins, from 1.
    pub line: usize,
    /// The command, in its wire form; null where it was left out.
    pub request: Value,
    /// How it ended.
    pub outcome: Outcome,
    calls: Vec<(usize, Call)>,
}

/// How a command ended.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// It answered so.
    Response(Value),
    /// Its caller gave it up.
    Cancelled,
    /// It was not recorded: its name.
    LeftOut(String),
}

/// Where a tape stands.
#[derive(Debug, Default)]
struct Reel {
    group: usize,
    /// The next call of the group.
    next: usize,
    /// The first call after the last gesture.
    since: usize,
    /// The last time that the clock told.
    now: Duration,
    divergence: Option<Problem>,
}

impl Tape {
    /// Reads a recording.
    ///
    /// # Errors
    /// [`Code::File`], naming the line, where it is no recording, of another format, corrupt, or cut off.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let mut lines = text.lines().enumerate().map(|(at, line)| Ok((at + 1, parse(at + 1, line)?)));
        let session = match lines.next().transpose()? {
            Some((_, Line::Recording { format: FORMAT, session, .. })) => session,
            Some((_, Line::Recording { format, .. })) => {
                return Err(broken(1, &format!("it has format {format}, and this handeye reads format {FORMAT}")));
            }
            _ => return Err(broken(1, "no recording begins so")),
        };
        let (mut groups, mut open, mut is_full) = (Vec::new(), None::<Group>, false);
        for line in lines {
            let (at, line) = line?;
            match (line, open.take()) {
                (Line::Request(request), None) if !is_full => {
                    open = Some(Group { line: at, request, outcome: Outcome::Cancelled, calls: Vec::new() });
                }
                (Line::Call(call), Some(mut group)) => {
                    group.calls.push((at, call));
                    open = Some(group);
                }
                (Line::Response(response), Some(group)) => {
                    groups.push(Group { outcome: Outcome::Response(response), ..group });
                }
                (Line::Cancelled, Some(group)) => groups.push(group),
                (Line::LeftOut(name), None) if !is_full => groups.push(Group {
                    line: at,
                    request: Value::Null,
                    outcome: Outcome::LeftOut(name),
                    calls: Vec::new(),
                }),
                (Line::Full(_), None) if !is_full => is_full = true,
                _ => return Err(broken(at, "this line can't stand here")),
            }
        }
        match open {
            Some(group) => Err(broken(
                text.lines().count(),
                &format!("it is cut off: the command of line {} has no answer", group.line),
            )),
            None => Ok(Self { session, groups, is_full, reel: Mutex::default() }),
        }
    }

    /// Makes ready to answer what this command asks.
    pub fn turn_to(&self, group: usize) {
        let mut reel = self.reel();
        let now = reel.now;
        *reel = Reel { group, now, ..Reel::default() };
    }

    /// The first thing that went otherwise than it was recorded, of the command that was turned to last: what was asked and
    /// isn't there, or the gesture that was recorded and not made.
    pub fn divergence(&self) -> Option<Problem> {
        let reel = self.reel();
        let missed = || {
            let left = self.calls(reel.group).get(reel.next..)?;
            let (line, call) = left.iter().find(|(_, call)| call.name == PERFORM)?;
            Some(diverges(*line, &format!("the gesture {} was recorded, and not made", call.args)))
        };
        reel.divergence.clone().or_else(missed)
    }

    /// The answer to a call. Gestures are to come in the order of the recording; between two of them, what is only asked may be
    /// passed over or asked again, since how often is no part of what a command does.
    pub(super) fn answer<T: DeserializeOwned>(&self, on: u32, name: &str, args: impl Serialize) -> Result<T, Problem> {
        let args = serde_json::to_value(args).unwrap_or_default();
        let mut reel = self.reel();
        let calls = self.calls(reel.group);
        let found = match find(calls, &reel, on, name, &args) {
            Ok(found) => found,
            Err(problem) => {
                reel.divergence.get_or_insert_with(|| problem.clone());
                return Err(problem);
            }
        };
        reel.next = reel.next.max(found + 1);
        if name == PERFORM {
            reel.since = reel.next;
        }
        let Some((line, call)) = calls.get(found) else { return Err(broken(0, "no such call")) };
        T::deserialize(&call.answer).map_err(|e| {
            let problem = broken(*line, &format!("the answer to `{name}` can't be read: {e}"));
            reel.divergence.get_or_insert_with(|| problem.clone());
            problem
        })
    }

    /// Whether the command that was turned to last made such a call.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.calls(self.reel().group).iter().any(|(_, call)| call.name == name)
    }

    /// The time: as recorded where it is asked for in the same place, else a moment later than it was last told.
    pub(super) fn elapsed(&self) -> Duration {
        let mut reel = self.reel();
        match self.calls(reel.group).get(reel.next) {
            Some((_, call)) if call.name == ELAPSED => {
                reel.next += 1;
                reel.now = call.answer.as_u64().map_or(reel.now, Duration::from_nanos);
            }
            _ => reel.now += Duration::from_millis(1),
        }
        reel.now
    }

    fn calls(&self, group: usize) -> &[(usize, Call)] {
        self.groups.get(group).map_or(&[], |group| &group.calls)
    }

    fn reel(&self) -> MutexGuard<'_, Reel> {
        self.reel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Which call of the recording is the one that is asked for now.
fn find(calls: &[(usize, Call)], reel: &Reel, on: u32, name: &str, args: &Value) -> Result<usize, Problem> {
    let is_it = |at: &usize| calls.get(*at).is_some_and(|(_, c)| c.on == on && c.name == name && same(&c.args, args));
    let gesture = (reel.next..calls.len()).find(|at| calls.get(*at).is_some_and(|(_, call)| call.name == PERFORM));
    let end = gesture.unwrap_or(calls.len());
    let found = if name == PERFORM {
        gesture.filter(is_it)
    } else {
        (reel.next..end).find(is_it).or_else(|| (reel.since..reel.next).rev().find(is_it))
    };
    found.ok_or_else(|| {
        let recorded = calls.get(reel.next..).into_iter().flatten().find(|(_, call)| call.name == name);
        match recorded.or_else(|| calls.get(reel.next)).or(calls.last()) {
            Some((line, call)) => diverges(
                *line,
                &format!(
                    "asked for `{name}` {args} of surface {on}; recorded is `{}` {} of surface {}",
                    call.name, call.args, call.on
                ),
            ),
            None => diverges(0, &format!("asked for `{name}` {args} of surface {on}; the command asked nothing then")),
        }
    })
}

/// Whether two values are the same but for what JSON loses of numbers.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= SLIGHT * a.abs().max(b.abs()).max(1.0),
            _ => false,
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn parse(at: usize, line: &str) -> Result<Line, Problem> {
    serde_json::from_str(line).map_err(|e| {
        let what = if e.is_eof() { "it is cut off".to_owned() } else { format!("it can't be read: {e}") };
        broken(at, &what)
    })
}

fn broken(line: usize, what: &str) -> Problem {
    Problem::new(Code::File, format!("the recording is broken at line {line}: {what}"))
        .hint("handeye open URL --record FILE")
}

fn diverges(line: usize, what: &str) -> Problem {
    Problem::new(Code::Bug, format!("this goes otherwise than the recording, from its line {line} on: {what}"))
}
