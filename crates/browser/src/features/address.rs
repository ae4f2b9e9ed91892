//! Addresses as people write them.

use handeye_scene::{Code, Problem};
use url::{Host, Url};

/// An address as a person writes it: without a scheme, a host; http for this machine and for IP addresses, https otherwise.
///
/// # Errors
/// [`Code::BadRequest`] where it is none.
pub fn address(text: &str) -> Result<String, Problem> {
    let text = text.trim();
    let wrong = |why: &str| {
        Problem::new(Code::BadRequest, format!("`{text}` is no address: {why}"))
            .hint("handeye open https://example.com")
    };
    if text.is_empty() {
        return Err(wrong("it is empty"));
    }
    if text.starts_with('/') {
        let url = Url::from_file_path(text).map_err(|()| wrong("it is no path of a file"))?;
        return if std::path::Path::new(text).exists() { Ok(url.into()) } else { Err(wrong("there is no such file")) };
    }
    let schemed = text.contains("://")
        || ["about:", "data:", "blob:", "javascript:", "view-source:"].iter().any(|s| text.starts_with(s));
    if schemed {
        let url = Url::parse(text).map_err(|e| wrong(&e.to_string()))?;
        if url.scheme() == "javascript" {
            return Err(wrong("scripts are not pages"));
        }
        if !matches!(url.scheme(), "http" | "https" | "file" | "about" | "data" | "blob" | "chrome" | "view-source") {
            return Err(wrong(&format!("the browser doesn't know {}://", url.scheme())));
        }
        return Ok(text.to_owned());
    }
    let plain = Url::parse(&format!("http://{text}")).map_err(|e| wrong(&e.to_string()))?;
    match plain.host() {
        Some(Host::Domain(name)) if name == "localhost" || name.ends_with(".localhost") => Ok(plain.into()),
        Some(Host::Domain(name)) if name.contains('.') => Ok(format!("https://{text}")),
        Some(Host::Domain(_)) if plain.port().is_some() => Ok(plain.into()),
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => Ok(plain.into()),
        _ => Err(wrong("it has no scheme and no host name")),
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    fn shown(text: &str) -> String {
        address(text).unwrap_or_else(|p| p.message)
    }

    #[test]
    fn addresses_are_read_as_people_write_them() {
        assert_eq!(shown("localhost:8000/x"), "http://localhost:8000/x");
        assert_eq!(shown("127.0.0.1/x"), "http://127.0.0.1/x");
        assert_eq!(shown("example.com/a?b"), "https://example.com/a?b");
        assert_eq!(shown("http://例え.jp/"), "http://例え.jp/");
        assert_eq!(shown("about:blank"), "about:blank");
        assert_eq!(shown("buildhost:3000"), "http://buildhost:3000/");
        assert_eq!(shown("nonsense"), "`nonsense` is no address: it has no scheme and no host name");
        assert_eq!(shown("http://"), "`http://` is no address: empty host");
        assert_eq!(shown("gopher://x/"), "`gopher://x/` is no address: the browser doesn't know gopher://");
        assert_eq!(shown("javascript:alert(1)"), "`javascript:alert(1)` is no address: scripts are not pages");
        assert_eq!(shown("  "), "`` is no address: it is empty");
        assert_eq!(shown("/no/such/file"), "`/no/such/file` is no address: there is no such file");
    }
}
