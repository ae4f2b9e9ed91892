//! Hard pages: documents that come and go, layers, transforms, sticky headers, virtual lists, and what controls refuse.
//! Every kind of control in every kind of document is in `hard_page.rs`.

use handeye_testkit::is_full;
use handeye_testkit::live::{Live, page};

/// The number of the target whose line has `text`.
#[track_caller]
fn number(state: &str, text: &str) -> String {
    let line = state.lines().find(|l| l.contains(text)).unwrap_or_else(|| panic!("no {text} in {state}"));
    line.trim_start()[1..].split(']').next().unwrap().to_owned()
}

/// Clicks the button of that name, which must be confirmed.
#[track_caller]
fn press(live: &Live, name: &str) {
    let state = live.ok("state --budget none");
    let n = number(&state, &format!("button \"{name}\""));
    if is_full() {
        let told = live.ok(&format!("inspect {n}"));
        assert!(told.contains(name), "{told}");
    }
    let said = live.ok(&format!("click {n} --expect '{name}'"));
    assert!(said.contains("confirmed"), "{said}");
}

#[test]
fn frames_that_come_go_and_navigate_never_fail_a_state() {
    let live = Live::open(|path| {
        match path {
        "/" => page(
            "<button>Anchor</button><div id=d></div><script>let n = 0; setInterval(() => {
               const f = document.createElement('iframe'); f.src = n % 2 ? '/inner?' + n : 'OTHER/inner?' + n; f.height = 40; d.append(f); n++;
               if (d.children.length > 6) d.children[1].remove();
               if (d.children[2]) d.children[2].src = '/inner?moved' + n;
             }, 40)</script>",
        ),
        _ => page("<button>Inside</button>"),
    }
    });
    for (via, looks) in [("script", 8), ("ax", 4)] {
        for _ in 0..if is_full() { looks } else { looks / 4 } {
            let state = live.ok(&format!("state --via {via}"));
            assert!(state.contains("button \"Anchor\""), "by {via}: {state}");
        }
    }
}

#[test]
fn a_fenced_frame_is_said_to_be_one_and_is_not_acted_on() {
    let live = Live::open(|_| page("<button>Out</button><fencedframe title=Ad width=300 height=100></fencedframe>"));
    let state = live.ok("state");
    assert!(state.contains("iframe \"Ad\"") && state.contains("(fenced: can't be read)"), "{state}");
    let n = number(&state, "iframe \"Ad\"");
    let tree = live.ok("state --via ax");
    assert!(tree.lines().any(|l| l.starts_with(&format!("[{n}] iframe"))), "{tree}");
    let refused = live.problem(&format!("click {n}"));
    assert!(refused.starts_with("error[unsupported]: ") && refused.contains("is fenced"), "{refused}");
}

#[test]
fn layers_hide_what_lies_behind_and_show_what_is_on_top() {
    let live = Live::open(|_| {
        page(
            "<button onclick='d.showModal()'>Open dialog</button><button popovertarget=p>Open popover</button>
             <div inert><button>Inert</button></div><div style='content-visibility:hidden'><button>Skipped</button></div>
             <dialog id=d><p>Sure?</p><button onclick='d.close(); log(\"closed\")'>Yes</button></dialog>
             <div id=p popover><button onclick='log(\"popped\"); p.hidePopover()'>In popover</button></div>",
        )
    });
    for via in ["script", "ax"] {
        let state = live.ok(&format!("state --via {via}"));
        assert!(!state.contains("Inert") && !state.contains("Skipped") && !state.contains("\"Yes\""), "{state}");
    }
    let behind = number(&live.ok("state"), "button \"Open popover\"");
    press(&live, "Open dialog");
    let state = live.ok("state");
    assert!(state.lines().any(|l| l.contains("Open popover") && l.contains("covered")), "{state}");
    // What a modal dialog makes inert is in no accessibility tree.
    let state = live.ok("state --via ax");
    assert!(state.contains("\"Yes\"") && !state.contains("Open popover"), "{state}");
    let refused = live.problem(&format!("click {behind} --timeout 2"));
    assert!(refused.contains("covered"), "{refused}");
    press(&live, "Yes");
    live.logged("closed");
    press(&live, "Open popover");
    press(&live, "In popover");
    live.logged("popped");
}

#[test]
fn transformed_zoomed_and_framed_targets_are_hit() {
    let live = Live::open(|path| {
        match path {
        "/" => page(
            "<div style='transform:rotate(30deg) scale(.7);margin:60px;width:200px'><button onclick='log(\"rotated\");this.after(1)'>Rotated</button></div>
             <div style='zoom:1.7'><button onclick='log(\"zoomed\");this.after(1)'>Zoomed</button></div>
             <div style='perspective:300px'><button style='transform:rotateY(40deg)' onclick='log(\"turned\");this.after(1)'>Turned</button></div>
             <iframe src=/in style='transform:scale(.5) rotate(-20deg);zoom:1.3;border:7px solid' height=120></iframe>",
        ),
        _ => page("<button style='margin:30px;zoom:1.5' onclick='this.after(1)'>Framed</button>"),
    }
    });
    for (name, said) in [("Rotated", "rotated"), ("Zoomed", "zoomed"), ("Turned", "turned"), ("Framed", "")] {
        press(&live, name);
        live.logged(said);
    }
}

#[test]
fn a_target_under_a_sticky_header_is_scrolled_out_from_under_it() {
    let live = Live::open(|_| {
        let rows: String =
            (0..80).map(|i| format!("<p><button onclick='log({i});this.after(1)'>Row {i}</button></p>")).collect();
        page(format!(
            "<header style='position:sticky;top:0;height:120px;background:#eee'>Header <button onclick='log(\"head\")'>Head</button></header>{rows}
             <footer style='position:sticky;bottom:0;height:120px;background:#eee'>Footer</footer>"
        ))
    });
    for row in [70, 3, 40, 0, 79] {
        press(&live, &format!("Row {row}"));
        live.logged(&row.to_string());
    }
    live.ok("scroll up 700");
    press(&live, "Row 5");
    live.logged("5");
}

#[test]
fn rows_of_a_virtual_list_are_reached_by_scrolling() {
    let live = Live::open(|_| {
        page(
            "<div id=v style='height:300px;overflow:auto' tabindex=0 aria-label=Rows><div style='height:60000px;position:relative' id=i></div></div><script>
             const draw = () => { const from = Math.floor(v.scrollTop / 30); i.innerHTML = '';
               for (let k = from; k < Math.min(from + 11, 2000); k++) { const b = document.createElement('button'); b.textContent = 'Item ' + k;
                 b.style = `position:absolute;height:28px;top:${k * 30}px`; b.onclick = () => { log(k); b.dataset.done = 1; b.style.color = 'red'; b.textContent += ' done' }; i.append(b) } };
             v.onscroll = draw; draw()</script>",
        )
    });
    // A target in the list stands for what it lies in.
    let first = number(&live.ok("state"), "Item 0\"");
    live.ok(&format!("scroll {first} down 3000"));
    let state = live.ok("state");
    assert!(state.contains("Item 100\"") && !state.contains("Item 3\""), "{state}");
    press(&live, "Item 104");
    live.logged("104");
}

#[test]
fn every_kind_of_control_takes_what_it_is_given() {
    let live = Live::open(|_| {
        page(
            "<label>Day <input type=date onchange='log(value)'></label><label>When <input type=datetime-local onchange='log(value)'></label>
             <label>Month <input type=month onchange='log(value)'></label><label>Week <input type=week onchange='log(value)'></label>
             <label>Time <input type=time onchange='log(value)'></label><label>Hue <input type=color onchange='log(value)'></label>
             <label>Level <input type=range min=0 max=50 step=5 onchange='log(value)'></label>
             <label>Count <input type=number onchange='log(value)'></label>
             <label>Pet <select onchange='log(value)'><optgroup label=Cats><option value=c1>Tom<option value=c2>Felix</optgroup><optgroup label=Dogs disabled><option>Rex</optgroup></select></label>
             <label>Many <select multiple size=3 onchange='log([...selectedOptions].map(o=>o.text).join(\"+\"))'><option>A<option>B<option>C</select></label>
             <label>Note <textarea onchange='log(value.length)'></textarea></label>
             <div contenteditable role=textbox aria-label=Rich oninput='log(\"rich\")'><b>old</b></div>
             <details><summary>More</summary><button onclick='log(\"inner\");this.after(1)'>Hidden inside</button></details>
             <svg width=120 height=40><g role=button aria-label='Svg button' tabindex=0 onclick='log(\"svg\")'><rect width=110 height=30 fill=teal /></g></svg>
             <canvas width=200 height=80 onclick='log(\"canvas\", Math.round(event.offsetX), Math.round(event.offsetY))'></canvas>
             <map name=m><area shape=rect coords=0,0,40,40 href='#a' alt='Left area' onclick='log(\"area\")'></map><img usemap='#m' width=80 height=40 alt=Map src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80\" height=\"40\"/>'>",
        )
    });
    let state = live.ok("state --budget none");
    let n = |name: &str| number(&state, name);
    for (name, command, wanted) in [
        ("\"Day\"", "input # 2026-11-21", "2026-11-21"),
        ("\"When\"", "input # 2026-11-21T08:30", "2026-11-21T08:30"),
        ("\"Month\"", "input # 2026-11", "2026-11"),
        ("\"Week\"", "input # 2026-W47", "2026-W47"),
        ("\"Time\"", "input # 08:05", "08:05"),
        ("\"Hue\"", "input # '#ff8800'", "#ff8800"),
        ("\"Level\"", "input # 35", "35"),
        ("\"Pet\"", "select # Felix", "c2"),
        ("\"Many\"", "select # A C", "A+C"),
        ("\"Rich\"", "input # 新文本", "rich"),
        ("\"Svg button\"", "click #", "svg"),
        ("\"Left area\"", "click #", "area"),
    ] {
        let line = command.replacen('#', &n(name), 1);
        let ran = live.run(&line);
        assert!(matches!(ran.status, Some(0 | 1)), "{line}: {ran:?}");
        let log = live.log();
        assert!(log.split(' ').any(|w| w == wanted), "{line}: logged {log}: {ran:?}");
    }
    let refused = live.not(&format!("select {} Rex", n("\"Pet\"")));
    assert!(refused.contains("Rex"), "{refused}");
    let refused = live.not(&format!("input {} tomorrow", n("\"Day\"")));
    assert!(refused.contains("2026-") || refused.to_lowercase().contains("yyyy"), "{refused}");
    live.ok(&format!("input {} 12", n("\"Count\"")));
    live.ok("keys Tab");
    live.logged("12");
    // Typing into a canvas or a picture goes by place.
    let canvas = n("canvas");
    live.run(&format!("click-at {canvas} --offset 150,20"));
    live.logged("canvas 150 20");
    let outside = live.problem(&format!("click-at {canvas} --offset 150,90"));
    assert!(outside.contains("150,90 lies outside") && outside.contains("200×80"), "{outside}");
    assert!(live.problem("click-at 2.5 --offset 1,1").contains("2.5 is not a target's number"));
    assert!(live.problem("click-at 5").contains("<Y>"));
    live.ok(&format!("click {}", n("\"More\"")));
    press(&live, "Hidden inside");
    live.logged("inner");
}

/// What moves with each frame, on a page that takes long to paint one.
const SLOW_AND_MOVING: &str = r#"<title>Slow</title><button id=b style="position:absolute; top:80px">Go</button> <p id=out></p>
<div id=heavy style="position:absolute; top:200px; width:1200px; height:500px; pointer-events:none"></div>
<script>
for (let i = 0; i < 3; i++) heavy.innerHTML += '<i style="position:absolute; inset:0; background:#00f1; backdrop-filter:blur(60px)"></i>';
let frames = 0;
const step = () => {
  b.style.left = ++frames % 40 * 3 + 'px';
  heavy.style.background = 'rgb(0 0 ' + frames * 4 + ')';
  if (frames < 40) requestAnimationFrame(step);
};
step();
b.onpointerdown = () => { out.textContent = 'pressed at ' + frames };
</script>"#;

#[test]
fn what_moves_with_frames_that_come_late_is_not_still() {
    let live = Live::open(|_| page(SLOW_AND_MOVING));
    live.ok("click --css #b --timeout 60");
    let told = live.json("get text --css #out");
    assert_eq!(told["value"], "pressed at 40", "{told}");
}
