//! `locate` where a script draws all there is: what is small or thin is hit in its middle, and what blinks is waited for. The eye
//! is the page's own log.

use crate::locate::{colour, found, models, run};
use handeye_testkit::live::{Answer as Page, Live, page};
use handeye_testkit::{Sample, trials};

/// A spot, where the path says: left, top, width and height. It blinks, if that says so, as a field with a caret in it does.
const SPOT: &str = r#"<title>Spot</title><style>body { margin: 0 } canvas { display: block }</style>
<canvas id=c width=1280 height=700></canvas><script>
const [x, y, w, h] = location.pathname.split('/').slice(2, 6).map(Number);
const caret = location.pathname.endsWith('/caret'), g = c.getContext('2d');
g.fillStyle = '#f4f4f4'; g.fillRect(0, 0, 1280, 700);
let on = true, presses = 0;
function draw() {
  g.fillStyle = '#122c56'; g.fillRect(x, y, w, h);
  if (caret && on) { g.fillStyle = '#fff'; g.fillRect(x + 9, y + 5, 2, h - 10) }
  g.fillStyle = `hsl(${presses * 47}deg 90% 50%)`; g.fillRect(1240, 660, 20, 20);
}
addEventListener('mousedown', e => {
  log(e.clientX >= x && e.clientX < x + w && e.clientY >= y && e.clientY < y + h ? 'hit' : 'missed');
  presses++; draw();
});
if (caret) setInterval(() => { on = !on; draw() }, 530);
draw();
</script>"#;

const BLUE: [u8; 3] = [0x12, 0x2c, 0x56];

fn live() -> Live {
    Live::closed(|_| -> Page { page(SPOT) })
}

#[test]
fn what_is_small_or_thin_is_pressed_in_its_middle_or_not_at_all() {
    let live = live();
    let spots = ["300/200/9/9", "911/433/14/8", "37/611/20/7", "640/350/6/30", "1003/20/180/9", "5/5/12/12"];
    // By default the first that is small and the one that is thin, each over another wire.
    let mut sample = Sample::one_in(7);
    for (seed, spot) in (0..).zip(spots) {
        for (wire, error) in [("openai", 0.0), ("anthropic", 0.1)] {
            if !sample.takes() {
                continue;
            }
            live.ok(&format!("open {}", live.site.at(&format!("/spot/{spot}"))));
            live.log();
            let server = colour(BLUE, error, seed);
            live.settings(&models(&server, wire, &format!("error = {}", if error > 0.0 { error } else { 0.02 })));
            let told = found(&live, &["locate", "the blue spot", "--act", "click", "--max-steps", "25"]);
            // With errors, it may know that it doesn't know; beside it nothing is pressed.
            let is_found = told["success"] == true;
            assert!(is_found || error > 0.0, "{spot}: {told:#}");
            live.logged(if is_found { "hit" } else { "" });
        }
    }
}

#[test]
fn what_blinks_in_a_region_is_waited_for() {
    let live = live();
    live.ok(&format!("open {}", live.site.at("/spot/400/300/160/44/caret")));
    live.log();
    let server = colour(BLUE, 0.0, 1);
    live.settings(&models(&server, "openai", "error = 0.02"));
    let told = found(&live, &["locate", "the blue field", "--pixels"]);
    assert_eq!(told["success"], true, "{told:#}");
    let number = told["element"]["ref"].to_string();
    for act in ["click", "click", "dblclick", "click"].into_iter().take(trials(1, 4)) {
        let ran = run(&live, &[act, &number, "--json"]);
        assert!(ran.status != Some(2), "{act}: {ran:?}");
        live.logged(if act == "click" { "hit" } else { "hit hit" });
    }
}
