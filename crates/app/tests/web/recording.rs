//! A session recorded and played again: the same commands give the same receipts.

use handeye_commands::dispatch::playback::{Played, play};
use handeye_testkit::live::{Live, page};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A button whose effect comes late, one without any, and a field for a password.
const PAGE: &str = r#"<title>Late</title>
<button id=slower>Slower</button> <button id=dead>Dead</button>
<form><input id=pw type=password aria-label=Password> <input id=name aria-label=Name></form> <p id=out>0</p>
<script>
slower.onclick = () => setTimeout(() => { out.textContent = Number(out.textContent) + 1; log('slower') }, 1300);
</script>"#;

fn played(text: &str) -> Result<Played, handeye_scene::Problem> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(play(text))
}

/// Records what [`late`] does, and reads it.
fn record(live: &Live, file: &str, commands: &[&str]) -> String {
    live.ok(&format!("open {} --record {file}", live.site.at("/")));
    for line in commands {
        live.run(line);
    }
    live.ok("close");
    std::fs::read_to_string(live.home.work().join(file)).unwrap()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/recordings/late-effect.jsonl")
}

/// The bug that "late effects" is for: what one click begins is seen while the next one is judged. The recording is played by
/// `commands/tests/recordings.rs`; here it is made, and made anew into the fixture where `UPDATE_RECORDINGS` is set.
#[test]
fn a_recorded_session_is_played_to_the_same_receipts() {
    let live = Live::closed(|_| page(PAGE));
    let text = record(&live, "late.jsonl", &["state", "click --css #slower", "click --css #dead", "state"]);
    assert_eq!(played(&text), Ok(Played { alike: 6, left_out: 0 }), "{text}");
    let answers = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()?.get("response").cloned());
    let receipts: Vec<Value> =
        answers.filter_map(|r| r.get("result")?.get("verdict").map(|_| r["result"].clone())).collect();
    assert_eq!(receipts.len(), 2, "{text}");
    assert!(receipts[1]["notices"].to_string().contains("\"late\""), "{}", receipts[1]);
    if std::env::var_os("UPDATE_RECORDINGS").is_some() {
        std::fs::write(fixture(), &text).unwrap();
    }
    // The first thing that goes otherwise is told.
    let other = text.replacen("\"verdict\":\"no_effect\"", "\"verdict\":\"confirmed\"", 1);
    let problem = played(&other).expect_err("a receipt differs");
    assert!(problem.message.contains("verdict"), "{problem}");
}

#[test]
fn a_recording_holds_no_password_and_no_secret_and_is_played_all_the_same() {
    let live = Live::closed(|_| page(PAGE));
    std::fs::write(live.home.work().join("secret"), "file-secret").unwrap();
    live.ok(&format!("open {} --secret pw=file:secret --record r.jsonl", live.site.at("/")));
    let lines = [
        "state",
        "input --css #pw hunter2xyz",
        "input --css #pw --secret pw",
        "focus --css #pw",
        "type otherwords",
        "input --css #name Ann",
        "get text --css #out",
    ];
    for line in lines {
        live.run(line);
    }
    live.ok("cookies list");
    live.ok("state");
    live.ok("close");
    let text = std::fs::read_to_string(live.home.work().join("r.jsonl")).unwrap();
    for hidden in ["hunter2xyz", "file-secret", "otherwords"] {
        assert!(!text.contains(hidden), "{hidden} is in the recording");
    }
    assert!(text.contains("\"Ann\"") && text.contains("{\"left_out\":\"cookies\"}"), "{text}");
    assert_eq!(played(&text), Ok(Played { alike: 10, left_out: 1 }));
}

#[test]
fn a_recording_begins_with_its_session_and_writes_over_no_other_file() {
    let live = Live::closed(|_| page(PAGE));
    let url = live.site.at("/");
    std::fs::write(live.home.work().join("notes.txt"), "mine").unwrap();
    let code = |line: &str| live.run(&format!("{line} --json")).code();
    assert_eq!(code(&format!("open {url} --record notes.txt")), "file");
    assert_eq!(std::fs::read_to_string(live.home.work().join("notes.txt")).unwrap(), "mine");
    assert_eq!(code(&format!("open {url} --record no/such/folder/r.jsonl")), "file");
    live.ok(&format!("open {url}"));
    assert_eq!(code(&format!("open {url} --record r.jsonl")), "bad_request");
    live.ok("close");
    live.ok(&format!("open {url} --record r.jsonl"));
    // The same file may be named again, as by an alias; another may not.
    live.ok("state --record r.jsonl");
    assert_eq!(code("state --record s.jsonl"), "bad_request");
    live.ok("close");
    let first = std::fs::read_to_string(live.home.work().join("r.jsonl")).unwrap();
    assert_eq!(played(&first), Ok(Played { alike: 3, left_out: 0 }));
    live.ok(&format!("open {url} --record r.jsonl"));
    live.ok("close");
    let again = std::fs::read_to_string(live.home.work().join("r.jsonl")).unwrap();
    assert!(again.len() < first.len(), "a recording is written anew");
    for broken in [&again[..again.len() - 20], &again.replacen("\"recording\"", "\"recoding\"", 1), ""] {
        assert_eq!(played(broken).map_err(|p| p.code), Err(handeye_scene::Code::File));
    }
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(live.home.work().join("r.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "it may hold what a page shows");
}
