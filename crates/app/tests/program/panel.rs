//! The whole of it: the side panel in Chromium, a person's own presses, `handeye serve`, the page in front. Only the model is scripted.

use super::panel_stage::{Stage, actions, id};
use handeye_testkit::models::{Answer, Asked};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const SHOP: &str = "<input id=q aria-label=搜索 placeholder=搜索><button id=b onclick='document.title = `找 ${q.value}`'>搜索按钮</button>
  <button id=d onclick='window.deleted = 1'>删除</button>";
/// What a browser tool returns that a person refused.
const REFUSED: &str = "{\"success\":false,\"error\":\"用户取消了工具执行\"}";

/// Fill and click, by the ids that the model was told.
fn search(asked: &Asked, text: &str) -> Answer {
    actions(json!([
        {"action": "fill", "target": {"elementId": id(asked, "输入框:搜索")}, "params": {"value": text}},
        {"action": "click", "target": {"elementId": id(asked, "按钮:搜索按钮")}},
    ]))
}

/// A model that searches for what it is asked for, and says what came of it.
fn searches(asked: &Asked) -> Answer {
    let results = asked.results();
    match results.first() {
        Some(result) if result.contains("\"success\":true") => Answer::Say("好了，**找到了**。".into()),
        Some(_) => Answer::Say("没有做。".into()),
        None => search(asked, asked.from_person().last().unwrap()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_approves_is_done_and_the_answer_streams() {
    let stage = Stage::on(SHOP, searches).await;
    stage.say("iPhone 16").await;
    let card = stage.card().await;
    assert!(card.contains("Fill the field “搜索” with “iPhone 16”"), "{card}");
    assert!(card.contains("Click the button “搜索按钮”"), "{card}");
    assert_eq!(stage.page.eval("[document.title, q.value]").await, json!(["页面", ""]));
    stage.press("approve").await;
    stage.page.until("document.title === '找 iPhone 16'").await;
    stage.answered("好了，找到了。").await;
    let html = stage.panel.eval("[...document.querySelectorAll('.assistant')].at(-1).innerHTML").await;
    assert!(html.as_str().unwrap().contains("<strong>找到了</strong>"), "{html}");
    let kept = stage.kept();
    assert_eq!((kept.len(), kept[0].as_str(), kept[2].as_str()), (3, "user iPhone 16", "assistant 好了，**找到了**。"));
    let result = kept[1].strip_prefix("page_action done ").unwrap();
    let result: Value = serde_json::from_str(result).unwrap();
    assert_eq!(result["summary"], "执行了 2 个操作，成功 2 个，失败 0 个");
    assert_eq!(stage.model.asked().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_rejects_is_not_done_and_the_model_is_told() {
    let stage = Stage::on(SHOP, searches).await;
    stage.say("x").await;
    stage.card().await;
    stage.press("reject").await;
    stage.answered("没有做。").await;
    assert_eq!(stage.page.eval("[document.title, q.value]").await, json!(["页面", ""]));
    assert_eq!(stage.kept(), ["user x", &format!("page_action done {REFUSED}"), "assistant 没有做。"]);
    assert!(stage.model.asked()[1].results()[0].contains(REFUSED));
    assert_eq!(stage.cards().await, json!(["rejected"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_edits_is_done_in_place_of_what_was_proposed() {
    let stage = Stage::on(SHOP, searches).await;
    stage.say("x").await;
    stage.card().await;
    stage.press("edit").await;
    let edited = json!({"actions": [{"action": "fill", "target": {"selector": "#q"}, "params": {"value": "苹果"}}]});
    let put = format!("document.querySelector('.editor textarea').value = {}", json!(edited.to_string()));
    stage.panel.eval(&put).await;
    stage.press("save").await;
    stage
        .panel
        .until("document.querySelector('.card')?.innerText.includes('苹果') && !document.querySelector('.editor')")
        .await;
    stage.card().await;
    stage.press("approve").await;
    stage.answered("好了，找到了。").await;
    assert_eq!(stage.page.eval("[document.title, q.value]").await, json!(["页面", "苹果"]));
    let kept = stage.kept();
    let result: Value = serde_json::from_str(kept[1].strip_prefix("page_action done ").unwrap()).unwrap();
    assert_eq!(result["arguments"], edited, "the model learns of it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_changed_since_makes_an_approval_void() {
    let stage = Stage::on(SHOP, |asked: &Asked| match asked.results().first() {
        Some(result) => Answer::Say(format!("结果 {}", result.contains("页面已变化，操作已取消"))),
        None => actions(json!([{"action": "click", "target": {"elementId": id(asked, "按钮:删除")}}])),
    })
    .await;
    stage.say("删除").await;
    stage.card().await;
    stage.page.eval("d.textContent = '删除全部'").await;
    stage.press("approve").await;
    stage.answered("结果 true").await;
    assert_eq!(stage.page.eval("window.deleted ?? 0").await, 0);
    assert_eq!(stage.cards().await, json!(["stale"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn stop_ends_the_answer_at_the_server_too_and_the_chat_goes_on() {
    let stage = Stage::on(SHOP, |asked: &Asked| match asked.from_person().last().unwrap().as_str() {
        "一" => Answer::Paced("慢慢地说很长的话".repeat(200), Duration::from_millis(50)),
        "二" => search(asked, "x"),
        _ => Answer::Say("在".into()),
    })
    .await;
    stage.say("一").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('慢慢')").await;
    stage.panel.click("#stop").await;
    stage.panel.until("document.getElementById('status').innerText === 'Stopped'").await;
    stage.say("二").await;
    stage.card().await;
    stage.panel.key("Escape", 27).await;
    stage.panel.until("document.querySelector('.card')?.dataset.state === 'stopped'").await;
    stage.say("三").await;
    stage.answered("在").await;
    assert_eq!(stage.page.eval("q.value").await, "");
    let kept = stage.kept();
    let words: Vec<&str> = kept.iter().map(|line| line.split_at(line.find(' ').unwrap()).0).collect();
    assert_eq!(words, ["user", "assistant", "user", "page_action", "user", "assistant"], "{kept:?}");
    assert!(kept[1].starts_with("assistant 慢慢"), "what was told before it was stopped: {kept:?}");
    assert!(kept[3].starts_with("page_action void "), "{kept:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_goes_on_after_the_server_was_killed() {
    static SLOW: AtomicBool = AtomicBool::new(true);
    let slow = |text: &str| match SLOW.load(Ordering::SeqCst) {
        true => Answer::Paced(text.repeat(200), Duration::from_millis(50)),
        false => Answer::Say(text.into()),
    };
    let mut stage = Stage::on(SHOP, move |asked: &Asked| match asked.results().first() {
        Some(result) => slow(if result.contains("成功 2 个") { "做完了。" } else { "没有做。" }),
        None if asked.from_person().last().is_some_and(|said| said == "问") => slow("答案在此。"),
        None => search(asked, "再"),
    })
    .await;
    let resend = "document.querySelector('[data-act=resend]') !== null";
    // In the middle of an answer.
    stage.say("问").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('答案')").await;
    stage.crash();
    stage.panel.until(resend).await;
    SLOW.store(false, Ordering::SeqCst);
    stage.serve();
    stage.panel.click("[data-act=resend]").await;
    stage.answered("答案在此。").await;
    // While a card waits.
    stage.say("搜索").await;
    stage.card().await;
    stage.crash();
    stage.serve();
    SLOW.store(true, Ordering::SeqCst);
    stage.press("approve").await;
    stage.page.until("document.title === '找 再'").await;
    // In the middle of the answer to what was done.
    stage.panel.until("[...document.querySelectorAll('.assistant')].at(-1)?.innerText.includes('做完了')").await;
    stage.crash();
    stage.panel.until(resend).await;
    SLOW.store(false, Ordering::SeqCst);
    stage.serve();
    stage.panel.click("[data-act=resend]").await;
    stage.answered("做完了。").await;
    let kept = stage.kept();
    assert_eq!((kept.len(), &kept[..3]), (5, &["user 问", "assistant 答案在此。", "user 搜索"].map(str::to_owned)[..]));
    assert!(kept[3].starts_with("page_action done {\"success\":true"), "{kept:?}");
    assert_eq!(kept[4], "assistant 做完了。");
    assert_eq!(stage.page.eval("document.title").await, "找 再");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_panel_that_was_closed_during_an_answer_gets_it_once() {
    let stage =
        Stage::on(SHOP, |_: &Asked| Answer::Paced("一二三四五六七八九".repeat(4), Duration::from_millis(300))).await;
    stage.say("问").await;
    stage.panel.until("document.querySelector('.assistant')?.innerText.includes('一')").await;
    stage.open_again().await;
    stage.panel.until("document.querySelector('[data-act=resend]') !== null").await;
    // The answer goes on for itself: it is waited for, not asked for anew.
    stage.panel.click("[data-act=resend]").await;
    stage.answered(&"一二三四五六七八九".repeat(4)).await;
    assert_eq!(stage.kept().len(), 2);
    assert_eq!(stage.model.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_click_that_leads_away_the_model_is_told_of_the_page_that_came() {
    let stage = Stage::on("<a href=/slow>下一页</a>", |asked: &Asked| {
        let has_arrived = !asked.results().is_empty();
        match asked.text.contains("按钮:第二页的按钮") {
            true => Answer::Say("到了第二页".into()),
            false if has_arrived => Answer::Say("还在第一页".into()),
            false => actions(json!([{"action": "click", "target": {"elementId": id(asked, "链接:下一页")}}])),
        }
    })
    .await;
    stage.put("/slow", "<button>第二页的按钮</button>");
    stage.say("下一页").await;
    stage.card().await;
    stage.press("approve").await;
    stage.answered("到了第二页").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_the_server_is_carried_out_there_once_it_is_approved() {
    let stage = Stage::on(SHOP, |asked: &Asked| match asked.results().first() {
        Some(result) if result.contains("results") => Answer::Say("查到了。".into()),
        Some(_) => Answer::Say("没有查。".into()),
        None => {
            let query = asked.from_person().last().unwrap().clone();
            Answer::Call(vec![("search_web".into(), json!({ "query": query }).to_string())])
        }
    })
    .await;
    stage.say("weather").await;
    let card = stage.card().await;
    assert!(card.contains("The server wants to use its tool search_web."), "{card}");
    assert_eq!(stage.searched.lock().unwrap().len(), 0);
    stage.press("approve").await;
    stage.answered("查到了。").await;
    assert_eq!(*stage.searched.lock().unwrap(), ["weather"]);
    // Another, with other words.
    stage.say("news").await;
    stage.card().await;
    stage.press("edit").await;
    stage.panel.eval("document.querySelector('.editor textarea').value = '{\"query\": \"sport\"}'").await;
    stage.press("save").await;
    stage.panel.until("!document.querySelector('.editor')").await;
    stage.card().await;
    stage.press("approve").await;
    stage.answered("查到了。").await;
    assert_eq!(*stage.searched.lock().unwrap(), ["weather", "sport"]);
    // A refusal is said at once; the model learns of it with the next message.
    stage.say("stocks").await;
    stage.card().await;
    stage.press("reject").await;
    stage.answered("用户取消了工具执行").await;
    assert_eq!(stage.searched.lock().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_granted_for_the_conversation_is_not_asked_about_again_on_that_site() {
    let stage = Stage::on(SHOP, |asked: &Asked| match asked.results().first() {
        Some(_) => Answer::Say("查到了。".into()),
        None => {
            let query = asked.from_person().last().unwrap().clone();
            Answer::Call(vec![("search_web".into(), json!({ "query": query }).to_string())])
        }
    })
    .await;
    stage.say("weather").await;
    stage.card().await;
    stage.press("grant").await;
    stage.answered("查到了。").await;
    stage.say("news").await;
    stage.panel.until("document.querySelectorAll('.assistant').length === 2").await;
    stage.answered("查到了。").await;
    assert_eq!(*stage.searched.lock().unwrap(), ["weather", "news"]);
    assert_eq!(stage.cards().await, json!(["approved", "allowed"]));
    // What acts in the page is asked about all the same, and so is the tool on another site.
    let other = stage.put("/", "<p>x</p>").replace("127.0.0.1", "localhost");
    stage.page.open(&other).await;
    stage.say("sport").await;
    stage.card().await;
    assert_eq!(stage.searched.lock().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn however_much_was_read_the_server_takes_it() {
    // Each takes two characters in JSON: together more than a message may have.
    let page = format!("<pre id=p>{}</pre>", "\"".repeat(4000));
    let stage = Stage::on(&page, |asked: &Asked| match asked.results().first() {
        Some(_) => Answer::Say("读了。".into()),
        None => actions(Value::from(vec![json!({"action": "read", "target": {}}); 30])),
    })
    .await;
    stage.say("读").await;
    stage.card().await;
    stage.press("approve").await;
    stage.answered("读了。").await;
    let kept = stage.kept();
    let result: Value = serde_json::from_str(kept[1].strip_prefix("page_action done ").unwrap()).unwrap();
    assert_eq!((&result["success"], result["results"].as_array().unwrap().len()), (&json!(true), 30));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_belongs_to_a_conversation_that_was_deleted_does_not_stand_in_the_way() {
    let stage = Stage::on(SHOP, |asked: &Asked| match asked.from_person().last().unwrap().as_str() {
        "再" => Answer::Say("在".into()),
        text => search(asked, text),
    })
    .await;
    stage.say("x").await;
    stage.card().await;
    let server = stage.server.as_ref().unwrap();
    let all = server.ask(&stage.token, "GET /api/v1/conversations");
    let session = all["conversations"][0]["session_id"].as_str().unwrap();
    server.ask(&stage.token, &format!("DELETE /api/v1/conversations/{session}"));
    stage.press("approve").await;
    stage.page.until("document.title === '找 x'").await;
    stage.panel.until("document.querySelector('.notice') !== null").await;
    stage.panel.until("document.getElementById('stop').ariaDisabled === 'true'").await;
    assert_eq!(stage.panel.eval("document.querySelector('[data-act=resend]')").await, Value::Null);
    stage.say("再").await;
    stage.answered("在").await;
    assert_eq!(stage.kept(), ["user 再", "assistant 在"]);
}
