//! What an element can't take at all, whatever its state.

use crate::act::action::{Action, is_within};
use crate::observe::outline::round;
use handeye_scene::{Code, EditKind, Probe, Problem, State};

/// Refuses a deed that an element can't take. `name` is what it is called, `number` its ref, for hints.
pub(super) fn supported(action: &Action, probe: &Probe, name: &str, number: u32) -> Result<(), Problem> {
    let refuse = |what: &str, next: String| Err(Problem::new(Code::Unsupported, format!("{name} {what}")).hint(next));
    let in_frame = matches!(probe.tag.as_str(), "iframe" | "frame");
    match action {
        Action::Click { offset: Some(o), .. } if !is_within(*o, probe.rect) => {
            let size = format!("{}×{}", round(probe.rect.width), round(probe.rect.height));
            let text = format!("{},{} lies outside {}, which is {size} pixels", o.x, o.y, name);
            Err(Problem::new(Code::BadRequest, text).hint(format!("handeye get rect {number}")))
        }
        Action::Hover | Action::Scroll { .. } => Ok(()),
        _ if probe.tag == "fencedframe" => {
            refuse("is fenced: what it shows can't be read, nor what happens in it", "handeye state".into())
        }
        _ if in_frame => {
            refuse("shows a document of its own: act on what is in it", format!("handeye state --within {number}"))
        }
        Action::Expand(_) if !(probe.states.has(State::Expanded) || probe.states.has(State::Collapsed)) => {
            refuse("neither expands nor collapses", format!("handeye click {number}"))
        }
        // A native one holds a value beneath, which the click turns.
        Action::Check(on) if probe.states.has(State::Mixed) && probe.checked == Some(*on) => {
            refuse("is mixed, and a click would do the opposite", format!("handeye click {number}"))
        }
        Action::Check(_) if probe.checked.is_none() => refuse("can't be checked", format!("handeye click {number}")),
        Action::Select(_) if probe.edit != EditKind::Select => {
            refuse("isn't a list of options that can be chosen from", format!("handeye click {number}"))
        }
        Action::Upload(_) if probe.edit != EditKind::File => {
            refuse("doesn't take files", format!("handeye upload {number} FILE --click"))
        }
        Action::Upload(files) if files.len() > 1 && !probe.states.has(State::Multiple) => {
            refuse("takes one file, and several were given", format!("handeye upload {number} FILE"))
        }
        Action::Input(_) if probe.edit == EditKind::Select => {
            refuse("is a list of options", format!("handeye select {number} OPTION"))
        }
        Action::Input(_) if probe.edit == EditKind::File => {
            refuse("takes files", format!("handeye upload {number} FILE"))
        }
        Action::Input(_) if probe.edit == EditKind::None => {
            refuse("can't be edited", format!("handeye click {number}"))
        }
        _ => Ok(()),
    }
}
