//! What a picture of a surface shows, as claims in the surface's coordinates.

use crate::{Budget, Kind, Memory, Ocr, Picture, shapes};
use handeye_scene::{Claim, Claims, Problem, Rect, Source};

/// Lines of text and boxes that look like controls. `memory`: what was read of this surface before.
///
/// # Errors
/// `bad_request` for a picture that is too large, `bug` when a model can't be run.
pub fn claims(
    ocr: &Ocr,
    memory: &mut Memory,
    picture: &handeye_scene::Picture,
    budget: Budget,
) -> Result<Claims, Problem> {
    let pixels =
        Picture::rgba(picture.width(), picture.height(), picture.scale(), picture.rgba()).map_err(Problem::from)?;
    let reading = memory.look(ocr, &pixels, budget)?;
    let claim = |source, role: &str, text: &str, rect: Rect, confidence: f32| Claim {
        // Hundredths say all there is to say.
        confidence: (f64::from(confidence) * 100.0).round() / 100.0,
        ..Claim::new(source, role, text, picture.on_surface(rect))
    };
    let boxes = shapes(&pixels, &reading.lines).into_iter().filter(|shape| shape.kind != Kind::Text);
    let boxes = boxes.map(|s| claim(Source::Shapes, s.kind.role(), &s.text, s.rect, s.confidence));
    let lines = reading.lines.iter().map(|line| claim(Source::Ocr, "text", &line.text, line.rect, line.confidence));
    let unread = (!reading.unread.is_empty()).then(|| {
        let seconds = budget.time.as_secs_f64();
        format!(
            "{} parts of the picture weren't read within {seconds:.0} s; the next look begins with them",
            reading.unread.len()
        )
    });
    Ok(Claims { claims: boxes.chain(lines).collect(), notes: unread.into_iter().collect() })
}
