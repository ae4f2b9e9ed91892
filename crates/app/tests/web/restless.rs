//! What goes on changing by itself, by how a look tells of it: in a line that begins in another element, in a long text, in what is
//! written anew, beside others that say the same. It confirms no click that does nothing, and hides no effect of one that does
//! something.
//!
//! A sample by default; with `HANDEYE_TRIALS=full`, every button beside all of it at each pace.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;

/// Buttons, and what one of them renews. `tick` is what changes by itself; `LONG` is longer than what a look tells whole.
const PAGE: &str = r#"<title>Restless</title>
<button id=heard>Heard</button> <button id=renews>Renews</button> <button id=focuses>Focuses</button> <button id=sync>Sync</button> <button id=later>Later</button>
<button id=mixes>Mixes</button> <button id=sets>Sets</button> <button id=blocks>Blocks</button> <input id=set aria-label=Set>
<p id=done></p> <div id=renewed><p>0</p></div>
SHOWN
<script>
let n = 0;
const did = (what) => { done.textContent += what + ' ' };
const on = (id, f) => document.getElementById(id).addEventListener('click', f);
on('heard', () => {});
document.getElementById('focuses').addEventListener('focus', (event) => { event.target.className = 'focused' });
on('focuses', () => {});
on('renews', () => { renewed.innerHTML = renewed.innerHTML });
on('sync', () => did('sync'));
on('later', () => setTimeout(() => did('later'), 300));
on('mixes', () => { document.getElementById('beside').textContent = 'mixed' });
on('sets', () => { document.getElementById('set').value = 'set' });
on('blocks', () => { document.getElementById('set').value = 'set'; const until = performance.now() + 450; while (performance.now() < until); });
TICK
setInterval(tick, Number(new URLSearchParams(location.search).get('pace')));
</script>"#;

/// What changes by itself: its name, how it is shown, and what is done to it each time.
const KINDS: [(&str, &str, &str); 11] = [
    ("same", "<p id=c>0</p> <p id=beside>0</p>", "const tick = () => { c.textContent = String(++n % 2) }"),
    (
        "line",
        "<div><span id=beside>Time:</span> <span id=c>0</span></div>",
        "const tick = () => { c.textContent = ++n }",
    ),
    (
        "lines",
        "<p id=c>a<br>0</p> <p id=beside>0</p>",
        "const tick = () => { c.firstChild.data = ++n % 2 ? '0' : 'a' }",
    ),
    ("long", "<p>LONG <i id=beside>seen</i> by <b id=c>0</b> people</p>", "const tick = () => { c.textContent = ++n }"),
    (
        "item",
        "<ul><li>LONG <i id=beside>seen</i> by <b id=c>v0</b></li></ul>",
        "const tick = () => { c.textContent = 'v' + ++n }",
    ),
    (
        "card",
        "<a href=#there>LONG <i id=beside>seen</i> by <b id=c>v0</b></a>",
        "const tick = () => { c.textContent = 'v' + ++n }",
    ),
    (
        "table",
        "<div id=t></div><p id=beside></p>",
        "const row = (i) => `<tr><td>Row ${i}</td><td>${i === 25 ? 'v' + n : 'same'}</td></tr>`;
         const tick = () => { n++; t.innerHTML = `<table>${Array.from({ length: 30 }, (_, i) => row(i)).join('')}</table>` };
         tick();",
    ),
    (
        "seek",
        "<input type=range id=c max=1000 value=0 aria-label=Seek> <p id=beside></p>",
        "const tick = () => { c.value = ++n }",
    ),
    (
        "frames",
        "<input type=range id=c max=100000 value=0 aria-label=Seek> <p id=beside></p>",
        "const tick = () => {}; const each = () => { c.value = ++n; requestAnimationFrame(each) }; each();",
    ),
    (
        "fields",
        "<input id=c value=0 aria-label=Total> <input type=checkbox id=k aria-label=On> <p id=beside></p>",
        "const tick = () => { c.value = ++n; k.checked = !k.checked }",
    ),
    (
        "grid",
        "<table id=t></table><p id=beside></p>",
        "t.innerHTML = Array.from({ length: 70 }, (_, i) => `<tr>${`<td>${i}</td>`.repeat(10)}</tr>`).join('');
         const tick = () => { n++; for (const one of t.querySelectorAll('td')) one.textContent = n };",
    ),
];

/// By how many ms it changes: so often that it is known to go on so by the time of the click, and so seldom that it isn't.
const PACES: [u32; 2] = [60, 400];
const DEAD: [&str; 3] = ["heard", "renews", "focuses"];
/// The last one sets a field, and what changes by itself is due before anybody can look.
const ALIVE: [&str; 5] = ["sync", "later", "mixes", "sets", "blocks"];

/// A page that is drawn five times as it comes up, in one element or in several, and not again. What its buttons do shows in no
/// mutation, or late.
const DRAWN: &str = r#"<title>Drawn</title><div id=root></div>
<script>
let drawn = 0;
const rows = '<p>row <i>x</i></p>'.repeat(60);
const all = `<input id=q value=1 aria-label=Qty> <input type=checkbox id=k aria-label=Keep> <p id=said>none</p>
<div id=menu popover><button>Open file</button></div> <button id=valued>Plus</button> <button id=checked>Check</button>
<button id=popped popovertarget=menu>Menu</button> <button id=told>Tell</button>${rows}`;
const draw = () => {
  drawn += 1;
  root.innerHTML = location.pathname === '/nested' ? `<main>${all}</main>` : all;
  valued.onclick = () => { q.value = Number(q.value) + 1 };
  checked.onclick = () => { k.checked = true };
  told.onclick = () => setTimeout(() => { said.textContent = 'late words' }, 300);
  if (drawn < 5) setTimeout(draw, 200);
};
setTimeout(draw, 50);
</script>"#;

fn site(path: &str) -> Answer {
    if matches!(path, "/nested" | "/flat") {
        return page(DRAWN);
    }
    let kind = KINDS.iter().find(|(name, ..)| path.starts_with(&format!("/{name}?")));
    let Some((_, shown, tick)) = kind else { return page("none") };
    let long = "Long words that nobody reads to their end. ".repeat(6);
    page(PAGE.replace("SHOWN", &shown.replace("LONG", &long)).replace("TICK", tick))
}

/// Presses buttons beside each kind, as many of these as the sample takes, waiting so many seconds for an effect; what is wrong
/// by the verdict and the page.
fn beside_each(mut sample: Sample, ids: &[&str], effect: f64, is_right: impl Fn(&Live, &str) -> bool) {
    let live = Live::closed(site);
    live.settings(&format!("[waits]\neffect = {effect:.1}\n"));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let mut wrong = Vec::new();
    for (kind, ..) in KINDS {
        for pace in PACES {
            for id in ids {
                if !sample.takes() {
                    continue;
                }
                live.ok(&format!("open {}", live.site.at(&format!("/{kind}?pace={pace}"))));
                if pace == PACES[0] {
                    live.ok("wait --fn 'n > 6' --timeout 20");
                }
                let told: Value = live.run(&format!("click --css #{id} --json")).json();
                let verdict = told["verdict"].as_str().unwrap_or_default();
                if !is_right(&live, verdict) {
                    let changes = told["changes"].to_string();
                    let changes: String = changes.chars().take(300).collect();
                    wrong.push(format!("{id}, {kind} each {pace} ms: {verdict} {} {changes}", told["evidence"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_goes_on_changing_confirms_no_click_that_does_nothing() {
    let is_right = |_: &Live, verdict: &str| matches!(verdict, "no_effect" | "unverifiable");
    beside_each(Sample::one_in(7).beginning_at(1), &DEAD, 1.5, is_right);
}

#[test]
fn what_goes_on_changing_hides_no_effect() {
    let is_done = |live: &Live| {
        live.json("eval 'done.textContent !== \"\" || beside.textContent === \"mixed\" || set.value === \"set\"'")["value"]
            == Value::Bool(true)
    };
    // On a busy machine what takes 300 ms may take seconds.
    beside_each(Sample::one_in(7), &ALIVE, 4.0, |live, verdict| verdict == "confirmed" && is_done(live));
}

#[test]
fn a_page_that_was_drawn_several_times_as_it_came_up_is_like_any_other() {
    let mut sample = Sample::one_in(3);
    let live = Live::closed(site);
    live.settings("[waits]\neffect = 4.0\n");
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let mut wrong = Vec::new();
    for shape in ["nested", "flat"] {
        for (id, is_done) in [
            ("valued", "q.value === \"2\""),
            ("checked", "k.checked"),
            ("popped", "menu.matches(\":popover-open\")"),
            ("told", "said.textContent === \"late words\""),
        ] {
            if !sample.takes() {
                continue;
            }
            live.ok(&format!("open {}", live.site.at(&format!("/{shape}"))));
            // For seconds after it was drawn it may be what goes on so.
            live.ok("wait --fn 'drawn === 5 && performance.now() > 6000' --timeout 40");
            let told: Value = live.run(&format!("click --css #{id} --json")).json();
            let is_done = live.json(&format!("eval '{is_done}'"))["value"] == Value::Bool(true);
            if told["verdict"] != "confirmed" || !is_done {
                wrong.push(format!("{id}, {shape}: {} {is_done} {}", told["verdict"], told["evidence"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
