//! A panel in each of two windows: the conversation is in one of them, so that no call is approved twice.

use crate::server::{Said, actions};
use crate::stage::Stage;
use crate::stops::covered_for;
use handeye_testkit::chromium::Page;
use serde_json::{Value, json};
use std::time::Duration;

const PAY: &str = "<button id=pay onclick='window.paid = (window.paid ?? 0) + 1'>付款</button>";
const ELSEWHERE: &str = "!document.getElementById('elsewhere').hidden";
const HERE: &str = "document.getElementById('elsewhere').hidden";

fn pay() -> Said {
    actions(json!([{"action": "click", "target": {"selector": "#pay"}}]))
}

impl Stage {
    /// Another window with the same page, and the panel in it.
    async fn second_window(&self) -> (Page, Page) {
        self.window("?second").await
    }

    async fn window(&self, name: &str) -> (Page, Page) {
        let page = self.browser.open_window(&format!("{}/{name}", self.server.origin())).await;
        let panel = self.browser.open_panel_at(&self.extension, name).await;
        // From here on it is at the same address as the first.
        page.open(&format!("{}/", self.server.origin())).await;
        (page, panel)
    }
}

async fn paid(page: &Page) -> Value {
    page.eval("window.paid ?? 0").await
}

/// A person's press on the card of a panel.
async fn approve(panel: &Page) {
    panel.until("document.querySelector('.card:not(.done) .buttons') !== null").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    panel.click(".card:not(.done) [data-act=approve]").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_shown_by_one_panel_alone() {
    let stage = Stage::chat(PAY).await;
    stage.server.then([pay()]);
    stage.server.then([Said::Text("付了")]);
    stage.say("付款").await;
    stage.card().await;
    let (page, panel) = stage.second_window().await;
    panel.until(ELSEWHERE).await;
    let shown = panel.eval("[document.querySelectorAll('.card').length, document.getElementById('message').checkVisibility(), document.getElementById('new').disabled]");
    assert_eq!(shown.await, json!([0, false, true]));
    stage.press("approve").await;
    stage.server.asked_times(2).await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('付了')").await;
    assert_eq!((paid(&stage.page).await, paid(&page).await), (json!(1), json!(0)));
    // Where the one that has it is closed, the other goes on.
    stage.panel.eval("window.close()").await;
    panel.until(&format!("{HERE} && document.querySelector('.assistant')?.innerText.includes('付了')")).await;
    stage.server.then([Said::Text("在")]);
    panel.click("#message").await;
    panel.insert("还在吗").await;
    panel.click("#send").await;
    let last = stage.server.asked_times(3).await;
    assert_eq!((&last["message"], &last["session_id"]), (&json!("还在吗"), &stage.server.asked()[0]["session_id"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_is_fetched_to_another_window_with_the_card_that_waits() {
    let stage = Stage::chat(PAY).await;
    stage.server.then([pay()]);
    stage.server.then([Said::Text("付了")]);
    stage.say("付款").await;
    stage.card().await;
    let (page, panel) = stage.second_window().await;
    panel.until(ELSEWHERE).await;
    panel.click("#use-here").await;
    panel.until(HERE).await;
    stage.panel.until(ELSEWHERE).await;
    assert_eq!(stage.panel.eval("document.querySelectorAll('.card').length").await, 0);
    stage.page.until("document.querySelectorAll('handeye-marks').length === 0").await;
    approve(&panel).await;
    panel.until("document.querySelector('.assistant')?.innerText.includes('付了')").await;
    assert_eq!((paid(&stage.page).await, paid(&page).await), (json!(0), json!(1)));
    assert_eq!(stage.server.asked().len(), 2);
    // And back, with all that was said meanwhile.
    stage.panel.click("#use-here").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('付了')").await;
    panel.until(ELSEWHERE).await;
    stage.server.then([Said::Text("好")]);
    stage.say("好").await;
    stage.server.asked_times(3).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_is_being_done_is_done_to_its_end_before_another_window_has_the_conversation() {
    let stage = Stage::chat(&covered_for(600)).await;
    stage.server.then([pay()]);
    stage.server.then([Said::Text("付了")]);
    stage.say("付款").await;
    stage.card().await;
    let (page, panel) = stage.second_window().await;
    panel.until(ELSEWHERE).await;
    stage.press("approve").await;
    stage.page.until("window.begun").await;
    panel.click("#use-here").await;
    panel.until("document.querySelector('.assistant')?.innerText.includes('付了')").await;
    assert_eq!((paid(&stage.page).await, paid(&page).await), (json!(1), json!(0)));
    let messages = stage.messages();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[1].1.contains("已点击"), "{messages:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_is_being_done_can_be_stopped_until_another_window_has_the_conversation() {
    let stage = Stage::chat(&covered_for(1200)).await;
    stage.server.then([pay()]);
    stage.server.then([Said::Text("没有付")]);
    stage.say("付款").await;
    stage.card().await;
    let (_page, panel) = stage.second_window().await;
    panel.until(ELSEWHERE).await;
    stage.press("approve").await;
    stage.page.until("window.begun").await;
    panel.click("#use-here").await;
    stage.panel.click("#stop").await;
    panel.until("document.querySelector('.assistant')?.innerText.includes('没有付')").await;
    assert!(stage.messages()[1].1.contains("用户停止了操作"), "{:?}", stage.messages());
    assert_eq!(paid(&stage.page).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn an_answer_that_streams_in_is_asked_for_again_in_the_other_window() {
    let stage = Stage::chat(PAY).await;
    stage.server.then([Said::Text("一半"), Said::Hang]);
    stage.say("问").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('一半')").await;
    let (_page, panel) = stage.second_window().await;
    panel.until(ELSEWHERE).await;
    panel.click("#use-here").await;
    panel.until("document.querySelector('[data-act=resend]') !== null").await;
    stage.server.then([Said::Text("全部")]);
    panel.click("[data-act=resend]").await;
    panel.until("document.querySelector('.assistant')?.innerText.includes('全部')").await;
    let asked = stage.server.asked();
    assert_eq!(asked[0]["request_id"], asked[1]["request_id"]);
    assert_eq!(stage.server.cancelled(), [] as [&str; 0]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn of_several_windows_the_one_that_asks_gets_the_conversation() {
    let stage = Stage::chat(PAY).await;
    let (_second, second) = stage.second_window().await;
    let (_third, third) = stage.window("?third").await;
    second.until(ELSEWHERE).await;
    third.until(ELSEWHERE).await;
    // The second has waited for longer.
    for (wants, has) in [(&third, &stage.panel), (&stage.panel, &third), (&second, &stage.panel)] {
        wants.click("#use-here").await;
        wants.until(HERE).await;
        has.until(ELSEWHERE).await;
    }
    assert_eq!(third.eval(HERE).await, false);
}
