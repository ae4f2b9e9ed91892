//! Actions on a page of which most is far away and was never looked at.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod home;
mod live;

use live::{Live, page};

const ROWS: &str = "<title>Orders</title><button>Dead</button> <button onclick='far()'>Far</button> <button onclick='add()'>Add</button>
  <button onclick='drop()'>Drop</button> <button onclick='ask()'>Ask</button><table id=t></table><script>
  const row = (i) => t.rows[i];
  const far = () => { row(1500).querySelector('a').textContent = 'Other' };
  const add = () => row(1500).insertAdjacentHTML('afterend', '<tr><td><button>Put in</button>');
  const drop = () => row(1500).remove();
  const ask = () => row(1500).cells[0].insertAdjacentHTML('beforeend', '<dialog open><button>Sure</button></dialog>');
  t.innerHTML = Array.from({ length: 2000 }, (_, i) => `<tr><td><a href='#r${i}'>Row ${i}</a><td><button onclick='this.textContent += 1'>Edit ${i}</button>\
    <td><button>Mail ${i}</button>`).join('')</script>";

fn open() -> Live {
    let live = Live::open(|_| page(ROWS));
    let state = live.ok("state");
    assert!(state.contains("about 5"), "{state}");
    live
}

#[test]
fn a_dead_click_far_away_has_no_effect() {
    let live = open();
    let dead = live.not("click --role button --name 'Mail 1777'");
    assert!(dead.contains("no effect") && !dead.contains("new"), "{dead}");
    assert!(!dead.contains("\n+ "), "{dead}");
    assert!(live.not("click --css 'tr:nth-child(900) td:last-child button'").contains("no effect"));
    assert!(live.not("click --role button --name Dead").contains("no effect"));
    // Nothing has changed but what is in sight.
    assert!(live.ok("state --since 1").contains("0 changes"));
}

#[test]
fn a_live_click_far_away_is_confirmed_by_what_it_does() {
    let live = open();
    let said = live.ok("click --role button --name 'Edit 1234' --expect 'Edit 1234'");
    assert!(said.contains("confirmed") && said.contains("Edit 12341"), "{said}");
    let refused = live.not("click --css 'tr:nth-child(900) td button' --expect 'Mail 899'");
    assert!(refused.contains("Mail 899"), "{refused}");
}

#[test]
fn what_a_click_does_far_away_confirms_it() {
    let live = open();
    live.ok("click --role button --name Far");
    assert!(live.ok("find Other").contains("link \"Other\""));
    let added = live.ok("click --role button --name Add");
    assert!(added.contains("+ [") && added.contains("button \"Put in\""), "{added}");
    let asked = live.ok("click --role button --name Ask");
    assert!(asked.contains("button \"Sure\""), "{asked}");
    live.ok("click --role button --name Drop");
    let at = |state: &str| state.lines().next().unwrap().to_owned();
    let state = live.ok("state");
    assert!(at(&state).contains("folds"), "{state}");
}

#[test]
fn what_is_scrolled_to_is_no_news() {
    let live = open();
    let said = live.ok("scroll down 9000");
    assert!(!said.contains("\n+ ") && !said.contains(" new"), "{said}");
    assert!(live.ok("state --since 1").contains("0 changes"));
    live.ok("wait --text 'Mail 1999' --timeout 5");
}
