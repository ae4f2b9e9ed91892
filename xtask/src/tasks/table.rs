//! What the set came to, file by file, with every miss.

use super::{ending::Ending, runner::Done, set::RefTable};
use serde_json::{Value, json};

/// Least share of the tasks that must be done, in percent.
const DONE: f64 = 98.0;
/// Most steps that may be wrongly confirmed.
const CONFIRMED: f64 = 0.0;
/// Most steps that may be wrongly denied, in percent.
const DENIED: f64 = 1.0;

/// The files that were run.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<Row>,
    left_out: Vec<String>,
}

struct Row {
    file: String,
    title: String,
    tasks: Vec<Done>,
}

/// What is counted, of a file or of all.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Counts {
    tasks: usize,
    done: usize,
    steps: usize,
    confirmed: usize,
    denied: usize,
    unverifiable: usize,
    refused: usize,
}

impl Counts {
    fn of(tasks: &[Done]) -> Self {
        let sum = |ending| tasks.iter().map(|task| task.count(ending)).sum();
        Self {
            tasks: tasks.len(),
            done: tasks.iter().filter(|task| task.done).count(),
            steps: tasks.iter().map(|task| task.steps.len()).sum(),
            confirmed: sum(Ending::WronglyConfirmed),
            denied: sum(Ending::WronglyDenied),
            unverifiable: sum(Ending::Unverifiable),
            refused: sum(Ending::Refused),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            tasks: self.tasks + other.tasks,
            done: self.done + other.done,
            steps: self.steps + other.steps,
            confirmed: self.confirmed + other.confirmed,
            denied: self.denied + other.denied,
            unverifiable: self.unverifiable + other.unverifiable,
            refused: self.refused + other.refused,
        }
    }

    fn percent_done(self) -> f64 {
        100.0 * self.done as f64 / self.tasks.max(1) as f64
    }

    fn percent_denied(self) -> f64 {
        100.0 * self.denied as f64 / self.steps.max(1) as f64
    }

    fn fault(self) -> Option<String> {
        if self.confirmed as f64 > CONFIRMED {
            Some(format!("{} steps were wrongly confirmed", self.confirmed))
        } else if self.percent_done() < DONE {
            Some(format!("{:.1} % of the tasks were done, less than {DONE} %", self.percent_done()))
        } else if self.percent_denied() > DENIED {
            Some(format!("{:.1} % of the steps were wrongly denied, more than {DENIED} %", self.percent_denied()))
        } else {
            None
        }
    }

    fn line(self, name: &str) -> String {
        let Self { tasks, done, steps, confirmed, denied, unverifiable, refused } = self;
        format!("{name:<26}{tasks:>6}{done:>6}{steps:>7}{confirmed:>11}{denied:>8}{unverifiable:>14}{refused:>9}")
    }
}

impl Table {
    pub(super) fn add(&mut self, book: &RefTable, done: Done) {
        match self.rows.last_mut().filter(|row| row.file == book.file) {
            Some(row) => row.tasks.push(done),
            None => self.rows.push(Row { file: book.file.clone(), title: book.title.clone(), tasks: vec![done] }),
        }
    }

    /// A file that can't be run here.
    pub(super) fn left_out(&mut self, book: &RefTable, why: &str) {
        println!("\n{} ({}): left out, {why}", book.title, book.file);
        self.left_out.push(format!("{}: {why}", book.file));
    }

    fn total(&self) -> Counts {
        self.rows.iter().map(|row| Counts::of(&row.tasks)).fold(Counts::default(), Counts::and)
    }

    pub(super) fn fault(&self) -> Option<String> {
        self.total().fault()
    }

    pub(super) fn print(&self) {
        println!(
            "\n{:<26}{:>6}{:>6}{:>7}{:>11}{:>8}{:>14}{:>9}",
            "", "tasks", "done", "steps", "wrongly", "wrongly", "", ""
        );
        println!("{:<45}{:>11}{:>8}{:>14}{:>9}", "", "confirmed", "denied", "unverifiable", "refused");
        for row in &self.rows {
            println!("{}", Counts::of(&row.tasks).line(&row.file));
        }
        let total = self.total();
        println!("{}", total.line("in all"));
        println!("\n{:<34}{:>8}{:>8}", "", "", "goal");
        for (name, value, goal, kept) in [
            ("tasks done, %", total.percent_done(), format!(">= {DONE}"), total.percent_done() >= DONE),
            (
                "steps wrongly confirmed",
                total.confirmed as f64,
                format!("<= {CONFIRMED}"),
                total.confirmed as f64 <= CONFIRMED,
            ),
            (
                "steps wrongly denied, %",
                total.percent_denied(),
                format!("<= {DENIED}"),
                total.percent_denied() <= DENIED,
            ),
        ] {
            println!("{name:<34}{value:>8.1}{goal:>8}{}", if kept { "" } else { "  MISSED" });
        }
        for left in &self.left_out {
            println!("left out: {left}");
        }
        self.print_misses();
    }

    fn print_misses(&self) {
        let mut heading = "\nmisses\n";
        for (row, task) in self.rows.iter().flat_map(|row| row.tasks.iter().map(move |task| (row, task))) {
            let misses = task.steps.iter().filter(|step| step.ending != Ending::Right).map(|step| step.line_of_miss());
            for miss in misses.chain(task.fault.clone()) {
                println!("{heading}{}/{}\n    {miss}", row.file, task.name);
                heading = "";
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let task = |task: &Done| {
            let steps: Vec<Value> = task.steps.iter().map(super::runner::Ended::json).collect();
            json!({"task": task.name, "done": task.done, "fault": task.fault, "seconds": task.seconds, "steps": steps})
        };
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let tasks: Vec<Value> = row.tasks.iter().map(task).collect();
                json!({"file": row.file, "title": row.title, "tasks": tasks})
            })
            .collect();
        let total = self.total();
        json!({
            "files": rows, "left_out": self.left_out, "tasks": total.tasks, "done": total.done, "steps": total.steps,
            "wrongly_confirmed": total.confirmed, "wrongly_denied": total.denied,
            "unverifiable": total.unverifiable, "refused": total.refused,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_goal_is_named() {
        let good = Counts { tasks: 100, done: 98, steps: 300, denied: 3, ..Counts::default() };
        assert_eq!(good.fault(), None);
        for (bad, said) in [
            (Counts { confirmed: 1, ..good }, "wrongly confirmed"),
            (Counts { done: 97, ..good }, "97.0 % of the tasks"),
            (Counts { denied: 4, ..good }, "1.3 % of the steps"),
        ] {
            assert!(bad.fault().is_some_and(|fault| fault.contains(said)), "{bad:?}");
        }
        assert_eq!(good.and(good).tasks, 200);
    }
}
