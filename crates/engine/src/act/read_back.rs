//! Verdicts by what a control holds after it was set: texts, dates, files, options.

use crate::act::formatted::{Written, written};
use crate::act::outcome::Outcome;
use crate::matching::normalize;
use handeye_scene::{Delivery, EditKind, Event, Probe, Verdict};

pub(super) fn input_verdict(text: &str, outcome: &Outcome, after: &Probe) -> (Verdict, Option<String>) {
    let told = match outcome.delivery {
        Delivery::Delivered { holds, .. } => *holds,
        _ => None,
    };
    let holds = told.unwrap_or_else(|| same_lines(&after.texts.value, text));
    // The control may have reformatted the value since, which `holds` can't know; what it reads now decides.
    let masked = crate::matching::is_masked(after);
    if masked && told.is_none() {
        let why = "it hides what it holds, and is as long as it was before";
        return (Verdict::Unverifiable, Some(why.into()));
    }
    let set = (after.edit == EditKind::Set).then(|| same_setting(&after.texts.value, text));
    if set == Some(None) {
        let reads = crate::observe::outline::quote(&after.texts.value, 100);
        return (Verdict::Unverifiable, Some(format!("it reads back as {reads}, which may be the same date")));
    }
    let untold = after.texts.value.is_empty() && after.edit == EditKind::Contenteditable;
    let reads = if masked || untold || after.edit == EditKind::Cell {
        holds
    } else if let Some(same) = set.flatten() {
        same
    } else if after.edit == EditKind::Contenteditable {
        same_lines(&after.texts.value, text) || holds && same_layout(&after.texts.value, text)
    } else {
        same_lines(&after.texts.value, text) || holds && after.texts.value.chars().count() >= 500
    };
    // A setting may be written in another way than it was put in.
    if (holds || set.is_some()) && reads {
        return (Verdict::Confirmed, None);
    }
    // A new address alone leaves the field where it was: what it reads counts.
    if outcome.settled.events.iter().any(|e| matches!(e, Event::Navigated { document: true, .. })) {
        return (Verdict::Confirmed, None);
    }
    if masked {
        return (Verdict::Contradicted, Some("it doesn't hold the text that was put in".into()));
    }
    let reads = crate::observe::outline::quote(&after.texts.value, 100);
    // Fields write what they hold in a way of their own.
    if after.edit == EditKind::Text {
        match written(text, &after.texts.value) {
            Written::Otherwise => return (Verdict::Confirmed, None),
            Written::AsMaybeAnother => {
                let why = format!("it reads back as {reads}, which may mean something else");
                return (Verdict::Unverifiable, Some(why));
            }
            Written::Wrong => {}
        }
    }
    (Verdict::Contradicted, Some(format!("it reads back as {reads}")))
}

/// The verdict on text that was typed into a field, which holds something else now than before.
/// It held `before`.
pub(super) fn typed_verdict(text: &str, before: &str, after: &Probe) -> (Verdict, Option<String>) {
    let value = &after.texts.value;
    let is_text = matches!(after.edit, EditKind::Text | EditKind::Contenteditable);
    // Enter may do anything with it; dots and the beginning of a long text say nothing of the rest.
    let is_untold = text.ends_with('\n') || crate::matching::is_masked(after) || value.chars().count() >= 500;
    if !is_text || is_untold {
        return (Verdict::Confirmed, None);
    }
    let squeezed = |text: &str| normalize(text).chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let (value_now, typed) = (squeezed(value), squeezed(text));
    if value_now.contains(&typed) {
        return (Verdict::Confirmed, None);
    }
    let was_empty = after.edit == EditKind::Text && before.is_empty();
    if was_empty && written(text, value) == Written::Otherwise {
        return (Verdict::Confirmed, None);
    }
    let reads = format!("it reads as {} now", crate::observe::outline::quote(value, 100));
    let mut left = value_now.chars();
    // What is put between the letters is a mask's doing.
    match typed.chars().all(|c| left.any(|other| other == c)) {
        true => (Verdict::Unverifiable, Some(reads)),
        false => (Verdict::Contradicted, Some(reads)),
    }
}

fn same_lines(a: &str, b: &str) -> bool {
    let normal = |t: &str| t.replace("\r\n", "\n").trim_end_matches('\n').to_owned();
    normal(a) == normal(b)
}

/// Whether rich text reads as was put in: it tells an empty line as two or more, and spaces as they are drawn.
fn same_layout(value: &str, text: &str) -> bool {
    let lines = |text: &str| {
        let spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(spaced).filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    // A value is told as far as it is looked at.
    lines(value) == lines(text) && value.lines().count() >= text.trim_end().lines().count()
        || value.chars().count() >= 500
}

/// Whether a date, a colour or a range holds what was put in, as the browser writes it; none where its date is written in an order
/// that can't be told.
fn same_setting(value: &str, text: &str) -> Option<bool> {
    let text = text.trim();
    let same_number = || matches!((value.parse::<f64>(), text.parse::<f64>()), (Ok(a), Ok(b)) if a == b);
    if value.eq_ignore_ascii_case(&text.replace(' ', "T")) || same_number() {
        return Some(true);
    }
    same_date(value, text).unwrap_or(Some(false))
}

/// Whether two dates, written in numbers in any order, are one, as far as that can be told; none where they are no such dates. A
/// number over 12 is no month.
fn same_date(value: &str, text: &str) -> Option<Option<bool>> {
    let parts = |date: &str| -> Option<[u32; 3]> {
        let numbers: Vec<&str> = date.split(['-', '/', '.', ' ']).filter(|part| !part.is_empty()).collect();
        // Of a year the last two digits count: some write no more.
        let read: Option<Vec<u32>> = numbers.iter().map(|part| Some(part.parse::<u32>().ok()? % 100)).collect();
        read?.try_into().ok()
    };
    let (value, text) = (parts(value)?, parts(text)?);
    let (mut a, mut b) = (value, text);
    a.sort_unstable();
    b.sort_unstable();
    if a != b {
        return Some(Some(false));
    }
    // Of a year, a month and a day, the month and the day are the two that may be taken for each other.
    let months = a.iter().filter(|part| **part <= 12).count();
    Some(if value == text || months < 2 || a[0] == a[1] { Some(true) } else { None })
}

/// The last part of a path, as this system has paths.
pub fn file_name(path: &str) -> &str {
    std::path::Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

pub(super) fn upload_verdict(paths: &[String], after: &Probe) -> (Verdict, Option<String>) {
    let names: Vec<&str> = paths.iter().map(|path| file_name(path)).collect();
    let (names, value) = (names.join(", "), after.texts.value.as_str());
    // A long value is read back cut off.
    if names == value || value.strip_suffix('…').is_some_and(|start| names.starts_with(start)) {
        return (Verdict::Confirmed, None);
    }
    (Verdict::Contradicted, Some(format!("it holds {}", crate::observe::outline::quote(&after.texts.value, 200))))
}

pub(super) fn select_verdict(wanted: &[String], after: &Probe) -> (Verdict, Option<String>) {
    let selected: Vec<&handeye_scene::OptionItem> = after.options.iter().filter(|o| o.selected).collect();
    let holds = |w: &String| {
        let index = w.trim().strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
        selected.iter().any(|o| normalize(&o.label) == normalize(w) || o.value == *w || Some(o.index) == index)
    };
    if wanted.iter().all(holds) && selected.len() == wanted.len() {
        return (Verdict::Confirmed, None);
    }
    let labels: Vec<String> = selected.iter().map(|o| crate::observe::outline::quote(&o.label, 60)).collect();
    (
        Verdict::Contradicted,
        Some(format!("selected now: {}", if labels.is_empty() { "nothing".into() } else { labels.join(", ") })),
    )
}

#[cfg(test)]
mod tests {
    use super::same_setting;

    #[test]
    fn a_date_is_the_same_however_its_parts_are_ordered_as_far_as_that_shows() {
        for (value, text, same) in [
            ("2026-03-14", "2026-03-14", Some(true)),
            ("14/03/2026", "2026-03-14", Some(true)),
            ("03/14/26", "2026-03-14", Some(true)),
            ("03.03.2026", "2026-03-03", Some(true)),
            // The third of April, or the fourth of March.
            ("03/04/2026", "2026-04-03", None),
            ("15/03/2026", "2026-03-14", Some(false)),
            ("14/03/2025", "2026-03-14", Some(false)),
            ("2026-03-14T10:00", "2026-03-14 10:00", Some(true)),
            ("10:30", "10:31", Some(false)),
            ("5.0", "5", Some(true)),
            ("5", "6", Some(false)),
            ("#FF0000", "#ff0000", Some(true)),
        ] {
            assert_eq!(same_setting(value, text), same, "{value} for {text}");
        }
    }
}
