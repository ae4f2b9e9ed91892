//! How long a click takes that closes its own dialog, in a form of each toolkit.

use super::figures::{holds, median};
use crate::{
    cleanup,
    desk::{self, Desk, PYTHON},
    run::{self, Fail, Outcome},
};
use serde_json::Value;
use std::{
    path::Path,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

/// Forms whose button `Ask` opens a dialog, and that tell in a log when they are ready.
const FORMS: [(&str, &str); 3] = [("GTK 3", "forms_gtk3.py"), ("GTK 4", "forms_gtk4.py"), ("Qt 5", "forms_qt.py")];
/// The session that clicks.
const SESSION: &str = "dialogs";
/// Most milliseconds that the click may take.
const MOST: f64 = 400.0;
/// How long a form, its dialog or a button of it may take to be there.
const LIMIT: Duration = Duration::from_secs(30);

/// A desktop, and the handeye on it that a session's command is given to.
pub(super) struct Clicks<'a> {
    pub(super) desk: &'a Desk,
    pub(super) handeye: &'a dyn Fn(&str, &[&str]) -> Outcome<String>,
}

/// Prints the figures of each toolkit; whether all are within their limits.
pub(super) fn measure(bench: &Clicks<'_>, rounds: usize) -> Outcome<bool> {
    println!("click that closes its dialog, confirmed");
    let mut within = true;
    for (toolkit, script) in FORMS {
        let times = clicks(bench, script, rounds)?;
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let most = times.iter().copied().fold(0.0, f64::max);
        let middle = median(&times);
        println!(
            "  {toolkit:<12}{middle:>8.0} ms ({least:.0} to {most:.0}; at most {MOST:.0}: {})",
            holds(middle <= MOST)
        );
        within &= middle <= MOST;
    }
    Ok(within)
}

/// Opens and closes the dialog of one form; how many milliseconds each closing click took.
fn clicks(bench: &Clicks<'_>, script: &str, rounds: usize) -> Outcome<Vec<f64>> {
    // Before the form: Qt builds its tree only where somebody asks for trees as it starts.
    (bench.handeye)(SESSION, &["open", "desktop:"])?;
    let log = bench.desk.folder.join(format!("{script}.log"));
    std::fs::write(&log, "")?;
    let path = run::root().join("fixtures/desktop").join(script);
    let mut form = bench.desk.command(PYTHON);
    let mut form = form.arg(path).arg(&log).arg(script).stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    // It ends when this does.
    let input = form.stdin.take();
    desk::reap(form);
    let ended = cleanup::later(move || drop(input));
    await_line(&log, "ready")?;
    once(|| (bench.handeye)(SESSION, &["state", "--window", script]).is_ok(), &format!("no window of {script}"))?;
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        // Whether that is confirmed isn't measured.
        let _ = (bench.handeye)(SESSION, &["click", &button(bench, "Ask")?]);
        let discard = button(bench, "Discard")?;
        let begun = Instant::now();
        (bench.handeye)(SESSION, &["click", &discard])?;
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
    }
    drop(ended);
    // Its window would be in the way of the next one's.
    let is_gone = || (bench.handeye)(SESSION, &["windows"]).is_ok_and(|windows| !windows.contains(script));
    once(is_gone, &format!("{script} doesn't end"))?;
    (bench.handeye)(SESSION, &["sessions", "stop", SESSION])?;
    Ok(times)
}

/// Number of the one button of this name, once it is there.
fn button(bench: &Clicks<'_>, name: &str) -> Outcome<String> {
    let mut found = String::new();
    once(
        || {
            let told = (bench.handeye)(SESSION, &["find", "--role", "button", "--name", name, "--json"]);
            let told: Value = told.ok().and_then(|told| serde_json::from_str(&told).ok()).unwrap_or_default();
            found = told["targets"][0]["ref"].to_string();
            told["targets"].as_array().is_some_and(|targets| targets.len() == 1)
        },
        &format!("no button {name:?}"),
    )?;
    Ok(found)
}

fn await_line(log: &Path, line: &str) -> Outcome {
    let holds = || std::fs::read_to_string(log).is_ok_and(|text| text.lines().any(|l| l == line));
    once(holds, &format!("{} doesn't say {line:?}", log.display()))
}

fn once(mut holds: impl FnMut() -> bool, otherwise: &str) -> Outcome {
    let begun = Instant::now();
    while !holds() {
        if begun.elapsed() > LIMIT {
            return Err(Fail::new(otherwise));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
