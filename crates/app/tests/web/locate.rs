//! `locate`: over HTTP, with a model server that looks at the pictures it gets, finds the lines and boxes on them, and answers
//! from what it sees with errors at a stated rate.

use handeye_testkit::home::{self, Ran};
use handeye_testkit::live::{Answer as Page, Live, page, reply};
use handeye_testkit::models::{Answer, Asked, Eye, ModelServer, Truth};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const KEY: &str = "sk-locate-key-that-must-not-be-seen";

/// Buttons of one look in rows, of which some are told apart by their colour; and one far below.
const GRID: &str = r#"<title>Grid</title><style>
body { margin: 0; height: 4000px } button { position: absolute; width: 130px; height: 34px; border: 0; background: #ddd }
</style><body><script>
const names = ['Save', 'Send', 'Print', 'Share', 'Move', 'Copy', 'Rename', 'Undo'];
const own = { 3: '#122c56', 20: '#56122c', 37: '#2c5612' };
for (let i = 0; i < 48; i++) {
  const b = document.createElement('button');
  b.textContent = `${names[i % 8]} ${String.fromCharCode(65 + i / 8)}`;
  b.style.left = `${20 + i % 8 * 155}px`; b.style.top = `${20 + Math.floor(i / 8) * 90}px`;
  if (own[i]) { b.style.background = own[i]; b.style.color = own[i] }
  b.onclick = () => log(b.textContent.replace(' ', '-'));
  document.body.append(b);
}
const far = document.createElement('button');
far.textContent = 'Far'; far.style.cssText = 'left: 400px; top: 3500px; background: #77301a; color: #77301a';
far.onclick = () => log('far');
document.body.append(far);
</script>"#;

/// A ball that a script draws, where nothing else is.
const CANVAS: &str = r#"<title>Canvas</title><style>body { margin: 0 } canvas { display: block }</style>
<canvas id=c width=1200 height=600></canvas><script>
const c = document.getElementById('c'), g = c.getContext('2d');
g.fillStyle = '#122c56'; g.fillRect(610, 330, 150, 110);
addEventListener('click', e => { const hit = e.clientX >= 610 && e.clientX < 760 && e.clientY >= 330 && e.clientY < 440;
  log(hit ? 'hit' : 'missed'); if (hit) { g.fillStyle = '#0a0'; g.fillRect(0, 0, 1200, 600) } });
</script>"#;

/// A label on a box that a script draws otherwise once the pointer is on it: how, and after how many milliseconds.
const LABEL: &str = r#"<title>Label</title><style>body { margin: 0 } canvas { display: block }</style>
<canvas id=c width=1200 height=600></canvas><script>
const [, , way, wait] = location.pathname.split('/'), g = c.getContext('2d');
let text = 'Approve', ink = '#fff', presses = 0, came = false;
function draw() {
  g.fillStyle = '#122c56'; g.fillRect(610, 330, 150, 110);
  g.fillStyle = ink; g.font = '24px sans-serif'; g.fillText(text, 630, 390);
  g.fillStyle = `hsl(${presses * 47}deg 90% 50%)`; g.fillRect(20, 500, 60, 40);
}
const on = e => e.clientX >= 610 && e.clientX < 760 && e.clientY >= 330 && e.clientY < 440;
const ways = { none: () => {}, recolour: () => { ink = '#ff0' }, swap: () => { text = 'Delete' } };
addEventListener('mousemove', e => {
  if (came || !on(e)) return;
  came = true; log('over');
  const change = () => { ways[way](); draw() };
  +wait ? setTimeout(change, +wait) : change();
});
addEventListener('mousedown', e => { log(on(e) ? text : 'missed'); presses++; draw() });
draw();
</script>"#;

/// An icon without a text, in a colour that is told from outside; and a counter that never rests.
const ICON: &str = r#"<title>Icon</title><style>button { position: absolute; width: 40px; height: 40px; border: 0 } #i { left: 400px; top: 300px }</style>
<button id=i onclick="log('pressed')"></button><script>
const draw = async () => {
  const colour = await (await fetch('/colour')).text();
  if (colour) { i.style.background = colour; requestAnimationFrame(() => requestAnimationFrame(() => fetch('/drawn' + colour.slice(1)))) }
  setTimeout(draw, 30);
};
draw();
</script>"#;

/// A button beside one whose text is another at each look.
const TICKING: &str = r#"<title>Ticking</title><style>button { position: absolute; left: 20px; width: 200px; height: 40px; border: 0 }</style>
<button id=t style="top: 20px">0</button><button style="top: 300px; background: #122c56" onclick="log('pressed')">Still</button>
<script>let n = 0; setInterval(() => { t.textContent = ++n }, 1)</script>"#;

/// How many colours the icon had, and which of them is drawn.
static COLOURS: AtomicUsize = AtomicUsize::new(0);
static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// Has the icon drawn in another colour, and waits until it is.
fn repaint() {
    let number = COLOURS.fetch_add(1, Ordering::SeqCst) + 1;
    let end = Instant::now() + Duration::from_secs(10);
    while DRAWN.load(Ordering::SeqCst) < number && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn route(path: &str) -> Page {
    match path {
        "/icon" => page(ICON),
        "/ticking" => page(TICKING),
        "/colour" => Page::Of(|_| reply("", format!("#8020{:02x}", COLOURS.load(Ordering::SeqCst)))),
        path if path.starts_with("/label/") => page(LABEL),
        path if path.starts_with("/drawn8020") => Page::Of(|asked| {
            let number = asked.path.strip_prefix("/drawn8020").and_then(|n| usize::from_str_radix(n, 16).ok());
            DRAWN.fetch_max(number.unwrap_or(0), Ordering::SeqCst);
            reply("", "")
        }),
        "/canvas" => page(CANVAS),
        // Once it is told to, it draws the box elsewhere.
        "/moving" => page(format!(
            "{CANVAS}<script>setInterval(async () => {{ if (await (await fetch('/told')).text() === 'moved') {{ g.clearRect(0, 0, 1200, 600); g.fillRect(100, 80, 150, 110) }} }}, 50)</script>"
        )),
        "/told" => Page::Of(|_| {
            let moved = MOVED.load(Ordering::Relaxed);
            reply("", if moved { "moved" } else { "" })
        }),
        "/black" => page(
            "<title>Black</title><style>html { background: #000 } button { background: #000; color: #000; border: 0 }</style><button>Unseen</button>",
        ),
        "/high" => page(format!("{GRID}<style>body {{ height: 20000px }}</style>")),
        _ => page(GRID),
    }
}

/// Settings by which models are asked at a server.
pub(crate) fn models(server: &ModelServer, wire: &str, more: &str) -> String {
    format!(
        "[models]\nurl = \"{}\"\nwire = \"{wire}\"\nmodel = \"eye-1\"\nkey_env = \"EYE_KEY\"\n{more}\n",
        server.url()
    )
}

pub(crate) fn colour(colour: [u8; 3], error: f64, seed: u64) -> ModelServer {
    let eye = Eye::new(Truth::Colour(colour), error, seed);
    ModelServer::new(move |asked| eye.look(asked))
}

/// Runs a command with the key in its environment; the daemon has none.
pub(crate) fn run(live: &Live, words: &[&str]) -> Ran {
    let ran = home::run({
        let mut command = live.home.command(words);
        command.env("EYE_KEY", KEY);
        command
    });
    assert!(!format!("{}{}", ran.out, ran.err).contains(KEY), "{words:?}: {ran:?}");
    ran
}

pub(crate) fn found(live: &Live, words: &[&str]) -> Value {
    let ran = run(live, &[words, &["--json"]].concat());
    assert!(ran.status != Some(2), "{words:?}: {ran:?}");
    ran.json()
}

#[test]
fn what_is_described_is_found_and_clicked_over_both_wires_in_spite_of_errors() {
    let live = Live::open(route);
    let (mut calls, mut clicked) = (0, 0);
    let targets = [([0x12, 0x2c, 0x56], "Share A"), ([0x56, 0x12, 0x2c], "Move C"), ([0x2c, 0x56, 0x12], "Copy E")];
    for (wire, error, seed) in [("openai", 0.0, 1), ("anthropic", 0.1, 2), ("openai", 0.1, 3)] {
        for (rgb, name) in targets {
            let server = colour(rgb, error, seed);
            live.settings(&models(&server, wire, &format!("error = {}", if error > 0.0 { error } else { 0.01 })));
            live.log();
            let told = found(&live, &["locate", "the dark button", "--act", "click", "--expect", name]);
            let asked = server.asked();
            assert!(asked.iter().all(|a| a.key.as_deref() == Some(KEY) && a.is_anthropic == (wire == "anthropic")));
            assert!(asked.iter().all(|a| a.pictures.len() == 1));
            assert_eq!(told["steps"].as_array().unwrap().len(), asked.len(), "{told}");
            // With errors, it may know that it doesn't know; a wrong button is never clicked.
            if told["success"] == true {
                assert_eq!(
                    (&told["element"]["name"], &told["receipt"]["verdict"]),
                    (&name.into(), &"confirmed".into()),
                    "{told}"
                );
                live.logged(&name.replace(' ', "-"));
                (calls, clicked) = (calls + asked.len(), clicked + 1);
            } else {
                assert!(error > 0.0, "{told}");
                live.logged("");
            }
        }
    }
    assert!(clicked >= 8, "only {clicked} of 9 were found");
    assert!(calls <= clicked * 6, "{calls} questions for {clicked}");
}

#[test]
fn what_is_out_of_view_is_scrolled_to_and_what_is_not_there_is_not_found() {
    let live = Live::open(route);
    let server = colour([0x77, 0x30, 0x1a], 0.0, 1);
    live.settings(&models(&server, "openai", "error = 0.02"));
    let still = found(&live, &["locate", "远处的棕色按钮", "--visible"]);
    assert_eq!(
        (&still["success"], &still["reason"], &still["scrolled"]),
        (&false.into(), &"not_found".into(), &false.into())
    );
    assert!(
        server
            .asked()
            .iter()
            .all(|a| a.text.contains("远处的棕色按钮") && a.text.contains("[竖线位置]") || a.text.contains("[选择]"))
    );
    let told = found(&live, &["locate", "远处的棕色按钮", "--act", "click"]);
    assert_eq!((&told["element"]["name"], &told["scrolled"]), (&"Far".into(), &true.into()), "{told}");
    live.logged("far");

    let blind = ModelServer::new(|asked| Eye::new(Truth::Absent, 0.0, 1).look(asked));
    live.settings(&models(&blind, "openai", ""));
    let ran = run(&live, &["locate", "the unicorn", "--act", "click"]);
    assert_eq!((ran.status, ran.out.starts_with("not_found")), (Some(1), true), "{ran:?}");
    live.logged("");
    let none = found(&live, &["locate", "the unicorn", "--role", "slider"]);
    let came = (&none["reason"], &none["confidence"], none["steps"].as_array().map(Vec::len));
    assert_eq!(came, (&"no_candidates".into(), &0.0.into(), Some(0)), "{none}");
}

/// Whether the page of `/moving` is to draw its box elsewhere.
static MOVED: AtomicBool = AtomicBool::new(false);

#[test]
fn what_moves_while_a_model_looks_is_not_clicked_where_it_was() {
    let live = Live::closed(route);
    // The second question, and the last one, are answered about what was there.
    let moments: [fn(&Asked) -> bool; 2] = [|asked| asked.number == 1, |asked| asked.text.contains("[choice]")];
    for is_then in moments {
        MOVED.store(false, Ordering::Relaxed);
        live.ok(&format!("open {}", live.site.at("/moving")));
        let eye = Eye::new(Truth::Colour([0x12, 0x2c, 0x56]), 0.0, 7);
        let server = ModelServer::new(move |asked| {
            let answer = eye.look(asked);
            if is_then(asked) {
                MOVED.store(true, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(600));
            }
            answer
        });
        live.settings(&models(&server, "openai", "error = 0.02"));
        let ran = run(&live, &["locate", "the blue box", "--act", "click", "--json"]);
        let told = ran.json();
        let came = (ran.status, &told["success"], &told["problem"]["code"]);
        assert_eq!(came, (Some(1), &false.into(), &"stale".into()), "{told}");
        // The search is not lost with it.
        assert_eq!(told["steps"].as_array().map(Vec::len), Some(server.asked().len()), "{told}");
        live.logged("");
    }
}

#[test]
fn what_is_drawn_otherwise_when_the_pointer_comes_is_not_pressed() {
    let live = Live::closed(route);
    for (way, act, came, log) in [
        ("none", "click", "confirmed", "over Approve"),
        ("recolour/50", "click", "confirmed", "over Approve"),
        ("none", "hover", "", "over"),
        ("swap", "click", "stale", "over"),
        ("swap/50", "click", "stale", "over"),
        ("swap/150", "dblclick", "stale", "over"),
        ("swap", "rightclick", "stale", "over"),
    ] {
        live.run("hover-at 10 10");
        live.ok(&format!("open {}", live.site.at(&format!("/label/{way}"))));
        live.log();
        let server = colour([0x12, 0x2c, 0x56], 0.0, 7);
        live.settings(&models(&server, "openai", "error = 0.02"));
        let told = found(&live, &["locate", "the Approve button", "--pixels", "--act", act]);
        assert_eq!((&told["success"], &told["element"]["source"]), (&true.into(), &"vision".into()), "{told}");
        let verdict = told["problem"]["code"].as_str().or(told["receipt"]["verdict"].as_str());
        assert!(came.is_empty() && verdict.is_some() || verdict == Some(came), "{way} {act}: {told}");
        assert!(!told["steps"].as_array().unwrap().is_empty(), "{told}");
        live.logged(log);
    }
    // It has a number, as every other target has, and nothing is known of its text.
    live.run("hover-at 10 10");
    live.ok(&format!("open {}", live.site.at("/label/none")));
    let server = colour([0x12, 0x2c, 0x56], 0.0, 7);
    live.settings(&models(&server, "openai", "error = 0.02"));
    let told = found(&live, &["locate", "the Approve button", "--pixels"]);
    let number = told["element"]["ref"].as_u64().unwrap();
    live.log();
    let refused = found(&live, &["click", &number.to_string(), "--expect", "Approve"]);
    assert_eq!(refused["verdict"], "contradicted", "{refused}");
    live.logged("");
    assert_eq!(found(&live, &["click", &number.to_string()])["verdict"], "confirmed");
    live.logged("over Approve");
}

#[test]
fn an_icon_that_looks_otherwise_than_the_model_saw_it_is_judged_anew() {
    let live = Live::closed(route);
    live.ok(&format!("open {}", live.site.at("/icon")));
    let part = [400.0 / 1280.0, 300.0 / 720.0, 40.0 / 1280.0, 40.0 / 720.0];
    // So often it is repainted, by what a search came to.
    for (most, code) in [(1, None), (usize::MAX, Some("stale"))] {
        let eye = Eye::new(Truth::Part(part), 0.0, 1);
        let times = AtomicUsize::new(0);
        let server = ModelServer::new(move |asked| {
            let answer = eye.look(asked);
            if times.fetch_add(1, Ordering::SeqCst) < most {
                repaint();
            }
            answer
        });
        live.settings(&models(&server, "openai", "error = 0.02"));
        let told = found(&live, &["locate", "the icon", "--act", "click"]);
        assert_eq!(told["problem"]["code"].as_str(), code, "{told}");
        assert_eq!(told["success"], code.is_none(), "{told}");
        let steps = told["steps"].as_array().map(Vec::len).unwrap_or_default();
        assert!(steps >= if code.is_some() { 3 } else { 2 } && steps == server.asked().len(), "{told}");
        live.logged(if code.is_some() { "" } else { "pressed" });
    }
}

#[test]
fn a_page_that_never_rests_is_searched_and_the_result_says_so() {
    let live = Live::closed(route);
    live.ok(&format!("open {}", live.site.at("/ticking")));
    let server = colour([0x12, 0x2c, 0x56], 0.0, 1);
    live.settings(&models(&server, "openai", "error = 0.02"));
    let told = found(&live, &["locate", "the dark button", "--act", "click"]);
    assert_eq!(told["element"]["name"], "Still", "{told}");
    assert_eq!(told["notices"].as_array().unwrap().iter().filter(|n| n["kind"] == "moving").count(), 1, "{told}");
    live.logged("pressed");
    live.ok(&format!("open {}", live.site.at("/canvas")));
    assert_eq!(found(&live, &["locate", "the blue box"])["notices"], Value::Null);
}

#[test]
fn a_page_about_the_steps_that_cannot_be_written_takes_nothing_along() {
    let live = Live::open(route);
    let folder = live.home.work().join("why");
    let eye = Eye::new(Truth::Colour([0x12, 0x2c, 0x56]), 0.0, 1);
    let gone = folder.clone();
    let server = ModelServer::new(move |asked| {
        if asked.number == 0 {
            std::fs::remove_dir(&gone).unwrap();
            std::fs::write(&gone, "no folder").unwrap();
        }
        eye.look(asked)
    });
    live.settings(&models(&server, "openai", ""));
    let told = found(&live, &["locate", "the dark button", "--act", "click", "--explain", "why"]);
    let came = (&told["success"], &told["problem"]["code"], &told["receipt"]);
    assert_eq!(came, (&true.into(), &"file".into(), &Value::Null), "{told}");
    assert_eq!(told["steps"].as_array().map(Vec::len), Some(server.asked().len()), "{told}");
    live.logged("");
}

#[test]
fn what_a_script_draws_is_found_by_its_edges_and_clicked() {
    let live = Live::closed(route);
    live.ok(&format!("open {}", live.site.at("/canvas")));
    for (precision, error, most) in [("100", 0.0, 12), ("20", 0.0, 40)] {
        let server = colour([0x12, 0x2c, 0x56], error, 7);
        live.settings(&models(&server, "openai", "error = 0.02"));
        let told = found(&live, &["locate", "the blue box", "--precision", precision, "--max-steps", "40"]);
        assert_eq!(told["success"], true, "{told}");
        assert!(server.asked().len() <= most, "{}", server.asked().len());
        let rect: Vec<f64> = told["rect"].as_array().unwrap().iter().map(|side| side.as_f64().unwrap()).collect();
        let off = [rect[0] - 610.0, rect[1] - 330.0, rect[0] + rect[2] - 760.0, rect[1] + rect[3] - 440.0];
        let most: f64 = precision.parse().unwrap();
        assert!(off.iter().all(|edge| edge.abs() <= most), "{precision}: {rect:?}");
    }
    let server = colour([0x12, 0x2c, 0x56], 0.0, 7);
    live.settings(&models(&server, "anthropic", "error = 0.02"));
    let told = found(&live, &["locate", "the blue box", "--act", "click"]);
    assert_eq!(told["receipt"]["verdict"], "confirmed", "{told}");
    live.logged("hit");
    // What has no form by place is refused.
    live.ok("reload");
    for act in [&["--act", "input", "--text", "x"][..], &["--act", "focus"], &["--act", "check"]] {
        let ran = run(&live, &[&["locate", "the blue box", "--json"], act].concat());
        let told = ran.json();
        assert_eq!((ran.status, &told["problem"]["code"]), (Some(1), &"unsupported".into()), "{told}");
        live.logged("");
    }
}

#[test]
fn each_step_is_written_to_a_page_without_the_key() {
    let live = Live::open(route);
    let server = colour([0x12, 0x2c, 0x56], 0.0, 1);
    live.settings(&models(&server, "openai", ""));
    let folder = live.home.work().join("why");
    let told = found(&live, &["locate", "the <dark> button", "--explain", "why"]);
    let path = told["explained"].as_str().unwrap();
    assert_eq!(path, folder.join("locate-1.html").to_str().unwrap());
    let page = std::fs::read_to_string(path).unwrap();
    let steps = told["steps"].as_array().unwrap().len();
    assert_eq!(page.matches("data:image/png;base64,").count(), steps);
    assert!(page.contains("the &lt;dark&gt; button") && page.contains("[vertical line]") && !page.contains("<script"));
    assert!(!page.contains(KEY));
    assert!(told["steps"][0]["prompt"].as_str().unwrap().starts_with("locate/"));
    // Nor is it in anything that the session keeps.
    for file in live.home.left().iter().filter(|file| file.ends_with(".log") || file.ends_with(".json")) {
        assert!(!std::fs::read_to_string(live.home.run_dir().join(file)).unwrap_or_default().contains(KEY), "{file}");
    }
}

#[test]
fn a_limit_on_what_is_spent_ends_the_search_and_holds_for_the_session() {
    let live = Live::open(route);
    let server = colour([0x12, 0x2c, 0x56], 0.0, 1);
    // The server counts 120 tokens for each answer.
    live.settings(&models(&server, "openai", "max_tokens = 100"));
    let ran = run(&live, &["locate", "the dark button", "--json"]);
    let told = ran.json();
    let came = (ran.status, &told["reason"], &told["problem"]["code"], told["steps"].as_array().map(Vec::len));
    assert_eq!(came, (Some(1), &"undecided".into(), &"denied".into(), Some(1)), "{told}");
    assert_eq!(server.asked().len(), 1);
    // A call that allows more doesn't lift it.
    live.settings(&models(&server, "openai", "max_tokens = 100000"));
    assert_eq!(run(&live, &["locate", "the dark button", "--json"]).code(), "denied");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn what_was_asked_is_told_where_the_time_is_up_or_the_model_fails_later() {
    let live = Live::open(route);
    // From which question on the server fails, and how; what else is asked; the problem that is told, and the steps.
    type Later = (usize, fn() -> Answer, &'static [&'static str], Option<&'static str>, usize);
    let table: [Later; 6] = [
        // The time of the search is up: no problem, but its end.
        (0, || Answer::Stall(Duration::from_secs(20)), &["--timeout", "10"], None, 1),
        (1, || Answer::Stall(Duration::from_secs(20)), &["--timeout", "10"], None, 2),
        // The model's own time is up, while the search has more.
        (1, || Answer::Stall(Duration::from_secs(20)), &[], Some("timeout"), 1),
        (1, || Answer::Fail(401, "", String::new()), &[], Some("denied"), 1),
        (1, || Answer::Fail(500, "", String::new()), &[], Some("unreachable"), 1),
        (1, || Answer::Raw("text/html", "<html>".into()), &[], Some("unavailable"), 1),
    ];
    for (from, answer, more, code, steps) in table {
        let eye = Eye::new(Truth::Colour([0x12, 0x2c, 0x56]), 0.0, 1);
        let server = ModelServer::new(move |asked| if asked.number < from { eye.look(asked) } else { answer() });
        let patience = if code.is_some() { "3.0" } else { "60.0" };
        live.settings(&models(&server, "openai", &format!("timeout = {patience}\nattempts = 1")));
        let ran = run(&live, &[&["locate", "the dark button", "--json"], more].concat());
        let told = ran.json();
        let what = format!("fails from {from} {more:?}: {ran:?}");
        assert_eq!(
            (ran.status, &told["success"], &told["reason"]),
            (Some(1), &false.into(), &"undecided".into()),
            "{what}"
        );
        assert_eq!(told["problem"]["code"].as_str(), code, "{what}");
        assert_eq!(told["steps"].as_array().map(Vec::len), Some(steps), "{what}");
        live.ok("get title");
    }
    // The text says the same.
    let eye = Eye::new(Truth::Colour([0x12, 0x2c, 0x56]), 0.0, 1);
    let server = ModelServer::new(move |asked| match asked.number {
        0 => eye.look(asked),
        _ => Answer::Fail(401, "", String::new()),
    });
    live.settings(&models(&server, "openai", "attempts = 1"));
    let ran = run(&live, &["locate", "the dark button"]);
    assert!(
        ran.out.contains("undecided") && ran.out.contains("1. crosshair") && ran.out.contains("error[denied]"),
        "{ran:?}"
    );
}

/// What a model server does; the problem's code, or what the search came to; requests at most.
type Bad = (&'static str, fn(&Asked) -> Answer, &'static str, usize);

#[test]
fn a_server_that_is_of_no_use_is_told_of_in_time_and_never_takes_the_session_along() {
    let wrong_key: fn(&Asked) -> Answer = |asked| {
        Answer::Fail(
            401,
            "",
            format!(r#"{{"error":{{"message":"wrong key {}"}}}}"#, asked.key.clone().unwrap_or_default()),
        )
    };
    let table: &[Bad] = &[
        ("a wrong key", wrong_key, "denied", 1),
        (
            "an unknown model",
            |_| Answer::Fail(404, "", r#"{"error":{"message":"no such model"}}"#.into()),
            "bad_request",
            1,
        ),
        ("overloaded", |_| Answer::Fail(529, "", String::new()), "unreachable", 2),
        ("slow", |_| Answer::Stall(Duration::from_secs(20)), "timeout", 1),
        ("cut off", |_| Answer::Cut("[vertical line]\nleft".into()), "unreachable", 2),
        ("a web page", |_| Answer::Raw("text/html", "<html>502</html>".into()), "unavailable", 3),
        ("nothing", |_| Answer::Raw("application/json", String::new()), "unavailable", 3),
        ("half of JSON", |_| Answer::Raw("application/json", "{\"choices\":[{\"mess".into()), "unavailable", 3),
        ("a refusal", |_| Answer::Refuse("I can't help with that.".into()), "unavailable", 3),
        ("no words", |_| Answer::Say(String::new()), "unavailable", 3),
        ("another language", |_| Answer::Say("La cible est à gauche.".into()), "undecided", 6),
        (
            "both at once",
            |_| Answer::Say("[vertical line]\nleft or right\n[horizontal line]\nabove, below".into()),
            "undecided",
            6,
        ),
    ];
    let live = Live::open(route);
    for (what, answer, wanted, most) in table {
        let server = ModelServer::new(*answer);
        live.settings(&models(&server, "openai", "timeout = 3.0\nattempts = 2"));
        let began = Instant::now();
        let ran = run(&live, &["locate", "the dark button", "--max-steps", "2", "--json"]);
        assert!(began.elapsed() < Duration::from_secs(12), "{what}: {:?}", began.elapsed());
        let told = ran.json();
        let came = told["error"]["code"].as_str().or(told["reason"].as_str()).unwrap_or_default();
        assert_eq!(came, *wanted, "{what}: {ran:?}");
        let count = server.asked().len();
        assert!((1..=*most).contains(&count), "{what}: {count} requests");
        live.ok("get title");
    }
    // No server, no model, no key.
    for (settings, code) in [
        ("[models]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nattempts = 1", "unreachable"),
        ("[models]\nurl = \"ftp://127.0.0.1/v1\"\nmodel = \"m\"", "bad_request"),
        ("[models]\nurl = \"no address\"\nmodel = \"m\"", "bad_request"),
        ("[models]\nurl = \"http://127.0.0.1:9/v1\"", "unavailable"),
        ("", "unavailable"),
        ("[models]\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\nkey_env = \"NOT_SET\"", "denied"),
        ("[models]\nkey_env = \"A=B\"", "bad_request"),
    ] {
        live.settings(settings);
        assert_eq!(run(&live, &["locate", "x", "--json"]).code(), code, "{settings}");
    }
    live.settings("");
    for words in [
        &["locate", ""][..],
        &["locate", "x", "--text", "y"],
        &["locate", "x", "--act", "input"],
        &["locate", "x", "--expect", "y"],
    ] {
        assert!(run(&live, words).err.contains("error[bad_request]"), "{words:?}");
    }
}

#[test]
fn pictures_of_any_size_and_of_nothing_are_borne() {
    let live = Live::closed(route);
    let server = colour([0x77, 0x30, 0x1a], 0.0, 1);
    live.settings(&models(&server, "openai", "error = 0.02"));
    live.ok(&format!("open {}", live.site.at("/high")));
    // All of it in one picture, far larger than a model sees: it is shown in parts.
    live.ok("set viewport 700x9000");
    let told = found(&live, &["locate", "the brown button", "--visible"]);
    assert_eq!((&told["element"]["name"], &told["success"]), (&"Far".into(), &true.into()), "{told}");
    live.ok("set viewport 100x10000 --scale 2");
    let ran = run(&live, &["locate", "the brown button", "--visible", "--max-steps", "2", "--json"]);
    assert!(ran.status != Some(0), "{ran:?}");
    live.ok("set viewport 1x1");
    let ran = run(&live, &["locate", "the brown button", "--visible", "--json"]);
    assert!(matches!(ran.code().as_str(), "blocked" | "timeout"), "{ran:?}");
    live.ok("set viewport --reset");
    live.ok(&format!("open {}", live.site.at("/black")));
    let told = found(&live, &["locate", "the brown button"]);
    assert_eq!(told["reason"], "not_found", "{told}");
}

#[test]
fn models_are_listed_and_tested_without_a_session() {
    let live = Live::closed(route);
    let server = ModelServer::new(|asked| match asked.key.as_deref() {
        Some(KEY) => Answer::Say("ready".into()),
        key => Answer::Fail(401, "", format!(r#"{{"error":{{"message":"wrong key {}"}}}}"#, key.unwrap_or("none"))),
    });
    live.settings("");
    let none = run(&live, &["models", "list"]).exit(0);
    assert!(none.out.contains("judge: no model is set"), "{none:?}");
    let untested = run(&live, &["models", "test", "--json"]);
    assert_eq!(untested.code(), "unavailable");
    assert!(
        untested.out.contains("handeye/handeye.toml") && untested.out.contains("HANDEYE_MODEL_KEY"),
        "{untested:?}"
    );
    // The key without a name goes to the only server that is set, and to none of several.
    let with_key = |settings: &str| {
        live.settings(settings);
        let mut command = live.home.command(["models", "test", "agent", "--json"]);
        command.env("HANDEYE_MODEL_KEY", KEY);
        home::run(command).json()["roles"][0].clone()
    };
    let agent = format!("[models.agent]\nurl = \"{}\"\nmodel = \"eye-1\"\n", server.url());
    let alone = with_key(&agent);
    assert_eq!((&alone["test"]["ok"], &alone["key_env"]), (&true.into(), &"HANDEYE_MODEL_KEY".into()), "{alone}");
    let one_of_two = with_key(&format!("{agent}[models.judge]\nurl = \"http://127.0.0.1:1\"\nmodel = \"eye-1\"\n"));
    assert_eq!((&one_of_two["test"]["ok"], &one_of_two["key_is_set"]), (&false.into(), &false.into()), "{one_of_two}");
    assert!(one_of_two["why_no_key"].as_str().is_some_and(|why| why.contains("other roles have other servers")));
    assert_eq!(server.asked().last().unwrap().key, None);
    live.settings(&models(
        &server,
        "openai",
        "[models.vision]\nwire = \"anthropic\"\nmodel = \"wide\"\nkey_env = \"NO_KEY\"",
    ));
    let listed = run(&live, &["models", "list", "--json"]).exit(0).json();
    let roles = listed["roles"].as_array().unwrap();
    assert_eq!(roles.len(), 5);
    assert_eq!(
        (&roles[0]["model"], &roles[0]["key_env"], &roles[0]["key_is_set"]),
        (&"eye-1".into(), &"EYE_KEY".into(), &true.into())
    );
    assert_eq!(
        (&roles[3]["model"], &roles[3]["wire"], &roles[3]["key_is_set"]),
        (&"wide".into(), &"anthropic".into(), &false.into())
    );
    let tested = run(&live, &["models", "test", "judge", "--json"]).exit(0).json();
    assert_eq!(
        (&tested["roles"][0]["test"]["ok"], &tested["roles"][0]["test"]["usage"]["input"]),
        (&true.into(), &100.into())
    );
    let all = run(&live, &["models", "test", "--json"]).exit(1).json();
    assert_eq!(all["roles"].as_array().unwrap().len(), 2, "one question to each model: {all}");
    assert_eq!(all["roles"][1]["test"]["error"]["code"], "denied");
    // A wrong key is told of once, and not repeated.
    let mut command = live.home.command(["models", "test", "judge", "--json"]);
    let before = server.asked().len();
    let ran = home::run({
        command.env("EYE_KEY", "sk-wrong-one");
        command
    });
    assert_eq!((ran.status, server.asked().len() - before), (Some(1), 1), "{ran:?}");
    assert!(ran.out.contains("EYE_KEY") && !ran.out.contains("sk-wrong-one"), "{ran:?}");
    assert!(!run(&live, &["config", "show"]).out.contains(KEY));
    assert!(run(&live, &["models", "test", "eyes"]).err.contains("is no role of a model"));
}
