//! Generated addresses, rules, paths and captures: none may panic or hang. `cargo xtask fuzz` makes many of them.

use handeye_engine::observe::hybrid::xpath;
use handeye_engine::observe::outline::{self, Style};
use handeye_engine::observe::snapshot::{Show, see};
use handeye_engine::policy::origin;
use handeye_engine::{Memory, Origins};
use handeye_scene::{
    Bounds, Capture, Document, DocumentId, Extra, Generation, NativeId, Node, NodeKind, Notice, Rect, RowLabel, States,
};
use handeye_testkit::fuzz::survive;
use handeye_testkit::trials;

const URLS: [&str; 12] = [
    "http://a.example:8000/order?x=1#y",
    "https://ann:pw@bank.example/",
    "http://[::1]:9000/",
    "http://127.1/",
    "http://0x7f.0.0.1/",
    "http://bücher.example/ä?ö",
    "data:text/html;base64,PGI+",
    "blob:https://a.example/1-2",
    "about:srcdoc",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "//evil.example\\@a.example/",
];
const RULES: [&str; 7] =
    ["https://*.example.com", "http://localhost:*", "data:", "*://a.example", "*", "https://[::1]:443", "null"];
const PATHS: [&str; 4] = [
    "/html[1]/body[1]/div[2]/button[1]",
    "/html[1]/body[1]/iframe[1]/html[1]/body[1]/a[3]",
    "//button[@id='x' or text()=\"登录\"]",
    "id('a')/b[last()]",
];

#[test]
fn addresses_and_rules() {
    let mut urls: Vec<&str> = URLS.to_vec();
    urls.extend(RULES);
    let rules = Origins::default()
        .with(&["https://*.example.com".into(), "http://localhost:*".into()], &["data:".into()], true)
        .unwrap();
    let take = move |text: &str| {
        let _ = (origin::of(text), origin::parse(text), origin::host(text), origin::of_address(text, URLS[0]));
        let _ = (rules.document(text), rules.request(text));
        if let Ok(made) = Origins::default().with(&[text.to_owned()], &[text.to_owned()], false) {
            let _ = made.document(URLS[0]);
        }
    };
    survive("addresses", 1, trials(3000, 100_000), move |m| m.text(&urls), take);
}

#[test]
fn paths() {
    let take = |text: &str| {
        let _ = (xpath::normalize(text), xpath::relativize(PATHS[0], text), xpath::relativize(text, PATHS[1]));
        let _ = xpath::prefix(text, PATHS[0]);
    };
    survive("paths", 2, trials(3000, 100_000), |m| m.text(&PATHS), take);
}

fn sample() -> String {
    let document = DocumentId(1);
    let node = |number: u32, kind: NodeKind, role: &str, name: &str, parent: Option<usize>| Node {
        id: Some(NativeId::new(document, number)),
        document,
        parent,
        kind,
        role: role.into(),
        name: name.into(),
        value: (role == "textbox").then(|| "Ann".into()),
        states: States::default(),
        rect: Rect::new(10.0, 20.0 * f64::from(number), 80.0, 18.0),
        extra: Extra {
            href: (role == "link").then(|| "http://a.example/x".into()),
            row: (role == "button").then(|| RowLabel { text: "Ann 1001".into(), ..RowLabel::default() }),
            hint: (role == "img").then(|| "gear".into()),
            ..Extra::default()
        },
    };
    let mut nodes = vec![
        node(1, NodeKind::Item, "list", "Orders", None),
        node(2, NodeKind::Operable, "button", "Approve", Some(0)),
        node(3, NodeKind::Operable, "textbox", "Name", Some(0)),
        node(4, NodeKind::Text, "text", "登录 now", Some(0)),
        node(5, NodeKind::Operable, "img", "", Some(0)),
        node(6, NodeKind::Frame, "iframe", "Pay", None),
    ];
    nodes.extend((7..30).map(|n| node(n, NodeKind::Operable, "link", "Next", Some(0))));
    let capture = Capture {
        surface: "web".into(),
        url: URLS[0].into(),
        title: "Order 订单".into(),
        viewport: Rect::new(0.0, 0.0, 800.0, 600.0),
        documents: vec![Document {
            id: document,
            url: URLS[0].into(),
            origin: "http://a.example:8000".into(),
            owner: None,
        }],
        nodes,
        notices: vec![Notice::new("new_tab", "a tab was opened")],
        ..Capture::default()
    };
    serde_json::to_string(&capture).unwrap()
}

#[test]
fn captures_are_shown_whatever_they_hold() {
    let sample = sample();
    let mut memory = Memory::default();
    let mut generation = 0;
    let take = move |text: &str| {
        let Ok(capture) = serde_json::from_str::<Capture>(text) else { return };
        // Surfaces see to it that parents come before their children; what they hold is what comes from outside.
        if capture.nodes.iter().enumerate().any(|(i, node)| node.parent.is_some_and(|parent| parent >= i)) {
            return;
        }
        generation += 1;
        let show = Show { budget: Some(600), text: 60, ..Show::default() };
        if let Ok(view) = see(&capture, &mut memory, show, Generation(generation), String::new()) {
            let _ = outline::view(&view, Style::default());
        }
    };
    survive("captures", 3, trials(1500, 100_000), move |m| m.json(&[&sample]), take);
}
