//! What is around what is acted on: where the page is, which tabs there are, whether a dialog holds it. A list of calls that
//! finds it changed, without having asked for that, goes on in another world than it was written for.

use crate::Session;
use crate::core::steps::Step;
use crate::dispatch::trail::Trail;
use serde_json::Value;

/// Commands after which there may be other tabs and windows, by what they are for.
const GO: [&str; 8] = ["open", "back", "forward", "reload", "tabs", "close", "launch", "dialog"];
/// Commands after which a window that came up is looked for.
const WINDOWS: [&str; 3] = ["windows", "window", "focus"];

/// What is around.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct World {
    /// Whether pages are looked at.
    has_pages: bool,
    /// Origin of the page; none where there is no page, or it can't tell.
    origin: Option<String>,
    /// Its tabs; none where the browser doesn't tell.
    tabs: Option<Vec<String>>,
    /// The kind of dialog that is open.
    dialog: Option<String>,
}

impl World {
    /// The origin of its page.
    pub(crate) fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// As it is after what was `before`. A page that a dialog holds can't tell where it is, and is where it was.
    pub(crate) async fn after(session: &mut Session, before: &Self) -> Self {
        let now = Self::of(session).await;
        let held = before.origin.as_ref().filter(|_| now.dialog.is_some());
        Self { origin: now.origin.or(held.cloned()), ..now }
    }

    /// As it is now.
    pub(crate) async fn of(session: &mut Session) -> Self {
        let Ok(web) = session.web() else { return Self::default() };
        let dialog = web.dialog().map(|dialog| dialog.kind);
        let tabs = web.tabs().await.ok().map(|tabs| tabs.into_iter().map(|tab| tab.id).collect());
        // A page that a dialog holds doesn't answer.
        let url = if dialog.is_none() { web.location().await.ok().map(|(url, _)| url) } else { None };
        let origin = url.filter(|url| !url.starts_with("about:")).map(|url| handeye_engine::policy::origin::of(&url));
        Self { has_pages: true, origin, tabs, dialog }
    }

    /// What came up with a step that neither it nor the next one asks for, in words.
    pub(crate) fn since(
        &self,
        before: &Self,
        (step, next): (&Step, Option<&Step>),
        result: Option<&Value>,
        trail: &Trail,
    ) -> Option<String> {
        let came = self.dialog_since(before, (step, next), result);
        let came = came.or_else(|| {
            let goes = GO.contains(&step.command.as_str());
            if goes { None } else { self.places_since(before, next, result) }
        });
        came.or_else(|| {
            let to = self
                .origin
                .as_deref()
                .filter(|_| self.has_pages && !says_where(step) && !next.is_some_and(says_where))?;
            let why = trail.strays(step, before.origin.as_deref(), to)?;
            Some(format!("{why}, and the next step doesn't say so (verify url, wait --url)"))
        })
    }

    /// A dialog that came up with a step.
    fn dialog_since(
        &self,
        before: &Self,
        (step, next): (&Step, Option<&Step>),
        result: Option<&Value>,
    ) -> Option<String> {
        let opened = self.dialog.as_ref().filter(|_| before.dialog.is_none());
        if let Some(kind) = opened.filter(|_| !follows(next, &["dialog"])) {
            return Some(format!("{} {kind} dialog opened, and the next step doesn't answer it", article(kind)));
        }
        let is_gone = evidence(result, "dialog") && self.dialog.is_none() && step.command != "dialog";
        is_gone.then(|| "a dialog opened, and is closed again".into())
    }

    /// A window or a tab that came or went with a step.
    fn places_since(&self, before: &Self, next: Option<&Step>, result: Option<&Value>) -> Option<String> {
        let to_window = next.is_some_and(|next| next.window.is_some()) || follows(next, &WINDOWS);
        if evidence(result, "window_opened") && !to_window {
            return Some("a window opened, and the next step isn't about it".into());
        }
        if evidence(result, "window_closed") && !to_window {
            return Some("a window was closed".into());
        }
        let (Some(then), Some(now)) = (&before.tabs, &self.tabs) else { return None };
        if let Some(gone) = then.iter().find(|tab| !now.contains(tab)) {
            return Some(format!("tab {gone} was closed"));
        }
        let new = now.iter().find(|tab| !then.contains(tab)).filter(|_| !follows(next, &["tabs"]))?;
        Some(format!("a new tab opened ({new}), and the next step isn't `tabs`"))
    }
}

/// Whether the next step is one of these.
fn follows(next: Option<&Step>, names: &[&str]) -> bool {
    next.is_some_and(|next| names.contains(&next.command.as_str()))
}

/// Whether a result tells of such evidence.
fn evidence(result: Option<&Value>, kind: &str) -> bool {
    let all = result.and_then(|result| result.get("evidence")?.as_array());
    all.into_iter().flatten().any(|one| one.get("kind").is_some_and(|own| own == kind))
}

/// Whether a step says what address is expected.
fn says_where(step: &Step) -> bool {
    let said = |name: &str| step.args.get(name).is_some_and(|value| !value.is_null());
    match step.command.as_str() {
        "wait" => said("url"),
        "verify" => step.args.get("what").is_some_and(|what| what == "url"),
        _ => false,
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn world(origin: &str, tabs: &[&str], dialog: Option<&str>) -> World {
        let tabs = Some(tabs.iter().map(|tab| (*tab).to_owned()).collect());
        World { has_pages: true, origin: Some(origin.to_owned()), tabs, dialog: dialog.map(str::to_owned) }
    }

    fn step(command: &str, args: Value) -> Step {
        Step { command: command.into(), args, ..Step::default() }
    }

    #[test]
    fn what_nobody_asked_for_is_told_and_what_the_next_step_is_about_is_not() {
        let before = world("http://a", &["t1"], None);
        let click = step("click", json!({ "ref": 1 }));
        let receipt = |kind: &str| json!({ "verdict": "confirmed", "evidence": [{ "kind": kind }] });
        let other = || world("http://b", &["t1"], None);
        let next = |command: &str| Some(step(command, json!({})));
        let claim = |what: &str| Some(step("verify", json!({ "what": what, "expected": "http://b" })));
        let wait = Some(step("wait", json!({ "url": "b" })));
        let named = Some(Step { window: Some("Print".into()), ..step("click", json!({ "ref": 2 })) });
        let alert = || world("http://a", &["t1"], Some("alert"));
        let tab = || world("http://a", &["t1", "t2"], None);
        let trail = Trail::from(Some("http://a"));
        let (open, close) = (receipt("window_opened"), receipt("window_closed"));
        for (now, of, after, result, told) in [
            (before.clone(), &click, None, receipt("changes"), None),
            (alert(), &click, None, receipt("dialog"), Some("an alert dialog opened")),
            (alert(), &click, next("click"), receipt("dialog"), Some("an alert dialog opened")),
            (alert(), &click, next("dialog"), receipt("dialog"), None),
            (alert(), &step("open", json!({})), None, json!({}), Some("an alert dialog opened")),
            (before.clone(), &click, None, receipt("dialog"), Some("is closed again")),
            (other(), &click, next("click"), receipt("navigated"), Some("from http://a to http://b")),
            (other(), &click, claim("title"), receipt("navigated"), Some("from http://a to http://b")),
            (other(), &click, claim("url"), receipt("navigated"), None),
            (other(), &click, wait.clone(), receipt("navigated"), None),
            (other(), &step("back", json!({})), None, json!({}), Some("from http://a to http://b")),
            (other(), &step("back", json!({})), claim("url"), json!({}), None),
            (other(), &step("reload", json!({})), None, json!({}), Some("from http://a to http://b")),
            (
                other(),
                &step("dialog", json!({ "action": "accept" })),
                None,
                json!({}),
                Some("from http://a to http://b"),
            ),
            (other(), &step("open", json!({ "url": "http://b/1" })), None, json!({}), None),
            (other(), &step("open", json!({ "url": "http://a/1" })), None, json!({}), Some("the page is at http://b")),
            (other(), &step("open", json!({ "url": "http://a/1" })), claim("url"), json!({}), None),
            (
                other(),
                &step("tabs", json!({ "action": "new", "url": "http://c" })),
                None,
                json!({}),
                Some("is at http://b"),
            ),
            (other(), &step("tabs", json!({ "action": "switch", "id": "t1" })), None, json!({}), None),
            (other(), &step("wait", json!({ "seconds": 1.0 })), None, json!({}), Some("from http://a to http://b")),
            (other(), wait.as_ref().unwrap_or(&click), None, json!({}), None),
            (tab(), &click, None, receipt("new_tab"), Some("a new tab opened (t2)")),
            (tab(), &click, next("tabs"), receipt("new_tab"), None),
            (tab(), &step("tabs", json!({ "action": "new" })), None, json!({}), None),
            (world("http://a", &[], None), &click, None, receipt("changes"), Some("tab t1 was closed")),
            (before.clone(), &click, None, open.clone(), Some("a window opened")),
            (before.clone(), &click, named, open.clone(), None),
            (before.clone(), &click, next("windows"), open, None),
            (before.clone(), &click, next("click"), close, Some("a window was closed")),
            // Windows have no tabs: the page is put aside, not closed.
            (World::default(), &step("state", json!({})), None, json!({}), None),
        ] {
            let said = now.since(&before, (of, after.as_ref()), Some(&result), &trail);
            match told {
                None => assert_eq!(said, None, "{} then {after:?}", of.command),
                Some(told) => assert!(said.as_ref().is_some_and(|said| said.contains(told)), "{told}: {said:?}"),
            }
        }
        // A dialog that was there before is none that came.
        assert_eq!(alert().since(&alert(), (&click, None), None, &trail), None);
    }
}
