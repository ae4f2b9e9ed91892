//! Calls that wait for their client to come back with a person's answer. Each has words of its own to come back with, so an answer
//! goes to the call that it was asked for, however many wait, and in whatever order they are answered.

use super::asking::Put;
use super::token::token;
use handeye_scene::{Code, Problem};
use rmcp::model::InputRequiredResult;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// How many calls may wait at once.
const MOST: usize = 32;

/// A call of a tool, as the client wrote it.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) args: Map<String, Value>,
}

/// One that waits.
struct One<R> {
    call: Call,
    put: Put,
    running: R,
}

/// All that wait, by what they must come back with. `R`: what carries a call out.
pub(super) struct Suspended<R>(HashMap<String, One<R>>);

impl<R> Default for Suspended<R> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<R> Suspended<R> {
    /// Lets a call wait; what its client is told. `is_over`: whether one that waited in vain has ended.
    pub(super) fn add(
        &mut self,
        call: Call,
        put: Put,
        running: R,
        is_over: impl Fn(&R) -> bool,
    ) -> Result<InputRequiredResult, Problem> {
        self.0.retain(|_, one| !is_over(&one.running));
        if self.0.len() >= MOST {
            let message = format!("{MOST} calls wait for a person's answer already: answer one of them first");
            return Err(Problem::new(Code::Denied, message));
        }
        let state = token()?;
        let asked = InputRequiredResult::new(Some(put.input()), Some(state.clone()));
        self.0.insert(state, One { call, put, running });
        Ok(asked)
    }

    /// The call whose client came back, and its question. Words that were given for another call are left to that.
    pub(super) fn take(&mut self, state: &str, call: &Call) -> Result<(Put, R), Problem> {
        let is_it = self.0.get(state).is_some_and(|one| one.call == *call);
        match is_it.then(|| self.0.remove(state)).flatten() {
            Some(One { put, running, .. }) => Ok((put, running)),
            None => {
                let message = format!("`{}` waits for no answer of that `requestState` any more", call.tool);
                Err(Problem::new(Code::Denied, message))
            }
        }
    }

    /// Ends all of them, unanswered.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::asking::channel;
    use super::*;
    use handeye_scene::Question;
    use serde_json::json;
    use std::sync::Arc;
    use std::thread::JoinHandle;

    fn call(number: u32) -> Call {
        Call { tool: "click".to_owned(), args: Map::from_iter([("ref".to_owned(), json!(number))]) }
    }

    /// A question, and what the call that asks it is told.
    fn question() -> (Put, JoinHandle<Option<bool>>) {
        let (asks, mut puts) = channel(Arc::new(|| false));
        let waits = std::thread::spawn(move || asks(&Question { limit: 60.0, ..Question::default() }));
        (puts.blocking_recv().expect("it asks"), waits)
    }

    fn state(asked: &InputRequiredResult) -> String {
        serde_json::to_value(asked).expect("it is JSON")["requestState"].as_str().expect("it is told").to_owned()
    }

    fn responses(agrees: bool) -> rmcp::model::InputResponses {
        let answer = json!({"consent": {"action": "accept", "content": {"allow": agrees}}});
        serde_json::from_value(answer).expect("these are responses")
    }

    #[test]
    fn each_answer_goes_to_the_call_that_it_was_asked_for() {
        let mut suspended = Suspended::default();
        let mut told = Vec::new();
        for number in 0..4 {
            let (put, waits) = question();
            let asked = suspended.add(call(number), put, number, |_| false).expect("there is room");
            told.push((state(&asked), waits));
        }
        // Neither with another's words, nor with those that nobody gave out; they stay good for their own.
        assert!(suspended.take(&told[0].0, &call(1)).is_err() && suspended.take("consent", &call(0)).is_err());
        // In another order, and each its own answer.
        for number in [2, 0, 3, 1] {
            let (put, running) = suspended.take(&told[number as usize].0, &call(number)).expect("it waits");
            assert_eq!(running, number);
            put.take(responses(number % 2 == 0));
            assert!(suspended.take(&told[number as usize].0, &call(number)).is_err(), "once");
        }
        let answers: Vec<Option<bool>> = told.into_iter().map(|(_, waits)| waits.join().expect("it ends")).collect();
        assert_eq!(answers, [Some(true), Some(false), Some(true), Some(false)]);
    }

    #[test]
    fn those_that_wait_are_bounded_and_those_that_are_over_make_room() {
        let mut suspended = Suspended::default();
        let mut waiting = Vec::new();
        for number in 0..=MOST as u32 {
            let (put, waits) = question();
            let is_full = number as usize == MOST;
            assert_eq!(suspended.add(call(number), put, number, |_| false).is_err(), is_full, "{number}");
            waiting.push(waits);
        }
        let (put, waits) = question();
        suspended.add(call(99), put, 99, |number| *number == 5).expect("one of them is over");
        waiting.push(waits);
        suspended.clear();
        for waits in waiting {
            assert_eq!(waits.join().expect("it ends"), Some(false), "unanswered is refused");
        }
    }
}
