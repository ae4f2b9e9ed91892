//! What a receipt lists of an action that leads to another page: the page that it was done on is gone, and the targets of
//! the next one are no changes of it.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;

fn site(path: &str) -> Answer {
    match path.split('?').next() {
        Some("/start") => page(
            r#"<title>Start</title><a id=other href=/other>Other</a> <a id=again href=/start>Again</a> <a id=hash href='#part'>Part</a>
            <form method=post action=/other><button id=posts>Post</button></form> <button id=reloads onclick="location.reload()">Reload</button>
            <button id=script onclick="location.href = '/other?script'">Script</button>
            <input id=field aria-label=Field onkeydown="if (event.key === 'Enter') location.href = '/other?field'">
            <button id=stays onclick="this.after(Object.assign(document.createElement('button'), { textContent: 'New' }))">Stay</button><p id=part></p>
            <script>onhashchange = () => { part.innerHTML = '<button>Shown</button>' }</script>"#,
        ),
        _ => page(
            "<title>Other</title><h1>Other</h1><button>Next</button><label><input type=checkbox> Agree</label><a href=/start>Back</a>",
        ),
    }
}

#[test]
fn targets_of_the_next_page_are_no_changes_of_this_one() {
    let live = Live::closed(site);
    // In a short run some of the rows, in JSON or in words by turns.
    let mut sample = Sample::one_in(3);
    for (line, leaves, new) in [
        ("click --css #other", true, ""),
        ("click --css #again", true, ""),
        ("click --css #posts", true, ""),
        ("click --css #reloads", true, ""),
        ("click --css #script", true, ""),
        ("click --css #other --method invoke", true, ""),
        ("input --css #field words --enter", true, ""),
        // On the page itself they are.
        ("click --css #hash", false, "Shown"),
        ("click --css #stays", false, "New"),
    ] {
        for json in [true, false] {
            if !sample.takes() {
                continue;
            }
            live.ok(&format!("open {}", live.site.at("/start?before")));
            live.ok(&format!("open {}", live.site.at("/start")));
            live.ok("state");
            if !json {
                let said = live.ok(line);
                let listed = said.lines().any(|line| line.trim_start().starts_with(['+', '-', '~']));
                assert_eq!(listed, !leaves, "{line}: {said}");
                continue;
            }
            let receipt: Value = live.json(line);
            let changes = receipt["changes"].to_string();
            assert_eq!(receipt["verdict"], "confirmed", "{line}: {receipt}");
            match new {
                "" => {
                    assert!(!["Next", "Agree", "Back", "Stay"].iter().any(|n| changes.contains(n)), "{line}: {changes}")
                }
                new => assert!(changes.contains(new), "{line}: {changes}"),
            }
        }
    }
}
