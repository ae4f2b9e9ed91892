//! Every kind of Win32's controls under every change of `fixtures/matching.json`, before and within a click. The program's own log
//! judges.

use crate::stage::{self, Panel, Stage, click};
use handeye_engine::ClickBy;
use handeye_scene::{Problem, Receipt, Verdict};

fn open() -> (Stage, Panel) {
    let mut stage = Stage::open_win32();
    let mut panel = stage.panel("Panel");
    panel.tell("kinds");
    stage.choose("Panel kinds");
    (stage, panel)
}

/// Kinds of controls, and the role of each.
const KINDS: [(&str, &str); 19] = [
    ("button", "button"),
    ("default", "button"),
    ("check", "checkbox"),
    ("radio", "radio"),
    ("toggle", "togglebutton"),
    ("three", "checkbox"),
    ("member", "radio"),
    ("static", "text"),
    ("edit", "textbox"),
    ("choice", "combobox"),
    ("slider", "slider"),
    ("option", "option"),
    ("drop", "option"),
    ("row", "row"),
    ("cell", "cell"),
    ("heading", "columnheader"),
    ("treeitem", "treeitem"),
    ("tab", "tab"),
    ("tool", "button"),
];

/// Those that act when the pointer is let go: what changes while they are pressed is seen in time.
const ON_RELEASE: [&str; 9] = ["button", "default", "check", "radio", "toggle", "three", "member", "heading", "tool"];

/// When a text changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// Between the look and the click, which is the control's own message where it has one.
    Before,
    /// The same, by the pointer.
    BeforePointer,
    /// As the pointer comes.
    Hover,
    /// As it is pressed.
    Press,
}

/// One change of a text.
struct Change {
    id: String,
    from: String,
    to: String,
    allowed: bool,
}

fn changes() -> Vec<Change> {
    let table: serde_json::Value = serde_json::from_str(include_str!("../../../../fixtures/matching.json")).unwrap();
    let text = |of: &serde_json::Value, name: &str| of[name].as_str().unwrap().to_owned();
    let change = |told: &serde_json::Value| Change {
        id: text(told, "id"),
        from: text(told, "from"),
        to: text(told, "to"),
        allowed: told["allowed"].as_bool().unwrap(),
    };
    table["changes"].as_array().unwrap().iter().map(change).collect()
}

/// The moments that are tried for a kind: all of them, or one that goes round.
fn moments(kind: &str, number: usize, all: bool) -> Vec<When> {
    let times: &[When] = if ON_RELEASE.contains(&kind) {
        &[When::Before, When::BeforePointer, When::Hover, When::Press]
    } else {
        &[When::Before, When::BeforePointer]
    };
    if all { times.to_vec() } else { vec![times[number % times.len()]] }
}

/// Acts on one kind under one change; what was wrong.
fn try_one(
    stage: &mut Stage,
    panel: &mut Panel,
    (kind, role): (&str, &str),
    change: &Change,
    when: When,
) -> Result<Result<Receipt, Problem>, String> {
    panel.tell("idle");
    panel.tell(&format!("say {kind} {}", change.from));
    if kind == "drop" {
        panel.tell("drop");
    }
    let on = stage.any_number(role, change.from.trim());
    let mark = format!("hit {kind} ");
    let count = |panel: &Panel| panel.log().lines().filter(|l| l.starts_with(&mark)).count();
    let before = count(panel);
    match when {
        When::Before | When::BeforePointer => panel.tell(&format!("say {kind} {}", change.to)),
        When::Hover => panel.tell(&format!("arm hover {kind} {}", change.to)),
        When::Press => panel.tell(&format!("arm press {kind} {}", change.to)),
    }
    let by = if when == When::Before && kind != "drop" { ClickBy::Best } else { ClickBy::Pointer };
    let outcome = stage.act(on, click(by));
    let refused = outcome.as_ref().is_ok_and(|r| r.verdict == Verdict::Contradicted);
    let told = format!("{kind} {} {when:?}: {outcome:?}", change.id);
    match (change.allowed, &outcome) {
        (_, Err(_)) => Err(format!("a problem: {told}")),
        (true, Ok(_)) if refused => Err(format!("refused though it is allowed: {told}")),
        (true, Ok(_)) if !stage::eventually(|| count(panel) > before) => Err(format!("nothing came of it: {told}")),
        (false, Ok(_)) if count(panel) > before => Err(format!("wrong: {told}")),
        (false, Ok(_)) if !refused => Err(format!("not said to be refused: {told}")),
        _ => Ok(outcome),
    }
}

#[test]
fn every_change_of_a_text_is_refused_or_allowed_on_every_kind_of_control() {
    let asked = std::env::var("HANDEYE_TRIALS").unwrap_or_default();
    let all = asked == "full";
    let (mut stage, mut panel) = open();
    let (mut tried, mut amiss) = (0, Vec::new());
    let changes = changes();
    // Every change, and every kind several times.
    let step = asked.parse().map_or(12, |tries: usize| (KINDS.len() * changes.len() / tries.max(1)).max(1));
    for (nth, kind) in KINDS.into_iter().enumerate() {
        let begun = std::time::Instant::now();
        for (number, change) in changes.iter().enumerate() {
            if !all && (number + 5 * nth) % step != 0 {
                continue;
            }
            for when in moments(kind.0, number / step + nth, all) {
                tried += 1;
                if let Err(what) = try_one(&mut stage, &mut panel, kind, change, when) {
                    eprintln!("{what}");
                    amiss.push(what);
                }
            }
        }
        eprintln!("{}: {tried} by now, {} amiss, {:?}", kind.0, amiss.len(), begun.elapsed());
    }
    assert!(amiss.is_empty(), "{} of {tried}: {amiss:#?}", amiss.len());
}
