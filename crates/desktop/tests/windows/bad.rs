//! Windows and programs as they should not be: `cargo xtask test --windows` runs it. Each is told of within its limit, and the
//! session goes on.

use crate::stage::{self, Panel, Stage, click, code};
use handeye_engine::{Action, ClickBy, Expectation};
use handeye_scene::{Code, Verdict};
use std::time::{Duration, Instant};

/// How long whatever is asked of a hung program may take.
const LIMIT: Duration = Duration::from_secs(8);

/// Another program can be used right after.
#[track_caller]
fn goes_on(stage: &mut Stage, other: &Panel, title: &str) {
    stage.activate(title).unwrap();
    stage.choose(title);
    let begun = Instant::now();
    let approve = stage.number("button", "Approve");
    stage.click(approve, ClickBy::Best).unwrap();
    other.logs("clicked Approve");
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
}

#[test]
fn one_that_sleeps_for_a_minute_is_told_of_and_can_be_ended() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Sleeps");
    let approve = stage.number("button", "Approve");
    let name = stage.number("textbox", "Name");
    panel.tell_and_go("hang 60000");
    std::thread::sleep(Duration::from_millis(200));
    for outcome in [
        stage.click(approve, ClickBy::Best).map(drop),
        stage.click(approve, ClickBy::Pointer).map(drop),
        stage.act(name, Action::Input("x".into())).map(drop),
        stage.targets().map(drop),
    ] {
        assert_eq!(code(outcome), Code::Timeout);
    }
    let begun = Instant::now();
    assert_eq!(code(stage.targets()), Code::Timeout);
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    assert!(stage.list().iter().any(|w| w.title == "Sleeps"), "it is still listed");
    let other = stage.panel("Other");
    goes_on(&mut stage, &other, "Other");
    drop(panel);
    let gone = code(stage.click(approve, ClickBy::Best));
    assert!(matches!(gone, Code::Stale | Code::Lost | Code::NotFound), "{gone:?}");
}

#[test]
fn one_that_is_killed_while_it_is_acted_on_is_lost() {
    let mut stage = Stage::open_win32();
    let other = stage.panel("Other");
    let mut panel = stage.panel("Dies");
    let name = stage.number("textbox", "Name");
    let approve = stage.number("button", "Approve");
    panel.tell_and_go("hang 60000");
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(700));
        drop(panel);
    });
    let begun = Instant::now();
    assert!(stage.act(name, Action::Input("never".into())).is_err());
    killer.join().unwrap();
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    let gone = code(stage.click(approve, ClickBy::Best));
    assert!(matches!(gone, Code::Stale | Code::Lost | Code::NotFound), "{gone:?}");
    goes_on(&mut stage, &other, "Other");
}

#[test]
fn a_window_that_closes_between_the_look_and_the_click_is_lost() {
    let mut stage = Stage::open_win32();
    let other = stage.panel("Other");
    let mut panel = stage.panel("Closes");
    let approve = stage.number("button", "Approve");
    panel.tell_and_go("close");
    panel.logs("closed");
    assert!(stage::eventually(|| panel.log().contains("closed")));
    let gone = code(stage.click(approve, ClickBy::Best));
    assert!(matches!(gone, Code::Stale | Code::Lost), "{gone:?}");
    assert!(!panel.log().contains("clicked"));
    goes_on(&mut stage, &other, "Other");
}

#[test]
fn a_hundred_thousand_items_are_cut_and_it_takes_no_longer() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Long");
    panel.tell_and_go("fill 100000");
    assert!(stage::eventually(|| panel.log().contains("did fill")), "{}", panel.log());
    let begun = Instant::now();
    let count = stage.targets().unwrap().len();
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    assert!((200..400).contains(&count), "{count}");
    let row = stage.number("option", "row 7");
    stage.done(row, click(ClickBy::Best));
    panel.logs("row 7");
}

#[test]
fn names_with_control_characters_stay_on_their_line() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Odd");
    panel.tell("relabel A\u{1}B\u{1b}[31m\u{202e}C");
    let targets = stage.targets().unwrap();
    let odd = targets.iter().find(|t| t.role == "button" && t.name.starts_with('A')).unwrap();
    let printed = handeye_engine::observe::outline::quote(&odd.name, 80);
    assert!(!printed.chars().any(char::is_control), "{printed:?}");
    let shown = odd.name.clone();
    stage.act_if(odd.r#ref, Expectation::Text(shown), click(ClickBy::Best)).unwrap();
    assert!(stage::eventually(|| panel.log().contains("clicked A")), "{}", panel.log());
}

#[test]
fn what_has_no_size_or_lies_outside_is_not_clicked_by_the_pointer() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Flat");
    let approve = stage.number("button", "Approve");
    for place in ["place 10 240 0 0", "place -5000 -5000 120 28", "place 10 30000 120 28"] {
        panel.tell(place);
        let refused = stage.click(approve, ClickBy::Pointer);
        assert!(refused.is_err(), "{place}: {refused:?}");
    }
    assert!(!panel.log().contains("clicked"), "{}", panel.log());
    panel.tell("place 10 240 120 28");
    stage.click(approve, ClickBy::Pointer).unwrap();
    panel.logs("clicked Approve");
}

#[test]
fn another_program_on_top_gets_no_click() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Under");
    let approve = stage.number("button", "Approve");
    let keep = stage.number("checkbox", "Keep a copy");
    let above = stage.panel("Above");
    stage.choose("Under");
    let titles: Vec<String> = stage.list().into_iter().map(|w| w.title).collect();
    let at = |title: &str| titles.iter().position(|t| t == title);
    assert!(at("Above") < at("Under"), "{titles:?}");
    stage.click(approve, ClickBy::Pointer).unwrap();
    panel.logs("clicked Approve");
    assert_eq!(stage.act(keep, Action::Check(true)).unwrap().verdict, Verdict::Confirmed);
    assert!(!above.log().contains("clicked") && !above.log().contains("keep"), "{}", above.log());
}
