//! A place in a target is pressed there, or not at all: whatever scrolls or moves the target, or what is in it, between the look and
//! the press.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};

/// How far from where it was meant a press may come, CSS pixels.
const NEAR: f64 = 3.0;
/// The place that is meant.
const AT: (f64, f64) = (60.0, 1450.0);

/// `/KIND?MOMENT`: a target that logs where in it each press comes, on a page that moves it at that moment.
fn moving(path: &str) -> Answer {
    let (kind, moment) = path.trim_start_matches('/').split_once('?').unwrap_or((path, ""));
    let style = "width:200px; height:2500px";
    let target = match kind {
        "svg" => format!(
            "<svg id=it role=img tabindex=0 aria-label=Map style='{style}'><rect width=200 height=2500 fill=#ccc /></svg>"
        ),
        "button" => format!("<div id=it role=button tabindex=0 aria-label=Map style='{style}; background:#ccc'></div>"),
        _ => "<canvas id=it aria-label=Map width=200 height=2500 style='background:#ccc'></canvas>".to_owned(),
    };
    let script = format!(
        r"<script>
const it = document.querySelector('#it'), box = document.querySelector('#box');
for (const type of ['pointerdown', 'mousedown', 'click']) {{
  it.addEventListener(type, (e) => {{
    const r = it.getBoundingClientRect();
    top.noted([type, (e.clientX - r.left).toFixed(), (e.clientY - r.top).toFixed()].join(','));
    if (type === 'click') it.after(document.createElement('hr'));
  }});
}}
let to = 200;
const scroll = () => {{ (box ?? top).scrollBy(0, to); to = -to }};
const moves = {{
  first: () => addEventListener('mousemove', scroll, {{ once: true }}),
  every: () => addEventListener('mousemove', scroll),
  aside: () => addEventListener('mousemove', () => {{ it.style.marginLeft = '40px' }}),
  grown: () => addEventListener('mousemove', () => {{ it.style.marginTop = '90px' }}, {{ once: true }}),
  pressed: () => addEventListener('pointerdown', scroll, true),
  still: () => {{}},
}};
moves['{moment}']();
</script>"
    );
    let inner = format!("<body style='margin:0'>{target}{script}").replace('"', "&quot;");
    let noted = "<script>function noted(...words) { log(...words) }</script><div style='height:300px'></div>";
    page(match kind {
        "frame" => format!(
            "{noted}<iframe title=In width=300 height=2600 srcdoc=\"{inner}\"></iframe><div style='height:2000px'></div>"
        ),
        "scaled" => format!(
            "{noted}<iframe title=In width=300 height=2600 style='transform:scale(.5); transform-origin:0 0' srcdoc=\"{inner}\"></iframe><div style='height:2000px'></div>"
        ),
        "box" => format!(
            "{noted}<div id=box style='height:300px; width:300px; overflow:auto'>{target}<div style='height:900px'></div></div>{script}"
        ),
        _ => format!("{noted}{target}<div style='height:2000px'></div>{script}"),
    })
}

/// What a press of it logged that isn't where it was meant.
fn elsewhere(log: &str, meant: (f64, f64)) -> Vec<&str> {
    let is_there = |event: &&str| {
        let mut sides = event.split(',').skip(1).map(|side| side.parse::<f64>().unwrap());
        let mut near = |at: f64| sides.next().is_some_and(|side| (side - at).abs() <= NEAR);
        near(meant.0) && near(meant.1)
    };
    log.split_whitespace().filter(|event| !is_there(event)).collect()
}

#[test]
fn a_place_in_what_moves_is_pressed_there_or_not_at_all() {
    let live = Live::closed(moving);
    let mut sample = Sample::one_in(5);
    let mut amiss = Vec::new();
    for kind in ["canvas", "svg", "button", "box", "frame", "scaled"] {
        for moment in ["still", "first", "grown", "aside", "every", "pressed"] {
            if !(sample.takes() || kind == "canvas") {
                continue;
            }
            live.ok(&format!("open {}", live.site.at(&format!("/{kind}?{moment}"))));
            live.log();
            let number = live.number("#it");
            // Pixels of the page that is shown, half of the frame's own.
            let share = if kind == "scaled" { 0.5 } else { 1.0 };
            let ran = live.run(&format!("click-at {number} --offset {},{} --timeout 30", AT.0 * share, AT.1 * share));
            let log = live.log();
            let told = (ran.status == Some(0), log.contains("click"));
            let is_right = elsewhere(&log, AT).is_empty() && told.0 == told.1;
            // What keeps still when it is looked at once more is pressed.
            let must = !matches!(moment, "every" | "pressed");
            if !is_right || must && !told.0 {
                amiss.push(format!("{kind} {moment}: {log:?} {ran:?}"));
            }
        }
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
}

/// A table whose second header hears presses, on a page that scrolls as soon as it is pressed.
const TABLE: &str = r#"<title>Table</title><body style="margin:300px 8px"><table style="width:480px">
<thead><tr><th>Name</th><th id=amount>Amount</th><th>State</th></tr></thead><tbody><tr><td>Ada</td><td>12</td><td>paid</td></tr></tbody></table>
<div style="height:2000px"></div><script>
amount.onmousedown = () => log('pressed');
addEventListener('mousemove', (e) => e.buttons && log('dragged'));
addEventListener('pointercancel', () => log('cancelled'));
addEventListener('pointerdown', () => scrollBy(0, 200), true);
</script>"#;

#[test]
fn a_border_that_scrolls_away_inside_the_press_is_not_dragged() {
    let live = Live::open(|_| page(TABLE));
    let state = live.json("state --infer");
    let all = state["targets"].as_array().unwrap();
    let border = all.iter().find(|t| t["name"] == "right of Amount").unwrap();
    live.not(&format!("drag {} --to 700,300", border["ref"]));
    live.logged("cancelled");
}

/// `/KIND`: a map, or a text, whose content a page moves as it says, and which logs where in its content each press comes.
fn shifting(path: &str) -> Answer {
    let (kind, style) = match path.trim_start_matches('/') {
        "" => ("still", ""),
        kind => (kind, if kind.starts_with("moved") { "hidden" } else { "auto" }),
    };
    let pane = match kind.ends_with("text") {
        true => "line<br>".repeat(100),
        false => "<canvas id=pane width=300 height=2500 style='background:#ccc; display:block'></canvas>".to_owned(),
    };
    page(format!(
        r#"<title>Map</title><div id=it role=application tabindex=0 aria-label=Map style="width:300px; height:300px; overflow:{style}">
{pane}</div><script>
let heard = 0;
addEventListener('pointerdown', () => {{ document.title = `${{++heard}}` }}, true);
const moves = {{
  still: () => {{}},
  'still-text': () => {{}},
  scrolled: () => addEventListener('mousemove', () => {{ it.scrollTop += 200 }}, {{ once: true }}),
  'scrolled-by-press': () => addEventListener('pointerdown', () => {{ it.scrollTop += 200 }}, true),
  'scrolled-text': () => moves.scrolled(),
  'moved-both': () => addEventListener('mousemove', () => {{ [pane.style.transform, it.style.marginTop] = ['translateY(-200px)', '40px'] }}, {{ once: true }}),
  moved: () => addEventListener('mousemove', () => {{ pane.style.transform = 'translateY(-200px)' }}, {{ once: true }}),
  'moved-by-press': () => addEventListener('pointerdown', () => {{ pane.style.transform = 'translateY(-200px)' }}, {{ once: true, capture: true }}),
}};
moves['{kind}']();
for (const type of ['pointerdown', 'mousedown', 'click']) {{
  it.addEventListener(type, (e) => {{
    const r = (window.pane ?? it).getBoundingClientRect(), y = window.pane ? 0 : it.scrollTop;
    log([type, (e.clientX - r.left).toFixed(), (e.clientY - r.top + y).toFixed()].join(','));
    if (type === 'click') it.after(document.createElement('hr'));
  }});
}}
</script>"#
    ))
}

#[test]
fn what_lay_at_a_place_is_pressed_or_nothing_is() {
    let live = Live::closed(shifting);
    let kinds = [
        "still",
        "still-text",
        "scrolled",
        "scrolled-text",
        "moved",
        "moved-both",
        "scrolled-by-press",
        "moved-by-press",
    ];
    for kind in kinds {
        live.ok(&format!("open {}", live.site.at(&format!("/{kind}"))));
        live.log();
        let line = format!("click-at {} --offset 60,100", live.number("#it"));
        let (told, log) = (live.run(&line), live.log());
        assert!(elsewhere(&log, (60.0, 100.0)).is_empty(), "{kind}: {log} {told:?}");
        let is_still = kind.starts_with("still");
        assert_eq!((told.status, log.contains("click")), (Some(i32::from(!is_still)), is_still), "{kind}: {told:?}");
        // What a page does at the press, it does once.
        let heard = if is_still || kind.ends_with("by-press") { "1" } else { "Map" };
        assert_eq!(live.ok("get title"), heard, "{kind}: {told:?}");
        // Asked for again, it is there.
        if matches!(kind, "scrolled" | "scrolled-text" | "moved") {
            live.ok(&line);
            assert!(elsewhere(&live.log(), (60.0, 300.0)).is_empty(), "{kind}");
        }
    }
}

/// A button that a page shows as pressed in the way that its address says.
fn pressed(path: &str) -> Answer {
    let style = match path.trim_start_matches('/') {
        "shrunk" => "button:active { transform: scale(.95) }",
        "pushed" => "button:active { transform: translateY(4px) }",
        "lower" => "button:active { position: relative; top: 3px; left: 1px }",
        "class" => "button.pressed { transform: scale(.95) }",
        "grown" => "button:hover { transform: scale(1.05) } button:active { transform: scale(.95) }",
        "lifted" => "button:hover { transform: translateY(-6px) } button:active { transform: translateY(2px) }",
        _ => "",
    };
    page(format!(
        r#"<title>Pressed</title><style>{style} button {{ width:300px; height:80px; margin:40px }}</style><button id=it>Go</button>
<script>it.onpointerdown = () => it.classList.add('pressed'); it.onpointerup = () => it.classList.remove('pressed');
it.onclick = () => {{ log('clicked'); it.after('done ') }}</script>"#
    ))
}

#[test]
fn what_is_shown_as_pressed_is_clicked_at_any_place_of_it() {
    let live = Live::closed(pressed);
    for kind in ["plain", "shrunk", "pushed", "lower", "class", "grown", "lifted"] {
        live.ok(&format!("open {}", live.site.at(&format!("/{kind}"))));
        live.log();
        let number = live.number("#it");
        for place in ["20,40", "150,40", "280,65"] {
            live.ok(&format!("click-at {number} --offset {place}"));
            assert_eq!(live.log(), "clicked", "{kind} {place}");
        }
    }
}
