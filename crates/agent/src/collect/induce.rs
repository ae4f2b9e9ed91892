//! From a few items to the rule that takes all of them. Pure.
//!
//! What the elements around all examples have in common becomes a pattern, without places in the list. Where all items of a page
//! are known, what the pattern takes beside them tells which further tests are needed.

use crate::collect::adverts;
use crate::collect::dom::{NodeId, Tree};
use crate::collect::rule::{Found, Page, Pattern, Rule, Step, Test};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use url::Url;

/// Different shapes of items at most.
const SHAPES: usize = 8;
/// Tests that are added to a pattern at most.
const TESTS: usize = 6;
/// Hosts that items lead to at most, where that is to tell anything.
const HOSTS: usize = 3;
/// What is wrongly taken, and tests that may tell it from items, at most.
const TRIED: usize = 1_000;
/// Classes that tell a state or a place rather than a kind.
const PASSING: [&str; 14] = [
    "active", "current", "even", "first", "focus", "focused", "hover", "last", "new", "odd", "open", "selected",
    "unread", "visited",
];

/// A page of which items are known.
pub struct Known<'a> {
    /// The page.
    pub page: &'a Page,
    /// Links of items.
    pub items: Vec<NodeId>,
    /// Whether these are all items of the page.
    pub is_whole: bool,
    /// Of what leads there it isn't known whether it is an item.
    pub doubtful: BTreeSet<Url>,
}

impl Known<'_> {
    fn urls(&self) -> BTreeSet<Url> {
        self.items.iter().filter_map(|link| self.page.leads(*link)).collect()
    }
}

/// An example: which page, and the elements from the outermost down to the link.
struct Example {
    page: usize,
    chain: Vec<NodeId>,
}

/// The rule that takes these items, and leaves out what is known to be none; none where no item is known.
pub fn induce(pages: &[Known<'_>]) -> Option<Rule> {
    let mut shapes: BTreeMap<Vec<String>, Vec<Example>> = BTreeMap::new();
    for (page, known) in pages.iter().enumerate() {
        for link in &known.items {
            let tree = &known.page.tree;
            let mut chain: Vec<NodeId> = tree.outwards(*link).collect();
            chain.reverse();
            // `html` and `body` tell nothing.
            let from = chain.iter().position(|id| !matches!(tree.node(*id).tag.as_str(), "html" | "body"))?;
            let chain = chain.split_off(from);
            let shape = chain.iter().map(|id| tree.node(*id).tag.clone()).collect();
            shapes.entry(shape).or_default().push(Example { page, chain });
        }
    }
    let mut shapes: Vec<(Vec<String>, Vec<Example>)> = shapes.into_iter().collect();
    shapes.sort_by_key(|(_, examples)| std::cmp::Reverse(examples.len()));
    shapes.truncate(SHAPES);
    let mut rule = Rule { patterns: Vec::new(), hosts: hosts(pages), is_without_adverts: true };
    let mut are_adverts = false;
    for (shape, examples) in &shapes {
        let others: Vec<&Example> =
            shapes.iter().filter(|(other, _)| other != shape).flat_map(|(_, examples)| examples).collect();
        let pattern = common(pages, shape, examples, &others);
        let mut settled = pattern.clone();
        settle_item(pages, &mut settled, examples, &rule);
        are_adverts |= examples.iter().any(|example| is_advert(pages, example, settled.item));
        rule.patterns.push(pattern);
    }
    rule.is_without_adverts = !are_adverts;
    let rest = Rule { patterns: Vec::new(), ..rule.clone() };
    for (pattern, (_, examples)) in rule.patterns.iter_mut().zip(&shapes) {
        narrow(pages, pattern, examples, &rest);
        shorten(pages, pattern, examples, &rest);
    }
    Some(rule).filter(|rule| !rule.patterns.is_empty())
}

/// The hosts that items lead to, where they are few.
fn hosts(pages: &[Known<'_>]) -> Option<Vec<String>> {
    let urls = pages.iter().flat_map(Known::urls);
    let hosts: BTreeSet<String> = urls.filter_map(|url| url.host_str().map(str::to_owned)).collect();
    (hosts.len() <= HOSTS).then(|| hosts.into_iter().collect())
}

fn is_advert(pages: &[Known<'_>], example: &Example, item: usize) -> bool {
    let link = example.chain[example.chain.len() - 1];
    adverts::is_advert(&pages[example.page].page.tree, link, example.chain[item])
}

/// What the elements around all examples of a shape have in common.
fn common(pages: &[Known<'_>], shape: &[String], examples: &[Example], others: &[&Example]) -> Pattern {
    let item = item_of(examples, others, shape.len());
    let node = |example: &Example, at: usize| pages[example.page].page.tree.node(example.chain[at]);
    let steps = shape.iter().enumerate().map(|(at, tag)| {
        let mut classes: Option<Vec<&str>> = None;
        for example in examples {
            let own: Vec<&str> = node(example, at).classes().collect();
            classes = Some(match classes {
                None => own,
                Some(known) => known.into_iter().filter(|class| own.contains(class)).collect(),
            });
        }
        let is_telling =
            |class: &&str| !PASSING.contains(class) && (at >= item || !class.contains(|c: char| c.is_ascii_digit()));
        let mut tests = Vec::new();
        let ids: BTreeSet<Option<&str>> = examples.iter().map(|example| node(example, at).attribute("id")).collect();
        if let (Some(Some(id)), 1, true) = (ids.first(), ids.len(), at < item)
            && !id.is_empty()
            && !id.contains(|c: char| c.is_ascii_digit())
        {
            tests.push(Test::Id((*id).to_owned()));
        }
        let classes: BTreeSet<&str> = classes.unwrap_or_default().into_iter().filter(is_telling).collect();
        tests.extend(classes.into_iter().map(|class| Test::Class(class.to_owned())));
        Step { tag: tag.clone(), tests }
    });
    Pattern { steps: steps.collect(), item }
}

/// Which step is the item: the first that not all examples of a page share. Of a single example, the first that it doesn't share
/// with the nearest of another shape; where there is none, what the link stands in.
fn item_of(examples: &[Example], others: &[&Example], length: usize) -> usize {
    let mut firsts: HashMap<usize, &Example> = HashMap::new();
    let mut shared = None;
    for example in examples {
        let first = firsts.entry(example.page).or_insert(example);
        let same = shared_by(first, example);
        // The first example of a page is compared with itself.
        if same < length {
            shared = Some(shared.map_or(same, |known: usize| known.min(same)));
        }
    }
    let nearest = || {
        let first = examples.first()?;
        others.iter().filter(|other| other.page == first.page).map(|other| shared_by(first, other)).max()
    };
    shared.or_else(nearest).unwrap_or(length.saturating_sub(2)).min(length - 1)
}

/// How many of the outer elements two examples share.
fn shared_by(one: &Example, other: &Example) -> usize {
    one.chain.iter().zip(&other.chain).take_while(|(a, b)| a == b).count()
}

/// What a pattern takes of a page.
fn taken(page: &Page, pattern: &Pattern, rest: &Rule) -> Vec<Found> {
    Rule { patterns: vec![pattern.clone()], ..rest.clone() }.matches(page)
}

/// Adds tests until nothing is taken that is known to be no item, or no test helps.
fn narrow(pages: &[Known<'_>], pattern: &mut Pattern, examples: &[Example], rest: &Rule) {
    for _ in 0..TESTS {
        let wrong = wrong(pages, pattern, rest);
        if wrong.is_empty() {
            break;
        }
        let mut best: Option<(usize, (usize, usize, usize), Test)> = None;
        for (step, test) in candidates(pages, pattern, examples, &wrong) {
            let holds = |example: &Example| test.holds(&pages[example.page].page.tree, example.chain[step]);
            if !examples.iter().all(holds) {
                continue;
            }
            let removed = wrong.iter().filter(|example| !holds(example)).count();
            // Of tests that remove as much, the one that is of the surest kind, and nearest to the item.
            let order = (removed, usize::MAX - rank(&test), usize::MAX - step.abs_diff(pattern.item));
            if removed > 0 && best.as_ref().is_none_or(|(_, known, _)| order > *known) {
                best = Some((step, order, test));
            }
        }
        let Some((step, _, test)) = best else { break };
        pattern.steps[step].tests.push(test);
    }
    settle_item(pages, pattern, examples, rest);
}

/// How sure a kind of test is to hold of pages to come; 0 is the surest.
fn rank(test: &Test) -> usize {
    match test {
        Test::Id(_) | Test::Class(_) => 0,
        Test::NotClass(_) => 1,
        Test::NotAttribute(_) | Test::Attribute(_) => 2,
        Test::Leads(_) => 3,
        Test::Nth(_) => 4,
        Test::HasNot(..) => 5,
        Test::Has(..) => 6,
    }
}

/// What is taken of pages whose items are all known, and is none of them.
fn wrong(pages: &[Known<'_>], pattern: &Pattern, rest: &Rule) -> Vec<Example> {
    let mut wrong = Vec::new();
    for (number, known) in pages.iter().enumerate().filter(|(_, known)| known.is_whole) {
        let urls = known.urls();
        for found in taken(known.page, pattern, rest)
            .iter()
            .filter(|found| !urls.contains(&found.url) && !known.doubtful.contains(&found.url))
        {
            if let Some(chain) = pattern.chain(&known.page.tree, found.link) {
                wrong.push(Example { page: number, chain });
            }
            if wrong.len() == TRIED {
                return wrong;
            }
        }
    }
    wrong
}

/// Tests that may tell items from what is none.
fn candidates(pages: &[Known<'_>], pattern: &Pattern, examples: &[Example], wrong: &[Example]) -> Vec<(usize, Test)> {
    let mut found: BTreeSet<(usize, Test)> = BTreeSet::new();
    let last = pattern.steps.len() - 1;
    for example in wrong {
        let tree = &pages[example.page].page.tree;
        for (step, id) in example.chain.iter().enumerate() {
            let node = tree.node(*id);
            found.extend(node.classes().map(|class| (step, Test::NotClass(class.to_owned()))));
            let names = node.names().filter(|name| is_telling(name));
            found.extend(names.map(|name| (step, Test::NotAttribute(name.to_owned()))));
        }
        let inside = descriptions(tree, example.chain[pattern.item]);
        found.extend(inside.into_iter().map(|(tag, class)| (pattern.item, Test::HasNot(tag, class))));
    }
    if let Some(example) = examples.first() {
        let tree = &pages[example.page].page.tree;
        for (step, id) in example.chain.iter().enumerate() {
            let node = tree.node(*id);
            let names = node.names().filter(|name| is_telling(name));
            found.extend(names.map(|name| (step, Test::Attribute(name.to_owned()))));
            if step != pattern.item {
                found.insert((step, Test::Nth(node.place)));
            }
        }
        let inside = descriptions(tree, example.chain[pattern.item]);
        found.extend(inside.into_iter().map(|(tag, class)| (pattern.item, Test::Has(tag, class))));
    }
    if let Some(begin) = leads(pages, examples) {
        found.insert((last, Test::Leads(begin)));
    }
    found.into_iter().take(TRIED).collect()
}

/// Attributes that may tell a kind of element.
fn is_telling(name: &str) -> bool {
    !matches!(name, "class" | "id" | "style" | "href" | "title" | "aria-label" | "src" | "alt")
}

/// What stands in an element: names, and names with a class.
fn descriptions(tree: &Tree, id: NodeId) -> BTreeSet<(String, Option<String>)> {
    let mut found = BTreeSet::new();
    for inner in tree.inside(id).into_iter().skip(1) {
        let node = tree.node(inner);
        found.insert((node.tag.clone(), None));
        found.extend(node.classes().map(|class| (node.tag.clone(), Some(class.to_owned()))));
    }
    found
}

/// What the addresses of all examples, as written, begin with: up to a sign that ends a part of an address.
fn leads(pages: &[Known<'_>], examples: &[Example]) -> Option<String> {
    let written = |example: &Example| {
        pages[example.page].page.tree.node(example.chain[example.chain.len() - 1]).attribute("href").unwrap_or_default()
    };
    let mut begin = written(examples.first()?);
    for example in examples {
        let same = begin.char_indices().zip(written(example).chars()).find(|((_, a), b)| a != b);
        let shorter = begin.len().min(written(example).len());
        begin = &begin[..same.map_or(shorter, |((at, _), _)| at).min(begin.len())];
    }
    let end = begin.rfind(['/', '=', '?', '-'])? + 1;
    Some(begin[..end].to_owned()).filter(|begin| begin.len() > 1)
}

/// Moves the item inwards while several items stand in one.
fn settle_item(pages: &[Known<'_>], pattern: &mut Pattern, examples: &[Example], rest: &Rule) {
    let last = pattern.steps.len() - 1;
    let matches: Vec<Vec<Found>> = pages.iter().map(|known| taken(known.page, pattern, rest)).collect();
    while pattern.item < last {
        let mut urls: HashMap<(usize, NodeId), BTreeSet<&Url>> = HashMap::new();
        for (page, found) in
            matches.iter().enumerate().flat_map(|(page, all)| all.iter().map(move |found| (page, found)))
        {
            if let Some(chain) = pattern.chain(&pages[page].page.tree, found.link) {
                urls.entry((page, chain[pattern.item])).or_default().insert(&found.url);
            }
        }
        let is_shared = |example: &Example| {
            urls.get(&(example.page, example.chain[pattern.item])).is_some_and(|urls| urls.len() > 1)
        };
        if !examples.iter().any(is_shared) {
            break;
        }
        pattern.item += 1;
    }
}

/// Drops outer steps as long as the same is taken; the list that the items stand in stays.
fn shorten(pages: &[Known<'_>], pattern: &mut Pattern, examples: &[Example], rest: &Rule) {
    let links = |pattern: &Pattern| -> Vec<Vec<NodeId>> {
        pages.iter().map(|known| taken(known.page, pattern, rest).iter().map(|found| found.link).collect()).collect()
    };
    let wanted = links(pattern);
    let most = pattern.item.saturating_sub(1).min(examples.first().map_or(0, |example| example.chain.len()));
    for from in (1..=most).rev() {
        let shorter = Pattern { steps: pattern.steps[from..].to_vec(), item: pattern.item - from };
        if links(&shorter) == wanted {
            *pattern = shorter;
            return;
        }
    }
}
