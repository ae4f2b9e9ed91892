//! Addresses of items in one form, so that an item that is told twice counts once.

use url::Url;

/// Names of parameters that tell where a visitor comes from, and change nothing of what is shown.
const TRACKING: [&str; 28] = [
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gbraid",
    "gclid",
    "gclsrc",
    "igshid",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "scm",
    "spm",
    "srsltid",
    "ttclid",
    "twclid",
    "wbraid",
    "wickedid",
    "yclid",
    "pk_campaign",
    "pk_cid",
    "pk_content",
    "pk_keyword",
    "pk_kwd",
    "pk_source",
];
/// Beginnings of such names.
const TRACKING_BEGIN: [&str; 2] = ["utm_", "mtm_"];

/// An address in its one form: without a fragment, parameters that only track, and credentials. A fragment that is the path of an
/// app (`#/item/5`, `#!item`) stays. None of what isn't `http` or `https`.
pub fn canonical(url: &Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let mut url = url.clone();
    if !url.fragment().is_some_and(|fragment| fragment.starts_with(['/', '!'])) {
        url.set_fragment(None);
    }
    // An address of these schemes can be without credentials.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)).collect();
        let kept = kept.join("&");
        url.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    }
    Some(url)
}

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
    TRACKING.contains(&name.as_str()) || TRACKING_BEGIN.iter().any(|begin| name.starts_with(begin))
}

/// Where a link of a page leads, in its one form.
pub fn resolved(base: &Url, href: &str) -> Option<Url> {
    canonical(&base.join(href.trim()).ok()?)
}

/// The same page with another value of a parameter.
pub fn with_parameter(url: &Url, name: &str, value: u64) -> Url {
    let mut url = url.clone();
    let pairs: Vec<String> =
        url.query().unwrap_or_default().split('&').filter(|p| !p.is_empty()).map(str::to_owned).collect();
    let is_it = |pair: &String| pair.split('=').next() == Some(name);
    let given = format!("{name}={value}");
    let mut query: Vec<String> =
        pairs.iter().map(|pair| if is_it(pair) { given.clone() } else { pair.clone() }).collect();
    if !pairs.iter().any(is_it) {
        query.push(given);
    }
    url.set_query(Some(&query.join("&")));
    url
}

/// The value of a parameter, where it is a number.
pub fn parameter(url: &Url, name: &str) -> Option<u64> {
    url.query_pairs().find(|(known, _)| known == name)?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_has_one_address() {
        let base = Url::parse("https://a.example/list/?page=2").unwrap();
        for (href, wanted) in [
            ("/p/1", Some("https://a.example/p/1")),
            ("p/1#top", Some("https://a.example/list/p/1")),
            (" /p/1?utm_source=x&id=5&UTM_medium=y&gclid=1 ", Some("https://a.example/p/1?id=5")),
            ("/p/1?utm_source=x", Some("https://a.example/p/1")),
            ("?id=1&&b=%E5%8D%95", Some("https://a.example/list/?id=1&b=%E5%8D%95")),
            ("//B.example:443/单", Some("https://b.example/%E5%8D%95")),
            ("https://ann:secret@a.example/p", Some("https://a.example/p")),
            ("/app#/item/5", Some("https://a.example/app#/item/5")),
            ("/app#!item", Some("https://a.example/app#!item")),
            ("/p/?b=2&a=1", Some("https://a.example/p/?b=2&a=1")),
            ("javascript:void(0)", None),
            ("mailto:a@b", None),
            ("http://", None),
        ] {
            assert_eq!(resolved(&base, href).as_ref().map(Url::as_str), wanted, "{href}");
        }
    }

    #[test]
    fn a_parameter_is_set_in_its_place() {
        for (url, wanted) in [
            ("http://a/l?page=1&q=x", "http://a/l?page=7&q=x"),
            ("http://a/l?q=x", "http://a/l?q=x&page=7"),
            ("http://a/l", "http://a/l?page=7"),
        ] {
            let url = with_parameter(&Url::parse(url).unwrap(), "page", 7);
            assert_eq!((url.as_str(), parameter(&url, "page")), (wanted, Some(7)));
        }
        assert_eq!(parameter(&Url::parse("http://a/?page=x").unwrap(), "page"), None);
    }
}
