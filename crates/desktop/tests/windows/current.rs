//! What input goes to on Windows, and what is told of it: `cargo xtask test --windows` runs it. Neither a window that is gone nor
//! a refusal hands it over to another one, and what it came to instead is said.

use crate::stage::{self, Stage, click, code};
use handeye_engine::{Action, ClickBy, Expectation};
use handeye_scene::{Button, Chord, Code, Delivery, Gesture, Modifiers, MouseStep, Point, Verdict, Withheld};

fn typing(text: &str) -> Gesture {
    Gesture::Type { text: text.into(), pace_ms: 0 }
}

#[track_caller]
fn withheld(delivery: Delivery) -> Withheld {
    match delivery {
        Delivery::Withheld(withheld) => withheld,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_goes_to_another_window_when_the_current_one_is_gone() {
    let mut stage = Stage::open_win32();
    let other = stage.panel("Other");
    let note = stage.number("textbox", "Name");
    let doomed = stage.panel("Doomed");
    assert_eq!(stage.current().unwrap(), "Doomed");
    drop(doomed);
    assert!(stage.eventually_gone("Doomed"));
    for _ in 0..2 {
        for gesture in
            [typing("SECRET"), Gesture::Keys(vec![Chord { modifiers: Modifiers::default(), key: "a".into() }])]
        {
            assert_eq!(code(stage.try_perform(&gesture)), Code::Lost);
        }
        assert_eq!(code(stage.targets()), Code::Lost);
        assert_eq!(code(stage.current()), Code::Lost);
    }
    assert!(!other.log().contains("name"), "{}", other.log());
    let said = stage.leave_lost().unwrap();
    assert!(matches!(&said[..], [one] if one.contains(" is closed: this is another one, \"Other")), "{said:?}");
    assert_eq!(stage.leave_lost().unwrap(), Vec::<String>::new(), "it is said once");
    // A number of a window turns to it.
    stage.done(note, Action::Type { text: "a".into(), pace_ms: 0 });
    other.logs("name a");
    stage.perform(&typing("b"));
    other.logs("name ab");
}

#[test]
fn what_is_refused_leaves_the_current_window() {
    let mut stage = Stage::open_win32();
    let rows = stage.panel("Rows");
    let go = stage.number("button", "Approve");
    let order = stage.panel("Order");
    let name = stage.number("textbox", "Name");
    stage.act(name, Action::Focus).unwrap();
    let refused = stage.refused(|s| s.act_if(go, Expectation::Text("Nope".into()), click(ClickBy::Best)).unwrap());
    assert_eq!(refused.verdict, Verdict::Contradicted, "{refused:?}");
    assert_eq!(stage.current().unwrap(), "Order");
    stage.perform(&typing("zz"));
    order.logs("name zz");
    assert!(!rows.log().contains("name") && !rows.log().contains("clicked"), "{}", rows.log());
    // What is done makes its window the current one.
    stage.click(go, ClickBy::Best).unwrap();
    rows.logs("clicked Approve");
    assert_eq!(stage.current().unwrap(), "Rows");
}

#[test]
fn keys_go_to_the_current_window_and_not_to_another_one_of_its_program() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    let typed = |what: &str| panel.log().lines().filter(|l| *l == format!("Panel second: char {what}")).count();
    stage.activate("Panel second").unwrap();
    stage.choose("Panel");
    stage.perform(&typing("q"));
    assert!(stage.window("Panel").focused);
    stage.activate("Panel").unwrap();
    stage.choose("Panel second");
    stage.perform(&typing("w"));
    assert!(stage::eventually(|| typed("77") == 1), "{}", panel.log());
    assert_eq!(typed("71"), 0, "{}", panel.log());
}

#[test]
fn where_pointer_and_keys_came_to_be_is_told() {
    let mut stage = Stage::open_win32();
    let _panel = stage.panel("Panel");
    let mut mouse = |to: Point| stage.perform(&Gesture::Mouse(MouseStep::Move(to), Modifiers::default()));
    let detail = withheld(mouse(Point::new(99999.0, 5.0))).detail.unwrap();
    assert!(detail.starts_with("the pointer is at ") && detail.ends_with(",5, not at 99999,5"), "{detail}");
    assert!(matches!(mouse(Point::new(40.4, 50.0)), Delivery::Delivered { .. }));
    let shift = Chord { modifiers: Modifiers::default(), key: "Shift".into() };
    let detail = withheld(stage.perform(&Gesture::KeyUp(shift.clone()))).detail;
    assert_eq!(detail.as_deref(), Some("it wasn't down"));
    assert!(matches!(stage.perform(&Gesture::KeyDown(shift.clone())), Delivery::Delivered { .. }));
    assert!(matches!(stage.perform(&Gesture::KeyUp(shift)), Delivery::Delivered { .. }));
    let none = Chord { modifiers: Modifiers::default(), key: "中".into() };
    assert_eq!(code(stage.try_perform(&Gesture::KeyDown(none))), Code::Unsupported);
}

#[test]
fn a_drag_onto_what_is_covered_meanwhile_is_taken_back() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    let (from, to) = (stage.number("option", "row 1"), stage.number("option", "row 4"));
    let middle = |stage: &mut Stage, of| stage.probe(of).unwrap().rect.center();
    let ends = [middle(&mut stage, from), middle(&mut stage, to)];
    let way = Gesture::Drag {
        from: ends[0],
        to: ends[1],
        button: Button::Left,
        duration_ms: 1500,
        modifiers: Modifiers::default(),
    };
    assert!(matches!(stage.drop_on(from, to, &way), Delivery::Delivered { .. }));
    panel.tell("pressed cover");
    let stopped = withheld(stage.drop_on(from, to, &way));
    assert_eq!(stopped.detail.as_deref(), Some("it was let go where it was taken"), "{stopped:?}");
    assert!(stopped.partial, "{stopped:?}");
    // What lies there to begin with lets nothing be taken.
    let stopped = withheld(stage.drop_on(from, to, &way));
    assert!(stopped.actual.is_some_and(|a| a.name == "Cover") && !stopped.partial);
    panel.tell("uncover");
}

/// A press at a place, of every kind that a pointer has.
fn presses(at: Point, to: Point) -> Vec<Gesture> {
    let modifiers = Modifiers::default();
    let click = |button, count| Gesture::Click { at, button, count, modifiers };
    let drag = |from, to| Gesture::Drag { from, to, button: Button::Left, duration_ms: 160, modifiers };
    let mouse = |step| Gesture::Mouse(step, modifiers);
    vec![
        click(Button::Left, 1),
        click(Button::Left, 2),
        click(Button::Right, 1),
        drag(at, to),
        drag(to, at),
        mouse(MouseStep::Down(Button::Left)),
        mouse(MouseStep::Wheel { dx: 0.0, dy: 60.0 }),
    ]
}

#[test]
fn places_of_a_named_window_are_its_own_or_nobodys() {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    let mut other = stage.panel("Other");
    other.tell("move 200 120");
    stage.activate("Panel").unwrap();
    let rect = stage.window("Panel").rect;
    let at = Point::new(rect.x + 440.0, rect.y + 330.0);
    stage.hold_to("Panel", Some(at)).unwrap();
    stage.try_perform(&presses(at, at)[0]).unwrap();
    assert!(stage::eventually(|| panel.log().contains("Panel: left")), "{}", panel.log());
    // Beside it there is nothing of it, and where another window lies on it neither.
    let beside = Point::new(rect.x + rect.width + 100.0, rect.y + rect.height + 100.0);
    assert_eq!(code(stage.hold_to("Panel", Some(beside))), Code::Blocked);
    stage.activate("Other").unwrap();
    assert_eq!(code(stage.hold_to("Panel", Some(at))), Code::Blocked);
    stage.activate("Panel").unwrap();
    // Something comes to lie on it after that was looked at.
    for gesture in presses(at, Point::new(at.x, at.y + 10.0)) {
        panel.tell("uncover");
        stage.hold_to("Panel", Some(at)).unwrap();
        stage.try_perform(&Gesture::Mouse(MouseStep::Move(at), Modifiers::default())).unwrap();
        stage.hold_to("Panel", None).unwrap();
        panel.tell("cover");
        let stopped = withheld(stage.try_perform(&gesture).unwrap());
        assert_eq!((stopped.reason.as_str(), stopped.partial), ("miss", false), "{gesture:?}");
        assert!(stopped.actual.is_some_and(|a| a.name == "Cover"), "{gesture:?}");
    }
    panel.tell("uncover");
    // While something is dragged: it is let go where it was taken.
    let to = Point::new(at.x, at.y + 10.0);
    stage.hold_to("Panel", Some(at)).unwrap();
    panel.tell("pressed cover");
    let way = Gesture::Drag { from: at, to, button: Button::Left, duration_ms: 1600, modifiers: Modifiers::default() };
    assert!(withheld(stage.try_perform(&way).unwrap()).partial);
    let pressed = ["Cover: left", "Cover: right", "Cover: wheel"];
    assert!(!pressed.iter().any(|line| panel.log().contains(line)), "{}", panel.log());
    assert!(!other.log().contains(": left"), "{}", other.log());
}

#[test]
fn what_belongs_to_a_named_window_is_of_it() {
    let mut stage = Stage::open_win32();
    let panel = stage.panel("Panel");
    let ask = stage.number("button", "Ask...");
    stage.act(ask, click(ClickBy::Pointer)).unwrap();
    panel.logs("asked");
    let yes = stage.number("button", "Yes");
    let at = stage.probe(yes).unwrap().rect.center();
    stage.hold_to("Panel", Some(at)).unwrap();
    stage.perform(&presses(at, at)[0]);
    panel.logs("answer 6");
    // The list that it has open belongs to it, and to no other window of its program.
    stage.choose("Panel");
    let size = stage.number("combobox", "Size");
    stage.act(size, click(ClickBy::Pointer)).unwrap();
    let medium = stage.number("option", "Medium");
    let at = stage.probe(medium).unwrap().rect.center();
    assert_eq!(code(stage.hold_to("Panel second", Some(at))), Code::Blocked);
    stage.hold_to("Panel", Some(at)).unwrap();
    stage.perform(&presses(at, at)[0]);
    panel.logs("size 1");
}
