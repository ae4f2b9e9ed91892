//! What the places of targets tell, numbered and acted on by place; and pictures with the numbers in them.

use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::models::seen;
use serde_json::Value;

/// The colour of boxes around buttons.
const BUTTON: [u8; 3] = [0xb3, 0x12, 0x2f];

/// A table whose columns are made wider by real mouse events beside the borders of its headers, as spreadsheets in pages do it.
/// `/grips` has elements for that.
const TABLE: &str = r#"<title>Table</title><body style="margin:8px; font:14px/18px sans-serif">
<style>table{border-collapse:collapse; table-layout:fixed; width:480px} th,td{border:1px solid #999; padding:4px; position:relative; text-align:left}
.grip{position:absolute; right:0; top:0; width:6px; height:100%; cursor:col-resize}</style>
<table><colgroup><col style="width:160px"><col style="width:160px"><col style="width:160px"></colgroup>
<thead><tr><th>NameGRIP</th><th>AmountGRIP</th><th>StateGRIP</th></tr></thead>
<tbody><tr><td>Ada</td><td>12</td><td>paid</td></tr><tr><td>Grace</td><td>30</td><td>open</td></tr></tbody></table>
<p><input type=number aria-label=Count value=3> <button>Save</button></p><div style="height:2000px"></div><button>Low</button>
<script>
addEventListener('mousedown', (e) => {
  const heads = [...document.querySelectorAll('th')];
  const i = heads.findIndex((th) => { const r = th.getBoundingClientRect(); return Math.abs(e.clientX - r.right) <= 4 && e.clientY >= r.top && e.clientY < r.bottom });
  if (i < 0) return;
  const col = document.querySelectorAll('col')[i], from = e.clientX, width = heads[i].offsetWidth;
  const move = (m) => { document.querySelector('table').style.width = `${480 + m.clientX - from}px`; col.style.width = `${Math.max(20, width + m.clientX - from)}px` };
  const up = () => { removeEventListener('mousemove', move); removeEventListener('mouseup', up) };
  addEventListener('mousemove', move); addEventListener('mouseup', up); e.preventDefault();
});
</script>"#;

fn table(path: &str) -> Answer {
    match path {
        "/grips" => page(TABLE.replace("GRIP", "<span class=grip onmousedown='0'></span>")),
        _ => page(TABLE.replace("GRIP", "")),
    }
}

/// The target of a state that has this role and name.
fn target(state: &Value, role: &str, name: &str) -> Value {
    let all = state["targets"].as_array().into_iter().flatten();
    let found: Vec<&Value> = all.filter(|t| t["role"] == role && t["name"] == name).collect();
    assert_eq!(found.len(), 1, "{role} {name}: {state:#}");
    found[0].clone()
}

fn width(live: &Live, header: &str) -> f64 {
    live.json(&format!("get rect --role columnheader --name {header}"))["value"][2].as_f64().unwrap()
}

#[test]
fn an_inferred_column_border_is_dragged_and_the_column_is_wider() {
    let live = Live::open(table);
    let state = live.json("state --infer");
    let border = target(&state, "column border", "right of Amount");
    assert_eq!((border["source"].as_str(), border["confidence"].as_f64()), (Some("structure"), Some(0.9)));
    assert_eq!(border["reason"], "right edge of columnheader \"Amount\"");
    let (number, rect) = (border["ref"].as_u64().unwrap(), &border["rect"]);
    let side = |i: usize| rect[i].as_f64().unwrap();
    assert!(live.ok("state --infer").contains(&format!("[{number}] column border \"right of Amount\" rect=")));

    let before = width(&live, "Amount");
    let (x, y) = (side(0) + side(2) / 2.0, side(1) + side(3) / 2.0);
    let told = live.json(&format!("drag {number} --to {},{y}", x + 40.0));
    assert_eq!(told["verdict"], "confirmed", "{told:#}");
    let after = width(&live, "Amount");
    assert!((after - before - 40.0).abs() <= 1.5, "{before} {after}");
    let sizes: Vec<&Value> = told["evidence"].as_array().unwrap().iter().filter(|e| e["property"] == "width").collect();
    assert_eq!(sizes.len(), 1, "{told:#}");

    // It is elsewhere now: where it was there is nothing to drag, until it was shown again, under the same number.
    let said = live.problem(&format!("drag {number} --to {},{y}", x + 80.0));
    assert!(said.starts_with("error[stale]") && said.contains("handeye state --infer"), "{said}");
    assert_eq!(width(&live, "Amount"), after);
    let border = target(&live.json("state --infer"), "column border", "right of Amount");
    assert_eq!(border["ref"].as_u64(), Some(number));
    let told = live.json(&format!("drag {number} --to {},{y}", x));
    assert_eq!((told["verdict"].as_str(), width(&live, "Amount") < after), (Some("confirmed"), true), "{told:#}");

    // The same by coordinates alone.
    let rect = target(&live.json("state --infer"), "column border", "right of Name")["rect"].clone();
    let at = |i: usize| rect[i].as_f64().unwrap() + rect[i + 2].as_f64().unwrap() / 2.0;
    let before = width(&live, "Name");
    live.ok(&format!("drag-at {} {} {} {}", at(0), at(1), at(0) + 30.0, at(1)));
    assert!(width(&live, "Name") > before + 20.0);
}

#[test]
fn what_has_no_element_is_told_apart_from_what_has_one() {
    let live = Live::open(table);
    let state = live.json("state --infer");
    let number = target(&state, "column border", "right of Name")["ref"].as_u64().unwrap();
    for line in [
        format!("select {number} x"),
        format!("check {number}"),
        format!("focus {number}"),
        format!("input {number} x"),
    ] {
        let said = live.problem(&line);
        assert!(said.starts_with("error[unsupported]"), "{line}: {said}");
    }
    // Where it is can be asked for as of any target; what has no form for it says what has.
    let rect = target(&state, "column border", "right of Name")["rect"].clone();
    assert_eq!(live.json(&format!("get rect {number}"))["value"], rect);
    let said = live.problem(&format!("highlight {number}"));
    assert!(said.starts_with("error[unsupported]") && said.contains(&format!("handeye get rect {number}")), "{said}");
    assert!(!said.contains("X,Y"), "{said}");
    // A spin arrow is clicked by its place, and the field says what came of it.
    let arrow = target(&state, "spin arrow", "up in spinbutton \"Count\"")["ref"].as_u64().unwrap();
    let told = live.json(&format!("click {arrow}"));
    assert_eq!(told["verdict"], "confirmed", "{told:#}");
    assert_eq!(live.json("get value --css input")["value"], "4");
    // Nothing is inferred unasked.
    assert!(!live.ok("state").contains("column border"));
}

/// Two panes with a gap between them, where a double press selects the first word of the second one.
const PANES: &str = r#"<title>Panes</title><body style="margin:8px"><style>.pane{display:inline-block; vertical-align:top; width:300px; height:400px; overflow:auto; font:16px/20px sans-serif}</style>
<div style="white-space:nowrap; font-size:0"><nav class=pane aria-label=Left>Alpha words<div style="height:900px"></div></nav><span
style="display:inline-block; width:6px; height:400px"></span><main class=pane aria-label=Right>Beta words<div style="height:900px"></div></main></div>"#;

#[test]
fn what_a_press_selects_beside_a_region_proves_nothing() {
    let live = Live::open(|_| page(PANES));
    let state = live.json("state --infer");
    let splitter = target(&state, "splitter", "between navigation \"Left\" and main \"Right\"");
    let told = live.run(&format!("dblclick {} --json", splitter["ref"])).json();
    assert_eq!(told["evidence"][0]["what"][0]["property"], "selection elsewhere", "{told:#}");
    assert_eq!((&told["evidence"][0]["what"][0]["to"], &told["verdict"]), (&"Beta".into(), &"unverifiable".into()));
    // So it is with the place alone. On a word, a selection is what the press is for.
    for (place, verdict) in [("311 200", "unverifiable"), ("325 18", "confirmed")] {
        live.ok("reload");
        let told = live.run(&format!("dblclick-at {place} --json")).json();
        assert_eq!(told["verdict"], verdict, "{place}: {told:#}");
        assert!(told["evidence"].to_string().contains("\"Beta\""), "{place}: {told:#}");
    }
}

#[test]
fn what_was_pressed_before_is_not_what_a_place_is_held_to() {
    let live = Live::open(|_| page(PANES.replace("Beta words", "<a id=beta href='#x'>Beta words</a>")));
    live.run("click --css #beta");
    let told = live.run("dblclick-at 311 200 --json").json();
    assert!(told["evidence"].to_string().contains("selection elsewhere"), "{told:#}");
    assert_eq!(told["verdict"], "unverifiable", "{told:#}");
}

/// Chromium selects a line break there.
#[test]
fn a_double_press_of_what_holds_nothing_is_not_confirmed_by_what_it_selects() {
    let live = Live::open(|_| {
        page("<p>Some words here</p><div id=bar role=button tabindex=0 style='height:20px'></div><p>After</p>")
    });
    let told = live.run("dblclick --css #bar --json").json();
    assert!(told["verdict"].is_string() && told["verdict"] != "confirmed", "{told:#}");
}

/// One press at one place selects nothing by itself.
#[test]
fn what_a_page_selects_elsewhere_is_what_a_press_does() {
    let live = Live::open(|_| {
        page(
            "<pre id=code>let it = be</pre><button id=all onclick='getSelection().selectAllChildren(code)'>Select code</button>",
        )
    });
    let told = live.run("click --css #all --json").json();
    assert_eq!(told["verdict"], "confirmed", "{told:#}");
    assert_eq!(told["evidence"][0]["what"][0]["property"], "selection", "{told:#}");
}

#[test]
fn a_handle_that_the_page_has_is_the_pages_and_is_told_what_it_is() {
    let live = Live::open(table);
    live.ok(&format!("open {}", live.site.at("/grips")));
    let state = live.json("state --infer");
    let all = state["targets"].as_array().unwrap();
    assert!(all.iter().all(|t| t["role"] != "column border"), "{state:#}");
    let grips: Vec<&str> = all.iter().filter(|t| t["role"] == "generic").filter_map(|t| t["reads"].as_str()).collect();
    assert_eq!(grips, ["right of Name", "right of Amount", "right of State"]);
    let grip = all.iter().find(|t| t["reads"] == "right of Amount").unwrap();
    assert_eq!(grip["source"], "native");
    let before = width(&live, "Amount");
    let told = live.json(&format!("drag {} --to 400,20", grip["ref"]));
    assert_eq!((told["verdict"].as_str(), width(&live, "Amount") > before), (Some("confirmed"), true), "{told:#}");
}

#[test]
fn the_browsers_own_tree_adds_what_the_script_does_not_see() {
    let live = Live::open(|_| {
        page("<title>Play</title><video controls width=400 height=200 aria-label=Film></video><button>Save</button>")
    });
    let of = |line: &str, source: &str| -> Vec<(String, String)> {
        let state = live.json(line);
        let all = state["targets"].as_array().unwrap().iter().filter(|t| t["source"] == source);
        let text = |t: &Value, member: &str| t[member].as_str().unwrap_or_default().to_owned();
        all.map(|t| (text(t, "role"), text(t, "name"))).collect()
    };
    let plain = of("state", "native");
    assert!(plain.contains(&("button".into(), "Save".into())), "{plain:?}");
    assert_eq!(of("state --ax", "native"), plain, "what the script sees is the script's");
    let added = of("state --ax", "ax");
    assert!(added.iter().all(|target| !plain.contains(target)), "{added:?}");
    // What is gone from a list wasn't removed: changes are told between looks of one kind.
    let generation = live.json("state")["generation"].as_u64().unwrap();
    let changed = live.json(&format!("state --since {generation}"));
    assert_eq!(changed["changes"].as_array().map(Vec::len), Some(0), "{changed:#}");
}

#[test]
fn an_annotated_state_marks_what_is_in_view() {
    let live = Live::open(table);
    let path = live.home.work().join("marks.png");
    let state = live.json(&format!("state --annotated {} --infer --base64", path.display()));
    assert_eq!(state["annotated_screenshot"].as_str(), path.to_str());
    let picture = std::fs::read(&path).unwrap();
    assert_eq!(picture[..8], *b"\x89PNG\r\n\x1a\n");
    assert!(state["annotation"]["base64"].as_str().is_some_and(|text| text.starts_with("iVBORw0KGgo")));
    let refs = |list: &Value| -> Vec<u64> { list.as_array().unwrap().iter().filter_map(Value::as_u64).collect() };
    let marked = refs(&state["annotation"]["marked"]);
    let listed: Vec<u64> = state["targets"].as_array().unwrap().iter().filter_map(|t| t["ref"].as_u64()).collect();
    assert!(!marked.is_empty() && marked.iter().all(|number| listed.contains(number)), "{state:#}");
    let mut all = [marked, refs(&state["annotation"]["unmarked"])].concat();
    all.sort_unstable();
    let mut listed = listed;
    listed.sort_unstable();
    assert_eq!(all, listed, "every target in view is marked, or said not to be");
    assert!(!state.to_string().contains("\"Low\""), "what is out of view has no mark");

    let few = live.json("state --annotated --max-marks 2");
    assert_eq!(few["annotation"]["marked"].as_array().map(Vec::len), Some(2));
    assert!(std::path::Path::new(few["annotated_screenshot"].as_str().unwrap()).is_file());
    let shot = live.json(&format!("screenshot {} --annotated", live.home.work().join("shot.png").display()));
    let legend: Vec<&str> = shot["targets"].as_array().unwrap().iter().filter_map(|t| t["name"].as_str()).collect();
    assert_eq!((legend.contains(&"Save"), legend.contains(&"Low")), (true, false), "{shot:#}");
    for line in
        ["screenshot page.jpg --annotated", "state --annotated page.jpg", "highlight --name Save --to page.webp"]
    {
        let said = live.problem(line);
        assert!(said.starts_with("error[bad_request]") && said.contains(".png"), "{line}: {said}");
    }
    let said = live.problem("screenshot page.jpg --format png");
    assert!(said.starts_with("error[bad_request]"), "{said}");
    live.ok("state --screenshot page.jpg");
    assert!(std::fs::read(live.home.work().join("page.jpg")).unwrap().starts_with(b"\xff\xd8\xff"));
}

/// A list that is folded, in view as a whole, with words right above every other link.
const DENSE: &str = r#"<title>Dense</title><body style="margin:0; font:9px/10px sans-serif"><style>a{position:absolute; width:84px; height:12px; overflow:hidden}</style>
<script>for (let i = 0; i < 240; i++) document.write(`<a href="/${i}" style="left:${4 + i % 12 * 90}px; top:${4 + (i / 12 | 0) * 26}px">Item number ${i}</a>`)</script>"#;

#[test]
fn what_is_marked_is_what_is_listed() {
    let live = Live::open(|_| page(DENSE));
    let listed = |said: &str| said.lines().filter(|l| l.contains("link \"Item number")).count();
    let said = live.ok("state --annotated");
    let plain = live.ok("state --visible");
    assert!(said.len() < 7_000, "{}: {said}", said.len());
    assert_eq!(listed(&said), listed(&plain), "{said}");
    let words = said.lines().find(|l| l.starts_with("annotated ")).unwrap();
    assert!(words.contains("folded, without marks: ") && words.contains("--budget none"), "{words}");
    let count = |words: &str| {
        words
            .split_whitespace()
            .zip(words.split_whitespace().skip(1))
            .find(|(_, w)| w.starts_with("marked"))
            .unwrap()
            .0
            .parse::<usize>()
            .unwrap()
    };
    assert!(count(words) <= listed(&said), "{words} {said}");
    let all = live.ok("state --annotated --budget none --max-marks 500");
    assert_eq!(listed(&all), 240);
}

/// Buttons far down and to the right, one of them under a cover, and one inside a list that is scrolled by itself.
const PLACES: &str = r#"<title>Places</title><body style="margin:0; width:3000px; height:4000px"><style>button { position: absolute; width: 90px; height: 30px }</style>
<button style="left:900px; top:1900px">There</button><button style="left:1200px; top:1900px">Covered</button>
<div style="position:absolute; left:1190px; top:1890px; width:110px; height:50px; background:#ccc"></div>
<div id=list style="position:absolute; left:900px; top:2000px; width:200px; height:80px; overflow:auto"><div style="position:relative; height:900px"><button style="left:20px; top:400px">Inner</button></div></div>
<script>onload = () => { scrollTo(700, 1700); list.scrollTo(0, 380) }</script>"#;

#[test]
fn marks_lie_on_their_targets_however_dense_and_however_far_scrolled() {
    let live = Live::open(|_| page(PLACES));
    for scale in ["1", "2", "1.5", "3"].into_iter().skip(if is_full() { 0 } else { 2 }) {
        live.ok(&format!("set viewport 1000x700 --scale {scale}"));
        live.ok("reload");
        let path = live.home.work().join("places.png");
        let state = live.json(&format!("state --annotated {}", path.display()));
        let marked: Vec<u64> =
            state["annotation"]["marked"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        let of = |name: &str| {
            state["targets"].as_array().unwrap().iter().find(|t| t["role"] == "button" && t["name"] == name)
        };
        let covered = of("Covered").and_then(|t| t["ref"].as_u64());
        assert!(covered.is_none_or(|number| !marked.contains(&number)), "{state:#}");
        let bytes = std::fs::read(&path).unwrap();
        let size = |at: usize| f64::from(u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()));
        let times = state["annotation"]["scale"].as_f64().unwrap();
        assert_eq!((size(16), size(20)), (1000.0 * times, 700.0 * times), "{scale}");
        // The colour of buttons lies around these, a box's line and a label away at most, and nowhere else.
        let rects: Vec<[f64; 4]> = ["There", "Inner"]
            .iter()
            .map(|name| {
                let target = of(name).unwrap();
                assert!(marked.contains(&target["ref"].as_u64().unwrap()), "{name}: {state:#}");
                [0, 1, 2, 3].map(|i| target["rect"][i].as_f64().unwrap())
            })
            .collect();
        let [left, top, right, bottom] = seen(&bytes, BUTTON).unwrap().map(|side| side / times);
        let (first, last) = (rects[0], rects[1]);
        assert!((left - first[0].min(last[0])).abs() <= 30.0 && left <= first[0], "{scale}: {left} {rects:?}");
        assert!((top - first[1]).abs() <= 30.0 && top <= first[1], "{scale}: {top} {rects:?}");
        let ends = (first[0] + first[2], last[1] + last[3]);
        assert!((right - ends.0).abs() <= 30.0 && right >= ends.0, "{scale}: {right} {rects:?}");
        assert!((bottom - ends.1).abs() <= 30.0 && bottom >= ends.1, "{scale}: {bottom} {rects:?}");
    }
}
