//! Receipts that come without waiting for quiet: they tell all that came of the gesture, and only those come so that can.

use handeye_testkit::live::{Answer, Live, page};
use serde_json::Value;

/// What a button does beside what its own events change: its name, the script, and what tells of it.
const ALSO: [(&str, &str, &str); 12] = [
    ("promise", "Promise.resolve().then(() => tell())", "second-promise"),
    ("observer", "tell()", "second-observer"),
    ("timer", "setTimeout(tell, 0)", "second-timer"),
    ("later", "setTimeout(tell, 35)", "second-later"),
    ("message", "channel.port1.postMessage('message')", "second-message"),
    ("posted", "postMessage('posted', '*')", "second-posted"),
    ("grown", "box.style.width = '90px'", "second-grown"),
    ("request", "fetch('/answer').then((r) => r.text()).then(() => tell())", "second-request"),
    ("framed", "inner.contentWindow.postMessage('framed', '*')", "second-framed"),
    ("download", "saves()", "second-download"),
    ("hash", "location.hash = 'second-hash'", "second-hash"),
    ("window", "window.open('/second-window')", "new_tab"),
];

const PAGE: &str = r#"<title>At once</title><style>
button { transition: background-color 0.5s } button:hover { background-color: yellow } #box { transition: filter 1s }
</style>
<p id=first>0</p><p id=second>0</p><div id=box style="width: 20px; height: 20px"></div>

<iframe id=inner src=/inner width=200 height=60></iframe>
<script>
let [kind, count] = ['', 0];
const tell = (what = kind) => void (second.textContent = 'second-' + (typeof what === 'string' ? what : kind));
const channel = new MessageChannel();
channel.port2.onmessage = (e) => tell(e.data);
addEventListener('message', (e) => tell(e.data));
let sized = false;
new ResizeObserver(() => { if (sized) tell(); sized = true }).observe(box);
new MutationObserver(() => { if (kind === 'observer') tell() }).observe(first, { childList: true });
function saves() {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob(['words']));
  a.download = 'second-download';
  a.click();
}
function does(which, what) { kind = which; first.textContent = `first-${which} ${++count}`; what(); log(which) }
</script>"#;

fn route(path: &str) -> Answer {
    match path {
        "/inner" => {
            page("<p id=said>0</p><script>onmessage = (e) => { said.textContent = 'second-' + e.data }</script>")
        }
        "/answer" => page("yes"),
        "/second-window" => page("<title>second-window</title>"),
        _ => {
            let buttons = ALSO.iter().map(|(kind, script, _)| button(kind, script));
            let faded = button("faded", "box.style.filter = `opacity(${count % 2})`");
            page(format!("{PAGE}{}{faded}{}", button("alone", ""), buttons.collect::<String>()))
        }
    }
}

fn button(kind: &str, script: &str) -> String {
    format!("<button id=b-{kind} onclick=\"does('{kind}', () => {{ {script} }})\">{kind}</button> ")
}

#[test]
fn a_receipt_tells_what_comes_beside_its_proof() {
    let live = Live::closed(route);
    for (kind, _, second) in ALSO {
        live.ok(&format!("open {}", live.site.at("/")));
        let told: Value = live.json(&format!("click --css #b-{kind}"));
        let all = told.to_string();
        for part in [&*format!("first-{kind}"), second] {
            assert!(all.contains(part), "{kind}, {part}: {told}");
        }
    }
}

/// By what a page takes back what its own events have changed: all that it can be known of to be still to come.
const BACK: [(&str, &str); 4] = [
    ("posted", "scheduler.postTask(back, { delay: 20 })"),
    ("message", "channel.port1.postMessage(0)"),
    ("timer", "setTimeout(back, 20)"),
    ("request", "fetch('/no').then(back)"),
];

const TAKING: &str = r#"<title>Taken back</title><p id=state>off</p><div id=pop popover>Popped</div><label><input type=checkbox id=box> Box</label>
<script>
const back = () => { state.textContent = 'off'; box.checked = false };
const channel = new MessageChannel();
channel.port2.onmessage = back;
let undo = () => {};
box.onchange = () => undo();
</script>"#;

fn taking(path: &str) -> Answer {
    if path == "/no" {
        return page("no");
    }
    let button = |(kind, script): &(&str, &str)| {
        format!(
            "<button id=b-{kind} onclick=\"state.textContent = 'on'; {script}\">{kind}</button> \
             <button id=u-{kind} onclick=\"undo = () => {{ {script} }}\">{kind} box</button> "
        )
    };
    let popover = "pop.showPopover(); scheduler.postTask(() => pop.hidePopover(), { delay: 20 })";
    let popover = format!("<button id=b-popover onclick=\"{popover}\">popover</button>");
    page(format!("{TAKING}{popover}{}", BACK.iter().map(button).collect::<String>()))
}

#[test]
fn what_is_taken_back_soon_is_not_confirmed() {
    let live = Live::open(taking);
    let told: Value = live.run("click --css #b-popover --json").json();
    assert_ne!(told["verdict"], "confirmed", "{told}");
    for (kind, _) in BACK {
        let told: Value = live.run(&format!("click --css #b-{kind} --json")).json();
        assert_ne!(told["verdict"], "confirmed", "{kind}: {told}");
        live.run(&format!("click --css #u-{kind}"));
        let told: Value = live.run("check --css #box --json").json();
        assert_ne!(told["verdict"], "confirmed", "{kind}: {told}");
    }
}

/// For each click that a recording holds, whether the look was accepted that was taken before it was quiet.
fn accepted(recording: &str) -> Vec<bool> {
    let lines: Vec<Value> = recording.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |some: &[Value], name: &str| {
        some.iter().any(|line| line["call"]["name"] == name && !line["call"]["answer"].is_null())
    };
    let calls = lines.chunk_by(|_, line| !line["request"].is_object());
    let clicks = calls.filter(|some| some[0]["request"]["command"] == "click");
    clicks.map(|some| of(some, "calm") && !of(some, "settle")).collect()
}

#[test]
fn what_is_proven_by_its_own_events_is_not_waited_for() {
    let live = Live::closed(route);
    live.ok(&format!("open {} --record told.jsonl", live.site.at("/")));
    // On a busy machine some are waited for all the same.
    const TRIES: usize = 12;
    for kind in ["alone", "timer", "faded"] {
        for _ in 0..TRIES {
            live.ok(&format!("click --css #b-{kind}"));
        }
    }
    live.ok("close");
    let told = accepted(&std::fs::read_to_string(live.home.work().join("told.jsonl")).unwrap());
    let (alone, waited_for) = told.split_at(TRIES);
    assert!(alone.contains(&true), "{told:?}");
    assert_eq!(waited_for, [false; 2 * TRIES], "{told:?}");
}
