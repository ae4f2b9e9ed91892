//! Tests of the search among candidates.

use super::*;
use handeye_testkit::Dice;

fn grid() -> Vec<Rect> {
    let place = |i: i32| Rect::new(f64::from(i % 6) * 200.0, f64::from(i / 6) * 90.0, 120.0, 32.0);
    (0..48).map(place).collect()
}

/// Answers truly about what is at `rect`, and about marks that it is this candidate, but where `lie` says otherwise.
fn ask(
    mut search: Search,
    (rect, target): (Rect, Option<usize>),
    lie: impl Fn(usize, &Question) -> Option<Reply>,
) -> (Search, Found, Vec<Question>) {
    let mut asked = Vec::new();
    loop {
        let question = match search.next() {
            Ok(question) => question,
            Err(found) => return (search, found, asked),
        };
        let side = |start: f64, end: f64, line: f64| match () {
            () if end <= line => Side::Before,
            () if start >= line => Side::After,
            () => Side::Crosses,
        };
        let truth = match &question {
            Question::Crosshair { x, y } => Reply::Sides {
                x: Some(side(rect.x, rect.x + rect.width, *x)),
                y: Some(side(rect.y, rect.y + rect.height, *y)),
            },
            Question::Marks(marked) => {
                let place = marked.candidates.iter().position(|marked| Some(*marked) == target);
                place.map_or(Reply::NoMark, Reply::Mark)
            }
        };
        let reply = lie(search.asked(), &question).unwrap_or(truth);
        search.learn(&question, reply);
        asked.push(question);
    }
}

/// A search of the grid.
fn run(target: usize, lie: impl Fn(usize, &Question) -> Option<Reply>) -> (Search, Found) {
    let rects = grid();
    let rect = rects[target];
    let (search, found, _) = ask(Search::new(rects, Settings::default()), (rect, Some(target)), lie);
    (search, found)
}

fn marks(candidates: &[usize], room: f64) -> Marks {
    Marks { candidates: candidates.to_vec(), room }
}

fn lone() -> Rect {
    Rect::new(200.0, 100.0, 90.0, 30.0)
}

#[test]
fn every_candidate_is_found_in_a_few_questions_and_in_spite_of_a_wrong_answer() {
    for target in (0..48).step_by(5) {
        let (search, found) = run(target, |_, _| None);
        assert_eq!((found.reason, found.candidate), (Reason::Found, Some(target)));
        assert!(search.asked() <= 5, "{target}: {}", search.asked());
        let wrong = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Before) };
        for at in [0, 1] {
            let (search, found) =
                run(target, |n, q| (n == at && matches!(q, Question::Crosshair { .. })).then_some(wrong));
            assert_eq!(found.candidate, Some(target), "wrong at {at}");
            assert!(search.asked() <= 12, "{target}: {}", search.asked());
        }
    }
}

#[test]
fn what_is_not_there_is_not_found_and_never_returned() {
    let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
    let none = |_: usize, q: &Question| Some(if matches!(q, Question::Marks(_)) { Reply::NoMark } else { unseen });
    let (search, found) = run(3, none);
    assert_eq!((found.reason, found.candidate), (Reason::NotFound, None));
    assert!(search.asked() <= 6, "{}", search.asked());
}

#[test]
fn a_lone_candidate_is_nothing_before_it_was_picked() {
    for confidence in [0.5, 0.95, 0.99] {
        let settings = Settings { confidence, ..Settings::default() };
        let search = Search::new(vec![lone()], settings);
        assert!(matches!(search.next(), Ok(Question::Marks(marked)) if marked.candidates == [0]), "{confidence}");
        let (search, found, _) = ask(search.clone(), (lone(), Some(0)), |_, _| None);
        assert_eq!((found.reason, found.candidate, search.asked()), (Reason::Found, Some(0), 2), "{confidence}");
        // Who sees no unicorn doesn't get the button for it.
        let unseen = Reply::Sides { x: Some(Side::Unseen), y: Some(Side::Unseen) };
        let none = |_: usize, q: &Question| matches!(q, Question::Crosshair { .. }).then_some(unseen);
        let (search, found, _) = ask(Search::new(vec![lone()], settings), (lone(), None), none);
        assert_eq!((found.reason, found.candidate), (Reason::NotFound, None), "{confidence}: {search:?}");
        assert!((1..=6).contains(&search.asked()), "{confidence}: {}", search.asked());
    }
    // Lines that agree with it don't suffice, however little is asked for.
    let mut search = Search::new(grid(), Settings { confidence: 0.5, ..Settings::default() });
    for (x, y) in [(160.0, 100.0), (360.0, 170.0), (210.0, 190.0), (320.0, 60.0)] {
        let sides = |line: f64, from: f64, to: f64| match () {
            () if to <= line => Side::Before,
            () if from >= line => Side::After,
            () => Side::Crosses,
        };
        let reply = Reply::Sides { x: Some(sides(x, 200.0, 320.0)), y: Some(sides(y, 90.0, 122.0)) };
        search.learn(&Question::Crosshair { x, y }, reply);
    }
    assert_eq!(search.belief().best().0, Some(7));
    assert!(search.belief().best().1 > 0.5);
    assert!(
        matches!(search.next(), Ok(Question::Marks(marked)) if marked.candidates.contains(&7)),
        "{:?}",
        search.next()
    );
}

#[test]
fn that_it_may_be_no_candidate_is_never_taken_for_less_than_is_measured() {
    let absent = |candidates, elsewhere| Settings::default().among(candidates, elsewhere).absent;
    assert_eq!((absent(50, 0), absent(0, 0), absent(99, 1)), (belief::ABSENT, belief::ABSENT, belief::ABSENT));
    assert!((absent(60, 40) - 0.4).abs() < 1e-9);
    assert_eq!(absent(1, 1_000), MOST_ABSENT);
}

#[test]
fn where_it_may_well_be_elsewhere_nothing_is_said_before_an_answer() {
    let settings = Settings { confidence: 0.5, absent: 0.6, ..Settings::default() };
    assert!(Search::new(vec![lone()], settings).next().is_ok());
}

#[test]
fn what_is_seen_and_is_no_candidate_is_not_found_and_no_crosshair_is_drawn_twice() {
    // Right of a lone button and below it; and between the buttons of a grid.
    let beside = [
        (vec![lone()], Rect::new(700.0, 500.0, 40.0, 20.0)),
        (grid(), Rect::new(530.0, 130.0, 40.0, 30.0)),
        (grid(), Rect::new(334.0, 310.0, 24.0, 24.0)),
        (grid(), Rect::new(1150.0, 600.0, 40.0, 30.0)),
    ];
    for (rects, place) in beside {
        let (search, found, asked) = ask(Search::new(rects, Settings::default()), (place, None), |_, _| None);
        assert_eq!((found.reason, found.candidate), (Reason::NotFound, None), "{place:?}: {asked:?}");
        assert!(search.asked() <= 13, "{place:?}: {}", search.asked());
        let drawn: Vec<&Question> = asked.iter().filter(|q| matches!(q, Question::Crosshair { .. })).collect();
        assert!(drawn.iter().enumerate().all(|(i, q)| !drawn[..i].contains(q)), "{asked:?}");
    }
}

#[test]
fn a_lone_candidate_that_is_denied_is_not_asked_for_again_by_the_same_picture() {
    // Of its first picture the judge says that it isn't that, however often it is shown it; else nothing but the truth.
    let (mut search, mut shown) = (Search::new(vec![lone()], Settings::default()), Vec::new());
    let crosses = Reply::Sides { x: Some(Side::Crosses), y: Some(Side::Crosses) };
    let found = loop {
        let question = match search.next() {
            Ok(question) => question,
            Err(found) => break found,
        };
        let reply = match &question {
            Question::Crosshair { .. } => crosses,
            Question::Marks(marked) => {
                assert!(!shown.contains(&marked.room), "{shown:?}");
                shown.push(marked.room);
                if marked.room > 0.0 { Reply::Mark(0) } else { Reply::NoMark }
            }
        };
        search.learn(&question, reply);
    };
    assert_eq!((found.reason, found.candidate), (Reason::Found, Some(0)), "{shown:?}");
    // Nor is it asked for without an end.
    let mut torn = Search::new(vec![lone()], Settings { max_steps: 100, ..Settings::default() });
    while let Ok(question) = torn.next() {
        torn.learn(&question, if matches!(question, Question::Marks(_)) { Reply::NoMark } else { crosses });
    }
    assert!(torn.marked.rooms(&[0]).len() <= SHOWN && torn.asked() < 100, "{}", torn.asked());
}

/// With how much room these are marked when they are marked again and again.
fn rooms(mut search: Search, marked: &[usize]) -> Vec<f64> {
    let mut rooms = Vec::new();
    while let Some(room) = search.room(marked) {
        search.learn(&Question::Marks(marks(marked, room)), Reply::NoMark);
        rooms.push(room);
    }
    rooms
}

#[test]
fn marks_that_are_shown_again_are_another_picture() {
    let large = Rect::new(200.0, 100.0, 400.0, 300.0);
    let of = |rects: Vec<Rect>, marked: &[usize]| {
        rooms(Search::new(rects, Settings::default()).within((1280.0, 800.0)), marked)
    };
    assert_eq!(of(vec![lone()], &[0]), [0.0, 8.0, 16.0]);
    // A tenth of its height is no other box.
    assert_eq!(of(vec![large], &[0]), [0.0, 32.0]);
    // What is larger than the picture looks the same.
    assert_eq!(of(vec![Rect::new(0.0, 0.0, 1280.0, 800.0)], &[0]), [0.0]);
    assert_eq!(of(vec![Rect::new(0.0, 790.0, 1280.0, 10.0)], &[0]), [0.0, 8.0, 16.0]);
}

#[test]
fn no_larger_box_is_around_the_middle_of_another_candidate() {
    let near = vec![Rect::new(100.0, 100.0, 20.0, 20.0), Rect::new(124.0, 100.0, 20.0, 20.0), lone()];
    let of = |marked: &[usize]| rooms(Search::new(near.clone(), Settings::default()), marked);
    assert_eq!((of(&[0]), of(&[0, 1]), of(&[2])), (vec![0.0, 8.0], vec![0.0, 8.0], vec![0.0, 8.0, 16.0]));
    // Whatever is around another one as it is is marked as it is.
    let nested = vec![Rect::new(100.0, 100.0, 90.0, 30.0), Rect::new(130.0, 105.0, 20.0, 20.0)];
    assert_eq!(rooms(Search::new(nested, Settings::default()), &[0]), [0.0]);
}

#[test]
fn marks_have_the_room_with_which_they_were_shown() {
    let mut search = Search::new(grid(), Settings::default());
    search.learn(&Question::Marks(marks(&[1, 2, 3], 0.0)), Reply::NoMark);
    // The third got no mark.
    assert_eq!(search.room(&[1, 2, 3]), Some(8.0));
    search.learn(&Question::Marks(marks(&[1, 2], 8.0)), Reply::NoMark);
    assert_eq!(search.room(&[1, 2]), Some(0.0));
    search.learn(&Question::Marks(marks(&[1, 2], 0.0)), Reply::NoMark);
    assert_eq!(search.room(&[1, 2]), Some(16.0));
}

#[test]
fn what_contradicts_itself_is_never_found() {
    // "Right of it, below it", whatever is asked, and the mark the first time alone.
    let torn = Reply::Sides { x: Some(Side::After), y: Some(Side::After) };
    for rects in [vec![lone()], grid()] {
        let lie = |at: usize, q: &Question| {
            let mark = if at == 0 { Reply::Mark(0) } else { Reply::NoMark };
            Some(if matches!(q, Question::Marks(_)) { mark } else { torn })
        };
        let (_, found, asked) = ask(Search::new(rects, Settings::default()), (lone(), None), lie);
        assert_eq!(found.candidate, None, "{asked:?}");
    }
}

#[test]
fn a_candidate_that_cannot_be_marked_is_marked_alone_and_is_never_found_unmarked() {
    let mut search = Search::new(grid(), Settings::default());
    search.learn(&Question::Marks(marks(&[1, 2, 3], 0.0)), Reply::Mark(0));
    search.learn(&Question::Marks(marks(&[2, 7], 0.0)), Reply::NoMark);
    assert_eq!(search.belief().best().0, Some(1));
    search.unshown(&[1, 4, 5], &[4, 5]);
    assert_eq!(search.to_mark(), [1]);
    search.unshown(&[1], &[]);
    assert!(!search.to_mark().contains(&1));
    let mut lone = Search::new(vec![lone()], Settings::default());
    lone.unshown(&[0], &[]);
    assert!(matches!(lone.next(), Ok(Question::Crosshair { .. })));
    lone.learn(
        &Question::Crosshair { x: 245.0, y: 115.0 },
        Reply::Sides { x: Some(Side::Crosses), y: Some(Side::Crosses) },
    );
    assert_eq!(lone.next().unwrap_err().reason, Reason::Indistinct);
}

#[test]
fn answers_that_cannot_be_read_end_it_undecided_after_two_questions() {
    for reply in [Reply::Garbled, Reply::Mark(usize::MAX), Reply::Sides { x: None, y: None }] {
        let (search, found) = run(3, |_, _| Some(reply));
        assert_eq!((found.reason, found.candidate), (Reason::Undecided, None), "{reply:?}");
        assert_eq!(search.asked(), UNREAD);
        // One that can be read between them begins the count anew.
        let (_, found) = run(3, |at, _| (at % 2 == 0).then_some(reply));
        assert_eq!((found.reason, found.candidate), (Reason::Found, Some(3)), "{reply:?}");
    }
    let empty = Search::new(Vec::new(), Settings::default());
    let ended = empty.next().unwrap_err();
    assert_eq!((ended.reason, ended.confidence), (Reason::NoCandidates, 0.0), "nobody was asked");
}

/// Who answers at random is right by chance, and agrees with itself by chance: that is found now and then, and no more.
#[test]
fn who_answers_at_random_seldom_finds_anything() {
    let mut dice = Dice::new(7);
    let mut found = 0;
    for _ in 0..200 {
        let rects: Vec<Rect> = grid().into_iter().take(7).collect();
        let mut search = Search::new(rects, Settings::default());
        while let Ok(question) = search.next() {
            let mut side = || [Side::Before, Side::Crosses, Side::After, Side::Unseen][dice.below(4)];
            let reply = match &question {
                Question::Crosshair { .. } => Reply::Sides { x: Some(side()), y: Some(side()) },
                Question::Marks(marked) => Reply::Mark(dice.below(marked.candidates.len())),
            };
            search.learn(&question, reply);
        }
        found += usize::from(search.next().is_err_and(|found| found.reason == Reason::Found));
    }
    assert!(found <= 60, "{found} of 200");
}
