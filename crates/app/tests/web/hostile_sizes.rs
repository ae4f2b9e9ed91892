//! Pages of a size that takes a browser itself many seconds, by themselves since they leave no other test its time: what is
//! asked of them ends in its time, with what could be had or with a problem, and another page can be opened.

use handeye_testkit::home::{self, Ran};
use handeye_testkit::live::{Answer, Live, page};
use std::time::{Duration, Instant};

/// How long each command is given.
const LIMIT: Duration = Duration::from_secs(6);

/// What a machine that has much else to do may take longer.
const SLOW: Duration = Duration::from_secs(60);

fn route(path: &str) -> Answer {
    let many = |count: &str, made: &str| {
        page(format!(
            "<title>Huge</title><button id=plain>Plain</button><div id=all></div><script>
             const f = document.createDocumentFragment();
             for (let i = 0; i < {count}; i++) {{ const e = document.createElement('{made}'); e.width = e.height = 20; f.append(e) }}
             all.append(f)</script>"
        ))
    };
    match path {
        "/nodes" => many("1e6", "i"),
        // Chromium itself loads no more than a thousand of them.
        "/frames" => many("1e4", "iframe"),
        _ => page("<title>Page</title><button id=plain onclick=\"log('plain')\">Plain</button>"),
    }
}

fn ends_in_time(path: &str) {
    let live = Live::closed(route);
    let within = |line: &str| {
        let start = Instant::now();
        let ran = live.run(&format!("{line} --timeout {}", LIMIT.as_secs()));
        assert!(start.elapsed() < LIMIT + SLOW, "{line}: {:?}: {ran:?}", start.elapsed());
        ran
    };
    let given_up = |ran: &Ran| ran.err.starts_with("error[timeout]: ") && ran.err.contains("\n  try: handeye ");
    let opened = within(&format!("open {}", live.site.at(path)));
    assert!(opened.out.starts_with("opened \"") || given_up(&opened), "{opened:?}");
    let state = within("state");
    let shown = state.status == Some(0) && state.out.contains("button \"Plain\"") && state.out.len() < 20_000;
    assert!(shown || given_up(&state), "{state:?}");
    // While the browser lays a page out it can't be told to stop; one of another site needn't wait for that.
    let other = live.site.at("/").replace("127.0.0.1", "localhost");
    let left = || live.run(&format!("open {other}")).status == Some(0) && live.run("get title").out == "Page\n";
    assert!(home::eventually(Duration::from_secs(180), left), "{:?}", live.run("state"));
    live.ok("click --css #plain");
    live.logged("plain");
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn a_million_nodes_and_ten_thousand_frames_end_in_time() {
    for path in ["/nodes", "/frames"] {
        ends_in_time(path);
    }
}
