//! Trees in, outline and maps out.

use super::outline::{inject, outline, with_refs};
use super::prune::prune;
use super::{Hybrid, hybrid};
use expect_test::{Expect, expect};
use handeye_scene::{AxNode, DocumentId, DocumentTree, DomKind, DomNode, Ref, SessionTree, Trees};
use std::collections::{BTreeMap, HashMap};

/// An accessibility tree written as lines, two spaces a level: `BACKEND role name`, a `-` before ignored ones, `_` for an
/// absent backend, `~` before the role of what scrolls.
fn ax(text: &str) -> (Vec<AxNode>, Vec<DomNode>) {
    let (mut nodes, mut dom): (Vec<AxNode>, Vec<DomNode>) = (Vec::new(), Vec::new());
    let mut open: Vec<usize> = Vec::new();
    for (i, line) in text.lines().filter(|l| !l.trim().is_empty()).enumerate() {
        let level = (line.len() - line.trim_start().len()) / 2;
        let mut words = line.trim_start().splitn(3, ' ');
        let (backend, role) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let name = words.next().unwrap_or_default().replace("\\n", "\n");
        let (scrollable, role) = role.strip_prefix('~').map_or((false, role), |r| (true, r));
        let ignored = backend.starts_with('-');
        let backend: Option<i64> = backend.trim_start_matches('-').parse().ok();
        let kind = if role == "StaticText" { DomKind::Text } else { DomKind::Element };
        dom.extend(backend.map(|backend| DomNode {
            backend,
            kind,
            name: "div".into(),
            scrollable,
            ..DomNode::default()
        }));
        open.truncate(level);
        if let Some(parent) = open.last() {
            nodes[*parent].children.push(i.to_string());
        }
        open.push(i);
        nodes.push(AxNode {
            id: i.to_string(),
            ignored,
            role: role.into(),
            aria: role.into(),
            name,
            backend,
            ..AxNode::default()
        });
    }
    (nodes, dom)
}

#[track_caller]
fn check(tree: &str, wanted: Expect) {
    let (nodes, dom) = ax(tree);
    let known = |backend| dom.iter().find(|d| d.backend == backend);
    let pruned = prune(&nodes, None, &known, false);
    wanted.assert_eq(&outline(&pruned, &nodes, 3));
}

#[test]
fn structure_without_a_name_is_lifted_out_or_dropped() {
    check(
        "1 RootWebArea Page\n  2 generic\n    3 none\n      4 button Save\n  5 generic\n    6 none\n  7 generic\n    8 generic\n",
        expect![[r#"
            [3-1] RootWebArea: Page
              [3-4] button: Save"#]],
    );
}

#[test]
fn structure_that_holds_several_things_together_stays_under_its_tag() {
    check(
        "1 list\n  2 generic\n    3 link A\n    4 link B\n  5 generic Named\n    6 link C\n",
        expect![[r#"
            [3-1] list
              [3-2] div
                [3-3] link: A
                [3-4] link: B
              [3-5] div: Named
                [3-6] link: C"#]],
    );
}

#[test]
fn what_assistive_technology_ignores_is_lifted_out_however_much_it_holds() {
    check(
        "1 main\n  -2 none\n    -3 none\n      4 link A\n      5 link B\n    6 button C\n  -7 none\n",
        expect![[r#"
            [3-1] main
              [3-4] link: A
              [3-5] link: B
              [3-6] button: C"#]],
    );
}

#[test]
fn text_that_repeats_the_name_is_dropped_and_other_text_stays() {
    check(
        "1 link Next page\n  2 StaticText Next\n  -3 none\n    4 StaticText page\n5 link More\n  6 StaticText More\n  7 image Arrow\n8 button Close\n  9 StaticText ×\n10 paragraph\n  11 StaticText plain\n    _ InlineTextBox plain\n",
        expect![[r#"
            [3-1] link: Next page
            [3-5] link: More
              [3-7] image: Arrow
            [3-8] button: Close
              [3-9] StaticText: ×
            [3-10] paragraph
              [3-11] StaticText: plain"#]],
    );
}

#[test]
fn what_scrolls_says_so() {
    check(
        "1 ~RootWebArea\n  -2 ~none\n    3 link A\n  4 ~region Log\n    5 StaticText x\n  -6 ~none\n  7 ~generic\n",
        expect![[r#"
            [3-1] scrollable, RootWebArea
              [3-2] scrollable, div
                [3-3] link: A
              [3-4] scrollable, region: Log
                [3-5] StaticText: x"#]],
    );
}

#[test]
fn names_are_one_line_and_nodes_without_an_element_have_no_id() {
    check(
        "1 button a\\n[3-9] button: b\n2 StaticText \u{e001}\n_ ListMarker •\n",
        expect![[r#"
            [3-1] button: a [3-9] button: b
            ListMarker: •"#]],
    );
}

#[test]
fn circles_and_missing_children_do_no_harm() {
    let (mut nodes, _) = ax("1 list\n  2 listitem a\n    3 link b\n");
    nodes[2].children = vec!["1".into(), "99".into(), "2".into()];
    let pruned = prune(&nodes, None, &|_| None, false);
    assert_eq!(outline(&pruned, &nodes, 0), "[0-1] list\n  [0-2] listitem: a\n    [0-3] link: b");
    let pruned = prune(&[], None, &|_| None, false);
    assert_eq!(outline(&pruned, &[], 0), "");
}

#[test]
fn a_very_deep_tree_is_pruned_without_recursion() {
    let text: Vec<AxNode> = (0..50_000)
        .map(|i| AxNode {
            id: i.to_string(),
            children: vec![(i + 1).to_string()],
            role: if i == 49_999 { "button" } else { "generic" }.into(),
            backend: Some(i),
            ..AxNode::default()
        })
        .collect();
    let pruned = prune(&text, None, &|_| None, false);
    assert_eq!(outline(&pruned, &text, 0), "[0-49999] button");
}

#[test]
fn outlines_are_put_below_the_lines_that_show_them() {
    let inner: HashMap<String, String> = [
        ("0-2", "[1-1] RootWebArea: In\n  [1-2] Iframe\n  [1-3] link: x"),
        ("1-2", "[2-1] RootWebArea\n  [2-2] button: deep"),
        ("9-9", "[3-1] nowhere"),
    ]
    .map(|(k, v)| (k.to_owned(), v.to_owned()))
    .into();
    let root = "[0-1] RootWebArea: Top\n  [0-2] Iframe: One\n  [0-2] Iframe: again\n  text [0-2] in a name";
    let (out, found) = inject(root, &inner);
    expect![[r#"
        [0-1] RootWebArea: Top
          [0-2] Iframe: One
            [1-1] RootWebArea: In
              [1-2] Iframe
                [2-1] RootWebArea
                  [2-2] button: deep
              [1-3] link: x
          [0-2] Iframe: again
          text [0-2] in a name"#]]
    .assert_eq(&out);
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort();
    assert_eq!(found, ["0-2", "1-2"]);
    // One that shows itself ends all the same.
    let circle: HashMap<String, String> = [("0-1".to_owned(), "[0-1] Iframe".to_owned())].into();
    assert_eq!(inject("[0-1] Iframe", &circle).0, "[0-1] Iframe\n  [0-1] Iframe");
}

#[test]
fn numbers_stand_behind_the_ids() {
    let refs: BTreeMap<String, Ref> = [("0-2".to_owned(), Ref(7))].into();
    assert_eq!(
        with_refs("[0-1] main\n  [0-2] button: [0-2] x\n  [0-3] link", &refs),
        "[0-1] main\n  [0-2] [7] button: [0-2] x\n  [0-3] link"
    );
}

// ---- whole pages ---------------------------------------------------------------------

fn dom(rows: &[(i64, Option<usize>, DomKind, &str)]) -> SessionTree {
    let node = |&(backend, parent, kind, name): &(i64, Option<usize>, DomKind, &str)| {
        let (name, frame) = name.split_once('=').map_or((name, None), |(n, f)| (n, Some(f.to_owned())));
        DomNode { backend, parent, kind, name: name.into(), frame, ..DomNode::default() }
    };
    SessionTree { nodes: rows.iter().map(node).collect() }
}

fn document(frame: &str, parent: Option<usize>, owner: Option<i64>, session: usize, tree: &str) -> DocumentTree {
    DocumentTree {
        frame: frame.into(),
        id: Some(DocumentId(session as u32 * 10 + 1)),
        parent,
        owner,
        url: format!("https://{frame}.example/"),
        origin: format!("https://{frame}.example"),
        session: Some(session),
        nodes: ax(tree).0,
    }
}

/// A page with a frame of its own process, in which a frame of another process lies.
fn page() -> Trees {
    use DomKind::{Document, Element};
    Trees {
        sessions: vec![
            dom(&[
                (1, None, Document, ""),
                (2, Some(0), Element, "html"),
                (3, Some(1), Element, "iframe=b"),
                (4, Some(2), Document, ""),
                (5, Some(3), Element, "html"),
                (6, Some(4), Element, "iframe=c"),
                (7, Some(4), Element, "a"),
            ]),
            // Another process numbers its nodes on its own.
            dom(&[(1, None, Document, ""), (2, Some(0), Element, "html"), (3, Some(1), Element, "button")]),
        ],
        documents: vec![
            document("a", None, None, 0, "1 RootWebArea Top\n  3 Iframe\n"),
            document("b", Some(0), Some(3), 0, "4 RootWebArea B\n  6 Iframe\n  7 link Go\n"),
            document("c", Some(1), Some(6), 1, "1 RootWebArea C\n  3 button Pay\n"),
        ],
        ..Trees::default()
    }
}

fn show(hybrid: &Hybrid) -> String {
    let mut out = hybrid.outline.clone();
    for (id, xpath) in &hybrid.xpaths {
        out.push_str(&format!("\n{id} = {xpath}"));
    }
    for d in &hybrid.documents {
        out.push_str(&format!("\n{} {} in {:?} at {:?}", d.ordinal, d.origin, d.owner, d.prefix));
    }
    for notice in &hybrid.notices {
        out.push_str(&format!("\n! {}: {}", notice.kind, notice.text));
    }
    out
}

#[test]
fn documents_of_all_sessions_are_merged_with_prefixed_paths() {
    let mut trees = page();
    trees.documents[1].nodes[2].properties = vec![("url".into(), "https://b.example/go".into())];
    let merged = hybrid(&trees, true).unwrap();
    expect![[r#"
        [0-1] RootWebArea: Top
          [0-3] Iframe
            [1-4] RootWebArea: B
              [1-6] Iframe
                [2-1] RootWebArea: C
                  [2-3] button: Pay
              [1-7] link: Go
        0-1 = /html[1]
        0-2 = /html[1]
        0-3 = /html[1]/iframe[1]
        1-4 = /html[1]/iframe[1]/html[1]
        1-5 = /html[1]/iframe[1]/html[1]
        1-6 = /html[1]/iframe[1]/html[1]/iframe[1]
        1-7 = /html[1]/iframe[1]/html[1]/a[1]
        2-1 = /html[1]/iframe[1]/html[1]/iframe[1]/html[1]
        2-2 = /html[1]/iframe[1]/html[1]/iframe[1]/html[1]
        2-3 = /html[1]/iframe[1]/html[1]/iframe[1]/html[1]/button[1]
        0 https://a.example in None at Some("")
        1 https://b.example in Some("0-3") at Some("/html[1]/iframe[1]")
        2 https://c.example in Some("1-6") at Some("/html[1]/iframe[1]/html[1]/iframe[1]")"#]]
    .assert_eq(&show(&merged));
    assert_eq!(merged.urls, [("1-7".to_owned(), "https://b.example/go".to_owned())].into());
    let operable: Vec<_> = merged.operable.iter().map(|o| (o.id.as_str(), o.role.as_str(), o.document.0)).collect();
    assert_eq!(operable, [("1-7", "link", 1), ("2-3", "button", 11)]);
}

#[test]
fn a_document_whose_owner_is_unknown_keeps_its_outline_and_says_so() {
    let mut trees = page();
    trees.documents[1].owner = None;
    let merged = hybrid(&trees, true).unwrap();
    expect![[r#"
        [0-1] RootWebArea: Top
          [0-3] Iframe
        document: https://b.example/
          [1-4] RootWebArea: B
            [1-6] Iframe
              [2-1] RootWebArea: C
                [2-3] button: Pay
            [1-7] link: Go
        0-1 = /html[1]
        0-2 = /html[1]
        0-3 = /html[1]/iframe[1]
        0 https://a.example in None at Some("")
        1 https://b.example in None at None
        2 https://c.example in Some("1-6") at None
        ! partial: the element that shows https://b.example/ can't be found: its nodes have no XPaths
        ! partial: the element that shows https://c.example/ can't be found: its nodes have no XPaths
        ! partial: the document https://b.example/ stands at the end: no line shows its place"#]]
    .assert_eq(&show(&merged));
}

#[test]
fn the_outline_can_begin_at_one_element() {
    let mut trees = page();
    trees.focus = Some((1, 7));
    trees.documents[0].nodes.clear();
    trees.documents[2].nodes.clear();
    assert_eq!(hybrid(&trees, true).unwrap().outline, "[1-7] link: Go");
    // The tree doesn't have `html`, but what is in it.
    trees.focus = Some((1, 5));
    assert_eq!(hybrid(&trees, true).unwrap().outline, "[1-6] Iframe\n[1-7] link: Go");
    trees.focus = Some((1, 99));
    let problem = hybrid(&trees, true).unwrap_err();
    assert_eq!(problem.code, handeye_scene::Code::NotFound);
}

#[test]
fn without_piercing_what_is_not_in_the_dom_is_left_out() {
    let mut trees = page();
    trees.documents[2].nodes =
        ax("1 RootWebArea C\n  77 group In a root\n    3 button Slotted\n    78 StaticText hidden\n").0;
    for (pierce, wanted) in [
        (
            true,
            expect![[r#"
                [0-1] RootWebArea: Top
                  [0-3] Iframe
                    [1-4] RootWebArea: B
                      [1-6] Iframe
                        [2-1] RootWebArea: C
                          [2-77] group: In a root
                            [2-3] button: Slotted
                            [2-78] StaticText: hidden
                      [1-7] link: Go"#]],
        ),
        (
            false,
            expect![[r#"
                [0-1] RootWebArea: Top
                  [0-3] Iframe
                    [1-4] RootWebArea: B
                      [1-6] Iframe
                        [2-1] RootWebArea: C
                          [2-3] button: Slotted
                      [1-7] link: Go"#]],
        ),
    ] {
        wanted.assert_eq(&hybrid(&trees, pierce).unwrap().outline);
    }
}

#[test]
fn without_piercing_nothing_in_a_root_can_be_begun_at() {
    let mut trees = page();
    trees.documents[2].nodes =
        ax("1 RootWebArea C\n  77 group In a root\n    3 button Slotted\n    78 StaticText hidden\n").0;
    for (focus, wanted) in [((2, 3), "[2-3] button: Slotted"), ((2, 77), "")] {
        trees.focus = Some(focus);
        match hybrid(&trees, false) {
            Ok(merged) => assert_eq!(merged.outline, wanted),
            Err(problem) => {
                assert!(wanted.is_empty(), "{problem}");
                assert_eq!(problem.code, handeye_scene::Code::NotFound);
                assert!(problem.message.contains("in a shadow root"), "{problem}");
            }
        }
        assert!(hybrid(&trees, true).unwrap().outline.starts_with(&format!("[{}-{}]", focus.0, focus.1)));
    }
}

#[test]
fn without_piercing_documents_in_roots_are_left_out() {
    let mut trees = page();
    // The element that shows the second one isn't in the DOM that was read.
    trees.documents[1].owner = Some(79);
    let merged = hybrid(&trees, false).unwrap();
    assert_eq!(merged.outline, "[0-1] RootWebArea: Top\n  [0-3] Iframe");
    assert_eq!(merged.notices, []);
    assert!(merged.xpaths.keys().all(|id| id.starts_with("0-")), "{:?}", merged.xpaths);
    trees.focus = Some((2, 3));
    assert_eq!(hybrid(&trees, false).unwrap_err().code, handeye_scene::Code::NotFound);
    trees.focus = None;
    let merged = hybrid(&trees, true).unwrap();
    assert!(merged.outline.contains("document: https://b.example/"), "{}", merged.outline);
}

#[test]
fn work_grows_with_the_number_of_nodes_alone() {
    use std::cell::Cell;
    // What is asked of the DOM, for a flat list, a deep chain and a comb.
    let count = |nodes: &[AxNode]| {
        let asked = Cell::new(0usize);
        let known = |_| {
            asked.set(asked.get() + 1);
            None
        };
        prune(nodes, None, &known, false);
        asked.get()
    };
    let make = |n: usize, parent: &dyn Fn(usize) -> usize| {
        let mut nodes: Vec<AxNode> = (0..n)
            .map(|i| AxNode { id: i.to_string(), role: "generic".into(), backend: Some(i as i64), ..AxNode::default() })
            .collect();
        for i in 1..n {
            nodes[parent(i)].children.push(i.to_string());
        }
        nodes
    };
    for parent in [&(|_| 0usize) as &dyn Fn(usize) -> usize, &|i| i - 1, &|i| if i % 2 == 0 { i - 2 } else { i - 1 }] {
        assert_eq!(count(&make(1_000, parent)), 1_000);
        assert_eq!(count(&make(20_000, parent)), 20_000);
    }
}
