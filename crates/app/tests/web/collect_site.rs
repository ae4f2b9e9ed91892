//! A list of many pages, made of real text: adverts of several kinds and repeated items between the items, five styles of paging, a
//! page that fails twice. A style and the number of pages stand in the address: `/next/10`.

use handeye_testkit::Dice;
use handeye_testkit::live::{Answer, Asked, Reply, html};
use handeye_testkit::models::{self, ModelServer};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Items of a page.
pub(crate) const EACH: usize = 20;
/// The page that fails.
const FAILS: usize = 4;
/// How often.
const TIMES: u32 = 2;

const TEXTS: [&str; 5] = [
    include_str!("../../../../ARCHITECTURE.md"),
    include_str!("../../../../docs/commands.md"),
    include_str!("../../../../docs/models.md"),
    include_str!("../../../../LICENSE-APACHE"),
    include_str!("../../../../CONTRIBUTING.md"),
];

/// Whether the person has dealt with the captcha.
static PASSED: AtomicBool = AtomicBool::new(false);
static FAILED: Mutex<Option<HashMap<String, u32>>> = Mutex::new(None);

/// Words of the texts, a few at a time.
fn words(number: usize) -> String {
    let mut dice = Dice::new(number as u64);
    let text = TEXTS[dice.below(TEXTS.len())];
    let all: Vec<&str> = text.split_whitespace().filter(|word| word.chars().all(char::is_alphanumeric)).collect();
    let from = dice.below(all.len() - 7);
    all[from..from + 3 + dice.below(4)].join(" ")
}

/// The title of an item: every third in Chinese as well.
pub(crate) fn title(number: usize) -> String {
    let more = if number.is_multiple_of(3) { "项目 " } else { "" };
    format!("{more}{} {number}", words(number))
}

/// The path of an item.
pub(crate) fn path(number: usize) -> String {
    format!("/p/{number}-{}", number * 7 % 13)
}

/// The date of an item.
pub(crate) fn date(number: usize) -> String {
    format!("2024-{:02}-{:02}", number % 12 + 1, number % 28 + 1)
}

fn card(class: &str, href: &str, title: &str, more: &str) -> String {
    format!("<li class=\"{class}\"><h3 class=title><a href=\"{href}\">{title}</a></h3>{more}</li>\n")
}

/// What a page of the list holds: its items, with adverts and items of before between them.
fn cards(page: usize, is_first_of_all: bool) -> String {
    let mut out = String::new();
    let from = (page - 1) * EACH + 1;
    let person = |number: usize| format!("<a class=by href=/u/{}>Ann {}</a>", number % 5, number % 5);
    for number in from..from + EACH {
        let class = if number.is_multiple_of(2) { "card even" } else { "card" };
        let about = format!("<p><time>{}</time> {}</p>", date(number), person(number));
        out += &card(class, &format!("{}?utm_source=list&utm_medium=p{page}", path(number)), &title(number), &about);
        let place = number - from;
        let offer = format!("Offer {} {number}", words(number + 100_000));
        match place {
            // Says so by a class, by `rel`, by a label, and not at all.
            2 => out += &card("card ad", &format!("/offers/{number}"), &offer, &about),
            5 => {
                out += &format!(
                    "<li class=card><h3 class=title><a rel=sponsored href=/p/x{number}>{offer}</a></h3>{about}</li>"
                )
            }
            9 => out += &card("card", &format!("/p/y{number}"), &offer, "<small>Sponsored</small>"),
            12 => out += &card("card wide", &format!("/p/z{number}"), &offer, &about),
            14 => out += &card("card", "http://ads.invalid/x", &offer, &about),
            // An item of this page again, and one of the page before.
            16 => out += &card("card", &format!("{}?gclid=5#top", path(from)), &title(from), &about),
            18 if !is_first_of_all => out += &card("card", &path(from - 1), &title(from - 1), &about),
            _ => {}
        }
    }
    out
}

fn around(list: &str, pager: &str) -> String {
    format!(
        "<title>Projects</title><nav><ul class=menu><li><a href=/>Home</a></li><li><a href=/about>About 关于</a></li></ul></nav>
<main><h1>Projects</h1><p class=sort><a href=?sort=name>By name</a></p><ul class=results id=list>{list}</ul>{pager}</main>
<aside><ul><li><h3><a href=/p/popular>Popular project</a></h3></li><li><h3><a href=/p/other>Another one</a></h3></li></ul></aside>"
    )
}

/// Numbers as such lists show them: the first, those around the current one, the last.
fn numbers(page: usize, last: usize) -> String {
    let mut out = "<ol class=pages>".to_owned();
    for number in (1..=last).filter(|n| *n == 1 || *n == last || n.abs_diff(page) <= 2) {
        match number == page {
            true => out += &format!("<li><span class=current>{number}</span></li>"),
            false => out += &format!("<li><a href=\"?page={number}\">{number}</a></li>"),
        }
    }
    out + "</ol>"
}

/// Fetches a part; what fails is told, and can be tried again.
const SCRIPT: &str = "<p id=said></p><script>
let at = 1, busy = false
const get = async () => {
  if (busy || at >= LAST) return
  busy = true
  try {
    const answer = await fetch('/part/' + (at + 1))
    if (!answer.ok) throw new Error(answer.status)
    list.insertAdjacentHTML('beforeend', await answer.text())
    at++
    said.textContent = ''
  } catch (e) { said.textContent = 'That failed' }
  busy = false
  shown?.()
}
</script>";
const MORE: &str = "<button id=more onclick=get()></button><script>
const shown = () => { more.textContent = `Load more (${LAST - at} pages left)`; more.hidden = at >= LAST }
shown()
</script>";
const PRESS: &str = "<button id=more onclick=get()>下一页</button><script>
const shown = () => { more.disabled = at >= LAST }
</script>";
const SCROLL: &str = "<div id=end style='height: 40px'></div><script>
const shown = null
new IntersectionObserver(seen => seen[0].isIntersecting && get()).observe(end)
</script>";

/// Where the link of a page leads, on sites that have one.
fn next(style: &str, last: usize, page: usize) -> Option<String> {
    match (style, page) {
        ("loop", 3) => Some("?page=2".to_owned()),
        ("skip", 3) => Some("?page=5".to_owned()),
        ("forbidden", 3) => Some(format!("/private/{last}?page=4")),
        ("sent", 3) => Some(format!("/moved/{last}?page=4")),
        ("around", page) if page == last => Some(format!("/around/{last}")),
        _ => (page < last).then(|| format!("?page={}", page + 1)),
    }
}

/// The page of the list that a site shows as this one: sites err.
fn shown_as(style: &str, last: usize, page: usize) -> usize {
    match style {
        // From the middle on the page before it again, and no other.
        "stuck" if page > 3 => 3,
        // One page twice, and the one behind it where it should be.
        "repeat" if page > 3 => page - 1,
        // From the end to the middle.
        "reorder" if page > 2 => last + 3 - page,
        _ => page,
    }
}

fn list(style: &str, last: usize, page: usize) -> Reply {
    if page > last {
        return html(&around("<li>No projects here</li>", ""));
    }
    let pager = match style {
        "numbers" => numbers(page, last),
        "more" => format!("{}{}", SCRIPT.replace("LAST", &last.to_string()), MORE.replace("LAST", &last.to_string())),
        "press" => {
            let script = SCRIPT.replace(
                "list.insertAdjacentHTML('beforeend', await answer.text())",
                "list.innerHTML = await answer.text()",
            );
            format!("{}{}", script.replace("LAST", &last.to_string()), PRESS.replace("LAST", &last.to_string()))
        }
        "scroll" => format!("{}{SCROLL}", SCRIPT.replace("LAST", &last.to_string())),
        "captcha" if page == FAILS && !PASSED.load(Ordering::Relaxed) => {
            return html("<title>Wait</title><h1>Verify you are human</h1><div class=g-captcha></div>");
        }
        "login" if page == FAILS => {
            return html("<title>Log in</title><form><input name=n><input type=password></form>");
        }
        "parameter" => String::new(),
        "led" => {
            let to = if page == 3 { format!("/private/{last}?page=4") } else { format!("?page={}", page + 1) };
            format!("<button onclick=\"location = '{to}'\">下一页</button>")
        }
        _ => {
            let next = next(style, last, page).map(|to| format!("<a class=step href=\"{to}\">下一页 ›</a>"));
            let back = (page > 1).then(|| format!("<a class=step href=\"?page={}\">‹ 上一页</a>", page - 1));
            format!("<p>{} {}</p>", back.unwrap_or_default(), next.unwrap_or_default())
        }
    };
    html(&around(&cards(shown_as(style, last, page), page == 1), &pager))
}

/// Whether a page is one that fails this time.
fn fails(path: &str, page: usize) -> bool {
    let mut failed = FAILED.lock().unwrap();
    let count = failed.get_or_insert_default().entry(path.to_owned()).or_insert(0);
    *count += 1;
    page == FAILS && *count <= TIMES
}

/// When pages of lists were asked for, by style.
static ASKED: Mutex<Vec<(String, Instant)>> = Mutex::new(Vec::new());

/// The shortest time between two pages that were asked for, of lists of a style.
pub(crate) fn shortest_pause(style: &str) -> Option<Duration> {
    let asked = ASKED.lock().unwrap();
    let own: Vec<Instant> = asked.iter().filter(|(of, _)| of == style).map(|(_, at)| *at).collect();
    own.windows(2).map(|two| two[1] - two[0]).min()
}

fn serve(asked: &Asked) -> Reply {
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let asked_page = query.split('&').find_map(|pair| pair.strip_prefix("page=")?.parse().ok());
    let reply = match parts[..] {
        ["moved", last] => {
            let head = format!("Location: /private/{last}?{query}\r\n");
            return Reply { status: "302 Found", head, ..html("") };
        }
        ["part", page] => {
            ASKED.lock().unwrap().push(("part".to_owned(), Instant::now()));
            let page: usize = page.parse().unwrap();
            (
                page,
                Reply { head: "Content-Type: text/html\r\n".into(), body: cards(page, false).into(), status: "200 OK" },
            )
        }
        [style, last] => {
            let page = asked_page.unwrap_or(1);
            ASKED.lock().unwrap().push((style.to_owned(), Instant::now()));
            (page, list(style, last.parse().unwrap_or(1), page))
        }
        ["pass"] => {
            PASSED.store(true, Ordering::Relaxed);
            return html("<title>Passed</title><p>Thank you");
        }
        _ => return html("<title>Elsewhere</title><p>Nothing"),
    };
    if fails(&asked.path, reply.0) {
        return Reply { status: "503 Busy", ..html("<title>Busy</title><p>Come back later") };
    }
    reply.1
}

/// The site.
pub(crate) fn route(path: &str) -> Answer {
    match path {
        "/robots.txt" => Answer::Of(|_| {
            handeye_testkit::live::reply("Content-Type: text/plain\r\n", "User-agent: *\nDisallow: /private\n")
        }),
        "/gone" => Answer::Status("404 Not Found", "<p>Gone".to_owned()),
        _ => Answer::Of(serve),
    }
}

/// The pause that a site asks for.
pub(crate) const PAUSE: Duration = Duration::from_secs(2);

/// The same site where it asks for a pause.
pub(crate) fn patient(path: &str) -> Answer {
    let rules = |_: &Asked| {
        let text = format!("User-agent: *\nCrawl-delay: {}\n", PAUSE.as_secs());
        handeye_testkit::live::reply("Content-Type: text/plain\r\n", text)
    };
    if path == "/robots.txt" { Answer::Of(rules) } else { route(path) }
}

/// Titles of all items.
pub(crate) fn is_title(text: &str) -> bool {
    let number = text.rsplit(' ').next().and_then(|number| number.parse::<usize>().ok());
    number.is_some_and(|number| title(number) == text)
}

/// The items that a state shows, by number.
pub(crate) fn shown(asked: &models::Asked) -> Vec<(u64, String)> {
    let state = asked.text.rsplit("=====data").find(|part| part.contains("\npage \"")).unwrap_or_default();
    let mut found: Vec<(u64, String)> = Vec::new();
    for line in state.lines() {
        let Some((number, rest)) = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("] link \""))
        else {
            continue;
        };
        let Some((name, _)) = rest.rsplit_once('"') else { continue };
        if let (Ok(number), true) = (number.parse(), is_title(name)) {
            found.push((number, name.to_owned()));
        }
    }
    found
}

/// A call that picks these.
pub(crate) fn pick(items: &[(u64, String)]) -> models::Answer {
    let (numbers, texts): (Vec<u64>, Vec<&str>) = items.iter().map(|(number, text)| (*number, text.as_str())).unzip();
    call(&json!({"mark_ids": numbers, "expected_texts": texts, "reasoning": "they are projects"}))
}

/// A call with these arguments.
pub(crate) fn call(arguments: &Value) -> models::Answer {
    models::Answer::Call(vec![("pick_items".to_owned(), arguments.to_string())])
}

/// Whether all items of a page are asked for.
pub(crate) fn wants_all(asked: &models::Asked) -> bool {
    asked.from_person().iter().rev().find(|text| text.contains("Pick")).is_some_and(|text| text.contains("ALL"))
}

/// A model that makes no mistake.
pub(crate) fn careful(asked: &models::Asked) -> models::Answer {
    let items = shown(asked);
    if wants_all(asked) { pick(&items) } else { pick(&[items[0].clone(), items[4].clone(), items[9].clone()]) }
}

/// A model that errs in every way, and still answers within six calls.
pub(crate) fn careless(asked: &models::Asked) -> models::Answer {
    let items = shown(asked);
    let few = [items[0].clone(), items[6].clone(), items[10].clone()];
    match asked.number {
        0 => call(&json!({"mark_ids": [items[0].0, items[1].0], "expected_texts": [items[0].1], "reasoning": "r"})),
        1 => models::Answer::Call(vec![("pick_items".to_owned(), "{\"mark_ids\": [1, 2".to_owned())]),
        2 => {
            let wrong = [(items[2].0, items[3].1.clone()), (99_999, items[4].1.clone())];
            pick(&[few.to_vec(), wrong.to_vec()].concat())
        }
        // Leaves items out, until it is asked about them.
        3 => pick(&items[..items.len() / 2]),
        _ => pick(&items),
    }
}

/// What stands in handeye.toml for a model server.
pub(crate) fn settings(server: &ModelServer) -> String {
    let mut out = String::new();
    write!(out, "[models]\nurl = \"{}\"\nmodel = \"agent-1\"\nkey_env = \"AGENT_KEY\"\nattempts = 1\n", server.url())
        .unwrap();
    out
}
