//! What says of itself that it is an advert. Pure.

use crate::collect::dom::{NodeId, Tree};

/// Words in classes, ids and names of attributes.
const WORDS: [&str; 18] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "advertising",
    "adverts",
    "adsbygoogle",
    "adslot",
    "adunit",
    "anzeige",
    "dfp",
    "gpt",
    "outbrain",
    "promoted",
    "publicite",
    "sponsor",
    "sponsored",
    "taboola",
];
/// What such things are labelled with.
const LABELS: [&str; 18] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "anuncio",
    "anzeige",
    "gesponsert",
    "patrocinado",
    "promoted",
    "publicidad",
    "publicité",
    "sponsored",
    "sponsorisé",
    "werbung",
    "реклама",
    "広告",
    "广告",
    "推广",
];
/// Letters of a label at most, with marks around it.
const LABEL: usize = 24;

/// Whether a link, or what it stands in up to the whole item, says so.
pub fn is_advert(tree: &Tree, link: NodeId, item: NodeId) -> bool {
    let rel = tree.node(link).attribute("rel").unwrap_or_default();
    if rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("sponsored")) {
        return true;
    }
    let mut around = Vec::new();
    for id in tree.outwards(link) {
        around.push(id);
        if id == item {
            break;
        }
    }
    around.iter().any(|id| is_named(tree, *id)) || tree.inside(item).iter().any(|id| is_label(tree, *id))
}

fn is_named(tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let given = node.classes().chain(node.attribute("id")).chain(node.names());
    given
        .flat_map(|name| name.split(|c: char| !c.is_alphanumeric()))
        .any(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

/// Whether an element is nothing but such a label.
fn is_label(tree: &Tree, id: NodeId) -> bool {
    if tree.node(id).is_hidden || tree.children(id).next().is_some() {
        return false;
    }
    let text = tree.text(id);
    text.len() <= LABEL && LABELS.contains(&text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advert_says_so() {
        for (markup, wanted) in [
            ("<li><a href=\"/a\">Lead in loads</a></li>", false),
            ("<li class=\"badge shadow header\"><a href=\"/a\">x</a></li>", false),
            ("<li><a href=\"/a\" rel=\"nofollow Sponsored\">x</a></li>", true),
            ("<li class=\"item item--sponsored\"><a href=\"/a\">x</a></li>", true),
            ("<li data-ad-slot=\"5\"><a href=\"/a\">x</a></li>", true),
            ("<li><a href=\"/a\">x</a><span>[Ad]</span></li>", true),
            ("<li><a href=\"/a\">x</a><small>广告</small></li>", true),
            ("<li><a href=\"/a\">Ad hoc</a></li>", false),
        ] {
            let tree = Tree::read(markup);
            assert_eq!(is_advert(&tree, 2, 1), wanted, "{markup}");
        }
    }
}
