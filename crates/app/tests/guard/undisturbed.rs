//! Targets that nobody disturbs are acted on: a guard that refuses everything would be of no use.

use handeye_testkit::stage::{Agent, Expect, PLACES, Site, encoded, say};
use handeye_testkit::{Sample, is_full};
use serde_json::{Value, json};

/// One of every kind, with what a real page does besides: ripples, wrapped labels, clocks, pressed states, validation. What changes
/// by itself takes as much room as before: a press may miss what is moved aside inside it.
const HTML: &str = r##"
<style>.state, .beat { display: inline-block; width: 9em }</style>
<p>It is <span id=clock>0</span></p>
<button id=save><svg width=12 height=12><rect width=12 height=12 /></svg> <span>Save <b>draft</b></span></button>
<button id=ripple style="position:relative;overflow:hidden">Send</button>
<button id=toggle aria-pressed=false>Mute</button>
<button id=menu aria-expanded=false aria-haspopup=true>Menu</button>
<button id=counter>Cart (2)</button>
<a id=link href="#there">Jump</a>
<div id=widget role=button tabindex=0>Widget</div>
<div id=plain style="cursor:pointer;width:80px">Plain</div>
<label><input id=box type=checkbox> Agree</label>
<input id=hiddenbox type=checkbox style="position:absolute;opacity:0;width:0;height:0"><label for=hiddenbox>Switch</label>
<label><input id=radio type=radio name=r> One</label>
<details id=details><summary>More</summary>Hidden text</details>
<label>Name <input id=name value=Ann></label>
<label>Mail <input id=mail type=email></label>
<label>Number <input id=number type=number value=3></label>
<label>Secret <input id=secret type=password></label>
<label>Note <textarea id=note>old</textarea></label>
<label>Day <input id=day type=date></label>
<label>Colour <input id=colour type=color></label>
<label>Size <input id=size type=range min=0 max=10></label>
<label>Fruit <select id=fruit><option>Apple<option>Pear<option>Plum</select></label>
<div id=rich contenteditable aria-label="Rich" style="border:1px solid">old</div>
<table>
<tr><td><input type=checkbox aria-label="Pick one"></td><td>Ann</td><td class=state>0 s</td><td><button>Renew</button></td></tr>
<tr><td><input type=checkbox aria-label="Pick one"></td><td>Bob <span class=beat>0</span></td><td class=state>0 s</td><td><button>Renew</button></td></tr>
</table>
<div class=cards><div><h4>Kim</h4><i class=state>0 s</i> <button>Pause</button></div><div><h4>Eve</h4><i class=state>0 s</i> <button>Pause</button></div></div>
<div style="height:1200px"></div>
<button id=far>Far below</button>
"##;

/// What the page does of its own.
const SCRIPT: &str = "
    setInterval(() => { $('clock').textContent = Date.now() }, 400);
    const on = (id, kind, act) => $(id).addEventListener(kind, act);
    const WORDS = ['open', 'held back', 'closed'];
    setInterval(() => {
        root.querySelectorAll('.state').forEach(e => { e.textContent = WORDS[Date.now() % 3] });
        root.querySelectorAll('.beat').forEach(e => { e.textContent = Date.now() });
    }, 150);
    root.querySelectorAll('table button, .cards button').forEach(b => b.addEventListener('mousedown', () => {
        b.parentNode.parentNode.querySelector('.state').textContent = 'pressed' }));
    on('ripple', 'pointerdown', () => { const s = document.createElement('span');
        s.style.cssText = 'position:absolute;inset:0;background:#0003;pointer-events:none'; $('ripple').append(s);
        setTimeout(() => s.remove(), 300) });
    on('toggle', 'click', () => $('toggle').ariaPressed = String($('toggle').ariaPressed !== 'true'));
    on('menu', 'click', () => $('menu').ariaExpanded = String($('menu').ariaExpanded !== 'true'));
    on('counter', 'click', () => { $('counter').textContent = 'Cart (' + Math.ceil(Math.random() * 1e6) + ')' });
    on('counter', 'mousedown', () => { $('counter').className = 'down' });
    on('link', 'click', e => { e.preventDefault(); note('jumped') });
    for (const id of ['widget', 'plain']) on(id, 'click', () => note('clicked ' + id));
    window.addEventListener('mousemove', () => { $('clock').textContent = 'moved ' + Date.now() });";

/// Command, name of the target, arguments. `#` stands for something new every round.
fn actions(round: usize) -> Vec<(&'static str, &'static str, Value)> {
    let text = |t: &str| json!({ "text": t.replace('#', &round.to_string()) });
    vec![
        ("click", "Save draft", json!({})),
        ("click", "Send", json!({})),
        ("click", "Mute", json!({})),
        ("click", "Menu", json!({})),
        ("click", "Cart", json!({})),
        ("click", "Jump", json!({})),
        ("click", "Widget", json!({})),
        ("click", "Plain", json!({})),
        ("check", "Agree", json!({})),
        ("uncheck", "Agree", json!({})),
        ("click", "Switch", json!({})),
        ("check", "One", json!({})),
        ("click", "More", json!({})),
        ("input", "Name", text("Eve # é 中文")),
        ("input", "Mail", text("a#@example.com")),
        ("input", "Number", text("1#")),
        ("input", "Secret", text("hush #")),
        ("input", "Note", text("one\ntwo #")),
        ("input", "Day", json!({ "text": format!("2026-01-{:02}", round % 28 + 1) })),
        ("input", "Colour", json!({ "text": format!("#0000{:02x}", round % 250 + 1) })),
        ("input", "Size", json!({ "text": (round % 10).to_string() })),
        ("select", "Fruit", json!({ "options": [if round == 1 { "Pear" } else { "Plum" }] })),
        ("input", "Rich", text("rich #")),
        ("click", "Renew", json!({})),
        (if round == 1 { "uncheck" } else { "check" }, "Pick one", json!({})),
        ("click", "Pause", json!({})),
        ("click", "Far below", json!({})),
    ]
}

/// The number of the target whose name begins so, and that takes such an action.
fn number(state: &[(String, String, u32)], command: &str, name: &str) -> Option<u32> {
    let fits = |role: &str| match command {
        "check" | "uncheck" => role == "checkbox" || role == "radio",
        _ => true,
    };
    let found = state.iter().find(|t| t.1.starts_with(name) && fits(&t.0));
    // What has no role has no name; what it says is its text.
    found.or_else(|| state.iter().find(|t| name == "Plain" && t.0 == "generic")).map(|t| t.2)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn undisturbed_targets_are_acted_on() {
    let site = Site::new();
    let mut agent = Agent::new();
    let (mut tried, mut confirmed) = (0, 0);
    // Each action in one place or two.
    let mut sample = Sample::one_in(5);
    for (at, place) in PLACES.into_iter().enumerate() {
        let before = site.arrivals("case");
        agent.open(&place.url(&site, "/case", &format!("&html={}", encoded(HTML)))).await;
        site.arrived("case", before);
        site.run("case", &format!("{{ {SCRIPT} }}; null"));
        // By default each place has one of the rounds.
        for round in (0..3).filter(|round| is_full() || at % 3 == *round) {
            for (command, name, more) in actions(round) {
                if !sample.takes() {
                    continue;
                }
                let state = agent.state().await;
                let number = number(&state, command, name)
                    .unwrap_or_else(|| panic!("{place:?}: no target {name:?} for {command} in {state:?}"));
                let expect = if round == 1 && name != "Secret" { Expect::Text(name) } else { Expect::Shown };
                let outcome = agent.act(command, number, &expect, more).await;
                tried += 1;
                if outcome.confirmed() {
                    confirmed += 1;
                } else {
                    say(&format!("not confirmed, {place:?}, round {round}: {command} {name:?}: {}", outcome.text));
                }
            }
        }
    }
    say(&format!("undisturbed: {confirmed} of {tried} confirmed, {} false refusals", tried - confirmed));
    assert!(tried >= if is_full() { 150 } else { 30 });
    assert!(confirmed * 100 >= tried * 99, "only {confirmed} of {tried} were confirmed");
}
