//! A browser that doesn't answer what is asked of it before a press: nothing is pressed then, and nothing is left behind that would
//! stop the page. And one that is told late to go on with frames that came while it was attached to.

use futures_util::{SinkExt, StreamExt};
use handeye_testkit::home::eventually;
use handeye_testkit::is_full;
use handeye_testkit::live::{Answer, Live, page};
use handeye_testkit::stage::running::Running;
use serde_json::Value;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};
use tokio_tungstenite::{accept_async_with_config, connect_async_with_config};

/// Two listeners for one event: the first may say something else than what the second does.
const PAGE: &str = r#"<title>Several</title><button id=several>Approve</button><p id=done></p><script>
several.addEventListener('click', () => { document.title = 'Pressed' });
several.addEventListener('click', () => { done.textContent += 'pressed ' });
</script>"#;

fn site(_: &str) -> Answer {
    page(PAGE)
}

/// What lets a frame go on that waits for whoever has attached to it.
const RUN: &str = "Runtime.runIfWaitingForDebugger";
/// How much later that is passed on, so that frames are always on their way.
const LATE: Duration = Duration::from_secs(1);
/// How many frames come, one after the other.
const FRAMES: usize = 60;

/// A page that makes frames of another site, each of which holds a number.
fn growing(path: &str) -> Answer {
    match path.strip_prefix("/number?") {
        Some(number) => page(format!("<body style='margin:0'>n{number}n")),
        None => page(format!(
            "<body><script>
const add = (number) => {{
  const made = Object.assign(document.createElement('iframe'), {{ src: 'OTHER/number?' + number, width: 36, height: 20 }});
  document.body.append(made);
  if (number < {FRAMES}) setTimeout(add, 40, number + 1);
}};
add(1)</script>"
        )),
    }
}

/// Passes on what a browser and whoever drives it say, but for answers to one method while it is told to; [`RUN`] so much later.
struct Relay {
    address: String,
    withheld: Arc<Mutex<Option<&'static str>>>,
    _runtime: tokio::runtime::Runtime,
}

impl Relay {
    fn before(browser: String, late: Duration) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = format!("ws://{}/devtools/browser", listener.local_addr().unwrap());
        let withheld: Arc<Mutex<Option<&'static str>>> = Arc::default();
        let told = withheld.clone();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(pass_on(stream, browser.clone(), told.clone(), late));
            }
        });
        Self { address, withheld, _runtime: runtime }
    }

    fn withhold(&self, method: Option<&'static str>) {
        *self.withheld.lock().unwrap() = method;
    }
}

async fn pass_on(
    stream: TcpStream,
    browser: String,
    withheld: Arc<Mutex<Option<&'static str>>>,
    late: Duration,
) -> Option<()> {
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let (mut to_driver, mut asked) = accept_async_with_config(stream, Some(config)).await.ok()?.split();
    let (there, _) = connect_async_with_config(browser, Some(config), true).await.ok()?;
    let (mut to_browser, mut answers) = there.split();
    let mut unanswered = HashSet::new();
    let mut waiting: VecDeque<(Instant, Message)> = VecDeque::new();
    loop {
        let next = waiting.front().map_or_else(Instant::now, |(at, _)| *at);
        tokio::select! {
            () = sleep_until(next), if !waiting.is_empty() => {
                let (_, message) = waiting.pop_front()?;
                to_browser.send(message).await.ok()?;
            }
            message = asked.next() => {
                let message = message?.ok()?;
                let text: Value = serde_json::from_str(message.to_text().ok()?).unwrap_or_default();
                if withheld.lock().unwrap().is_some_and(|method| text["method"] == method) {
                    unanswered.insert(text["id"].as_u64());
                }
                if text["method"] == RUN {
                    waiting.push_back((Instant::now() + late, message));
                    continue;
                }
                to_browser.send(message).await.ok()?;
            }
            message = answers.next() => {
                let message: Message = message?.ok()?;
                let text: Value = serde_json::from_str(message.to_text().ok()?).unwrap_or_default();
                if !(text["id"].is_u64() && unanswered.remove(&text["id"].as_u64())) {
                    to_driver.send(message).await.ok()?;
                }
            }
        }
    }
}

#[test]
fn where_the_browser_does_not_say_what_listens_nothing_is_pressed() {
    let live = Live::closed(site);
    let running = Running::start("about:blank");
    let relay = Relay::before(running.socket(), Duration::ZERO);
    live.ok(&format!("open --cdp {} {} --allow eval", relay.address, live.site.at("/")));
    // What either says is waited for until its limit, which takes long.
    let methods = ["DOMDebugger.getEventListeners", "Debugger.setSkipAllPauses"];
    for method in methods.into_iter().take(if is_full() { 2 } else { 1 }) {
        live.ok(&format!("open {}", live.site.at("/")));
        relay.withhold(Some(method));
        let ran = live.run("click --css #several --json");
        relay.withhold(None);
        assert_eq!(ran.status, Some(2), "{method}: {ran:?}");
        assert_eq!(live.json("eval 'done.textContent'")["value"], "", "{method}: {ran:?}");
        // What a person does there goes on as ever.
        assert_eq!(live.json("eval 'several.click(), done.textContent'")["value"], "pressed ", "{method}");
        let told = live.run("click --css #several --json").json();
        assert_eq!(told["verdict"], "confirmed", "{method}: {told:#}");
    }
}

#[test]
fn frames_that_come_while_a_browser_is_attached_to_are_seen() {
    let live = Live::closed(growing);
    let running = Running::start(&live.site.at("/"));
    let relay = Relay::before(running.socket(), LATE);
    live.ok(&format!("open --cdp {}", relay.address));
    live.ok(&format!("wait --text n{FRAMES}n --timeout 30"));
    let missing = || {
        let shown = live.ok("snapshot");
        (1..=FRAMES).filter(|number| !shown.contains(&format!("n{number}n"))).collect::<Vec<usize>>()
    };
    // They may come in another order. One that is lost stays so.
    assert!(eventually(Duration::from_secs(15), || missing().is_empty()), "{:?}", missing());
}
