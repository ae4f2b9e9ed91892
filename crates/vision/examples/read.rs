//! `cargo xtask bench read`: what finding text and controls in pictures of pages costs, and how much is found.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::panic)]

#[cfg(unix)]
#[path = "../tests/score/mod.rs"]
mod score;

#[cfg(unix)]
fn main() -> std::process::ExitCode {
    unix::main()
}

#[cfg(not(unix))]
fn main() {}

#[cfg(unix)]
mod unix {
    use crate::score::{self, Score, picture};
    use handeye_testkit::rendered::Rendered;
    use handeye_vision::{Budget, Memory, Ocr, Picture, shapes};
    use std::{
        path::{Path, PathBuf},
        process::ExitCode,
        time::{Duration, Instant},
    };

    const PLENTY: Budget = Budget::of(Duration::from_secs(300));

    pub(super) fn main() -> ExitCode {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let [rounds, mode, models, pages @ ..] = args.as_slice() else { panic!("rounds, mode, models, pages") };
        let rounds: usize = rounds.parse().unwrap();
        let begun = Instant::now();
        let ocr = Ocr::load(Path::new(models)).unwrap();
        println!("models loaded and checked in {} ms\n", begun.elapsed().as_millis());
        let own = ["form", "chinese", "gradient", "canvas"].map(|name| format!("{name}.html"));
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vision");
        let pages: Vec<PathBuf> = if pages.is_empty() {
            own.iter().map(|name| folder.join(name)).collect()
        } else {
            pages.iter().map(PathBuf::from).collect()
        };
        println!("{:24}{:>16}{:>16}{:>7}{:>16}", "ms, wall and processor", "first", "second", "share", "shapes");
        let (mut words, mut controls, mut shares) = (Score::default(), Score::default(), Vec::new());
        for path in &pages {
            let page = Rendered::page(path, 1.0);
            let found = measured(&ocr, &page, path, rounds, mode == "missed");
            words.add(&found.words);
            controls.add(&found.controls);
            shares.push(found.share);
        }
        let share = median(&shares);
        println!("\nwords {}/{} ({:.1} %, at least 95)", words.found, words.of, 100.0 * words.share());
        println!("controls {}/{} ({:.1} %, at least 92)", controls.found, controls.of, 100.0 * controls.share());
        println!("second look / first: {share:.2} (at most 0.25)");
        println!("peak memory {:.0} MiB", peak());
        let holds = words.share() >= 0.95 && controls.share() >= 0.92 && share <= 0.25;
        if mode == "check" && !holds { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    struct Found {
        words: Score,
        controls: Score,
        share: f64,
    }

    fn measured(ocr: &Ocr, page: &Rendered, path: &Path, rounds: usize, tell: bool) -> Found {
        let (before, after) = (picture(page), changed(page));
        let (mut first, mut second, mut boxes) = (Times::default(), Times::default(), Times::default());
        let mut lines = Vec::new();
        let mut found = Vec::new();
        for _ in 0..rounds {
            let mut memory = Memory::default();
            let reading = first.take(|| memory.look(ocr, &before, PLENTY).unwrap());
            second.take(|| memory.look(ocr, &after, PLENTY).unwrap());
            lines = reading.lines;
            found = boxes.take(|| shapes(&before, &lines));
        }
        let (words, controls) = (score::words(page, &lines), score::controls(page, &found));
        let share = median(&second.cpu) / median(&first.cpu);
        let name = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect::<Vec<_>>();
        let name: String =
            name.iter().rev().map(AsRef::as_ref).collect::<Vec<_>>().join("/").chars().take(23).collect();
        let of = |score: &Score| format!("{}/{}", score.found, score.of);
        println!(
            "{name:<24}{:>8.0}{:>8.0}{:>8.0}{:>8.0}{share:>7.2}{:>8.0}{:>8.0}{:>10}{:>10}{:>8}",
            median(&first.wall),
            median(&first.cpu),
            median(&second.wall),
            median(&second.cpu),
            median(&boxes.wall),
            median(&boxes.cpu),
            of(&words),
            of(&controls),
            found.len()
        );
        if tell {
            words.missed.iter().for_each(|word| println!("  no word    {word}"));
            controls.missed.iter().for_each(|control| println!("  no control {control}"));
            found.iter().for_each(|shape| {
                println!("    {:?} {:?} {:?} {:.2}", shape.kind, shape.text, shape.rect, shape.confidence)
            });
        }
        Found { words, controls, share }
    }

    /// The page with a word of it moved by a few pixels, as a new number in a table changes it.
    fn changed(page: &Rendered) -> Picture {
        let mut rgb = page.rgb.clone();
        let [x, y, w, h] = page.words[page.words.len() / 2].rect.map(|value| value as usize);
        let width = page.width as usize;
        for y in y..(y + h).min(page.height as usize) {
            let row = y * width * 3;
            let right = (x + w).min(width - 3);
            rgb.copy_within(row + x * 3..row + right * 3, row + (x + 3) * 3);
        }
        Picture::rgb(page.width, page.height, page.scale, rgb).unwrap()
    }

    /// Times of a thing, in milliseconds: by the clock, and of all processors. On a busy machine the second tells more.
    #[derive(Default)]
    struct Times {
        wall: Vec<f64>,
        cpu: Vec<f64>,
    }

    impl Times {
        fn take<T>(&mut self, work: impl FnOnce() -> T) -> T {
            let (begun, before) = (Instant::now(), processor());
            let result = work();
            self.wall.push(begun.elapsed().as_secs_f64() * 1e3);
            self.cpu.push(processor() - before);
            result
        }
    }

    /// Processor time of this process so far, in milliseconds: the 14th and 15th word of its line, in hundredths of a second.
    fn processor() -> f64 {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name.split_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() * 10.0
    }

    fn median(values: &[f64]) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// Most memory that this process held, in MiB, where the system tells.
    fn peak() -> f64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
        line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or_default() / 1024.0
    }
}
