//! Pages that never get quiet, and frames that hang: what doesn't need them goes on, and every wait ends in time.

use handeye_testkit::home;
use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::trials;
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
        "/still" => page("<title>Still</title><button>Go</button><div style='height:3000px'></div>"),
        // It works for so long each time it is told to, and then shows what comes of it.
        "/works" => page(
            "<p>Works</p><script>onmessage = ({ data }) => {
             for (const end = Date.now() + data; Date.now() < end;);
             const came = document.createElement('button'); came.textContent = 'Came'; document.body.append(came) }</script>",
        ),
        "/holds" => page(
            "<title>Holds</title><button id=b>Dead</button> <button id=w onclick=\"f.contentWindow.postMessage(9000, '*')\">Work</button>
             <iframe id=f src=OTHER/works></iframe><script>
             const freeze = ms => f.contentWindow.postMessage(ms, '*')</script>",
        ),
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

/// How long each of these takes, the quicker of two times, without the first look.
fn timed(live: &Live) -> Vec<(&'static str, Duration)> {
    const LINES: [&str; 7] =
        ["state", "keys F9", "keydown a", "keyup a", "scroll down", "mouse move 300,300", "get title"];
    let once = |line: &str| {
        let began = Instant::now();
        let ran = live.run(line);
        assert_ne!(ran.status, Some(2), "{line}: {ran:?}");
        began.elapsed()
    };
    live.run("state");
    live.run("keys F9");
    let rounds = [(); 2].map(|()| LINES.map(once));
    LINES.iter().zip(0..).map(|(line, at)| (*line, rounds[0][at].min(rounds[1][at]))).collect()
}

/// Once it is known that a frame hangs, nothing that doesn't need it waits for it again.
#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_frame_that_is_known_to_hang_costs_a_moment() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/still")));
    let without = timed(&live);
    live.ok(&format!("open {}", live.site.at("/")));
    let hangs = Instant::now() + Duration::from_millis(600);
    assert!(home::eventually(Duration::from_secs(2), || Instant::now() > hangs));
    let with = timed(&live);
    // It is waited for three seconds the first time.
    let slow: Vec<_> = with
        .iter()
        .zip(&without)
        .filter(|((_, took), (_, usual))| *took >= (*usual * 2).max(Duration::from_millis(1500)))
        .collect();
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
fn waiting_for_a_page_that_never_gets_quiet_ends_in_time() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/restless")));
    for limit in [0.3, 1.5].into_iter().take(trials(1, 2)) {
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

/// What a frame shows that comes to itself is as old as its work, and proves nothing of what was done elsewhere.
#[test]
fn a_frame_that_comes_to_itself_confirms_nothing() {
    let live = Live::closed(site);
    live.ok(&format!("open {} --allow eval", live.site.at("/holds")));
    let dead = live.number("#b");
    live.ok("eval freeze(9000)");
    // A look finds out that it hangs.
    live.ok("state");
    let click = || live.run(&format!("click {dead} --json")).json();
    let mut told = Vec::new();
    while told.len() < 40 && !live.ok("state").contains("Came") {
        told.push(click());
    }
    assert!(told.len() < 40, "{}", live.ok("state"));
    told.push(click());
    assert!(told.iter().all(|receipt| receipt["verdict"] != "confirmed"), "{told:?}");
}

/// What a frame does that falls silent in the gesture can't be told: nothing says that there is no effect.
#[test]
fn a_frame_that_falls_silent_by_a_click_is_no_proof_of_no_effect() {
    let live = Live::closed(site);
    live.ok(&format!("open {}", live.site.at("/holds")));
    let receipt = live.run(&format!("click {} --json", live.number("#w"))).json();
    assert!(receipt["verdict"] != "no_effect" && receipt["verdict"] != "contradicted", "{receipt}");
}

/// What a selector matches is asked of every document: one that hangs is left out, and that is told.
#[test]
fn searches_leave_out_a_frame_that_hangs() {
    let live = Live::open(site);
    let hangs = Instant::now() + Duration::from_millis(600);
    assert!(home::eventually(Duration::from_secs(2), || Instant::now() > hangs));
    for line in ["find --css '#b'", "find --css button --role button"] {
        let began = Instant::now();
        let found = live.json(line);
        assert!(began.elapsed() < BOUND, "{line}: {:?}", began.elapsed());
        assert_eq!(found["targets"].as_array().map(Vec::len), Some(1), "{line}: {found}");
        let told = found["notices"].as_array().into_iter().flatten().filter(|n| n["kind"] == "partial").count();
        assert_eq!(told, 1, "{line}: {found}");
    }
    let found = live.json("find Go");
    assert!(found["notices"].as_array().into_iter().flatten().any(|n| n["kind"] == "partial"), "{found}");
}
