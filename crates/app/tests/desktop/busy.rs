//! Apps that are busy, and a machine that is: what nobody changes is clicked all the same, once.
//!
//! The app's own log judges.

use handeye_engine::ClickBy;
use handeye_testkit::is_full;
use handeye_testkit::kinds::{Stand, TOOLKITS, Toolkit, is_refused, told};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an app does nothing else, in milliseconds.
const BURSTS: [u32; 3] = [150, 600, 1500];
/// When it does: at once, a little later, again and again, or inside its own handler of an event.
const MOMENTS: [&str; 6] = [
    "later 0 busy MS",
    "later 30 busy MS",
    "later 60 busy MS",
    "again",
    "during motion ID busy MS",
    "during press ID busy MS",
];

/// Processes that take all there is of the machine.
struct Load(Vec<Child>);

impl Load {
    fn new(count: usize) -> Self {
        let spin = || Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().unwrap();
        Self((0..count).map(|_| spin()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Clicks a target of an app that is busy meanwhile; what was amiss.
async fn try_one(stand: &mut Stand, kind: &str, moment: &str, ms: u32) -> Option<String> {
    let kind = stand.toolkit.kind(kind).unwrap();
    let (id, number) = stand.put(kind, "Approve").await;
    if moment == "again" {
        stand.panel.send(&format!("later 0 bursts 4 {ms} 50"));
    } else {
        stand.panel.send(&moment.replace("ID", &id).replace("MS", &ms.to_string()));
    }
    let outcome = stand.click(number, ClickBy::Pointer).await;
    let got = stand.gets(&id).await;
    let amiss = is_refused(&outcome) || got.len() != 1;
    amiss.then(|| format!("{} {}, {moment}, {ms} ms: {}; got {got:?}", stand.toolkit.name, kind.id, told(&outcome)))
}

/// All moments of one toolkit. In a sample each in one toolkit or two, and each length in each of them.
async fn try_all(toolkit: usize) -> Option<Vec<String>> {
    let mut stand = Stand::open(&TOOLKITS[toolkit], true).await?;
    let mut amiss = Vec::new();
    for (m, moment) in MOMENTS.into_iter().enumerate() {
        for (n, ms) in BURSTS.into_iter().enumerate() {
            let turn = m + toolkit;
            if !is_full() && (!turn.is_multiple_of(2) || n != turn % 3) {
                continue;
            }
            let kind = ["button", "check", "label"][(m + n) % 3];
            amiss.extend(try_one(&mut stand, kind, moment, ms).await);
        }
    }
    Some(amiss)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_app_that_is_busy_is_clicked_once_it_is_done() {
    let [one, two, three] = [0, 1, 2].map(|n| tokio::spawn(try_all(n)));
    let (one, two, three) = (one.await.unwrap(), two.await.unwrap(), three.await.unwrap());
    let amiss: Vec<String> = [one, two, three].into_iter().flatten().flatten().collect();
    assert!(amiss.is_empty(), "{amiss:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_machine_that_is_busy_refuses_no_click() {
    let load = Load::new(3);
    let mut amiss = Vec::new();
    for toolkit in &TOOLKITS {
        let Some(mut stand) = Stand::open(toolkit, true).await else { return };
        for ms in [0, 150, 0, 600, 0, 0] {
            amiss.extend(try_one(&mut stand, "button", "later 20 busy MS", ms).await);
        }
    }
    drop(load);
    assert!(amiss.is_empty(), "{amiss:#?}");
}

/// How long the window manager doesn't run.
const STOPPED: Duration = Duration::from_millis(1500);

/// Clicks a button of a window without the keyboard, whose press the window manager takes and hands on late; the button says
/// something else once it is pressed, or not. What was amiss.
async fn pressed_late(toolkit: &'static Toolkit) -> Option<Vec<String>> {
    let mut stand = Stand::open(toolkit, true).await?;
    let mut amiss = Vec::new();
    // The first time all windows are new, and the press waits for the window manager.
    for changes in [false, true, false] {
        let another = stand.open_another().await;
        let (id, number) = stand.put(toolkit.kind("button").unwrap(), "Approve").await;
        if changes {
            stand.tell(&format!("during press {id} change {id} Delete")).await;
        }
        let begun = Instant::now();
        let stopped = stand.stop_manager(STOPPED);
        let outcome = stand.click(number, ClickBy::Pointer).await;
        let is_waited_for = begun.elapsed() >= STOPPED;
        drop(stopped);
        let got = stand.gets(&id).await;
        let is_pressed = !changes || stand.panel.log().contains(&format!("did press {id}"));
        if !is_waited_for || !is_pressed || got.is_empty() != changes || is_refused(&outcome) != changes {
            amiss.push(format!("{} {changes}: {}; got {got:?}", toolkit.name, told(&outcome)));
        }
        drop(another);
    }
    Some(amiss)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_press_that_the_window_manager_hands_on_late_is_waited_for() {
    let runs = TOOLKITS.iter().map(|toolkit| tokio::spawn(pressed_late(toolkit))).collect::<Vec<_>>();
    let mut amiss = Vec::new();
    for run in runs {
        amiss.extend(run.await.unwrap().unwrap_or_default());
    }
    assert!(amiss.is_empty(), "{amiss:#?}");
}
