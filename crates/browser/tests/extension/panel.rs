//! The side panel, driven as a person drives it: text put in, buttons pressed with the pointer, the page in front looked at.

use crate::server::{Said, actions};
use crate::stage::Stage;
use handeye_testkit::is_full;
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) const SHOP: &str = "<input id=q aria-label=搜索 placeholder=搜索><button id=b onclick='document.title = `找 ${q.value}`'>搜索按钮</button>
  <button id=d onclick='window.deleted = 1'>删除</button>";

/// Fill and click, by selectors: what ids a page gets, the script can't know.
pub(crate) fn search(text: &str) -> Said {
    actions(json!([
        {"action": "fill", "target": {"selector": "#q", "description": "搜索"}, "params": {"value": text}},
        {"action": "click", "target": {"selector": "#b", "description": "搜索按钮"}},
    ]))
}

impl Stage {
    /// A chat that is set up by a person's own typing.
    pub(crate) async fn chat(body: &str) -> Self {
        let stage = Self::on(body).await;
        stage.set_up().await;
        stage
    }

    pub(crate) async fn set_up(&self) {
        for (field, text) in
            [("#server", self.server.origin()), ("#token", "tok".into()), ("#model", "claude-3-opus".into())]
        {
            self.panel.click(field).await;
            self.panel.insert(&text).await;
        }
        self.panel.click("#settings button[type=submit]").await;
        self.panel.until("!document.getElementById('chat').hidden").await;
    }

    pub(crate) async fn say(&self, text: &str) {
        self.panel.click("#message").await;
        self.panel.insert(text).await;
        self.panel.click("#send").await;
    }

    /// Waits for a card that can be decided, and past the time in which a press isn't taken for a decision.
    pub(crate) async fn card(&self) {
        self.panel.until("document.querySelector('.card:not(.done) .buttons') !== null").await;
        tokio::time::sleep(Duration::from_millis(500)).await;
    }

    pub(crate) async fn press(&self, act: &str) {
        self.panel.click(&format!(".card:not(.done) [data-act={act}]")).await;
    }

    /// What is written in the panel.
    pub(crate) async fn reads(&self, css: &str) -> String {
        let text = self.panel.eval(&format!("document.querySelector({})?.innerText ?? ''", json!(css))).await;
        text.as_str().unwrap().to_owned()
    }

    /// The messages that the server was sent.
    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        let text = |v: &Value| v.as_str().unwrap().to_owned();
        self.server.asked().iter().map(|a| (text(&a["role"]), text(&a["message"]))).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approved_card_changes_the_page_and_the_answer_streams() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([
        Said::Text("好的，"),
        Said::Text("我来**搜索**。"),
        Said::Pause(Duration::from_millis(200)),
        search("iPhone 16"),
    ]);
    stage.server.then([
        Said::Text("找到"),
        Said::Raw("data: {\"content\": \"了 <img src=x onerror=alert(1)>".as_bytes()),
        Said::Pause(Duration::from_millis(100)),
        Said::Raw("[页](https://example.org/)\"}\r\n\r\n: ping\r\n\r\ndata: garbage\n\n".as_bytes()),
    ]);
    stage.say("帮我在搜索框输入 iPhone 16 然后点击搜索").await;
    stage.card().await;
    let card = stage.reads(".card").await;
    assert!(card.contains("Fill the field “搜索” with “iPhone 16”"), "{card}");
    assert!(card.contains("Click the button “搜索按钮”"), "{card}");
    assert!(
        card.contains(&format!("On “页面” (127.0.0.1:{}", stage.server.origin().rsplit(':').next().unwrap())),
        "{card}"
    );
    // Boxes stand around the very elements, and nothing was done yet.
    assert_eq!(
        stage.page.eval("[document.title, q.value, document.querySelectorAll('handeye-marks').length]").await,
        json!(["页面", "", 1])
    );
    stage.press("approve").await;
    stage.page.until("document.title === '找 iPhone 16'").await;
    stage.server.asked_times(2).await;
    stage.panel.until("document.querySelectorAll('.assistant')[1]?.innerText.includes('页 (example.org)')").await;

    let asked = stage.server.asked();
    let first = &asked[0];
    assert_eq!(first["message"], "帮我在搜索框输入 iPhone 16 然后点击搜索");
    for (member, value) in [
        ("role", "user"),
        ("model", "claude-3-opus"),
        ("agent_id", "default"),
        ("user_id", "user"),
        ("_authorization", "Bearer tok"),
    ] {
        assert_eq!(first[member], value, "{member}");
    }
    assert_eq!(first["_origin"], format!("chrome-extension://{}", stage.extension));
    assert_eq!(first["current_page_info"]["title"], "页面");
    let tools: Vec<&str> =
        first["browser_tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(tools, ["page_action", "request_more_elements", "get_selected_text", "clear_ai_styles"]);
    let result = json!({"success": true, "results": [{"success": true, "message": "已填充: iPhone 16"},
        {"success": true, "message": "已点击: 搜索按钮"}], "summary": "执行了 2 个操作，成功 2 个，失败 0 个"});
    let (role, message) = stage.messages()[1].clone();
    let sent = message.strip_prefix("浏览器工具 page_action 执行结果: ").unwrap();
    assert_eq!((role.as_str(), serde_json::from_str::<Value>(sent).unwrap()), ("user", result));
    assert_eq!(asked[0]["session_id"], asked[1]["session_id"]);

    // What the model writes is text, but for what markdown makes of it.
    let html = stage.panel.eval("[...document.querySelectorAll('.assistant')].map(e => e.innerHTML)").await;
    assert!(html[0].as_str().unwrap().contains("<p>好的，我来<strong>搜索</strong>。</p>"), "{html}");
    assert!(html[1].as_str().unwrap().contains("找到了 &lt;img src=x onerror=alert(1)&gt;"), "{html}");
    assert!(html[1].as_str().unwrap().contains("href=\"https://example.org/\""), "{html}");
    assert_eq!(stage.page.eval("document.querySelectorAll('handeye-marks').length").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_card_does_nothing_and_says_so() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([search("x")]);
    stage.server.then([Said::Text("好的，不搜索。")]);
    stage.say("搜索 x").await;
    stage.card().await;
    stage.press("reject").await;
    stage.server.asked_times(2).await;
    let rejected = "浏览器工具 page_action 执行结果: {\"success\":false,\"error\":\"用户取消了工具执行\"}";
    assert_eq!(stage.messages()[1], ("user".into(), rejected.into()));
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('好的，不搜索。')").await;
    assert_eq!(
        stage.page.eval("[document.title, q.value, document.querySelectorAll('handeye-marks').length]").await,
        json!(["页面", "", 0])
    );
    assert_eq!(stage.panel.eval("document.querySelector('.card').dataset.state").await, "rejected");
}

#[tokio::test(flavor = "multi_thread")]
async fn edited_arguments_are_checked_and_done_in_place_of_the_models() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([search("x")]);
    stage.server.then([Said::Text("好")]);
    stage.say("搜索 x").await;
    stage.card().await;
    stage.press("edit").await;
    let put = |text: Value| format!("document.querySelector('.editor textarea').value = {text}");
    let wrong = [
        ("{", "JSON: "),
        (r#"{"actions": []}"#, "page_action.actions: [ … ]"),
        (r#"{"actions": [{"action": "delete", "target": {}}]}"#, "actions[0].action: fill | click | highlight"),
        (r#"{"actions": [{"action": "fill", "target": {"selector": "q"}}]}"#, "actions[0].params.value: string"),
        (r#"{"actions": [{"action": "click", "target": {"css": "q"}}]}"#, "actions[0].target.css: ∉ elementId"),
    ];
    for (_, (text, why)) in wrong.into_iter().enumerate().filter(|(at, _)| is_full() || at % 4 == 0) {
        stage.panel.eval(&put(json!(text))).await;
        stage.press("save").await;
        stage
            .panel
            .until(&format!("document.querySelector('.editor .problem').innerText.startsWith({})", json!(why)))
            .await;
    }
    let edited = json!({"actions": [{"action": "fill", "target": {"selector": "#q"}, "params": {"value": "苹果"}}]});
    stage.panel.eval(&put(json!(edited.to_string()))).await;
    stage.press("save").await;
    stage
        .panel
        .until("document.querySelector('.card')?.innerText.includes('苹果') && !document.querySelector('.editor')")
        .await;
    stage.card().await;
    assert_eq!(stage.page.eval("q.value").await, "");
    stage.press("approve").await;
    stage.page.until("q.value === '苹果'").await;
    stage.server.asked_times(2).await;
    let (_, message) = stage.messages()[1].clone();
    let sent: Value = serde_json::from_str(message.strip_prefix("浏览器工具 page_action 执行结果: ").unwrap()).unwrap();
    assert_eq!(sent["summary"], "执行了 1 个操作，成功 1 个，失败 0 个");
    assert_eq!(sent["arguments"], edited);
    assert_eq!(stage.page.eval("document.title").await, "页面");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_changed_since_the_card_makes_it_void() {
    let stage = Stage::chat(SHOP).await;
    let changes = [
        "d.textContent = '删除全部'",
        "d.outerHTML = d.outerHTML",
        "location.hash = '#/orders/2'",
        "location.reload()",
    ];
    // By default the first and the last.
    let changes = changes.into_iter().enumerate().filter(|(at, _)| is_full() || at % 3 == 0);
    for (at, change) in changes.map(|(_, change)| change).enumerate() {
        stage.show(SHOP).await;
        stage.server.then([actions(json!([{"action": "click", "target": {"selector": "#d"}}]))]);
        stage.server.then([Said::Text("变了")]);
        stage.say("删除").await;
        stage.card().await;
        stage.page.eval(&format!("window.old = true; {change}")).await;
        if change.contains("reload") {
            stage.page.until("window.old !== true && document.readyState === 'complete'").await;
        }
        stage.press("approve").await;
        stage.server.asked_times(2 * at + 2).await;
        let stale = "浏览器工具 page_action 执行结果: {\"success\":false,\"error\":\"页面已变化，操作已取消\"}";
        assert_eq!(stage.messages()[2 * at + 1].1, stale, "{change}");
        assert_eq!(stage.page.eval("window.deleted ?? 0").await, 0, "{change}");
        stage.panel.until("[...document.querySelectorAll('.card')].at(-1).dataset.state === 'stale' && document.getElementById('stop').ariaDisabled === 'true'").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_a_stream_and_a_card_and_the_chat_goes_on() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([Said::Text("慢慢"), Said::Hang]);
    stage.say("一").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('慢慢')").await;
    stage.panel.click("#stop").await;
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true' && document.getElementById('status').innerText === 'Stopped'").await;

    let session = stage.server.asked()[0]["session_id"].as_str().unwrap().to_owned();
    let began = std::time::Instant::now();
    while stage.server.cancelled() != [session.clone()] {
        assert!(began.elapsed() < crate::chromium::LIMIT, "{:?}", stage.server.cancelled());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    stage.server.then([search("x")]);
    stage.say("二").await;
    stage.card().await;
    // By the keyboard, from anywhere in the panel.
    stage.panel.key("Escape", 27).await;
    stage.panel.until("document.querySelector('.card')?.dataset.state === 'stopped'").await;
    // The boxes in the page go a moment later.
    stage.page.until("document.querySelectorAll('handeye-marks').length === 0").await;
    assert_eq!(stage.page.eval("q.value").await, json!(""));
    assert_eq!(stage.server.asked().len(), 2);

    stage.server.then([Said::Text("在")]);
    stage.say("三").await;
    stage.panel.until("[...document.querySelectorAll('.assistant')].at(-1).innerText.includes('在')").await;
    assert_eq!(stage.messages().last().unwrap().1, "三");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_the_servers_own_are_approved_by_their_ids() {
    let stage = Stage::chat(SHOP).await;
    let args = || json!({"query": "天气\u{202e}"}).to_string();
    stage.server.then([Said::CallById("tool_1", None, "search_web", args()), Said::Call("query_database", args())]);
    stage.server.then([Said::Text("第一")]);
    stage.server.then([Said::Text("第二")]);
    stage.say("查天气").await;
    stage.card().await;
    let card = stage.reads(".card:not(.done)").await;
    assert!(card.contains("The server wants to use its tool search_web."), "{card}");
    // What turns letters around is written out.
    let details = stage.panel.eval("document.querySelector('.card details pre').textContent").await;
    assert!(details.as_str().unwrap().contains("天气\\u{202e}"), "{details}");
    stage.press("approve").await;
    stage.panel.until("document.querySelector('.card.done') !== null").await;
    stage.card().await;
    stage.press("reject").await;
    stage.server.asked_times(3).await;
    let function = |text: &str| ("function".to_owned(), text.to_owned());
    assert_eq!(stage.messages()[1], function(r#"{"toolId":"tool_1","approved":true}"#));
    assert_eq!(stage.messages()[2], function(r#"{"toolId":"query_database","approved":false}"#));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panel_that_is_opened_again_goes_on_where_it_was() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([Said::Text("来"), search("再")]);
    stage.server.then([Said::Text("好了")]);
    stage.say("搜索").await;
    stage.card().await;
    // Loaded anew, as when it was closed.
    stage.panel.eval("location.reload()").await;
    stage
        .panel
        .until(
            "document.body?.dataset.ready === 'true' && document.querySelector('.assistant')?.innerText.includes('来')",
        )
        .await;
    stage.card().await;
    stage.press("approve").await;
    stage.page.until("document.title === '找 再'").await;
    stage.server.asked_times(2).await;
    stage.panel.until("[...document.querySelectorAll('.assistant')].at(-1).innerText.includes('好了')").await;
    // A new conversation has another session and nothing of the old.
    stage.panel.click("#new").await;
    stage.panel.until("document.getElementById('log').children.length === 0").await;
    stage.server.then([Said::Text("新")]);
    stage.say("新").await;
    let last = stage.server.asked_times(3).await;
    assert_ne!(last["session_id"], stage.server.asked()[0]["session_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_wrong_is_said_and_nothing_is_lost() {
    let stage = Stage::chat(SHOP).await;
    // Arguments that are none: no Approve.
    stage.server.then([Said::Call("page_action", "{\"actions\": 1}".into())]);
    stage.server.then([Said::Text("哦")]);
    stage.say("一").await;
    stage.card().await;
    assert_eq!(
        stage.panel.eval("[...document.querySelectorAll('.card:not(.done) [data-act]')].map(b => b.dataset.act)").await,
        json!(["edit", "reject"])
    );
    stage.press("reject").await;
    stage.server.asked_times(2).await;
    assert_eq!(
        stage.messages()[1].1,
        "浏览器工具 page_action 执行结果: {\"success\":false,\"error\":\"参数错误: page_action.actions: [ … ]\"}"
    );
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;

    stage.server.then([Said::Raw(b"data: {\"error\": {\"code\": \"model\", \"message\": \"overloaded\"}}\n\n")]);
    stage.say("二").await;
    stage
        .panel
        .until("document.querySelector('.notice')?.innerText === 'The server reports: overloaded Send again'")
        .await;
    stage.server.then([Said::Text("断"), Said::Cut]);
    stage.say("断").await;
    stage.panel.until("[...document.querySelectorAll('.notice')].at(-1).innerText === 'The answer broke off before its end. Send again'").await;
    stage.server.fail(Some("401 Unauthorized"));
    stage.say("三").await;
    stage
        .panel
        .until("[...document.querySelectorAll('.notice')].at(-1).innerText === 'That failed: HTTP 401 no such token Send again'")
        .await;
    // Sent again it is the same message.
    stage.server.fail(None);
    stage.server.then([Said::Text("好了")]);
    stage.panel.click("[data-act=resend]").await;
    stage.panel.until("[...document.querySelectorAll('.assistant')].at(-1).innerText.includes('好了')").await;
    let asked = stage.server.asked();
    let [.., failed, again] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((&failed["message"], &failed["request_id"]), (&again["message"], &again["request_id"]));
    assert_ne!(again["request_id"], asked[0]["request_id"]);
    // A page that it may not see: it says how to let it.
    let other = stage.server.put("/other", "<p>x").replace("127.0.0.1", "localhost");
    stage.page.open(&other).await;
    assert_eq!(stage.panel.eval("test.channel().catch(e => e.message)").await, "no_access");
    // The settings take no address that a token would go to in the clear.
    stage.panel.click("#open-settings").await;
    stage.panel.eval("document.getElementById('server').value = 'http://example.org'").await;
    stage.panel.click("#settings button[type=submit]").await;
    stage
        .panel
        .until("document.getElementById('settings-problem').innerText.startsWith('Write the server’s address')")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn calls_with_ids_are_answered_by_them_and_may_be_edited() {
    let stage = Stage::chat(SHOP).await;
    let fill = json!({"actions": [{"action": "fill", "target": {"selector": "#q"}, "params": {"value": "x"}}]});
    stage.server.then([Said::CallById("call_1", Some("h1"), "page_action", fill.to_string())]);
    stage.server.then([Said::CallById("call_2", Some("h2"), "search_web", json!({"query": "a"}).to_string())]);
    stage.server.then([Said::Text("好")]);
    stage.say("搜索").await;
    stage.card().await;
    stage.press("approve").await;
    let result = stage.server.asked_times(2).await;
    assert_eq!(result["tool_call_id"], "call_1");
    stage.panel.until("document.querySelector('.card:not(.done)')?.innerText.includes('search_web')").await;
    stage.card().await;
    stage.press("edit").await;
    stage.panel.eval("document.querySelector('.editor textarea').value = '{\"query\": \"b\"}'").await;
    stage.press("save").await;
    stage.panel.until("!document.querySelector('.editor')").await;
    stage.card().await;
    stage.press("approve").await;
    let decided = stage.server.asked_times(3).await;
    assert_eq!(decided["role"], "function");
    let decision: Value = serde_json::from_str(decided["message"].as_str().unwrap()).unwrap();
    assert_eq!(decision, json!({"toolId": "call_2", "approved": true, "hash": "h2", "arguments": {"query": "b"}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_cut_off_by_closing_the_panel_can_be_asked_for_again() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([Said::Text("一半"), Said::Hang]);
    stage.say("问").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('一半')").await;
    stage.panel.eval("location.reload()").await;
    stage
        .panel
        .until("document.body?.dataset.ready === 'true' && document.querySelector('[data-act=resend]') !== null")
        .await;
    stage.server.then([Said::Text("全部")]);
    stage.panel.click("[data-act=resend]").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('全部')").await;
    assert_eq!(stage.panel.eval("document.getElementById('log').innerText.includes('一半')").await, false);
    let asked = stage.server.asked();
    assert_eq!(asked[0]["request_id"], asked[1]["request_id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_background_that_was_put_to_sleep_wakes_for_the_approval() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([search("醒")]);
    stage.server.then([Said::Text("好")]);
    stage.say("搜索").await;
    stage.card().await;
    let workers = stage.browser.targets("service_worker").await;
    assert_eq!(workers.len(), 1, "{workers:?}");
    let worker = json!({"targetId": workers[0]["targetId"]});
    stage.browser.call("", "Target.closeTarget", worker).await.unwrap();
    let began = std::time::Instant::now();
    while !stage.browser.targets("service_worker").await.is_empty() {
        assert!(began.elapsed() < crate::chromium::LIMIT, "it doesn't sleep");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stage.press("approve").await;
    stage.page.until("document.title === '找 醒'").await;
    let result = stage.server.asked_times(2).await;
    assert!(result["message"].as_str().unwrap().contains("成功 2 个"), "{result}");
}
