//! Origins of addresses, as showing and policy need them, and which of them are barred.

use handeye_scene::{Code, DeniedOrigins, DocumentId, Problem, Surface};
use url::Url;

/// The origin of `url` as the URL Standard writes it: scheme, host in lower case and ASCII, port where it isn't the scheme's
/// own; `null` where there is none (`about:`, `data:`, `file:`).
pub fn of(url: &str) -> String {
    Url::parse(url).map_or_else(|_| "null".into(), |url| url.origin().ascii_serialization())
}

/// The origin of an address as it is written on a page of another; none when it is no address there.
pub fn of_address(written: &str, page: &str) -> Option<String> {
    let url = match Url::parse(written) {
        Err(url::ParseError::RelativeUrlWithoutBase) => Url::parse(page).and_then(|page| page.join(written)),
        other => other,
    };
    url.ok().map(|url| url.origin().ascii_serialization())
}

/// An origin written by a person, in that form; none when it is no origin, or has more than one.
pub fn parse(text: &str) -> Option<String> {
    if text == "null" {
        return Some("null".into());
    }
    let url = Url::parse(text).ok()?;
    let bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
    let nobody = url.username().is_empty() && url.password().is_none();
    (url.origin().is_tuple() && bare && nobody).then(|| url.origin().ascii_serialization())
}

/// Whether an address as a person writes it, with or without a scheme, leads to a page of `origin`: of the same host, scheme and port.
/// A site may ask for its pages by https.
pub fn leads_to(written: &str, origin: &str) -> bool {
    let written = written.trim();
    if written.starts_with('/') || Url::parse(written).is_ok_and(is_opaque) {
        return origin == "null";
    }
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    let has_scheme = written.split_once("://").is_some_and(|(scheme, _)| is_word(scheme));
    let asked = if has_scheme { Url::parse(written) } else { Url::parse(&format!("http://{written}")) };
    let (Ok(asked), Ok(there)) = (asked, Url::parse(origin)) else { return of(written) == origin };
    let (own, other) = (asked.origin().ascii_serialization(), there.origin().ascii_serialization());
    let is_upgraded = (asked.scheme(), there.scheme()) == ("http", "https")
        && asked.host() == there.host()
        && asked.port().is_none()
        && there.port().is_none();
    own == other || is_upgraded
}

/// Whether an address has no host, as of `about:` and `data:`, rather than being a host with a port.
fn is_opaque(url: Url) -> bool {
    matches!(url.scheme(), "about" | "data" | "file")
}

/// The host of an address, an IPv6 address in brackets.
pub fn host(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().filter(|h| !h.is_empty()).map(str::to_owned)
}

/// Refuses what is done to a document of a barred origin, or of one that can't be told while any is barred.
pub fn permit(
    surface: &dyn Surface,
    document: DocumentId,
    denied: &DeniedOrigins,
    action: &str,
) -> Result<(), Problem> {
    if denied.is_empty() {
        return Ok(());
    }
    let place = match surface.origin(document) {
        Some(origin) if !denied.contains(&of_document(&origin)) => return Ok(()),
        Some(origin) => format!("documents of {origin}"),
        None => "a document of unknown origin".into(),
    };
    Err(Problem::new(Code::Denied, format!("the policy refuses to {action} in {place}")).hint("handeye config show"))
}

/// Refuses what is done to a document of another origin than this one.
pub fn require(surface: &dyn Surface, document: DocumentId, only: &str) -> Result<(), Problem> {
    let here = surface.origin(document);
    let opaque = surface.is_opaque(document);
    if !opaque && here.as_deref().map(of_document).as_deref() == Some(only) {
        return Ok(());
    }
    let place = match here {
        Some(here) if opaque => format!("no origin: it is sandboxed, at {here}"),
        Some(here) => here,
        None => "unknown origin".into(),
    };
    Err(Problem::new(Code::Denied, format!("the secret is for documents of {only}; this one is of {place}"))
        .hint("handeye state"))
}

/// What a browser reports is an origin already, but for its spelling. A window's names its program, which is no origin: rules name
/// the desktop.
pub(crate) fn of_document(origin: &str) -> String {
    if origin.starts_with("desktop:") {
        return "desktop:".into();
    }
    parse(origin).unwrap_or_else(|| "null".into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_address_leads_to_its_own_origin_and_to_no_other() {
        for (written, origin, leads) in [
            ("https://shop.example/cart", "https://shop.example", true),
            ("https://shop.example/cart", "https://login.example", false),
            ("http://shop.example", "https://shop.example", true),
            ("https://shop.example", "http://shop.example", false),
            ("http://shop.example:8080", "https://shop.example", false),
            ("http://shop.example:80/", "http://shop.example", true),
            ("shop.example/a?b=http://x", "https://shop.example", true),
            ("SHOP.example", "http://shop.example", true),
            ("shop.example", "https://www.shop.example", false),
            ("localhost:8080", "http://localhost:8080", true),
            ("localhost:8080", "http://localhost:8081", false),
            ("127.0.0.1:8080/x", "http://127.0.0.1:8080", true),
            ("about:blank", "null", true),
            ("data:text/html,x", "https://shop.example", false),
            ("/tmp/page.html", "null", true),
            ("/tmp/page.html", "https://shop.example", false),
            ("file:///tmp/page.html", "null", true),
            ("file:///tmp/page.html", "https://shop.example", false),
        ] {
            assert_eq!(super::leads_to(written, origin), leads, "{written} {origin}");
        }
    }

    #[test]
    fn drops_path_user_and_opaque_schemes() {
        for (url, origin) in [
            ("http://localhost:8000/order?a=http://x", "http://localhost:8000"),
            ("https://ann:pw@bank.example/", "https://bank.example"),
            ("HTTPS://Bank.Example:443/x", "https://bank.example"),
            ("http://b\u{fc}cher.example:80", "http://xn--bcher-kva.example"),
            ("blob:https://bank.example/1-2", "https://bank.example"),
            ("about:blank", "null"),
            ("file:///tmp/a.html", "null"),
            ("", "null"),
        ] {
            assert_eq!(super::of(url), origin, "{url}");
        }
    }

    #[test]
    fn a_window_is_of_the_desktop_and_not_of_no_origin() {
        assert_eq!(super::of_document("desktop:gedit"), "desktop:");
        assert_eq!(super::of_document("data:text/html,x"), "null");
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for text in
            ["bank.example", "https://bank.example/pay", "https://a@bank.example", "https://*.x y", "about:blank", ""]
        {
            assert_eq!(super::parse(text), None, "{text}");
        }
        assert_eq!(super::parse("Https://BANK.example:443/").as_deref(), Some("https://bank.example"));
    }
}
