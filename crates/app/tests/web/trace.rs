//! A session traced: what its folder proves, what it hides, how it is shown and replayed.

use handeye_testkit::home;
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer as Page, Live, page};
use handeye_testkit::models::{Answer, ModelServer};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A page that would run a script in whatever shows its title as markup.
const SHOP: &str = r#"<!doctype html><meta charset=utf-8><title>店 &lt;/script&gt;&lt;script&gt;window.pwned = 1&lt;/script&gt;</title>
<button id=buy>Buy</button> <button id=dead>Dead</button> <p id=out>nothing yet</p>
<form onsubmit="return false"><input id=pw type=password aria-label=Password> <input id=name aria-label=Name>
<input id=stubborn aria-label=Stubborn oninput="this.value = ''"> <input id=off aria-label=Off disabled></form>
<script>buy.onclick = () => { out.textContent = '已购买'; console.log('bought', 'one pear') }</script>"#;
const PASSWORD: &str = "hunter2xyz";
const SECRET: &str = "file-secret";

fn route(_: &str) -> Page {
    Page::File("shop.html".into())
}

fn shop() -> Live {
    let live = Live::closed(route);
    fs::write(live.home.work().join("shop.html"), SHOP).unwrap();
    fs::write(live.home.work().join("secret"), SECRET).unwrap();
    live
}

/// The lines of a trace, as JSON.
fn lines(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("trace.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { out.extend(files(&path)) } else { out.push(path) }
    }
    out
}

/// A copy of a trace to which something was done.
fn changed(live: &Live, change: impl Fn(&Path)) -> Value {
    let (from, to) = (live.home.work().join("t"), live.home.work().join("copy"));
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(to.join("files")).unwrap();
    for file in files(&from) {
        fs::copy(&file, to.join(file.strip_prefix(&from).unwrap())).unwrap();
    }
    change(&to);
    live.run("trace verify copy --json").exit(1).json()
}

fn edit(folder: &Path, change: impl Fn(&mut Vec<String>)) {
    let path = folder.join("trace.jsonl");
    let mut lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

/// What was found, and each fault as kind, file and line.
fn told(verified: &Value) -> (String, Vec<(String, String, u64)>) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let faults = verified["faults"].as_array().unwrap();
    let faults = faults.iter().map(|f| (text(&f["kind"]), text(&f["file"]), f["line"].as_u64().unwrap_or(0)));
    (text(&verified["found"]), faults.collect())
}

#[test]
fn a_traced_session_is_proven_shown_and_replayed() {
    let live = shop();
    let url = live.site.at("/");
    live.ok(&format!("open {url} --secret pw=file:secret --trace t"));
    live.ok("state");
    live.ok("click --css #buy");
    live.run("click --css #buy --expect Sell").exit(1);
    live.run("click --css #dead").exit(1);
    live.ok(&format!("input --css #pw {PASSWORD}"));
    live.ok("input --css #pw --secret pw");
    // What the trace heard is new to whoever asks.
    assert!(live.ok("console").contains("bought one pear"));
    live.ok("cookies list");
    let folder = live.home.work().join("t");
    assert_eq!(live.json("trace verify t")["found"], "running");
    let closed = live.json("close");
    let verified = live.json("trace verify t");
    assert_eq!((&verified["found"], &verified["ended"]), (&json!("intact"), &json!("closed")));
    assert_eq!((&verified["calls"], &verified["last"]), (&json!(10), &closed["trace"]["last"]));
    live.ok(&format!("trace verify t --last {}", closed["trace"]["last"].as_str().unwrap()));
    live.not(&format!("trace verify t --last {}", "0".repeat(64)));

    holds_what_happened(&folder);
    for file in files(&folder) {
        let bytes = fs::read(&file).unwrap();
        for hidden in [PASSWORD, SECRET] {
            let is_there = bytes.windows(hidden.len()).any(|part| part == hidden.as_bytes());
            assert!(!is_there, "{hidden} is in {}", file.display());
        }
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o077, 0, "{}", file.display());
    }
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o077, 0);

    what_is_changed_is_found(&live);
    is_replayed(&live);
    is_shown(&live);
}

#[test]
fn a_password_that_was_not_put_in_and_what_a_script_told_are_in_no_file() {
    let live = shop();
    live.ok(&format!("open {} --allow eval --trace t", live.site.at("/")));
    let (pw, stubborn) = (live.number("#pw"), live.number("#stubborn"));
    live.ok("click --css #buy");
    // Meant for another field, not known any more, stopped at the field before, and denied before anything was looked at.
    live.run(&format!("input --css #pw {PASSWORD} --expect Sell")).exit(1);
    live.run("input 4711 hunter3xyz").exit(2);
    live.run(&format!("fill-form {stubborn}=alice {pw}=hunter4xyz")).exit(1);
    live.run("eval '\"told-\" + 4711'").exit(0);
    fs::write(live.home.work().join("handeye.toml"), "[policy]\ndeny = [\"acts\"]\n").unwrap();
    live.run(&format!("input {pw} hunter5xyz")).exit(2);
    live.run("type hunter6xyz").exit(2);
    live.run("keys 'q x y z Enter'").exit(2);
    fs::remove_file(live.home.work().join("handeye.toml")).unwrap();
    // What was refused for a field that anyone may read is kept.
    live.run("input --css #off peter --timeout 1").exit(2);
    live.ok("close");
    let folder = live.home.work().join("t");
    for file in files(&folder) {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        for hidden in [PASSWORD, "hunter3xyz", "hunter4xyz", "hunter5xyz", "hunter6xyz", "q x y z", "told-4711"] {
            assert!(!text.contains(hidden), "{hidden} is in {}: {text}", file.display());
        }
    }
    let told = lines(&folder);
    let of = |command: &str| told.iter().filter(|line| line["call"]["command"] == command).collect::<Vec<_>>();
    assert_eq!((of("input").len(), of("fill-form").len(), of("eval").len()), (4, 1, 1));
    assert!(of("input")[3].to_string().contains("peter"), "{:?}", of("input"));
    assert_eq!(of("fill-form")[0]["call"]["args"]["fields"][0]["value"], "alice", "it was put in");
    assert_eq!(of("eval")[0]["call"]["answer"], json!({ "status": "ok" }));
    assert_eq!(live.json("trace verify t")["found"], "intact");
}

#[test]
fn a_password_that_a_model_names_before_it_is_put_in_is_in_no_file() {
    let live = shop();
    let turn = std::sync::atomic::AtomicUsize::new(0);
    let agent = ModelServer::new(move |asked| match turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
        0 => Answer::Say(format!("I shall put in {PASSWORD}, as I was told")),
        1 => {
            let input = |what: &str, text: &str| {
                let number = asked.mark(&format!("textbox \"{what}\"")).unwrap_or_else(|| panic!("{}", asked.text));
                ("input".to_owned(), json!({ "ref": number, "expected_text": what, "text": text }).to_string())
            };
            let plan = json!({ "constraints": [format!("log in with {PASSWORD}")] });
            Answer::Call(vec![("plan".into(), plan.to_string()), input("Name", "alice"), input("Password", PASSWORD)])
        }
        _ => Answer::Say("nothing".into()),
    });
    live.settings(&format!("[models.agent]\nurl = \"{}\"\nmodel = \"agent-1\"\n", agent.url()));
    let task = format!("do 'log in as alice with {PASSWORD}' --on {} --max-steps 4 --trace t", live.site.at("/"));
    live.run(&task);
    live.run("sessions stop --all").exit(0);
    let folder = live.home.work().join("t");
    for file in files(&folder) {
        let text = String::from_utf8_lossy(&fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains(PASSWORD), "it is in {}: {text}", file.display());
    }
    let told = lines(&folder);
    let put: Vec<&Value> = told.iter().filter(|line| line["call"]["command"] == "input").collect();
    assert_eq!(put.len(), 2, "{told:?}");
    assert!(put[0]["call"]["models"].to_string().contains("input ["), "{}", put[0]);
    let said: Vec<&Value> = told.iter().filter_map(|line| line.get("said")).collect();
    assert!(said.iter().any(|said| said["answer"].to_string().contains("as I was told")), "{told:?}");
    assert_eq!(live.json("trace verify t")["found"], "intact");
}

fn holds_what_happened(folder: &Path) {
    let lines = lines(folder);
    let calls: Vec<&Value> = lines.iter().filter_map(|line| line.get("call")).collect();
    let names: Vec<&str> = calls.iter().filter_map(|call| call["command"].as_str()).collect();
    assert_eq!(names, ["open", "state", "click", "click", "click", "input", "input", "console", "cookies", "close"]);
    let bought = calls[2];
    assert_eq!(bought["answer"]["result"]["verdict"], "confirmed");
    assert_ne!(bought["before"]["sha256"], bought["after"]["sha256"], "the picture shows that it was bought");
    assert!(bought["console"].to_string().contains("bought one pear"), "{bought}");
    let change = bought["state"]["change"].to_string();
    assert!(change.contains("已购买") && !change.contains("Dead"), "{change}");
    assert!(calls[0]["state"]["whole"].to_string().contains("nothing yet"));
    assert_eq!(
        (&calls[3]["answer"]["result"]["verdict"], calls[3]["before"].is_object()),
        (&json!("contradicted"), true)
    );
    assert!(calls[3]["console"].is_null(), "it was told with the call before");
    assert_eq!(calls[8]["args"], Value::Null);
    assert_eq!(calls[8]["answer"], json!({ "status": "ok" }));
}

fn what_is_changed_is_found(live: &Live) {
    let one = |kind: &str, file: &str, line: u64| vec![(kind.to_owned(), file.to_owned(), line)];
    let edited = |faults| ("edited".to_owned(), faults);
    let lines = "trace.jsonl";
    let found = changed(live, |t| edit(t, |l| l[3] = l[3].replacen("confirmed", "confirmef", 1)));
    assert_eq!(told(&found), edited(one("edited", lines, 4)));
    nothing_is_made_of_what_was_edited(live);
    let found = changed(live, |t| edit(t, |l| drop(l.remove(4))));
    assert_eq!(told(&found), edited(one("missing", lines, 5)));
    let found = changed(live, |t| edit(t, |l| l.swap(4, 5)));
    assert_eq!(told(&found), edited([one("moved", lines, 5), one("moved", lines, 6)].concat()));
    let found = changed(live, |t| {
        edit(t, |l| l.truncate(6));
        let path = t.join("recording.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let last = text.rfind("confirmed").unwrap();
        fs::write(&path, [&text[..last], "no_effect", &text[last + 9..]].concat()).unwrap();
    });
    let (word, mut faults) = told(&found);
    // Whether a picture is of the lines that are gone alone depends on what was in sight.
    faults.retain(|fault| fault.1 != "files");
    assert_eq!((word.as_str(), faults), ("cut_short", one("unvouched", "recording.jsonl", 6)));
    only_what_is_left_is_replayed(live);
    let found = changed(live, |t| {
        let text = fs::read_to_string(t.join(lines)).unwrap();
        fs::write(t.join(lines), &text[..text.len() - 40]).unwrap();
    });
    assert_eq!(told(&found), ("cut_short".to_owned(), one("cut_short", lines, 12)));
    let picture = |t: &Path| files(&t.join("files"))[0].clone();
    let found = changed(live, |t| {
        let path = picture(t);
        let mut bytes = fs::read(&path).unwrap();
        bytes[100] ^= 1;
        fs::write(path, bytes).unwrap();
    });
    let (word, faults) = told(&found);
    assert_eq!((word.as_str(), faults.len(), faults[0].0.as_str()), ("edited", 1, "edited"));
    assert!(faults[0].1.starts_with("files/") && faults[0].2 > 1, "{faults:?}");
    let (word, faults) = told(&changed(live, |t| fs::remove_file(picture(t)).unwrap()));
    assert_eq!((word.as_str(), faults.len(), faults[0].0.as_str()), ("edited", 1, "missing"));
    let found = changed(live, |t| {
        let path = t.join("recording.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("no_effect", "confirmed", 1)).unwrap();
    });
    assert_eq!(told(&found), edited(one("edited", "recording.jsonl", 6)));
    if is_full() {
        nothing_is_made_of_what_was_edited(live);
    }
    for (name, bytes) in [("empty", ""), ("other", "{\"a\":1}\n")] {
        fs::create_dir_all(live.home.work().join(name)).unwrap();
        fs::write(live.home.work().join(name).join(lines), bytes).unwrap();
    }
    assert_eq!(live.run("trace verify empty --json").exit(2).code(), "file");
    assert_eq!(live.run("trace verify nowhere --json").exit(2).code(), "file");
    live.run("trace verify other").exit(1);
}

/// `copy` ends with its fifth call, and what was recorded behind that was changed.
#[track_caller]
fn only_what_is_left_is_replayed(live: &Live) {
    for how in ["", "--live"] {
        let replayed = live.run(&format!("trace replay copy {how} --json")).exit(1).json();
        assert_eq!((&replayed["found"], &replayed["alike"]), (&json!("cut_short"), &json!(5)), "{replayed}");
        assert!(replayed["divergence"].is_null(), "{replayed}");
    }
    assert_eq!(live.json("trace show copy")["found"], "cut_short");
    assert!(live.ok("trace show copy").contains("cut short"));
    assert_eq!(live.run("trace export copy --json").exit(2).code(), "file");
    assert!(!live.home.work().join("copy/trace.spec.ts").exists());
}

/// `copy` was edited: its replay would be alike all the same.
#[track_caller]
fn nothing_is_made_of_what_was_edited(live: &Live) {
    for replay in ["trace replay copy --json", "trace replay copy --live --json"] {
        let refused = live.run(replay).exit(2);
        assert!(refused.code() == "file" && refused.out.contains("isn't as it was written"), "{refused:?}");
    }
    let shown = live.ok("trace show copy");
    assert!(shown.contains("isn't as it was written"), "{shown}");
    assert!(!live.ok("trace show t").contains("isn't as it was written"));
}

fn is_replayed(live: &Live) {
    let replayed = live.json("trace replay t");
    assert_eq!((&replayed["alike"], &replayed["verdicts"]), (&json!(8), &json!(5)), "{replayed}");
    assert_eq!(replayed["left_out_commands"], json!(["console", "cookies"]));
    let replayed = live.json("trace replay t --live");
    assert_eq!((&replayed["alike"], &replayed["verdicts"]), (&json!(6), &json!(3)), "{replayed}");
    assert_eq!(replayed["left_out_commands"], json!(["cookies", "input"]));
    fs::write(live.home.work().join("shop.html"), SHOP.replace(">Buy<", ">Order<")).unwrap();
    let other = live.site.at("/other");
    let replayed = live.run(&format!("trace replay t --live --on {other} --json")).exit(1).json();
    assert_eq!(replayed["alike"], 2);
    let divergence = &replayed["divergence"];
    assert_eq!((&divergence["line"], &divergence["command"]), (&json!(4), &json!("click")), "{replayed}");
    let what = divergence["what"].as_str().unwrap();
    assert!(what.contains("\"Buy\"") && what.contains("\"Order\""), "{what}");
    assert_eq!(live.ok("sessions list"), "no session runs");
}

fn is_shown(live: &Live) {
    let shown = live.json("trace show t");
    assert_eq!((&shown["found"], &shown["pictures_lacking"]), (&json!("intact"), &json!(0)));
    live.ok("trace show t");
    fs::write(live.home.work().join("mine.html"), "mine").unwrap();
    assert_eq!(live.run("trace show t -o mine.html --json").exit(2).code(), "file");
    let html = fs::read_to_string(live.home.work().join("t/trace.html")).unwrap();
    assert_eq!(html.matches("</script>").count(), 2, "a title ended the island");
    assert!(!html.contains("http-equiv=\"refresh\"") && !html.contains(PASSWORD) && !html.contains(SECRET));
    let path = live.home.work().join("t/trace.html");
    live.ok(&format!("open file://{} --allow eval --session view", path.display()));
    let eval = |script: &str| {
        let ran = home::run(live.home.command(["eval", script, "--session", "view", "--json"]));
        ran.exit(0).json()["value"].clone()
    };
    assert_eq!(eval("document.querySelectorAll('#timeline li').length"), 10);
    assert_eq!(eval("document.getElementById('found').className"), "good");
    assert_eq!(eval("String(window.pwned)"), "undefined");
    live.ok("click --css '#timeline li:nth-child(3)' --session view");
    let pictures = eval("[...document.querySelectorAll('#detail img')].map(image => image.naturalWidth > 0)");
    assert_eq!(pictures, json!([true, true]));
    // The mark lies where the button does in the picture.
    let marked = eval(
        "(() => { const box = e => e.getBoundingClientRect(), [shot, rect, point] = ['.shot', '.rect', '.point'].map(s => box(document.querySelector(s)));
        const middle = [point.x + point.width / 2, point.y + point.height / 2];
        return rect.x > shot.x && rect.right < shot.right && middle[0] > rect.x && middle[0] < rect.right && middle[1] > rect.y && middle[1] < rect.bottom })()",
    );
    assert_eq!(marked, true);
    let detail = eval("document.getElementById('detail').innerText");
    let detail = detail.as_str().unwrap();
    assert!(detail.contains("+ ") && detail.contains("已购买") && detail.contains("one pear"), "{detail}");
    live.ok("input --css '#search' Sell --session view");
    assert_eq!(eval("document.querySelectorAll('#timeline li:not([hidden])').length"), 1);
    live.ok("keys Escape --session view");
    assert_eq!(eval("document.querySelectorAll('#timeline li:not([hidden])').length"), 10);
    live.ok("click --css '#timeline li:nth-child(1)' --session view");
    live.run("keys j --session view");
    assert_eq!(
        eval("[...document.querySelectorAll('#timeline li')].findIndex(item => item.ariaCurrent === 'true')"),
        1
    );
    let said = live.ok("errors --all --session view");
    assert_eq!(said, "no new errors", "its own policy stopped something");
    live.ok("close --session view");
}

#[test]
fn a_trace_begins_with_its_session_and_a_folder_that_can_not_be_written_ends_it_and_nothing_else() {
    let live = shop();
    let url = live.site.at("/");
    let code = |line: &str| live.run(&format!("{line} --json")).exit(2).code();
    fs::create_dir_all(live.home.work().join("full")).unwrap();
    fs::write(live.home.work().join("full/notes.txt"), "mine").unwrap();
    assert_eq!(code(&format!("open {url} --trace full")), "file");
    assert_eq!(code(&format!("open {url} --trace shop.html")), "file");
    assert_eq!(code(&format!("open {url} --trace t --record r.jsonl")), "bad_request");
    // What couldn't be opened is traced anew.
    assert_eq!(code("open nonsense:// --trace t"), "bad_request");
    // Also where somebody has looked at what there is of it; not where a file of somebody's own lies there.
    live.ok("trace show t");
    fs::write(live.home.work().join("t/notes.txt"), "mine").unwrap();
    assert_eq!(code(&format!("open {url} --trace t")), "file");
    assert!(live.home.work().join("t/trace.jsonl").exists(), "what is refused takes nothing away");
    fs::remove_file(live.home.work().join("t/notes.txt")).unwrap();
    assert_eq!(code(&format!("open {url} --trace t --secret pw=env:NOT_SET_ANYWHERE")), "bad_request");
    live.ok(&format!("open {url} --trace t"));
    assert_eq!(code("state --trace other"), "bad_request");
    live.ok("state --trace t");
    let files = live.home.work().join("t/files");
    fs::remove_dir_all(&files).unwrap();
    fs::write(&files, "no folder").unwrap();
    let told = live.ok("click --css #buy");
    assert!(told.contains("[trace] the trace can't be written"), "{told}");
    assert!(!live.ok("state").contains("[trace]"), "that is told once");
    live.ok("close");
    let verified = live.run("trace verify t --json").exit(1).json();
    assert_eq!(verified["calls"], 2, "{verified}");
    assert_eq!(code(&format!("open {url} --trace t")), "file");
    // A session that is stopped closes its trace.
    live.ok(&format!("open {url} --trace u"));
    fs::write(live.home.work().join("list"), "state\nclick --css '#buy'\nstate\n").unwrap();
    live.ok("batch list");
    live.ok("sessions stop default");
    let verified = live.json("trace verify u");
    assert_eq!((&verified["found"], &verified["ended"]), (&json!("intact"), &json!("stopped")));
    assert_eq!(verified["calls"], 4, "each step is a line");
}

#[test]
fn what_must_not_be_read_is_not_pictured_and_models_are_noted_without_keys() {
    let live =
        Live::closed(|_| page("<title>Canvas</title><canvas id=c width=400 height=200></canvas><button>Save</button>"));
    let server = ModelServer::new(|_| Answer::Say("[]".into()));
    let models =
        format!("[models]\nurl = \"{}\"\nmodel = \"eye-1\"\nkey_env = \"EYE_KEY\"\nattempts = 1\n", server.url());
    live.settings(&models);
    let run = |line: &str| {
        let mut command = live.home.command(line.split(' '));
        command.env("EYE_KEY", "sk-a-key-of-a-model");
        home::run(command)
    };
    run(&format!("open {} --trace t", live.site.at("/"))).exit(0);
    run("state --vision").exit(0);
    run("close").exit(0);
    let asked = lines(&live.home.work().join("t")).remove(2)["call"]["models"][0].clone();
    assert_eq!((&asked["role"], &asked["model"], &asked["answer"]), (&json!("vision"), &json!("eye-1"), &json!("[]")));
    assert!(asked["output"].as_u64().is_some_and(|tokens| tokens > 0), "{asked}");
    // The model of a task is asked outside of the session, and noted with the call that comes of it.
    let agent = ModelServer::new(|asked| match asked.mark("button \"Save\"") {
        Some(number) => {
            let args = json!({ "ref": number, "expected_text": "Save" });
            let plan = json!({ "constraints": ["save it"] });
            Answer::Call(vec![("plan".to_owned(), plan.to_string()), ("click".to_owned(), args.to_string())])
        }
        None => Answer::Say("nothing".into()),
    });
    live.settings(&models.replace(&server.url(), &agent.url()));
    let ran = run(&format!("do save --on {} --max-steps 2 --trace d", live.site.at("/")));
    assert!(ran.status.is_some(), "{ran:?}");
    run("sessions stop --all").exit(0);
    let told = lines(&live.home.work().join("d"));
    let clicked = told.iter().find(|line| line["call"]["command"] == "click").unwrap_or_else(|| panic!("{ran:?}"));
    let thought = &clicked["call"]["models"][0];
    assert_eq!((&thought["role"], &thought["calls"][0]), (&json!("agent"), &json!("plan")), "{clicked}");
    let said = told.iter().find_map(|line| line.get("said")).unwrap_or_else(|| panic!("{told:?}"));
    assert!(said["answer"].to_string().contains("expected_text"), "{said}");
    for file in files(&live.home.work()) {
        let bytes = fs::read(&file).unwrap();
        let key = b"sk-a-key-of-a-model";
        assert!(!bytes.windows(key.len()).any(|part| part == key), "a key is in {}", file.display());
    }

    live.settings(&format!("[policy]\ndeny = [\"reads@http://127.0.0.1:{}\"]\n", live.site.port));
    live.ok(&format!("open {} --trace p", live.site.at("/")));
    live.run("click-at 20 220");
    live.ok("close");
    let folder = live.home.work().join("p");
    assert_eq!(files(&folder.join("files")), Vec::<PathBuf>::new());
    let clicked = lines(&folder).remove(2)["call"].clone();
    assert!(clicked["notes"].to_string().contains("the policy denies reading"), "{clicked}");
    assert!(clicked["state"].is_null() && !clicked.to_string().contains("Save"), "{clicked}");
    assert_eq!(live.json("trace verify p")["found"], "intact");
}
