//! The one table of bad inputs: what is done, what it comes to, and within how many seconds. After each the session goes on.
//! By default every second row is tried, and of what is refused as it is read every fourth.

use handeye_testkit::home::{self, Talk};
use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, trials};
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

const PAGE: &str = r#"<title>Page</title>
<button id=plain onclick="log('plain')">Plain</button>
<button id=off disabled onclick="log('off')">Off</button>
<button id=unseen style="visibility:hidden">Unseen</button>
<div style="position:relative; width:100px; height:30px"><button id=under onclick="log('under')">Under</button><div role=dialog aria-label=Cover style="position:absolute; inset:0; background:#ccc"></div></div>
<div><button id=moving style="position:relative" onclick="log('moving')">Moving</button></div>
<button id=remover onclick="setTimeout(() => { removed.remove(); said.textContent = 'done' }, 2500)">Remover</button><button id=removed>Removed</button>
<button id=relabeller onclick="setTimeout(() => { relabelled.textContent = 'Delete all'; said.textContent = 'done' }, 2500)">Relabeller</button><button id=relabelled onclick="log('relabelled')">Keep all</button>
<button id=leaver onmousedown="location = '/two'">Leaver</button>
<button id=selfless onmousedown="this.remove()">Selfless</button>
<button id=busy onclick="const end = Date.now() + 30000; while (Date.now() < end);">Busy</button>
<button id=alert onclick="alert('Stop')">Alert</button><button id=confirm onclick="confirm('Sure?')">Confirm</button><button id=prompt onclick="prompt('Who?')">Prompt</button>
<button id=hold onclick="onbeforeunload = e => { e.preventDefault(); return 'x' }; this.textContent += '!'">Hold</button>
<p id=said></p><textarea id=text aria-label=Text></textarea>
<input id=file type=file aria-label=File>
<select id=list aria-label=List><option>One</select>
<style>@keyframes run { from { left: 0 } to { left: 900px } } #moving { animation: run 0.5s linear infinite }</style>"#;

fn route(path: &str) -> Answer {
    match path {
        "/silent" => Answer::Silence,
        "/stall" => Answer::Stall,
        "/text" => page("<title>Page</title><textarea id=text></textarea>"),
        "/two" => page("<title>Two</title><h1>Two</h1>"),
        "/half" => page("<title>Half</title><button>Here</button><img src=/silent>"),
        "/404" => Answer::Status("404 Not Found", "<title>Not found</title>".into()),
        "/500" => Answer::Status("500 Internal Server Error", "<title>Broken</title>".into()),
        "/loop" => Answer::Redirect("/loop".into()),
        _ => page(PAGE),
    }
}

/// Command line; how what it says begins, and after `*` what it says too; within how many seconds; what brings the page back, where something must.
/// `N(css css)` stands for the number of an element, gone out before another is clicked; `SITE` for the address of the pages,
/// `OTHER` for another site's.
const TABLE: &[(&str, &str, f64, &str)] = &[
    // Targets.
    ("click 9999", "error[not_found]: there is no target [9999]", 1.0, ""),
    ("click 0", "error[bad_request]: ", 1.0, ""),
    ("click one", "error[bad_request]: ", 1.0, ""),
    ("click 99999999999999999999", "error[bad_request]: ", 1.0, ""),
    ("click css=", "error[bad_request]: *`css=` names nothing", 1.0, ""),
    ("state --within css=#nothing", "error[not_found]: nothing matches --css", 1.0, ""),
    ("find --near css=button", "error[ambiguous]: --css button matches ", 1.5, ""),
    ("drag css=#plain --to css=#nothing", "error[not_found]: nothing matches --css", 1.5, ""),
    ("state --tab 99", "error[not_found]: there is no tab t99", 1.0, ""),
    ("tabs list --tab 1", "error[bad_request]: `tabs` takes no --tab", 1.0, ""),
    ("input --css #text x --method mind", "error[bad_request]: ", 1.0, ""),
    ("highlight css=#plain --color reddish", "error[bad_request]: ", 1.0, ""),
    ("snapshot --page 99", "error[bad_request]: the outline has no page 99", 2.0, ""),
    ("click --css #plain --wait-after 61", "error[bad_request]: ", 1.0, ""),
    ("keys KP_10", "error[bad_request]: `KP_10` is no key", 1.0, ""),
    ("state --within 9999", "error[not_found]: there is no target [9999]", 1.0, ""),
    ("drag 1 --to 9999", "error[not_found]: there is no target [9999]", 1.0, ""),
    ("click --css 'a[['", "error[bad_request]: `a[[` is no valid CSS selector", 1.0, ""),
    ("click --css ''", "error[bad_request]: --css is empty", 1.0, ""),
    ("click --xpath '//['", "error[bad_request]: `//[` is no valid XPath", 1.0, ""),
    ("click --xpath 'count(//a)'", "error[bad_request]: `count(//a)` is no valid XPath", 1.0, ""),
    ("click --xpath /html/body/iframe[3]/html/body", "error[not_found]: ", 1.0, ""),
    ("find --css ':nope'", "error[bad_request]: `:nope` is no valid CSS selector", 1.0, ""),
    ("click --css button", "error[ambiguous]: --css button matches ", 1.5, ""),
    ("click --role button", "error[ambiguous]: --role button matches ", 1.5, ""),
    // Readiness.
    ("click --css #off --timeout 0.5", "error[blocked]: can't click *button \"Off\": it is disabled", 2.0, ""),
    (
        "click --css #unseen --timeout 0.5",
        "error[blocked]: can't click *button without a name: it isn't visible",
        2.0,
        "",
    ),
    (
        "click --css #under --timeout 0.5",
        "error[blocked]: can't click *button \"Under\": it is covered by dialog \"Cover\"",
        2.0,
        "",
    ),
    ("check --css #plain", "error[unsupported]: *button \"Plain\" can't be checked", 1.0, ""),
    ("input --css #plain x", "error[unsupported]: *button \"Plain\" can't be edited", 1.0, ""),
    ("input --css #list One", "error[unsupported]: *combobox \"List\" is a list of options", 1.0, ""),
    ("input --css #file x", "error[unsupported]: *button \"File\" takes files", 1.0, ""),
    ("select --css #list Two", "select [*no option “Two” among “One”", 2.0, ""),
    // The page does something else than stay as it is.
    ("click N(#removed #remover)", "error[stale]: [*button \"Removed\" is gone", 1.5, ""),
    (
        "click N(#relabelled #relabeller)",
        "click [*contradicted, not clicked: you were last shown button \"Keep all\"",
        1.5,
        "",
    ),
    ("click --css #selfless", "click [*contradicted, begun and then withheld: the target was removed", 4.0, ""),
    ("click --css #leaver", "clicked [*navigated to", 6.0, "open SITE/"),
    ("click --css #alert", "clicked [", 3.0, "dialog accept"),
    ("click --css #confirm", "clicked [", 3.0, "dialog dismiss"),
    ("click --css #prompt", "clicked [", 3.0, "dialog dismiss"),
    (
        "click --css #busy --timeout 2",
        "clicked [*unverifiable, it was sent; what came of it couldn't be looked at: the page is busy",
        5.0,
        "open SITE/",
    ),
    // Addresses.
    ("open http://", "error[bad_request]: `http://` is no address", 1.0, ""),
    ("open nonsense", "error[bad_request]: `nonsense` is no address", 1.0, ""),
    ("open 'http://a b/'", "error[bad_request]: `http://a b/` is no address", 1.0, ""),
    ("open http://[::1/", "error[bad_request]: ", 1.0, ""),
    ("open http://127.0.0.1:99999/", "error[bad_request]: ", 1.0, ""),
    ("open javascript:alert(1)", "error[bad_request]: ", 1.0, ""),
    (
        "open /no/such/file.html",
        "error[bad_request]: `/no/such/file.html` is no address: there is no such file",
        1.0,
        "",
    ),
    ("tabs new nonsense", "error[bad_request]: `nonsense` is no address", 1.0, ""),
    (
        "open http://127.0.0.1:1/",
        "error[unreachable]: http://127.0.0.1:1/ can't be loaded: net::ERR_",
        5.0,
        "open SITE/",
    ),
    (
        "open http://no-such-host.invalid/",
        "error[unreachable]: http://no-such-host.invalid/ can't be loaded: net::ERR_",
        20.0,
        "back",
    ),
    ("open SITE/loop", "error[unreachable]: ", 5.0, "open SITE/"),
    ("open SITE/silent --timeout 1", "error[timeout]: ", 3.0, ""),
    ("open SITE/stall --timeout 1", "opened \"Half\" ", 3.0, "open SITE/"),
    ("open SITE/half --timeout 1", "opened \"Half\" ", 3.0, "open SITE/"),
    ("open SITE/404", "opened \"Not found\" ", 3.0, "open SITE/"),
    ("open SITE/500", "opened \"Broken\" ", 3.0, "open SITE/"),
    ("open chrome://crash", "error[lost]: the page ", 8.0, "open SITE/"),
    // Words.
    ("keys Entr", "error[bad_request]: `Entr` is no key", 1.0, ""),
    ("keys hyper+a", "error[bad_request]: `hyper+a` is no key", 1.0, ""),
    ("keydown 中", "error[bad_request]: `中` is no key", 1.0, ""),
    ("clic 1", "error[bad_request]: ", 1.0, ""),
    ("click 1 --quickly", "error[bad_request]: ", 1.0, ""),
    ("click 1 --timeout soon", "error[bad_request]: ", 1.0, ""),
    ("click 1 --timeout -1", "error[bad_request]: ", 1.0, ""),
    ("click-at 1 inf", "error[bad_request]: ", 1.0, ""),
    ("drag 1 --to 5,", "error[bad_request]: ", 1.0, ""),
    ("state --session 'a b'", "error[bad_request]: ", 1.0, ""),
    ("state --session ../x", "error[bad_request]: ", 1.0, ""),
    ("state --session nobody", "error[not_found]: nothing is open in session `nobody`", 1.0, ""),
    ("state --config none.toml", "error[file]: ", 1.0, ""),
    ("state --config bad.toml", "error[bad_request]: ", 1.0, ""),
    ("state --config wrong.toml", "error[bad_request]: ", 1.0, ""),
    ("click 1 --config deny.toml", "error[denied]: the policy refuses `click`", 1.0, ""),
    ("wait 5 --timeout 0.3", "error[timeout]: 5.0 s had not passed within 0.3 s", 1.5, ""),
    ("wait --text never --timeout 0.5", "error[timeout]: the text \"never\" didn't appear within 0.5 s", 2.0, ""),
    ("dialog accept", "error[not_found]: no dialog is open", 1.0, ""),
    ("forward", "error[not_found]: there is no page to go forward to", 1.0, ""),
    ("tabs switch t99", "error[not_found]: there is no tab t99", 1.0, ""),
    // Files.
    ("upload --css #file none.txt", "error[file]: can't read the file none.txt", 1.0, ""),
    ("upload --css #plain bad.toml", "error[unsupported]: *button \"Plain\" doesn't take files", 1.0, ""),
    ("screenshot none/x.png", "error[file]: can't write ", 2.0, ""),
    ("screenshot x.gif", "error[bad_request]: the ending of ", 1.0, ""),
    ("state --screenshot none/x.png", "error[file]: can't write ", 2.0, ""),
];

/// What a machine that has much else to do may take longer, in seconds; a wait that nothing ends takes longer still.
const SLOW: f64 = 8.0;

#[test]
fn every_bad_input_is_a_clear_answer_in_time() {
    let live = Live::open(route);
    let write = |name: &str, text: &str| std::fs::write(live.home.work().join(name), text).unwrap();
    write("bad.toml", "[waits]\nreddy = 1\n");
    write("wrong.toml", "[waits\n");
    write("deny.toml", "[policy]\ndeny = [\"acts\"]\n");
    let mut wrong = Vec::new();
    let mut fresh = false;
    let (mut misread, mut others) = (Sample::one_in(4), Sample::one_in(2));
    for (line, begins, limit, recover) in TABLE {
        let sample = if begins.starts_with("error[bad_request]") { &mut misread } else { &mut others };
        if !sample.takes() {
            continue;
        }
        let put = |text: &str| {
            text.replace("SITE", &format!("http://127.0.0.1:{}", live.site.port))
                .replace("OTHER", &format!("http://localhost:{}", live.site.port))
        };
        if !fresh || line.contains("N(") {
            live.ok(&put("open SITE/"));
        }
        let mut line = put(line);
        if let Some((before, rest)) = line.clone().split_once("N(") {
            let (both, after) = rest.split_once(')').unwrap();
            let (css, trigger) = both.split_once(' ').unwrap();
            line = format!("{before}{}{after}", live.number(css));
            // The page acts on its own later than a receipt waits for: none has shown what it did.
            live.run(&format!("click --css {trigger}"));
            live.ok("wait --text done");
        }
        // Shown with a failure alone.
        println!("{line}");
        let start = Instant::now();
        let ran = live.run(&line);
        let took = start.elapsed().as_secs_f64();
        let said = if ran.err.is_empty() { &ran.out } else { &ran.err };
        let (begin, has) = begins.split_once('*').unwrap_or((begins, ""));
        if !said.starts_with(begin) || !said.contains(has) || ran.status.is_none() {
            wrong.push(format!("{line}\n    wanted {begins}\n    said   {said}"));
        }
        // What was refused has left the page as it was.
        fresh = ran.status == Some(2) && recover.is_empty();
        // A problem says what to do next, in words or by a command.
        if ran.status == Some(2) && (!said.contains("\n  try: handeye ") && said.len() < 40) {
            wrong.push(format!("{line}\n    no way on: {said}"));
        }
        if took > *limit + SLOW {
            wrong.push(format!("{line}\n    took {took:.1} s, allowed are {limit} s: {said}"));
        }
        if !recover.is_empty() {
            let back = live.run(&put(recover));
            if back.status != Some(0) {
                wrong.push(format!("{line}\n    then {recover}: {back:?}"));
            }
        }
        let start = Instant::now();
        let title = live.run("get title");
        if title.out != "Page\n" || start.elapsed().as_secs_f64() > 2.0 + SLOW {
            wrong.push(format!("{line}\n    afterwards, in {:?}: {title:?}\n    said {said}", start.elapsed()));
            if title.status != Some(0) {
                live.run("open about:blank");
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), TABLE.len(), wrong.join("\n"));
}

/// Rows that are more than one command line: what the page logged says whether something was hit that shouldn't have been.
#[test]
fn what_was_refused_was_not_done() {
    let live = Live::open(route);
    for line in ["click --css #off --timeout 0.3", "click --css #under --timeout 0.3"] {
        live.problem(line);
        live.logged("");
    }
    // What keeps moving is waited for; what is tried all the same hits it, or nothing.
    for _ in 0..trials(1, 3) {
        let ran = live.run("click --css #moving --timeout 0.3");
        match live.log().as_str() {
            // It was done; what came of it may be more than can be told.
            "moving" => assert!(ran.status == Some(0) || ran.out.contains("unverifiable"), "{ran:?}"),
            none => assert!(none.is_empty() && ran.status != Some(0), "{none}: {ran:?}"),
        }
    }
    let number = live.number("#relabelled");
    // What it does comes later than the click waits for.
    live.not("click --css #relabeller");
    live.ok("wait --text done --timeout 6");
    let said = live.not(&format!("click {number}"));
    assert!(
        said.contains(
            "contradicted, not clicked: you were last shown button \"Keep all\"; it is now button \"Delete all\""
        ),
        "{said}"
    );
    live.logged("");
    // A page that objects to being left is asked about, not overruled.
    live.ok("click --css #hold");
    let said = live.problem(&format!("open {}", live.site.at("/two")));
    assert!(said.starts_with("error[blocked]: a dialog is open: beforeunload"), "{said}");
    live.ok("dialog dismiss");
    assert_eq!(live.ok("get title"), "Page");
    assert!(live.problem("reload").starts_with("error[blocked]: a dialog is open: beforeunload"));
    live.ok("dialog accept");
    live.ok("wait --idle");
    assert_eq!(live.ok("get title"), "Page");
    live.ok(&format!("open {}", live.site.at("/two")));
    assert_eq!(live.ok("get title"), "Two");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn ten_megabytes_go_into_a_field() {
    let live = Live::open(route);
    live.ok(&format!("open {}", live.site.at("/text")));
    // In one line: in a million lines Chromium's own editing takes minutes, and that is a timeout.
    let text = "0123456789abcdef".repeat(10 << 16);
    let mut talk = Talk::to(&live.home.run_dir().join("default.sock"));
    let start = Instant::now();
    let answer = talk.ask(&json!({"command": "input", "args": {"locators": [{"css": "#text"}], "text": text}}));
    assert_eq!(answer["status"], "ok", "{:.500}", answer.to_string());
    assert!(start.elapsed() < Duration::from_secs(35), "{:?}", start.elapsed());
    assert!(answer.to_string().len() < 100_000, "the receipt repeats the text: {} bytes", answer.to_string().len());
    assert_eq!(live.ok("get title"), "Page");
    assert!(live.ok("state").len() < 5_000);
    live.ok("input --css #text short");
    assert_eq!(live.ok("get value --css #text"), "short");
}

#[test]
fn requests_that_are_no_requests_are_refused() {
    let live = Live::open(route);
    let mut talk = Talk::to(&live.home.run_dir().join("default.sock"));
    for (request, code, words) in [
        (json!({"command": "click", "args": {"ref": 1, "speed": 2}}), "bad_request", "there is no `speed`"),
        (json!({"command": "click", "args": {"ref": "one"}}), "bad_request", "the arguments of `click` are wrong"),
        (json!({"command": "click", "args": {"locators": [{"id": "x"}]}}), "bad_request", "`id`"),
        (
            json!({"command": "click", "args": {"locators": [{"css": "a", "xpath": "//a"}]}}),
            "bad_request",
            "a locator is one of",
        ),
        (json!({"command": "click", "args": []}), "bad_request", ""),
        (json!({"command": "clic"}), "bad_request", "there is no command `clic`"),
        (json!({"command": "version"}), "bad_request", "`version` doesn't run in a session"),
        (json!({"command": "state", "flags": {"quick": true}}), "bad_request", "quick"),
        (json!({"command": "state", "sudo": true}), "bad_request", "sudo"),
        (json!({"command": "state", "flags": {"timeout": -1}}), "bad_request", "--timeout takes seconds"),
        (json!({"args": {}}), "bad_request", ""),
        (json!([1, 2]), "bad_request", ""),
    ] {
        let answer = talk.ask(&request);
        assert_eq!(
            (&answer["status"], &answer["error"]["code"]),
            (&json!("error"), &json!(code)),
            "{request}: {answer}"
        );
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{request}: {answer}");
        assert_eq!(talk.ask(&json!({"command": "get", "args": {"what": "title"}}))["result"]["value"], "Page");
    }
}

#[test]
fn names_of_files_need_not_be_text() {
    let live = Live::open(route);
    let odd = OsStr::from_bytes(b"odd\xff.png");
    std::fs::write(live.home.work().join(odd), "x").unwrap();
    for words in [
        vec![OsStr::new("screenshot"), odd],
        vec![OsStr::new("state"), "--screenshot".as_ref(), odd],
        vec![OsStr::new("upload"), "--css".as_ref(), "#file".as_ref(), odd],
        vec![OsStr::new("open"), odd],
        vec![OsStr::new("input"), "--css".as_ref(), "#text".as_ref(), OsStr::from_bytes(b"\xff")],
    ] {
        let ran = home::run(live.home.command(&words));
        assert_eq!(ran.status, Some(2), "{words:?}: {ran:?}");
        assert!(
            ran.err.starts_with("error[file]: ") || ran.err.starts_with("error[bad_request]: "),
            "{words:?}: {ran:?}"
        );
        assert!(ran.err.contains("UTF-8"), "{words:?}: {ran:?}");
        assert_eq!(live.ok("get title"), "Page");
    }
}
