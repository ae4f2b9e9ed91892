//! Changes that show in no target: named where they are one, and none where all is as it was.
//!
//! A sample by default, a click in one row of six and a key in others; with `HANDEYE_TRIALS=full`, all of it.

use handeye_testkit::live::{Live, page};
use handeye_testkit::{Sample, trials};
use serde_json::{Value, json};

const PAGE: &str = r#"<title>Mutations</title><style>.on { color: red }</style>
<button id=it>It<i id=tick style="position:absolute; opacity:0; width:9px; height:9px; background:red"></i><span id=host></span><span id=layer style="position:absolute; pointer-events:none"></span></button> <canvas id=canvas width=40 height=40></canvas>
<p id=shown class="a b" style="color: red" data-n=1>Shown</p> <ul id=list><li>One<li>Two<li>Three</ul>
<p id=unseen hidden>First</p> <input type=hidden id=kept value=old> <svg width=20 height=20><rect id=drawn width=9 height=9></rect></svg>
<script>
const [one, two, three] = list.children;
const shape = (tag) => { const s = document.createElement(tag); s.style.cssText = 'position:absolute; width:9px; height:9px; background:red'; return s };
// As Ant Design draws it: a holder without a size, and in it what fades for two seconds.
const tree = host.attachShadow({ mode: 'open' });
const wave = (at) => { const holder = document.createElement('div'), s = shape('div'); holder.style.position = 'absolute'; holder.append(s); at.prepend(holder); s.animate([{ opacity: .2 }, { opacity: 0 }], 2000); setTimeout(() => holder.remove(), 2000) };
const deeds = {
  // What is set to what it is, or back, is no change.
  'class again': () => shown.classList.add('a'),
  'class and back': () => { shown.classList.add('c'); shown.classList.remove('c') },
  'class in other words': () => { shown.className = ' b  a ' },
  'style and back': () => { shown.style.color = 'blue'; shown.style.color = 'red' },
  'attribute again': () => { shown.dataset.n = '1' },
  'text again': () => { shown.textContent = 'Shown' },
  'text in other spaces': () => { shown.firstChild.data = ' Shown ' },
  'child out and in': () => { list.append(three) },
  'children anew': () => { list.innerHTML = list.innerHTML },
  'all out and in': () => { const all = [...list.children]; list.replaceChildren(); list.replaceChildren(...all) },
  'style in other words': () => { shown.style.color = 'blue'; shown.style.cssText = 'color:RED' },
  'list filled anew': () => { const texts = [...list.children].map(li => li.textContent); list.replaceChildren(); for (const text of texts) { const li = document.createElement('li'); list.append(li); li.textContent = text } },
  'many others first': () => { for (let n = 0; n < 400; n++) { const b = document.createElement('b'); b.hidden = true; kept.after(b); b.remove() } list.append(three) },
  'comment': () => shown.append(document.createComment('x')),
  'ripple': () => { const r = document.createElement('i'); it.append(r); setTimeout(() => r.remove(), 300) },
  'wave': () => wave(it),
  'wave, and late': () => { wave(it); setTimeout(() => { unseen.textContent = 'Late' }, 400) },
  'wave of the one before': () => { it.querySelectorAll('div').forEach(one => one.remove()); wave(it) },
  'wave in a shadow tree': () => wave(tree),
  // As MUI draws it: in a layer of its own, growing until it is taken out.
  'ripple in a layer': () => { const s = shape('b'); layer.append(s); s.animate([{ transform: 'scale(0)' }, { transform: 'scale(2)' }], 200); setTimeout(() => s.remove(), 200) },
  'ripple over the page': () => { const s = shape('b'); s.style.position = 'fixed'; document.body.append(s); s.animate([{ transform: 'scale(0)' }, { transform: 'scale(1)' }], 200); setTimeout(() => s.remove(), 200) },
  'drawn elsewhere': () => { const c = canvas.getContext('2d'); c.fillStyle = 'red'; c.fillRect(0, 0, 40, 40) },
  'spot': () => { const s = shape('span'); it.append(s); s.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 500, fill: 'forwards' }); setTimeout(() => s.remove(), 3000) },
  'pressed look': () => { it.classList.add('down'); setTimeout(() => it.classList.remove('down'), 300) },
  // What is another is named.
  'class': () => shown.classList.add('on'),
  'pointed at and set': () => it.classList.add('on'),
  'class of its own': () => it.classList.toggle('on'),
  'style': () => { shown.style.fontWeight = 'bold' },
  'attribute': () => { shown.dataset.n = '2' },
  'attribute without a value': () => shown.toggleAttribute('itemscope'),
  'text out of sight': () => { unseen.textContent = 'Second' },
  'value out of sight': () => { kept.setAttribute('value', 'new') },
  'picture': () => drawn.setAttribute('width', '12'),
  'order': () => { list.prepend(three) },
  'order and an item': () => { list.prepend(three); three.className = 'x' },
  'order anew': () => { list.innerHTML = '<li>Two<li>One<li>Three' },
  'content': () => { const b = document.createElement('b'); b.hidden = true; b.textContent = 'More'; list.append(b) },
  // Shapes that are there to stay, wherever they are drawn, and those beside what is pressed.
  'mark': () => it.append(shape('i')),
  'mark that fades in': () => { const m = shape('i'); it.append(m); m.animate([{ opacity: 0 }, { opacity: 1 }], 300) },
  'mark in what moves': () => { it.animate([{ opacity: 1 }, { opacity: .5 }], 1000); it.append(shape('i')) },
  'mark that was there': () => { tick.style.opacity = 1 },
  'spinner': () => { const s = shape('i'); it.append(s); s.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300, iterations: Infinity }) },
  'wave elsewhere': () => wave(shown),
  // What shows in nothing proves nothing, and is told.
  'stored': () => localStorage.setItem('kept', Math.random()),
  'stored for the session': () => sessionStorage.setItem('kept', Math.random()),
  'stored as it was': () => localStorage.setItem('always', 'same'),
  'cookie': () => { document.cookie = `visits=${Math.random()}` },
  'stored, and seen': () => { localStorage.setItem('kept', Math.random()); unseen.textContent = 'Kept' },
  // What can't be named proves nothing.
  'sheet': () => { document.querySelector('style').textContent = '.on { color: green }' },
};
localStorage.setItem('always', 'same');
it.onclick = () => deeds[deed]();
it.onkeydown = (e) => { if (e.key === 'x') deeds[deed]() };
if (deed === 'pointed at and set') it.onpointerenter = () => it.classList.add('over');
</script>"#;

/// A deed of the page, the verdict, and what is named: where, the property, before, now.
type Row = (&'static str, &'static str, Option<[&'static str; 4]>);

const ROWS: &[Row] = &[
    ("class again", "no_effect", None),
    ("class and back", "no_effect", None),
    ("class in other words", "no_effect", None),
    ("style and back", "no_effect", None),
    ("attribute again", "no_effect", None),
    ("text again", "no_effect", None),
    ("text in other spaces", "no_effect", None),
    ("child out and in", "no_effect", None),
    ("children anew", "no_effect", None),
    ("all out and in", "no_effect", None),
    ("style in other words", "no_effect", None),
    ("list filled anew", "no_effect", None),
    ("many others first", "unverifiable", Some(["", "", "", ""])),
    ("comment", "no_effect", None),
    ("ripple", "no_effect", None),
    ("wave", "no_effect", None),
    ("wave, and late", "confirmed", Some(["<p>", "text", "First", "Late"])),
    ("wave in a shadow tree", "no_effect", None),
    ("ripple in a layer", "no_effect", None),
    ("ripple over the page", "no_effect", None),
    ("drawn elsewhere", "unverifiable", Some(["<canvas>", "picture", "", "drawn anew"])),
    ("spot", "no_effect", None),
    ("pressed look", "no_effect", None),
    ("class", "confirmed", Some(["<p>", "class", "", "on"])),
    ("class of its own", "confirmed", Some(["button \"It\"", "class", "", "on"])),
    ("style", "confirmed", Some(["<p>", "style", "", "font-weight: bold"])),
    ("attribute", "confirmed", Some(["<p>", "data-n", "1", "2"])),
    ("attribute without a value", "confirmed", Some(["<p>", "itemscope", "", "itemscope"])),
    ("text out of sight", "confirmed", Some(["<p>", "text", "First", "Second"])),
    ("value out of sight", "confirmed", Some(["<input>", "value", "", ""])),
    ("picture", "confirmed", Some(["<rect>", "width", "9", "12"])),
    ("order", "confirmed", Some(["list", "order", "One Two Three", "Three One Two"])),
    ("order and an item", "confirmed", Some(["list", "order", "One Two Three", "Three One Two"])),
    ("pointed at and set", "confirmed", Some(["button \"It\"", "class", "", "on"])),
    ("order anew", "confirmed", Some(["list", "order", "One Two Three", "Two One Three"])),
    ("content", "confirmed", Some(["list", "content", "", "<b> More"])),
    ("mark", "confirmed", Some(["button \"It\"", "content", "", "<i>"])),
    ("mark that fades in", "confirmed", Some(["button \"It\"", "content", "", "<i>"])),
    ("mark in what moves", "confirmed", Some(["button \"It\"", "content", "", "<i>"])),
    ("mark that was there", "confirmed", Some(["<i> in button \"It\"", "style", "opacity: 0", "opacity: 1"])),
    ("spinner", "confirmed", Some(["button \"It\"", "content", "", "<i>"])),
    ("wave elsewhere", "confirmed", Some(["<p>", "content", "", "<div>"])),
    ("stored", "unverifiable", Some(["<html>", "local storage", "", "kept"])),
    ("stored for the session", "unverifiable", Some(["<html>", "session storage", "", "kept"])),
    ("stored as it was", "no_effect", None),
    ("cookie", "unverifiable", Some(["<html>", "cookies", "", "visits"])),
    ("stored, and seen", "confirmed", Some(["<p>", "text", "First", "Kept"])),
    ("sheet", "unverifiable", Some(["", "", "", ""])),
];

#[test]
fn a_change_is_named_and_what_is_as_it_was_is_none() {
    let mut amiss = Vec::new();
    let live =
        Live::open(|path| page(format!("<script>const deed = decodeURIComponent('{}')</script>{PAGE}", &path[1..])));
    let mut sample = Sample::one_in(6).beginning_at(5);
    for (action, verdict, named) in ROWS {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at(&format!("/{}", action.replace(' ', "%20")))));
        let told: Value = live.run("click --css #it --json").json();
        let what = told["evidence"].as_array().unwrap().iter().find(|e| e["kind"] == "mutated").cloned();
        let first = what
            .as_ref()
            .map(|w| w["what"][0].clone())
            .map(|m| ["place", "property", "from", "to"].map(|k| m[k].as_str().unwrap_or_default().to_owned()));
        let wanted = named.map(|n| n.map(str::to_owned));
        if told["verdict"] != json!(verdict) || first != wanted {
            amiss.push(format!("{action}: {} {first:?}, {}", told["verdict"], told["reason"]));
        }
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}

/// Deeds that are told of a click alone: of what it points to, and of what is looked at while it is pointed to.
const BY_POINTER: [&str; 2] = ["pointed at and set", "drawn elsewhere"];

/// Widgets as the ARIA Authoring Practices have them set their attributes at every key, whether it means something or not.
#[test]
fn a_key_that_leaves_all_as_it_was_is_not_confirmed() {
    let mut amiss = Vec::new();
    let live =
        Live::open(|path| page(format!("<script>const deed = decodeURIComponent('{}')</script>{PAGE}", &path[1..])));
    let mut sample = Sample::one_in(8);
    for (action, by_click, named) in ROWS.iter().filter(|row| !BY_POINTER.contains(&row.0)) {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at(&format!("/{}", action.replace(' ', "%20")))));
        live.ok("focus --css #it");
        let told: Value = live.run("keys x --json").json();
        let evidence = told["evidence"].as_array().unwrap();
        // Nobody knows what a key is for that is meant for no target.
        let verdict = if *by_click == "no_effect" { "unverifiable" } else { by_click };
        let mutated = evidence.iter().find(|e| e["kind"] == "mutated");
        if told["verdict"] != json!(verdict) || mutated.is_some() != named.is_some() {
            amiss.push(format!("{action}: {} {evidence:?}, {}", told["verdict"], told["reason"]));
        }
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}

#[test]
fn a_ripple_of_the_press_before_is_taken_out_by_none() {
    let live =
        Live::open(|path| page(format!("<script>const deed = decodeURIComponent('{}')</script>{PAGE}", &path[1..])));
    live.ok(&format!("open {}", live.site.at("/wave%20of%20the%20one%20before")));
    for _ in 0..3 {
        let told: Value = live.run("click --css #it --json").json();
        assert_eq!(told["verdict"], "no_effect", "{told}");
    }
}

/// As Materialize draws it: opaque until some time after the press, then it fades, in whatever was pressed before.
const FADING: &str = r#"<title>Fading</title><style>.b { position: relative; padding: 12px; overflow: hidden } .r { position: absolute; width: 20px; height: 20px; background: #0003; transition: opacity .7s; pointer-events: none }</style>
<a class=b id=first href=#first>First</a> <button class=b id=one>One</button> <button class=b id=two>Two</button> <button class=b id=live>Live</button><p id=told hidden>told</p>
<script>
addEventListener('mousedown', e => { const b = e.target.closest('.b'); if (!b) return; const s = document.createElement('div'); s.className = 'r'; b.append(s); s.style.opacity = 1;
  b.addEventListener('mouseup', () => setTimeout(() => { s.style.opacity = 0; setTimeout(() => s.remove(), 750) }, 300), { once: true }) });
live.onclick = () => { told.textContent += '!' };
</script>"#;

#[test]
fn ripples_of_presses_before_confirm_none() {
    let live = Live::open(|_| page(FADING));
    for _ in 0..trials(1, 3) {
        assert_eq!(live.run("click css=#live --json").json()["verdict"], "confirmed");
        for id in ["one", "two"] {
            let told: Value = live.run(&format!("click css=#{id} --json")).json();
            assert_ne!(told["verdict"], "confirmed", "{id}: {told}");
        }
    }
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_timer_of_the_click_before_confirms_no_click_that_sets_what_is_set() {
    let live = Live::closed(|_| {
        page(
            "<title>Timer</title><button id=starts>Starts</button> <button id=again onclick=\"this.classList.add('set')\">Again</button><div id=out></div>
             <script>starts.onclick = () => { out.className = 'on'; setTimeout(() => { out.className = 'off' }, 2500) }</script>",
        )
    });
    // The timer of the first click runs out while the second one is watched.
    live.settings("[waits]\neffect = 6.0\n");
    live.ok(&format!("open {}", live.site.at("/")));
    live.ok("click css=#again");
    live.ok("click css=#starts");
    let told: Value = live.run("click css=#again --json").json();
    assert_eq!(told["verdict"], "unverifiable", "{told}");
}
