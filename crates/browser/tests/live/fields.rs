//! Filling in: every kind of field, every kind of text.

use crate::stage::{self, Stage, chord, delivered, typed, withheld};
use handeye_scene::{Chord, Delivery, EditKind, Gesture, Guard, Modifiers};
use handeye_testkit::is_full;
use std::time::Instant;

const FORM: &str = "<input aria-label=Text value=old oninput='log(\"in\")' onchange='log(\"ch\")'><textarea aria-label=Area>a
b</textarea><input aria-label=Short maxlength=3><input aria-label=Fixed readonly value=ro><input type=password aria-label=Pass>
<input type=number aria-label=Count value=1><input type=email aria-label=Mail>
<input type=date aria-label=Day><input type=time aria-label=Time><input type=color aria-label=Hue><input type=range min=0 max=10 aria-label=Slide>
<select aria-label=Fruit onchange='log(\"ch\")'><option value=a>Apple<option value=b>Birne<option disabled>No</select>
<select multiple aria-label=Many><option>One<option>Two<option>Three</select>
<div contenteditable role=textbox aria-label=Rich><b>bold</b> text</div>
<p id=log></p><script>function log(t){document.querySelector('#log').textContent+=t+';'}</script>";

#[tokio::test(flavor = "multi_thread")]
async fn content_is_replaced_in_every_kind_of_text_field() {
    let mut stage = Stage::on(FORM).await;
    for (role, name, text, holds, value) in [
        ("textbox", "Text", "中文 and 😀", true, "中文 and 😀"),
        ("textbox", "Area", "one\ntwo\n", true, "one\ntwo\n"),
        ("textbox", "Short", "abcdef", false, "abc"),
        ("textbox", "Fixed", "x", false, "ro"),
        ("spinbutton", "Count", "42", true, "42"),
        ("textbox", "Mail", "a@b.c", true, "a@b.c"),
        ("textbox", "Rich", "plain 文", true, "plain 文"),
        ("textbox", "Text", "", true, ""),
        ("textbox", "Rich", "", true, ""),
    ] {
        let id = stage.id(role, name).await;
        let delivery = stage.on_keys(id, Gesture::Replace(text.into())).await;
        match delivery {
            Delivery::Delivered { holds: seen, .. } => assert_eq!(seen, Some(holds), "{name} {text:?}"),
            Delivery::Withheld(ref w) if !holds => assert_eq!(w.reason, "refused", "{name}"),
            other => panic!("{name} {text:?}: {other:?}"),
        }
        let probe = stage.probe(id).await;
        let now = if name == "Rich" { probe.texts.text.clone() } else { probe.texts.value.clone() };
        assert!(
            now.trim() == value.trim() || probe.texts.value.trim() == value.trim(),
            "{name}: {now:?} {:?}",
            probe.texts
        );
    }
    let pass = stage.id("textbox", "Pass").await;
    let delivery = stage.on_keys(pass, Gesture::Replace("secret".into())).await;
    assert!(matches!(delivery, Delivery::Delivered { holds: Some(true), .. }), "{delivery:?}");
    assert!(!stage.probe(pass).await.texts.value.contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn values_are_set_and_options_chosen() {
    let mut stage = Stage::on(FORM).await;
    let capture = stage.look().await;
    let by_name =
        |name: &str| capture.nodes.iter().find(|n| n.name == name && n.id.is_some()).and_then(|n| n.id).unwrap();
    for (name, value) in [("Day", "2026-11-21"), ("Time", "13:05"), ("Hue", "#ff8000"), ("Slide", "7")] {
        let id = by_name(name);
        assert_eq!(stage.probe(id).await.edit, EditKind::Set, "{name}");
        let delivery = stage.on_keys(id, Gesture::Set(value.into())).await;
        assert!(matches!(delivery, Delivery::Delivered { holds: Some(true), .. }), "{name}: {delivery:?}");
    }
    let delivery = stage.on_keys(by_name("Day"), Gesture::Set("tomorrow".into())).await;
    assert_eq!(withheld(&delivery), "refused");
    for (options, chosen) in [(vec!["Birne"], "Birne"), (vec!["a"], "Apple"), (vec!["#1"], "Birne")] {
        let gesture = Gesture::Choose(options.iter().map(|o| (*o).to_owned()).collect());
        delivered(&stage.on_keys(by_name("Fruit"), gesture).await);
        let probe = stage.probe(by_name("Fruit")).await;
        let now: Vec<&str> = probe.options.iter().filter(|o| o.selected).map(|o| o.label.as_str()).collect();
        assert_eq!(now, [chosen]);
    }
    assert_eq!(withheld(&stage.on_keys(by_name("Fruit"), Gesture::Choose(vec!["Cherry".into()])).await), "refused");
    delivered(&stage.on_keys(by_name("Many"), Gesture::Choose(vec!["One".into(), "Three".into()])).await);
    assert_eq!(stage.probe(by_name("Many")).await.options.iter().filter(|o| o.selected).count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_type_edit_and_submit() {
    let mut stage = Stage::on(
        "<form onsubmit=\"document.title='sent '+this.f.value;return false\"><input name=f aria-label=F><button>Go</button></form>
         <textarea aria-label=A></textarea>",
    )
    .await;
    let field = stage.id("textbox", "F").await;
    delivered(&stage.on_keys(field, typed("Hi (中文) 你好 #1~")).await);
    assert_eq!(stage.probe(field).await.texts.value, "Hi (中文) 你好 #1~");
    let ctrl = |key: &str| Chord { modifiers: Modifiers { ctrl: true, ..Modifiers::default() }, key: key.into() };
    delivered(&stage.on_keys(field, Gesture::Keys(vec![ctrl("a"), ctrl("c"), chord("End"), ctrl("v")])).await);
    assert_eq!(stage.probe(field).await.texts.value, "Hi (中文) 你好 #1~Hi (中文) 你好 #1~");
    delivered(&stage.on_keys(field, Gesture::Keys(vec![ctrl("a"), chord("x"), chord("y"), ctrl("z")])).await);
    delivered(&stage.on_keys(field, Gesture::Replace("done".into())).await);
    delivered(&stage.on_keys(field, typed("\n")).await);
    stage.settle().await;
    assert_eq!(stage.web().location().await.unwrap().1, "sent done");
    let area = stage.id("textbox", "A").await;
    delivered(&stage.on_keys(area, typed("a\nb")).await);
    assert_eq!(stage.probe(area).await.texts.value, "a\nb");
    // Unguarded keys go to the focus.
    stage.surface.perform(&Gesture::Keys(vec![chord("c"), chord("Tab")]), &Guard::default()).await.unwrap();
    assert_eq!(stage.probe(area).await.texts.value, "a\nbc");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_texts_go_in_at_once_or_are_refused_before_they_hang_the_page() {
    let mut stage = Stage::on(
        "<textarea aria-label=A oninput=\"document.title='in'\"></textarea><textarea aria-label=Cut maxlength=1000></textarea>
         <input aria-label=I><div contenteditable role=textbox aria-label=R>x</div><button>B</button>",
    )
    .await;
    // By default one megabyte in place of ten.
    let many = if is_full() { 10 << 16 } else { 1 << 16 };
    let (lines, one) = ("0123456789abcde\n".repeat(10_000), "0123456789abcdef".repeat(many));
    for (name, text, holds) in [("A", &lines, true), ("Cut", &lines, false), ("I", &one, true), ("A", &one, true)] {
        let id = stage.id("textbox", name).await;
        let probe = stage.probe(id).await;
        let began = Instant::now();
        let delivery = stage.surface.perform(&Gesture::Replace(text.clone()), &stage::guard_of(&probe)).await.unwrap();
        println!("{} KB into {name}: {:?}", text.len() >> 10, began.elapsed());
        assert!(
            matches!(delivery, Delivery::Delivered { holds: Some(seen), .. } if seen == holds),
            "{name}: {delivery:?}"
        );
        stage.on_keys(id, Gesture::Replace("short".into())).await;
    }
    assert_eq!(stage.web().location().await.unwrap().1, "in");
    let refused = "0123456789abcde\n".repeat(10 << 16);
    for name in ["A", "R"] {
        let id = stage.id("textbox", name).await;
        let probe = stage.probe(id).await;
        let began = Instant::now();
        let outcome = stage.surface.perform(&Gesture::Replace(refused.clone()), &stage::guard_of(&probe)).await;
        assert!(stage::code(outcome).starts_with("bad_request: 655360 line ends in 10.0 MB of text"));
        assert!(began.elapsed().as_secs() < 3);
    }
    let button = stage.id("button", "B").await;
    delivered(&stage.click(button).await);
}
