//! A trace as a test of Playwright: the real one, from npm, runs what was exported, on the same page and on one that changed.

use handeye_testkit::home::{self, Ran};
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const PASSWORD: &str = "hunter2xyz";
const SECRET: &str = "file-secret";
const LIMIT: Duration = Duration::from_secs(240);

/// A shop: likenesses, a list, a dialog, a frame, a shadow tree, and a page behind it.
const SHOP: &str = r#"<!doctype html><meta charset=utf-8><title>It's a shop 店</title>
<button id=buy>Buy</button> <p id=out>nothing yet</p>
<form onsubmit="return false"><label>Name <input id=name></label> <label>Password <input id=pw type=password></label>
<label>Token <input id=token></label> <label>Colour <select id=colour><option>Red<option>Blue</select></label>
<label><input type=checkbox id=news> News</label> <label>Size <input id=size></label> <label><input type=checkbox id=gift> Gift</label></form>
<ul><li>Pear <button onclick="drop('pear', this)">Remove</button></li><li>Fig <button onclick="drop('fig', this)">Remove</button></li></ul>
<button onclick="out.textContent = confirm('Really?') ? 'emptied' : 'kept'">Empty</button>
<div id=plain onclick="out.textContent = 'unrolled'" style="cursor:pointer">More <b>details</b></div>
<iframe srcdoc="<button onclick=&quot;parent.out.textContent = 'framed'&quot;>Inside</button>"></iframe>
<x-box></x-box> <a href=/done>Finish</a>
<script>buy.onclick = () => { out.textContent = '已购买 one pear' }
const drop = (what, button) => { button.parentElement.remove(); out.textContent = 'dropped ' + what }
const root = document.querySelector('x-box').attachShadow({ mode: 'open' });
root.innerHTML = '<button>Deep</button>';
root.querySelector('button').onclick = () => { out.textContent = 'deep inside' }
token.oninput = () => { token.dataset.ok = token.value === 'file-secret' }</script>"#;

fn route(path: &str) -> Answer {
    match path {
        "/done" => page("<title>Done</title><h1>Thank you 谢谢</h1>"),
        _ => Answer::File("shop.html".into()),
    }
}

fn tool(name: &str) -> PathBuf {
    let program = home::program();
    let path = program.ancestors().nth(2).unwrap().join("tools").join(name);
    assert!(path.exists(), "{} is missing: cargo xtask test --only install", path.display());
    path
}

fn is_browser(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    ["chrom", "edge", "brave"].iter().any(|part| name.contains(part)) && std::path::Path::new(path).is_file()
}

/// Runs a test that was exported, as its owner would.
fn playwright(live: &Live, file: &str, hidden: &[(&str, &str)]) -> Ran {
    let modules = tool("playwright/node_modules");
    let work = live.home.work();
    if !work.join("node_modules").exists() {
        symlink(&modules, work.join("node_modules")).unwrap();
    }
    // As `doctor` tells it: its path, then its version.
    let checks = live.json("doctor")["checks"].to_string();
    let found = checks.split(['"', ',']).find(|word| word.starts_with('/') && is_browser(word));
    let browser = found.unwrap_or_else(|| panic!("no browser in {checks}"));
    let config = json!({
        "testDir": ".", "timeout": 90_000, "expect": { "timeout": 10_000 }, "workers": 1, "reporter": "line",
        "use": { "actionTimeout": 15_000, "launchOptions": { "executablePath": browser, "args": ["--no-sandbox"] } },
    });
    fs::write(work.join("playwright.config.js"), format!("module.exports = {config};\n")).unwrap();
    let mut command = Command::new("node");
    command.arg(modules.join("@playwright/test/cli.js")).args(["test", file]).current_dir(&work);
    command.env("HOME", live.home.path()).envs(hidden.iter().copied());
    home::finish_within(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap(), LIMIT)
}

/// The types of a test, in a project that has Playwright alone.
fn typed(live: &Live, file: &str) -> Ran {
    let options = json!({ "strict": true, "noEmit": true, "skipLibCheck": true, "target": "es2022", "lib": ["es2022", "dom"],
        "module": "esnext", "moduleResolution": "bundler", "types": [] });
    let project = json!({ "compilerOptions": options, "files": [file] });
    fs::write(live.home.work().join("tsconfig.json"), project.to_string()).unwrap();
    let mut command = Command::new("node");
    command.arg(tool("typescript/node_modules/typescript/bin/tsc")).args(["-p", "tsconfig.json"]);
    command.current_dir(live.home.work()).stdout(Stdio::piped()).stderr(Stdio::piped());
    home::finish_within(command.spawn().unwrap(), LIMIT)
}

#[test]
fn a_trace_becomes_a_test_that_passes_on_its_page_and_fails_on_one_that_changed() {
    let live = Live::closed(route);
    let shop = |html: &str| fs::write(live.home.work().join("shop.html"), html).unwrap();
    shop(SHOP);
    fs::write(live.home.work().join("secret"), SECRET).unwrap();
    live.ok(&format!("open {} --secret pw=file:secret --trace t", live.site.at("/")));
    live.ok("state");
    live.ok("click --css #buy");
    live.run("click --css #buy --expect Sell").exit(1);
    live.ok("input --css #name 'Ann O`Hara'");
    live.ok(&format!("input --css #pw {PASSWORD}"));
    live.ok("input --css #token --secret pw");
    live.ok("select --css #colour Blue");
    live.ok("check --css #news");
    live.ok(&format!("fill-form {}=7 {}=on", live.number("#size"), live.number("#gift")));
    live.ok("click --css 'li:nth-child(2) button'");
    live.run("click --name Empty");
    live.ok("dialog accept");
    live.ok("click --css #plain");
    live.ok("click --name Inside");
    live.ok("click --name Deep");
    live.ok("verify text --css #out deep");
    live.ok("verify count --css li 1");
    live.ok("verify visible --name Buy");
    live.ok("click --name Finish");
    live.ok("verify url /done");
    live.run("keys Tab");
    live.ok("close");

    let told = live.json("trace export t -o shop.spec.ts");
    let script = fs::read_to_string(live.home.work().join("shop.spec.ts")).unwrap();
    assert!(!script.contains(PASSWORD) && !script.contains(SECRET), "{script}");
    assert_eq!(told["variables"], json!(["HANDEYE_TEXT_1", "HANDEYE_SECRET_PW"]), "{script}");
    let left: Vec<&str> =
        told["left_out"].as_array().unwrap().iter().map(|one| one["command"].as_str().unwrap()).collect();
    assert_eq!(left, ["click"], "{told}");
    assert!(told["expectations"].as_u64() >= Some(16), "{told}\n{script}");
    assert!(script.contains("getByRole('button', { name: 'Buy', exact: true }).click()"), "{script}");
    // What is there already is written over only where it is such a test.
    live.ok("trace export t -o shop.spec.ts");
    fs::write(live.home.work().join("mine.ts"), "mine").unwrap();
    assert_eq!(live.run("trace export t -o mine.ts --json").exit(2).code(), "file");

    let hidden = [("HANDEYE_TEXT_1", PASSWORD), ("HANDEYE_SECRET_PW", SECRET)];
    let ran = playwright(&live, "shop.spec.ts", &hidden);
    assert!(ran.status == Some(0) && ran.out.contains("1 passed"), "{ran:?}\n{script}");
    // What fails is waited for, and a run of the real one takes long.
    if !is_full() {
        return;
    }
    assert_eq!(typed(&live, "shop.spec.ts").exit(0).out, "", "{script}");
    // What the trace hides is asked for, by its name.
    let ran = playwright(&live, "shop.spec.ts", &hidden[..1]);
    assert!(ran.status == Some(1) && ran.out.contains("set HANDEYE_SECRET_PW"), "{ran:?}");
    for (what, changed) in [
        ("another name", SHOP.replace(">Buy<", ">Order<")),
        ("another effect", SHOP.replace("已购买 one pear", "sold out")),
        ("another order", SHOP.replace("drop('fig', this)", "drop('plum', this)")),
        ("another question", SHOP.replace("Really?", "Delete the account?")),
        ("another value", SHOP.replace("<option>Blue", "<option>Green")),
    ] {
        assert_ne!(changed, SHOP, "{what}");
        shop(&changed);
        let ran = playwright(&live, "shop.spec.ts", &hidden);
        assert!(ran.status == Some(1) && ran.out.contains("1 failed"), "{what}: {ran:?}");
    }
}

#[test]
fn what_is_no_trace_of_pages_or_was_changed_becomes_no_test() {
    let live = Live::closed(route);
    fs::write(live.home.work().join("shop.html"), SHOP).unwrap();
    let code = |line: &str| live.run(&format!("{line} --json")).exit(2).code();
    assert_eq!(code("trace export nowhere"), "file");
    live.ok(&format!("open {} --trace t", live.site.at("/")));
    live.ok("click --css #buy");
    // A second tab is another page, which a test of one page can't follow.
    live.ok(&format!("tabs new {}", live.site.at("/done")));
    live.ok("verify text Thank");
    live.ok("close");
    let told = live.json("trace export t");
    assert_eq!((&told["steps"], told["ends_before"].as_u64()), (&json!(2), Some(4)), "{told}");
    assert!(live.home.work().join("t/trace.spec.ts").is_file());
    live.ok("trace verify t");
    let lines = live.home.work().join("t/trace.jsonl");
    let text = fs::read_to_string(&lines).unwrap();
    fs::write(&lines, text.replacen("confirmed", "confirmef", 1)).unwrap();
    assert_eq!(code("trace export t -o other.ts"), "file");
    assert!(!live.home.work().join("other.ts").exists());
}
