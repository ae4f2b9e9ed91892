//! One page of what is hard: documents in documents and roots in roots, and every kind of control. By both ways of looking
//! each target is in the state, `inspect` tells of that very element, and an action on it is confirmed and had its effect.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};
use serde_json::Value;
use std::time::Duration;

/// What a control does when it is operated: it notes what it was given, and shows that something happened.
const DID: &str = "<script>function did(el, value = 'yes') { el.dataset.done = value; el.insertAdjacentText('afterend', ' did') }</script>";

const TOP: &str = r##"<title>Hard</title><style>header { position: sticky; top: 0; height: 50px; background: #eee; z-index: 9 } .box { width: 120px; height: 50px; margin: 10px; background: #ccc }</style>
<header><button id=head onclick="did(this)">Head</button></header>
<iframe name=s1 src=/same1 height=260 width=500></iframe><iframe src='OTHER/cross1' height=160 width=500></iframe>
<div id=host></div><iframe srcdoc="<button onclick='parent.did(this)'>In srcdoc</button>" height=60></iframe>
<iframe id=blank height=60></iframe><iframe sandbox=allow-scripts src=/sand height=60></iframe>
<p><label>Pet <select id=pet onchange="did(this, value)"><optgroup label=Cats><option value=c1>Tom<option value=c2>Felix</optgroup><optgroup label=Dogs><option value=d1>Rex</optgroup></select></label>
<label>Day <input id=day type=date onchange="did(this, value)"></label> <label>Time <input id=time type=time onchange="did(this, value)"></label>
<label>Hue <input id=hue type=color onchange="did(this, value)"></label> <label>Level <input id=level type=range min=0 max=50 step=5 onchange="did(this, value)"></label>
<label>Papers <input id=papers type=file onchange="did(this, files[0].name)"></label>
<label>Agree <input id=agree type=checkbox onchange="did(this, checked)"></label></p>
<audio id=sound controls src="data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=" onvolumechange="did(this, muted ? 'muted' : 'loud')"></audio>
<canvas id=canvas aria-label=Board width=200 height=80 onclick="did(this, [event.offsetX, event.offsetY].map(Math.round))"></canvas>
<svg id=chart role=button tabindex=0 aria-label=Chart width=120 height=40 onclick="const r = this.getBoundingClientRect(); did(this, [event.clientX - r.x, event.clientY - r.y].map(Math.round))"><rect width=110 height=30 fill=teal /></svg>
<div id=card class=box draggable=true role=button tabindex=0 aria-label=Card ondragstart="event.dataTransfer.setData('text', 'card')">Card</div>
<div id=bin class=box role=button tabindex=0 aria-label=Bin ondragover="event.preventDefault()" ondrop="event.preventDefault(); did(this, event.dataTransfer.getData('text'))">Bin</div>
<div id=knob class=box role=button tabindex=0 aria-label=Knob style="position:relative; touch-action:none">Knob</div>
<button id=opens onclick="did(this); modal.showModal()">Open dialog</button><button id=pops popovertarget=pop onclick="did(this)">Open popover</button>
<dialog id=modal><p>Sure?</p><button id=yes onclick="did(modal); modal.close()">Yes</button></dialog>
<div id=pop popover><button id=inpop onclick="did(pop); pop.hidePopover()">In popover</button></div>
<div inert><button>Inert</button></div><div style="content-visibility:hidden"><button>Skipped</button></div>
<div style="transform:rotate(30deg) scale(.7); margin:40px; width:200px"><button id=rotated onclick="did(this)">Rotated</button></div>
<div style="zoom:1.7"><button id=zoomed onclick="did(this)">Zoomed</button></div>
<div id=list style="height:200px; overflow:auto" tabindex=0 aria-label=Rows><div id=inner style="height:60000px; position:relative"></div></div>
<div style="height:1500px"></div><div style="content-visibility:auto"><button id=late onclick="did(this)">Rendered late</button></div>
<script>
const root = host.attachShadow({ mode: 'closed' });
root.innerHTML = '<div></div>';
const nested = root.firstChild.attachShadow({ mode: 'open' });
nested.innerHTML = '<iframe src=/closed height=60></iframe><button onclick="did(this)">Deep root</button>';
blank.contentDocument.body.innerHTML = '<button onclick="parent.did(this)">In blank</button>';
knob.onpointerdown = e => { knob.setPointerCapture(e.pointerId); knob.onpointermove = m => { knob.style.left = m.clientX - e.clientX + 'px' } };
knob.onpointerup = () => { knob.onpointermove = null; did(knob, parseInt(knob.style.left)) };
const draw = () => { const from = Math.floor(list.scrollTop / 30); inner.innerHTML = '';
  for (let k = from; k < from + 7; k++) { const b = document.createElement('button'); b.textContent = 'Item ' + k; b.id = 'item' + k;
    b.style = `position:absolute;height:28px;top:${k * 30}px`; b.onclick = () => did(b); inner.append(b) } };
list.onscroll = draw; draw();
</script>"##;

fn site(path: &str) -> Answer {
    let button = |name: &str| format!("{DID}<button onclick='did(this)'>{name}</button>");
    match path {
        "/same1" => page(format!("{}<iframe src=/same2 height=170 width=400></iframe>", button("Same one"))),
        "/same2" => page(format!("{}<iframe src=/same3 height=90></iframe>", button("Same two"))),
        "/same3" => page(button("Same three")),
        "/cross1" => page(format!("{}<iframe src=/to height=90></iframe>", button("Cross one"))),
        // The second crossing goes back to the first host, so it is of another origin than its parent again.
        "/to" => page("<script>location = 'http://127.0.0.1:' + location.port + '/cross2'</script>"),
        "/cross2" => page(button("Cross two")),
        "/closed" => page(button("In closed root")),
        "/sand" => page(button("Sandboxed")),
        "/favicon.ico" => Answer::Status("404 Not Found", String::new()),
        _ => page(format!("{DID}{TOP}")),
    }
}

/// A target, what is done to it, and what it must have noted then.
struct Case {
    role: &'static str,
    name: &'static str,
    tag: &'static str,
    line: &'static str,
    done: &'static str,
    /// Where it is noted, if not at the target.
    at: Option<&'static str>,
}

const fn case(
    role: &'static str,
    name: &'static str,
    tag: &'static str,
    line: &'static str,
    done: &'static str,
) -> Case {
    Case { role, name, tag, line, done, at: None }
}

const fn button(name: &'static str) -> Case {
    case("button", name, "button", "click #", "yes")
}

const CASES: &[Case] = &[
    button("Head"),
    button("Same one"),
    button("Same two"),
    button("Same three"),
    button("Cross one"),
    button("Cross two"),
    button("In closed root"),
    button("Deep root"),
    button("In srcdoc"),
    button("In blank"),
    button("Sandboxed"),
    case("combobox", "Pet", "select", "select # Felix", "c2"),
    case("textbox", "Day", "input", "input # 2026-11-21", "2026-11-21"),
    case("textbox", "Time", "input", "input # 08:05", "08:05"),
    case("button", "Hue", "input", "input # '#ff8800'", "#ff8800"),
    case("slider", "Level", "input", "input # 35", "35"),
    case("button", "Papers", "input", "upload # paper.txt", "paper.txt"),
    case("checkbox", "Agree", "input", "check #", "true"),
    case("canvas", "Board", "canvas", "click-at # --offset 150,20", "150,20"),
    case("button", "Chart", "svg", "click-at # --offset 30,10", "30,10"),
    Case { at: Some("#bin"), ..case("button", "Card", "div", "drag # --to BIN", "card") },
    case("button", "Knob", "div", "drag # --to ASIDE", "150"),
    button("Rotated"),
    button("Zoomed"),
];

/// What the browser renders only once it is near: its own tree hasn't got it before.
const LATE: Case = button("Rendered late");

/// What shows only after something else was done.
const THEN: &[Case] = &[
    button("Open dialog"),
    Case { at: Some("#modal"), ..button("Yes") },
    button("Open popover"),
    Case { at: Some("#pop"), ..button("In popover") },
];

/// The state's target of that role and name.
#[track_caller]
fn target<'a>(state: &'a Value, role: &str, name: &str) -> &'a Value {
    let all = state["targets"].as_array().unwrap();
    let mut found = all.iter().filter(|t| t["role"] == role && t["name"] == name);
    let first = found.next().unwrap_or_else(|| panic!("no {role} {name}: {state:#}"));
    assert!(found.next().is_none(), "{role} {name} twice: {state:#}");
    first
}

#[track_caller]
fn number(state: &Value, role: &str, name: &str) -> u64 {
    target(state, role, name)["ref"].as_u64().unwrap()
}

/// `inspect` tells of the target that the state told of, and its XPath leads to the same element.
#[track_caller]
fn inspected(live: &Live, via: &str, state: &Value, case: &Case) {
    let target = target(state, case.role, case.name);
    let told = live.json(&format!("inspect {} --via {via}", target["ref"]));
    for key in ["ref", "role", "name", "document"] {
        assert_eq!(told[key], target[key], "{key} of {told:#}");
    }
    assert_eq!(
        (&told["tag"], &told["visible"], &told["enabled"]),
        (&case.tag.into(), &true.into(), &true.into()),
        "{told:#}"
    );
    let by_path = live.json(&format!("inspect --xpath {}", told["xpath"].as_str().unwrap()));
    assert_eq!(by_path["ref"], target["ref"], "{told:#}");
}

/// Does what a case says; it must be confirmed, and noted by the page.
#[track_caller]
fn done(live: &Live, state: &Value, case: &Case) {
    let n = number(state, case.role, case.name);
    let mut line = case.line.replacen('#', &n.to_string(), 1);
    if line.contains("BIN") {
        line = line.replace("BIN", &number(state, "button", "Bin").to_string());
    }
    if line.contains("ASIDE") {
        live.ok(&format!("hover {n}"));
        let rect = live.ok(&format!("get rect {n}"));
        let side: Vec<f64> = rect.split(',').map(|side| side.parse().unwrap()).collect();
        let to = format!("{},{}", side[0] + side[2] / 2.0 + 150.0, side[1] + side[3] / 2.0);
        line = line.replace("ASIDE", &to);
    }
    let said = live.ok(&line);
    assert!(said.contains("confirmed"), "{line}: {said}");
    let noted = match case.at {
        Some(css) => format!("get attr --css {css} data-done"),
        None => format!("get attr {n} data-done"),
    };
    assert_eq!(live.ok(&noted), case.done, "{line}: {said}");
}

/// All of it once, looked at in that way; by default every second case, each way the others, and of what comes later a part.
fn all(live: &Live, via: &str) {
    live.ok(&format!("open {}", live.site.at("/")));
    let (mut state, mut missing) = (Value::Null, Vec::new());
    let look = || live.json(&format!("state --via {via}"));
    home::eventually(Duration::from_secs(20), || {
        state = look();
        let names: Vec<&str> = state["targets"].as_array().unwrap().iter().filter_map(|t| t["name"].as_str()).collect();
        missing = CASES.iter().map(|case| case.name).filter(|name| !names.contains(name)).collect();
        missing.is_empty()
    });
    assert!(missing.is_empty(), "by {via}: no {missing:?} in {}", live.ok(&format!("state --via {via} --budget none")));
    let text = live.ok(&format!("state --via {via} --budget none"));
    for hidden in ["Inert", "Skipped", "\"Yes\"", "In popover"] {
        assert!(!text.contains(hidden), "{hidden} by {via}: {text}");
    }
    let mut sample = Sample::one_in(2).beginning_at(usize::from(via == "ax"));
    for case in CASES {
        if !sample.takes() {
            continue;
        }
        inspected(live, via, &state, case);
        done(live, &state, case);
    }
    for case in THEN.iter().filter(|_| is_full() || via == "script") {
        let state = look();
        inspected(live, via, &state, case);
        done(live, &state, case);
    }
    assert!(via == "ax" || text.contains(LATE.name), "{text}");
    live.ok("scroll down 9000");
    let state = look();
    inspected(live, via, &state, &LATE);
    done(live, &state, &LATE);
    if !is_full() && via == "script" {
        return;
    }
    // Rows of a virtual list are there once it is scrolled to them.
    let first = number(&look(), "button", "Item 0");
    live.ok(&format!("scroll {first} down 3000"));
    let state = look();
    for case in [button("Item 100"), button("Item 104")] {
        inspected(live, via, &state, &case);
        done(live, &state, &case);
    }
}

#[test]
fn each_target_of_a_hard_page_is_listed_inspected_and_operated_by_the_script() {
    let live = Live::closed(site);
    std::fs::write(live.home.work().join("paper.txt"), "paper").unwrap();
    all(&live, "script");
}

#[test]
fn each_target_of_a_hard_page_is_listed_inspected_and_operated_by_the_tree() {
    let live = Live::closed(site);
    std::fs::write(live.home.work().join("paper.txt"), "paper").unwrap();
    all(&live, "ax");
    // The browser draws these itself, where no script can look.
    let mute = || live.json("find mute --via ax --role button");
    assert!(
        home::eventually(Duration::from_secs(10), || live.run("find mute --via ax --role button").status == Some(0))
    );
    let mute = mute()["targets"][0]["ref"].as_u64().unwrap();
    let said = live.ok(&format!("click {mute}"));
    assert!(said.contains("confirmed"), "{said}");
    assert_eq!(live.ok("get attr --css #sound data-done"), "muted");
    assert_eq!(live.json("find unmute --via ax")["targets"][0]["ref"], mute);
}
