//! Pages that stand in place of the list: a test whether a person looks, or a form to log in. Pure.

use crate::collect::dom::Tree;
use url::Url;

/// What stands in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Barrier {
    /// A test whether a person looks.
    Captcha,
    /// A form to log in.
    Login,
}

impl Barrier {
    /// It in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Captcha => "the page asks for a captcha",
            Self::Login => "the page asks to log in",
        }
    }
}

/// Parts of addresses and names of what asks such tests.
const TESTERS: [&str; 9] = [
    "captcha",
    "challenge-platform",
    "challenges.cloudflare",
    "geetest",
    "turnstile",
    "arkoselabs",
    "funcaptcha",
    "datadome",
    "perimeterx",
];
/// What such pages say.
const SAID: [&str; 14] = [
    "are you a human",
    "are you a robot",
    "checking your browser",
    "i'm not a robot",
    "i am not a robot",
    "captcha",
    "unusual traffic",
    "verify you are human",
    "verify that you are human",
    "安全验证",
    "人机验证",
    "请输入验证码",
    "滑动验证",
    "access denied",
];
/// Parts of addresses of forms to log in.
const LOGINS: [&str; 8] = ["login", "log-in", "logon", "signin", "sign-in", "auth", "sso", "account"];
/// Letters of a page that says little else.
const SHORT: usize = 3_000;

/// What stands in place of a list on a page that shows none of it.
pub fn barrier(tree: &Tree, url: &Url) -> Option<Barrier> {
    let shown = || tree.every().filter(|id| !tree.node(*id).is_hidden);
    let is_tester = |text: &str| {
        let text = text.to_ascii_lowercase();
        TESTERS.iter().any(|part| text.contains(part))
    };
    let asks = shown().any(|id| {
        let node = tree.node(id);
        let given = ["src", "class", "id", "name", "action"];
        matches!(node.tag.as_str(), "iframe" | "form" | "div" | "input" | "img")
            && given.iter().filter_map(|name| node.attribute(name)).any(is_tester)
    });
    let text = tree.all("body").next().map(|body| tree.text(body)).unwrap_or_default();
    let said = text.to_lowercase();
    if asks || text.len() < SHORT && SAID.iter().any(|part| said.contains(part)) {
        return Some(Barrier::Captcha);
    }
    let is_password = |id: usize| {
        tree.node(id).tag == "input"
            && tree.node(id).attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("password"))
    };
    let path = url.path().to_ascii_lowercase();
    let leads = path.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|part| LOGINS.contains(&part));
    (shown().any(is_password) || leads && shown().any(|id| tree.node(id).tag == "form")).then_some(Barrier::Login)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_the_way_is_told() {
        for (path, markup, wanted) in [
            ("/list", "<body><p>No projects match.</p></body>", None),
            ("/list", "<body><form action=\"/search\"><input name=\"q\"></form></body>", None),
            ("/list", "<body><form><input type=\"Password\"></form></body>", Some(Barrier::Login)),
            ("/list", "<body><form hidden=\"\"><input type=\"password\"></form></body>", None),
            ("/users/sign-in", "<body><form><input name=\"mail\"></form></body>", Some(Barrier::Login)),
            (
                "/list",
                "<body><iframe src=\"https://www.google.com/recaptcha/api2\"></iframe></body>",
                Some(Barrier::Captcha),
            ),
            ("/list", "<body><div class=\"h-captcha\"></div></body>", Some(Barrier::Captcha)),
            ("/list", "<body><h1>请输入验证码</h1></body>", Some(Barrier::Captcha)),
            ("/list", "<body><h1>Verify you are human</h1></body>", Some(Barrier::Captcha)),
        ] {
            let url = Url::parse("https://a.example").unwrap().join(path).unwrap();
            assert_eq!(barrier(&Tree::read(markup), &url), wanted, "{path} {markup}");
        }
    }
}
