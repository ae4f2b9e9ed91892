//! How the panel looks and how it is reached: both languages, light and dark, by the keyboard alone. With `HANDEYE_PICTURES` set to
//! a folder the pictures of the docs are written there.

use crate::chromium::Page;
use crate::server::{Said, actions};
use crate::stage::Stage;
use base64::Engine;
use serde_json::{Value, json};
use std::time::Duration;

const SHOP: &str = "<style>body { font: 16px system-ui, 'WenQuanYi Zen Hei', sans-serif; margin: 40px } input, button { font: inherit; padding: 6px 12px }</style>
  <h1>商店</h1><input id=q aria-label=搜索 placeholder=搜索商品> <button id=b>搜索</button> <button>登录</button>";

/// Texts whose colors differ from what is behind them by less than WCAG asks for (4.5), with their contrast.
const PALE: &str = r#"(() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const parse = (text) => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (el) => { for (let at = el; at; at = at.parentElement) { const c = parse(getComputedStyle(at).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
  const faint = (el) => { for (let at = el; at; at = at.parentElement) if (getComputedStyle(at).opacity !== '1') return true; return false; };
  const pale = [];
  for (const el of document.querySelectorAll('body *')) {
    const own = [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !el.checkVisibility() || faint(el)) continue;
    const [a, b] = [light(parse(getComputedStyle(el).color)), light(ground(el))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) pale.push(`${el.localName} ${el.className} ${contrast.toFixed(2)}: ${el.textContent.slice(0, 30)}`);
  }
  return pale;
})()"#;

pub(crate) async fn picture(page: &Page, name: &str) {
    let taken = page.call("Page.captureScreenshot", json!({"format": "png"})).await;
    let bytes = base64::engine::general_purpose::STANDARD.decode(taken["data"].as_str().unwrap()).unwrap();
    assert!(bytes.len() > 5_000, "{name}");
    if let Ok(folder) = std::env::var("HANDEYE_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), bytes).unwrap();
    }
}

/// A chat in a language with a card on it.
async fn with_card(language: &str) -> Stage {
    let stage = Stage::speaking(language, SHOP, &[]).await;
    let settings = json!({"server": stage.server.origin(), "token": "", "agent": "a", "model": "", "user": "u"});
    stage.panel.eval(&format!("chrome.storage.local.set({{ settings: {settings} }})")).await;
    stage.panel.eval("location.reload()").await;
    stage.panel.until("document.body?.dataset.ready === 'true' && !document.getElementById('chat').hidden").await;
    stage.server.then([
        Said::Text("好的，我先**填写**搜索框，再点击 `搜索`：\n\n1. 填入 iPhone 16\n2. 点击搜索"),
        actions(json!([
            {"action": "fill", "target": {"selector": "#q"}, "params": {"value": "iPhone 16"}},
            {"action": "click", "target": {"selector": "#b", "description": "搜索按钮"}},
        ])),
    ]);
    stage.panel.click("#message").await;
    stage.panel.insert("帮我在搜索框输入 iPhone 16 然后点击搜索").await;
    stage.panel.key("Enter", 13).await;
    stage.panel.until("document.querySelectorAll('.card:not(.done) .buttons, .assistant ol').length === 2").await;
    stage
}

async fn in_both_schemes(stage: &Stage, name: &str) {
    for scheme in ["light", "dark"] {
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        stage.panel.call("Emulation.setEmulatedMedia", media).await;
        assert_eq!(stage.panel.eval(PALE).await, json!([]), "{name} {scheme}");
        picture(&stage.panel, &format!("panel-{name}-{scheme}.png")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_panel_speaks_chinese_in_light_and_dark() {
    let stage = with_card("zh-CN").await;
    let card = stage.panel.eval("document.querySelector('.card').innerText").await;
    let card = card.as_str().unwrap();
    assert!(card.contains("在输入框“搜索”中填入“iPhone 16”"), "{card}");
    assert!(card.contains("点击按钮“搜索”"), "{card}");
    let buttons =
        stage.panel.eval("[...document.querySelectorAll('.card .buttons button')].map(b => b.innerText)").await;
    assert_eq!(buttons, json!(["批准", "编辑", "拒绝"]));
    assert_eq!(
        stage.panel.eval("[document.getElementById('stop').innerText, document.documentElement.lang]").await,
        json!(["停止", "zh-CN"])
    );
    in_both_schemes(&stage, "zh").await;
    picture(&stage.page, "panel-page.png").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_it_is_reached_by_the_keyboard_and_named() {
    let stage = with_card("en-US").await;
    in_both_schemes(&stage, "en").await;
    let mut reached: Vec<Value> = Vec::new();
    stage.panel.eval("document.getElementById('message').focus()").await;
    for _ in 0..14 {
        stage.panel.key("Tab", 9).await;
        reached.push(
            stage
                .panel
                .eval("(e => e.dataset?.act || e.id || e.className || e.localName)(document.activeElement)")
                .await,
        );
    }
    for wanted in ["stop", "new", "open-settings", "log", "show", "approve", "edit", "reject", "message"] {
        assert!(reached.iter().any(|r| r == wanted), "{wanted}: {reached:?}");
    }
    // What assistive technology is told.
    let tree = stage.panel.call("Accessibility.getFullAXTree", json!({})).await;
    let nodes = tree["nodes"].as_array().unwrap();
    let nameless: Vec<&Value> = nodes
        .iter()
        .filter(|n| n["ignored"] == false && matches!(n["role"]["value"].as_str(), Some("button" | "textbox" | "log")))
        .filter(|n| n["name"]["value"].as_str().unwrap_or_default().is_empty())
        .collect();
    assert!(nameless.is_empty(), "{nameless:?}");
    assert!(nodes.iter().any(|n| n["role"]["value"] == "group" && n["name"]["value"] == "Approve this on the page?"));
    let is_live = |role: &str| nodes.iter().any(|n| n["role"]["value"] == role);
    assert!(is_live("log") && is_live("status"));
    assert_eq!(stage.panel.eval("document.getElementById('status').innerText").await, "Waiting for your approval");
    assert_eq!(stage.panel.eval("document.documentElement.scrollWidth <= innerWidth").await, true);
}

/// What has the focus.
const FOCUSED: &str = "(e => e.dataset?.act || e.id || e.className || e.localName)(document.activeElement)";

impl Stage {
    /// Goes on, or back, until something has the focus.
    async fn tab_to(&self, wanted: &str, is_back: bool) {
        let mut passed = Vec::new();
        for _ in 0..12 {
            match is_back {
                true => self.panel.shift_key("Tab", 9).await,
                false => self.panel.key("Tab", 9).await,
            }
            passed.push(self.panel.eval(FOCUSED).await);
            if passed.last().is_some_and(|last| last == wanted) {
                return;
            }
        }
        panic!("no {wanted}: {passed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_no_pointer_changes_and_approves_a_card_and_stays_where_it_was() {
    let stage = with_card("en-US").await;
    assert_eq!(stage.panel.eval(FOCUSED).await, "message");
    stage.tab_to("edit", true).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    for leaves in [true, false] {
        stage.panel.key("Enter", 13).await;
        stage.panel.until("document.activeElement.localName === 'textarea'").await;
        if leaves {
            // Of the editor alone.
            stage.panel.key("Escape", 27).await;
            stage.panel.until(&format!("{FOCUSED} === 'edit' && !document.querySelector('.editor')")).await;
        }
    }
    stage.tab_to("save", false).await;
    stage.panel.key("Enter", 13).await;
    // The card that took its place, not the beginning of the panel.
    stage.panel.until("document.activeElement.className === 'card' && !document.querySelector('.editor')").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    stage.tab_to("approve", false).await;
    stage.server.then([Said::Text("好")]);
    stage.panel.key("Enter", 13).await;
    stage.page.until("q.value === 'iPhone 16'").await;
    stage.panel.until("document.activeElement.dataset.state === 'approved'").await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn however_long_the_conversation_is_stop_stays_in_view_and_nothing_is_cut_off_at_the_side() {
    let stage = with_card("en-US").await;
    stage.card().await;
    stage.press("reject").await;
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    for _ in 0..12 {
        stage.server.then([Said::Text("一\n\n二\n\n三\n\n四")]);
        stage.say("再说").await;
        stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    }
    let arguments = json!({"statement": "SELECT name\nFROM goods", "note": "长".repeat(3000)}).to_string();
    stage.server.then([Said::CallById("call_1", Some("h1"), "query_database", arguments)]);
    stage.say("查").await;
    stage.card().await;
    let page = stage.panel.eval("[document.documentElement.scrollHeight <= innerHeight, log.scrollWidth <= log.clientWidth, log.scrollHeight > 2 * log.clientHeight]");
    assert_eq!(page.await, json!([true, true, true]));
    let seen = "(el => { const r = el.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth; })";
    for css in ["#stop", "#send", ".card:not(.done) h2"] {
        assert_eq!(stage.panel.eval(&format!("{seen}(document.querySelector('{css}'))")).await, true, "{css}");
    }
}
