//! What models were used for, and how much of it a session may use.

use crate::ModelError;
use handeye_scene::ModelsConfig;
use handeye_scene::chat::Usage;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};

/// What a million tokens cost, in the currency of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Of prompts.
    pub input: f64,
    /// Of answers.
    pub output: f64,
}

impl Price {
    fn of(&self, usage: Usage) -> f64 {
        (self.input * usage.input as f64 + self.output * usage.output as f64) / 1e6
    }
}

/// Most that a session may use; nothing set is no limit. A request that is under way when it is reached is not cut off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Cap {
    /// Tokens of prompts and answers together.
    pub tokens: Option<u64>,
    /// Money, where the endpoints have prices.
    pub cost: Option<f64>,
}

impl Cap {
    /// What the settings of a call say.
    pub fn of(config: &ModelsConfig) -> Self {
        Self { tokens: config.max_tokens, cost: config.max_cost }
    }

    /// The stricter of two.
    #[must_use]
    pub fn narrowed(self, by: Self) -> Self {
        let tokens = self.tokens.into_iter().chain(by.tokens).min();
        let cost = self.cost.into_iter().chain(by.cost).min_by(f64::total_cmp);
        Self { tokens, cost }
    }
}

/// What was used so far, shared by all clients of a session.
#[derive(Debug, Default)]
pub struct Budget {
    cap: Mutex<Cap>,
    used: Mutex<Used>,
}

/// A sum of usage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Used {
    /// Requests that were answered, or may have been.
    pub calls: u64,
    /// Their tokens.
    pub usage: Usage,
    /// What they cost, where prices are known.
    pub cost: f64,
}

impl Budget {
    /// A budget with a limit.
    pub fn new(cap: Cap) -> Self {
        Self { cap: Mutex::new(cap), used: Mutex::default() }
    }

    /// Holds it to this limit too: what a later call brings can only narrow it.
    pub fn hold_to(&self, cap: Cap) {
        let mut held = self.cap.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *held = held.narrowed(cap);
    }

    /// Whether it limits what may be spent.
    pub(crate) fn limits_cost(&self) -> bool {
        self.cap.lock().unwrap_or_else(std::sync::PoisonError::into_inner).cost.is_some()
    }

    /// What was used so far.
    pub fn used(&self) -> Used {
        *self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Refuses another request once the limit is reached.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let used = self.used();
        let held = *self.cap.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let tokens = used.usage.total();
        if let Some(cap) = held.tokens.filter(|cap| tokens >= *cap) {
            return Err(ModelError::Spent(format!("{tokens} tokens of {cap}")));
        }
        if let Some(cap) = held.cost.filter(|cap| used.cost >= *cap) {
            return Err(ModelError::Spent(format!("{:.4} of {cap:.4}", used.cost)));
        }
        Ok(())
    }

    fn add(&self, usage: Usage, price: Option<Price>) {
        let mut used = self.used.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        used.calls += 1;
        used.usage.add(usage);
        used.cost += price.map_or(0.0, |price| price.of(usage));
    }
}

/// What one request comes to. It counts however the request ends, given up or cut off too: a server charges for what it read, and
/// nobody knows how much it wrote.
pub(crate) struct Charge {
    budget: Arc<Budget>,
    price: Option<Price>,
    usage: Usage,
    is_waived: bool,
}

impl Charge {
    /// Of a request with a prompt of so many tokens, as far as anyone can say.
    pub(crate) fn new(budget: Arc<Budget>, price: Option<Price>, prompt: u64) -> Self {
        Self { budget, price, usage: Usage { input: prompt, output: 0 }, is_waived: false }
    }

    /// Notes what it took. Of the prompt, an estimate stands until the server says.
    pub(crate) fn note(&mut self, took: Usage) {
        let input = if took.input == 0 { self.usage.input } else { took.input };
        self.usage = Usage { input, output: took.output };
    }

    /// What it comes to so far.
    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    /// Nothing of it reached the model.
    pub(crate) fn waive(&mut self) {
        self.is_waived = true;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if !self.is_waived {
            self.budget.add(self.usage, self.price);
        }
    }
}
