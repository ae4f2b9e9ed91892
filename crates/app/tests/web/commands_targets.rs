//! Naming targets: locators in order, receipts, expectations; iframes at any depth and shadow roots, where every kind of
//! gesture must arrive.

use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};
use serde_json::json;

const SHOP: &str = r#"<title>Shop</title>
<button id=pay data-testid=pay onclick="log('pay')">Pay now</button>
<button class=more onclick="log('more1')">More</button><button class=more onclick="log('more2')">More</button>
<button id=cn onclick="log('cn')">立即登录</button>
<button id=cart onclick="log('cart'); this.textContent = 'Cart (' + ++n + ')'">Cart (2)</button>
<button id=icon onclick="log('icon')"><svg width=16 height=16></svg></button>
<button id=approve onclick="log('approve')">Approve</button>
<button id=swap onclick="approve.textContent = 'Delete'; log('swapped')">Swap</button>
<script>let n = 2</script>"#;

#[test]
fn a_locator_through_frames_is_held_to_all_that_it_matches() {
    let live = Live::open(|_| {
        page(
            "<iframe title=One srcdoc='<button>Go</button>'></iframe><iframe title=Two srcdoc='<button>Stop</button>'></iframe>",
        )
    });
    let said = live.problem("click --css 'iframe >> button'");
    assert!(said.starts_with("error[ambiguous]: --css 'iframe >> button' matches 2 elements: "), "{said}");
    assert!(live.run("click --css 'iframe[title=Two] >> button'").out.contains("button \"Stop\""));
}

#[test]
fn what_is_gone_is_answered_by_what_reads_the_same_now() {
    // A list that is drawn anew; its parts have no name, only what they say.
    let live = Live::open(|_| {
        page(
            "<title>List</title><div id=list></div><script>const draw = () => { list.innerHTML = ''; \
            for (const text of ['Mon', 'Tue', 'Wed']) { const one = document.createElement('div'); one.textContent = text; \
            one.onclick = () => { log(text); draw() }; list.append(one) } }; draw()</script>",
        )
    });
    let tue = live.number("#list > :nth-child(2)");
    live.ok("click --text Mon");
    live.logged("Mon");
    let said = live.run(&format!("click {tue} --json")).json();
    assert_eq!(said["error"]["code"], "stale", "{said}");
    let hint = said["error"]["hints"][0].as_str().unwrap();
    let now = hint.rsplit(' ').next().unwrap();
    assert_eq!(
        said["error"]["hints"].as_array().map(Vec::len),
        Some(2),
        "one that reads the same, and the state: {said}"
    );
    live.ok(&format!("click {now} --expect Tue"));
    live.logged("Tue");
}

#[test]
fn locators_are_tried_in_order_and_the_receipt_says_which() {
    let live = Live::open(|_| page(SHOP));
    live.ok("state");
    let mut sample = Sample::one_in(2);
    for (line, used) in [
        ("--xpath //button[1]", "--xpath '//button[1]'"),
        ("--css #pay", "--css '#pay'"),
        ("--testid pay", "--testid pay"),
        ("--role button --name 'Pay now'", "--role button --name 'Pay now'"),
        ("--name 'Pay now'", "--name 'Pay now'"),
        ("--name 'pay  NOW' --role button", "--role button --name 'pay  NOW'"),
        ("--xpath /html/body/button[1]", "--xpath '/html/body/button[1]'"),
    ] {
        if !sample.takes() {
            continue;
        }
        let said = live.ok(&format!("click {line}"));
        assert_eq!(said.lines().nth(1), Some(format!("matched {used}").as_str()), "{line}: {said}");
        live.logged("pay");
    }
    let said = live.ok("click --css #none --xpath //p --css .more --expect 'pay now' --testid pay");
    let lines: Vec<&str> = said.lines().skip(1).collect();
    assert_eq!(lines[0], "matched --testid pay, verified");
    assert_eq!(lines[1], "passed over --css '#none': nothing matches --css '#none'");
    assert_eq!(lines[2], "passed over --xpath //p: nothing matches --xpath //p");
    assert!(
        lines[3].starts_with("passed over --css .more: what --css .more matches doesn't show the expected text"),
        "{said}"
    );
    live.logged("pay");

    // Seed 2's list of XPaths.
    let json =
        live.json("click --xpath //nav/button --xpath //button[@id='pay'] --expect Pay".replace('\'', "\"").as_str());
    let matched = &json["matched"];
    assert_eq!(
        (&matched["used_xpath"], &matched["verified"], &matched["actual_text"]),
        (&json!("//button[@id=\"pay\"]"), &json!(true), &json!("Pay now"))
    );
    assert_eq!(
        matched["tried"],
        json!([{"locator": "--xpath //nav/button", "outcome": "nothing matches --xpath //nav/button"}])
    );
    live.logged("pay");
    let json = live.json("click --xpath //button[1]");
    assert_eq!(json["matched"]["verified"], false);
    assert_eq!(json["target"]["ref"], 1);
    live.log();

    let said = live.problem("click --css .more");
    assert!(
        said.starts_with(
            "error[ambiguous]: --css .more matches 2 elements: [2] button \"More\", [3] button \"More\"\n"
        ),
        "{said}"
    );
    assert!(said.contains("try: handeye inspect 2"), "{said}");
    assert!(live.problem("click --name More").starts_with("error[ambiguous]: "));
    let said = live.problem("click --css #none --xpath //p");
    assert!(said.starts_with("error[not_found]: none of the 2 locators names the target: --css '#none': "), "{said}");
    live.logged("");
    // A number comes first, then the rest.
    live.ok("click 2 --css #pay");
    live.logged("more1");
}

#[test]
fn a_text_is_not_compared_with_every_element_of_a_page() {
    let live = Live::open(|_| {
        page(
            "<title>Many</title><script>for (let i = 0; i < 501; i++) document.write(`<button onclick=log(${i})>B${i}</button>`)</script>",
        )
    });
    let said = live.problem("click --css button --expect B500");
    assert!(said.starts_with("error[ambiguous]: --css button matches 501 elements, too many to compare"), "{said}");
    live.run("click --css 'button:not(:last-child)' --expect B499");
    live.logged("499");
}

#[test]
fn an_action_is_held_to_its_expectation() {
    let live = Live::open(|_| page(SHOP));
    live.ok("state");
    for text in ["Pay now", "pay", "NOW", " Pay\u{a0}now ", "Pay n…"] {
        let ran = live.run(&format!("click 1 --expect '{text}'"));
        assert_eq!(ran.status, Some(0), "{text}: {ran:?}");
        live.logged("pay");
    }
    live.ok("click 4 --expect 登录");
    live.logged("cn");
    for (line, found) in [
        ("click 1 --expect Repay", "Pay now"),
        ("click 1 --expect 'Pay now!?'", "Pay now"),
        ("click 1 --expect More", "Pay now"),
    ] {
        let said = live.not(line);
        assert!(said.starts_with("click [1] button \"Pay now\": contradicted, not clicked: expected text "), "{said}");
        assert!(said.contains(&format!("found \"{found}\"")), "{said}");
    }
    let said = live.not("click 1 --expect More");
    assert!(said.contains("[2] button \"More\" does show it") && said.contains("try: handeye inspect 2"), "{said}");
    live.logged("");
    // A counter may count, a label may not change.
    live.ok("click --css #cart");
    live.ok("click 5");
    live.ok("click 5");
    live.logged("cart cart cart");
    live.ok("click --css #swap");
    live.logged("swapped");
    let approve = live.problem("click --name Approve");
    assert!(approve.starts_with("error[not_found]"), "{approve}");
    if is_full() {
        let live = Live::open(|_| page(SHOP));
        live.ok("state");
        live.ok("click 8 --method invoke --expect Swap");
        live.log();
        let live_again = live.ok("click 7 --expect-any");
        assert!(live_again.starts_with("clicked [7] button \"Delete\": confirmed"), "{live_again}");
        live.logged("approve");
    }
    // What has no text can't be checked.
    let said = live.not("click 6 --expect Settings");
    assert!(said.contains(": unverifiable, not clicked"), "{said}");
    live.logged("");
    live.ok("click 6 --expect-any");
    live.logged("icon");
    let said = live.not("input --css #pay x --expect Nothing --timeout 1");
    assert!(said.contains("contradicted"), "{said}");
}

/// A page in a page in a page: same origin, other origin, and the first origin again.
fn nested(path: &str) -> Answer {
    let inside = |depth: u8, more: &str| {
        page(format!(
            r#"<title>Depth {depth}</title><body style="margin:0"><div style="height:{}px"></div>
            <label>Field {depth} <input id=f{depth}></label> <button id=b{depth}>Button {depth}</button>
            <label>Box {depth} <input type=checkbox id=c{depth}></label>
            <select id=s{depth} aria-label="List {depth}"><option>a<option>b</select>
            <button id=d{depth}>Dead {depth}</button>
            <script>watch('b{depth}', 'click dblclick contextmenu', e => '{depth}' + e.type + (e.isTrusted ? '' : '?')); watch('c{depth}', 'change', e => '{depth}' + e.target.checked); watch('s{depth}', 'change', e => '{depth}' + e.target.value)</script>{more}"#,
            u32::from(depth) * 30
        ))
    };
    let frame = |title: &str, src: &str, size: u32| {
        format!(
            "<iframe title={title} src='{src}' style='margin:20px; width:{size}px; height:{}px'></iframe>",
            size / 2
        )
    };
    match path {
        "/" => inside(0, &(frame("Same", "/same", 800) + "<div style='height:1500px'></div>")),
        "/same" => inside(1, &frame("Other", "OTHER/other", 600)),
        "/other" => inside(2, &(frame("Deep", "/deep", 400) + "<div style='height:900px'></div>")),
        _ => inside(3, ""),
    }
}

#[test]
fn documents_in_documents_are_seen_and_acted_on() {
    let live = Live::open(nested);
    live.ok("wait --text 'Button 3'");
    let state = live.ok("state");
    for (depth, wanted) in [
        (0, "button \"Button 0\""),
        (0, "iframe \"Same\" "),
        (1, "button \"Button 1\""),
        (1, "iframe \"Other\" "),
        (2, "button \"Button 2\""),
        (2, "iframe \"Deep\" "),
        (3, "button \"Button 3\""),
    ] {
        let line = state.lines().find(|l| l.contains(wanted)).unwrap_or_else(|| panic!("{wanted}: {state}"));
        assert_eq!(line.len() - line.trim_start().len(), depth * 2, "{state}");
    }
    let json = live.json("state");
    let documents = json["documents"].as_array().unwrap();
    let own = format!("http://127.0.0.1:{}", live.site.port);
    let other = format!("http://localhost:{}", live.site.port);
    let origins: Vec<_> = documents.iter().map(|d| d["origin"].as_str().unwrap()).collect();
    assert_eq!(origins, [&own, &own, &other, &other]);
    let owner = documents[2]["parent_ref"].as_u64().unwrap();
    let target = |n: u64| json["targets"].as_array().unwrap().iter().find(|t| t["ref"] == n).unwrap().clone();
    assert_eq!(target(owner)["name"], "Other");

    // What reaches the innermost one passes through all the others.
    let depths = if is_full() { 0..4_u8 } else { 3..4 };
    for depth in depths {
        let xpath = json["targets"]
            .as_array()
            .unwrap()
            .iter()
            .find(|t| t["name"] == format!("Button {depth}"))
            .unwrap()["xpath"]
            .as_str()
            .unwrap();
        assert_eq!(xpath.matches("/html[1]").count(), usize::from(depth) + 1, "{xpath}");
        let said = live.ok(&format!("click --xpath {xpath} --expect 'button {depth}'"));
        assert!(said.contains(&format!("button \"Button {depth}\": confirmed")), "{said}");
        let seen = |wanted: &str| {
            let log =
                live.ok(&format!("get attr --xpath {}/html[1] data-log", &xpath[..xpath.rfind("/html[1]").unwrap()]));
            assert!(log.ends_with(wanted), "{depth}: {log}");
        };
        seen(&format!("{depth}click"));
        live.ok(&format!("rightclick --css #b{depth}"));
        seen(&format!("{depth}contextmenu"));
        live.ok(&format!("dblclick --css #b{depth}"));
        seen(&format!("{depth}click {depth}dblclick"));
        live.ok(&format!("check --css #c{depth}"));
        seen(&format!("{depth}true"));
        live.ok(&format!("select --css #s{depth} b"));
        seen(&format!("{depth}b"));
        live.ok(&format!("input --css #f{depth} '文 {depth}'"));
        assert_eq!(live.ok(&format!("get value --css #f{depth}")), format!("文 {depth}"));
        live.ok(&format!("focus --css #f{depth}"));
        live.ok("type !");
        assert_eq!(live.ok(&format!("get value --css #f{depth}")), format!("文 {depth}!"));
        live.ok(&format!("hover --css #b{depth}"));
        // The rectangle is in the main viewport, so the place of it is the thing itself.
        let rect = live.json(&format!("get rect --css #b{depth}"))["value"].clone();
        let middle = |i: usize| rect[i].as_f64().unwrap() + rect[i + 2].as_f64().unwrap() / 2.0;
        let said = live.ok(&format!("click-at {} {} --expect 'Button {depth}'", middle(0), middle(1)));
        assert!(said.contains(&format!("hit button \"Button {depth}\"")), "{said}");
        seen(&format!("{depth}click"));
        let said = live.not(&format!("click --css #b{depth} --expect 'Button 9'"));
        assert!(said.contains("contradicted"), "{said}");
        live.ok(&format!("screenshot d{depth}.png --css #b{depth}"));
    }
    // Within an iframe, what it shows.
    let within = live.ok(&format!("state --within {owner}"));
    assert!(within.contains("Button 2") && within.contains("Button 3") && !within.contains("Button 1"), "{within}");
}

const SHADOW: &str = r#"<title>Shadow</title><div id=one></div><div id=two></div>
<script>
function fill(root, name, deeper) {
  root.innerHTML = `<button id=b>${name} button</button><label>${name} field <input id=f></label><slot></slot>`;
  root.getElementById('b').onclick = e => log(name, e.isTrusted);
  if (deeper) { const host = document.createElement('section'); root.append(host); fill(host.attachShadow({ mode: deeper }), name + ' deep') }
}
fill(one.attachShadow({ mode: 'open' }), 'Open', 'closed');
fill(two.attachShadow({ mode: 'closed' }), 'Closed', 'open');
two.innerHTML = '<a href=/#slotted>Slotted</a>';
</script>"#;

#[test]
fn shadow_roots_are_open_books() {
    let live = Live::open(|_| page(SHADOW));
    let state = live.ok("state");
    // A root in a root, of either kind.
    let mut sample = Sample::one_in(2).beginning_at(1);
    for name in ["Open", "Open deep", "Closed", "Closed deep"] {
        assert!(state.contains(&format!("button \"{name} button\"")), "{state}");
        if !sample.takes() {
            continue;
        }
        let said = live.ok(&format!("click --role button --name '{name} button' --expect '{name} button'"));
        assert!(said.contains(": confirmed"), "{said}");
        live.logged(&format!("{name} true"));
        live.ok(&format!("input --role textbox --name '{name} field' '{name} 值'"));
        let value = live.ok(&format!("get value --role textbox --name '{name} field'"));
        assert_eq!(value, format!("{name} 值"));
        // An XPath from the state leads back to it.
        let found = live.json(&format!("find --role textbox --name '{name} field'"));
        let of_name =
            found["targets"].as_array().unwrap().iter().find(|t| t["name"] == format!("{name} field")).unwrap();
        let xpath = of_name["xpath"].as_str().unwrap();
        assert_eq!(live.ok(&format!("get value --xpath {xpath}")), format!("{name} 值"), "{xpath}");
    }
    assert!(state.contains("link \"Slotted\""), "{state}");
    live.says("click --name Slotted", "clicked [");
    assert!(live.ok("get url").ends_with("#slotted"));
    assert_eq!(live.json("find --css '#b'")["targets"].as_array().unwrap().len(), 4, "selectors reach into every root");
}

#[test]
fn what_a_newcomer_writes_is_answered_by_what_to_write() {
    let live = Live::open(|_| {
        page(
            "<title>New</title><input aria-label=Name><table><tr><td>Ann<td><button>Delete</button><tr><td>Bob<td><button>Delete</button></table>",
        )
    });
    for (line, parts) in [
        ("input Name a", ["\"Name\" is not a target's number", "try: handeye find Name"].as_slice()),
        ("click Name", &["`Name` is not a target's number", "--name"]),
        ("set viewport 800 600", &["`800 600` is no size", "try: handeye set viewport 800x600"]),
        ("tabs switch 2", &["there is no tab t2; there are t1", "try: handeye tabs list"]),
        ("tabs switch two", &["`two` is no tab: write its number", "try: handeye tabs --help"]),
        ("close --all", &["--all", "try: handeye sessions stop --all"]),
        ("sessions stop", &["which session is to end isn't said; default run", "try: handeye sessions stop default"]),
    ] {
        let said = live.problem(line);
        for part in parts {
            assert!(said.contains(part), "{line}: {part}: {said}");
        }
    }
    // What is to be written for a name is what works.
    live.ok("input --name Name a");
    live.ok("set viewport 800x600");
    let state = live.ok("state");
    let bob = live.json("find --role button --name Delete")["targets"][1]["ref"].as_u64().unwrap();
    let said = live.not(&format!("click {bob} --expect Bob"));
    assert!(said.contains("its row says") && said.contains("Bob"), "{state}\n{said}");
    assert!(said.contains(&format!("try: handeye click {bob}\n")), "{said}");
}
