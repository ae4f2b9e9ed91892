//! Tabs and popups, downloads, uploads, and browsers that run already.

use crate::stage::{self, Answer, LIMIT, Stage, click_at, code, delivered, guard_of, page, withheld};
use handeye_browser::Chromium;
use handeye_scene::{Delivery, Event, Gesture, Launch, Opener};
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn popups_are_told_of_and_guarded_from_their_start() {
    let mut stage = Stage::new().await;
    stage.site.put("/pop", page("<button onclick=\"document.title='clicked'\">In the popup</button>"));
    stage.show("<a target=_blank href=/pop>Blank</a><button onclick=\"open('/pop','','width=300,height=200')\">Open</button>").await;
    for (n, (role, name)) in [("link", "Blank"), ("button", "Open")].into_iter().enumerate() {
        let id = stage.id(role, name).await;
        delivered(&stage.click(id).await);
        let settled = stage.settle().await;
        let tab = format!("t{}", n + 2);
        assert!(settled.events.iter().any(|e| matches!(e, Event::NewTab { id, .. } if *id == tab)), "{settled:?}");
        assert!(stage.surface.notices().iter().any(|n| n.kind == "new_tab"));
        let tabs = stage.web().tabs().await.unwrap();
        assert_eq!(tabs.iter().filter(|t| t.active).map(|t| t.id.as_str()).collect::<Vec<_>>(), ["t1"]);
        assert_eq!(
            tabs.iter().find(|t| t.id == tab).unwrap().opener.as_deref(),
            (role == "button").then_some("t1").or(tabs.iter().find(|t| t.id == tab).unwrap().opener.as_deref())
        );
        let blank = stage.id("link", "Blank").await;
        stage.web().switch_tab(&tab).await.unwrap();
        // An element of another tab isn't looked at, nor called gone.
        assert_eq!(
            code(stage.surface.probe(blank, Default::default()).await),
            "stale: the target is in tab t1, and another tab is the active one → handeye tabs switch t1"
        );
        let inner = stage.id("button", "In the popup").await;
        delivered(&stage.click(inner).await);
        assert_eq!(stage.web().location().await.unwrap().1, "clicked");
        assert_eq!(stage.web().close_tab(None).await.unwrap().unwrap().id, "t1");
    }
    assert!(code(stage.web().switch_tab("t2").await).starts_with("not_found: there is no tab t2"));
    let url = stage.site.url("/pop");
    let tab = stage.web().new_tab(Some(&url), LIMIT).await.unwrap();
    assert_eq!((tab.id.as_str(), tab.active), ("t4", true));
    let inner = stage.id("button", "In the popup").await;
    delivered(&stage.click(inner).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_closes_itself_is_gone_and_the_session_goes_on() {
    let mut stage = Stage::new().await;
    stage.site.put("/self", page("<button onclick=\"window.close()\">Close</button>"));
    stage.show("<button onclick=\"window.open('/self')\">Open</button>").await;
    let open = stage.id("button", "Open").await;
    delivered(&stage.click(open).await);
    stage.settle().await;
    stage.web().switch_tab("t2").await.unwrap();
    let close = stage.id("button", "Close").await;
    stage.click(close).await;
    let settled = stage.settle().await;
    assert!(settled.events.iter().any(|e| matches!(e, Event::Gone { .. })), "{settled:?}");
    let outcome = code(stage.surface.capture(Default::default()).await);
    assert!(outcome.starts_with("lost: the tab was closed"), "{outcome}");
    stage.web().switch_tab("t1").await.unwrap();
    delivered(&stage.click(open).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_are_told_of_and_kept_in_the_folder() {
    let mut stage = Stage::new().await;
    let head = "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"a b.bin\"\r\n";
    stage.site.put("/file", Answer { head: head.into(), ..page("contents") });
    stage.show("<a href=/file>Get</a>").await;
    let get = stage.id("link", "Get").await;
    delivered(&stage.click(get).await);
    let settled = stage.settle().await;
    assert!(
        settled.events.iter().any(|e| matches!(e, Event::Download { name, .. } if name == "a b.bin")),
        "{settled:?}"
    );
    let began = Instant::now();
    let mut notices = Vec::new();
    while !notices.iter().any(|n: &handeye_scene::Notice| n.text.contains("complete")) {
        assert!(began.elapsed() < Duration::from_secs(5), "{notices:?}");
        notices.extend(stage.surface.notices());
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    let kept = stage.folder.path().join("browser/downloads/a b.bin");
    assert!(std::fs::read_to_string(kept).unwrap().ends_with("contents"));
    let url = stage.site.url("/file");
    assert_eq!(stage.web().navigate(&url, LIMIT).await.unwrap().title, "T");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_handed_to_file_inputs() {
    let mut stage = Stage::on("<input type=file multiple aria-label=Files onchange=\"log([...this.files].map(f=>f.name))\"><button>B</button><p id=log></p><script>function log(t){document.querySelector('#log').textContent='got '+t}</script>").await;
    let (a, b) = (stage.folder.path().join("a.txt"), stage.folder.path().join("名.txt"));
    std::fs::write(&a, "a").unwrap();
    std::fs::write(&b, "b").unwrap();
    let paths = |all: &[&std::path::PathBuf]| all.iter().map(|p| p.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let capture = stage.look().await;
    let files = capture.nodes.iter().find(|n| n.name.contains("Files")).and_then(|n| n.id).unwrap();
    delivered(&stage.on_keys(files, Gesture::Upload(paths(&[&a, &b]))).await);
    stage.sees("got a.txt,名.txt").await;
    let probe = stage.probe(files).await;
    let missing = Gesture::Upload(vec!["/no/such/file".into()]);
    assert!(
        code(stage.surface.perform(&missing, &guard_of(&probe)).await)
            .starts_with("file: there is no file /no/such/file")
    );
    let button = stage.id("button", "B").await;
    assert_eq!(withheld(&stage.on_keys(button, Gesture::Upload(paths(&[&a]))).await), "refused");
    let probe = stage.probe(files).await;
    stage.surface.perform(&click_at(probe.point.unwrap()), &guard_of(&probe)).await.unwrap();
    let settled = stage.settle().await;
    assert!(settled.events.contains(&Event::FileChooser), "{settled:?}");
}

/// A page that was open, with its handlers, before we came.
const LATE: &str = "<p id=log style='position:fixed;bottom:0;font-size:1px'></p><button id=b>Approve</button><button id=c>Swap</button><script>
  const log = (t) => { document.querySelector('#log').textContent += t + ';' };
  addEventListener('pointerdown', () => { if (window.swap) b.textContent = 'Delete' }, true);
  for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click']) b.addEventListener(type, () => log(type + ' ' + b.textContent));
  c.onclick = () => { window.swap = true; log('armed') };
</script>";

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_runs_already_is_joined_guarded_and_left_running() {
    let profile = tempfile::tempdir().unwrap();
    let args = vec!["--remote-debugging-port=0".to_owned()];
    let mut host = Stage::launched(Launch { args, profile: Some(profile.path().into()), ..Launch::default() }).await;
    host.show(LATE).await;
    let note = std::fs::read_to_string(profile.path().join("DevToolsActivePort")).unwrap();
    let port: u16 = note.lines().next().unwrap().parse().unwrap();
    let launch = Launch { cdp: Some(format!("http://127.0.0.1:{port}")), ..Launch::default() };
    let guest = Chromium::new(&profile.path().join("guest")).browser(&launch).await.unwrap();
    let mut stage = Stage { surface: guest, site: stage::Site::new().await, folder: tempfile::tempdir().unwrap() };
    let approve = stage.id("button", "Approve").await;
    let began = Instant::now();
    delivered(&stage.click(approve).await);
    println!("click in a document entered late: {:?}", began.elapsed());
    stage.sees("click Approve").await;
    // The page relabels it inside the press, in a handler older than any of ours.
    let swap = stage.id("button", "Swap").await;
    delivered(&stage.click(swap).await);
    let delivery = stage.click(approve).await;
    assert!(matches!(&delivery, Delivery::Withheld(w) if w.reason == "relabelled"), "{delivery:?}");
    let text = stage.text().await;
    assert!(!text.contains("Delete;"), "{text}");
    stage.surface.close().await.unwrap();
    // It lives on, with its tab, and takes input.
    assert!(host.text().await.contains("armed"));
    host.show("<button onclick=\"document.title='x'\">Still</button>").await;
    let still = host.id("button", "Still").await;
    delivered(&host.click(still).await);
    assert_eq!(host.web().location().await.unwrap().1, "x");
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_without_a_browser_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let site = stage::Site::new().await;
    for (endpoint, wanted) in [
        ("http://127.0.0.1:1".to_owned(), "unreachable: no browser answers at http://127.0.0.1:1"),
        ("ws://127.0.0.1:1/x".to_owned(), "unreachable: no browser answers at ws://127.0.0.1:1/x"),
        (site.url(""), "unreachable: no browser answers at"),
        ("ftp://x".to_owned(), "bad_request:"),
        ("nonsense".to_owned(), "bad_request:"),
    ] {
        let launch = Launch { cdp: Some(endpoint.clone()), ..Launch::default() };
        let outcome = Chromium::new(folder.path()).browser(&launch).await.map(drop);
        let outcome = code(outcome);
        assert!(outcome.starts_with(wanted), "{endpoint}: {outcome}");
    }
}
