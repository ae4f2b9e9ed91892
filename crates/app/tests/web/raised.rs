//! Elements that a page puts in anew as the pointer comes, as charts do to draw them last: the browser gives the press and the click
//! to what they are in.

use handeye_testkit::live::{Live, page};
use serde_json::Value;

/// Each is put in last whenever the pointer comes over it; what hears of it is told on the page. What they are in hears presses too.
const PAGE: &str = r#"<title>Raised</title><meta charset=utf-8>
<svg id=chart width=600 height=60></svg> <div id=list style="position:relative; height:60px"></div> <p id=out></p>
<script>
const heard = [];
const tell = (word) => { heard.push(word); out.textContent = heard.join(' ') };
const put = (into, el, type, i) => {
  el.textContent = type;
  into.append(el);
  el.addEventListener('mouseover', () => into.append(el));
  el.addEventListener(type, () => tell(type));
};
['pointerdown', 'pointerup', 'mouseup', 'click'].forEach((type, i) => {
  const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
  text.setAttribute('x', i * 140); text.setAttribute('y', 30); text.style.font = '24px sans-serif'; text.id = 'text-' + type;
  put(chart, text, type);
  const box = document.createElement('b');
  box.style.cssText = 'position:absolute; top:10px; left:' + i * 140 + 'px'; box.id = 'box-' + type;
  put(list, box, type);
});
for (const around of [chart, list]) for (const type of ['mousedown', 'click']) around.addEventListener(type, (e) => { if (e.target === around) tell('around') });
</script>"#;

#[test]
fn what_is_put_in_anew_as_the_pointer_comes_gets_what_it_can_and_what_is_around_it_nothing() {
    let live = Live::open(|_| page(PAGE));
    for kind in ["text", "box"] {
        for heard in ["pointerdown", "pointerup", "mouseup", "click"] {
            live.ok("reload");
            let told: Value = live.run(&format!("click css=#{kind}-{heard} --json")).json();
            let out = live.json("get text --css #out")["value"].clone();
            let expected = match heard {
                // The browser gives these to what it is in.
                "mouseup" | "click" => ("no_effect", ""),
                _ => ("confirmed", heard),
            };
            assert_eq!(
                (told["verdict"].as_str(), out.as_str()),
                (Some(expected.0), Some(expected.1)),
                "{kind}: {told:#}"
            );
        }
    }
}
