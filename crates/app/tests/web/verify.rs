//! `verify`: every kind of claim, what holds and what doesn't, at once and after a while.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::{Value, json};
use std::time::Instant;

const PAGE: &str = r#"<title>Shop 商店</title>
<h1>Pears</h1><p id=total>Total: <b>12</b> Pears</p><button id=pay>立即支付</button><button id=x aria-label="Close window"><svg width=9 height=9></svg></button>
<label>Name <input id=name value="Anna Ｌee"></label><input id=none aria-label=Note><input id=pw type=password aria-label=Word value=hunter2>
<button id=off disabled>Send</button><label><input type=checkbox id=on checked> Gift</label><label><input type=checkbox id=no> Card</label>
<ul><li>Apple</li><li>Pear</li><li hidden>Plum</li></ul><p id=gone hidden>Gone</p><iframe srcdoc="<p>Inside the frame</p>" title=In></iframe>
<button id=later onclick="setTimeout(() => { total.textContent = 'Paid'; gone.hidden = false; off.disabled = false; history.pushState(0, '', '/done?n=1') }, 700)">Later</button>"#;

fn shop(path: &str) -> Answer {
    if path == "/two" { page("<title>Two</title><p>Two</p>") } else { page(PAGE) }
}

/// A claim that is looked at once.
fn once(live: &Live, claim: &str) -> (i32, Value) {
    let ran = live.run(&format!("verify {claim} --timeout 0 --json"));
    (ran.status.unwrap(), ran.json())
}

#[test]
fn every_kind_of_claim_holds_or_not() {
    let live = Live::open(shop);
    let (pay, name) = (live.number("#pay"), live.number("#name"));
    let holds: Vec<(String, Value)> = [
        // A part of what is seen, in whole words and numbers; all of it; or neither.
        ("text css=#total 'total: 12 pears'", json!("Total: 12 Pears")),
        ("text css=#total 'Total: 12'", json!("Total: 12 Pears")),
        ("text css=#total 'Total: 1' --not", json!("Total: 12 Pears")),
        ("text css=#total 'TOTAL:  12 PEARS' --exact", json!("Total: 12 Pears")),
        ("text css=#total 'Total: 12' --exact --not", json!("Total: 12 Pears")),
        ("text PAY 支付", json!("立即支付")),
        ("text 'role=button name=立即支付' 立即支付", json!("立即支付")),
        ("text --css #x 'close window'", json!("Close window")),
        // Anywhere on the page, in any frame.
        ("text 'Total: 12'", json!("Total: 12 Pears")),
        ("text 'inside the frame'", json!("Inside the frame")),
        ("text Pears --exact", json!("Pears")),
        ("text Bananas --not", Value::Null),
        // Values.
        ("value NAME 'anna lee' --exact", json!("Anna Ｌee")),
        ("value css=#name anna", json!("Anna Ｌee")),
        ("value css=#none ''", json!("")),
        ("value css=#name '' --not", json!("Anna Ｌee")),
        ("value css=#pw hunter2 --not", json!("•••••••")),
        // States.
        ("visible PAY", json!(true)),
        ("visible css=#gone --not", json!(false)),
        ("visible css=#nowhere --not", Value::Null),
        ("enabled PAY", json!(true)),
        ("enabled css=#off --not", json!(false)),
        ("checked css=#on", json!(true)),
        ("checked css=#no --not", json!(false)),
        // Numbers.
        ("count css=li 3", json!(3)),
        ("count css=li 2 --visible", json!(2)),
        ("count css=li '>=3'", json!(3)),
        ("count css=li 4..9 --not", json!(3)),
        ("count --css .none 0", json!(0)),
        ("count role=checkbox '<3'", json!(2)),
        // The page itself.
        ("url 127.0.0.1", json!(live.site.at("/"))),
        ("url 'http://*/'", json!(live.site.at("/"))),
        ("url /done --not", json!(live.site.at("/"))),
        ("title 商店", json!("Shop 商店")),
        ("title 'shop 商店' --exact", json!("Shop 商店")),
    ]
    .into_iter()
    .map(|(claim, found)| (claim.replace("PAY", &pay.to_string()).replace("NAME", &name.to_string()), found))
    .collect();
    let mut denied = Sample::one_in(2);
    for (claim, found) in &holds {
        let (status, value) = once(&live, claim);
        assert_eq!((status, &value["holds"], &value["found"]), (0, &json!(true), found), "{claim}: {value}");
        if !denied.takes() {
            continue;
        }
        // The contrary doesn't.
        let contrary = claim.strip_suffix(" --not").map_or_else(|| format!("{claim} --not"), str::to_owned);
        let (status, value) = once(&live, &contrary);
        assert_eq!((status, &value["holds"], &value["found"]), (1, &json!(false), found), "{contrary}: {value}");
    }
    // What isn't there says nothing, and not even that it doesn't.
    for claim in
        ["text css=#nowhere Pay --not", "value css=#nowhere x --not", "enabled css=#nowhere --not", "checked PAY --not"]
    {
        let (status, value) = once(&live, &claim.replace("PAY", &pay.to_string()));
        assert!(status == 1 && value["found"].is_null() && value["reason"].is_string(), "{claim}: {value}");
    }
    let told = live.ok(&format!("verify text {pay} 支付"));
    assert_eq!(told, format!("verified: [{pay}] button \"立即支付\": the text contains \"支付\"; it is \"立即支付\""));
    let told = live.not("verify title Garden --timeout 0.1");
    assert!(told.starts_with("not verified within ") && told.ends_with("it is \"Shop 商店\""), "{told}");
}

#[test]
fn a_claim_is_waited_for_and_no_longer_than_its_limit() {
    let live = Live::open(shop);
    let gone = live.number("#total");
    let mut sample = Sample::one_in(3).beginning_at(2);
    for claim in [
        "text css=#total paid",
        "visible css=#gone",
        "enabled css=#off",
        "url /done",
        "text Paid --exact",
        "text 'Total: 12' --not",
    ] {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("open {}", live.site.at("/")));
        assert_eq!(once(&live, claim).0, 1, "{claim}");
        live.run("click css=#later --json");
        let value = live.json(&format!("verify {claim} --timeout 60"));
        assert_eq!(value["holds"], true, "{claim}: {value}");
    }
    let began = Instant::now();
    let ran = live.run("verify text Bananas --timeout 1.5 --json");
    assert!(ran.status == Some(1) && began.elapsed().as_secs_f64() >= 1.5, "{ran:?}");
    assert!(ran.json()["seconds"].as_f64().is_some_and(|s| s >= 1.5), "{ran:?}");
    // A number whose element is gone names nothing that could hold.
    live.ok(&format!("open {}", live.site.at("/two")));
    let (status, value) = once(&live, &format!("text {gone} Total"));
    assert!(status == 1 && value["reason"].as_str().is_some_and(|why| why.contains("is gone")), "{value}");
    assert_eq!(once(&live, &format!("visible {gone} --not")).0, 0);
}

#[test]
fn a_claim_that_says_nothing_is_a_problem_at_once() {
    let live = Live::open(shop);
    for (claim, code) in [
        ("text 9999 Pay", "not_found"),
        ("visible 9999 --not", "not_found"),
        ("visible", "bad_request"),
        ("value Anna", "bad_request"),
        ("text Pay now", "bad_request"),
        ("text ''", "bad_request"),
        ("count 1 1", "bad_request"),
        ("count css=li many", "bad_request"),
        ("count css=li '<0'", "bad_request"),
        ("count 3", "bad_request"),
        ("text 'css=[' x", "bad_request"),
        ("colour css=#pay red", "bad_request"),
    ] {
        let began = Instant::now();
        let ran = live.run(&format!("verify {claim} --timeout 60 --json"));
        assert_eq!((ran.status, ran.code().as_str()), (Some(2), code), "{claim}: {ran:?}");
        assert!(began.elapsed().as_secs() < 40, "{claim} was waited for");
    }
    // Several matches are named once it is clear that they stay.
    assert_eq!(live.run("verify text css=li Apple --timeout 0 --json").code(), "ambiguous");
}
