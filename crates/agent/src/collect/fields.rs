//! Fields of items: where in an item each of them stands, told from a few values. Pure.

use crate::collect::dom::{NodeId, Tree};
use crate::collect::rule::{Step, Test};
use handeye_engine::matching::normalize;
use handeye_engine::wording::shown;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a value.
const VALUE: usize = 5_000;

/// Where a field stands in an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The elements from the item's children down to it; none where no example holds it.
    pub steps: Vec<Step>,
}

/// An example: the page, the item, and the value that it shows.
pub struct Value<'a> {
    /// The page.
    pub tree: &'a Tree,
    /// The item.
    pub item: NodeId,
    /// The value.
    pub value: &'a str,
}

/// An example that is found: the page, the item, and the elements from its child down to the value.
type Held<'a> = (&'a Tree, NodeId, Vec<NodeId>);

/// The element of an item that shows a value: the innermost of those that say it, of those that say nothing else the first.
pub fn holder(tree: &Tree, item: NodeId, value: &str) -> Option<NodeId> {
    let wanted = normalize(value);
    if wanted.is_empty() {
        return None;
    }
    let said: Vec<(NodeId, String)> = tree
        .inside(item)
        .into_iter()
        .filter(|id| !tree.node(*id).is_hidden)
        .map(|id| (id, normalize(&tree.text(id))))
        .collect();
    let exact = said.iter().rev().find(|(_, text)| *text == wanted);
    let among = || said.iter().filter(|(_, text)| text.contains(&wanted)).min_by_key(|(_, text)| text.len());
    exact.or_else(among).map(|(id, _)| *id)
}

/// Where a field stands, by its examples; none where they have nothing in common.
pub fn induce(name: &str, values: &[Value<'_>]) -> Option<Field> {
    let mut shapes: BTreeMap<Vec<String>, Vec<Held<'_>>> = BTreeMap::new();
    for Value { tree, item, value } in values {
        let Some(holder) = holder(tree, *item, value) else { continue };
        let mut chain: Vec<NodeId> = tree.outwards(holder).take_while(|id| id != item).collect();
        chain.reverse();
        let shape = chain.iter().map(|id| tree.node(*id).tag.clone()).collect();
        shapes.entry(shape).or_default().push((tree, *item, chain));
    }
    let (shape, examples) = shapes.into_iter().max_by_key(|(_, examples)| examples.len())?;
    let steps = shape.iter().enumerate().map(|(at, tag)| {
        let own = |(tree, _, chain): &Held<'_>| -> BTreeSet<String> {
            tree.node(chain[at]).classes().map(str::to_owned).collect()
        };
        let common = examples.iter().map(own).reduce(|a, b| a.intersection(&b).cloned().collect()).unwrap_or_default();
        Step { tag: tag.clone(), tests: common.into_iter().map(Test::Class).collect() }
    });
    let mut field = Field { name: name.to_owned(), steps: steps.collect() };
    // Like elements of an item are told apart by their places.
    for at in (0..shape.len()).rev() {
        let is_first = |(tree, item, chain): &Held<'_>| field.find(tree, *item) == chain.last().copied();
        if examples.iter().all(is_first) {
            break;
        }
        let places: BTreeSet<usize> = examples.iter().map(|(tree, _, chain)| tree.node(chain[at]).place).collect();
        if let (Some(place), 1) = (places.first(), places.len()) {
            field.steps[at].tests.push(Test::Nth(*place));
        }
    }
    Some(field)
}

impl Field {
    /// The element of an item that it is.
    fn find(&self, tree: &Tree, item: NodeId) -> Option<NodeId> {
        let mut at = vec![item];
        for step in &self.steps {
            at = at.into_iter().flat_map(|id| tree.children(id)).filter(|id| step.holds(tree, *id)).collect();
        }
        at.first().copied()
    }

    /// What an item shows there; none where it has no such part, or that says nothing.
    pub fn value(&self, tree: &Tree, item: NodeId) -> Option<String> {
        let text = tree.text(self.find(tree, item)?);
        Some(shown::cut(&text, VALUE)).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "<ul><li><h3><a href='/1'>One</a></h3><p><span>2024-01-01</span><span>Ann</span></p><em class='a b'>new</em></li><li><h3><a href='/2'>Two</a></h3><p><span>2024-01-02</span><span>Bob</span></p></li><li><h3><a href='/3'>Three</a></h3><p><span>2024-01-03</span></p><em class='a c'>old</em></li></ul>";

    #[test]
    fn a_field_is_found_in_every_item_by_its_place_in_a_few() {
        let tree = Tree::read(LIST);
        let items: Vec<NodeId> = tree.all("li").collect();
        for (name, given, wanted) in [
            ("title", ["One", "Two"], [Some("One"), Some("Two"), Some("Three")]),
            ("date", ["2024-01-01", "2024-01-02"], [Some("2024-01-01"), Some("2024-01-02"), Some("2024-01-03")]),
            ("author", ["ann", "Bob"], [Some("Ann"), Some("Bob"), None]),
            ("label", ["new", ""], [Some("new"), None, None]),
            ("year", ["2024", "2024"], [Some("2024-01-01"), Some("2024-01-02"), Some("2024-01-03")]),
        ] {
            let values: Vec<Value<'_>> =
                items.iter().zip(given).map(|(item, value)| Value { tree: &tree, item: *item, value }).collect();
            let field = induce(name, &values).unwrap();
            let found: Vec<Option<String>> = items.iter().map(|item| field.value(&tree, *item)).collect();
            assert_eq!(found, wanted.map(|value| value.map(str::to_owned)), "{name}");
        }
        let nothing = [Value { tree: &tree, item: items[0], value: "absent" }];
        assert_eq!(induce("x", &nothing), None);
    }
}
