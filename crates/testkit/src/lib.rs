//! What tests of several crates share. For tests only: no crate depends on it otherwise.
//!
//! What it is: numbers from a seed ([`Dice`]), how many trials a test makes ([`trials`]), and generated input for whatever
//! reads what comes from outside ([`fuzz`]).
//!
//! What it must never contain: anything of the product; a test states itself what it expects of the product.
//!
//! Start reading at [`fuzz::survive`].

mod dice;
pub mod fuzz;

pub use dice::Dice;

/// How many trials a test makes: `short` by default, `full` when `HANDEYE_TRIALS` is `full`, else the number that it holds.
pub fn trials(short: usize, full: usize) -> usize {
    match std::env::var("HANDEYE_TRIALS") {
        Ok(text) if text == "full" => full,
        Ok(text) => text.parse().unwrap_or(short),
        Err(_) => short,
    }
}
