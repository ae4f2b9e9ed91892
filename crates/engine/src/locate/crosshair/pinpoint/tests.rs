//! Tests of the search for a region.

use super::super::reply::Side;
use super::*;

const SIZE: (f64, f64) = (1280.0, 800.0);

fn said(rect: &Rect, (x, y): (f64, f64)) -> Reply {
    let side = |start: f64, end: f64, line: f64| match () {
        () if end <= line => Side::Before,
        () if start >= line => Side::After,
        () => Side::Crosses,
    };
    Reply::Sides { x: Some(side(rect.x, rect.x + rect.width, x)), y: Some(side(rect.y, rect.y + rect.height, y)) }
}

fn begun(error: f64) -> Pinpoint {
    let closely = Closely { size: SIZE, precision: 100.0, longest: 1568.0 };
    Pinpoint::new(closely, Settings { max_steps: 30, error, ..Settings::default() })
}

/// What is true of what is at `rect`, and that it is what is marked.
fn truth(rect: &Rect, ask: &Ask) -> Reply {
    match ask {
        Ask::Crosshair { x, y, cut: None } => said(rect, (*x, *y)),
        Ask::Crosshair { x, y, cut: Some(cut) } => {
            let at = cut.in_picture(&Rect::new(*x, *y, 0.0, 0.0));
            said(rect, (at.x, at.y))
        }
        Ask::Mark(_) => Reply::Mark(0),
    }
}

/// Answers truly about what is at `rect`, and that it is what is marked, but where `lie` says otherwise.
fn run(rect: Rect, lie: impl Fn(usize, &Ask) -> Option<Reply>) -> (Pinpointed, Vec<(Ask, Reply)>) {
    run_as(rect, 0.02, lie)
}

/// The same of a judge who errs with this rate.
fn run_as(rect: Rect, error: f64, lie: impl Fn(usize, &Ask) -> Option<Reply>) -> (Pinpointed, Vec<(Ask, Reply)>) {
    let mut pinpoint = begun(error);
    let mut asked = Vec::new();
    loop {
        let ask = match pinpoint.ask() {
            Ok(ask) => ask,
            Err(ended) => return (ended, asked),
        };
        let reply = lie(asked.len(), &ask).unwrap_or(truth(&rect, &ask));
        pinpoint.learn(&ask, reply);
        asked.push((ask, reply));
    }
}

fn is_on(rect: &Rect, region: &Rect) -> bool {
    let middle = region.center();
    rect.intersects(&Rect::new(middle.x, middle.y, 0.01, 0.01))
}

#[test]
fn who_says_that_every_line_crosses_finds_nothing() {
    let (ended, asked) = run(Rect::new(0.0, 0.0, 1.0, 1.0), |_, ask| {
        Some(match ask {
            Ask::Crosshair { .. } => Reply::Sides { x: Some(Side::Crosses), y: Some(Side::Crosses) },
            Ask::Mark(_) => Reply::Mark(0),
        })
    });
    assert_eq!(ended.reason, Reason::Undecided, "{ended:?} after {}", asked.len());
}

const RECTS: [Rect; 7] = [
    Rect::new(300.0, 200.0, 7.0, 7.0),
    Rect::new(1258.0, 781.0, 18.0, 9.0),
    Rect::new(3.0, 400.0, 12.0, 20.0),
    Rect::new(640.0, 90.0, 220.0, 6.0),
    Rect::new(77.0, 300.0, 5.0, 200.0),
    Rect::new(900.0, 600.0, 120.0, 32.0),
    Rect::new(100.0, 100.0, 900.0, 500.0),
];

#[test]
fn the_middle_of_what_is_found_was_said_to_be_on_it_and_is() {
    let both = Reply::Sides { x: Some(Side::Crosses), y: Some(Side::Crosses) };
    for rect in RECTS {
        let (ended, asked) = run(rect, |_, _| None);
        assert_eq!(ended.reason, Reason::Found, "{rect:?}: {asked:#?}");
        assert!(is_on(&rect, &ended.region.unwrap()), "{rect:?}: {ended:?}");
        assert!(asked.len() <= 18, "{rect:?}: {}", asked.len());
        assert!(matches!(asked.last(), Some((Ask::Mark(_), _))), "{rect:?}");
        let is_cut = asked.iter().any(|(ask, _)| matches!(ask, Ask::Crosshair { cut: Some(_), .. }));
        assert!(is_cut || rect.width.min(rect.height) >= 20.0, "{rect:?} is thin");
        assert!(is_cut || asked.iter().any(|(_, reply)| *reply == both), "{rect:?}: {asked:#?}");
    }
}

#[test]
fn wrong_answers_do_not_move_the_middle_off_it() {
    let (mut found, mut all) = (0, 0);
    for rect in RECTS.into_iter().step_by(2) {
        for at in [0, 2, 5] {
            let wrong = Reply::Sides { x: Some(Side::After), y: Some(Side::Before) };
            let lie = |n: usize, ask: &Ask| (n == at && matches!(ask, Ask::Crosshair { .. })).then_some(wrong);
            let (ended, asked) = run(rect, lie);
            assert!(ended.region.is_none_or(|region| is_on(&rect, &region)), "{rect:?}, wrong at {at}: {ended:?}");
            assert!(ended.region.is_none_or(|region| is_marked(&asked, &region)), "{ended:?} {asked:#?}");
            (found, all) = (found + usize::from(ended.region.is_some()), all + 1);
        }
    }
    assert!(found * 4 >= all * 3, "{found} of {all} are found");
}

/// Whether the box of a region was picked.
fn is_marked(asked: &[(Ask, Reply)], region: &Rect) -> bool {
    asked.contains(&(Ask::Mark(boxes::clipped(&boxes::own(region), SIZE)), Reply::Mark(0)))
}

#[test]
fn what_a_cut_out_does_not_show_is_searched_for_in_the_whole_again() {
    let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
    let lie = |_: usize, ask: &Ask| matches!(ask, Ask::Crosshair { cut: Some(_), .. }).then_some(unseen);
    let mut found = 0;
    for rect in &RECTS[..5] {
        let (ended, asked) = run(*rect, lie);
        assert_ne!(ended.reason, Reason::NotFound, "{rect:?}");
        let is_cut = |ask: &Ask| matches!(ask, Ask::Crosshair { cut: Some(_), .. });
        let last_cut = asked.iter().rposition(|(ask, _)| is_cut(ask)).unwrap();
        assert!(asked[last_cut + 1..].iter().any(|(ask, _)| matches!(ask, Ask::Crosshair { cut: None, .. })));
        assert!(ended.region.is_none_or(|region| is_on(rect, &region)), "{rect:?}: {ended:?}");
        found += usize::from(ended.region.is_some());
    }
    assert!(found >= 3, "{found} of 5 are found");
}

#[test]
fn no_box_is_shown_twice_and_where_none_is_left_it_is_undecided() {
    // Of a judge that errs often one answer isn't enough.
    let (ended, asked) = run_as(RECTS[5], 0.2, |_, _| None);
    assert!(ended.reason == Reason::Found && boxes_of(&asked).len() > 1, "{ended:?} {asked:?}");
    // Yes and no by turns, or no to one of them: what was said can't be outvoted by asking for it anew.
    for turn in 0..3 {
        let lie = |n: usize, ask: &Ask| {
            let said = if n % 3 == turn { Reply::NoMark } else { Reply::Mark(0) };
            matches!(ask, Ask::Mark(_)).then_some(said)
        };
        let (_, asked) = run_as(RECTS[5], 0.2, lie);
        let shown = boxes_of(&asked);
        let is_again = |at: usize| shown[..at].iter().any(|before| boxes::is_like(before, &shown[at]));
        assert!(!(0..shown.len()).any(is_again), "{shown:?}");
    }
    // Three boxes are all there is, whatever is asked for.
    let mut endless = begun(0.2);
    endless.settings.confidence = 1.0;
    let ended = loop {
        match endless.ask() {
            Ok(ask) => endless.learn(&ask, truth(&RECTS[5], &ask)),
            Err(ended) => break ended,
        }
    };
    assert_eq!((ended.reason, endless.edges().said().len()), (Reason::Undecided, 3));
    assert!(endless.asked < 30, "{}", endless.asked);
}

#[test]
fn a_region_is_not_picked_by_a_part_of_it() {
    // Of a judge that hardly errs one answer would be enough.
    for (rect, error) in [(RECTS[5], 0.001), (RECTS[6], 0.001), (RECTS[5], 0.02)] {
        let is_part = |area: &Rect| area.width < rect.width * 0.8;
        let lie = |_: usize, ask: &Ask| match ask {
            Ask::Mark(area) if !is_part(area) => Some(Reply::NoMark),
            _ => None,
        };
        let (ended, asked) = run_as(rect, error, lie);
        assert_eq!((ended.reason, ended.region), (Reason::Undecided, None), "{rect:?} {error}: {asked:?}");
        let asked_of_a_part = boxes_of(&asked).iter().any(is_part);
        assert!(asked_of_a_part || error > 0.01, "{rect:?} {error}: {asked:?}");
    }
}

fn boxes_of(asked: &[(Ask, Reply)]) -> Vec<Rect> {
    let area = |(ask, _): &(Ask, Reply)| match ask {
        Ask::Mark(area) => Some(*area),
        Ask::Crosshair { .. } => None,
    };
    asked.iter().filter_map(area).collect()
}

/// Goes on until a box is asked about, of what is thin: in a cut-out.
fn at_its_box(rect: Rect) -> (Pinpoint, Rect) {
    let mut pinpoint = begun(0.1);
    loop {
        match pinpoint.ask().unwrap() {
            Ask::Mark(area) => return (pinpoint, area),
            ask => pinpoint.learn(&ask, truth(&rect, &ask)),
        }
    }
}

#[test]
fn what_was_said_in_a_cut_out_stays_known_where_it_is_given_up() {
    let (mut pinpoint, area) = at_its_box(RECTS[0]);
    let cut = pinpoint.cut();
    assert!(cut.is_some());
    pinpoint.learn(&Ask::Mark(area), Reply::Mark(0));
    let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
    while pinpoint.edges().unseen() < 0.99 {
        let at = pinpoint.asked() as f64 * 20.0;
        pinpoint.learn(&Ask::Crosshair { x: at, y: at, cut }, unseen);
    }
    assert!(pinpoint.ask().is_ok() && pinpoint.cut().is_none());
    assert_eq!((pinpoint.picked, pinpoint.whole.said().len()), (None, 1));
}

#[test]
fn a_region_that_was_not_marked_is_not_returned_for_one_that_was() {
    let rect = RECTS[5];
    let (mut pinpoint, area) = at_its_box(rect);
    let marked = pinpoint.region();
    pinpoint.learn(&Ask::Mark(area), Reply::Mark(0));
    assert_eq!(pinpoint.region(), marked, "what is said of a box moves no edge");
    // Lines tell of another place by then.
    let other = Rect::new(rect.x - 30.0, rect.y, 50.0, rect.height);
    let cut = pinpoint.cut().unwrap();
    for x in (0..24).map(|i| 860.0 + f64::from(i) * 6.0) {
        let (x, y) = ((x - cut.rect.x) * cut.zoom, (616.0 - cut.rect.y) * cut.zoom);
        let ask = Ask::Crosshair { x, y, cut: Some(cut) };
        pinpoint.learn(&ask, truth(&other, &ask));
    }
    pinpoint.settings.max_steps = 60;
    assert!(!boxes::is_like(&pinpoint.region(), &marked), "{:?}", pinpoint.region());
    while let Ok(ask) = pinpoint.ask() {
        if let Ask::Mark(area) = ask {
            assert!(!boxes::is_like(&area, &boxes::own(&marked)), "{area:?} was shown");
            assert!(boxes::is_like(&area, &boxes::own(&pinpoint.region())), "{area:?}");
            return;
        }
        pinpoint.learn(&ask, truth(&other, &ask));
    }
    panic!("ended without a box around the other place");
}

#[test]
fn what_may_be_in_another_part_is_sooner_not_seen_in_this_one() {
    let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
    let asked = |later: usize| {
        let mut pinpoint = begun(0.1).among(later);
        let first = pinpoint.edges().unseen();
        while let Ok(ask) = pinpoint.ask() {
            pinpoint.learn(&ask, unseen);
        }
        (first, pinpoint.asked())
    };
    let (alone, one_of_two, one_of_many) = (asked(0), asked(1), asked(23));
    assert!((alone.0 - 0.05).abs() < 1e-9 && (one_of_two.0 - 0.5).abs() < 1e-9, "{alone:?} {one_of_two:?}");
    assert!((one_of_many.0 - 0.6).abs() < 1e-9, "{one_of_many:?}");
    assert!(one_of_two.1 < alone.1 && one_of_many.1 <= one_of_two.1, "{alone:?} {one_of_two:?} {one_of_many:?}");
}

#[test]
fn what_is_no_mark_or_unseen_is_not_returned() {
    let (ended, _) = run(RECTS[5], |_, ask| matches!(ask, Ask::Mark(_)).then_some(Reply::NoMark));
    assert_eq!((ended.reason, ended.region), (Reason::Undecided, None));
    let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
    let (ended, asked) = run(RECTS[5], |_, _| Some(unseen));
    assert_eq!((ended.reason, ended.region), (Reason::NotFound, None));
    assert!(ended.confidence >= 0.99 && asked.len() <= 4, "{ended:?} {}", asked.len());
    let (ended, asked) = run(RECTS[5], |_, _| Some(Reply::Garbled));
    assert_eq!((ended.reason, asked.len()), (Reason::Undecided, 30));
}
