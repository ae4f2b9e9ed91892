//! Tree and pixels of the same moment.

use crate::perceive::pixels;
use handeye_scene::{Capture, Node, Notice, Picture, Problem, Surface, Want};

/// How often a picture is taken of what changes meanwhile.
pub const TRIES: usize = 2;

/// A look and a picture.
#[derive(Debug)]
pub struct Moment {
    /// The look.
    pub capture: Capture,
    /// The picture.
    pub picture: Picture,
    /// That they may not be of one moment, if so.
    pub notice: Option<Notice>,
}

/// Takes a picture of what was just looked at, and looks again: what is the same before and after is what the picture shows.
/// What isn't is pictured once more; then a notice says that it keeps changing.
pub async fn pictured(surface: &mut dyn Surface, want: Want, mut capture: Capture) -> Result<Moment, Problem> {
    let mut picture = pixels::decode(&surface.picture().await?)?;
    for _ in 1..=TRIES {
        let again = surface.capture(want).await?;
        let same = is_same(&capture, &again);
        let notices = std::mem::take(&mut capture.notices);
        capture = again;
        carry(&mut capture, notices);
        if same {
            return Ok(Moment { capture, picture, notice: None });
        }
        picture = pixels::decode(&surface.picture().await?)?;
    }
    let text = "it keeps changing: the picture may show some of it elsewhere, or otherwise, than is listed";
    Ok(Moment { capture, picture, notice: Some(Notice::new("moving", text)) })
}

/// A notice is told once, by the first look.
fn carry(capture: &mut Capture, notices: Vec<Notice>) {
    let told: Vec<Notice> = notices.into_iter().filter(|n| !capture.notices.contains(n)).collect();
    capture.notices.splice(0..0, told);
}

/// Whether two looks show the same things at the same places.
pub fn is_same(a: &Capture, b: &Capture) -> bool {
    let alike = |(a, b): (&Node, &Node)| {
        (a.id, a.rect, a.states, &a.role, &a.name, &a.value) == (b.id, b.rect, b.states, &b.role, &b.name, &b.value)
    };
    a.viewport == b.viewport && a.nodes.len() == b.nodes.len() && a.nodes.iter().zip(&b.nodes).all(alike)
}
