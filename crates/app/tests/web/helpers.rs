//! What a page puts under the pointer for the time of a press, the box of a lasso or the circle of a ripple, is no other
//! target: the release comes to it as it would by hand. What says or stands for something gets nothing.

use handeye_testkit::live::{Live, page};
use serde_json::Value;

/// A list whose items are pressed; `kind` says what comes up under the pointer, and who waits for the end of the press.
const PAGE: &str = r#"<title>Helpers</title><style>#list { position: relative; width: 200px; padding: 20px } #it { width: 160px; height: 30px; display: block }
.helper { position: absolute; width: 40px; height: 40px; border: 1px dotted; background: linear-gradient(red, blue) }</style>
<div id=list><button id=it>Item</button></div><output id=out></output>
<script>
const kinds = {
  // As jQuery UI's Selectable: the box goes with the release.
  lasso: { on: 'mousedown', release: 'mouseup', goes: 'release' },
  // It stays for a while, so that there is a click, and it is none of the item's.
  stays: { on: 'mousedown', release: 'mouseup', goes: 'late' },
  // It fades out beside what was pressed.
  ripple: { on: 'pointerdown', release: 'pointerup', goes: 'late', into: list, parts: '<i></i>' },
  inside: { on: 'pointerdown', release: 'pointerup', goes: 'late', into: it },
  captured: { on: 'pointerdown', release: 'pointerup', goes: 'late', does: (e) => it.setPointerCapture(e.pointerId) },
  // Where one that holds both listens, a click that it gets is not the item's.
  card: { on: 'mousedown', release: 'mouseup', goes: 'late', into: list, does: () => list.addEventListener('click', () => log('opened')) },
  // What says something, stands for something or is known to listen is another.
  worded: { on: 'mousedown', release: 'mouseup', goes: 'late', parts: 'Delete' },
  named: { on: 'mousedown', release: 'mouseup', goes: 'late', with: { 'aria-label': 'Delete' } },
  roled: { on: 'mousedown', release: 'mouseup', goes: 'late', with: { role: 'menu' } },
  listens: { on: 'mousedown', release: 'mouseup', goes: 'late', with: { onmouseup: 'log("deleted")' } },
  holds: { on: 'mousedown', release: 'mouseup', goes: 'late', parts: '<button></button>' },
  pictured: { on: 'mousedown', release: 'mouseup', goes: 'late', with: { style: 'background-image: url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)' } },
};
const how = kinds[kind];
if (kind === 'card') how.does();
const press = (e) => {
  if (kind !== 'card') how.does?.(e);
  const made = document.createElement('div');
  [made.id, made.className] = ['helper', 'helper'];
  made.innerHTML = how.parts ?? '';
  for (const [name, value] of Object.entries(how.with ?? {})) made.setAttribute(name, value);
  made.style.left = (how.into === list ? 80 : e.clientX - 20) + 'px';
  made.style.top = (how.into === list ? 15 : e.clientY - 20) + 'px';
  (how.into ?? document.body).append(made);
};
it.addEventListener(how.on, press);
document.addEventListener(how.release, () => {
  out.textContent = 'selected';
  if (how.goes === 'release') helper.remove();
  else setTimeout(() => document.getElementById('helper')?.remove(), 200);
}, { once: true });
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
  document.addEventListener(type, (e) => log(`${type}@${e.target.id || e.target.localName}${e.isTrusted ? '' : '!'}`), true);
</script>"#;

/// What the page gets of a click by `line`.
fn heard(live: &Live, kind: &str, line: &str) -> (Value, Vec<String>, String) {
    live.ok(&format!("open {}", live.site.at(&format!("/{kind}"))));
    live.log();
    let receipt = live.run(&format!("{line} --json")).json();
    let log = live.log().split_whitespace().map(str::to_owned).collect();
    (receipt, log, live.ok("get text --css #out").trim().to_owned())
}

/// Whether it was confirmed by what the page makes of the end of the press.
fn is_confirmed(receipt: &Value) -> bool {
    receipt["verdict"] == "confirmed" && receipt["changes"].to_string().contains("\"selected\"")
}

#[test]
fn a_helper_under_the_press_is_no_other_target() {
    let live = Live::open(|path| page(format!("<script>const kind = '{}' || 'lasso'</script>{PAGE}", &path[1..])));
    let place = live.json("get rect --css #it")["value"].clone();
    let middle = |side: usize| place[side].as_f64().unwrap() + place[side + 2].as_f64().unwrap() / 2.0;
    let by_hand = format!("click-at {} {}", middle(0), middle(1));
    let mut amiss = Vec::new();
    for (kind, alone) in [("lasso", true), ("stays", true), ("ripple", true), ("inside", false), ("captured", false)] {
        let (_, person, _) = heard(&live, kind, &by_hand);
        let (receipt, ours, seen) = heard(&live, kind, "click --css #it");
        let pressed = receipt["by"] == "the press alone";
        // Whoever waits for the end of the press gets the real one, and nothing besides.
        if !is_confirmed(&receipt) || pressed != alone || ours != person || seen != "selected" {
            amiss.push(format!("{kind}: {seen:?}, {ours:?}, by hand {person:?}, {receipt}"));
        }
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}

#[test]
fn a_click_that_goes_to_what_holds_both_is_kept_from_it_where_it_listens() {
    let live = Live::open(|path| page(format!("<script>const kind = '{}' || 'card'</script>{PAGE}", &path[1..])));
    let place = live.json("get rect --css #it")["value"].clone();
    let middle = |side: usize| place[side].as_f64().unwrap() + place[side + 2].as_f64().unwrap() / 2.0;
    let (_, person, _) = heard(&live, "card", &format!("click-at {} {}", middle(0), middle(1)));
    assert_eq!(person[person.len() - 2..], ["click@list", "opened"], "{person:?}");
    let (receipt, ours, seen) = heard(&live, "card", "click --css #it");
    assert_eq!(ours, person[..person.len() - 2], "{receipt}");
    assert_eq!((receipt["by"].as_str(), &*seen), (Some("the press alone"), "selected"), "{receipt}");
    assert!(is_confirmed(&receipt), "{receipt}");
}

#[test]
fn what_says_or_stands_for_something_gets_nothing_of_the_press() {
    let live = Live::open(|path| page(format!("<script>const kind = '{}' || 'lasso'</script>{PAGE}", &path[1..])));
    for kind in ["worded", "named", "roled", "listens", "holds", "pictured"] {
        let (receipt, ours, seen) = heard(&live, kind, "click --css #it");
        assert!(!ours.iter().any(|event| event.contains("helper") || event == "deleted"), "{kind}: {ours:?}");
        // Who waits for the end of the press is told of it all the same, at the root.
        assert!(ours.iter().any(|event| event == "mouseup@html!"), "{kind}: {ours:?}");
        assert!(is_confirmed(&receipt) && seen == "selected", "{kind}: {seen:?}, {receipt}");
    }
}
