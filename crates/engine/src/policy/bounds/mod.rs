//! Where the browser may go: patterns of origins, and places in the network.

mod pattern;
mod place;

use core::net::IpAddr;
use handeye_scene::{Bounds, Problem, Ruling};
use pattern::Pattern;
use url::{Host, Url};

/// What the bounds are, in words: patterns such as `https://*.example.com`, `http://localhost:*`, `data:`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    /// Every list that names any must name what is allowed.
    allow: Vec<Vec<Pattern>>,
    deny: Vec<Pattern>,
    public_only: bool,
}

impl Origins {
    /// Adds lists of patterns. No list loosens what another says.
    pub fn with(mut self, allow: &[String], deny: &[String], public_only: bool) -> Result<Self, Problem> {
        let read = |list: &[String]| list.iter().map(|t| Pattern::parse(t)).collect::<Result<Vec<_>, _>>();
        self.allow.extend(Some(read(allow)?).filter(|list| !list.is_empty()));
        self.deny.extend(read(deny)?);
        self.public_only |= public_only;
        Ok(self)
    }

    /// Whether there are any bounds at all.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    fn listed(&self, url: &Url) -> Result<(), String> {
        if let Some(pattern) = self.deny.iter().find(|p| p.means(url)) {
            return Err(format!("the policy denies {pattern}"));
        }
        for list in &self.allow {
            if !list.iter().any(|p| p.means(url)) {
                let names: Vec<String> = list.iter().map(ToString::to_string).collect();
                return Err(format!("the policy allows {} only", names.join(", ")));
            }
        }
        Ok(())
    }

    fn public(&self, url: &Url) -> Ruling {
        match url.host() {
            _ if !self.public_only => Ruling::Allow,
            Some(Host::Ipv4(ip)) => self.place(ip.into()).map_or(Ruling::Allow, Ruling::Refuse),
            Some(Host::Ipv6(ip)) => self.place(ip.into()).map_or(Ruling::Allow, Ruling::Refuse),
            Some(Host::Domain(name)) => named(name),
            None => Ruling::Allow,
        }
    }
}

/// Browsers look up no name of this machine: they know it.
fn named(name: &str) -> Ruling {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    if name == "localhost" || name.ends_with(".localhost") {
        return Ruling::Refuse(format!("--public-only, and {name} is this machine"));
    }
    Ruling::Resolve(name)
}

/// Documents that are made of what another document says, and are of its origin; and the browser's page on what can't be shown.
fn inherits(url: &Url) -> bool {
    match url.scheme() {
        "about" => matches!(url.path(), "blank" | "srcdoc"),
        "chrome-error" => true,
        _ => false,
    }
}

impl Bounds for Origins {
    fn document(&self, text: &str) -> Ruling {
        let text = text.trim();
        let source =
            text.get(..12).filter(|s| s.eq_ignore_ascii_case("view-source:")).map_or(text, |s| &text[s.len()..]);
        let Ok(url) = Url::parse(source) else { return Ruling::Refuse("its address can't be read".into()) };
        if inherits(&url) {
            return Ruling::Allow;
        }
        if let Err(why) = self.listed(&url) {
            return Ruling::Refuse(why);
        }
        match url.scheme() {
            "http" | "https" => self.public(&url),
            // Of the origin of whoever made it, which has bounds of its own; `null` has none.
            "blob" | "filesystem" => match Url::parse(url.path()) {
                Ok(maker) if maker.has_host() => self.document(maker.as_str()),
                _ => Ruling::Allow,
            },
            "data" | "about" => Ruling::Allow,
            other if self.public_only => Ruling::Refuse(format!("--public-only, and {other}: is this machine")),
            _ => Ruling::Allow,
        }
    }

    fn request(&self, url: &str) -> Ruling {
        match Url::parse(url) {
            Ok(url) if matches!(url.scheme(), "http" | "https" | "ws" | "wss" | "ftp") => self.public(&url),
            _ => Ruling::Allow,
        }
    }

    fn place(&self, address: IpAddr) -> Option<String> {
        let what = place::apart(address).filter(|_| self.public_only)?;
        Some(format!("--public-only, and {address} is {what}"))
    }

    fn holds_all(&self) -> bool {
        self.public_only
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(allow: &[&str], deny: &[&str], public_only: bool) -> Origins {
        let list = |l: &[&str]| l.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        Origins::default().with(&list(allow), &list(deny), public_only).expect("they are valid")
    }

    #[test]
    fn a_denied_pattern_beats_an_allowed_one_and_is_named() {
        let bounds = bounds(&["https://*.example.com", "data:"], &["https://bad.example.com"], false);
        assert_eq!(bounds.document("https://a.example.com/x"), Ruling::Allow);
        assert_eq!(bounds.document("data:text/html,x"), Ruling::Allow);
        assert_eq!(
            bounds.document("https://BAD.example.com./"),
            Ruling::Refuse("the policy denies https://bad.example.com".into())
        );
        assert_eq!(
            bounds.document("https://example.com/"),
            Ruling::Refuse("the policy allows https://*.example.com, data: only".into())
        );
    }

    #[test]
    fn no_list_loosens_another() {
        let bounds = bounds(&["https://a.example", "https://b.example"], &[], false)
            .with(&["https://b.example".into(), "https://c.example".into()], &[], false)
            .expect("they are valid");
        let allowed = |url| bounds.document(url) == Ruling::Allow;
        assert_eq!(
            ["https://a.example/", "https://b.example/", "https://c.example/"].map(allowed),
            [false, true, false]
        );
    }

    #[test]
    fn documents_made_of_others_are_held_to_their_makers() {
        let some = bounds(&["https://a.example", "blob:"], &[], false);
        let allowed = |url| some.document(url) == Ruling::Allow;
        for url in ["about:blank", "about:blank#x", "about:srcdoc", "blob:https://a.example/1-2", "blob:null/1-2"] {
            assert!(allowed(url), "{url}");
        }
        for url in [
            "blob:https://b.example/1-2",
            "about:version",
            "data:,x",
            "file:///etc/passwd",
            "chrome://settings",
            "view-source:https://b.example/",
            "",
        ] {
            assert!(!allowed(url), "{url}");
        }
        assert!(allowed("View-Source:https://a.example/"));
        let unlisted = bounds(&["https://a.example"], &[], false);
        assert!(matches!(unlisted.document("blob:https://a.example/1-2"), Ruling::Refuse(_)));
        let denied = bounds(&[], &["https://b.example"], false);
        assert!(matches!(denied.document("blob:https://b.example/1"), Ruling::Refuse(_)));
        assert_eq!(denied.document("blob:https://a.example/1"), Ruling::Allow);
    }

    #[test]
    fn places_that_are_not_public_are_refused_however_they_are_written() {
        let public = bounds(&[], &[], true);
        for url in [
            "http://localhost/",
            "http://LOCALHOST.:80/",
            "http://a.localhost/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://0/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://169.254.169.254/latest/meta-data",
            "http://100.100.100.200/",
            "https://10.1.2.3/",
            "https://192.168.0.1:8443/",
            "http://172.31.0.1/",
            "http://[fd00:ec2::254]/",
            "http://[fe80::1]/",
            "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
            "file:///etc/passwd",
            "chrome://version",
        ] {
            assert!(matches!(public.document(url), Ruling::Refuse(_)), "{url}: {:?}", public.document(url));
        }
        for url in ["http://8.8.8.8/", "http://172.32.0.1/", "https://[2606:4700::1111]/", "data:,x", "about:blank"] {
            assert_eq!(public.document(url), Ruling::Allow, "{url}");
        }
        assert_eq!(public.document("http://Intranet.example./"), Ruling::Resolve("intranet.example".into()));
        assert_eq!(public.request("wss://x.example/"), Ruling::Resolve("x.example".into()));
        assert!(matches!(public.request("http://127.0.0.1/a.png"), Ruling::Refuse(_)));
    }
}
