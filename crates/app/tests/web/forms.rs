//! Forms: what sending one brings, and what the browser doesn't send.

use handeye_testkit::live::{Answer, Live, page};

const FORMS: &str = r#"<title>Forms</title>
<form action=/sent>
<label>Mail <input id=mail type=email required></label>
<label>Note <input id=note></label>
<button id=send>Send</button><button id=draft formnovalidate formaction=/draft>Save draft</button>
<button id=check type=button onclick="this.form.checkValidity()">Check</button>
</form>
<form onsubmit="event.preventDefault(); done.textContent = 'Found 3'"><label>Search <input id=q pattern="[a-z]+"></label></form>
<p id=done></p>"#;

fn forms(path: &str) -> Answer {
    match path {
        "/" => page(FORMS),
        other => page(format!("<title>{other}</title><h1>Arrived</h1>")),
    }
}

#[test]
fn a_form_that_the_browser_holds_back_is_no_success() {
    let live = Live::open(forms);
    let said = live.not("click --css #send");
    assert!(said.contains("contradicted"), "{said}");
    assert!(
        said.contains("the browser didn't send the form: textbox \"Mail\": \"Please fill out this field.\""),
        "{said}"
    );
    live.ok("input --css #mail 'not an address'");
    let said = live.not("click --css #send");
    assert!(said.contains("textbox \"Mail\": \"Please include an '@'"), "{said}");
    let said = live.not("input --css #note x --enter");
    assert!(said.contains("the text is in and Enter was pressed; the browser didn't send the form"), "{said}");
    live.ok("focus --css #note");
    let said = live.not("keys Enter");
    assert!(said.contains("the browser didn't send the form"), "{said}");
    // A page that only asks whether it could be sent isn't kept from sending it.
    let said = live.run("click --css #check");
    assert!(!said.out.contains("didn't send"), "{said:?}");
    // Nor is a button that sends it whatever it holds.
    assert!(live.ok("click --css #draft").contains("navigated to "));
}

#[test]
fn a_field_says_what_it_takes_where_its_role_does_not() {
    let live = Live::open(|_| {
        page(
            "<input type=email aria-label=Mail><input type=date aria-label=Day><input type=password aria-label=Word><input aria-label=Any><input type=search aria-label=Find><input type=number aria-label=Count><input type=checkbox aria-label=Box>",
        )
    });
    for line in ["state", "state --via ax"] {
        let said = live.ok(line);
        for (name, kind) in [("Mail", "email"), ("Day", "date"), ("Word", "password")] {
            let of =
                said.lines().find(|l| l.contains(&format!("\"{name}\""))).unwrap_or_else(|| panic!("{name}: {said}"));
            assert!(of.contains(&format!(" type={kind}")), "{line}: {of}");
        }
        assert_eq!(said.matches(" type=").count(), 3, "{line}: {said}");
    }
}

#[test]
fn enter_tells_what_it_brought() {
    let live = Live::open(forms);
    let said = live.not("input --css #q 42 --enter");
    assert!(said.contains("the browser didn't send the form: textbox \"Search\""), "{said}");
    let said = live.ok("input --css #q word --enter");
    assert!(said.contains("value is \"word\""), "{said}");
    assert!(said.contains("Found 3"), "{said}");
    live.ok("input --css #mail a@b.example");
    assert!(live.ok("click --css #send").contains("/sent?"));
}

#[test]
fn a_text_that_its_field_does_not_accept_is_told_as_such() {
    let live = Live::open(|_| {
        page(
            "<title>Fields</title><input id=mail type=email><input id=code pattern='[0-9]{4}' aria-label=Code><input id=any aria-label=Any>\
            <form novalidate><input id=free type=email></form><textarea id=long minlength=5></textarea>",
        )
    });
    for (line, told) in [
        ("input --css #mail nobody", true),
        ("input --css #mail a@b.example", false),
        ("input --css #code 12", true),
        ("input --css #code 1234", false),
        ("input --css #any nobody", false),
        ("input --css #long abc", true),
        // Its form is sent whatever it holds.
        ("input --css #free nobody", false),
        ("input --css #mail ''", false),
    ] {
        let receipt = live.json(line);
        assert_eq!(receipt["verdict"], "confirmed", "{line}");
        let notices = receipt["notices"].as_array().unwrap();
        assert_eq!(notices.iter().any(|n| n["kind"] == "invalid"), told, "{line}: {receipt}");
    }
}

/// A page that checks its form itself: with validity on every click, and without the browser's own validation.
const OWN: &str = r#"<title>Own</title>
<form novalidate onsubmit="event.preventDefault(); said.textContent = 'posted'">
<label>Mail <input id=mail type=email required></label>
<button id=send onclick="this.form.checkValidity()">Send</button></form>
<form id=second><label>Town <input required></label>
<button id=fetch onclick="event.preventDefault(); this.form.checkValidity(); said.textContent = 'fetched'">Fetch</button></form>
<p id=said></p>"#;

#[test]
fn a_form_that_the_page_sends_itself_is_not_called_held_back() {
    let live = Live::open(|_| page(OWN));
    let said = live.ok("click --css #send");
    assert!(said.contains("confirmed") && said.contains("posted"), "{said}");
    let said = live.ok("click --css #fetch");
    assert!(said.contains("confirmed") && said.contains("fetched"), "{said}");
}

const FIELDS: &str = r#"<title>Fields</title>
<label><input id=agree type=checkbox hidden> Agree</label> <input id=other type=radio style="display:none"><label for=other>Other way</label>
<label>Photo <input id=photo type=file hidden></label>
<label><span id=says>Ship to</span> <select id=ship><option>-<option>Approve<option>Delete</select></label>
<select id=worth aria-label=Worth><option>-<option value=a>Approve<option value=d>Delete</select>
<select id=turn aria-label=Turn><option>-<option value=a>Approve<option value=d>Delete</select>
<select id=twins aria-label=Twins><option>-<optgroup label=Prod><option value=p>Server 1</optgroup><optgroup label=Test><option value=t>Server 1</optgroup></select>
<input id=all type=checkbox aria-label=All> <div id=rich contenteditable role=textbox aria-label=Rich>old</div>
<script>
for (const id of ['agree', 'other', 'photo', 'ship', 'worth', 'turn', 'all']) watch(id, 'change', e => e.target.id);
watch('twins', 'change', e => e.target.value);
ship.onfocus = () => { says.textContent = 'Bill to' };
worth.onfocus = () => { worth.options[1].value = 'other' };
turn.onfocus = () => turn.append(turn.options[1]);
all.indeterminate = true;
</script>"#;

#[test]
fn a_control_that_is_not_rendered_is_operated_by_its_label() {
    let live = Live::open(|_| page(FIELDS));
    live.ok("state");
    for (line, log) in [
        ("click --name Agree", "agree"),
        ("uncheck --name Agree", "agree"),
        ("check --name 'Other way'", "other"),
        ("upload --name Photo photo.png", "photo"),
    ] {
        std::fs::write(live.home.work().join("photo.png"), "x").unwrap();
        live.ok(line);
        live.logged(log);
    }
}

#[test]
fn a_choice_is_made_among_what_was_shown_or_not_at_all() {
    let live = Live::open(|_| page(FIELDS));
    live.ok("state");
    for line in ["select --css #ship Approve", "select --css #worth Approve", "select --css #turn '#1'"] {
        let said = live.not(line);
        assert!(said.contains("when it got the focus"), "{line}: {said}");
        live.logged("");
    }
    let said = live.not("select --css #twins 'Server 1'");
    assert!(said.contains("2 options read") && said.contains("#1 (p), #2 (t)"), "{said}");
    live.logged("");
    live.ok("select --css #twins '#2'");
    live.logged("t");
}

#[test]
fn what_is_mixed_is_not_unchecked_by_checking_it() {
    let live = Live::open(|_| page(FIELDS));
    assert!(live.problem("uncheck --css #all").starts_with("error[unsupported]"));
    live.logged("");
}

#[test]
fn rich_text_reads_back_as_it_was_put_in() {
    let live = Live::open(|_| page(FIELDS));
    for text in ["one\n\ntwo", "one  two ", "one\n\n\ntwo\nthree"] {
        live.ok(&format!("input --css #rich '{text}'"));
    }
}

const LABELS: &str = r#"<title>Labels</title>
<input id=first type=checkbox hidden><input id=second type=checkbox hidden>
<table><tr><td id=ann>Ann<td><label for=first>Delete</label><tr><td id=bob>Bob<td><label for=second>Delete</label></table>
<label for=dark class=switch style="display:inline-block;width:30px;height:15px"></label> <label for=dark>Dark mode</label><input id=dark type=checkbox hidden>
<label><input id=pick type=checkbox hidden aria-label=Pick> <span id=keep>Keep</span></label>
<label><input id=star type=checkbox hidden><i class="icon-star" style="display:inline-block;width:20px;height:20px"></i></label>
<label for=country>Country</label><select id=country style="display:none"><option>A<option>B</select>
<script>for (const id of ['first', 'second', 'dark', 'pick', 'star', 'country']) watch(id, 'change', e => e.target.id)</script>"#;

#[test]
fn what_a_label_of_a_control_that_is_not_rendered_stands_for_is_held_to_it() {
    let live = Live::closed(|_| page(LABELS));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let state = live.ok("state");
    assert_eq!(state.matches("Dark mode").count(), 1, "{state}");
    assert!(!state.contains("combobox"), "a label doesn't choose: {state}");
    assert!(state.contains("Keep") && state.contains("(star)"), "{state}");
    live.ok("check --name 'Dark mode'");
    live.logged("dark");
    // In the row of its label, and by what that shows.
    let (second, pick) = (live.number("#second"), live.number("#pick"));
    live.ok("eval '[ann.textContent, bob.textContent, keep.textContent] = [`Bob`, `Ann`, `Delete forever`]'");
    for number in [second, pick] {
        live.not(&format!("click {number}"));
    }
    live.logged("");
    assert!(live.problem("select --css #country B --timeout 1").starts_with("error[blocked]"));
}

const MODAL: &str = r#"<title>Modal</title>
<iframe srcdoc="<label>Inner <input id=inner></label><select aria-label='Inner choice'><option>A<option>B</select>"></iframe>
<select id=choice aria-label=Choice><option>A<option>B</select> <input aria-label=Outer> <button id=go onclick="sure.showModal()">Go</button>
<div inert><select id=still aria-label=Still><option>A<option>B</select></div>
<dialog id=sure aria-label=Sure><select id=mine aria-label=Mine><option>A<option>B</select><button onclick="sure.close()">OK</button></dialog>
<script>for (const id of ['choice', 'mine', 'still']) watch(id, 'change', e => e.target.id)</script>"#;

#[test]
fn nothing_behind_a_modal_dialog_is_operated() {
    let live = Live::open(|_| page(MODAL));
    live.ok("select --css #choice B");
    live.ok("input --name Inner one");
    live.logged("choice");
    live.ok("click --css #go");
    // The dialog stays open: a short limit shows it as well as a long one.
    for line in [
        "select --css #choice A",
        "input --name Inner two",
        "select --name 'Inner choice' B",
        "input --name Outer x",
        "focus --name Outer",
        "click --css #go --method invoke",
    ] {
        let said = live.problem(&format!("{line} --timeout 1"));
        assert!(said.starts_with("error[blocked]") && said.contains("dialog \"Sure\""), "{line}: {said}");
    }
    live.logged("");
    live.ok("select --css #mine B");
    live.logged("mine");
    live.ok("click --name OK");
    live.ok("select --css #choice A");
    assert!(live.not("select --css #still B").contains("inert"));
    live.logged("choice");
}

const STACKED: &str = r#"<title>Stacked</title>
<input id=photo type=file hidden> <select id=trap aria-label=Trap><option>A<option>B</select>
<button id=one onclick="first.showModal()">One</button> <x-top id=host></x-top>
<dialog id=own aria-label=Own><button onclick="own.close()">Close own</button></dialog>
<dialog id=first aria-label=First><select id=middle aria-label=Middle><option>A<option>B</select>
<button id=two onclick="host.shadowRoot.querySelector('dialog').showModal()">Two</button></dialog>
<script>
trap.addEventListener('focus', () => own.showModal(), { once: true });
host.attachShadow({ mode: 'open' }).innerHTML = '<dialog aria-label=Top><select aria-label="Top choice"><option>A<option>B</select></dialog>';
host.shadowRoot.querySelector('select').onchange = () => log('top');
for (const id of ['photo', 'trap', 'middle']) watch(id, 'change', e => e.target.id);
</script>"#;

#[test]
fn of_several_modal_dialogs_the_one_on_top_is_operated_in_shadow_trees_too() {
    let live = Live::open(|_| page(STACKED));
    // One that the focus opens comes between.
    let said = live.not("select --css #trap B");
    assert!(said.contains("when it got the focus"), "{said}");
    live.ok("click --name 'Close own'");
    live.ok("click --css #one");
    live.ok("select --css #middle B");
    std::fs::write(live.home.work().join("photo.png"), "x").unwrap();
    live.ok("upload --css #photo photo.png");
    live.logged("middle photo");
    live.ok("click --css #two");
    let said = live.problem("select --css #middle A --timeout 1");
    assert!(said.starts_with("error[blocked]") && said.contains("dialog \"Top\""), "{said}");
    live.problem("select --css #trap B --timeout 1");
    live.ok("select --name 'Top choice' B");
    live.logged("top");
}

#[test]
fn what_to_do_next_leads_to_the_session_that_was_named() {
    let live = Live::open(|_| page(FIELDS));
    live.ok(&format!("--session other open {}", live.site.at("/")));
    let line = "--session other click --css #all --expect Nothing";
    assert!(live.not(line).contains("try: handeye --session other state"), "{}", live.not(line));
    let told = live.run(&format!("{line} --json")).json();
    assert_eq!(told["hints"][0], "handeye --session other state");
    live.ok("--session other close");
}
