//! `click-at`, `dblclick-at`, `rightclick-at`, `drag-at`: pointer input at places of the viewport or the screen.

use crate::core::acting::{act_aimed, act_on};
use crate::core::args::{ExpectArgs, TargetArgs};
use crate::{Command, Effect, Session};
use handeye_engine::{Action, AimedAt, ClickBy, DropAt, Place};
use handeye_scene::{Button, Code, Point, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pointer button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum MouseButton {
    /// The primary button
    #[default]
    Left,
    /// The wheel
    Middle,
    /// The secondary button
    Right,
}

impl From<MouseButton> for Button {
    fn from(button: MouseButton) -> Self {
        match button {
            MouseButton::Left => Button::Left,
            MouseButton::Middle => Button::Middle,
            MouseButton::Right => Button::Right,
        }
    }
}

macro_rules! at {
    ($(#[$doc:meta])* $name:ident, $command:literal, $button:expr, $count:literal) => {
        $(#[$doc])*
        #[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Distance from the left edge of the viewport in CSS pixels, or of the desktop's screen; with --offset, a
            /// target's number instead
            #[arg(allow_negative_numbers = true, value_name = "X|REF", value_parser = crate::core::value_parsers::pixels())]
            x: f64,
            /// Distance from the top edge of the viewport in CSS pixels, or of the desktop's screen
            #[arg(allow_negative_numbers = true, required_unless_present = "offset", conflicts_with = "offset", value_parser = crate::core::value_parsers::pixels())]
            #[serde(default)]
            y: Option<f64>,
            /// Place in the target, from its top left corner, in pixels
            #[arg(long, value_name = "X,Y", value_parser = crate::core::args::parse_point, allow_hyphen_values = true)]
            #[serde(default)]
            offset: Option<Point>,
            /// Keys held while clicking, separated by commas
            #[arg(long, value_delimiter = ',', value_name = "KEYS")]
            #[serde(default)]
            modifiers: Vec<crate::core::modifiers::Modifier>,
            #[command(flatten)]
            #[serde(flatten)]
            expect: ExpectArgs,
        }

        impl Command for $name {
            const NAME: &'static str = $command;
            const EFFECT: Effect = Effect::Acts;
            type Output = Receipt;
            async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
                let modifiers = crate::core::modifiers::modifiers(&self.modifiers);
                let offset = self.offset;
                let action = Action::Click { button: $button, count: $count, modifiers, by: ClickBy::Pointer, offset };
                match (self.y, offset) {
                    (Some(y), None) => at_place(session, place(self.x, y)?, action, &self.expect).await,
                    (None, Some(_)) => {
                        let target = TargetArgs { r#ref: Some(number(self.x)?), locators: Vec::new() };
                        act_on(session, &target, &self.expect, action).await
                    }
                    _ => Err(Problem::new(Code::BadRequest, "give X and Y, or a target's number and --offset X,Y")),
                }
            }
        }
    };
}

at!(
    /// Click at a place
    ClickAt, "click-at", Button::Left, 1
);
at!(
    /// Double-click at a place
    DblclickAt, "dblclick-at", Button::Left, 2
);
at!(
    /// Click at a place with the secondary button
    RightclickAt, "rightclick-at", Button::Right, 1
);

/// Drag from one place to another
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct DragAt {
    /// Where the button goes down: from the left edge of the viewport in CSS pixels, or of the desktop's screen
    #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::pixels())]
    x1: f64,
    /// Where the button goes down: from the top edge, likewise
    #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::pixels())]
    y1: f64,
    /// Where the button goes up: from the left edge, likewise
    #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::pixels())]
    x2: f64,
    /// Where the button goes up: from the top edge, likewise
    #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::pixels())]
    y2: f64,
    /// Which button
    #[arg(long, value_enum, default_value_t)]
    #[serde(default)]
    button: MouseButton,
    /// How long the move takes, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200, value_parser = crate::core::value_parsers::whole("time in milliseconds", 0_u64..=60_000, 200))]
    #[serde(default = "default_duration")]
    duration: u64,
    #[command(flatten)]
    #[serde(flatten)]
    expect: ExpectArgs,
}

fn default_duration() -> u64 {
    200
}

impl Command for DragAt {
    const NAME: &'static str = "drag-at";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let (from, to) = (place(self.x1, self.y1)?, place(self.x2, self.y2)?);
        let duration_ms = self.duration.min(60_000);
        let action = Action::Drag { to: DropAt::Place(to), button: self.button.into(), duration_ms };
        at_place(session, from, action, &self.expect).await
    }
}

/// A target's number that was read as a coordinate.
fn number(x: f64) -> Result<u32, Problem> {
    if x >= 1.0 && x <= f64::from(u32::MAX) && x.fract() == 0.0 {
        return Ok(x as u32);
    }
    Err(Problem::new(Code::BadRequest, format!("{x} is not a target's number, which --offset needs")))
}

fn place(x: f64, y: f64) -> Result<Point, Problem> {
    if x.is_finite() && y.is_finite() {
        return Ok(Point::new(x, y));
    }
    Err(Problem::new(
        Code::BadRequest,
        format!("{x},{y} is no place: give pixels from the top left corner of the viewport, or of the screen"),
    ))
}

/// Acts at a place. A place is that of the window that was named, which is raised first, or nobody's.
pub(crate) async fn at_place(
    session: &mut Session,
    at: Point,
    action: Action,
    expect: &ExpectArgs,
) -> Result<Receipt, Problem> {
    let to = match action {
        Action::Drag { to: DropAt::Place(to), .. } => Some(to),
        _ => None,
    };
    let places: Vec<Option<Point>> = std::iter::once(at).chain(to).map(Some).collect();
    let window = crate::desktop::windows::raise_named(session, &places).await?;
    act_aimed(session, AimedAt::Place(Place { at, window }), expect, action).await
}
