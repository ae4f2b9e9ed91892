//! A look that is used again is never one of a page that has changed, by whatever way it did.

use crate::stage::{Answer, Stage, list, page};
use handeye_scene::{Capture, NativeId, Node, NodeKind, RowLabel, Want};
use std::time::{Duration, Instant};

/// A page, and what a script then does to it: `q(selector)` is an element of it.
const CHANGES: &[(&str, &str, &str)] = &[
    ("a value set by script", "<input id=a value=old aria-label=Field>", "q('#a').value = 'new'"),
    ("a long text set by script", "<textarea id=a aria-label=Area></textarea>", "q('#a').value = 'new'"),
    ("a check set by script", "<label><input id=a type=checkbox> Agree</label>", "q('#a').checked = true"),
    ("neither on nor off", "<label><input id=a type=checkbox> Agree</label>", "q('#a').indeterminate = true"),
    ("an option chosen by script", "<select id=a><option>One<option>Two</select>", "q('#a').selectedIndex = 1"),
    (
        "a class that hides",
        "<style>.off { display: none }</style><button id=a>Go</button>",
        "q('#a').className = 'off'",
    ),
    ("an ancestor that goes", "<div id=a><button>Go</button></div><p>Left", "q('#a').style.display = 'none'"),
    ("visibility", "<div id=a><button>Go</button></div>", "q('#a').style.visibility = 'hidden'"),
    ("the data of a text", "<p id=a>Before</p>", "q('#a').firstChild.data = 'After'"),
    ("the text of a link", "<a id=a href=/x>Before</a>", "q('#a').firstChild.data = 'After'"),
    ("a link's address", "<a id=a href=/x>Link</a>", "q('#a').setAttribute('href', '/y')"),
    (
        "an inner box scrolled",
        "<div id=a style='height:60px;overflow:auto'><div style='height:400px'><button>Up</button></div></div>",
        "q('#a').scrollTop = 200",
    ),
    (
        "a box scrolled that a rule lets scroll",
        "<style>.box{height:60px;overflow-y:scroll}</style><div id=a class=box><div style='height:400px'><button>Up</button></div></div>",
        "q('#a').scrollTop = 200",
    ),
    ("the page scrolled", "<button>Top</button><div style='height:3000px'></div>", "scrollTo(0, 900)"),
    (
        ":has and a check",
        "<style>div:has(:checked) b { display: none }</style><div><label><input id=a type=checkbox> On</label><b>Word</b></div>",
        "q('#a').checked = true",
    ),
    (
        "a rule inserted",
        "<style></style><button id=a>Go</button><p>Left",
        "document.styleSheets[0].insertRule('#a { display: none }')",
    ),
    (
        "a rule changed in place",
        "<style>#a { width: 90px }</style><button id=a>Go</button>",
        "document.styleSheets[0].cssRules[0].style.width = '200px'",
    ),
    (
        "a sheet adopted",
        "<button id=a>Go</button><p>Left",
        "const s = new CSSStyleSheet(); s.replaceSync('#a { display: none }'); document.adoptedStyleSheets = [s]",
    ),
    (
        "a sheet switched off",
        "<style>#a { display: none }</style><button id=a>Go</button><p>Left",
        "document.styleSheets[0].disabled = true",
    ),
    (
        "something in a shadow tree",
        "<div id=a></div><script>a.attachShadow({ mode: 'open' }).innerHTML = '<button>Before</button>'</script>",
        "q('#a').shadowRoot.firstChild.textContent = 'After'",
    ),
    (
        "a shadow tree where none was",
        "<div id=a><button>Light</button></div><p>Left",
        "q('#a').attachShadow({ mode: 'open' }).innerHTML = '<button>Dark</button>'",
    ),
    (
        "a box in a closed shadow tree scrolled",
        "<div id=a><button>Up</button></div><script>const r = a.attachShadow({ mode: 'closed' }); r.innerHTML = '<div style=\"height:60px;overflow:auto\"><div style=\"height:400px\"><slot></slot></div></div>'; window.box = r.firstChild</script>",
        "box.scrollTop = 200",
    ),
    (
        "something in a frame",
        "<iframe id=a srcdoc='<button>Before</button>'></iframe>",
        "q('#a').contentDocument.body.firstChild.textContent = 'After'",
    ),
    (
        "a value in a frame",
        "<iframe id=a srcdoc='<input value=old aria-label=Field>'></iframe>",
        "q('#a').contentDocument.body.firstChild.value = 'new'",
    ),
    (
        "the end of an animation",
        "<style>@keyframes in { from { transform: translateX(300px) } }</style><button id=a>Go</button>",
        "q('#a').style.animation = 'in .2s'; await Promise.all(document.getAnimations().map((a) => a.finished)); q('#a').style.cssText = 'margin-left: 40px'",
    ),
    (
        "a transition",
        "<button id=a style='transition: margin .3s'>Go</button>",
        "q('#a').style.marginLeft = '80px'; await new Promise((f) => setTimeout(f, 800))",
    ),
    ("the focus", "<button id=a>Go</button><button>Other</button>", "q('#a').focus()"),
    (
        "a cover",
        "<button>Go</button><div id=a style='position:fixed;inset:0;pointer-events:none'></div>",
        "q('#a').style.pointerEvents = 'auto'",
    ),
    ("the title", "<button>Go</button>", "document.title = 'After'"),
    ("the address", "<a href='#x'>Link</a>", "history.pushState(0, '', '/other')"),
    ("a modal dialog", "<button>Go</button><dialog id=a><button>Inside</button></dialog>", "q('#a').showModal()"),
    ("a popover", "<button>Go</button><div id=a popover><button>Inside</button></div>", "q('#a').showPopover()"),
    ("details opened", "<details id=a><summary>More</summary><button>Inside</button></details>", "q('#a').open = true"),
    (
        "a listener that a rule was waiting for",
        "<div id=a>Words</div><p>Left",
        "q('#a').onclick = () => 1; q('#a').setAttribute('x', '')",
    ),
];

/// What is compared: numbers that only the fuller look gives to texts are left out.
fn nodes(capture: &Capture) -> Vec<Node> {
    let plain = |node: &Node| Node { id: node.id.filter(|_| node.kind != NodeKind::Text), ..node.clone() };
    capture.nodes.iter().map(plain).collect()
}

async fn until_asked(stage: &Stage, path: &str) {
    let began = Instant::now();
    while !stage.site.was_asked(path) {
        assert!(began.elapsed() < Duration::from_secs(30), "the page didn't come to {path}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_look_after_a_change_shows_the_change() {
    // Several browsers side by side: each case takes a wait of its own.
    let part = CHANGES.len().div_ceil(4);
    let show = |changes| Box::pin(show_changes(changes));
    tokio::join!(
        show(&CHANGES[..part]),
        show(&CHANGES[part..2 * part]),
        show(&CHANGES[2 * part..3 * part]),
        show(&CHANGES[3 * part..])
    );
}

async fn show_changes(changes: &[(&str, &str, &str)]) {
    let mut stage = Stage::new().await;
    for (i, (title, body, change)) in changes.iter().enumerate() {
        let before = before_change(&mut stage, i, body, change).await;
        let after = stage.look().await;
        let fresh = stage.surface.capture(Want { rows: true, ..Want::default() }).await.unwrap();
        assert_eq!(
            (nodes(&after), &after.title, &after.url),
            (nodes(&fresh), &fresh.title, &fresh.url),
            "{title}: it shows\n{}and is\n{}",
            list(&after),
            list(&fresh)
        );
        let same = (nodes(&before), &before.title, &before.url) == (nodes(&after), &after.title, &after.url);
        assert!(!same, "{title}: nothing changed in\n{}", list(&after));
    }
}

/// Shows a page, the nth, that is changed once it has been looked at; what it shows before.
async fn before_change(stage: &mut Stage, nth: usize, body: &str, change: &str) -> Capture {
    let (go, done) = (format!("/go{nth}"), format!("/done{nth}"));
    stage.site.put(&go, Answer { held: true, ..page("") });
    stage
        .show(&format!(
            "{body}<script>const q = (css) => document.querySelector(css);
            addEventListener('load', async () => {{
              await fetch('{go}');
              {change};
              fetch('{done}');
            }});</script>"
        ))
        .await;
    stage.settle().await;
    let mut before = stage.look().await;
    for _ in 0..2 {
        before = stage.look().await;
    }
    stage.site.put(&go, page(""));
    until_asked(stage, &done).await;
    before
}

/// What one sheet said first needn't be looked for in the next: it is, once the first is gone, in whatever tree.
#[tokio::test]
async fn what_a_sheet_says_counts_without_the_ones_before_it() {
    let rules = ".buy::before { content: 'Buy' } .open { cursor: pointer } .loud { text-transform: uppercase } .gone { visibility: hidden }";
    let said = "<button class=buy></button><div class=open>Open</div><button class=loud>Send</button><div class=gone><button>Never</button></div>";
    let body = format!(
        "<style id=first>{rules}</style><style>{rules}</style>{said}<div id=host></div><script>
        host.attachShadow({{ mode: 'open' }}).innerHTML = `<style>{rules}</style>{said}`</script>"
    );
    let mut stage = Stage::on(&body).await;
    stage.settle().await;
    let before = list(&stage.look().await);
    let names = ["\"Buy\"", "\"Open\"", "\"SEND\""].map(|name| before.matches(name).count());
    assert_eq!((names, before.contains("Never")), ([2, 2, 2], false), "{before}");
    for change in ["(window.sheet = first).remove()", "document.body.prepend(sheet)"] {
        stage.web().scripts().unwrap().evaluate(change, Duration::from_secs(10)).await.unwrap();
        stage.settle().await;
        assert_eq!(list(&stage.look().await), before, "{change}");
    }
}

/// The label of every row there is, by the name and the number of its control.
fn rows(capture: &Capture) -> Vec<(NativeId, RowLabel)> {
    capture.nodes.iter().filter_map(|n| Some((n.id?, n.extra.row.clone()?))).collect()
}

#[tokio::test]
async fn rows_that_were_left_out_are_told_of_those_asked_for() {
    let body = "<table id=t></table><p id=p>Before</p><script>
        t.innerHTML = Array.from({ length: 300 }, (_, i) => `<tr><td>Person ${String.fromCharCode(65 + i % 26)}${i}</td>
          <td><button>Delete</button> <button>Edit ${i}</button></td>`).join('')</script>";
    let mut stage = Stage::on(body).await;
    stage.settle().await;
    let mut part = stage.surface.capture(Want::default()).await.unwrap();
    assert!(part.rows_left);
    let told = rows(&part);
    let away = |n: &&Node| n.extra.row.is_none() && matches!(n.name.as_str(), "Delete" | "Edit 299" | "Edit 7");
    let wanted: Vec<NativeId> = part.nodes.iter().filter(away).filter_map(|n| n.id).collect();
    assert!(wanted.len() > 100, "{}", wanted.len());
    assert!(stage.surface.add_rows(&mut part, &wanted).await.unwrap());
    let now = rows(&part);
    assert_eq!(now.len(), told.len() + wanted.len());

    // What the page is now, the earlier look can't tell.
    let evaluated = stage.web().scripts().unwrap().evaluate("p.textContent = 'After'", Duration::from_secs(10)).await;
    evaluated.unwrap();
    assert!(!stage.surface.add_rows(&mut part, &wanted).await.unwrap());

    let whole = stage.surface.capture(Want { rows: true, ..Want::default() }).await.unwrap();
    assert!(!whole.rows_left);
    let all = rows(&whole);
    assert!(now.iter().all(|row| all.contains(row)), "{now:?}\n{all:?}");
    assert_eq!(all.len(), 600);
}

/// A long table with unlike rows, and cards below it.
const LISTS: &str = "<style>.off { display: none } .quiet button { visibility: hidden } .flag ~ tr button { visibility: hidden }
    tr.open + tr { display: none } .pop { position: fixed; top: 5px; left: 400px } .card { border: 1px solid } .tall { height: 90px }</style>
  <p id=above>Above</p><h2 id=title>Title</h2><fieldset id=set><table><tbody id=rows></tbody></table></fieldset><div id=cards></div><p id=below>Below</p><script>
  const q = (css) => document.querySelector(css);
  q('#rows').innerHTML = Array.from({ length: 120 }, (_, i) => i % 3 === 2
    ? `<tr class=odd id=r${i}><td class=c>Note ${i}</td><td><input id=i${i} aria-label='Field ${i}' value=v${i}></td></tr>`
    : `<tr id=r${i}><td>Person ${i}</td><td><a href='#p${i}'>Open ${i}</a></td><td><button>Edit ${i}</button></td><td><label><input type=checkbox> Keep ${i}</label></td></tr>`).join('');
  q('#cards').innerHTML = Array.from({ length: 60 }, (_, i) => `<div class=card id=c${i}><h3>Card ${i}</h3><p>Says ${i}</p><button>Buy ${i}</button>
    <select aria-label='Size ${i}'><option>S<option>L</select></div>`).join('') + `<div class=card id=named><button aria-labelledby=title></button></div>`;
  </script>";

/// What a script does to it.
const LIST_CHANGES: &[(&str, &str)] = &[
    ("a text far away", "q('#r90 td').textContent = 'Somebody'"),
    ("the data of a far text", "q('#r91 button').firstChild.data = 'Delete 91'"),
    ("a row taken away near the top", "q('#r3').remove()"),
    (
        "a row put in near the top",
        "q('#r4').insertAdjacentHTML('beforebegin', '<tr><td>New</td><td><button>Add</button></td></tr>')",
    ),
    (
        "a row put in far away",
        "q('#r80').insertAdjacentHTML('afterend', '<tr><td>New</td><td><button>More</button></td></tr>')",
    ),
    ("two rows exchanged", "q('#r70').before(q('#r100'))"),
    ("a far row hidden", "q('#r60').className = 'off'"),
    ("a far row that grows", "q('#r61').className = 'tall'"),
    ("a far check", "q('#r85 input[type=checkbox]').checked = true"),
    ("a far value", "q('#i92').value = 'new'"),
    ("a far choice", "q('#c50 select').selectedIndex = 1"),
    ("a far link", "q('#r88 a').setAttribute('href', '/elsewhere')"),
    ("a far button switched off", "q('#r87 button').disabled = true"),
    ("all switched off from above", "q('#set').disabled = true"),
    ("all switched on from above", "q('#set').disabled = false"),
    ("a row that hides the next", "q('#r72').className = 'open'"),
    ("a row that hides what follows", "q('#r50').className = 'flag'"),
    ("buttons hidden from above", "q('#cards').className = 'quiet'"),
    ("buttons shown from above", "q('#cards').className = ''"),
    ("a style on a far button", "q('#c40 button').style.visibility = 'hidden'"),
    ("the focus far away", "q('#c30 button').focus({ preventScroll: true })"),
    ("the page scrolled a little", "scrollTo(0, 300)"),
    ("the page scrolled far", "scrollTo(0, document.documentElement.scrollHeight)"),
    ("the page scrolled back", "scrollTo(0, 0)"),
    ("a far card that comes to the front", "q('#c45').classList.add('pop')"),
    ("a name from elsewhere", "q('#title').textContent = 'Another'"),
    ("a listener", "q('#c20 p').onclick = () => 1; q('#c20 p').setAttribute('x', '')"),
    ("a rule put in", "document.styleSheets[0].insertRule('.card p { display: none }')"),
    ("a sheet put in", "document.body.insertAdjacentHTML('beforeend', '<style>.odd { display: none }</style>')"),
    ("a sheet's text", "document.styleSheets[1].ownerNode.textContent = '.card h3 { display: none }'"),
    ("a far shadow tree", "q('#c21').attachShadow({ mode: 'open' }).innerHTML = '<button>Dark</button>'"),
    ("all put in anew", "q('#rows').innerHTML = q('#rows').innerHTML"),
];

#[track_caller]
fn check_same(title: &str, shown: &Capture, real: &Capture) {
    let (shown, mut real) = (nodes(shown), nodes(real));
    // Of many away from the viewport it isn't told at once what their rows are about.
    for (shown, real) in shown.iter().zip(&mut real).filter(|(shown, _)| shown.extra.row.is_none()) {
        real.extra.row.clone_from(&shown.extra.row);
    }
    let apart = shown.iter().zip(&real).position(|(a, b)| a != b);
    let at = apart.unwrap_or(shown.len().min(real.len()));
    let same = shown.len() == real.len() && apart.is_none();
    assert!(same, "{title}: node {at} is shown as {:?} and is {:?}", shown.get(at), real.get(at));
}

#[tokio::test]
#[ignore = "long: runs with cargo xtask test --full"]
async fn what_is_taken_over_of_long_lists_is_as_if_looked_at_anew() {
    let mut stage = Stage::on(LISTS).await;
    stage.settle().await;
    for (title, change) in LIST_CHANGES {
        for _ in 0..2 {
            stage.look().await;
        }
        let before = stage.look().await;
        stage.web().scripts().unwrap().evaluate(change, Duration::from_secs(10)).await.unwrap();
        // The second is taken over from the first, too.
        let mut after = stage.look().await;
        let again = stage.look().await;
        check_same(&format!("{title}, and then"), &after, &again);
        after.nodes.clone_from(&again.nodes);
        let fresh = stage.surface.capture(Want { rows: true, ..Want::default() }).await.unwrap();
        check_same(title, &after, &fresh);
        assert_ne!(nodes(&before), nodes(&after), "{title}: nothing changed in\n{}", list(&after));
    }
}
