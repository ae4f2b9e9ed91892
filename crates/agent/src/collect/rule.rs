//! A rule: which links of a page are items, told by the structure around them. Pure.
//!
//! It is written as CSS, so that a person can read it and a browser can try it.

use crate::collect::address;
use crate::collect::adverts;
use crate::collect::dom::{Node, NodeId, Tree};
use handeye_engine::wording::shown;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// Characters of a title.
const TITLE: usize = 1_000;

/// Which links are items.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// An item matches one of these.
    pub patterns: Vec<Pattern>,
    /// Hosts that items lead to; none where they lead anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<String>>,
    /// Whether what says that it is an advert is left out.
    pub is_without_adverts: bool,
}

/// Elements from the list down to the link.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// Each stands directly in the one before; the last is the link.
    pub steps: Vec<Step>,
    /// Which of them is the whole item.
    pub item: usize,
}

/// What an element must be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name.
    pub tag: String,
    /// What else must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<Test>,
}

/// What must hold of an element.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// It has this id.
    Id(String),
    /// It has this class.
    Class(String),
    /// It hasn't.
    NotClass(String),
    /// It has this attribute.
    Attribute(String),
    /// It hasn't.
    NotAttribute(String),
    /// It is so many-eth of its kind among its siblings.
    Nth(usize),
    /// In it is such an element: its name, or name and class.
    Has(String, Option<String>),
    /// In it is none.
    HasNot(String, Option<String>),
    /// Its address, as written, begins like this.
    Leads(String),
}

/// An item that a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its link.
    pub link: NodeId,
    /// The whole of it.
    pub item: NodeId,
    /// Where it leads, in its one form.
    pub url: Url,
    /// What the link says.
    pub title: String,
}

/// A page to which rules are applied.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its elements.
    pub tree: Tree,
    /// Its address.
    pub url: Url,
    /// What relative addresses on it begin with.
    base: Url,
}

impl Page {
    /// A page by its address and its markup.
    pub fn read(url: &Url, markup: &str) -> Self {
        let tree = Tree::read(markup);
        let base = tree.all("base").find_map(|id| url.join(tree.node(id).attribute("href")?).ok());
        Self { base: base.unwrap_or_else(|| url.clone()), tree, url: url.clone() }
    }

    /// Where a link leads, in its one form.
    pub fn leads(&self, link: NodeId) -> Option<Url> {
        address::resolved(&self.base, self.tree.node(link).attribute("href")?)
    }

    /// Where a link leads, as it is.
    pub fn target(&self, link: NodeId) -> Option<Url> {
        self.base.join(self.tree.node(link).attribute("href")?.trim()).ok()
    }
}

impl Test {
    /// Whether it holds of an element.
    pub fn holds(&self, tree: &Tree, id: NodeId) -> bool {
        let node = tree.node(id);
        match self {
            Self::Id(id) => node.attribute("id") == Some(id),
            Self::Class(class) => node.classes().any(|known| known == class),
            Self::NotClass(class) => node.classes().all(|known| known != class),
            Self::Attribute(name) => node.attribute(name).is_some(),
            Self::NotAttribute(name) => node.attribute(name).is_none(),
            Self::Nth(place) => node.place == *place,
            Self::Has(tag, class) => has(tree, id, tag, class.as_deref()),
            Self::HasNot(tag, class) => !has(tree, id, tag, class.as_deref()),
            Self::Leads(begin) => node.attribute("href").is_some_and(|href| href.starts_with(begin)),
        }
    }

    fn css(&self) -> String {
        let inner = |tag: &str, class: &Option<String>| {
            tag.to_owned() + &class.as_deref().map(|class| format!(".{}", word(class))).unwrap_or_default()
        };
        match self {
            Self::Id(id) => format!("#{}", word(id)),
            Self::Class(class) => format!(".{}", word(class)),
            Self::NotClass(class) => format!(":not(.{})", word(class)),
            Self::Attribute(name) => format!("[{}]", word(name)),
            Self::NotAttribute(name) => format!(":not([{}])", word(name)),
            Self::Nth(place) => format!(":nth-of-type({place})"),
            Self::Has(tag, class) => format!(":has({})", inner(tag, class)),
            Self::HasNot(tag, class) => format!(":not(:has({}))", inner(tag, class)),
            Self::Leads(begin) => format!("[href^=\"{}\"]", begin.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }
}

fn has(tree: &Tree, id: NodeId, tag: &str, class: Option<&str>) -> bool {
    let is_such = |node: &Node| node.tag == tag && class.is_none_or(|class| node.classes().any(|known| known == class));
    tree.inside(id).into_iter().skip(1).any(|inner| is_such(tree.node(inner)))
}

/// A name as CSS writes it.
fn word(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        match c {
            '0'..='9' if at == 0 => out.push_str(&format!("\\{:x} ", c as u32)),
            c if c.is_alphanumeric() || c == '_' || c == '-' && name.len() > 1 || !c.is_ascii() => out.push(c),
            c => out.extend(['\\', c]),
        }
    }
    out
}

impl Step {
    /// Whether an element is such a one.
    pub fn holds(&self, tree: &Tree, id: NodeId) -> bool {
        tree.node(id).tag == self.tag && self.tests.iter().all(|test| test.holds(tree, id))
    }
}

impl Pattern {
    /// The elements that its steps are, where a link matches; the first is the outermost.
    pub fn chain(&self, tree: &Tree, link: NodeId) -> Option<Vec<NodeId>> {
        let mut chain: Vec<NodeId> = tree.outwards(link).take(self.steps.len()).collect();
        chain.reverse();
        let fits = chain.len() == self.steps.len()
            && chain.iter().zip(&self.steps).rev().all(|(id, step)| step.holds(tree, *id));
        fits.then_some(chain)
    }

    /// It as CSS.
    pub fn css(&self) -> String {
        let steps =
            self.steps.iter().map(|step| step.tests.iter().fold(step.tag.clone(), |css, test| css + &test.css()));
        steps.collect::<Vec<_>>().join(" > ")
    }
}

impl Rule {
    /// It as CSS.
    pub fn css(&self) -> String {
        self.patterns.iter().map(Pattern::css).collect::<Vec<_>>().join(", ")
    }

    /// Every link that matches, in order, the same item more than once where it stands there more than once.
    pub fn matches(&self, page: &Page) -> Vec<Found> {
        let links = page.tree.all("a").filter(|id| !page.tree.node(*id).is_hidden);
        links.filter_map(|link| self.found(page, link)).collect()
    }

    /// The items, each once. An item's title is that of the first link to it that says something.
    pub fn items(&self, page: &Page) -> Vec<Found> {
        let mut at: BTreeMap<Url, usize> = BTreeMap::new();
        let mut items: Vec<Found> = Vec::new();
        for found in self.matches(page) {
            match at.get(&found.url) {
                Some(known) if items[*known].title.is_empty() => items[*known].title = found.title,
                Some(_) => {}
                None => {
                    at.insert(found.url.clone(), items.len());
                    items.push(found);
                }
            }
        }
        items
    }

    fn found(&self, page: &Page, link: NodeId) -> Option<Found> {
        let (pattern, chain) =
            self.patterns.iter().find_map(|pattern| Some((pattern, pattern.chain(&page.tree, link)?)))?;
        let url = page.leads(link)?;
        let item = chain.get(pattern.item).copied().unwrap_or(link);
        let is_elsewhere =
            self.hosts.as_ref().is_some_and(|hosts| !hosts.iter().any(|host| Some(host.as_str()) == url.host_str()));
        if is_elsewhere || self.is_without_adverts && adverts::is_advert(&page.tree, link, item) {
            return None;
        }
        Some(Found { title: title(&page.tree, link), link, item, url })
    }
}

/// What a link says; of one around a picture, what that says.
pub fn title(tree: &Tree, link: NodeId) -> String {
    let said = tree.text(link);
    let told = |id: &NodeId| {
        ["aria-label", "title", "alt"].iter().find_map(|name| tree.node(*id).attribute(name)).map(str::trim)
    };
    let said = if said.is_empty() {
        tree.inside(link).iter().filter_map(told).find(|text| !text.is_empty()).unwrap_or_default().to_owned()
    } else {
        said
    };
    shown::cut(&said, TITLE)
}
