//! What scripts draw on a canvas shows in no tree: its pixels tell what a gesture did.

use handeye_testkit::live::{Live, page};
use handeye_testkit::{is_full, trials};
use serde_json::Value;

/// Canvases that answer a click at once, not at all, only to being pointed to, and one that never rests.
const CANVASES: &str = r#"<title>Drawn</title>
<button id=away>Away</button>
<canvas id=now width=80 height=60 tabindex=0 aria-label=Now></canvas> 
<canvas id=dead width=80 height=60 tabindex=0 aria-label=Dead></canvas> <canvas id=pointed width=80 height=60 tabindex=0 aria-label=Pointed></canvas>
<canvas id=bare width=80 height=60></canvas> <canvas id=moving width=80 height=60 tabindex=0 aria-label=Moving></canvas> <canvas id=keyed width=80 height=60 tabindex=0 aria-label=Keyed></canvas>
<style>canvas { outline: none }</style>
<script>
const draw = (el) => { const c = el.getContext('2d'); el.turn = (el.turn ?? 0) + 47; c.fillStyle = `hsl(${el.turn}deg 90% 50%)`; c.fillRect(9, 9, 30, 30) };
document.querySelectorAll('canvas').forEach(draw);
bare.onclick = () => draw(bare);
now.onclick = () => draw(now);
pointed.onpointerenter = () => draw(pointed);
setInterval(() => draw(moving), 20);
keyed.onkeydown = () => draw(keyed);
</script>"#;

fn judged(live: &Live, line: &str) -> (String, Vec<String>) {
    let told: Value = live.run(&format!("{line} --json")).json();
    // Of another canvas, which moves all the time.
    let is_beside =
        |e: &&Value| e["what"].as_array().is_some_and(|what| what.iter().all(|m| m["property"] == "picture"));
    let evidence = told["evidence"].as_array().into_iter().flatten().filter(|e| !is_beside(e));
    let kinds = evidence.filter_map(|e| e["kind"].as_str());
    let kinds = kinds.filter(|k| !matches!(*k, "note" | "changes"));
    (told["verdict"].as_str().unwrap_or_default().to_owned(), kinds.map(str::to_owned).collect())
}

#[test]
fn a_click_on_a_canvas_is_judged_by_its_pixels() {
    let live = Live::open(|_| page(CANVASES));
    let drawn = || ("confirmed".to_owned(), vec!["drawn".to_owned()]);
    let nothing = |verdict: &str| (verdict.to_owned(), Vec::new());
    let rows = [
        ("now", drawn(), drawn()),
        // As a dead one is, though it draws itself anew as the pointer comes.
        ("pointed", nothing("no_effect"), nothing("unverifiable")),
        ("bare", drawn(), drawn()),
        ("dead", nothing("no_effect"), nothing("unverifiable")),
        ("moving", nothing("unverifiable"), nothing("unverifiable")),
    ];
    for (id, wanted, at_a_place) in rows.into_iter().take(if is_full() { 5 } else { 2 }) {
        // The first click may give it the focus, which is an effect of its own.
        if id != "bare" {
            live.ok(&format!("focus --css #{id}"));
        }
        assert_eq!(judged(&live, &format!("click --css #{id}")), wanted, "{id}");
        let rect = live.json(&format!("get rect --css #{id}"))["value"].clone();
        let at = |side: usize| rect[side].as_f64().unwrap() + 20.0;
        // The pointer goes away first.
        live.ok("hover --css #away");
        assert_eq!(judged(&live, &format!("click-at {} {}", at(0), at(1))), at_a_place, "{id} at a place");
    }
    live.ok("focus --css #keyed");
    assert_eq!(judged(&live, "keys a"), drawn());
    if is_full() {
        live.ok("focus --css #dead");
        assert_eq!(judged(&live, "keys a"), nothing("unverifiable"));
    }
}

/// No picture comes of a tab that another one lies before.
#[test]
fn a_click_on_a_canvas_in_a_tab_behind_another_takes_no_long_time() {
    let live = Live::open(|path| {
        if path == "/" {
            page(CANVASES.replace("id=away", "id=away onclick=\"open('/two')\""))
        } else {
            page("<title>Two</title>")
        }
    });
    live.ok("click --name Away");
    for (line, most) in [("click css=#now --json", 12), ("click css=#dead --json", 12)] {
        let began = std::time::Instant::now();
        let told: Value = live.run(line).json();
        let took = began.elapsed();
        assert!(took < std::time::Duration::from_secs(most), "{line} took {took:?}: {told:#}");
        let wrong = line.contains("dead") && told["verdict"] == "confirmed";
        assert!(!wrong && told["verdict"] != "contradicted", "{told:#}");
    }
}

/// Canvases that go on by themselves, as slowly as clocks and carets do, and one that moves for a while where it is clicked.
const CLOCKS: &str = r#"<title>Clocks</title><style>canvas { outline: none }</style>
<canvas id=clock width=80 height=60 tabindex=0 aria-label=Clock></canvas> <canvas id=caret width=80 height=60 tabindex=0 aria-label=Caret></canvas>
<canvas id=goes width=80 height=60 tabindex=0 aria-label=Goes></canvas>
<script>
const draw = (el, turn) => { const c = el.getContext('2d'); c.fillStyle = `hsl(${turn}deg 90% 50%)`; c.fillRect(9, 9, 30, 30) };
let seconds = 0, on = false;
setInterval(() => draw(clock, seconds += 6), 1000);
setInterval(() => draw(caret, (on = !on) ? 0 : 120), 530);
draw(goes, 0);
clock.onclick = () => {};
goes.onclick = () => { const since = performance.now(); const step = () => { const part = Math.min(1, (performance.now() - since) / 700); draw(goes, part * 90); if (part < 1) requestAnimationFrame(step) }; step() };
</script>"#;

#[test]
fn what_a_canvas_draws_by_itself_confirms_no_click() {
    let live = Live::open(|_| page(CLOCKS));
    for id in ["clock", "caret"] {
        live.ok(&format!("focus --css #{id}"));
        let verdicts: Vec<String> = (0..trials(1, 5)).map(|_| judged(&live, &format!("click --css #{id}")).0).collect();
        assert!(verdicts.iter().all(|verdict| verdict != "confirmed"), "{id}: {verdicts:?}");
    }
    live.ok("focus --css #goes");
    let (verdict, kinds) = judged(&live, "click --css #goes");
    assert!(verdict == "confirmed" && kinds.iter().any(|kind| kind == "drawn"), "{verdict} {kinds:?}");
}
