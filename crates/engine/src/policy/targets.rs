//! Targets that the rules name by role and wording: what is decided of what a press would set off.

use crate::wording::shown::quote_own;
use crate::wording::targets::called;
use handeye_scene::{Code, HeldText, Pressed, Problem, TargetRule, Withheld, normalize};

/// What stands in a wording for any text.
const ANY: char = '*';
/// Stands for it while a wording is normalised; of private use, and in no text.
const HOLE: char = '\u{10fffd}';

/// What the rules say of a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling<'a> {
    /// Nothing.
    Allow,
    /// A person must agree to pressing this first.
    Ask(&'a TargetRule, &'a Pressed),
    /// It isn't pressed.
    Deny(&'a TargetRule, &'a Pressed),
}

/// What the rules say of a press that sets these off, in a document of `origin`; deny beats ask beats allow.
pub fn rule<'a>(rules: &'a [TargetRule], origin: Option<&str>, pressed: &'a [Pressed]) -> Ruling<'a> {
    let mut ruling = Ruling::Allow;
    for rule in rules.iter().filter(|rule| rule.holds_at(origin)) {
        let Some(named) = pressed.iter().find(|pressed| rule.names(pressed)) else { continue };
        match rule.asks {
            false => return Ruling::Deny(rule, named),
            true if ruling == Ruling::Allow => ruling = Ruling::Ask(rule, named),
            true => {}
        }
    }
    ruling
}

/// The strictest rule that may be meant where nobody can say what is pressed.
pub fn strictest<'a>(rules: &'a [TargetRule], origin: Option<&str>) -> Option<&'a TargetRule> {
    rules.iter().filter(|rule| rule.holds_at(origin)).min_by_key(|rule| rule.asks)
}

/// A wording as it is compared: `*` stands for any text, or none; all else for itself.
pub fn wording(written: &str) -> HeldText {
    let whole = normalize(&written.replace(ANY, &HOLE.to_string()));
    let pieces: Vec<String> = whole.split(HOLE).map(str::to_owned).collect();
    let gaps = vec!["[\\s\\S]*".to_owned(); pieces.len() - 1];
    HeldText { pieces, gaps, open: false }
}

/// Pressing what a rule names is refused.
pub fn refused(action: &str, pressed: &Pressed, rule: &TargetRule) -> Problem {
    let why = if rule.asks { "wants a person's consent, which nobody gave, to" } else { "refuses to" };
    let what = called(&pressed.role, pressed.called());
    denied(format!("the policy {why} {action} {what}, by the rule {}", written(rule)))
}

/// So it is where nobody can say what would be pressed.
pub fn untold(action: &str, what: &str, rule: &TargetRule) -> Problem {
    let why = if rule.asks { "wants a person's consent for" } else { "denies" };
    denied(format!("can't {action}: {what}, and the policy {why} {}", written(rule)))
}

/// What a guard stopped of a gesture that would have pressed what a rule names.
pub fn withheld(withheld: &Withheld) -> Problem {
    let how_far = if withheld.partial { "begun and then withheld" } else { "withheld" };
    let what = withheld.actual.as_deref().map_or_else(|| "what is there".into(), |a| called(&a.role, a.words()));
    denied(format!("{how_far}: the policy refuses to press {what}"))
}

fn written(rule: &TargetRule) -> String {
    quote_own(&rule.written, 120)
}

fn denied(message: String) -> Problem {
    Problem::new(Code::Denied, message).hint("handeye config show")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(role: Option<&str>, text: &str, asks: bool, origin: Option<&str>) -> TargetRule {
        let role = role.map(str::to_owned);
        let origin = origin.map(str::to_owned);
        TargetRule { written: text.into(), role, wording: wording(text), origin, asks, except: Vec::new() }
    }

    fn button(words: &[&str]) -> Pressed {
        Pressed { role: "button".into(), words: words.iter().map(|w| (*w).to_owned()).collect() }
    }

    #[test]
    fn a_wording_reads_like_a_text_with_holes() {
        for (rule, text, reads) in [
            ("Delete", "Delete", true),
            ("Delete", "DELETE ", true),
            ("Delete", "Delete all", false),
            ("Delete*", "Delete all", true),
            ("Delete*", "Deletes", true),
            ("Delete *", "Deletes", false),
            ("Delete *", "delete\u{a0}all", true),
            ("*delete*", "Please delete\nthis", true),
            ("*delete*", "Undelete", true),
            ("*delete*", "Del\u{ad}ete", true),
            ("*delete*", "Remove", false),
            ("*删除*", "确认删除账户", true),
            ("*删除*", "确认移除账户", false),
            ("Delete*", "ｄｅｌｅｔｅ　１", true),
            ("STRASSE", "straße", true),
            ("ΣΊΣΥΦΟΣ", "σίσυφος", true),
            ("caf\u{e9}", "cafe\u{301}", true),
            ("a.c", "abc", false),
            ("(x)+[y", "(X)+[Y", true),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
        ] {
            assert_eq!(wording(rule).reads(text), reads, "{rule:?} {text:?}");
        }
    }

    #[test]
    fn deny_beats_ask_beats_allow_whatever_the_order() {
        let (ask, deny) = (made(None, "*delete*", true, None), made(Some("button"), "Delete all", false, None));
        let far = made(None, "*", false, Some("https://bank.example"));
        for rules in [[ask.clone(), deny.clone(), far.clone()], [far.clone(), deny.clone(), ask.clone()]] {
            let at = Some("https://shop.example");
            let decide = |pressed: &[Pressed]| match rule(&rules, at, pressed) {
                Ruling::Allow => "allow",
                Ruling::Ask(..) => "ask",
                Ruling::Deny(..) => "deny",
            };
            assert_eq!(decide(&[button(&["Edit"])]), "allow");
            assert_eq!(decide(&[]), "allow");
            assert_eq!(decide(&[button(&["Edit"]), button(&["Delete one"])]), "ask");
            assert_eq!(decide(&[button(&["Delete one"]), button(&["x", "Delete All"])]), "deny");
            assert_eq!(decide(&[Pressed { role: "link".into(), ..button(&["Delete all"]) }]), "ask");
            assert!(matches!(rule(&rules, None, &[button(&["Edit"])]), Ruling::Deny(..)), "it may be the bank's");
            assert_eq!(strictest(&rules, at), Some(&deny));
        }
        assert_eq!(strictest(&[far, ask.clone()], Some("null")), Some(&ask));
        assert_eq!(strictest(&[], None), None);
    }
}
