//! What a judge answers, and how it is read from its words.

use serde::{Deserialize, Serialize};

/// Where the element lies relative to one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// All of it left of a vertical line, above a horizontal one.
    Before,
    /// The line goes through it, or too near to tell.
    Crosses,
    /// All of it right of the line, below it.
    After,
    /// The judge doesn't see it.
    Unseen,
}

impl Side {
    /// Every answer, in the order of [`Side::index`].
    pub const ALL: [Side; 4] = [Side::Before, Side::Crosses, Side::After, Side::Unseen];

    /// Its place in a table of likelihoods.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What a judge said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Of a crosshair: of each of its lines. What can't be read is no information.
    Sides {
        /// Relative to the vertical line.
        x: Option<Side>,
        /// Relative to the horizontal line.
        y: Option<Side>,
    },
    /// Of marks: which, counted from 0.
    Mark(usize),
    /// Of marks: none of them.
    NoMark,
    /// Nothing that can be read.
    Garbled,
}

/// Headers of the two sections of an answer about a crosshair, in both languages.
const VERTICAL: [&str; 3] = ["竖线位置", "vertical line", "vertical"];
const HORIZONTAL: [&str; 3] = ["横线位置", "horizontal line", "horizontal"];
/// Header of the section of an answer about marks.
const CHOICE: [&str; 3] = ["选择", "choice", "mark"];

/// Reads an answer about a crosshair: a section for each line, `[竖线位置]` and `[横线位置]`, or `[vertical line]` and
/// `[horizontal line]`, with one word each.
pub fn sides(text: &str) -> Reply {
    let x = section(text, &VERTICAL).and_then(|said| side(&said, &["左", "left"], &["右", "right"]));
    let y = section(text, &HORIZONTAL)
        .and_then(|said| side(&said, &["上", "above", "top"], &["下", "below", "under", "bottom"]));
    if x.is_none() && y.is_none() { Reply::Garbled } else { Reply::Sides { x, y } }
}

/// Reads an answer about marks numbered from 1 to `count`: a section `[选择]` or `[choice]`, or a bare answer.
pub fn mark(text: &str, count: usize) -> Reply {
    let said = section(text, &CHOICE).unwrap_or_else(|| handeye_scene::normalize(text));
    let numbers: Vec<usize> = said
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| !digits.is_empty())
        .map(|digits| digits.parse().unwrap_or(usize::MAX))
        .collect();
    match numbers[..] {
        [0] => Reply::NoMark,
        [number] if number <= count => Reply::Mark(number - 1),
        [] if ["none", "未发现", "没有", "都不是"].iter().any(|word| said.contains(word)) => Reply::NoMark,
        _ => Reply::Garbled,
    }
}

/// What stands in a section, normalised: up to the next bracket or line that is empty. The last one counts: a model may think
/// aloud first.
pub(crate) fn section(text: &str, headers: &[&str]) -> Option<String> {
    let text = handeye_scene::normalize(&text.replace('\n', " \u{1} "));
    let start = headers.iter().find_map(|header| {
        let header = format!("[{header}]");
        text.rfind(&header).map(|at| at + header.len())
    })?;
    let rest = text.get(start..)?.trim_start_matches([' ', '\u{1}', ':']);
    let end = rest.find(['\u{1}', '[']).unwrap_or(rest.len());
    rest.get(..end).map(|said| said.trim().to_owned()).filter(|said| !said.is_empty())
}

/// The one answer that a section holds; none where it holds several, or none.
fn side(said: &str, before: &[&str], after: &[&str]) -> Option<Side> {
    let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let found = [
        (Side::Unseen, says(&["未发现", "没发现", "not found", "not visible", "unseen"])),
        (Side::Crosses, says(&["穿过", "cross", "through"])),
        (Side::Before, says(before)),
        (Side::After, says(after)),
    ];
    let mut said = found.iter().filter(|(_, says)| *says).map(|(side, _)| *side);
    let first = said.next()?;
    // "Left or crosses" says nothing that could be relied on.
    said.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Side::{After, Before, Crosses, Unseen};

    #[test]
    fn answers_about_a_crosshair_are_read_in_both_languages() {
        let both = |x, y| Reply::Sides { x: Some(x), y: Some(y) };
        for (text, reply) in [
            ("[竖线位置]\n左边\n\n[横线位置]\n穿过\n", both(Before, Crosses)),
            ("```\n[竖线位置]\n右边\n[横线位置]\n下面\n```", both(After, After)),
            ("[竖线位置] 未发现\n[横线位置] 未发现", both(Unseen, Unseen)),
            ("[Vertical line]\nleft\n\n[Horizontal line]\nbelow", both(Before, After)),
            ("[vertical line]: Crosses\n[horizontal line]: above", both(Crosses, Before)),
            ("The button… [竖线位置] is asked.\n[竖线位置]\n“左边”\n[横线位置]\n上面。", both(Before, Before)),
            ("［竖线位置］\n左边\n［横线位置］\n上面", both(Before, Before)),
            ("[竖线位置]\n左边", Reply::Sides { x: Some(Before), y: None }),
            ("[竖线位置]\n左边或穿过\n[横线位置]\n上面", Reply::Sides { x: None, y: Some(Before) }),
            ("[竖线位置]\n[横线位置]\n", Reply::Garbled),
            ("I can't help with that.", Reply::Garbled),
            ("", Reply::Garbled),
            ("<html><body>502 Bad Gateway</body></html>", Reply::Garbled),
        ] {
            assert_eq!(sides(text), reply, "{text}");
        }
    }

    #[test]
    fn answers_about_marks_are_read() {
        for (text, reply) in [
            ("[选择]\n2", Reply::Mark(1)),
            ("3", Reply::Mark(2)),
            ("[choice]\n0", Reply::NoMark),
            ("[选择]\n未发现", Reply::NoMark),
            ("none of them", Reply::NoMark),
            ("Mark 2 of 5? [choice] 5", Reply::Mark(4)),
            ("[choice] 6", Reply::Garbled),
            ("[choice] 1 or 2", Reply::Garbled),
            ("99999999999999999999999999", Reply::Garbled),
            ("", Reply::Garbled),
        ] {
            assert_eq!(mark(text, 5), reply, "{text}");
        }
    }
}
