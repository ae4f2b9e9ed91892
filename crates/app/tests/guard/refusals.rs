//! The cases in which an agent that acts on what it saw would act on something else: nothing is done, and it is told why.
//!
//! What was done is judged by the page's own log: what its handlers received, and what the element said at that moment.

use handeye_scene::{Code, Verdict};
use handeye_testkit::stage::{Agent, Expect, PLACES, Place, Site, encoded, events};
use handeye_testkit::{Sample, is_full};
use serde_json::json;

/// A page with some content in one place, and an agent that has it open.
struct Case {
    site: Site,
    agent: Agent,
    place: Place,
}

impl Case {
    fn new() -> Self {
        Self { site: Site::new(), agent: Agent::new(), place: Place::Main }
    }

    /// Shows a fresh page.
    async fn open(&mut self, place: Place, html: &str) {
        self.place = place;
        let before = self.site.arrivals("case");
        let query = format!("&html={}", encoded(html));
        self.agent.open(&place.url(&self.site, "/case", &query)).await;
        self.site.arrived("case", before);
    }

    /// Does something in the page behind the agent's back.
    fn page(&self, script: &str) {
        self.site.run("case", &format!("{{ {script} }}; null"));
    }

    /// Asserts that the page's handlers received nothing, neither in the case's document nor in the one around it.
    #[track_caller]
    fn untouched(&self, what: &str) {
        assert_eq!(self.site.run("case", "log"), json!([]), "{:?}: {what}", self.place);
        if self.place.framed() {
            assert_eq!(self.site.run("holder", "log"), json!([]), "{:?}: {what}", self.place);
        }
    }

    /// What was clicked since it was last asked.
    fn clicked(&self) -> Vec<String> {
        events(&self.site.run("case", "log.splice(0)"), "click")
    }
}

const APPROVE: Expect = Expect::Text("Approve");

/// By default every second place: a document, a shadow tree, a frame of another process; or those between.
fn places(odd: bool) -> impl Iterator<Item = Place> {
    let every = PLACES.into_iter().enumerate();
    every.filter(move |(at, _)| is_full() || at.is_multiple_of(2) != odd).map(|(_, place)| place)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_relabelled_button_is_refused_unless_anything_is_expected() {
    let mut case = Case::new();
    for place in places(false) {
        case.open(place, "<button id=t>Approve</button> <button id=u>Cart (2)</button>").await;
        let target = case.agent.see("Approve").await;
        let cart = case.agent.see("Cart (2)").await;
        case.page("$('t').textContent = 'Delete'; $('u').textContent = 'Cart (3)'");
        // Twice: a refusal doesn't make the new label the one last shown.
        for expect in [&Expect::Shown, &APPROVE, &Expect::Shown] {
            let refused = case.agent.click(target, expect).await;
            assert!(refused.contradicted(), "{place:?} {expect:?}: {refused:?}");
            assert!(refused.text.contains("Delete"), "{place:?}: the new label isn't told: {}", refused.text);
            case.untouched("a refusal");
        }
        let done = case.agent.click(target, &Expect::Any).await;
        assert!(done.confirmed(), "{place:?}: {done:?}");
        assert_eq!(case.clicked(), ["Delete"], "{place:?}");
        for expect in [&Expect::Shown, &Expect::Text("Cart")] {
            case.page("$('u').textContent = 'Cart (' + Math.ceil(Math.random() * 1000) + ')'");
            let done = case.agent.click(cart, expect).await;
            assert!(done.confirmed(), "{place:?} {expect:?}: a counter was refused: {done:?}");
            assert_eq!(case.clicked().len(), 1, "{place:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_relabelled_inside_the_event_is_not_clicked() {
    let mut case = Case::new();
    // Each before the button's own handlers, on the way that the event takes to them.
    let ambushes = [
        ("window", "pointerdown"),
        ("document", "mousedown"),
        ("box()", "mouseup"),
        ("$('t')", "pointerdown"),
        ("$('i')", "mousedown"),
        ("$('i')", "click"),
        ("late", "click"),
        ("document", "click"),
        ("$('t')", "mouseover"),
    ];
    let mut sample = Sample::one_in(11);
    for place in PLACES {
        for expect in [&Expect::Shown, &APPROVE] {
            for (node, kind) in ambushes {
                if !sample.takes() {
                    continue;
                }
                case.open(place, "<button id=t><b id=i>Approve</b></button>").await;
                case.page("window.change = () => { $('i').textContent = 'Delete' }");
                case.page(&if node == "late" {
                    // A listener that is added inside the event itself.
                    format!(
                        "window.addEventListener('{kind}', () => $('i').addEventListener('{kind}', change, true), true)"
                    )
                } else {
                    format!("{node}.addEventListener('{kind}', change, true)")
                });
                let target = case.agent.see("Approve").await;
                let refused = case.agent.click(target, expect).await;
                let log = case.site.run("case", "log");
                assert_eq!(events(&log, "click"), [""; 0], "{place:?} {expect:?} {node} {kind}: {refused:?}");
                // Whoever relabels it at the click itself may have done by then what the click is for.
                let verdict = refused.receipt.as_ref().map(|r| r.verdict);
                let said = if kind == "click" { Verdict::Unverifiable } else { Verdict::Contradicted };
                assert_eq!(verdict, Some(said), "{place:?} {expect:?} {node} {kind}: {refused:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_number_of_a_page_that_was_left_is_stale_and_names_what_is_alike() {
    let mut case = Case::new();
    let mut sample = Sample::one_in(11);
    for place in PLACES {
        for expect in [&Expect::Shown, &Expect::Text("Buy"), &Expect::Any] {
            let again = format!("<button id=t>Buy</button> <a id=go href='about:blank'>Next</a>{place:?}");
            for way in ["link", "script"] {
                if !sample.takes() {
                    continue;
                }
                case.open(place, &again).await;
                case.page("$('go').href = location.href + '&next'");
                let target = case.agent.see("Buy").await;
                let before = case.site.arrivals("case");
                match way {
                    "link" => {
                        let link = case.agent.see("Next").await;
                        let done = case.agent.click(link, &Expect::Shown).await;
                        assert!(done.confirmed(), "{place:?} {expect:?}: {done:?}");
                    }
                    _ => case.page("setTimeout(() => { location.href += '&next' })"),
                }
                case.site.arrived("case", before);
                case.page("log.length = 0");
                if place.framed() {
                    case.site.run("holder", "log.length = 0");
                }
                let stale = case.agent.click(target, expect).await;
                assert!(stale.failed(Code::Stale), "{place:?} {way} {expect:?}: {stale:?}");
                let message = stale.problem.unwrap().1;
                assert!(message.contains("alike and live: [") && message.contains("button \"Buy\""), "{message}");
                case.untouched(way);
                // The one it names works.
                let live = case.agent.see("Buy").await;
                assert!(live > target);
                assert!(case.agent.click(live, expect).await.confirmed());
                assert_eq!(case.clicked(), ["Buy"]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_comes_back_has_its_numbers_again() {
    let mut case = Case::new();
    for place in places(true) {
        case.open(place, "<button id=t>Buy</button>").await;
        case.page("window.kept = 'yes'");
        let first = case.agent.see("Buy").await;
        let before = case.site.arrivals("case");
        let other = case.site.url(&format!("/case?as=case&other&html={}", encoded("<button id=t>Buy</button>")));
        case.agent.open(&other).await;
        case.site.arrived("case", before);
        let second = case.agent.see("Buy").await;
        assert!(case.agent.click(first, &Expect::Shown).await.failed(Code::Stale), "{place:?}");
        assert_eq!(case.site.run("case", "log"), json!([]), "{place:?}: the page between");

        let before = case.site.arrivals("case");
        case.agent.must("back", json!({})).await;
        case.site.arrived("case", before);
        assert_eq!(
            case.site.run("case", "window.kept ?? 'no'"),
            "yes",
            "{place:?}: not from the cache: nothing is shown"
        );
        let gone = case.agent.click(second, &Expect::Text("Buy")).await;
        assert!(gone.failed(Code::Stale), "{place:?}: {gone:?}");
        case.untouched("the page that came back");
        for expect in [&Expect::Shown, &Expect::Text("Buy")] {
            let done = case.agent.click(first, expect).await;
            assert!(done.confirmed(), "{place:?} {expect:?}: {done:?}");
            assert_eq!(case.clicked(), ["Buy"], "{place:?}");
        }
        assert_eq!(case.agent.see("Buy").await, first, "{place:?}: it has another number");
        // What was relabelled while it was away, or since, is refused as ever.
        case.page("$('t').textContent = 'Sell'");
        assert!(case.agent.click(first, &Expect::Shown).await.contradicted(), "{place:?}");
        case.untouched("relabelled after it came back");
    }
}

/// Rows as a framework makes them: by key, each element stays with its row; without, the elements are used again in order.
const ROWS: &str = "
    const row = n => { const b = document.createElement('button'); b.id = n; b.textContent = 'Remove ' + n; return b };
    window.keyed = names => {
        const old = new Map([...box().children].map(b => [b.id, b]));
        box().replaceChildren(...names.map(n => old.get(n) ?? row(n))); listen(box());
    };
    window.unkeyed = names => {
        names.forEach((n, i) => {
            const b = box().children[i];
            if (b) { b.id = n; b.textContent = 'Remove ' + n } else box().append(row(n));
        });
        while (box().children.length > names.length) box().lastChild.remove();
        listen(box());
    };
    keyed(['Ann', 'Bob', 'Eve', 'Kim']);";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_that_is_rendered_again_is_acted_on_by_row() {
    let mut case = Case::new();
    let mut sample = Sample::one_in(5);
    for place in PLACES {
        for expect in [&Expect::Shown, &Expect::Text("Remove Bob")] {
            if !sample.takes() {
                continue;
            }
            // One row more at the top, one less below it.
            case.open(place, "").await;
            case.page(ROWS);
            let bob = case.agent.see("Remove Bob").await;
            let eve = case.agent.see("Remove Eve").await;
            case.page("keyed(['Zoe', 'Bob', 'Ann', 'Kim'])");
            let done = case.agent.click(bob, expect).await;
            assert!(done.confirmed(), "{place:?} {expect:?}: {done:?}");
            assert_eq!(case.clicked(), ["Remove Bob"], "{place:?}");
            let gone = case.agent.click(eve, &Expect::Shown).await;
            assert!(gone.failed(Code::Stale), "{place:?}: {gone:?}");
            case.untouched("a row that is gone");

            case.open(place, "").await;
            case.page(ROWS);
            let bob = case.agent.see("Remove Bob").await;
            let kim = case.agent.see("Remove Kim").await;
            case.page("unkeyed(['Zoe', 'Ann', 'Bob'])");
            let refused = case.agent.click(bob, expect).await;
            assert!(refused.contradicted(), "{place:?} {expect:?}: {refused:?}");
            assert!(refused.text.contains("button \"Remove Bob\" does show it"), "{place:?}: {}", refused.text);
            let gone = case.agent.click(kim, &Expect::Shown).await;
            assert!(gone.failed(Code::Stale), "{place:?}: {gone:?}");
            case.untouched("elements used again");
        }
    }
}

const COVER: &str = "const c = document.createElement('div'); c.className = 'cover'; c.setAttribute('role', 'dialog'); \
                     c.setAttribute('aria-label', 'Cookies'); c.style.cssText = 'position:fixed;inset:0;z-index:9'; \
                     c.onclick = () => log.push({type: 'click', label: 'COVER'});";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_covers_a_target_is_named_and_neither_is_clicked() {
    let mut case = Case::new();
    case.agent.ready(0.3);
    let mut sample = Sample::one_in(5);
    for (at, place) in PLACES.into_iter().enumerate() {
        for expect in [&Expect::Shown, &APPROVE, &Expect::Any] {
            if !sample.takes() {
                continue;
            }
            case.open(place, "<button id=t>Approve</button>").await;
            let target = case.agent.see("Approve").await;
            case.page(&format!("{COVER} (root.body ?? root).append(c); window.c = c"));
            let blocked = case.agent.click(target, expect).await;
            assert!(blocked.failed(Code::Blocked), "{place:?} {expect:?}: {blocked:?}");
            let message = blocked.problem.unwrap().1;
            assert!(message.contains("is covered by") && message.contains("\"Cookies\""), "{place:?}: {message}");
            case.untouched("covered");
            if place.framed() {
                case.page("c.remove()");
                case.site.run("holder", &format!("{{ {COVER} document.body.append(c); window.c = c }}; null"));
                let blocked = case.agent.click(target, expect).await;
                assert!(blocked.failed(Code::Blocked), "{place:?} {expect:?}: {blocked:?}");
                assert!(blocked.text.contains("\"Cookies\""), "{place:?}: {}", blocked.text);
                case.untouched("covered from outside");
                case.site.run("holder", "c.remove(); null");
            } else {
                case.page("c.remove()");
            }
            assert!(case.agent.click(target, expect).await.confirmed(), "{place:?}: no longer covered");
        }
        if !is_full() && !at.is_multiple_of(2) {
            continue;
        }
        case.open(place, "<button id=t>Approve</button>").await;
        let target = case.agent.see("Approve").await;
        case.page(&format!(
            "{COVER} for (const kind of ['pointerover', 'mousemove']) \
             $('t').addEventListener(kind, () => (root.body ?? root).append(c))"
        ));
        let blocked = case.agent.click(target, &Expect::Shown).await;
        assert!(!blocked.confirmed(), "{place:?}: {blocked:?}");
        case.untouched("covered by way of hovering");
    }
}

/// Ways to hide what a button lies in, by statements about it.
const HIDE: [(&str, &str); 4] = [
    ("card.style.display = 'none'", "card.style.display = ''"),
    ("card.style.visibility = 'hidden'", "card.style.visibility = ''"),
    ("card.hidden = true", "card.hidden = false"),
    ("card.open = false", "card.open = true"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_hidden_is_not_called_another_and_is_held_to_what_it_says_once_it_is_shown() {
    let mut case = Case::new();
    // By default each way in one place of four.
    for (at, place) in PLACES.into_iter().enumerate().filter(|(at, _)| is_full() || at % 3 != 1) {
        for (way, (hide, show)) in HIDE.into_iter().enumerate() {
            // Each way with each expectation in a page, and one of these in every other place.
            for expect in [&Expect::Shown, &APPROVE] {
                if (at > 0 || !is_full())
                    && (way != at % HIDE.len() || matches!(expect, Expect::Shown) != (at % 2 == 0))
                {
                    continue;
                }
                case.open(place, "<details open id=c><summary>Card</summary><button id=t>Approve</button></details>")
                    .await;
                let target = case.agent.see("Approve").await;
                case.page(&format!("window.card = $('c'); {hide}"));
                case.agent.ready(0.5);
                let refused = case.agent.click(target, expect).await;
                assert!(refused.failed(Code::Blocked), "{place:?} {hide} {expect:?}: {refused:?}");
                case.untouched(hide);
                // It comes back, as it was and as another.
                case.agent.ready(20.0);
                case.page(&format!("setTimeout(() => {{ {show} }}, 300)"));
                let done = case.agent.click(target, expect).await;
                assert!(done.confirmed(), "{place:?} {show} {expect:?}: {done:?}");
                assert_eq!(case.clicked(), ["Approve"], "{place:?} {show} {expect:?}");
                case.page(&format!("{hide}; $('t').textContent = 'Delete'; setTimeout(() => {{ {show} }}, 300)"));
                let refused = case.agent.click(target, expect).await;
                assert!(refused.contradicted(), "{place:?} {show} {expect:?}: {refused:?}");
                case.untouched(show);
            }
        }
    }
}
