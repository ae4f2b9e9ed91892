//! `--expect` and `--expect-any`, on every command that takes them: of a target that was relabelled since it was shown, nothing
//! is done but by who expects what it says now, or anything.
//!
//! A sample by default: every action is refused in one way, and some are done in one way.

use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};

/// Every control is named "Old …", and "New …" once `flip` has run. Each has its place of 100 by 40 pixels.
const PAGE: &str = r#"<title>Labels</title><style>body { margin:0 } .c { position:absolute; width:100px; height:40px; margin:0; padding:0; overflow:hidden }</style>
<button class=c id=b style="left:0; top:100px">Old button</button><button class=c id=h style="left:200px; top:100px">Old hover</button>
<button class=c id=o style="left:400px; top:100px">Old focus</button><div class=c id=g tabindex=0 role=button style="left:600px; top:100px">Old grip</div>
<input class=c id=t aria-label="Old field" style="left:0; top:200px"><select class=c id=s aria-label="Old list" style="left:200px; top:200px"><option>One<option>Two</select>
<input class=c type=checkbox id=k aria-label="Old check" style="left:400px; top:200px"><input class=c type=checkbox checked id=u aria-label="Old uncheck" style="left:600px; top:200px">
<details class=c style="left:0; top:300px"><summary id=e>Old more</summary>x</details><details class=c open style="left:200px; top:300px"><summary id=l>Old less</summary>x</details>
<input class=c type=file id=f aria-label="Old file" style="left:400px; top:300px"><a class=c id=a href=/save style="left:600px; top:300px">Old saved</a>
<div class=c id=v tabindex=0 role=region aria-label="Old pane" style="left:0; top:400px; overflow:auto"><p style="height:900px; margin:0">long</div>
<script>
watch('b', 'click dblclick contextmenu'); watch('h', 'mouseenter'); watch('o', 'focus'); watch('g', 'pointerdown'); watch('a', 'click');
watch('t', 'input', () => t.value); watch('s', 'change', () => s.value); watch('k', 'change', () => k.checked); watch('u', 'change', () => u.checked);
watch('f', 'change', () => f.files[0].name); watch('v', 'scroll', () => v.scrollTop);
// They tell of how they begin, too.
for (const s of [e, l]) s.onclick = () => log(s.id);
b.oncontextmenu = e => e.preventDefault();
function flip() {
  for (const c of document.querySelectorAll('.c, summary')) {
    if (c.ariaLabel) c.ariaLabel = c.ariaLabel.replace('Old', 'New');
    else if (c.firstChild?.data) c.firstChild.data = c.firstChild.data.replace('Old', 'New');
  }
}
</script>"#;

/// Which control, what is done (`N` is its number), and what the page notes of it.
const HELD: &[(&str, &str, &str)] = &[
    ("b", "click N", "click"),
    ("b", "click N --method invoke", "click"),
    ("b", "dblclick N", "click click dblclick"),
    ("b", "rightclick N", "contextmenu"),
    ("b", "click-at N --offset 5,5", "click"),
    ("b", "dblclick-at N --offset 5,5", "click click dblclick"),
    ("b", "rightclick-at N --offset 5,5", "contextmenu"),
    ("h", "hover N", "mouseenter"),
    ("o", "focus N", "focus"),
    ("g", "drag N --to 900,500", "pointerdown"),
    ("t", "input N word", "word"),
    ("t", "type w", "w"),
    ("t", "keys q", "q"),
    ("s", "select N Two", "Two"),
    ("k", "check N", "true"),
    ("u", "uncheck N", "false"),
    ("e", "expand N", "e"),
    ("l", "collapse N", "l"),
    ("f", "upload N paper.txt", "paper.txt"),
    ("a", "download N --to saved.txt --overwrite", "click"),
    ("v", "scroll N down 100", "100"),
];

/// At a place nothing was shown: only what is stated holds.
const PLACES: &[(&str, &str)] = &[
    ("click-at 50 120", "click"),
    ("dblclick-at 50 120", "click click dblclick"),
    ("rightclick-at 50 120", "contextmenu"),
    ("drag-at 650 120 900 500", "pointerdown"),
];

fn open() -> Live {
    let live = Live::closed(|path| if path == "/save" { Answer::Download("saved.txt") } else { page(PAGE) });
    std::fs::write(live.home.work().join("paper.txt"), "paper").unwrap();
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    live
}

/// The page anew, shown, and relabelled behind the caller's back. Gives the control's number.
fn relabelled(live: &Live, id: &str) -> String {
    live.ok("mouse move 1200 700");
    live.ok(&format!("open {}", live.site.at("/")));
    let number = live.number(&format!("#{id}"));
    live.ok("state");
    if id == "t" {
        live.ok("focus --css #t");
    }
    live.ok("eval 'flip()'");
    live.log();
    number.to_string()
}

#[test]
fn every_action_is_held_to_what_was_shown_or_is_expected() {
    let live = open();
    let mut done = Sample::one_in(5);
    for (at, (id, line, noted)) in HELD.iter().enumerate() {
        let mut number = relabelled(&live, id);
        for (way, more) in ["", " --expect Old"].into_iter().enumerate() {
            if !is_full() && at % 2 != way {
                continue;
            }
            let line = line.replacen('N', &number, 1);
            let said = live.not(&format!("{line}{more}"));
            assert!(said.contains("contradicted"), "{line}{more}: {said}");
            live.logged("");
        }
        for (way, more) in [" --expect New", " --expect-any"].into_iter().enumerate() {
            if !done.takes() {
                continue;
            }
            // The other way was done before: a sample has one of them.
            if way == 1 && is_full() {
                number = relabelled(&live, id);
            }
            let line = line.replacen('N', &number, 1);
            let ran = live.run(&format!("{line}{more}"));
            assert!(ran.err.is_empty() && !ran.out.contains("contradicted"), "{line}{more}: {ran:?}");
            live.ok("wait --idle");
            assert_eq!(live.log(), *noted, "{line}{more}: {ran:?}");
        }
    }
}

#[test]
fn what_is_done_at_a_place_is_held_to_what_is_expected_there() {
    let live = open();
    for (at, (line, noted)) in PLACES.iter().enumerate() {
        let tries = |way: usize| is_full() || at % 2 == way;
        if tries(0) {
            relabelled(&live, "b");
            let said = live.not(&format!("{line} --expect Old"));
            assert!(said.contains("contradicted, withheld: expected text \"Old\", found \"New "), "{line}: {said}");
            live.logged("");
        }
        // Without an expectation it is held to what it was last shown as.
        if tries(1) {
            relabelled(&live, "b");
            let said = live.not(line);
            assert!(said.contains("contradicted"), "{line}: {said}");
            live.logged("");
        }
        for (way, more) in [" --expect New", " --expect-any"].into_iter().enumerate() {
            if !tries(way) {
                continue;
            }
            relabelled(&live, "b");
            live.run(&format!("{line}{more}"));
            assert_eq!(live.log(), *noted, "{line}{more}");
        }
    }
}
