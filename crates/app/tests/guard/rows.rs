//! Of several controls of one name, each is held to the row that it was shown in: a list that is written anew in place has
//! the same elements, under the same names, for other things.

use handeye_scene::Verdict;
use handeye_testkit::stage::{Agent, Expect, Site, encoded, events};
use handeye_testkit::{Sample, is_full};
use serde_json::json;

/// Ways to build a list: HTML of one item, and of the whole around its items.
const LISTS: [(&str, &str, &str); 8] = [
    (
        "table",
        "<tr><td><input type=checkbox aria-label=Pick></td><td class=who>WHO</td><td class=state>Open</td><td><button>Delete</button></td></tr>",
        "<table>ITEMS</table>",
    ),
    (
        "list",
        "<li><span class=who>WHO</span> <span class=state>Open</span> <button>Delete</button></li>",
        "<ul>ITEMS</ul>",
    ),
    ("articles", "<article><p class=state>Open</p><h3 class=who>WHO</h3><button>Delete</button></article>", "ITEMS"),
    (
        "cards",
        "<div><div><b class=who>WHO</b></div><i class=state>Open</i><div><button>Delete</button></div></div>",
        "<div>ITEMS</div>",
    ),
    (
        "links",
        "<div role=row><span role=cell><a href='#Edit'>Edit</a></span><span role=cell><a href='#x' class=who>WHO</a></span><span role=cell class=state>Open</span><span role=cell><button>Delete</button></span></div>",
        "<div role=grid>ITEMS</div>",
    ),
    (
        "groups",
        "<fieldset><legend class=who>WHO</legend><span class=state>Open</span><button>Delete</button></fieldset>",
        "ITEMS",
    ),
    (
        "pictures",
        "<div><img class=who alt='WHO' width=40 height=12><i class=state>Open</i> <button>Delete</button></div>",
        "<div>ITEMS</div>",
    ),
    (
        "icons",
        "<li><img class=icon alt='Kind of WHO' width=40 height=12> <span class=who>WHO</span> <i class=state>Open</i> <button>Delete</button></li>",
        "<ul>ITEMS</ul>",
    ),
];

fn list(item: &str, around: &str, names: &[&str]) -> String {
    let items: String = names.iter().map(|n| item.replace("WHO", n)).collect();
    around.replace("ITEMS", &items)
}

struct Case {
    site: Site,
    agent: Agent,
}

impl Case {
    fn new() -> Self {
        Self { site: Site::new(), agent: Agent::new() }
    }

    async fn open(&mut self, html: &str) {
        let before = self.site.arrivals("case");
        self.agent.open(&self.site.url(&format!("/case?as=case&html={}", encoded(html)))).await;
        self.site.arrived("case", before);
    }

    fn page(&self, script: &str) {
        self.site.run("case", &format!("{{ {script} }}; null"));
    }

    /// The number of the nth target of that name.
    async fn nth(&mut self, name: &str, n: usize) -> u32 {
        self.agent.state().await.iter().filter(|t| t.1 == name).nth(n).unwrap().2
    }

    fn clicks(&self) -> usize {
        events(&self.site.run("case", "log.splice(0)"), "click").len()
    }
}

const WRITE: &str = "const write = (...names) => root.querySelectorAll('.who').forEach((e, i) => { e[e.localName === 'img' ? 'alt' : 'textContent'] = names[i] });";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_button_whose_row_is_about_something_else_is_not_clicked() {
    let mut case = Case::new();
    for (kind, item, around) in LISTS {
        case.open(&list(item, around, &["Ann Lee", "Bob Ray", "Eve Fox"])).await;
        let bob = case.nth("Delete", 1).await;
        case.page(&format!("{WRITE} write('Ann Lee', 'Kim Orr', 'Bob Ray')"));
        for expect in [&Expect::Shown, &Expect::Text("Delete"), &Expect::Shown] {
            let refused = case.agent.click(bob, expect).await;
            assert!(refused.contradicted(), "{kind} {expect:?}: {refused:?}");
            assert!(refused.text.contains("Bob Ray") && refused.text.contains("Kim Orr"), "{kind}: {}", refused.text);
            assert_eq!(case.clicks(), 0, "{kind} {expect:?}");
        }
        assert!(case.agent.click(bob, &Expect::Any).await.confirmed(), "{kind}: anything is expected");
        // What is shown again is what it is held to from then on.
        let kim = case.nth("Delete", 1).await;
        assert_eq!(kim, bob, "{kind}");
        case.clicks();
        let done = case.agent.click(kim, &Expect::Shown).await;
        assert!(!done.contradicted() && case.clicks() == 1, "{kind}: {done:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_that_is_rewritten_inside_the_event_is_not_clicked() {
    let mut case = Case::new();
    for (at, (kind, item, around)) in LISTS.into_iter().enumerate() {
        for (turn, moment) in ["pointerdown", "mouseup", "click"].into_iter().enumerate() {
            if !is_full() && turn != at % 3 {
                continue;
            }
            case.open(&list(item, around, &["Ann Lee", "Bob Ray", "Eve Fox"])).await;
            case.page(&format!("{WRITE} window.addEventListener('{moment}', () => write('Zoe', 'Kim', 'Pat'), true)"));
            let bob = case.nth("Delete", 1).await;
            let refused = case.agent.click(bob, &Expect::Shown).await;
            // Whoever rewrites it at the click itself may have done by then what the click is for.
            let verdict = refused.receipt.as_ref().map(|r| r.verdict);
            let said = if moment == "click" { Verdict::Unverifiable } else { Verdict::Contradicted };
            assert_eq!(verdict, Some(said), "{kind} {moment}: {refused:?}");
            assert!(refused.text.contains(" row "), "{kind} {moment}: {}", refused.text);
            assert_eq!(case.clicks(), 0, "{kind} {moment}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_changes_in_a_row_that_is_about_the_same_is_no_matter() {
    let mut case = Case::new();
    let changes = [
        "root.querySelectorAll('.state').forEach((e, i) => { e.textContent = ['Open', 'Done', 'Late'][i] })",
        "root.querySelectorAll('input').forEach(e => { e.checked = true })",
        "root.querySelectorAll('.who').forEach(e => { e.textContent = e.textContent.replace('7', '12').toUpperCase() })",
        "root.querySelectorAll('.who')[0].closest('tr, li, article, fieldset, [role=row], div > div')?.remove()",
    ];
    let mut sample = Sample::one_in(3);
    for (kind, item, around) in LISTS {
        for change in changes {
            if !sample.takes() {
                continue;
            }
            case.open(&list(item, around, &["Ann", "Bob (7)", "Eve"])).await;
            let bob = case.nth("Delete", 1).await;
            case.page(change);
            let done = case.agent.click(bob, &Expect::Shown).await;
            assert!(!done.contradicted() && done.problem.is_none(), "{kind} {change}: {done:?}");
            assert_eq!(case.clicks(), 1, "{kind} {change}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_only_digits_tell_rows_apart_they_count() {
    let mut case = Case::new();
    for (at, (kind, item, around)) in LISTS.into_iter().enumerate() {
        let orders = [["Order 1001", "Order 1002", "Order 1003"], ["10231", "10232", "10233"]];
        for (turn, names) in orders.into_iter().enumerate() {
            if !is_full() && turn != at % 2 {
                continue;
            }
            case.open(&list(item, around, &names)).await;
            let second = case.nth("Delete", 1).await;
            case.page(&format!("{WRITE} write({}, {}, 'Order 7')", json!(names[1]), json!(names[2])));
            let refused = case.agent.click(second, &Expect::Shown).await;
            assert!(refused.contradicted(), "{kind} {names:?}: {refused:?}");
            assert_eq!(case.clicks(), 0, "{kind} {names:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receipt_that_tells_of_another_row_has_shown_it() {
    let mut case = Case::new();
    let (_, item, around) = LISTS[0];
    case.open(&list(item, around, &["Ann", "Bob"])).await;
    case.page(&format!(
        "{WRITE} root.querySelectorAll('button')[0].addEventListener('click', () => write('Bob', 'Kim'))"
    ));
    let first = case.nth("Delete", 0).await;
    let second = case.nth("Delete", 1).await;
    let done = case.agent.click(first, &Expect::Shown).await;
    assert!(done.confirmed(), "{done:?}");
    assert!(done.text.contains("row"), "the change of the row isn't told: {}", done.text);
    case.clicks();
    let next = case.agent.click(second, &Expect::Shown).await;
    assert!(!next.contradicted() && case.clicks() == 1, "{next:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_is_its_number_rather_than_its_status() {
    let mut case = Case::new();
    let row = |n: &str, status: &str| {
        format!("<tr><td class=who>Invoice {n}</td><td>{status}</td><td><button>Delete</button></td></tr>")
    };
    let rows = [row("1001", "open"), row("1002", "due"), row("1003", "paid")].concat();
    case.open(&format!("<table>{rows}</table>")).await;
    let state = case.agent.state().await;
    let first = state.iter().find(|t| t.1 == "Delete").unwrap().2;
    case.site.run(
        "case",
        "document.querySelectorAll('.who').forEach((c, i) => { c.textContent = `Invoice ${5001 + i}` }); null",
    );
    let outcome = case.agent.click(first, &Expect::Shown).await;
    assert!(!outcome.confirmed(), "{outcome:?}");
    // Its status may change.
    let state = case.agent.state().await;
    let first = state.iter().find(|t| t.1 == "Delete").unwrap().2;
    case.site.run("case", "document.querySelector('td:nth-child(2)').textContent = 'late'; log.splice(0); null");
    let outcome = case.agent.click(first, &Expect::Shown).await;
    assert!(!format!("{outcome:?}").contains("contradicted"), "{outcome:?}");
}
