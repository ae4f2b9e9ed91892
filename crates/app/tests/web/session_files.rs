//! Files: downloads saved, and uploads to file choosers.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, Reply, html, page, reply};
use handeye_testkit::{Sample, is_full};
use serde_json::json;

/// 200,000 bytes that are no text.
fn bytes() -> Vec<u8> {
    (0..200_000_u64).map(|n| (n * n % 251) as u8).collect()
}

const SHA256: &str = "a45477d9b0449be9fc0229ca0f104e8c0a389ddf9768221b3a34beb0287e92f7";

fn site(path: &str) -> Answer {
    match path {
        "/" => page(
            "<title>Files</title><a href=/plain>Plain</a> <a href=/file>Report</a><button onclick='setTimeout(() => location = \"/file\", 300)'>Later</button><button>Nothing</button>",
        ),
        "/in" => Answer::Of(|_| {
            let mut reply = html("<title>In</title><a href=/mine>Mine</a>");
            reply.head.push_str("Set-Cookie: sid=1; Path=/\r\n");
            reply
        }),
        "/file" => {
            Answer::Of(|_| reply("Content-Disposition: attachment; filename*=UTF-8''%E9%A1%B5.bin\r\n", bytes()))
        }
        "/mine" => Answer::Of(|asked| match asked.header("cookie") {
            "sid=1" => reply("Content-Disposition: attachment; filename=mine.txt\r\n", "mine"),
            _ => Reply { status: "403 Forbidden", ..reply("", "") },
        }),
        "/asks" => Answer::Of(|_| Reply {
            status: "401 Unauthorized",
            ..reply("WWW-Authenticate: Basic realm=\"x\"\r\n", "no")
        }),
        "/plain" => page("<title>Plain</title>plain"),
        "/toml" => Answer::Download("handeye.toml"),
        "/loud" => Answer::Download("HandEye.TOML"),
        "/traps" => page("<title>Traps</title><a href=/toml>Trap</a> <a href=/loud>Loud</a>"),
        _ => Answer::Status("404 Not Found", "no".into()),
    }
}

#[test]
fn downloads_are_saved_to_the_byte() {
    let live = Live::open(site);
    let work = live.home.work();
    let json = live.json("download --name Report --to report.bin");
    let path = work.join("report.bin");
    assert_eq!(
        json["file"],
        json!({"path": path, "name": "页.bin", "url": live.site.at("/file"), "bytes": 200_000, "sha256": SHA256})
    );
    assert_eq!(json["receipt"]["verdict"], "confirmed");
    assert!(std::fs::read(&path).unwrap() == bytes(), "the bytes differ");
    // One that begins only after the click has settled; a folder keeps the site's name, and never replaces a file.
    std::fs::create_dir(work.join("into")).unwrap();
    let said = live.ok("download --name Later --to into");
    assert!(said.contains(&format!("/into/页.bin\" (200000 bytes, sha256 {SHA256}) from ")), "{said}");
    assert!(said.starts_with("clicked [") && said.contains("confirmed; download began: "), "{said}");
    assert!(live.ok("download --name Report --to into").contains("/into/页 (1).bin\""));
    assert_eq!(live.ok("get title"), "Files");

    // The same by address, absolute or the page's own, with the session's cookies.
    let json = live.json(&format!("download {} --to by-address.bin", live.site.at("/file")));
    assert_eq!((&json["file"]["sha256"], &json["file"]["name"]), (&json!(SHA256), &json!("页.bin")));
    assert!(std::fs::read(work.join("by-address.bin")).unwrap() == bytes(), "the bytes differ");
    let refused = live.problem("download /mine --to mine.txt");
    assert!(refused.starts_with("error[unreachable]: ") && refused.contains("HTTP 403"), "{refused}");
    assert!(!work.join("mine.txt").exists());
    let asks = live.problem("download /asks --to asks.txt --timeout 3");
    assert!(asks.contains("try: handeye set credentials USER "), "{asks}");
    live.ok(&format!("open {}", live.site.at("/in")));
    live.ok("download /mine --to mine.txt");
    assert_eq!(std::fs::read_to_string(work.join("mine.txt")).unwrap(), "mine");

    // What can't be saved is refused before the click.
    let there = live.problem("download --name Mine --to mine.txt");
    assert!(there.starts_with("error[file]: ") && there.contains("is there already"), "{there}");
    live.ok("download --name Mine --to mine.txt --overwrite");
    live.ok(&format!("open {}", live.site.at("/")));
    for (nowhere, words) in
        [("no/such/file", "can't save "), ("no/", "there is no folder "), ("no/such/", "there is no folder ")]
    {
        let refused = live.problem(&format!("download --name Plain --to {nowhere}"));
        assert!(refused.starts_with(&format!("error[file]: {words}")), "{nowhere}: {refused}");
    }
    assert_eq!(live.ok("get title"), "Files");
    assert!(live.problem("download ftp://x/y").starts_with("error[bad_request]: `ftp://x/y` is no address of a file"));
    assert!(live.problem("download").starts_with("error[bad_request]: give one target, or one address"));
}

#[test]
fn a_click_that_brings_no_download_is_a_problem_and_a_withheld_one_a_receipt() {
    let live = Live::open(site);
    let said = live.not("download --name Report --expect Invoice --to x.bin");
    assert!(said.starts_with("click [") && said.contains("expected text \"Invoice\""), "{said}");
    let none = live.problem("download --name Nothing --to x.bin --timeout 1");
    assert!(none.starts_with("error[timeout]: no download began within 1.0 s"), "{none}");
    assert!(!live.home.work().join("x.bin").exists());
}

const ELSEWHERE: &str = "<title>Elsewhere</title><button onclick='this.remove()'>Vanish</button>
<a href=/plain>Leave</a><button onclick='setTimeout(() => location = \"/plain\", 900)'>Wander</button>
<button onclick='confirm(\"Sure?\")'>Ask</button><button onclick='throw new Error(\"broken\")'>Throw</button>";

#[test]
fn what_a_click_did_in_place_of_a_download_is_said() {
    let live = Live::open(|path| if path == "/" { page(ELSEWHERE) } else { site(path) });
    let plain = live.site.at("/plain");
    let mut sample = Sample::one_in(2);
    for (name, did, hint) in [
        ("Vanish", "1 gone", "state"),
        ("Throw", "exception: uncaught Error: broken", "state"),
        ("Ask", "a dialog is open: confirm \"Sure?\"", "dialog accept"),
        ("Leave", &format!("navigated to {plain}"), "state"),
        ("Wander", &format!("the page is {plain} now"), "state"),
    ] {
        if !sample.takes() {
            continue;
        }
        live.run("dialog dismiss");
        live.ok(&format!("open {}", live.site.at("/")));
        let said = live.problem(&format!("download --name '{name}' --to x.bin --timeout 2"));
        assert!(said.starts_with("error[timeout]: no download began within "), "{said}");
        assert!(said.contains("; but clicked ") && said.contains(&format!(" \"{name}\": ")), "{said}");
        assert!(said.contains(did) && said.contains(&format!("try: handeye {hint}")), "{said}");
        assert!(!said.contains("try: handeye download"), "{said}");
    }
    assert!(!live.home.work().join("x.bin").exists());
}

const CHOOSERS: &str = "<title>Choosers</title>
<input id=pdf type=file accept='.pdf' aria-label=Document>
<button id=made>Add a picture</button><button id=several>Add several</button><button id=plain onclick=\"log('clicked')\">Plain</button>
<input id=hidden type=file style='display:none'><button onclick='window.hidden.click()' id=proxy>Attach</button>
<button id=api onclick=\"showOpenFilePicker().catch(e => log(e.name))\">Picker</button>
<script>
const tell = async e => { for (const f of e.target.files) log(f.name + '=' + await f.text()); log('.') };
for (const id of ['hidden', 'pdf']) document.getElementById(id).onchange = tell;
const make = (id, more) => document.getElementById(id).onclick = () => {
  // Never attached to the document.
  const input = Object.assign(document.createElement('input'), { type: 'file', onchange: tell, ...more });
  setTimeout(() => input.click(), 200);
};
make('made', { accept: 'image/*' });
make('several', { multiple: true });
</script>";

#[test]
fn files_reach_inputs_that_a_click_makes() {
    let live = Live::open(|_| page(CHOOSERS));
    for (name, text) in [("a.txt", "first"), ("二.png", "second"), ("c.pdf", "third")] {
        std::fs::write(live.home.work().join(name), text).unwrap();
    }
    let sent = |line: &str, log: &str| {
        let said = live.ok(line);
        assert!(said.contains("confirmed") && said.contains("its file chooser was given "), "{said}");
        live.ok("wait --idle");
        live.logged(log);
    };
    sent("upload --css #made 二.png --click", "二.png=second .");
    sent("upload --css #several a.txt 二.png --click", "a.txt=first 二.png=second .");
    sent("upload --css #proxy a.txt --click", "a.txt=first .");
    // What an input asks for is kept to, unless told otherwise.
    for line in ["upload --css #pdf a.txt", "upload --css #made a.txt --click"] {
        let said = live.problem(line);
        assert!(said.starts_with("error[bad_request]: the input accepts ") && said.contains("--any-kind"), "{said}");
        live.logged("");
    }
    live.ok("upload --css #pdf a.txt --any-kind");
    live.ok("upload --css #pdf c.pdf");
    live.ok("wait --idle");
    live.logged("a.txt=first . c.pdf=third .");
    // A button is only clicked when that is asked for.
    let said = live.problem("upload --css #plain a.txt");
    assert!(said.contains("doesn't take files") && said.contains("FILE --click"), "{said}");
    live.logged("");
    // One that opens none is waited for, for 3 s.
    if is_full() {
        let said = live.problem("upload --css #plain a.txt --click");
        assert!(said.contains("opened no file chooser"), "{said}");
        live.logged("clicked");
    }
    let said = live.problem("upload --css #made a.txt 二.png --click");
    assert!(said.contains("takes one file"), "{said}");
    let said = live.not("upload --css #proxy a.txt --click --expect Remove");
    assert!(said.contains("expected text \"Remove\""), "{said}");
    live.logged("");
}

/// Files of the test's home, by path.
fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.flat_map(|e| if e.path().is_dir() { files(&e.path()) } else { vec![e.path()] }).collect()
}

#[test]
fn a_download_goes_to_the_session_and_never_becomes_a_configuration() {
    use std::os::unix::fs::PermissionsExt;
    let live = Live::open(site);
    let own = live.home.run_dir().join("default/downloads");
    let json = live.json("download --name Report");
    assert_eq!(json["file"]["path"], json!(own.join("页.bin")));
    assert!(std::fs::read(own.join("页.bin")).unwrap() == bytes(), "the bytes differ");
    let json = live.json("download /file");
    assert_eq!(json["file"]["path"], json!(own.join("页 (1).bin")));
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(files(&live.home.work()), Vec::<std::path::PathBuf>::new());

    live.ok(&format!("open {}", live.site.at("/traps")));
    let (mut saved, mut refused) = (Sample::one_in(3), Sample::one_in(2));
    for line in ["download --name Trap", "download --name Loud", "download /toml", "download /loud"] {
        for to in ["", "--to .", "--to ./", "--to . --overwrite"] {
            if !saved.takes() {
                continue;
            }
            let json = live.json(&format!("{line} {to}"));
            let path = json["file"]["path"].as_str().unwrap().to_owned();
            assert!(path.ends_with(".download") && std::fs::read(&path).unwrap() == b"saved", "{line} {to}: {path}");
        }
        for to in ["handeye.toml", "./HANDEYE.toml", "handeye.toml --overwrite"] {
            if !refused.takes() {
                continue;
            }
            let said = live.problem(&format!("{line} --to {to}"));
            assert!(said.starts_with("error[denied]: "), "{line} {to}: {said}");
        }
    }
    // One that nobody asked to keep.
    live.run("click --name Trap");
    let there = || files(&own).iter().any(|path| path.to_string_lossy().contains("toml"));
    assert!(home::eventually(std::time::Duration::from_secs(10), there));
    live.ok("state");
    let is_one = |path: &std::path::PathBuf| path.file_name().unwrap().eq_ignore_ascii_case("handeye.toml");
    let found: Vec<_> =
        files(&live.home.path().join("run")).into_iter().chain(files(&live.home.work())).filter(is_one).collect();
    assert_eq!(found, Vec::<std::path::PathBuf>::new());
    live.ok("state");
}

#[test]
fn a_file_that_the_page_takes_out_of_its_input_is_not_denied() {
    let live = Live::open(|_| {
        page(
            "<title>Taken</title><input type=file aria-label=Photo onchange='window.took = (window.took || 0) + 1; this.value = null'>",
        )
    });
    std::fs::write(live.home.work().join("a.txt"), "first").unwrap();
    let said = live.run("upload css=input a.txt --json");
    assert_eq!(said.json()["verdict"], "unverifiable", "{said:?}");
}
