//! The policy: what may be done, asked once for every call.

use crate::Effect;
use crate::core::settings::PolicySettings;
use crate::core::spelling::nearest as nearest_word;
use handeye_engine::observe::outline::quote_own;
use handeye_scene::model::role::{ROLES, known};
use handeye_scene::{Code, DeniedOrigins, Problem, TargetRule};

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

    /// Whether it denies an origin that cookies of this host are sent to.
    pub fn denies_host(&self, effect: Effect, domain: &str) -> bool {
        let (dot, name) = domain.strip_prefix('.').map_or(("", domain), |name| (".", name));
        let host = handeye_engine::policy::origin::host;
        let domain = format!("{dot}{}", host(&format!("http://{name}/")).unwrap_or_else(|| name.to_owned()));
        let is_sent_to =
            |origin: &String| host(origin).is_some_and(|host| crate::core::domain::is_sent(&domain, &host));
        match self.denied(effect) {
            DeniedOrigins::These(denied) => denied.iter().any(is_sent_to),
            // What a page may read and set itself goes with its origin.
            DeniedOrigins::AllBut(left) => !left.iter().any(is_sent_to) || self.named(effect).any(is_sent_to),
        }
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

    /// Origins on which a command of `effect` isn't simply allowed: their documents inside other pages are barred as well. Where a
    /// rule holds everywhere, those are all but what a person agreed to or an allowance names. Windows are in no page.
    pub fn denied(&self, effect: Effect) -> DeniedOrigins {
        let is_everywhere = |rule: &Rule| rule.effect == effect && rule.origin.is_none();
        if !self.deny.iter().chain(&self.ask).any(is_everywhere) {
            return DeniedOrigins::These(self.named(effect).cloned().collect());
        }
        let allowed = self.allow.iter().filter_map(|rule| rule.origin.as_ref());
        let agreed = self.granted.iter().filter_map(|grant| grant.origin.as_ref());
        let mut left: Vec<String> = allowed.chain(agreed).cloned().collect();
        left.retain(|origin| self.decide(effect, Place::Origin(origin)) == Decision::Allow);
        DeniedOrigins::AllBut(left)
    }

    /// Origins that rules about `effect` name, but for those about which a person agreed.
    fn named(&self, effect: Effect) -> impl Iterator<Item = &String> {
        let named = self.deny.iter().chain(&self.ask).filter(move |rule| rule.effect == effect);
        named
            .filter_map(|rule| rule.origin.as_ref())
            .filter(move |origin| *origin != DESKTOP && self.decide(effect, Place::Origin(origin)) != Decision::Allow)
    }
}

#[cfg(test)]
mod tests;
