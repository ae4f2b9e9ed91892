//! How a tab stops being lent: by the person, by its end, by handeye's. Nothing hangs, and nothing stays attached.

use super::lent_stage::Lent;
use handeye_testkit::is_full;
use std::time::{Duration, Instant};

const SHOP: &str =
    "<button id=b onclick='window.hits = (window.hits ?? 0) + 1'>Buy</button><input id=q aria-label=Search autofocus>";

/// Longest that a command may take to say that the tab is gone: the machine may be busy.
const SOON: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread")]
async fn the_person_takes_the_tab_back_by_one_press_in_the_middle_of_an_action() {
    let stage = Lent::lent(SHOP).await;
    let long = format!("type {} --pace 100", "a".repeat(600));
    for (name, line) in [("waiting", "wait --text never --timeout 60"), ("typing", &long), ("idle", "")] {
        if name == "typing" {
            let field = stage.see("Search").await;
            stage.run(&format!("click {field}")).await;
        }
        let began = (!line.is_empty()).then(|| stage.begin(&format!("{line} --json")));
        if name == "typing" {
            stage.page.until("q.value.length > 2").await;
        }
        stage.take_back().await;
        let since = Instant::now();
        if let Some(began) = began {
            // What was sent in part has a receipt, which says so.
            let ended = began.await.unwrap();
            if name == "typing" {
                assert_eq!(ended.json()["verdict"], "contradicted", "{ended:?}");
            } else {
                assert_eq!(ended.code(), "lost", "{name}: {ended:?}");
            }
            assert!(ended.out.contains("the person took the tab back"), "{name}: {}", ended.out);
            assert!(since.elapsed() < SOON, "{name}: after {:?}", since.elapsed());
        }
        assert_eq!(stage.state("over").await, "The tab is yours alone again.", "{name}");
        assert!(!stage.is_attached().await, "{name}");
        for line in ["state --json", "click 1 --json", "open http://127.0.0.1:1/ --json"] {
            let lost = stage.run(line).await.exit(2);
            assert_eq!(lost.code(), "lost", "{name} {line}: {}", lost.out);
        }
        // The same session goes on with the tab where it is lent anew.
        let code = stage.code().await;
        stage.run(&format!("open {code}")).await.exit(0);
        stage.state("lent").await;
    }
    let typed = stage.page.eval("q.value.length").await;
    assert!(typed.as_u64().is_some_and(|typed| typed < 600), "typing went on: {typed}");
    assert_eq!(stage.page.eval("window.hits ?? 0").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_is_closed_and_a_panel_that_is_closed_end_it() {
    let stage = Lent::lent(SHOP).await;
    stage.panel.eval("window.before = true; location.reload()").await;
    stage.panel.until("window.before !== true && document.body?.dataset.ready === 'true'").await;
    let lost = stage.run("state --json").await.exit(2);
    assert_eq!(lost.code(), "lost", "{}", lost.out);
    assert!(!stage.is_attached().await, "the panel is gone");
    let code = stage.code().await;
    stage.run(&format!("open {code}")).await.exit(0);
    stage.state("lent").await;
    let waiting = stage.begin("wait --text never --timeout 60 --json");
    // With a page beside it the window stays.
    stage
        .browser
        .call("", "Target.createTarget", serde_json::json!({"url": "about:blank", "background": true}))
        .await
        .unwrap();
    stage.page.call("Page.close", serde_json::json!({})).await;
    let lost = waiting.await.unwrap().exit(2);
    assert_eq!(lost.code(), "lost", "{}", lost.out);
    assert_eq!(stage.run("state --json").await.exit(2).code(), "lost");
    stage.run("sessions stop default").await.exit(0);
    stage.home.assert_nothing_left();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_ends_is_told_and_a_session_that_ends_gives_the_tab_back() {
    let stage = Lent::lent(SHOP).await;
    stage.run("sessions stop default").await.exit(0);
    assert_eq!(stage.state("over").await, "handeye has let go of the tab.");
    assert!(!stage.is_attached().await);
    assert_eq!(stage.page.eval("document.title").await, "页面", "the tab stays");
    stage.home.assert_nothing_left();
    let code = stage.code().await;
    stage.run(&format!("open {code}")).await.exit(0);
    stage.state("lent").await;
    let waiting = stage.begin("wait --text never --timeout 60 --json");
    let _ = stage.browser.call("", "Browser.close", serde_json::json!({})).await;
    let lost = waiting.await.unwrap().exit(2);
    assert_eq!(lost.code(), "lost", "{}", lost.out);
    assert_eq!(stage.run("state --json").await.exit(2).code(), "lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lent_tab_need_not_be_in_front() {
    let body = "<button onclick='window.hits = (window.hits ?? 0) + 1; said.textContent = `Bought ${hits}`'>Buy</button><p id=said>Nothing</p>";
    let stage = Lent::lent(body).await;
    // The person goes on in another tab.
    stage.browser.call("", "Target.createTarget", serde_json::json!({"url": "about:blank"})).await.unwrap();
    stage.page.until("document.visibilityState === 'hidden'").await;
    // Behind, and in front again.
    for hits in [1, 2].into_iter().filter(|hits| is_full() || *hits == 1) {
        let target = stage.see("Buy").await;
        let since = Instant::now();
        let clicked = stage.run(&format!("click {target} --json")).await.exit(0);
        assert_eq!(clicked.json()["verdict"], "confirmed", "{clicked:?}");
        assert!(since.elapsed() < SOON, "{clicked:?}");
        assert_eq!(stage.page.eval("window.hits ?? 0").await, hits);
        stage.page.call("Page.bringToFront", serde_json::json!({})).await;
        stage.page.until("document.visibilityState === 'visible'").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_lends_nothing_and_only_one_tab_is_lent_at_a_time() {
    let stage = Lent::on(SHOP).await;
    stage.panel.eval("document.getElementById('lend').click()").await;
    assert_eq!(stage.panel.eval("document.getElementById('lent').hidden").await, true, "a press that is no person's");
    // That this code holds no more, `a_code_is_for_one_use_within_its_time_and_a_wrong_one_ends_it` waits for.
    stage.code().await;
    assert_eq!(stage.panel.eval("document.getElementById('lend').disabled").await, true);
    stage.take_back().await;
    assert_eq!(stage.state("over").await, "The tab is yours alone again.");
    // The browser doesn't let its own pages be lent.
    stage.page.open("about:blank").await;
    stage.page.call("Page.navigate", serde_json::json!({"url": "chrome://version"})).await;
    stage.page.until("location.protocol === 'chrome:'").await;
    let code = stage.code().await;
    let refused = stage.run(&format!("open {code} --json")).await.exit(2);
    assert_eq!(refused.code(), "unsupported", "{}", refused.out);
    assert!(stage.state("over").await.starts_with("The browser does not let this tab be lent: "));
}
