//! Regions that are drawn otherwise once the pointer is on them: kinds of changes at moments after it came. The looks are those
//! of `fixtures/looks`; the eye is what the surface shows when it is pressed.

use async_trait::async_trait;
use handeye_engine::observe::snapshot;
use handeye_engine::perceive::{pixels, regions};
use handeye_engine::replay::{self, Moment, Replay, node};
use handeye_engine::{Action, AimedAt, ClickBy, DropAt, Expectation, Locator, Memory, Show, act};
use handeye_scene::{
    Aim, Arrange, Button, Capture, Claim, Clock, Code, Delivery, Document, DocumentId, Generation, Gesture, Guard,
    Modifiers, NativeId, Node, NodeKind, Notice, Picture, Point, Probe, Problem, Query, Rect, Ref, Settled, Shot,
    ShotArea, Source, Surface, Want, Window, Windows,
};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An action on a target.
type Of = fn(Ref) -> Action;

const CELL: (f64, f64) = (132.0, 36.0);
/// Where the two labels stand.
const PLACES: [(f64, f64); 2] = [(20.0, 12.0), (220.0, 12.0)];
/// How large the surface is.
const SIZE: (u32, u32) = (372, 60);

/// The looks of one label: at rest, and by what `fixtures/looks` calls them.
struct Looks(Picture, Vec<serde_json::Value>);

impl Looks {
    fn new() -> Self {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/looks");
        let bytes = std::fs::read(format!("{folder}/sheet-1.png")).unwrap();
        let shot = Shot { bytes, scale: 1.0, area: Rect::new(0.0, 0.0, 1056.0, 4032.0) };
        let pairs = std::fs::read(format!("{folder}/pairs.json")).unwrap();
        Self(pixels::decode(&shot).unwrap(), serde_json::from_slice(&pairs).unwrap())
    }

    /// The pixels of `Approve`, as a pair calls it; at rest without a name.
    fn of(&self, what: Option<&str>) -> Vec<Vec<u8>> {
        let is_it = |p: &&serde_json::Value| {
            p["of"] == "Approve" && p["align"] == "center" && what.is_none_or(|what| p["what"] == what)
        };
        let at = &self.1.iter().find(is_it).unwrap()["at"][usize::from(what.is_some())];
        let rect = Rect::new(at[0].as_f64().unwrap(), at[1].as_f64().unwrap(), CELL.0, CELL.1);
        self.0.rows(rect).unwrap().map(<[u8]>::to_vec).collect()
    }

    /// A picture of two labels, each looking so.
    fn picture(&self, both: [Option<&str>; 2]) -> Picture {
        let mut rgba = vec![255; (SIZE.0 * SIZE.1 * 4) as usize];
        for (what, (x, y)) in both.into_iter().zip(PLACES) {
            for (row, pixels) in self.of(what).into_iter().enumerate() {
                let from = ((y as usize + row) * SIZE.0 as usize + x as usize) * 4;
                rgba[from..from + pixels.len()].copy_from_slice(&pixels);
            }
        }
        Picture::new(SIZE, rgba, 1.0, Point::new(0.0, 0.0)).unwrap()
    }
}

/// A clock that stands still but for waits, looks and gestures.
#[derive(Default)]
struct Hands(Mutex<Duration>);

impl Hands {
    fn pass(&self, millis: u64) {
        *self.0.lock().unwrap() += Duration::from_millis(millis);
    }
}

#[async_trait]
impl Clock for Hands {
    fn elapsed(&self) -> Duration {
        *self.0.lock().unwrap()
    }
    fn timestamp(&self) -> String {
        "2026-01-01T00:00:00Z".into()
    }
    async fn sleep(&self, time: Duration) {
        *self.0.lock().unwrap() += time;
    }
}

/// How something looks so long after the pointer came.
type Change = fn(Duration) -> [Option<&'static str>; 2];

/// Where a caret is to be seen at this time, if it is.
type Caret = fn(Duration) -> Option<(usize, usize)>;

/// Draws a caret at its top left corner.
fn with_caret(mut picture: Picture, at: Option<(usize, usize)>) -> Picture {
    let Some((x, y)) = at else { return picture };
    for row in y..y + 16 {
        let from = (row * SIZE.0 as usize + x) * 4;
        picture.rgba_mut()[from..from + 8].copy_from_slice(&[0, 0, 0, 255, 0, 0, 0, 255]);
    }
    picture
}

struct Stage {
    inner: Replay,
    clock: Arc<Hands>,
    looks: Arc<Looks>,
    change: Change,
    caret: Caret,
    came: Option<Duration>,
    /// What both labels looked like at each press.
    pressed: Vec<[Option<&'static str>; 2]>,
    /// On a desktop, the windows, the topmost first.
    listed: Option<Vec<Window>>,
}

impl Stage {
    fn look(&self) -> [Option<&'static str>; 2] {
        self.came.map_or([None, None], |came| (self.change)(self.clock.elapsed() - came))
    }
}

#[async_trait]
impl Surface for Stage {
    async fn capture(&mut self, want: Want) -> Result<Capture, Problem> {
        self.inner.capture(want).await
    }
    async fn probe(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        self.inner.probe(id, aim).await
    }
    async fn search(&mut self, query: &Query) -> Result<Vec<NativeId>, Problem> {
        self.inner.search(query).await
    }
    async fn element_at(&mut self, point: Point) -> Result<Option<NativeId>, Problem> {
        self.inner.element_at(point).await
    }
    async fn focused(&mut self) -> Result<Option<NativeId>, Problem> {
        self.inner.focused().await
    }
    async fn perform(&mut self, gesture: &Gesture, guard: &Guard) -> Result<Delivery, Problem> {
        self.clock.pass(5);
        // Every gesture brings the pointer, which may change what it then presses.
        self.came = self.came.or_else(|| Some(self.clock.elapsed()));
        if !matches!(gesture, Gesture::Hover { .. }) {
            self.pressed.push(self.look());
        }
        self.inner.perform(gesture, guard).await
    }
    async fn settle(&mut self, limit: Duration) -> Result<Settled, Problem> {
        self.clock.pass(5);
        self.inner.settle(limit).await
    }
    async fn changed(&mut self, limit: Duration) -> Result<bool, Problem> {
        self.inner.changed(limit).await
    }
    async fn picture(&mut self) -> Result<Shot, Problem> {
        let picture = with_caret(self.looks.picture(self.look()), (self.caret)(self.clock.elapsed()));
        self.clock.pass(10);
        Ok(Shot { bytes: pixels::encode(&picture)?, scale: 1.0, area: picture.area() })
    }
    fn origin(&self, document: DocumentId) -> Option<String> {
        self.inner.origin(document)
    }
    fn notices(&mut self) -> Vec<Notice> {
        Vec::new()
    }
    fn windows(&mut self) -> Option<&mut dyn Windows> {
        if self.listed.is_some() { Some(self) } else { None }
    }
    async fn close(&mut self) -> Result<(), Problem> {
        Ok(())
    }
}

fn not_staged<T>() -> Result<T, Problem> {
    Err(Problem::new(Code::Bug, "that is not staged"))
}

/// Its windows can be told and held to, and nothing else.
#[async_trait]
impl Windows for Stage {
    async fn list(&mut self) -> Result<Vec<Window>, Problem> {
        Ok(self.listed.clone().unwrap_or_default())
    }
    fn choose(&mut self, _id: Option<&str>) {}
    async fn current(&mut self) -> Result<Window, Problem> {
        not_staged()
    }
    async fn activate(&mut self, _id: &str) -> Result<Window, Problem> {
        not_staged()
    }
    async fn launch(&mut self, _: &str, _: &[String], _: Duration) -> Result<Option<Window>, Problem> {
        not_staged()
    }
    async fn close_window(&mut self, _id: &str, _limit: Duration) -> Result<bool, Problem> {
        not_staged()
    }
    async fn arrange(&mut self, _id: &str, _to: Arrange) -> Result<Window, Problem> {
        not_staged()
    }
    async fn screenshot(&mut self, _area: ShotArea) -> Result<Shot, Problem> {
        not_staged()
    }
    async fn text(&mut self, _of: NativeId) -> Result<String, Problem> {
        not_staged()
    }
    async fn clipboard(&mut self) -> Result<String, Problem> {
        not_staged()
    }
    async fn set_clipboard(&mut self, _text: &str) -> Result<(), Problem> {
        not_staged()
    }
}

fn capture(surface: &str) -> Capture {
    let board = Node {
        rect: Rect::new(0.0, 0.0, f64::from(SIZE.0), f64::from(SIZE.1)),
        ..node(NodeKind::Operable, 1, "canvas", "Board")
    };
    let button = Node { rect: Rect::new(156.0, 20.0, 50.0, 20.0), ..node(NodeKind::Operable, 2, "button", "Source") };
    Capture {
        surface: surface.into(),
        url: "0x1".into(),
        viewport: Rect::new(0.0, 0.0, f64::from(SIZE.0), f64::from(SIZE.1)),
        documents: vec![Document { id: DocumentId(1), url: "0x1".into(), origin: "http://a".into(), owner: None }],
        nodes: vec![board, button],
        ..Capture::default()
    }
}

/// What came of an action on the first label, with the second as the end of a drag, and what was pressed.
fn came_of(
    looks: &Arc<Looks>,
    change: Change,
    aim: impl Fn(Ref) -> AimedAt,
    to_do: (Expectation, impl Fn(Ref) -> Action),
    listed: Option<Vec<Window>>,
) -> (Result<(), Code>, Vec<[Option<&'static str>; 2]>) {
    came_with(looks, (change, |_| None), aim, to_do, listed)
}

/// The same with a caret.
fn came_with(
    looks: &Arc<Looks>,
    (change, caret): (Change, Caret),
    aim: impl Fn(Ref) -> AimedAt,
    (expectation, action): (Expectation, impl Fn(Ref) -> Action),
    listed: Option<Vec<Window>>,
) -> (Result<(), Code>, Vec<[Option<&'static str>; 2]>) {
    let seen = capture(if listed.is_some() { "desktop" } else { "web" });
    let mut memory = Memory::default();
    let show = Show { text: 80, ..Show::default() };
    let mut view = snapshot::see(&seen, &mut memory, show, Generation(1), String::new()).unwrap();
    let claims =
        PLACES.map(|(x, y)| Claim::new(Source::Ocr, "text", "Approve", Rect::new(x + 30.0, y + 8.0, 72.0, 20.0)));
    let picture = with_caret(looks.picture([None, None]), caret(Duration::ZERO));
    regions::list(&mut view, &mut memory, (&seen, Some(&picture)), (claims.to_vec(), vec![None; 2], 0));
    let refs: Vec<Ref> = view.snapshot.targets.iter().rev().take(2).map(|t| t.r#ref).collect();
    let clock = Arc::new(Hands::default());
    let mut stage = Stage {
        inner: Replay::new(vec![Moment { capture: seen, ..Moment::default() }]),
        clock: clock.clone(),
        looks: looks.clone(),
        change,
        caret,
        came: None,
        pressed: Vec::new(),
        listed,
    };
    let request = replay::request(aim(refs[1]), expectation, action(refs[0]));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let came = runtime.block_on(act(&mut stage, &mut memory, &*clock, &request));
    (came.map(|_| ()).map_err(|p| p.code), stage.pressed)
}

fn click(_: Ref) -> Action {
    let modifiers = Modifiers::default();
    Action::Click { button: Button::Left, count: 1, modifiers, by: ClickBy::Best, offset: None }
}

fn drag(to: Ref) -> Action {
    Action::Drag { to: DropAt::Region(to), button: Button::Left, duration_ms: 0 }
}

fn region(number: Ref) -> AimedAt {
    AimedAt::Target(vec![Locator::Ref(number)])
}

/// A look from so many milliseconds after the pointer came.
macro_rules! from {
    ($millis:literal, $first:expr, $second:expr) => {
        |passed| if passed >= Duration::from_millis($millis) { [$first, $second] } else { [None, None] }
    };
}

const BLUE: Option<&str> = Some("filled blue, text white");
const LINED: Option<&str> = Some("underlined");
const FRAMED: Option<&str> = Some("bordered");
const LIFTED: Option<&str> = Some("lifted");
const OTHER: Option<&str> = Some("it says Delete");
const LONGER: Option<&str> = Some("it says Approved");
const OTHER_BLUE: Option<&str> = Some("it says Improve, filled blue, text white");

#[test]
fn what_the_pointer_brings_about_is_pressed_only_if_it_is_what_was_shown() {
    let looks = Arc::new(Looks::new());
    let same: [(&str, Change); 7] = [
        ("nothing", |_| [None, None]),
        ("recoloured", from!(0, BLUE, None)),
        ("recoloured late", from!(150, BLUE, None)),
        ("underlined", from!(0, LINED, None)),
        ("framed", from!(50, FRAMED, None)),
        ("lifted", from!(50, LIFTED, None)),
        ("changed after the look", from!(400, OTHER, None)),
    ];
    let other: [(&str, Change); 6] = [
        ("another word", from!(0, OTHER, None)),
        ("another word after 50 ms", from!(50, OTHER, None)),
        ("another word after 150 ms", from!(150, OTHER, None)),
        ("a letter more after 240 ms", from!(240, LONGER, None)),
        ("another word in other colours", from!(0, OTHER_BLUE, None)),
        ("what lies level with it", from!(50, None, OTHER)),
    ];
    let restless: Change = |passed| [[BLUE, LINED, FRAMED][(passed.as_millis() / 30 % 3) as usize], None];
    let acts: [(&str, Of); 2] = [("click", click), ("drag", drag)];
    for (act, action) in acts {
        for (what, change) in same {
            let (came, pressed) = came_of(&looks, change, region, (Expectation::LastShown, action), None);
            assert_eq!((came, pressed.len()), (Ok(()), 1), "{act}: {what}");
            assert!(pressed.iter().flatten().all(|look| ![OTHER, LONGER].contains(look)), "{act}: {what} {pressed:?}");
        }
        for expectation in [Expectation::LastShown, Expectation::Text("Approve".into())] {
            for (what, change) in other {
                let came = came_of(&looks, change, region, (expectation.clone(), action), None);
                assert_eq!(came, (Err(Code::Stale), Vec::new()), "{act}: {what}");
            }
            let came = came_of(&looks, restless, region, (expectation, action), None);
            assert_eq!(came, (Err(Code::Blocked), Vec::new()), "{act}: it never stands still");
        }
        let (came, pressed) = came_of(&looks, restless, region, (Expectation::Any, action), None);
        assert_eq!((came, pressed.len()), (Ok(()), 1), "{act}: it never stands still, whatever it is");
    }
    // Only what is pressed is held to what the pointer brings about.
    let (came, _) = came_of(&looks, from!(0, OTHER, None), region, (Expectation::LastShown, |_| Action::Hover), None);
    assert_eq!(came, Ok(()));
}

#[test]
fn what_blinks_is_waited_for_and_nothing_else_is_let_through() {
    let looks = Arc::new(Looks::new());
    // Half a second to be seen and half a second not, from one phase or the other; at the label, in it, and at the other one.
    let carets: [(&str, Caret); 5] = [
        ("beside, seen first", |now| (now.as_millis() / 500 % 2 == 0).then_some((180, 22))),
        ("beside, not seen first", |now| (now.as_millis() / 500 % 2 == 1).then_some((180, 22))),
        ("in it, seen first", |now| (now.as_millis() / 530 % 2 == 0).then_some((55, 22))),
        ("in it, not seen first", |now| (now.as_millis() / 530 % 2 == 1).then_some((55, 22))),
        ("in it, for 600 ms", |now| (now.as_millis() / 600 % 2 == 0).then_some((100, 22))),
    ];
    let acts: [(&str, Of); 2] = [("click", click), ("drag", drag)];
    let untouched: Change = |_| [None, None];
    for (act, action) in acts {
        for (what, caret) in carets {
            let came = came_with(&looks, (untouched, caret), region, (Expectation::LastShown, action), None);
            assert_eq!((came.0, came.1.len()), (Ok(()), 1), "{act}: {what}");
            let blue: Change = from!(0, BLUE, None);
            let came = came_with(&looks, (blue, caret), region, (Expectation::LastShown, action), None);
            assert_eq!((came.0, came.1.len()), (Ok(()), 1), "{act}, recoloured: {what}");
            let other: Change = from!(150, OTHER, None);
            let came = came_with(&looks, (other, caret), region, (Expectation::LastShown, action), None);
            assert_eq!(came, (Err(Code::Stale), Vec::new()), "{act}, another word: {what}");
        }
        // What came to stay isn't waited for in vain: it is another look.
        let stays: [(&str, Caret); 2] = [
            ("before the pointer", |now| (now > Duration::ZERO).then_some((55, 22))),
            ("gone for good", |now| (now < Duration::from_millis(200)).then_some((55, 22))),
        ];
        for (what, caret) in stays {
            let came = came_with(&looks, (untouched, caret), region, (Expectation::LastShown, action), None);
            assert_eq!(came, (Err(Code::Stale), Vec::new()), "{act}: {what}");
        }
    }
}

#[test]
fn a_region_to_drop_on_is_looked_at_right_before_the_drop() {
    let looks = Arc::new(Looks::new());
    let source = |_| AimedAt::Target(vec![Locator::Ref(Ref(2))]);
    let untouched: Change = |_| [None, None];
    let (came, pressed) = came_of(&looks, untouched, source, (Expectation::LastShown, drag), None);
    assert_eq!((came, pressed.len()), (Ok(()), 1));
    // What the pointer brings about at the source, it may bring about at the end.
    for (what, change) in [("at once", from!(0, None, OTHER) as Change), ("after 150 ms", from!(150, None, LONGER))] {
        let came = came_of(&looks, change, region, (Expectation::LastShown, drag), None);
        assert_eq!(came, (Err(Code::Stale), Vec::new()), "{what}");
    }
}

#[test]
fn a_region_of_a_window_is_pressed_in_that_window_alone() {
    let looks = Arc::new(Looks::new());
    let window = |id: &str, rect: [f64; 4]| Window {
        id: id.into(),
        title: id.into(),
        process: "app".into(),
        pid: 1,
        rect: rect.into(),
        focused: false,
        minimised: false,
        workspace: None,
    };
    let own = || window("0x1", [0.0, 0.0, 372.0, 60.0]);
    let acts: [(&str, Of); 2] = [("click", click), ("drag", drag)];
    for (act, action) in acts {
        for (over, is_blocked) in [
            (window("0x2", [0.0, 0.0, 15.0, 10.0]), false),
            (window("0x2", [60.0, 10.0, 60.0, 40.0]), true),
            (window("0x2", [260.0, 10.0, 60.0, 40.0]), act == "drag"),
        ] {
            let rect = over.rect;
            let listed = Some(vec![over, own()]);
            let untouched: Change = |_| [None, None];
            let (came, pressed) = came_of(&looks, untouched, region, (Expectation::LastShown, action), listed);
            let wanted = if is_blocked { (Err(Code::Blocked), 0) } else { (Ok(()), 1) };
            assert_eq!((came, pressed.len()), wanted, "{act} under {rect:?}");
        }
    }
}
