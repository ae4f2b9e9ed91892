//! Which hosts a cookie goes to (RFC 6265, section 5.1.3).

/// Whether a cookie of `domain` is sent to `host`.
pub(crate) fn is_sent(domain: &str, host: &str) -> bool {
    let host = host.trim_start_matches('.');
    match domain.strip_prefix('.') {
        Some(domain) => host == domain || host.ends_with(&format!(".{domain}")),
        None => host == domain,
    }
}
