//! What the agent asks to be done, and the gesture that does it.

use handeye_scene::{Aim, Button, Code, Gesture, Modifiers, Point, Probe, Problem, Rect};

/// Where something is dropped.
#[derive(Debug, Clone, PartialEq)]
pub enum DropAt {
    /// On an element.
    Element(handeye_scene::NativeId),
    /// At a place.
    Place(Point),
}

/// By what a click is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ClickBy {
    /// By the element's own activation where its surface prefers that, else by the pointer.
    #[default]
    Best,
    /// By the pointer.
    Pointer,
    /// By the element's own activation.
    Activation,
}

/// What the agent asks to be done to a target.
#[derive(Debug, Clone, PartialEq)]
pub enum Deed {
    /// Press and release, `count` times.
    Click {
        /// Which button.
        button: Button,
        /// How often.
        count: u8,
        /// Held keys.
        modifiers: Modifiers,
        /// By what.
        by: ClickBy,
        /// Where in it: from its top left corner, in pixels. None: at a point that was found to hit it.
        offset: Option<Point>,
    },
    /// Put the pointer on it.
    Hover,
    /// Give it the keyboard focus.
    Focus,
    /// Replace its content.
    Input(String),
    /// Real keys into it.
    Type {
        /// What to type.
        text: String,
        /// Pause between keys, milliseconds.
        pace_ms: u64,
    },
    /// Choose these options.
    Select(Vec<String>),
    /// Turn it on or off.
    Check(bool),
    /// Open or close it.
    Expand(bool),
    /// Scroll it, or what it lies in.
    Scroll {
        /// To the right, in pixels.
        dx: f64,
        /// Down, in pixels.
        dy: f64,
    },
    /// Drag it somewhere.
    Drag {
        /// Where it is dropped.
        to: DropAt,
        /// Which button.
        button: Button,
        /// How long the move takes, milliseconds.
        duration_ms: u64,
    },
    /// Hand it files, by absolute path.
    Upload(Vec<String>),
}

impl Deed {
    /// Its verb in the past tense.
    pub fn past(&self) -> &'static str {
        match self {
            Deed::Click { button: Button::Right, .. } => "right-clicked",
            Deed::Click { button: Button::Middle, .. } => "middle-clicked",
            Deed::Click { count: 2, .. } => "double-clicked",
            Deed::Click { .. } => "clicked",
            Deed::Hover => "hovered",
            Deed::Focus => "focused",
            Deed::Input(_) => "input into",
            Deed::Type { .. } => "typed into",
            Deed::Select(_) => "selected in",
            Deed::Check(true) => "checked",
            Deed::Check(false) => "unchecked",
            Deed::Expand(true) => "expanded",
            Deed::Expand(false) => "collapsed",
            Deed::Scroll { .. } => "scrolled",
            Deed::Drag { .. } => "dragged",
            Deed::Upload(_) => "uploaded to",
        }
    }

    /// Its verb in the infinitive.
    pub fn verb(&self) -> &'static str {
        match self {
            Deed::Click { .. } => "click",
            Deed::Hover => "hover",
            Deed::Focus => "focus",
            Deed::Input(_) => "input",
            Deed::Type { .. } => "type",
            Deed::Select(_) => "select",
            Deed::Check(true) => "check",
            Deed::Check(false) => "uncheck",
            Deed::Expand(true) => "expand",
            Deed::Expand(false) => "collapse",
            Deed::Scroll { .. } => "scroll",
            Deed::Drag { .. } => "drag",
            Deed::Upload(_) => "upload",
        }
    }

    /// Whether it may be done by the pointer, at a point that must hit the target.
    pub fn may_point(&self) -> bool {
        match self {
            Deed::Click { by, .. } => *by != ClickBy::Activation,
            Deed::Hover | Deed::Check(_) | Deed::Expand(_) | Deed::Drag { .. } => true,
            _ => false,
        }
    }

    /// Whether the target's own activation does it as well as the pointer, if it has one.
    pub fn may_activate(&self) -> bool {
        match self {
            Deed::Click { button: Button::Left, count: 1, modifiers, by: ClickBy::Best, offset: None } => {
                *modifiers == Modifiers::default()
            }
            Deed::Check(_) | Deed::Expand(_) => true,
            _ => false,
        }
    }

    /// Whether `target` is activated by its own means: no pointer is needed.
    pub fn activates(&self, target: &Probe) -> bool {
        let own = match self {
            Deed::Expand(_) => target.expands || target.activation.is_some(),
            _ => target.activation.is_some(),
        };
        self.may_activate() && own
    }

    /// Whether it is done to `target` by the pointer.
    pub fn needs_point(&self, target: &Probe) -> bool {
        self.may_point() && !self.activates(target)
    }

    /// The place in the target that is meant, from its top left corner.
    pub fn place(&self) -> Option<Point> {
        match self {
            Deed::Click { offset, .. } => *offset,
            _ => None,
        }
    }

    /// How far a probe is to go for it.
    pub fn aim(&self) -> Aim {
        Aim { scroll: self.needs_visible(), point: self.may_point(), activation: self.may_activate(), at: self.place() }
    }

    /// Whether a disabled target refuses it.
    pub fn needs_enabled(&self) -> bool {
        !matches!(self, Deed::Hover | Deed::Scroll { .. })
    }

    /// Whether an invisible target refuses it. Hidden file inputs take files all the same.
    pub fn needs_visible(&self) -> bool {
        !matches!(self, Deed::Upload(_))
    }

    /// Whether the target itself must be seen, not only its label: what a label is for doesn't choose, or take text.
    pub fn needs_itself(&self) -> bool {
        matches!(self, Deed::Select(_) | Deed::Input(_) | Deed::Focus)
    }

    /// Whether what keeps a person from the target refuses it. A page may scroll behind a dialog, and a hidden file input be a
    /// button's in it.
    pub fn needs_reach(&self, target: &Probe) -> bool {
        !matches!(self, Deed::Scroll { .. }) && (target.visible || self.needs_visible())
    }

    /// The gesture that does it to `target`, whose point was found where one is needed; `to` is where a drag ends.
    pub fn gesture(&self, target: &Probe, to: Option<Point>) -> Gesture {
        let at = target.point.unwrap_or_else(|| target.rect.center());
        match self {
            Deed::Expand(on) if target.expands => Gesture::Expand(*on),
            Deed::Click { by: ClickBy::Activation, .. } => Gesture::Invoke,
            _ if self.activates(target) => Gesture::Invoke,
            Deed::Click { button, count, modifiers, offset, .. } => {
                let at = offset.map_or(at, |o| Point::new(target.rect.x + o.x, target.rect.y + o.y));
                Gesture::Click { at, button: *button, count: *count, modifiers: *modifiers }
            }
            Deed::Check(_) | Deed::Expand(_) => {
                Gesture::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::default() }
            }
            Deed::Hover => Gesture::Hover { at },
            Deed::Focus => Gesture::Focus,
            Deed::Input(text) if target.edit == handeye_scene::EditKind::Set => Gesture::Set(text.clone()),
            Deed::Input(text) => Gesture::Replace(text.clone()),
            Deed::Type { text, pace_ms } => Gesture::Type { text: text.clone(), pace_ms: *pace_ms },
            Deed::Select(values) => Gesture::Choose(values.clone()),
            Deed::Scroll { dx, dy } => Gesture::Scroll { at: Some(at), dx: *dx, dy: *dy },
            Deed::Drag { button, duration_ms, .. } => Gesture::Drag {
                from: at,
                to: to.unwrap_or(at),
                button: *button,
                duration_ms: *duration_ms,
                modifiers: Modifiers::default(),
            },
            Deed::Upload(paths) => Gesture::Upload(paths.clone()),
        }
    }
}

/// Whether an offset from an element's top left corner is inside it.
pub(crate) fn is_within(offset: Point, rect: Rect) -> bool {
    (0.0..=rect.width).contains(&offset.x) && (0.0..=rect.height).contains(&offset.y)
}

/// Refuses a place outside the viewport: input there reaches no element.
pub fn in_view(at: Point, viewport: Rect) -> Result<(), Problem> {
    let inside = (0.0..viewport.width).contains(&at.x) && (0.0..viewport.height).contains(&at.y);
    if inside || viewport.width <= 0.0 {
        return Ok(());
    }
    let size = format!("{}×{}", viewport.width, viewport.height);
    let text = format!("{},{} is outside the viewport, which is {size} CSS pixels", at.x, at.y);
    Err(Problem::new(Code::BadRequest, text).hint("handeye scroll down").hint("handeye screenshot page.png"))
}
