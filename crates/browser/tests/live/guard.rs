//! The guard: nothing but the target, as it was shown, takes a gesture.

use crate::stage::{Stage, chord, click_at, delivered, guard_of, page, typed, withheld};
use handeye_scene::{Aim, Delivery, Gesture, Guard};
use handeye_testkit::{is_full, trials};
use std::time::{Duration, Instant};

const APPROVE: &str = "<p id=log style='position:fixed;bottom:0;font-size:1px'></p><button id=b>Approve</button><script>
  const log = (t) => { document.querySelector('#log').textContent += t + ';' };
  const b = document.querySelector('#b');
  for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click']) b.addEventListener(type, () => log(type + ' ' + b.textContent));
</script>";

/// Probes, lets the page do `between`, then clicks; what the page saw.
async fn raced(stage: &mut Stage, between: &str) -> (Delivery, String) {
    stage.show(&format!("{APPROVE}<script>onmessage = () => {{ {between} }}</script><iframe hidden></iframe>")).await;
    let id = stage.id("button", "Approve").await;
    let probe = stage.probe(id).await;
    // The page changes itself on a key that no guard watches over.
    stage.surface.perform(&Gesture::Keys(vec![chord("F2")]), &Guard::default()).await.unwrap();
    let delivery = stage.press(&probe).await;
    stage.settle().await;
    let text = stage.text().await;
    (delivery, text)
}

/// The page's own change, made between the probe and the click.
fn on_f2(change: &str) -> String {
    format!("}}; addEventListener('keydown', () => {{ {change} }}); onmessage = () => {{")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_changed_since_it_was_looked_at_is_not_clicked() {
    let mut stage = Stage::new().await;
    for (change, reason) in [
        ("b.textContent = 'Delete'", "relabelled"),
        ("b.remove()", "detached"),
        ("b.disabled = true", "disabled"),
        ("b.style.marginTop = '200px'", "miss"),
        (
            "const d = document.createElement('div'); d.style = 'position:fixed;inset:0'; document.body.append(d); d.onclick = () => log('cover')",
            "miss",
        ),
        ("const n = b.cloneNode(true); b.replaceWith(n); n.onclick = () => log('other')", "detached"),
    ] {
        let (delivery, text) = raced(&mut stage, &on_f2(change)).await;
        assert_eq!(withheld(&delivery), reason, "{change}");
        assert!(!text.contains("click") && !text.contains("down"), "{change}: {text}");
    }
    let (delivery, text) = raced(&mut stage, &on_f2("b.textContent = ' approve  '")).await;
    delivered(&delivery);
    assert!(text.contains("click approve"), "case and white space are no change: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_inside_the_gesture_withholds_the_rest() {
    let mut stage = Stage::new().await;
    let (delivery, text) =
        raced(&mut stage, "} ; addEventListener('pointerdown', () => { b.textContent = 'Delete' }, true); {").await;
    assert_eq!(withheld(&delivery), "relabelled");
    assert!(!text.contains("click") && !text.contains("mousedown"), "{text}");
    let (delivery, text) =
        raced(&mut stage, "} ; addEventListener('mousedown', () => { b.textContent = 'Delete' }); {").await;
    let Delivery::Withheld(w) = &delivery else { panic!("{delivery:?}") };
    assert!(w.partial && w.reason == "answered", "{w:?}");
    assert_eq!(w.actual.as_ref().map(|s| s.name.as_str()), Some("Delete"));
    assert!(!text.contains("click"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn undisturbed_targets_are_clicked_every_time_and_fast() {
    let mut stage = Stage::on(APPROVE).await;
    let id = stage.id("button", "Approve").await;
    let mut times = Vec::new();
    let clicks = trials(8, 20);
    for _ in 0..clicks {
        let probe = stage.probe(id).await;
        let began = Instant::now();
        delivered(&stage.press(&probe).await);
        times.push(began.elapsed());
        stage.settle().await;
    }
    times.sort();
    println!("click round trip: median {:?}, slowest {:?}", times[clicks / 2], times[clicks - 1]);
    assert_eq!(stage.text().await.matches("click").count(), clicks);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_click_arrives() {
    let mut stage = Stage::on(
        "<p id=log></p><label for=c>Agree</label><input type=checkbox id=c><button>Plain</button><a href='#x'><b>Bold</b> link</a>
         <button oncontextmenu='log(\"menu\");return false' ondblclick='log(\"double\")'>Many</button>
         <select aria-label=Pick><option>a<option>b</select><details><summary>More</summary>Inside</details>
         <script>function log(t){document.querySelector('#log').textContent+=t+';'}
         document.querySelectorAll('button,a,input').forEach(e=>e.addEventListener('click',()=>log('click '+e.textContent)))</script>",
    )
    .await;
    for (role, name) in [("checkbox", "Agree"), ("button", "Plain"), ("link", "Bold link"), ("combobox", "Pick")] {
        let id = stage.id(role, name).await;
        delivered(&stage.click(id).await);
        stage.settle().await;
    }
    stage.surface.perform(&Gesture::Keys(vec![chord("Escape")]), &Guard::default()).await.unwrap();
    let many = stage.id("button", "Many").await;
    let probe = stage.probe(many).await;
    let at = probe.point.unwrap();
    let gesture = |button, count| Gesture::Click { at, button, count, modifiers: Default::default() };
    delivered(&stage.surface.perform(&gesture(handeye_scene::Button::Right, 1), &guard_of(&probe)).await.unwrap());
    delivered(&stage.surface.perform(&gesture(handeye_scene::Button::Left, 2), &guard_of(&probe)).await.unwrap());
    let text = stage.text().await;
    assert!(text.contains("menu;") && text.contains("double;") && text.contains("click Plain;"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_leaves_the_page_or_opens_a_dialog_is_known_to_have_arrived() {
    let mut stage = Stage::new().await;
    stage.site.put("/next", page("<p>Next</p>"));
    stage
        .show("<a href=/next>Go</a> <button onclick=\"location.href='/next'\">Script</button> <button onmousedown=\"location.href='/next'\">Early</button>")
        .await;
    for (role, name) in [("link", "Go"), ("button", "Script"), ("button", "Early")] {
        let url = stage.site.url("/");
        stage.open(&url).await;
        let id = stage.id(role, name).await;
        delivered(&stage.click(id).await);
        let settled = stage.settle().await;
        assert!(
            settled.quiet
                && settled.events.iter().any(|e| matches!(e, handeye_scene::Event::Navigated { document: true, .. })),
            "{name}: {settled:?}"
        );
        stage.sees("Next").await;
    }
    stage.show("<button onclick=\"alert('hello')\">Alert</button>").await;
    let id = stage.id("button", "Alert").await;
    let probe = stage.probe(id).await;
    let began = Instant::now();
    delivered(&stage.press(&probe).await);
    assert!(began.elapsed() < Duration::from_secs(7), "{:?}", began.elapsed());
    let began = Instant::now();
    let settled = stage.settle().await;
    assert!(matches!(settled.events.as_slice(), [handeye_scene::Event::Dialog { .. }]), "{settled:?}");
    assert!(began.elapsed() < Duration::from_secs(7), "{:?}", began.elapsed());
    stage.web().answer_dialog(true, None).await.unwrap();
    // Nothing is left armed.
    delivered(&stage.click(id).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_reach_the_target_alone() {
    let mut stage = Stage::on(
        "<input aria-label=One><input aria-label=Two><input aria-label=Thief onfocus=\"setTimeout(()=>document.querySelector('input').focus())\">
         <input aria-label=Jump oninput=\"if (this.value.length == 2) document.querySelectorAll('input')[1].focus()\">",
    )
    .await;
    let one = stage.id("textbox", "One").await;
    let two = stage.id("textbox", "Two").await;
    delivered(&stage.on_keys(two, typed("xy")).await);
    assert_eq!(stage.probe(two).await.texts.value, "xy");
    // Focus moves away in the middle of the text: the rest is dropped, and said to be.
    let jump = stage.id("textbox", "Jump").await;
    let delivery = stage.on_keys(jump, typed("abcd")).await;
    assert!(matches!(delivery, Delivery::Withheld(ref w) if w.partial), "{delivery:?}");
    assert_eq!(stage.probe(jump).await.texts.value, "ab");
    assert_eq!(stage.probe(two).await.texts.value, "xy");
    assert_eq!(stage.probe(one).await.texts.value, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_cannot_have_the_focus_takes_no_keys() {
    let mut stage = Stage::on(
        "<p role=button>Never</p><iframe srcdoc='<input autofocus aria-label=In>'></iframe><input aria-label=Out>",
    )
    .await;
    let inner = stage.id("textbox", "In").await;
    stage.on_keys(inner, Gesture::Focus).await;
    let never = stage.id("button", "Never").await;
    let probe = stage.probe(never).await;
    let delivery = stage.surface.perform(&typed("abc"), &guard_of(&probe)).await.unwrap();
    assert!(matches!(delivery, Delivery::Withheld(_)), "{delivery:?}");
    assert_eq!(stage.probe(inner).await.texts.value, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gesture_cut_short_leaves_nothing_armed_or_pressed() {
    let mut stage = Stage::on(&format!("{APPROVE}<button id=slow>Slow</button><script>document.querySelector('#slow').onmousedown = () => {{ for (const t = Date.now(); Date.now() - t < 700;); }}</script>")).await;
    let slow = stage.id("button", "Slow").await;
    let probe = stage.probe(slow).await;
    let (gesture, guard) = (click_at(probe.point.unwrap()), guard_of(&probe));
    for wait in [5, 40, 200].into_iter().filter(|wait| is_full() || *wait == 40) {
        let performing = stage.surface.perform(&gesture, &guard);
        let _ = tokio::time::timeout(Duration::from_millis(wait), performing).await;
        let approve = stage.id("button", "Approve").await;
        delivered(&stage.click(approve).await);
    }
    // Raw input gets through as well: no document denies.
    let approve = stage.id("button", "Approve").await;
    let before = stage.text().await.matches("click").count();
    let at = stage.probe(approve).await.point.unwrap();
    stage.surface.perform(&click_at(at), &Guard::default()).await.unwrap();
    assert_eq!(stage.text().await.matches("click").count(), before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_come_up_after_a_gesture_take_input() {
    let mut stage = Stage::on(
        "<button onclick=\"const f=document.createElement('iframe');f.srcdoc='<button onclick=parent.log(2)>Inner</button>';document.body.append(f)\">Grow</button>
         <p id=log></p><script>function log(t){document.querySelector('#log').textContent+='got '+t}</script>",
    )
    .await;
    let grow = stage.id("button", "Grow").await;
    delivered(&stage.click(grow).await);
    stage.settle().await;
    let inner = stage.id("button", "Inner").await;
    let at = stage.probe(inner).await.point.unwrap();
    stage.surface.perform(&click_at(at), &Guard::default()).await.unwrap();
    stage.sees("got 2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_element_of_another_document_or_gone_is_none() {
    let mut stage = Stage::on("<button>Old</button>").await;
    let old = stage.id("button", "Old").await;
    let probe = stage.probe(old).await;
    stage.show("<button>Old</button>").await;
    assert!(stage.surface.probe(old, Aim::default()).await.unwrap().is_none());
    assert_eq!(withheld(&stage.press(&probe).await), "detached");
}
