//! What comes of our own pointer, our scrolling, or of what loses the focus is no effect of a click; what a field held before is
//! none of typing; and a request that the page stays on is told.

use handeye_testkit::live::{Answer, Live, Reply, page, reply};
use handeye_testkit::{Sample, is_full};
use serde_json::Value;

/// Buttons that do nothing of their own, each on a page that changes as the pointer comes; and the same with a deed.
const POINTED: &str = r#"<title>Pointed</title><style>header { position: fixed; top: 0 } p { margin: 0 }</style>
<header id=head>Big header</header><div style="height:60px"></div>
<button id=tip onmouseenter="tip_.hidden=false" onmouseleave="tip_.hidden=true">Tip</button> <span id=tip_ hidden role=tooltip>Saves the file</span>
<button id=tipped onmouseenter="tip_.hidden=false" onclick="done.push('tipped'); told.textContent = 'Done ' + done.length">Tipped</button>
<button id=over>Over</button> <span id=help>Help</span> <p id=told></p>
<label>Mail <input id=mail onblur="wrong.textContent = /@/.test(mail.value) ? '' : 'Mail is wrong'"></label><p id=wrong></p>
<button id=save onclick="done.push('save')">Save</button>
<div style="height:2500px"></div><button id=far>Far</button> <button id=farther onclick="done.push('farther'); there.textContent = 'Here'">Farther</button> <span id=there></span>
<div style="height:2500px"></div><script>
const done = [];
over.onmouseover = () => { help.textContent = 'Deletes everything' };
onscroll = () => { head.textContent = scrollY > 100 ? 'Small' : 'Big header' };
</script>"#;

/// Each way in which a page notes in a press itself that there was one: by a class, an attribute, what is drawn and goes again.
const NOTED: [(&str, &str); 4] = [
    ("none", ""),
    ("class", "document.body.className = 'mouse'"),
    ("attribute", "document.documentElement.dataset.whatinput = 'mouse'"),
    (
        "ripple",
        "const one = document.createElement('span'); event.target.append(one); setTimeout(() => one.remove(), 200)",
    ),
];

/// What comes and goes with the pointer and the focus, beside a button without a deed and others with one.
const BESIDE: &str = r#"<title>Beside</title>
<style>#rule + span { display: none } #rule:hover + span { display: inline } button:hover { opacity: 0.8 }
#dropped:not(:focus-within) { display: none } #drop:hover #dropped { display: block }</style>
<button id=made>Made</button> <button id=shown>Shown</button> <span id=tip hidden role=tooltip>Saves the file</span>
<button id=rule>Rule</button><span role=tooltip>By a rule</span> <button id=dead>Dead</button>
<button id=writes>Writes</button> <button id=later>Later</button> <button id=sets>Sets</button>
<button id=opens popovertarget=menu>Opens</button><div id=menu popover><button>Save as</button><button>Print</button></div>
<span id=steps role=button>Steps</span> <button id=blurs>Blurs</button> <button id=fades>Fades</button>
<div id=drop>Drop <div id=dropped><a href=#a>First</a> <a href=#b>Second</a></div></div>
<button id=many>Many</button><div id=list></div> <button id=twice>Twice</button><span id=twice_tip role=tooltip></span>
<p>Hint: <span id=hint>none</span> <button id=inline>Inline</button></p>
<input id=field aria-label=Field> <input id=padded aria-label=Padded value=" 7 "> <input id=amount aria-label=Amount>
<p id=wrong></p><p id=told></p>
<script>
let n = 0;
made.onmouseenter = () => { const one = document.createElement('div'); one.id = 'made_tip'; one.textContent = 'Made tip'; document.body.append(one) };
made.onmouseleave = () => made_tip.remove();
shown.onmouseenter = () => { tip.hidden = false };
shown.onmouseleave = () => { tip.hidden = true };
field.onblur = () => { wrong.textContent = 'Required ' + ++n };
padded.onblur = () => { padded.value = padded.value.trim(); wrong.textContent = 'Checked ' + ++n };
twice.onmouseenter = twice.onfocus = () => { twice_tip.textContent = 'Deletes it' };
twice.onmouseleave = twice.onblur = () => { twice_tip.textContent = '' };
inline.onmouseenter = () => { hint.textContent = 'deletes it' };
many.onmouseenter = () => { list.dataset.pointed = 1 };
addEventListener('pointerdown', (event) => { NOTED });
writes.onclick = () => { told.textContent = 'Written ' + ++n };
later.onclick = () => setTimeout(() => { told.textContent = 'Later ' + ++n }, 300);
steps.onclick = () => { amount.value = ++n };
blurs.onmousedown = () => { document.activeElement.blur(); amount.value = ++n };
fades.onmouseenter = () => { const one = document.createElement('div'); one.id = 'faded'; one.innerHTML = '<p>Deletes all</p>'; document.body.append(one) };
fades.onfocus = () => { faded.dataset.by = 'focus' };
sets.onclick = () => { amount.value = ++n };
many.onclick = () => { list.innerHTML = '<p>Row</p>'.repeat(2500) };
</script>"#;

/// Fields that hold something, and take nothing or something else of what is typed.
const TYPED: &str = r#"<title>Typed</title>
<input id=a value=abc onkeydown="event.preventDefault()"> <input id=b value=abc readonly> <input id=c value=abc maxlength=3>
<input id=d value=abc onbeforeinput="event.preventDefault()"> <input id=e value=abc oninput="this.value='abc'">
<select id=k><option>One<option>Two</select> <textarea id=m readonly>abc</textarea>
<div id=n contenteditable onbeforeinput="event.preventDefault()">abc</div>
<input id=half maxlength=3> <input id=mask oninput="this.value = this.value.replace(/(\d{3})(?=\d)/g, '$1-')">
<input id=upper oninput="this.value = this.value.toUpperCase()"> <input id=plain value=abc> <div id=rich contenteditable>abc</div>"#;

/// A link and a form whose answers leave the page where it is.
const SENT: &str = r#"<title>Sent</title><a id=delete href=/gone>Delete</a> <button id=dead>Dead</button>
<form action=/gone method=post><button id=send>Send</button></form><a id=file href=/file download>File</a>"#;

fn judged(live: &Live, line: &str) -> (String, Value) {
    let told = live.run(&format!("{line} --json")).json();
    (told["verdict"].as_str().unwrap_or_default().to_owned(), told)
}

fn value(live: &Live, script: &str) -> Value {
    live.json(&format!("eval '{script}'"))["value"].clone()
}

#[test]
fn what_the_pointer_and_scrolling_bring_confirms_no_click() {
    let live = Live::closed(|_| page(POINTED));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    for (line, wanted) in [
        ("click css=#tip", &["unverifiable", "no_effect"][..]),
        ("click css=#tipped", &["confirmed"]),
        ("click css=#over", &["unverifiable", "no_effect"]),
        ("click css=#far", &["unverifiable", "no_effect"]),
        ("click css=#farther", &["confirmed"]),
    ] {
        let (verdict, told) = judged(&live, line);
        assert!(wanted.contains(&verdict.as_str()), "{line}: {told:#}");
        // It moves away, and back to the top.
        live.ok("eval 'scrollTo(0, 0)'");
        live.run("mouse move 1 1");
    }
    // The button goes down as the field says that it is wrong: the click doesn't come.
    live.json("input css=#mail x");
    let (verdict, told) = judged(&live, "click css=#save");
    let saved = value(&live, "done.includes(\"save\")") == true;
    assert_eq!(verdict == "confirmed", saved, "{told:#}");
}

#[test]
fn what_comes_with_the_pointer_confirms_nothing_where_the_press_is_noted_too() {
    let live = Live::closed(|path| {
        let noted = NOTED.iter().find(|(name, _)| path == format!("/{name}"));
        page(BESIDE.replace("NOTED", noted.map_or("", |(_, script)| script)))
    });
    live.settings("[waits]\neffect = 4.0\n");
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let mut sample = Sample::one_in(17);
    let mut wrong = Vec::new();
    let hovers = ["hover css=#made", "hover css=#shown", "hover css=#rule", "hover css=#drop"];
    let befores = hovers.into_iter().chain(["focus css=#field", "focus css=#padded"]);
    let dead = ["dead", "shown", "twice", "inline", "fades"];
    let alive = ["writes", "later", "sets", "steps", "blurs", "opens", "many"];
    let is_done = "told.textContent !== \"\" || amount.value !== \"\" || list.childElementCount > 0 || menu.matches(\":popover-open\")";
    for (noted, _) in NOTED {
        for before in befores.clone() {
            for pressed in dead.into_iter().chain(alive) {
                if !sample.takes() {
                    continue;
                }
                live.ok(&format!("open {}", live.site.at(&format!("/{noted}"))));
                live.ok(before);
                let (verdict, told) = judged(&live, &format!("click css=#{pressed}"));
                let is_alive = alive.contains(&pressed);
                let is_so = value(&live, is_done) == is_alive;
                if (verdict == "confirmed") != is_alive || verdict == "contradicted" || !is_so {
                    wrong.push(format!("{pressed} after {before}, {noted}: {verdict} {is_so} {}", told["evidence"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_field_held_before_confirms_nothing_that_is_typed() {
    let live = Live::closed(|_| page(TYPED));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let rows = [
        ("a", "no_effect"),
        ("e", "no_effect"),
        ("n", "no_effect"),
        ("half", "contradicted"),
        ("plain", "confirmed"),
        // What is left is tried in a run of all.
        ("b", "no_effect"),
        ("c", "no_effect"),
        ("d", "no_effect"),
        ("k", "no_effect"),
        ("m", "no_effect"),
        ("mask", "confirmed"),
        ("upper", "confirmed"),
        ("rich", "confirmed"),
    ];
    for (field, wanted) in rows.into_iter().take(if is_full() { 13 } else { 5 }) {
        let before = value(&live, &format!("{field}.value ?? {field}.textContent"));
        let text = if field == "mask" { "5551234" } else { "Hello" };
        let (verdict, told) = judged(&live, &format!("type {text} --target css=#{field}"));
        let after = value(&live, &format!("{field}.value ?? {field}.textContent"));
        assert!(verdict == wanted || told["error"]["code"] == "blocked", "{field}, {before} to {after}: {told:#}");
        assert!(verdict != "confirmed" || before != after, "{field}: {told:#}");
    }
}

#[test]
fn what_is_asked_for_and_answered_without_a_document_is_told() {
    let live = Live::open(|path| match path {
        "/gone" => Answer::Of(|_| Reply { status: "204 No Content", ..reply("", "") }),
        "/file" => Answer::Download("file.txt"),
        _ => page(SENT),
    });
    for (line, wanted) in [
        ("click css=#dead", "no_effect"),
        ("click css=#delete", "unverifiable"),
        ("click css=#send", "unverifiable"),
        ("click css=#file", "confirmed"),
    ] {
        let (verdict, told) = judged(&live, line);
        assert_eq!(verdict, wanted, "{line}: {told:#}");
        let asked = told["evidence"].as_array().unwrap().iter().any(|e| e["kind"] == "requested");
        assert_eq!(asked, wanted == "unverifiable", "{line}: {told:#}");
    }
}

#[test]
fn commands_whose_words_are_no_text_take_a_locator_in_one() {
    let live = Live::open(|path| match path {
        "/file" => Answer::Download("file.txt"),
        _ => page(format!("{SENT}<input id=field aria-label=Field>")),
    });
    assert_eq!(live.json("focus css=#field")["verdict"], "confirmed");
    let file = live.json(&format!("download css=#file --to {}", live.home.work().display()));
    assert!(file["file"]["path"].as_str().unwrap().ends_with("file.txt"), "{file:#}");
    // Text that looks like one is put in all the same.
    live.json("input css=#field css=#other");
    assert_eq!(live.json("get value css=#field")["value"], "css=#other");
}
