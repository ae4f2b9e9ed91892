//! Script dialogs: told, never answered unasked, and never the cause of a hang.

use crate::stage::{self, LIMIT, Stage, chord, code, delivered, page};
use handeye_scene::{Aim, Gesture, Guard, ImageFormat, Query, QueryBy, ShotArea};
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn with_a_dialog_open_every_call_says_so_at_once() {
    let mut stage = Stage::on("<button>B</button><script>setTimeout(() => alert('Hi \"you\"'), 2000)</script>").await;
    // The page is looked at before the dialog comes, on a slow machine too.
    let id = stage.id("button", "B").await;
    let began = Instant::now();
    while stage.web().dialog().is_none() {
        assert!(began.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let open = "blocked: a dialog is open: alert \"Hi \\\"you\\\"\" → handeye dialog accept, handeye dialog dismiss, handeye tabs new URL";
    let began = Instant::now();
    assert_eq!(code(stage.surface.probe(id, Aim::default()).await), open);
    assert_eq!(code(stage.surface.search(&Query { by: QueryBy::Css, text: "b".into() }).await), open);
    assert_eq!(code(stage.surface.perform(&Gesture::Keys(vec![chord("a")]), &Guard::default()).await), open);
    assert_eq!(code(stage.web().text(None).await), open);
    assert_eq!(code(stage.web().attribute(id, "id").await), open);
    assert_eq!(code(stage.web().screenshot(ShotArea::Viewport, ImageFormat::Png, None).await), open);
    assert_eq!(code(stage.web().navigate("about:blank", LIMIT).await), open);
    assert_eq!(code(stage.web().history(0, LIMIT).await), open);
    let capture = stage.look().await;
    assert!(capture.nodes.is_empty() && capture.notices.iter().any(|n| n.kind == "dialog"), "{capture:?}");
    assert!(stage.web().location().await.is_ok());
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(stage.web().answer_dialog(true, None).await.unwrap().kind, "alert");
    delivered(&stage.click(id).await);
    assert_eq!(code(stage.web().answer_dialog(true, None).await), "not_found: no dialog is open → handeye state");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_reach_the_page() {
    let mut stage = Stage::on(
        "<p id=log></p><button onclick=\"log(confirm('Sure?'))\">Confirm</button><button onclick=\"log(prompt('Name?','Ann'))\">Prompt</button>
         <script>function log(t){document.querySelector('#log').textContent+=t+';'}</script>",
    )
    .await;
    for (button, accept, text, wanted) in [
        ("Confirm", true, None, "true;"),
        ("Confirm", false, None, "true;false;"),
        ("Prompt", true, Some("李"), "false;李;"),
        ("Prompt", true, None, "李;Ann;"),
        ("Prompt", false, None, "Ann;null;"),
    ] {
        let id = stage.id("button", button).await;
        delivered(&stage.click(id).await);
        stage.settle().await;
        assert!(stage.web().dialog().is_some());
        stage.web().answer_dialog(accept, text).await.unwrap();
        stage.settle().await;
        stage.sees(wanted).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_a_page_that_objects_asks_first() {
    let mut stage = Stage::new().await;
    stage.site.put("/next", page("Next"));
    stage
        .show(
            "<input aria-label=F><script>onbeforeunload = (e) => { e.preventDefault(); e.returnValue = 'x' }</script>",
        )
        .await;
    let field = stage.id("textbox", "F").await;
    delivered(&stage.click(field).await);
    delivered(&stage.on_keys(field, stage::typed("a")).await);
    let next = stage.site.url("/next");
    let outcome = code(stage.web().navigate(&next, LIMIT).await);
    assert!(outcome.starts_with("blocked: a dialog is open: beforeunload"), "{outcome}");
    stage.web().answer_dialog(false, None).await.unwrap();
    assert_eq!(stage.probe(field).await.texts.value, "a");
    let outcome = code(stage.web().navigate(&next, LIMIT).await);
    assert!(outcome.starts_with("blocked"), "{outcome}");
    stage.web().answer_dialog(true, None).await.unwrap();
    stage.settle().await;
    stage.sees("Next").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_goes_takes_its_dialog_along() {
    let mut stage = Stage::new().await;
    stage.site.put("/pop", page("<script>setTimeout(() => alert('pop'), 100)</script>"));
    let pop = stage.site.other("/pop");
    stage.show(&format!("<button onclick=\"w = open('{pop}','_blank','noopener')\">Open</button>")).await;
    let id = stage.id("button", "Open").await;
    delivered(&stage.click(id).await);
    let began = Instant::now();
    while !stage.web().tabs().await.unwrap().iter().any(|t| t.dialog.is_some()) {
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", stage.web().tabs().await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    stage.web().close_tab(Some("t2")).await.unwrap();
    assert!(stage.web().tabs().await.unwrap().iter().all(|t| t.dialog.is_none()));
    delivered(&stage.click(id).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_in_a_press_or_a_frame_hangs_nothing() {
    let mut stage = Stage::new().await;
    stage.site.put("/in", page("<button onmousedown=\"alert('down')\">Down</button>"));
    let src = stage.site.other("/in");
    stage
        .show(&format!(
            "<iframe src={src}></iframe><iframe srcdoc='a'></iframe><iframe srcdoc='b'></iframe><button>Out</button>"
        ))
        .await;
    let id = stage.id("button", "Down").await;
    let began = Instant::now();
    stage.click(id).await;
    stage.settle().await;
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    stage.web().answer_dialog(true, None).await.unwrap();
    let out = stage.id("button", "Out").await;
    delivered(&stage.click(out).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_of_another_tab_is_told_of_and_holds_only_that_tab() {
    let mut stage = Stage::new().await;
    stage.site.put("/later", page("<button>Late</button><script>setTimeout(() => alert('Behind'), 900)</script>"));
    stage.show("<button onclick=\"this.textContent = 'Done'\">Here</button>").await;
    let url = stage.site.url("/later").replace("127.0.0.1", "localhost");
    stage.web().new_tab(Some(&url), LIMIT).await.unwrap();
    stage.web().switch_tab("t1").await.unwrap();
    let began = Instant::now();
    while !stage.web().tabs().await.unwrap().iter().any(|t| t.id == "t2" && t.dialog.as_deref() == Some("alert")) {
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", stage.web().tabs().await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(stage.web().dialog().is_none());
    let here = stage.id("button", "Here").await;
    delivered(&stage.click(here).await);
    let settled = stage.settle().await;
    assert!(settled.quiet && settled.events.is_empty(), "{settled:?}");
    assert!(stage.text().await.contains("Done"));
    let notices = stage.surface.notices();
    let told = notices.iter().find(|n| n.kind == "dialog").unwrap_or_else(|| panic!("{notices:?}"));
    assert_eq!(
        (told.text.as_str(), &told.hints[..]),
        ("tab t2 shows alert \"Behind\"", &["handeye tabs switch t2".into()][..])
    );
    assert_eq!(
        code(stage.web().answer_dialog(true, None).await),
        "not_found: no dialog is open in this tab; tab t2 shows one → handeye tabs switch t2"
    );
    stage.web().switch_tab("t2").await.unwrap();
    assert_eq!(stage.web().answer_dialog(true, None).await.unwrap().message, "Behind");
    assert!(stage.web().tabs().await.unwrap().iter().all(|t| t.dialog.is_none()));
    let late = stage.id("button", "Late").await;
    delivered(&stage.click(late).await);
}
