//! Who may not tell the extension what to do: web pages, other extensions, scripts in the panel's place; and what hostile pages
//! and servers may show.

use crate::chromium::{LIMIT, Page};
use crate::server::{Said, actions};
use crate::stage::Stage;
use handeye_testkit::trials;
use serde_json::{Value, json};
use std::path::Path;

const TARGET: &str = "<button id=b onclick='window.hit = 1'>批准付款</button>";

/// Everything that could make the page be acted on, as another would send it.
fn orders(tab: &Value) -> [Value; 4] {
    [
        json!({"door": "enter", "tabId": tab}),
        json!({"door": "ask", "tabId": tab, "documentId": "0", "request": {"ask": "info", "about": ""}}),
        json!({"ask": "preview", "call": {"tool": "page_action", "args": {"actions": [{"action": "click", "target": {"selector": "#b"}}]}}}),
        json!({"kind": "approve"}),
    ]
}

/// An extension of somebody else's.
fn write_foreign(folder: &Path) {
    let manifest =
        r#"{"manifest_version": 3, "name": "Foreign", "version": "1", "background": {"service_worker": "b.js"}}"#;
    std::fs::write(folder.join("manifest.json"), manifest).unwrap();
    std::fs::write(folder.join("b.js"), "").unwrap();
    std::fs::write(folder.join("f.html"), "<!doctype html><title>foreign</title>").unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn other_extensions_are_refused() {
    let stage = Stage::on(TARGET).await;
    let tab = stage.panel.eval("chrome.tabs.query({ active: true, currentWindow: true }).then(t => t[0].id)").await;
    let folder = tempfile::tempdir().unwrap();
    write_foreign(folder.path());
    let foreign = stage.browser.load(folder.path()).await;
    let url = format!("chrome-extension://{foreign}/f.html");
    stage.browser.call("", "Target.createTarget", json!({"url": url, "background": true})).await.unwrap();
    let other = stage.browser.page(&url).await;
    other.until("document.title === 'foreign'").await;
    for order in orders(&tab) {
        let send = format!("chrome.runtime.sendMessage({}, {order})", json!(stage.extension));
        assert_eq!(other.eval(&send).await, json!({"ok": false, "refusal": "forbidden"}));
    }
    let port = format!(
        "new Promise(done => {{ const port = chrome.runtime.connect({}); port.onDisconnect.addListener(() => done(String(chrome.runtime.lastError?.message ?? 'hung up'))); port.onMessage.addListener(() => done('heard')); }})",
        json!(stage.extension)
    );
    assert_eq!(other.eval(&port).await, "hung up");
    assert_eq!(stage.page.eval("window.hit ?? 0").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn web_pages_are_not_heard() {
    let stage = Stage::on(TARGET).await;
    // The content script is there: a page could try to talk to it.
    stage.info("").await;
    let tab = stage.panel.eval("chrome.tabs.query({ active: true, currentWindow: true }).then(t => t[0].id)").await;
    for order in orders(&tab) {
        let send = format!(
            "(async () => {{ window.postMessage({order}, '*'); dispatchEvent(new CustomEvent('message', {{ detail: {order} }}));
               if (!globalThis.chrome?.runtime?.sendMessage) return 'no way';
               return chrome.runtime.sendMessage({}, {order}).then(JSON.stringify, String); }})()",
            json!(stage.extension)
        );
        let said = stage.page.eval(&send).await;
        assert!(said == "no way" || said.as_str().unwrap().contains("Could not establish connection"), "{said}");
    }
    let files =
        format!("fetch('chrome-extension://{}/content.js').then(() => 'read', () => 'refused')", stage.extension);
    assert_eq!(stage.page.eval(&files).await, "refused");
    let frame = format!(
        "new Promise(done => {{ const f = document.createElement('iframe'); f.src = 'chrome-extension://{}/panel.html'; f.onload = () => done(f.contentWindow.length); document.body.append(f); }})",
        stage.extension
    );
    stage.page.eval(&frame).await;
    let inside = stage.browser.find_page("chrome-error:", std::time::Duration::from_millis(100)).await;
    assert!(inside.is_none());
    let frames = stage.page.call("Page.getFrameTree", json!({})).await;
    assert_eq!(frames["frameTree"]["childFrames"][0]["frame"]["url"], "chrome-error://chromewebdata/", "{frames}");
    assert_eq!(stage.page.eval("window.hit ?? 0").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_background_hears_the_side_panel_alone() {
    let stage = Stage::on(TARGET).await;
    stage.info("").await;
    let tab = stage.panel.eval("chrome.tabs.query({ active: true, currentWindow: true }).then(t => t[0].id)").await;
    let forbidden = json!({"ok": false, "refusal": "forbidden"});
    // Our own content script, as a page would have it that broke out of its sandbox.
    let world = json!({"contextId": stage.page.content_world(&stage.extension).await});
    for order in orders(&tab) {
        let send = format!("chrome.runtime.sendMessage({order})");
        assert_eq!(stage.page.try_eval(&send, world.clone()).await.unwrap(), forbidden, "{order}");
    }
    assert_eq!(
        stage
            .page
            .try_eval("chrome.storage.local.get('settings').then(JSON.stringify, () => 'closed')", world)
            .await
            .unwrap(),
        "closed"
    );
    // The panel's page in an ordinary tab, where a link may have led.
    let url = format!("chrome-extension://{}/panel.html#tab", stage.extension);
    stage.browser.call("", "Target.createTarget", json!({"url": url, "background": true})).await.unwrap();
    let in_a_tab = stage.browser.page("panel.html#tab").await;
    in_a_tab.until("document.body?.dataset.ready === 'true'").await;
    assert_eq!(in_a_tab.eval(&format!("chrome.runtime.sendMessage({})", orders(&tab)[0])).await, forbidden);
    // The panel itself, with what is no request.
    for odd in
        ["1", "null", "{}", "{ door: 'open', tabId: 1 }", "{ door: 'ask', tabId: 1 }", "{ door: 'enter', tabId: '1' }"]
    {
        let malformed = json!({"ok": false, "refusal": "malformed"});
        assert_eq!(stage.panel.eval(&format!("chrome.runtime.sendMessage({odd})")).await, malformed, "{odd}");
    }
}

/// Reports that the server didn't take outlast the background, which the browser ends as it likes, and are told once.
#[tokio::test(flavor = "multi_thread")]
async fn refused_messages_are_told_once_the_server_takes_them() {
    let stage = Stage::on(TARGET).await;
    stage.info("").await;
    let settings = json!({"server": stage.server.origin(), "token": "t", "agent": "a", "model": "", "user": "u"});
    stage.panel.eval(&format!("chrome.storage.local.set({{ settings: {settings} }})")).await;
    let kept = || stage.panel.eval("chrome.storage.session.get('refused').then((all) => all.refused ?? null)");
    stage.server.fail(Some("503 Service Unavailable"));
    let world = json!({"contextId": stage.page.content_world(&stage.extension).await});
    let three = "Promise.all([1, 2, 3].map((kind) => chrome.runtime.sendMessage({ kind }))).then((all) => all.length)";
    assert_eq!(stage.page.try_eval(three, world).await.unwrap(), 3);
    let told = json!([{"from": stage.server.origin(), "times": 3}]);
    let until = async |what: &str, holds: &dyn Fn() -> bool| {
        let began = std::time::Instant::now();
        while !holds() {
            assert!(began.elapsed() < LIMIT, "{what}: {:?}", stage.server.refusals());
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    until("a report", &|| !stage.server.refusals().is_empty()).await;
    assert_eq!(stage.server.refusals(), [(false, told.clone())]);
    assert_eq!(kept().await, json!([[stage.server.origin(), 3]]));
    // The background ends, and with it what it remembers.
    let workers = async || {
        let mut all = stage.browser.targets("service_worker").await;
        all.retain(|one| one["url"].as_str().unwrap().contains(&stage.extension));
        all
    };
    for worker in workers().await {
        let close = json!({"targetId": worker["targetId"]});
        stage.browser.call("", "Target.closeTarget", close).await.unwrap();
    }
    let began = std::time::Instant::now();
    while !workers().await.is_empty() {
        assert!(began.elapsed() < LIMIT);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    stage.server.fail(None);
    // The panel asks for something, which wakes it.
    stage.info("").await;
    until("a report that is taken", &|| stage.server.refusals().iter().any(|(is_taken, _)| *is_taken)).await;
    let began = std::time::Instant::now();
    while !kept().await.is_null() {
        assert!(began.elapsed() < LIMIT);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    stage.info("").await;
    assert_eq!(stage.server.refusals(), [(false, told.clone()), (true, told)]);
}

async fn waiting(stage: &Stage, said: Said) {
    let settings = json!({"server": stage.server.origin(), "token": "", "agent": "a", "model": "", "user": "u"});
    stage.panel.eval(&format!("chrome.storage.local.set({{ settings: {settings} }})")).await;
    stage.server.then([said]);
    stage
        .panel
        .eval("document.getElementById('settings').hidden = true; document.getElementById('chat').hidden = false")
        .await;
    stage.panel.click("#message").await;
    stage.panel.insert("付款").await;
    stage.panel.key("Enter", 13).await;
    stage.panel.until("document.querySelector('.card:not(.done) .buttons') !== null").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_persons_press_approves_and_none_that_came_too_soon() {
    let stage = Stage::on(TARGET).await;
    let click = || actions(json!([{"action": "click", "target": {"selector": "#b"}}]));
    stage.panel.eval("performance.now = () => 5000; 1").await;
    waiting(&stage, click()).await;
    // By script, however it is made.
    stage
        .panel
        .eval(
            "const b = document.querySelector('[data-act=approve]'); b.click(); b.dispatchEvent(new MouseEvent('click', { bubbles: true }));
             b.focus(); b.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })); 1",
        )
        .await;
    assert_eq!(stage.panel.eval("document.querySelectorAll('.card.done').length").await, 0);
    assert_eq!(stage.page.eval("window.hit ?? 0").await, 0);
    // By the keyboard.
    stage.panel.eval("document.querySelector('[data-act=approve]').focus()").await;
    // A key that was meant for the message, just as the card came up.
    stage.panel.key("Enter", 13).await;
    assert_eq!(stage.panel.eval("document.querySelectorAll('.card.done').length").await, 0);
    stage.panel.eval("performance.now = () => 5400; 1").await;
    stage.panel.key("Enter", 13).await;
    stage.page.until("window.hit === 1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_texts_stay_texts_on_the_card() {
    let name = "<img src=x onerror=\"parent.hit=1\"></bdi><button data-act=approve>x</button>\u{202e}drawkcab\u{202c} 【已批准】";
    let stage =
        Stage::on(&format!("<title>x</title><button id=b aria-label='{}'>b</button>", name.replace('\'', "&apos;")))
            .await;
    stage.page.eval(&format!("document.title = {}", json!(name))).await;
    waiting(&stage, actions(json!([{"action": "click", "target": {"selector": "#b"}}]))).await;
    let seen = stage.panel.eval("[document.querySelectorAll('.card img').length, document.querySelectorAll('.card [data-act=approve]').length, document.querySelector('.card .where bdi').textContent]").await;
    assert_eq!(seen[0], 0);
    assert_eq!(seen[1], 1);
    assert!(seen[2].as_str().unwrap().contains("\\u{202e}drawkcab\\u{202c}"), "{seen}");
    let line = stage.panel.eval("document.querySelector('.card .actions bdi').textContent").await;
    assert!(line.as_str().unwrap().starts_with("<img src=x"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn pages_that_hide_their_properties_are_read_all_the_same() {
    hidden_properties(&Stage::on("").await).await;
}

pub(crate) async fn hidden_properties(stage: &Stage) {
    stage.show(
        "<form name=title></form><img name=activeElement><form name=adoptedStyleSheets></form><form name=createElement></form>
         <form name=documentElement></form><a id=handeye></a><input id=chrome><iframe name=getSelection hidden></iframe>
         <form id=f><input name=contains><input name=closest><input name=style><input name=getAttribute aria-label=名>
         <button name=click onclick='event.preventDefault(); window.hit = 1'>确定</button></form>",
    )
    .await;
    let info = stage.info("").await;
    assert_eq!(info["title"], "页面");
    let target = json!({"elementId": stage.id(&info, "按钮:确定")});
    let field = json!({"elementId": stage.id(&info, "输入框:名")});
    let result = stage
        .act(json!([
            {"action": "highlight", "target": target},
            {"action": "fill", "target": field, "params": {"value": "x"}},
            {"action": "highlight", "target": {"selector": "#f"}},
            {"action": "click", "target": target},
        ]))
        .await;
    assert_eq!(result["summary"], "执行了 4 个操作，成功 4 个，失败 0 个", "{result}");
    assert_eq!(stage.page.eval("hit").await, 1);
    assert_eq!(stage.tool("clear_ai_styles", json!({})).await["message"], "已清除 2 处样式");
    assert_eq!(stage.page.eval("Element.prototype.hasAttribute.call(f, 'style')").await, false);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_document_that_shows_another_page_under_the_same_elements_voids_a_card() {
    another_page(&Stage::on("").await).await;
}

pub(crate) async fn another_page(stage: &Stage) {
    stage.show(TARGET).await;
    let plan = "test.plan('page_action', { actions: [{ action: 'click', target: { selector: '#b' } }] }).then((plan) => { test.kept = plan; })";
    stage.panel.eval(plan).await;
    stage.page.eval("history.pushState(null, '', '/order/2')").await;
    assert_eq!(stage.panel.eval("test.carryOut(test.kept)").await["error"], "页面已变化，操作已取消");
    assert_eq!(stage.page.eval("window.hit ?? 0").await, 0);
}

/// A page that relabels its button at moments of its own, while cards are approved.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_is_relabelled_at_any_moment_is_never_hit_under_another_label() {
    relabelled(&Stage::on("").await).await;
}

pub(crate) async fn relabelled(stage: &Stage) {
    stage.show(
        "<button id=b onclick='(window.hits ??= []).push(this.textContent)'>保存</button>
         <script>let on = 0; const flip = () => { b.textContent = on++ % 2 ? '删除全部' : '保存' };
         for (const k of ['pointerdown', 'mousedown', 'pointerup']) document.addEventListener(k, () => Math.random() < 0.3 && flip(), true);
         setInterval(() => Math.random() < 0.3 && flip(), 7);</script>",
    )
    .await;
    let races = "(async () => { let done = 0; for (let i = 0; i < TIMES; i++) {
        const plan = await test.plan('page_action', { actions: [{ action: 'click', target: { selector: '#b', description: '保存' } }] });
        if (plan.preview.shown[0].problem) continue;
        const result = await test.carryOut(plan); done += result.success; } return done; })()";
    let done = stage.panel.eval(&races.replace("TIMES", &trials(20, 60).to_string())).await;
    let hits = stage.page.eval("window.hits ?? []").await;
    let hits = hits.as_array().unwrap();
    assert!(hits.iter().all(|label| label == "保存"), "{hits:?}");
    assert_eq!(done, hits.len());
}

/// A hundred thousand characters of everything, and a model that never ends.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_has_no_end_is_cut() {
    let rows: String = (0..3000).map(|i| format!("<tr><td><a href=/{i}>行{i}</a><td><button>删除</button>")).collect();
    let stage = Stage::on(&format!("<table>{rows}</table>")).await;
    let began = std::time::Instant::now();
    assert_eq!(stage.info("").await["elements"].as_array().unwrap().len(), 30);
    let more = stage.tool("request_more_elements", json!({"elementType": "button"})).await;
    assert_eq!(more["elements"].as_array().unwrap().len(), 50);
    assert_eq!(more["message"], "至少还有 450 个元素未列出");
    assert!(began.elapsed() < LIMIT);
    let long: Page = stage.panel.clone();
    let too_many: Vec<Value> = (0..31).map(|_| json!({"action": "scroll", "target": {}})).collect();
    let said = long
        .eval(&format!("test.run('page_action', {{ actions: {} }}).then(String, e => e.message)", json!(too_many)))
        .await;
    assert_eq!(said, "page_action.actions: ≤ 30");
}
