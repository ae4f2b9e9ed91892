//! What a guard says of a target, against what the target says now.

use handeye_scene::{Guard, Probe, Shown};

/// What the target says now, where that isn't what the guard wants.
pub(crate) fn differs(guard: &Guard, probe: &Probe) -> Option<Shown> {
    let texts = &probe.texts;
    let says = |field: &str| match field {
        "name" => Some(&probe.name),
        "role" => Some(&probe.role),
        "text" => Some(&texts.text),
        "value" => Some(&texts.value),
        "placeholder" => Some(&texts.placeholder),
        "title" => Some(&texts.title),
        "alt" => Some(&texts.alt),
        _ => None,
    };
    let kept = guard.fields.iter().all(|(field, text)| says(field).is_none_or(|now| now == text));
    let same = guard.shown.as_ref().is_none_or(|s| s.role == probe.role && plain(&s.name) == plain(&probe.name));
    (!(kept && same)).then(|| Shown { role: probe.role.clone(), name: probe.name.clone(), row: None })
}

/// A name up to digits, case and white space. Where digits are all that it says, as on a calculator's keys, they count.
fn plain(name: &str) -> String {
    let wordy = name.chars().any(char::is_alphabetic);
    let told = name.chars().filter(|c| !(c.is_whitespace() || wordy && c.is_numeric()));
    told.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_where_they_are_all_that_a_name_says() {
        assert_ne!(plain("7"), plain("8"));
        assert_eq!(plain("Inbox (3)"), plain("inbox (12)"));
    }
}
