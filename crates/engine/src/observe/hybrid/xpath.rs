//! XPaths as text: absolute ones lead through documents (`/html[1]/body[1]/iframe[1]/html[1]`) and, by a step `#shadow`,
//! into shadow roots.

use handeye_scene::{DomKind, DomNode};
use std::collections::HashMap;

/// The step that enters a shadow root.
pub const SHADOW: &str = "#shadow";

/// An XPath without the mark `xpath=`, beginning with a slash and not ending with one; empty stays empty.
pub fn normalize(xpath: &str) -> String {
    let text = xpath.trim();
    let text =
        text.get(..6).filter(|mark| mark.eq_ignore_ascii_case("xpath=")).map_or(text, |_| text[6..].trim_start());
    if text.is_empty() {
        return String::new();
    }
    let path = text.trim_end_matches('/');
    match path {
        "" => "/".into(),
        _ if path.starts_with('/') => path.into(),
        _ => format!("/{path}"),
    }
}

/// A path within a document, seen from above: behind the path of the element that shows the document.
pub fn prefix(above: &str, child: &str) -> String {
    let above = above.trim_end_matches('/');
    match (above, normalize(child).as_str()) {
        ("", "") => "/".into(),
        (_, "" | "/") => above.into(),
        (_, child) => format!("{above}{child}"),
    }
}

/// The step to each of several children, in order: `div[1]`, `span[1]`, `div[2]`, `text()[1]`.
pub fn child_segments(children: &[&DomNode]) -> Vec<String> {
    let (mut elements, mut texts, mut others) = (HashMap::<&str, usize>::new(), 0, 0);
    let next = |count: &mut usize, name: &str| {
        *count += 1;
        format!("{name}[{count}]")
    };
    let mut out = Vec::with_capacity(children.len());
    for child in children {
        out.push(match child.kind {
            DomKind::Element => next(elements.entry(&child.name).or_default(), &child.name),
            DomKind::Text => next(&mut texts, "text()"),
            DomKind::Other => next(&mut others, "comment()"),
            DomKind::Root | DomKind::AgentRoot => SHADOW.to_owned(),
            DomKind::Document => String::new(),
        });
    }
    out
}

/// A path as seen from `base`: what is behind it; `/` for the base itself, unchanged where it isn't below.
pub fn relativize(base: &str, path: &str) -> String {
    let (base, path) = (normalize(base), normalize(path));
    let base = base.trim_end_matches('/');
    match path.strip_prefix(base) {
        Some("") => "/".into(),
        Some(rest) if rest.starts_with('/') => rest.into(),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_brought_into_one_form() {
        for (given, wanted) in [
            ("", ""),
            ("   ", ""),
            ("/", "/"),
            ("///", "/"),
            ("html/body", "/html/body"),
            (" xpath=/html[1]/body[1]/ ", "/html[1]/body[1]"),
            ("XPath=//a", "//a"),
            ("xpath=", ""),
            ("//button[@id='a/']", "//button[@id='a/']"),
            ("中文", "/中文"),
        ] {
            assert_eq!(normalize(given), wanted, "{given:?}");
        }
    }

    #[test]
    fn a_path_in_a_frame_stands_behind_the_path_of_the_frame() {
        for (above, child, wanted) in [
            ("/html[1]/body[1]/iframe[1]", "/html[1]/div[1]", "/html[1]/body[1]/iframe[1]/html[1]/div[1]"),
            ("", "/html[1]", "/html[1]"),
            ("/", "/html[1]", "/html[1]"),
            ("/a[1]/", "b[1]/", "/a[1]/b[1]"),
            ("/a[1]", "/", "/a[1]"),
            ("/a[1]", "", "/a[1]"),
            ("/a[1]", "//b", "/a[1]//b"),
            ("", "", "/"),
        ] {
            assert_eq!(prefix(above, child), wanted, "{above:?} + {child:?}");
        }
    }

    #[test]
    fn children_are_counted_by_name_and_kind() {
        let node = |kind, name: &str| DomNode { kind, name: name.into(), ..DomNode::default() };
        let children = [
            node(DomKind::Root, ""),
            node(DomKind::Element, "div"),
            node(DomKind::Element, "span"),
            node(DomKind::Element, "div"),
            node(DomKind::Text, ""),
            node(DomKind::Other, ""),
            node(DomKind::Element, "text"),
            node(DomKind::Text, ""),
            node(DomKind::Element, "svg:a"),
            node(DomKind::Document, ""),
        ];
        assert_eq!(
            child_segments(&children.iter().collect::<Vec<_>>()),
            [
                "#shadow",
                "div[1]",
                "span[1]",
                "div[2]",
                "text()[1]",
                "comment()[1]",
                "text[1]",
                "text()[2]",
                "svg:a[1]",
                ""
            ]
        );
        assert!(child_segments(&[]).is_empty());
    }

    #[test]
    fn a_path_is_seen_from_one_above_it() {
        for (base, path, wanted) in [
            ("/html[1]/body[1]", "/html[1]/body[1]/div[1]", "/div[1]"),
            ("/html[1]", "/html[1]", "/"),
            ("", "/html[1]", "/html[1]"),
            ("/", "/html[1]", "/html[1]"),
            ("/a[1]", "/a[10]/b[1]", "/a[10]/b[1]"),
            ("/a[1]/", "/a[1]/#shadow/b[1]", "/#shadow/b[1]"),
            ("/a[1]", "/b[1]", "/b[1]"),
        ] {
            assert_eq!(relativize(base, path), wanted, "{path:?} from {base:?}");
        }
    }
}
