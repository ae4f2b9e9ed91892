//! Options of pointer and keyboard commands: held keys, offsets, buttons, times.

use handeye_testkit::home;
use handeye_testkit::live::{Live, page};
use std::time::Duration;

const PAD: &str = r#"<title>Pad</title><body style="margin:0"><div id=pad tabindex=0 role=button aria-label=Pad style="position:absolute; left:100px; top:80px; width:200px; height:100px; background:#ddd">pad</div>
<input id=field aria-label=Field style="position:absolute; left:100px; top:300px">
<p id=dots style="position:absolute; left:100px; top:400px"></p>
<script>
const held = e => ['ctrl', 'shift', 'alt', 'meta'].filter(m => e[m + 'Key']).map(m => m + '+').join('');
const at = e => (e.clientX - 100) + ',' + (e.clientY - 80);
for (const kind of ['click', 'dblclick', 'contextmenu']) pad.addEventListener(kind, e => { e.preventDefault(); log(held(e) + kind + '@' + at(e)) });
let began = 0;
pad.onpointerdown = e => { began = e.timeStamp; pad.setPointerCapture(e.pointerId); pad.dataset.down = e.button + '/' + e.buttons };
pad.onpointerup = e => { pad.dataset.took = Math.round(e.timeStamp - began); pad.dataset.up = e.button + '@' + at(e); dots.textContent += '.' };
const times = []; field.onkeydown = e => { times.push(e.timeStamp); field.dataset.gap = Math.round(Math.min(...times.slice(1).map((t, i) => t - times[i]))) };
onwheel = e => log('wheel', e.deltaX, e.deltaY);
</script>"#;

#[test]
fn keys_are_held_and_places_are_counted_from_the_corner_in_every_click() {
    let live = Live::open(|_| page(PAD));
    let number = live.number("#pad");
    for (command, events) in [
        ("click-at", "K+click@P"),
        ("dblclick-at", "K+click@P K+click@P K+dblclick@P"),
        ("rightclick-at", "K+contextmenu@P"),
    ] {
        for (keys, held) in [("ctrl", "ctrl"), ("shift,alt", "shift+alt"), ("meta", "meta")] {
            let events = events.replace('K', held);
            live.run(&format!("{command} 150 90 --modifiers {keys}"));
            assert_eq!(live.log(), events.replace('P', "50,10"), "{command} {keys}");
            live.run(&format!("{command} {number} --offset 199,99 --modifiers {keys}"));
            assert_eq!(live.log(), events.replace('P', "199,99"), "{command} {keys}");
        }
        live.run(&format!("{command} {number} --offset 0,0"));
        assert_eq!(live.log(), events.replace("K+", "").replace('P', "0,0"), "{command}");
        for outside in ["-1,5", "201,5", "5,100.5"] {
            let said = live.problem(&format!("{command} {number} --offset {outside}"));
            assert!(said.starts_with(&format!("error[bad_request]: {outside} lies outside ")), "{said}");
        }
        live.logged("");
    }
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_drag_is_made_by_the_button_and_in_the_time_that_are_asked_for() {
    let live = Live::open(|_| page(PAD));
    let number = live.number("#pad");
    let noted = |key: &str| live.ok(&format!("get attr {number} data-{key}"));
    for drag in [format!("drag {number} --to 400,300"), "drag-at 200 130 400 300".to_owned()] {
        for (button, down, up) in
            [("left", "0/1", "0@300,220"), ("middle", "1/4", "1@300,220"), ("right", "2/2", "2@300,220")]
        {
            live.run(&format!("{drag} --button {button} --duration 0"));
            assert_eq!((noted("down"), noted("up")), (down.into(), up.into()), "{drag}");
        }
        for time in [400, 1000] {
            live.run(&format!("{drag} --duration {time}"));
            let took: u64 = noted("took").parse().unwrap();
            assert!((time - 60..time + 2500).contains(&took), "{drag}: {time} took {took}");
        }
    }
    live.ok("mouse move 150 100");
    live.ok("mouse down --button middle");
    assert_eq!(noted("down"), "1/4");
    live.ok("mouse up --button middle");
    assert_eq!(noted("up"), "1@50,20");
    live.log();
    live.ok("mouse wheel 30 -40.5");
    // Pages are told of the wheel when they next draw.
    let mut log = String::new();
    let told = || {
        log += &live.log();
        log == "wheel 30 -40.5"
    };
    assert!(home::eventually(Duration::from_secs(5), told), "{log}");
}

#[test]
fn typing_pauses_between_keys_as_long_as_is_said() {
    let live = Live::open(|_| page(PAD));
    live.ok("focus --css #field");
    live.ok("type abcd --pace 120");
    let gap: u64 = live.ok("get attr --css #field data-gap").parse().unwrap();
    assert!((100..2000).contains(&gap), "{gap}");
    live.ok("reload");
    live.ok("focus --css #field");
    std::fs::write(live.home.work().join("handeye.toml"), "[typing]\npace_ms = 150\n").unwrap();
    live.ok("type abc");
    let gap: u64 = live.ok("get attr --css #field data-gap").parse().unwrap();
    assert!((130..2000).contains(&gap), "{gap}");
}
