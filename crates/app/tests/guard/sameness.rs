//! What was shown of a target is what it is held to: its texts, whatever they come from, and where it leads. Everything else
//! is refused between look and click, and inside the events.

use handeye_testkit::chromium::LIMIT;
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use handeye_testkit::stage::{self, Agent, Expect, Place, Site, encoded, events};
use serde_json::json;

struct Case {
    site: Site,
    agent: Agent,
}

impl Case {
    async fn open(&mut self, html: &str) {
        let before = self.site.arrivals("case");
        self.agent.open(&Place::Main.url(&self.site, "/case", &format!("&html={}", encoded(html)))).await;
        self.site.arrived("case", before);
    }

    fn page(&self, script: &str) {
        self.site.run("case", &format!("{{ {script} }}; null"));
    }

    /// The number of the target of that name, or of the only one, which has none.
    async fn target(&mut self, label: &str) -> u32 {
        let state = self.agent.state().await;
        let found = state.iter().find(|t| t.1 == label).or_else(|| state.iter().find(|t| t.1.is_empty()));
        found.unwrap_or_else(|| panic!("no {label:?} in {state:?}")).2
    }

    /// Does a change inside the press, or else between look and click, and tells whether it was clicked.
    async fn tries(&mut self, html: &str, label: &str, change: &str, inside: bool) -> bool {
        self.open(html).await;
        let target = self.target(label).await;
        self.page(&if inside {
            format!("document.addEventListener('pointerdown', () => {{ {change} }}, true)")
        } else {
            change.to_owned()
        });
        let outcome = self.agent.click(target, &Expect::Shown).await;
        let log = self.site.run("case", "log");
        let clicked = !events(&log, "click").is_empty();
        if clicked {
            assert!(!outcome.contradicted(), "{html} {change}: {outcome:?}");
        } else {
            assert!(outcome.contradicted(), "{html} {change}: {outcome:?}");
            assert!(inside || log == json!([]), "{html} {change}: {log}");
        }
        clicked
    }

    /// Goes through cases: what the page shows, what is clicked, what changes, and whether it is another target then.
    async fn refuses(&mut self, cases: &[(&str, &str, &str, bool)]) {
        for (at, (html, label, change, refused)) in cases.iter().enumerate() {
            // By default one moment of each, in turn.
            for inside in [false, true].into_iter().filter(|inside| is_full() || *inside == at.is_multiple_of(2)) {
                let clicked = self.tries(html, label, change, inside).await;
                assert_eq!(clicked, !refused, "{html} {change}, inside the press: {inside}");
            }
        }
    }
}

/// The number of the target that tells how many look at it.
async fn viewers(agent: &mut Agent) -> u32 {
    let state = agent.state().await;
    state.iter().find(|t| t.1.ends_with(" viewers")).map(|t| t.2).unwrap()
}

fn case() -> Case {
    let mut agent = Agent::new();
    // Whether it was clicked the page tells: what comes of it isn't waited for.
    agent.effect(0.1);
    Case { site: Site::new(), agent }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_without_a_name_is_held_to_all_that_it_shows() {
    let div = "<div id=t onclick=0 style='width:200px'>Approve</div>";
    let li = "<ul><li id=t onclick=0>Delete</li></ul>";
    let pay = "<div id=t onclick=0 style='width:200px'>Pay 10 (2)</div>";
    case()
        .refuses(&[
            (div, "Approve", "$('t').textContent = 'Disapprove'", true),
            (div, "Approve", "$('t').textContent = ' APPROVE '", false),
            (li, "Delete", "$('t').textContent = 'Delete all accounts'", true),
            (pay, "Pay 10 (2)", "$('t').textContent = 'Pay 1000000 (2)'", true),
            (pay, "Pay 10 (2)", "$('t').textContent = 'Pay 10 (3)'", false),
        ])
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_static_name_does_not_hide_that_the_text_changed() {
    let labelled = "<button id=t aria-label='Order 7'>Approve</button>";
    let inner = "<button id=t><span aria-label=Go id=i>Approve</span> now</button>";
    let aside = "<button id=t>Go <span aria-hidden=true id=i>Approve</span></button>";
    case()
        .refuses(&[
            (labelled, "Order 7", "$('t').textContent = 'Delete'", true),
            (labelled, "Order 7", "$('t').title = 'Delete'", false),
            (inner, "Go now", "$('i').textContent = 'Delete'", true),
            (aside, "Go", "$('i').textContent = 'Delete'", true),
        ])
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn generated_text_counts() {
    let before = "<style>.x::before { content: 'Delete ' } .n::before { content: attr(data-n) } \
        .u::before { content: url('data:image/gif;base64,R0lGODlhAQABAAAAACw=') }</style><button id=t data-n=7>Mail</button>";
    let marker = "<style>@counter-style gone { system: cyclic; symbols: 'Delete'; suffix: ' ' } \
        .c { list-style: gone } .m::marker { content: 'Delete ' }</style><ul><li id=t onclick=0>Mail</li></ul>";
    case()
        .refuses(&[
            (before, "Mail", "$('t').className = 'x'", true),
            (before, "Mail", "$('t').className = 'n'", true),
            (before, "Mail", "$('t').className = 'u'", false),
            (marker, "Mail", "$('t').className = 'm'", true),
            (marker, "Mail", "$('t').className = 'c'", true),
        ])
        .await;
}

/// A gesture brings these about by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_style_sheets_show_only_while_pointing_is_no_other_text() {
    let page = |style: &str, target: &str| format!("<style>{style}</style>{target}");
    let tip = "<button id=t data-tip='Keep it'>Save</button>";
    let menu = "<ul><li id=t onclick=0>Shop <ul id=m><li>Delete all</li></ul></li></ul>";
    let inner = "<button id=t>Save<i id=m> for ever</i></button>";
    let generated = page("#t:hover::after { content: attr(data-tip) }", tip);
    let pressed = page("#t:active::after { content: ' now' } #t:focus::before { content: 'go ' }", tip);
    let unhidden = page(
        "#t::after { content: attr(data-tip); visibility: hidden } @media all { #t:hover::after { visibility: visible } }",
        tip,
    );
    let listed = page("li ul { display: none } li:hover > ul { display: block }", menu);
    let negated = page("li:not(:hover) > ul { display: none }", menu);
    let nested = page("li { & ul { display: none } &:hover ul { display: block } }", menu);
    let within = page("i { visibility: hidden } #t:focus-within i, #t:active i { visibility: visible }", inner);
    let swapped = page(
        "b { display: none } #t:hover b { display: inline } #t:hover i { display: none }",
        "<button id=t><i>Following</i><b>Unfollow</b></button>",
    );
    let classed = page("i { display: none } #t.on i { display: inline } #t:hover i.x { display: inline }", inner);
    let always = page("#t::after { content: ' it' } #t:hover::after { content: ' not' }", tip);
    let delete = "$('m').textContent = 'Delete'; $('t').classList.add('on')";
    case()
        .refuses(&[
            (&generated, "Save", "0", false),
            (&generated, "Save", "$('t').firstChild.data = 'Delete'", true),
            (&pressed, "Save", "0", false),
            (&unhidden, "Save", "0", false),
            (&listed, "", "0", false),
            (&listed, "", "$('t').firstChild.data = 'Delete'", true),
            (&negated, "", "0", false),
            (&nested, "", "0", false),
            (&within, "Save", "0", false),
            (&swapped, "Following", "0", true),
            (&classed, "Save", "0", false),
            (&classed, "Save", delete, true),
            (&always, "Save it", "0", true),
        ])
        .await;
}

/// What pointing shows is there when the first event comes, and stays as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_pointing_shows_is_not_rewritten_inside_the_event() {
    let tip = "<style>#t:hover::after { content: attr(data-tip) }</style><button id=t data-tip=''>Delete</button>";
    let inner =
        "<style>i { display: none } #t:hover i { display: inline }</style><button id=t>Delete<i id=i> it</i></button>";
    let armed = "<style>#t:hover.armed::after { content: ' all' }</style><button id=t>Delete</button>";
    let other = "<style>i { display: none } #x:focus ~ #t i { display: inline }</style>\
        <input id=x><button id=t>Delete<i> all</i></button>";
    let together =
        "<style>#t:is(:focus-visible, .armed)::after { content: ' all' }</style><button id=t>Delete</button>";
    let paper = "<style>@media print { i { display: none } } #t:hover i { display: inline }</style>\
        <button id=t>Delete<i id=i></i></button>";
    let mut case = case();
    for (at, (html, change, between)) in [
        (tip, "$('t').dataset.tip = ' all accounts'", true),
        (inner, "$('i').textContent = ' all accounts'", true),
        (armed, "$('t').className = 'armed'", true),
        (other, "$('x').focus()", false),
        (together, "$('t').className = 'armed'", false),
        (paper, "$('i').textContent = ' all'", false),
    ]
    .into_iter()
    .enumerate()
    {
        assert!(!case.tries(html, "Delete", change, true).await, "{html} {change}");
        if is_full() || at == 0 {
            assert_eq!(case.tries(html, "Delete", change, false).await, between, "{html} {change}");
        }
    }
}

/// What was found by its name is held to it: a page may relabel it as the pointer comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_found_by_its_name_is_clicked_under_that_name_alone() {
    let mut case = case();
    let rows = "<table><tr><td id=a>Ann</td><td><button id=t>Delete</button></td></tr></table>";
    for (at, (html, moment, change, args)) in [
        (
            "<button id=t>Approve</button>",
            "mouseenter",
            "$('t').textContent = 'Delete all'",
            json!({ "name": "Approve" }),
        ),
        ("<button id=t>Approve</button>", "mousemove", "$('t').textContent = 'Delete all'", json!({ "css": "#t" })),
        (
            "<button id=t>Sell 10%</button><button>Sell 50%</button>",
            "mouseenter",
            "$('t').textContent = 'Sell 100%'",
            json!({ "name": "Sell 10%" }),
        ),
        ("<a id=t href='#x'>Go</a>", "mouseenter", "$('t').href = 'https://evil.example/'", json!({ "name": "Go" })),
        (rows, "mouseenter", "$('t').textContent = 'Delete all'", json!({ "role": "button" })),
    ]
    .into_iter()
    .enumerate()
    {
        for (way, command) in ["click", "dblclick", "rightclick"].into_iter().enumerate() {
            if !is_full() && way != at % 3 {
                continue;
            }
            case.open(html).await;
            case.page(&format!("$('t').addEventListener('{moment}', () => {{ {change} }})"));
            let outcome: stage::Outcome = case.agent.call(command, json!({ "locators": [args] })).await.into();
            let log = case.site.run("case", "log");
            assert_eq!(log, json!([]), "{command} {html} {moment}: {outcome:?}");
            assert!(outcome.contradicted(), "{command} {html} {moment}: {outcome:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_leads_elsewhere_is_another() {
    let link = "<a id=t href='https://a.example/x' onclick='event.preventDefault()'>Go</a>";
    let form =
        "<form id=f action='https://a.example/x' onsubmit='event.preventDefault()'><button id=t>Send</button></form>";
    let plain = "<form id=f onsubmit='event.preventDefault()'><button id=t type=button>Send</button></form>";
    let popover = "<button id=t popovertarget=p>Open</button><div id=p popover>One</div><div id=q popover>Two</div>";
    case()
        .refuses(&[
            (link, "Go", "$('t').href = 'https://evil.example/x'", true),
            (link, "Go", "$('t').href = 'javascript:void(0)'", true),
            (link, "Go", "$('t').href = 'https://a.example/y?z'", false),
            (link, "Go", "$('t').download = 'x.exe'", true),
            (form, "Send", "$('f').action = 'https://evil.example/'", true),
            (form, "Send", "$('t').formAction = 'https://evil.example/'", true),
            (form, "Send", "$('f').method = 'post'", true),
            (form, "Send", "$('f').action = 'https://a.example/y'", false),
            (plain, "Send", "$('t').type = 'submit'", true),
            (popover, "Open", "$('t').setAttribute('popovertarget', 'q')", true),
        ])
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_that_comes_to_lead_to_its_own_site_is_the_same() {
    let mut case = case();
    case.open("<a id=t href='https://a.example/x' onclick='event.preventDefault()'>Go</a>").await;
    let target = case.agent.see("Go").await;
    case.page("$('t').href = '/out?to=a.example'");
    assert!(!case.agent.click(target, &Expect::Shown).await.contradicted());
    assert_eq!(events(&case.site.run("case", "log"), "click").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_digits_of_what_changes_by_itself_may_go_on_changing() {
    let mut case = case();
    case.open("<button id=t>12 viewers</button>").await;
    case.page("window.n = 12; window.going = setInterval(() => { $('t').textContent = ++window.n + ' viewers' }, 200)");
    let mut outcome = None;
    // Until it was seen to change by itself.
    for _ in 0..40 {
        let target = viewers(&mut case.agent).await;
        let done = case.agent.click(target, &Expect::Shown).await;
        let clicked = !done.contradicted();
        outcome = Some(done);
        if clicked {
            break;
        }
    }
    assert!(outcome.is_some_and(|o| !o.contradicted()));
    let target = viewers(&mut case.agent).await;
    case.page("clearInterval(going); $('t').textContent = '5 deletions'");
    assert!(case.agent.click(target, &Expect::Shown).await.contradicted());
}

/// However far a click came that was refused, it is over: what the page does from then on is its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_by_itself_is_noticed_after_a_refused_click() {
    for moment in ["mouseover", "pointerdown", "mousedown"] {
        let mut case = case();
        case.open("<button id=t>12 viewers</button>").await;
        case.page(&format!(
            "window.n = 12; window.more = () => {{ $('t').textContent = ++n + ' viewers' }}; addEventListener('{moment}', more, {{ capture: true, once: true }})"
        ));
        let target = viewers(&mut case.agent).await;
        assert!(case.agent.click(target, &Expect::Shown).await.contradicted(), "{moment}");
        case.page("window.going = setInterval(more, 150)");
        let is_often = || case.site.run("case", "n").as_i64() > Some(18);
        assert!(eventually(LIMIT, is_often), "{moment}: {}", case.site.run("case", "n"));
        case.page("clearInterval(going)");
        let target = viewers(&mut case.agent).await;
        case.page("more()");
        let outcome = case.agent.click(target, &Expect::Shown).await;
        assert!(!outcome.contradicted(), "{moment}: {outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_only_digits_tell_apart_is_held_to_them() {
    let times = "<button id=t>Book 10:00</button><button>Book 10:30</button>";
    let shares = "<div id=t onclick=0>Sell 10%</div><div onclick=0>Sell 100%</div>";
    let alone = "<button id=t>Updated 10:00</button><button>Book 10:30</button>";
    case()
        .refuses(&[
            (times, "Book 10:00", "$('t').textContent = 'Book 10:30'", true),
            (shares, "", "$('t').textContent = 'Sell 100%'", true),
            (alone, "Updated 10:00", "$('t').textContent = 'Updated 10:01'", false),
        ])
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_is_about_what_stands_in_its_place() {
    let rows = "<table><tr><td id=a>Ann</td><td>Sales</td><td id=z>Zoe</td><td><button id=t>Delete</button></td></tr>\
        <tr><td>Bob</td><td>Sales</td><td>Tom</td><td><button>Delete</button></td></tr></table>";
    case()
        .refuses(&[
            (rows, "Delete", "$('a').textContent = 'Eve'; $('z').textContent = 'Ann'", true),
            (rows, "Delete", "$('z').textContent = 'Eve'", false),
        ])
        .await;
}

/// A page is indented as its author likes, and may show more of a target than a look tells.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "long: runs with cargo xtask test --full"]
async fn white_space_in_markup_and_long_texts_are_no_change() {
    let gap = " ".repeat(120);
    let card = format!("<div id=t onclick=0>{gap}One{gap}<b>two</b>{gap}<i>three</i>{gap}<u>four</u>{gap}</div>");
    let named = format!("<button id=t aria-label=Go>{gap}One{gap}<b>two</b>{gap}<i>three</i>{gap}<u>four</u></button>");
    let long = format!("<div id=t onclick=0>{}<b id=b>Send 10 to Ann</b></div>", "of the terms ".repeat(20));
    let change = "$('b').textContent = 'Send 9999 to Bob'";
    case()
        .refuses(&[
            (&card, "", "0", false),
            (&named, "Go", "0", false),
            (&long, "", "0", false),
            (&long, "", change, true),
        ])
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_of_an_address_counts_that_is_of_nowhere() {
    let script = "<a id=t href='javascript://x/%0Aone' onclick='event.preventDefault()'>Go</a>";
    let long = format!("<a id=t href='data:text/plain,{}' onclick='event.preventDefault()'>Go</a>", "x".repeat(400));
    case()
        .refuses(&[
            (script, "Go", "$('t').href = 'javascript://x/%0Atwo'", true),
            (&long, "Go", "$('t').href = $('t').href.slice(0, -1) + 'y'", true),
            (&long, "Go", "0", false),
        ])
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_listeners_in_a_target_the_second_does_not_get_what_the_first_relabelled() {
    let mut case = case();
    case.open("<button id=t><span id=s>Approve</span></button>").await;
    let target = case.target("Approve").await;
    case.page("window.done = 0; $('s').addEventListener('click', () => { $('s').textContent = 'Reject' })");
    case.page("$('s').addEventListener('click', () => { window.done++ })");
    let outcome = case.agent.click(target, &Expect::Shown).await;
    assert_eq!(case.site.run("case", "window.done"), json!(0), "{outcome:?}");
    assert!(!outcome.confirmed(), "{outcome:?}");
}
