//! Waiting until something is true.

use super::blocked;
use crate::matching::contains;
use handeye_scene::Mask;
use handeye_scene::{Aim, Clock, Code, NativeId, Problem, Surface, Want};
use std::time::Duration;

/// How long one wait for a change lasts before the condition is looked at again, for changes that no event tells of.
const GLANCE: Duration = Duration::from_millis(250);

/// What to wait for.
#[derive(Debug, Clone, PartialEq)]
pub enum Until {
    /// So much time.
    Passed(Duration),
    /// An element is visible.
    Visible(NativeId),
    /// An element is visible and enabled.
    Enabled(NativeId),
    /// An element is gone or hidden.
    Gone(NativeId),
    /// A text is somewhere on the page.
    Text(String),
    /// The main document's address contains this, or matches it where it has `*`.
    Url(String),
    /// The page is quiet.
    Idle,
}

/// Waits until `until` holds of what is shown, at most `limit`; how long it took.
pub async fn wait(
    surface: &mut dyn Surface,
    clock: &dyn Clock,
    until: &Until,
    limit: Duration,
    mask: &Mask,
) -> Result<Duration, Problem> {
    let start = clock.elapsed();
    if let Until::Passed(time) = until {
        clock.sleep((*time).min(limit)).await;
        if limit < *time {
            let what = format!("{:.1} s had not passed within {:.1} s", time.as_secs_f64(), limit.as_secs_f64());
            return Err(Problem::new(Code::Timeout, what).hint("handeye wait --help"));
        }
        return Ok(clock.elapsed().saturating_sub(start));
    }
    loop {
        if holds(surface, until, limit, mask).await? {
            return Ok(clock.elapsed().saturating_sub(start));
        }
        if !matches!(until, Until::Text(_)) {
            blocked::check(surface)?;
        }
        let spent = clock.elapsed().saturating_sub(start);
        if spent >= limit {
            return Err(Problem::new(Code::Timeout, format!("{} within {:.1} s", words(until), limit.as_secs_f64()))
                .hint("handeye state"));
        }
        surface.changed(GLANCE.min(limit - spent)).await?;
    }
}

async fn holds(surface: &mut dyn Surface, until: &Until, limit: Duration, mask: &Mask) -> Result<bool, Problem> {
    Ok(match until {
        Until::Passed(_) => true,
        Until::Visible(id) => surface.probe(*id, Aim::default()).await?.is_some_and(|p| p.visible),
        Until::Enabled(id) => surface.probe(*id, Aim::default()).await?.is_some_and(|p| p.visible && p.enabled),
        Until::Gone(id) => surface.probe(*id, Aim::default()).await?.is_none_or(|p| !p.visible),
        Until::Text(text) => {
            let capture = surface.capture(Want::default()).await?;
            let says = |said: &str| contains(&mask.of(said), text);
            // Frames that have a process of their own are seen, and go on.
            if capture.nodes.is_empty() {
                blocked::check(surface)?;
            }
            capture.nodes.iter().any(|n| says(&n.name) || n.value.as_deref().is_some_and(says))
        }
        Until::Url(pattern) => {
            let capture = match surface.web() {
                Some(web) => web.location().await?.0,
                None => return Err(Problem::new(Code::Unsupported, "only web pages have an address")),
            };
            url_matches(&mask.of(&capture), pattern)
        }
        Until::Idle => {
            let quiet = surface.idle(limit).await?;
            // A page that is too busy to say anything is quiet too, and so is one that is gone: it must answer.
            if let Some(web) = surface.web() {
                web.location().await?;
            }
            quiet
        }
    })
}

fn words(until: &Until) -> String {
    match until {
        Until::Passed(_) => "the time didn't pass".into(),
        Until::Visible(_) => "the target didn't become visible".into(),
        Until::Enabled(_) => "the target didn't become enabled".into(),
        Until::Gone(_) => "the target didn't go away".into(),
        Until::Text(text) => format!("the text {} didn't appear", crate::observe::outline::quote_own(text, 80)),
        Until::Url(pattern) => {
            format!("the address didn't come to match {}", crate::observe::outline::quote_own(pattern, 200))
        }
        Until::Idle => "the page didn't get quiet".into(),
    }
}

/// Whether `url` contains `pattern`; where the pattern has `*`, whether its parts come in order from start to end.
pub fn url_matches(url: &str, pattern: &str) -> bool {
    if !pattern.contains('*') {
        return url.contains(pattern);
    }
    let parts: Vec<&str> = pattern.split('*').collect();
    let mut rest = url;
    for (i, part) in parts.iter().enumerate() {
        if i == 0 {
            let Some(after) = rest.strip_prefix(part) else { return false };
            rest = after;
        } else if i == parts.len() - 1 && !part.is_empty() {
            return rest.ends_with(part);
        } else {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
    }
    parts.last().is_some_and(|p| p.is_empty()) || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::url_matches;

    #[test]
    fn addresses_match_by_part_or_by_pattern() {
        assert!(url_matches("http://a/orders?page=2", "/orders"));
        assert!(!url_matches("http://a/orders", "/order/"));
        assert!(url_matches("http://a/orders/7/edit", "http://*/orders/*/edit"));
        assert!(!url_matches("http://a/orders/7/view", "*/edit"));
        assert!(url_matches("http://a/orders/7", "http://a/*"));
    }
}
