//! What a receipt and a state say of a page: texts, places, focus, and order, each held against what the page itself
//! notes.

use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full, trials};
use serde_json::Value;

/// A command's receipt.
#[track_caller]
pub(crate) fn told(live: &Live, line: &str) -> Value {
    live.run(&format!("{line} --json")).json()
}

/// The kinds of a receipt's evidence.
fn kinds(receipt: &Value) -> Vec<&str> {
    receipt["evidence"].as_array().into_iter().flatten().filter_map(|e| e["kind"].as_str()).collect()
}

/// What JSON tells of a target's texts: role, name and text.
fn texts(target: &Value) -> [String; 3] {
    ["role", "name", "text"].map(|key| target[key].as_str().unwrap_or_default().to_owned())
}

/// What has no name of its own, with what it says.
const NAMELESS: &str = r#"<title>Nameless</title><style>.x { cursor: pointer }</style>
<div id=div onclick="log('div')">Alpha</div>
<ul><li id=li onclick="log('li')">Beta <b>bold</b></li></ul>
<table><tr><td id=td onclick="log('td')">Gamma</td><td>Other</td></tr></table>
<own-thing id=own onclick="log('own')">Delta</own-thing>
<p id=tab tabindex=0 onclick="log('tab')">Epsilon</p>
<div id=card onclick="log('card')"><div id=inner onclick="log('inner'); event.stopPropagation()">Zeta</div> <p>rest</p></div>
<div id=hand class=x>Eta</div><script>hand.addEventListener('click', () => log('hand'))</script>
<div id=holds onclick="log('holds')">Theta <button onclick="log('button'); event.stopPropagation()">Iota</button></div>
<ul id=list><li id=kappa>Kappa</li><li>Lambda</li></ul><script>list.addEventListener('click', e => log(e.target.id))</script>
<button onclick="log('all')">Alpha all</button>"#;

#[test]
fn what_has_no_name_is_named_by_what_it_says() {
    let live = Live::open(|_| page(NAMELESS));
    for (name, css, text) in [
        ("Alpha", "div", "Alpha"),
        ("'Beta bold'", "li", "Beta bold"),
        ("Gamma", "td", ""),
        ("Delta", "own", "Delta"),
        ("Epsilon", "tab", "Epsilon"),
        ("Zeta", "inner", "Zeta"),
        ("Eta", "hand", "Eta"),
        ("Iota", "button", ""),
        ("Kappa", "kappa", "Kappa"),
    ] {
        // An agent reads it in its line, too.
        let state = live.ok("state");
        assert!(state.contains(&format!("\"{}\"", name.trim_matches('\''))), "{name}: {state}");
        let receipt = told(&live, &format!("click --name {name}"));
        live.logged(css);
        let number = receipt["target"]["ref"].clone();
        let own = texts(&receipt["target"]);
        assert_eq!(own[2], text, "{name}: {receipt}");
        // One target has one text and one role, whoever tells of it.
        let state = live.json("state --all");
        let find = live.json(&format!("find --name {name}"));
        let inspect = live.json(&format!("inspect {number}"));
        let listed = |told: &Value| told["targets"].as_array().unwrap().iter().find(|t| t["ref"] == number).cloned();
        for (by, target) in [
            ("state", listed(&state)),
            ("find", listed(&find)),
            ("inspect", Some(inspect["target"].clone()).filter(Value::is_object).or(Some(inspect))),
        ] {
            assert_eq!(target.as_ref().map(texts), Some(own.clone()), "{name} by {by}: {target:?}");
        }
    }
}

/// A combo box that scripts made, as jQuery UI's Selectmenu makes it: its name comes from elsewhere, or from nowhere, and its
/// text is what was chosen.
const COMBOS: &str = r##"<title>Combos</title><label for=one id=label>Speed</label>
<span tabindex=0 id=one role=combobox aria-expanded=false aria-haspopup=true class=button><span class=icon></span><span class=text>Medium</span></span>
<span tabindex=0 id=two role=combobox aria-labelledby=label><span class=icon> </span><span class=text>Medium</span></span>
<span tabindex=0 id=three role=combobox title=Speed><span class=text>Medium</span></span>
<span tabindex=0 id=four role=button aria-label=Speed><span class=text>Medium</span></span>
<span tabindex=0 id=five role=button><span aria-hidden=true>Medium</span> <span class=text>speed</span></span>
<span tabindex=0 id=six role=button><span class=text>Medium</span><span style="font-size:0"> hidden</span></span>
<span tabindex=0 id=seven role=combobox><span class=icon></span><span class=text>Slow</span></span><p id=option>Medium</p>
<script>for (const el of document.querySelectorAll('[tabindex]')) {
  // Labelled by its option from the first time on.
  el.onmousedown = () => { el.ariaExpanded = 'true'; if (el.id === 'one' || el.id === 'seven') el.setAttribute('aria-labelledby', 'option') };
  el.onclick = () => log(el.id);
  el.onmouseover = () => el.classList.add('hover');
}</script>"##;

#[test]
fn a_combo_box_is_held_to_the_text_that_was_shown() {
    let live = Live::open(|_| page(COMBOS));
    let state = live.json("state");
    for id in ["one", "two", "three", "four", "five", "six"] {
        let number = live.number(&format!("#{id}"));
        let shown = state["targets"].as_array().unwrap().iter().find(|t| t["ref"] == number).cloned().unwrap();
        // By what a state shows of it, by what is expected of it, and once more, when it was acted on.
        for line in [
            format!("click {number}"),
            format!("click {number} --expect {}", if id == "five" { "speed" } else { "Medium" }),
            format!("click {number}"),
        ] {
            let receipt = told(&live, &line);
            live.logged(id);
            assert_ne!(receipt["verdict"], "contradicted", "{id} {line}: {receipt}");
            if id != "one" {
                assert_eq!(texts(&receipt["target"]), texts(&shown), "{id} {line}: {receipt}");
            }
        }
    }
    // One that comes to be called something else than it says, at the press, is another: it gets no click.
    let receipt = told(&live, &format!("click {}", live.number("#seven")));
    assert_eq!(receipt["verdict"], "unverifiable", "{receipt}");
    live.logged("");
}

/// What is clicked at a place of its own: it changes before or inside the press, or goes.
const PLACES: &str = r#"<title>Places</title><button id=b style="width:100px;height:40px">Approve</button>
<canvas id=board role=button tabindex=0 aria-label=Board width=100 height=40></canvas>
<div id=box role=button tabindex=0 style="width:100px;height:40px">Box <button id=in style="float:right">In</button></div><script>
let change = null, at = null;
for (const kind of ['pointerdown', 'mousedown', 'mouseup'])
  addEventListener(kind, () => { if (at === kind) change() }, true);
for (const el of [b, board, box]) for (const kind of ['mousedown', 'click']) el.addEventListener(kind, () => log(el.id, kind));
const relabel = () => { b.textContent = 'Delete'; board.ariaLabel = 'Delete' };
const hash = () => { const [when, what] = location.hash.slice(1).split('-'); at = when;
  change = { relabel, remove: () => { b.remove(); board.remove() } }[what] ?? (() => {}); if (when === 'now') change() };
addEventListener('hashchange', hash);
</script>"#;

#[test]
fn a_click_at_a_place_of_a_target_is_guarded_like_a_click() {
    let live = Live::closed(|_| page(PLACES));
    let mut sample = Sample::one_in(2);
    for (id, name) in [("b", "Approve"), ("board", "Board")] {
        let address = live.site.at(&format!("/?{id}"));
        live.ok(&format!("open {address}"));
        live.log();
        let number = live.number(&format!("#{id}"));
        let line = format!("click-at {number} --offset 20,20");
        for named in [
            line.clone(),
            format!("click-at '[{number}]' --offset 20,20"),
            format!("click-at css=#{id} --offset 20,20"),
        ] {
            live.ok(&named);
            live.logged(&format!("{id} mousedown {id} click"));
        }
        assert_eq!(live.run(&format!("click-at css=#{id} 20 --json")).code(), "bad_request");
        let receipt = told(&live, &format!("{line} --expect Other"));
        assert_eq!(receipt["verdict"], "contradicted", "{id}: {receipt}");
        live.logged("");
        for (when, log) in
            [("now", ""), ("pointerdown", ""), ("mousedown", ""), ("mouseup", &format!("{id} mousedown") as &str)]
        {
            // In a short run two of each.
            if !sample.takes() {
                continue;
            }
            live.ok("reload");
            live.log();
            let number = live.number(&format!("#{id}"));
            live.ok(&format!("open {address}#{when}-relabel"));
            let receipt = told(&live, &format!("click-at {number} --offset 20,20"));
            assert_eq!(receipt["verdict"], "contradicted", "{id} {when}: {receipt}");
            assert!(
                receipt["target"]["name"] == name || receipt["target"]["name"] == "Delete",
                "{id} {when}: {receipt}"
            );
            live.logged(log);
        }
        // So that the next begins with another.
        sample.takes();
        live.ok("reload");
        let number = live.number(&format!("#{id}"));
        live.ok(&format!("open {address}#now-remove"));
        assert!(live.problem(&format!("click-at {number} --offset 20,20")).starts_with("error[stale]"), "{id}");
        live.logged("");
    }
    // Another control inside the target isn't the target.
    live.ok(&format!("open {}", live.site.at("/")));
    live.log();
    let (number, rect) = (live.number("#box"), live.json("get rect --css #box")["value"].clone());
    let x = rect[2].as_f64().unwrap() - 5.0;
    let said = live.problem(&format!("click-at {number} --offset {x},5 --timeout 1"));
    assert!(said.starts_with("error[blocked]"), "{said}");
    live.logged("");
}

/// A frame goes elsewhere as a box is checked, in the page and in the frame itself.
fn frames(path: &str) -> Answer {
    match path.split_once('?').map_or(path, |(path, _)| path) {
        "/" => page(
            r#"<title>Frames</title><label><input type=checkbox id=takes onclick="f.src = '/inner?' + Math.random()"> Takes</label>
            <label><input type=checkbox id=refuses onclick="event.preventDefault(); f.src = '/inner?' + Math.random()"> Refuses</label>
            <label><input type=checkbox id=back onchange="f.src = '/inner?' + Math.random(); setTimeout(() => { checked = false }, 30)"> Back</label>
            <iframe id=f src=/inner></iframe><iframe id=again src=/again></iframe>"#,
        ),
        "/again" => page("<p>Again<script>setTimeout(() => location.reload(), 150)</script>"),
        _ => page("<p>Inner</p><script>const end = Date.now() + 100; while (Date.now() < end);</script>"),
    }
}

#[test]
fn a_check_is_read_back_while_a_frame_goes_elsewhere() {
    let live = Live::open(frames);
    for _ in 0..trials(1, 3) {
        for (id, verdict, checked) in
            [("takes", "confirmed", true), ("refuses", "contradicted", false), ("back", "contradicted", false)]
        {
            let receipt = told(&live, &format!("check --css #{id}"));
            assert_eq!(receipt["verdict"], verdict, "{id}: {receipt}");
            assert_eq!(live.json(&format!("inspect --css #{id}"))["checked"], checked, "{id}");
        }
        let receipt = told(&live, "uncheck --css #takes");
        assert_eq!(receipt["verdict"], "confirmed", "{receipt}");
        assert_eq!(live.json("inspect --css #takes")["checked"], false);
    }
}

/// Editable parts without a name: one sends what was put in, one breaks the line, one does nothing.
const EDITABLES: &str = r#"<title>Editables</title><style>div { min-height: 20px; border: 1px solid }</style>
<div id=sends contenteditable></div><div id=breaks contenteditable></div><div id=plain contenteditable=plaintext-only></div>
<div id=keeps contenteditable></div><p id=out></p><script>
sends.onkeydown = e => { if (e.key !== 'Enter') return; e.preventDefault(); out.textContent += sends.textContent + ';'; log(sends.textContent); sends.textContent = '' };
keeps.onkeydown = e => { if (e.key === 'Enter') e.preventDefault() };
</script>"#;

#[test]
fn enter_is_judged_in_an_editable_part_without_a_name() {
    let live = Live::open(|_| page(EDITABLES));
    let receipt = told(&live, "input --css #sends hello --enter");
    assert_eq!(
        (receipt["verdict"].as_str(), kinds(&receipt).contains(&"changes")),
        (Some("confirmed"), true),
        "{receipt}"
    );
    live.logged("hello");
    for id in ["breaks", "plain"] {
        let receipt = told(&live, &format!("input --css #{id} words --enter"));
        assert_eq!(receipt["verdict"], "confirmed", "{id}: {receipt}");
        assert!(live.ok(&format!("get html --css #{id}")).contains("words"), "{id}");
    }
    let receipt = told(&live, "input --css #keeps words --enter");
    assert!(matches!(receipt["verdict"].as_str(), Some("confirmed" | "unverifiable")), "{receipt}");
    // By its number, and again.
    let number = live.number("#sends");
    let receipt = told(&live, &format!("input {number} again --enter"));
    assert_eq!(receipt["verdict"], "confirmed", "{receipt}");
    live.logged("again");
}

/// A list whose items go and come; a script does the next thing at each press of a key.
const LIST: &str = r#"<title>List</title><button id=next>Next</button><ul id=list></ul><p><button>Last</button><script>
const make = (name) => { const li = document.createElement('li'); li.innerHTML = `<button>${name}</button> <a href=#${name}>see ${name}</a>`; return li };
for (let i = 0; i < COUNT; i++) list.append(make('item' + i));
let so = 0; const gone = [];
const told = () => log('\n' + [...document.querySelectorAll('button, a')].map(e => e.textContent).join(','));
const steps = [
  () => gone.push(list.children[2], list.children[5]), () => gone.forEach(e => e.remove()),
  () => list.prepend(make('first')), () => list.children[3].before(make('before')),
  () => list.children[1].after(gone[1]), () => list.append(gone[0]), () => list.children[4].remove(),
  () => list.insertBefore(list.lastChild, list.firstChild), () => list.replaceChildren(...[...list.children].reverse()),
  () => { const li = list.children[2]; li.replaceWith(make('other'), li) }, () => list.children[1].remove(), () => list.after(list.children[0]),
];
next.onclick = () => { steps[so++ % steps.length](); document.documentElement.dataset.order = [...document.querySelectorAll('button, a')].map(e => e.textContent).join() };
</script>"#;

#[test]
fn a_state_is_in_the_pages_order_whatever_goes_and_comes() {
    let routes =
        [(|_: &str| page(LIST.replace("COUNT", "8"))) as fn(&str) -> Answer, |_| page(LIST.replace("COUNT", "150"))];
    for route in routes.into_iter().take(if is_full() { 2 } else { 1 }) {
        let live = Live::open(route);
        live.json("state --all");
        for step in 0..12 {
            live.run("click --css #next --method invoke");
            let order = live.json("get attr --xpath /html data-order")["value"].as_str().unwrap().to_owned();
            let state = live.json("state --all");
            let names: Vec<&str> = state["targets"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|t| matches!(t["role"].as_str(), Some("button" | "link")))
                .filter_map(|t| t["name"].as_str())
                .collect();
            assert_eq!(names.join(","), order, "step {step}");
        }
    }
}

/// Parts of drawings that take the focus.
const DRAWN: &str = r##"<title>Drawn</title><svg width=300 height=60>
<g id=g tabindex=0 role=button aria-label=Group><rect width=40 height=40></rect></g>
<a id=a href="#x"><rect x=50 width=40 height=40></rect><title>Link</title></a>
<rect id=rect tabindex=0 x=100 width=40 height=40><title>Box</title></rect>
<text id=text tabindex=0 x=150 y=20>Words</text>
<g id=not role=button aria-label=Not onclick="0"><rect x=220 width=40 height=40></rect></g></svg>
<svg id=svg tabindex=0 role=img aria-label=Picture width=40 height=40></svg>
<script>document.addEventListener('focusin', e => log(e.target.id))</script>"##;

#[test]
fn the_focus_of_a_part_of_a_drawing_is_told_as_it_is() {
    let live = Live::open(|_| page(DRAWN));
    for id in ["g", "a", "rect", "text", "svg"] {
        let receipt = told(&live, &format!("focus --css #{id}"));
        assert_eq!(
            (receipt["verdict"].as_str(), kinds(&receipt).contains(&"focused")),
            (Some("confirmed"), true),
            "{id}: {receipt}"
        );
        live.logged(id);
    }
    let ran = live.run("focus --css #not --json");
    assert_ne!(ran.status, Some(0), "{ran:?}");
    live.logged("");
}

/// Pictures and glyphs that style sheets put beside texts, or in place of them.
const GLYPHS: &str = r#"<title>Glyphs</title><style>
.url::before { content: url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>") }
.plain::before { content: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=) }
.set::before { content: image-set("data:image/gif;base64,R0lGODlhAQABAAAAACw=" 1x, url(/two.png) 2x) }
.webkit::before { content: -webkit-image-set(url(data:image/gif;base64,R0lGODlhAQABAAAAACw=) 1x) }
.said::before { content: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=) / "Said" }
.glyph::before { content: "\e900" } .after::after { content: " \f054" } .high::before { content: "\f0001" }
</style>
<div role=radiogroup aria-label=Group><div id=radio role=radio tabindex=0 class=url>Thin crust</div></div>
<button id=plain class=plain>Save</button> <button id=set class=set>Open</button> <button id=webkit class=webkit>Shut</button>
<button id=alone class=url></button> <button id=said class=said></button>
<button id=glyph class=glyph>Mail</button> <button id=after class=after>Next</button> <button id=high class=high>High</button>
<button id=lone class=glyph></button> <button id=text>&#xe5cd; Close</button> <button id=icon><i class="icon icon-trash">&#xe5cd;</i></button>
<div id=div onclick="0" class=glyph>Row</div> <a id=link href=/x aria-label="&#xf007; User">x</a>
<script>addEventListener('hashchange', () => { icon.firstChild.textContent = '\ue872' })</script>"#;

#[test]
fn pictures_and_glyphs_of_icon_fonts_are_no_text() {
    let live = Live::open(|_| page(GLYPHS));
    let state = live.ok("state --all");
    assert!(!state.contains("data:image") && !state.contains("\\u{e") && !state.contains("\\u{f"), "{state}");
    for (id, name, text) in [
        ("radio", "Thin crust", ""),
        ("plain", "Save", ""),
        ("set", "Open", ""),
        ("webkit", "Shut", ""),
        ("alone", "", ""),
        ("said", "Said", ""),
        ("glyph", "Mail", ""),
        ("after", "Next", ""),
        ("high", "High", ""),
        ("lone", "", ""),
        ("text", "Close", ""),
        ("icon", "", ""),
        ("div", "", "Row"),
        ("link", "User", "x"),
    ] {
        for via in ["script", "ax"] {
            let found = live.json(&format!("find --css #{id} --via {via}"));
            let [_, is, says] = texts(&found["targets"][0]);
            assert_eq!((is.as_str(), says.as_str()), (name, text), "{id} via {via}: {found}");
        }
    }
    // It tells one icon from another all the same.
    let number = live.number("#icon");
    live.ok(&format!("open {}#swap", live.site.at("/")));
    let receipt = told(&live, &format!("click {number}"));
    assert_eq!(receipt["verdict"], "contradicted", "{receipt}");
}

#[test]
fn json_says_what_unit_its_coordinates_are_in() {
    let live = Live::open(|_| page("<title>Unit</title><button>One</button>"));
    let state = live.json("state");
    assert_eq!(state["scale"], 1.0, "{state}");
    live.ok("set viewport 800x600 --scale 2");
    let state = live.json("state");
    assert_eq!(
        (&state["scale"], &state["viewport"][2], &state["viewport"][3]),
        (&2.0.into(), &800.0.into(), &600.0.into()),
        "{state}"
    );
}

/// What takes the place of what was meant, inside the press.
const COVERS: &str = r#"<title>Covers</title><style>#cover { position: fixed; inset: 0 }</style><button id=b>Go</button><div id=cover hidden></div>
<button id=image style="position:fixed;inset:0" hidden></button><div id=says onclick=0 style="position:fixed;inset:0" hidden>Buy now</div>
<script>addEventListener('pointermove', () => { const over = document.getElementById(location.hash.slice(1)); if (over) over.hidden = false }, { capture: true, once: true })</script>"#;

#[test]
fn what_was_hit_instead_is_called_by_what_is_known_of_it() {
    let rows = [("cover", "without a name"), ("says", "\"Buy now\""), ("image", "without a name")];
    for (over, words) in rows.into_iter().take(if is_full() { 3 } else { 2 }) {
        let live = Live::open(|_| page(COVERS));
        let number = live.number("#b");
        live.ok(&format!("open {}#{over}", live.site.at("/")));
        let ran = live.run(&format!("click {number} --timeout 2"));
        let said = format!("{}{}", ran.out, ran.err);
        assert!(said.contains(words) && !said.contains("\"\""), "{over}: {said}");
    }
}

/// What changes no element: where a caret stands, what is selected, what was copied.
const CARETS: &str = r#"<title>Carets</title><input id=field value=abc aria-label=Field><input type=number id=number value=3 aria-label=Number>
<textarea id=lines aria-label=Lines>one
two</textarea><div id=rich contenteditable role=textbox aria-label=Rich>some rich text</div>
<input type=password id=secret value=hidden aria-label=Secret><p id=dead>Dead words</p>
<script>
const put = (el, at) => { el.focus(); el.setSelectionRange(at, at) };
const starts = {
  field: () => put(field, 3), begin: () => put(field, 0), lines: () => put(lines, 1), secret: () => put(secret, 6),
  rich: () => { rich.focus(); getSelection().collapse(rich.firstChild, 4) },
  selected: () => { field.focus(); field.select() }, none: () => {},
};
addEventListener('hashchange', () => starts[location.hash.slice(1)]());
</script>"#;

#[test]
fn what_changes_no_element_is_told_of() {
    let live = Live::open(|_| page(CARETS));
    let mut amiss = Vec::new();
    let rows = [
        ("begin", "keys ArrowLeft", "unverifiable", ""),
        ("secret", "keys ArrowLeft", "confirmed", "caret"),
        ("rich", "keys Shift+ArrowRight", "confirmed", "selection"),
        ("selected", "keys ctrl+c", "confirmed", "clipboard"),
        ("none", "click --css #dead", "no_effect", ""),
        // What is left is tried in a run of all.
        ("none", "dblclick --css #dead", "confirmed", "selection"),
        ("field", "keys ArrowLeft", "confirmed", "caret"),
        ("field", "keys Home", "confirmed", "caret"),
        ("field", "keys Shift+Home", "confirmed", "caret"),
        ("field", "keys ctrl+a", "confirmed", "caret"),
        ("begin", "keys Home", "unverifiable", ""),
        ("lines", "keys ArrowDown", "confirmed", "caret"),
        ("rich", "keys ArrowLeft", "confirmed", "caret"),
        ("field", "keys ctrl+c", "unverifiable", ""),
        ("none", "keys ctrl+a", "confirmed", "selection"),
    ];
    for (start, line, verdict, property) in rows.into_iter().take(if is_full() { 15 } else { 5 }) {
        live.ok(&format!("open {}", live.site.at("/carets")));
        live.ok(&format!("open {}", live.site.at(&format!("/carets#{start}"))));
        let receipt = told(&live, line);
        let change = &receipt["evidence"][0]["what"][0]["property"];
        if receipt["verdict"] != verdict || change.as_str().unwrap_or_default() != property {
            amiss.push(format!("{start}, {line}: {receipt}"));
        }
        assert!(!receipt.to_string().contains("hidden"), "{receipt}");
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}
