//! What a site asks robots to leave alone (RFC 9309). Pure.

use std::time::Duration;
use url::Url;

/// Bytes of the file that are read.
const MOST: usize = 500 << 10;
/// What this program is called there.
const OURS: &str = "handeye";
/// The longest pause between two pages that is kept to.
const LONGEST: f64 = 60.0;
/// Stars in a pattern at most: more have no meaning, and take long to compare.
const STARS: usize = 16;

/// The rules that are for this program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Robots {
    rules: Vec<(bool, String)>,
    /// The pause between two pages that is asked for.
    pub pause: Option<Duration>,
}

impl Robots {
    /// Reads the file: the groups that name this program, else those for everyone.
    pub fn read(text: &str) -> Self {
        let mut end = text.len().min(MOST);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let (mut ours, mut all) = (None, Self::default());
        let (mut names, mut is_named) = (Vec::<String>::new(), false);
        for line in text[..end].lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().trim_start_matches('\u{feff}').to_ascii_lowercase(), value.trim());
            if key == "user-agent" {
                if !is_named {
                    names.clear();
                }
                is_named = true;
                names.push(value.split('/').next().unwrap_or_default().trim().to_ascii_lowercase());
                continue;
            }
            if !matches!(key.as_str(), "allow" | "disallow" | "crawl-delay") {
                continue;
            }
            is_named = false;
            if names.iter().any(|name| name == OURS) {
                ours.get_or_insert_with(Self::default).add(&key, value);
            } else if names.iter().any(|name| name == "*") {
                all.add(&key, value);
            }
        }
        ours.unwrap_or(all)
    }

    fn add(&mut self, key: &str, value: &str) {
        match key {
            "crawl-delay" => {
                let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
                self.pause = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.min(LONGEST)).ok());
            }
            _ if value.is_empty() => {}
            _ => self.rules.push((key == "allow", encoded(value))),
        }
    }

    /// The rule that forbids an address; none where it may be opened. The longest that matches counts, and of two that are as long
    /// the one that allows.
    pub fn forbids(&self, url: &Url) -> Option<&str> {
        let path = encoded(&url[url::Position::BeforePath..url::Position::AfterQuery]);
        let matching = self.rules.iter().filter(|(_, rule)| matches(&path, rule));
        let (is_allowed, rule) = matching.max_by_key(|(is_allowed, rule)| (rule.len(), *is_allowed))?;
        (!is_allowed && url.path() != "/robots.txt").then_some(rule.as_str())
    }
}

/// A path in one spelling: what isn't ASCII as percent signs and digits, digits in capitals.
fn encoded(path: &str) -> String {
    let mut out = String::new();
    let mut bytes = path.bytes().peekable();
    let mut digits = 0;
    while let Some(byte) = bytes.next() {
        if digits > 0 {
            digits -= 1;
            out.push(char::from(byte.to_ascii_uppercase()));
        } else if byte.is_ascii() {
            digits = if byte == b'%' && bytes.peek().is_some_and(u8::is_ascii_hexdigit) { 2 } else { 0 };
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Whether a path begins as a rule says: `*` is anything, `$` at the end is the end.
fn matches(path: &str, rule: &str) -> bool {
    let (rule, is_whole) = rule.strip_suffix('$').map_or((rule, false), |rule| (rule, true));
    let parts: Vec<&str> = rule.splitn(STARS, '*').collect();
    let Some((first, rest)) = parts.split_first() else { return true };
    let Some(mut left) = path.strip_prefix(first) else { return false };
    for (at, part) in rest.iter().enumerate() {
        if is_whole && at + 1 == rest.len() {
            return left.ends_with(part);
        }
        match left.find(part) {
            Some(found) => left = &left[found + part.len()..],
            None => return false,
        }
    }
    !is_whole || left.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_testkit::fuzz::survive;
    use handeye_testkit::trials;

    const FILE: &str = "\u{feff}User-agent: other\nDisallow: /\n\nuser-agent: *\nDisallow: /private # no\nAllow: /private/open\nDisallow: /*?sort=\nDisallow: /*.pdf$\nDisallow: /单\nDisallow:\nCrawl-delay: 2.5\nSitemap: http://a/s.xml\n";

    #[test]
    fn the_longest_rule_that_matches_counts() {
        let robots = Robots::read(FILE);
        for (path, wanted) in [
            ("/", None),
            ("/private", Some("/private")),
            ("/private/open/1", None),
            ("/privately", Some("/private")),
            ("/list?sort=a", Some("/*?sort=")),
            ("/list?page=2", None),
            ("/a.pdf", Some("/*.pdf$")),
            ("/a.pdf?x", None),
            ("/单/1", Some("/%E5%8D%95")),
            ("/%e5%8d%95/1", Some("/%E5%8D%95")),
            ("/robots.txt", None),
        ] {
            let url = Url::parse("https://a.example").unwrap().join(path).unwrap();
            assert_eq!(robots.forbids(&url), wanted, "{path}");
        }
        assert_eq!(robots.pause, Some(Duration::from_millis(2_500)));
    }

    #[test]
    fn the_group_that_names_this_program_counts_alone() {
        let file = "User-agent: *\nDisallow: /\n\nUser-agent: Handeye/1.0\nUser-agent: x\nDisallow: /no\n";
        let url = |path: &str| Url::parse("https://a.example").unwrap().join(path).unwrap();
        let robots = Robots::read(file);
        assert_eq!((robots.forbids(&url("/a")), robots.forbids(&url("/no/1"))), (None, Some("/no")));
        for nothing in ["", "<html>404</html>", "Disallow: /", "User-agent: *\nDisallow:"] {
            assert_eq!(Robots::read(nothing).forbids(&url("/a")), None, "{nothing}");
        }
        let both = Robots::read("User-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /b*c$\n");
        assert_eq!(both.forbids(&url("/a")), None, "of two as long, the one that allows");
        assert_eq!((both.forbids(&url("/b/c")), both.forbids(&url("/b/c/d"))), (Some("/b*c$"), None));
    }

    #[test]
    fn no_file_keeps_the_reader() {
        let take = |text: &str| {
            let robots = Robots::read(text);
            let _ = robots.forbids(&Url::parse("https://a.example/private/list?sort=1&page=2").unwrap());
        };
        let stars = format!("User-agent: *\nDisallow: /{}x", "*a".repeat(5_000));
        survive("robots.txt", 72, trials(300, 100_000), move |m| m.text(&[FILE, &stars]), take);
    }
}
