//! What is said of a role that there isn't: the nearest of those there are.

use crate::wording::shown::cut;
use handeye_scene::model::role::ROLES;

/// What other names for a role's elements come to, which no spelling tells.
const CALLED: [(&str, &[&str]); 15] = [
    ("anchor", &["link"]),
    ("btn", &["button"]),
    ("dropdown", &["combobox", "listbox"]),
    ("edit", &["textbox"]),
    ("field", &["textbox", "combobox"]),
    ("image", &["img"]),
    ("input", &["textbox", "searchbox", "spinbutton"]),
    ("modal", &["dialog"]),
    ("picture", &["img"]),
    ("popup", &["dialog", "menu"]),
    ("select", &["combobox", "listbox"]),
    ("textarea", &["textbox"]),
    ("textfield", &["textbox"]),
    ("title", &["heading"]),
    ("toggle", &["switch", "togglebutton"]),
];
/// So many are named.
const NAMED: usize = 3;
/// Longest role that is named or compared, characters: longer than any there is.
const LONGEST: usize = 40;

/// That there is no such role, and which are nearest; none where there is one.
pub fn unknown(role: &str) -> Option<String> {
    let own = role.trim().to_lowercase();
    if ROLES.contains(&own.as_str()) {
        return None;
    }
    let near = nearest(&own);
    let most = if near.is_empty() { "`handeye find` lists what there is".to_owned() } else { near.join(", ") };
    let told = crate::observe::outline::quote_own(&cut(role, LONGEST), LONGEST + 2);
    Some(format!("{told} is no role; {}{most}", if near.is_empty() { "" } else { "nearest: " }))
}

fn nearest(role: &str) -> Vec<&'static str> {
    if let Some((_, roles)) = CALLED.iter().find(|(name, _)| *name == role) {
        return roles.to_vec();
    }
    let letters: Vec<char> = role.chars().take(LONGEST).collect();
    if letters.is_empty() {
        return Vec::new();
    }
    // A quarter of the letters may be others.
    let most = letters.len() / 4 + 1;
    let mut near: Vec<(usize, &str)> = ROLES.iter().map(|known| (apart(&letters, known), *known)).collect();
    near.retain(|(apart, known)| {
        *apart <= most || known.len() > 3 && role.contains(known) || role.len() > 3 && known.contains(role)
    });
    near.sort_by_key(|(apart, known)| (*apart, known.len()));
    near.into_iter().take(NAMED).map(|(_, known)| known).collect()
}

/// How many letters are to be put in, taken out or replaced to make the one the other (Levenshtein 1966).
fn apart(from: &[char], to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, other) in to.iter().enumerate() {
            let replaced = row[j] + usize::from(letter != other);
            next.push(replaced.min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_roles_are_named_of_one_that_there_is_not() {
        for (role, first) in [
            ("buton", "button"),
            ("btn", "button"),
            ("textfield", "textbox"),
            ("check-box", "checkbox"),
            ("headings", "heading"),
            ("input", "textbox"),
            ("dropdown", "combobox"),
            ("image", "img"),
            ("menu-item", "menuitem"),
        ] {
            assert_eq!(nearest(role).first(), Some(&first), "{role}: {:?}", nearest(role));
            assert!(unknown(role).is_some_and(|said| said.contains(first)), "{role}");
        }
        for role in ["button", "Button", " link ", "column border", "doc-toc"] {
            assert_eq!(unknown(role), None);
        }
        for none in ["", "zzzzqqqq", "\n[1] button \"Pay\""] {
            let said = unknown(none).unwrap();
            assert!(said.contains("is no role") && !said.contains('\n'), "{said}");
        }
    }
}
