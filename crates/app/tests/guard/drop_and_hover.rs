//! Where a drag ends, what the pointer is put on and what the wheel is turned over are held to what was shown, too.

use handeye_testkit::is_full;
use handeye_testkit::stage::{Agent, Expect, Outcome, Site, encoded};
use serde_json::{Value, json};

struct Case {
    site: Site,
    agent: Agent,
}

impl Case {
    fn new() -> Self {
        Self { site: Site::new(), agent: Agent::new() }
    }

    async fn open(&mut self, html: &str, script: &str) {
        let before = self.site.arrivals("case");
        self.agent.open(&self.site.url(&format!("/case?as=case&html={}", encoded(html)))).await;
        self.site.arrived("case", before);
        self.page(script);
    }

    fn page(&self, script: &str) {
        self.site.run("case", &format!("{{ {script} }}; null"));
    }

    fn done(&self) -> Value {
        self.site.run("case", "window.done")
    }

    async fn drag(&mut self, from: u32, to: u32, expect: &Expect) -> Outcome {
        self.agent.act("drag", from, expect, json!({ "to": to, "duration": 60 })).await
    }
}

const BOARD: &str = "<style>.b{position:absolute;width:90px;height:60px;border:1px solid}</style>
    <button id=card draggable=DRAGGABLE class=b style='left:10px;top:10px'>Card</button>
    <button id=keep class=b style='left:200px;top:10px'>Keep</button>
    <button id=bin class=b style='left:200px;top:200px'>Bin</button>";
/// Drops by the pointer, or as HTML has them.
const DROPS: &str = "window.done = []; let held = false;
    $('card').addEventListener('mousedown', () => { held = true });
    for (const id of ['keep', 'bin', 'card']) {
        $(id).addEventListener('mouseup', () => { if (held && id !== 'card') { done.push($(id).textContent); note('moved') } held = false });
        $(id).addEventListener('dragover', e => e.preventDefault());
        $(id).addEventListener('drop', e => { e.preventDefault(); if (id !== 'card') { done.push($(id).textContent); note('moved') } });
    }
    $('card').addEventListener('dragstart', e => e.dataTransfer.setData('text/plain', 'x'));
    const swap = () => { $('keep').style.top = '200px'; $('bin').style.top = '10px' };";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drag_ends_on_what_was_shown_or_not_at_all() {
    let mut case = Case::new();
    for (at, draggable) in ["false", "true"].into_iter().enumerate() {
        let html = BOARD.replace("DRAGGABLE", draggable);
        let cases = [
            ("", true),
            ("$('keep').textContent = 'Bin'", false),
            // Moved away, relabelled, covered: on the way there, and in the very event.
            ("$('card').addEventListener('mousedown', swap)", false),
            ("$('card').addEventListener('mousedown', () => { $('keep').textContent = 'Shred' })", false),
            ("window.addEventListener('mouseup', swap, true); window.addEventListener('drop', swap, true)", true),
            (
                "for (const k of ['mouseup', 'drop']) window.addEventListener(k, () => { $('keep').textContent = 'Shred' }, true)",
                false,
            ),
        ];
        // By default each with one way to drop.
        for (_, (change, lands)) in cases.into_iter().enumerate().filter(|(i, _)| is_full() || i % 2 == at) {
            case.open(&html, DROPS).await;
            let (card, keep) = (case.agent.see("Card").await, case.agent.see("Keep").await);
            case.page(&format!("{{ {DROPS} window.swap = swap }}; window.done = []; {change}"));
            let outcome = case.drag(card, keep, &Expect::Shown).await;
            if lands {
                assert!(outcome.confirmed(), "{draggable} {change}: {outcome:?}");
                assert!(case.done().as_array().unwrap().iter().all(|d| d == "Keep"), "{draggable} {change}");
            } else {
                assert!(outcome.contradicted(), "{draggable} {change}: {outcome:?}");
                assert_eq!(case.done(), json!([]), "{draggable} {change}: {outcome:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_carried_may_lie_over_where_it_is_dropped() {
    let mut case = Case::new();
    let carry = [
        // The element itself follows the pointer.
        "window.addEventListener('mousemove', e => { if (held) { $('card').style.left = e.clientX - 20 + 'px'; $('card').style.top = e.clientY - 20 + 'px' } })",
        // A copy of it does.
        "let g; window.addEventListener('mousemove', e => { if (!held) return; g ??= document.body.appendChild($('card').cloneNode(true));
            g.style.left = e.clientX - 20 + 'px'; g.style.top = e.clientY - 20 + 'px' })",
    ];
    for way in carry {
        case.open(&BOARD.replace("DRAGGABLE", "false"), DROPS).await;
        case.page(&format!("{DROPS} {way}; window.addEventListener('mouseup', () => note('let go'))"));
        let (card, keep) = (case.agent.see("Card").await, case.agent.see("Keep").await);
        let outcome = case.drag(card, keep, &Expect::Shown).await;
        assert!(outcome.confirmed(), "{way}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hover_says_that_the_pointer_is_on_it_only_where_it_is() {
    let mut case = Case::new();
    case.open("<button id=t style='position:absolute;left:50px;top:50px'>Menu</button>", "").await;
    let menu = case.agent.see("Menu").await;
    for _ in 0..3 {
        let outcome = case.agent.act("hover", menu, &Expect::Shown, json!({})).await;
        assert!(outcome.confirmed() && outcome.text.contains("the pointer is on it"), "{outcome:?}");
    }
    case.page("$('t').addEventListener('mouseover', () => { $('t').textContent = 'Menu, open' })");
    case.agent.must("mouse", json!({ "action": "move", "at": ["500,500"] })).await;
    let outcome = case.agent.act("hover", menu, &Expect::Shown, json!({})).await;
    assert!(outcome.confirmed(), "what it does about the pointer is its own work: {outcome:?}");

    case.open("<button id=t style='position:absolute;left:50px;top:50px'>Menu</button>", "").await;
    let menu = case.agent.see("Menu").await;
    case.page(
        "window.addEventListener('pointerover', () => { $('t').textContent = 'Delete' }, true); window.done = [];
        $('t').addEventListener('mouseover', () => done.push('over'))",
    );
    let outcome = case.agent.act("hover", menu, &Expect::Shown, json!({})).await;
    assert!(outcome.contradicted() && !outcome.text.contains("is on it"), "{outcome:?}");
    assert_eq!(case.done(), json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wheel_turns_only_over_what_was_named() {
    let mut case = Case::new();
    let html = "<div id=map role=button aria-label=Map tabindex=0 style='position:absolute;left:0;top:0;width:300px;height:200px'></div>";
    let log = "window.done = []; $('map').addEventListener('wheel', () => { done.push('map'); note('zoomed') });";
    case.open(html, log).await;
    let map = case.agent.see("Map").await;
    let scroll = json!({ "direction": "down", "pixels": 100 });
    let outcome = case.agent.act("scroll", map, &Expect::Shown, scroll.clone()).await;
    assert!(outcome.confirmed(), "{outcome:?}");
    assert_eq!(case.done(), json!(["map"]));
    // Another scroller comes to lie over it.
    case.page("done.length = 0; const o = document.createElement('div'); o.style.cssText = 'position:fixed;left:0;top:0;width:300px;height:200px;overflow:auto';
        o.innerHTML = '<p style=\"height:2000px\">long</p>'; o.onscroll = () => done.push('scrolled'); o.onwheel = () => done.push('wheel'); document.body.append(o)");
    let outcome = case.agent.act("scroll", map, &Expect::Shown, scroll).await;
    assert!(outcome.contradicted(), "{outcome:?}");
    assert_eq!(case.done(), json!([]));
}
