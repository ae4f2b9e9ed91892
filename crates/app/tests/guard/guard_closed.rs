//! The guard fails closed: pages that make its checks throw, take its listeners away, or relabel a target between two of its own
//! listeners. The page's own log judges what was hit.

use handeye_engine::act;
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, Expectation, Locator};
use handeye_scene::{Button, Code, DeniedOrigins, Modifiers, Ref, Verdict};
use handeye_testkit::stage::{Agent, Expect, PLACES, Place, Running, Site, encoded, events};
use handeye_testkit::{Sample, is_full};
use serde_json::{Value, json};
use std::time::Duration;

/// What a page does to a click on its button "Approve", and what may be said of it.
struct Attack {
    name: &'static str,
    /// What makes the trap, in the page's own world. `b` is the button, `$` finds in its tree.
    trap: &'static str,
    /// What the receipt may say; where it is confirmed, the click came to what was meant.
    says: &'static [Verdict],
    /// Whether it does harm where nothing is guarded.
    harms: bool,
}

const REFUSED: &[Verdict] = &[Verdict::Contradicted];
const UNSURE: &[Verdict] = &[Verdict::Unverifiable];
const EITHER: &[Verdict] = &[Verdict::Contradicted, Verdict::Unverifiable];
const DONE: &[Verdict] = &[Verdict::Confirmed];

const ATTACKS: &[Attack] = &[
    // Checks that fail.
    Attack {
        name: "nested deeper than calls can be",
        trap: "at('pointerdown', () => { let n = document.createTextNode('Delete'); for (let i = 0; i < 2500; i++) { const s = document.createElement('span'); s.append(n); n = s } b.replaceChildren(n) })",
        says: REFUSED,
        harms: true,
    },
    Attack {
        name: "a form with ariaLabelledByElements",
        trap: "at('pointerdown', () => { b.innerHTML = 'Delete<form aria-labelledby><input type=hidden name=ariaLabelledByElements></form>' })",
        says: REFUSED,
        harms: true,
    },
    Attack {
        name: "a form with contains that is owned",
        trap: "at('pointerdown', () => { b.innerHTML = 'Delete<span aria-owns=owned></span>'; box().insertAdjacentHTML('beforeend', '<form id=owned><input type=hidden name=contains></form>') })",
        says: REFUSED,
        harms: true,
    },
    Attack {
        name: "elements that own each other",
        trap: "at('pointerdown', () => { b.innerHTML = '<i id=one aria-owns=two>Del</i><i id=two aria-owns=one>ete</i>' })",
        says: REFUSED,
        harms: true,
    },
    Attack {
        name: "a form with querySelectorAll as a list",
        trap: "at('pointerdown', () => { b.innerHTML = 'Delete<form role=listbox><input type=hidden name=querySelectorAll></form>' })",
        says: REFUSED,
        harms: true,
    },
    Attack {
        name: "a control of another namespace",
        trap: "at('pointerdown', () => { b.innerHTML = 'Delete<svg><input autocomplete=current-password /></svg>'; const svg = b.querySelector('svg') ?? b; for (const tag of ['input', 'select', 'textarea', 'progress']) { const e = document.createElementNS('http://www.w3.org/2000/svg', tag); e.setAttribute('autocomplete', 'current-password'); svg.append(e) } })",
        says: REFUSED,
        harms: true,
    },
    // Listeners that are taken away.
    Attack { name: "opened anew at the pointer's press", trap: "at('pointerdown', reopen)", says: EITHER, harms: true },
    Attack { name: "opened anew at the press", trap: "at('mousedown', reopen)", says: EITHER, harms: true },
    Attack { name: "opened anew at the release", trap: "at('mouseup', reopen)", says: EITHER, harms: false },
    Attack {
        name: "opened anew, with listeners before ours that keep the events",
        trap: "at('pointerdown', () => reopen('keep'))",
        says: EITHER,
        harms: true,
    },
    // Listeners of the page's one after the other.
    Attack {
        name: "its own listener relabels it, and the next one acts, at the press",
        trap: "own('mousedown', relabel); own('mousedown', tell)",
        says: UNSURE,
        harms: true,
    },
    Attack {
        name: "its own listener relabels it, and the next one acts",
        trap: "own('click', relabel); own('click', tell)",
        says: UNSURE,
        harms: true,
    },
    Attack {
        name: "a rule of style relabels it, and the next one acts",
        trap: "own('click', () => { const sheet = new CSSStyleSheet(); sheet.replaceSync('#b::after { content: \" Delete\" }'); root.adoptedStyleSheets.push(sheet) }); own('click', () => { if (getComputedStyle(b, '::after').content.includes('Delete')) log.push({type: 'click', label: 'Delete'}) })",
        says: UNSURE,
        harms: true,
    },
    Attack {
        name: "what is in it relabels it, and its own listener acts",
        trap: "b.innerHTML = '<i>Approve</i>'; b.firstChild.addEventListener('click', relabel)",
        says: UNSURE,
        harms: true,
    },
    Attack {
        name: "a listener above it that was added in the event",
        trap: "b.addEventListener('click', tell, true); at('click', () => b.parentNode.addEventListener('click', relabel, {capture: true, once: true}))",
        says: UNSURE,
        harms: true,
    },
    Attack {
        name: "a listener further above that was added in the event",
        trap: "const up = document.createElement('div'); b.parentNode.insertBefore(up, b); up.append(document.createElement('div')); up.firstChild.append(b); b.addEventListener('click', tell, true); at('click', () => up.addEventListener('click', relabel, {capture: true, once: true}))",
        says: UNSURE,
        harms: true,
    },
    Attack {
        name: "a listener above it that relabels it and keeps the event",
        trap: "at('click', e => { relabel(); e.stopImmediatePropagation(); log.push({type: 'kept', label: ''}) })",
        says: EITHER,
        harms: false,
    },
    Attack {
        name: "a listener above it that does what the click is for and relabels it",
        trap: "at('click', () => { log.push({type: 'effect', label: ''}); relabel() })",
        says: UNSURE,
        harms: false,
    },
    // What a click may do.
    Attack {
        name: "a button that relabels itself",
        trap: "own('click', relabel); addEventListener('click', () => {}); document.addEventListener('click', () => {})",
        says: DONE,
        harms: false,
    },
];

/// The page's side: traps, what they do, and what the button's listeners write down.
const KIT: &str = "
    const b = $('b');
    const at = (type, act) => addEventListener(type, act, {capture: true, once: true});
    const own = (type, act) => b.addEventListener(type, act);
    const relabel = () => { b.textContent = 'Delete' };
    const tell = e => { log.push({type: e.type, label: b.textContent.trim()}) };
    const reopen = how => {
        document.open();
        document.write(`<button id=d style='position:fixed;inset:0'>Delete</button>${how === 'keep' ? `<script>
            for (const type of TYPES) addEventListener(type, e => { log.push({type: 'kept', label: type}); e.stopImmediatePropagation() }, true);
            <\\/script>` : ''}`);
        document.close();
        for (const type of TYPES) document.getElementById('d').addEventListener(type, () => log.push({type, label: 'Delete'}));
    };";

/// Clicks the target of this number, guarded or not.
async fn click(agent: &mut Agent, number: u32, guarded: bool) -> Verdict {
    let request = ActionRequest {
        aim: AimedAt::Target(vec![Locator::Ref(Ref(number))]),
        expectation: Expectation::LastShown,
        action: Action::Click {
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::default(),
            by: ClickBy::Pointer,
            offset: None,
        },
        act_on_unverifiable: false,
        denied: DeniedOrigins::default(),
        only_in: None,
        guarded,
        ready: Duration::from_secs(2),
        settle: Duration::from_millis(300),
        effect: Duration::ZERO,
        changes: 4,
    };
    let (surface, memory, clock) = agent.session.parts().unwrap();
    match act(surface, memory, clock.as_ref(), &request).await {
        Ok(receipt) => receipt.verdict,
        // Withheld, and what took its place is something else.
        Err(problem) => {
            assert_eq!(problem.code, Code::Stale, "{problem:?}");
            Verdict::Contradicted
        }
    }
}

/// What a button got while it said something else than was meant.
fn wrong(log: &Value) -> Vec<&Value> {
    let kinds = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
    let of_kind = |e: &&Value| kinds.iter().any(|k| e["type"] == *k);
    log.as_array().unwrap().iter().filter(of_kind).filter(|e| e["label"] != "Approve").collect()
}

/// One attack in one place; what was said, and what the page got.
async fn tried(agent: &mut Agent, site: &Site, place: Place, attack: &Attack, guarded: bool) -> (Verdict, Value) {
    let before = site.arrivals("case");
    let html = "<button id=b style='min-width:80px'>Approve</button>";
    agent.open(&place.url(site, "/case", &format!("&html={}", encoded(html)))).await;
    site.arrived("case", before);
    site.run("case", &format!("{{ {KIT} {}; null }}", attack.trap));
    let number = agent.see("Approve").await;
    let verdict = click(agent, number, guarded).await;
    (verdict, site.run("case", "log.splice(0)"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_on_the_guard_reach_nothing() {
    let site = Site::new();
    let mut agent = Agent::new();
    for (i, attack) in ATTACKS.iter().enumerate() {
        let places = [Place::Main, PLACES[1 + i % 5], PLACES[1 + (i + 2) % 5]];
        // By default each in one of the three.
        for (_, place) in places.into_iter().enumerate().filter(|(at, _)| is_full() || *at == i % 3) {
            let (verdict, log) = tried(&mut agent, &site, place, attack, true).await;
            assert!(wrong(&log).is_empty(), "{}, {place:?}: {verdict:?} {log}", attack.name);
            assert!(attack.says.contains(&verdict), "{}, {place:?}: {verdict:?} {log}", attack.name);
            let clicked = events(&log, "click");
            assert!(verdict != Verdict::Confirmed || !clicked.is_empty(), "{}, {place:?}: {log}", attack.name);
            assert!(verdict != Verdict::Contradicted || clicked.is_empty(), "{}, {place:?}: {log}", attack.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_the_guard_attacks_do_harm() {
    let site = Site::new();
    let mut agent = Agent::new();
    let mut sample = Sample::one_in(4);
    for attack in ATTACKS.iter().filter(|a| a.harms && sample.takes()) {
        let (_, log) = tried(&mut agent, &site, Place::Main, attack, false).await;
        let kept = !events(&log, "kept").is_empty();
        assert!(kept || !wrong(&log).is_empty(), "{}: the test proves nothing: {log}", attack.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_that_relabels_itself_still_sends_its_form() {
    let site = Site::new();
    let mut agent = Agent::new();
    let sent = "$('f').addEventListener('submit', e => { e.preventDefault(); log.push({type: 'sent', label: ''}) })";
    for place in [Place::Main, Place::Open, Place::Closed, Place::Foreign] {
        let before = site.arrivals("case");
        let html = "<form id=f><button id=b>Save</button></form>";
        agent.open(&place.url(&site, "/case", &format!("&html={}", encoded(html)))).await;
        site.arrived("case", before);
        let busy = "$('b').addEventListener('click', () => { $('b').textContent = 'Saving…' })";
        site.run("case", &format!("{{ {busy}; {sent}; null }}"));
        let number = agent.see("Save").await;
        let verdict = click(&mut agent, number, true).await;
        let log = site.run("case", "log.splice(0)");
        assert_eq!(events(&log, "sent").len(), 1, "{place:?}: {verdict:?} {log}");
        assert_eq!(verdict, Verdict::Confirmed, "{place:?}: {log}");
    }
}

/// A form and a document with an element named for everything that scripts ask of them.
const CLOBBERED: &str = "
    const names = of => { const all = new Set(); for (let p = of; p && p !== Object.prototype; p = Object.getPrototypeOf(p)) Object.getOwnPropertyNames(p).forEach(n => all.add(n)); all.delete('location'); return [...all] };
    const form = document.createElement('form');
    form.setAttribute('role', 'group'); form.setAttribute('aria-label', 'Form'); form.style.cssText = 'padding:9px;overflow:auto;height:60px';
    const button = document.createElement('button');
    button.type = 'button'; button.textContent = 'Inside'; button.onclick = () => { button.setAttribute('aria-pressed', 'true'); log.push({type: 'click', label: 'Inside'}) };
    const more = document.createElement('p'); more.textContent = 'Text of the form';
    const fields = names(form).map(name => { const e = document.createElement('input'); e.type = 'hidden'; e.name = name; return e });
    const images = names(document).filter(name => name !== 'constructor').map(name => { const e = document.createElement('img'); e.setAttribute('name', name); e.setAttribute('alt', ''); return e });
    const put = Element.prototype.append;
    put.call($('box'), form);
    put.call(form, button, more);
    const body = document.body;
    put.call(form, ...fields);
    put.call(body, ...images);
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_that_a_page_gives_hide_nothing() {
    let site = Site::new();
    let mut agent = Agent::new();
    let by_default = [Place::Main, Place::Foreign];
    for place in [Place::Main, Place::Open, Place::Closed, Place::Foreign] {
        if !is_full() && !by_default.contains(&place) {
            continue;
        }
        let before = site.arrivals("case");
        agent.open(&place.url(&site, "/case", "&html=")).await;
        site.arrived("case", before);
        site.run("case", &format!("{{ {CLOBBERED}; null }}"));
        let number = agent.see("Inside").await;
        let form = agent.state().await.iter().find(|t| t.1 == "Form").map(|t| t.2);
        let done = agent.click(number, &Expect::Shown).await;
        assert!(done.confirmed(), "{place:?}: {done:?}");
        let pressed = agent.click(number, &Expect::Text("Inside")).await;
        assert!(!pressed.contradicted(), "{place:?}: {pressed:?}");
        let log = site.run("case", "log.splice(0)");
        assert_eq!(events(&log, "click"), ["Inside", "Inside"], "{place:?}");
        // Everything else that asks the page, on the form itself too.
        for number in [Some(number), form].into_iter().flatten() {
            agent.must("inspect", json!({ "ref": number })).await;
            let hovered = agent.act("hover", number, &Expect::Shown, json!({})).await;
            assert!(hovered.problem.is_none(), "{place:?}: {hovered:?}");
        }
    }
}

/// A page that was there before we are: its listeners on window are older than ours.
async fn attached(site: &Site, name: &str, url: &str) -> (Running, Agent, u32) {
    let running = Running::start(url);
    site.arrived(name, 0);
    let mut agent = Agent::attached(&running.endpoint());
    agent.must("open", json!({})).await;
    let number = agent.see("Approve").await;
    (running, agent, number)
}

/// `SCRIPT` runs when the page is there.
const OLD: &str =
    "<!doctype html><title>Old</title><body><img name=querySelectorAll><img id=handeye name=handeye><script>
window.log = [];
const place = new URLSearchParams(location.search).get('root');
const host = document.createElement('div');
document.body.append(host);
const root = place ? host.attachShadow({mode: place}) : host;
root.innerHTML = '<button id=b>Approve</button>';
const b = root.firstChild;
let armed = false;
const relabel = () => { b.textContent = 'Delete' };
const tell = e => { log.push({type: e.type, label: b.textContent.trim()}) };
SCRIPT
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) b.addEventListener(type, tell);
</script><script src=/link.js></script>";

/// In a browser that ran before us: name, script, what is said.
const LATE: &[(&str, &str, &[Verdict])] = &[
    (
        "above_it_and_stops",
        "addEventListener('click', e => { relabel(); e.stopImmediatePropagation() }, true);",
        EITHER,
    ),
    ("own_then_next", "b.addEventListener('click', relabel);", UNSURE),
    ("own_in_the_press", "b.addEventListener('mousedown', relabel);", UNSURE),
    (
        "toggle",
        "document.addEventListener('click', () => {}); setTimeout(() => b.addEventListener('click', relabel));",
        DONE,
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_in_a_page_that_was_there_before_us_reach_nothing() {
    let site = Site::new();
    // By default one of those that stop the event, and one that goes on.
    for (i, (name, script, says)) in LATE.iter().enumerate().filter(|(i, _)| is_full() || *i < 2) {
        let path = format!("/{name}");
        site.page(&path, &OLD.replace("SCRIPT", script));
        let own = format!("{path}?as={name}{}", ["", "&root=open", "&root=closed"][i % 3]);
        let url = if i % 2 == 0 { site.url(&own) } else { site.holding(&site.foreign(&own)) };
        let (_running, mut agent, number) = attached(&site, name, &url).await;
        let verdict = click(&mut agent, number, true).await;
        let log = site.run(name, "log.splice(0)");
        assert!(wrong(&log).is_empty(), "{name}: {verdict:?} {log}");
        assert!(says.contains(&verdict), "{name}: {verdict:?} {log}");
    }
}

/// A page with a frame of another origin that comes under the pointer, or takes the focus, just as input comes.
const HOLDING: &str = "<!doctype html><title>Holding</title><style>iframe { position: fixed; left: 0; top: 300px; width: 500px; height: 200px }</style>
<body><button id=b style='position:fixed;left:20px;top:20px;width:200px;height:60px'>Place</button>
<input id=i aria-label=Field style='position:fixed;left:20px;top:120px'><iframe id=f src='FRAME'></iframe><script>
window.log = [];
for (const type of ['mousedown', 'click', 'keydown']) document.addEventListener(type, e => log.push({type, label: e.target.id}));
</script><script src=/link.js></script>";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn input_without_a_target_is_held_to_what_was_found_there_while_an_origin_is_barred() {
    let site = Site::new();
    let inner = site.foreign(&format!(
        "/case?as=denied&html={}",
        encoded("<button id=x style='position:fixed;inset:0'>Pay</button>")
    ));
    site.page("/holding", &HOLDING.replace("FRAME", &inner.replace('&', "&amp;")));
    // What arrives where nothing is barred is told, not judged.
    for denied in [true, false].into_iter().filter(|denied| *denied || is_full()) {
        let mut agent = Agent::new();
        if denied {
            agent.bar("deny", &[format!("acts@{}", site.foreign(""))]);
        }
        let before = (site.arrivals("holding"), site.arrivals("denied"));
        agent.open(&site.url("/holding?as=holding")).await;
        site.arrived("holding", before.0);
        site.arrived("denied", before.1);
        // Undisturbed, it arrives.
        let done = agent.call("click-at", json!({ "x": 100, "y": 50 })).await;
        assert!(done.error.is_none(), "{done:?}");
        assert_eq!(events(&site.run("holding", "log.splice(0)"), "click"), ["b"]);
        // The frame comes under the pointer as it moves there.
        site.run("holding", "addEventListener('mousemove', () => { f.style.top = 0 }, true); null");
        let shot = agent.call("click-at", json!({ "x": 120, "y": 50 })).await;
        let log = site.run("denied", "log.splice(0)");
        assert!(!denied || log.as_array().unwrap().is_empty(), "{log} {shot:?}");
        // The frame takes the focus as the keys come.
        site.run(
            "holding",
            "f.style.top = '300px'; i.focus(); addEventListener('keydown', () => f.focus(), true); null",
        );
        let typed = agent.call("keys", json!({ "keys": ["a", "b", "c"], "expect_any": true })).await;
        let log = site.run("denied", "log.splice(0)");
        assert!(!denied || log.as_array().unwrap().is_empty(), "{log} {typed:?}");
    }
}
