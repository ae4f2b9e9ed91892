//! Forms: what sending one brings, and what the browser doesn't send.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod home;
mod live;

use live::{Answer, Live, page};

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
