//! Calls that a person confirms whatever a policy allows: those that pay, delete, send or log in, by the wording of the tool or of what
//! they are aimed at. What can't be told is taken for one.

use crate::wire::Page;
use handeye_engine::matching::normalize;
use serde_json::Value;

/// Words, whole.
const WORDS: &[&str] = &[
    "pay",
    "pays",
    "paid",
    "paying",
    "buy",
    "buys",
    "buying",
    "order",
    "orders",
    "post",
    "share",
    "reply",
    "login",
    "logon",
    "signin",
    "authenticate",
    "wire",
    "kaufen",
    "bezahlen",
    "senden",
    "absenden",
    "anmelden",
    "entfernen",
    "payer",
    "acheter",
    "envoyer",
    "connexion",
    "pagar",
    "comprar",
    "enviar",
    "borrar",
    "eliminar",
];
/// What words begin with.
const STEMS: &[&str] = &[
    "payment", "purchas", "checkout", "donat", "transfer", "subscri", "delet", "remov", "eras", "destroy", "send",
    "submit", "publish", "lösch", "zahlung", "bestell", "supprim",
];
/// Words one after the other.
const PHRASES: &[(&str, &str)] =
    &[("log", "in"), ("log", "on"), ("sign", "in"), ("check", "out"), ("empty", "trash"), ("place", "order")];
/// The same in Chinese, which has no spaces.
const PARTS: &[&str] = &[
    "付款", "支付", "付费", "购买", "下单", "结算", "结账", "转账", "充值", "订购", "打赏", "捐", "删除", "移除",
    "清空", "注销", "销毁", "发送", "发布", "发表", "提交", "回复", "分享", "寄出", "登录", "登入", "登陆", "授权",
];
/// What a field is called that takes what logs in or pays.
const SECRETS: &[&str] =
    &["密码", "口令", "验证码", "卡号", "password", "passwort", "passcode", "one-time", "otp", "cvv", "card number"];

/// Whether a text says that something is paid, deleted, sent or logged in to.
pub fn says_so(text: &str) -> bool {
    let text = normalize(&apart(text));
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let dense: String = words.concat();
    let of_word = |word: &&str| WORDS.contains(word) || STEMS.iter().any(|stem| word.starts_with(stem));
    words.iter().any(of_word)
        || words.windows(2).any(|pair| PHRASES.contains(&(pair[0], pair[1])))
        || PARTS.iter().any(|part| dense.contains(part))
}

/// The words of a name in camel case, apart.
fn apart(text: &str) -> String {
    let mut apart = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        if before.is_lowercase() && character.is_uppercase() {
            apart.push(' ');
        }
        apart.push(character);
        before = character;
    }
    apart
}

/// Whether a call is confirmed by a person in any case. `page`: what the client told of the page that it is made on.
pub fn is_sensitive(tool: &str, arguments: &Value, page: Option<&Page>) -> bool {
    let actions = arguments.get("actions").and_then(Value::as_array);
    says_so(tool) || actions.into_iter().flatten().any(|action| does_so(action, page))
}

/// Whether an action of a batch is.
fn does_so(action: &Value, page: Option<&Page>) -> bool {
    let name = action.get("action").and_then(Value::as_str).unwrap_or_default();
    if super::effect::READS.contains(&name) {
        return false;
    }
    let of_target = |member: &str| action.pointer(&format!("/target/{member}")).and_then(Value::as_str);
    let known = of_target("elementId")
        .and_then(|id| page?.elements.iter().find(|element| element.id == id))
        .map(|element| element.desc.as_str());
    let mut texts = known.into_iter().chain(of_target("description")).chain(of_target("selector"));
    if name == "fill" {
        return texts.any(|text| SECRETS.iter().any(|secret| normalize(text).contains(secret)));
    }
    // What the client hasn't told of could be anything.
    known.is_none() || texts.any(says_so)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::page::Element;
    use serde_json::json;

    #[test]
    fn wording_tells_what_pays_deletes_sends_or_logs_in() {
        for text in [
            "Pay now",
            "PAY",
            "Buy it",
            "Place order",
            "Check out",
            "checkout",
            "Delete account",
            "deleting…",
            "Remove",
            "send_mail",
            "sendMail",
            "mail__send",
            "Submit",
            "Log in",
            "Sign in with x",
            "login",
            "按钮:付款",
            "立即购买",
            "删除全部",
            "发送",
            "登 录",
            "Löschen",
            "Ｐａｙ",
            "P\u{200b}ay",
        ] {
            assert!(says_so(text), "{text}");
        }
        for text in [
            "Search",
            "搜索",
            "按钮:下一页",
            "Payroll overview",
            "Catalog info",
            "Blog index",
            "Postal code",
            "查询数据库",
            "",
        ] {
            assert!(!says_so(text), "{text}");
        }
    }

    #[test]
    fn a_click_is_judged_by_what_the_page_says_of_its_target() {
        let element = |id: &str, desc: &str| Element { id: id.into(), desc: desc.into(), print: None };
        let page = Page {
            elements: vec![element("e_1", "按钮:搜索"), element("e_2", "按钮:立即支付"), element("e_3", "输入框:密码")],
            ..Page::default()
        };
        let on = |action: &str, target: Value| json!({"actions": [{"action": action, "target": target}]});
        for (arguments, wanted) in [
            (on("click", json!({"elementId": "e_1"})), false),
            (on("click", json!({"elementId": "e_2"})), true),
            (on("click", json!({"elementId": "e_1", "description": "付款"})), true),
            (on("click", json!({"elementId": "e_9"})), true),
            (on("click", json!({"selector": "#b"})), true),
            (on("check", json!({"elementId": "e_1"})), false),
            (on("fill", json!({"elementId": "e_1"})), false),
            (on("fill", json!({"elementId": "e_3"})), true),
            (on("read", json!({"elementId": "e_2"})), false),
            (on("highlight", json!({})), false),
            (on("wipe", json!({})), true),
            (json!({}), false),
        ] {
            assert_eq!(is_sensitive("page_action", &arguments, Some(&page)), wanted, "{arguments}");
        }
        assert!(is_sensitive("page_action", &on("click", json!({"elementId": "e_1"})), None));
        assert!(is_sensitive("mail__send", &json!({}), None) && !is_sensitive("search_web", &json!({}), None));
    }
}
