//! A hidden tab of ours that is told when the clipboard changes: no page tells of what a script of it copies. What is copied isn't
//! read: it may be a secret that no field holds.
//!
//! It shows an empty page of an origin of its own, to which alone that is permitted, so that no page's permissions change.
//! Browsers of ours without a window alone get one: what is copied in another one may be a person's doing.

use crate::cdp::link::Link;
use crate::cdp::transport::CallError;
use crate::protocol::{BindingCalled, Evaluated};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// The tab's origin. No host has such a name, and its only request is answered by us.
const ORIGIN: &str = "https://clipboard.invalid";
/// By what it tells of a change.
const BINDING: &str = "clipboardChanged";
/// Versions of Chromium before this one show tabs that were to be hidden.
const LEAST: u32 = 140;
/// What `chromium-headless-shell` calls itself; Chromium without a window is `Chrome`.
const SHELL: &str = "HeadlessChrome";
/// How long a step of opening it may take: nobody waits for that.
const STEP: Duration = Duration::from_secs(10);
/// How long a gesture waits for a tab that is being opened.
const READY: Duration = Duration::from_secs(2);

/// What `Browser.getVersion` answers.
#[derive(Deserialize)]
struct Version {
    /// Such as `Chrome/156.0.8078.108`.
    product: String,
}

/// What `Target.createTarget` and `Target.attachToTarget` answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    target_id: String,
}

/// Has the tab opened, without waiting for it.
pub(crate) fn watch(link: &Link) {
    link.model().clipboard.opening = true;
    let link = link.clone();
    tokio::spawn(async move {
        let opened = open(&link).await;
        let left = {
            let mut model = link.model();
            model.clipboard.opening = false;
            if opened.is_some() { None } else { model.clipboard.target.take() }
        };
        if let Some(target) = left {
            link.connection.notify(None, "Target.closeTarget", json!({ "targetId": target }));
        }
        link.shared.bump();
    });
}

/// None: this browser has no such tab.
async fn open(link: &Link) -> Option<()> {
    let call = async |session: Option<&str>, method, params: Value| -> Option<Value> {
        let answer: Result<Value, CallError> = link.connection.call(session, method, params, STEP).await;
        answer.ok()
    };
    let version: Version = link.connection.call(None, "Browser.getVersion", json!({}), STEP).await.ok()?;
    if !hides_tabs(&version.product) {
        return None;
    }
    let hidden = json!({ "url": "about:blank", "hidden": true, "background": true });
    let made: Created = link.connection.call(None, "Target.createTarget", hidden, STEP).await.ok()?;
    link.model().clipboard.target = Some(made.target_id.clone());
    // Its session is noted when the browser tells of it, which it does before it answers.
    call(None, "Target.attachToTarget", json!({ "targetId": made.target_id, "flatten": true })).await?;
    let session = link.model().clipboard.session.clone()?;
    let own = Some(session.as_str());
    let permitted = json!({ "permission": { "name": "clipboard-read" }, "setting": "granted", "origin": ORIGIN });
    call(None, "Browser.setPermission", permitted).await?;
    call(own, "Fetch.enable", json!({})).await?;
    // What hasn't the focus is told nothing.
    call(own, "Emulation.setFocusEmulationEnabled", json!({ "enabled": true })).await?;
    call(own, "Runtime.enable", json!({})).await?;
    call(own, "Runtime.addBinding", json!({ "name": BINDING })).await?;
    call(own, "Page.navigate", json!({ "url": format!("{ORIGIN}/") })).await?;
    let listens = format!(
        "'onclipboardchange' in navigator.clipboard && \
         (navigator.clipboard.addEventListener('clipboardchange', (e) => {BINDING}(e.types.join(', '))), true)"
    );
    let listening = evaluate(link, &session, &listens, STEP).await?;
    (listening == "true").then_some(())
}

/// Whether a browser hides the tabs that it is to hide. The shell without a window, a program of its own, shows all of them.
fn hides_tabs(product: &str) -> bool {
    let major = |version: &str| version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    product.split_once('/').is_some_and(|(name, version)| name != SHELL && major(version).is_some_and(|m| m >= LEAST))
}

/// Waits for the tab while it is being opened.
pub(crate) async fn ready(link: &Link) {
    link.shared.wait_while(Instant::now() + READY, || link.model().clipboard.opening).await;
}

/// What an expression gives in the tab, as JSON.
async fn evaluate(link: &Link, session: &str, expression: &str, limit: Duration) -> Option<String> {
    let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
    let answer: Evaluated = link.connection.call(Some(session), "Runtime.evaluate", params, limit).await.ok()?;
    answer.exception_details.is_none().then_some(())?;
    answer.result.value.map(|value| value.get().to_owned())
}

/// The tab tells that the clipboard has changed.
pub(super) fn told(link: &Link, called: &BindingCalled) {
    if called.name != BINDING {
        return;
    }
    let mut model = link.model();
    if model.gesture.recording {
        model.clipboard.changed = Some(model.cut(&called.payload, 100));
        model.gesture.moved.later = true;
    }
    model.touch();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_hidden_by_browsers_that_can() {
        for (product, hides) in [
            ("Chrome/156.0.8078.108", true),
            ("Chrome/140.0.0.0", true),
            ("Edg/141.0.1", true),
            ("Chrome/139.0.7258.66", false),
            ("HeadlessChrome/156.0.8078.108", false),
            ("Chrome/", false),
            ("Chrome", false),
            ("", false),
        ] {
            assert_eq!(hides_tabs(product), hides, "{product}");
        }
    }
}
