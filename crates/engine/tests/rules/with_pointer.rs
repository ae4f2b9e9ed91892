//! What a click is said to have done where the pointer brought something along: a tooltip's text went, and what else was seen.

use handeye_engine::act;
use handeye_engine::replay::{self, Moment, Replay, Ticker, node};
use handeye_engine::{Action, AimedAt, ClickBy, Expectation, Locator, Memory};
use handeye_scene::{
    Button, Capture, Cause, DocumentId, Modifiers, Moved, Mutation, NativeId, NodeKind, Ref, Settled, Stirred, Verdict,
};

const WITH_POINTER: &str =
    "what changed came with the pointer, with scrolling there, or with what lost the focus, and not of the click";
const WAITS: &str = "the page still waits for the answer to POST /save, and nothing was seen to change yet";

/// A page of a button, a tooltip and a sum.
fn page(tip: &str, sum: &str) -> Moment {
    let nodes = vec![
        node(NodeKind::Operable, 1, "button", "Buy"),
        node(NodeKind::Text, 2, "text", tip),
        node(NodeKind::Text, 3, "text", sum),
    ];
    Moment { capture: Capture { nodes, ..Capture::default() }, ..Moment::default() }
}

fn clicked(moments: Vec<Moment>) -> (Verdict, Option<String>) {
    let mut memory = Memory::default();
    memory.refs.show(NativeId::new(DocumentId(1), 1), "button", "Buy");
    let modifiers = Modifiers::default();
    let action = Action::Click { button: Button::Left, count: 1, modifiers, by: ClickBy::Best, offset: None };
    let request = replay::request(AimedAt::Target(vec![Locator::Ref(Ref(1))]), Expectation::LastShown, action);
    let mut replay = Replay::new(moments);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let receipt = runtime.block_on(act(&mut replay, &mut memory, &Ticker::default(), &request)).unwrap();
    (receipt.verdict, receipt.reason)
}

/// What is told of the click.
struct Told {
    /// What the tooltip says then that said "Saves it" before.
    tip: &'static str,
    /// What a text says then that said "Sum 1" before.
    sum: &'static str,
    /// Whether that goes on by itself, and whether the tooltip is told as what came with the pointer.
    sum_restless: bool,
    tip_told: bool,
    is_noted: bool,
    set_by_input: bool,
    awaits: Option<&'static str>,
}

#[test]
fn what_came_with_the_pointer_proves_nothing_of_a_click() {
    let noted = || Told {
        tip: "Saved before",
        sum: "Sum 1",
        sum_restless: false,
        tip_told: true,
        is_noted: true,
        set_by_input: false,
        awaits: None,
    };
    let unverifiable = |why: &'static str| (Verdict::Unverifiable, Some(why));
    let confirmed = (Verdict::Confirmed, None);
    let rows = [
        ("a press that is noted", noted(), unverifiable(WITH_POINTER)),
        ("nothing is noted", Told { is_noted: false, ..noted() }, unverifiable(WITH_POINTER)),
        ("another text", Told { sum: "Sum 2", ..noted() }, confirmed),
        ("one that goes on", Told { sum: "Sum 2", sum_restless: true, ..noted() }, unverifiable(WITH_POINTER)),
        (
            "one that goes on, and says the same",
            Told { tip: "Same", sum: "Same", sum_restless: true, ..noted() },
            unverifiable(WITH_POINTER),
        ),
        ("a control is set", Told { set_by_input: true, ..noted() }, confirmed),
        ("an answer is to come", Told { awaits: Some("POST /save"), ..noted() }, unverifiable(WAITS)),
        ("nobody told of it", Told { tip_told: false, ..noted() }, confirmed),
    ];
    for (what, told, wanted) in rows {
        let id = |number| NativeId::new(DocumentId(1), number);
        let note = Mutation {
            near: Some(id(1)),
            own: true,
            inside: true,
            tag: "button".into(),
            property: "class".into(),
            from: String::new(),
            to: "mouse".into(),
            cause: Cause::Input,
        };
        let stirred = Stirred {
            with_pointer: told.tip_told.then(|| id(2)).into_iter().collect(),
            self_changing: told.sum_restless.then(|| id(3)).into_iter().collect(),
            mutations: told.is_noted.then_some(note).into_iter().collect(),
            set_by_input: told.set_by_input,
            ..Stirred::default()
        };
        let moved = Moved { by_input: true, by_motion: true, ..Moved::default() };
        let awaits = told.awaits.map(str::to_owned);
        let settled = Settled { moved, quiet: true, awaits, ..Settled::default() };
        let before = Moment { settled, stirred, ..page("Saves it", "Sum 1") };
        let (verdict, reason) = clicked(vec![before, page(told.tip, told.sum)]);
        assert_eq!((verdict, reason.as_deref()), wanted, "{what}");
    }
}
