//! What is told of a place that looks like a control.

use handeye_scene::Rect;

/// What a shape looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A box with a text or an icon in its middle.
    Button,
    /// A wide box, empty or with a text at its left.
    Input,
    /// A small square.
    Checkbox,
    /// A small circle.
    Radio,
    /// A small drawn thing by itself.
    Icon,
    /// A line of text in no box: a link, an item, a label, or nothing to act on.
    Text,
}

impl Kind {
    /// The role that it would have in a tree.
    pub const fn role(self) -> &'static str {
        match self {
            Kind::Button => "button",
            Kind::Input => "textbox",
            Kind::Checkbox => "checkbox",
            Kind::Radio => "radio",
            Kind::Icon => "icon",
            Kind::Text => "text",
        }
    }
}

/// A place that looks like a control or a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Where it is, in pixels of the picture.
    pub rect: Rect,
    /// What it looks like.
    pub kind: Kind,
    /// The text in it, lines joined by a space; of a checkbox or radio button the text right of it. May be empty.
    pub text: String,
    /// How sure, from 0 to 1: of a text what the model said, of a box how well it fits its kind.
    pub confidence: f32,
}
