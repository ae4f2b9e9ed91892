//! A model that looks at the pixels (seed 5, phase 8): what it sees, in surface coordinates, as far as pixels support it.

use super::answer::{self, Said};
use super::{Asking, filled, kept, unread, version};
use crate::perceive::pixels::{encode, is_plain};
use crate::perceive::resample::resized;
use crate::wording::shown;
use async_trait::async_trait;
use handeye_scene::chat::Part;
use handeye_scene::model::role::known;
use handeye_scene::{Claim, Claims, Code, ModelRole, Perceiver, Picture, Problem, Rect, Sight, Source, Wants};

pub(super) const PROMPT: &str = include_str!("prompts/vision.txt");
/// How sure it is of a box of which it doesn't say.
const UNSAID: f64 = 0.75;
/// So much of a box must lie in the picture.
const IN_PICTURE: f64 = 0.5;
/// A box that takes more of the picture is the picture itself.
const ALL: f64 = 0.9;
/// How far around a box its edges may be, in pixels: models are off by some.
const AROUND: f64 = 4.0;
/// Characters of a name at most.
const NAME: usize = 200;

/// A model that looks at the pixels.
pub struct Vision<'a> {
    /// Whom to ask.
    pub asking: Asking<'a>,
    /// The longest side of a picture that it is shown, in pixels.
    pub longest: u32,
}

#[async_trait]
impl Perceiver for Vision<'_> {
    fn source(&self) -> Source {
        Source::Vision
    }

    fn wants(&self) -> Wants {
        Wants { pixels: true, ax: false }
    }

    fn prompt(&self) -> Option<&str> {
        Some(version(PROMPT))
    }

    async fn perceive(&self, sight: &Sight<'_>, _known: &[Claim]) -> Result<Claims, Problem> {
        let no_picture = || Problem::new(Code::Unavailable, "there is no picture to look at");
        let picture = sight.picture.ok_or_else(no_picture)?;
        let (image, scale) = scaled(picture, self.longest);
        let (width, height) = (image.width(), image.height());
        let text = filled(PROMPT, &[("{width}", &width.to_string()), ("{height}", &height.to_string())]);
        let image = Part::Image { media_type: "image/png".into(), bytes: encode(&image)? };
        let answer = self.asking.ask(ModelRole::Vision, vec![image, Part::Text { text }]).await?;
        let boxes = answer::boxes(&answer.text).ok_or_else(|| unread(&answer))?;
        Ok(kept(boxes, "lie on nothing in the picture", |said| claim(picture, scale, said)))
    }
}

/// The picture with no side longer than `longest`, and its pixels for each of the picture's.
fn scaled(picture: &Picture, longest: u32) -> (Picture, f64) {
    let (width, height) = (picture.width(), picture.height());
    let scale = (f64::from(longest.max(1)) / f64::from(width.max(height))).min(1.0);
    if scale >= 1.0 {
        return (picture.clone(), 1.0);
    }
    let side = |pixels: u32| ((f64::from(pixels) * scale).round() as u32).max(1);
    (resized(picture, side(width), side(height)), scale)
}

/// What is said of a box of the picture that the model saw, as a claim; none where nothing supports it.
fn claim(picture: &Picture, scale: f64, said: &Said) -> Option<Claim> {
    let [left, top, right, bottom] = said.sides?.map(|side| side / scale);
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let inside = |from: f64, to: f64, most: f64| (from.clamp(0.0, most), to.clamp(0.0, most));
    let ((l, r), (t, b)) = (inside(left, right, width), inside(top, bottom, height));
    let (whole, kept) = ((right - left) * (bottom - top), (r - l) * (b - t));
    let is_box = right > left && bottom > top && r - l >= 1.0 && b - t >= 1.0;
    if !is_box || kept < IN_PICTURE * whole || kept > ALL * width * height {
        return None;
    }
    let around = Rect::new(
        (l - AROUND).max(0.0).floor(),
        (t - AROUND).max(0.0).floor(),
        (r + AROUND).min(width).ceil() - (l - AROUND).max(0.0).floor(),
        (b + AROUND).min(height).ceil() - (t - AROUND).max(0.0).floor(),
    );
    if is_plain(picture, picture.on_surface(around)) {
        return None;
    }
    let rect = picture.on_surface(Rect::new(l, t, r - l, b - t));
    let confidence = said.confidence.unwrap_or(UNSAID);
    Some(Claim { confidence, ..Claim::new(Source::Vision, role(&said.role), shown::line(&said.name, NAME), rect) })
}

/// The role that a model's word for one means.
fn role(word: &str) -> &'static str {
    let word = word.trim().to_lowercase().replace(['_', '-'], " ");
    match word.as_str() {
        "icon button" | "icon only button" | "imagebutton" | "image button" | "custom control" => "button",
        "input" | "edit" | "text field" | "textfield" | "text box" | "textarea" | "field" => "textbox",
        "dropdown" | "select" | "combo box" => "combobox",
        "check box" => "checkbox",
        "radio button" | "radiobutton" => "radio",
        "toggle" => "switch",
        "hyperlink" => "link",
        "image" => "img",
        "canvas element" => "generic",
        _ => known(&word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Point;

    /// Grey, 2,000 by 1,000 pixels of a second screen to the left at two pixels a unit, with a dark box at 400,200 to 480,240.
    fn picture() -> Picture {
        let mut rgba = vec![200; 2_000 * 1_000 * 4];
        for y in 200..240 {
            for x in 400..480 {
                rgba[(y * 2_000 + x) * 4..][..3].fill(20);
            }
        }
        Picture::new((2_000, 1_000), rgba, 2.0, Point::new(-1_000.0, 50.0)).unwrap()
    }

    fn said(sides: [f64; 4]) -> Said {
        Said { role: "icon-only button".into(), name: "Save".into(), sides: Some(sides), ..Said::default() }
    }

    #[test]
    fn boxes_of_the_small_picture_are_where_they_are_on_the_surface() {
        let picture = picture();
        let (drawn, scale) = scaled(&picture, 1_000);
        assert_eq!(((drawn.width(), drawn.height()), scale), ((1_000, 500), 0.5));
        let claim = claim(&picture, scale, &said([200.0, 100.0, 240.0, 120.0])).unwrap();
        assert_eq!((claim.rect, claim.role.as_str()), (Rect::new(-800.0, 150.0, 40.0, 20.0), "button"));
        assert_eq!((claim.name.as_str(), claim.confidence), ("Save", UNSAID));
        assert_eq!(scaled(&picture, 5_000).1, 1.0);
    }

    #[test]
    fn what_no_pixel_supports_is_dropped() {
        let picture = picture();
        for (sides, is_kept) in [
            ([402.0, 202.0, 478.0, 238.0], true),
            ([380.0, 180.0, 500.0, 260.0], true),
            ([900.0, 700.0, 960.0, 720.0], false),
            ([480.0, 240.0, 400.0, 200.0], false),
            ([400.0, 200.0, 400.0, 240.0], false),
            ([0.0, 0.0, 2_000.0, 1_000.0], false),
            ([-500.0, 200.0, 410.0, 240.0], false),
            ([5_000.0, 200.0, 5_080.0, 240.0], false),
            ([f64::MIN, f64::MIN, f64::MAX, f64::MAX], false),
        ] {
            assert_eq!(claim(&picture, 1.0, &said(sides)).is_some(), is_kept, "{sides:?}");
        }
        assert_eq!(claim(&picture, 1.0, &Said { sides: None, ..said([0.0; 4]) }), None);
        let sliver = Picture::new((1, 1), vec![0; 4], 1.0, Point::new(0.0, 0.0)).unwrap();
        assert_eq!(claim(&sliver, 1.0, &said([0.0, 0.0, 1.0, 1.0])), None);
    }
}
