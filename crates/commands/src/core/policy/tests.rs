//! What rules say of an effect in a place.

use super::*;

fn these(origins: &[&str]) -> DeniedOrigins {
    DeniedOrigins::These(origins.iter().map(|origin| (*origin).to_owned()).collect())
}

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
    assert_eq!(policy.denied(Effect::Acts), these(&["https://bank.example"]));
    let deny = vec!["acts@desktop:".to_owned()];
    let windows = Policy::parse(&PolicySettings { deny, ..PolicySettings::default() }).unwrap_or_default();
    assert_eq!(windows.decide(Effect::Acts, Place::Origin("desktop:")), Decision::Deny);
    assert_eq!(windows.decide(Effect::Acts, Place::Origin("null")), Decision::Allow);
    assert!(windows.denied(Effect::Acts).is_empty());
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
        ("", "acts", "acts@https://shop.example", Effect::Acts, Place::Origin("https://bank.example"), Decision::Ask),
        ("", "acts", "acts@https://shop.example", Effect::Acts, Place::Origin("http://shop.example"), Decision::Ask),
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
        let settings = PolicySettings { deny: of(deny), ask: of(ask), allow: of(allow), ..PolicySettings::default() };
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
    let policy = Policy::parse(&settings).unwrap_or_default().granting(&[grant(Effect::Acts), grant(Effect::Reads)]);
    let bank = Place::Origin("https://bank.example");
    assert_eq!(policy.decide(Effect::Acts, bank), Decision::Allow);
    assert_eq!(policy.decide(Effect::Reads, bank), Decision::Deny, "no person can lift what is refused");
    assert_eq!(policy.decide(Effect::Acts, Place::Origin("https://shop.example")), Decision::Ask);
    assert_eq!(policy.decide(Effect::Acts, Place::Unknown), Decision::Ask);
    assert_eq!(policy.denied(Effect::Acts), these(&["https://shop.example"]));
    assert_eq!(policy.denied(Effect::Reads), these(&["https://bank.example"]));
}

#[test]
fn a_rule_that_holds_everywhere_bars_all_documents_but_those_it_was_lifted_for() {
    let (shop, pay) = ("https://shop.example", "https://pay.example");
    let of = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
    let agreed = |effect, origin: &str| Grant { effect, origin: Some(origin.to_owned()) };
    for (deny, ask, allow, granted, left) in [
        (&[][..], &["acts"][..], &[][..], vec![], &[][..]),
        (&[], &["acts"], &["acts@https://shop.example"], vec![], &[shop]),
        (&[], &["acts"], &["reads@https://shop.example"], vec![], &[]),
        (&[], &["acts"], &[], vec![agreed(Effect::Acts, shop)], &[shop]),
        (&[], &["acts"], &[], vec![agreed(Effect::Reads, shop)], &[]),
        // Nobody knows where that was: it lifts it for no document.
        (&[], &["acts"], &[], vec![Grant { effect: Effect::Acts, origin: None }], &[]),
        (&[], &["acts"], &["acts@https://shop.example"], vec![agreed(Effect::Acts, pay)], &[shop, pay]),
        // A rule as narrow as what lifts stands, and so does a denial.
        (&[], &["acts", "acts@https://pay.example"], &["acts@https://pay.example"], vec![], &[]),
        (&["acts@https://pay.example"], &["acts"], &[], vec![agreed(Effect::Acts, pay)], &[]),
        (&["acts"], &[], &["acts@https://shop.example"], vec![agreed(Effect::Acts, shop)], &[]),
    ] {
        let settings = PolicySettings { deny: of(deny), ask: of(ask), allow: of(allow), ..PolicySettings::default() };
        let policy = Policy::parse(&settings).unwrap().granting(&granted);
        let denied = policy.denied(Effect::Acts);
        assert_eq!(denied, DeniedOrigins::AllBut(of(left)), "{deny:?} {ask:?} {allow:?} {granted:?}");
        assert!(policy.denied(Effect::Manages).is_empty());
        // Cookies go with the origins that they are sent to.
        for (domain, is_of) in [("shop.example", shop), (".shop.example", shop), ("pay.example", pay)] {
            assert_eq!(policy.denies_host(Effect::Acts, domain), denied.contains(is_of), "{domain} {ask:?} {allow:?}");
        }
    }
}
