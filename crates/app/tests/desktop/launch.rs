//! Starting programs: in whose surroundings they run, and which window is taken for theirs.

use handeye_testkit::desk::Desk;
use handeye_testkit::home::{self, Ran, eventually};
use std::time::{Duration, Instant};

const SINGLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/desktop/single.py");

/// Starts the program of which one runs at a time.
fn single(desk: &Desk, words: &[&str]) -> Ran {
    let log = desk.path("single.log");
    let mut all = vec!["launch", "/usr/bin/python3", SINGLE, &log];
    all.extend(words);
    desk.run(&all)
}

fn log(desk: &Desk) -> String {
    std::fs::read_to_string(desk.path("single.log")).unwrap_or_default()
}

#[test]
fn a_program_that_runs_already_answers_by_its_window() {
    let Some(desk) = Desk::open(&[]) else { return };
    let ran = single(&desk, &["First"]);
    assert!(ran.status == Some(0) && ran.out.contains("window \"First\" opened"), "{ran:?}");
    let begun = Instant::now();
    let ran = single(&desk, &["--new", "Second"]);
    assert!(ran.status == Some(0) && ran.out.contains("window \"Second\" opened"), "{ran:?}");
    let ran = single(&desk, &["/tmp/Third.txt"]);
    assert!(ran.status == Some(0), "{ran:?}");
    assert!(ran.out.contains("; title ") && ran.out.contains("→ \"/tmp/Third.txt\""), "{ran:?}");
    let state = desk.ok(&["state"]);
    assert!(state.starts_with("window \"/tmp/Third.txt\""), "{state}");
    assert!(begun.elapsed() < Duration::from_secs(12), "{:?}", begun.elapsed());
}

#[test]
fn a_splash_screen_is_waited_through() {
    let Some(desk) = Desk::open(&[]) else { return };
    let ran = single(&desk, &["--splash", "Main"]);
    assert!(ran.status == Some(0) && ran.out.contains("window \"Main\" opened"), "{ran:?}");
    assert!(desk.ok(&["state"]).contains("button \"Here\""));
}

#[test]
fn a_program_runs_in_its_callers_folder_with_its_callers_environment() {
    let Some(desk) = Desk::open(&[]) else { return };
    let folder = desk.home.work().join("elsewhere");
    std::fs::create_dir(&folder).unwrap();
    let path = desk.path("single.log");
    let mut command = desk.command(&["launch", "/usr/bin/python3", SINGLE, &path, "Main", "--", "--json", "-x"]);
    let ran = home::run(command_in(&mut command, &folder));
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let log = log(&desk);
    let folder = folder.canonicalize().unwrap();
    assert!(log.contains(&format!("folder {}\n", folder.display())), "{log}");
    assert!(log.contains("variable of the caller\n"), "{log}");
    assert!(log.contains("arguments Main -- --json -x\n"), "{log}");
}

fn command_in(command: &mut std::process::Command, folder: &std::path::Path) -> std::process::Command {
    command.current_dir(folder).env("SINGLE", "of the caller");
    std::mem::replace(command, std::process::Command::new("true"))
}

#[test]
fn a_program_is_launched_and_windows_are_listed_without_opening_the_desktop_first() {
    let Some(desk) = Desk::with(&[]) else { return };
    assert_eq!(desk.ok(&["windows", "--session", "looks"]), "no window is open");
    let path = desk.path("single.log");
    let ran = desk.run(&["launch", "/usr/bin/python3", "--", SINGLE, &path, "Main"]);
    assert!(ran.status == Some(0) && ran.out.contains("window \"Main\" opened"), "{ran:?}");
    assert!(desk.ok(&["windows", "--session", "looks"]).contains("\"Main\""));
    // What a policy says of opening and of the desktop holds for it all the same.
    for rule in ["manages", "reads@desktop:", "reads"] {
        std::fs::write(desk.path("closed.toml"), format!("[policy]\ndeny = [{rule:?}]\n")).unwrap();
        let said = desk.problem(&["windows", "--session", "third", "--config", &desk.path("closed.toml")]);
        assert!(said.starts_with("error[denied]: "), "{rule}: {said}");
    }
}

#[test]
fn options_behind_two_dashes_go_to_the_program() {
    let Some(desk) = Desk::open(&[]) else { return };
    let path = desk.path("single.log");
    let ran = desk.run(&["launch", "/usr/bin/python3", "--", SINGLE, &path, "Main", "--timeout", "--window"]);
    assert!(ran.status == Some(0) && ran.out.contains("window \"Main\" opened"), "{ran:?}");
    assert!(log(&desk).contains("arguments Main --timeout --window\n"), "{}", log(&desk));
}

#[test]
fn what_a_program_that_ends_at_once_said_is_told() {
    let Some(desk) = Desk::open(&[]) else { return };
    let begun = Instant::now();
    let said = desk.problem(&["launch", "sh", "-c", "echo first >&2; echo 'no such \"disk\"' >&2; exit 3"]);
    assert!(said.starts_with("error[unavailable]: sh ended (exit status: 3) before a window came up"), "{said}");
    assert!(said.contains("first | no such") && said.contains("disk"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    // What goes on writing is not held up by it, nor ended with the session.
    let flag = desk.path("flag");
    let loud = format!("for i in 1 2 3 4 5 6; do echo line >&2; sleep 0.3; done; echo done > {flag}");
    desk.run(&["--timeout", "1", "launch", "sh", "-c", &loud]);
    desk.run(&["sessions", "stop", "--all"]);
    assert!(eventually(Duration::from_secs(8), || std::fs::read_to_string(&flag).is_ok_and(|t| t.trim() == "done")));
}
