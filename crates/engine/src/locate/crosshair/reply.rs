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

/// Words for each answer. Nothing else is one: in a sentence the same word may be denied.
const LEFT: &[&str] = &["左", "左边", "左侧", "左面", "左方", "left"];
const RIGHT: &[&str] = &["右", "右边", "右侧", "右面", "右方", "right"];
const ABOVE: &[&str] = &["上", "上面", "上方", "上边", "above", "top"];
const BELOW: &[&str] = &["下", "下面", "下方", "下边", "below", "under", "bottom"];
const CROSSES: &[&str] = &["穿过", "cross", "crosses", "crossing", "through"];
const UNSEEN: &[&str] = &["未发现", "没发现", "没有发现", "not found", "not visible", "unseen"];
const NO_MARK: &[&str] = &["未发现", "没发现", "没有", "都不是", "无", "none", "none of them", "not found"];
/// What may stand around an answer: quotes, brackets, stops, commas, colons, and what Markdown sets words off by.
const AROUND: &[char] = &[
    ' ', '"', '\'', '“', '”', '‘', '’', '「', '」', '『', '』', '(', ')', '[', ']', '【', '】', '{', '}', '<', '>',
    '《', '》', '.', '。', ',', '，', '、', ';', '；', ':', '*', '_', '`', '~',
];

/// Reads an answer about a crosshair: a section for each line, `[竖线位置]` and `[横线位置]`, or `[vertical line]` and
/// `[horizontal line]`, with one word each.
pub fn sides(text: &str) -> Reply {
    let x = section(text, &VERTICAL).and_then(|said| side(&said, LEFT, RIGHT));
    let y = section(text, &HORIZONTAL).and_then(|said| side(&said, ABOVE, BELOW));
    if x.is_none() && y.is_none() { Reply::Garbled } else { Reply::Sides { x, y } }
}

/// Reads an answer about marks numbered from 1 to `count`: a section `[选择]` or `[choice]`, or a bare answer. What was cut
/// off (`is_whole` is false) is no bare answer: it may be a thought that goes on.
pub fn mark(text: &str, count: usize, is_whole: bool) -> Reply {
    let bare = || is_whole.then(|| handeye_scene::normalize(text));
    let Some(said) = section(text, &CHOICE).or_else(bare) else { return Reply::Garbled };
    let said = said.trim_matches(AROUND);
    if NO_MARK.contains(&said) {
        return Reply::NoMark;
    }
    let is_number = !said.is_empty() && said.bytes().all(|byte| byte.is_ascii_digit());
    match said.parse().ok().filter(|_| is_number) {
        Some(0_usize) => Reply::NoMark,
        Some(number) if number <= count => Reply::Mark(number - 1),
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
    let ends = [rest.find('['), rest.find("\u{1} \u{1}")];
    let end = ends.into_iter().flatten().min().unwrap_or(rest.len());
    let said = rest.get(..end)?.replace('\u{1}', " ");
    Some(handeye_scene::normalize(&said)).filter(|said| !said.is_empty())
}

/// The one word that a section is; none where it is anything else.
fn side(said: &str, before: &[&str], after: &[&str]) -> Option<Side> {
    let said = said.trim_matches(AROUND);
    let words = [(Side::Before, before), (Side::Crosses, CROSSES), (Side::After, after), (Side::Unseen, UNSEEN)];
    words.into_iter().find(|(_, words)| words.contains(&said)).map(|(side, _)| side)
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
            ("[竖线位置]\n**左边**\n\n[横线位置]\n`下方`", both(Before, After)),
            ("[vertical line] left, [horizontal line] above,", both(Before, Before)),
            ("[竖线位置] 左边，[横线位置] 下面；", both(Before, After)),
            ("[竖线位置]：“右边”、\n[横线位置]：穿过，", both(After, Crosses)),
            ("[vertical line]\n, crosses;\n[horizontal line]\n(below),", both(Crosses, After)),
            // A comma between two words leaves two words.
            ("[vertical line]\nleft, above\n[horizontal line]\nabove", Reply::Sides { x: None, y: Some(Before) }),
            ("[竖线位置]\n左边，右边\n[横线位置]\n上面、穿过", Reply::Garbled),
            ("[vertical line]\nnot, left\n[horizontal line]\n, ,", Reply::Garbled),
            // Neither a denial nor a part of a word is an answer.
            ("[vertical line]\nnot left\n[horizontal line]\nabove", Reply::Sides { x: None, y: Some(Before) }),
            ("[vertical line]\nbright\n[horizontal line]\nstop", Reply::Garbled),
            ("[vertical line]\nacross the page\n[horizontal line]\nit is not below", Reply::Garbled),
            ("[竖线位置]\n不在左边\n[横线位置]\n不是上面", Reply::Garbled),
            ("[vertical line]\nleft\nno, right\n[horizontal line]\nabove", Reply::Sides { x: None, y: Some(Before) }),
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
            ("都不是。", Reply::NoMark),
            ("[choice]\n**2**.", Reply::Mark(1)),
            ("```\n[choice]\n2\n```", Reply::Mark(1)),
            ("(4)", Reply::Mark(3)),
            ("[choice]\n2,", Reply::Mark(1)),
            ("[选择] 3，", Reply::Mark(2)),
            ("无、", Reply::NoMark),
            ("1,5", Reply::Garbled),
            ("[choice] 1, 2", Reply::Garbled),
            ("[choice] ,", Reply::Garbled),
            ("[choice]\n3\n\nIt stands around the element, box 1 does not.", Reply::Mark(2)),
            // A number in a sentence may be denied, or count the boxes.
            ("No. Box 1 does not stand around the element.", Reply::Garbled),
            ("None of the 5 boxes", Reply::Garbled),
            ("[choice]\nnot 3", Reply::Garbled),
            ("[choice]\n1\nNo, none of them.", Reply::Garbled),
            ("第 3 个不是", Reply::Garbled),
            ("不是没有", Reply::Garbled),
            ("-1", Reply::Garbled),
            ("1.5", Reply::Garbled),
            ("Mark 2 of 5? [choice] 5", Reply::Mark(4)),
            ("[choice] 6", Reply::Garbled),
            ("[choice] 1 or 2", Reply::Garbled),
            ("99999999999999999999999999", Reply::Garbled),
            ("", Reply::Garbled),
        ] {
            assert_eq!(mark(text, 5, true), reply, "{text}");
        }
    }

    #[test]
    fn what_was_cut_off_counts_only_where_its_section_stands() {
        for (text, reply) in [
            ("5", Reply::Garbled),
            ("There are 5 numbered boxes", Reply::Garbled),
            ("none", Reply::Garbled),
            ("[choice]\n2\n\nBecause the", Reply::Mark(1)),
        ] {
            assert_eq!(mark(text, 5, false), reply, "{text}");
        }
    }
}
