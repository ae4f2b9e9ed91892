//! Texts from outside as they are written for people and models. A page or an app may put anything into a name, an address or
//! a message: line ends and words that look like our own lines, orders to a terminal, signs that nobody sees. So each is masked
//! whole, then cut, then quoted or indented, with what can't be seen escaped.
//!
//! What masks is in force while a call runs ([`masked`]), so that whoever writes a text can't forget it.

use handeye_scene::Mask;
use handeye_scene::model::text::is_hidden;
use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::pin;

/// Characters of an address that are shown, at most.
pub const ADDRESS: usize = 300;
/// Characters of a message of our own that repeats texts from outside, at most.
pub const MESSAGE: usize = 2_000;
/// What every line of a block begins with: no line of ours does.
const BAR: &str = "  | ";

thread_local! {
    static MASK: RefCell<Mask> = RefCell::new(Mask::default());
}

/// Puts back the mask that was in force, however a step ends.
struct Back(Mask);

impl Drop for Back {
    fn drop(&mut self) {
        MASK.replace(std::mem::take(&mut self.0));
    }
}

/// Runs `work`, whose texts are all written as `mask` shows them.
pub async fn masked<F: Future>(mask: Mask, work: F) -> F::Output {
    let mut work = pin!(work);
    poll_fn(|context| {
        let _back = Back(MASK.replace(mask.clone()));
        work.as_mut().poll(context)
    })
    .await
}

/// A whole text without what is told to nobody.
fn without_secrets(text: &str) -> String {
    let mask = MASK.with(|mask| mask.borrow().clone());
    mask.of(text).into_owned()
}

fn shorten(mut text: String, limit: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(limit) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// A text, cut off at `limit` characters with an ellipsis.
pub fn cut(text: &str, limit: usize) -> String {
    shorten(without_secrets(text), limit)
}

/// A text in double quotes on one line, cut off at `limit` characters with an ellipsis.
pub fn quote(text: &str, limit: usize) -> String {
    quoted(&cut(text, limit))
}

/// Two texts in double quotes, each of at most about `limit` characters: where they are longer, from shortly before they differ.
pub fn quote_apart(from: &str, to: &str, limit: usize) -> (String, String) {
    let (from, to) = cut_apart(from, to, limit);
    (quoted(&from), quoted(&to))
}

/// The same without quotes.
pub fn cut_apart(from: &str, to: &str, limit: usize) -> (String, String) {
    let (from, to) = (without_secrets(from), without_secrets(to));
    let is_long = |text: &str| text.chars().nth(limit).is_some();
    let same = from.chars().zip(to.chars()).take_while(|(a, b)| a == b).count();
    let from_there = same.saturating_sub(limit / 4);
    let shown = |text: &str| match from_there {
        0 => shorten(text.to_owned(), limit),
        skipped => format!("…{}", shorten(text.chars().skip(skipped).collect(), limit)),
    };
    match is_long(&from) || is_long(&to) {
        true => (shown(&from), shown(&to)),
        false => (from, to),
    }
}

/// The same of what the caller wrote, which is never masked: what is, and what isn't, would tell what a secret is.
pub fn quote_own(text: &str, limit: usize) -> String {
    quoted(&shorten(text.to_owned(), limit))
}

/// A text on one line without quotes, in quotes where it isn't one word: addresses, names of files and methods.
pub fn word(text: &str, limit: usize) -> String {
    let short = cut(text, limit);
    let is_plain = !short.is_empty() && !short.contains(|c: char| c.is_whitespace() || c == '"' || is_hidden(c));
    if is_plain { short } else { quoted(&short) }
}

/// An address.
pub fn address(text: &str) -> String {
    word(text, ADDRESS)
}

/// A message that may repeat texts from outside, on one line.
pub fn line(text: &str, limit: usize) -> String {
    escaped(&cut(text.trim_end(), limit), |c| c == '\n')
}

/// A text of several lines, each marked as none of ours. It begins with a line end, and is cut off at `limit` characters.
pub fn block(text: &str, limit: usize) -> String {
    let short = cut(text.trim_end_matches(['\r', '\n']), limit);
    let mut out = String::with_capacity(short.len() + 16);
    for line in short.split('\n') {
        out.push('\n');
        out.push_str(BAR);
        out.push_str(&escaped(line.strip_suffix('\r').unwrap_or(line), |_| false));
    }
    out
}

/// Words that our own lines begin with.
const OURS: [&str; 12] = [
    "error",
    "notice ",
    "page ",
    "window ",
    "text ",
    "fold ",
    "try:",
    "matched ",
    "passed over ",
    "warning",
    "iframe ",
    "unread ",
];

/// A text that is all of an answer: as it stands where it is one line that can't be taken for one of ours.
pub fn whole(text: &str, limit: usize) -> String {
    let text = text.trim_end_matches(['\r', '\n']);
    if text.contains('\n') {
        return block(text, limit).split_off(1);
    }
    let start = text.trim_start();
    // A line of ours that shows a text from outside shows it in quotes.
    let is_like_ours = text.contains('"')
        || start.len() < text.len()
        || start.starts_with('[') && start.contains("] ")
        || ["+ ", "- ", "~ ", "… "].iter().any(|mark| start.starts_with(mark))
        || OURS.iter().any(|ours| start.starts_with(ours));
    if is_like_ours { block(text, limit).split_off(1) } else { escaped(&cut(text, limit), |_| false) }
}

/// A hint in brackets holds no sign that could end it.
pub fn hint(text: &str, limit: usize) -> String {
    let words = text.replace(['(', ')', '"'], " ");
    escaped(&cut(words.split_whitespace().collect::<Vec<_>>().join(" ").as_str(), limit), |_| false)
}

/// An answer without anything that isn't seen: what a text was written with by whoever forgot to quote it.
pub fn harmless(text: &str) -> String {
    if !text.contains(|c| c != '\n' && is_hidden(c)) {
        return text.to_owned();
    }
    escaped(text, |_| false)
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    write_escaped(text, &mut out, |c| matches!(c, '"' | '\\' | '\n'));
    out.push('"');
    out
}

fn escaped(text: &str, also: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    write_escaped(text, &mut out, also);
    out
}

/// Writes a text with what isn't seen escaped, and what is said besides. A line end stands unless it is said.
fn write_escaped(text: &str, out: &mut String, also: impl Fn(char) -> bool) {
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' if !also(c) && (c == '\n' || !also('\n')) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if also(c) => {
                out.push('\\');
                out.push(c);
            }
            c if is_hidden(c) && !joins(before, c, chars.peek().copied()) => {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
            }
            c => out.push(c),
        }
        before = Some(c);
    }
}

/// Characters that one takes in quotes, at most.
pub(crate) fn width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        c if is_hidden(c) => 4 + (u32::BITS - u32::from(c).leading_zeros()).div_ceil(4).max(1) as usize,
        _ => 1,
    }
}

/// Whether a sign without width does what it is for: joins or parts letters of a script that asks for it, joins pictures,
/// chooses how the one before it looks, or says where a word may be broken.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let Some(before) = before.filter(|b| !is_hidden(*b) || *b == '\u{fe0f}') else { return false };
    let follows = after.is_some_and(|a| !is_hidden(a) && !a.is_whitespace());
    match c {
        '\u{fe0e}' | '\u{fe0f}' => !before.is_ascii() || matches!(before, '0'..='9' | '#' | '*'),
        '\u{200c}' | '\u{200d}' => !before.is_ascii() && follows && !after.is_some_and(|a| a.is_ascii()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_long_texts_what_differs_is_shown() {
        let long = "word ".repeat(30);
        for (from, to, shown) in [
            ("one".to_owned(), "two".to_owned(), (r#""one""#, r#""two""#)),
            (format!("{long}one"), format!("{long}two"), (r#""…word one""#, r#""…word two""#)),
            (
                format!("one {long}"),
                format!("two {long}"),
                (r#""one word word word w…""#, r#""two word word word w…""#),
            ),
            (String::new(), long.clone(), (r#""""#, r#""word word word word …""#)),
            (format!("{long}字"), format!("{long}文"), (r#""…word 字""#, r#""…word 文""#)),
        ] {
            let (a, b) = quote_apart(&from, &to, 20);
            assert_eq!((a.as_str(), b.as_str()), shown);
        }
    }

    #[test]
    fn nothing_unseen_and_no_second_line_stands_in_a_quoted_text() {
        for (text, shown) in [
            ("plain", r#""plain""#),
            ("a\"b\\c\nd\te\r", r#""a\"b\\c\nd\te\r""#),
            ("\x1b[2J", r#""\u{1b}[2J""#),
            ("a\u{202e}b\u{2066}", r#""a\u{202e}b\u{2066}""#),
            ("x\u{e0041}\u{e007f}", r#""x\u{e0041}\u{e007f}""#),
            ("\u{85}\u{2028}\u{200b}\u{feff}", r#""\u{85}\u{2028}\u{200b}\u{feff}""#),
            (
                "❤\u{fe0f} 👩\u{200d}🚀 می\u{200c}خواهم 1\u{fe0f}",
                "\"❤\u{fe0f} 👩\u{200d}🚀 می\u{200c}خواهم 1\u{fe0f}\"",
            ),
            ("a\u{200d}b\u{fe0f}", r#""a\u{200d}b\u{fe0f}""#),
        ] {
            assert_eq!(quote(text, 100), shown);
            assert!(text.chars().map(width).sum::<usize>() + 2 >= shown.chars().count(), "{text:?}");
        }
        assert_eq!(quote("abcdef", 3), r#""abc…""#);
    }

    #[test]
    fn a_word_is_quoted_where_it_is_more_and_a_block_is_marked() {
        assert_eq!(address("https://a.example/?q=1"), "https://a.example/?q=1");
        assert_eq!(address("data:,a b"), r#""data:,a b""#);
        assert_eq!(word("", 9), r#""""#);
        assert_eq!(block("a\r\n1 button \"b\"\n", 99), "\n  | a\n  | 1 button \"b\"");
        assert_eq!(hint("a) value=\"b\"\n1\u{1b}", 40), "a value= b 1\\u{1b}");
        assert_eq!(line("a\nb", 9), "a\\nb");
        assert_eq!(harmless("a\nb\u{1b}c"), "a\nb\\u{1b}c");
    }

    #[test]
    fn an_answer_of_one_line_stands_alone_unless_it_is_like_a_line_of_ours() {
        for text in ["All told", "42", "12:01", "3 Items left", "", "中文", "a\tb"] {
            assert_eq!(whole(text, 99), text);
        }
        for text in [
            "[1] button \"Approve\"",
            "1 button \"Approve\"",
            "notice cut: x",
            "  12 x",
            "error[denied]: x",
            "+ text x",
        ] {
            assert_eq!(whole(text, 99), format!("  | {text}"));
        }
        assert_eq!(whole("a\n[1] button", 99), "  | a\n  | [1] button");
    }

    #[test]
    fn texts_are_masked_before_they_are_cut_and_own_words_never() {
        let mask = Mask::new(|text| text.replace("secret", "••••"), 6);
        let mut run =
            pin!(masked(mask, async { (quote("my secret", 6), quote_own("my secret", 6), address("/secret")) }));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(shown) = run.as_mut().poll(&mut context) else { panic!("it waits for nothing") };
        assert_eq!(shown, ("\"my •••…\"".to_owned(), "\"my sec…\"".to_owned(), "/••••".to_owned()));
        assert_eq!(quote("my secret", 99), "\"my secret\"");
    }
}
