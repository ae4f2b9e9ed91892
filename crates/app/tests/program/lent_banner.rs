//! The browser's own banner over a tab that is lent, in a browser with windows: it shows as long as the tab is lent, and its Cancel, pressed by
//! real input on the desktop, takes the tab back.
#![cfg(target_os = "linux")]

use super::lent_stage::Lent;
use handeye_testkit::chromium::Browser;
use handeye_testkit::desk::Desk;
use handeye_testkit::home::{Home, eventually};
use std::time::{Duration, Instant};

const SHOP: &str = "<button onclick='window.hits = (window.hits ?? 0) + 1; said.textContent = `Bought ${hits}`'>Buy</button><p id=said>Nothing</p>";
/// What the banner says.
const BANNER: &str = "started debugging this browser";
/// Longest that anything may take: the machine may be busy.
const SOON: Duration = Duration::from_secs(30);

/// Whether the banner is to be seen on the desktop.
fn has_banner(desk: &Desk) -> bool {
    desk.run(&["state", "--all"]).out.contains(BANNER)
}

/// Closes the bar that the browser shows where it runs without its sandbox, as root it does: it shows one bar at a time.
fn close_other_bar(desk: &Desk) {
    let state = desk.json(&["state", "--all"]);
    let targets = state["targets"].as_array().unwrap();
    let bar = targets.iter().position(|target| target["role"] == "text" && target.to_string().contains("--no-sandbox"));
    let Some(bar) = bar else { return };
    let close = targets[bar..].iter().find(|target| target["role"] == "button" && target["name"] == "Close").unwrap();
    desk.run(&["click", &close["ref"].to_string(), "--method", "pointer"]);
    assert!(eventually(SOON, || !desk.run(&["state", "--all"]).out.contains("--no-sandbox")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browser_s_banner_shows_and_its_cancel_takes_the_tab_back() {
    let Some(desk) = Desk::open(&[]) else { return };
    let browser = handeye_browser::find(None).unwrap();
    let browser = Browser::launch_shown(&browser, "en-US", &desk.variables()).await;
    let stage = Lent::in_browser(browser, Home::new(), SHOP).await;
    close_other_bar(&desk);
    assert!(!has_banner(&desk), "nothing is lent yet");
    let code = stage.code().await;
    stage.run(&format!("open {code} --json")).await.exit(0);
    stage.state("lent").await;
    assert!(eventually(SOON, || has_banner(&desk)), "{}", desk.ok(&["state", "--all"]));
    // It is lent for good: an act goes through, and the banner stays.
    let buy = stage.see("Buy").await;
    stage.run(&format!("click {buy} --json")).await.exit(0);
    assert_eq!(stage.page.eval("window.hits ?? 0").await, 1);
    assert!(has_banner(&desk));
    let waiting = stage.begin("wait --text never --timeout 60 --json");
    let cancel = desk.number("button", "Cancel");
    desk.run(&["click", &cancel, "--method", "pointer"]);
    let since = Instant::now();
    let lost = waiting.await.unwrap().exit(2);
    assert_eq!(lost.code(), "lost", "{lost:?}");
    assert!(lost.out.contains("the person took the tab back"), "{}", lost.out);
    assert!(since.elapsed() < SOON, "after {:?}", since.elapsed());
    assert_eq!(stage.state("over").await, "The tab is yours alone again.");
    assert!(!stage.is_attached().await);
    assert!(eventually(SOON, || !has_banner(&desk)), "{}", desk.ok(&["state", "--all"]));
    assert_eq!(stage.run(&format!("click {buy} --json")).await.exit(2).code(), "lost");
    assert_eq!(stage.page.eval("window.hits ?? 0").await, 1);
}
