//! What nobody disturbs is done and confirmed, counted for each toolkit: forms of GTK 3, GTK 4 and Qt, whose own logs judge.

use super::kits::tried;
use handeye_testkit::desk::{self, Desk, Panel};
use handeye_testkit::home::eventually;
use std::time::Duration;

/// How long an app may take to write down what was done to it.
const LOGS: Duration = Duration::from_secs(5);

struct Toolkit {
    name: &'static str,
    script: &'static str,
    /// Besides what all have. `select` isn't among GTK 4's and Qt's: their lists are refused, with a hint to click.
    own: fn(usize) -> Vec<Action>,
}

const TOOLKITS: [Toolkit; 3] = [
    Toolkit { name: "GTK 3", script: "forms_gtk3.py", own: gtk3 },
    Toolkit { name: "GTK 4", script: "forms_gtk4.py", own: gtk4 },
    Toolkit { name: "Qt", script: "forms_qt.py", own: qt },
];

/// A command for a target, and the line that the app then writes.
struct Action {
    /// Its command, and what stands behind the target.
    command: (&'static str, Vec<String>),
    /// Role and name; none where the command names what it acts on itself.
    target: Option<(&'static str, &'static str)>,
    logged: String,
}

fn action(command: &'static str, role: &'static str, name: &'static str, logged: impl Into<String>) -> Action {
    Action { command: (command, Vec::new()), target: Some((role, name)), logged: logged.into() }
}

fn input(role: &'static str, name: &'static str, text: &str, log: &str) -> Action {
    Action { command: ("input", vec![text.into()]), ..action("input", role, name, format!("{log} {text}")) }
}

fn menu(path: &str, logged: String) -> Action {
    Action { command: ("menu", vec![path.into()]), target: None, logged }
}

/// As Python writes it.
fn truth(on: bool) -> &'static str {
    if on { "True" } else { "False" }
}

/// What every form has: fields, a box, and a button and tabs.
fn all(round: usize) -> [Vec<Action>; 3] {
    let is_even = round.is_multiple_of(2);
    let fields = vec![
        input("textbox", "Host:", &format!("host {round} 中文"), "host edited"),
        input("textbox", "Port:", &format!("80{round}"), "port edited"),
        input("textbox", "Mount point", &format!("/mnt/{round} é"), "mount edited"),
        // One that is as long as before tells nothing.
        input("textbox", "Secret", if is_even { "hush" } else { "hush hush" }, "secret edited"),
        input("spinbutton", "Count", &(round % 90 + 3).to_string(), "count"),
    ];
    let keep = vec![
        action("check", "checkbox", "Keep", "keep True"),
        action("uncheck", "checkbox", "Keep", "keep False"),
        action("click", "checkbox", "Keep", "keep True"),
        action("click", "checkbox", "Keep", "keep False"),
    ];
    let others = vec![
        action("click", "button", "Add", "added"),
        action("click", "tab", "Details", "page 1"),
        action("click", "tab", "General", "page 0"),
    ];
    [fields, keep, others]
}

fn gtk3(round: usize) -> Vec<Action> {
    let paint = if round.is_multiple_of(2) { "Green" } else { "Red" };
    let on = round.is_multiple_of(2);
    vec![
        // It is called by what is chosen in it.
        Action {
            command: ("select", vec![paint.into()]),
            ..action("select", "combobox", "", format!("paint {paint}"))
        },
        menu("View->Wrap lines", format!("wrap {}", truth(on))),
        input("textbox", "Caption", &format!("loose {round}"), "loose edited"),
    ]
}

fn gtk4(round: usize) -> Vec<Action> {
    vec![input("textbox", "Sought", &format!("sought {round}"), "sought edited")]
}

fn qt(round: usize) -> Vec<Action> {
    vec![
        input("spinbutton", "When", &format!("2025-07-{:02}", round % 28 + 1), "when"),
        input("textbox", "Notes", &format!("notes {round}"), "notes edited"),
        menu("View->Wrap lines", format!("wrap {}", truth(round.is_multiple_of(2)))),
    ]
}

/// How often the app wrote a line.
fn count(form: &Panel, line: &str) -> usize {
    form.log().lines().filter(|said| *said == line).count()
}

/// Does it, and says what is amiss, if anything is: whether it was confirmed, and whether it was really done.
fn amiss(desk: &Desk, form: &Panel, action: &Action) -> Option<String> {
    let before = count(form, &action.logged);
    let mut words = vec![action.command.0.to_owned()];
    words.extend(action.target.map(|(role, name)| desk.number(role, name)));
    words.extend(action.command.1.iter().cloned());
    words.push("--json".into());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = desk.run(&words).json();
    let done = eventually(LOGS, || count(form, &action.logged) > before);
    (!done || told["verdict"] != "confirmed").then(|| format!("{words:?}: done: {done}, {told}"))
}

/// In a sample each form is tried with another part of what all have, and with what it has of its own.
#[test]
fn what_nobody_disturbs_is_done_and_confirmed_on_each_toolkit() {
    let Some(desk) = Desk::open(&[]) else { return };
    let rounds = handeye_testkit::trials(1, 20);
    let mut poor = Vec::new();
    for (turn, toolkit) in TOOLKITS.into_iter().enumerate() {
        let form = desk.fixture(toolkit.script, toolkit.name);
        let of_round = |round| tried(all(round), turn).into_iter().flatten().chain((toolkit.own)(round));
        let actions = (0..rounds).flat_map(of_round);
        let tried: Vec<Option<String>> = actions.map(|action| amiss(&desk, &form, &action)).collect();
        let missed: Vec<&String> = tried.iter().flatten().collect();
        desk::say(&format!(
            "undisturbed, {}: {} of {} confirmed",
            toolkit.name,
            tried.len() - missed.len(),
            tried.len()
        ));
        // At least 99.5 of 100.
        if missed.len() * 200 > tried.len() {
            poor.push(format!("{}: {missed:#?}", toolkit.name));
        }
        drop(form);
        let gone = || !desk.ok(&["windows"]).contains(toolkit.name);
        assert!(eventually(Duration::from_secs(5), gone), "{}", toolkit.name);
    }
    assert!(poor.is_empty(), "{}", poor.join("\n"));
}
