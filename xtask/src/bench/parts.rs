//! What is asked when a page was looked at before: a state after one changed row, a search, a part of the list.

use super::{Bench, holds, median, page};
use crate::{
    procs,
    run::{self, Fail, Outcome},
};
use std::time::Duration;

/// Most that each may cost, as a share of the first state.
const MOST_SHARE: f64 = 0.1;
/// Most characters that a state may print by default.
const MOST_CHARS: usize = 6000;
/// Most memory that the daemon may hold, in MiB.
const MOST_MIB: f64 = 60.0;
/// Longest that the first state may take, in milliseconds.
const MOST_WALL: f64 = 200.0;

/// One thing over the rounds: processor time of the browser, and time on the wall.
#[derive(Default)]
struct Part {
    cpu: Vec<f64>,
    wall: Vec<f64>,
}

impl Part {
    fn print(&self, name: &str, first: &Self) {
        let (cpu, wall) = (median(&self.cpu), median(&self.wall));
        let share = cpu / median(&first.cpu);
        let limit = if std::ptr::eq(self, first) {
            format!("at most {MOST_WALL} ms on the wall: {}", holds(wall <= MOST_WALL))
        } else {
            format!("at most {MOST_SHARE}: {}", holds(share <= MOST_SHARE))
        };
        println!("{name:<24}{cpu:>10.0}{wall:>10.0}{share:>16.2} ({limit})");
    }
}

impl Bench {
    /// Prints the table of what follows a first state.
    pub(super) fn parts(&mut self, rounds: usize) -> Outcome {
        let url = self.url.clone();
        let [mut first, mut changed, mut find, mut fold, mut element, mut title] = <[Part; 6]>::default();
        let mut chars = 0;
        for round in 0..rounds {
            eprint!("\rparts, round {} of {rounds}", round + 1);
            self.page.load(&url)?;
            let text = self.part(&mut first, &["state"])?;
            chars = chars.max(text.chars().count());
            // Alternately in the viewport and far from it.
            let row = if round % 2 == 0 { 2 + round } else { self.rows / 2 + round }.min(self.rows);
            self.page.evaluate(&page::change(row, &format!("Changed {round}")))?;
            self.part(&mut changed, &["state"])?;
            let sought = format!("Buy item {}", self.rows / 3 + round);
            let found = self.part(&mut find, &["find", &sought])?;
            if !found.contains(&sought) {
                return Err(Fail::new(format!("find said `{}`", found.trim_end())));
            }
            if let Some(number) = number_of(&text, "fold") {
                self.part(&mut fold, &["state", "--within", &number])?;
            }
            if let Some(number) = number_of(&text, "button") {
                self.part(&mut element, &["state", "--within", &number])?;
            }
            self.part(&mut title, &["get", "title"])?;
        }
        eprintln!("\r                       \r");
        println!("\n{:<24}{:>10}{:>10}{:>16}", "after a state", "ms CPU", "wall ms", "of the first");
        first.print("first state", &first);
        changed.print("state, one row changed", &first);
        find.print("find TEXT", &first);
        fold.print("state --within a fold", &first);
        element.print("state --within a button", &first);
        // What no question falls below: the rest of it is what the browser does by itself.
        title.print("get title", &first);
        let held = procs::marked(&self.mark).iter().filter_map(|pid| procs::held_mib(*pid)).fold(0.0_f64, f64::max);
        println!("state prints {chars} characters (at most {MOST_CHARS}: {})", holds(chars <= MOST_CHARS));
        println!("the daemon holds {held:.0} MiB (at most {MOST_MIB}: {})", holds(held <= MOST_MIB));
        Ok(())
    }

    /// Runs a command once; what it prints.
    fn part(&mut self, part: &mut Part, words: &[&str]) -> Outcome<String> {
        let (cpu, wall, text) = self.measure(1, |bench| {
            let ran = run::limited(&mut bench.handeye(words), Duration::from_secs(60))?;
            if ran.code == Some(0) { Ok(ran.stdout) } else { Err(Fail::new(format!("{words:?}: {}", ran.stderr))) }
        })?;
        part.cpu.push(cpu);
        part.wall.push(wall);
        Ok(text)
    }
}

/// The number of the first line of that role.
fn number_of(state: &str, role: &str) -> Option<String> {
    state.lines().find_map(|line| {
        let (number, rest) = line.trim_start().strip_prefix('[')?.split_once("] ")?;
        rest.starts_with(role).then(|| number.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_that_of_the_first_line_of_its_role() {
        let state = "page \"Rows\"\n[1] link \"a\"\n  [2] button \"b\"\n[3] button \"c\"\n[40] fold below: 3 × row";
        assert_eq!(number_of(state, "button").as_deref(), Some("2"));
        assert_eq!(number_of(state, "fold").as_deref(), Some("40"));
        assert_eq!(number_of(state, "slider"), None);
    }
}
