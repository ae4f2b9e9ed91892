//! Dialogs of GTK 3, GTK 4 and Qt: how they are closed, what lies below them, and what a picture shows of both.

use super::kits::{GTK_3, GTK_4, QT, on_a_form};
use handeye_testkit::desk::{Desk, say};
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use std::time::{Duration, Instant};

/// Has a form ask by its dialog.
#[track_caller]
fn ask(desk: &Desk) {
    let ran = desk.run(&["click", &desk.number("button", "Ask")]);
    assert!(ran.out.contains("window \"Sure\" opened"), "{ran:?}");
}

/// A picture: width, height and its pixels' red, green and blue.
fn picture(desk: &Desk, name: &str) -> (usize, usize, Vec<u8>) {
    let file = std::fs::File::open(desk.path(name)).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width as usize, info.height as usize, pixels)
}

/// How long a look takes at present: the measure of how busy the machine is.
fn a_look(desk: &Desk) -> Duration {
    let mut took: Vec<Duration> = (0..3)
        .map(|_| {
            let begun = Instant::now();
            desk.ok(&["state"]);
            begun.elapsed()
        })
        .collect();
    took.sort();
    took[1]
}

#[test]
fn a_click_that_closes_its_dialog_is_confirmed_at_once() {
    on_a_form(GTK_4, |desk, _, script| {
        let rounds = if is_full() { 5 } else { 3 };
        let mut took = Vec::new();
        for _ in 0..rounds {
            ask(desk);
            let button = desk.number("button", "Discard");
            let begun = Instant::now();
            let ran = desk.run(&["click", &button]);
            took.push(begun.elapsed());
            assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
            assert!(ran.out.contains("window \"Sure\" closed"), "{script}: {ran:?}");
        }
        took.sort();
        say(&format!("{script}: a click that closes its dialog takes {took:?}"));
        // The ping alone waited for two seconds each time before, on a machine at rest; one that is busy slows some of them.
        assert!(took[0] < Duration::from_millis(1000) + 4 * a_look(desk), "{script}: {took:?}");
    });
}

#[test]
fn escape_that_closes_a_dialog_is_confirmed_by_that() {
    on_a_form(QT, |desk, form, script| {
        ask(desk);
        let begun = Instant::now();
        let ran = desk.run(&["keys", "Escape"]);
        let took = begun.elapsed();
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        assert!(ran.out.contains("window \"Sure\" closed"), "{script}: {ran:?}");
        assert!(took < Duration::from_millis(1600) + 4 * a_look(desk), "{script}: {took:?}");
        let answered = || form.log().lines().any(|line| line.starts_with("answered "));
        assert!(eventually(Duration::from_secs(3), answered), "{script}: {}", form.log());
    });
}

#[test]
fn a_window_below_a_modal_dialog_is_one_line() {
    on_a_form(GTK_3, |desk, _, script| {
        ask(desk);
        let state = desk.ok(&["state", "--window", script]);
        let below = ["Host:", "Port:", "Mount point", "\"Ask\"", "General"];
        assert!(!below.iter().any(|name| state.contains(name)), "{script}: {state}");
        assert!(state.contains("button \"Discard\"") && state.contains("Discard all?"), "{script}: {state}");
        assert_eq!(state.matches(&format!("notice barred: {script:?}")).count(), 1, "{script}: {state}");
        assert!(desk.ok(&["state", "--all"]).contains("Host:"), "{script}");
        let ran = desk.run(&["click", &desk.number("button", "Keep")]);
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        assert!(desk.ok(&["state"]).contains("Host:"), "{script}");
    });
}

#[test]
fn a_picture_of_a_covered_window_shows_it_and_its_dialog() {
    on_a_form(GTK_3, |desk, form, script| {
        desk.run(&["window", "move", "200", "100", "--window", script]);
        desk.ok(&["screenshot", "alone.png"]);
        let (width, height, alone) = picture(desk, "alone.png");
        let mut cover = desk.panel("Covers");
        cover.tell("cover 0 0 1280 1024");
        assert!(eventually(Duration::from_secs(5), || desk.ok(&["windows"]).contains("\"Cover\"")));
        let ran = desk.run(&["screenshot", "covered.png", "--window", script]);
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        let covered = picture(desk, "covered.png");
        assert_eq!((covered.0, covered.1), (width, height), "{script}");
        let same = alone.chunks(3).zip(covered.2.chunks(3)).filter(|(a, b)| a == b).count();
        // What has the keyboard is drawn otherwise.
        assert!(same * 100 > width * height * 90, "{script}: {same} of {}", width * height);
        drop(cover);
        assert!(eventually(Duration::from_secs(5), || !desk.ok(&["windows"]).contains("Cover")));

        desk.ok(&["focus", script]);
        ask(desk);
        let ran = desk.run(&["screenshot", "dialog.png", "--window", script]);
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        let with = picture(desk, "dialog.png");
        desk.ok(&["screenshot", "only.png", "--window", "Sure"]);
        let only = picture(desk, "only.png");
        // Somewhere in the picture is the dialog, line by line.
        let row = |picture: &(usize, usize, Vec<u8>), y: usize, x: usize, count: usize| {
            picture.2[(y * picture.0 + x) * 3..(y * picture.0 + x + count) * 3].to_vec()
        };
        let middle = row(&only, only.1 / 2, 0, only.0);
        let found =
            (0..with.1).any(|y| (0..=with.0.saturating_sub(only.0)).any(|x| row(&with, y, x, only.0) == middle));
        assert!(found && with.0 >= only.0, "{script}: {:?} {:?}", (with.0, with.1), (only.0, only.1));
        desk.run(&["keys", "Escape", "--window", "Sure"]);
        assert!(!form.log().is_empty());
    });
}
