//! Which tests took longest, read from the report that nextest writes (JUnit XML, one `testcase` an element).

use crate::run::{self, Outcome};

/// So many are told.
const TOLD: usize = 10;

/// Prints the tests that took longest in the last run of this profile of nextest.
pub(crate) fn print(profile: &str) -> Outcome {
    let report = run::target_dir()?.join("nextest").join(profile).join("junit.xml");
    // None was written where nothing was run.
    let Ok(report) = std::fs::read_to_string(report) else { return Ok(()) };
    println!("\nslowest tests");
    for (seconds, test) in slowest(&report) {
        println!("  {seconds:>7.1} s  {test}");
    }
    Ok(())
}

/// Seconds and name of those that took longest, the longest first.
fn slowest(report: &str) -> Vec<(f64, String)> {
    let mut cases: Vec<(f64, String)> = report
        .split("<testcase")
        .skip(1)
        .filter_map(|case| {
            let seconds = attribute(case, "time")?.parse().ok()?;
            Some((seconds, format!("{} {}", attribute(case, "classname")?, attribute(case, "name")?)))
        })
        .collect();
    cases.sort_by(|a, b| b.0.total_cmp(&a.0));
    cases.truncate(TOLD);
    cases
}

fn attribute<'a>(case: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = case.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_come_first() {
        let case = |n: usize| {
            format!(
                "<testcase classname=\"handeye::web\" name=\"a::t{n}\" timestamp=\"x\" time=\"{n}.500\">\n</testcase>"
            )
        };
        let report: String = (0..12).map(case).collect();
        let told = slowest(&format!("<testsuites time=\"99\"><testsuite>{report}</testsuite></testsuites>"));
        assert_eq!(told.len(), 10);
        assert_eq!(told[0], (11.5, "handeye::web a::t11".to_owned()));
        assert_eq!(told[9].0, 2.5);
        assert_eq!(slowest("<testsuites></testsuites>"), []);
    }
}
