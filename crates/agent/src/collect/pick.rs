//! What the model picks: one call with numbers, texts and the reasoning, each pair of which is held to the state. Pure.

use crate::collect::dom::NodeId;
use crate::collect::rule::Page;
use handeye_engine::matching::{contains, normalize};
use handeye_engine::wording::shown::{line, quote};
use handeye_scene::chat::Tool;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use url::Url;

/// The tool's name.
pub const PICK: &str = "pick_items";
/// Pairs of one call at most.
const MOST: usize = 5_000;
/// Characters of a text that are repeated to the model.
const SHOWN: usize = 120;
/// How far around a link its item may reach, and how much may be in it.
const NEAR: usize = 8;
const CROWD: usize = 1_000;
/// Pairs that are told of one call.
const TOLD: usize = 40;

/// A call of the model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    /// Numbers of the links of items.
    pub mark_ids: Vec<u64>,
    /// What each of them shows, in the same order.
    pub expected_texts: Vec<String>,
    /// Why these.
    pub reasoning: String,
    /// Values of fields, by name, each list in the same order.
    #[serde(default)]
    pub fields: BTreeMap<String, Vec<String>>,
    /// The number of what leads to the next page.
    #[serde(default)]
    pub next_mark_id: Option<u64>,
    /// What it shows.
    #[serde(default)]
    pub next_expected_text: Option<String>,
}

/// The tool, for these fields.
pub fn tool(fields: &[String]) -> Tool {
    let numbers = json!({"type": "array", "items": {"type": "integer", "minimum": 1}, "description": "Numbers of the links that lead to the items"});
    let texts = json!({"type": "array", "items": {"type": "string"}, "description": "What the state shows for each of them, copied, in the same order"});
    let mut properties = json!({
        "mark_ids": numbers,
        "expected_texts": texts,
        "reasoning": {"type": "string", "description": "Why these are the items, and what was left out"},
        "next_mark_id": {"type": ["integer", "null"], "description": "Number of the link or button that leads to the next page, or adds items; null where there is none"},
        "next_expected_text": {"type": ["string", "null"], "description": "What the state shows for it"},
    });
    let mut required = vec!["mark_ids", "expected_texts", "reasoning"];
    if !fields.is_empty() {
        let list = json!({"type": "array", "items": {"type": "string"}});
        let members: serde_json::Map<String, Value> = fields.iter().map(|name| (name.clone(), list.clone())).collect();
        properties["fields"] = json!({
            "type": "object", "properties": members, "required": fields, "additionalProperties": false,
            "description": "For each field its values, copied, in the order of mark_ids; an empty text where an item has none",
        });
        required.push("fields");
    }
    let parameters =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    Tool { name: PICK.to_owned(), description: "Pick items of the list by their numbers".to_owned(), parameters }
}

/// What the state shows of a target.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mark {
    role: String,
    name: String,
    text: String,
    value: String,
    href: Option<String>,
    path: String,
}

/// The targets of a state, by number.
pub fn marks(state: &Value) -> BTreeMap<u64, Mark> {
    let text = |target: &Value, member: &str| target.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    let targets = state.get("targets").and_then(Value::as_array).into_iter().flatten();
    let read = |target: &Value| {
        let mark = Mark {
            role: text(target, "role"),
            name: text(target, "name"),
            text: text(target, "text"),
            value: text(target, "value"),
            href: target.get("href").and_then(Value::as_str).map(str::to_owned),
            path: text(target, "xpath"),
        };
        Some((target.get("ref")?.as_u64()?, mark))
    };
    targets.filter_map(read).collect()
}

/// The number of the target at a path.
pub fn number_at(marks: &BTreeMap<u64, Mark>, path: &str) -> Option<u64> {
    marks.iter().find(|(_, mark)| mark.path == path).map(|(number, _)| *number)
}

impl Mark {
    fn said(&self) -> impl Iterator<Item = &str> {
        [self.name.as_str(), self.text.as_str()].into_iter().filter(|text| !normalize(text).is_empty())
    }

    /// Whether it says anything.
    pub fn says_something(&self) -> bool {
        self.said().next().is_some()
    }

    /// Whether it shows a text, of which it must show something.
    pub fn shows_surely(&self, expected: &str) -> bool {
        self.said().chain([self.value.as_str()]).any(|text| contains(text, expected))
    }

    /// Whether it shows a text; what shows none is described, which can be compared with nothing.
    pub fn shows(&self, expected: &str) -> bool {
        self.said().next().is_none() || self.said().any(|text| contains(text, expected))
    }

    /// Its role and name.
    pub fn words(&self) -> String {
        format!("{} {}", line(&self.role, 30), quote(self.said().next().unwrap_or_default(), SHOWN))
    }
}

/// An item that was picked and holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Its link.
    pub link: NodeId,
    /// Where it leads.
    pub url: Url,
    /// Values of fields.
    pub fields: BTreeMap<String, String>,
}

/// What came of a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Checked {
    /// What holds.
    pub good: Vec<Example>,
    /// What doesn't, with what was found.
    pub wrong: Vec<String>,
    /// Values of fields that aren't shown where they should be.
    pub unread: Vec<String>,
    /// Where those lead that don't hold: whether they are items isn't known.
    pub doubtful: Vec<Url>,
    /// What leads to the next page says.
    pub next: Option<String>,
}

/// Reads a call; what is wrong with it as a whole is an error.
pub fn read(name: &str, arguments: &str, fields: &[String]) -> Result<Pick, String> {
    if name != PICK {
        return Err(format!("there is no tool {}; call `{PICK}`", quote(name, SHOWN)));
    }
    let pick: Pick = serde_json::from_str(arguments)
        .map_err(|e| format!("the arguments of `{PICK}` are wrong: {e}; you wrote {}", quote(arguments, 2 * SHOWN)))?;
    let count = pick.mark_ids.len();
    if count != pick.expected_texts.len() {
        return Err(format!(
            "there are {count} mark_ids and {} expected_texts; the n-th text is what the n-th target shows",
            pick.expected_texts.len()
        ));
    }
    if count > MOST {
        return Err(format!("{count} items are more than {MOST}: pick fewer"));
    }
    if pick.reasoning.trim().is_empty() {
        return Err("`reasoning` is empty: say why these are the items".to_owned());
    }
    for (field, values) in &pick.fields {
        if !fields.contains(field) {
            let known = if fields.is_empty() {
                "none were asked for".to_owned()
            } else {
                format!("there are {}", fields.join(", "))
            };
            return Err(format!("there is no field {}; {known}", quote(field, SHOWN)));
        }
        if values.len() != count {
            return Err(format!("there are {count} mark_ids and {} values of `{field}`", values.len()));
        }
    }
    Ok(pick)
}

/// Holds each pair of a call to the state and to the page.
pub fn check(pick: &Pick, marks: &BTreeMap<u64, Mark>, page: &Page) -> Checked {
    let mut checked = Checked::default();
    for (at, (number, expected)) in pick.mark_ids.iter().zip(&pick.expected_texts).enumerate() {
        let found = marks.get(number).ok_or_else(|| "the state has no such number".to_owned());
        match found.and_then(|mark| held(mark, expected, page)) {
            Ok((link, url)) => {
                let value = |(name, values): (&String, &Vec<String>)| {
                    Some((name.clone(), values.get(at)?.clone())).filter(|(_, value)| !value.trim().is_empty())
                };
                let fields: BTreeMap<String, String> = pick.fields.iter().filter_map(value).collect();
                let (read, absent): (BTreeMap<_, _>, BTreeMap<_, _>) =
                    fields.into_iter().partition(|(_, value)| stands_near(page, link, value));
                let told = |(name, value): (&String, &String)| {
                    format!("[{number}] is right, but its {name} {} isn't shown there", quote(value, SHOWN))
                };
                checked.unread.extend(absent.iter().map(told));
                checked.good.push(Example { link, url, fields: read });
            }
            Err(why) => {
                checked.doubtful.extend(found_url(marks, *number, page));
                checked.wrong.push(format!("[{number}] {}: {why}", quote(expected, SHOWN)));
            }
        }
    }
    for told in [&mut checked.wrong, &mut checked.unread].into_iter().filter(|told| told.len() > TOLD) {
        let more = told.len() - TOLD;
        told.truncate(TOLD);
        told.push(format!("and {more} more"));
    }
    match (pick.next_mark_id, pick.next_expected_text.as_deref()) {
        (Some(number), Some(expected)) => match marks.get(&number) {
            Some(mark) if mark.shows(expected) => checked.next = mark.said().next().map(str::to_owned),
            Some(mark) => {
                checked.wrong.push(format!("next [{number}] {}: it is {}", quote(expected, SHOWN), mark.words()));
            }
            None => {
                checked.wrong.push(format!("next [{number}] {}: the state has no such number", quote(expected, SHOWN)))
            }
        },
        (Some(number), None) => checked.wrong.push(format!("next [{number}]: `next_expected_text` is missing")),
        (None, _) => {}
    }
    checked
}

/// Where a target leads, in its one form.
fn found_url(marks: &BTreeMap<u64, Mark>, number: u64, page: &Page) -> Option<Url> {
    page.leads(page.tree.at(&marks.get(&number)?.path)?)
}

/// The link that a pair means, and where it leads; else what was found.
fn held(mark: &Mark, expected: &str, page: &Page) -> Result<(NodeId, Url), String> {
    if normalize(expected).is_empty() {
        return Err(format!("the text is empty; it is {}", mark.words()));
    }
    if !mark.shows(expected) {
        return Err(format!("it is {}", mark.words()));
    }
    let Some(href) = &mark.href else {
        return Err(format!("it is {}, which leads nowhere: pick the link to the item", mark.words()));
    };
    let Some(node) = page.tree.at(&mark.path) else {
        return Err("it stands in a frame or a shadow root, where lists can't be read".to_owned());
    };
    match (page.target(node), page.leads(node)) {
        (Some(target), Some(url)) if Url::parse(href).is_ok_and(|href| href == target) => Ok((node, url)),
        (Some(_), None) => Err(format!("it leads to {}, which is no page", line(href, SHOWN))),
        _ => Err("the page changed meanwhile".to_owned()),
    }
}

/// Whether something near a link shows a value: what it stands in, up to what holds very much.
fn stands_near(page: &Page, link: NodeId, value: &str) -> bool {
    let wanted = normalize(value);
    let mut near = page.tree.outwards(link).take(NEAR).take_while(|around| page.tree.inside(*around).len() < CROWD);
    near.any(|around| normalize(&page.tree.text(around)).contains(&wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> (Page, BTreeMap<u64, Mark>) {
        let url = Url::parse("https://a.example/list").unwrap();
        let markup = "<html><body><ul><li><a href='/p/1'>First project</a><i>Ann</i></li><li><a href='/p/2'>下一个项目</a></li></ul><a href='?page=2'>下一页</a><button>x</button><a href='mailto:a'>mail</a></body></html>";
        let link = |n: u64, name: &str, href: &str, path: &str| json!({"ref": n, "role": "link", "name": name, "href": href, "xpath": path});
        let state = json!({"targets": [
            link(1, "First project", "https://a.example/p/1", "/html[1]/body[1]/ul[1]/li[1]/a[1]"),
            link(2, "下一个项目", "https://a.example/p/2", "/html[1]/body[1]/ul[1]/li[2]/a[1]"),
            link(3, "下一页", "https://a.example/list?page=2", "/html[1]/body[1]/a[1]"),
            {"ref": 4, "role": "button", "name": "x", "xpath": "/html[1]/body[1]/button[1]"},
            link(5, "framed", "https://a.example/f", "/html[1]/body[1]/iframe[1]/html[1]/body[1]/a[1]"),
            link(6, "mail", "mailto:a", "/html[1]/body[1]/a[2]"),
            link(7, "moved", "https://a.example/other", "/html[1]/body[1]/ul[1]/li[2]/a[1]"),
        ]});
        (Page::read(&url, markup), marks(&state))
    }

    #[test]
    fn each_pair_is_held_to_the_state_by_itself() {
        let (page, marks) = page();
        let call = json!({
            "mark_ids": [1, 2, 2, 99, 4, 5, 6, 7, 1, 1], "reasoning": "r",
            "expected_texts": ["first project", "项目", "下一页", "a", "x", "framed", "mail", "moved", "", "First project"],
            "fields": {"author": ["Ann", "", "", "", "", "", "", "", "", "Bob"]},
            "next_mark_id": 3, "next_expected_text": "下一页",
        });
        let fields = ["author".to_owned()];
        let pick = read(PICK, &call.to_string(), &fields).unwrap();
        let checked = check(&pick, &marks, &page);
        let urls: Vec<&str> = checked.good.iter().map(|example| example.url.as_str()).collect();
        assert_eq!(urls, ["https://a.example/p/1", "https://a.example/p/2", "https://a.example/p/1"]);
        assert_eq!(checked.good[0].fields["author"], "Ann");
        assert_eq!(checked.next.as_deref(), Some("下一页"));
        let wanted = [
            "[2] \"下一页\": it is link \"下一个项目\"",
            "[99] \"a\": the state has no such number",
            "[4] \"x\": it is button \"x\", which leads nowhere: pick the link to the item",
            "[5] \"framed\": it stands in a frame or a shadow root, where lists can't be read",
            "[6] \"mail\": it leads to mailto:a, which is no page",
            "[7] \"moved\": the page changed meanwhile",
            "[1] \"\": the text is empty; it is link \"First project\"",
        ];
        assert_eq!(checked.wrong, wanted);
        assert_eq!(checked.unread, ["[1] is right, but its author \"Bob\" isn't shown there"]);
        assert!(checked.doubtful.iter().any(|url| url.path() == "/p/2"), "{:?}", checked.doubtful);
    }

    #[test]
    fn a_call_that_is_wrong_as_a_whole_is_told_what_is_wrong() {
        let fields = ["date".to_owned()];
        for (name, arguments, part) in [
            ("click", json!({}).to_string(), "there is no tool"),
            (PICK, "{\"mark_ids\": [1".to_owned(), "wrong"),
            (PICK, json!({"mark_ids": [1], "expected_texts": ["a"]}).to_string(), "reasoning"),
            (PICK, json!({"mark_ids": ["1"], "expected_texts": ["a"], "reasoning": "r"}).to_string(), "string"),
            (PICK, json!({"mark_ids": [-1], "expected_texts": ["a"], "reasoning": "r"}).to_string(), "-1"),
            (
                PICK,
                json!({"mark_ids": [1, 2], "expected_texts": ["a"], "reasoning": "r"}).to_string(),
                "2 mark_ids and 1 expected_texts",
            ),
            (PICK, json!({"mark_ids": [1], "expected_texts": ["a"], "reasoning": " "}).to_string(), "empty"),
            (PICK, json!({"mark_ids": [1], "expected_texts": ["a"], "reasoning": "r", "x": 1}).to_string(), "x"),
            (
                PICK,
                json!({"mark_ids": [1], "expected_texts": ["a"], "reasoning": "r", "fields": {"d": ["x"]}}).to_string(),
                "no field",
            ),
            (
                PICK,
                json!({"mark_ids": [1], "expected_texts": ["a"], "reasoning": "r", "fields": {"date": []}}).to_string(),
                "0 values",
            ),
        ] {
            let why = read(name, &arguments, &fields).unwrap_err();
            assert!(why.contains(part), "{arguments}: {why}");
        }
    }

    #[test]
    fn the_tool_asks_for_the_fields_that_are_wanted() {
        let with = tool(&["date".to_owned()]);
        assert_eq!(with.parameters["properties"]["fields"]["required"], json!(["date"]));
        assert!(tool(&[]).parameters["properties"].get("fields").is_none());
    }
}
