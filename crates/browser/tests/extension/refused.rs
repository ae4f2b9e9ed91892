//! A server that refuses for good what it is told of a call: the chat goes on, and the person is told.

use crate::panel::{SHOP, search};
use crate::server::{Said, actions};
use crate::stage::Stage;
use handeye_testkit::is_full;
use serde_json::{Value, json};

const IDLE: &str = "document.getElementById('stop').ariaDisabled === 'true'";

impl Stage {
    /// How many notices stand in the panel, and how many offer to send again.
    async fn notices(&self) -> Value {
        self.panel.eval("[document.querySelectorAll('.notice').length, document.querySelectorAll('.notice [data-act=resend]').length]").await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_is_never_taken_does_not_stand_in_the_way() {
    let stage = Stage::chat(SHOP).await;
    let refusals =
        [("409 Conflict", "no_pending_call"), ("409 Conflict", "already_decided"), ("422 Unprocessable", "bad_field")];
    let count = if is_full() { refusals.len() } else { 1 };
    for (at, (status, code)) in refusals.into_iter().take(count).enumerate() {
        stage.server.then([search("x")]);
        stage.server.then([Said::Refused(status, code)]);
        stage.say("搜索").await;
        stage.card().await;
        stage.press("approve").await;
        stage.server.asked_times(3 * at + 2).await;
        stage.panel.until(IDLE).await;
        // What was done was done; there is nothing to send again.
        assert_eq!(stage.notices().await, json!([at + 1, 0]), "{code}");
        assert_eq!(stage.panel.eval("[...document.querySelectorAll('.card')].at(-1).dataset.state").await, "approved");
        stage.server.then([Said::Text("好")]);
        stage.say("然后").await;
        let next = stage.server.asked_times(3 * at + 3).await;
        assert_eq!(next["message"], "然后", "{code}");
        stage.panel.until(IDLE).await;
    }
    assert_eq!(stage.server.asked().len(), 3 * count);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_decision_that_is_never_taken_is_shown_as_such() {
    let stage = Stage::chat(SHOP).await;
    let args = json!({"query": "天气"}).to_string();
    for (at, code) in ["page_changed", "expired", "not_as_proposed"].into_iter().enumerate() {
        let status = if code == "expired" { "410 Gone" } else { "409 Conflict" };
        stage.server.then([Said::CallById("call_1", Some("h1"), "search_web", args.clone())]);
        stage.server.then([Said::Refused(status, code)]);
        stage.say("查").await;
        stage.card().await;
        stage.press("approve").await;
        stage.server.asked_times(2 * at + 2).await;
        stage.panel.until(IDLE).await;
        assert_eq!(stage.notices().await, json!([at + 1, 0]), "{code}");
        assert_eq!(stage.panel.eval("[...document.querySelectorAll('.card')].at(-1).dataset.state").await, "untaken");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_for_now_is_sent_again() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([search("x")]);
    stage.say("搜索").await;
    stage.card().await;
    for (status, code) in [
        ("429 Too Many Requests", "rate_limited"),
        ("503 Unavailable", "database"),
        ("401 Unauthorized", "unauthorized"),
        ("422 Unprocessable", "unknown_agent"),
    ] {
        stage.server.then([Said::Refused(status, code)]);
    }
    stage.server.then([Said::Text("好了")]);
    stage.press("approve").await;
    for _ in 0..4 {
        stage.panel.until("document.querySelector('[data-act=resend]') !== null").await;
        stage.panel.until(IDLE).await;
        stage.panel.click("[data-act=resend]").await;
    }
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('好了')").await;
    let asked = stage.server.asked();
    assert_eq!(asked.len(), 6);
    assert!(asked[1..].iter().all(|one| one["request_id"] == asked[1]["request_id"]), "{asked:?}");
}

/// Longest message that the server takes, characters.
const MESSAGE: usize = 200_000;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn no_result_is_longer_than_the_server_takes() {
    // Of the first each takes two characters in JSON.
    for text in ["\"".repeat(4000), "长😀".repeat(2000)] {
        let stage = Stage::chat("<pre id=p>x</pre>").await;
        stage.page.eval(&format!("p.textContent = {}", json!(text))).await;
        let reads: Vec<Value> = (0..30).map(|_| json!({"action": "read", "target": {}})).collect();
        stage.server.then([actions(json!(reads))]);
        stage.server.then([Said::Text("好")]);
        stage.say("读").await;
        stage.card().await;
        stage.press("approve").await;
        stage.server.asked_times(2).await;
        let (_, message) = stage.messages()[1].clone();
        assert!(message.chars().count() <= MESSAGE, "{}", message.chars().count());
        let told: Value = serde_json::from_str(message.split_once(": ").unwrap().1).unwrap();
        let shown =
            stage.panel.eval("Math.max(...[...document.querySelectorAll('.card .ok')].map((p) => p.innerText.length))");
        assert!(shown.await.as_u64().unwrap() < 400);
        let results = told["results"].as_array().unwrap();
        assert_eq!(
            (results.len(), &told["success"], &told["summary"]),
            (30, &json!(true), &json!("执行了 30 个操作，成功 30 个，失败 0 个"))
        );
        for result in results {
            let read = result["message"].as_str().unwrap();
            assert!(read.starts_with("已读取: ") && read.chars().count() > 1000, "{read}");
        }
    }
}
