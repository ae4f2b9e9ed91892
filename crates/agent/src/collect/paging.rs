//! Where the next page of a list is: what may lead to it, the likeliest first. Pure; whether it does, the next page tells.

use crate::collect::dom::{NodeId, Tree};
use crate::collect::rule::{Page, Rule};
use handeye_engine::matching::{normalize, without_digits};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use url::Url;

/// A way from page to page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "style", rename_all = "snake_case")]
pub enum Way {
    /// A link or button to the next page.
    Next {
        /// What it says, where that is known from the model alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Links with the numbers of pages.
    Numbers,
    /// A button that adds items.
    More {
        /// What it says, where that is known from the model alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    /// Scrolling to the end adds items.
    Scroll,
    /// A number in the address.
    Parameter {
        /// The parameter's name.
        name: String,
        /// How much it grows from page to page.
        step: u64,
    },
}

impl Way {
    /// Its name.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Next { .. } => "next_link",
            Self::Numbers => "numbers",
            Self::More { .. } => "load_more",
            Self::Scroll => "scroll",
            Self::Parameter { .. } => "parameter",
        }
    }

    /// Whether items are added to those that are there, rather than put in their place.
    pub const fn adds(&self) -> bool {
        matches!(self, Self::More { .. } | Self::Scroll)
    }
}

/// What is pressed, or followed, to get to the next page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// It.
    pub node: NodeId,
    /// Where it leads; none where it is to be pressed.
    pub url: Option<Url>,
    /// What it says.
    pub label: String,
}

/// What words say that a control leads to the next page.
const NEXT: [&str; 41] = [
    "next",
    "next page",
    "older",
    "older posts",
    "older entries",
    "go to next page",
    "下一页",
    "下页",
    "后一页",
    "下一頁",
    "後頁",
    "下一个",
    "次",
    "次へ",
    "次のページ",
    "다음",
    "다음 페이지",
    "weiter",
    "nächste",
    "nächste seite",
    "vor",
    "suivant",
    "suivante",
    "page suivante",
    "siguiente",
    "página siguiente",
    "próximo",
    "próxima",
    "página seguinte",
    "seguinte",
    "avanti",
    "successivo",
    "successiva",
    "pagina successiva",
    "volgende",
    "volgende pagina",
    "nästa",
    "næste",
    "następna",
    "следующая",
    "далее",
];
/// The same as signs.
const ARROWS: [&str; 6] = ["›", "»", "→", ">", "❯", "⟩"];
/// What words say that a control adds items.
const MORE: [&str; 30] = [
    "load more",
    "show more",
    "view more",
    "see more",
    "more results",
    "more items",
    "load next",
    "more",
    "加载更多",
    "查看更多",
    "显示更多",
    "更多",
    "点击加载更多",
    "載入更多",
    "もっと見る",
    "さらに表示",
    "더보기",
    "더 보기",
    "mehr laden",
    "mehr anzeigen",
    "weitere laden",
    "weitere anzeigen",
    "voir plus",
    "charger plus",
    "afficher plus",
    "ver más",
    "cargar más",
    "mostrar más",
    "carregar mais",
    "показать ещё",
];
/// What words say that a control tries again what failed.
const RETRY: [&str; 10] = [
    "retry",
    "try again",
    "reload",
    "重试",
    "再试一次",
    "点击重试",
    "erneut versuchen",
    "réessayer",
    "reintentar",
    "повторить",
];
/// Names of parameters that hold the number of a page.
const PAGES: [&str; 14] = [
    "page",
    "p",
    "pg",
    "paged",
    "pageno",
    "page_no",
    "pagenum",
    "pagenumber",
    "page_num",
    "pn",
    "currentpage",
    "seite",
    "pagina",
    "curpage",
];
/// Names of parameters that hold the number of an item.
const OFFSETS: [&str; 6] = ["offset", "start", "skip", "from", "startindex", "first"];

/// What may lead on from a page, the likeliest first. `named`: what the model says leads there.
pub fn ways(page: &Page, rule: &Rule, named: Option<&str>) -> Vec<Way> {
    let mut found = Vec::new();
    if let Some(label) = named {
        let said = bare(label);
        if said.parse::<u64>().is_ok() {
            found.push(Way::Numbers);
        } else if is_more(label) {
            found.push(Way::More { label: Some(label.to_owned()) });
        } else {
            found.push(Way::Next { label: Some(label.to_owned()) });
        }
    }
    let usual = [Way::Next { label: None }, Way::Numbers, Way::More { label: None }];
    found.extend(usual.into_iter().filter(|way| control(page, rule, way).is_some()));
    let parameter = parameter(&page.url, rule.items(page).len() as u64);
    // An address that holds a number is a likelier way than a list that grows; one that doesn't is the last thing to try.
    match parameter {
        (parameter, true) => found.extend([parameter, Way::Scroll]),
        (parameter, false) => found.extend([Way::Scroll, parameter]),
    }
    let mut known = Vec::new();
    found.retain(|way| {
        let is_new = !known.contains(way);
        known.push(way.clone());
        is_new
    });
    found
}

/// The parameter that may tell the page, and whether the address holds it.
fn parameter(url: &Url, items: u64) -> (Way, bool) {
    let held = url.query_pairs().find_map(|(name, value)| {
        value.parse::<u64>().ok()?;
        let lower = name.to_ascii_lowercase();
        let step = if PAGES.contains(&lower.as_str()) { 1 } else { items.max(1) };
        (step == 1 || OFFSETS.contains(&lower.as_str())).then(|| Way::Parameter { name: name.into_owned(), step })
    });
    held.map_or_else(|| (Way::Parameter { name: "page".to_owned(), step: 1 }, false), |way| (way, true))
}

/// What is pressed or followed on a page to go on in this way; none where there is nothing, or it is switched off.
pub fn control(page: &Page, rule: &Rule, way: &Way) -> Option<Control> {
    match way {
        Way::Next { label } => next(page, rule, label.as_deref()),
        Way::Numbers => numbers(page, rule).and_then(|numbers| numbers.next),
        Way::More { label } => {
            let says = |text: &str| label.as_deref().map_or_else(|| is_more(text), |label| is_same(label, text));
            controls(page, rule).into_iter().find(|control| says(&control.label))
        }
        Way::Scroll | Way::Parameter { .. } => None,
    }
}

/// The same for what adds items; where that failed, what tries again.
pub fn more_control(page: &Page, rule: &Rule, way: &Way) -> Option<Control> {
    let again = || {
        let is_again = |control: &Control| RETRY.contains(&bare(&control.label).as_str());
        controls(page, rule).into_iter().find(is_again)
    };
    control(page, rule, way).or_else(again)
}

fn next(page: &Page, rule: &Rule, label: Option<&str>) -> Option<Control> {
    let all = controls(page, rule);
    if let Some(label) = label {
        return all.into_iter().find(|control| is_same(&control.label, label));
    }
    let tree = &page.tree;
    let of = |holds: &dyn Fn(&Control) -> bool| all.iter().find(|control| holds(control)).cloned();
    let hints = |control: &Control| -> Vec<String> {
        let names = ["aria-label", "title"];
        let node = tree.node(control.node);
        names.iter().filter_map(|name| node.attribute(name)).chain([control.label.as_str()]).map(bare).collect()
    };
    of(&|control| words(tree, control.node, "rel").any(|word| word == "next"))
        .or_else(|| of(&|control| hints(control).iter().any(|said| NEXT.contains(&said.as_str()))))
        .or_else(|| {
            let is_named =
                |id| words(tree, id, "class").any(|class| class.split(['-', '_']).any(|word| word == "next"));
            of(&|control| is_named(control.node) || tree.parent(control.node).is_some_and(is_named))
        })
        .or_else(|| ARROWS.iter().find_map(|arrow| of(&|control| control.label.trim() == *arrow)))
}

fn words<'a>(tree: &'a Tree, id: NodeId, name: &str) -> impl Iterator<Item = String> + 'a {
    tree.node(id)
        .attribute(name)
        .unwrap_or_default()
        .split_ascii_whitespace()
        .map(str::to_ascii_lowercase)
        .collect::<Vec<_>>()
        .into_iter()
}

/// What a label says without signs around it.
fn bare(label: &str) -> String {
    normalize(label).trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

/// Whether two labels say the same; how many are left may stand in them.
fn is_same(one: &str, other: &str) -> bool {
    let of = |label: &str| {
        let said = bare(&without_digits(label));
        if said.is_empty() { normalize(label) } else { said }
    };
    of(one) == of(other)
}

fn is_more(label: &str) -> bool {
    let said = bare(label);
    let begins = |word: &&str| said.strip_prefix(*word).is_some_and(|rest| rest.is_empty() || word.len() > 6);
    MORE.iter().any(|word| begins(&normalize(word).as_str()))
}

/// Links and buttons that are no items, and aren't switched off.
fn controls(page: &Page, rule: &Rule) -> Vec<Control> {
    let tree = &page.tree;
    let items: HashSet<NodeId> = rule.matches(page).iter().map(|found| found.item).collect();
    let is_control = |id: &NodeId| {
        let node = tree.node(*id);
        let kind = node.attribute("type").unwrap_or_default();
        node.tag == "a"
            || node.tag == "button"
            || node.tag == "input" && matches!(kind, "button" | "submit")
            || node.attribute("role").is_some_and(|role| matches!(role, "button" | "link"))
    };
    let is_off = |id: NodeId| {
        let node = tree.node(id);
        node.attribute("disabled").is_some()
            || node.attribute("aria-disabled") == Some("true")
            || words(tree, id, "class")
                .any(|class| class.split(['-', '_']).any(|word| matches!(word, "disabled" | "inactive")))
    };
    let found = tree.every().filter(is_control).filter(|id| !tree.node(*id).is_hidden);
    let found = found.filter(|id| !is_off(*id) && !tree.parent(*id).is_some_and(is_off));
    let found = found.filter(|id| !tree.outwards(*id).any(|outer| items.contains(&outer)));
    found.map(|node| Control { node, url: leads(page, node), label: label(tree, node) }).collect()
}

fn label(tree: &Tree, id: NodeId) -> String {
    let said = tree.text(id);
    let told = || {
        ["aria-label", "value", "title"]
            .iter()
            .find_map(|name| tree.node(id).attribute(name))
            .unwrap_or_default()
            .to_owned()
    };
    if said.is_empty() { told() } else { said }
}

/// Where a link leads, if that is another page.
fn leads(page: &Page, id: NodeId) -> Option<Url> {
    let mut url = page.target(id).filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let mut here = page.url.clone();
    if !url.fragment().is_some_and(|fragment| fragment.starts_with(['/', '!'])) {
        url.set_fragment(None);
        here.set_fragment(None);
    }
    (url != here).then_some(url)
}

/// Links with the numbers of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    /// The number of the page that is shown.
    pub current: u64,
    /// The link to the one behind it.
    pub next: Option<Control>,
    /// The largest number.
    pub last: u64,
}

/// The numbered links of a page.
pub fn numbers(page: &Page, rule: &Rule) -> Option<Numbers> {
    let tree = &page.tree;
    let mut groups: BTreeMap<NodeId, Vec<(u64, Control)>> = BTreeMap::new();
    for control in controls(page, rule) {
        let Ok(number) = bare(&control.label).parse::<u64>() else { continue };
        // The group is what links of different parents stand in: of `li > a` the list.
        let parent = tree.parent(control.node)?;
        let is_alone = tree.children(parent).count() == 1;
        let group = if is_alone { tree.parent(parent).unwrap_or(parent) } else { parent };
        groups.entry(group).or_default().push((number, control));
    }
    let (group, links) = groups
        .into_iter()
        .filter(|(_, links)| links.len() > 1 || is_beside_current(links))
        .max_by_key(|(_, links)| links.len())?;
    let current = current(page, group, &links)?;
    let last = links.iter().map(|(number, _)| *number).max()?.max(current);
    let next =
        links.into_iter().find(|(number, _)| current.checked_add(1) == Some(*number)).map(|(_, control)| control);
    Some(Numbers { current, next, last })
}

/// Of two pages one is shown and has no link.
fn is_beside_current(links: &[(u64, Control)]) -> bool {
    links.iter().any(|(number, control)| matches!(number, 1 | 2) && control.url.is_some())
}

/// The number of the page that is shown: the one that says so, the one without a link, or the one in the address.
fn current(page: &Page, group: NodeId, links: &[(u64, Control)]) -> Option<u64> {
    let tree = &page.tree;
    let inside = tree.inside(group);
    let number = |id: NodeId| bare(&tree.text(id)).parse::<u64>().ok();
    let says = |id: NodeId| {
        tree.node(id).attribute("aria-current").is_some_and(|current| current != "false")
            || words(tree, id, "class").any(|class| {
                class.split(['-', '_']).any(|word| matches!(word, "current" | "active" | "selected" | "on" | "cur"))
            })
    };
    let said = inside.iter().filter(|id| says(**id)).find_map(|id| number(*id));
    let is_plain = |id: &NodeId| {
        let node = tree.node(*id);
        !matches!(node.tag.as_str(), "a" | "button")
            && tree.children(*id).next().is_none()
            && !tree.outwards(*id).any(|outer| matches!(tree.node(outer).tag.as_str(), "a" | "button"))
    };
    let plain = || inside.iter().filter(|id| is_plain(id)).find_map(|id| number(*id));
    let addressed = || number_of(&page.url).filter(|number| links.iter().any(|(known, _)| known == number));
    said.or_else(plain).or_else(addressed)
}

/// The number of the page that an address holds, as a parameter or behind `page` in its path.
pub fn number_of(url: &Url) -> Option<u64> {
    let held = url.query_pairs().find(|(name, _)| PAGES.contains(&name.to_ascii_lowercase().as_str()));
    if let Some(number) = held.and_then(|(_, value)| value.parse().ok()) {
        return Some(number);
    }
    let parts: Vec<&str> = url.path().split(['/', '-', '_', '.']).collect();
    parts.windows(2).find(|pair| matches!(pair[0], "page" | "p" | "seite")).and_then(|pair| pair[1].parse().ok())
}
