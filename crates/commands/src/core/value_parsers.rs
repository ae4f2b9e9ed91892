//! Numbers as they are written on a command line. One that can't be taken is told together with what to write instead.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

/// A value parser for whole numbers of a range: `whole("generation", 1.., 3)`.
pub fn whole<T, R>(what: &'static str, range: R, example: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Copy,
    R: RangeBounds<T> + Clone,
{
    move |text| {
        let read = text.trim().parse::<T>().ok().filter(|n| range.contains(n));
        read.ok_or_else(|| refusal(text, what, &format!("a whole number{}", bounds(&range)), &example))
    }
}

/// A value parser for numbers of a range, which are finite: `real("time in seconds", 0.0.., 2.5)`.
pub fn real<R>(what: &'static str, range: R, example: f64) -> impl Fn(&str) -> Result<f64, String> + Clone
where
    R: RangeBounds<f64> + Clone,
{
    move |text| {
        let read = text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && range.contains(n));
        read.ok_or_else(|| refusal(text, what, &format!("a number{}", bounds(&range)), &example))
    }
}

/// A value parser for coordinates and distances.
pub fn pixels() -> impl Fn(&str) -> Result<f64, String> + Clone {
    real("distance in pixels", .., 120.5)
}

fn refusal(text: &str, what: &str, write: &str, example: &dyn Display) -> String {
    format!("`{text}` is no {what}: write {write}, such as {example}")
}

fn bounds<T: Display>(range: &impl RangeBounds<T>) -> String {
    match (range.start_bound(), range.end_bound()) {
        (Bound::Included(from), Bound::Included(to)) => format!(" from {from} to {to}"),
        (Bound::Included(from), _) => format!(", {from} or more"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_or_it_is_said_what_to_write() {
        let page = whole("page", 1_u32.., 2);
        assert_eq!(page("7"), Ok(7));
        for text in ["", "0", "-1", "1.5", "abc", "99999999999"] {
            assert_eq!(page(text), Err(format!("`{text}` is no page: write a whole number, 1 or more, such as 2")));
        }
        let quality = whole("quality", 1_u8..=100, 80);
        assert_eq!(quality("100"), Ok(100));
        assert_eq!(quality("101"), Err("`101` is no quality: write a whole number from 1 to 100, such as 80".into()));
        let scale = real("scale", 0.1..=2.0, 0.8);
        assert_eq!(scale(" 0.5 "), Ok(0.5));
        assert_eq!(scale("9"), Err("`9` is no scale: write a number from 0.1 to 2, such as 0.8".into()));
        let place = pixels();
        assert_eq!(place("-3.5"), Ok(-3.5));
        for text in ["inf", "NaN", "12px", "1,2"] {
            let wanted = format!("`{text}` is no distance in pixels: write a number, such as 120.5");
            assert_eq!(place(text), Err(wanted));
        }
    }
}
