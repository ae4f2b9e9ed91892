//! What is clicked on Windows is what was meant, or nothing, where controls are only partly seen, or lie on each other:
//! `cargo xtask test --windows` runs it. The program's own log judges.

use crate::stage::{self, Panel, Stage, click, code};
use handeye_engine::{Action, ClickBy};
use handeye_scene::{Button, Code, Delivery, Gesture, Modifiers, Point, State, Verdict};

fn open(which: &str) -> (Stage, Panel) {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    panel.tell(which);
    stage.choose(&format!("Panel {which}"));
    (stage, panel)
}

/// What was hit, as the program tells.
fn hits(panel: &Panel) -> Vec<String> {
    let log = panel.log();
    let told = log.lines().filter(|l| l.starts_with("hit ") || l.starts_with("background "));
    told.map(str::to_owned).collect()
}

#[track_caller]
fn clicked(stage: &mut Stage, panel: &Panel, (role, name): (&str, &str), line: &str) {
    let before = hits(panel).len();
    let on = stage.any_number(role, name);
    let receipt = stage.act(on, click(ClickBy::Pointer)).unwrap();
    assert_ne!(receipt.verdict, Verdict::Contradicted, "{receipt:?}");
    let told = |panel: &Panel| hits(panel).get(before..).is_some_and(|new| new.iter().any(|l| l == line));
    assert!(stage::eventually(|| told(panel)), "{line}: {:?}", hits(panel));
    // A list tells of a row and of the cell that it is in.
    let others = hits(panel)[before..].iter().filter(|l| *l != line && !l.ends_with(name)).count();
    assert_eq!(others, 0, "{:?}", &hits(panel)[before..]);
}

#[test]
fn a_control_partly_outside_its_pane_is_clicked_inside_of_it() {
    let (mut stage, panel) = open("panes");
    // A quarter of it shows, and less than that of the other; what lies beside the pane has the rest of their rectangles.
    clicked(&mut stage, &panel, ("button", "Half"), "hit button Half");
    clicked(&mut stage, &panel, ("button", "Sliver"), "hit button Sliver");
    let out = stage.any_number("button", "Out");
    assert!(stage.probe(out).unwrap().states.has(State::Offscreen), "nothing of it shows");
    let before = hits(&panel);
    assert_eq!(code(stage.act(out, click(ClickBy::Pointer))), Code::Blocked);
    assert_eq!(hits(&panel), before, "what lies where it would be is not clicked");
}

#[test]
fn rows_under_the_headings_and_cells_under_the_scroll_bar_are_not_clicked_there() {
    let (mut stage, panel) = open("panes");
    // It is scrolled out, under the headings: these sort the list.
    clicked(&mut stage, &panel, ("row", "line 0"), "hit row line 0");
    // The middle of this cell is where the list has its scroll bar.
    clicked(&mut stage, &panel, ("cell", "told 2"), "hit cell told 2");
    clicked(&mut stage, &panel, ("option", "entry 12"), "hit option entry 12");
    clicked(&mut stage, &panel, ("columnheader", "Number"), "hit heading Number");
    assert_eq!(panel.log().matches("hit heading").count(), 1, "{}", panel.log());
}

#[test]
fn what_lets_the_pointer_through_is_not_clicked_where_another_control_takes_it() {
    let (mut stage, panel) = open("panes");
    let group = stage.any_number("group", "Around");
    let before = hits(&panel);
    // Its middle is the middle of the button in it; beside that the pointer goes to what holds both.
    let receipt = stage.act(group, click(ClickBy::Pointer));
    let new = hits(&panel)[before.len()..].to_vec();
    assert!(!new.iter().any(|l| l.starts_with("hit ")), "{receipt:?} {new:?}");
    let label = stage.any_number("text", "Under");
    let problem = stage.act(label, click(ClickBy::Pointer)).unwrap_err();
    assert!(problem.code == Code::Blocked && problem.message.contains("Over"), "{problem:?}");
    assert!(!panel.log().contains("hit button Over"), "{}", panel.log());
}

#[test]
fn a_place_that_was_asked_for_is_clicked_or_nothing_is() {
    let (mut stage, panel) = open("panes");
    let half = stage.number("button", "Half");
    let at = |x: f64| Action::Click {
        button: Button::Left,
        count: 1,
        modifiers: Modifiers::default(),
        by: ClickBy::Pointer,
        offset: Some(Point::new(x, 15.0)),
    };
    let before = hits(&panel);
    assert_eq!(code(stage.act(half, at(110.0))), Code::Blocked, "that part of it is outside of its pane");
    assert_eq!(hits(&panel), before);
    stage.act(half, at(20.0)).unwrap();
    assert!(stage::eventually(|| hits(&panel).contains(&"hit button Half".to_owned())));
    // Nor is it where a gesture names the place, whatever was looked at before.
    let rect = stage.probe(half).unwrap().rect;
    let outside = Point::new(rect.x + 110.0, rect.y + 15.0);
    let gesture = Gesture::Click { at: outside, button: Button::Left, count: 1, modifiers: Default::default() };
    let delivery = stage.perform_on(half, &gesture);
    assert!(matches!(&delivery, Delivery::Withheld(w) if w.reason == "miss"), "{delivery:?}");
    assert!(!panel.log().contains("Beside"), "{}", panel.log());
}

#[test]
fn what_all_are_shown_as_is_what_each_is_found_to_be() {
    for which in ["kinds", "panes", "parts"] {
        let (mut stage, mut panel) = open(which);
        if which == "kinds" {
            // The list that a combo box has open is one of its own.
            panel.tell("drop");
        }
        assert_eq!(stage.otherwise_alone(), Vec::<String>::new(), "{which}");
        stage.choose("Panel");
        if which == "kinds" {
            panel.tell("idle");
        }
        assert_eq!(stage.otherwise_alone(), Vec::<String>::new(), "beside {which}");
    }
}
