//! Clicks that do nothing on pages that never rest, and clicks that do something there.

use handeye_testkit::live::{self, Answer, Live, page};
use handeye_testkit::{home, is_full, trials};

/// What moves of itself: a spinner in every frame, attributes and texts by timers, a list that is filled anew, a feed.
const RESTLESS: &str = r#"<p>It is <span id=clock>now</span></p> <i id=spinner></i> <b id=beat></b> <ul id=list></ul> <div id=words></div> <p id=motion></p>
<button id=timer>0 s left</button>
<script>
const words = ['open', 'held back', 'closed'];
let n = 0;
const frame = () => { spinner.style.rotate = ++n + 'deg'; requestAnimationFrame(frame) };
frame();
setInterval(() => { beat.dataset.n = ++n }, 7);
setInterval(() => { clock.textContent = words[++n % 3]; timer.textContent = ++n + ' s left' }, 20);
setInterval(() => { list.innerHTML = '<li><a href="/' + ++n + '">' + words[n % 3] + ' ' + n + '</a>' }, 30);
setInterval(() => { document.getElementById('words').innerHTML = '<p><em>' + words[++n % 3] + '</em></p>' }, 25);
let ticks = 0;
setInterval(() => { motion.textContent = ++ticks > 20 ? 'Moving ' + n : 'Still' }, 50);
</script>"#;

const BUTTONS: &str = r#"<title>Dead</title>
<button id=dead>Dead</button> <button id=hovered onmousemove="far.dataset.over = Math.random()">Hovered</button>
<button id=now>Now</button> <button id=promised>Promised</button> <button id=soon>Soon</button> <button id=late>Late</button>
<button id=framed>Framed</button> <button id=asked>Asked</button> <button id=ticked>Ticked</button> <button id=written>Written</button>
<div style="height:900px"></div><p id=far></p><output id=sum></output>
<script>
const mark = () => { far.dataset.n = (Number(far.dataset.n) || 0) + 1 };
now.onclick = mark;
promised.onclick = () => Promise.resolve().then(() => null).then(mark);
soon.onclick = () => setTimeout(mark);
late.onclick = () => setTimeout(mark, 30);
framed.onclick = () => requestAnimationFrame(mark);
asked.onclick = async () => { await fetch('/answer'); mark() };
ticked.onclick = () => { (window.beat ?? far).dataset.n = 'clicked' };
written.onclick = async () => { await fetch('/answer'); sum.textContent += 'sum ' };
</script>"#;

/// A clock that stands still for longer than a click takes.
const CLOCK: &str = r"<p>It is <span id=clock>now</span></p> <p id=motion></p>
<script>
let n = 0;
setInterval(() => { clock.textContent = ['six', 'seven', 'eight'][++n % 3]; if (n === 9) motion.textContent = 'Moving' }, 150);
</script>";

fn restless() -> Live {
    let live = Live::open(|_| page(format!("{BUTTONS}{RESTLESS}")));
    // What moves of itself is told by its having done so before.
    live.ok("wait --text Moving");
    live
}

#[test]
fn a_dead_click_is_not_confirmed_by_what_moves_of_itself() {
    let live = restless();
    for _ in 0..trials(1, 4) {
        for id in ["dead", "hovered"] {
            let said = live.not(&format!("click --css #{id}"));
            assert!(said.contains("no effect"), "{id}: {said}");
        }
        let said = live.not("click --css #dead --method invoke");
        assert!(said.contains("no effect"), "{said}");
    }
    // Input without a target of its own is judged alike.
    let said = live.not("keys F9");
    assert!(said.contains("unverifiable"), "{said}");
}

#[test]
fn an_idle_page_is_one_whose_requests_are_answered() {
    let live = Live::open(|path| {
        match path {
        "/" => page(
            "<title>Slow</title><button id=go onclick=\"fetch('/slow').then(r => r.text()).then(() => log('answered'))\">Go</button>
            <button id=poll onclick=\"fetch('/never')\">Poll</button>",
        ),
        "/slow" => Answer::Of(|_| {
            std::thread::sleep(std::time::Duration::from_millis(2500));
            live::html("answered")
        }),
        _ => Answer::Silence,
    }
    });
    live.run("click --css #go");
    live.ok("wait --idle");
    live.logged("answered");
    if is_full() {
        live.run("click --css #poll");
        live.ok("wait --idle --timeout 20");
    }
}

/// A board: it loads itself again by a timer. The button of another address goes there.
fn board(path: &str) -> Answer {
    match path.split('?').next() {
        Some("/") => page(
            "<title>Board</title><button id=dead>Dead</button> <button onclick=\"location = '/else'\">Else</button>
            <script>setTimeout(() => location.replace('/?t=' + Date.now()), 700)</script>",
        ),
        _ => page("<title>Else</title>"),
    }
}

#[test]
fn a_dead_click_is_not_confirmed_by_a_page_that_loads_itself_again() {
    let live = Live::open(board);
    // What comes soon after a command may come of it.
    std::thread::sleep(std::time::Duration::from_secs(10));
    let mut met = false;
    for i in 0..40 {
        // Found anew each time: what had a number is gone with the document.
        for line in ["click --css #dead --json", "click-at 300 200 --json"] {
            let ran = live.run(line);
            assert!(!ran.out.contains("\"verdict\":\"confirmed\""), "{i}: {line}: {ran:?}");
            met |= ran.out.contains("as may be by itself");
        }
        if met && i >= trials(1, 10) {
            break;
        }
    }
    assert!(met, "the page was never loaded again within a click");
    // The page may be loaded again between any two steps of it: then it is tried again.
    let went = home::eventually(std::time::Duration::from_secs(20), || {
        live.run("click --name Else");
        live.ok("get title") == "Else"
    });
    assert!(went, "a click that leads elsewhere never did");
}

#[test]
fn a_dead_click_is_not_confirmed_by_a_clock_that_ticks_beside_the_looks() {
    let live = Live::open(|_| page(format!("{BUTTONS}{CLOCK}")));
    live.ok("wait --text Moving");
    for i in 0..trials(2, 20) {
        let said = live.not("click --css #dead");
        assert!(said.contains("no effect"), "{i}: {said}");
    }
    live.says("click --css #now", "clicked [");
}

#[test]
fn a_click_is_confirmed_by_what_it_does_wherever_that_is() {
    // On a page at rest others try it as well.
    let at_rest = is_full().then(|| Live::open(|_| page(BUTTONS)));
    for live in [Some(restless()), at_rest].into_iter().flatten() {
        for _ in 0..trials(1, 3) {
            for id in ["now", "promised", "soon", "late", "framed", "asked", "ticked", "written"] {
                live.says(&format!("click --css #{id}"), "clicked [");
            }
            live.says("click --css #now --method invoke", "clicked [");
        }
    }
}

#[test]
fn a_dead_click_is_not_confirmed_by_an_address_that_the_page_keeps_changing() {
    let live = Live::open(|_| {
        page(
            "<title>Player</title><button id=dead>Dead</button> <button id=goes onclick=\"history.pushState(null, '', '/elsewhere')\">Go</button>
             <p id=said></p><script>let n = 0; setInterval(() => { history.replaceState(null, '', '?at=' + ++n); if (n === 9) said.textContent = 'Many' }, 200)</script>",
        )
    });
    live.ok("wait --text Many");
    for _ in 0..trials(1, 8) {
        let said = live.not("click --css #dead");
        assert!(said.contains("no effect"), "{said}");
        let said = live.not("keys F9");
        assert!(said.contains("unverifiable"), "{said}");
    }
    // What the click does is another address.
    let said = live.ok("click --css #goes");
    assert!(said.contains("navigated to ") && said.contains("/elsewhere"), "{said}");
    let start = std::time::Instant::now();
    live.ok("back");
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
}

/// A frame that shows another advertisement all the time, with another frame in it; one that stays; and frames that are put in
/// and taken out.
fn frames(path: &str) -> Answer {
    match path {
        "/" => page(
            r#"<title>Ads</title><button id=dead>Dead</button> <button id=sends onclick="firm.src = '/second'">Send</button> <button id=stop onclick="clearInterval(ads)">Stop</button> <button id=makes onclick="const f = document.createElement('iframe'); f.src = '/made'; f.title = 'Made'; document.body.append(f)">Make</button>
<iframe title=Ad id=ad src=OTHER/ad?0 height=60></iframe><iframe title=Firm id=firm src=OTHER/first height=60></iframe><p id=loads></p><div id=d></div>
<script>let n = 0; const ads = setInterval(() => { ad.src = 'OTHER/ad?' + ++n }, 300);
let shown = 0; ad.onload = () => { if (++shown === 6) loads.textContent = 'Many' };
setInterval(() => { const s = document.createElement('iframe'); s.height = 30; s.src = '/feed?' + n; d.append(s); if (d.children.length > 2) d.firstChild.remove() }, 400)</script>"#,
        ),
        "/first" => page("<a href=/third>First</a>"),
        path if path.starts_with("/ad") => {
            page(format!("<p>Buy {path}</p><a href=/shop>Shop</a><iframe src=/inside{path} height=30></iframe>"))
        }
        path => page(format!("<p>This is {path}</p><button>On {path}</button>")),
    }
}

#[test]
fn a_dead_click_is_not_confirmed_by_frames_that_go_elsewhere_by_themselves() {
    let live = Live::open(frames);
    live.ok("wait --text Many");
    for _ in 0..trials(1, 6) {
        let said = live.not("click --css #dead");
        assert!(said.contains("no effect"), "{said}");
    }
    // What a click does in frames counts all the same.
    live.says("click --css #sends", "clicked [");
    assert!(live.ok("state").contains("\"On /second\""), "{}", live.ok("state"));
    live.says("click --css #makes", "clicked [");
    assert!(live.ok("state").contains("\"On /made\""), "{}", live.ok("state"));
    live.ok("reload");
    live.ok("wait --text Many");
    // So does what it does in a frame that it was aimed at.
    live.run("click --css #stop");
    for name in ["Shop", "First"] {
        let said = live.ok(&format!("click --name {name}"));
        assert!(said.contains("confirmed") && said.contains("navigated to "), "{said}");
    }
}

#[test]
fn what_takes_no_pointer_is_as_disabled_out_of_view_as_in_it() {
    let live = Live::open(|_| {
        page(
            "<title>Far</title><button id=off style='pointer-events:none'>Off</button>
             <a id=part href=/ style='pointer-events:none'><span style='pointer-events:auto'>Part</span></a>
             <div style='height:3000px'></div><button id=dead onclick='window.done = 1'>Dead</button>",
        )
    });
    for _ in 0..2 {
        live.ok("state");
        live.run("scroll top");
        // It takes both out of view.
        let said = live.run("click css=#dead --json");
        assert_eq!(said.json()["verdict"], "no_effect", "{said:?}");
        let disabled = |css: &str| {
            let found = live.json(&format!("find --css '{css}'"));
            found["targets"][0]["states"].as_array().unwrap().iter().any(|state| state == "disabled")
        };
        assert_eq!((disabled("#off"), disabled("#part")), (true, false));
        live.ok("scroll top");
        assert_eq!((disabled("#off"), disabled("#part")), (true, false));
    }
}

#[test]
fn what_a_field_tells_of_as_it_is_left_is_not_the_next_click() {
    let live = Live::open(|_| {
        page(
            "<title>Left</title><input id=field onchange=\"told.textContent += ' ' + this.value\"><p id=told>told</p>
             <textarea id=area onchange=\"told.textContent += ' ' + this.value\"></textarea>
             <input type=number id=count value=1 onchange=\"told.textContent += ' ' + this.value\">
             <label><input type=checkbox id=box onchange=\"told.textContent += ' box'\">Box</label>
             <button id=dead>Dead</button> <button id=live onclick=\"told.textContent += ' live'\">Live</button>",
        )
    });
    for (number, field) in ["#field", "#area", "#count"].into_iter().enumerate() {
        live.ok(&format!("input css={field} {number}1"));
        let said = live.run("click css=#dead --json");
        assert_eq!(said.json()["verdict"], "unverifiable", "{field}: {said:?}");
        // It is told of where it was done.
        assert!(live.ok("get text --css #told").ends_with(&format!("{number}1")), "{field}");
        live.ok(&format!("input css={field} {number}2"));
        assert_eq!(live.json("click css=#live")["verdict"], "confirmed", "{field}");
    }
    assert_eq!(live.json("input css=#field done --enter")["verdict"], "confirmed");
    assert_eq!(live.json("click css=#box")["verdict"], "confirmed");
    assert!(live.ok("get text --css #told").ends_with("done box"));
}

/// What is dragged, and whether the page puts it back, takes it, or shows in it what was dragged.
const DRAGGED: &str = r#"<title>Dragged</title><style>.eases { transition: left .4s, top .4s } .it { width: 60px; height: 40px; background: #ddd; margin: 20px }</style>
<div class=it id=back role=button>Back</div> <div class=it id=stays role=button>Stays</div> <div class=it id=tints role=button>Tints</div>
<div class=it id=sent role=button>Sent</div> <div class=it id=notes role=button>Notes</div>
<div class=it id=eases role=button>Eases</div> <div class=it id=readied role=button>Readied</div> <div class=it id=marked role=button>Marked</div>
<div class=it id=map role=button aria-label=Map><div id=pane style="transform: translate3d(0px, 0px, 0px); width: 9px; height: 9px; background: red"></div></div>
<div class=it id=dial role=slider aria-label=Dial style="width: 60px; height: 60px"></div><p id=told>none</p>
<script>
for (const it of document.querySelectorAll('.it')) {
  let from = null, x = 0, y = 0;
  it.onpointerdown = e => { from = [e.clientX, e.clientY]; it.setPointerCapture(e.pointerId); it.style.position = 'relative' };
  if (it === readied) { it.onpointerdown = () => { it.style.cssText = 'outline-style: none; transition-duration: 0ms; transform: translate3d(0px, 0px, 0px)' }; continue }
  if (it === marked) { it.onpointerdown = () => { it.draggable = false }; continue }
  const put = () => { it.style.left = x + 'px'; it.style.top = y + 'px' };
  it.onpointermove = e => { if (from && it === map) { pane.style.transform = `translate3d(${e.clientX - from[0]}px, 0px, 0px)` } else if (from && it === dial) { dial.style.transform = 'rotate(90deg)' } else if (from) { [x, y] = [e.clientX - from[0], e.clientY - from[1]]; put() } };
  it.onpointerup = e => {
    from = null;
    // A way back by a transition; and what only gets ready for a drag that never comes.
    if (it === eases) { it.classList.add('eases'); [x, y] = [0, 0]; return put() }
    if (it === readied || it === marked) return;
    if (['stays', 'map', 'dial'].includes(it.id)) return;
    if (it.id === 'notes') localStorage.setItem('dragged', Math.random());
    if (it.id === 'tints') it.style.background = '#f00';
    if (it.id === 'sent') told.textContent = 'sent';
    const since = performance.now(), [x0, y0] = [x, y];
    const step = () => { const left = Math.max(0, 1 - (performance.now() - since) / 500); [x, y] = [x0 * left, y0 * left]; put(); if (left) requestAnimationFrame(step) };
    step();
  };
}
</script>"#;

#[test]
fn a_drag_that_the_page_takes_back_is_no_effect() {
    let live = Live::open(|_| page(DRAGGED));
    let rows = [
        ("#back", "no_effect"),
        ("#map", "confirmed"),
        ("#eases", "unverifiable"),
        ("#sent", "confirmed"),
        ("#stays", "confirmed"),
        ("#tints", "confirmed"),
        ("#notes", "unverifiable"),
        ("#readied", "no_effect"),
        ("#marked", "unverifiable"),
        ("#dial", "confirmed"),
    ];
    for (css, verdict) in rows.into_iter().take(if is_full() { 10 } else { 3 }) {
        live.ok("reload");
        let said = live.run(&format!("drag css={css} --to 400,400 --json"));
        assert_eq!(said.json()["verdict"], verdict, "{css}: {said:?}");
    }
}

#[test]
fn a_link_to_the_place_that_the_address_names_already_is_no_effect() {
    let live = Live::open(|_| {
        page(
            "<title>Place</title><a href='#there' id=link>There</a> <a href='#other' id=other>Other</a>
             <a href='#there' id=tells onclick=\"told.textContent += '!'\">Tells</a><p id=there>Here it is</p><p id=told></p>",
        )
    });
    for (css, verdict) in [
        ("#link", "confirmed"),
        ("#link", "no_effect"),
        ("#tells", "confirmed"),
        ("#other", "confirmed"),
        ("#other", "no_effect"),
        ("#link", "confirmed"),
    ] {
        let said = live.run(&format!("click css={css} --json"));
        assert_eq!(said.json()["verdict"], verdict, "{css}: {said:?}");
    }
}

#[test]
fn what_a_page_writes_for_itself_makes_no_typing_confirmed() {
    let live = Live::open(|_| {
        page(
            "<title>Held</title><input id=held value=abc onkeydown=\"event.preventDefault(); localStorage.last = Math.random()\"><input id=kept value=abc onkeydown='event.preventDefault()'>",
        )
    });
    for css in ["#held", "#kept"].into_iter().take(if is_full() { 2 } else { 1 }) {
        assert_eq!(live.run(&format!("type css={css} xyz --json")).json()["verdict"], "contradicted", "{css}");
        live.ok(&format!("focus css={css}"));
        for keys in ["type xyz", "keys x"] {
            assert_eq!(live.run(&format!("{keys} --json")).json()["verdict"], "unverifiable", "{css}: {keys}");
        }
    }
}
