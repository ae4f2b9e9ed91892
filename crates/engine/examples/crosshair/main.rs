//! `cargo xtask bench locate`: the crosshair search with simulated judges, beside seed 1's rule as written and the same with
//! bounds that propagate, on random layouts and on recorded states.
//!
//! Arguments: how many trials (1000), `check` or `show`, what of it, everything where it is `all` or left out (part of a set's name,
//! of `absent`, of `edges`, or of the likes of `end small 10`), and the first seed (0), since constants that were chosen on some seeds are to be tried on others.

#![allow(clippy::print_stdout, clippy::unwrap_used)] // a bench prints, and stops where its own data is amiss

mod judge;
mod layouts;
mod rules;
mod sums;

use handeye_engine::locate::crosshair::Settings;
use handeye_scene::Rect;
use handeye_testkit::Dice;
use judge::{By, Judge, Target};
use layouts::{VIEW, gap, layout, somewhere, states};
use rules::{Edged, Outcome, bounds, edges, pinpoint_in_parts, search};
use std::ops::Range;
use std::process::ExitCode;
use std::thread::available_parallelism;
use sums::{Bins, Sum};

/// Least share found, in percent, and most questions, of the search that is told the judge's rate: candidates, rate of errors.
const GOALS: [(usize, f64, f64, f64); 4] =
    [(50, 0.0, 99.5, 2.8), (50, 0.1, 99.0, 4.5), (50, 0.2, 97.0, 7.0), (200, 0.1, 98.0, 6.0)];
/// Of what is none of the candidates, at least this much must end as not found within the limit, in percent, by the rate of errors,
/// and at most [`WRONG`] in another's being returned as sure.
const ABSENT: [(f64, f64); 3] = [(0.0, 99.0), (0.1, 85.0), (0.2, 40.0)];
/// The same without candidates: the four edges within 100 pixels, where all answers are right.
const EDGES: (f64, f64) = (99.5, 7.0);
/// What no candidate stands for.
#[derive(Clone, Copy)]
struct Kind {
    /// Least and most width and height, in pixels; none for what the judge doesn't see.
    sizes: Option<((usize, usize), (usize, usize))>,
    /// In how many parts the picture is searched, of which one shows it.
    parts: usize,
    by: By,
}

const fn kind(least: (usize, usize), most: (usize, usize)) -> Kind {
    Kind { sizes: Some((least, most)), parts: 1, by: By::Question }
}

const CONTROLS: Kind = kind((24, 20), (224, 48));
const KINDS: [(&str, Kind); 6] = [
    ("small", kind((6, 6), (24, 24))),
    ("as controls are", CONTROLS),
    ("large", kind((200, 100), (900, 600))),
    ("not there", Kind { sizes: None, ..CONTROLS }),
    ("in one of 3 parts", Kind { parts: 3, ..CONTROLS }),
    ("with a look-alike", Kind { by: By::Lookalike(0), ..CONTROLS }),
];
/// Most questions of the whole path to a region, by the rate of errors, which is told.
const MOST_CALLS: [(f64, f64); 2] = [(0.0, 11.5), (0.1, 14.5)];
/// Least share right of it, in percent, by the rate of errors and whether that is told: of each of [`KINDS`].
const RIGHT: [(f64, bool, [f64; 6]); 6] = [
    (0.0, true, [99.0, 99.0, 99.0, 99.0, 95.0, 99.0]),
    (0.0, false, [90.0, 97.0, 99.0, 99.0, 92.0, 97.0]),
    (0.1, true, [25.0, 50.0, 41.0, 97.0, 25.0, 47.0]),
    (0.1, false, [31.0, 53.0, 49.0, 97.0, 36.0, 51.0]),
    (0.2, true, [0.5, 5.0, 1.0, 88.0, 1.0, 4.0]),
    (0.2, false, [5.0, 16.0, 14.0, 95.0, 7.0, 14.0]),
];
/// Of what is said at a confidence of 0.99 or more, at most this much may be wrong, in percent.
const WRONG: f64 = 1.0;
/// So many are to be sure before it is said how many of them are wrong, for as long as that takes at most [`MOST_TRIALS`] times the
/// trials: of a judge that errs often few are.
const SURE_ONES: usize = 300;
/// Of fewer than this none may be wrong: one would be more than [`WRONG`], and none would prove nothing.
const TOO_FEW: usize = 100;
const MOST_TRIALS: u64 = 20;
/// Candidates that are about as many as the goals' 50; of more, the goals for 200 hold.
const FEW: usize = 60;

/// A rule: which of these rects it takes to be the one, with this judge.
type Rule<'a> = &'a dyn Fn(&[Rect], Target, &Judge) -> Outcome;

/// Layouts of one kind.
struct Set {
    name: String,
    view: (f64, f64),
    /// How many candidates a random layout has; none where the state is a recorded one.
    random: Option<usize>,
    rects: Vec<Rect>,
    /// Whether another candidate looks like what is sought.
    has_lookalike: bool,
}

impl Set {
    fn rects(&self, dice: &mut Dice) -> Vec<Rect> {
        self.random.map_or_else(|| self.rects.clone(), |count| layout(count, dice))
    }

    fn count(&self) -> usize {
        self.random.unwrap_or(self.rects.len())
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let trials: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let random = |count| Set {
        name: format!("random {count}"),
        view: VIEW,
        random: Some(count),
        rects: Vec::new(),
        has_lookalike: false,
    };
    let decoyed = Set { name: "look-alike 50".into(), has_lookalike: true, ..random(50) };
    let recorded = |state: layouts::State| Set {
        name: state.name.clone(),
        view: state.view,
        random: None,
        rects: state.rects(),
        has_lookalike: false,
    };
    let is_check = args.next().as_deref() == Some("check");
    let only = args.next().filter(|only| only != "all");
    let from: u64 = args.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let seeds = from..from + trials;
    let sets: Vec<Set> =
        [random(1), random(50), random(200), decoyed].into_iter().chain(states().into_iter().map(recorded)).collect();
    let is_wanted = |part: &str| only.as_deref().is_none_or(|only| part.contains(only));
    if !parts(&sets).iter().any(|part| is_wanted(part)) {
        println!("nothing is called {:?}; there is: {}", only.unwrap_or_default(), parts(&sets).join(", "));
        return ExitCode::FAILURE;
    }
    let mut missed = Vec::new();
    let mut bins = Bins::default();
    println!(
        "{:<16}{:<24}{:>6}{:>8}{:>10}{:>10}{:>12}",
        "state", "rule", "of", "wrong", "found", "calls", "false≥0.99"
    );
    for set in sets.iter().filter(|set| is_wanted(&set.name)) {
        for error in [0.0, 0.1, 0.2] {
            let sums = compare(set, error, &seeds, &mut bins);
            missed.extend(sums.iter().zip([true, false]).filter_map(|(sum, is_told)| below(set, error, sum, is_told)));
        }
    }
    println!("\nWhat is none of the candidates, over all of these states:");
    println!("{:<22}{:<24}{:>6}{:>11}{:>10}{:>16}", "it is", "rule", "wrong", "not found", "calls", "another≥0.99");
    for (error, least) in ABSENT.into_iter().filter(|_| is_wanted("absent")) {
        missed.extend(absent(&sets, (error, least), &seeds));
    }
    println!("\nWhat no candidate stands for: its four edges, and the middle on it:");
    for error in [0.0, 0.1].into_iter().filter(|_| is_wanted("edges")) {
        missed.extend(without_candidates(error, &seeds));
    }
    println!("\nThe same to the end: edges, a closer look where it is thin, and whether what is marked is it:");
    println!(
        "{:<22}{:<24}{:>6}{:>8}{:>10}{:>10}{:>10}{:>12}",
        "it is", "rule", "wrong", "right", "undecided", "not seen", "calls", "false≥0.99"
    );
    for (error, is_told, least) in RIGHT {
        for (size, least) in KINDS.into_iter().zip(least).filter(|(size, _)| is_wanted(&end(size.0, error))) {
            missed.extend(to_the_end(size, (error, is_told), least, &seeds));
        }
    }
    println!("\nWhat was believed after each answer, and how often it was so (rate of errors told):");
    bins.print();
    missed.iter().for_each(|what| println!("MISSED {what}"));
    if missed.is_empty() || !is_check { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the search to the end of such a size is called.
fn end(size: &str, error: f64) -> String {
    format!("end {size} {}", error * 100.0)
}

/// Everything that there is.
fn parts(sets: &[Set]) -> Vec<String> {
    let ends = RIGHT.into_iter().filter(|row| row.1).flat_map(|row| KINDS.map(|kind| end(kind.0, row.0)));
    sets.iter().map(|set| set.name.clone()).chain(["absent".into(), "edges".into()]).chain(ends).collect()
}

/// What a search is held to whose judge's rate of errors is told.
fn told(error: f64) -> Settings {
    Settings { error: if error > 0.0 { error } else { 0.001 }, ..Settings::default() }
}

/// Runs every rule on the same layouts and the same judges; the search that is told the rate first, then by the default rate.
fn compare(set: &Set, error: f64, seeds: &Range<u64>, bins: &mut Bins) -> Vec<Sum> {
    let told = told(error);
    let rules: [(&str, Rule<'_>); 4] = [
        ("search, rate told", &|rects, target, judge| search((rects, set.view), target, judge, told)),
        ("search, default rate", &|rects, target, judge| search((rects, set.view), target, judge, Settings::default())),
        ("bounds that propagate", &|rects, target, judge| bounds(rects, target, judge, (set.view, true))),
        ("seed 1 as written", &|rects, target, judge| bounds(rects, target, judge, (set.view, false))),
    ];
    let mut sums = Vec::new();
    for (place, (name, rule)) in rules.into_iter().enumerate() {
        let mut sum = Sum::default();
        for seed in seeds.clone() {
            let mut dice = Dice::new(seed);
            let rects = set.rects(&mut dice);
            let target = dice.below(rects.len());
            let Some(rect) = rects.get(target).copied() else { continue };
            let by = if set.has_lookalike { By::Lookalike((target + 1) % rects.len()) } else { By::Question };
            let outcome = rule(&rects, Target::At(rect), &Judge { seed, error, by });
            if place == 0 {
                outcome.believed.iter().for_each(|(best, said)| bins.add(*said, *best == Some(target)));
            }
            sum.add(&outcome, Some(target));
        }
        println!("{:<16}{name:<24}{:>6}{:>7}%{sum}", set.name, set.count(), error * 100.0);
        sums.push(sum);
    }
    sums
}

/// What a set misses of its goals, if anything. Without look-alikes, those of how much is found, in how many questions, are of the search that is told
/// the rate; what it is sure of must be right in any case.
fn below(set: &Set, error: f64, sum: &Sum, is_told: bool) -> Option<String> {
    let count = if set.count() <= FEW { 50 } else { 200 };
    let mut faults = Vec::new();
    let goal = GOALS.into_iter().find(|goal| (goal.0, goal.1) == (count, error));
    if let Some((_, _, found, calls)) = goal.filter(|_| is_told && !set.has_lookalike) {
        if sum.found() < found {
            faults.push(format!("{:.1} % found, not {found}", sum.found()));
        }
        if sum.calls() > calls {
            faults.push(format!("{:.2} questions, not {calls}", sum.calls()));
        }
    }
    if sum.wrong_though_sure() > WRONG {
        faults.push(format!("{:.2} % wrong at a confidence of 0.99, not {WRONG}", sum.wrong_though_sure()));
    }
    faults.extend(too_few(sum.wrong(), sum.sure()));
    let rule = if is_told { "rate told" } else { "default rate" };
    let of = format!("{}, {} % wrong answers, {rule}", set.name, error * 100.0);
    (!faults.is_empty()).then(|| format!("{of}: {}", faults.join("; ")))
}

/// What is missed where nothing is sure, or one of few is wrong.
fn too_few(wrong: usize, sure: usize) -> Option<String> {
    (sure == 0 || sure < TOO_FEW && wrong > 0).then(|| format!("{wrong} wrong of {sure} that are sure"))
}

/// What is missed where the element is none of the candidates: not seen, or seen between them.
fn absent(sets: &[Set], (error, least): (f64, f64), seeds: &Range<u64>) -> Vec<String> {
    let mut missed = Vec::new();
    let part = seeds.start..seeds.start + (seeds.end - seeds.start).div_ceil(8);
    for (kind, is_seen) in [("not seen", false), ("seen, no candidate", true)] {
        for (rule, settings) in [("search, rate told", told(error)), ("search, default rate", Settings::default())] {
            let mut sum = Sum::default();
            for (set, seed) in sets.iter().flat_map(|set| part.clone().map(move |seed| (set, seed))) {
                let mut dice = Dice::new(seed);
                let rects = set.rects(&mut dice);
                let place = is_seen.then(|| gap(&rects, set.view, &mut dice));
                let target = match place {
                    None => Target::Unseen,
                    Some(Some(place)) => Target::At(place),
                    // No room between them.
                    Some(None) => continue,
                };
                sum.add(&search((&rects, set.view), target, &Judge { seed, error, by: By::Question }, settings), None);
            }
            let (not_found, falsely) = (sum.not_found(), sum.falsely_found());
            let wrong = error * 100.0;
            println!("{kind:<22}{rule:<24}{wrong:>5}%{not_found:>10.1}%{:>10.2}{falsely:>15.2}%", sum.calls());
            if not_found < least || falsely > WRONG {
                missed
                    .push(format!("{kind}, {rule}, {wrong} % wrong: {not_found:.1} % not found, {falsely:.2} % false"));
            }
        }
    }
    missed
}

/// What is missed where there are no candidates: how often all four edges are found within 100 pixels and the middle is on it, and
/// in how many questions.
fn without_candidates(error: f64, seeds: &Range<u64>) -> Option<String> {
    let (mut within, mut inside, mut asked, mut unseen, mut overlooked) = (0, 0, 0, 0, 0);
    let trials = seeds.end - seeds.start;
    for seed in seeds.clone() {
        let mut dice = Dice::new(seed);
        let Some(rect) = layout(1, &mut dice).first().copied() else { continue };
        let there = edges(Some(rect), VIEW, &Judge { seed, error, by: By::Question });
        within += usize::from(there.is_within);
        inside += usize::from(there.is_hit);
        overlooked += usize::from(there.is_unseen);
        asked += there.calls;
        let gone = edges(None, VIEW, &Judge { seed, error, by: By::Question });
        unseen += usize::from(gone.is_unseen);
    }
    let share = |part: usize| 100.0 * part as f64 / trials.max(1) as f64;
    let (right, hit, calls) = (share(within), share(inside), asked as f64 / trials.max(1) as f64);
    println!(
        "edges, {:>3}% wrong: all four within 100 px {right:.1}%, {calls:.2} calls, middle on it {hit:.1}%; said not to be there: \
         of what is {:.2}%, of what isn't {:.1}%",
        error * 100.0,
        share(overlooked),
        share(unseen)
    );
    let is_exact = error > 0.0 || right >= EDGES.0 && hit >= EDGES.0 && calls <= EDGES.1;
    let is_missed = !is_exact || share(overlooked) > WRONG;
    is_missed.then(|| format!("edges, {} % wrong: {right:.1} % in {calls:.2}, middle on {hit:.1} %", error * 100.0))
}

/// Searches to the end of what has such a size: as many as there are seeds, and more until enough are sure.
fn ended(kind: Kind, error: f64, settings: Settings, seeds: &Range<u64>) -> Vec<Edged> {
    let trials = seeds.end - seeds.start;
    let most = if kind.sizes.is_some() { trials * MOST_TRIALS } else { trials };
    let mut all: Vec<Edged> = Vec::new();
    while (all.len() as u64) < most {
        let begun = seeds.start + all.len() as u64;
        all.extend(searched(kind, error, settings, begun..begun + trials));
        if all.iter().filter(|edged| edged.is_sure()).count() >= SURE_ONES {
            break;
        }
    }
    all
}

/// The same with each of these seeds, on all processors.
fn searched(kind: Kind, error: f64, settings: Settings, seeds: Range<u64>) -> Vec<Edged> {
    let one = |seed: u64| {
        let mut dice = Dice::new(seed);
        let rect = kind.sizes.map(|sizes| somewhere(sizes, &mut dice));
        let mut rects = vec![None; kind.parts];
        if let Some(shown) = rects.get_mut(dice.below(kind.parts)) {
            *shown = rect;
        }
        pinpoint_in_parts(&rects, VIEW, &Judge { seed, error, by: kind.by }, settings)
    };
    let share = (seeds.end - seeds.start).div_ceil(available_parallelism().map_or(1, |n| n.get() as u64)).max(1);
    std::thread::scope(|scope| {
        let parts = seeds.clone().step_by(share as usize).map(|from| from..(from + share).min(seeds.end));
        let running: Vec<_> = parts.map(|part| scope.spawn(move || part.map(one).collect::<Vec<Edged>>())).collect();
        running.into_iter().flat_map(|part| part.join().unwrap()).collect()
    })
}

/// What is missed of the whole path to a region: of one size, or where the judge sees nothing.
fn to_the_end(
    (called, kind): (&str, Kind),
    (error, is_told): (f64, bool),
    least: f64,
    seeds: &Range<u64>,
) -> Option<String> {
    let (rule, settings) = if is_told { ("rate told", told(error)) } else { ("default rate", Settings::default()) };
    let all = ended(kind, error, settings, seeds);
    let count = |is_so: fn(&Edged) -> bool| all.iter().filter(|edged| is_so(edged)).count();
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    let (sure, false_ones) = (count(Edged::is_sure), count(|e| e.is_sure() && !e.is_hit));
    let unseen = count(|e| e.is_unseen);
    let right = share(if kind.sizes.is_some() { count(|e| e.is_found && e.is_hit) } else { unseen }, all.len());
    let undecided = share(count(|e| !e.is_found && !e.is_unseen), all.len());
    let calls = all.iter().map(|edged| edged.calls).sum::<usize>() as f64 / all.len().max(1) as f64;
    let wrong = share(false_ones, sure);
    println!(
        "{called:<22}{rule:<24}{:>5}%{right:>7.1}%{undecided:>9.1}%{:>9.1}%{calls:>10.2}{wrong:>11.2}% of {sure}",
        error * 100.0,
        share(unseen, all.len())
    );
    let mut faults = Vec::new();
    if right < least {
        faults.push(format!("{right:.1} % right, not {least}"));
    }
    let most = MOST_CALLS.into_iter().find(|most| {
        most.0 == error && is_told && kind.sizes.is_some() && (kind.parts, matches!(kind.by, By::Question)) == (1, true)
    });
    if let Some((_, most)) = most.filter(|most| calls > most.1) {
        faults.push(format!("{calls:.2} questions, not {most}"));
    }
    if wrong > WRONG {
        faults.push(format!("{wrong:.2} % wrong at a confidence of 0.99, not {WRONG}"));
    }
    if kind.sizes.is_some() {
        let overlooked = share(count(Edged::is_surely_unseen), all.len());
        if overlooked > WRONG {
            faults.push(format!("{overlooked:.2} % said not to be there at a confidence of 0.99, not {WRONG}"));
        }
        if sure < SURE_ONES {
            println!("  {sure} of {} are sure, not {SURE_ONES}: how many are wrong is hardly known", all.len());
        }
        faults.extend(too_few(false_ones, sure));
    }
    (!faults.is_empty()).then(|| format!("{called}, {rule}, {} % wrong: {}", error * 100.0, faults.join("; ")))
}
