//! Calls of the server's tools that a person confirms whatever a policy allows: those that pay, delete, send or log in, by the wording of
//! the tool, and of what acts by the wording of its arguments. Calls of the browser are asked about by the client in any case.

use handeye_commands::core::chat_settings::ChatEffect;
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
/// How deep arguments are read; what stands deeper could say anything.
const DEPTH: usize = 32;

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

/// Whether a call is confirmed by a person in any case.
pub fn is_sensitive(tool: &str, arguments: &Value, effect: ChatEffect) -> bool {
    says_so(tool) || effect == ChatEffect::Act && any_says_so(arguments, DEPTH)
}

/// Whether a text of a value says so, or the name of a member that isn't off.
fn any_says_so(value: &Value, depth: usize) -> bool {
    let is_off = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => true,
        Value::String(text) => says_so(text),
        Value::Array(items) => items.iter().any(|item| any_says_so(item, depth - 1)),
        Value::Object(members) => {
            members.iter().any(|(name, value)| !is_off(value) && says_so(name) || any_says_so(value, depth - 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn what_acts_is_judged_by_all_texts_of_its_arguments() {
        use ChatEffect::{Act, Read};
        let deep = (0..DEPTH + 1).fold(json!("x"), |value, _| json!([value]));
        for (tool, arguments, effect, wanted) in [
            ("mail__send", json!({}), Read, true),
            ("search_web", json!({"query": "how to delete an account"}), Read, false),
            ("crm__run", json!({"operation": "list", "id": 5}), Act, false),
            ("crm__run", json!({"operation": "delete_account"}), Act, true),
            ("http__request", json!({"method": "DELETE", "url": "https://a.example/x"}), Act, true),
            ("http__request", json!({"method": "GET", "url": "https://a.example/x"}), Act, false),
            ("crm__run", json!({"steps": [{"do": ["look", {"then": "付款"}]}]}), Act, true),
            ("crm__run", json!({"options": {"purchase": 1}}), Act, true),
            ("crm__run", json!({"options": {"delete": false, "send": null}}), Act, false),
            ("crm__run", json!({"options": {"delete": {"send": false}}}), Act, true),
            ("crm__run", deep, Act, true),
        ] {
            assert_eq!(is_sensitive(tool, &arguments, effect), wanted, "{tool} {arguments}");
        }
    }
}
