//! What putting a value into a field comes to, by what the field takes.

use crate::act::action::Action;
use crate::matching::choices;
use crate::wording::shown::{quote, quote_own};
use handeye_scene::{Code, EditKind, OptionItem, Probe, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A list with so many options may have more: surfaces tell no more of them.
const OPTIONS_TOLD: usize = 5000;
/// Options that a refusal names.
const NAMED: usize = 10;

/// A value for a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Filling {
    /// Whether it is on: checkboxes, switches, radio buttons
    On(bool),
    /// Its text, or the option to choose; for checkboxes and the like `on` or `off`
    Text(String),
    /// The options to choose; all others are left unchosen
    Options(Vec<String>),
}

/// What a field takes.
#[derive(Debug, Clone, Copy)]
pub struct Takes<'a> {
    /// How its content is replaced.
    pub edit: EditKind,
    /// Whether it is on, of what can be.
    pub checked: Option<bool>,
    /// Its role.
    pub role: &'a str,
    /// What can be chosen, of a list; none where the surface doesn't tell.
    pub options: &'a [OptionItem],
}

impl<'a> From<&'a Probe> for Takes<'a> {
    fn from(probe: &'a Probe) -> Self {
        Self { edit: probe.edit, checked: probe.checked, role: &probe.role, options: &probe.options }
    }
}

/// The action that puts a value into a field. `name`: what the field is called, `number`: its ref, for hints.
pub fn filling(value: &Filling, field: Takes<'_>, name: &str, number: u32) -> Result<Action, Problem> {
    let refuse = |code: Code, what: String, next: String| Err(Problem::new(code, format!("{name} {what}")).hint(next));
    let wrong = |what: &str| refuse(Code::BadRequest, what.to_owned(), format!("handeye inspect {number}"));
    match (field.edit, value) {
        (EditKind::None, _) if field.checked.is_some() => match switched(value) {
            // A radio button goes off with another that goes on.
            Some(false) if field.role == "radio" => wrong("can't be turned off: turn another of its group on"),
            Some(on) => Ok(Action::Check(on)),
            None => wrong("is turned on or off: write on or off"),
        },
        (EditKind::None, _) => {
            refuse(Code::Unsupported, "is no field that can be filled".into(), format!("handeye click {number}"))
        }
        (EditKind::File, _) => refuse(Code::Unsupported, "takes files".into(), format!("handeye upload {number} FILE")),
        (EditKind::Select, Filling::Text(option)) => select(vec![option.clone()], field).or_else(|why| wrong(&why)),
        (EditKind::Select, Filling::Options(options)) if !options.is_empty() => {
            select(options.clone(), field).or_else(|why| wrong(&why))
        }
        (EditKind::Select, _) => wrong("is a list of options: write the label of one"),
        (_, Filling::Text(text)) => Ok(Action::Input(text.clone())),
        (_, Filling::On(_) | Filling::Options(_)) => wrong("takes a text"),
    }
}

/// Chooses options, or tells why they can't be chosen, as the surface would find when it comes to it.
fn select(wanted: Vec<String>, field: Takes<'_>) -> Result<Action, String> {
    if wanted.len() > 1 && field.role == "combobox" {
        return Err("takes one option".into());
    }
    if !field.options.is_empty() {
        wanted.iter().try_for_each(|option| choosable(option, field.options))?;
    }
    Ok(Action::Select(wanted))
}

/// Whether an option is there, is one, and is enabled.
fn choosable(wanted: &str, options: &[OptionItem]) -> Result<(), String> {
    let exact: Vec<&OptionItem> = options.iter().filter(|option| option.label.trim() == wanted.trim()).collect();
    let alike = choices(options, &[wanted.to_owned()]);
    let is_meant = |o: &&OptionItem| alike.iter().any(|(label, value)| *label == o.label && *value == o.value);
    let found = if exact.is_empty() { options.iter().filter(is_meant).collect() } else { exact };
    let Some(first) = found.first() else {
        let named: Vec<String> = options.iter().take(NAMED).map(|option| quote(&option.label, 40)).collect();
        let more = if options.len() > NAMED { ", …" } else { "" };
        let why = format!("has no option {}; it has {}{more}", quote_own(wanted, 80), named.join(", "));
        return if options.len() < OPTIONS_TOLD { Err(why) } else { Ok(()) };
    };
    if found.iter().any(|option| option.value != first.value) {
        return Err(format!("has {} options {}: name one by its value or #INDEX", found.len(), quote_own(wanted, 80)));
    }
    if !first.disabled { Ok(()) } else { Err(format!("has the option {}, which is disabled", quote(&first.label, 80))) }
}

/// Whether a value turns something on or off.
fn switched(value: &Filling) -> Option<bool> {
    match value {
        Filling::On(on) => Some(*on),
        Filling::Text(word) => match word.to_ascii_lowercase().as_str() {
            "on" | "true" => Some(true),
            "off" | "false" => Some(false),
            _ => None,
        },
        Filling::Options(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(edit: EditKind, checked: Option<bool>, role: &str) -> Takes<'_> {
        Takes { edit, checked, role, options: &[] }
    }

    #[test]
    fn an_option_that_cant_be_chosen_is_known_beforehand() {
        let option = |(index, (label, value, enabled)): (usize, (&str, &str, bool))| OptionItem {
            index,
            label: label.into(),
            value: value.into(),
            selected: false,
            disabled: !enabled,
        };
        let all = [
            ("Red", "r", true),
            ("Blue", "b", true),
            ("Two", "2", true),
            ("Two", "two", true),
            ("two", "2", true),
            ("No", "n", false),
        ];
        let told: Vec<OptionItem> = all.into_iter().enumerate().map(option).collect();
        let long: Vec<OptionItem> = (0..OPTIONS_TOLD).map(|n| option((n, ("x", "x", true)))).collect();
        for (role, options, wanted, is_chosen) in [
            ("combobox", &told, &["Red"][..], true),
            ("combobox", &told, &["ｒｅｄ"], true),
            ("combobox", &told, &["b"], true),
            ("combobox", &told, &["#1"], true),
            ("combobox", &told, &["two"], true),
            ("combobox", &told, &["Two"], false),
            ("combobox", &told, &["TWO"], false),
            ("combobox", &told, &["Purple"], false),
            ("combobox", &told, &["#6"], false),
            ("combobox", &told, &[""], false),
            ("combobox", &told, &["No"], false),
            ("combobox", &told, &["Red", "Blue"], false),
            ("listbox", &told, &["Red", "Blue"], true),
            ("listbox", &told, &["Red", "Purple"], false),
            ("combobox", &long, &["Purple"], true),
            ("combobox", &Vec::new(), &["Purple"], true),
        ] {
            let field = Takes { edit: EditKind::Select, checked: None, role, options };
            let value = Filling::Options(wanted.iter().map(|one| (*one).to_owned()).collect());
            assert_eq!(filling(&value, field, "it", 1).is_ok(), is_chosen, "{role} {wanted:?}");
        }
    }

    #[test]
    fn a_value_is_put_in_by_what_the_field_takes() {
        let text = |text: &str| Filling::Text(text.into());
        let options = |all: &[&str]| Filling::Options(all.iter().map(|one| (*one).to_owned()).collect());
        let chosen = |all: &[&str]| Ok(Action::Select(all.iter().map(|one| (*one).to_owned()).collect()));
        let (field, list) = (takes(EditKind::Text, None, "textbox"), takes(EditKind::Select, None, "combobox"));
        let (check, radio) =
            (takes(EditKind::None, Some(false), "checkbox"), takes(EditKind::None, Some(false), "radio"));
        let button = takes(EditKind::None, None, "button");
        for (field, value, wanted) in [
            (field, text("on"), Ok(Action::Input("on".into()))),
            (field, text(""), Ok(Action::Input(String::new()))),
            (field, Filling::On(true), Err(Code::BadRequest)),
            (field, options(&["a", "b"]), Err(Code::BadRequest)),
            (takes(EditKind::Set, None, "slider"), text("5"), Ok(Action::Input("5".into()))),
            (list, text("Red"), chosen(&["Red"])),
            (list, options(&["Red", "Blue"]), Err(Code::BadRequest)),
            (takes(EditKind::Select, None, "listbox"), options(&["Red", "Blue"]), chosen(&["Red", "Blue"])),
            (list, options(&[]), Err(Code::BadRequest)),
            (list, Filling::On(true), Err(Code::BadRequest)),
            (check, Filling::On(false), Ok(Action::Check(false))),
            (check, text("On"), Ok(Action::Check(true))),
            (check, text("maybe"), Err(Code::BadRequest)),
            (radio, text("true"), Ok(Action::Check(true))),
            (radio, Filling::On(false), Err(Code::BadRequest)),
            (button, text("x"), Err(Code::Unsupported)),
            (takes(EditKind::File, None, "button"), text("x"), Err(Code::Unsupported)),
        ] {
            let told = filling(&value, field, "it", 1).map_err(|problem| problem.code);
            assert_eq!(told, wanted, "{field:?}, {value:?}");
        }
    }
}
