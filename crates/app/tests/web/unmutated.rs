//! What a page does that no mutation tells of: it scrolls, gives the focus away, fills the screen, puts rules into style sheets.

use handeye_testkit::is_full;
use handeye_testkit::live::{Live, page};
use serde_json::Value;

/// Each does one thing and tells the test of it; those called dead do nothing, whatever moves beside them.
const PAGE: &str = r#"<title>Unmutated</title><meta charset=utf-8>
<style id=sheet>
  #tip { display: none } #help:hover + #tip { display: block }
  #card { width: 200px } #card .more { visibility: hidden } #card:hover .more { visibility: visible }
  #faint { opacity: 0 } #glass:hover + #faint { opacity: 1 }
  #box, #roll { width: 120px; height: 60px; overflow: auto } #box div, #roll div { height: 900px }
</style>
<p><button id=help>Help</button><span id=tip role=tooltip>A tip</span> <button id=dead>Dead</button>
<button id=down>Down</button> <button id=smooth>Smooth</button> <button id=soon>Soon</button> <button id=inner>Inner</button>
<button id=find>Find</button> <button id=whole>Whole</button> <button id=rule>Rule</button> <button id=off>Off</button>
<button id=goes>Goes</button> <button id=shake>Shake</button> <button id=ripple><b>Ripple</b><i id=wave></i></button>
<button id=dials>Dials</button> <button id=shows>Shows</button> <button id=both>Both</button> <button id=turned>Turned</button> <a id=aside href="tel:+123" target=_blank>Aside</a>
<label>Mail <input id=mail></label> <a id=write href="mailto:a@b.example">Write</a> <a id=call href="tel:+123">Call</a></p>
<div id=card><span id=carded>Card</span> <button class=more id=more>More</button></div>
<p><button id=glass>Glass</button><button id=faint>Faint</button></p>
<div id=box><div>Box</div></div> <div id=roll><div>Roll</div></div> <p id=thing>Thing</p> <div style="height:4000px"></div>
<script>
const done = [];
const on = (id, f) => document.getElementById(id).onclick = () => { done.push(id); f() };
on('down', () => scrollTo(0, scrollY ? 0 : 800));
on('smooth', () => scrollTo({ top: scrollY ? 0 : 600, behavior: 'smooth' }));
on('soon', () => setTimeout(() => scrollTo(0, scrollY ? 0 : 700), 50));
on('inner', () => { box.scrollTop = box.scrollTop ? 0 : 300 });
on('find', () => mail.focus());
on('whole', () => thing.requestFullscreen());
on('rule', () => sheet.sheet.insertRule('#thing { color: red }'));
on('off', () => { sheet.sheet.disabled = true });
on('shake', () => thing.animate([{ opacity: 1 }, { opacity: 0.5 }], { duration: 200, fill: 'forwards' }));
on('ripple', () => wave.animate([{ opacity: 1 }, { opacity: 0 }], 300));
on('write', () => {});
on('call', () => {});
on('goes', () => { location.href = 'sms:123' });
on('dead', () => {});
on('dials', () => { open('tel:+123') });
on('shows', () => { open('/?shown') });
on('both', () => { open('tel:+1'); open('/?shown') });
on('turned', () => { open('/?shown'); open('tel:+2') });
setInterval(() => { roll.scrollTop += 1 }, 200);
</script>"#;

fn opened() -> Live {
    let live = Live::closed(|_| page(PAGE));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    live
}

/// What was clicked since this was last asked; noting that changes nothing.
fn done(live: &Live) -> String {
    live.json(r#"eval 'done.splice(0).join(" ")'"#)["value"].as_str().unwrap_or_default().to_owned()
}

/// What a command comes to: the receipt's verdict, and what is said to have changed.
fn judged(live: &Live, line: &str) -> (String, Vec<String>) {
    let told: Value = live.run(&format!("{line} --json")).json();
    let what = told["evidence"].as_array().into_iter().flatten().flat_map(|e| match e["what"].as_array() {
        Some(what) => what.iter().map(|w| w["property"].as_str().unwrap_or_default().to_owned()).collect(),
        None => vec![e["kind"].as_str().unwrap_or_default().to_owned()],
    });
    (told["verdict"].as_str().unwrap_or_default().to_owned(), what.collect())
}

#[test]
fn what_no_mutation_tells_of_confirms_what_did_it() {
    let live = opened();
    for (id, property) in [
        ("down", "scroll"),
        ("smooth", "scroll"),
        ("soon", "scroll"),
        ("inner", "scroll"),
        ("find", "focus"),
        ("rule", "style rules"),
        ("shake", "animation"),
        ("off", "changes"),
        // Nobody is there to answer what a browser asks of these, and the page takes no input meanwhile.
        ("write", "external address"),
        ("call", "external address"),
        ("goes", "external address"),
        ("whole", "fullscreen"),
    ] {
        let (verdict, what) = judged(&live, &format!("click --css #{id}"));
        assert_eq!(done(&live), id);
        assert_eq!((verdict.as_str(), what.contains(&property.to_owned())), ("confirmed", true), "{id}: {what:?}");
    }
}

/// A window that is opened for another program's address would hold a dialog that nobody sees.
#[test]
fn no_tab_stays_for_an_address_that_another_program_takes() {
    let live = opened();
    let tabs = || live.json("tabs list")["tabs"].as_array().unwrap().len();
    for id in ["dials", "aside"] {
        let said = live.run(&format!("click --css #{id} --json")).json();
        assert!(said["evidence"].to_string().contains("tel:+123"), "{id}: {said:#}");
        assert_eq!(said["verdict"], "confirmed", "{id}: {said:#}");
        assert_eq!(tabs(), 1, "{id}");
        // The page goes on.
        let (verdict, _) = judged(&live, "click --css #find");
        assert_eq!(verdict, "confirmed", "{id}");
        live.ok("eval 'mail.blur()'");
    }
    let said = live.run("click --css #shows --json").json();
    assert_eq!((said["verdict"].as_str(), tabs()), (Some("confirmed"), 2), "{said:#}");
}

/// Of two windows of one click the browser blocks the second: what comes next is not taken for that.
#[test]
fn a_window_that_was_blocked_is_not_taken_for_the_next_one() {
    let live = opened();
    let tabs = || live.json("tabs list")["tabs"].as_array().unwrap().len();
    for id in ["turned", "shows", "both", "dials"] {
        let said = live.run(&format!("click --css #{id} --json")).json();
        let is_external = matches!(id, "both" | "dials");
        let evidence = said["evidence"].to_string();
        assert_eq!(evidence.contains("tel:"), is_external, "{id}: {said:#}");
        assert_eq!(tabs(), if is_external { 1 } else { 2 }, "{id}: {said:#}");
        if !is_external {
            let opened = live.json("tabs list")["tabs"][1]["id"].as_str().unwrap_or_default().to_owned();
            live.ok(&format!("tabs close {opened}"));
        }
    }
}

#[test]
fn what_scrolls_by_keys_is_confirmed() {
    let live = opened();
    for key in ["End", "Home", "PageDown", "ArrowUp"] {
        let (verdict, what) = judged(&live, &format!("keys {key}"));
        assert_eq!((verdict.as_str(), what.contains(&"scroll".to_owned())), ("confirmed", true), "{key}: {what:?}");
    }
}

#[test]
fn what_moves_beside_a_dead_click_is_none_of_its_own() {
    let live = opened();
    // What scrolls by itself was seen to before.
    let rolls = || live.json("eval 'roll.scrollTop'")["value"].as_f64().is_some_and(|top| top >= 6.0);
    assert!(handeye_testkit::home::eventually(std::time::Duration::from_secs(20), rolls));
    let befores = ["hover --css #help", "hover --css #carded", "hover --css #glass", "hover --css #thing"];
    for (turn, before) in befores.into_iter().enumerate() {
        for (at, (id, logs)) in [("dead", "dead"), ("ripple", "ripple"), ("thing", "")].into_iter().enumerate() {
            // In a short run each of the first three with another.
            if !is_full() && turn != at {
                continue;
            }
            live.ok(before);
            let (verdict, what) = judged(&live, &format!("click --css #{id}"));
            assert_eq!(done(&live), logs);
            assert_eq!((verdict.as_str(), what), ("no_effect", vec![]), "{before}, then {id}");
        }
    }
    // Nor is what the pointer brings where it comes to.
    let (verdict, what) = judged(&live, "click --css #carded");
    assert_eq!((verdict.as_str(), what), ("no_effect", vec![]));
}
