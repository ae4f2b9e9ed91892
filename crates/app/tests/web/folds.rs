//! Long pages: what is folded can be opened, a page at a time, and nothing becomes unreachable.

use handeye_testkit::home;
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, page};
use std::collections::BTreeSet;

/// 6,000 controls in a table.
fn rows(path: &str) -> Answer {
    match path {
        "/gone" => page("<button>Other</button>"),
        _ => page(
            "<title>Rows</title><button onclick='t.rows[0].remove()'>Drop</button><table id=t></table><script>
             t.innerHTML = Array.from({ length: 2000 }, (_, i) => `<tr><td><a href='#r${i}'>Row ${i}</a><td><button onclick='this.after(1)'>Edit ${i}</button>\
             <td><label><input type=checkbox> Pick ${i}</label>`).join('')</script>",
        ),
    }
}

fn names(text: &str) -> BTreeSet<String> {
    let quoted = |line: &str| line.split('"').nth(1).unwrap().to_owned();
    text.lines().filter(|l| l.starts_with('[') && !l.contains("] fold ")).map(quoted).collect()
}

/// The number of the fold in a state.
fn fold(state: &str) -> u32 {
    let line = state.lines().find(|l| l.contains("] fold ")).unwrap_or_else(|| panic!("no fold: {state}"));
    line[1..].split(']').next().unwrap().parse().unwrap()
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn every_one_of_6000_controls_can_be_reached_through_the_fold() {
    let live = Live::open(rows);
    let state = live.ok("state");
    assert!(state.chars().count() <= 6000, "{state}");
    let mut found = names(&state);
    let n = fold(&state);
    let mut of = 1;
    let mut at = 1;
    while at <= of {
        let page = live.ok(&format!("state --within {n} --page {at} --budget 30000"));
        assert!(page.chars().count() <= 30_000);
        let pages = page.lines().next().unwrap().split(" of ").nth(1).unwrap();
        of = pages.parse().unwrap();
        found.extend(names(&page));
        at += 1;
    }
    assert!(of > 3);
    let wanted = (0..2000).flat_map(|i| [format!("Row {i}"), format!("Edit {i}"), format!("Pick {i}")]);
    assert_eq!(found, wanted.chain(["Drop".to_owned()]).collect());

    // What has no room is still found, and acted on.
    let hit = live.ok("find 'Edit 1777'");
    let clicked = live.ok(&format!("click {} --expect 'Edit 1777'", &hit[1..hit.find(']').unwrap()]));
    assert!(clicked.contains("Edit 1777"), "{clicked}");
    assert_eq!(names(&live.ok("state --budget none")).len(), 6001);
    let json = live.json("state");
    assert_eq!(json["targets"].as_array().unwrap().len(), 6001);
    let small = live.json("state --budget 1000");
    assert_eq!(small["targets"].as_array().unwrap().len() as u64 + small["omitted"].as_u64().unwrap(), 6001);
    assert!(small["folds"].as_array().unwrap().iter().any(|f| f["role"] == "row"), "{}", small["folds"]);
}

/// Controls in every kind of place, and texts alone; the parts of a list are not alike.
fn places(path: &str) -> Answer {
    let many = |what: &str| -> String {
        (0..60)
            .map(|i| match i % 4 {
                0 => format!("<section><h3>{what} part {i}</h3><p>Words of {i}</p>"),
                1 => format!("<button>{what} {i}</button>"),
                2 => {
                    format!("<p><a href=#{i}>{what} {i}</a> and <label><input type=checkbox>{what} box {i}</label></p>")
                }
                _ => format!("<input aria-label='{what} {i}'></section>"),
            })
            .collect()
    };
    let frame = |src: &str| format!("<iframe title='To {src}' src={src} width=300 height=150></iframe>");
    match path {
        "/same" => page(many("Same") + &frame("OTHER/deep")),
        "/deep" => page(many("Deep") + &frame("/last")),
        "/last" => page(many("Last")),
        "/words" => page("<p>Only words here</p>".repeat(40)),
        _ => page(format!(
            "<title>Places</title>{}<div id=open></div><div id=closed></div>{}{}{}<script>
             for (const mode of ['open', 'closed']) document.getElementById(mode).attachShadow({{ mode }}).innerHTML = `{}`.replaceAll('MODE', mode);
             </script>",
            many("Main"),
            frame("/same"),
            frame("/words"),
            many("End"),
            many("In MODE")
        )),
    }
}

/// Every target that a state lists, and those of each fold that it has, however deep.
fn opened(live: &Live, line: &str, found: &mut BTreeSet<String>) {
    let state = live.json(line);
    for target in state["targets"].as_array().unwrap() {
        found.insert(format!("{} {}", target["role"].as_str().unwrap(), target["name"].as_str().unwrap()));
    }
    for n in state["folds"].as_array().into_iter().flatten().map(|f| f["ref"].as_u64().unwrap()) {
        let line = format!("state --within {n} --budget 2000");
        let pages = live.json(&line)["page"]["of"].as_u64().unwrap_or(1);
        (1..=pages).for_each(|page| opened(live, &format!("{line} --page {page}"), found));
    }
}

#[test]
fn what_is_folded_in_frames_and_roots_can_be_reached() {
    let live = Live::open(places);
    let all = || {
        let mut all = BTreeSet::new();
        opened(&live, "state --budget none", &mut all);
        all
    };
    // 60 targets in each place, and 4 frames.
    assert!(home::eventually(std::time::Duration::from_secs(10), || all().len() == 60 * 7 + 4), "{:#?}", all());
    let all = all();
    for budget in [1000, 500, 3000, 8000].into_iter().take(if is_full() { 4 } else { 1 }) {
        let line = format!("state --budget {budget}");
        let text = live.ok(&line);
        assert!(text.chars().count() <= budget, "{}: {text}", text.chars().count());
        let first = text.lines().next().unwrap();
        assert!(first.contains(" in folds (--within REF)"), "{first}");
        let mut found = BTreeSet::new();
        opened(&live, &line, &mut found);
        assert_eq!(found, all, "{budget}: {text}");
    }
}

#[test]
fn a_fold_is_opened_not_operated_and_goes_stale() {
    let live = Live::open(rows);
    let state = live.ok("state --budget 800");
    let n = fold(&state);
    assert!(live.problem(&format!("click {n}")).contains("is a fold, not an element"));
    assert!(live.problem(&format!("wait --gone {n}")).contains("is a fold, not an element"));
    assert!(live.problem(&format!("state --within {n} --page 999")).contains("there is no page 999: there are"));
    assert!(live.problem("state --budget 3").contains("`3` is no budget"));
    assert_eq!(fold(&live.ok("state --budget 800")), n);
    live.ok(&format!("open {}", live.site.at("/gone")));
    let stale = live.problem(&format!("state --within {n}"));
    assert!(stale.starts_with("error[stale]") && stale.contains("is no longer there"), "{stale}");
    assert!(live.ok("state").contains("Other"));
}

#[test]
fn changes_are_told_since_any_state_that_is_kept() {
    let live = Live::open(|_| {
        page(
            "<button onclick='n.textContent = +n.textContent + 1; this.after(Object.assign(document.createElement(\"button\"), \
             { textContent: `New ${n.textContent}` }))'>Add</button><p id=n>0</p>",
        )
    });
    let first = live.json("state")["generation"].as_u64().unwrap();
    live.ok("click --role button --name Add");
    let second = live.json("state")["generation"].as_u64().unwrap();
    live.ok("click --role button --name Add");
    let since_second = live.ok(&format!("state --since {second}"));
    assert!(since_second.contains("\"New 2\"") && !since_second.contains("\"New 1\""), "{since_second}");
    let since_first = live.ok(&format!("state --since {first}"));
    assert!(since_first.contains("\"New 2\"") && since_first.contains("\"New 1\""), "{since_first}");
    for option in ["--budget 1000", "--verbose"] {
        let said = live.problem(&format!("state --since {first} {option}"));
        assert!(said.starts_with("error[bad_request]") && said.contains("cannot be used with"), "{said}");
    }
    let unknown = live.problem("state --since 99");
    assert!(unknown.contains("generation 99 is not kept; kept are: "), "{unknown}");
}

#[test]
fn a_change_says_what_came_what_went_and_what_became_of_the_rest() {
    let live = Live::open(|path| {
        match path {
        "/" => page(
            "<button id=go onclick='gone.remove(); field.value = `Bo`; box.checked = true; label.textContent = `After`; f.src = `/second`;
               document.body.append(Object.assign(document.createElement(`button`), { textContent: `New` }))'>Go</button>
             <button id=gone>Gone</button><input id=field aria-label=Name value=Ann><label><input id=box type=checkbox>Box</label>
             <button id=label>Before</button><iframe id=f title=Frame src=/first></iframe>",
        ),
        "/first" => page("<button>First</button>"),
        _ => page("<button>Second</button>"),
    }
    });
    live.ok("wait --idle");
    let before = live.json("state");
    let of = |name: &str| {
        before["targets"].as_array().unwrap().iter().find(|t| t["name"] == name).unwrap()["ref"].as_u64().unwrap()
    };
    live.run("click --css #go");
    let mut since = String::new();
    let line = format!("state --since {}", before["generation"]);
    home::eventually(std::time::Duration::from_secs(10), || {
        since = live.ok(&line);
        since.contains("Second")
    });
    for wanted in [
        format!("~ [{}] document {} → {}", of("Frame"), live.site.at("/first"), live.site.at("/second")),
        format!("~ [{}] value \"Ann\" → \"Bo\"", of("Name")),
        format!("~ [{}] states \"\" → \"checked\"", of("Box")),
        format!("~ [{}] name \"Before\" → \"After\"", of("Before")),
        format!("- [{}] button \"Gone\"", of("Gone")),
        format!("- [{}] button \"First\"", of("First")),
        "] button \"Second\"".into(),
        "] button \"New\"".into(),
    ] {
        assert!(since.contains(&wanted), "{wanted} in {since}");
    }
    assert!(since.contains("  8 changes"), "{since}");
    let moved = &live.json(&line)["moved"];
    assert_eq!((&moved[0]["ref"], moved.as_array().unwrap().len()), (&of("Frame").into(), 1), "{moved}");
}

#[test]
fn what_a_fold_or_a_search_shows_is_held_to_its_row_too() {
    // More rows than a state tells of at once; "Swap" writes them anew in place, in another order.
    let live = Live::open(|_| {
        page(
            "<button onclick='draw(199)'>Swap</button><table id=t></table><script>
             t.innerHTML = Array.from({ length: 200 }, () => '<tr><td></td><td><button onclick=\"log(this.closest(`tr`).innerText)\">Delete</button>').join('');
             const names = Array.from({ length: 200 }, (_, i) => 'Person ' + String.fromCharCode(65 + i % 26) + String.fromCharCode(65 + Math.floor(i / 26)));
             function draw(from) { [...t.rows].forEach((r, i) => { r.cells[0].textContent = names[Math.abs(from - i)] }) } draw(0)</script>",
        )
    });
    let state = live.ok("state");
    let inside = live.ok(&format!("state --within {} --page 1", fold(&state)));
    let last = |text: &str| {
        text.lines().rev().find(|l| l.contains("Delete")).unwrap()[1..].split(']').next().unwrap().to_owned()
    };
    let of_fold = last(&inside);
    let of_search = last(&live.ok("find Delete"));
    assert_ne!(of_fold, of_search);
    live.ok("click --role button --name Swap");
    for n in [of_fold, of_search] {
        let refused = live.not(&format!("click {n}"));
        assert!(refused.contains("contradicted") && refused.contains("row"), "{refused}");
    }
    live.logged("");
}
