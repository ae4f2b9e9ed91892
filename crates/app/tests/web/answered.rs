//! What a page makes of the press or the key itself: a gesture that reached its target is done, though the target is gone, moved
//! or covered before the last of its events, and nothing else gets what is left of it.

use handeye_testkit::Sample;
use handeye_testkit::live::{Live, page};
use serde_json::Value;

/// Targets that the page takes away, covers or moves in answer to one of a gesture's events; what lies below must get nothing.
const PAGE: &str = r#"<title>Answered</title>
<style>button, li, .cell { height: 30px; width: 160px; display: block } #below { position: absolute; left: 8px; top: 8px; z-index: 0 }
#stack { position: relative; height: 40px } #stack > * { position: absolute; left: 0; top: 0 }</style>
<div id=stack><button id=danger onmousedown="log('danger down')" onmouseup="log('danger up')" onclick="log('danger click')">Delete</button><button id=it>Choose</button></div>
<p><input id=field aria-label=Field> <input id=other aria-label=Other></p> <output id=out></output>
<script>
const away = () => { it.remove(); out.textContent = 'chosen' };
const kinds = {
  mousedown: () => it.addEventListener('mousedown', away),
  mouseup: () => it.addEventListener('mouseup', away),
  pointerdown: () => it.addEventListener('pointerdown', away),
  pointerup: () => it.addEventListener('pointerup', away),
  moved: () => it.addEventListener('mousedown', () => { it.style.left = '300px'; out.textContent = 'chosen' }),
  covered: () => it.addEventListener('mousedown', () => { it.after(danger); out.textContent = 'chosen' }),
  contextmenu: () => it.addEventListener('contextmenu', (e) => { e.preventDefault(); it.after(danger); out.textContent = 'chosen' }),
  // What ends something held is told to those that wait for it.
  held: () => it.addEventListener('mousedown', () => {
    it.after(danger);
    document.addEventListener('mouseup', () => { out.textContent = 'chosen' }, { once: true });
  }),
  // No answer: the page made the same anew.
  anew: () => it.addEventListener('mousedown', () => { it.outerHTML = it.outerHTML }),
  relabelled: () => it.addEventListener('mousedown', () => { it.textContent = 'Delete' }),
  // A press is all that it waits for, and it says so.
  toggles: () => it.addEventListener('pointerdown', () => { it.textContent = 'Pause'; out.textContent += 'toggled' }),
  toggled: () => it.addEventListener('mousedown', () => { it.textContent = 'Pause'; out.textContent += 'toggled' }),
  disables: () => it.addEventListener('pointerdown', () => { it.disabled = true; out.textContent += 'sent' }),
  // What is left of the click would be another's.
  baits: () => {
    it.addEventListener('pointerdown', () => { it.textContent = 'Delete' });
    it.addEventListener('click', () => { out.textContent = 'deleted' });
  },
  // Relabelled before it got anything, or by itself once it had.
  before: () => addEventListener('pointerdown', () => { it.textContent = 'Delete' }, true),
  // What others do once a press is over is done, though what was pressed is gone.
  released: () => {
    it.addEventListener('mousedown', away);
    document.addEventListener('mouseup', () => { out.textContent += '!' });
  },
  // The page sends the form itself.
  sends: () => {
    const form = document.createElement('form');
    document.body.append(form);
    form.onsubmit = (e) => { e.preventDefault(); out.textContent = 'sent' };
    field.addEventListener('keydown', (e) => { if (e.key === 'Enter') { field.remove(); form.requestSubmit() } });
  },
  enter: () => field.addEventListener('keydown', (e) => { if (e.key === 'Enter') { out.textContent = 'chosen ' + field.value; field.remove() } }),
  on: () => field.addEventListener('keydown', (e) => { if (e.key === 'Enter') { out.textContent = 'chosen ' + field.value; other.focus() } }),
  lost: () => field.addEventListener('input', () => { field.remove() }),
};
other.onkeydown = other.onkeypress = other.onbeforeinput = (e) => log('other ' + e.type);
kinds[kind]?.();
</script>"#;

fn judged(live: &Live, line: &str) -> (String, bool) {
    let told: Value = live.run(&format!("{line} --json")).json();
    (told["verdict"].as_str().unwrap_or_default().to_owned(), told["by"] == "the press alone")
}

#[test]
fn what_a_page_answers_to_the_press_or_the_key_is_done_and_nothing_else_gets_the_rest() {
    let live = Live::open(|path| page(format!("<script>const kind = '{}'</script>{PAGE}", &path[1..])));
    let mut amiss = Vec::new();
    // The first of each three is tried in the short run.
    let mut sample = Sample::one_in(3);
    for (kind, line, verdict, shown) in [
        ("mousedown", "click --css #it", "confirmed", "chosen"),
        ("mouseup", "click --css #it", "confirmed", "chosen"),
        ("pointerdown", "click --css #it", "confirmed", "chosen"),
        ("covered", "click --css #it", "confirmed", "chosen"),
        ("moved", "click --css #it", "confirmed", "chosen"),
        ("pointerup", "click --css #it", "confirmed", "chosen"),
        ("contextmenu", "rightclick --css #it", "confirmed", "chosen"),
        ("held", "click --css #it", "confirmed", "chosen"),
        ("released", "click --css #it", "confirmed", "chosen!"),
        ("sends", "input --css #field words --enter", "confirmed", "sent"),
        ("sends", "type words --enter", "confirmed", "sent"),
        ("anew", "click --css #it", "contradicted", ""),
        ("baits", "click --css #it", "unverifiable", ""),
        ("toggles", "click --css #it", "unverifiable", "toggled"),
        ("toggled", "click --css #it", "unverifiable", "toggled"),
        ("before", "click --css #it", "contradicted", ""),
        ("relabelled", "click --css #it", "unverifiable", ""),
        ("disables", "click --css #it", "unverifiable", "sent"),
        ("enter", "input --css #field words --enter", "confirmed", "chosen words"),
        ("on", "input --css #field words --enter", "confirmed", "chosen words"),
        ("enter", "type words --enter", "confirmed", "chosen words"),
        ("on", "type words --enter", "confirmed", "chosen words"),
        ("lost", "type words", "contradicted", ""),
    ] {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at(&format!("/{kind}"))));
        if line.starts_with("type") {
            live.ok("focus --css #field");
        }
        let (told, pressed) = judged(&live, line);
        let seen = live.ok("get text --css #out");
        // A receipt says that no click came, where one was meant to.
        let unclicked = line.starts_with("click") && verdict == "confirmed";
        if told != verdict || seen.trim() != shown || pressed != unclicked {
            amiss.push(format!("{kind}, {line}: {told}, {seen:?}, by the press alone: {pressed}"));
        }
        // `type` is for what has the focus: its keys follow where the page passes it on while it deals with one.
        let follows = kind == "on" && line.starts_with("type");
        let (got, wanted) = (live.log(), if follows { "other keypress other beforeinput" } else { "" });
        if got != wanted {
            amiss.push(format!("{kind}, {line}: something else got {got:?}"));
        }
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}

/// An item is meant by its own words: the list in it opens by the press itself.
#[test]
fn an_item_that_opens_its_list_at_the_press_is_still_the_item() {
    const ITEMS: &str = r#"<title>Items</title><ul><li id=it>Fruit<ul id=inner hidden><li>Pear<li>Plum</ul></li></ul><output id=out></output>
<script>it.onmousedown = () => { inner.hidden = false }; it.onclick = () => { out.textContent += 'click ' }</script>"#;
    let live = Live::open(|_| page(ITEMS));
    let number = live.number("#it");
    for clicks in ["click", "click click"] {
        let told: Value = live.run(&format!("click {number} --expect Fruit --json")).json();
        assert_eq!(told["verdict"], "confirmed", "{told}");
        assert_eq!(live.ok("get text --css #out").trim(), clicks);
    }
}
