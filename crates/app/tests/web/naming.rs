//! Targets, tabs and commands by the names that people use: locators in one word, `--tab`, what other tools call a command.

use handeye_testkit::home::eventually;
use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};
use std::time::Duration;

const SHOP: &str = r#"<title>Shop</title><main><button id=pay onclick="log('pay')">Pay now</button>
<button id=late onclick="setTimeout(() => { bin.hidden = false }, 600)">Later</button></main>
<div id=bin hidden style="width:80px;height:40px" aria-label=Bin role=button>Bin</div>
<a id=more href="/two">More of it</a>"#;

fn shop(path: &str) -> Answer {
    match path {
        "/" => page(SHOP),
        "/two" => page("<title>Two</title><button onclick=\"log('two'); this.textContent = 'Done'\">Second</button>"),
        _ => Answer::Status("404 Not Found", "no".into()),
    }
}

#[test]
fn a_locator_stands_wherever_a_number_does() {
    let live = Live::open(shop);
    for line in [
        "click css=#pay",
        "click 'role=button name=Pay now'",
        "click 'text=Pay now'",
        "click --text 'pay now'",
        "click --selector #pay",
    ] {
        live.ok(line);
        live.logged("pay");
    }
    let inside = live.json("state --within css=main");
    assert_eq!(inside["targets"].as_array().unwrap().len(), 2, "{inside}");
    assert!(live.ok("state --within role=main").contains("Pay now"));
    let near = live.json("find --role button --near css=#late");
    assert_eq!(near["targets"][0]["name"], "Pay now");
    assert_eq!(live.ok("get attr css=#more href"), "/two");
    let number = live.number("#pay");
    assert_eq!(live.ok(&format!("get text {number}")), live.ok("get text css=#pay"));
    for (line, code) in [
        ("click css=", "bad_request"),
        ("state --within css=#nothing", "not_found"),
        ("find --near css=button", "ambiguous"),
        ("drag css=#pay --to css=#nothing", "not_found"),
        ("wait --visible id=5", "bad_request"),
    ] {
        assert_eq!(live.run(&format!("{line} --json")).code(), code, "{line}");
    }
}

/// Roles that hold a value aren't named by what is in them, and yet it is what was shown of them.
#[test]
fn what_has_no_name_and_holds_a_value_is_called_by_the_text_in_it() {
    const ROLES: [&str; 7] = ["slider", "spinbutton", "progressbar", "scrollbar", "meter", "searchbox", "textbox"];
    let live = Live::closed(|_| {
        let of =
            |role: &str| format!("<div role={role} id={role} tabindex=0 onclick=\"log('{role}')\">Level {role}</div>");
        page(ROLES.map(of).concat())
    });
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    live.ok("state");
    let (mut named, mut held) = (Sample::one_in(3), Sample::one_in(3).beginning_at(1));
    for role in ROLES {
        if !named.takes() {
            continue;
        }
        live.ok(&format!("click {}", live.number(&format!("#{role}"))));
        live.logged(role);
    }
    for role in ROLES {
        if !held.takes() {
            continue;
        }
        let number = live.number(&format!("#{role}"));
        live.ok("state");
        live.ok(&format!("eval '{role}.textContent = \"Other\"'"));
        let told = live.run(&format!("click {number} --json")).json();
        assert_eq!(told["verdict"], "contradicted", "{role}: {told:#}");
        live.logged("");
    }
}

#[test]
fn what_a_locator_names_is_waited_for() {
    let live = Live::open(shop);
    live.ok("wait --gone css=#nothing");
    live.run("click css=#late");
    live.ok("wait --visible css=#bin");
    assert_eq!(live.ok("get value css=#pay"), "");
    assert_eq!(live.run("wait --visible css=#nothing --timeout 0.3 --json").code(), "timeout");
    assert_eq!(live.run("wait --gone css=#bin --timeout 0.3 --json").code(), "timeout");
}

#[test]
fn a_call_can_be_about_another_tab_than_the_active_one() {
    let live = Live::open(shop);
    live.ok(&format!("tabs new {}", live.site.at("/two")));
    live.ok("tabs switch t1");
    assert_eq!(live.ok("get title --tab 2"), "Two");
    assert!(live.ok("click --name Second --tab t2").contains("clicked"));
    assert_eq!(live.ok("get text --css button --tab 2"), "Done");
    assert_eq!(live.ok("get title"), "Shop", "the active tab stays so");
    assert_eq!(live.ok("get title --tab 1"), "Shop");
    // A call that its caller gives up has turned back by the next one.
    let mut given_up = live.home.command(["wait", "--seconds", "60", "--tab", "2"]).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(2));
    given_up.kill().unwrap();
    given_up.wait().unwrap();
    assert_eq!(live.ok("get title"), "Shop");
    for (line, code) in [
        ("state --tab 9", "not_found"),
        ("state --tab x", "bad_request"),
        ("tabs list --tab 2", "bad_request"),
        ("open about:blank --tab 2", "bad_request"),
        ("windows --tab 2", "bad_request"),
    ] {
        assert_eq!(live.run(&format!("{line} --json")).code(), code, "{line}");
    }
    assert_eq!(live.ok("get title"), "Shop");
}

const FIELDS: &str = r#"<title>Fields</title><input id=name aria-label=Name value=old><textarea id=notes aria-label=Notes></textarea>
<input id=day type=date aria-label=Day><div id=rich contenteditable aria-label=Letter role=textbox>Dear all</div>
<input id=mask aria-label=Mask onkeydown="n++; mask.title = n"><script>let n = 0</script>"#;

#[test]
fn text_is_put_in_by_keys_or_as_a_value() {
    let live = Live::open(|_| page(FIELDS));
    live.ok("state");
    for method in ["keys", "value"] {
        for (id, text) in [("name", "Ann Lee"), ("notes", "one\ntwo"), ("name", "")] {
            live.ok(&format!("input --css #{id} --method {method} -- '{text}'"));
            assert_eq!(live.json(&format!("get value --css #{id}"))["value"], text, "{method}");
        }
    }
    live.ok("input --css #rich 'By keys' --method keys");
    assert_eq!(live.ok("get text --css #rich"), "By keys");
    // Only keys are key events.
    live.ok("input --css #mask abc --method value");
    assert_eq!(live.ok("get attr css=#mask title"), "");
    live.ok("input --css #mask abc --method keys");
    let keys: u32 = live.ok("get attr css=#mask title").parse().unwrap();
    assert_eq!(keys, 4, "Delete and three characters");
    live.ok("input --css #day 2026-02-28 --method value");
    assert_eq!(live.ok("get value --css #day"), "2026-02-28");
    for refused in ["#day 2026-03-01 --method keys", "#rich x --method value", "#name 'a\tb' --method keys"] {
        assert_ne!(live.run(&format!("input --css {refused}")).status, Some(0), "{refused}");
    }
    assert_eq!(live.ok("get value --css #day"), "2026-02-28");
    assert_eq!(live.run("input --css #name x --method mind --json").code(), "bad_request");
    // What other tools mean by it.
    let number = live.number("#name");
    let said = live.ok(&format!("type {number} 'Bob B'"));
    assert!(said.starts_with("input into ["), "{said}");
    assert_eq!(live.ok("get value --css #name"), "Bob B");
    for target in ["css=#name", "'role=textbox name=Name'", &format!("'[{number}]'")] {
        live.ok("input --css #name ''");
        assert!(live.ok(&format!("type {target} Cy")).starts_with("input into ["), "{target}");
        assert_eq!(live.ok("get value --css #name"), "Cy", "{target}");
    }
    live.ok("focus --css #name");
    live.ok("type 5");
    live.ok("type a=b");
    // Keys name themselves beside the target that they were pressed in.
    let said = live.ok("keys --target css=#name ctrl+a Delete");
    assert!(said.starts_with("pressed ctrl+a Delete in ["), "{said}");
    assert_eq!(live.ok("get value --css #name"), "");
    assert_eq!(live.run("type five words --json").code(), "bad_request");
    assert_eq!(live.run("type 9999 words --json").code(), "not_found");
}

#[test]
fn a_click_may_be_followed_by_a_wait() {
    let live = Live::open(shop);
    let took = |line: &str| {
        let began = std::time::Instant::now();
        live.ok(line);
        began.elapsed()
    };
    assert!(took("click css=#pay --wait-after 1.5") >= Duration::from_millis(1500));
    if is_full() {
        live.settings("[waits]\nafter_click = 1.5\n");
        assert!(took("click css=#pay") >= Duration::from_millis(1500));
    }
    assert_eq!(live.run("click css=#pay --wait-after 61 --json").code(), "bad_request");
}

#[test]
fn lists_of_messages_are_about_this_tab_and_count_what_repeats() {
    let live = Live::open(|path| match path {
        "/" => page(
            "<title>Loud</title><script>for (let i = 0; i < 12; i++) console.log('again'); console.warn('once'); for (let i = 0; i < 3; i++) fetch('/none')</script>",
        ),
        "/two" => page("<title>Two</title><script>console.log('elsewhere')</script>"),
        _ => Answer::Status("404 Not Found", "no".into()),
    });
    live.ok("wait --idle");
    let first = live.json("console");
    let again: Vec<_> = first["messages"].as_array().unwrap().iter().filter(|m| m["text"] == "again").collect();
    assert_eq!((again.len(), again[0]["times"].as_u64()), (1, Some(12)), "{first}");
    assert_eq!(
        live.json("console --all")["messages"].as_array().unwrap().iter().filter(|m| m["text"] == "again").count(),
        12
    );
    let listed = live.ok("network list --filter /none");
    assert!(listed.lines().count() == 1 && listed.ends_with(" ×3"), "{listed}");
    assert_eq!(live.ok("network list --filter /none --all").lines().count(), 3);
    live.ok(&format!("tabs new {}", live.site.at("/two")));
    live.ok("tabs switch t1");
    assert!(eventually(Duration::from_secs(10), || live.json("console")["elsewhere"] == 1));
    assert_eq!(live.json("console")["messages"].as_array().unwrap().len(), 0);
    let other = live.json("console --tab 2");
    assert_eq!((other["messages"].as_array().unwrap().len(), other["elsewhere"].as_u64()), (1, Some(0)), "{other}");
    assert_eq!(live.json("console")["elsewhere"], 0, "it was shown");
}

/// Buttons of which only one says something.
const ICONS: &str = r#"<title>Icons</title><button id=icon onclick="log('icon')"><svg width=16 height=16><rect width=16 height=16></rect></svg></button>
<button id=save onclick="log('save')">Save</button><p id=out></p>"#;

#[test]
fn what_has_no_text_is_not_what_is_expected_where_another_is() {
    let live = Live::open(|_| page(ICONS));
    let line = "click --css button --expect Save";
    for order in ["icon first", "icon last"] {
        let receipt = live.run(&format!("{line} --json")).json();
        assert_eq!(receipt["target"]["name"], "Save", "{order}: {receipt}");
        live.logged("save");
        live.ok(&format!("open {}", live.site.at("/last")));
        live.log();
    }
    // Nothing that matches says it.
    let ran = live.run("click --css button --expect Send --json");
    assert_ne!(ran.status, Some(0), "{ran:?}");
    live.logged("");
    // Which of two is meant that says it isn't known.
    let live = Live::open(|_| page(format!("{ICONS}<button onclick=\"log('second')\">Save</button>")));
    assert_eq!(live.run(&format!("{line} --json")).code(), "ambiguous");
    live.logged("");
}

/// What has no name of its own, and says more than one word.
const WORDS: &str = r#"<title>Words</title><ul><li id=beta tabindex=0 onclick="log('beta')">Beta <b>bold</b></li>
<li id=gamma tabindex=0 onkeydown="log('gamma')">Gamma</li></ul><button id=named>Beta named</button>
<div id=long tabindex=0 onclick=0>FILL</div>"#;

#[test]
fn a_name_is_not_a_part_of_what_something_without_a_name_says() {
    let live = Live::open(|_| page(WORDS.replace("FILL", &"Delta and so on ".repeat(60))));
    let found = |line: &str| -> Vec<String> {
        let told = live.run(&format!("{line} --json")).json();
        let targets = told["targets"].as_array().into_iter().flatten();
        targets.map(|t| [&t["name"], &t["text"]].map(|v| v.as_str().unwrap_or_default()).concat()).collect()
    };
    // A name is matched by its part, what is said only as a whole.
    assert_eq!(found("find --name Beta"), ["Beta named"]);
    assert_eq!(found("find --name 'Beta bold'"), ["Beta bold"]);
    assert_eq!(found("find --name Delta"), [""; 0]);
    live.ok("click --name 'Beta bold'");
    live.logged("beta");
    for line in ["focus --role listitem --name Beta", "click --role listitem --name Beta", "focus --name Delta"] {
        assert_eq!(live.run(&format!("{line} --json")).code(), "not_found", "{line}");
    }
    live.ok("focus --name Gamma");
    live.run("keys x");
    live.logged("gamma");
}

/// What its author named is listed by that name, whatever is in it (Accessible Name and Description Computation 1.2, step 2C/2D).
#[test]
fn what_is_named_is_listed_by_its_name() {
    let live = Live::open(|_| {
        page(
            "<table><thead aria-label=Head><tr><th aria-label=Column>1</th></tr></thead>
             <tbody><tr aria-label=Row><td aria-label=Cell>2</td><td aria-labelledby=it>3</td><td>4</td></tr></tbody></table>
             <div role=application aria-label=App>5</div> <div role=document aria-label=Doc>6</div> <ul aria-label=List>7</ul>
             <hr aria-label=Rule> <hr> <div role=application>8</div> <ul>9</ul> <span id=it>It</span>",
        )
    });
    let state = live.json("state --all --budget none");
    let listed: Vec<String> = state["targets"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|target| target["role"] != "text")
        .map(|target| format!("{} {}", target["role"].as_str().unwrap(), target["name"].as_str().unwrap()))
        .collect();
    assert_eq!(
        listed,
        [
            "table ",
            "rowgroup Head",
            "row ",
            "columnheader Column",
            "row Row",
            "cell Cell",
            "cell It",
            "cell 4",
            "application App",
            "document Doc",
            "list List",
            "separator Rule"
        ]
    );
}
