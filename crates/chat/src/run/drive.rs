//! What a run does, step by step: carries out what was approved, asks the model, keeps what it answers, and tells the client of the
//! calls that wait.

use super::catalog::Model;
use super::compose::{self, Composed};
use super::log::RunLog;
use super::meter::Meter;
use super::model::{self, Answer};
use crate::decide::scan::Written;
use crate::decide::schema::Checks;
use crate::decide::{Call, Naming, Side, Status};
use crate::store::{Accepted, Body, Entry, Lease, NewCall, Offering, Opening, Store, Turn};
use crate::tools::ServerTool;
use crate::wire::chunk::{CallChunk, Chunk};
use crate::wire::{ChatError, ErrorCode, Json, ToolSpec};
use serde_json::Value;
use std::sync::Arc;

/// How often in a row a model may write calls that can't be made.
const FAULTS: u32 = 3;
/// Calls of one answer.
const CALLS: usize = 16;

/// What a run needs.
pub(super) struct Job {
    pub(super) store: Store,
    pub(super) model: Model,
    pub(super) prompt: String,
    pub(super) tools: Vec<ToolSpec>,
    pub(super) checks: Checks,
    pub(super) server_tools: Vec<Arc<dyn ServerTool>>,
    pub(super) page: Option<String>,
    pub(super) offering: Offering,
    pub(super) log: Arc<RunLog>,
    /// Why no model is asked.
    pub(super) spent: Option<ChatError>,
}

/// What comes next in a conversation.
enum Next {
    /// The model.
    Model,
    /// The person, or the client.
    Waits,
    /// Nothing: it is answered.
    Nothing,
}

fn next(entries: &[Entry]) -> Next {
    let last = entries.iter().rev().find(|entry| entry.body != Body::Page);
    match last.map(|entry| &entry.body) {
        Some(Body::User(_)) => Next::Model,
        Some(Body::Assistant(_, calls)) if calls.iter().any(|call| !call.status.is_settled()) => Next::Waits,
        Some(Body::Assistant(_, calls)) if !calls.is_empty() => Next::Model,
        _ => Next::Nothing,
    }
}

impl Job {
    /// Answers until something waits for the person, or all is said.
    pub(super) async fn answer(&self, accepted: &Accepted, meter: &mut Meter) -> Result<(), ChatError> {
        let lease = &accepted.lease;
        match &accepted.opening {
            Opening::Say(words) => {
                self.log.push(Chunk::Content((*words).to_owned()));
                let entries = self.store.history(&lease.conversation).await?;
                return self.wait(lease, &entries).await;
            }
            Opening::Replay(entries) => {
                self.replay(entries);
                return Ok(());
            }
            Opening::Go => {}
        }
        if let Some(spent) = &self.spent {
            return Err(spent.clone());
        }
        let mut faults = 0;
        loop {
            while let Some(call) = self.store.take_approved(lease).await? {
                self.carry_out(lease, &call).await?;
            }
            let entries = self.store.history(&lease.conversation).await?;
            match next(&entries) {
                Next::Nothing => return Ok(()),
                Next::Waits => return self.wait(lease, &entries).await,
                Next::Model => {
                    if !self.ask(lease, &entries, meter).await? {
                        return Ok(());
                    }
                    faults += 1;
                    if faults > FAULTS {
                        let what = format!("the model wrote calls that can't be made {faults} times in a row");
                        return Err(ChatError::new(ErrorCode::ModelConfused, what));
                    }
                }
            }
        }
    }

    /// Asks the model; whether it is to be asked again, since it called nothing that can be called.
    async fn ask(&self, lease: &Lease, entries: &[Entry], meter: &mut Meter) -> Result<bool, ChatError> {
        let Model { calling, max_tokens, .. } = self.model;
        let request =
            compose::request(entries, &Composed { prompt: &self.prompt, tools: &self.tools, calling, max_tokens });
        let answer = model::ask(&self.model, &request, &self.log, meter).await?;
        let calls = self.judged(&answer);
        let turn = Turn { text: &answer.text, calls: &calls, page: self.page.as_deref() };
        let offered = self.store.keep_turn(lease, turn, self.offering).await?;
        self.propose(&offered);
        Ok(!calls.is_empty() && calls.iter().all(|call| call.fault.is_some()))
    }

    /// The calls of an answer, with what is wrong with each.
    fn judged(&self, answer: &Answer) -> Vec<NewCall> {
        let mut calls: Vec<NewCall> = answer.calls.iter().take(CALLS).map(|call| self.judge(call)).collect();
        if let Some(call) = answer.calls.get(CALLS) {
            let fault =
                Some(format!("more than {CALLS} calls in one answer: this one and those after it were left out"));
            calls.push(NewCall { tool: call.tool.clone(), side: Side::Nowhere, arguments: "{}".to_owned(), fault });
        }
        if let Some(why) = &answer.broken {
            let (tool, arguments) = ("tool_call".to_owned(), "{}".to_owned());
            calls.push(NewCall { tool, side: Side::Nowhere, arguments, fault: Some(why.clone()) });
        }
        calls
    }

    fn judge(&self, call: &Written) -> NewCall {
        let Written { tool, arguments } = call;
        let text = if arguments.trim().is_empty() { "{}" } else { arguments };
        let (arguments, fault) = match Json::parse(text.as_bytes()) {
            Err(e) if e.is_eof() => (text.to_owned(), Some(format!("the arguments of `{tool}` are cut off"))),
            Err(e) => (text.to_owned(), Some(format!("the arguments of `{tool}` are no JSON: {e}"))),
            Ok(parsed) => (parsed.python(), self.checks.check(tool, &parsed.to_value()).err()),
        };
        let is_ours = self.server_tools.iter().any(|known| known.spec().name == *tool);
        NewCall { tool: tool.clone(), side: if is_ours { Side::Server } else { Side::Browser }, arguments, fault }
    }

    fn chunk(&self, call: &Call) -> CallChunk {
        CallChunk {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            id: call.id.clone(),
            hash: call.hash.clone(),
            is_named: self.offering.naming != Naming::Nothing,
            is_ours: call.side == Side::Server,
        }
    }

    /// Tells the client of calls that wait. They are stored.
    fn propose(&self, calls: &[Call]) {
        for call in calls {
            self.log.push(Chunk::ToolCall(self.chunk(call)));
        }
    }

    /// Tells of the calls that wait still, those that were told before, and those that were held back until now.
    async fn wait(&self, lease: &Lease, entries: &[Entry]) -> Result<(), ChatError> {
        for entry in entries {
            let Body::Assistant(_, calls) = &entry.body else { continue };
            for call in calls.iter().filter(|call| call.status == Status::Offered) {
                self.log.push(Chunk::Waits(self.chunk(call)));
            }
        }
        let held_back = self.store.offer_next(lease, self.offering).await?;
        self.propose(&held_back);
        Ok(())
    }

    /// Tells again what was answered.
    fn replay(&self, entries: &[Entry]) {
        for entry in entries {
            let Body::Assistant(text, calls) = &entry.body else { continue };
            if !text.is_empty() {
                self.log.push(Chunk::Content(text.clone()));
            }
            let waiting: Vec<Call> = calls.iter().filter(|call| call.status == Status::Offered).cloned().collect();
            self.propose(&waiting);
        }
    }

    async fn carry_out(&self, lease: &Lease, call: &Call) -> Result<(), ChatError> {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let tool = self.server_tools.iter().find(|tool| tool.spec().name == call.tool);
        let came = match tool {
            Some(tool) => tool.call(&arguments).await,
            None => Err(format!("the server has no tool `{}` any more", call.tool)),
        };
        let (text, failed) = came.map_or_else(|why| (why, true), |text| (text, false));
        self.store.settle(lease, call, &text, failed).await?;
        self.log.push(Chunk::Result { id: call.id.clone(), text });
        Ok(())
    }
}
