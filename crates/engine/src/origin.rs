//! Origins of addresses, as far as showing and policy need them.

/// The origin of `url`: scheme, host and port; `null` where there is none (`about:`, `data:`, `file:`).
pub fn of(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "null".into() };
    if scheme == "file" || rest.is_empty() {
        return "null".into();
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit('@').next().unwrap_or(authority);
    format!("{scheme}://{host}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn drops_path_user_and_opaque_schemes() {
        assert_eq!(super::of("http://localhost:8000/order?a=http://x"), "http://localhost:8000");
        assert_eq!(super::of("https://ann:pw@bank.example/"), "https://bank.example");
        assert_eq!(super::of("about:blank"), "null");
        assert_eq!(super::of("file:///tmp/a.html"), "null");
    }
}
