//! How the cost of a first state grows with the page.

use super::{Bench, Cost, median, page};
use crate::run::{Fail, Outcome};

/// Rows of the tables; each has three controls.
const SIZES: [usize; 3] = [200, 2000, 20_000];

impl Bench {
    /// Prints what the first state costs by the size of the page.
    pub(super) fn sizes(&mut self, rounds: usize) -> Outcome {
        println!(
            "\n{:>8}{:>10}{:>12}{:>8}{:>12}{:>12}{:>16}",
            "rows", "controls", "ms CPU", "walks", "wall ms", "walk ms", "µs CPU/control"
        );
        let (rows, url) = (self.rows, self.url.clone());
        for size in SIZES {
            self.rows = size;
            self.url = url.replace("index.html", &format!("rows-{size}.html"));
            std::fs::write(self.folder.join(format!("rows-{size}.html")), page::table(size))?;
            let (mut walk, mut state) = (Cost::default(), Cost::default());
            for round in 0..rounds {
                eprint!("\r{size} rows, round {} of {rounds}", round + 1);
                self.first(&mut walk, |bench| bench.walk())?;
                self.first(&mut state, |bench| {
                    let (bytes, targets, _) = bench.state()?;
                    if targets == 0 { Err(Fail::new("the state lists nothing")) } else { Ok(bytes) }
                })?;
            }
            eprint!("\r                              \r");
            let (cpu, base, controls) = (median(&state.first), median(&walk.first), 3 * size);
            println!(
                "{size:>8}{controls:>10}{cpu:>12.0}{:>8.2}{:>12.0}{:>12.0}{:>16.1}",
                cpu / base,
                median(&state.wall),
                median(&walk.wall),
                cpu * 1000.0 / controls as f64
            );
        }
        (self.rows, self.url) = (rows, url);
        Ok(())
    }
}
