//! Filling in: input, type, keys, keydown, keyup, select, check, uncheck, upload, focus.

use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};
use serde_json::json;

const FIELDS: &str = r#"<title>Fields</title>
<label>Name <input id=name value="old text"></label>
<label>Notes <textarea id=notes>old</textarea></label>
<div id=rich contenteditable aria-label="Letter" style="min-height:2em"><b>Dear</b> all</div>
<label>Day <input id=day type=date></label>
<label>Hour <input id=hour type=time></label>
<label>Month <input id=month type=month></label>
<label>Week <input id=week type=week></label>
<label>Moment <input id=moment type=datetime-local></label>
<label>Colour <input id=colour type=color></label>
<label>Volume <input id=volume type=range min=0 max=100 step=5></label>
<label>Count <input id=count type=number min=1 max=9></label>
<label>Secret <input id=secret type=password></label>
<label>Mail <input id=mail type=email></label>
<label>Short <input id=short maxlength=5></label>
<label>Upper <input id=upper oninput="this.value = this.value.toUpperCase()"></label>
<label>Closed <input id=closed readonly value=kept></label>
<label>Off <input id=off disabled value=kept></label>
<form onsubmit="event.preventDefault(); log('submitted', q.value)"><label>Search <input id=q></label></form>
<button id=button>No field</button>
<script>
for (const e of document.querySelectorAll('input, textarea, [contenteditable]'))
  for (const k of ['input', 'change']) e.addEventListener(k, ev => ev.isTrusted || log('untrusted:' + k + ':' + e.id));
watch('name', 'change');
</script>"#;

fn fields(_: &str) -> Answer {
    page(FIELDS)
}

#[test]
fn input_replaces_and_reads_back_every_kind_of_field() {
    let live = Live::open(fields);
    // Field, what is put in, what it holds then, what the receipt shows.
    let cases = [
        ("name", "Ann Lee", "Ann Lee", "\"Ann Lee\""),
        ("name", "张伟 的订单", "张伟 的订单", "\"张伟 的订单\""),
        ("name", "👩‍👩‍👧 naïve ﷽", "👩‍👩‍👧 naïve ﷽", "\"👩‍👩‍👧 naïve ﷽\""),
        ("name", "", "", ""),
        ("name", "-5 --flag", "-5 --flag", "\"-5 --flag\""),
        ("notes", "first\nsecond\n\nlast", "first\nsecond\n\nlast", "\"first\\nsecond\\n\\nlast\""),
        ("day", "2026-02-28", "2026-02-28", "\"2026-02-28\""),
        ("hour", "13:45", "13:45", "\"13:45\""),
        ("month", "2026-03", "2026-03", "\"2026-03\""),
        ("week", "2026-W07", "2026-W07", "\"2026-W07\""),
        ("moment", "2026-03-04T05:06", "2026-03-04T05:06", "\"2026-03-04T05:06\""),
        ("colour", "#12ab9f", "#12ab9f", "\"#12ab9f\""),
        ("volume", "35", "35", "\"35\""),
        ("count", "7", "7", "\"7\""),
        ("mail", "a@b.example", "a@b.example", "\"a@b.example\""),
    ];
    let mut sample = Sample::one_in(2).beginning_at(1);
    for (id, text, holds, shown) in cases {
        if !sample.takes() {
            continue;
        }
        let said = live.ok(&format!("input --css #{id} -- '{text}'"));
        let first = said.lines().next().unwrap();
        assert!(first.starts_with("input into [") && first.contains(": confirmed"), "{id}: {said}");
        if !shown.is_empty() {
            assert!(first.contains(&format!("value is {shown}")), "{id}: {said}");
        }
        assert_eq!(live.json(&format!("get value --css #{id}"))["value"], holds, "{id}");
    }
    live.ok("input --css #rich 'New\nletter'");
    assert_eq!(live.ok("get text --css #rich"), "  | New\n  | letter");
    // A password is put in and told by nobody.
    let said = live.ok("input --css #secret 'open sesame'");
    assert!(said.contains(": confirmed") && !said.contains("sesame"), "{said}");
    assert!(!live.ok("get value --css #secret").contains("sesame"));
    // The page saw real events alone, and a change when the field was left.
    let log = live.log();
    assert!(!log.contains("untrusted:input:name") && !log.contains("untrusted:input:notes"), "{log}");
}

#[test]
fn input_that_does_not_hold_is_contradicted() {
    let live = Live::open(fields);
    let mut sample = Sample::one_in(2);
    for (id, text, why, holds) in [
        ("short", "abcdefgh", "contradicted, it reads back as \"abcde\"", "abcde"),
        ("day", "tomorrow", "contradicted, withheld: ", ""),
        ("day", "2026-02-30", "contradicted, ", ""),
        ("volume", "37", "the range allows 0 to 100 in steps of 5", "50"),
        ("colour", "reddish", "contradicted, withheld: ", "#000000"),
        ("count", "many", "contradicted, ", ""),
    ] {
        if !sample.takes() {
            continue;
        }
        let said = live.not(&format!("input --css #{id} '{text}'"));
        assert!(said.contains(why), "{id}: {said}");
        assert_eq!(live.json(&format!("get value --css #{id}"))["value"], holds, "{id}");
    }
    for (id, wanted) in [
        ("closed", "error[blocked]: can't input "),
        ("off", "error[blocked]: can't input "),
        ("button", "error[unsupported]: "),
    ] {
        let said = live.problem(&format!("input --css #{id} x --timeout 0.5"));
        assert!(said.starts_with(wanted), "{id}: {said}");
    }
    assert!(live.problem("input --css #closed x --timeout 0.5").contains("it is read-only"));
    assert!(live.problem("input --css #off x --timeout 0.5").contains("it is disabled"));
    assert_eq!(live.ok("get value --css #closed"), "kept");
    assert_eq!(live.ok("get value --css #off"), "kept");
}

#[test]
fn what_a_field_can_not_hold_does_not_wipe_what_it_holds() {
    let live = Live::open(fields);
    live.ok("input --css #count 3");
    live.ok("input --css #name Ann");
    live.log();
    let one_line = "withheld: the control doesn't take it: it takes one line of text";
    let number = "withheld: the control doesn't take it: number wants a number, such as 12 or -3.5";
    let long = ["0123456789"; 100].join("\n");
    for (id, text, why) in [
        ("count", "abc", number),
        ("count", "1,5", number),
        ("count", "1e999", number),
        ("name", "two\nlines", one_line),
        ("name", "\r\nlines", one_line),
        ("name", &long, one_line),
    ] {
        let said = live.not(&format!("input --css #{id} '{text}'"));
        assert!(said.contains("contradicted, ") && said.contains(why), "{text}: {said}");
    }
    live.logged("");
    assert_eq!((live.ok("get value --css #count"), live.ok("get value --css #name")), ("3".into(), "Ann".into()));
    for (id, text, holds) in
        [("count", "-.5e1", "-.5e1"), ("count", "7\n", "7"), ("name", "Bo\n", "Bo"), ("count", "", "")]
    {
        live.ok(&format!("input --css #{id} -- '{text}'"));
        assert_eq!(live.ok(&format!("get value --css #{id}")), holds, "{text}");
    }
}

#[test]
fn enter_submits() {
    let live = Live::open(fields);
    live.ok("input --css #q 'with enter' --enter");
    live.logged("submitted with enter");
    live.ok("input --css #q 'no enter'");
    live.logged("");
    live.says("keys Enter", "pressed Enter: ");
    live.logged("submitted no enter");
    live.ok("type '!' --enter");
    live.logged("submitted no enter!");
    live.settings("[typing]\nenter = true\n");
    live.ok("input --css #q 'by setting'");
    live.logged("submitted by setting");
}

const KEYS: &str = r#"<title>Keys</title><label>Name <input id=name value="abc"></label><label>Other <input id=other></label>
<textarea id=area aria-label=Area></textarea>
<script>watch('name', 'keydown keyup', e => e.type[3] + ':' + ['ctrl', 'shift', 'alt', 'meta'].filter(m => e[m + 'Key']).concat(e.key === ' ' ? 'Space' : e.key).join('+') + ':' + e.code + (e.isTrusted ? '' : '?'))</script>"#;

#[test]
fn keys_are_real_and_go_to_the_focus() {
    let live = Live::open(|_| page(KEYS));
    live.says("focus --css #name", "focused [1] textbox \"Name\": confirmed; focused");
    live.says("type 'x Ü中'", "typed 4 characters: confirmed; ");
    let log = live.log();
    assert!(log.starts_with("d:x:KeyX u:x:KeyX d:Space:Space u:Space:Space"), "{log}");
    let value = live.ok("get value --css #name");
    assert!(value.contains("x Ü中") && value.len() == "abcx Ü中".len(), "{value}");

    live.ok("keys 'ctrl+a Delete'");
    live.logged(
        "d:ctrl+Control:ControlLeft d:ctrl+a:KeyA u:ctrl+a:KeyA u:Control:ControlLeft d:Delete:Delete u:Delete:Delete",
    );
    assert_eq!(live.ok("get value --css #name"), "");
    live.ok("keys a shift+b c");
    assert_eq!(live.ok("get value --css #name"), "aBc");
    assert!(live.log().contains("d:shift+B:KeyB"));
    live.ok("keys Home shift+End");
    live.ok("type Z");
    assert_eq!(live.ok("get value --css #name"), "Z");
    let said = live.ok("keys Tab");
    assert!(said.contains("the focus is now on textbox \"Other\""), "{said}");
    live.ok("keys shift+Tab");
    live.log();

    live.ok("keydown Shift");
    live.ok("keys a");
    live.ok("keyup Shift");
    live.ok("keys b");
    let log = live.log();
    assert!(log.starts_with("d:shift+Shift:ShiftLeft ") && log.contains("u:Shift:ShiftLeft d:b:KeyB"), "{log}");
    assert!(log.contains("d:shift+A:KeyA"), "a key pressed while Shift is held is its upper case: {log}");

    // A target that is named gets them, whatever has the focus; keys of its own may lead on.
    live.ok("focus --css #area");
    live.ok("type N1 --target 1");
    assert!(live.ok("get value --css #name").contains("N1"));
    let said = live.ok("keys End Tab --target 1");
    assert!(said.contains("the focus is now on textbox \"Other\""), "{said}");
    live.log();

    live.ok("focus --css #area");
    live.ok("type 'one\ntwo' --pace 5");
    assert_eq!(live.ok("get value --css #area"), "  | one\n  | two");
    // Typing goes where it is expected to, or nowhere.
    let said = live.not("type x --expect Name");
    assert!(said.contains("contradicted, not sent: the focus is on textbox"), "{said}");
    assert_eq!(live.ok("get value --css #area"), "  | one\n  | two");
    live.ok("type ! --expect Area");
    assert_eq!(live.ok("get value --css #area"), "  | one\n  | two!");
    for (line, wanted) in [
        ("keys Entr", "error[bad_request]: `Entr` is no key"),
        ("keys hyper+x", "`hyper` is no modifier"),
        ("keydown Shft", "error[bad_request]: `Shft` is no key"),
        ("keyup ''", "error[bad_request]: "),
        ("keys ''", "error[bad_request]: "),
    ] {
        let said = live.problem(line);
        assert!(said.contains(wanted), "{line}: {said}");
    }
}

/// A page that takes keys without a field, and has a field beside.
const KEYS_ALONE: &str = r#"<title>Alone</title><canvas id=sheet tabindex=0 aria-label=Sheet></canvas>
<input id=fixed value=kept readonly aria-label=Fixed><input id=name aria-label=Name>
<script>for (const kind of ['keydown', 'keypress', 'keyup'])
  document.addEventListener(kind, e => log(kind[3] + ':' + (e.key === ' ' ? 'Space' : e.key) + (e.isTrusted ? '' : '?')))</script>"#;

#[test]
fn characters_that_no_key_makes_come_as_keys_where_no_text_goes() {
    let live = Live::open(|_| page(KEYS_ALONE));
    // The focus is on nothing at first, then on a canvas, and on a field that can only be read.
    for id in ["", "sheet", "fixed"] {
        if id == "sheet" && !is_full() {
            continue;
        }
        if !id.is_empty() {
            live.ok(&format!("focus --css #{id}"));
        }
        live.run("type 'hé 审'");
        live.logged("d:h p:h u:h d:é p:é u:é d:Space p:Space u:Space d:审 p:审 u:审");
        live.run("keys é");
        live.logged("d:é p:é u:é");
    }
    assert_eq!(live.ok("get value --css #fixed"), "kept");
    // Into a field they come as text alone.
    live.ok("focus --css #name");
    live.ok("type é审");
    live.ok("keys ö");
    live.logged("");
    // A shortcut is none.
    live.run("keys ctrl+ö");
    live.logged("d:Control d:ö u:ö u:Control");
    assert_eq!(live.ok("get value --css #name"), "é审ö");
}

const CHOICES: &str = r#"<title>Choices</title>
<label>Fruit <select id=one><option value=a>Apple<option value=p>Pear<option value=q disabled>Quince<option value=42>Plum</select></label>
<label>Days <select id=many multiple><option>Mon<option>Tue<option selected>Wed</select></label>
<label><input type=checkbox id=box> Plain</label>
<style>.hide { position:absolute; opacity:0; width:1px; height:1px; overflow:hidden }</style>
<span><input type=checkbox id=hidden class=hide><label for=hidden id=skin>Hidden box</label></span>
<label><input type=radio name=r id=ra checked> Small</label><label><input type=radio name=r id=rb> Large</label>
<div role=switch id=switch tabindex=0 aria-checked=false aria-label=Dark onclick="this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')">dark</div>
<label><input type=checkbox id=stubborn onclick="event.preventDefault()"> Stubborn</label>
<button id=plain>Plain button</button>
<script>watch('one', 'input change'); watch('many', 'change', () => [...many.selectedOptions].map(o => o.value).join('+')); for (const i of ['box', 'hidden', 'ra', 'rb']) watch(i, 'change', e => i + (e.target.checked ? '1' : '0'))</script>"#;

#[test]
fn options_are_chosen_by_label_value_or_place() {
    let live = Live::open(|_| page(CHOICES));
    live.ok("state");
    for (option, value) in [("Pear", "Pear"), ("a", "Apple"), ("#3", "Plum"), ("pear", "Pear"), ("42", "Plum")] {
        let said = live.ok(&format!("select 1 {option}"));
        assert!(said.starts_with("selected in [1] combobox \"Fruit\": confirmed; "), "{said}");
        assert_eq!(live.ok("get value 1"), value, "{option}");
        live.logged("input change");
    }
    live.ok("select --css #many Mon Tue");
    live.logged("Mon+Tue");
    live.ok("select --css #many '#2'");
    live.logged("Wed");
    for option in ["Cherry", "#9", "Quince", "#-1"] {
        let said = live.not(&format!("select 1 {option}"));
        assert!(said.contains("contradicted, "), "{said}");
        assert_eq!(live.ok("get value 1"), "Plum", "{option}");
    }
    assert!(live.not("select 1 Cherry").contains("Apple"), "what there is to choose from is not said");
    let said = live.not("select 1 Apple Pear");
    assert!(said.contains("contradicted"), "{said}");
    live.logged("");
    assert!(live.problem("select --css #plain x").starts_with("error[unsupported]: "));
    assert!(live.problem("select 1").starts_with("error[bad_request]: the option to choose is missing"));
}

#[test]
fn boxes_are_turned_on_and_off() {
    let live = Live::open(|_| page(CHOICES));
    let step = |line: &str, wanted: &str, log: &str| {
        let said = live.ok(line);
        assert!(said.contains(wanted), "{line}: {said}");
        live.logged(log);
    };
    step("check --css #box", "checked [1] checkbox \"Plain\": confirmed; ", "box1");
    step("check --css #box", "already checked", "");
    step("uncheck --css #box", "checked true → false", "box0");
    step("uncheck --css #box", "already unchecked", "");
    step("check --css #hidden", "confirmed; ", "hidden1");
    step("uncheck --role checkbox --name 'Hidden box'", "confirmed; ", "hidden0");
    step("check --css #rb", "checked false → true", "rb1");
    step("check --css #switch", "checked false → true", "");
    assert_eq!(live.ok("get attr --css #switch aria-checked"), "true");
    step("uncheck --css #switch", "checked true → false", "");
    let said = live.not("check --css #stubborn");
    assert!(said.contains("contradicted, it is still unchecked"), "{said}");
    let said = live.not("uncheck --css #rb");
    assert!(said.contains("contradicted, it is still checked"), "a radio button can't be turned off: {said}");
    assert!(live.problem("check --css #plain").contains("error[unsupported]: "));
    assert!(live.problem("check --css #plain").contains("try: handeye click "));
}

#[test]
fn files_are_handed_over() {
    let live = Live::open(|_| {
        page("<title>Files</title><label>One <input id=one type=file></label><label>Many <input id=many type=file multiple></label>
        <input id=hidden type=file style='display:none' aria-label=Hidden><button>x</button>
        <script>for (const i of ['one', 'many', 'hidden']) document.getElementById(i).onchange = async e => { for (const f of e.target.files) log(f.name + '=' + await f.text()); log('.') }</script>")
    });
    let write = |name: &str, text: &str| std::fs::write(live.home.work().join(name), text).unwrap();
    write("a.txt", "first");
    write("二 b.txt", "second");
    let sent = |line: &str, log: &str| {
        let said = live.ok(line);
        assert!(said.starts_with("uploaded to [") && said.contains(": confirmed"), "{said}");
        live.ok("wait --idle");
        let logged = live.log();
        assert_eq!(logged, log, "{line}");
    };
    sent("upload --css #one a.txt", "a.txt=first .");
    sent("upload --css #many a.txt '二 b.txt'", "a.txt=first 二 b.txt=second .");
    sent("upload --css #hidden ./a.txt", "a.txt=first .");
    assert!(live.ok("get value --css #one").contains("a.txt"));
    assert_eq!(live.json("upload --css #many '二 b.txt'")["verdict"], json!("confirmed"));
    live.log();
    for (line, wanted) in [
        ("upload --css #one none.txt", "error[file]: can't read the file none.txt"),
        ("upload --css #one .", "error[file]: . is not a file"),
        ("upload --css #one", "error[bad_request]: the file to upload is missing"),
        ("upload --css button a.txt", "error[unsupported]: "),
    ] {
        let said = live.problem(line);
        assert!(said.starts_with(wanted), "{line}: {said}");
    }
    // Two files are not quietly made one.
    let said = live.problem("upload --css #one a.txt '二 b.txt'");
    assert!(said.contains("takes one file"), "{said}");
    live.logged("");
}

#[test]
fn what_other_tools_call_it_and_keys_of_every_block_work() {
    let live = Live::open(|_| {
        page(
            "<title>Words</title><label>Name <input id=name></label><p id=said></p><script>addEventListener('keydown', e => { said.textContent += e.key + ' ' + e.keyCode + ' ' + e.code + ' ' + e.location + ' ' })</script>",
        )
    });
    assert!(live.ok("fill --css #name Ann").starts_with("input into ["), "{}", live.ok("state"));
    for (key, code) in [("F1", 112), ("F13", 124), ("f24", 135)] {
        live.ok(&format!("press {key}"));
        let told = format!("{} {code}", key.to_uppercase());
        assert!(live.ok("get text --css #said").contains(&told), "{told}");
    }
    for (key, said) in
        [("KP_1", "1 97 Numpad1 3"), ("Numpad9", "9 105 Numpad9 3"), ("NumpadEnter", "Enter 13 NumpadEnter 3")]
    {
        live.ok(&format!("press {key}"));
        assert!(live.ok("get text --css #said").contains(said), "{key}");
    }
    live.ok("focus --css #name");
    live.ok("keys KP_7 KP_Decimal Numpad5");
    assert!(live.ok("get value --css #name").ends_with("7.5"));
    assert!(live.problem("press KP_10").starts_with("error[bad_request]: "));
    assert!(live.problem("press F25").starts_with("error[bad_request]: "));
    assert_eq!(live.ok("tab list"), live.ok("tabs list"));
    let url = live.site.at("/");
    assert!(live.ok(&format!("goto {url}")).contains("\"Words\""));
}
