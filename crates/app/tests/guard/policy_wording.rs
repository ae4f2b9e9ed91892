//! A policy that denies targets by role and wording: every way around a denied "Delete" is denied, and its neighbour still works.

use handeye_scene::Code;
use handeye_testkit::stage::{Agent, Expect, Outcome, PLACES, Place, Site, encoded, events};
use handeye_testkit::{Sample, is_full};
use serde_json::{Value, json};

/// Whatever is called so, whichever its role.
const RULES: [&str; 2] = ["acts:*:*delete*", "acts:*:*删除*"];

struct Case {
    site: Site,
    agent: Agent,
}

/// Calls in order; what comes of the last, or of the first that ends in a problem, counts.
type Way = Vec<(&'static str, Value)>;

impl Case {
    fn new() -> Self {
        let mut case = Self::free();
        case.agent.bar("deny", &RULES.map(str::to_owned));
        case
    }

    /// Without a rule from the start on.
    fn free() -> Self {
        let mut agent = Agent::new();
        // What is pressed the page tells: what comes of it isn't waited for.
        agent.effect(0.1);
        Self { site: Site::new(), agent }
    }

    async fn open(&mut self, place: Place, html: &str) {
        let before = self.site.arrivals("case");
        self.agent.open(&place.url(&self.site, "/case", &format!("&html={}", encoded(html)))).await;
        self.site.arrived("case", before);
    }

    /// Shows other content in the page that is open.
    fn show(&self, html: &str) {
        self.page(&format!("fill({})", json!(html)));
    }

    fn page(&self, script: &str) {
        self.site.run("case", &format!("{{ {script} }}; null"));
    }

    /// What the page's own listeners heard of what has this id, but for its being pointed to.
    fn heard(&self, id: &str) -> Value {
        self.site.run("case", &format!("log.filter(e => e.id === '{id}')"))
    }

    /// The middle of an element, in the viewport.
    async fn middle(&mut self, id: &str) -> (f64, f64) {
        let rect = self.agent.must("get", json!({ "what": "rect", "locators": [{ "css": format!("#{id}") }] })).await;
        let side = |i: usize| rect["value"][i].as_f64().unwrap_or_else(|| panic!("{rect}"));
        (side(0) + side(2) / 2.0, side(1) + side(3) / 2.0)
    }

    async fn go(&mut self, way: &Way) -> Outcome {
        let mut last = None;
        for (command, args) in way {
            let outcome: Outcome = self.agent.call(command, args.clone()).await.into();
            let failed = outcome.problem.is_some();
            last = Some(outcome);
            if failed {
                break;
            }
        }
        last.unwrap()
    }

    /// Every way by which something with this id is pressed, named.
    async fn ways(&mut self, id: &str) -> Vec<(&'static str, Way)> {
        let (x, y) = self.middle(id).await;
        let by = |more: Value| {
            let mut args = json!({ "locators": [{ "css": format!("#{id}") }], "expect_any": true });
            args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            args
        };
        let at = json!({ "x": x, "y": y, "expect_any": true });
        let focus = || ("focus", by(json!({})));
        let mouse = |action: &str| ("mouse", json!({ "action": action }));
        let to = ("mouse", json!({ "action": "move", "at": [format!("{x},{y}")] }));
        vec![
            ("click", vec![("click", by(json!({})))]),
            ("dblclick", vec![("dblclick", by(json!({})))]),
            ("rightclick", vec![("rightclick", by(json!({})))]),
            ("invoke", vec![("click", by(json!({ "method": "invoke" })))]),
            ("click-at", vec![("click-at", at.clone())]),
            ("dblclick-at", vec![("dblclick-at", at.clone())]),
            ("rightclick-at", vec![("rightclick-at", at)]),
            ("mouse", vec![to, mouse("down"), mouse("up")]),
            ("Enter", vec![focus(), ("keys", json!({ "keys": ["Enter"], "expect_any": true }))]),
            ("Space", vec![focus(), ("keys", json!({ "keys": ["Space"] }))]),
            ("type", vec![focus(), ("type", json!({ "text": "\n", "expect_any": true }))]),
            ("keydown", vec![focus(), ("keydown", json!({ "key": "Enter" })), ("keyup", json!({ "key": "Enter" }))]),
            ("batch", vec![("batch", json!({ "steps": [{ "command": "click", "args": by(json!({})) }] }))]),
        ]
    }
}

/// Elements called so in every way that there is: what stands before `WORD`, which a neighbour says otherwise.
const KINDS: [&str; 14] = [
    "<button id=t>WORD</button>",
    "<button id=t>Please WORD\u{200b}&nbsp;all</button>",
    "<button id=t><i>W</i><b>ORD</b></button>",
    "<button id=t aria-label='WORD it'>×</button>",
    "<button id=t aria-label=Go>WORD</button>",
    "<button id=t title='WORD it'>×</button>",
    "<input id=t type=button value='WORD'>",
    "<input id=t type=button aria-label=Go value='WORD'>",
    "<input id=t type=image alt=WORD src='data:,'>",
    "<input id=t type=checkbox aria-label='WORD all'>",
    "<a id=t href='#x'>WORD</a>",
    "<div id=t role=button tabindex=0 onclick='1'>WORD</div>",
    "<div id=t tabindex=0 onclick='1'>WORD</div>",
    "<button id=t><svg width=20 height=20 role=img aria-label=WORD><rect width=20 height=20 /></svg></button>",
];

fn spelled(kind: &str, word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().unwrap().to_string();
    kind.replace("WORD", word).replace("<i>W</i><b>ORD</b>", &format!("<i>{first}</i><b>{}</b>", letters.as_str()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_way_leads_to_what_is_denied_and_each_leads_to_its_neighbour() {
    let mut case = Case::new();
    let mut sample = Sample::one_in(11);
    for (at, place) in PLACES.into_iter().enumerate() {
        case.open(place, "").await;
        // Each kind in one place, and the first in all.
        for (i, kind) in KINDS.iter().enumerate().filter(|(i, _)| *i == 0 || i % PLACES.len() == at) {
            for (word, denied) in [(["Delete", "ＤＥＬＥＴＥ", "删除"][i % 3], true), ("Edit", false)] {
                case.show(&spelled(kind, word));
                for (way, calls) in case.ways("t").await {
                    if !sample.takes() {
                        continue;
                    }
                    case.page("log.splice(0)");
                    let outcome = case.go(&calls).await;
                    let told = format!("{kind} {word} {place:?} {way}: {outcome:?}");
                    let heard = case.heard("t");
                    if denied {
                        let refused = outcome.failed(Code::Denied) || way == "batch" && outcome.text.contains("denied");
                        assert!(refused, "{told}");
                        assert_eq!(heard, json!([]), "{told}");
                    } else {
                        assert!(outcome.problem.is_none(), "{told}");
                        assert_ne!(heard, json!([]), "{told}");
                    }
                }
            }
        }
    }
}

/// When the page relabels what is pressed, and what says so from then on.
const MOMENTS: [&str; 7] = [
    "for (const k of ['pointerdown', 'keydown']) addEventListener(k, turn, true)",
    "addEventListener('mousedown', turn, true); addEventListener('keypress', turn, true)",
    "addEventListener('mouseup', turn, true); addEventListener('keypress', turn, true)",
    "addEventListener('click', turn, true)",
    "for (const k of ['pointerdown', 'keydown']) root.addEventListener(k, turn, true)",
    "for (const k of ['click', 'keypress']) $('t').parentElement.addEventListener(k, turn, true)",
    "for (const k of ['pointerdown', 'keydown']) $('t').addEventListener(k, turn)",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_becomes_a_denied_thing_on_the_way_is_not_pressed() {
    let mut case = Case::new();
    let mut sample = Sample::one_in(13);
    let kind = "<div><button id=t style='width:90px;height:30px'>Edit</button></div>";
    for place in [Place::Main, Place::Closed, Place::Foreign] {
        case.open(place, kind).await;
        let ways = case.ways("t").await;
        for moment in MOMENTS {
            for turns in ["$('t').textContent = 'Delete'", "$('t').title = 'Delete it'", "$('t').value = ''"] {
                for (way, calls) in &ways {
                    // By script nothing comes in between; a right click makes no click.
                    let between = !matches!(*way, "invoke" | "batch" | "rightclick" | "rightclick-at");
                    if !between || !sample.takes() {
                        continue;
                    }
                    case.page(&format!(
                        "fill(\"{kind}\"); window.off?.abort(); window.off = new AbortController();
                        const turn = () => {{ {turns} }};
                        const own = EventTarget.prototype.addEventListener;
                        EventTarget.prototype.addEventListener = function (k, f, c) {{ return own.call(this, k, f, {{ capture: c === true, signal: off.signal }}) }};
                        try {{ {moment} }} finally {{ EventTarget.prototype.addEventListener = own }}
                        log.splice(0)"
                    ));
                    let outcome = case.go(calls).await;
                    let clicked = case.site.run("case", "log.filter(e => e.type === 'click')");
                    let told = format!("{place:?} {moment} {turns} {way}: {outcome:?} {clicked}");
                    let harmless = turns.contains("value");
                    let keys = matches!(*way, "Enter" | "Space" | "type" | "keydown");
                    let never = keys && !moment.contains("key") && !moment.contains("click");
                    if harmless || never {
                        assert!(outcome.problem.is_none(), "{told}");
                        assert_ne!(clicked, json!([]), "{told}");
                    } else {
                        // Keys that are held to what was last shown may be stopped as relabelled before.
                        let held = *way == "Space" && outcome.contradicted();
                        assert!(outcome.failed(Code::Denied) || held, "{told}");
                        let wrong = events(&clicked, "click").contains(&"Delete".to_owned());
                        assert!(!wrong && clicked == json!([]), "{told}");
                    }
                }
            }
        }
    }
}

/// What activates a denied thing without being called so itself, and the like that doesn't: what is shown, and the way.
fn detours() -> Vec<(&'static str, &'static str, Way)> {
    let on = |id: &str, more: Value| {
        let mut args = json!({ "locators": [{ "css": id }], "expect_any": true });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        args
    };
    let click = |id: &str| vec![("click", on(id, json!({})))];
    let field = "<form onsubmit='return false'><input id=f aria-label=Name><button id=t>WORD</button><button>Else</button></form>";
    let drag = |to: Value| vec![("drag", on("#from", json!({ "to": to, "duration": 60 })))];
    let board = "<button id=from>Card</button><p style='height:60px'></p><button id=t>WORD</button>";
    vec![
        ("a label", "<label id=l for=t>Go on</label><p><button id=t>WORD</button>", click("#l")),
        ("a label around", "<label id=l>Go on<p><input type=checkbox id=t aria-label=WORD></label>", click("#l")),
        ("a part", "<button id=t aria-label=WORD><span id=s>Now</span></button>", click("#s")),
        (
            "a control in a control",
            "<div id=t role=button tabindex=0 aria-label=WORD><b id=s role=button>x</b></div>",
            click("#s"),
        ),
        ("Enter in a field", field, vec![("focus", on("#f", json!({}))), ("keys", json!({ "keys": ["Enter"] }))]),
        ("Enter after a Tab", field, vec![("focus", on("#f", json!({}))), ("keys", json!({ "keys": ["Tab Enter"] }))]),
        ("a line", field, vec![("focus", on("#f", json!({}))), ("type", json!({ "text": "Ann\n" }))]),
        ("input and Enter", field, vec![("input", on("#f", json!({ "text": "Ann", "enter": true })))]),
        (
            "keydown in a field",
            field,
            vec![
                ("focus", on("#f", json!({}))),
                ("keydown", json!({ "key": "Enter" })),
                ("keyup", json!({ "key": "Enter" })),
            ],
        ),
        ("a drag to it", board, drag(json!("css=#t"))),
        (
            "an option of a list",
            "<select id=t aria-label=Do><option>Keep<option>WORD it</select>",
            vec![("select", on("#t", json!({ "options": ["WORD it"] })))],
        ),
        (
            "fill-form",
            "<select id=t aria-label=Do><option>Keep<option>WORD it</select>",
            vec![("fill-form", json!({ "fields": [{ "ref": "t", "value": "WORD it" }] }))],
        ),
        (
            "an active item",
            "<div id=s tabindex=0 role=listbox aria-activedescendant=t onkeydown='note(1)'><div id=t role=option onclick='1'>WORD</div></div>",
            vec![("focus", on("#s", json!({}))), ("keys", json!({ "keys": ["Enter"] }))],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_activates_a_denied_thing_is_denied_too() {
    let mut case = Case::new();
    for (at, place) in [Place::Main, Place::Foreign].into_iter().enumerate() {
        case.open(place, "").await;
        // By default each in one of the places.
        for (_, (name, html, way)) in detours().into_iter().enumerate().filter(|(i, _)| is_full() || i % 2 == at) {
            for (word, denied) in [("Delete", true), ("Send", false)] {
                case.show(&html.replace("WORD", word));
                let mut way = way.clone();
                for (_, args) in &mut way {
                    let written = args.to_string().replace("WORD", word);
                    *args = serde_json::from_str(&written).unwrap();
                }
                if name == "a drag to it" {
                    way[0].1["to"] = json!(case.agent.see(word).await);
                }
                if name == "fill-form" {
                    let number = case.agent.see("Do").await;
                    way[0].1["fields"][0]["ref"] = json!(number);
                }
                case.page("log.splice(0)");
                let outcome = case.go(&way).await;
                let told = format!("{place:?} {name} {word}: {outcome:?}");
                if denied {
                    assert!(outcome.failed(Code::Denied), "{told}");
                    assert_eq!(case.heard("t"), json!([]), "{told}");
                    assert_eq!(case.site.run("case", "$('notes').textContent"), json!(""), "{told}");
                } else {
                    assert!(outcome.problem.is_none() && !outcome.contradicted(), "{told}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_held_down_elsewhere_is_not_let_go_on_what_is_denied() {
    let mut case = Case::new();
    let html = "<button id=ok style='width:90px;height:40px'>Edit</button><p><button id=t style='width:90px;height:40px'>Delete</button>";
    case.open(Place::Main, html).await;
    let ((x, y), (to_x, to_y)) = (case.middle("ok").await, case.middle("t").await);
    let go = |x: f64, y: f64| ("mouse", json!({ "action": "move", "at": [format!("{x},{y}")] }));
    let mouse = |action: &str| ("mouse", json!({ "action": action }));
    let outcome = case.go(&vec![go(x, y), mouse("down"), go(to_x, to_y), mouse("up")]).await;
    assert!(outcome.failed(Code::Denied), "{outcome:?}");
    assert_eq!(case.heard("t"), json!([]));
    let drag = json!({ "x1": x, "y1": y, "x2": to_x, "y2": to_y, "duration": 60, "expect_any": true });
    let outcome = case.go(&vec![("drag-at", drag)]).await;
    assert!(outcome.failed(Code::Denied), "{outcome:?}");
    assert_eq!(case.heard("t"), json!([]));
    // Pressed there, it isn't down anywhere afterwards.
    let outcome = case.go(&vec![go(to_x, to_y), mouse("down")]).await;
    assert!(outcome.failed(Code::Denied), "{outcome:?}");
    let outcome = case.go(&vec![go(x, y), mouse("down"), mouse("up")]).await;
    assert!(outcome.problem.is_none(), "{outcome:?}");
    assert_eq!(case.heard("t"), json!([]));
    let clicks = case.site.run("case", "log.filter(e => e.type === 'click').map(e => e.id)");
    assert_eq!(clicks, json!(["ok"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rule_is_about_its_role_its_origin_and_nothing_else() {
    let mut case = Case::free();
    let html = "<button id=a>Delete</button><a id=b href='#x'>Delete</a><button id=c>Undelete</button><section aria-label='Delete?'><button id=d>Cancel</button></section>";
    case.open(Place::Foreign, html).await;
    let (inner, outer) = (case.site.foreign(""), case.site.url(""));
    let there = |rule: &str, origin: &str| vec![format!("{rule}@{origin}")];
    // Each rule in each list, of some elements.
    let mut sample = Sample::one_in(3);
    for (rules, denied) in [
        (vec!["acts:button:Delete".to_owned()], vec!["a"]),
        (vec!["acts:button:*delete".to_owned()], vec!["a", "c"]),
        (vec!["acts:link:Delete".to_owned()], vec!["b"]),
        (vec!["acts:*:Delete*".to_owned()], vec!["a", "b"]),
        (there("acts:*:Delete*", &inner), vec!["a", "b"]),
        (there("acts:*:Delete*", &outer), vec![]),
        (vec!["acts:*:*".to_owned()], vec!["a", "b", "c", "d"]),
    ] {
        for list in ["deny", "ask"] {
            case.agent.bar("ask", &[]);
            case.agent.bar(list, &rules);
            for id in ["a", "b", "c", "d"] {
                for command in ["click", "click-at"] {
                    if !sample.takes() {
                        continue;
                    }
                    let args = if command == "click" {
                        json!({ "locators": [{ "css": format!("#{id}") }] })
                    } else {
                        let (x, y) = case.middle(id).await;
                        json!({ "x": x, "y": y, "expect_any": true })
                    };
                    let outcome: Outcome = case.agent.call(command, args).await.into();
                    let told = format!("{list} {rules:?} {id} {command}: {outcome:?}");
                    assert_eq!(outcome.failed(Code::Denied), denied.contains(&id), "{told}");
                    assert!(outcome.problem.is_none_or(|p| p.0 == Code::Denied), "{told}");
                }
            }
        }
    }
    // Pointing, scrolling and moving the focus press nothing.
    case.agent.bar("ask", &[]);
    case.agent.bar("deny", &RULES.map(str::to_owned));
    let delete = case.agent.see("Delete").await;
    for (command, more) in [("hover", json!({})), ("focus", json!({})), ("scroll", json!({ "direction": "down" }))] {
        let outcome = case.agent.act(command, delete, &Expect::Shown, more).await;
        assert!(outcome.problem.is_none(), "{command}: {outcome:?}");
    }
    let outcome: Outcome = case.agent.call("keys", json!({ "keys": ["Tab"] })).await.into();
    assert!(outcome.problem.is_none(), "{outcome:?}");
}
