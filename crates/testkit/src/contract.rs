//! What every surface must do alike: one source of tests, run against each.
//!
//! A surface takes part by an [`App`]: a button `Approve`, a check box `Keep a copy`, a field `Name` and a field `Secret` for
//! passwords on it, which write down what is done to them, and can be changed from outside. [`contract!`] makes the tests.

use crate::clock::MachineClock;
use handeye_engine::act;
use handeye_engine::observe::snapshot::{Show, see};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator, Memory};
use handeye_scene::{
    Aim, Button, Change, Code, DeniedOrigins, Evidence, Modifiers, NodeKind, Problem, Receipt, Ref, Shot, Surface,
    Target, Verdict, Want,
};
use std::time::{Duration, Instant};

/// How long something may take that an app does by itself.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long any call may take, whatever became of the app.
const LIMIT: Duration = Duration::from_secs(12);

/// Something to see and to act on.
#[async_trait::async_trait]
pub trait App: Send {
    /// How it is seen and touched.
    fn surface(&mut self) -> &mut dyn Surface;
    /// A picture of it.
    async fn picture(&mut self) -> Result<Shot, Problem>;
    /// Calls the button otherwise.
    async fn relabel(&mut self, text: &str);
    /// Takes the button away.
    async fn remove(&mut self);
    /// What was done to it, a line each: `clicked LABEL`, `keep true`, `name TEXT`, `secret LENGTH`.
    async fn log(&mut self) -> Vec<String>;
    /// Ends it, as when it crashes.
    async fn end(&mut self);
}

/// The tests, for an app that `$open` makes; where it can't be had, it says so and gives none.
#[macro_export]
macro_rules! contract {
    ($surface:ident, $open:expr) => {
        mod $surface {
            use super::*;
            $crate::contract!(@ $open, shows_what_there_is);
            $crate::contract!(@ $open, keeps_numbers_until_what_they_mean_is_gone);
            $crate::contract!(@ $open, refuses_what_is_not_as_expected);
            $crate::contract!(@ $open, reads_input_back);
            $crate::contract!(@ $open, tells_effects_in_receipts);
            $crate::contract!(@ $open, takes_pictures);
            $crate::contract!(@ $open, tells_that_the_app_is_lost);
        }
    };
    (@ $open:expr, $name:ident) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            if let Some(app) = $open.await {
                $crate::contract::Contract::with(app).await.$name().await;
            }
        }
    };
}

/// An app, and what was seen of it.
pub struct Contract<A: App> {
    app: A,
    memory: Memory,
}

/// Whether it is called so. What labels a control may stand there with a colon, and some interfaces tell it as it stands.
fn called(target: &Target, role: &str, name: &str) -> bool {
    target.role == role && target.name.trim_end_matches(':') == name
}

fn click() -> Action {
    let modifiers = Modifiers::default();
    Action::Click { button: Button::Left, count: 1, modifiers, by: ClickBy::Best, offset: None }
}

impl<A: App> Contract<A> {
    /// Waits until the app shows what it must.
    pub async fn with(app: A) -> Self {
        let mut contract = Self { app, memory: Memory::default() };
        contract.number("button", "Approve").await;
        contract.number("textbox", "Secret").await;
        contract
    }

    async fn targets(&mut self) -> Result<Vec<Target>, Problem> {
        let look = self.app.surface().capture(Want::default());
        let capture = tokio::time::timeout(LIMIT, look).await.expect("a look has no end")?;
        assert!(capture.nodes.iter().all(|n| capture.documents.iter().any(|d| d.id == n.document)));
        let generation = self.memory.advance();
        Ok(see(&capture, &mut self.memory, Show::default(), generation, String::new())?.snapshot.targets)
    }

    /// The number of the one target of this role and name, which may take a while to be there.
    async fn number(&mut self, role: &str, name: &str) -> Ref {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let targets = self.targets().await;
            let found: Vec<&Target> = targets.iter().flatten().filter(|t| called(t, role, name)).collect();
            if let [only] = found[..] {
                return only.r#ref;
            }
            assert!(Instant::now() < deadline, "{role} {name}: {targets:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn act(&mut self, number: Ref, expectation: Expectation, action: Action) -> Result<Receipt, Problem> {
        let request = ActionRequest {
            aim: AimedAt::Target(vec![Locator::Ref(number)]),
            expectation,
            action,
            act_on_unverifiable: false,
            denied: DeniedOrigins::default(),
            only_in: None,
            guarded: true,
            ready: Duration::from_secs(3),
            settle: Duration::from_secs(1),
            effect: Duration::ZERO,
            changes: 10,
        };
        let clock = MachineClock(Instant::now());
        let acting = act(self.app.surface(), &mut self.memory, &clock, &request);
        tokio::time::timeout(LIMIT * 2, acting).await.expect("an action has no end")
    }

    async fn shown(&mut self, number: Ref, action: Action) -> Receipt {
        self.act(number, Expectation::LastShown, action).await.unwrap()
    }

    /// Waits until the app says so.
    async fn logs(&mut self, line: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let log = self.app.log().await;
            if log.iter().any(|l| l == line) {
                return;
            }
            assert!(Instant::now() < deadline, "wanted {line:?}, found {log:?}");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    /// State: what can be operated is listed once, with its place, and what is looked up there is the same.
    pub async fn shows_what_there_is(mut self) {
        let targets = self.targets().await.unwrap();
        for (role, name) in
            [("button", "Approve"), ("checkbox", "Keep a copy"), ("textbox", "Name"), ("textbox", "Secret")]
        {
            let found: Vec<&Target> = targets.iter().filter(|t| called(t, role, name)).collect();
            let [target] = found[..] else { panic!("{role} {name}: {targets:?}") };
            assert!(target.rect.width > 4.0 && target.rect.height > 4.0, "{target:?}");
            let (native, rect) = (target.native.unwrap(), target.rect);
            let aim = Aim { point: true, ..Aim::default() };
            let probe = self.app.surface().probe(native, aim).await.unwrap().unwrap();
            assert_eq!((&probe.role, &probe.name), (&target.role, &target.name));
            assert!(probe.visible && probe.enabled, "{probe:?}");
            let (seen, now) = (rect.center(), probe.rect.center());
            assert!((seen.x - now.x).abs() < 1.0 && (seen.y - now.y).abs() < 1.0, "{rect:?} {probe:?}");
        }
        let capture = self.app.surface().capture(Want::default()).await.unwrap();
        let operable = capture.nodes.iter().filter(|n| n.kind == NodeKind::Operable);
        let mut ids: Vec<_> = operable.filter_map(|n| n.id).collect();
        let listed = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), listed, "every element is listed once");
    }

    /// Refs: looking again changes no number; what is gone is stale, with what is alike; no number passes to another.
    pub async fn keeps_numbers_until_what_they_mean_is_gone(mut self) {
        let before = self.targets().await.unwrap();
        let approve = self.number("button", "Approve").await;
        let keep = self.number("checkbox", "Keep a copy").await;
        self.shown(keep, Action::Check(true)).await;
        self.app.relabel("Agree").await;
        assert_eq!(self.number("button", "Agree").await, approve, "its label is not what an element is");
        let after = self.targets().await.unwrap();
        for target in &before {
            let same = after.iter().find(|t| t.native == target.native);
            assert!(same.is_none_or(|t| t.r#ref == target.r#ref), "{target:?} {same:?}");
        }
        self.app.remove().await;
        let deadline = Instant::now() + PATIENCE;
        while self.targets().await.unwrap().iter().any(|t| t.r#ref == approve) {
            assert!(Instant::now() < deadline, "it stays in the list");
        }
        let problem = self.act(approve, Expectation::LastShown, click()).await.unwrap_err();
        assert_eq!(problem.code, Code::Stale, "{problem:?}");
        assert!(problem.hints.iter().any(|h| h == "handeye state"), "{problem:?}");
        self.shown(keep, Action::Check(false)).await;
        self.logs("keep false").await;
        assert!(!self.app.log().await.iter().any(|l| l.starts_with("clicked")));
    }

    /// Expectations: neither a stated one nor the last label shown is acted against, and a refusal teaches nothing.
    pub async fn refuses_what_is_not_as_expected(mut self) {
        let approve = self.number("button", "Approve").await;
        let text = |text: &str| Expectation::Text(text.to_owned());
        let refused = |outcome: Result<Receipt, Problem>| {
            let receipt = outcome.unwrap();
            assert_eq!(receipt.verdict, Verdict::Contradicted, "{receipt:?}");
            receipt.reason.unwrap()
        };
        let reason = refused(self.act(approve, text("Delete"), click()).await);
        assert!(reason.contains("expected text \"Delete\", found \"Approve\""), "{reason}");
        self.app.relabel("Delete all").await;
        for _ in 0..2 {
            let reason = refused(self.act(approve, Expectation::LastShown, click()).await);
            assert!(reason.contains("\"Approve\"") && reason.contains("\"Delete all\""), "{reason}");
        }
        let reason = refused(self.act(approve, text("Approve"), click()).await);
        assert!(reason.contains("expected text \"Approve\", found \"Delete all\""), "{reason}");
        assert_eq!(self.app.log().await, Vec::<String>::new(), "nothing was done");
        let receipt = self.act(approve, text("delete all"), click()).await.unwrap();
        assert_ne!(receipt.verdict, Verdict::Contradicted, "{receipt:?}");
        self.logs("clicked Delete all").await;
        self.app.relabel("Approve").await;
        let receipt = self.act(approve, Expectation::Any, click()).await.unwrap();
        assert_ne!(receipt.verdict, Verdict::Contradicted, "{receipt:?}");
        self.logs("clicked Approve").await;
    }

    /// Input: what a field holds afterwards is read back, to the last character; a password isn't told.
    pub async fn reads_input_back(mut self) {
        let name = self.number("textbox", "Name").await;
        for text in ["王小明 é 😀", "", "  two  spaces "] {
            let receipt = self.shown(name, Action::Input(text.into())).await;
            assert_eq!(receipt.verdict, Verdict::Confirmed, "{receipt:?}");
            let held = Evidence::Value { value: text.into() };
            assert!(receipt.evidence.contains(&held) || text.is_empty(), "{receipt:?}");
            let native = receipt.target.unwrap().native.unwrap();
            let probe = self.app.surface().probe(native, Aim::default()).await.unwrap().unwrap();
            assert_eq!(probe.texts.value, text);
            self.logs(&format!("name {text}")).await;
        }
        let secret = self.number("textbox", "Secret").await;
        let receipt = self.shown(secret, Action::Input("hunter2".into())).await;
        assert_eq!(receipt.verdict, Verdict::Confirmed, "{receipt:?}");
        assert!(!format!("{receipt:?} {:?}", self.targets().await).contains("hunter2"));
        self.logs("secret 7").await;
    }

    /// Receipts: an effect is told with what it was before; what has none, and what needs none, says so.
    pub async fn tells_effects_in_receipts(mut self) {
        let keep = self.number("checkbox", "Keep a copy").await;
        let receipt = self.shown(keep, Action::Check(true)).await;
        assert_eq!((receipt.verdict, receipt.action.as_str()), (Verdict::Confirmed, "checked"), "{receipt:?}");
        let effect = Evidence::Property { property: "checked".into(), from: "false".into(), to: "true".into() };
        assert!(receipt.evidence.contains(&effect), "{receipt:?}");
        self.logs("keep true").await;
        let receipt = self.shown(keep, Action::Check(true)).await;
        assert_eq!(receipt.evidence, [Evidence::Already { state: "checked".into() }], "{receipt:?}");
        let receipt = self.shown(keep, click()).await;
        assert_eq!(receipt.verdict, Verdict::Confirmed, "{receipt:?}");
        self.logs("keep false").await;
        let approve = self.number("button", "Approve").await;
        // A click moves the focus once; the second one does nothing that shows.
        self.shown(approve, click()).await;
        let receipt = self.shown(approve, click()).await;
        assert_eq!(receipt.verdict, Verdict::NoEffect, "{receipt:?}");
        assert!(receipt.reason.is_some() && receipt.changes.is_empty(), "{receipt:?}");
        let name = self.number("textbox", "Name").await;
        let receipt = self.shown(name, Action::Input("Ann".into())).await;
        let changed =
            |c: &Change| matches!(c, Change::Changed { r#ref, property, .. } if *r#ref == name && property == "value");
        assert!(receipt.changes.iter().all(|c| changed(c) || format!("{c:?}").contains("states")), "{receipt:?}");
        let problem = self.act(approve, Expectation::LastShown, Action::Check(true)).await.unwrap_err();
        assert_eq!(problem.code, Code::Unsupported, "{problem:?}");
    }

    /// Screenshots: a picture says which part of the surface it shows, at which scale.
    pub async fn takes_pictures(mut self) {
        let approve = self.number("button", "Approve").await;
        let target = self.targets().await.unwrap().into_iter().find(|t| t.r#ref == approve).unwrap();
        let shot = self.app.picture().await.unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(&shot.bytes[..]));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let expected = (shot.area.width * shot.scale, shot.area.height * shot.scale);
        assert!((f64::from(info.width) - expected.0).abs() <= 1.0, "{} {expected:?}", info.width);
        assert!((f64::from(info.height) - expected.1).abs() <= 1.0, "{} {expected:?}", info.height);
        let (area, center) = (shot.area, target.rect.center());
        assert!((area.x..area.x + area.width).contains(&center.x), "{area:?} {center:?}");
        assert!((area.y..area.y + area.height).contains(&center.y), "{area:?} {center:?}");
        let first = pixels[..info.color_type.samples()].to_vec();
        assert!(pixels.chunks(first.len()).any(|p| p != first), "it isn't of one colour");
    }

    /// A lost app: every call is a problem within its limit, and none is made up.
    pub async fn tells_that_the_app_is_lost(mut self) {
        let approve = self.number("button", "Approve").await;
        self.app.end().await;
        let begun = Instant::now();
        let deadline = begun + PATIENCE;
        let problem = loop {
            match self.targets().await {
                Err(problem) => break problem,
                Ok(targets) => assert!(Instant::now() < deadline, "it is still seen: {targets:?}"),
            }
        };
        assert!(matches!(problem.code, Code::Lost | Code::NotFound), "{problem:?}");
        assert!(!problem.hints.is_empty(), "{problem:?}");
        let problem = self.act(approve, Expectation::LastShown, click()).await.unwrap_err();
        assert!(matches!(problem.code, Code::Lost | Code::Stale | Code::NotFound), "{problem:?}");
        // A display server that is busy shows the window a moment longer than the app is there.
        while self.app.picture().await.is_ok() {
            assert!(Instant::now() < deadline, "there are pictures of it still");
        }
        assert!(begun.elapsed() < LIMIT * 2, "{:?}", begun.elapsed());
    }
}
