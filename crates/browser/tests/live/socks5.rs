//! Every connection of a browser that has bounds on all it asks for, through the passage.

use crate::stage::{LIMIT, Stage, page};
use handeye_scene::{Bounds, Launch, Ruling};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Lets this machine's first address through, as if it were public, and no other.
#[derive(Debug)]
struct Home;

impl Bounds for Home {
    fn document(&self, _: &str) -> Ruling {
        Ruling::Allow
    }
    fn request(&self, _: &str) -> Ruling {
        Ruling::Allow
    }
    fn place(&self, address: IpAddr) -> Option<String> {
        (address != Ipv4Addr::LOCALHOST).then(|| format!("{address} is elsewhere"))
    }
    fn holds_all(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_load_and_sockets_connect_within_bounds_and_nowhere_else() {
    let launch = Launch { bounds: Some(Arc::new(Home)), ..Launch::default() };
    let mut stage = Stage::launched(launch).await;
    let port = stage.site.port;
    stage.site.put("/image", page(""));
    stage
        .show(&format!(
            "<p id=log></p><button>There</button><img src=/image><script>
             const told = word => () => {{ document.querySelector('#log').textContent += word + ';' }};
             new WebSocket('ws://127.0.0.1:{port}/near').onerror = told('near');
             new WebSocket('ws://127.0.0.2:{port}/far').onerror = told('far');
             fetch('http://127.0.0.2:{port}/far').catch(told('fetch'))</script>"
        ))
        .await;
    stage.id("button", "There").await;
    let began = Instant::now();
    let text = loop {
        let text = stage.text().await;
        let all = ["near", "far", "fetch"].iter().all(|word| text.contains(word));
        if all || began.elapsed() > LIMIT {
            break text;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    // The site knows no sockets: each ends, but one was asked for.
    assert!(["near", "far", "fetch"].iter().all(|word| text.contains(word)), "{text}");
    assert!(stage.site.was_asked("/near") && stage.site.was_asked("/image"), "{text}");
    assert!(!stage.site.was_asked("/far"));
    let told: Vec<String> = stage.surface.notices().into_iter().map(|n| n.text).collect();
    let wanted = format!("a connection to 127.0.0.2:{port} was refused: 127.0.0.2 is elsewhere");
    assert!(told.contains(&wanted), "{told:?}");
}
