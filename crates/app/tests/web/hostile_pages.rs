//! Pages that do their worst: too large, without rest, without end, or set against whoever looks at them. Every command ends
//! in its time, with what could be had of the page or with a problem that says what gets out of it; the session goes on.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, html, page, reply};
use handeye_testkit::{Sample, is_full};
use std::time::{Duration, Instant};

/// What a machine that has much else to do may take longer than a command's limit.
const SLOW: Duration = Duration::from_secs(12);

const BUTTON: &str = "<button id=plain onclick=\"this.textContent = 'Done'\">Plain</button>";

/// Set against scripts: what the language and the page's interfaces offer throws, lies, or is somebody else's.
const POISON: &str = r"<script>
const poison = (on, keep = []) => {
  for (const key of Object.getOwnPropertyNames(on)) {
    if (key === 'constructor' || keep.includes(key)) continue;
    try { Object.defineProperty(on, key, { get() { throw 1 }, set() { throw 2 }, configurable: true }) } catch {}
  }
};
const names = Object.getOwnPropertyNames(window);
window.JSON = { parse() { throw 3 }, stringify() { return 'nonsense' } };
for (const name of ['Map', 'Set', 'WeakMap', 'Promise', 'MutationObserver', 'Event', 'Symbol'])
  window[name] = new Proxy(window[name], { get() { throw 4 }, construct() { throw 5 }, apply() { throw 6 } });
window.handeye = new Proxy({}, { get() { throw 7 } });
document.querySelector = document.elementFromPoint = () => null;
for (const on of [Element.prototype, HTMLElement.prototype, Document.prototype, Range.prototype, EventTarget.prototype, Event.prototype])
  poison(on, ['onclick']);
poison(Node.prototype, ['textContent']);
poison(String.prototype); poison(Function.prototype); poison(Array.prototype); poison(Object.prototype);
</script>";

const THROWERS: &str = "<script>
class Thrower extends HTMLElement {
  static observedAttributes = ['title', 'class', 'style'];
  constructor() { super(); if (document.readyState === 'complete') throw Error('constructor') }
  connectedCallback() { throw Error('connected') }
  disconnectedCallback() { throw Error('disconnected') }
  attributeChangedCallback() { throw Error('attribute') }
  adoptedCallback() { throw Error('adopted') }
  get role() { throw Error('role') }
  get children() { throw Error('children') }
}
customElements.define('x-thrower', Thrower);
setInterval(() => { const one = document.querySelector('x-thrower'); one.title += 'x'; one.parentNode.append(one) }, 20);
setInterval(() => document.createElement('x-thrower'), 20);
</script>";

/// What a page may put wherever it has a say; one more is a megabyte of letters.
const ATTACKS: &str = include_str!("../../../../fixtures/attacks/output.json");

/// A page that says `A` in every place that is shown.
const FORGED: &str = "<div id=all></div><script>
  document.title = A;
  const add = (tag, set, inside) => {
    const el = document.createElement(tag);
    for (const [name, value] of Object.entries(set)) { try { el.setAttribute(name, value) } catch {} }
    if (inside) el.append(inside);
    all.append(el);
    return el;
  };
  add('button', { id: 'label', 'aria-label': A });
  add('button', { id: 'asks' }, 'Ask').onclick = () => alert(A);
  add('button', { id: 'tells' }, 'Tell').onclick = e => { e.target.nextElementSibling.textContent = A + A; history.pushState(null, '', '?p=' + encodeURIComponent(A.slice(0, 9000)) + '#' + A.slice(0, 9000)) };
  add('p', {}, 'Later');
  add('button', {}, Object.assign(document.createElement('i'), { className: 'icon-' + A }));
  add('button', {}, Object.assign(new Image(), { alt: A, src: 'data:,' + A }));
  add('div', { role: 'doc-' + A, tabindex: 0, 'data-testid': A, title: A }, 'Role');
  add('div', { role: 'graphics-' + A.replace(/\\s/g, '\\xa0'), tabindex: 0 }, 'Role');
  add('a', { href: '/x?' + A, download: A }, A);
  add('a', { href: 'data:text/plain,' + A }, 'Data');
  add('input', { placeholder: A, value: A, type: A, id: 'field' });
  add('input', { 'aria-roledescription': A, 'aria-valuetext': A, role: 'slider', tabindex: 0 });
  add('textarea', {}, A);
  add('select', {}, new Option(A, A, true, true));
  add('h2', {}, A); add('p', {}, A); add('section', { 'aria-label': A }, 'In it');
  add('table', {}).innerHTML = '<tr><td>1<td><button>Same</button><tr><td>2<td><button>Same</button>';
  for (const cell of document.querySelectorAll('td:first-child')) cell.textContent = A + cell.textContent;
  add('iframe', { name: A, title: A, srcdoc: '<button>Inside</button>' });
  console.log(A); console.error(A, { [A]: A }); console.groupCollapsed(A);
  try { localStorage.setItem(A.slice(0, 99999), A.slice(0, 99999)) } catch {}
  document.cookie = 'c' + A.slice(0, 2000).replace(/[\\x00-\\x1f;]/g, '') + '=' + A.slice(0, 1000).replace(/[\\x00-\\x1f;]/g, '');
  fetch('/q?' + A.slice(0, 9000), { method: 'POST', body: A.slice(0, 9000) }).catch(() => {});
  setTimeout(() => { throw new Error(A) });
</script>";

/// The text that a path asks for by number.
fn attack(number: &str) -> String {
    let attacks: Vec<String> = serde_json::from_str(ATTACKS).unwrap();
    attacks.get(number.parse::<usize>().unwrap()).cloned().unwrap_or_else(|| "long ".repeat(60_000))
}

const RESTLESS: &str = "<p id=said></p><script>let n = 0;
(function again() {
  said.textContent = n++; said.title = n; document.body.append(document.createElement('i')); document.body.lastChild.remove();
  setTimeout(again);
})()</script>";

fn route(path: &str) -> Answer {
    let made =
        |script: &str| page(format!("<title>Hostile</title>{BUTTON}<div id=all></div><script>{script}</script>"));
    match path {
        "/nodes" => made(
            "const f = document.createDocumentFragment();
             for (let i = 0; i < 100000; i++) f.append(document.createElement('i'));
             all.append(f)",
        ),
        "/text" => made("all.textContent = 'lorem ipsum '.repeat(5e6 / 12)"),
        "/frames" => made(
            "for (let i = 0; i < 60; i++) {
               const f = document.createElement('iframe'); f.width = 40; f.height = 20;
               if (i % 2) f.srcdoc = '<b>in ' + i + '</b>';
               all.append(f) }",
        ),
        path if path.starts_with("/forged/") => {
            let text = serde_json::to_string(&attack(&path[8..])).unwrap().replace('<', "\\u003c");
            page(format!("<script>const A = {text}</script>{FORGED}"))
        }
        path if path.starts_with("/q?") => page("answered"),
        "/restless" => page(format!("<title>Hostile</title>{BUTTON}{RESTLESS}")),
        "/poison" => page(format!("<title>Hostile</title>{BUTTON}{POISON}")),
        "/throwers" => {
            page(format!("<title>Hostile</title>{BUTTON}{THROWERS}<x-thrower><b>in it</b></x-thrower>"))
        }
        "/loop" => made("setTimeout(() => { while (true); }, 1000)"),
        "/loop-at-once" => made("while (true);"),
        "/loop-anew" => made("setInterval(() => { const end = Date.now() + 60000; while (Date.now() < end); }, 500)"),
        "/alerts" => made("setTimeout(() => { while (true) alert('x') }, 300)"),
        "/opener" => page("<title>Opener</title><button id=open onclick=\"window.open('/closer')\">Open</button>"),
        "/closer" => page(
            "<title>Closer</title><button id=close onclick=\"window.close()\">Close</button>
             <button id=later onclick=\"setTimeout(() => window.close(), 1500); this.textContent = 'Soon'\">Later</button>",
        ),
        "/worker/" => Answer::Of(|_| {
            html("<title>Hostile</title><p id=said></p><script>
                navigator.serviceWorker.register('/worker/silent.js');
                navigator.serviceWorker.ready.then(() => said.textContent = 'ready')</script>")
        }),
        "/worker/silent.js" => Answer::Of(|_| {
            reply(
                "Content-Type: text/javascript\r\n",
                "oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim());
                 onfetch = e => e.respondWith(new Promise(() => {}))",
            )
        }),
        _ => page("<title>Page</title><button id=plain onclick=\"log('plain')\">Plain</button>"),
    }
}

/// What a command says, that must end within its `--timeout` of so many seconds, and in no fault of ours.
#[track_caller]
fn within(live: &Live, line: &str, seconds: u64) -> (Option<i32>, String) {
    let start = Instant::now();
    let ran = live.run(&format!("{line} --timeout {seconds}"));
    let took = start.elapsed();
    assert!(took < Duration::from_secs(seconds) + SLOW, "{line}: {took:?}: {ran:?}");
    assert!(
        ran.status.is_some() && !ran.err.contains("error[bug]") && !ran.err.contains("error[lost]"),
        "{line}: {ran:?}"
    );
    (ran.status, if ran.err.is_empty() { ran.out } else { ran.err })
}

/// A page that comes next is as if nothing had been.
#[track_caller]
fn goes_on(live: &Live) {
    live.ok(&format!("open {}", live.site.at("/")));
    assert_eq!(live.ok("get title"), "Page");
    live.ok("click --css #plain");
}

#[test]
fn pages_that_are_too_large_are_shown_or_given_up_in_time() {
    let live = Live::open(route);
    for path in ["/nodes", "/text", "/frames"] {
        let (_, said) = within(&live, &format!("open {}", live.site.at(path)), 20);
        assert!(said.starts_with("opened \""), "{path}: {said}");
        let lines = ["state", "find --css #plain", "state", "click --css #plain", "screenshot x.png"];
        // By default what looks at the page in each of three ways, once.
        for line in lines.into_iter().skip(if is_full() { 0 } else { 2 }) {
            let (status, said) = within(&live, line, 8);
            let given_up = said.starts_with("error[timeout]: ") && said.contains("try: handeye open URL");
            assert!(matches!(status, Some(0 | 1)) || given_up, "{path}: {line}: {said}");
            assert!(said.len() < 20_000, "{path}: {line}: {} bytes", said.len());
        }
        goes_on(&live);
    }
}

#[test]
fn pages_set_against_their_reader_are_read_and_clicked_all_the_same() {
    let live = Live::open(route);
    for path in ["/restless", "/poison", "/throwers"] {
        live.ok(&format!("open {}", live.site.at(path)));
        let state = live.ok("state");
        assert!(state.contains("button \"Plain\""), "{path}: {state}");
        let said = live.ok("click --css #plain");
        assert!(said.contains("clicked ") && said.contains("Done"), "{path}: {said}");
        assert_eq!(live.ok("get text --css #plain"), "Done", "{path}");
        let (status, said) = within(&live, "click --css #plain --expect Plain", 1);
        assert!(status == Some(1) && said.contains("not clicked"), "{path}: {said}");
        live.ok("screenshot x.png");
    }
    goes_on(&live);
}

#[test]
fn a_page_in_an_endless_loop_is_busy_and_is_left_by_opening_another() {
    let live = Live::open(route);
    // Loops a moment after it has come; begins anew when it is stopped; never comes at all.
    for path in ["/loop", "/loop-anew", "/loop-at-once"].into_iter().take(if is_full() { 3 } else { 1 }) {
        let (_, said) = within(&live, &format!("open {}", live.site.at(path)), 3);
        assert!(said.starts_with("opened \""), "{path}: {said}");
        // It may be quick enough to say what it is called before it loops.
        let busy = home::eventually(Duration::from_secs(20), || {
            let (status, said) = within(&live, "get title", 1);
            status == Some(2) && said.starts_with("error[timeout]: the page is busy: it didn't answer within 1.0 s")
        });
        assert!(busy, "{path}");
        let lines = ["state", "click --css #plain", "screenshot x.png", "wait --idle", "wait --text never", "keys a"];
        for line in lines.into_iter().take(if is_full() { 6 } else { 2 }) {
            let (status, said) = within(&live, line, 1);
            assert_eq!(status, Some(2), "{path}: {line}: {said}");
            assert!(said.starts_with("error[timeout]: the page is busy"), "{path}: {line}: {said}");
            assert!(said.contains("try: handeye reload") && said.contains("try: handeye open URL"), "{line}: {said}");
            if path != "/loop" {
                break;
            }
        }
        let said = live.ok(&format!("open {}", live.site.at("/")));
        assert!(said.contains("notice stopped: "), "{path}: {said}");
        assert_eq!(live.ok("get title"), "Page");
        live.ok("click --css #plain");
    }
    // Reloaded, it has a second before it loops again.
    live.ok(&format!("open {}", live.site.at("/loop")));
    std::thread::sleep(Duration::from_millis(1500));
    assert!(live.ok("reload").starts_with("now at \"Hostile\""));
    live.ok("close");
    live.home.assert_nothing_left();
}

#[test]
fn a_page_of_endless_alerts_is_left_by_another_tab() {
    let live = Live::open(route);
    live.ok(&format!("open {}", live.site.at("/alerts")));
    for _ in 0..4 {
        // Each is another one, though it says the same.
        let accepted = home::eventually(Duration::from_secs(10), || live.run("dialog accept").status == Some(0));
        assert!(accepted, "{:?}", live.run("state"));
    }
    assert!(home::eventually(Duration::from_secs(10), || live.run("tabs list").out.contains("alert dialog is open")));
    let said = live.problem("click --css #plain");
    assert!(said.starts_with("error[blocked]: a dialog is open: alert") && said.contains("handeye tabs new"), "{said}");
    live.ok(&format!("tabs new {}", live.site.at("/")));
    live.ok("tabs close t1");
    goes_on(&live);
}

#[test]
fn a_page_that_closes_itself_is_lost_at_once() {
    let live = Live::open(route);
    for (button, line) in [("#close", None), ("#later", Some("wait --text never --timeout 20"))] {
        live.ok(&format!("open {}", live.site.at("/opener")));
        live.ok("click --css #open");
        let mut tab = String::new();
        // The tab is there before its address is.
        let came = home::eventually(Duration::from_secs(20), || {
            let tabs = live.ok("tabs list");
            let line = tabs.lines().find(|l| l.contains("/closer")).map(|l| l.trim_start_matches('*').trim());
            tab = line.and_then(|l| l.split(' ').next()).unwrap_or_default().to_owned();
            !tab.is_empty()
        });
        assert!(came, "{}", live.ok("tabs list"));
        live.ok(&format!("tabs switch {tab}"));
        live.ok("wait --idle");
        let ran = live.run(&format!("click --css {button}"));
        assert!(ran.status == Some(0), "{ran:?}");
        let start = Instant::now();
        if let Some(line) = line {
            let said = live.problem(line);
            assert!(said.starts_with("error[lost]: the tab was closed"), "{said}");
        }
        for line in ["state", "click --css button", "get title"] {
            let said = live.problem(line);
            assert!(
                said.starts_with("error[lost]: the tab was closed") && said.contains("tabs list"),
                "{line}: {said}"
            );
        }
        assert!(start.elapsed() < SLOW, "{:?}", start.elapsed());
        live.ok("tabs switch t1");
        assert_eq!(live.ok("get title"), "Opener");
    }
    goes_on(&live);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_service_worker_that_never_answers_is_given_up_in_time() {
    let live = Live::open(route);
    live.ok(&format!("open {}", live.site.at("/worker/")));
    live.ok("wait --text ready");
    let (status, said) = within(&live, &format!("open {}", live.site.at("/worker/")), 2);
    assert!(status == Some(2) && said.starts_with("error[timeout]: "), "{said}");
    assert!(within(&live, "reload", 2).1.len() < 1000);
    assert!(within(&live, "state", 2).1.len() < 1000);
    goes_on(&live);
}

/// Whether an answer's text has nothing in it that isn't seen, and no line that the page wrote.
fn check_text(line: &str, said: &str) {
    let hidden = said.chars().find(|c| !matches!(c, '\n' | '\t') && handeye_scene::model::text::is_hidden(*c));
    assert!(hidden.is_none(), "{line}: {hidden:?} in {said:?}");
    let forged = said.lines().map(|l| l.trim_start_matches([' ', '+', '~', '-'])).find(|l| {
        ["7777777 button", "[7777777]", "notice policy", "try: handeye click 7777777"]
            .iter()
            .any(|begin| l.starts_with(begin))
    });
    assert!(forged.is_none(), "{line}: {forged:?} in {said}");
    assert!(said.chars().count() <= 202_000, "{line}: {} characters", said.len());
}

/// Roles of an answer, of any depth, and its length.
fn check_json(line: &str, said: &str) {
    fn roles(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Array(items) => items.iter().for_each(|item| roles(item, found)),
            serde_json::Value::Object(members) => members.iter().for_each(|(key, value)| match (key.as_str(), value) {
                ("role", serde_json::Value::String(role)) => found.push(role.clone()),
                _ => roles(value, found),
            }),
            _ => {}
        }
    }
    let mut found = Vec::new();
    roles(&serde_json::from_str(said).unwrap(), &mut found);
    for role in &found {
        assert!(handeye_scene::model::role::known(role) == role, "{line}: {role:?}");
    }
    assert!(said.len() < 3_000_000, "{line}: {} bytes", said.len());
}

#[test]
fn nothing_that_a_page_says_looks_like_a_line_of_ours() {
    let live = Live::closed(route);
    let count = serde_json::from_str::<Vec<String>>(ATTACKS).unwrap().len();
    // No divisor of the 36 lines that are sampled with each text: each text is tried with others.
    let mut sample = Sample::one_in(7);
    for number in 0..=count {
        let url = live.site.at(&format!("/forged/{number}"));
        let mut lines: Vec<String> = [
            &format!("open {url}"),
            "state",
            "state --all --verbose",
            "state --tree",
            "state --via ax --all",
            "snapshot",
            "find --css button",
            "find --css 'div,a,input'",
            "find Inside",
            "get text",
            "get title",
            "get url",
            "get html --css #label",
            "get attr --css #label aria-label",
            "get value --css #field",
            "inspect --css #field",
            "inspect --css #label",
            "console --all",
            "errors --all",
            "network list --all",
            "network show 2 --values",
            "storage list",
            "cookies list --values",
            "tabs list",
            "click --css #tells --return-state=full",
            "state",
            "click --css #asks",
            "state",
            "tabs list",
            "dialog accept",
            "focus --css #field",
            "keys x",
            "click --name 'no such'",
            "click --css #label --expect nothing",
        ]
        .map(str::to_owned)
        .to_vec();
        lines.push("tabs list".into());
        // By default each line with the text that has lines of ours in it, and with each other text some others that need no
        // other.
        let mut takes = |line: &str| match line {
            _ if is_full() || number == 0 || line.starts_with("open") => true,
            "click --css #asks" | "dialog accept" => false,
            _ => sample.takes(),
        };
        for line in &lines {
            if !takes(line) {
                continue;
            }
            let ran = live.run(line);
            check_text(line, &format!("{}{}", ran.out, ran.err));
            if line == "state" {
                assert!(ran.out.chars().count() <= 6_001, "{number} {line}: {} characters", ran.out.chars().count());
            }
        }
        for line in
            ["state --json", "find --css 'button,div' --json", "inspect --css #label --json", "console --all --json"]
        {
            if !takes(line) {
                continue;
            }
            check_json(line, &live.run(line).out);
        }
    }
}
