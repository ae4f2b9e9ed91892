//! What a page does by itself just after a click: a poller's first news, a toast, a countdown, an advertisement. It confirms no
//! click that does nothing, and hides no effect of one that does something.
//!
//! A sample by default: one button in five beside each of four of what a page does, others beside each; with
//! `HANDEYE_TRIALS=full`, every button beside all of it and on the quiet page.

use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};
use serde_json::Value;
use std::time::Duration;

/// Buttons by how soon, and by what, they do something; and what the page can do by itself, once it is told to.
const PAGE: &str = r#"<title>Coincidences</title>
<button id=dead>Dead</button> <button id=heard>Heard</button> <button id=sync>Sync</button> <button id=promise>Promise</button>
<button id=soon>Soon</button> <button id=later>Later</button> <button id=slow>Slow</button>
<button id=chained>Chained</button> <button id=asks>Asks</button> <button id=debounced>Debounced</button>
<button id=once>Once</button> <button id=attribute onclick="setTimeout(() => did('attribute'), 300)">Attribute</button>
<label>Field <input id=field></label> <a id=link href=#top onclick="return false">Link</a> <form onsubmit="return false"><button id=sends>Sends</button></form>
<a id=linked href=#top onclick="return false">Linked</a> <form onsubmit="later(); return false"><button id=sent>Sent</button></form>
<a id=runs href="javascript:setTimeout(() => did('runs'), 300)">Runs</a>
<a id=flips href="javascript:did('flips')">Flips</a> <a id=idle href="javascript:void(0)">Idle</a> <button id=pops popovertarget=popped>Pops</button> <div id=popped popover>Popped</div>
<input type=checkbox id=kept onclick="return false"> <input type=checkbox id=unticked onchange="this.checked = false">
<input type=radio id=choice onclick="return false"> <label id=labelled><input type=checkbox onclick="return false"> Labelled</label>
<div id=host></div> <input type=checkbox id=boxed onclick="setTimeout(() => did('boxed'), 300); return false">
<p id=done></p> <p id=news>0</p> <div id=toasts></div> <p id=left>60</p>
<iframe id=ad src=/ad height=40></iframe>
<script>
host.attachShadow({ mode: 'open' }).innerHTML = `<input type=checkbox id=shadowed onclick="return false">
  <input type=checkbox id=shadows onclick="setTimeout(() => did('shadows'), 300); return false">`;
const did = (what) => { done.textContent += what + ' ' };
const late = (ms, what) => () => setTimeout(() => did(what), ms);
const on = (id, f, options) => document.getElementById(id).addEventListener('click', f, options);
on('heard', () => {});
on('sync', () => did('sync'));
on('promise', () => Promise.resolve().then(() => null).then(() => did('promise')));
on('soon', late(50, 'soon'));
on('later', late(300, 'later'));
on('slow', late(700, 'slow'));
on('chained', () => setTimeout(() => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => did('chained'); c.port2.postMessage(1) }), 100));
on('asks', async () => { await fetch('/answer'); did('asks') });
let debounce; on('debounced', function (event) {
  clearTimeout(debounce);
  debounce = setTimeout(() => did('debounced'), 300);
});
on('once', late(300, 'once'), { once: true });
on('linked', late(300, 'linked'));
const later = late(300, 'sent');
popped.addEventListener('toggle', () => did('pops'));
field.onkeydown = (event) => { event.preventDefault(); setTimeout(() => did('field'), 300) };
let count = 0;
const tell = () => { document.getElementById('news').textContent = 'News ' + ++count };
const noise = {
  quiet: () => {},
  poller100: () => setInterval(tell, 100),
  poller400: () => setInterval(tell, 400),
  poller900: () => setInterval(tell, 900),
  repeating: () => { const again = () => { tell(); setTimeout(again, 300) }; setTimeout(again, 200) },
  asking: () => { const again = async () => { await fetch('/answer'); tell(); setTimeout(again, 250) }; again() },
  toast: () => setTimeout(() => { const t = document.createElement('p'); t.role = 'status'; t.textContent = 'A friend came online'; toasts.append(t) }, 500),
  countdown: () => { let n = 60; setInterval(() => { left.textContent = --n }, 1000) },
  ad: () => setTimeout(() => { ad.src = '/ad?next' }, 400),
  adItself: () => ad.contentWindow.later(400),
  adUnderWay: () => { ad.contentWindow.location = '/ad?slow' },
};
</script>"#;

fn site(path: &str) -> Answer {
    if path.ends_with("slow") {
        std::thread::sleep(Duration::from_millis(900));
    }
    match path.split('?').next() {
        Some("/") => page(PAGE),
        Some("/ad") => page(format!(
            "<p>Buy {path}</p><script>function later(ms) {{ setTimeout(() => {{ location = '/ad?itself' }}, ms) }}</script>"
        )),
        Some("/pressed") => page("<iframe id=inside src=/plain></iframe><script>var pressed = 0</script>"),
        Some("/plain") => page("<button id=plain onclick='top.pressed = 1'>Plain</button>"),
        _ => page("answer"),
    }
}

const DEAD: [&str; 10] =
    ["dead", "heard", "kept", "unticked", "link", "sends", "idle", "shadowed", "labelled", "choice"];
/// Those of them that would show it if anything came of the press.
const BOXES: [&str; 5] = ["kept", "unticked", "choice", "labelled", "shadowed"];
/// Beside what goes on and on a press of a box is repeated so often, until a change of the page's own is seen beside it.
const PRESSES: usize = 6;
const GOES_ON: [&str; 6] = ["poller100", "poller400", "poller900", "repeating", "asking", "countdown"];
const ALIVE: [&str; 17] = [
    "sync",
    "promise",
    "soon",
    "later",
    "slow",
    "chained",
    "asks",
    "debounced",
    "once",
    "attribute",
    "linked",
    "sent",
    "runs",
    "boxed",
    "flips",
    "pops",
    "shadows",
];

/// What the page can do by itself; the first four are always tried, the others with all else.
const NOISES: [&str; 11] = [
    "adUnderWay",
    "poller400",
    "asking",
    "toast",
    "quiet",
    "poller100",
    "poller900",
    "repeating",
    "countdown",
    "ad",
    "adItself",
];
/// One button in so many is tried in the short run. Each part has one of those that do nothing.
const BUTTONS: usize = 5;

/// Presses buttons while the page does something by itself, on a page opened anew each time.
fn beside(noise: &str) {
    let at = NOISES.iter().position(|one| *one == noise).unwrap();
    let mut sample = Sample::one_in(BUTTONS).beginning_at(at);
    let live = Live::closed(site);
    // On a busy machine what takes 700 ms may take seconds.
    live.settings("[waits]\neffect = 4.0\n");
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let mut wrong = Vec::new();
    for id in DEAD.iter().chain(&ALIVE) {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at("/")));
        live.ok(&format!("eval 'noise.{noise}()'"));
        // What a page first does by itself just while the script of a link's address runs can't be told from that.
        if ["runs", "flips", "idle"].contains(id) && ["poller100", "poller400", "repeating", "asking"].contains(&noise)
        {
            live.ok("wait --fn 'count > 0' --timeout 20");
        }
        let mut told: Value = live.run(&format!("click --css #{id} --json")).json();
        let mut presses = if BOXES.contains(id) && GOES_ON.contains(&noise) { PRESSES } else { 1 };
        while told["verdict"] == "no_effect" && presses > 1 {
            presses -= 1;
            told = live.run(&format!("click --css #{id} --json")).json();
        }
        let verdict = told["verdict"].as_str().unwrap_or_default();
        let right = match DEAD.contains(id) {
            true if noise == "quiet" => verdict == "no_effect",
            true => verdict == "no_effect" || verdict == "unverifiable",
            false => verdict == "confirmed",
        };
        let named = verdict != "unverifiable" || !told["evidence"].as_array().unwrap().is_empty();
        if !right || !named {
            wrong.push(format!("{id} beside {noise}: {told:#}"));
        }
        if verdict == "confirmed" {
            assert_eq!(
                live.json("eval 'done.textContent'")["value"],
                format!("{id} "),
                "{id} beside {noise}: {told:#}"
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What lay at a place is known before anything is done there, and is no effect.
#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_at_a_place_is_judged_by_its_own_effect_beside_a_toast() {
    let live = Live::closed(site);
    live.settings("[waits]\neffect = 4.0\n");
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    for (id, confirmed) in [("heard", false), ("dead", false), ("sync", true), ("soon", true)] {
        live.ok(&format!("open {}", live.site.at("/")));
        let middle = "(r => `${Math.round(r.x + r.width / 2)} ${Math.round(r.y + r.height / 2)}`)";
        let at = live.json(&format!("eval '{middle}({id}.getBoundingClientRect())'"));
        live.ok("eval 'noise.toast()'");
        let told: Value = live.run(&format!("click-at {} --json", at["value"].as_str().unwrap())).json();
        assert_eq!(told["verdict"] == "confirmed", confirmed, "{id}: {told:#}");
    }
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_is_judged_by_its_own_effect_on_a_quiet_page() {
    beside("quiet");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_is_judged_by_its_own_effect_beside_a_poller_of_100_ms() {
    beside("poller100");
}

#[test]
fn a_click_is_judged_by_its_own_effect_beside_a_poller_of_400_ms() {
    beside("poller400");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_is_judged_by_its_own_effect_beside_a_poller_of_900_ms() {
    beside("poller900");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_is_judged_by_its_own_effect_beside_a_timer_that_sets_itself_anew() {
    beside("repeating");
}

#[test]
fn a_click_is_judged_by_its_own_effect_beside_a_page_that_asks_again_and_again() {
    beside("asking");
}

#[test]
fn a_click_is_judged_by_its_own_effect_beside_a_toast() {
    beside("toast");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_is_judged_by_its_own_effect_beside_a_countdown() {
    beside("countdown");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_is_judged_by_its_own_effect_beside_a_frame_that_is_sent_elsewhere() {
    beside("ad");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_click_is_judged_by_its_own_effect_beside_a_frame_that_goes_elsewhere_itself() {
    beside("adItself");
}

#[test]
fn a_click_is_judged_by_its_own_effect_beside_a_frame_that_is_on_its_way_elsewhere() {
    beside("adUnderWay");
}

/// What is pressed in a frame is gone with its document, and so is what would tell of it.
#[test]
fn a_click_in_a_frame_that_is_on_its_way_elsewhere_is_not_denied() {
    let live = Live::closed(site);
    live.settings("[waits]\neffect = 4.0\n");
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    // On a busy machine the frame may be elsewhere before the press. In a short run one press in time is enough.
    let pressed = (0..6).filter(|_| {
        live.ok(&format!("open {}", live.site.at("/pressed")));
        live.ok("eval 'inside.contentWindow.location = \"/ad?slow\"'");
        let told: Value = live.run("click --css #plain --json").json();
        let pressed = live.json("eval pressed")["value"] == 1;
        assert!(!pressed || told["verdict"] == "unverifiable", "{told:#}");
        pressed
    });
    let enough = if is_full() { 6 } else { 1 };
    assert!(pressed.take(enough).count() > 0, "the frame was elsewhere before each press");
}

#[test]
fn keys_are_judged_by_their_own_effect_beside_a_toast() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    for (line, wanted) in [("press F9", "unverifiable"), ("type a --target css=#field", "confirmed")] {
        live.ok(&format!("open {}", live.site.at("/")));
        live.ok("eval 'noise.toast()'");
        let told: Value = live.run(&format!("{line} --json")).json();
        assert_eq!(told["verdict"], wanted, "{line}: {told:#}");
    }
}
