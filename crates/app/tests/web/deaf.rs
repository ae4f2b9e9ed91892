//! What nothing listens to has no effect, whatever changes after a press at it: a page that saves a while after something was
//! typed, and a toast that comes up by itself.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;

/// Saves by itself a while after each input; targets that nothing listens to, and such as act by a timer alone.
const PAGE: &str = r#"<title>Notes</title>
<label>Note <input id=note></label> <p id=status>Idle</p> <p id=out>0</p>
<button id=dead>Dead</button> <span id=deadrole role=button tabindex=0>Dead role</span>
<form onsubmit="return false"><button id=deadtype type=button>Dead type</button></form>
<div id=host></div>
<button id=inline onclick="later()">Inline</button> <button id=own>Own</button> <button id=down>Down</button>
<button id=once>Once</button> <button id=itself>Itself</button> <button id=focused>Focused</button> <button id=inner><b>Inner</b></button>
<div id=above><button id=below>Below</button></div> <button id=delegated>Delegated</button> <button id=windowed>Windowed</button>
<label id=label><input type=checkbox id=box> Label</label>
<details><summary id=summary>Summary</summary>More</details>
<script>
let timer;
note.oninput = () => { clearTimeout(timer); timer = setTimeout(() => { status_.textContent = 'Saved ' + note.value }, 1000) };
const status_ = document.getElementById('status');
const later = () => setTimeout(() => { out.textContent = Number(out.textContent) + 1 }, 150);
const root = host.attachShadow({mode: 'closed'});
root.innerHTML = '<button id=shadow>Shadow</button>';
root.addEventListener('click', (e) => { if (e.target.id === 'shadow') later() });
own.addEventListener('click', later);
down.addEventListener('pointerdown', later);
once.addEventListener('click', later, { once: true });
itself.onclick = () => { itself.onclick = null; later() };
focused.addEventListener('focus', later);
inner.firstChild.addEventListener('click', later);
above.addEventListener('mouseup', later);
LISTEN
box.addEventListener('change', later);
</script>"#;

/// The page; with `everywhere`, listeners stand on the document and the window too.
fn shown(everywhere: bool) -> Answer {
    let listen = "document.addEventListener('click', (e) => { if (e.target.id === 'delegated') later() });
        addEventListener('click', (e) => { if (e.target.id === 'windowed') later() });";
    page(PAGE.replace("LISTEN", if everywhere { listen } else { "" }))
}

fn verdict(live: &Live, line: &str) -> String {
    let told: Value = live.run(&format!("{line} --json")).json();
    told["verdict"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_a_page_saves_by_itself_is_not_the_effect_of_a_press_that_nothing_hears() {
    let live = Live::open(|_| shown(false));
    let mut verdicts = Vec::new();
    for id in ["dead", "deadrole", "deadtype"] {
        live.ok(&format!("input --name Note {id}"));
        verdicts.push(verdict(&live, &format!("click --css #{id}")));
    }
    // Where the page has saved before the click, nothing comes after it.
    assert!(verdicts.iter().all(|told| told == "unverifiable" || told == "no_effect"), "{verdicts:?}");
    assert!(verdicts.iter().any(|told| told == "unverifiable"), "{verdicts:?}");
}

#[test]
fn a_listener_that_hears_once_is_no_reason_to_doubt_what_it_did() {
    for name in ["Once", "Itself"] {
        let live = Live::open(|_| shown(false));
        assert_eq!(verdict(&live, &format!("click --name {name}")), "confirmed", "{name}");
    }
}

#[test]
fn what_acts_by_a_timer_alone_is_confirmed_wherever_its_listener_stands() {
    let live = Live::open(|_| shown(true));
    let mut sample = Sample::one_in(3);
    for name in ["Inline", "Own", "Down", "Focused", "Inner", "Below", "Delegated", "Windowed", "Shadow", "Summary"] {
        if !sample.takes() {
            continue;
        }
        assert_eq!(verdict(&live, &format!("click --name {name}")), "confirmed", "{name}");
    }
    assert_eq!(verdict(&live, "click --role checkbox"), "confirmed");
}
