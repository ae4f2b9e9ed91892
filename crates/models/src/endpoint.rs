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
}
