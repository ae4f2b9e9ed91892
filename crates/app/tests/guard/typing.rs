//! Text goes into the field it was meant for, or nowhere: not into the one that the page puts in its way.

use handeye_testkit::Sample;
use handeye_testkit::stage::{self, Agent, Expect, Outcome, PLACES, Site, encoded, say};
use serde_json::{Value, json};

const HTML: &str = "<label><span id=l>Name</span> <input id=a></label> <label>Search <input id=b></label> \
                    <label>Note <textarea id=c></textarea></label> \
                    <div id=d contenteditable aria-label=Rich style='border:1px solid'></div>";

/// What the page does when the field takes the focus or the text. `F` is the field; each happens once.
const TRICKS: [&str; 12] = [
    "F.addEventListener('focus', () => $('b').focus(), {once: true})",
    "F.addEventListener('focus', () => queueMicrotask(() => $('b').focus()), {once: true})",
    "F.addEventListener('focus', () => setTimeout(() => $('b').focus()), {once: true})",
    "F.addEventListener('focus', () => requestAnimationFrame(() => $('b').focus()), {once: true})",
    "F.addEventListener('keydown', () => $('b').focus(), {once: true})",
    "F.addEventListener('keypress', () => $('b').focus(), {once: true})",
    "F.addEventListener('beforeinput', () => $('b').focus(), {once: true})",
    "F.addEventListener('input', () => $('b').focus(), {once: true})",
    "F.addEventListener('beforeinput', () => { $('b').focus(); $('b').select() }, {once: true, capture: true})",
    "document.addEventListener('selectionchange', () => $('b').focus(), {once: true})",
    "window.addEventListener('keydown', () => $('c').focus(), {once: true, capture: true})",
    "F.addEventListener('focus', () => { const n = F.cloneNode(true); n.value = ''; F.replaceWith(n); n.focus() }, {once: true})",
];

/// What all fields but one hold.
const OTHERS: &str = "[...root.querySelectorAll('input, textarea, [contenteditable]')].filter(f => f !== window.field) \
                      .map(f => f.value ?? f.textContent).join('')";

/// Puts the text in: as a whole, or key by key.
async fn put(agent: &mut Agent, command: &str, number: u32, expect: &Expect) -> Outcome {
    match command {
        "input" => agent.act("input", number, expect, json!({ "text": "secret" })).await,
        _ => agent.type_into(number, expect, "secret").await,
    }
}

struct Bench {
    site: Site,
    agent: Agent,
    tried: usize,
    done: usize,
}

impl Bench {
    /// Types into a field of a fresh page that plays a trick; fails when anything comes out elsewhere.
    async fn try_one(&mut self, place: stage::Place, field: &str, trick: &str, command: &str, expect: &Expect) {
        let before = self.site.arrivals("case");
        self.agent.open(&place.url(&self.site, "/case", &format!("&html={}", encoded(HTML)))).await;
        self.site.arrived("case", before);
        let name = if field == "a" { "Name" } else { "Rich" };
        let number = self.agent.see(name).await;
        let script = format!("{{ window.field = $('{field}'); {}; }}; null", trick.replace('F', "window.field"));
        self.site.run("case", &script);
        let outcome = put(&mut self.agent, command, number, expect).await;
        let leaked = self.site.run("case", OTHERS);
        let what = format!("{place:?}, {command} into {field}, {trick}: {outcome:?}");
        assert_eq!(leaked, Value::from(""), "text leaked: {what}");
        let holds =
            self.site.run("case", "window.field.isConnected ? window.field.value ?? window.field.textContent : ''");
        self.tried += 1;
        if outcome.confirmed() {
            self.done += 1;
            assert_eq!(holds, Value::from("secret"), "said to be done: {what}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_never_ends_up_in_another_field() {
    let mut bench = Bench { site: Site::new(), agent: Agent::new(), tried: 0, done: 0 };
    // Each trick once at least.
    let mut sample = Sample::one_in(13);
    for place in PLACES {
        for (i, trick) in TRICKS.iter().enumerate() {
            let expect = if i % 2 == 0 { Expect::Shown } else { Expect::Text("Name") };
            let rich = (i % 3 == 0).then_some(("d", "input", &Expect::Shown));
            for (field, command, expect) in [("a", "input", &expect), ("a", "type", &expect)].into_iter().chain(rich) {
                if sample.takes() {
                    bench.try_one(place, field, trick, command, expect).await;
                }
            }
        }
    }
    say(&format!("typing: {} tricks played, {} confirmed, none leaked", bench.tried, bench.done));
    bench.tried = 0;
    bench.done = 0;
    // Without a trick all of it arrives.
    let mut sample = Sample::one_in(5);
    for place in PLACES {
        for (field, command) in [("a", "input"), ("a", "type"), ("d", "input"), ("d", "type")] {
            if sample.takes() {
                bench.try_one(place, field, "null", command, &Expect::Shown).await;
            }
        }
    }
    assert_eq!(bench.done, bench.tried, "text was kept from an undisturbed field");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_that_is_relabelled_takes_no_text() {
    let site = Site::new();
    let mut agent = Agent::new();
    let relabel = "$('l').textContent = 'Card number'";
    let mut sample = Sample::one_in(7);
    for place in PLACES {
        for (how, expect) in [
            (relabel.to_owned(), Expect::Shown),
            (relabel.to_owned(), Expect::Text("Name")),
            (format!("$('a').addEventListener('focus', () => {{ {relabel} }})"), Expect::Shown),
            (format!("$('a').addEventListener('beforeinput', () => {{ {relabel} }}, true)"), Expect::Text("Name")),
            (format!("window.addEventListener('keydown', () => {{ {relabel} }}, true)"), Expect::Shown),
        ] {
            for command in ["input", "type"] {
                if !sample.takes() {
                    continue;
                }
                let before = site.arrivals("case");
                agent.open(&place.url(&site, "/case", &format!("&html={}", encoded(HTML)))).await;
                site.arrived("case", before);
                let number = agent.see("Name").await;
                let watch =
                    "window.labels = []; $('a').addEventListener('input', () => labels.push($('l').textContent))";
                site.run("case", &format!("{{ {how}; {watch} }}; null"));
                let outcome = put(&mut agent, command, number, &expect).await;
                let labels = site.run("case", "labels.filter(label => label !== 'Name').length");
                assert_eq!(labels, 0, "{place:?} {command} {how}: {outcome:?}");
                // The insertion of `input` is no key, so what waits for keys doesn't touch it; and a frame of another
                // process may be told of its focus only once the text is in.
                let early = how.contains("keydown") && command == "input" || how.contains("focus");
                assert!(early || !outcome.confirmed(), "{place:?} {command} {how}: {outcome:?}");
                let held = site.run("case", "$('a').value");
                // Keys go in one by one: a label that changes among them stops the rest, and the receipt says so.
                let begun = outcome.text.contains("begun and then withheld");
                let fits = if outcome.confirmed() { held == "secret" } else { held == "" || begun };
                assert!(fits, "{place:?} {command} {how}: holds {held}: {outcome:?}");
            }
        }
    }
}

/// More events than are told one by one: the first that was held back is told all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_text_that_was_cut_off_is_not_called_typed() {
    let (site, mut agent) = (Site::new(), Agent::new());
    agent.open(&stage::Place::Main.url(&site, "/case", &format!("&html={}", encoded(HTML)))).await;
    site.arrived("case", 0);
    let number = agent.see("Name").await;
    // Between two keys, whatever else there is to do: a timer may have to wait for all of them.
    let away = "$('a').addEventListener('keyup', () => { if ($('a').value.length === 160) $('b').focus() }); null";
    site.run("case", away);
    let outcome = agent.type_into(number, &Expect::Shown, &"x".repeat(300)).await;
    let held = site.run("case", "$('a').value.length");
    let whole = held == json!(300);
    assert_eq!(outcome.confirmed(), whole, "{held}: {outcome:?}");
    assert!(!whole, "the page never took the focus away");
}
