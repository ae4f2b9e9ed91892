//! `cargo xtask bench locate`: the crosshair search with simulated judges, beside seed 1's rule as written and the same with
//! bounds that propagate, on random layouts and on recorded states.

#![allow(clippy::print_stdout, clippy::unwrap_used)] // a bench prints, and stops where its own data is amiss

mod judge;
mod layouts;
mod rules;
mod sums;

use handeye_engine::locate::crosshair::Settings;
use handeye_scene::Rect;
use handeye_testkit::Dice;
use judge::Judge;
use layouts::{VIEW, layout, states};
use rules::{Outcome, bounds, edges, search};
use std::process::ExitCode;
use sums::{Bins, Sum};

/// Least share found, in percent, and most questions, of the search that is told the judge's rate: candidates, rate of errors.
const GOALS: [(usize, f64, f64, f64); 4] =
    [(50, 0.0, 99.5, 2.8), (50, 0.1, 99.0, 4.5), (50, 0.2, 97.0, 7.0), (200, 0.1, 98.0, 6.0)];
/// The same without candidates: the four edges within 100 pixels, where all answers are right.
const EDGES: (f64, f64) = (99.5, 7.0);
/// Of what is said at a confidence of 0.99 or more, at most this much may be wrong, in percent.
const WRONG: f64 = 1.0;
/// Candidates that are about as many as the goals' 50; of more, the goals for 200 hold.
const FEW: usize = 60;

/// A rule: which of these rects it takes to be the one, with this judge.
type Rule<'a> = &'a dyn Fn(&[Rect], usize, &mut Judge) -> Outcome;

/// Layouts of one kind.
struct Set {
    name: String,
    view: (f64, f64),
    /// How many candidates a random layout has; none where the state is a recorded one.
    random: Option<usize>,
    rects: Vec<Rect>,
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
    let random = |count| Set { name: format!("random {count}"), view: VIEW, random: Some(count), rects: Vec::new() };
    let recorded =
        |state: layouts::State| Set { name: state.name.clone(), view: state.view, random: None, rects: state.rects() };
    let mut missed = Vec::new();
    let mut bins = Bins::default();
    println!(
        "{:<16}{:<24}{:>6}{:>8}{:>10}{:>10}{:>12}",
        "state", "rule", "of", "wrong", "found", "calls", "false≥0.99"
    );
    for set in [random(50), random(200)].into_iter().chain(states().into_iter().map(recorded)) {
        for error in [0.0, 0.1, 0.2] {
            let sums = compare(&set, error, trials, &mut bins);
            missed.extend(sums.first().and_then(|sum| below(&set, error, sum)));
        }
    }
    for error in [0.0, 0.1] {
        let (right, calls) = without_candidates(error, trials);
        if error <= 0.0 && (right < EDGES.0 || calls > EDGES.1) {
            missed.push(format!("edges: {right:.1} % in {calls:.2}, not {} % in {}", EDGES.0, EDGES.1));
        }
    }
    println!("\nWhat was believed after each answer, and how often it was so (rate of errors told):");
    bins.print();
    missed.iter().for_each(|what| println!("MISSED {what}"));
    if missed.is_empty() || args.next().as_deref() != Some("check") { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs every rule on the same layouts and the same judges; the search that is told the rate first.
fn compare(set: &Set, error: f64, trials: u64, bins: &mut Bins) -> Vec<Sum> {
    let told = Settings { error: if error > 0.0 { error } else { 0.001 }, ..Settings::default() };
    let rules: [(&str, Rule<'_>); 4] = [
        ("search, rate told", &|rects, target, judge| search(rects, target, judge, told)),
        ("search, default rate", &|rects, target, judge| search(rects, target, judge, Settings::default())),
        ("bounds that propagate", &|rects, target, judge| bounds(rects, target, judge, (set.view, true))),
        ("seed 1 as written", &|rects, target, judge| bounds(rects, target, judge, (set.view, false))),
    ];
    let mut sums = Vec::new();
    for (place, (name, rule)) in rules.into_iter().enumerate() {
        let mut sum = Sum::default();
        for seed in 0..trials {
            let mut dice = Dice::new(seed);
            let rects = set.rects(&mut dice);
            let target = dice.below(rects.len());
            let outcome = rule(&rects, target, &mut Judge { dice, error });
            if place == 0 {
                outcome.believed.iter().for_each(|(best, said)| bins.add(*said, *best == Some(target)));
            }
            sum.add(&outcome, target);
        }
        println!("{:<16}{name:<24}{:>6}{:>7}%{sum}", set.name, set.count(), error * 100.0);
        sums.push(sum);
    }
    sums
}

/// What a set misses of its goals, if anything.
fn below(set: &Set, error: f64, sum: &Sum) -> Option<String> {
    let count = if set.count() <= FEW { 50 } else { 200 };
    let mut faults = Vec::new();
    if let Some((_, _, found, calls)) = GOALS.into_iter().find(|goal| (goal.0, goal.1) == (count, error)) {
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
    (!faults.is_empty()).then(|| format!("{}, {} % wrong answers: {}", set.name, error * 100.0, faults.join("; ")))
}

/// How often, in percent, all four edges were found within 100 pixels, and the questions.
fn without_candidates(error: f64, trials: u64) -> (f64, f64) {
    let (mut within, mut inside, mut asked) = (0, 0, 0);
    for seed in 0..trials {
        let mut dice = Dice::new(seed);
        let Some(rect) = layout(1, &mut dice).first().copied() else { continue };
        let (right, hits, calls) = edges(rect, VIEW, &mut Judge { dice, error });
        within += usize::from(right);
        inside += usize::from(hits);
        asked += calls;
    }
    let share = |part: usize| 100.0 * part as f64 / trials.max(1) as f64;
    let calls = asked as f64 / trials.max(1) as f64;
    println!(
        "edges, {:>3}% wrong: all four within 100 px {:.1}%, {calls:.2} calls, middle inside {:.1}%",
        error * 100.0,
        share(within),
        share(inside)
    );
    (share(within), calls)
}
