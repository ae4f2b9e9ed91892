//! `cargo xtask bench locate`: the crosshair search with simulated judges.

use crate::{
    install::{self, Need},
    pictures::{self, Shell},
    run::{self, Fail, Outcome},
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const HELP: &str = "\
Measure how often and in how many questions the crosshair search finds an element, with simulated judges.

Usage: cargo xtask bench locate [--trials N] [--check]
       cargo xtask bench locate --record [--kit DIR] [--binary PATH]

On random layouts of 1280 by 800 pixels and on recorded states (fixtures/locate: pages and apps that others wrote), beside
seed 1's rule as written and the same with bounds that propagate, in the same run. A judge errs about each line by itself with
the stated rate, any other answer alike, and about marks half as often; the same line or box it answers alike, however often
and with whatever other line it is drawn, and it may pick any box around the middle of what it looks for. With a look-alike,
it errs about marks in the same share of searches, but there in every question, however the marks are drawn. Its answer about
marks counts as a question. `false>=0.99`: of what was said with a confidence of 0.99 or more, how much was wrong. Then what
is none of the candidates is sought: what the judge doesn't see, and what it sees between them; then, where there are no
candidates, the four edges of what there is, and a middle that is on it; and the same to the end: edges, a closer look at what
is thin, and whether what is marked is it (this judge says so of whatever shares a pixel with the box), in a picture of three
parts, too, and with a look-alike; there it is sought more often until 300 are said to be sure. The last table is of
calibration: how often what was believed after an answer was so, by how probable it was said to be.

Options:
  --trials N     searches per line (default 1000)
  --from N       the first seed of the layouts and of the judges (default 0): what was chosen on some is to hold on others
  --check        exit with 1 where a goal is missed. Of 50 candidates (or at most 60 of a recorded state): without wrong answers
                 99.5 % found in 2.8 questions, with 10 % of them 99 % in 4.5, with 20 % 97 % in 7; of more, with 10 % wrong 98 %
                 in 6; the edges of what is no candidate within 100 pixels, and the middle on it, in 7; to the end 99 % in 11.5, 10 %
                 wrong 25 % in 14.5 (the limit is 15), and a floor for every other row; never more than 1 % wrong at 0.99 or more,
                 be the rate of errors told or not, nor more than 1 % of what is there said not to be, nor a row with nothing
                 sure, or with one wrong among fewer than 100; of what is none of the candidates 99, 85 and 40 % (without,
                 with 10 and 20 % wrong answers) not found within the limit, and at most 1 % taken for another
  --record       instead, note anew where the candidates of the pages and apps are (Linux)
  --kit DIR      where the evaluation kit is whose pages are recorded (default ../shared/evalkit)
  --binary PATH  record with this handeye instead of building one
";

/// Where the recorded states are.
const FOLDER: &str = "fixtures/locate";
/// The pages that are recorded: name and path on the kit's server.
const PAGES: [(&str, &str, &[&str]); 8] = [
    ("form", "/npm/admin-lte/dist/forms/elements.html", &[]),
    ("mailbox", "/npm/admin-lte/dist/mailbox/inbox.html", &[]),
    ("dashboard", "/npm/admin-lte/dist/index.html", &[]),
    ("general", "/npm/admin-lte/dist/UI/general.html", &[]),
    ("table", "/npm/startbootstrap-sb-admin-2/tables.html", &[]),
    ("register", "/npm/startbootstrap-sb-admin-2/register.html", &[]),
    ("index", "/pydoc/genindex-A.html", &[]),
    ("functions", "/pydoc/library/functions.html", &[]),
];
/// Of two targets that share so much of their area, one stands for both, as in a search.
const SAME: f64 = 0.9;

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 1000, value_parser = run::parse_count)]
    trials: usize,
    #[arg(long, conflicts_with = "record")]
    check: bool,
    #[arg(long, default_value_t = 0, conflicts_with = "record")]
    from: u64,
    #[arg(long)]
    record: bool,
    #[arg(long, requires = "record")]
    kit: Option<PathBuf>,
    #[arg(long, requires = "record")]
    binary: Option<PathBuf>,
}

pub(super) fn main(options: Options) -> Outcome {
    if options.record {
        install::ensure(&[Need::Browser, Need::LatinFont, Need::Desktop])?;
        let folder = run::root().join(FOLDER);
        std::fs::create_dir_all(&folder)?;
        let note = |shell: &Shell, name: &str, more: &[&str]| note(shell, &folder, name, more);
        return pictures::show_all(options.binary, options.kit, &PAGES, &note);
    }
    let (trials, from) = (options.trials.to_string(), options.from.to_string());
    let mode = if options.check { "check" } else { "show" };
    let simulation = [
        "run",
        "--release",
        "--quiet",
        "-p",
        "handeye-engine",
        "--example",
        "crosshair",
        "--",
        &trials,
        mode,
        "all",
        &from,
    ];
    run::checked(run::cargo().args(simulation))
}

/// Notes where the targets in sight are, in pixels of a picture of the window.
fn note(shell: &Shell, folder: &Path, name: &str, more: &[&str]) -> Outcome {
    let said = shell.run(&[&["state", "--json", "--budget", "none"], more].concat())?;
    let state = parsed(&said)?;
    let picture = folder.join("picture.png");
    let window = if more.is_empty() { &[][..] } else { more };
    let shot = shell.run(&[&["screenshot", &picture.display().to_string(), "--json"], window].concat())?;
    std::fs::remove_file(&picture)?;
    let area = sides(&parsed(&shot)?["area"]).ok_or_else(|| Fail::new("a picture of nowhere"))?;
    let mut kept: Vec<[f64; 4]> = Vec::new();
    for target in state["targets"].as_array().into_iter().flatten().filter(|target| is_in_sight(target)) {
        let Some([x, y, width, height]) = sides(&target["rect"]) else { continue };
        let rect = [x - area[0], y - area[1], width, height];
        let is_inside = rect[0] + width > 0.0 && rect[1] + height > 0.0 && rect[0] < area[2] && rect[1] < area[3];
        if width >= 1.0 && height >= 1.0 && is_inside && !kept.iter().any(|other| overlap(*other, rect) > SAME) {
            kept.push(rect.map(|side| (side * 10.0).round() / 10.0));
        }
    }
    let path = folder.join(format!("{name}.json"));
    let rects: Vec<String> = kept.iter().map(|rect| json!(rect).to_string()).collect();
    let rects = rects.join(",\n");
    let text =
        format!("{{\"name\": {}, \"view\": {}, \"rects\": [\n{rects}\n]}}\n", json!(name), json!([area[2], area[3]]));
    std::fs::write(path, text)?;
    println!("{name}: {} candidates", kept.len());
    Ok(())
}

fn parsed(said: &str) -> Outcome<Value> {
    serde_json::from_str(said).map_err(|e| Fail::new(format!("handeye didn't print JSON: {e}")))
}

fn is_in_sight(target: &Value) -> bool {
    let states = target["states"].as_array();
    target["source"] == "native"
        && !states.into_iter().flatten().any(|state| state == "offscreen" || state == "covered")
}

fn sides(rect: &Value) -> Option<[f64; 4]> {
    let sides: Vec<f64> = rect.as_array()?.iter().filter_map(Value::as_f64).collect();
    sides.try_into().ok()
}

/// Intersection over union.
fn overlap(a: [f64; 4], b: [f64; 4]) -> f64 {
    let side = |i: usize| ((a[i] + a[i + 2]).min(b[i] + b[i + 2]) - a[i].max(b[i])).max(0.0);
    let shared = side(0) * side(1);
    shared / (a[2] * a[3] + b[2] * b[3] - shared).max(1e-9)
}
