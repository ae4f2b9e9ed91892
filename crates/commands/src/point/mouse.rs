//! `mouse`: raw pointer steps, unguarded.

use crate::core::args::parse_point;
use crate::keyboard::keys::sent;
use crate::point::at::MouseButton;
use crate::{Command, Effect, Session};
use handeye_scene::{Gesture, Modifiers, MouseStep, Point, Problem, Receipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Raw pointer input without a check of the target: move, down, up, wheel
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Mouse {
    #[command(subcommand)]
    #[serde(flatten)]
    step: Step,
}

/// One step.
#[derive(Debug, clap::Subcommand, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Step {
    /// Move the pointer to a place
    Move {
        /// X,Y or X Y, in CSS pixels of the main viewport, or pixels of the desktop's screen
        #[arg(num_args = 1..=2, allow_negative_numbers = true, allow_hyphen_values = true, value_name = "X Y")]
        at: Vec<String>,
    },
    /// Press a button where the pointer is, and keep it down until `up` or the end of the session
    Down {
        /// Which button
        #[arg(long, value_enum, default_value_t)]
        #[serde(default)]
        button: MouseButton,
    },
    /// Release a button where the pointer is
    Up {
        /// Which button
        #[arg(long, value_enum, default_value_t)]
        #[serde(default)]
        button: MouseButton,
    },
    /// Turn the wheel where the pointer is
    Wheel {
        /// To the right, in pixels
        #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::pixels())]
        dx: f64,
        /// Down, in pixels
        #[arg(allow_negative_numbers = true, value_parser = crate::core::value_parsers::pixels())]
        dy: f64,
    },
}

impl Command for Mouse {
    const NAME: &'static str = "mouse";
    const EFFECT: Effect = Effect::Acts;
    type Output = Receipt;
    async fn run(self, session: &mut Session) -> Result<Receipt, Problem> {
        let (step, action) = match self.step {
            Step::Move { at } => {
                let Point { x, y } =
                    parse_point(&at.join(",")).map_err(|e| Problem::new(handeye_scene::Code::BadRequest, e))?;
                (MouseStep::Move(Point::new(x, y)), format!("moved the pointer to {x},{y}"))
            }
            Step::Down { button } => (MouseStep::Down(button.into()), "pressed the button".to_owned()),
            Step::Up { button } => (MouseStep::Up(button.into()), "released the button".to_owned()),
            Step::Wheel { dx, dy } => (MouseStep::Wheel { dx, dy }, format!("turned the wheel by {dx},{dy}")),
        };
        if matches!(step, MouseStep::Down(_) | MouseStep::Wheel { .. }) {
            session.permit_anywhere()?;
        }
        let place = match step {
            MouseStep::Move(to) => Some(Some(to)),
            MouseStep::Down(_) | MouseStep::Wheel { .. } => Some(None),
            // Nothing may stay down.
            MouseStep::Up(_) => None,
        };
        if let Some(place) = place {
            crate::desktop::windows::raise_named(session, &[place]).await?;
        }
        let gesture = Gesture::Mouse(step, Modifiers::default());
        let delivery = crate::core::acting::send(session, &gesture).await?;
        sent(action, delivery)
    }
}
