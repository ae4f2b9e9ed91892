//! `locate`: over HTTP, with a model server that looks at the pictures it gets, finds the lines and boxes on them, and answers
//! from what it sees with errors at a stated rate.

use handeye_testkit::home::{self, Ran};
use handeye_testkit::live::{Answer as Page, Live, page, reply};
use handeye_testkit::models::{Asked, Eye, ModelServer, Truth};
use handeye_testkit::{Sample, is_full};
use serde_json::Value;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

pub(crate) const KEY: &str = "sk-locate-key-that-must-not-be-seen";

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

pub(crate) fn route(path: &str) -> Page {
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
    let (mut calls, mut clicked, mut tried) = (0, 0, 0);
    // By default each wire once.
    let mut sample = Sample::one_in(5);
    let targets = [([0x12, 0x2c, 0x56], "Share A"), ([0x56, 0x12, 0x2c], "Move C"), ([0x2c, 0x56, 0x12], "Copy E")];
    for (wire, error, seed) in [("openai", 0.0, 1), ("anthropic", 0.1, 2), ("openai", 0.1, 3)] {
        for (rgb, name) in targets {
            if !sample.takes() {
                continue;
            }
            tried += 1;
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
    assert!(clicked + 1 >= tried, "only {clicked} of {tried} were found");
    // A mean over few of them says little.
    let most = if is_full() { 6 } else { 10 };
    assert!(calls <= clicked * most, "{calls} questions for {clicked}");
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
    // By default the last one: nothing is asked after it.
    for is_then in moments.into_iter().skip(if is_full() { 0 } else { 1 }) {
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
        // By default one that is drawn otherwise; what is drawn as it was is pressed below.
        if !is_full() && way != "swap/50" {
            continue;
        }
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
    // So often it is repainted, by what a search came to: by default always.
    for (most, code) in [(1, None), (usize::MAX, Some("stale"))].into_iter().skip(if is_full() { 0 } else { 1 }) {
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
    if is_full() {
        live.ok(&format!("open {}", live.site.at("/canvas")));
        assert_eq!(found(&live, &["locate", "the blue box"])["notices"], Value::Null);
    }
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
    let all = [("100", 0.0, 12), ("20", 0.0, 40)];
    for (precision, error, most) in all.into_iter().take(if is_full() { 2 } else { 1 }) {
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
    if !is_full() {
        return;
    }
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
