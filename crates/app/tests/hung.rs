//! Pages that never get quiet, and frames that hang: what doesn't need them goes on, and every wait ends in time.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss, in its helpers too

mod home;
mod live;

use live::{Answer, Live, page};
use std::time::{Duration, Instant};

/// How long a command may take that has nothing to do with what hangs: as long as a frame is waited for, and some.
const BOUND: Duration = Duration::from_secs(7);

fn site(path: &str) -> Answer {
    match path {
        "/hangs" => page("<p>Hangs<script>setTimeout(() => { for (;;); }, 300)</script>"),
        "/restless" => page(
            "<title>Restless</title><p id=p>0</p><script>
             const turn = () => { p.textContent = Number(p.textContent) + 1; requestAnimationFrame(turn) }; turn();
             setInterval(() => { fetch('/text'); p.append(document.createElement('b')); if (p.children.length > 50) p.replaceChildren() }, 20)</script>",
        ),
        "/text" => page("text"),
        _ => page(
            "<title>Holds</title><button id=b onclick=\"log('b')\">Go</button> <input id=field aria-label=Field>
             <div style='height:3000px'></div><iframe src=OTHER/hangs></iframe><script>
             addEventListener('keydown', e => log(e.key)); addEventListener('scrollend', () => log('scrolled'))</script>",
        ),
    }
}

#[test]
fn a_frame_that_hangs_holds_up_nothing_else() {
    let live = Live::open(site);
    let hangs = Instant::now() + Duration::from_millis(600);
    assert!(home::eventually(Duration::from_secs(2), || Instant::now() > hangs));
    let mut slow = Vec::new();
    for (line, log) in [
        ("state", ""),
        ("keys F9", "F9"),
        ("keydown a", "a"),
        ("keyup a", ""),
        ("scroll down", "scrolled"),
        ("scroll up", "scrolled"),
        ("mouse move 300,300", ""),
        ("state", ""),
        ("click-at 20 20", "b"),
        ("click 1", "b"),
        ("get title", ""),
    ] {
        let began = Instant::now();
        let ran = live.run(line);
        let took = began.elapsed();
        assert_ne!(ran.status, Some(2), "{line}: {ran:?}");
        slow.extend((took > BOUND).then(|| format!("{line}: {took:?}")));
        live.logged(log);
    }
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
fn waiting_for_a_page_that_never_gets_quiet_ends_in_time() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/restless")));
    for limit in [0.3, 1.5] {
        let began = Instant::now();
        let said = live.problem(&format!("wait --idle --timeout {limit}"));
        let took = began.elapsed().as_secs_f64();
        assert!(said.starts_with("error[timeout]"), "{said}");
        assert!((limit..limit + 2.5).contains(&took), "{limit}: {took} s");
    }
    let began = Instant::now();
    live.ok("state");
    live.run("keys F9");
    assert!(began.elapsed() < BOUND * 2, "{:?}", began.elapsed());
}
