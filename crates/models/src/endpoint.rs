//! Where a model is reached.

use crate::Secret;
use crate::budget::Price;
use handeye_scene::Wire;
use std::time::Duration;
use url::Url;

/// A model at an address.
#[derive(Debug, Clone, PartialEq)]
pub struct Endpoint {
    /// Which wire.
    pub wire: Wire,
    /// What the wire's paths are added to, such as `https://api.openai.com/v1`.
    pub base: Url,
    /// The model's name there.
    pub model: String,
    /// The key; none for a server that wants none.
    pub key: Option<Secret>,
    /// How long a request may take, with its answer and all attempts.
    pub timeout: Duration,
    /// How often a request is sent at most, the first time included.
    pub attempts: u32,
    /// What it costs, where a budget counts money.
    pub price: Option<Price>,
}

impl Endpoint {
    /// An endpoint with the usual limits: 120 s, three attempts.
    pub fn new(wire: Wire, base: Url, model: impl Into<String>, key: Option<Secret>) -> Self {
        let timeout = Duration::from_secs(120);
        Self { wire, base, model: model.into(), key, timeout, attempts: 3, price: None }
    }

    /// The address of a path of the wire.
    pub(crate) fn address(&self, path: &str) -> Url {
        let mut address = self.base.clone();
        address.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        address
    }

    /// What to set as `base` where a request for this path of the wire is sent on to `location`: without a password, and what comes
    /// after the path.
    pub(crate) fn led_to(&self, path: &str, location: &str) -> Option<String> {
        let mut address = self.address(path).join(location).ok().filter(Url::has_host)?;
        // An address with a host takes both.
        let _ = address.set_username("");
        let _ = address.set_password(None);
        address.set_query(None);
        address.set_fragment(None);
        let whole = address.as_str();
        Some(whole.strip_suffix(&format!("/{path}")).unwrap_or(whole).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_is_told_by_the_address_to_set() {
        let base = Url::parse("http://a/v1").expect("it is an address");
        let endpoint = Endpoint::new(Wire::Openai, base, "m", None);
        for (location, base) in [
            ("https://b/v2/chat/completions", Some("https://b/v2")),
            ("/v2/chat/completions", Some("http://a/v2")),
            ("https://me:pass@b/v2/chat/completions?key=x#y", Some("https://b/v2")),
            ("https://b/login", Some("https://b/login")),
            ("https://b/no-chat/completions", Some("https://b/no-chat/completions")),
            ("mailto:me@b", None),
            ("http://", None),
        ] {
            assert_eq!(endpoint.led_to("chat/completions", location).as_deref(), base, "{location}");
        }
    }
}
