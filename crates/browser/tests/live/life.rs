//! Pages that fail, hang or crash; browsers that die; addresses that lead nowhere; history.

use crate::stage::{self, Answer, LIMIT, Stage, code, delivered, page, running};
use handeye_browser::{Chromium, reap_orphans};
use handeye_scene::{Aim, Launch, Opener};
use handeye_testkit::home::eventually;
use handeye_testkit::trials;
use std::time::{Duration, Instant};

/// What was sent a signal to end takes a moment to: so long at most on a busy machine.
const ENDED: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_lead_nowhere_are_named() {
    let mut stage = Stage::new().await;
    let gone = { std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port() };
    let url = format!("http://127.0.0.1:{gone}/");
    let outcome = code(stage.web().navigate(&url, LIMIT).await);
    assert!(
        outcome.starts_with(&format!("unreachable: {url} can't be loaded: net::ERR_CONNECTION_REFUSED")),
        "{outcome}"
    );
    let outcome = code(stage.web().history(0, LIMIT).await);
    assert!(outcome.starts_with("unreachable:") && outcome.contains("net::ERR_"), "{outcome}");
    let outcome = code(stage.web().navigate("http://a b/", LIMIT).await);
    assert!(outcome.starts_with("bad_request:"), "{outcome}");
    let url = stage.site.url("/missing");
    let navigation = stage.web().navigate(&url, LIMIT).await.unwrap();
    assert_eq!((navigation.status, navigation.loaded), (Some(404), true));
    let file = stage.folder.path().join("a page.html");
    std::fs::write(&file, "<title>F</title><button>File</button>").unwrap();
    let navigation = stage.web().navigate(file.to_str().unwrap(), LIMIT).await.unwrap();
    assert_eq!(navigation.title, "F");
    stage.site.put("/empty", Answer { status: "204 No Content", ..page("") });
    let empty = stage.site.url("/empty");
    assert_eq!(stage.web().navigate(&empty, LIMIT).await.unwrap().title, "F");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_pages_end_at_the_limit_and_leave_the_session_usable() {
    let mut stage = Stage::new().await;
    stage.site.put("/never", Answer { after: Duration::from_secs(60), ..page("") });
    stage.site.put("/half", page("<button>Half</button><img src=/never>"));
    let (never, half) = (stage.site.url("/never"), stage.site.url("/half"));
    let began = Instant::now();
    let outcome = code(stage.web().navigate(&never, Duration::from_secs(1)).await);
    assert!(outcome.starts_with("timeout:"), "{outcome}");
    let navigation = stage.web().navigate(&half, Duration::from_secs(2)).await.unwrap();
    assert!(!navigation.loaded);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let id = stage.id("button", "Half").await;
    delivered(&stage.click(id).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_go_on_by_themselves_are_followed() {
    let mut stage = Stage::new().await;
    stage.site.put("/b", page("<script>location.replace('/c')</script>"));
    stage.site.put("/c", page("<button>There</button>"));
    stage.site.put("/a", Answer { status: "302 Found", head: "Location: /b\r\n".into(), ..page("") });
    let (a, c, swing) = (stage.site.url("/a"), stage.site.url("/c"), stage.site.url("/swing"));
    let mut longest = Duration::from_millis(20);
    for _ in 0..trials(2, 5) {
        stage.open(&a).await;
        stage.id("button", "There").await;
        let began = Instant::now();
        stage.look().await;
        longest = longest.max(began.elapsed());
        assert_eq!(stage.web().location().await.unwrap().0, c);
    }
    // It stays long enough to be looked at, on whatever machine.
    let stays = (3 * longest).as_millis();
    let script = format!("setTimeout(() => location.reload(), {stays})");
    stage.site.put("/swing", page(&format!("<button>Swing</button><script>{script}</script>")));
    let _ = stage.web().navigate(&swing, LIMIT).await;
    let began = Instant::now();
    while stage.site.times_asked("/swing") < trials(10, 30) {
        assert!(began.elapsed() < 3 * LIMIT);
        let capture = stage.look().await;
        assert!(capture.nodes.iter().any(|n| n.name == "Swing"), "{}", stage::list(&capture));
        stage.web().location().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn history_keeps_the_ids_of_documents_that_come_back() {
    let mut stage = Stage::new().await;
    stage.site.put("/1", page("<button>First</button><a href=/2>on</a>"));
    stage.site.put("/2", page("<button>Second</button><a href='#h'>hash</a>"));
    let url = stage.site.url("/1");
    stage.open(&url).await;
    let first = stage.id("button", "First").await;
    let on = stage.id("link", "on").await;
    delivered(&stage.click(on).await);
    stage.settle().await;
    let second = stage.id("button", "Second").await;
    assert_ne!(first.document(), second.document());
    assert!(stage.surface.probe(first, Aim::default()).await.unwrap().is_none());
    stage.web().history(-1, LIMIT).await.unwrap();
    assert_eq!(stage.id("button", "First").await, first);
    delivered(&stage.click(first).await);
    stage.web().history(1, LIMIT).await.unwrap();
    assert_eq!(stage.id("button", "Second").await, second);
    let hash = stage.id("link", "hash").await;
    delivered(&stage.click(hash).await);
    let settled = stage.settle().await;
    assert!(matches!(&settled.events[..], [handeye_scene::Event::Navigated { document: false, .. }]), "{settled:?}");
    assert_eq!(stage.id("button", "Second").await, second);
    stage.web().history(-1, LIMIT).await.unwrap();
    stage.web().history(0, LIMIT).await.unwrap();
    assert!(stage.surface.probe(second, Aim::default()).await.unwrap().is_none());
    let outcome = code(stage.web().history(5, LIMIT).await);
    assert!(outcome.starts_with("not_found: there is no page to go forward to"), "{outcome}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: runs with cargo xtask test --full"]
async fn a_blocked_main_thread_ends_in_a_timeout_and_is_usable_afterwards() {
    let mut stage = Stage::on(
        "<p id=log></p><button onclick=\"setTimeout(() => { for (const t = Date.now(); Date.now() - t < 13000;); }, 50)\">Block</button>
         <button onclick=\"document.querySelector('#log').textContent += 'hit;'\">Other</button><iframe srcdoc=a></iframe><iframe srcdoc=b></iframe>",
    )
    .await;
    let (block, other) = (stage.id("button", "Block").await, stage.id("button", "Other").await);
    let other = stage.probe(other).await;
    delivered(&stage.click(block).await);
    tokio::time::sleep(Duration::from_millis(150)).await;
    let began = Instant::now();
    let outcome = code(stage.surface.perform(&stage::click_at(other.point.unwrap()), &stage::guard_of(&other)).await);
    assert!(outcome.starts_with("timeout:"), "{outcome}");
    assert!(began.elapsed() < Duration::from_millis(12_500), "{:?}", began.elapsed());
    tokio::time::sleep(Duration::from_secs(13).saturating_sub(began.elapsed())).await;
    assert!(!stage.text().await.contains("hit"));
    delivered(&stage.press(&other).await);
    stage.sees("hit;").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crashed_page_is_said_to_be_and_comes_back_by_reload() {
    let mut stage = Stage::on("<button>B</button>").await;
    let id = stage.id("button", "B").await;
    let began = Instant::now();
    let outcome = code(stage.web().navigate("chrome://crash", LIMIT).await);
    assert!(outcome.starts_with("lost:") && outcome.contains("handeye reload"), "{outcome}");
    let outcome = code(stage.surface.probe(id, Aim::default()).await);
    assert!(outcome.starts_with("lost:"), "{outcome}");
    assert!(code(stage.surface.capture(Default::default()).await).starts_with("lost:"));
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    // The crashed address is chrome://crash itself: another page is opened, then one crashed from within.
    stage.show("<button>B</button>").await;
    let id = stage.id("button", "B").await;
    let renderers: Vec<i32> = running()
        .into_iter()
        .filter(|(_, l)| l.contains("--type=renderer") && !l.contains("top-chrome"))
        .map(|p| p.0)
        .collect();
    let ours: Vec<i32> = renderers.into_iter().filter(|pid| descends(*pid, &stage.processes())).collect();
    for pid in ours {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(code(stage.surface.probe(id, Aim::default()).await).starts_with("lost:"));
    stage.web().history(0, LIMIT).await.unwrap();
    let id = stage.id("button", "B").await;
    delivered(&stage.click(id).await);
}

fn descends(pid: i32, from: &[i32]) -> bool {
    let mut at = pid;
    for _ in 0..10 {
        if from.contains(&at) {
            return true;
        }
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{at}/stat")) else { return false };
        let Some(parent) = stat.rsplit_once(')').and_then(|s| s.1.split_whitespace().nth(1)?.parse().ok()) else {
            return false;
        };
        at = parent;
    }
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_is_lost_and_an_ended_one_leaves_nothing() {
    let mut stage = Stage::on("<button>B</button>").await;
    let id = stage.id("button", "B").await;
    for pid in stage.processes() {
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
    }
    let outcome = code(stage.surface.probe(id, Aim::default()).await);
    assert!(outcome.starts_with("lost:") && outcome.contains("handeye open"), "{outcome}");
    assert!(code(stage.surface.capture(Default::default()).await).starts_with("lost:"));
    assert!(code(stage.web().navigate("about:blank", LIMIT).await).starts_with("lost:"));
    stage.surface.close().await.unwrap();
    assert!(!stage.folder.path().join("browser").exists());

    let mut stage = Stage::new().await;
    assert!(!stage.processes().is_empty());
    stage.surface.close().await.unwrap();
    assert!(eventually(ENDED, || stage.processes().is_empty()), "{:?}", stage.processes());
    assert!(!stage.folder.path().join("browser").exists());

    let Stage { surface, folder, .. } = Stage::new().await;
    drop(surface);
    let mark = folder.path().to_string_lossy().into_owned();
    assert!(eventually(ENDED, || !running().iter().any(|(_, line)| line.contains(&mark))));
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_that_cannot_start_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let start = async |browser: &str| {
        let launch = Launch { browser: Some(browser.into()), ..Launch::default() };
        match Chromium::new(&folder.path().join("b")).browser(&launch).await {
            Ok(_) => panic!("it started"),
            Err(problem) => format!("{}: {}", problem.code.word(), problem.message),
        }
    };
    assert_eq!(
        start("/nowhere/chromium").await,
        "unavailable: the browser /nowhere/chromium can't be used: there is no such file"
    );
    let broken = folder.path().join("broken");
    std::fs::write(&broken, "#!/bin/sh\necho no display here >&2\nexit 3\n").unwrap();
    std::fs::set_permissions(&broken, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let outcome = start(broken.to_str().unwrap()).await;
    assert_eq!(outcome, "unavailable: the browser didn't start: no display here");
    // Nothing of ours: a folder without a note, or one whose process id belongs to another by now.
    reap_orphans(folder.path());
    std::fs::write(folder.path().join("browser.json"), r#"{"pid":1,"started":1,"temporary":null}"#).unwrap();
    reap_orphans(folder.path());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_browser_puts_aside_lies_in_its_folder_and_goes_with_it() {
    let mut stage = Stage::on("<p>Here</p>").await;
    let folder = stage.folder.path().join("browser");
    let aside = |folder: &std::path::Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder.join("tmp")).into_iter().flatten().flatten();
        entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
    };
    assert!(aside(&folder).iter().any(|name| name.contains("org.chromium")), "{:?}", aside(&folder));
    stage.surface.close().await.unwrap();
    assert!(!folder.exists(), "{:?} is left", aside(&folder));
}
