//! A target in one word, for options and words that take its number: the number, or a locator such as `css=#pay`.

use crate::Session;
use crate::core::locator::{LocatorArg, parse_ref};
use handeye_engine::locate::locate;
use handeye_engine::matching::shown_now;
use handeye_engine::{Expectation, Locator};
use handeye_scene::{Aim, Code, Problem, Ref};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A target, by its number or by a locator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Named {
    /// Its number, as shown in the state
    Ref(u32),
    /// A locator
    By(LocatorArg),
}

/// `5`, `[5]`, `css=#pay`, `xpath=//a`, `testid=pay`, `text=Pay now`, `name=Pay`, `role=button`, `role=button name=Pay`.
pub fn parse_named(text: &str) -> Result<Named, String> {
    match parse_locator(text)? {
        Some(locator) => Ok(Named::By(locator)),
        None => parse_ref(text).map(Named::Ref),
    }
}

/// The locator that a word is; none where it isn't written as one.
pub fn parse_locator(text: &str) -> Result<Option<LocatorArg>, String> {
    let Some((key, value)) = text.split_once('=') else { return Ok(None) };
    let some = Some(value.trim().to_owned());
    let mut locator = LocatorArg::default();
    match key.trim() {
        "css" | "selector" => locator.css = some,
        "xpath" => locator.xpath = some,
        "testid" => locator.testid = some,
        "text" => locator.text = some,
        "name" => locator.name = some,
        "role" => {
            let (role, name) = match value.split_once(" name=") {
                Some((role, name)) => (role, Some(name.trim().to_owned())),
                None => (value, None),
            };
            (locator.role, locator.name) = (Some(role.trim().to_owned()), name);
        }
        _ => return Ok(None),
    }
    let parts = [&locator.css, &locator.xpath, &locator.testid, &locator.text, &locator.name, &locator.role];
    if parts.iter().any(|part| part.as_deref() == Some("")) {
        return Err(format!("`{text}` names nothing: write a value behind the =, such as css=#pay"));
    }
    Ok(Some(locator))
}

impl Named {
    /// Its number, where it is named by one.
    pub fn written(&self) -> Option<u32> {
        match self {
            Named::Ref(number) => Some(*number),
            Named::By(_) => None,
        }
    }

    /// The number of the target: the one that was written, else one that is given to what the locator matches.
    pub async fn number(&self, session: &mut Session) -> Result<Ref, Problem> {
        let locator = match self {
            Named::Ref(number) => return Ok(Ref(*number)),
            Named::By(locator) => locator.locator()?,
        };
        let (surface, memory, _) = session.parts()?;
        let located = locate(surface, memory, std::slice::from_ref(&locator), &Expectation::Any).await?;
        let Some(probe) = surface.probe(located.native, Aim::default()).await? else { return Err(nothing(&locator)) };
        Ok(memory.refs.mention(located.native, || shown_now(&probe)))
    }
}

fn nothing(locator: &Locator) -> Problem {
    Problem::new(Code::NotFound, format!("nothing matches {}", locator.words())).hint("handeye state")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<LocatorArg> {
        match parse_named(text) {
            Ok(Named::By(locator)) => Some(locator),
            _ => None,
        }
    }

    #[test]
    fn a_target_is_a_number_or_a_locator_in_one_word() {
        assert_eq!(parse_named("[12]"), Ok(Named::Ref(12)));
        let some = |text: &str| Some(text.to_owned());
        let of = LocatorArg::default;
        for (text, locator) in [
            ("css=a[href='/x=1']", LocatorArg { css: some("a[href='/x=1']"), ..of() }),
            ("selector=#pay", LocatorArg { css: some("#pay"), ..of() }),
            ("xpath=//a[@id='x']", LocatorArg { xpath: some("//a[@id='x']"), ..of() }),
            ("testid=pay", LocatorArg { testid: some("pay"), ..of() }),
            ("text=Pay now", LocatorArg { text: some("Pay now"), ..of() }),
            ("name= Pay ", LocatorArg { name: some("Pay"), ..of() }),
            ("role=button", LocatorArg { role: some("button"), ..of() }),
            ("role=button name=Save as", LocatorArg { role: some("button"), name: some("Save as"), ..of() }),
        ] {
            assert_eq!(read(text), Some(locator), "{text}");
        }
        for wrong in ["css=", "role= name=x", "pay", "id=5", "0", "=5"] {
            assert!(parse_named(wrong).is_err(), "{wrong}");
        }
    }
}
