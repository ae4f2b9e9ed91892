//! A browser that ran before we came, with a page whose listeners are older than ours: guarded all the same, and left as
//! it was.

use handeye_scene::Verdict;
use handeye_testkit::stage::{Agent, Expect, Running, Site, events};
use handeye_testkit::{is_full, trials};
use serde_json::json;

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
    // By default in a frame of another process, which says more.
    for framed in [false, true].into_iter().filter(|framed| *framed || is_full()) {
        let name = if framed { "framed" } else { "plain" };
        let own = format!("/old?as={name}");
        let url = if framed { site.holding(&site.foreign(&own)) } else { site.url(&own) };
        let mut running = Running::start(&url);
        site.arrived(name, 0);
        let mut agent = Agent::attached(&running.endpoint());
        agent.must("open", json!({})).await;
        let target = agent.see("Approve").await;

        // Undisturbed, and with the page's listeners only looking on.
        for _ in 0..trials(2, 5) {
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
            // Whoever relabels it at the click itself may have done by then what the click is for.
            let verdict = refused.receipt.as_ref().map(|r| r.verdict);
            let said = if kind == "click" { Verdict::Unverifiable } else { Verdict::Contradicted };
            assert_eq!(verdict, Some(said), "{name} {kind}: {refused:?}");
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
        assert!(running.is_there(), "{name}: the browser was ended");
        assert_eq!(running.pages().unwrap(), [url], "{name}");
        assert_eq!(site.run(name, "b.dispatchEvent(new Event('click')); log.at(-1).type"), "click", "{name}");
    }
}
