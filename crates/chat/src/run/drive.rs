//! What a run does, step by step: carries out what was approved, asks the model, keeps what it answers, and tells the client of the
//! calls that wait.

use super::budget::Budget;
use super::catalog::Model;
use super::compose::{self, Composed};
use super::log::RunLog;
use super::meter::Meter;
use super::model::{self, Answer};
use super::person::{Person, question};
use super::tool_sets::ToolSet;
use crate::decide::permit::{Proposed, Rules};
use crate::decide::redact::Redact;
use crate::decide::scan::Written;
use crate::decide::{Call, Naming, Side, Status, effect, sensitive};
use crate::store::{Accepted, Body, Entry, Grant, Lease, NewCall, Offering, Opening, Past, Store, Turn, Waiting};
use crate::wire::chunk::{CallChunk, Chunk, Returned};
use crate::wire::{ChatError, ErrorCode, Json, Page};
use handeye_commands::core::chat_settings::{ChatEffect, ChatPermission};
use handeye_models::Usage;
use handeye_scene::{Consent, Consented};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// How often in a row a model may write calls that can't be made.
const FAULTS: u32 = 3;
/// Calls of one answer.
const CALLS: usize = 16;
/// How often a model may call what needs no question before it says something to the person.
const ROUNDS: u32 = 25;

/// What a run needs.
pub(super) struct Job {
    pub(super) store: Store,
    pub(super) model: Model,
    pub(super) agent: String,
    pub(super) prompt: String,
    pub(super) tools: Arc<ToolSet>,
    pub(super) page: Option<Page>,
    pub(super) rules: Rules,
    pub(super) offering: Offering,
    pub(super) log: Arc<RunLog>,
    pub(super) redact: Redact,
    /// None where nothing is counted.
    pub(super) budget: Option<Budget>,
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
    let last = entries.iter().rev().find(|entry| entry.body.is_said());
    match last.map(|entry| &entry.body) {
        Some(Body::User(_)) => Next::Model,
        Some(Body::Assistant(_, calls)) if calls.iter().any(|call| !call.status.is_settled()) => Next::Waits,
        Some(Body::Assistant(_, calls)) if !calls.is_empty() => Next::Model,
        _ => Next::Nothing,
    }
}

/// What an answer of the model leads to.
enum Answered {
    /// It called nothing that can be called: it is to be asked again.
    Faulty,
    /// It called what is carried out without a question.
    Allowed,
    /// The person's turn.
    Over,
}

/// Why a call of ours isn't made whose numbers would be others by the time it is carried out.
fn inexact(tool: &str) -> String {
    format!("the arguments of `{tool}` hold a whole number of more than 64 bits: write it as a string")
}

impl Job {
    /// The page's address, without the place in it.
    fn address(&self) -> Option<String> {
        self.page.as_ref().and_then(Page::address)
    }

    /// Answers until something waits for the person, or all is said.
    pub(super) async fn answer(&self, accepted: &Accepted, meter: &mut Meter) -> Result<(), ChatError> {
        let (lease, mut told) = (&accepted.lease, HashSet::new());
        match &accepted.opening {
            Opening::Say(words) => {
                self.log.push(Chunk::Content((*words).to_owned()));
                let entries = self.store.history(&lease.conversation).await?;
                return self.wait(lease, &entries, &mut told).await.map(drop);
            }
            Opening::Replay(past) => {
                self.replay(past, &mut told);
                return Ok(());
            }
            Opening::Resume(past) => self.replay(past, &mut told),
            Opening::Go => {}
        }
        let (mut faults, mut rounds) = (0, 0);
        loop {
            while let Some(call) = self.store.agreed(lease).await? {
                // What was agreed to is carried out by whoever is told so, once.
                let (Consented::Yes, call) = self.consent(lease, &call).await? else { break };
                self.carry_out(lease, &call).await?;
            }
            let entries = self.store.history(&lease.conversation).await?;
            match next(&entries) {
                Next::Nothing => return Ok(()),
                Next::Waits => {
                    if !self.wait(lease, &entries, &mut told).await? {
                        return Ok(());
                    }
                }
                Next::Model => {
                    match self.ask(lease, entries, meter, &mut told).await? {
                        Answered::Over => return Ok(()),
                        Answered::Allowed => (faults, rounds) = (0, rounds + 1),
                        Answered::Faulty => faults += 1,
                    }
                    if faults > FAULTS || rounds > ROUNDS {
                        let what = match rounds > ROUNDS {
                            true => format!("the model called tools {rounds} times without an answer"),
                            false => format!("the model wrote calls that can't be made {faults} times in a row"),
                        };
                        return Err(ChatError::new(ErrorCode::ModelConfused, what));
                    }
                }
            }
        }
    }

    /// Asks the model. `told`: the calls that the client was told of in this run.
    async fn ask(
        &self,
        lease: &Lease,
        entries: Vec<Entry>,
        meter: &mut Meter,
        told: &mut HashSet<String>,
    ) -> Result<Answered, ChatError> {
        let Model { calling, max_tokens, .. } = self.model;
        let how = Composed { prompt: &self.prompt, tools: &self.tools.specs, calling, max_tokens };
        let request = self.model.client.write(&compose::request(&entries, &how));
        let last = entries.last().map_or(0, |entry| entry.seq);
        // It may be long until the model has answered.
        drop(entries);
        if let Some(budget) = &self.budget {
            let next = Usage { input: request.tokens, output: u64::from(max_tokens) };
            budget.reserve(&self.store, lease, meter.total(), next).await?;
        }
        self.log.begin_answer(last);
        let answer = model::ask(&self.model, request, &self.log, meter).await?;
        let granted = self.store.grants(&lease.conversation).await?;
        let calls = self.judged(&answer, &granted);
        let turn = Turn { text: &answer.text, calls: &calls, page: self.page.as_ref(), used: meter.total() };
        let kept = self.store.keep_turn(lease, turn, self.offering).await?;
        self.log.end_answer();
        self.propose(lease, kept.waiting, told).await?;
        for call in &kept.allowed {
            self.log.push(Chunk::Called(Box::new(self.chunk(call))));
        }
        Ok(match &calls[..] {
            _ if !kept.allowed.is_empty() => Answered::Allowed,
            [_, ..] if calls.iter().all(|call| call.fault.is_some()) => Answered::Faulty,
            _ => Answered::Over,
        })
    }

    /// The calls of an answer, with what is wrong with each.
    fn judged(&self, answer: &Answer, granted: &[Grant]) -> Vec<NewCall> {
        let unmade = |tool: String, fault: String| NewCall {
            tool,
            side: Side::Nowhere,
            arguments: "{}".to_owned(),
            fault: Some(fault),
            is_allowed: false,
        };
        let mut calls: Vec<NewCall> = answer.calls.iter().take(CALLS).map(|call| self.judge(call, granted)).collect();
        if let Some(call) = answer.calls.get(CALLS) {
            let fault = format!("more than {CALLS} calls in one answer: this one and those after it were left out");
            calls.push(unmade(call.tool.clone(), fault));
        }
        if let Some(why) = &answer.broken {
            calls.push(unmade("tool_call".to_owned(), why.clone()));
        }
        calls
    }

    fn judge(&self, call: &Written, granted: &[Grant]) -> NewCall {
        let Written { tool, arguments } = call;
        let text = if arguments.trim().is_empty() { "{}" } else { arguments };
        let is_ours = self.tools.ours.iter().any(|known| known.spec().name == *tool);
        let (arguments, fault) = match Json::parse(text.as_bytes()) {
            Err(e) if e.is_eof() => (text.to_owned(), Some(format!("the arguments of `{tool}` are cut off"))),
            Err(e) => (text.to_owned(), Some(format!("the arguments of `{tool}` are no JSON: {e}"))),
            Ok(parsed) if is_ours && !parsed.is_exact() => (parsed.python(), Some(inexact(tool))),
            Ok(parsed) => (parsed.python(), self.tools.checks.check(tool, &parsed.to_value()).err()),
        };
        let permission = self.permission(tool, &arguments, granted);
        let denied = (permission == ChatPermission::Deny).then(|| format!("the policy doesn't allow `{tool}` here"));
        NewCall {
            tool: tool.clone(),
            side: if is_ours { Side::Server } else { Side::Browser },
            arguments,
            fault: fault.or(denied),
            is_allowed: permission == ChatPermission::Allow,
        }
    }

    /// What the policy says of a call.
    fn permission(&self, tool: &str, arguments: &str, granted: &[Grant]) -> ChatPermission {
        let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
        let ours = self.tools.ours.iter().find(|known| known.spec().name == tool);
        let page = self.address();
        let effect = ours.map_or_else(|| effect::in_the_browser(tool, &arguments), |ours| ours.effect());
        self.rules.permit(Proposed {
            agent: &self.agent,
            tool,
            effect,
            page: page.as_deref(),
            is_sensitive: sensitive::is_sensitive(tool, &arguments, effect),
            is_granted: granted.contains(&Grant::of(tool, page.as_deref())),
        })
    }

    fn chunk(&self, call: &Call) -> CallChunk {
        CallChunk {
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            id: call.id.clone(),
            hash: call.hash.clone(),
            expires: call.expires,
            is_named: self.offering.naming != Naming::Nothing,
            is_ours: call.side == Side::Server,
            question: call.question.clone(),
        }
    }

    /// What a call of ours does.
    fn effect(&self, tool: &str) -> ChatEffect {
        let ours = self.tools.ours.iter().find(|known| known.spec().name == tool);
        ours.map_or(ChatEffect::Act, |ours| ours.effect())
    }

    /// Asks the person about a call of ours: what became of the question, and the call as it is then.
    async fn consent(&self, lease: &Lease, call: &Call) -> Result<(Consented, Call), ChatError> {
        let limit = Duration::from_millis(u64::try_from(self.offering.waits).unwrap_or_default());
        let person = Person::new(&self.store, lease, &call.id);
        let consented = person.ask(&question(call, self.effect(&call.tool), limit, &self.redact), limit).await;
        let call = person.call().unwrap_or_else(|| Ok(call.clone()))?;
        Ok((consented, call))
    }

    /// Tells the client of calls that wait, in their order. They are stored, and so is what the person is asked about them.
    async fn propose(&self, lease: &Lease, waiting: Waiting, told: &mut HashSet<String>) -> Result<(), ChatError> {
        let mut calls = waiting.offered;
        for call in &waiting.to_ask {
            calls.push(self.consent(lease, call).await?.1);
        }
        calls.sort_by_key(|call| call.place);
        self.tell(&calls, told);
        Ok(())
    }

    /// Tells the client of those of some calls that wait.
    fn tell(&self, calls: &[Call], told: &mut HashSet<String>) {
        for call in calls.iter().filter(|call| call.status == Status::Offered) {
            told.insert(call.id.clone());
            self.log.push(Chunk::ToolCall(Box::new(self.chunk(call))));
        }
    }

    /// Tells of the calls that wait still, those that were told before, and those that were held back until now. Whether nobody
    /// answered one in time: then it may be all that was waited for.
    async fn wait(&self, lease: &Lease, entries: &[Entry], told: &mut HashSet<String>) -> Result<bool, ChatError> {
        let mut is_late = false;
        for entry in entries {
            let Body::Assistant(_, calls) = &entry.body else { continue };
            for call in calls.iter().filter(|call| call.status == Status::Offered) {
                let (consented, call) = match call.side {
                    Side::Server => self.consent(lease, call).await?,
                    _ => (Consented::Kept, call.clone()),
                };
                is_late |= consented == Consented::Late;
                if consented == Consented::Kept && told.insert(call.id.clone()) {
                    self.log.push(Chunk::Waits(Box::new(self.chunk(&call))));
                }
            }
        }
        let held_back = self.store.offer_next(lease, self.offering).await?;
        self.propose(lease, held_back, told).await?;
        Ok(is_late)
    }

    /// Tells again what was answered.
    fn replay(&self, past: &Past, told: &mut HashSet<String>) {
        if let Some(words) = past.words {
            self.log.push(Chunk::Content(words.to_owned()));
        }
        self.tell(&past.calls, told);
        for entry in &past.entries {
            let Body::Assistant(text, calls) = &entry.body else { continue };
            if !text.is_empty() {
                self.log.push(Chunk::Content(text.clone()));
            }
            self.tell(calls, told);
        }
    }

    async fn carry_out(&self, lease: &Lease, call: &Call) -> Result<(), ChatError> {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let tool = self.tools.ours.iter().find(|tool| tool.spec().name == call.tool);
        let came = match tool {
            Some(tool) => tool.call(&arguments).await,
            None => Err(format!("the server has no tool `{}` any more", call.tool)),
        };
        let (text, failed) = came.map_or_else(|why| (why, true), |text| (text, false));
        let text = self.redact.text(&text);
        self.store.settle(lease, call, &text, failed).await?;
        self.log.push(Chunk::Result(Box::new(Returned { id: call.id.clone(), text })));
        Ok(())
    }
}
