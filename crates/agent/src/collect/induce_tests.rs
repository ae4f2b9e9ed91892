//! Tables of structures, each with the exact rule and the exact items that come of them.

use crate::collect::induce::{Known, induce};
use crate::collect::rule::{Page, Rule};
use url::Url;

/// A page whose items are marked: `<a *href` is an example, `<a +href` an item that isn't shown as one.
struct Case {
    about: &'static str,
    pages: &'static [&'static str],
    rule: &'static str,
}

fn page(written: &str, number: usize) -> Page {
    let markup =
        format!("<html><head></head><body>{}</body></html>", written.replace("*href", "href").replace("+href", "href"));
    Page::read(&Url::parse(&format!("https://a.example/list?page={number}")).unwrap(), &markup)
}

/// Numbers of the links that are marked with one of these.
fn marked(written: &str, marks: &[char]) -> Vec<usize> {
    let links = written.match_indices("<a ").map(|(at, _)| written[at + 3..].chars().next().unwrap());
    links.enumerate().filter(|(_, mark)| marks.contains(mark)).map(|(number, _)| number).collect()
}

/// The rule that comes of a page with a few examples, and of further pages that are known as a whole.
fn learnt(written: &[&str]) -> (Rule, Vec<Page>) {
    let pages: Vec<Page> = written.iter().enumerate().map(|(at, text)| page(text, at + 1)).collect();
    let known: Vec<Known<'_>> = pages
        .iter()
        .enumerate()
        .map(|(at, page)| {
            let links: Vec<usize> = page.tree.all("a").collect();
            let marks: &[char] = if at == 0 { &['*'] } else { &['*', '+'] };
            Known {
                page,
                items: marked(written[at], marks).iter().map(|n| links[*n]).collect(),
                is_whole: at > 0,
                doubtful: Default::default(),
            }
        })
        .collect();
    (induce(&known).unwrap(), pages)
}

const CASES: &[Case] = &[
    Case {
        about: "navigation, a cell for adverts of another class, and a label",
        pages: &[
            "<nav><ul><li><a href='/h'>H</a></li><li><a href='/i'>I</a></li></ul></nav><main><ul class='results'><li class='item'><h3><a *href='/p/1'>1</a></h3></li><li class='ad'><h3><a href='/ad/1'>x</a></h3></li><li class='item odd'><h3><a *href='/p/2'>2</a></h3></li><li class='item'><h3><a +href='/p/3'>3</a></h3></li><li class='item'><h3><a href='/ad/2'>y</a></h3><i>Sponsored</i></li></ul></main>",
        ],
        rule: "ul.results > li.item > h3 > a",
    },
    Case {
        about: "no class at all: the list is told by what it stands in",
        pages: &[
            "<header><ul><li><a href='/h'>H</a></li></ul></header><div><ul><li><a *href='/1'>1</a></li><li><a *href='/2'>2</a></li><li><a +href='/3'>3</a></li></ul></div>",
        ],
        rule: "div > ul > li > a",
    },
    Case {
        about: "two links of a row, told apart by the second page",
        pages: &[
            "<table><tbody><tr><td><a *href='/p/1'>1</a></td><td><a href='/u/1'>Ann</a></td></tr><tr><td><a *href='/p/2'>2</a></td><td><a href='/u/2'>Bob</a></td></tr></tbody></table>",
            "<table><tbody><tr><td><a +href='/p/3'>3</a></td><td><a href='/u/1'>Ann</a></td></tr><tr><td><a +href='/p/4'>4</a></td><td><a href='/u/2'>Bob</a></td></tr></tbody></table>",
        ],
        rule: "tbody > tr > td > a[href^=\"/p/\"]",
    },
    Case {
        about: "the same by its place in the row, where addresses are alike",
        pages: &[
            "<table><tbody><tr><td><a *href='/1'>1</a></td><td><a href='/8'>Ann</a></td></tr><tr><td><a *href='/2'>2</a></td><td><a href='/9'>Bob</a></td></tr></tbody></table>",
            "<table><tbody><tr><td><a +href='/3'>3</a></td><td><a href='/8'>Ann</a></td></tr><tr><td><a +href='/4'>4</a></td><td><a href='/9'>Bob</a></td></tr></tbody></table>",
        ],
        rule: "tbody > tr > td:nth-of-type(1) > a",
    },
    Case {
        about: "adverts that say nothing of it, but have a class more",
        pages: &[
            "<div class='l'><div class='c'><a *href='/p/1'>1</a></div><div class='c x'><a href='/p/b'>x</a></div><div class='c'><a *href='/p/2'>2</a></div></div>",
            "<div class='l'><div class='c'><a +href='/p/3'>3</a></div><div class='c x'><a href='/p/c'>x</a></div></div>",
        ],
        rule: "div.l > div.c:not(.x) > a",
    },
    Case {
        about: "a box in the list that is told by what it holds",
        pages: &[
            "<div class='l'><div><a *href='/1'>1</a><time>now</time></div><div><a href='/b'>x</a></div><div><a *href='/2'>2</a><time>now</time></div></div>",
            "<div class='l'><div><a +href='/3'>3</a><time>now</time></div><div><a href='/c'>x</a></div></div>",
        ],
        rule: "div.l > div:has(time) > a",
    },
    Case {
        about: "a class of the first page alone is none of the rule",
        pages: &[
            "<ul class='l'><li class='i p1'><a *href='/1'>1</a></li><li class='i p1'><a *href='/2'>2</a></li></ul>",
            "<ul class='l'><li class='i p2'><a +href='/3'>3</a></li><li class='i p2'><a +href='/4'>4</a></li></ul>",
        ],
        rule: "ul.l > li.i > a",
    },
    Case {
        about: "two shapes in one list",
        pages: &[
            "<ul class='l'><li><a *href='/1'>1</a></li><li><b><a *href='/2'>2</a></b></li><li><a *href='/3'>3</a></li><li><b><a +href='/4'>4</a></b></li></ul>",
        ],
        rule: "ul.l > li > a, ul.l > li > b > a",
    },
    Case {
        about: "items in sections, none of which is the item",
        pages: &[
            "<div id='all'><section><h2>Mo</h2><p class='n'><a *href='/1'>1</a></p><p class='n'><a +href='/2'>2</a></p></section><section><h2>Tu</h2><p class='n'><a *href='/3'>3</a></p><p class='n'><a +href='/4'>4</a></p></section></div>",
        ],
        rule: "section > p.n > a",
    },
    Case {
        about: "the same item twice, and a picture that leads there too",
        pages: &[
            "<ul class='l'><li><a *href='/1'>1</a></li><li><a *href='/2#c'>2</a></li><li><a href='/1?utm_source=x'>1</a></li><li><a +href='/3'><img alt='Three'></a></li></ul>",
        ],
        rule: "ul.l > li > a",
    },
    Case {
        about: "links without anything around them, and hosts that are others'",
        pages: &[
            "<div class='l'><a *href='/1'>1</a><a *href='/2'>2</a><a href='https://b.example/x'>x</a><a hidden href='/trap'>t</a></div>",
        ],
        rule: "div.l > a",
    },
    Case {
        about: "names that CSS must be told with care",
        pages: &[
            "<ul class='md:l'><li class='w-1/2 2x'><a *href='/一'>一</a></li><li class='w-1/2 2x'><a *href='/二'>二</a></li></ul>",
        ],
        rule: "ul.md\\:l > li.\\32 x.w-1\\/2 > a",
    },
];

#[test]
fn a_rule_is_what_the_examples_have_in_common_and_takes_all_items_and_nothing_else() {
    for case in CASES {
        let (rule, pages) = learnt(case.pages);
        assert_eq!(rule.css(), case.rule, "{}", case.about);
        for (page, written) in pages.iter().zip(case.pages) {
            let links: Vec<usize> = page.tree.all("a").collect();
            let mut wanted: Vec<Url> =
                marked(written, &['*', '+']).iter().map(|n| page.leads(links[*n]).unwrap()).collect();
            let mut found: Vec<Url> = rule.items(page).into_iter().map(|item| item.url).collect();
            wanted.sort();
            found.sort();
            assert_eq!(found, wanted, "{}", case.about);
        }
    }
}

#[test]
fn the_whole_item_is_what_no_two_items_share() {
    for (written, wanted) in
        [(CASES[0].pages, "li"), (CASES[3].pages, "tr"), (CASES[8].pages, "p"), (CASES[10].pages, "a")]
    {
        let (rule, pages) = learnt(written);
        let items = rule.items(&pages[0]);
        assert_eq!(pages[0].tree.node(items[0].item).tag, wanted);
    }
}

#[test]
fn a_title_is_what_the_link_says_or_what_its_picture_does() {
    let (rule, pages) = learnt(CASES[9].pages);
    let titles: Vec<String> = rule.items(&pages[0]).into_iter().map(|item| item.title).collect();
    assert_eq!(titles, ["1", "2", "Three"]);
}

#[test]
fn adverts_are_items_where_they_are_asked_for() {
    let written = [
        "<ul class='l'><li class='ad'><a *href='/1'>1</a></li><li class='ad'><a *href='/2'>2</a></li><li><a href='/3'>3</a></li></ul>",
    ];
    let (rule, pages) = learnt(&written);
    assert_eq!((rule.css().as_str(), rule.items(&pages[0]).len()), ("ul.l > li.ad > a", 2));
    assert!(!rule.is_without_adverts);
}

#[test]
fn a_rule_survives_being_written_down() {
    for case in CASES {
        let (rule, _) = learnt(case.pages);
        let written = serde_json::to_string(&rule).unwrap();
        assert_eq!(serde_json::from_str::<Rule>(&written).unwrap(), rule);
    }
}
