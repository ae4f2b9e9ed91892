//! Which origins the rules deny something of.

use serde::{Deserialize, Serialize};

/// Origins of whose documents something is denied, as the URL Standard writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeniedOrigins {
    /// These.
    These(Vec<String>),
    /// All but these: a rule without an origin holds for documents of any, and what lifts it lifts it for one.
    AllBut(Vec<String>),
}

impl Default for DeniedOrigins {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

impl DeniedOrigins {
    /// Whether none is denied.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::These(origins) if origins.is_empty())
    }

    /// Whether this one is.
    pub fn contains(&self, origin: &str) -> bool {
        let is_in = |origins: &[String]| origins.iter().any(|one| one == origin);
        match self {
            Self::These(origins) => is_in(origins),
            Self::AllBut(origins) => !is_in(origins),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_some_is_never_none() {
        let shop = || vec!["https://shop.example".to_owned()];
        for (denied, is_empty, of_shop, of_pay) in [
            (DeniedOrigins::default(), true, false, false),
            (DeniedOrigins::These(shop()), false, true, false),
            (DeniedOrigins::AllBut(Vec::new()), false, true, true),
            (DeniedOrigins::AllBut(shop()), false, false, true),
        ] {
            let told =
                (denied.is_empty(), denied.contains("https://shop.example"), denied.contains("https://pay.example"));
            assert_eq!(told, (is_empty, of_shop, of_pay), "{denied:?}");
        }
    }
}
