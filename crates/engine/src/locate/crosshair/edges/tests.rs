//! Tests of the search for four edges.

use super::*;

fn run(rect: Rect, lie: impl Fn(usize) -> Option<Reply>) -> Edges {
    let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
    while let Some((x, y)) = edges.next() {
        if edges.asked() >= 15 {
            break;
        }
        let side = |start: f64, end: f64, line: f64| match () {
            () if end <= line => Side::Before,
            () if start >= line => Side::After,
            () => Side::Crosses,
        };
        let truth = Reply::Sides {
            x: Some(side(rect.x, rect.x + rect.width, x)),
            y: Some(side(rect.y, rect.y + rect.height, y)),
        };
        edges.learn((x, y), lie(edges.asked()).unwrap_or(truth));
    }
    edges
}

#[test]
fn four_edges_are_found_within_the_precision() {
    for rect in [
        Rect::new(900.0, 600.0, 120.0, 32.0),
        Rect::new(10.0, 10.0, 40.0, 20.0),
        Rect::new(0.0, 300.0, 1280.0, 200.0),
        Rect::new(1250.0, 780.0, 24.0, 16.0),
    ] {
        let edges = run(rect, |_| None);
        assert!(edges.next().is_none() && edges.asked() <= 12, "{rect:?}: {}", edges.asked());
        let truth = [rect.x, rect.x + rect.width, rect.y, rect.y + rect.height];
        for ((from, to), edge) in edges.intervals().into_iter().zip(truth) {
            assert!(from - 1.0 <= edge && edge <= to + 1.0 && to - from <= 100.0, "{rect:?}: {from} {edge} {to}");
        }
    }
}

#[test]
fn one_wrong_answer_is_outvoted() {
    let rect = Rect::new(900.0, 600.0, 120.0, 32.0);
    let wrong = Reply::Sides { x: Some(Side::Before), y: Some(Side::Before) };
    let edges = run(rect, |n| (n == 0).then_some(wrong));
    assert!(edges.next().is_none() && rect.intersects(&edges.region()), "{:?}", edges.region());
    for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        assert!(Edges::new(odd, odd, 1.0, odd).next().is_none_or(|(x, y)| x.is_finite() && y.is_finite()));
    }
}

#[test]
fn the_middle_is_where_most_answers_agree_that_it_is_on_it() {
    let mut edges = Edges::held(832.0, 592.0, (96.0, 0.9), 0.05);
    // It reaches from 336 to 388; of 299 it was said wrongly that it crosses it.
    let said = [(338.0, Side::Crosses), (364.0, Side::Crosses), (390.0, Side::Before), (377.0, Side::Crosses)];
    for (x, said) in said.into_iter().chain([(299.0, Side::Crosses), (286.0, Side::After)]) {
        edges.learn((x, 300.0), Reply::Sides { x: Some(said), y: None });
    }
    assert!((336.0..388.0).contains(&edges.x.middle()), "{}", edges.x.middle());
}

#[test]
fn what_is_sure_is_so_of_a_careless_judge_as_far_as_the_judge_may_be_one() {
    let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
    let (by_rate, least) = ([1.0, 0.95, 0.5], 0.5);
    let worst = |edges: &Edges| at_worst(&edges.boxed(&edges.in_picture()), &by_rate);
    assert!((worst(&edges) - least).abs() < 1e-9, "nothing was answered yet");
    // Answers that agree with each other tell of a careful one.
    let rect = Rect::new(300.0, 200.0, 120.0, 60.0);
    let side = |start: f64, end: f64, line: f64| match () {
        () if end <= line => Side::Before,
        () if start >= line => Side::After,
        () => Side::Crosses,
    };
    for (x, y) in [(640.0, 400.0), (320.0, 220.0), (360.0, 230.0), (200.0, 100.0), (340.0, 240.0), (480.0, 300.0)] {
        let (x_said, y_said) = (side(rect.x, rect.x + rect.width, x), side(rect.y, rect.y + rect.height, y));
        edges.learn((x, y), Reply::Sides { x: Some(x_said), y: Some(y_said) });
    }
    assert!(worst(&edges) > 0.9, "{:?}", edges.by_rate);
    // A denial of what is all but certain tells of a careless one again.
    let before = edges.error();
    edges.learn_box(Said { area: boxes::own(&edges.in_picture()), is_it: false, loose: 0.0 });
    assert!(edges.error() > before, "{before} {}", edges.error());
}

#[test]
fn what_is_said_of_a_box_counts_for_another_as_far_as_both_hold_the_same() {
    let rect = Rect::new(300.0, 200.0, 120.0, 60.0);
    let edges = run(rect, |_| None);
    let (region, own) = (edges.in_picture(), boxes::own(&edges.in_picture()));
    let after = |said: &[(Rect, bool)]| {
        let mut edges = edges.clone();
        said.iter().for_each(|(area, is_it)| edges.learn_box(Said { area: *area, is_it: *is_it, loose: 0.0 }));
        edges.is_it(&region)
    };
    let far = Rect::new(900.0, 500.0, 100.0, 80.0);
    let around = Rect::new(own.x - 30.0, own.y - 30.0, own.width + 60.0, own.height + 60.0);
    assert!(after(&[(own, true)]) > after(&[]) + 0.05, "{} {}", after(&[]), after(&[(own, true)]));
    assert!(after(&[(far, true)]) <= after(&[]) + 1e-6, "{} {}", after(&[]), after(&[(far, true)]));
    assert!(after(&[(own, true), (around, true)]) > after(&[(own, true)]));
    assert!(after(&[(own, true), (around, false)]) < after(&[(own, true)]));
    assert!(after(&[(own, false), (around, false)]) < after(&[(own, false)]));
}

#[test]
fn what_a_closer_look_told_of_the_judge_stays_known() {
    let mut whole = run(Rect::new(300.0, 200.0, 12.0, 8.0), |_| None);
    let cut = Rect::new(250.0, 150.0, 120.0, 120.0);
    let mut closer = whole.closer(cut, 4.0, (20.0, 20.0));
    for (at, said) in [(100.0, Side::Before), (60.0, Side::After), (140.0, Side::Before), (30.0, Side::Unseen)] {
        closer.learn((at, at), Reply::Sides { x: Some(said), y: Some(said) });
    }
    closer.learn_box(Said { area: Rect::new(290.0, 190.0, 30.0, 30.0), is_it: true, loose: 0.0 });
    let shares = |edges: &Edges| edges.by_rate.iter().map(|rate| rate.share).collect::<Vec<f64>>();
    let before = shares(&whole);
    whole.resume(&closer, cut);
    assert!(shares(&whole).iter().zip(shares(&closer)).all(|(a, b)| (a - b).abs() < 1e-6), "{before:?}");
    assert!((shares(&whole)[2] - before[2]).abs() > 0.01, "{before:?} {:?}", shares(&whole));
    assert_eq!(whole.said(), closer.said());
}

#[test]
fn what_a_closer_look_did_not_show_is_not_sure_to_be_there() {
    let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
    let mut whole = run(Rect::new(300.0, 200.0, 60.0, 40.0), |_| None);
    let (region, far) = (whole.in_picture(), Rect::new(900.0, 500.0, 60.0, 40.0));
    let picked = |edges: &Edges| {
        let mut edges = edges.clone();
        for larger in [0.0, 30.0] {
            let own = boxes::own(&region);
            let area = Rect::new(own.x - larger, own.y - larger, own.width + 2.0 * larger, own.height + 2.0 * larger);
            edges.learn_box(Said { area, is_it: true, loose: 0.0 });
        }
        edges.confidence(&region)
    };
    let (sure, is_far, seen) = (picked(&whole), whole.is_it(&far), whole.unseen());
    let cut = Rect::new(250.0, 150.0, 160.0, 160.0);
    let mut closer = whole.closer(cut, 4.0, (20.0, 20.0));
    for at in [40.0, 160.0, 280.0, 400.0, 520.0] {
        closer.learn((at, at), unseen);
    }
    assert!(sure >= 0.97 && closer.unseen() >= 0.99, "{sure} {}", closer.unseen());
    whole.resume(&closer, cut);
    assert!(picked(&whole) < 0.8, "{}", picked(&whole));
    // It is elsewhere then, or not seen.
    assert!(whole.is_it(&far) > is_far && whole.unseen() > seen, "{} {is_far}", whole.is_it(&far));
}

#[test]
fn what_the_middle_is_on_is_met_whatever_was_said() {
    let both = |said: Side| Reply::Sides { x: Some(said), y: Some(said) };
    for turn in 0..64_usize {
        let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.1);
        for question in 0..12 {
            let Some(line) = edges.next() else { break };
            edges.learn(line, both(Side::ALL[(turn >> (question % 6)) % 3]));
            assert!(edges.meets() >= edges.on_it() - 1e-9, "{turn}: {} {}", edges.meets(), edges.on_it());
        }
    }
}

#[test]
fn that_it_is_not_seen_is_believed_as_far_as_it_is_said() {
    let both = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
    let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
    assert!(edges.unseen() < 0.1);
    let mut probable = Vec::new();
    for _ in 0..4 {
        let line = edges.next().unwrap();
        edges.learn(line, both);
        probable.push(edges.unseen());
    }
    // Once it may be a slip; it takes more to be sure, and then it is surer than a judge's rate of errors.
    assert!(probable[0] < 0.9 && probable[2] > 0.99 && probable[3] > 0.999, "{probable:?}");
    assert!(probable.windows(2).all(|pair| pair[0] < pair[1]), "{probable:?}");
    // Answers about a place speak against it.
    for said in [Side::Before, Side::After, Side::Before, Side::Crosses] {
        let line = edges.next().unwrap();
        edges.learn(line, Reply::Sides { x: Some(said), y: Some(said) });
    }
    assert!(edges.unseen() < 0.1, "{}", edges.unseen());
}

#[test]
fn the_same_line_counts_once() {
    let both = |said: Side| Reply::Sides { x: Some(said), y: Some(said) };
    let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
    edges.learn((640.0, 400.0), both(Side::After));
    let of = |edges: &Edges| (edges.intervals(), edges.unseen(), edges.error());
    let before = of(&edges);
    edges.learn((640.5, 399.5), both(Side::After));
    edges.learn((640.5, 399.5), both(Side::Unseen));
    assert_eq!(of(&edges), before);
    edges.learn((660.0, 400.0), both(Side::After));
    assert_ne!(of(&edges), before);
}

#[test]
fn of_two_lines_the_one_that_was_answered_counts() {
    for other in [Some(Side::Unseen), None] {
        let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
        let (x, y) = edges.next().unwrap();
        edges.learn((x, y), Reply::Sides { x: other, y: Some(Side::After) });
        assert!(edges.y.truth(y)[Side::After.index()] > 0.9, "{other:?}");
        assert!(edges.next().unwrap().1 > y, "{other:?}");
    }
}

#[test]
fn a_line_that_told_nothing_is_not_drawn_again() {
    for nothing in [
        Reply::Garbled,
        Reply::Sides { x: None, y: None },
        Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) },
    ] {
        let mut edges = Edges::new(1280.0, 800.0, 100.0, 0.05);
        let mut drawn: Vec<(f64, f64)> = Vec::new();
        for _ in 0..10 {
            let (x, y) = edges.next().unwrap();
            let is_near = |at: &(f64, f64)| (at.0 - x).abs() < 40.0 || (at.1 - y).abs() < 25.0;
            assert!(!drawn.iter().any(is_near), "{nothing:?}: {drawn:?} {x} {y}");
            drawn.push((x, y));
            edges.learn((x, y), nothing);
        }
    }
}
