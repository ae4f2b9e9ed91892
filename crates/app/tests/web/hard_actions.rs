//! Acting where pages make it hard: at any scale, under what sticks, in lists that are drawn as they scroll, in frames that come
//! and go, on what can't be reached, and on what opens and closes.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::{Sample, is_full};
use serde_json::Value;
use std::time::Duration;

/// A board of 36 cells, each of which says when it is hit; a knob that is pulled; and a button far below.
fn board(path: &str) -> Answer {
    let style = path.split_once('?').map_or("", |(_, style)| style).replace('_', " ").replace('~', "#");
    page(format!(
        r#"<title>Board</title><style>{style}</style><body style="margin:0"><div style="height:60px"></div>
<div id=board role=group tabindex=0 aria-label=Board style="position:relative; left:100px; width:120px; height:120px"></div>
<div id=knob role=slider tabindex=0 aria-label=Knob style="position:relative; width:60px; height:60px; left:50px; top:20px; background:#ccc; touch-action:none"></div>
<div style="height:2000px"></div><button id=far onclick="log('far')">Far</button><div style="height:1000px"></div>
<script>
for (let i = 0; i < 36; i++) {{
  const cell = Object.assign(document.createElement('b'), {{ id: 'cell' + i, onclick: () => log('cell' + i) }});
  cell.style = `position:absolute; width:20px; height:20px; left:${{i % 6 * 20}}px; top:${{Math.floor(i / 6) * 20}}px`;
  board.append(cell);
}}
knob.onpointerdown = e => {{ knob.setPointerCapture(e.pointerId); const x = e.screenX; knob.onpointerup = u => log('pulled', Math.round(u.screenX - x)) }};
</script>"#
    ))
}

/// The ways to look at a page: by default the script, since what is then done goes the same way. `hard_page.rs` has both.
fn vias() -> &'static [&'static str] {
    if is_full() { &["script", "ax"] } else { &["script"] }
}

/// Left, top, width and height of what a selector matches.
#[track_caller]
fn rect(live: &Live, css: &str) -> Vec<f64> {
    live.ok(&format!("get rect --css {css}")).split(',').map(|side| side.parse().unwrap()).collect()
}

#[test]
fn places_and_targets_are_hit_at_any_scale() {
    let live = Live::open(board);
    // By default one screen in four, the second and the one that is touched.
    let mut sample = Sample::one_in(4).beginning_at(1);
    for (screen, style) in [
        ("1280x720", ""),
        ("1280x720", "~board{rotate:90deg;zoom:1.3}"),
        ("900x700 --scale 0.5", "body{zoom:1.75}"),
        ("900x700 --scale 1.25", "html{zoom:0.67}"),
        ("900x700 --scale 3", "body{transform:scale(0.8);transform-origin:20px_10px}"),
        ("420x800 --mobile --touch --scale 2", ""),
        ("420x800 --mobile --scale 3", "body{zoom:1.5}"),
    ] {
        if !sample.takes() {
            continue;
        }
        live.ok(&format!("set viewport {screen}"));
        live.ok(&format!("open {}", live.site.at(&format!("/?{style}"))));
        live.log();
        let (board, number) = (rect(&live, "#board"), live.number("#board"));
        for cell in [5, 14] {
            let at = rect(&live, &format!("#cell{cell}"));
            let middle = (at[0] + at[2] / 2.0, at[1] + at[3] / 2.0);
            let wanted = format!("cell{cell}");
            for line in [
                format!("click-at {} {}", middle.0, middle.1),
                format!("click-at {number} --offset {},{}", middle.0 - board[0], middle.1 - board[1]),
                format!("click --css #cell{cell}"),
            ] {
                let ran = live.run(&line);
                assert_eq!(live.log(), wanted, "{screen} {style}: {line}: {ran:?}");
            }
        }
        live.run("click --css #far");
        assert_eq!(live.log(), "far", "{screen} {style}");
    }
}

const DRAWN: &str = r#"<title>Drawn</title><div style="height:500px; position:sticky; top:0; height:80px; background:#eee">Bar</div>
<div id=box style="height:300px; width:300px; overflow:auto"><canvas id=tall aria-label=Map width=1500 height=4000 onclick="log('tall', Math.round(event.offsetX), Math.round(event.offsetY)); this.after(1)"></canvas></div>
<svg id=chart role=img tabindex=0 aria-label=Chart width=300 height=100><rect id=bar x=100 width=50 height=100 onclick="log('bar'); chart.after(1)" /><a href="/next"><rect x=200 width=50 height=100 /></a></svg>
<iframe title=In height=2600 width=300 srcdoc="<body style='margin:0'><canvas id=inner aria-label=Inner width=200 height=2500 onclick='parent.noted(`inner`, Math.round(event.offsetY)); this.after(1)'></canvas>"></iframe><script>function noted(...words) { log(...words) }</script>"#;

#[test]
fn any_place_in_what_is_drawn_is_brought_into_view_and_hit() {
    let live = Live::open(|_| page(DRAWN));
    let tall = live.number("#tall");
    for (x, y) in [(1400, 3900), (20, 30), (700, 2000), (1499, 0)].into_iter().take(if is_full() { 4 } else { 2 }) {
        live.ok(&format!("click-at {tall} --offset {x},{y}"));
        live.logged(&format!("tall {x} {y}"));
    }
    // What listens in it is part of it; a link in it is a target of its own.
    let chart = live.number("#chart");
    live.ok(&format!("click-at {chart} --offset 125,50"));
    live.logged("bar");
    let said = live.problem(&format!("click-at {chart} --offset 225,50 --timeout 0.6"));
    assert!(said.starts_with("error[blocked]: can't click ") && said.contains("covered by"), "{said}");
    let inner = live.number("#inner");
    for y in [2450, 10] {
        live.ok(&format!("click-at {inner} --offset 100,{y}"));
        live.logged(&format!("inner {y}"));
    }
}

#[test]
fn what_is_pulled_goes_as_far_as_is_said_at_any_scale() {
    let live = Live::open(board);
    // By default each screen with one of the styles.
    let mut sample = Sample::one_in(3);
    for screen in ["900x700 --scale 2", "900x700 --scale 0.75"] {
        live.ok(&format!("set viewport {screen}"));
        for style in ["", "html{zoom:1.5}"] {
            if !sample.takes() {
                continue;
            }
            live.ok(&format!("open {}", live.site.at(&format!("/?{style}"))));
            live.log();
            let knob = rect(&live, "#knob");
            let (x, y) = (knob[0] + knob[2] / 2.0, knob[1] + knob[3] / 2.0);
            live.run(&format!("drag --css #knob --to {},{y}", x + 140.0));
            let pulled = live.log();
            // Screen pixels are those of the page, unzoomed.
            assert_eq!(pulled, "pulled 140", "{screen} {style}");
        }
    }
}

#[test]
fn a_picture_has_as_many_pixels_as_the_screen() {
    let live = Live::open(|_| {
        page(
            "<style>div { position:absolute; left:100px; top:1500px; width:50px; height:30px; background:#f00 }</style><div id=box></div>",
        )
    });
    for (scale, size) in [("0.5", (25, 15)), ("1", (50, 30)), ("3", (150, 90))] {
        live.ok(&format!("set viewport 800x600 --scale {scale}"));
        let said = live.json("screenshot box.png --css #box");
        assert_eq!(said["scale"].as_f64().unwrap().to_string(), scale);
        let bytes = std::fs::read(live.home.work().join("box.png")).unwrap();
        let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((side(16), side(20)), size, "at {scale}");
    }
}

/// A table in a box of its own, whose head, first column and foot stay while it scrolls, under a bar that stays on the page.
const STICKY: &str = r#"<title>Sticky</title><style>
body { margin:0; height:3000px } #bar { position:fixed; inset:0 0 auto 0; height:90px; background:#eef; z-index:5 }
#box { position:absolute; top:700px; left:40px; width:500px; height:300px; overflow:auto }
td, th { min-width:150px; height:34px; background:#fff } th { position:sticky; top:0; height:60px; z-index:2 }
td:first-child { position:sticky; left:0; z-index:1 } tfoot td { position:sticky; bottom:0; height:60px; z-index:2 }
</style><div id=bar>Bar</div><div id=box><table></table></div><script>
const cells = (r, tag) => Array.from({ length: 8 }, (_, c) => `<${tag}>${r === null ? 'Title' : `<button onclick="log('${r}/${c}')">Do ${r}/${c}</button> <input aria-label="In ${r}/${c}" size=4>`}</${tag}>`).join('');
document.querySelector('table').innerHTML = `<thead><tr>${cells(null, 'th')}</thead><tbody>${Array.from({ length: 30 }, (_, r) => `<tr>${cells(r, 'td')}`).join('')}</tbody><tfoot><tr>${'<td>Sum</td>'.repeat(8)}</tfoot>`;
</script>"#;

#[test]
fn what_sticks_on_any_side_is_scrolled_out_of_the_way() {
    let live = Live::open(|_| page(STICKY));
    // Each after another that has scrolled the box to where the next one is covered, by the head, the foot or the first column.
    // By default where the next one is covered by the head and the first column, and by the foot.
    let all = [("20/5", "16/2"), ("0/0", "29/7"), ("29/7", "0/1"), ("3/0", "25/0")];
    for (from, to) in all.into_iter().take(if is_full() { 4 } else { 2 }) {
        for cell in [from, to] {
            live.run(&format!("click --name 'Do {cell}'"));
            assert_eq!(live.log(), cell, "from {from}");
            if !is_full() && cell == from {
                continue;
            }
            let said = live.ok(&format!("input --name 'In {cell}' '{cell}!'"));
            assert!(said.contains("confirmed"), "{said}");
            assert_eq!(live.ok(&format!("get value --name 'In {cell}'")), format!("{cell}!"));
        }
        live.ok("scroll top");
    }
    live.ok("scroll down 690");
    live.run("click --name 'Do 1/1'");
    live.logged("1/1");
}

/// Rows are drawn where the list is scrolled to, some time later, and more come when its end is reached.
const VIRTUAL: &str = r#"<title>Virtual</title><div id=list role=listbox tabindex=0 aria-label=People style="height:200px; width:300px; overflow:auto"><div id=all style="position:relative"></div></div>
<script>
let rows = 120; const name = i => 'Person ' + i.toString(26).replace(/./g, c => String.fromCharCode(97 + parseInt(c, 26)));
const draw = () => { all.style.height = rows * 24 + 'px'; all.innerHTML = ''; const from = Math.floor(list.scrollTop / 24);
  for (let i = from; i < Math.min(rows, from + 9); i++) { const o = document.createElement('div'); o.setAttribute('role', 'option'); o.tabIndex = -1;
    o.textContent = name(i); o.style = `position:absolute; height:22px; width:280px; top:${i * 24}px`;
    o.onclick = () => { log(name(i).slice(7)); o.setAttribute('aria-selected', 'true') }; all.append(o) } };
list.onscroll = () => requestAnimationFrame(() => { if (list.scrollTop + 220 > rows * 24 && rows < 200) { setTimeout(() => { rows += 40; draw() }, 80) } draw() });
draw();
</script>"#;

/// The number of the option of exactly that name, once the list was scrolled to it.
#[track_caller]
fn scrolled_to(live: &Live, who: &str, via: &str) -> u64 {
    for _ in 0..120 {
        let found = live.run(&format!("find --role option --name '{who}' --via {via} --json"));
        let known = if found.status == Some(0) { found.json()["targets"].clone() } else { Value::Null };
        if let Some(target) = known.as_array().into_iter().flatten().find(|t| t["name"] == who) {
            return target["ref"].as_u64().unwrap();
        }
        if live.run("scroll --css #list down 190").status != Some(0) {
            // At the end; it may grow there, else it is begun anew.
            live.ok("wait --idle");
            if live.run("scroll --css #list down 190").status != Some(0) {
                live.ok("scroll --css #list top");
            }
        }
    }
    panic!("no {who} by {via}: {}", live.ok("state"));
}

#[test]
fn a_row_that_is_not_drawn_yet_is_found_by_scrolling_its_list() {
    let live = Live::open(|_| page(VIRTUAL));
    for via in vias() {
        live.ok("reload");
        live.log();
        assert!(live.problem(&format!("find --name 'Person eg' --via {via}")).starts_with("error[not_found]"));
        // Rows 110, 190 and 1; the second comes only after the list has grown twice.
        for (who, noted) in [("Person eg", "eg"), ("Person hi", "hi"), ("Person b", "b")] {
            let number = scrolled_to(&live, who, via);
            let said = live.ok(&format!("click {number} --expect '{who}'"));
            assert!(said.contains("confirmed"), "{said}");
            live.logged(noted);
        }
    }
}

const OPENS: &str = r#"<title>Opens</title>
<details id=more ontoggle="log('more', this.open)"><summary>More</summary>Inside</details>
<button id=menu aria-expanded=false onclick="const open = this.ariaExpanded !== 'true'; this.ariaExpanded = open; log('menu', open)">Menu</button>
<div role=tree><div id=tree role=treeitem tabindex=0 aria-expanded=false onclick="const open = this.ariaExpanded !== 'true'; this.ariaExpanded = open; log('tree', open)">Branch</div></div>
<button id=stuck aria-expanded=false onclick="log('stuck')">Stuck</button><button id=plain>Plain</button>"#;

#[test]
fn what_opens_is_opened_and_closed_and_left_as_it_is_where_it_is_so() {
    let live = Live::open(|_| page(OPENS));
    for id in ["more", "tree", "menu"].into_iter().take(if is_full() { 3 } else { 2 }) {
        let css = if id == "more" { "--css summary".to_owned() } else { format!("--css #{id}") };
        for (command, noted, state) in [("expand", "true", "expanded"), ("collapse", "false", "collapsed")] {
            let said = live.ok(&format!("{command} {css}"));
            assert!(said.contains("confirmed"), "{said}");
            live.logged(&format!("{id} {noted}"));
            let line = live.ok(&format!("find {css}"));
            assert!(line.contains(&format!(" {state}")), "{command} {id}: {line}");
            let said = live.ok(&format!("{command} {css}"));
            assert!(said.contains(&format!("already {state}")), "{said}");
            live.logged("");
        }
    }
    let said = live.not("expand --css #stuck");
    assert!(said.contains("contradicted, it is still collapsed"), "{said}");
    assert!(live.problem("expand --css #plain").starts_with("error[unsupported]"));
}

#[test]
fn what_cannot_be_reached_is_refused_with_the_reason() {
    let live = Live::open(|_| {
        page(
            "<title>Shut</title><div inert><button id=inert onclick='log(1)'>Inert</button></div>
             <div style='content-visibility:hidden'><button id=skipped onclick='log(2)'>Skipped</button></div>
             <div id=pop popover><button id=popped onclick='log(3)'>Popped</button></div>
             <dialog id=dialog><button id=asked onclick='log(4)'>Asked</button></dialog><button id=behind onclick='log(5)'>Behind</button>
             <div style='content-visibility:auto;contain-intrinsic-size:1px 4000px'><p style='height:3900px'>long</p><button id=late onclick='log(6);this.after(1)'>Late</button></div>",
        )
    });
    for (css, why) in [
        ("#inert", "it is inert or lets the pointer through"),
        ("#skipped", "it isn't visible"),
        ("#popped", "it isn't visible"),
        ("#asked", "it isn't visible"),
    ] {
        let said = live.problem(&format!("click --css {css} --timeout 0.6"));
        assert!(said.starts_with("error[blocked]: can't click ") && said.contains(why), "{css}: {said}");
        live.logged("");
    }
    // What is rendered only near the viewport is scrolled to.
    live.ok("click --css #late");
    live.logged("6");
}

/// A frame that the page makes, sends elsewhere and takes away, besides others that come and go all the time.
fn frames(path: &str) -> Answer {
    match path {
        "/" => page(
            r#"<title>Frames</title><button onclick="f = document.body.appendChild(Object.assign(document.createElement('iframe'), { src: 'OTHER/one', title: 'Made' }))">Make</button>
<button onclick="f.src = '/two'">Send</button><button onclick="f.remove()">Take</button>
<button onclick="c = setInterval(churn, 150)">Churn</button><button onclick="log('anchor'); this.after(1)">Anchor</button>
<iframe title=Firm src=OTHER/firm height=60></iframe><div id=d></div>
<script>let f, c, n = 0; onmessage = e => log(e.data);
const churn = () => { const s = document.createElement('iframe'); s.height = 30; s.src = (n++ % 2 ? '' : 'OTHER') + '/churn'; d.append(s); if (d.children.length > 4) d.firstChild.remove(); if (d.children[1]) d.children[1].src = '/churn?' + n }</script>"#,
        ),
        "/churn" => page("<button>Churning</button>"),
        path => {
            let name = path.trim_start_matches('/').to_owned();
            page(format!("<button onclick=\"parent.postMessage('{name}', '*'); this.after(1)\">In {name}</button>"))
        }
    }
}

#[test]
fn frames_are_acted_in_as_they_appear_and_never_after_they_went() {
    for via in vias() {
        let live = Live::open(frames);
        // It never comes to rest.
        std::fs::write(live.home.work().join("handeye.toml"), "[waits]\nsettle = 0.5\n").unwrap();
        let number = |name: &str| {
            let line = format!("find --name '{name}' --role button --via {via} --json");
            let mut found = live.run(&line);
            let came = home::eventually(Duration::from_secs(10), || {
                found = live.run(&line);
                found.status == Some(0)
            });
            assert!(came, "no {name} by {via}: {found:?}");
            found.json()["targets"][0]["ref"].as_u64().unwrap()
        };
        live.ok("click --name Make");
        let one = number("In one");
        live.ok(&format!("click {one}"));
        live.logged("one");
        live.ok("click --name Send");
        let two = number("In two");
        let gone = live.problem(&format!("click {one}"));
        assert!(gone.starts_with("error[stale]: ") && gone.contains("button \"In one\" is gone"), "{gone}");
        live.ok(&format!("click {two}"));
        live.logged("two");
        live.ok("click --name Take");
        let gone = live.problem(&format!("click {two}"));
        assert!(gone.starts_with("error[stale]: ") && gone.contains("button \"In two\" is gone"), "{gone}");
        live.logged("");
        // What stays is acted on while others come and go.
        live.run("click --name Churn");
        for _ in 0..if is_full() { 2 } else { 1 } {
            let state = live.ok(&format!("state --via {via}"));
            for (name, noted) in [("Anchor", "anchor"), ("In firm", "firm")] {
                assert!(state.contains(&format!("button \"{name}\"")), "{state}");
                live.ok(&format!("click {}", number(name)));
                live.logged(noted);
            }
        }
    }
}

/// Controls that were made in one document, and seen there, and are in another one by now.
const MOVED: &str = "<title>Moved</title><iframe id=frame height=120></iframe><p id=out></p>
<button id=moves onclick=\"log('moved')\">Moves</button><details id=more ontoggle=\"log('toggled')\"><summary>More</summary>Inside</details>
<label id=labelled>Agree <input id=agree type=checkbox onchange=\"log('agreed')\"></label><x-pay id=pay></x-pay>
<button onclick=\"for (const el of [moves, more, labelled, pay]) frame.contentDocument.body.append(el)\">Move</button>
<button onclick=\"host.turns = true\">Turn</button><script>const host = pay, root = host.attachShadow({ mode: 'open' });
root.innerHTML = '<style>button::before { content: \"Approve \" } .other::before { content: \"Delete \" }</style><button>all</button>';
root.querySelector('button').onpointerdown = e => { if (host.turns) e.target.className = 'other' };
root.querySelector('button').onclick = () => log(host.turns ? 'wrong' : 'approved')</script>";

#[test]
fn what_was_made_in_another_document_is_what_it_is() {
    for via in vias() {
        let live = Live::open(|_| page(MOVED));
        let state = live.ok(&format!("state --via {via}"));
        assert!(state.contains("button \"Moves\"") && state.contains("checkbox \"Agree\""), "{state}");
        live.ok("click --name Move");
        let state = live.ok(&format!("state --via {via}"));
        let framed = state.split_once("iframe").unwrap().1;
        for (role, name, noted) in [
            ("button", "Moves", "moved"),
            ("checkbox", "Agree", "agreed"),
            ("button", "More", "toggled"),
            ("button", "Approve all", "approved"),
        ] {
            assert!(framed.contains(&format!("{role} \"{name}\"")), "{via}: {state}");
            live.ok(&format!("click --name '{name}' --role {role}"));
            live.logged(noted);
        }
        // What style sheets write counts there, too.
        live.run("click --name Turn");
        live.ok(&format!("state --via {via}"));
        let refused = live.run("click --name 'Approve all'");
        assert_eq!(refused.status, Some(1), "{refused:?}");
        live.logged("");
    }
}
