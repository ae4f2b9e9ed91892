//! The spans of a text that may change without its being another text: one table.
//!
//! Digits count. Exempt are counters in brackets, clock times, ages and percentages, and every number of an element that
//! kept changing by itself before it was looked at; never beside a currency, and never where nothing else would be left
//! to tell the element by.

use handeye_scene::{HeldText, normalize};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// More spans than this in one text, and none is exempt.
const SPANS: usize = 32;

/// A kind of span. Texts are normalised by then: lower case, full-width forms made plain.
struct Kind {
    /// What finds it; the span is the first group.
    find: Regex,
    /// What may stand in its place: a source that JavaScript takes too, with the flag `u`.
    gap: &'static str,
    /// It isn't exempt anywhere in a text that names money: "50% off $20".
    no_money_at_all: bool,
}

/// Numbers of any script, grouped and with a fraction.
const NUMBER: &str = r"\p{Nd}+(?:[.,:]\p{Nd}+)*";
const COUNT: &str = r"\p{Nd}[\p{Nd}.,]*\+?";
const CLOCK: &str = r"(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?(?: ?[ap]\.?m\.?)?";
const AGE: &str = r"(?:\p{Nd}+|an?|one) ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|months?|y|yrs?|years?) ago";
/// Months need their counter, for `3月前` may be "before March".
const AGE_HAN: &str = r"\p{Nd}+ ?(?:秒钟?|秒鐘|分钟?|分鐘|刻钟|[个個]?小[时時]|[个個]?[钟鐘][头頭]|天|日|周|週|[个個]?星期|[个個か]月|ヶ月|年|時間|週間) ?(?:之前|以前|前)";
const AGE_KOREAN: &str = r"\p{Nd}+ ?(?:초|분|시간|일|주|개월|달|년) ?전";
const PERCENTAGE: &str = r"\p{Nd}[\p{Nd}.,]* ?%";

static TABLE: LazyLock<[Kind; 6]> = LazyLock::new(|| {
    [
        kind(&format!(r"[(\[【〔] ?({COUNT}) ?[)\]】〕]"), COUNT, false),
        kind(&format!("({AGE})"), AGE, false),
        kind(&format!("({AGE_HAN})"), AGE_HAN, false),
        kind(&format!("({AGE_KOREAN})"), AGE_KOREAN, false),
        kind(&format!("({CLOCK})"), CLOCK, false),
        kind(&format!("({PERCENTAGE})"), PERCENTAGE, true),
    ]
});
/// Every number, for an element that changes by itself.
static NUMBERS: LazyLock<Kind> = LazyLock::new(|| kind(&format!("({NUMBER})"), NUMBER, false));

const CODES: &str = "usd|eur|gbp|cny|rmb|jpy|hkd|twd|ntd|inr|krw|aud|cad|nzd|chf|sgd|rub|brl|mxn|sek|nok|dkk|pln|try|zar|aed|thb|btc|eth|usdt";
const WORDS: &str =
    "dollars?|euros?|pounds?|yen|yuan|rupees?|roubles?|rubles?|francs?|pesos?|won|cents?|bucks?|quid|kr|zł";
const UNITS: &str = "美元|美金|欧元|歐元|英镑|英鎊|日元|日圆|日圓|港元|港币|港幣|台币|新台幣|人民币|人民幣|元|块钱|塊錢|块|塊|圆|圓|円|원|角钱|分钱";
const MAGNITUDES: &str = "k|m|bn|thousand|million|billion|百|千|万|萬|亿|億|만|억";

static MONEY_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(r"(?:\p{{Sc}}|(?:^|[^\p{{L}}])(?:{CODES}|{WORDS}|r|rs\.?)|{UNITS}) ?[-+−]? ?[(\[]? ?$"))
});
/// With the sign in a group: one that a number follows belongs to that number.
static MONEY_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"^ ?[)\]]? ?(?:{MAGNITUDES})? ?(?:(\p{{Sc}} ?\p{{Nd}})|\p{{Sc}}|(?:{CODES}|{WORDS})(?:[^\p{{L}}]|$)|{UNITS})"
    ))
});
static MONEY: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"\p{{Sc}}|(?:^|[^\p{{L}}])(?:{CODES}|{WORDS})(?:[^\p{{L}}]|$)|\p{{Nd}} ?(?:{MAGNITUDES})? ?(?:{UNITS})"
    ))
});

fn kind(find: &str, gap: &'static str, no_money_at_all: bool) -> Kind {
    Kind { find: regex(find), gap, no_money_at_all }
}

fn regex(source: &str) -> Regex {
    // invariant: the sources are constants, and a test compiles all of them
    Regex::new(source).expect("a pattern of the table")
}

/// How counters in brackets and the money that one may stand beside are found, for who holds to this table in JavaScript: sources for
/// normalised texts, with the flag `u`.
#[derive(Debug)]
pub struct Counters {
    /// A counter with its brackets; the group is what may change.
    pub find: &'static str,
    /// What ends before it where it is money.
    pub money_before: &'static str,
    /// What begins behind it where it is money, unless the group matched.
    pub money_after: &'static str,
    /// More of them in one text, and none may change.
    pub most: usize,
}

/// That of this table.
pub fn counters() -> Counters {
    Counters {
        find: TABLE[0].find.as_str(),
        money_before: MONEY_BEFORE.as_str(),
        money_after: MONEY_AFTER.as_str(),
        most: SPANS,
    }
}

/// A text as it is held: with gaps where it may change.
pub fn held(text: &str, self_changing: bool) -> HeldText {
    let text = normalize(text);
    cut(&text, spans(&text, self_changing))
}

/// The same with clock times and percentages that count.
pub fn held_to_times(text: &str, self_changing: bool) -> HeldText {
    let text = normalize(text);
    let spans = spans(&text, self_changing).into_iter().filter(|(_, gap)| !is_time(gap));
    cut(&text, spans.collect())
}

/// A text with these spans cut out.
fn cut(text: &str, spans: Vec<(Range<usize>, &'static str)>) -> HeldText {
    let (mut pieces, mut gaps, mut from) = (Vec::new(), Vec::new(), 0);
    for (span, gap) in spans {
        pieces.push(text[from..span.start].to_owned());
        gaps.push(gap.to_owned());
        from = span.end;
    }
    pieces.push(text[from..].to_owned());
    HeldText { pieces, gaps, open: false }
}

/// Whether a gap is where a clock time or a percentage stands.
pub(super) fn is_time(gap: &str) -> bool {
    [CLOCK, PERCENTAGE].contains(&gap)
}

/// Whether a text is still the one that was shown.
pub fn same_text(shown: &str, now: &str, self_changing: bool) -> bool {
    held(shown, self_changing).reads(now)
}

/// The spans of a normalised text that may change, in order, with what may stand there.
fn spans(text: &str, self_changing: bool) -> Vec<(Range<usize>, &'static str)> {
    if !text.contains(char::is_numeric) && !text.ends_with("ago") && !text.contains(" ago") {
        return Vec::new();
    }
    let names_money = LazyLock::new(|| MONEY.is_match(text));
    let mut spans: Vec<(Range<usize>, &'static str)> = Vec::new();
    for kind in TABLE.iter().chain(self_changing.then_some(&*NUMBERS)) {
        for found in kind.find.captures_iter(text).filter_map(|c| c.get(1)) {
            let range = found.range();
            let taken = spans.iter().any(|(s, _)| s.start < range.end && range.start < s.end);
            let free = stands_alone(text, &range) || self_changing && std::ptr::eq(kind, &*NUMBERS);
            let holds_money = is_beside_money(text, &range) || (kind.no_money_at_all && *names_money);
            if !taken && free && !holds_money {
                spans.push((range, kind.gap));
            }
            // A text full of numbers is held as it stands: gaps cost time in each event.
            if spans.len() > SPANS {
                return Vec::new();
            }
        }
    }
    spans.sort_by_key(|(range, _)| range.start);
    // What says nothing else is told by its digits: days, pages, tips of 15 % and 20 %.
    if !self_changing && !is_telling(text, &spans) {
        spans.clear();
    }
    spans
}

/// Whether anything is left of a text without its spans that tells the element.
fn is_telling(text: &str, spans: &[(Range<usize>, &'static str)]) -> bool {
    // An age says what it is by its words.
    let is_age = |gap: &str| [AGE, AGE_HAN, AGE_KOREAN].contains(&gap);
    let is_left = |at: usize| !spans.iter().any(|(span, gap)| span.contains(&at) && !is_age(gap));
    let is_mark = |c: char| {
        c.is_ascii_punctuation()
            || c.is_whitespace()
            || matches!(c, '【' | '】' | '〔' | '〕' | '·' | '•' | '–' | '—' | '…')
    };
    text.char_indices().any(|(at, c)| is_left(at) && !c.is_numeric() && !is_mark(c))
}

/// Whether a span isn't a part of a longer number or word.
fn stands_alone(text: &str, span: &Range<usize>) -> bool {
    let before = text[..span.start].chars().next_back();
    let after = text[span.end..].chars().next();
    let separates = |c: Option<char>| matches!(c, Some('.' | ',' | ':'));
    let number_before = separates(before) && text[..span.start].chars().nth_back(1).is_some_and(char::is_numeric);
    let number_after = separates(after) && text[span.end..].chars().nth(1).is_some_and(char::is_numeric);
    let glued = |c: Option<char>| c.is_some_and(super::words::is_wordy);
    !(glued(before) || glued(after) || number_before || number_after)
}

fn is_beside_money(text: &str, span: &Range<usize>) -> bool {
    MONEY_BEFORE.is_match(&text[..span.start])
        || MONEY_AFTER.captures(&text[span.end..]).is_some_and(|money| money.get(1).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn what_may_change_in_a_text_is_this() {
        let texts = [
            "Cart (2)",
            "购物车（2）",
            "Inbox [3]",
            "消息【12】",
            "Mail (99+)",
            "Likes (1,234)",
            "❤ (3)",
            "Pay 10 (2)",
            "Pay (5 items)",
            "Updated 12:01",
            "更新于12:01",
            "Lunch 12:01 pm",
            "Ratio 16:90",
            "v12:30x",
            "Row 1:12:013",
            "3 min ago",
            "Ann, 3 min ago",
            "Ann, an hour ago",
            "just now",
            "张三 3分钟前",
            "李四 2 小时前",
            "三月 3月前",
            "方 5個月前",
            "김 3분 전",
            "Battery 50%",
            "进度 50％",
            "50% off $20",
            "Save 20% now",
            "50%",
            "12:01",
            "(3)",
            "14",
            "Pay 10",
            "Invoice 1001",
            "Room 12",
            "Pay $5 (2)",
            "Pay (2) $5",
            "Pay $ (10)",
            "USD (10)",
            "Pay (10) USD",
            "Top up (10) 元",
            "Total 12:30 €",
        ];
        let lines: Vec<String> = texts
            .iter()
            .map(|text| {
                let held = held(text, false);
                format!("{text}: {}", held.pieces.join("*"))
            })
            .collect();
        expect![[r#"
            Cart (2): cart (*)
            购物车（2）: 购物车(*)
            Inbox [3]: inbox [*]
            消息【12】: 消息【*】
            Mail (99+): mail (*)
            Likes (1,234): likes (*)
            ❤ (3): ❤ (*)
            Pay 10 (2): pay 10 (*)
            Pay (5 items): pay (5 items)
            Updated 12:01: updated *
            更新于12:01: 更新于*
            Lunch 12:01 pm: lunch *
            Ratio 16:90: ratio 16:90
            v12:30x: v12:30x
            Row 1:12:013: row 1:12:013
            3 min ago: *
            Ann, 3 min ago: ann, *
            Ann, an hour ago: ann, *
            just now: just now
            张三 3分钟前: 张三 *
            李四 2 小时前: 李四 *
            三月 3月前: 三月 3月前
            方 5個月前: 方 *
            김 3분 전: 김 *
            Battery 50%: battery *
            进度 50％: 进度 *
            50% off $20: 50% off $20
            Save 20% now: save * now
            50%: 50%
            12:01: 12:01
            (3): (3)
            14: 14
            Pay 10: pay 10
            Invoice 1001: invoice 1001
            Room 12: room 12
            Pay $5 (2): pay $5 (*)
            Pay (2) $5: pay (*) $5
            Pay $ (10): pay $ (10)
            USD (10): usd (10)
            Pay (10) USD: pay (10) usd
            Top up (10) 元: top up (10) 元
            Total 12:30 €: total 12:30 €"#]]
        .assert_eq(&lines.join("\n"));
    }

    #[test]
    fn a_text_full_of_counters_is_held_as_it_stands() {
        assert_eq!(held(&"(1) a ".repeat(20), false).gaps.len(), 20);
        assert_eq!(held(&"(1) a ".repeat(4000), false).gaps, Vec::<String>::new());
    }

    #[test]
    fn the_digits_of_what_changes_by_itself_may_change_but_for_money() {
        let texts = ["12 viewers", "14", "12.5 °C at 9:00", "Pay $14", "Bid 14 EUR", "出价 14元", "3 of 10", "v2"];
        let lines: Vec<String> =
            texts.iter().map(|text| format!("{text}: {}", held(text, true).pieces.join("*"))).collect();
        expect![[r#"
            12 viewers: * viewers
            14: *
            12.5 °C at 9:00: * °c at *
            Pay $14: pay $14
            Bid 14 EUR: bid 14 eur
            出价 14元: 出价 14元
            3 of 10: * of *
            v2: v*"#]]
        .assert_eq(&lines.join("\n"));
    }

    #[test]
    fn one_text_is_the_same_as_another_in_these_cases() {
        let cases = [
            ("Cart (2)", "cart  (3)"),
            ("购物车（2）", "购物车(13)"),
            ("Ann, 59 min ago", "Ann, 1 hour ago"),
            ("张三 3分钟前", "张三 1小时前"),
            ("At 9:59", "At 10:00"),
            ("Battery 9%", "Battery 100%"),
            ("Ｓａｖｅ", "save"),
            ("登录", "登录"),
            ("Cart (2)", "Cart"),
            ("Cart", "Cart (1)"),
            ("Cart (2)", "Cart ($2)"),
            ("Pay 10", "Pay 1000000"),
            ("Transfer $5", "Transfer $500"),
            ("Invoice 1001", "Invoice 1002"),
            ("Pay", "Pay 999"),
            ("Approve", "Disapprove"),
            ("Delete", "Delete all accounts"),
            ("登录", "退出登录"),
            ("", "Delete"),
            ("Ann, 3 min ago", "Ann, just now"),
            ("50% off $20", "10% off $20"),
            ("14", "11"),
            ("15%", "20%"),
            ("\u{e001}", "\u{e002}"),
            ("Pay 10 (2)", "Pay 10 (3)"),
            ("Pay 10 (2)", "Pay 11 (2)"),
            ("Total 1,299.50", "Total 7"),
            ("A B", "AB"),
        ];
        let lines: Vec<String> =
            cases.iter().map(|(shown, now)| format!("{shown:?} {now:?}: {}", same_text(shown, now, false))).collect();
        expect![[r#"
            "Cart (2)" "cart  (3)": true
            "购物车（2）" "购物车(13)": true
            "Ann, 59 min ago" "Ann, 1 hour ago": true
            "张三 3分钟前" "张三 1小时前": true
            "At 9:59" "At 10:00": true
            "Battery 9%" "Battery 100%": true
            "Ｓａｖｅ" "save": true
            "登录" "登录": true
            "Cart (2)" "Cart": false
            "Cart" "Cart (1)": false
            "Cart (2)" "Cart ($2)": false
            "Pay 10" "Pay 1000000": false
            "Transfer $5" "Transfer $500": false
            "Invoice 1001" "Invoice 1002": false
            "Pay" "Pay 999": false
            "Approve" "Disapprove": false
            "Delete" "Delete all accounts": false
            "登录" "退出登录": false
            "" "Delete": false
            "Ann, 3 min ago" "Ann, just now": false
            "50% off $20" "10% off $20": false
            "14" "11": false
            "15%" "20%": false
            "\u{e001}" "\u{e002}": false
            "Pay 10 (2)" "Pay 10 (3)": true
            "Pay 10 (2)" "Pay 11 (2)": false
            "Total 1,299.50" "Total 7": false
            "A B" "AB": false"#]]
        .assert_eq(&lines.join("\n"));
    }
}
