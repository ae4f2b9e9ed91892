//! Patterns of origins, as people write them.

use handeye_scene::{Code, Problem};
use std::fmt;
use url::Url;

/// Schemes that a pattern may name alone.
const SCHEMES: [&str; 9] =
    ["http", "https", "data", "blob", "file", "filesystem", "about", "chrome", "chrome-extension"];

/// Which origins are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    text: String,
    /// None: http and https.
    scheme: Option<String>,
    place: Option<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    host: Host,
    port: Port,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Host {
    Any,
    /// Every name below this one.
    Below(String),
    Is(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Any,
    /// The scheme's own.
    Usual,
    Is(u16),
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// Reads one.
    pub(super) fn parse(text: &str) -> Result<Self, Problem> {
        let wrong = |why: &str| {
            Problem::new(Code::BadRequest, format!("`{text}` is no pattern of origins: {why}"))
                .hint("handeye open https://www.example.com --allow-origin 'https://*.example.com'")
        };
        let lower = text.trim().to_ascii_lowercase();
        let Some((scheme, rest)) = lower.split_once("://") else {
            return match lower.strip_suffix(':').filter(|s| SCHEMES.contains(s)) {
                Some(scheme) => Ok(Self { text: lower.clone(), scheme: Some(scheme.to_owned()), place: None }),
                None => Err(wrong("write SCHEME://HOST or SCHEME://HOST:PORT, or a scheme alone, such as `data:`")),
            };
        };
        let scheme = match scheme {
            "*" => None,
            "http" | "https" => Some(scheme.to_owned()),
            _ => return Err(wrong("only http and https have hosts; of other schemes write `SCHEME:` alone")),
        };
        let place = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match place.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
            Some((host, port)) => (host, port_of(port).ok_or_else(|| wrong("its port is neither a number nor `*`"))?),
            None => (place, Port::Usual),
        };
        let host = host_of(host).ok_or_else(|| {
            wrong("its host is neither a name, an address, `*` nor `*.NAME`, or something follows it")
        })?;
        Ok(Self { text: lower, scheme, place: Some(Place { host, port }) })
    }

    /// Whether this address is of such an origin.
    pub(super) fn means(&self, url: &Url) -> bool {
        let scheme = match &self.scheme {
            Some(scheme) => scheme == url.scheme(),
            None => matches!(url.scheme(), "http" | "https"),
        };
        scheme && self.place.as_ref().is_none_or(|place| place.holds(url))
    }
}

impl Place {
    fn holds(&self, url: &Url) -> bool {
        let host = bare(url.host_str().unwrap_or_default());
        let host = match &self.host {
            Host::Any => true,
            Host::Below(name) => host.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('.')),
            Host::Is(name) => host == name,
        };
        host && match self.port {
            Port::Any => true,
            Port::Usual => url.port().is_none(),
            Port::Is(port) => url.port_or_known_default() == Some(port),
        }
    }
}

/// A name with a dot at its end is the same host.
fn bare(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

fn port_of(text: &str) -> Option<Port> {
    match text {
        "*" => Some(Port::Any),
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok().map(Port::Is),
        _ => None,
    }
}

fn host_of(text: &str) -> Option<Host> {
    match (text, text.strip_prefix("*.")) {
        ("*", _) => Some(Host::Any),
        (_, Some(name)) => spelled(name).map(Host::Below),
        (name, None) => spelled(name).map(Host::Is),
    }
}

/// A host as the URL Standard writes it.
fn spelled(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(['/', '?', '#', '@', '\\', '*']) {
        return None;
    }
    let url = Url::parse(&format!("http://{name}/")).ok()?;
    let host = bare(url.host_str()?).to_owned();
    (url.port().is_none() && !host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_origins() {
        for (pattern, url, means) in [
            ("https://*.example.com", "https://a.b.example.com/x", true),
            ("https://*.example.com", "https://example.com/", false),
            ("https://*.example.com", "https://badexample.com/", false),
            ("https://*.example.com", "https://a.example.com:8443/", false),
            ("https://*.example.com", "http://a.example.com/", false),
            ("http://localhost:*", "http://localhost:8123/", true),
            ("http://localhost:*", "http://localhost/", true),
            ("http://localhost", "http://localhost:8123/", false),
            ("http://localhost:80/", "http://LOCALHOST./", true),
            ("*://example.com", "https://example.com/", true),
            ("*://example.com", "http://example.com/", true),
            ("*://*:*", "http://[::1]:99/", true),
            ("*://*:*", "data:,x", false),
            ("http://[::1]:*", "http://[0:0:0:0:0:0:0:1]:99/", true),
            ("http://127.0.0.1", "http://2130706433/", true),
            ("http://B\u{dc}CHER.example", "http://xn--bcher-kva.example/", true),
            ("https:", "https://x.example:1/", true),
            ("https:", "http://x.example/", false),
            ("data:", "data:text/html,x", true),
            ("file:", "file:///etc/hosts", true),
        ] {
            let parsed = Pattern::parse(pattern).expect(pattern);
            let url = Url::parse(url).expect(url);
            assert_eq!(parsed.means(&url), means, "{pattern} {url}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in [
            "",
            "*",
            "example.com",
            "localhost:",
            "https://",
            "https://a.*.example",
            "https://*example.com",
            "https://example.com/path",
            "https://a@example.com",
            "https://example.com:x",
            "https://example.com:70000",
            "https://example.com:",
            "https://a b",
            "file:///tmp",
            "javascript:",
            "data:text/html",
        ] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
