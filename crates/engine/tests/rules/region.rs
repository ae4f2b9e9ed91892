//! Acting on regions: by place, and only while what is seen there is what was shown.

use handeye_engine::observe::snapshot;
use handeye_engine::perceive::{pixels, regions};
use handeye_engine::replay::{self, Moment, Replay, Ticker, node};
use handeye_engine::{Action, ActionRequest, AimedAt, ClickBy, DropAt, Expectation, Locator, Memory, Show, act};
use handeye_scene::{
    Button, Capture, Claim, Code, DeniedOrigins, Document, DocumentId, Evidence, Generation, Gesture, Modifiers,
    NativeId, Node, NodeKind, Picture, Point, Problem, Receipt, Rect, Ref, Shot, Source, Verdict,
};

/// A field of pixels in which one stands out.
fn picture(spot: Option<(usize, usize)>) -> Picture {
    let mut rgba = vec![200; 400 * 300 * 4];
    if let Some((x, y)) = spot {
        rgba[(y * 400 + x) * 4] = 0;
    }
    Picture::new((400, 300), rgba, 1.0, Point::new(0.0, 0.0)).unwrap()
}

fn shot(picture: &Picture) -> Option<Shot> {
    Some(Shot { bytes: pixels::encode(picture).unwrap(), scale: 1.0, area: picture.area() })
}

/// A page of a board on which something is drawn, and of two headers.
fn capture(width: f64) -> Capture {
    let at = |node: Node, rect: [f64; 4]| Node { rect: rect.into(), ..node };
    let document = DocumentId(1);
    Capture {
        surface: "web".into(),
        url: "http://a/".into(),
        viewport: Rect::new(0.0, 0.0, 400.0, 300.0),
        documents: vec![Document { id: document, url: "http://a/".into(), origin: "http://a".into(), owner: None }],
        nodes: vec![
            at(node(NodeKind::Operable, 1, "canvas", "Board"), [0.0, 100.0, 400.0, 200.0]),
            at(node(NodeKind::Item, 2, "columnheader", "Name"), [0.0, 0.0, width, 20.0]),
            at(node(NodeKind::Operable, 3, "textbox", "Title"), [200.0, 40.0, 100.0, 20.0]),
        ],
        ..Capture::default()
    }
}

fn drawn_button() -> Claim {
    Claim::new(Source::Shapes, "button", "Delete", Rect::new(50.0, 150.0, 60.0, 20.0))
}

fn border() -> Claim {
    let anchors = vec![node(NodeKind::Item, 2, "", "").id.unwrap()];
    Claim {
        anchors,
        ..Claim::new(Source::Structure, "column border", "right of Name", Rect::new(97.0, 0.0, 4.0, 20.0))
    }
}

fn over_field() -> Claim {
    Claim::new(Source::Vision, "textbox", "Title", Rect::new(210.0, 42.0, 80.0, 16.0))
}

/// A memory that was shown a claim, under the number 4: after the two targets of the page.
fn shown(claim: Claim, picture: &Picture) -> (Memory, Ref) {
    let mut memory = Memory::default();
    let (seen, show) = (capture(100.0), Show { text: 80, ..Show::default() });
    let mut view = snapshot::see(&seen, &mut memory, show, Generation(1), String::new()).unwrap();
    regions::list(&mut view, &mut memory, (&seen, Some(picture)), (vec![claim], vec![None], 0));
    let target = view.snapshot.targets.last().unwrap();
    assert_eq!((target.native, target.confidence), (None, Some(1.0)));
    (memory, target.r#ref)
}

fn request(number: Ref, expectation: Expectation, action: Action) -> ActionRequest {
    replay::request(AimedAt::Target(vec![Locator::Ref(number)]), expectation, action)
}

fn click() -> Action {
    let modifiers = Modifiers::default();
    Action::Click { button: Button::Left, count: 1, modifiers, by: ClickBy::Best, offset: None }
}

/// What comes of an action on a region that was shown with this picture, and which gestures were made.
fn try_on(
    claim: Claim,
    before: Option<(usize, usize)>,
    moments: Vec<Moment>,
    (expectation, action): (Expectation, Action),
) -> (Result<Receipt, Problem>, Vec<Gesture>) {
    let (mut memory, number) = shown(claim, &picture(before));
    let mut replay = Replay::new(moments);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let asked = request(number, expectation, action);
    let came = runtime.block_on(act(&mut replay, &mut memory, &Ticker::default(), &asked));
    // That the pointer is put there first is a matter of its own.
    let made = replay.performed.into_iter().map(|(gesture, _)| gesture);
    (came, made.filter(|gesture| !matches!(gesture, Gesture::Hover { .. })).collect())
}

fn moment(width: f64, spot: Option<(usize, usize)>) -> Moment {
    Moment { capture: capture(width), picture: shot(&picture(spot)), ..Moment::default() }
}

fn clicked_at(x: f64, y: f64) -> Gesture {
    Gesture::Click { at: Point::new(x, y), button: Button::Left, count: 1, modifiers: Modifiers::default() }
}

#[test]
fn a_region_is_clicked_in_its_middle_while_its_pixels_are_the_same() {
    let last = || (Expectation::LastShown, click());
    let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, None)], last());
    assert_eq!(came.map(|r| (r.verdict, r.action)), Ok((Verdict::Unverifiable, "clicked".into())));
    assert_eq!(made, [clicked_at(80.0, 160.0)]);
    // Elsewhere, something may have changed.
    let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, Some((300, 250)))], last());
    assert_eq!((came.is_ok(), made.len()), (true, 1));
    // In it, nothing may.
    let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, Some((55, 155)))], last());
    assert_eq!((came.map_err(|p| p.code), made), (Err(Code::Stale), Vec::new()));
}

#[test]
fn a_place_told_from_elements_is_not_acted_on_where_another_target_lies() {
    let over = |kind: NodeKind, role: &str, parent: Option<usize>| {
        let mut capture = capture(100.0);
        let rect = Rect::new(90.0, 0.0, 30.0, 20.0);
        capture.nodes.push(Node { rect, parent, ..node(kind, 9, role, "Sum") });
        Moment { capture, picture: shot(&picture(None)), ..Moment::default() }
    };
    for (kind, role, parent, is_made) in [
        (NodeKind::Operable, "button", None, false),
        (NodeKind::Operable, "button", Some(0), false),
        // What can't be operated, the next header, and what is inside of the header are what a border lies on.
        (NodeKind::Item, "group", None, true),
        (NodeKind::Operable, "columnheader", None, true),
        (NodeKind::Operable, "generic", Some(1), true),
    ] {
        let (came, made) = try_on(border(), None, vec![over(kind, role, parent)], (Expectation::LastShown, click()));
        assert_eq!(made.len(), usize::from(is_made), "{role} {parent:?}: {came:?}");
        assert_eq!(came.map_err(|p| p.code).err(), (!is_made).then_some(Code::Blocked), "{role} {parent:?}");
    }
    // What was told from pixels lies on whatever it lies on.
    let (_, made) = try_on(over_field(), None, vec![moment(100.0, None)], (Expectation::LastShown, click()));
    assert_eq!(made.len(), 1);
}

#[test]
fn what_lies_level_with_it_tells_it_from_others_that_look_alike() {
    let beside = || vec![moment(100.0, Some((300, 155)))];
    let (came, made) = try_on(drawn_button(), None, beside(), (Expectation::LastShown, click()));
    assert_eq!((came.map_err(|p| p.code), made), (Err(Code::Stale), Vec::new()));
    let (came, made) = try_on(drawn_button(), None, beside(), (Expectation::Any, click()));
    assert_eq!((came.is_ok(), made), (true, vec![clicked_at(80.0, 160.0)]));
}

#[test]
fn a_region_is_expected_by_what_it_is_called() {
    let stated = |text: &str| (Expectation::Text(text.into()), click());
    let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, None)], stated("Save"));
    assert_eq!((came.map(|r| r.verdict), made), (Ok(Verdict::Contradicted), Vec::new()));
    let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, None)], stated("delete"));
    assert_eq!((came.is_ok(), made.len()), (true, 1));
}

#[test]
fn a_border_is_dragged_and_judged_by_what_became_of_its_column() {
    let to = DropAt::Place(Point::new(140.0, 10.0));
    let drag = || Action::Drag { to: to.clone(), button: Button::Left, duration_ms: 0 };
    let (came, made) =
        try_on(border(), None, vec![moment(100.0, None), moment(141.0, None)], (Expectation::LastShown, drag()));
    let came = came.unwrap();
    let property = Evidence::Property { property: "width".into(), from: "100".into(), to: "141".into() };
    assert_eq!((came.verdict, came.evidence), (Verdict::Confirmed, vec![property]));
    assert!(matches!(made[..], [Gesture::Drag { from, .. }] if from == Point::new(99.0, 10.0)), "{made:?}");
    // Nothing came of it: nobody knows whether it can be dragged.
    let (came, _) = try_on(border(), None, vec![moment(100.0, None)], (Expectation::LastShown, drag()));
    assert_eq!(came.map(|r| r.verdict), Ok(Verdict::Unverifiable));
    // Something else came of it, or of itself.
    let mut other = moment(100.0, None);
    other.capture.nodes.push(node(NodeKind::Operable, 9, "button", "New"));
    let (came, _) = try_on(border(), None, vec![moment(100.0, None), other], (Expectation::LastShown, drag()));
    let came = came.unwrap();
    assert_eq!((came.verdict, came.evidence.len()), (Verdict::Unverifiable, 1));
    // Its column has another width by now.
    let (came, made) = try_on(border(), None, vec![moment(120.0, None)], (Expectation::LastShown, drag()));
    assert_eq!((came.map_err(|p| p.code), made), (Err(Code::Stale), Vec::new()));
}

#[test]
fn what_a_region_is_dropped_on_is_held_to_what_was_shown_and_to_be_in_view() {
    let drop = |to: DropAt| Action::Drag { to, button: Button::Left, duration_ms: 0 };
    let onto = || drop(DropAt::Element(node(NodeKind::Operable, 3, "", "").id.unwrap()));
    let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, None)], (Expectation::LastShown, onto()));
    assert!(came.is_ok() && matches!(made[..], [Gesture::Drag { .. }]), "{came:?} {made:?}");
    let mut relabelled = moment(100.0, None);
    relabelled.capture.nodes[2].name = "Rubbish".into();
    let (came, made) = try_on(drawn_button(), None, vec![relabelled], (Expectation::LastShown, onto()));
    assert_eq!((came.map(|r| r.verdict), made), (Ok(Verdict::Contradicted), Vec::new()));
    let beyond = drop(DropAt::Place(Point::new(4_000.0, 10.0)));
    let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, None)], (Expectation::LastShown, beyond));
    assert!(came.is_err() && made.is_empty(), "{came:?} {made:?}");
}

#[test]
fn what_has_no_form_by_place_is_refused_and_never_made_a_click() {
    for action in [
        Action::Input("x".into()),
        Action::Select(vec!["x".into()]),
        Action::Check(true),
        Action::Expand(true),
        Action::Focus,
        Action::Type { text: "x".into(), pace_ms: 0 },
        Action::Upload(vec!["/x".into()]),
        Action::Click {
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::default(),
            by: ClickBy::Activation,
            offset: None,
        },
    ] {
        let (came, made) = try_on(drawn_button(), None, vec![moment(100.0, None)], (Expectation::LastShown, action));
        assert_eq!((came.map_err(|p| p.code), made), (Err(Code::Unsupported), Vec::new()));
    }
}

#[test]
fn text_is_put_in_by_click_select_all_and_type_and_is_read_back() {
    let field = |value: &str, focused: bool| {
        let mut moment = moment(100.0, None);
        let node = moment.capture.nodes.last_mut().unwrap();
        node.value = Some(value.into());
        if focused {
            node.states = node.states.with(handeye_scene::State::Focused);
        }
        moment
    };
    let input = || (Expectation::LastShown, Action::Input("new".into()));
    let steps = vec![field("old", false), field("old", false), field("old", true), field("", true), field("new", true)];
    let (came, made) = try_on(over_field(), None, steps, input());
    assert_eq!(came.map(|r| r.verdict), Ok(Verdict::Confirmed));
    assert!(
        matches!(&made[..], [Gesture::Click { .. }, Gesture::Keys(keys), Gesture::Type { text, .. }] if keys.len() == 2 && text == "new"),
        "{made:?}"
    );
    // It reads back as something else.
    let steps = vec![field("old", false), field("old", false), field("old", true), field("", true), field("ne", true)];
    assert_eq!(try_on(over_field(), None, steps, input()).0.map(|r| r.verdict), Ok(Verdict::Contradicted));
    // It doesn't take the focus: nothing is typed.
    let (came, made) = try_on(over_field(), None, vec![field("old", false), field("old", false)], input());
    assert_eq!((came.map(|r| r.verdict), made.len()), (Ok(Verdict::Contradicted), 1));
}

#[test]
fn a_region_of_a_document_that_was_left_is_stale() {
    let mut later = moment(100.0, None);
    later.capture.documents[0].id = DocumentId(2);
    let (came, made) = try_on(drawn_button(), None, vec![later], (Expectation::LastShown, click()));
    assert_eq!((came.map_err(|p| p.code), made), (Err(Code::Stale), Vec::new()));
}

#[test]
fn a_place_to_drop_on_is_denied_with_the_document_that_lies_there() {
    let frame = |id: u32, origin: &str| Document {
        id: DocumentId(id),
        url: format!("{origin}/"),
        origin: origin.into(),
        owner: None,
    };
    let mut there = moment(100.0, None);
    there.capture.documents.push(frame(2, "http://b"));
    let inside = Node {
        id: Some(NativeId::new(DocumentId(2), 1)),
        document: DocumentId(2),
        rect: Rect::new(300.0, 250.0, 50.0, 20.0),
        ..node(NodeKind::Operable, 1, "button", "Theirs")
    };
    there.capture.nodes.push(inside);
    for (to, from_region, is_denied) in [
        (Point::new(310.0, 260.0), true, true),
        (Point::new(310.0, 260.0), false, true),
        // Nobody can say what lies there.
        (Point::new(390.0, 90.0), false, true),
        (Point::new(20.0, 290.0), true, false),
        (Point::new(20.0, 290.0), false, false),
    ] {
        let (mut memory, number) = shown(drawn_button(), &picture(None));
        let title = memory.refs.show(node(NodeKind::Operable, 3, "", "").id.unwrap(), "textbox", "Title");
        let from = AimedAt::Target(vec![Locator::Ref(if from_region { number } else { title })]);
        let drag = Action::Drag { to: DropAt::Place(to), button: Button::Left, duration_ms: 0 };
        let asked = ActionRequest {
            aim: from,
            denied: DeniedOrigins::These(vec!["http://b".into()]),
            ..request(number, Expectation::Any, drag)
        };
        let mut replay = Replay::new(vec![there.clone()]);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let came = runtime.block_on(act(&mut replay, &mut memory, &Ticker::default(), &asked));
        assert_eq!(came.as_ref().map_err(|p| p.code).err(), is_denied.then_some(Code::Denied), "{to:?} {came:?}");
        let ends: Vec<bool> = replay.performed.iter().map(|(_, guard)| guard.end.is_some()).collect();
        assert_eq!(ends, if is_denied { vec![] } else { vec![true] }, "{to:?}");
    }
}

/// The document in which a claim is shown to be.
fn shown_in(capture: &Capture, rect: [f64; 4]) -> u32 {
    let mut memory = Memory::default();
    let show = Show { text: 80, ..Show::default() };
    let mut view = snapshot::see(capture, &mut memory, show, Generation(1), String::new()).unwrap();
    let claim = Claim::new(Source::Ocr, "text", "Yes", rect.into());
    regions::list(&mut view, &mut memory, (capture, None), (vec![claim], vec![None], 0));
    view.snapshot.targets.last().unwrap().document.0
}

#[test]
fn what_is_read_belongs_to_the_window_or_the_frame_that_shows_it() {
    let document = |id: u32, owner: Option<NativeId>| Document {
        id: DocumentId(id),
        url: format!("0x{id}"),
        origin: "app".into(),
        owner,
    };
    let at = |id: u32, number: u32, parent: Option<usize>, rect: [f64; 4]| Node {
        id: Some(NativeId::new(DocumentId(id), number)),
        document: DocumentId(id),
        parent,
        rect: rect.into(),
        ..node(NodeKind::Item, number, "group", "Part")
    };
    // The topmost window is listed first.
    let windows = Capture {
        surface: "desktop".into(),
        documents: vec![document(7, None), document(3, None)],
        nodes: vec![
            at(7, 1, None, [200.0, 100.0, 100.0, 80.0]),
            at(3, 1, None, [0.0, 0.0, 400.0, 300.0]),
            at(3, 2, Some(1), [210.0, 110.0, 20.0, 20.0]),
        ],
        ..Capture::default()
    };
    let inner = NativeId::new(DocumentId(2), 5);
    let page = Capture {
        documents: vec![
            document(1, None),
            document(2, Some(NativeId::new(DocumentId(1), 4))),
            document(3, Some(inner)),
            document(4, Some(NativeId::new(DocumentId(1), 9))),
        ],
        nodes: vec![
            at(1, 4, None, [100.0, 100.0, 200.0, 150.0]),
            at(2, 5, None, [150.0, 120.0, 100.0, 50.0]),
            at(1, 9, None, [0.0, 260.0, 50.0, 20.0]),
        ],
        ..capture(100.0)
    };
    for (capture, rect, wanted) in [
        (&windows, [220.0, 120.0, 40.0, 10.0], 7),
        (&windows, [20.0, 20.0, 40.0, 10.0], 3),
        (&windows, [190.0, 120.0, 10.0, 10.0], 3),
        (&windows, [900.0, 900.0, 10.0, 10.0], 7),
        (&page, [10.0, 10.0, 20.0, 10.0], 1),
        (&page, [110.0, 200.0, 20.0, 10.0], 2),
        (&page, [160.0, 130.0, 20.0, 10.0], 3),
        (&page, [10.0, 265.0, 20.0, 10.0], 4),
    ] {
        assert_eq!(shown_in(capture, rect), wanted, "{rect:?}");
    }
}
