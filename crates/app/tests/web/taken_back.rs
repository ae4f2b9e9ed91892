//! What a page takes back soon after it was done: a receipt tells so where something was still to come of the gesture, and costs
//! nothing where nothing is.

use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, Reply, page, reply};
use serde_json::Value;

const PAGE: &str = r#"<title>Back</title>
<button id=stays aria-pressed=false>Stays</button> <button id=back aria-pressed=false>Back</button> <button id=asks aria-pressed=false>Asks</button>
<button id=lasts aria-pressed=false>Lasts</button>
<label>Emptied <input id=emptied></label> <label>Kept <input id=kept></label>
<label>List <select id=list><option>A<option>B</select></label> <label>List kept <select id=listed><option>A<option>B</select></label>
<label>Range <input id=range type=range min=0 max=10 value=0></label>
<details id=more><summary>More</summary><p>Text</p></details> <details id=open><summary>Open</summary><p>Text</p></details>
<button id=blurs>Blurs</button> <button id=holds>Holds</button>
<script>
list.onchange = () => setTimeout(() => { list.selectedIndex = 0 }, 300);
listed.onchange = () => setTimeout(() => {}, 300);
range.oninput = () => setTimeout(() => { range.value = 0 }, 300);
more.ontoggle = () => setTimeout(() => { more.open = false }, 300);
open.ontoggle = () => setTimeout(() => {}, 300);
blurs.onfocus = () => setTimeout(() => blurs.blur(), 300);
holds.onfocus = () => setTimeout(() => {}, 300);
const flip = (el) => { el.ariaPressed = String(el.ariaPressed !== 'true') };
stays.onclick = () => flip(stays);
back.onclick = () => { flip(back); setTimeout(() => flip(back), 250) };
asks.onclick = async () => { flip(asks); const answer = await fetch('/refused'); if (!answer.ok) flip(asks) };
emptied.oninput = () => { setTimeout(() => { emptied.value = '' }, 250) };
kept.oninput = () => { setTimeout(() => {}, 250) };
lasts.onclick = () => { flip(lasts); setTimeout(() => {}, 250) };
</script>"#;

fn site(path: &str) -> Answer {
    match path {
        "/refused" => Answer::Of(|_| Reply { status: "500 Internal Server Error", ..reply("", "no") }),
        _ => page(PAGE),
    }
}

#[test]
fn what_a_page_takes_back_is_not_confirmed() {
    let live = Live::open(site);
    let rows = [
        ("click css=#back", "unverifiable"),
        ("click css=#asks", "unverifiable"),
        ("click css=#lasts", "confirmed"),
        ("select css=#list B", "contradicted"),
        ("expand css=#more", "contradicted"),
        // What is left is tried in a run of all.
        ("focus css=#blurs", "contradicted"),
        ("input css=#range 5", "contradicted"),
        ("click css=#stays", "confirmed"),
        ("select css=#listed B", "confirmed"),
        ("expand css=#open", "confirmed"),
        ("focus css=#holds", "confirmed"),
        // That a script sets a value tells nobody.
        ("input css=#kept words", "confirmed"),
        ("type words --target css=#kept", "confirmed"),
    ];
    for (line, wanted) in rows.into_iter().take(if is_full() { 13 } else { 5 }) {
        live.ok(&format!("open {}", live.site.at("/")));
        let told: Value = live.run(&format!("{line} --json")).json();
        assert_eq!(told["verdict"], wanted, "{line}: {told:#}");
    }
}

/// A value that a script takes back is read again where something was still to come of the gesture.
#[test]
fn a_value_that_a_script_takes_back_is_not_confirmed() {
    let live = Live::open(site);
    let lines = ["type words --target css=#emptied", "input css=#emptied words", "type words"];
    for line in lines.into_iter().take(if is_full() { 3 } else { 2 }) {
        live.ok(&format!("open {}", live.site.at("/")));
        live.ok("focus css=#emptied");
        let told: Value = live.run(&format!("{line} --json")).json();
        assert_ne!(told["verdict"], "confirmed", "{line}: {told:#}");
        assert_eq!(live.ok("get value css=#emptied"), "", "{line}");
    }
}
