//! The policy: what may be done, asked once for every call.

use crate::Effect;
use crate::core::settings::PolicySettings;
use crate::core::spelling::nearest as nearest_word;
use handeye_engine::observe::outline::quote_own;
use handeye_scene::model::role::{ROLES, known};
use handeye_scene::{Code, Problem, TargetRule};

/// What stands for the desktop in place of an address.
pub const DESKTOP: &str = "desktop:";

/// What the policy says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Allow,
    /// A person must agree first.
    Ask,
    /// Refused.
    Deny,
}

/// Where a call does what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// No page is open.
    Nowhere,
    /// On a page of this origin.
    Origin(&'a str),
    /// On a page whose origin can't be told: every rule that names an origin may be meant.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    effect: Effect,
    origin: Option<String>,
}

/// A rule, as it is written.
enum Parsed {
    /// About an effect, wherever or on an origin.
    Effect(Rule),
    /// About what is pressed.
    Target(TargetRule),
}

/// Characters of a rule.
const LONGEST: usize = 500;

impl Parsed {
    fn parse(text: &str, asks: bool) -> Result<Self, Problem> {
        if text.chars().count() > LONGEST {
            let what = format!("a policy rule of more than {LONGEST} characters: {}…", quote_own(text, 40));
            return Err(Problem::new(Code::BadRequest, what).hint("handeye config show"));
        }
        let (what, origin) = match text.rsplit_once('@') {
            Some((what, origin)) => (what, Some(origin)),
            None => (text, None),
        };
        let mut parts = what.splitn(3, ':');
        let (effect, role, wording) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let rule = Rule::parse(text, effect, origin)?;
        let Some(role) = role else { return Ok(Parsed::Effect(rule)) };
        let refused = |why: &str| {
            let what = format!(
                "the policy rule `{text}` {why}: write `acts:ROLE:WORDING`, such as `acts:button:Delete*` or `acts:*:*delete*`, then `@ORIGIN` where it holds for one origin only"
            );
            Err(Problem::new(Code::BadRequest, what).hint("handeye config show"))
        };
        let Some(wording) = wording else { return refused("names a role and no wording") };
        if rule.effect != Effect::Acts {
            return refused("names a target, which only rules about `acts` can");
        }
        if handeye_scene::normalize(wording).is_empty() {
            return refused("has an empty wording");
        }
        let role = match role.trim() {
            "*" => None,
            role if known(role) == role => Some(role.to_owned()),
            role => return refused(&format!("has the role `{role}`, which there isn't{}", nearest(role))),
        };
        let (written, wording) = (text.to_owned(), handeye_engine::policy::targets::wording(wording));
        Ok(Parsed::Target(TargetRule { written, role, wording, origin: rule.origin, asks, except: Vec::new() }))
    }
}

/// The role that is written most like this, as a hint.
fn nearest(written: &str) -> String {
    meant(written, ROLES.iter().copied())
}

/// The word that is written most like this, as a hint.
fn meant<'a>(written: &str, words: impl Iterator<Item = &'a str>) -> String {
    nearest_word(written, words).map_or_else(String::new, |word| format!(" (did you mean `{word}`?)"))
}

/// What may be allowed.
const ALLOWED: [&str; 4] = ["eval", "reads", "acts", "manages"];

/// An allowance: an effect on an origin, about which nobody is asked. It says nothing of targets: what a press sets off may be more
/// than the target that was named, so only what must not be pressed can be said by wording.
fn allowance(text: &str) -> Result<Rule, Problem> {
    let refused = |why: String| {
        let what = format!("the policy can't allow `{}`: {why}", outline_cut(text));
        Err(Problem::new(Code::BadRequest, what).hint("handeye config show"))
    };
    let (what, origin) = text.rsplit_once('@').map_or((text, None), |(what, origin)| (what, Some(origin)));
    let effect = what.split(':').next().unwrap_or_default();
    if !ALLOWED.contains(&effect) {
        let meant = meant(effect, ALLOWED.into_iter());
        return refused(format!("write `eval`, or `reads`, `acts` or `manages` with `@ORIGIN`{meant}"));
    }
    if what.contains(':') {
        return refused(format!(
            "allow names no targets, since what is not named by deny or ask is allowed already: write what must not be pressed, such as deny = [\"acts:button:Delete*\"], or what a person is asked about, such as ask = [\"acts:button:Pay*\"], in place of ask = [\"{effect}\"]"
        ));
    }
    match origin {
        None => refused("what no rule of deny or ask names is allowed already; with `@ORIGIN` nobody is asked on that origin what ask asks everywhere".into()),
        Some(origin) if effect != ALLOWED[0] => Rule::parse(text, effect, Some(origin)),
        Some(_) => refused("scripts are allowed for a session, not for an origin: write `eval`".into()),
    }
}

/// A rule as it is told back.
fn outline_cut(text: &str) -> String {
    handeye_engine::observe::outline::cut(text, 80)
}

impl Rule {
    fn parse(text: &str, effect: &str, origin: Option<&str>) -> Result<Self, Problem> {
        let effect = match effect {
            "reads" => Effect::Reads,
            "acts" => Effect::Acts,
            "manages" => Effect::Manages,
            _ => {
                return Err(Problem::new(
                    Code::BadRequest,
                    format!("the policy rule `{text}` names no effect: write `reads`, `acts` or `manages`, `acts:ROLE:WORDING` for what may be pressed, then `@ORIGIN` where it holds for one origin only"),
                )
                .hint("handeye config show"));
            }
        };
        let parsed = origin.map(|text| match text {
            // Of all windows; `null` is the origin of documents that have none.
            DESKTOP => Some(DESKTOP.to_owned()),
            _ => handeye_engine::policy::origin::parse(text),
        });
        if parsed == Some(None) {
            return Err(Problem::new(
                Code::BadRequest,
                format!(
                    "the policy rule `{text}` has no valid origin: write it as scheme://host or scheme://host:port, or as desktop: for windows"
                ),
            )
            .hint("handeye config show"));
        }
        Ok(Self { effect, origin: parsed.flatten() })
    }

    fn holds(&self, effect: Effect, place: Place) -> bool {
        let here = match (self.origin.as_deref(), place) {
            (None, _) | (Some(_), Place::Unknown) => true,
            (Some(_), Place::Nowhere) => false,
            (Some(origin), Place::Origin(here)) => origin == here,
        };
        self.effect == effect && here
    }
}

/// What may be done. A policy that doesn't parse refuses to start.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    deny: Vec<Rule>,
    ask: Vec<Rule>,
    /// Where nobody is asked what is asked everywhere.
    allow: Vec<Rule>,
    /// What may not be pressed, or only where a person agrees.
    targets: Vec<TargetRule>,
    /// What a person agreed to.
    granted: Vec<Grant>,
}

/// What a person agreed to, for one call: this effect in this place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What may be done.
    pub effect: Effect,
    /// The origin; none where nothing was open, or where it couldn't be told.
    pub origin: Option<String>,
}

/// What a person agreed to, for one call: pressing what a rule asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgreedTarget {
    /// The rule, as it was written.
    pub rule: String,
    /// What is pressed, in all its words; none where nobody can say.
    pub words: Option<Vec<String>>,
}

impl Grant {
    fn holds(&self, effect: Effect, origin: Option<&str>) -> bool {
        self.effect == effect && self.origin.as_deref() == origin
    }
}

impl Policy {
    /// Reads the rules.
    pub fn parse(settings: &PolicySettings) -> Result<Self, Problem> {
        // Put in force when a browser is opened; refused from the first call on.
        handeye_engine::Origins::default().with(
            &settings.allow_origins,
            &settings.deny_origins,
            settings.public_only,
        )?;
        let allow = settings.allowances().map(allowance).collect::<Result<_, _>>()?;
        let mut policy = Self { allow, ..Self::default() };
        for (asks, list) in [(false, &settings.deny), (true, &settings.ask)] {
            for text in list {
                match Parsed::parse(text, asks)? {
                    Parsed::Effect(rule) if asks => policy.ask.push(rule),
                    Parsed::Effect(rule) => policy.deny.push(rule),
                    Parsed::Target(rule) => policy.targets.push(rule),
                }
            }
        }
        Ok(policy)
    }

    /// The same where a person agreed to this. What is refused stays refused.
    #[must_use]
    pub fn granting(self, granted: &[Grant]) -> Self {
        Self { granted: granted.to_vec(), ..self }
    }

    /// The same where a person agreed to these presses, too.
    #[must_use]
    pub fn agreeing(mut self, agreed: &[AgreedTarget]) -> Self {
        let lifted = |rule: &TargetRule| agreed.iter().any(|a| a.words.is_none() && a.rule == rule.written);
        self.targets.retain(|rule| !(rule.asks && lifted(rule)));
        for rule in self.targets.iter_mut().filter(|rule| rule.asks) {
            let own = agreed.iter().filter(|a| a.rule == rule.written).filter_map(|a| a.words.as_ref());
            rule.except = own.flatten().map(|text| handeye_scene::normalize(text)).collect();
        }
        self
    }

    /// Rules about what is pressed.
    pub fn targets(&self) -> &[TargetRule] {
        &self.targets
    }

    fn asks(&self, effect: Effect, place: Place) -> bool {
        let origin = if let Place::Origin(origin) = place { Some(origin) } else { None };
        // An allowance lifts what asks everywhere, where the place is known to be its own; never a rule as narrow as itself.
        let is_allowed = origin.is_some() && self.allow.iter().any(|r| r.holds(effect, place));
        let asks = |r: &&Rule| r.holds(effect, place) && !(is_allowed && r.origin.is_none());
        self.ask.iter().any(|r| asks(&r)) && !self.granted.iter().any(|g| g.holds(effect, origin))
    }

    /// What it says of a command of `effect` in a place; deny beats ask beats allow.
    pub fn decide(&self, effect: Effect, place: Place) -> Decision {
        if self.deny.iter().any(|r| r.holds(effect, place)) {
            Decision::Deny
        } else if self.asks(effect, place) {
            Decision::Ask
        } else {
            Decision::Allow
        }
    }

    /// Whether any rule is about this effect.
    pub fn names(&self, effect: Effect) -> bool {
        self.deny.iter().chain(&self.ask).any(|r| r.effect == effect)
    }

    /// Origins on which a command of `effect` isn't simply allowed: their documents inside other pages are barred as well. Windows
    /// are in no page.
    pub fn denied(&self, effect: Effect) -> Vec<String> {
        let is_granted = |r: &&Rule| self.granted.iter().any(|g| g.holds(effect, r.origin.as_deref()));
        let rules = self.deny.iter().chain(self.ask.iter().filter(|r| !is_granted(r))).filter(|r| r.effect == effect);
        rules.filter_map(|r| r.origin.clone()).filter(|origin| origin != DESKTOP).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_as_origins_and_an_unknown_one_may_be_any() {
        let deny = vec![
            "acts@HTTPS://Bank.Example:443".to_owned(),
            "reads@http://b\u{fc}cher.example/".to_owned(),
            "reads@null".to_owned(),
        ];
        let settings = PolicySettings { deny, ..PolicySettings::default() };
        let policy = Policy::parse(&settings).unwrap_or_default();
        for (effect, place, decision) in [
            (Effect::Acts, Place::Origin("https://bank.example"), Decision::Deny),
            (Effect::Acts, Place::Origin("https://bank.example:8443"), Decision::Allow),
            (Effect::Acts, Place::Origin("http://bank.example"), Decision::Allow),
            (Effect::Acts, Place::Unknown, Decision::Deny),
            (Effect::Acts, Place::Nowhere, Decision::Allow),
            (Effect::Reads, Place::Origin("http://xn--bcher-kva.example"), Decision::Deny),
            (Effect::Reads, Place::Origin("https://bank.example"), Decision::Allow),
            (Effect::Manages, Place::Unknown, Decision::Allow),
            (Effect::Reads, Place::Origin("null"), Decision::Deny),
            (Effect::Reads, Place::Origin("desktop:"), Decision::Allow),
        ] {
            assert_eq!(policy.decide(effect, place), decision, "{effect:?} {place:?}");
        }
        assert_eq!(policy.denied(Effect::Acts), ["https://bank.example"]);
        let deny = vec!["acts@desktop:".to_owned()];
        let windows = Policy::parse(&PolicySettings { deny, ..PolicySettings::default() }).unwrap_or_default();
        assert_eq!(windows.decide(Effect::Acts, Place::Origin("desktop:")), Decision::Deny);
        assert_eq!(windows.decide(Effect::Acts, Place::Origin("null")), Decision::Allow);
        assert_eq!(windows.denied(Effect::Acts), [""; 0]);
        for rule in ["acts@bank.example", "acts@https://bank.example/pay", "act@https://x.example", "acts@"] {
            let settings = PolicySettings { deny: vec![rule.to_owned()], ..PolicySettings::default() };
            assert!(Policy::parse(&settings).is_err(), "{rule}");
        }
    }

    #[test]
    fn an_allowance_lifts_what_asks_everywhere_on_its_origin_and_nothing_that_denies() {
        let shop = "https://shop.example";
        let of = |text: &str| if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
        for (deny, ask, allow, effect, place, decision) in [
            ("", "acts", "acts@https://shop.example", Effect::Acts, Place::Origin(shop), Decision::Allow),
            ("", "acts", "acts@HTTPS://Shop.example:443/", Effect::Acts, Place::Origin(shop), Decision::Allow),
            (
                "",
                "acts",
                "acts@https://shop.example",
                Effect::Acts,
                Place::Origin("https://bank.example"),
                Decision::Ask,
            ),
            (
                "",
                "acts",
                "acts@https://shop.example",
                Effect::Acts,
                Place::Origin("http://shop.example"),
                Decision::Ask,
            ),
            ("", "acts", "acts@https://shop.example", Effect::Acts, Place::Unknown, Decision::Ask),
            ("", "acts", "acts@https://shop.example", Effect::Acts, Place::Nowhere, Decision::Ask),
            ("", "acts", "reads@https://shop.example", Effect::Acts, Place::Origin(shop), Decision::Ask),
            ("", "acts", "acts@desktop:", Effect::Acts, Place::Origin("desktop:"), Decision::Allow),
            // A rule as narrow as the allowance stands, and so does every denial.
            (
                "",
                "acts@https://shop.example",
                "acts@https://shop.example",
                Effect::Acts,
                Place::Origin(shop),
                Decision::Ask,
            ),
            ("acts", "acts", "acts@https://shop.example", Effect::Acts, Place::Origin(shop), Decision::Deny),
            (
                "acts@https://shop.example",
                "",
                "acts@https://shop.example",
                Effect::Acts,
                Place::Origin(shop),
                Decision::Deny,
            ),
            ("acts", "", "acts@https://shop.example", Effect::Acts, Place::Origin(shop), Decision::Deny),
        ] {
            let settings =
                PolicySettings { deny: of(deny), ask: of(ask), allow: of(allow), ..PolicySettings::default() };
            let policy = Policy::parse(&settings).unwrap();
            assert_eq!(policy.decide(effect, place), decision, "{deny:?} {ask:?} {allow:?} {effect:?} {place:?}");
        }
        // Rules by wording are asked about wherever they hold, and a later call takes allowances away but adds none.
        let settings = |ask: &[&str], allow: &[&str]| PolicySettings {
            ask: ask.iter().map(|rule| (*rule).to_owned()).collect(),
            allow: allow.iter().map(|rule| (*rule).to_owned()).collect(),
            ..PolicySettings::default()
        };
        let policy =
            Policy::parse(&settings(&["acts", "acts:button:Pay*"], &["eval", "acts@https://shop.example"])).unwrap();
        assert_eq!((policy.targets().len(), policy.targets()[0].asks), (1, true));
        for (own, call, left) in [
            (&["acts@https://a.example"][..], &["acts@https://a.example"][..], &["acts@https://a.example"][..]),
            (&["acts@https://a.example"], &[], &[]),
            (&[], &["acts@https://a.example"], &[]),
            (&["eval", "acts@https://a.example"], &["eval", "acts@https://b.example"], &["eval"]),
        ] {
            let mut narrowed = settings(&[], own);
            narrowed.narrow(&settings(&[], call));
            assert_eq!(narrowed.allow, left, "{own:?} {call:?}");
        }
    }

    #[test]
    fn what_cant_be_allowed_is_refused_and_says_what_to_write() {
        for (rule, told) in [
            ("acts:button:Next*", "ask = ["),
            ("acts:*:*@https://shop.example", "deny = ["),
            ("reads:button:x", "names no targets"),
            ("acts", "allowed already"),
            ("manages", "allowed already"),
            ("evil", "`eval`?"),
            ("act@https://shop.example", "`acts`?"),
            ("eval@https://shop.example", "write `eval`"),
            ("acts@shop.example", "no valid origin"),
            ("", "write `eval`"),
        ] {
            let settings = PolicySettings { allow: vec![rule.to_owned()], ..PolicySettings::default() };
            let problem = Policy::parse(&settings).expect_err(rule);
            assert!(problem.code == Code::BadRequest && problem.message.contains(told), "{rule}: {}", problem.message);
        }
    }

    #[test]
    fn consent_holds_for_what_was_asked_in_the_place_where_it_was_asked() {
        let ask = vec!["acts@https://bank.example".to_owned(), "acts@https://shop.example".to_owned()];
        let deny = vec!["reads@https://bank.example".to_owned()];
        let settings = PolicySettings { ask, deny, ..PolicySettings::default() };
        let grant = |effect| Grant { effect, origin: Some("https://bank.example".to_owned()) };
        let policy =
            Policy::parse(&settings).unwrap_or_default().granting(&[grant(Effect::Acts), grant(Effect::Reads)]);
        let bank = Place::Origin("https://bank.example");
        assert_eq!(policy.decide(Effect::Acts, bank), Decision::Allow);
        assert_eq!(policy.decide(Effect::Reads, bank), Decision::Deny, "no person can lift what is refused");
        assert_eq!(policy.decide(Effect::Acts, Place::Origin("https://shop.example")), Decision::Ask);
        assert_eq!(policy.decide(Effect::Acts, Place::Unknown), Decision::Ask);
        assert_eq!(policy.denied(Effect::Acts), ["https://shop.example"]);
        assert_eq!(policy.denied(Effect::Reads), ["https://bank.example"]);
    }
}
