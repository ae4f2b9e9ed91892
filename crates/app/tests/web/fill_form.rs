//! `fill-form`: several fields at once, each by what it takes, and nothing where one of them can't be meant.

use handeye_testkit::live::{Live, page};
use serde_json::{Value, json};

const FORM: &str = r#"<title>Form</title><form onsubmit="return false">
<label>Name <input id=name></label> <label>Notes <textarea id=notes></textarea></label>
<label>Colour <select id=colour><option>Red<option>Blue<option>Green</select></label>
<label>Days <select id=days multiple><option>Mon<option>Tue<option>Wed</select></label>
<label><input type=checkbox id=news checked> News</label> <label><input type=radio name=pay id=card> Card</label>
<label>Size <input type=range id=size max=10 value=1></label> <label>Day <input type=date id=day></label>
<label>Stubborn <input id=stubborn oninput="value = 'no'"></label> <label>Last <input id=last></label>
<label>Kind <select id=kind><option>Any<option>Twin<option value=2>Twin<option disabled>None</select></label>
<button id=send>Send</button></form><script>
const content = (e) => e.multiple ? [...e.selectedOptions].map((o) => o.value).join() : /checkbox|radio/.test(e.type) ? String(e.checked) : e.value;
const held = () => [...document.querySelectorAll('input, textarea, select')].map(content).join('|');
const relabel = () => { document.querySelector('label').firstChild.textContent = 'Card number '; return true };
</script>"#;

/// What the page's own fields hold.
fn held(live: &Live) -> Value {
    live.json("eval held()")["value"].clone()
}

fn opened() -> Live {
    let live = Live::closed(|_| page(FORM));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    live
}

#[test]
fn every_field_is_filled_by_what_it_takes_and_read_back() {
    let live = opened();
    let n = |id: &str| live.number(&format!("#{id}"));
    let line = format!(
        "fill-form {}='Ann = Lee' {}='two words' {}=Blue {}=Mon {}=Wed {}=off {}=on {}=7 {}=2026-11-25 --json",
        n("name"),
        n("notes"),
        n("colour"),
        n("days"),
        n("days"),
        n("news"),
        n("card"),
        n("size"),
        n("day")
    );
    let ran = live.run(&line);
    let told = ran.json();
    assert_eq!((ran.status, &told["stopped_at"], &told["planned"]), (Some(0), &Value::Null, &json!(8)), "{told}");
    let verdicts = told["fields"].as_array().unwrap().iter();
    assert_eq!(verdicts.filter(|field| field["verdict"] == "confirmed").count(), 8, "{told}");
    assert_eq!(held(&live), "Ann = Lee|two words|Blue|Mon,Wed|false|true|7|2026-11-25|||Any");
}

#[test]
fn it_stops_at_what_is_not_confirmed_and_says_where() {
    let live = opened();
    let (name, stubborn, last) = (live.number("#name"), live.number("#stubborn"), live.number("#last"));
    let ran = live.run(&format!("fill-form {name}=Ann {stubborn}=yes {last}=end --json"));
    let told = ran.json();
    assert_eq!((ran.status, &told["stopped_at"]), (Some(1), &json!(stubborn)), "{told}");
    assert_eq!(told["fields"].as_array().unwrap().len(), 2, "{told}");
    assert_eq!(held(&live), "Ann||Red||true|false|1||no||Any");
}

#[test]
fn what_can_not_be_meant_changes_nothing() {
    let live = opened();
    let (name, send, news) = (live.number("#name"), live.number("#send"), live.number("#news"));
    let was = held(&live);
    let (colour, kind) = (live.number("#colour"), live.number("#kind"));
    for (line, code) in [
        (format!("fill-form {name}=Ann {send}=x"), "unsupported"),
        (format!("fill-form {name}=Ann {colour}=Purple"), "bad_request"),
        (format!("fill-form {name}=Ann {colour}=Red {colour}=Blue"), "bad_request"),
        (format!("fill-form {name}=Ann {kind}=Twin"), "bad_request"),
        (format!("fill-form {name}=Ann {kind}=None"), "bad_request"),
        (format!("fill-form {name}=Ann {kind}=#4"), "bad_request"),
        (format!("fill-form {name}=Ann {news}=maybe"), "bad_request"),
        (format!("fill-form {name}=Ann 9999=x"), "not_found"),
        (format!("fill-form {name}=Ann nothing"), "bad_request"),
        (format!("fill-form {name}=Ann {name}=Lee"), "bad_request"),
        ("fill-form".to_owned(), "bad_request"),
    ] {
        let ran = live.run(&format!("{line} --json"));
        assert_eq!((ran.status, ran.code()), (Some(2), code.to_owned()), "{line}: {ran:?}");
    }
    assert_eq!(held(&live), was);
    // Of a field that is another by now nothing is put in, nor into those behind it.
    live.ok("eval relabel()");
    let ran = live.run(&format!("fill-form {name}=Ann {}=end --json", live.number("#last")));
    assert_eq!(ran.json()["stopped_at"], json!(name), "{ran:?}");
    assert_eq!(held(&live), was);
}
