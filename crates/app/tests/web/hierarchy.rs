//! The levels of a state in JSON: each target names the nearest numbered one around it, and how deep it stands.

use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;

fn site(path: &str) -> Answer {
    match path {
        "/frame" | "/own" => page(
            "<title>Inside</title><button>Framed</button>
             <div tabindex=0 role=group aria-label=Box onclick=0><span>Some words</span><button>Boxed</button></div>",
        ),
        _ => page(
            r#"<title>Levels</title><button>Top</button>
            <ul role=tree aria-label=Files><li role=treeitem tabindex=0 aria-expanded=true>Fruit
              <ul role=group><li role=treeitem tabindex=0 aria-expanded=true>Pear<ul role=group><li role=treeitem tabindex=0>Seed</ul>
              <li role=treeitem tabindex=0>Plum</ul></ul>
            <iframe title=Other src=OTHER/frame></iframe><iframe title=Own src=/own></iframe>
            <dialog open aria-label=Ask><button>Yes</button><ul role=menu><li role=menuitem tabindex=0 aria-expanded=true>More<ul role=menu><li role=menuitem tabindex=0>Less</ul></ul></dialog>
            <button>Last</button>"#,
        ),
    }
}

/// Role and name of each target with what is around it and how deep it stands.
fn levels(state: &Value) -> Vec<(String, String, u64)> {
    let targets = state["targets"].as_array().unwrap();
    let called = |t: &Value| format!("{} {}", t["role"].as_str().unwrap(), t["name"].as_str().unwrap());
    let around = |number: &Value| match number {
        Value::Null => String::new(),
        number => targets.iter().find(|t| t["ref"] == *number).map_or_else(|| format!("{number}?"), called),
    };
    targets.iter().map(|t| (called(t), around(&t["parent"]), t["depth"].as_u64().unwrap())).collect()
}

fn owned(levels: &[(&str, &str, u64)]) -> Vec<(String, String, u64)> {
    levels.iter().map(|(of, around, depth)| ((*of).to_owned(), (*around).to_owned(), *depth)).collect()
}

#[test]
fn json_tells_what_is_around_a_target_and_how_deep_it_stands() {
    let live = Live::open(site);
    let wanted = [
        ("button Top", "", 0),
        ("treeitem Fruit", "", 0),
        ("treeitem Pear", "treeitem Fruit", 1),
        ("treeitem Seed", "treeitem Pear", 2),
        ("treeitem Plum", "treeitem Fruit", 1),
        ("iframe Other", "", 0),
        ("button Framed", "iframe Other", 1),
        ("group Box", "iframe Other", 1),
        ("button Boxed", "group Box", 2),
        ("iframe Own", "", 0),
        ("button Framed", "iframe Own", 1),
        ("group Box", "iframe Own", 1),
        ("button Boxed", "group Box", 2),
        // The dialog itself isn't numbered.
        ("button Yes", "", 0),
        ("menuitem More", "", 0),
        ("menuitem Less", "menuitem More", 1),
        ("button Last", "", 0),
    ];
    assert_eq!(levels(&live.json("state")), owned(&wanted));
    // All of it: what only holds others is numbered, too.
    let wanted = [
        ("button Top", "", 0),
        ("tree Files", "", 0),
        ("treeitem Fruit", "tree Files", 1),
        ("treeitem Pear", "treeitem Fruit", 2),
        ("treeitem Seed", "treeitem Pear", 3),
        ("treeitem Plum", "treeitem Fruit", 2),
        ("iframe Other", "", 0),
        ("button Framed", "iframe Other", 1),
        ("group Box", "iframe Other", 1),
        ("text Some words", "group Box", 2),
        ("button Boxed", "group Box", 2),
        ("iframe Own", "", 0),
        ("button Framed", "iframe Own", 1),
        ("group Box", "iframe Own", 1),
        ("text Some words", "group Box", 2),
        ("button Boxed", "group Box", 2),
        ("dialog Ask", "", 0),
        ("button Yes", "dialog Ask", 1),
        ("menu ", "dialog Ask", 1),
        ("menuitem More", "menu ", 2),
        ("menuitem Less", "menuitem More", 3),
        ("button Last", "", 0),
    ];
    assert_eq!(levels(&live.json("state --all")), owned(&wanted));
    // Of a part, what is around it isn't there.
    let wanted = [("button Yes", "", 0), ("menuitem More", "", 0), ("menuitem Less", "menuitem More", 1)];
    assert_eq!(levels(&live.json("state --within css=dialog")), owned(&wanted));
}
