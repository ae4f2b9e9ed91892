//! Where an element leads: a label that stays while its address changes is another element.

use crate::wording::shown::quote;
use handeye_scene::normalize;
use handeye_scene::{Destination, OptionItem, Probe, Shown};
use std::collections::BTreeSet;

/// Parts of a destination that are origins. A site's own redirector may stand in for another.
const ORIGINS: [&str; 2] = ["link", "action"];
/// So much of an option's value a look keeps.
const VALUE_KEPT: usize = 200;

/// Where an element led when it was shown and where it leads now, in words, if that isn't the same. `own` is the origin of
/// its document: what came to lead there is no danger.
pub fn leads_elsewhere(shown: Option<&Shown>, probe: &Probe, own: Option<&str>) -> Option<(String, String)> {
    let was = shown?.leads.as_ref()?;
    let nowhere = Destination::default();
    let now = probe.leads.as_ref().unwrap_or(&nowhere);
    let kinds: BTreeSet<&String> = was.0.keys().chain(now.0.keys()).collect();
    let differs = |kind: &&&String| {
        let now = now.0.get(**kind).map(String::as_str);
        let is_own = own.is_some() && own != Some("null") && now == own;
        was.0.get(**kind).map(String::as_str) != now && !(is_own && ORIGINS.contains(&kind.as_str()))
    };
    let kind = kinds.iter().find(differs)?;
    Some((words(kind, was), words(kind, now)))
}

fn words(kind: &str, destination: &Destination) -> String {
    let Some(value) = destination.0.get(kind) else {
        return match kind {
            "link" => "to nothing".to_owned(),
            _ => format!("with no {kind}"),
        };
    };
    let value = crate::wording::shown::quote(value, 80);
    match kind {
        "link" => format!("to {value}"),
        "download" => format!("to a download {value}"),
        "form" => format!("to form {value}"),
        _ => format!("with {kind} {value}"),
    }
}

/// An option that was shown to stand for one value and stands for another now, of those that are to be chosen: which, and
/// both values. What wasn't shown isn't held.
pub fn other_choice(shown: Option<&Shown>, probe: &Probe, wanted: &[String]) -> Option<(String, String, String)> {
    let shown = shown?;
    let now = listed(&probe.options);
    wanted.iter().find_map(|choice| {
        let was: Vec<Listed> = shown.choices.iter().enumerate().map(|(at, (l, v))| (at, (&**l, &**v))).collect();
        let (was, now) = (chosen(&was, choice), chosen(&now, choice));
        // One that is gone is told by what chooses.
        let same = now.is_empty()
            || was.iter().all(|w| now.iter().any(|n| normalize(w.0) == normalize(n.0) && is_kept(w.1, n.1)));
        (!same).then(|| {
            let told = |options: &[(&str, &str)]| {
                options.first().map_or_else(
                    || "nothing".to_owned(),
                    |(label, value)| format!("{} ({})", quote(label, 80), quote(value, 80)),
                )
            };
            (choice.clone(), told(&was), told(&now))
        })
    })
}

/// Whether a value is the one that a look told, of which it keeps so much (`page/capture/leads.js`, UTF-16 units).
fn is_kept(told: &str, now: &str) -> bool {
    told == now || told.encode_utf16().count() >= VALUE_KEPT && now.starts_with(told.trim_end_matches('\u{fffd}'))
}

/// The options that are to be chosen, label and value, for the surface to find unchanged.
pub fn choices(options: &[OptionItem], wanted: &[String]) -> Vec<(String, String)> {
    let now = listed(options);
    let found = wanted.iter().flat_map(|choice| chosen(&now, choice));
    found.map(|(label, value)| (label.to_owned(), value.to_owned())).collect()
}

/// An option's place among all, its label and its value.
type Listed<'a> = (usize, (&'a str, &'a str));

/// The options that are told.
fn listed(options: &[OptionItem]) -> Vec<Listed<'_>> {
    options.iter().map(|o| (o.index, (o.label.as_str(), o.value.as_str()))).collect()
}

/// The options that a choice names, as the page script takes it: by label, value or `#index` from 0.
fn chosen<'a>(options: &[Listed<'a>], choice: &str) -> Vec<(&'a str, &'a str)> {
    let all = |is: &dyn Fn(&(&str, &str)) -> bool| options.iter().map(|o| o.1).filter(is).collect::<Vec<_>>();
    let labelled = all(&|o| normalize(o.0) == normalize(choice));
    let found = if labelled.is_empty() { all(&|o| o.1 == choice) } else { labelled };
    let index = choice.trim().strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
    match index.filter(|_| found.is_empty()) {
        Some(index) => options.iter().filter(|o| o.0 == index).map(|o| o.1).collect(),
        None => found,
    }
}

#[cfg(test)]
mod tests {
    use super::is_kept;

    #[test]
    fn a_value_is_the_one_that_was_told_as_far_as_it_was() {
        let long = "v".repeat(300);
        for (told, now, same) in [
            ("one", "one", true),
            ("one", "one two", false),
            (&long[..200], &long, true),
            (&long[..199], &long, false),
            (&long[..200], "w", false),
        ] {
            assert_eq!(is_kept(told, now), same, "{} {}", told.len(), now.len());
        }
    }
}
