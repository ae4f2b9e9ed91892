//! Named steps with a heading, a time and a summary.

use crate::run::{Fail, Outcome};
use std::time::Instant;

/// Runs steps one after another and stops at the first that fails.
pub(crate) struct Steps {
    only: Vec<String>,
    skip: Vec<String>,
    lines: Vec<String>,
    begun: Instant,
}

impl Steps {
    /// All steps but `skip`; none but `only`, where it names any.
    pub(crate) fn new(only: Vec<String>, skip: Vec<String>) -> Self {
        Self { only, skip, lines: Vec::new(), begun: Instant::now() }
    }

    /// One step.
    pub(crate) fn step(&mut self, name: &str, run: impl FnOnce() -> Outcome) -> Outcome {
        let left_out =
            self.skip.iter().any(|s| s == name) || (!self.only.is_empty() && !self.only.iter().any(|s| s == name));
        if left_out {
            self.lines.push(format!("  left out  {name}"));
            return Ok(());
        }
        println!("\n=== {name} ===");
        let begun = Instant::now();
        let outcome = run();
        let seconds = begun.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => {
                println!("=== {name}: ok, {seconds:.1} s ===");
                self.lines.push(format!("  ok        {name:<10} {seconds:>7.1} s"));
                Ok(())
            }
            Err(Fail { message, code }) => {
                self.lines.push(format!("  FAILED    {name:<10} {seconds:>7.1} s"));
                println!("=== {name}: FAILED, {seconds:.1} s ===");
                self.summary();
                Err(Fail { message: format!("{name}: {message}"), code })
            }
        }
    }

    /// One line for each step.
    pub(crate) fn summary(&self) {
        println!("\nsummary");
        for line in &self.lines {
            println!("{line}");
        }
        println!("  in all               {:>7.1} s", self.begun.elapsed().as_secs_f64());
    }
}
