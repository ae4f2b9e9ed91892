//! The command line and its problems, without a browser.

use handeye_testkit::home::{Home, Ran, run};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Runs with variables set.
#[track_caller]
pub(crate) fn with(home: &Home, variables: &[(&str, &OsStr)], line: &str) -> Ran {
    let mut command = home.command(line.split_whitespace());
    command.envs(variables.iter().copied());
    run(command)
}

#[test]
fn commands_to_run_next_lead_to_the_session_that_was_named() {
    let home = Home::new();
    for (line, hint) in [
        ("--session s set viewport 800 600", "handeye --session s set viewport 800x600"),
        ("state --session=s", "handeye --session s open URL"),
        ("--session s click", "handeye --session s open URL"),
        ("--session s frobnicate", "handeye help"),
        ("set viewport 800 600", "handeye set viewport 800x600"),
    ] {
        let told = home.run(line).exit(2).err;
        assert!(told.lines().any(|said| said.strip_prefix("  try: ") == Some(hint)), "{line}: {told}");
    }
}

#[test]
fn help_tells_everything_needed() {
    let home = Home::new();
    let help = home.run("--help").exit(0).out;
    assert_eq!(home.run("help").exit(0).out, help);
    assert_eq!(home.run("").exit(0).out, help);
    assert_eq!(home.run("--help click").exit(0).out, help);
    for part in [
        "Usage: handeye COMMAND",
        "See:\n  open ",
        "Act on a target:\n  click ",
        "Go around:\n",
        "  click-at ",
        "Manage:\n  sessions ",
        "--session <NAME>",
        "--json",
        "--return-state",
        "--timeout",
        "--config",
        "Examples:\n  handeye open https://",
        "Exit status:\n  0 ",
        "  2  a problem",
        "handeye.toml",
        "HANDEYE_BROWSER",
        "HANDEYE_RUNTIME_DIR",
    ] {
        assert!(help.contains(part), "the help lacks {part:?}:\n{help}");
    }
    assert!(!help.contains("_serve"));
    assert!(help.lines().all(|line| line.chars().count() <= 100), "a line is too long:\n{help}");
    let click = home.run("click --help").exit(0).out;
    for part in ["handeye click", "[REF]", "--expect", "--xpath", "--session"] {
        assert!(click.contains(part), "the help of click lacks {part:?}:\n{click}");
    }
    assert!(home.run("help sessions stop").exit(0).out.contains("End a session"));
}

#[test]
fn places_are_told_of_pages_and_of_the_desktop() {
    let reference = Home::new().run("_docs commands").exit(0).out;
    let of_places = |line: &&str| line.contains("CSS pixels") || line.contains("edge of the viewport");
    let places: Vec<&str> = reference.lines().filter(of_places).collect();
    assert!(places.len() > 5, "{reference}");
    for line in places {
        // Only pages have a viewport that can be set, and are scrolled as a whole.
        let of_pages = ["Size of the viewport", "How far the page is scrolled"];
        assert!(line.contains("the desktop's screen") || of_pages.iter().any(|part| line.contains(part)), "{line}");
    }
}

#[test]
fn versions() {
    let home = Home::new();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(home.run("version").exit(0).out, format!("{version}\n"));
    assert_eq!(home.run("version --json").exit(0).json(), json!(version));
    assert_eq!(home.run("--version").exit(0).out, format!("handeye {version}\n"));
}

#[test]
fn wrong_command_lines() {
    let home = Home::new();
    for (line, part, hint) in [
        ("stat", "there is no command `stat`", "try: handeye state --help\n"),
        ("qqqq", "there is no command `qqqq`", "try: handeye help\n"),
        // The likest first.
        ("clik 3", "there is no command `clik`\n  try: handeye click --help\n", "try: handeye click-at --help\n"),
        ("tap 3", "there is no command `tap`", "try: handeye click --help\n"),
        ("visit example.com", "there is no command `visit`", "try: handeye open --help\n"),
        ("wait_for 2", "there is no command `wait_for`", "try: handeye wait --help\n"),
        ("js 1+1", "there is no command `js`", "try: handeye eval --help\n"),
        ("state --tab x", "`x` is no tab", "try: handeye state --help\n"),
        ("type 5 a b", "unexpected argument", "try: handeye type --help\n"),
        ("click 3 --frob", "unexpected argument '--frob'", "try: handeye click --help\n"),
        ("click css=", "`css=` names nothing", "try: handeye click --help\n"),
        ("click x", "`x` is not a target's number", "try: handeye click --help\n"),
        ("get", "`get` needs to be told what: text", "try: handeye get --help\n"),
        ("--timeout soon state", "`soon` is no time", "try: handeye state --help\n"),
        ("state --timeout -1", "`-1` is no time", "try: handeye state --help\n"),
        ("state --return-state=all", "invalid value 'all'", "try: handeye state --help\n"),
        ("state --since abc", "`abc` is no generation: write a whole number, 1 or more", "try: handeye state --help\n"),
        ("click-at Pay 5", "`Pay` is no distance in pixels: write a number", "try: handeye click-at --help\n"),
        (
            "set viewport 9x9 --scale big",
            "`big` is no scale: write a number from 0.1 to 10",
            "try: handeye set --help\n",
        ),
        ("network list --kind pages", "possible values: document, ", "try: handeye network --help\n"),
        ("set screen", "write one of viewport, device, ", "try: handeye set --help\n"),
        ("input 3", "the text to put in is missing", "try: handeye input"),
        ("_serve", "usage: handeye _serve", ""),
    ] {
        let ran = home.run(line).exit(2);
        assert!(ran.err.starts_with("error[bad_request]: "), "{line}: {ran:?}");
        assert!(ran.err.contains(part) && ran.err.contains(hint), "{line}: {ran:?}");
        assert_eq!(ran.out, "", "{line}");
    }
}

#[test]
fn problems_as_json() {
    let home = Home::new();
    for (line, code) in [
        ("stat --json", "bad_request"),
        ("--json click 3 --frob", "bad_request"),
        ("state --json", "not_found"),
        ("--session a/b --json state", "bad_request"),
        ("completions tcsh --json", "bad_request"),
        ("state --json --config /nowhere.toml", "file"),
    ] {
        let ran = home.run(line).exit(2);
        assert_eq!(ran.code(), code, "{line}");
        assert!(!ran.json()["error"]["message"].as_str().unwrap().is_empty());
        assert_eq!(ran.err, "", "{line}");
        assert_eq!(ran.out.lines().count(), 1, "{line}: {ran:?}");
    }
    // Behind `--` it is a text.
    let ran = home.run("click x -- --json").exit(2);
    assert_eq!(ran.out, "");
}

#[test]
fn values_that_look_like_options() {
    let home = Home::new();
    // All of these get as far as the session, which isn't there.
    for line in [
        "click-at -5 10.5",
        "--json click-at -5 -10.5",
        "drag-at -1 -2 -3.5 -4",
        "drag 3 --to -5,10",
        "find --in -5,-5,10,10",
        "input 3 -5",
        "input 3 text --json",
        "type -- --json",
        "--session=x state --timeout 2.5 --return-state",
        "state --return-state=full --session x",
        "get title --session x --json",
    ] {
        let ran = home.run(line).exit(2);
        assert!(ran.out.contains("not_found") || ran.err.contains("error[not_found]"), "{line}: {ran:?}");
    }
}

#[test]
fn session_names() {
    let home = Home::new();
    let long = "x".repeat(65);
    for bad in ["", "a b", "../x", "a.b", "é", &long] {
        let ran = run(home.command(["--session", bad, "state"])).exit(2);
        assert!(ran.err.starts_with("error[bad_request]: the session name"), "{bad}: {ran:?}");
        let ran = run(home.command(["sessions", "stop", bad])).exit(2);
        assert!(ran.err.starts_with("error[bad_request]: the session name"), "{bad}: {ran:?}");
    }
    let ran = run(home.command(["--session", &"x".repeat(64), "state"])).exit(2);
    assert!(ran.err.contains("error[not_found]"), "{ran:?}");
}

#[test]
fn completions_parse() {
    let home = Home::new();
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = home.run(&format!("completions {shell}")).exit(0).out;
        assert!(script.contains("rightclick"), "{shell}");
        let file = home.work().join(shell);
        fs::write(&file, script).unwrap();
        match Command::new(shell).arg(check).arg(&file).stderr(Stdio::inherit()).status() {
            Ok(status) => assert!(status.success(), "{shell} doesn't parse its completions"),
            Err(e) => println!("the completions for {shell} were not parsed by it: {e}"),
        }
    }
    assert!(home.run("completions tcsh").exit(2).err.contains("there are for bash"));
}

#[test]
fn a_reader_that_has_enough_is_no_problem() {
    let home = Home::new();
    let mut child =
        home.command(["completions", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn reference_and_schemas() {
    let home = Home::new();
    let text = home.run("_docs commands").exit(0).out;
    for part in ["### click\n", "--expect TEXT", "#### tabs new", "## Options of every command", "`--session NAME`"] {
        assert!(text.contains(part), "the reference lacks {part:?}");
    }
    let schema = home.run("_docs schema").exit(0).json();
    assert_eq!(schema["state"]["title"], "Snapshot");
    for command in ["open", "click", "state", "sessions"] {
        assert!(
            schema["commands"][command]["arguments"].is_object() && schema["commands"][command]["output"].is_object(),
            "{command}"
        );
    }
}
