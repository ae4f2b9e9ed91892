//! Messages to the extension that aren't its panel's, from a real second extension and out of a real page: refused, and in the server's
//! audit log by their senders.

use super::panel_stage::Stage;
use handeye_chat::store::{AuditEntry, Store, verify_audit};
use handeye_testkit::chromium::LIMIT;
use handeye_testkit::is_full;
use handeye_testkit::models::{Answer, Asked};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// What would have the page acted on, if it were heard.
fn orders() -> [Value; 3] {
    let click = json!({"actions": [{"action": "click", "target": {"selector": "#b"}}]});
    [
        json!({"door": "enter", "tabId": 1}),
        json!({"ask": "preview", "call": {"tool": "page_action", "args": click}, "secret": "秘密"}),
        json!({"kind": "approve"}),
    ]
}

/// An extension of somebody else's.
fn write_foreign(folder: &Path) {
    let manifest =
        r#"{"manifest_version": 3, "name": "Foreign", "version": "1", "background": {"service_worker": "b.js"}}"#;
    for (name, text) in [("manifest.json", manifest), ("b.js", ""), ("f.html", "<title>foreign</title>")] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

/// The log's entries of messages that were refused, once they tell of so many; the whole log is whole.
async fn noted(store: &Store, wanted: u64) -> Vec<AuditEntry> {
    let began = Instant::now();
    loop {
        let mut log = store.audit_log().await.unwrap();
        assert_eq!(verify_audit(&log), None);
        log.retain(|entry| entry.event == "refused_message");
        let times: u64 = log.iter().flat_map(|entry| senders(&entry.detail)).map(|(times, _)| times).sum();
        if times >= wanted {
            assert_eq!(times, wanted, "{log:?}");
            return log;
        }
        assert!(began.elapsed() < LIMIT, "{wanted}: {log:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// How often each sender tried, as an entry has it.
fn senders(detail: &str) -> Vec<(u64, &str)> {
    let parts = detail.split(", ").map(|one| one.split_once(" from ").unwrap());
    parts.map(|(times, from)| (times.parse().unwrap(), from)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_other_extensions_and_pages_send_is_refused_and_in_the_audit_log() {
    let body = "<button id=b onclick='window.hit = 1'>付款</button>";
    let stage = Stage::on(body, |_: &Asked| Answer::Say("好".into())).await;
    // The content script is there from here on.
    stage.say("看").await;
    stage.answered("好").await;
    let browser = stage.page.browser.clone();
    let folder = tempfile::tempdir().unwrap();
    write_foreign(folder.path());
    let foreign = browser.load(folder.path()).await;
    let url = format!("chrome-extension://{foreign}/f.html");
    browser.call("", "Target.createTarget", json!({"url": url, "background": true})).await.unwrap();
    let other = browser.page(&url).await;
    other.until("document.title === 'foreign'").await;
    let ours = stage.extension();
    let forbidden = json!({"ok": false, "refusal": "forbidden"});
    for order in orders() {
        let send = format!("chrome.runtime.sendMessage({}, {order})", json!(ours));
        assert_eq!(other.eval(&send).await, forbidden, "{order}");
    }
    let port = format!(
        "new Promise(done => {{ const port = chrome.runtime.connect({}); port.onMessage.addListener(() => done('heard')); port.onDisconnect.addListener(() => done('hung up')); }})",
        json!(ours)
    );
    assert_eq!(other.eval(&port).await, "hung up");
    // A web page has no way to us; one that broke out of its sandbox has our content script's.
    for order in orders() {
        let send = format!(
            "(async () => {{ postMessage({order}, '*'); if (!globalThis.chrome?.runtime?.sendMessage) return 'no way';
               return chrome.runtime.sendMessage({}, {order}).then(JSON.stringify, String); }})()",
            json!(ours)
        );
        let said = stage.page.eval(&send).await;
        assert!(said == "no way" || said.as_str().unwrap().contains("Could not establish connection"), "{said}");
    }
    let world = json!({"contextId": stage.page.content_world(ours).await});
    for order in orders() {
        let send = format!("chrome.runtime.sendMessage({order})");
        assert_eq!(stage.page.try_eval(&send, world.clone()).await.unwrap(), forbidden, "{order}");
    }
    let connect = "new Promise(done => { const port = chrome.runtime.connect(); port.onDisconnect.addListener(() => done('hung up')); })";
    assert_eq!(stage.page.try_eval(connect, world.clone()).await.unwrap(), "hung up");
    assert_eq!(stage.page.eval("window.hit ?? 0").await, 0);
    let store = Store::open(&stage.database()).await.unwrap();
    let log = noted(&store, 8).await;
    let mut of: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for entry in &log {
        assert_eq!((entry.user.as_str(), entry.conversation.as_str()), ("ann", ""), "{entry:?}");
        assert!(!entry.detail.contains("秘密") && !entry.detail.contains("approve"), "{entry:?}");
        senders(&entry.detail).into_iter().for_each(|(times, from)| *of.entry(from).or_default() += times);
    }
    let (foreign, page) = (format!("chrome-extension://{foreign}"), stage.page.eval("location.origin").await);
    let wanted = [(foreign.as_str(), 4), (page.as_str().unwrap(), 4)];
    assert_eq!(of, wanted.into_iter().collect());
    // A flood is told of in a few words, ten seconds after what was told before.
    let flood = format!(
        "Promise.all(Array.from({{ length: 3000 }}, () => chrome.runtime.sendMessage({}, {{}}))).then(all => all.length)",
        json!(ours)
    );
    if is_full() {
        assert_eq!(other.eval(&flood).await, 3000);
        let more = noted(&store, 3008).await;
        assert!(more.len() <= log.len() + 4, "{more:?}");
    }
    store.close().await;
    // The panel is heard as before.
    stage.say("还在吗").await;
    stage.answered("好").await;
}
