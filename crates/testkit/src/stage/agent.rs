//! An agent inside the test: a session with a real browser, called as every front end calls it, without a command line
//! or a daemon.

use crate::clock::MachineClock;
use handeye_browser::Chromium;
use handeye_commands::dispatch;
use handeye_commands::{Flags, Request, Response, Session};
use handeye_engine::act;
use handeye_engine::{Action, ActionRequest, AimedAt, Expectation, Locator};
use handeye_scene::{Code, DeniedOrigins, Receipt, Ref, Verdict};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A session of its own. Its browser ends with it, however the test ends.
pub struct Agent {
    /// The session.
    pub session: Session,
    flags: Flags,
    _folder: TempDir,
}

/// What came of an action.
#[derive(Debug)]
pub struct Outcome {
    /// The receipt, where there is one.
    pub receipt: Option<Receipt>,
    /// Code and message of the problem, where there is one.
    pub problem: Option<(Code, String)>,
    /// The whole text.
    pub text: String,
}

impl Outcome {
    /// Whether it was done, and its effect seen.
    pub fn confirmed(&self) -> bool {
        self.receipt.as_ref().is_some_and(|r| r.verdict == Verdict::Confirmed)
    }

    /// Whether it was refused because the target isn't what it should be.
    pub fn contradicted(&self) -> bool {
        self.receipt.as_ref().is_some_and(|r| r.verdict == Verdict::Contradicted)
    }

    /// Whether it ended in a problem of this kind.
    pub fn failed(&self, code: Code) -> bool {
        self.problem.as_ref().is_some_and(|p| p.0 == code)
    }
}

impl From<Response> for Outcome {
    fn from(response: Response) -> Self {
        let text = response.text.clone().or(response.error.as_ref().map(ToString::to_string)).unwrap_or_default();
        Outcome {
            receipt: response.result.and_then(|r| serde_json::from_value(r).ok()),
            problem: response.error.map(|p| (p.code, p.message)),
            text,
        }
    }
}

impl Agent {
    /// With a browser of its own, each site in its own process.
    pub fn new() -> Self {
        let mut flags = Flags::default();
        flags.settings.browser.args = vec!["--site-per-process".into()];
        Self::with(flags)
    }

    /// With the browser at `endpoint`.
    pub fn attached(endpoint: &str) -> Self {
        let mut flags = Flags::default();
        flags.settings.browser.cdp = Some(endpoint.to_owned());
        Self::with(flags)
    }

    fn with(flags: Flags) -> Self {
        let folder = tempfile::Builder::new().prefix("he-agent").tempdir().unwrap();
        let opener = Arc::new(Chromium::new(&folder.path().join("browser")));
        let session = Session::new("test", opener, Arc::new(MachineClock(Instant::now())));
        Self { session, flags, _folder: folder }
    }

    /// Gives targets so many seconds to get ready.
    pub fn ready(&mut self, seconds: f64) {
        self.flags.settings.waits.ready = seconds;
    }

    /// Waits so many seconds for an effect that wasn't seen at once.
    pub fn effect(&mut self, seconds: f64) {
        self.flags.settings.waits.effect = seconds;
    }

    /// Puts rules into a list of the policy.
    pub fn bar(&mut self, list: &str, rules: &[String]) {
        let policy = &mut self.flags.settings.policy;
        *(if list == "deny" { &mut policy.deny } else { &mut policy.ask }) = rules.to_vec();
        if list == "ask" {
            policy.deny.clear();
        }
    }

    /// One call.
    pub async fn call(&mut self, command: &str, args: Value) -> Response {
        let request = Request { command: command.to_owned(), args, flags: self.flags.clone() };
        dispatch(&mut self.session, request).await
    }

    /// One call that must not end in a problem.
    pub async fn must(&mut self, command: &str, args: Value) -> Value {
        let response = self.call(command, args.clone()).await;
        assert!(response.error.is_none(), "{command} {args}: {:?}", response.error);
        response.result.unwrap_or_default()
    }

    /// Opens a page.
    pub async fn open(&mut self, url: &str) {
        self.must("open", json!({ "url": url })).await;
    }

    /// The numbers of all targets by role and name, as shown now.
    pub async fn state(&mut self) -> Vec<(String, String, u32)> {
        let state = self.must("state", json!({ "budget": 0 })).await;
        let targets = state["targets"].as_array().cloned().unwrap_or_default();
        let word = |t: &Value, field: &str| t[field].as_str().unwrap_or_default().to_owned();
        targets.iter().map(|t| (word(t, "role"), word(t, "name"), t["ref"].as_u64().unwrap_or(0) as u32)).collect()
    }

    /// The number of the target that shows this name now.
    pub async fn see(&mut self, name: &str) -> u32 {
        let state = self.state().await;
        let found = state.iter().find(|t| t.1 == name).map(|t| t.2);
        found.unwrap_or_else(|| panic!("no target {name:?} in {state:?}"))
    }

    /// An action on a number, with what is expected of it.
    pub async fn act(&mut self, command: &str, number: u32, expect: &Expect, more: Value) -> Outcome {
        let mut args = json!({ "ref": number });
        match expect {
            Expect::Shown => {}
            Expect::Text(text) => args["expect"] = json!(text),
            Expect::Any => args["expect_any"] = json!(true),
        }
        for (key, value) in more.as_object().into_iter().flatten() {
            args[key] = value.clone();
        }
        self.call(command, args).await.into()
    }

    /// Real keys into a target: the library's own, for the command types into whatever has the focus.
    pub async fn type_into(&mut self, number: u32, expect: &Expect, text: &str) -> Outcome {
        let request = ActionRequest {
            aim: AimedAt::Target(vec![Locator::Ref(Ref(number))]),
            expectation: match expect {
                Expect::Shown => Expectation::LastShown,
                Expect::Text(text) => Expectation::Text((*text).to_owned()),
                Expect::Any => Expectation::Any,
            },
            action: Action::Type { text: text.to_owned(), pace_ms: 0 },
            act_on_unverifiable: false,
            denied: DeniedOrigins::default(),
            only_in: None,
            guarded: true,
            ready: Duration::from_secs(2),
            settle: Duration::from_secs(2),
            effect: Duration::ZERO,
            changes: 4,
        };
        let (surface, memory, clock) = self.session.parts().unwrap();
        match act(surface, memory, clock.as_ref(), &request).await {
            Ok(receipt) => Outcome { text: format!("{receipt:?}"), receipt: Some(receipt), problem: None },
            Err(problem) => {
                Outcome { text: problem.to_string(), receipt: None, problem: Some((problem.code, problem.message)) }
            }
        }
    }

    /// A click.
    pub async fn click(&mut self, number: u32, expect: &Expect) -> Outcome {
        self.act("click", number, expect, json!({})).await
    }
}

/// What an action says of its target.
#[derive(Debug, Clone)]
pub enum Expect {
    /// Nothing: it must be what was last shown.
    Shown,
    /// It must show this.
    Text(&'static str),
    /// Anything will do.
    Any,
}
