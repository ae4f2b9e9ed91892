//! What the panel makes of a server that fails, is busy, or says too much, and of a page that is on its way to another.

use crate::panel::{SHOP, search};
use crate::server::{Said, actions};
use crate::stage::Stage;
use handeye_testkit::is_full;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn an_error_within_an_answer_offers_to_send_again() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([
        Said::Text("一半"),
        Said::Raw(
            b"data: {\"content\": \"x\", \"error\": {\"code\": \"model_failed\", \"message\": \"overloaded\"}}\n\n",
        ),
    ]);
    stage.say("一").await;
    stage.panel.until("document.querySelector('[data-act=resend]') !== null").await;
    assert_eq!(stage.reads(".notice").await, "The server reports: overloaded Send again");
    stage.server.then([Said::Text("全部")]);
    stage.panel.click("[data-act=resend]").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('全部')").await;
    assert_eq!(stage.panel.eval("document.getElementById('log').innerText.includes('一半')").await, false);
    let asked = stage.server.asked();
    assert_eq!((&asked[0]["request_id"], &asked[0]["message"]), (&asked[1]["request_id"], &asked[1]["message"]));
    // While an answer goes on, nothing is sent.
    stage.panel.until("!document.getElementById('send').disabled").await;
    // What answers a call is kept, too, and sent again as the same answer.
    stage.server.then([search("x")]);
    stage.say("搜索").await;
    stage.card().await;
    stage.server.then([Said::Raw(b"data: {\"error\": {\"code\": \"database\", \"message\": \"locked\"}}\n\n")]);
    stage.press("approve").await;
    stage.panel.until("document.querySelector('[data-act=resend]') !== null").await;
    stage.server.then([Said::Text("好了")]);
    stage.panel.click("[data-act=resend]").await;
    stage.panel.until("[...document.querySelectorAll('.assistant')].at(-1).innerText.includes('好了')").await;
    let asked = stage.server.asked();
    let [.., failed, again] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((&failed["request_id"], &failed["message"]), (&again["request_id"], &again["message"]));
    assert_eq!(asked.len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_call_of_an_answer_that_failed_is_over_with_the_next_message() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([search("x"), Said::Cut]);
    stage.say("一").await;
    stage.panel.until("document.querySelector('[data-act=resend]') !== null").await;
    stage.server.then([Said::Text("好")]);
    stage.say("二").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('好')").await;
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    assert_eq!(
        stage.panel.eval("[...document.querySelectorAll('.card')].map(c => c.dataset.state)").await,
        json!(["stopped"])
    );
    assert_eq!(stage.server.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_at_an_answer_still_is_waited_for() {
    let stage = Stage::chat(SHOP).await;
    stage.server.be_busy(2);
    stage.server.then([Said::Text("好了")]);
    stage.say("问").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('好了')").await;
    let asked = stage.server.asked();
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|one| one["request_id"] == asked[0]["request_id"]), "{asked:?}");
    // Stop ends the waiting.
    stage.server.be_busy(1000);
    stage.say("再问").await;
    stage.server.asked_times(4).await;
    stage.panel.click("#stop").await;
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    assert_eq!(stage.panel.eval("document.querySelectorAll('.notice').length").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn the_page_that_a_click_led_to_is_told_not_the_one_before() {
    let stage = Stage::chat("<a id=next href=/slow>下一页</a>").await;
    let slow = stage.server.put("/slow", "<button>第二页的按钮</button>");
    stage.server.then([actions(json!([{"action": "click", "target": {"selector": "#next"}}]))]);
    stage.server.then([Said::Text("到了")]);
    stage.say("下一页").await;
    stage.card().await;
    stage.press("approve").await;
    let told = stage.server.asked_times(2).await;
    let info = &told["current_page_info"];
    assert_eq!(info["url"], slow.as_str(), "{told}");
    let descs: Vec<&str> = info["elements"].as_array().unwrap().iter().map(|e| e["desc"].as_str().unwrap()).collect();
    assert_eq!(descs, ["按钮:第二页的按钮"], "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_too_long_to_keep_loses_its_beginning_alone() {
    let stage = Stage::chat(SHOP).await;
    // Some 24 MB, of which the browser keeps 10.
    let kept = stage
        .panel
        .eval(
            "(async () => {
               const { saveConversation, loadConversation } = await test.load('panel/store.js');
               const items = Array.from({ length: 120 }, (_, i) => ({ kind: 'assistant', text: `${i}:` + '长'.repeat(100000) }));
               const conversation = { session: 's', items, unanswered: { message: { message: 'm', role: 'user', request_id: 'r' }, at: 119 } };
               await saveConversation(conversation);
               const kept = await loadConversation();
               return [kept.session, kept.items.length, kept.items.at(-1).text.slice(0, 4), kept.unanswered.at, conversation.items.length];
             })()",
        )
        .await;
    let count = kept[1].as_i64().unwrap();
    assert!((1..120).contains(&count), "{kept}");
    assert_eq!(kept, json!(["s", count, "119:", count - 1, 120]));
}

/// Texts that a reader of markdown may look through again and again: how many there are.
const HOSTILE: &str = r#"(async () => {
  const { markdown } = await test.load('panel/markdown.js');
  const many = (text) => text.repeat(Math.ceil(200000 / text.length));
  const texts = ['*', '**', '**a', '_a ', '__a', '~~', '~~a ', '`', '``a', '`a``', '[', '[a', '![', '[a](', '[a](b', 'https://', 'https://,', '-  ', '# ', '#', '> ', '```\n', '```\na\n```\n',
    '*a _b ', '**a*', '[a]', 'http', ' ', '- a\n', '1. a\n', '> a\n', 'a\n\n'].map(many);
  texts.push('# ' + many('#') + 'x', '# ' + many(' ') + 'x', '- ' + many(' ') + ' x', many(' ') + '-', many('1') + '.', Array.from({ length: 600 }, (_, i) => '`'.repeat(i) + ' ').join(''));
  test.read = (at) => {
    const began = performance.now();
    markdown(texts[at]);
    return [texts[at].slice(0, 12), Math.round(performance.now() - began)];
  };
  return texts.length;
})()"#;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn no_answer_takes_long_to_be_read_as_markdown() {
    let stage = Stage::chat(SHOP).await;
    let count = stage.panel.eval(HOSTILE).await.as_u64().unwrap();
    assert_eq!(count, 38);
    for at in 0..count {
        let read = stage.panel.eval(&format!("test.read({at})")).await;
        // What is looked through from each place again takes minutes.
        assert!(read[1].as_u64().unwrap() < 10_000, "{read}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn markdown_is_read_as_it_is_written() {
    reads_markdown(&Stage::chat(SHOP).await).await;
}

pub(crate) async fn reads_markdown(stage: &Stage) {
    let read = |text: &str| {
        let read = "(async (text) => { const { markdown } = await test.load('panel/markdown.js'); const p = document.createElement('div'); p.append(...markdown(text)); return p.innerHTML; })";
        format!("{read}({})", json!(text))
    };
    for (text, html) in [
        (
            "a **b** __c__ *d* _e_ ~~f~~ `g`",
            "<p>a <strong>b</strong> <strong>c</strong> <em>d</em> <em>e</em> <del>f</del> <code>g</code></p>",
        ),
        ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
        ("``a`b`` ` x", "<p><code>a`b</code> ` x</p>"),
        ("2 * 3 * 4, a_b_c, ** x", "<p>2 * 3 * 4, a_b_c, ** x</p>"),
        (
            "# 标题 ##\n- 一\n- 二\n\n3. 三",
            "<p class=\"heading\" role=\"heading\" aria-level=\"3\">标题</p><ul><li>一</li><li>二</li></ul><ol start=\"3\"><li>三</li></ol>",
        ),
        ("```js\n**a**\n```\n> 引", "<pre><code>**a**</code></pre><blockquote>引</blockquote>"),
        ("[x](javascript:alert(1)) [", "<p>[x](javascript:alert(1)) [</p>"),
        ("<b>", "<p>&lt;b&gt;</p>"),
    ] {
        let came: Value = stage.panel.eval(&read(text)).await;
        assert_eq!(came, html, "{text}");
    }
    for (text, part) in [
        ("[页](https://a.example/x)。", "(a.example)"),
        ("见 https://a.example/y。好", "href=\"https://a.example/y\""),
        ("![图](https://a.example/z)", "href=\"https://a.example/z\""),
    ] {
        let came = stage.panel.eval(&read(text)).await;
        assert!(came.as_str().unwrap().contains(part), "{came}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_granted_for_the_conversation_is_told_to_the_server_and_what_it_does_by_it_is_shown() {
    let stage = Stage::chat(SHOP).await;
    let args = json!({"query": "天气"}).to_string();
    stage.server.then([Said::CallById("call_1", Some("h1"), "search_web", args.clone())]);
    let allowed = json!({"tool_allowed": {"tool_name": "search_web", "arguments": args, "id": "call_2"}});
    let raw: &'static [u8] = format!("data: {allowed}\n\n").into_bytes().leak();
    stage.server.then([Said::Text("再查"), Said::Raw(raw), Said::Text("查到了")]);
    stage.say("查天气").await;
    stage.card().await;
    stage.press("grant").await;
    let decided = stage.server.asked_times(2).await;
    let decision: Value = serde_json::from_str(decided["message"].as_str().unwrap()).unwrap();
    assert_eq!(decision, json!({"toolId": "call_1", "approved": true, "hash": "h1", "scope": "conversation"}));
    stage.panel.until("[...document.querySelectorAll('.assistant')].at(-1)?.innerText.includes('查到了')").await;
    assert_eq!(
        stage.panel.eval("[...document.querySelectorAll('.card')].map(c => c.dataset.state)").await,
        json!(["approved", "allowed"])
    );
    assert!(stage.reads(".card.allowed").await.contains("Done, as granted: search_web"));
}

/// What stands at a wrong address is a page for people, and so is what a proxy says of a server that is there: nothing of it is shown as
/// the server's words, and only the first is told as a wrong address.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_in_place_of_a_server_is_told_as_one() {
    let stage = Stage::chat(SHOP).await;
    let no_chat = stage.panel.eval("chrome.i18n.getMessage('no_answer_not_chat')").await;
    let no_chat = no_chat.as_str().unwrap();
    let mut sent = 0;
    let answers = [
        ("404 Not Found", true),
        ("405 Method Not Allowed", true),
        ("413 Content Too Large", false),
        ("502 Bad Gateway", false),
        ("503 Service Unavailable", false),
        ("504 Gateway Timeout", false),
    ];
    // By default one of each outcome.
    for (_, (status, is_no_chat)) in answers.into_iter().enumerate().filter(|(at, _)| is_full() || at % 3 == 0) {
        stage.server.fail_by_page(Some(status));
        stage.say("一").await;
        sent += 1;
        stage.server.asked_times(sent).await;
        stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
        let notice = stage.panel.eval("[...document.querySelectorAll('.notice')].at(-1).innerText").await;
        let notice = notice.as_str().unwrap();
        let told = if is_no_chat { format!("HTTP {} {no_chat}", &status[..3]) } else { format!("HTTP {status}") };
        assert!(notice.contains(&told), "{status}: {notice}");
        assert!((is_no_chat || !notice.contains(no_chat)) && !notice.contains('<'), "{status}: {notice}");
    }
}

/// Nothing is approved that can't be done: the person may look again, change it or reject it, and the model learns what was wrong.
#[tokio::test(flavor = "multi_thread")]
async fn a_card_for_an_element_that_is_not_there_offers_no_approval() {
    let stage = Stage::chat(SHOP).await;
    stage.server.then([actions(json!([{"action": "click", "target": {"selector": "#none"}}]))]);
    stage.server.then([Said::Text("哦")]);
    stage.say("一").await;
    stage.card().await;
    let offered = "[...document.querySelectorAll('.card:not(.done) [data-act]')].map(b => b.dataset.act)";
    assert_eq!(stage.panel.eval(offered).await, json!(["retry", "edit", "reject"]));
    // It comes up, and can be approved then.
    stage.page.eval("document.body.append(Object.assign(document.createElement('button'), { id: 'none', textContent: '来了' }))").await;
    stage.press("retry").await;
    stage.panel.until("document.querySelector('.card:not(.done) [data-act=approve]') !== null").await;
    stage.page.eval("document.getElementById('none').remove()").await;
    stage.card().await;
    stage.press("approve").await;
    stage.server.asked_times(2).await;
    assert!(stage.messages()[1].1.contains("页面已变化"), "{:?}", stage.messages());
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    stage.server.then([actions(json!([{"action": "click", "target": {"selector": "#none"}}]))]);
    stage.server.then([Said::Text("哦")]);
    stage.say("二").await;
    stage.card().await;
    stage.press("reject").await;
    stage.server.asked_times(4).await;
    assert!(stage.messages()[3].1.contains("未找到目标元素"), "{:?}", stage.messages());
}

/// Of several agents the person chooses one; the first is taken until then, so that what is said reaches one that there is.
#[tokio::test(flavor = "multi_thread")]
async fn the_agents_of_a_server_are_offered_when_it_is_paired_with() {
    let stage = Stage::on(SHOP).await;
    for (field, text) in [("#server", stage.server.origin()), ("#pairing", "ABCD-EFGH".to_owned())] {
        stage.panel.click(field).await;
        stage.panel.insert(&text).await;
    }
    stage.panel.click("#settings button[type=submit]").await;
    stage.panel.until("document.getElementById('settings-problem').innerText.includes('several agents')").await;
    assert_eq!(
        stage.panel.eval("[document.getElementById('agent').value, ...[...document.querySelectorAll('#agents option')].map(o => o.value)]").await,
        json!(["shop", "shop", "office"])
    );
    stage.panel.eval("document.getElementById('agent').value = 'office'").await;
    stage.panel.click("#settings button[type=submit]").await;
    stage.panel.until("!document.getElementById('chat').hidden").await;
    stage.server.then([Said::Text("在")]);
    stage.say("你好").await;
    let asked = stage.server.asked_times(1).await;
    assert_eq!((&asked["agent_id"], &asked["_authorization"]), (&json!("office"), &json!("Bearer he_paired")));
}
