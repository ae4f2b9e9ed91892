//! Rules about what may be pressed, at the command line: every way around is denied, a person may agree to what is asked, and
//! rules that are wrong say how.

use crate::consent::at_terminal;
use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};

const PAGE: &str = "<title>Files</title><style>button{width:120px;height:30px}</style>
<button id=del onclick=\"log('deleted')\">Delete</button><button id=edit onclick=\"log('edited')\">Edit</button>
<button id=two onclick=\"log('deleted-two')\">Delete two</button>
<button id=conf onclick=\"setTimeout(() => log(confirm('Delete this for good?') ? 'gone' : 'kept'))\">Ask me</button>
<form onsubmit=\"log('sent');return false\"><input id=f aria-label=Name><button id=all>Delete all</button></form>
<form onsubmit=\"log('sent');return false\"><input id=g aria-label=Street><button>Save</button></form>";

fn site(_: &str) -> Answer {
    page(PAGE)
}

fn files(policy: &str) -> Live {
    let live = Live::closed(site);
    live.settings(&format!("[policy]\n{policy}\n"));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    live
}

/// The middle of an element, as arguments.
fn middle(live: &Live, css: &str) -> String {
    let rect = live.json(&format!("get rect --css {css}"))["value"].clone();
    let side = |i: usize| rect[i].as_f64().unwrap();
    format!("{} {}", side(0) + side(2) / 2.0, side(1) + side(3) / 2.0)
}

#[test]
fn every_way_to_a_denied_button_is_denied_and_its_neighbour_works() {
    let live = files("deny = [\"acts:button:Delete*\"]");
    for (css, field, log, sent) in [("#del", "#f", "", ""), ("#edit", "#g", "edited", "sent")] {
        let (at, number) = (middle(&live, css), live.number(css));
        let ways = [
            (format!("click {number}"), log),
            (format!("click --css {css} --expect-any"), log),
            (format!("click --css {css} --method invoke --expect-any"), log),
            (format!("click-at {at} --expect-any"), log),
            (format!("focus {number}; keys Enter"), log),
            (format!("focus {number}; keys Space --expect-any"), log),
            (format!("mouse move {at}; mouse down; mouse up"), log),
            (format!("focus --css {field}; keys Enter"), sent),
            (format!("input --css {field} x --enter"), sent),
        ];
        // By default every way to what is denied, and a part of those to its neighbour.
        let mut sample = Sample::one_in(if log.is_empty() { 1 } else { 4 });
        for (way, wanted) in ways {
            if !sample.takes() {
                continue;
            }
            let mut refused = false;
            for line in way.split("; ") {
                let ran = live.run(line);
                refused |= ran.err.starts_with("error[denied]");
                assert!(refused || ran.err.is_empty(), "{line}: {ran:?}");
            }
            assert_eq!(refused, wanted.is_empty(), "{way}");
            live.logged(wanted);
        }
    }
    for line in ["eval document.querySelector('#del').click()", "wait --fn 1", "network mock */x.js --body y"] {
        let told = live.problem(line);
        assert!(told.starts_with("error[denied]") && told.contains("acts:button:Delete*"), "{line}: {told}");
    }
    live.logged("");
}

const LISTS: &str =
    "<title>Lists</title><script>const told = (e) => log([...e.selectedOptions].map((o) => o.text).join('+'))</script>
<select id=one onchange='told(this)'><option>Keep<option>Delete now<option>Move</select>
<select id=box size=4 onchange='told(this)'><option>Keep<option>Delete now<option>Move</select>
<select id=many multiple size=4 onchange='told(this)'><option selected>Keep<option>Delete now<option>Move</select>
<select id=safe onchange='told(this)'><option>Keep<option>Archive</select> <p id=below>below</p>";

/// Keys, and a pointer that is dragged over a list, choose options of which no event tells.
#[test]
fn an_option_that_is_denied_is_chosen_in_no_way_and_others_still_are() {
    let live = Live::closed(|_: &str| page(LISTS));
    live.settings("[policy]\ndeny = [\"acts:*:*delete*\"]\n");
    for (line, log) in [
        ("press ArrowDown --target css=#safe", "Archive"),
        ("select --css #one Move", "Move"),
        ("click --css '#box option:nth-child(3)'", "Move"),
    ] {
        live.ok(&format!("open {}", live.site.at("/")));
        live.log();
        live.ok(line);
        live.logged(log);
    }
    live.ok(&format!("open {}", live.site.at("/")));
    live.log();
    for line in [
        "press ArrowDown --target css=#one",
        "press ArrowUp --target css=#one",
        "press End --target css=#box",
        "press shift+ArrowDown --target css=#many",
        "press ctrl+a --target css=#many",
        "type d --target css=#one",
        "drag css=#many --to css=#below",
        "select --css #one 'Delete now'",
        "click --css '#box option:nth-child(2)'",
    ] {
        assert!(live.problem(line).starts_with("error[denied]"), "{line}");
        live.logged("");
    }
    for (focus, keys) in [("#one", "ArrowDown"), ("#box", "End"), ("#many", "shift+ArrowDown")] {
        live.ok(&format!("focus --css {focus}"));
        for line in [format!("keys {keys}"), format!("batch 'keys {keys}'")] {
            live.run(&line);
            live.logged("");
        }
    }
    let middle = middle(&live, "#many");
    for line in [format!("mouse move {middle}"), "mouse down".into(), "mouse move 700 400".into(), "mouse up".into()] {
        live.run(&line);
    }
    live.logged("");
}

#[test]
fn a_dialog_is_pressed_by_what_it_says() {
    let live = files("deny = [\"acts:dialog:*delete*\"]");
    live.run("click --css #conf");
    assert!(live.problem("dialog accept").starts_with("error[denied]"));
    live.ok("dialog dismiss");
    live.logged("kept");
}

#[test]
fn a_person_is_asked_what_is_pressed_and_agrees_to_that_alone() {
    let live = files("ask = [\"acts:button:Delete*\"]");
    let line = "click --css '#del'";
    assert!(live.problem(line).starts_with("error[denied]"), "nobody can be asked");
    for (answer, status, log) in [("n\n", 2, ""), ("y\n", 0, "deleted")] {
        let ran = at_terminal(&live.home, line, answer);
        assert!(ran.status == Some(status) && ran.shown.contains("presses button \"Delete\""), "{ran:?}");
        live.logged(log);
    }
    // What nobody asks about goes on, and consent was for one call.
    live.ok("click --css #edit");
    live.logged("edited");
    assert!(live.problem(line).starts_with("error[denied]"));
    for (line, log) in [("focus --css '#f'", ""), ("keys Enter", "sent"), ("eval document.title", "")] {
        let ran = at_terminal(&live.home, line, "y\n");
        assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
        live.logged(log);
    }
}

#[test]
fn rules_that_are_wrong_refuse_to_start_and_say_how() {
    let live = Live::closed(site);
    for (rule, told) in [
        ("acts:buton:Delete*", "`button`"),
        ("acts:Button:Delete*", "`button`"),
        ("acts:zzzzzz:Delete*", "`zzzzzz`"),
        ("acts:button", "no wording"),
        ("acts:button:", "empty wording"),
        ("acts:button:\u{200b}", "empty wording"),
        ("reads:button:Delete*", "only rules about `acts`"),
        ("act:button:Delete*", "no effect"),
        ("acts:button:Delete*@bank.example", "no valid origin"),
        ("acts:*:mail@home", "no valid origin"),
    ] {
        live.settings(&format!("[policy]\ndeny = [\"{rule}\"]\n"));
        let problem = live.problem(&format!("open {}", live.site.at("/")));
        assert!(problem.starts_with("error[bad_request]") && problem.contains(told), "{rule}: {problem}");
    }
}
