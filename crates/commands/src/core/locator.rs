//! One locator as an argument, and a target's number.

use handeye_engine::Locator;
use handeye_scene::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One locator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LocatorArg {
    /// XPath; an absolute one may lead through iframes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub xpath: Option<String>,
    /// CSS selector, through shadow roots
    #[serde(skip_serializing_if = "Option::is_none")]
    pub css: Option<String>,
    /// ARIA role
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Accessible name
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Text that it says
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Test id
    #[serde(skip_serializing_if = "Option::is_none")]
    pub testid: Option<String>,
}

impl LocatorArg {
    /// The locator that is meant.
    pub fn locator(&self) -> Result<Locator, Problem> {
        let Self { xpath, css, role, name, text, testid } = self.clone();
        let mut alone = [
            xpath.map(Locator::Xpath),
            css.map(Locator::Css),
            text.map(Locator::Text),
            testid.map(Locator::TestId),
            (role.is_some() || name.is_some()).then_some(Locator::Role { role, name }),
        ]
        .into_iter()
        .flatten();
        match (alone.next(), alone.next()) {
            (Some(locator), None) => Ok(locator),
            _ => {
                let what = "a locator is one of xpath, css, text, testid, or role and name";
                Err(Problem::new(Code::BadRequest, what).hint("handeye find TEXT"))
            }
        }
    }
}

/// `5` or `[5]`.
pub fn parse_ref(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    match digits.parse::<u32>() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err(format!(
            "`{text}` is not a target's number: write it as the state shows it, such as 5, or name the target by --name, --role, --text, --css or --xpath"
        )),
    }
}
