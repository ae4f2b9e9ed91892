//! Regions of a canvas that draws itself otherwise once the pointer comes: what is pressed is what was shown, or nothing. The eye
//! is the page's own log of what lay under each press.

use handeye_testkit::is_full;
use handeye_testkit::live::{Live, page};
use serde_json::Value;
use std::path::Path;

/// Labels on a canvas. The path says what the pointer brings about, and after how many milliseconds.
const LABELS: &str = r##"<title>Labels</title><style>body { margin: 0 } canvas { display: block }</style>
<canvas id=c width=900 height=420></canvas><button id=late style="position:absolute; left:20px; top:440px" hidden>Source</button><script>
const [, kind, wait] = location.pathname.split('/'), g = c.getContext('2d');
let rows = [['Approve', 80, 60], ['Cancel order', 80, 120], ['Archive', 480, 60], ['Receipts', 480, 120]].map(([text, x, y]) => ({ text, x, y }));
let look = {}, done = 0, caret = false;
const at = e => rows.find(r => e.clientX >= r.x - 20 && e.clientX < r.x + 180 && e.clientY >= r.y - 25 && e.clientY < r.y + 25);
function draw() {
  g.fillStyle = '#f4f4f4'; g.fillRect(0, 0, 900, 420); g.font = '20px sans-serif';
  for (const r of rows) {
    g.fillStyle = r == look.row ? look.fill : '#e0e0e0'; g.fillRect(r.x - 20, r.y - 25, 200, 50);
    g.fillStyle = r == look.row ? look.ink : '#111'; g.fillText(r.text, r.x, r.y + 7);
  }
  // A caret, level with the first label and in it.
  if (caret) { g.fillStyle = '#111'; g.fillRect(420, 46, 2, 24); g.fillRect(230, 46, 2, 24) }
  g.fillStyle = `hsl(${done * 47}deg 90% 50%)`; g.fillRect(20, 360, 60, 40);
}
if (kind == 'blink') setInterval(() => { caret = !caret; draw() }, 530);
const first = rows[0], third = rows[2];
const ways = {
  recolour: r => { look = { row: r, fill: '#0a58ca', ink: '#fff' } },
  swap: () => { first.text = 'Delete' },
  end: () => { third.text = 'Destroy' },
  rows: () => { rows.forEach(r => r.y += 60) },
  // No two looks that are close together see the same colour.
  moving: r => { let turn = 0; setInterval(() => { look = { row: r, fill: `hsl(${turn += 137.5}deg 80% 70%)`, ink: '#111' }; draw() }, 20) },
};
let came = false;
addEventListener('mousemove', e => {
  // A browser tells of the pointer where a page is laid out under it, too.
  if (came || !ways[kind] || !at(e)) return;
  came = true;
  const row = at(e), change = () => { ways[kind](row); draw() };
  +wait ? setTimeout(change, +wait) : change();
});
addEventListener('mousedown', e => { log(`down-${at(e)?.text ?? e.target.id}`); done++; draw() });
addEventListener('mouseup', e => log(`up-${at(e)?.text ?? e.target.id}`));
addEventListener('keydown', () => setTimeout(() => { ways.end(); draw(); late.hidden = false }, 3000));
draw();
</script>"##;

fn live() -> Live {
    let live = Live::open(|_| page(LABELS));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("models");
    live.settings(&format!("[models]\nfolder = {folder:?}\n"));
    live
}

/// Opens the page that changes so, and reads the labels on it.
fn labels(live: &Live, path: &str) -> Value {
    live.run("hover-at 800 300");
    live.ok(&format!("open {}", live.site.at(path)));
    live.log();
    live.json("state --ocr --timeout 120")
}

fn number(state: &Value, name: &str) -> u64 {
    let all = state["targets"].as_array().unwrap().iter();
    let found: Vec<&Value> = all.filter(|t| t["source"] != "native" && t["name"] == name).collect();
    assert_eq!(found.len(), 1, "{name}: {state:#}");
    found[0]["ref"].as_u64().unwrap()
}

/// What came of a command: its exit status with a problem's code, or the verdict.
fn came(live: &Live, line: &str) -> String {
    let ran = live.run(&format!("{line} --json"));
    let told: Value = serde_json::from_str(if ran.out.is_empty() { &ran.err } else { &ran.out }).unwrap_or_default();
    let code = told["error"]["code"].as_str().or(told["code"].as_str()).or(told["verdict"].as_str());
    code.map_or_else(|| format!("{ran:?}"), str::to_owned)
}

#[test]
fn a_label_that_changes_when_the_pointer_comes_is_not_pressed() {
    let live = live();
    let rows = [
        ("/recolour/150", "drag {approve} --to {archive}", "confirmed", "down-Approve up-Archive"),
        ("/swap/50", "click {approve} --expect Approve", "stale", ""),
        ("/rows", "rightclick {approve}", "stale", ""),
        ("/end/150", "drag {approve} --to {archive}", "stale", ""),
        ("/moving", "click {approve}", "blocked", ""),
        // The place to drop on is looked at when the source is there to be taken.
        ("/appear", "drag --css #late --to {archive}", "stale", ""),
        // The others are tried in a run of all.
        ("/recolour", "click {approve}", "confirmed", "down-Approve up-Approve"),
        ("/recolour/50", "click {approve} --expect Approve", "confirmed", "down-Approve up-Approve"),
        ("/swap", "click {approve}", "stale", ""),
        ("/swap/150", "dblclick {approve}", "stale", ""),
        ("/swap/50", "drag {approve} --to {archive}", "stale", ""),
        ("/rows/50", "drag {approve} --to 700,300", "stale", ""),
        ("/end", "drag {approve} --to {archive}", "stale", ""),
        ("/blink", "click {approve}", "confirmed or unverifiable", "down-Approve up-Approve"),
        ("/blink", "drag {approve} --to {archive}", "confirmed or unverifiable", "down-Approve up-Archive"),
        ("/moving", "click {approve} --expect-any", "confirmed or unverifiable", "down-Approve up-Approve"),
    ];
    for (path, action, verdict, log) in rows.into_iter().take(if is_full() { 16 } else { 6 }) {
        let state = labels(&live, path);
        let approve = number(&state, "Approve").to_string();
        let archive = number(&state, "Archive").to_string();
        if path == "/appear" {
            live.run("keys a");
        }
        let line = action.replace("{approve}", &approve).replace("{archive}", &archive);
        let came = came(&live, &line);
        assert!(verdict.split(" or ").any(|verdict| verdict == came), "{path} {line}: {came}");
        assert_eq!(live.log(), log, "{path} {line}");
    }
}
