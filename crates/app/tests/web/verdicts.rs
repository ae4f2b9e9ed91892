//! What a receipt says came of an action is what the page shows afterwards.

use handeye_testkit::live::{Live, page};

/// Pages that note what was put in by a new address, and keep what they like of it.
const TIDIES: &str = r#"<title>Tidies</title><input id=code aria-label=Code oninput="value = value.replace(/\d/g, ''); history.replaceState(null, '', '?q=' + value)">
<label><input id=box type=checkbox onclick="event.preventDefault(); location.hash = 'box'"> Box</label>
<label><input id=sure type=checkbox onclick="return confirm('Sure?')"> Sure</label>
<select id=pick aria-label=Pick onchange="if (!confirm('Pick?')) selectedIndex = 0"><option>One<option>Two</select>
<input id=told aria-label=Told oninput="alert('No'); value = ''">
<input id=files type=file multiple aria-label=Files onchange="const d = new DataTransfer(); d.items.add(files[0]); files = d.files">"#;

#[test]
fn a_new_address_does_not_make_up_for_what_a_control_does_not_hold() {
    let live = Live::open(|_| page(TIDIES));
    let said = live.not("input --css #code ab12");
    assert!(said.contains("contradicted") && said.contains("it reads back as \"ab\""), "{said}");
    live.ok("input --css #code cd");
    let said = live.not("check --css #box");
    assert!(said.contains("contradicted") && said.contains("it is still unchecked"), "{said}");
    for name in ["a.txt", "b.txt"] {
        std::fs::write(live.home.work().join(name), name).unwrap();
    }
    let said = live.not("upload --css #files a.txt b.txt");
    assert!(said.contains("contradicted") && said.contains("it holds \"a.txt\""), "{said}");
}

/// Pages that empty the input that files were put into: what they say of the files doesn't show that they took them.
const EMPTIES: &str = r#"<title>Empties</title><p id=said></p>
<script>const says = (input, text) => { input.value = ''; said.textContent = text + ' ' + performance.now() };
const sends = (input) => fetch('/taken', { method: 'POST', body: input.files[0] })</script>
<input id=keeps type=file onchange="said.textContent = 'Taken'">
<input id=silent type=file onchange="value = ''">
<input id=refuses type=file onchange="says(this, 'No image')">
<input id=asks type=file onchange="new Image().src = '/beacon'; says(this, 'No image')">
<input id=hashes type=file onchange="location.hash = 'no-image'; says(this, 'No image')">
<input id=alerts type=file onchange="alert('No image'); value = ''">
<input id=sends type=file onchange="sends(this); says(this, 'Sending')">
<input id=reads type=file onchange="const [file] = files; says(this, 'Reading'); setTimeout(() => fetch('/taken', { method: 'POST', body: file }), 200)">"#;

#[test]
fn files_that_a_page_has_emptied_its_input_of_were_taken_where_it_sends_them() {
    let live = Live::open(|path| page(if path == "/taken" { "taken" } else { EMPTIES }));
    live.settings("[waits]\neffect = 4.0\n");
    std::fs::write(live.home.work().join("a.txt"), "a").unwrap();
    for (id, verdict) in [
        ("keeps", "confirmed"),
        ("silent", "unverifiable"),
        ("refuses", "unverifiable"),
        ("asks", "unverifiable"),
        ("hashes", "unverifiable"),
        ("sends", "confirmed"),
        ("reads", "confirmed"),
    ] {
        let told = live.run(&format!("upload --css #{id} a.txt --json")).json();
        assert_eq!(told["verdict"], verdict, "{id}: {told:#}");
    }
    let told = live.run("upload --css #alerts a.txt --json").json();
    assert!(told["verdict"] == "unverifiable" || told["error"]["begun"] == true, "{told:#}");
}

#[test]
fn what_stays_mixed_is_neither_checked_nor_unchecked() {
    let live = Live::open(|_| {
        page(
            "<title>Mixed</title><input id=own type=checkbox aria-label=Own onclick='event.preventDefault()'>
            <div id=made role=checkbox tabindex=0 aria-checked=mixed aria-label=Made>Made</div><script>own.indeterminate = true</script>",
        )
    });
    for line in ["check --css #own", "check --css #made"] {
        let said = live.not(line);
        assert!(said.contains("contradicted, it is mixed, neither checked nor unchecked"), "{line}: {said}");
    }
    // A click would check them.
    for line in ["uncheck --css #own", "uncheck --css #made"] {
        assert!(live.problem(line).starts_with("error[unsupported]"), "{line}");
    }
}

#[test]
fn what_a_dialog_may_yet_undo_is_not_confirmed() {
    let live = Live::open(|_| page(TIDIES));
    for (line, state) in
        [("check --css #sure", "get value --css #told"), ("select --css #pick Two", "get value --css #pick")]
    {
        let said = live.not(line);
        assert!(said.contains("unverifiable") && said.contains("a dialog came up"), "{line}: {said}");
        live.ok("dialog dismiss");
        assert!(!live.ok(state).contains("Two"), "{line}");
    }
    let said = live.not("input --css #told words");
    assert!(said.contains("unverifiable") && said.contains("a dialog came up"), "{said}");
    live.ok("dialog accept");
    assert_eq!(live.ok("get value --css #told"), "");
    // A click does what it is for.
    live.says("click --css #sure", "clicked [");
    live.ok("dialog accept");
    assert_eq!(live.json("inspect --css #sure")["checked"], true);
}

#[test]
fn a_value_is_confirmed_as_the_browser_writes_it_and_one_that_is_refused_changes_nothing() {
    let live = Live::open(|_| {
        page(
            "<input id=hue type=color value='#000001' aria-label=Hue onchange='log(value)'><input id=when type=datetime-local aria-label=When onchange='log(value)'>
             <input id=level type=range min=0 max=50 step=5 value=10 aria-label=Level oninput='log(value)' onchange='log(value)'>
             <input id=day type=date aria-label=Day onchange='value = \"2030-01-01\"'>",
        )
    });
    for (line, wanted) in [
        ("input --css #hue #FF8800", "#ff8800"),
        ("input --css #when '2026-11-21 08:30'", "2026-11-21T08:30"),
        ("input --css #level 35.0", "35 35"),
    ] {
        let said = live.ok(line);
        assert!(said.contains("confirmed"), "{line}: {said}");
        live.logged(wanted);
    }
    for (line, value) in [("input --css #level 51", "35"), ("input --css #level 33", "35")] {
        let said = live.not(line);
        assert!(said.contains("the range allows 0 to 50 in steps of 5"), "{line}: {said}");
        assert_eq!(live.ok("get value --css #level"), value, "{line}");
        live.logged("");
    }
    // What the page makes of it counts.
    let said = live.not("input --css #day 2026-11-21");
    assert!(said.contains("it reads back as \"2030-01-01\""), "{said}");
}

/// A title that is cut off is any of its occurrences, and the parts of it come in their order.
#[test]
fn an_ellipsis_in_what_is_expected_stands_for_any_occurrence() {
    let live =
        Live::open(|_| page("<title>Cut</title><button onclick=\"log('pay')\">Repayment of a payment due</button>"));
    for (expected, is_it) in [
        ("payment…", true),
        ("Repayment … due", true),
        ("of a pay…", true),
        ("payment … Repayment", false),
        ("due … payment", false),
    ] {
        let ran = live.run(&format!("click css=button --expect '{expected}' --json"));
        assert_eq!(ran.status == Some(0), is_it, "{expected}: {ran:?}");
        live.logged(if is_it { "pay" } else { "" });
        live.log();
    }
}

/// What goes is told, however much comes with it.
#[test]
fn a_removal_behind_many_additions_is_told() {
    let live = Live::open(|_| {
        page(
            "<title>Many</title><button id=go onclick=\"log('go'); for (let i = 0; i < 40; i++) list.append(Object.assign(document.createElement('button'), \
             { textContent: 'New ' + i })); gone.remove(); said.remove()\">Go</button><div id=list></div><button id=gone>Gone</button> <p id=said>Said before</p>",
        )
    });
    live.ok("state");
    let told = live.run("click css=#go --json").json();
    live.logged("go");
    let changes = told["changes"].to_string();
    assert!(changes.contains("\"Gone\"") && changes.contains("Said before"), "{told:#}");
    let text = live.ok("state --since 1");
    assert!(text.contains("Gone") && text.contains("Said before"), "{text}");
}
