//! Plays a recording: the same commands on what was recorded must give the same answers.

use crate::{Request, Session, dispatch};
use handeye_engine::recording::{Outcome, Player, Tape, same};
use handeye_scene::{Code, Problem};
use serde_json::Value;
use std::sync::Arc;

/// What became of the commands of a recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Played {
    /// Answered as they were recorded.
    pub alike: usize,
    /// Not recorded, or given up when they were.
    pub left_out: usize,
}

/// Plays a recording, all of it.
///
/// # Errors
/// [`Code::File`] where it can't be read; [`Code::Bug`], naming the line, at the first call, gesture or answer that differs.
pub async fn play(recording: &str) -> Result<Played, Problem> {
    let Playing { played, divergence, .. } = play_on(recording).await?;
    match divergence {
        Some(Diverged { problem, .. }) => Err(problem),
        None => Ok(played),
    }
}

/// How far a recording was played.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Playing {
    /// What became of its commands, up to the first that differs.
    pub played: Played,
    /// How many of those that are alike have a verdict.
    pub verdicts: usize,
    /// Names of those that were left out.
    pub left_out: Vec<String>,
    /// The first that differs.
    pub divergence: Option<Diverged>,
}

/// A command that goes otherwise than it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Diverged {
    /// Its line in the recording.
    pub line: usize,
    /// Its name.
    pub command: String,
    /// What differs.
    pub problem: Problem,
}

/// Plays a recording up to the first command that differs.
///
/// # Errors
/// [`Code::File`] where it can't be read.
pub async fn play_on(recording: &str) -> Result<Playing, Problem> {
    let tape = Arc::new(Tape::read(recording)?);
    let player = Arc::new(Player::new(tape.clone()));
    let mut session = Session::new(tape.session.clone(), player.clone(), player);
    let mut playing = Playing::default();
    for (at, group) in tape.groups.iter().enumerate() {
        let Outcome::Response(recorded) = &group.outcome else {
            playing.played.left_out += 1;
            if let Outcome::LeftOut(name) = &group.outcome {
                playing.left_out.push(name.clone());
            }
            continue;
        };
        tape.turn_to(at);
        let request: Request = serde_json::from_value(group.request.clone()).map_err(|e| {
            Problem::new(Code::File, format!("the recording's request in line {} can't be read: {e}", group.line))
        })?;
        let command = request.command.clone();
        let response = dispatch(&mut session, request).await;
        let now = serde_json::to_value(&response).unwrap_or_default();
        let otherwise = || {
            let what = difference("", recorded, &now)?;
            let what = format!("`{command}` of the recording's line {} answers otherwise: {what}", group.line);
            Some(Problem::new(Code::Bug, what))
        };
        if let Some(problem) = tape.divergence().or_else(otherwise) {
            playing.divergence = Some(Diverged { line: group.line, command, problem });
            break;
        }
        playing.played.alike += 1;
        playing.verdicts += usize::from(crate::trace::replay::has_verdict(&now));
    }
    Ok(playing)
}

/// The first member that differs, and how.
fn difference(path: &str, recorded: &Value, now: &Value) -> Option<String> {
    match (recorded, now) {
        (a, b) if same(a, b) => None,
        (Value::Object(a), Value::Object(b)) => {
            let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
            let of =
                |members: &serde_json::Map<String, Value>, name: &str| members.get(name).cloned().unwrap_or_default();
            let mut found = names.filter_map(|name| difference(&format!("{path}/{name}"), &of(a, name), &of(b, name)));
            found.next()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let mut found =
                a.iter().zip(b).enumerate().filter_map(|(i, (a, b))| difference(&format!("{path}/{i}"), a, b));
            found.next()
        }
        (a, b) => Some(format!("{path} was {a}, and is {b}")),
    }
}
