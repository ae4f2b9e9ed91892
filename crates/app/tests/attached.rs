//! A browser that ran before we came, with a page whose listeners are older than ours: guarded all the same, and left as
//! it was.
#![allow(clippy::unwrap_used, clippy::panic)] // a test may stop at the first thing amiss

mod stage;

use serde_json::json;
use stage::{Agent, Expect, Site, events};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A browser of the test's own; it ends with the test.
struct Running {
    child: Child,
    folder: TempDir,
}

impl Running {
    fn start(url: &str) -> Self {
        let folder = tempfile::Builder::new().prefix("he-running").tempdir().unwrap();
        let browser = handeye_browser::find(None).unwrap();
        let mut command = Command::new(browser);
        command.args(["--headless=new", "--remote-debugging-port=0", "--no-first-run", "--site-per-process"]);
        command.arg(format!("--user-data-dir={}", folder.path().display()));
        if nix::unistd::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        let child = command.arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Self { child, folder }
    }

    /// Where it is reached.
    fn endpoint(&self) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let note = std::fs::read_to_string(self.folder.path().join("DevToolsActivePort")).unwrap_or_default();
            if let Some((port, _)) = note.split_once('\n') {
                return format!("http://127.0.0.1:{port}");
            }
            assert!(Instant::now() < deadline, "the browser doesn't come");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Addresses of its pages; an error when it is gone.
    fn pages(&self) -> std::io::Result<Vec<String>> {
        let endpoint = self.endpoint();
        let authority = endpoint.trim_start_matches("http://");
        let mut stream = TcpStream::connect(authority)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let request = format!("GET /json/list HTTP/1.1\r\nHost: {authority}\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            match line.split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap();
                }
                None if line.trim().is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let list: Vec<serde_json::Value> = serde_json::from_slice(&body).unwrap();
        let pages = list.iter().filter(|t| t["type"] == "page");
        Ok(pages.map(|t| t["url"].as_str().unwrap_or_default().to_owned()).collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Listeners on window in capture, there before anyone attaches. What they do is chosen later.
const PAGE: &str = "<!doctype html><title>Old</title><script>
window.log = []; window.ambush = null;
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
  addEventListener(type, e => { log.push({type: 'saw ' + type, label: String(ambush)}); if (ambush === type) b.textContent = 'Delete' }, true);
}
</script><button id=b>Approve</button> <button id=c>Other</button><p id=p></p><script>
for (const button of document.querySelectorAll('button'))
  for (const type of ['pointerdown', 'mousedown', 'click']) button.addEventListener(type, () => {
    log.push({type, label: button.textContent}); if (type === 'click') p.textContent += '+';
  });
</script><script src=/link.js></script>";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_that_was_there_before_us_is_guarded_too() {
    let site = Site::new();
    site.page("/old", PAGE);
    for framed in [false, true] {
        let name = if framed { "framed" } else { "plain" };
        let own = format!("/old?as={name}");
        let url = if framed { site.holding(&site.foreign(&own)) } else { site.url(&own) };
        let mut running = Running::start(&url);
        site.arrived(name, 0);
        let mut agent = Agent::attached(&running.endpoint());
        agent.must("open", json!({})).await;
        let target = agent.see("Approve").await;

        // Undisturbed, and with the page's listeners only looking on.
        for _ in 0..5 {
            let done = agent.click(target, &Expect::Text("Approve")).await;
            let log = site.run(name, "log.splice(0)");
            assert!(done.confirmed(), "{name}: {log} {done:?}");
            assert_eq!(events(&log, "click"), ["Approve"], "{name}");
            assert_eq!(events(&log, "saw click").len(), 1, "{name}: the page's own listener was kept from it");
        }
        // Changed before the event: the page's listeners see nothing of it.
        site.run(name, "b.textContent = 'Delete'; null");
        let refused = agent.click(target, &Expect::Shown).await;
        assert!(refused.contradicted(), "{name}: {refused:?}");
        assert_eq!(site.run(name, "log"), json!([]), "{name}");
        // Changed inside it, by listeners older than ours.
        for kind in ["pointerdown", "mousedown", "mouseup", "click"] {
            site.run(name, &format!("b.textContent = 'Approve'; ambush = '{kind}'; log.length = 0; null"));
            agent.see("Approve").await;
            let refused = agent.click(target, &Expect::Shown).await;
            assert!(refused.contradicted(), "{name} {kind}: {refused:?}");
            let log = site.run(name, "ambush = null; log.splice(0)");
            assert_eq!(events(&log, "click"), [""; 0], "{name} {kind}: {log}");
            let pressed = events(&log, "mousedown");
            assert!(pressed.iter().all(|label| label == "Approve"), "{name} {kind}: {log}");
        }
        // The page goes on as before, for us and without us.
        let other = agent.see("Other").await;
        assert!(agent.click(other, &Expect::Shown).await.confirmed(), "{name}");

        // What we opened is closed; what was there stays.
        let opened = site.url("/case?as=opened");
        agent.must("tabs", json!({ "action": "new", "url": opened })).await;
        assert_eq!(running.pages().unwrap().len(), 2, "{name}");
        agent.must("close", json!({})).await;
        if !agent.session.ended {
            agent.must("close", json!({})).await;
        }
        assert!(agent.session.ended, "{name}");
        assert!(running.child.try_wait().unwrap().is_none(), "{name}: the browser was ended");
        assert_eq!(running.pages().unwrap(), [url], "{name}");
        assert_eq!(site.run(name, "b.dispatchEvent(new Event('click')); log.at(-1).type"), "click", "{name}");
    }
}
