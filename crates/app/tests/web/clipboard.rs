//! What a page's script puts on the clipboard shows nowhere in the page, and is told all the same.

use handeye_testkit::live::{Live, page};
use serde_json::Value;

/// Buttons that copy in each way, and do nothing else; one that copies a password; and one that does nothing.
const COPIES: &str = r#"<title>Copies</title><input type=password id=field value=hushhush aria-label=Password>
<button id=text>Text</button> <button id=again>Again</button> <button id=item>Item</button> <button id=command>Command</button>
<button id=late>Late</button> <button id=secret>Secret</button> <button id=seen>Seen</button> <button id=dead>Dead</button><p id=out></p>
<script>
const plain = (text) => new ClipboardItem({ 'text/plain': new Blob([text], { type: 'text/plain' }) });
text.onclick = () => void navigator.clipboard.writeText('silent text');
again.onclick = () => void navigator.clipboard.writeText('silent text');
item.onclick = () => void navigator.clipboard.write([plain('silent item')]);
let copying = false;
addEventListener('copy', (e) => { if (copying) { e.clipboardData.setData('text/plain', 'silent command'); e.preventDefault() } });
command.onclick = () => { copying = true; document.execCommand('copy'); copying = false };
late.onclick = () => void setTimeout(() => navigator.clipboard.writeText('silent late'), 400);
secret.onclick = () => void navigator.clipboard.writeText(`pass ${field.value}`);
seen.onclick = () => { navigator.clipboard.writeText('silent seen'); out.textContent = `Copied ${Math.random()}` };
dead.onclick = () => {};
onkeydown = (e) => { if (e.key === 'F8') navigator.clipboard.writeText('silent key') };
</script>"#;

/// What a page can tell of it: its permissions, and whether it has the focus.
const MEASURED: &str = r#"Promise.all(["clipboard-read", "clipboard-write"].map((name) => navigator.permissions.query({ name })
.then((told) => told.state))).then((all) => [...all, document.hasFocus(), document.visibilityState].join())"#;

fn told(live: &Live, line: &str) -> Value {
    live.run(&format!("{line} --json")).json()
}

/// Verdict, and what is said to be on the clipboard, of a receipt.
fn judged(receipt: &Value) -> (String, Option<String>) {
    let all = receipt["evidence"].as_array().into_iter().flatten();
    let what = all.filter_map(|e| e["what"].as_array()).flatten();
    let copied = what.filter(|change| change["property"] == "clipboard").find_map(|change| change["to"].as_str());
    (receipt["verdict"].as_str().unwrap_or_default().to_owned(), copied.map(str::to_owned))
}

#[test]
fn what_a_script_copies_is_told_of() {
    let live = Live::closed(|_| page(COPIES));
    live.ok(&format!("open {} --allow eval", live.site.at("/")));
    let measured = || live.json(&format!("eval '{MEASURED}'"))["value"].clone();
    let before = measured();
    assert!(before.as_str().is_some_and(|told| told.starts_with("prompt,")), "{before}");
    let tabs = live.ok("tabs list");
    let confirmed = |text: &str| ("confirmed".to_owned(), Some(text.to_owned()));
    let mut amiss = Vec::new();
    for (line, wanted) in [
        // The first gesture of all: what the clipboard held before it is nothing that was read.
        ("click --css #text", confirmed("text/plain")),
        ("click --css #dead", ("no_effect".to_owned(), None)),
        // It is put there once more, which the browser tells of.
        ("click --css #again", confirmed("text/plain")),
        ("click --css #item", confirmed("text/plain")),
        ("click --css #command", confirmed("text/plain")),
        ("click --css #late", confirmed("text/plain")),
        ("keys F8", confirmed("text/plain")),
        ("keys F9", ("unverifiable".to_owned(), None)),
        // What is copied isn't told: it may be a secret.
        ("click --css #secret", confirmed("text/plain")),
        // What else shows is told, and isn't the next one's effect.
        ("click --css #seen", ("confirmed".to_owned(), None)),
        ("click --css #dead", ("no_effect".to_owned(), None)),
    ] {
        let receipt = told(&live, line);
        if judged(&receipt) != wanted {
            amiss.push(format!("{line}: {receipt}"));
        }
        let told = receipt["evidence"].to_string();
        assert!(!told.contains("hushhush") && !told.contains("silent"), "{receipt}");
    }
    assert!(amiss.is_empty(), "{}", amiss.join("\n"));
    assert_eq!(measured(), before, "nothing that a page can measure is changed by it");
    assert_eq!(live.ok("tabs list"), tabs);
}
