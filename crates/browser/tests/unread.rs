//! What a near look leaves unread: told how much, and nothing else.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss

mod stage;

use handeye_scene::{Capture, NativeId, Node, NodeKind, Unread, Want};
use stage::Stage;
use std::time::Duration;

/// Long lists of several kinds, one of them inside a box that scrolls.
const LISTS: &str = "<style>.off { display: none } .pin { position: fixed; top: 3px; left: 700px } #box { height: 300px; overflow: auto }</style>
  <p id=above>Above</p><table><tbody id=rows></tbody></table><div id=cards></div><div id=box><ul id=items></ul></div><p>Below</p><button>End</button><script>
  const q = (css) => document.querySelector(css);
  const many = (n, one) => Array.from({ length: n }, (_, i) => one(i)).join('');
  q('#rows').innerHTML = many(600, (i) => `<tr id=r${i}><td>Person ${i}</td><td><a href='#p${i}'>Open ${i}</a></td><td><button>Edit ${i}</button></td>
    <td><label><input type=checkbox> Keep ${i}</label></td></tr>`);
  q('#cards').innerHTML = many(300, (i) => `<div class=card id=c${i}><h3>Card ${i}</h3><p>Says ${i}</p><button aria-label='Buy no. ${i}'>+</button>
    <input aria-label='Count ${i}' value=${i * 7}></div>`);
  q('#items').innerHTML = many(400, (i) => `<li id=i${i}><a href='/i${i}'>Item ${i}</a></li>`);
  </script>";

async fn near(stage: &mut Stage) -> Capture {
    stage.surface.capture(Want::NEAR).await.unwrap()
}

async fn whole(stage: &mut Stage) -> Capture {
    stage.surface.capture(Want::default()).await.unwrap()
}

async fn run(stage: &mut Stage, script: &str) {
    stage.web().scripts().unwrap().evaluate(script, Duration::from_secs(10)).await.unwrap();
}

/// What tells a node, whatever it is in.
fn told(node: &Node) -> (Option<NativeId>, NodeKind, &str, &str, Option<&str>) {
    (node.id, node.kind, node.role.as_str(), node.name.as_str(), node.value.as_deref())
}

/// Holds a near look against one at everything: each node of the first in its place, what is between them told by number.
/// Returns how many members and targets were left.
#[track_caller]
fn check(title: &str, near: &Capture, whole: &Capture) -> (u32, u32) {
    let mut rest = whole.nodes.iter().peekable();
    let mut sum = (0, 0);
    let mut nodes = near.nodes.iter().peekable();
    while let Some(node) = nodes.next() {
        let Some(left) = node.extra.left else {
            let other = rest.next();
            assert_eq!(other.map(told), Some(told(node)), "{title}");
            continue;
        };
        let next = nodes.peek();
        let is_next = |other: &Node| {
            next.is_some_and(|n| if n.extra.left.is_some() { n.id == other.id } else { told(n) == told(other) })
        };
        let mut targets = Vec::new();
        while let Some(other) = rest.next_if(|other| !is_next(other)) {
            targets.extend(other.id.filter(|_| other.kind == NodeKind::Operable));
        }
        assert_eq!(targets.len() as u32, left.targets, "{title}");
        assert_eq!(targets.first().copied(), node.id, "{title}");
        assert_eq!(targets.last().map(|id| id.number()), Some(left.last), "{title}");
        sum = (sum.0 + left.members, sum.1 + left.targets);
    }
    assert_eq!(rest.next(), None, "{title}");
    sum
}

fn lists(capture: &Capture, name: &str) -> bool {
    capture.nodes.iter().any(|n| n.name == name && !n.states.was_unread())
}

#[tokio::test]
async fn what_is_far_is_counted() {
    let mut stage = Stage::on(LISTS).await;
    let look = near(&mut stage).await;
    assert!(look.nodes.len() < 700, "{}", look.nodes.len());
    let (members, targets) = check("at first", &look, &whole(&mut stage).await);
    assert!(members > 1000 && targets > 2000, "{members} {targets}");
    // What has been read stays so, and a look at what is near shows it.
    assert_eq!(check("read", &near(&mut stage).await, &whole(&mut stage).await), (0, 0));
}

/// What a script does to the page, and what it brings that is new.
const CHANGES: &[(&str, &str, Option<&str>)] = &[
    ("nothing", "0", None),
    ("a far text", "q('#r300 td').textContent = 'Somebody'", None),
    ("a far row taken away", "q('#r300').remove()", None),
    (
        "a row put in far away",
        "q('#r300').insertAdjacentHTML('afterend', '<tr><td>New</td><td><button>Added</button></td></tr>')",
        Some("Added"),
    ),
    (
        "many rows put in far away",
        "q('#r300').insertAdjacentHTML('afterend', many(250, (i) => `<tr><td>New</td><td><button>Added ${i}</button></td></tr>`))",
        Some("Added 0"),
    ),
    ("a far row hidden", "q('#r300').className = 'off'", None),
    ("a far row that comes to the front", "q('#r300').className = 'pin'", None),
    ("a far button that comes to the front", "q('#r300 button').className = 'pin'", None),
    ("the focus far away", "q('#r300 button').focus({ preventScroll: true })", None),
    (
        "a dialog far away",
        "q('#r300 td').insertAdjacentHTML('beforeend', '<dialog open><button>Sure</button></dialog>')",
        Some("Sure"),
    ),
    ("a target that no query finds", "q('#r13 td').onclick = () => 1; q('#r13 td').style.cursor = 'pointer'", None),
    ("the page scrolled a little", "scrollTo(0, 500)", None),
    ("the page scrolled far", "scrollTo(0, 9000)", None),
    ("the page scrolled to its end", "scrollTo(0, 1e6)", None),
    ("the box scrolled", "q('#box').scrollTop = 2000", None),
    ("all put in anew", "q('#rows').innerHTML = q('#rows').innerHTML", None),
    ("the list hidden", "q('#cards').style.display = 'none'", None),
];

#[tokio::test]
async fn what_changes_far_away_is_counted_anew() {
    for (title, change, news) in CHANGES {
        let mut stage = Stage::on(LISTS).await;
        let before = near(&mut stage).await;
        run(&mut stage, change).await;
        let after = near(&mut stage).await;
        if let Some(name) = news {
            assert!(!lists(&before, name) && lists(&after, name), "{title}");
        }
        let old: Vec<_> = after.nodes.iter().filter(|n| n.states.was_unread()).collect();
        assert!(old.iter().all(|n| n.name != news.unwrap_or("-")), "{title}: {old:?}");
        check(title, &after, &whole(&mut stage).await);
    }
}

#[tokio::test]
async fn what_comes_near_is_read_and_is_no_news() {
    let mut stage = Stage::on(LISTS).await;
    let before = near(&mut stage).await;
    run(&mut stage, "scrollTo(0, 9000)").await;
    let after = near(&mut stage).await;
    let known: Vec<_> = before.nodes.iter().filter_map(|n| n.id).collect();
    let came: Vec<&Node> =
        after.nodes.iter().filter(|n| n.extra.left.is_none() && n.id.is_some_and(|id| !known.contains(&id))).collect();
    assert!(came.len() > 50, "{}", came.len());
    assert!(came.iter().all(|n| n.states.was_unread()), "{came:?}");
    // What was read is not left again.
    run(&mut stage, "scrollTo(0, 0)").await;
    let back = near(&mut stage).await;
    assert!(came.iter().all(|n| back.nodes.iter().any(|other| other.id == n.id)));
    check("back", &back, &whole(&mut stage).await);
}

#[tokio::test]
async fn what_says_some_words_is_read() {
    let check_words = async |words: &[&str], names: &[&str]| {
        let mut stage = Stage::on(LISTS).await;
        near(&mut stage).await;
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        assert!(stage.surface.read(&Unread::Saying(words)).await.unwrap());
        let look = near(&mut stage).await;
        for name in names {
            assert!(look.nodes.iter().any(|n| n.name == *name), "{name}");
        }
        let (members, _) = check("words", &look, &whole(&mut stage).await);
        assert!(members > 900, "{members}");
    };
    check_words(&["EDIT", "444"], &["Edit 444"]).await;
    check_words(&["buy", "no.", "250"], &["Buy no. 250"]).await;
    check_words(&["1729"], &["Count 247"]).await;
    check_words(&["Ｉtem", "３９"], &["Item 339"]).await;
    check_words(&["nowhere"], &[]).await;
}

#[tokio::test]
async fn there_is_no_telling_what_style_sheets_say() {
    let mut stage = Stage::on(&format!("{LISTS}<style>td::before {{ content: 'Dear ' }}</style>")).await;
    near(&mut stage).await;
    assert!(!stage.surface.read(&Unread::Saying(vec!["Dear".into()])).await.unwrap());
}

#[tokio::test]
async fn it_is_read_on_from_one_element_to_another() {
    let mut stage = Stage::on(LISTS).await;
    let before = near(&mut stage).await;
    let node = before.nodes.iter().find(|n| n.extra.left.is_some()).unwrap();
    let (first, left) = (node.id.unwrap(), node.extra.left.unwrap());
    let last = NativeId::new(first.document(), left.last);
    assert!(stage.surface.read(&Unread::Between(first, last, 30)).await.unwrap());
    let after = near(&mut stage).await;
    let came: Vec<_> = after.nodes.iter().filter(|n| n.kind == NodeKind::Operable && n.states.was_unread()).collect();
    assert_eq!(came.len(), 30);
    assert_eq!(came[0].id, Some(first));
    let now = after.nodes.iter().find_map(|n| n.extra.left).unwrap();
    assert_eq!((now.members, now.targets, now.last), (left.members - 10, left.targets - 30, left.last));
    assert!(stage.surface.read(&Unread::Between(first, last, u32::MAX)).await.unwrap());
    let all = near(&mut stage).await;
    assert!(all.nodes.iter().all(|n| n.extra.left.is_none_or(|l| l.last != left.last)));
    check("all", &all, &whole(&mut stage).await);
}
