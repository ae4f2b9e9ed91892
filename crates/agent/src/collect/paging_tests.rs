//! A table of what stands around lists, each with what leads on from there.

use crate::collect::induce::{Known, induce};
use crate::collect::paging::{Way, control, more_control, number_of, numbers, ways};
use crate::collect::rule::{Page, Rule};
use url::Url;

/// A page with a list of two items and something around it, and the rule for the items.
fn page(url: &str, around: &str) -> (Page, Rule) {
    let list = "<ul class='l'><li><a href='/p/1'>Next steps</a></li><li><a href='/p/2'>2</a></li></ul>";
    let markup = format!("<html><body>{list}{around}</body></html>");
    let page = Page::read(&Url::parse("https://a.example").unwrap().join(url).unwrap(), &markup);
    let items = page.tree.all("a").take(2).collect();
    let rule = induce(&[Known { page: &page, items, is_whole: false, doubtful: Default::default() }]).unwrap();
    (page, rule)
}

#[test]
fn what_leads_on_is_found_the_likeliest_first() {
    let next = "next_link";
    for (url, around, named, wanted) in [
        ("/l", "<a href='?page=2'>Next ›</a>", None, vec![next, "scroll", "parameter"]),
        ("/l", "<a href='?page=2'>下一页</a>", None, vec![next, "scroll", "parameter"]),
        ("/l", "<a rel='next' href='?page=2'>x</a>", None, vec![next, "scroll", "parameter"]),
        ("/l", "<a aria-label='Next page' href='?page=2'><svg></svg></a>", None, vec![next, "scroll", "parameter"]),
        ("/l", "<p class='pager-next'><a href='?page=2'><i></i></a></p>", None, vec![next, "scroll", "parameter"]),
        ("/l", "<button>»</button>", None, vec![next, "scroll", "parameter"]),
        // Switched off, hidden, or the same page: nothing.
        ("/l", "<a class='disabled' href='?page=2'>Next</a>", None, vec!["scroll", "parameter"]),
        ("/l", "<li class='disabled'><a href='?page=2'>Next</a></li>", None, vec!["scroll", "parameter"]),
        ("/l", "<button disabled=''>Next</button>", None, vec!["scroll", "parameter"]),
        ("/l", "<a hidden='' href='?page=2'>Next</a>", None, vec!["scroll", "parameter"]),
        (
            "/l",
            "<ol><li><b>1</b></li><li><a href='?page=2'>2</a></li><li><a href='?page=9'>9</a></li></ol>",
            None,
            vec!["numbers", "scroll", "parameter"],
        ),
        ("/l", "<button>Load more projects (12)</button>", None, vec!["load_more", "scroll", "parameter"]),
        ("/l", "<div role='button'>加载更多</div>", None, vec!["load_more", "scroll", "parameter"]),
        ("/l?page=1", "", None, vec!["parameter", "scroll"]),
        ("/l?start=0", "", None, vec!["parameter", "scroll"]),
        ("/l", "", None, vec!["scroll", "parameter"]),
        // What the model names comes first.
        (
            "/l",
            "<a href='?page=2'>Vooruit</a><button>More</button>",
            Some("Vooruit"),
            vec![next, "load_more", "scroll", "parameter"],
        ),
        ("/l", "<a href='?page=2'>2</a><b>1</b>", Some("2"), vec!["numbers", "scroll", "parameter"]),
        ("/l", "<button>Show more</button>", Some("Show more"), vec!["load_more", "load_more", "scroll", "parameter"]),
    ] {
        let (page, rule) = page(url, around);
        let found: Vec<&str> = ways(&page, &rule, named).iter().map(Way::word).collect();
        assert_eq!(found, wanted, "{around}");
    }
}

#[test]
fn a_control_says_where_it_leads_or_is_to_be_pressed() {
    let plain = Way::Next { label: None };
    for (around, way, wanted) in [
        ("<a href='/l?page=2#top'>Next</a>", plain.clone(), Some(("Next", Some("https://a.example/l?page=2")))),
        ("<a href='#'>Next</a>", plain.clone(), Some(("Next", None))),
        ("<a href='javascript:go()'>Next</a>", plain.clone(), Some(("Next", None))),
        ("<a href='?p=1'>›</a><a href='?p=9'>»</a>", plain.clone(), Some(("›", Some("https://a.example/l?p=1")))),
        (
            "<a href='?p=2'>Vooruit (8 left)</a>",
            Way::Next { label: Some("Vooruit (9 left)".into()) },
            Some(("Vooruit (8 left)", Some("https://a.example/l?p=2"))),
        ),
        ("<button>Try again</button>", Way::More { label: None }, None),
    ] {
        let (page, rule) = page("/l", around);
        let found = control(&page, &rule, &way);
        let found = found.as_ref().map(|control| (control.label.as_str(), control.url.as_ref().map(Url::as_str)));
        assert_eq!(found, wanted, "{around}");
    }
    let (page, rule) = page("/l", "<button>Try again</button>");
    assert_eq!(
        more_control(&page, &rule, &Way::More { label: None }).map(|control| control.label).as_deref(),
        Some("Try again")
    );
}

#[test]
fn numbers_tell_the_page_and_the_last() {
    for (url, around, wanted) in [
        (
            "/l?page=3",
            "<ol><li><a href='?page=1'>1</a></li><li><a href='?page=2'>2</a></li><li class='active'><a href='?page=3'>3</a></li><li><a href='?page=4'>4</a></li><li><a href='?page=100'>100</a></li></ol>",
            Some((3, true, 100)),
        ),
        (
            "/l?page=3",
            "<p><a href='?page=2'>2</a> <a href='?page=3'>3</a> <a href='?page=4'>4</a></p>",
            Some((3, true, 4)),
        ),
        ("/l", "<p><span>2</span> <a href='?page=1'>1</a></p>", Some((2, false, 2))),
        ("/l", "<p><a aria-current='page'>1</a><a href='?page=2'>2</a></p>", Some((1, true, 2))),
        ("/l", "<p>Basket <a href='/b'>7</a></p>", None),
    ] {
        let (page, rule) = page(url, around);
        let found = numbers(&page, &rule).map(|numbers| (numbers.current, numbers.next.is_some(), numbers.last));
        assert_eq!(found, wanted, "{around}");
    }
    for (url, wanted) in [
        ("/l?page=3", Some(3)),
        ("/l/page/4", Some(4)),
        ("/l/page-5.html", Some(5)),
        ("/l?q=3", None),
        ("/2024/05", None),
    ] {
        assert_eq!(number_of(&Url::parse("https://a.example").unwrap().join(url).unwrap()), wanted, "{url}");
    }
}
