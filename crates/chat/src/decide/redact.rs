//! What is taken out of texts before they are kept: the keys and passwords that the settings name, in whatever spelling, and of the
//! page's address what lets in whoever has it. What was never kept reaches no model, no client, no export and no log.

use handeye_commands::core::secrets::mask_of_texts;
use handeye_scene::Mask;
use url::Url;

/// Characters of a secret at least: fewer can't be told from other text.
const SHORTEST: usize = 6;
/// What stands in place of a value in an address.
const HIDDEN: &str = "(hidden)";
/// Names of values that let in whoever has them.
const NAMES: [&str; 18] = [
    "key",
    "sig",
    "hmac",
    "sid",
    "code",
    "state",
    "auth",
    "authorization",
    "jwt",
    "ticket",
    "otp",
    "pin",
    "pass",
    "pw",
    "pwd",
    "samlresponse",
    "samlrequest",
    "assertion",
];
/// What such names end with.
const ENDS: [&str; 14] = [
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "authkey",
    "privatekey",
    "signature",
    "credential",
    "credentials",
    "sessionid",
    "sessid",
];

/// What is to be hidden.
#[derive(Debug, Clone, Default)]
pub struct Redact(Mask);

impl Redact {
    /// Hides these, and what `secrets_in` finds in addresses among them.
    pub fn new(secrets: &[String]) -> Self {
        let mut long: Vec<String> =
            secrets.iter().filter(|secret| secret.chars().count() >= SHORTEST).cloned().collect();
        long.sort();
        long.dedup();
        Self(mask_of_texts(&long))
    }

    /// A text without any of them.
    pub fn text(&self, text: &str) -> String {
        self.0.of(text).into_owned()
    }

    /// A page's address without any of them, and without what lets in.
    pub fn address(&self, url: &str) -> String {
        self.text(&without_keys(url))
    }
}

/// Whether a value of this name lets in whoever has it.
fn lets_in(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    NAMES.contains(&plain.as_str()) || ENDS.iter().any(|end| plain.ends_with(end))
}

/// An address without the values that let in, and without who is let in by it.
fn without_keys(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
    let mut is_changed = false;
    if url.password().is_some() {
        is_changed = url.set_password(Some(HIDDEN)).is_ok();
    }
    let query = url.query().and_then(hidden);
    let fragment = url.fragment().and_then(hidden);
    is_changed |= query.is_some() || fragment.is_some();
    if let Some(query) = query {
        url.set_query(Some(&query));
    }
    if let Some(fragment) = fragment {
        url.set_fragment(Some(&fragment));
    }
    if is_changed { url.into() } else { text.to_owned() }
}

/// The pairs of a query, or of a fragment that holds some, with what lets in hidden; none where nothing does.
fn hidden(pairs: &str) -> Option<String> {
    let mut found = false;
    let mut pair = |part: &str| match part.split_once('=') {
        Some((name, value)) if !value.is_empty() && names_what_lets_in(name) => {
            found = true;
            format!("{name}={HIDDEN}")
        }
        _ => part.to_owned(),
    };
    let (mut told, mut rest) = (String::new(), pairs);
    while let Some(at) = pair_end(rest) {
        told.push_str(&pair(&rest[..at]));
        told.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    told.push_str(&pair(rest));
    found.then_some(told)
}

/// Whether a name as it is written, with a path before it in a fragment, is one of what lets in.
fn names_what_lets_in(name: &str) -> bool {
    let name = decoded(name).unwrap_or_else(|| name.to_owned());
    lets_in(name.rsplit('/').next().unwrap_or(&name))
}

/// Where the first of these pairs ends: at `&`; at `?` or `;` only where another pair begins there, since a value may hold both.
fn pair_end(pairs: &str) -> Option<usize> {
    pairs
        .char_indices()
        .find(|(at, c)| *c == '&' || (matches!(c, '?' | ';') && begins_pair(&pairs[at + 1..])))
        .map(|(at, _)| at)
}

/// Whether `NAME=` stands here.
fn begins_pair(rest: &str) -> bool {
    let part = rest.split(['&', '?', ';']).next().unwrap_or(rest);
    part.split_once('=').is_some_and(|(name, _)| !name.is_empty())
}

/// What lets in by an address of the settings: its password, and the values of its query that do.
pub fn secrets_in(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url) else { return Vec::new() };
    let password = url.password().map(|password| decoded(password).unwrap_or_else(|| password.to_owned()));
    let values = url.query_pairs().filter(|(name, _)| lets_in(name)).map(|(_, value)| value.into_owned());
    password.into_iter().chain(values).collect()
}

/// What is escaped in a part of an address.
fn decoded(text: &str) -> Option<String> {
    // A query is read the same but for `+`.
    let pair = format!("x={}", text.replace('+', "%2B").replace('&', "%26"));
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lets_in_is_taken_out_of_addresses_and_the_rest_stays_as_it_was() {
        let redact = Redact::default();
        for (url, wanted) in [
            ("https://a.example/x?q=tea&page=2#top", "https://a.example/x?q=tea&page=2#top"),
            ("https://a.example/x?author=me&keyword=k&monkey=1", "https://a.example/x?author=me&keyword=k&monkey=1"),
            ("https://a.example/x?q=1&access_token=abc&z=2", "https://a.example/x?q=1&access_token=(hidden)&z=2"),
            ("https://a.example/?X-Amz-Signature=abc", "https://a.example/?X-Amz-Signature=(hidden)"),
            ("https://a.example/?apiKey=abc;sid=d", "https://a.example/?apiKey=(hidden);sid=(hidden)"),
            ("https://a.example/cb#id_token=a.b.c&scope=x", "https://a.example/cb#id_token=(hidden)&scope=x"),
            ("https://a.example/#/reset?token=abc", "https://a.example/#/reset?token=(hidden)"),
            ("https://a.example/?token=ab?cd12345", "https://a.example/?token=(hidden)"),
            ("https://a.example/?token=ab;cd12345&z=2", "https://a.example/?token=(hidden)&z=2"),
            ("https://a.example/?token=ab;cd?z=2", "https://a.example/?token=(hidden)?z=2"),
            ("https://a.example/?%74oken=abc&q=1", "https://a.example/?%74oken=(hidden)&q=1"),
            ("https://a.example/?token=", "https://a.example/?token="),
            ("https://ann:secret@a.example/", "https://ann:(hidden)@a.example/"),
            ("no address", "no address"),
        ] {
            assert_eq!(redact.address(url).replace("%28hidden%29", HIDDEN), wanted, "{url}");
        }
    }

    #[test]
    fn what_the_settings_name_is_hidden_in_all_its_spellings() {
        let mut secrets = secrets_in("postgres://ann:p%40ss-word@db.example/shop?application_name=x");
        secrets.extend(secrets_in("https://mcp.example/?api_key=k3y-of-mcp&lang=zh-CN"));
        secrets.extend(["short".to_owned(), "sk-1234567890".to_owned()]);
        assert_eq!(secrets, ["p@ss-word", "k3y-of-mcp", "short", "sk-1234567890"]);
        let redact = Redact::new(&secrets);
        for text in ["p@ss-word", "P@SS-WORD", "p%40ss-word", "k3y-of-mcp", "sk-1234567890"] {
            let told = redact.text(&format!("京 {text}!"));
            assert!(told.contains("••••") && told.starts_with('京') && told.ends_with('!'), "{told}");
        }
        assert_eq!(redact.text("a short word"), "a short word");
    }
}
