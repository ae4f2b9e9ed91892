//! What a page does by itself just after a click inside a frame, in the frame or around it: it confirms no click that does nothing.
//!
//! A sample by default: every button once, beside one of the things that the page and its frame do; with
//! `HANDEYE_TRIALS=full`, every button beside all of them.

use handeye_testkit::Sample;
use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;

/// A page that can do things by itself, has its frame do so, and does what its frame asks for.
const OUTER: &str = r#"<title>Outer</title>
<p id=asked></p> <p id=news>0</p> <div id=toasts></div> <iframe id=inner src=INNER width=600 height=120></iframe>
<script>
let count = 0;
const tell = () => { news.textContent = 'News ' + ++count };
const toast = () => { const t = document.createElement('p'); t.role = 'status'; t.textContent = 'A friend came online'; toasts.append(t) };
addEventListener('message', ({ data }) => {
  if (data === 'now') asked.textContent += data;
  if (data === 'later') setTimeout(() => { asked.textContent += data }, 200);
});
const within = (noise) => inner.contentWindow.postMessage(noise, '*');
const noise = {
  quiet: () => {},
  poller: () => setInterval(tell, 400),
  toast: () => setTimeout(toast, 500),
  innerPoller: () => within('poller'),
  innerToast: () => within('toast'),
};
</script>"#;

/// Buttons by what they do, and where.
const INNER: &str = r#"<button id=dead>Dead</button> <button id=heard>Heard</button> <button id=sync>Sync</button>
<button id=later>Later</button> <button id=asks>Asks</button> <button id=chained>Chained</button> <button id=above>Above</button>
<button id=aboveLater>Above later</button> <button id=posts>Posts</button> <button id=postsLater>Posts later</button>
<button id=hasLater>Has later</button>
<p id=done></p> <p id=news>0</p> <div id=toasts></div>
<script>
const did = (what) => { done.textContent += what + ' ' };
const on = (id, f) => document.getElementById(id).addEventListener('click', f);
on('heard', () => {});
on('sync', () => did('sync'));
on('later', () => setTimeout(() => did('later'), 300));
on('asks', async () => { await fetch('/answer'); did('asks') });
on('chained', () => setTimeout(() => requestAnimationFrame(() => Promise.resolve().then(() => did('chained'))), 200));
on('above', () => { parent.document.getElementById('asked').textContent += 'above' });
on('aboveLater', () => setTimeout(() => { parent.document.getElementById('asked').textContent += 'above' }, 300));
on('posts', () => parent.postMessage('now', '*'));
on('postsLater', () => setTimeout(() => parent.postMessage('now', '*'), 300));
on('hasLater', () => parent.postMessage('later', '*'));
let count = 0;
const tell = () => { document.getElementById('news').textContent = 'Inner news ' + ++count };
const toast = () => { const t = document.createElement('p'); t.role = 'status'; t.textContent = 'An inner friend'; toasts.append(t) };
addEventListener('message', ({ data }) => data === 'poller' ? setInterval(tell, 400) : setTimeout(toast, 500));
</script>"#;

fn site(path: &str) -> Answer {
    match path {
        "/same" => page(OUTER.replace("INNER", "/inner")),
        "/other" => page(format!("{OUTER}<script>inner.src = location.href.replace('127.0.0.1', 'localhost').replace('other', 'inner')</script>").replace("src=INNER", "")),
        "/inner" => page(INNER),
        _ => page("answer"),
    }
}

const DEAD: [&str; 2] = ["dead", "heard"];
const OWN: [&str; 4] = ["sync", "later", "asks", "chained"];
const ABOVE: [&str; 2] = ["above", "aboveLater"];
const POSTED: [&str; 3] = ["posts", "postsLater", "hasLater"];

/// Presses buttons while the page or its frame does something by itself, on a page opened anew each time. A sample begins with
/// the button of that number.
fn beside_each(path: &str, alive: &[&str], first: usize) {
    // Neither 11 nor 9 buttons are a multiple of it: each is pressed once.
    let mut sample = Sample::one_in(5).beginning_at(first);
    let live = Live::closed(site);
    // On a busy machine what takes 500 ms may take seconds.
    live.settings("[waits]\neffect = 4.0\n");
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let mut wrong = Vec::new();
    for noise in NOISES {
        for id in DEAD.iter().chain(alive) {
            if !sample.takes() {
                continue;
            }
            live.ok(&format!("open {}", live.site.at(path)));
            live.ok(&format!("wait --visible css=#{id}"));
            live.ok(&format!("eval 'noise.{noise}()'"));
            let told: Value = live.run(&format!("click --css #{id} --json")).json();
            let verdict = told["verdict"].as_str().unwrap_or_default();
            let right = match DEAD.contains(id) {
                true if noise == "quiet" => verdict == "no_effect",
                true => verdict == "no_effect" || verdict == "unverifiable",
                false => verdict == "confirmed",
            };
            if !right {
                wrong.push(format!("{id} beside {noise}: {verdict} {}", told["evidence"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{path}:\n{}", wrong.join("\n"));
}

const NOISES: [&str; 5] = ["quiet", "poller", "toast", "innerToast", "innerPoller"];

#[test]
fn a_click_in_a_frame_is_judged_by_its_own_effect() {
    // What is dead is pressed on a quiet page, and beside what the frame polls.
    beside_each("/same", &[&OWN[..], &ABOVE, &POSTED].concat(), 0);
}

#[test]
fn a_click_in_a_frame_of_another_site_is_judged_by_its_own_effect() {
    // What is dead is pressed beside what the page polls, and beside its toast.
    beside_each("/other", &[&OWN[..], &POSTED].concat(), 4);
}
