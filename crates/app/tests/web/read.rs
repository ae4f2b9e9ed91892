//! What is read from pixels on this machine (`--ocr`): a dialog that a canvas draws is operated by it, end to end.

use handeye_testkit::home;
use handeye_testkit::live::{Live, page};
use handeye_testkit::{Sample, is_full};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// A dialog of nothing but pixels: a field, a checkbox and two buttons, which react to the mouse and the keyboard.
const DIALOG: &str = r##"<title>Drawn</title><style>body { margin: 0 } canvas { display: block }</style>
<canvas id=c width=900 height=500></canvas><script>
const g = document.getElementById('c').getContext('2d');
let text = '', checked = false, focus = false, said = '';
const within = (e, x, y, w, h) => e.clientX >= x && e.clientX < x + w && e.clientY >= y && e.clientY < y + h;
function box(x, y, w, h, fill, label, ink) {
  g.fillStyle = fill; g.fillRect(x, y, w, h); g.strokeStyle = '#666'; g.strokeRect(x + .5, y + .5, w, h);
  g.fillStyle = ink; g.textAlign = 'center'; g.fillText(label, x + w / 2, y + h / 2 + 6); g.textAlign = 'left';
}
function draw() {
  g.fillStyle = '#f4f4f4'; g.fillRect(0, 0, 900, 500); g.font = '18px sans-serif';
  g.fillStyle = '#111'; g.fillText('Export the report', 220, 80); g.fillText('File name', 220, 146);
  g.fillStyle = '#fff'; g.fillRect(340, 124, 260, 34); g.strokeStyle = focus ? '#06c' : '#666'; g.strokeRect(340.5, 124.5, 260, 34);
  g.fillStyle = '#111'; g.fillText(text, 350, 147);
  g.fillStyle = '#fff'; g.fillRect(340, 190, 18, 18); g.strokeStyle = '#666'; g.strokeRect(340.5, 190.5, 18, 18);
  if (checked) { g.strokeStyle = '#111'; g.beginPath(); g.moveTo(344, 199); g.lineTo(348, 204); g.lineTo(355, 193); g.stroke(); }
  g.fillStyle = '#111'; g.fillText('Include charts', 370, 205);
  box(380, 260, 100, 36, '#e0e0e0', 'Cancel', '#111'); box(500, 260, 100, 36, '#0a58ca', 'Export', '#fff');
  g.fillStyle = '#111'; g.fillText(said, 220, 360);
}
addEventListener('mousedown', e => {
  focus = within(e, 340, 124, 260, 34);
  if (within(e, 340, 190, 18, 18) || within(e, 358, 188, 140, 22)) checked = !checked;
  if (within(e, 500, 260, 100, 36)) { said = `Exported ${text}${checked ? ' with charts' : ''}`; log(`export-${text}-${checked}`) }
  if (within(e, 380, 260, 100, 36)) { said = 'Cancelled'; log('cancel') }
  draw();
});
addEventListener('keydown', e => { if (focus && e.key.length === 1) { text += e.key; draw() } });
draw();
</script>"##;

fn live() -> Live {
    let live = Live::open(|path| match path {
        "/parts" => page(PARTS),
        "/covered" => page(COVERED),
        "/moved" => page(MOVED),
        "/black" => page("<title>Black</title><style>html { background: #000 }</style>"),
        _ => page(DIALOG),
    });
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("models");
    live.settings(&format!("[models]\nfolder = {folder:?}\n"));
    live
}

fn state(live: &Live) -> Value {
    let state = live.json("state --ocr --timeout 120");
    assert!(state["notices"].as_array().unwrap().iter().all(|n| n["kind"] != "perceiver"), "{state:#}");
    state
}

/// The number of what is seen by pixels with this role, and this text.
fn number(state: &Value, role: &str, name: &str) -> u64 {
    let all = state["targets"].as_array().unwrap().iter();
    let found: Vec<&Value> =
        all.filter(|t| t["source"] != "native" && t["role"] == role && t["name"] == name).collect();
    assert_eq!(found.len(), 1, "{role} {name}: {state:#}");
    found[0]["ref"].as_u64().unwrap()
}

#[test]
fn a_dialog_of_nothing_but_pixels_is_operated() {
    let live = live();
    let first = state(&live);
    assert!(first["targets"].as_array().unwrap().iter().all(|t| t["source"] != "native" || t["role"] == "canvas"));
    live.log();
    let confirmed = |line: &str| {
        let told = live.json(line);
        assert_eq!(told["verdict"], "confirmed", "{line}: {told:#}");
    };
    confirmed(&format!("click {}", number(&first, "textbox", "")));
    // Which part of a canvas has the keyboard, nobody can say: what the keys did is read.
    assert_eq!(live.run("type report7 --json").json()["verdict"], "unverifiable");
    let now = state(&live);
    number(&now, "textbox", "report7");
    confirmed(&format!("click {}", number(&now, "checkbox", "Include charts")));
    // It is checked now: its number means what it looked like before.
    let export = number(&now, "button", "Export");
    assert!(live.problem(&format!("click {}", number(&first, "textbox", ""))).starts_with("error[stale]"));
    let refused = live.run(&format!("click {export} --expect Delete --json"));
    assert_eq!((refused.status, &refused.json()["verdict"]), (Some(1), &"contradicted".into()));
    live.logged("");
    confirmed(&format!("click {export} --expect Export"));
    live.logged("export-report7-true");
    if is_full() {
        assert!(live.ok("state --ocr --timeout 120").contains("Exported report7 with charts"));
    }
}

/// The dialog of another site, in a frame that is moved so far that where a button is in it, another one is in the tab.
const MOVED: &str = r#"<title>Moved</title><style>body { margin: 0 }</style>
<iframe src=OTHER/ width=920 height=520 style="border: 0; transform: translate(120px, 0)"></iframe>"#;

/// Browsers now and then press elsewhere in such a frame: the event comes with the place that it has in the tab.
#[test]
fn what_a_moved_frame_draws_is_pressed_where_it_is_or_not_at_all() {
    let live = live();
    let mut done = 0;
    for _ in 0..8 {
        // By default until it came once.
        if !is_full() && done > 0 {
            break;
        }
        live.ok(&format!("open {}", live.site.at("/moved")));
        let cancel = number(&state(&live), "button", "Cancel");
        let told = live.run(&format!("click {cancel} --json")).json();
        let log = live.json("get attr --css 'iframe >> html' data-log")["value"].clone();
        let came = log == "cancel";
        assert!(came || log.is_null() || log == "", "{log} {told:#}");
        match told["verdict"].as_str() {
            Some("confirmed") => assert!(came, "{told:#}"),
            Some("contradicted" | "no_effect") => assert!(!came, "{told:#}"),
            _ => {}
        }
        done += usize::from(came);
    }
    assert!(done > 0);
}

#[test]
fn what_cant_be_done_by_pixels_is_refused() {
    let live = live();
    let first = state(&live);
    let field = number(&first, "textbox", "");
    live.log();
    for line in
        [format!("input {field} x"), format!("select {field} x"), format!("check {field}"), format!("focus {field}")]
    {
        let said = live.problem(&line);
        assert!(said.starts_with("error[unsupported]"), "{line}: {said}");
    }
    live.logged("");
}

#[test]
fn without_the_models_or_with_damaged_ones_the_tree_is_shown_with_a_notice() {
    let live = Live::open(|_| page("<title>Plain</title><button>Save</button>"));
    let whole = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("models");
    let folder = |name: &str, change: &dyn Fn(&Path)| {
        let folder = live.home.work().join(name);
        std::fs::create_dir(&folder).unwrap();
        for file in
            std::fs::read_dir(&whole).unwrap().flatten().filter(|f| f.path().extension().is_some_and(|e| e == "onnx"))
        {
            std::fs::copy(file.path(), folder.join(file.file_name())).unwrap();
        }
        change(&folder.join("PP-OCRv6_det_small.onnx"));
        folder
    };
    let folders = [
        ("missing", live.home.work().join("nowhere")),
        (
            "bytes",
            folder("truncated", &|file| {
                std::fs::File::options().write(true).open(file).unwrap().set_len(9_000).unwrap()
            }),
        ),
        (
            "SHA-256",
            folder("tampered", &|file| {
                let mut bytes = std::fs::read(file).unwrap();
                bytes[5_000_000] ^= 1;
                std::fs::write(file, bytes).unwrap();
            }),
        ),
    ];
    for (says, folder) in folders {
        live.settings(&format!("[models]\nfolder = {folder:?}\n"));
        let state = live.json("state --ocr");
        let notices: Vec<&Value> =
            state["notices"].as_array().unwrap().iter().filter(|n| n["kind"] == "perceiver").collect();
        assert_eq!(notices.len(), 1, "{state:#}");
        let text = notices[0]["text"].as_str().unwrap();
        assert!(text.contains("handeye models install") && text.contains(says), "{says}: {state:#}");
        assert_eq!(state["targets"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn pictures_of_any_size_and_of_nothing_are_read() {
    let live = live();
    // Size of the view and more, what is opened, whether there is something to read.
    for (view, path, has_text) in
        [("1x1", "/", false), ("700x1", "/", false), ("900x10000 --scale 2", "/", true), ("1280x800", "/black", false)]
    {
        // By default a picture of next to nothing, and one of nothing: a large one takes long to read.
        if !is_full() && !matches!(view, "1x1" | "1280x800") {
            continue;
        }
        live.ok(&format!("open {}", live.site.at(path)));
        live.ok(&format!("set viewport {view}"));
        let began = std::time::Instant::now();
        // Ten times what is usual to look at: longer than commands may take elsewhere, on a machine four times as slow, too.
        let mut reading = live.home.command(["state", "--ocr", "--timeout", "180", "--json"]);
        let reading = reading.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let state = home::finish_within(reading, Duration::from_secs(210)).exit(0).json();
        assert!(began.elapsed() < Duration::from_secs(210), "{view} {path}: {:?}", began.elapsed());
        let read =
            state["targets"].as_array().unwrap().iter().filter(|t| t["source"] == "ocr" || t["source"] == "shapes");
        assert_eq!(read.count() > 0, has_text, "{view} {path}: {state:#}");
        live.ok("get title");
    }
}

/// Buttons beside what scripts draw, in two parts of a page.
const PARTS: &str = r#"<title>Parts</title><style>body{margin:0; font:20px sans-serif} section{padding:10px; height:120px}</style>
<section id=tools aria-label=Tools><button id=approve>Approve payment</button> <button>Delete everything</button></section>
<section id=board aria-label=Board><canvas id=drawn width=300 height=60></canvas> <button>Save draft</button></section>
<section id=beside aria-label=Beside><canvas id=other width=300 height=60></canvas></section>
<script>for (const [canvas, word] of [[drawn, 'Open folder'], [other, 'Print preview']]) {
  const c = canvas.getContext('2d');
  c.font = '24px sans-serif'; c.fillText(word, 20, 38);
}</script>"#;

#[test]
fn a_part_is_read_with_the_elements_beside_it_known() {
    let live = live();
    live.ok(&format!("open {}", live.site.at("/parts")));
    let mut sample = Sample::one_in(3);
    for (part, drawn) in
        [("tools", ""), ("board", "Open folder"), ("drawn", "Open folder"), ("beside", "Print preview")]
    {
        for more in ["--ocr", "--ocr --infer"] {
            if !sample.takes() {
                continue;
            }
            let state = live.json(&format!("state --within css=#{part} {more} --timeout 120"));
            let regions: Vec<&str> = state["targets"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|t| t["source"] == "ocr" || t["source"] == "shapes")
                .map(|t| t["name"].as_str().unwrap())
                .collect();
            assert_eq!(regions.join(" "), drawn, "{part} {more}: {state:#}");
        }
    }
}

/// Something drawn, over which other things that show nothing may be laid; what is pressed is told.
const COVERED: &str = r#"<title>Covered</title><style>body{margin:0} .over{position:absolute; inset:0; width:400px; height:100px}</style>
<div id=place style="position:relative"><canvas id=board width=400 height=100></canvas></div> <p id=out></p>
<script>
const c = board.getContext('2d');
c.font = '24px sans-serif'; c.fillText('Approve payment', 60, 55);
const tell = (word) => { out.textContent = word };
board.onclick = () => tell('board');
const covers = {
  button: '<button class=over style="opacity:0">Delete everything</button>',
  layer: '<div class=over></div>',
  frame: '<iframe class=over style="border:0; opacity:0" srcdoc="<body onclick=parent.tell(1)>"></iframe>',
  canvas: '<canvas class=over></canvas>',
};
const lay = (kind) => {
  place.insertAdjacentHTML('beforeend', covers[kind]);
  place.lastElementChild.onclick = () => tell(kind);
};
</script>"#;

#[test]
fn what_shows_nothing_and_was_laid_over_a_place_since_is_not_pressed() {
    let live = live();
    live.ok("sessions stop default");
    live.ok(&format!("open {} --allow eval", live.site.at("/covered")));
    for (kind, moment) in [("", "")].into_iter().chain(
        ["button", "layer", "frame", "canvas"].into_iter().flat_map(|kind| [(kind, "before"), (kind, "pointed")]),
    ) {
        // By default each kind at one of the moments.
        let its_turn =
            matches!((kind, moment), ("", _) | ("button" | "frame", "before") | ("layer" | "canvas", "pointed"));
        if !is_full() && !its_turn {
            continue;
        }
        live.ok("reload");
        let number = number(&live.json("state --ocr --timeout 120"), "text", "Approve payment");
        match moment {
            "" => "",
            "before" => &live.ok(&format!("eval 'lay(\"{kind}\")'")),
            _ => &live.ok(&format!("eval 'board.onpointermove = () => place.children[1] || lay(\"{kind}\")'")),
        };
        let (status, code, pressed) = if kind.is_empty() { (0, "", "board") } else { (2, "stale", "") };
        let told = live.run(&format!("click {number} --json")).exit(status).json();
        assert_eq!(told["error"]["code"].as_str().unwrap_or_default(), code, "{kind} {moment}: {told:#}");
        assert_eq!(live.json("get text --css #out")["value"], pressed, "{kind} {moment}");
    }
}
