//! Stop while an action is under way: what hasn't begun isn't done any more, and the server is told what is known of the rest.

use crate::server::{Said, actions};
use crate::stage::Stage;
use handeye_testkit::is_full;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// From when an action begins, which takes the boxes away, everything moves under a cover for a while, so that what is aimed at is
/// waited for.
const COVERED: &str = "<div id=all><input id=q aria-label=数量><select id=s aria-label=颜色><option>红<option>蓝</select><input type=checkbox id=c aria-label=同意>
  <button id=pay onclick='window.paid = 1'>付款</button></div><div id=over style='position: fixed; inset: 0; background: #fff' hidden></div>
  <style>@keyframes move { to { transform: translateX(200px) } } .moving { animation: move 200ms infinite alternate }</style>
  <script>
    const isBoxes = ({ removedNodes: [node] }) => node?.localName === 'handeye-marks';
    const cover = (is) => { over.hidden = !is; all.className = is ? 'moving' : ''; };
    new MutationObserver((changes) => {
      if (window.begun || !changes.some(isBoxes)) return;
      cover(true);
      window.begun = true;
      setTimeout(() => { cover(false); window.opened = true; }, 1200);
    }).observe(document.documentElement, { childList: true });
  </script>";

/// The same for so long, ms.
pub(crate) fn covered_for(time: u32) -> String {
    COVERED.replace("1200", &time.to_string())
}

impl Stage {
    /// An action is proposed and approved.
    pub(crate) async fn approve(&self, action: Value) {
        self.server.then([actions(json!([action]))]);
        self.say("做").await;
        self.card().await;
        self.press("approve").await;
    }

    async fn stop(&self) {
        self.panel.click("#stop").await;
        self.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    }

    /// Waits until the page says that it has got a click, after so many requests.
    async fn began(&self, before: usize) {
        let since = Instant::now();
        while !self.server.got()[before..].iter().any(|path| path == "/began") {
            assert!(since.elapsed() < crate::chromium::LIMIT, "no click came");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// What the server is told of the action, with the next message.
    async fn told_next(&self) -> Value {
        let before = self.server.asked().len();
        self.server.then([Said::Text("哦")]);
        self.server.then([Said::Text("好")]);
        self.say("然后").await;
        self.server.asked_times(before + 2).await;
        let messages = self.messages();
        assert_eq!(messages[before + 1].1, "然后");
        self.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
        serde_json::from_str(messages[before].1.strip_prefix("浏览器工具 page_action 执行结果: ").unwrap()).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stopped_before_it_is_done_is_not_done_afterwards() {
    let stage = Stage::chat(COVERED).await;
    let state = "[window.paid ?? 0, q.value, s.value, c.checked]";
    let actions = [
        (json!({"action": "click", "target": {"selector": "#pay"}}), json!([1, "", "红", false])),
        (
            json!({"action": "fill", "target": {"selector": "#q"}, "params": {"value": "9"}}),
            json!([0, "9", "红", false]),
        ),
        (
            json!({"action": "select", "target": {"selector": "#s"}, "params": {"value": "蓝"}}),
            json!([0, "", "蓝", false]),
        ),
        (json!({"action": "check", "target": {"selector": "#c"}}), json!([0, "", "红", true])),
    ];
    // By default the click, and without its twin what is put in.
    for (at, (action, done)) in actions.into_iter().enumerate().filter(|(at, _)| is_full() || *at < 2) {
        stage.show(COVERED).await;
        stage.approve(action.clone()).await;
        stage.page.until("window.begun").await;
        stage.stop().await;
        stage.page.until("window.opened").await;
        // Longer than anything is aimed at.
        tokio::time::sleep(Duration::from_millis(2500)).await;
        assert_eq!(stage.page.eval(state).await, json!([0, "", "红", false]), "{action}");
        let told = stage.told_next().await;
        assert_eq!((&told["success"], &told["error"]), (&json!(false), &json!("用户停止了操作")), "{action}");
        if !is_full() && at > 0 {
            continue;
        }
        // Without Stop it is done, once it is reached.
        stage.show(&covered_for(600)).await;
        let before = stage.server.asked().len();
        stage.approve(action.clone()).await;
        stage.server.then([Said::Text("好")]);
        stage.server.asked_times(before + 2).await;
        assert_eq!(stage.page.eval(state).await, done, "{action}");
        stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    }
}

/// A page whose answer to the click takes so long, ms; it says when it has got it.
fn busy(time: u32) -> String {
    format!(
        "<button id=pay onclick='const since = Date.now(); const x = new XMLHttpRequest(); x.open(`GET`, `/began`, false); x.send();
           while (Date.now() - since < {time}); window.paid = (window.paid ?? 0) + 1'>付款</button>"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn of_what_is_stopped_too_late_the_server_is_told_what_is_known() {
    let stage = Stage::chat("").await;
    // By default the one that is known of: what takes longer than the last word is waited for takes long here, too.
    let times = [(2000, Some("已点击: 付款")), (9000, None)];
    for (time, known) in times.into_iter().filter(|(_, known)| is_full() || known.is_some()) {
        stage.show(&busy(time)).await;
        let before = stage.server.got().len();
        stage.approve(json!({"action": "click", "target": {"selector": "#pay"}})).await;
        stage.began(before).await;
        stage.stop().await;
        let told = stage.told_next().await;
        match known {
            Some(message) => assert_eq!(told["results"], json!([{"success": true, "message": message}])),
            None => assert_eq!(told["error"], "页面已跳转或关闭，操作结果未知", "{told}"),
        }
        stage.page.until("window.paid === 1").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_is_proposed_on_a_kept_result_is_given_up_for_the_words_after_it() {
    let stage = Stage::chat(&busy(2000)).await;
    let pay = json!({"action": "click", "target": {"selector": "#pay"}});
    stage.approve(pay.clone()).await;
    stage.began(0).await;
    stage.stop().await;
    // The server proposes the same click on the kept result, and once more on the person's words, which void the first.
    stage.server.then([actions(json!([pay]))]);
    stage.server.then([actions(json!([pay]))]);
    stage.say("然后").await;
    stage.server.asked_times(3).await;
    stage.panel.until("document.querySelectorAll('.card').length === 3").await;
    stage.card().await;
    let open = "[...document.querySelectorAll('.card')].map((card) => !card.matches('.done'))";
    assert_eq!(stage.panel.eval(open).await, json!([false, false, true]));
    assert_eq!(stage.panel.eval("document.querySelectorAll('.card')[1].dataset.state").await, "stopped");
    stage.server.then([Said::Text("好")]);
    stage.press("approve").await;
    stage.server.asked_times(4).await;
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    assert_eq!(stage.page.eval("window.paid").await, 2);
    assert_eq!(stage.server.asked().len(), 4);
}
