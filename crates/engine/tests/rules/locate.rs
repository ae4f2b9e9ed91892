//! Which answers of a judge suffice to take a candidate for what is sought, and which never do.

use handeye_engine::locate::crosshair::pinpoint::{Ask, Closely};
use handeye_engine::locate::crosshair::search::Reason;
use handeye_engine::locate::crosshair::{Found, Marks, Pinpoint, Question, Reply, Search, Settings, Side};
use handeye_scene::Rect;

/// Candidates in rows of six.
fn grid(count: usize) -> Vec<Rect> {
    let place = |i: usize| Rect::new((i % 6) as f64 * 200.0, (i / 6) as f64 * 90.0, 120.0, 32.0);
    (0..count).map(place).collect()
}

/// What is true of a rect and a crosshair.
fn sides(rect: &Rect, (x, y): (f64, f64)) -> Reply {
    let side = |start: f64, end: f64, line: f64| match () {
        () if end <= line => Side::Before,
        () if start >= line => Side::After,
        () => Side::Crosses,
    };
    Reply::Sides { x: Some(side(rect.x, rect.x + rect.width, x)), y: Some(side(rect.y, rect.y + rect.height, y)) }
}

/// The same answer about both lines.
fn both(side: Side) -> Reply {
    Reply::Sides { x: Some(side), y: Some(side) }
}

/// Every way of being held to little or much.
fn held() -> impl Iterator<Item = Settings> {
    let errors = [0.001, 0.05, 0.2];
    [0.5, 0.6, 0.9, 0.99]
        .into_iter()
        .flat_map(move |confidence| errors.map(|error| Settings { confidence, error, ..Settings::default() }))
}

/// Runs a search to its end; the judge is told the number of each question.
fn run(mut search: Search, judge: impl Fn(usize, &Question) -> Reply) -> (Found, Vec<(Question, Reply)>) {
    let mut asked = Vec::new();
    loop {
        match search.next() {
            Err(ended) => return (ended, asked),
            Ok(question) => {
                let reply = judge(search.asked(), &question);
                search.learn(&question, reply);
                asked.push((question, reply));
            }
        }
    }
}

fn number(marked: &Marks, target: usize) -> Reply {
    marked.candidates.iter().position(|candidate| *candidate == target).map_or(Reply::NoMark, Reply::Mark)
}

#[test]
fn one_answer_that_speaks_for_a_candidate_never_suffices() {
    let half = |said: Side| Reply::Sides { x: Some(said), y: None };
    let (unseen, crosses) = (both(Side::Unseen), both(Side::Crosses));
    let others = [
        ("unreadable", Reply::Garbled),
        ("neither line", Reply::Sides { x: None, y: None }),
        ("one line", half(Side::Crosses)),
        ("not seen", unseen),
        ("not seen of one line", Reply::Sides { x: Some(Side::Crosses), y: Some(Side::Unseen) }),
        ("elsewhere", both(Side::After)),
    ];
    for settings in held() {
        for (name, other) in others {
            for count in [1, 3, 5] {
                // Picked once, and nothing else that could be read speaks for it.
                let judge = |at: usize, question: &Question| match question {
                    Question::Marks(marked) if at == 0 => number(marked, 0),
                    Question::Marks(_) => Reply::Garbled,
                    Question::Crosshair { .. } => other,
                };
                let (found, asked) = run(Search::new(grid(count), settings), judge);
                assert_eq!(found.candidate, None, "{name}, {count}, {settings:?}: {asked:?}");
                let is_unread = matches!(other, Reply::Garbled | Reply::Sides { x: None, y: None });
                assert!(!is_unread || found.reason == Reason::Undecided, "{name}, {count}: {found:?}");
            }
        }
        // With one that does, it does.
        let (found, asked) = run(Search::new(grid(1), settings), |_, question| match question {
            Question::Marks(marked) => number(marked, 0),
            Question::Crosshair { .. } => crosses,
        });
        assert_eq!((found.candidate, asked.len()), (Some(0), 2), "{settings:?}: {asked:?}");
    }
}

#[test]
fn a_denial_after_the_pick_lowers_the_confidence() {
    let judge = |second: Reply| {
        move |at: usize, question: &Question| match question {
            Question::Marks(marked) => number(marked, 0),
            Question::Crosshair { .. } if at == 1 => second,
            Question::Crosshair { .. } => both(Side::Crosses),
        }
    };
    let settings = Settings { confidence: 0.6, ..Settings::default() };
    let search = || Search::new(grid(1), settings);
    let (agreed, few) = run(search(), judge(both(Side::Crosses)));
    let (denied, more) = run(search(), judge(both(Side::Unseen)));
    assert_eq!((agreed.reason, few.len()), (Reason::Found, 2));
    assert!(more.len() > 2 && denied.confidence < agreed.confidence, "{denied:?}: {more:?}");
}

/// A judge who goes by the place of a mark alone: its name, and which of so many is picked.
type Habit = (&'static str, fn(usize) -> usize);
const HABITS: [Habit; 6] = [
    ("the first", |_| 0),
    ("the second", |_| 1),
    ("the third", |_| 2),
    ("the last", |count| count - 1),
    ("the middle, or the one before", |count| (count - 1) / 2),
    ("the middle, or the one after", |count| count / 2),
];

#[test]
fn a_judge_who_says_the_same_number_whatever_is_marked_finds_nothing() {
    let rects = [1, 2, 3, 4, 5, 6, 9, 48].map(grid).into_iter().chain([vec![grid(1)[0]; 4]]);
    for (rects, settings) in rects.flat_map(|rects| held().map(move |settings| (rects.clone(), settings))) {
        for (name, habit) in HABITS {
            // Of what is no mark it says nothing that can be read, or that it sees nothing.
            for line in [Reply::Garbled, both(Side::Unseen)] {
                let judge = |_: usize, question: &Question| match question {
                    Question::Marks(marked) if habit(marked.candidates.len()) < marked.candidates.len() => {
                        Reply::Mark(habit(marked.candidates.len()))
                    }
                    Question::Marks(_) => Reply::Garbled,
                    Question::Crosshair { .. } => line,
                };
                let (found, asked) = run(Search::new(rects.clone(), settings), judge);
                // Of candidates in one place all questions may be used up before the steps are: none is put twice.
                let ends: &[Reason] = &[Reason::Undecided, Reason::NotFound, Reason::Indistinct];
                let is_one_place = rects.iter().all(|rect| *rect == rects[0]);
                let is_open = ends[..if is_one_place { 3 } else { 2 }].contains(&found.reason);
                assert!(
                    is_open && found.candidate.is_none(),
                    "{name}, {}, {settings:?}: {found:?} {asked:?}",
                    rects.len()
                );
            }
        }
    }
}

#[test]
fn who_sees_the_lines_and_always_says_the_same_number_finds_nothing_but_the_truth() {
    for (name, habit) in HABITS {
        for (count, target) in
            [2, 5, 6, 9, 48].into_iter().flat_map(|count| (0..count).map(move |target| (count, target)))
        {
            let rects = grid(count);
            let rect = rects[target];
            let judge = |_: usize, question: &Question| match question {
                Question::Marks(marked) if habit(marked.candidates.len()) < marked.candidates.len() => {
                    Reply::Mark(habit(marked.candidates.len()))
                }
                Question::Marks(_) => Reply::Garbled,
                Question::Crosshair { x, y } => sides(&rect, (*x, *y)),
            };
            let (found, asked) = run(Search::new(rects, Settings::default()), judge);
            assert!(
                found.candidate.is_none_or(|found| found == target),
                "{name}, {target} of {count}: {found:?} {asked:?}"
            );
        }
    }
}

#[test]
fn what_is_marked_again_has_another_number() {
    let torn = |at: usize, question: &Question| match question {
        Question::Marks(marked) if at.is_multiple_of(2) => number(marked, 2),
        Question::Marks(marked) => number(marked, 3),
        Question::Crosshair { .. } => both(Side::Crosses),
    };
    let stacked = vec![Rect::new(10.0, 10.0, 50.0, 20.0); 5];
    for rects in [grid(5), grid(9), stacked] {
        let (_, asked) = run(Search::new(rects, Settings { confidence: 0.9999, ..Settings::default() }), torn);
        let marked = asked.iter().filter_map(|(question, _)| match question {
            Question::Marks(marked) => Some(marked.candidates.clone()),
            Question::Crosshair { .. } => None,
        });
        let marked: Vec<Vec<usize>> = marked.collect();
        assert!(marked.len() > 1, "{asked:?}");
        for pair in marked.windows(2) {
            let kept = pair[0].iter().zip(&pair[1]).filter(|(before, after)| before == after).count();
            assert_eq!(kept, 0, "{marked:?}");
        }
    }
}

#[test]
fn a_region_needs_answers_that_can_be_read_about_its_middle_and_about_its_mark() {
    let rect = Rect::new(900.0, 600.0, 120.0, 32.0);
    let closely = Closely { size: (1280.0, 800.0), precision: 100.0, longest: 1568.0 };
    let half = |reply: Reply| match reply {
        Reply::Sides { x, .. } => Reply::Sides { x, y: None },
        other => other,
    };
    type Judge<'a> = &'a dyn Fn(usize, &Ask, Reply) -> Reply;
    let table: [(&str, Judge<'_>, bool); 6] = [
        ("all is true", &|_, _, truth| truth, true),
        (
            "lines are unreadable",
            &|_, ask, truth| if matches!(ask, Ask::Mark(_)) { truth } else { Reply::Garbled },
            false,
        ),
        ("of one axis nothing is said", &|_, _, truth| half(truth), false),
        (
            "the mark is unreadable",
            &|_, ask, truth| if matches!(ask, Ask::Mark(_)) { Reply::Garbled } else { truth },
            false,
        ),
        ("the mark is denied", &|_, ask, truth| if matches!(ask, Ask::Mark(_)) { Reply::NoMark } else { truth }, false),
        (
            "it is not seen, and picked",
            &|_, ask, truth| if matches!(ask, Ask::Mark(_)) { truth } else { both(Side::Unseen) },
            false,
        ),
    ];
    for settings in held() {
        for (name, judge, is_found) in &table {
            let mut pinpoint = Pinpoint::new(closely, Settings { max_steps: 30, ..settings });
            let ended = loop {
                let ask = match pinpoint.ask() {
                    Ok(ask) => ask,
                    Err(ended) => break ended,
                };
                let truth = match ask {
                    Ask::Crosshair { x, y, cut: None } => sides(&rect, (x, y)),
                    Ask::Crosshair { x, y, cut: Some(cut) } => {
                        let at = cut.in_picture(&Rect::new(x, y, 0.0, 0.0));
                        sides(&rect, (at.x, at.y))
                    }
                    Ask::Mark(_) => Reply::Mark(0),
                };
                let reply = judge(pinpoint.asked(), &ask, truth);
                pinpoint.learn(&ask, reply);
            };
            assert_eq!(ended.region.is_some(), *is_found, "{name}, {settings:?}: {ended:?}");
        }
    }
}
