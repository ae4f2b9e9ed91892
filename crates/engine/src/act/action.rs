//! What the agent asks to be done, and the gesture that does it.

use handeye_scene::{Aim, Button, Chord, Code, Gesture, Modifiers, Point, Probe, Problem, Rect};

/// Where something is dropped.
#[derive(Debug, Clone, PartialEq)]
pub enum DropAt {
    /// On an element.
    Element(handeye_scene::NativeId),
    /// On a region, while it is there as it was shown.
    Region(handeye_scene::Ref),
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
pub enum Action {
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
    /// Press keys in order.
    Keys {
        /// The keys.
        chords: Vec<Chord>,
        /// As they were written.
        written: String,
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

impl Action {
    /// Its verb in the past tense.
    pub fn past(&self) -> &'static str {
        match self {
            Action::Click { button: Button::Right, .. } => "right-clicked",
            Action::Click { button: Button::Middle, .. } => "middle-clicked",
            Action::Click { count: 2, .. } => "double-clicked",
            Action::Click { .. } => "clicked",
            Action::Hover => "hovered",
            Action::Focus => "focused",
            Action::Input(_) => "input into",
            Action::Type { .. } => "typed into",
            Action::Keys { .. } => "pressed",
            Action::Select(_) => "selected in",
            Action::Check(true) => "checked",
            Action::Check(false) => "unchecked",
            Action::Expand(true) => "expanded",
            Action::Expand(false) => "collapsed",
            Action::Scroll { .. } => "scrolled",
            Action::Drag { .. } => "dragged",
            Action::Upload(_) => "uploaded to",
        }
    }

    /// Its verb in the infinitive.
    pub fn verb(&self) -> &'static str {
        match self {
            Action::Click { .. } => "click",
            Action::Hover => "hover",
            Action::Focus => "focus",
            Action::Input(_) => "input",
            Action::Type { .. } => "type",
            Action::Keys { .. } => "press",
            Action::Select(_) => "select",
            Action::Check(true) => "check",
            Action::Check(false) => "uncheck",
            Action::Expand(true) => "expand",
            Action::Expand(false) => "collapse",
            Action::Scroll { .. } => "scroll",
            Action::Drag { .. } => "drag",
            Action::Upload(_) => "upload",
        }
    }

    /// Whether it may be done by the pointer, at a point that must hit the target.
    pub fn may_point(&self) -> bool {
        match self {
            Action::Click { by, .. } => *by != ClickBy::Activation,
            Action::Hover | Action::Check(_) | Action::Expand(_) | Action::Drag { .. } => true,
            _ => false,
        }
    }

    /// Whether the target's own activation does it as well as the pointer, if it has one.
    pub fn may_activate(&self) -> bool {
        match self {
            Action::Click { button: Button::Left, count: 1, modifiers, by: ClickBy::Best, offset: None } => {
                *modifiers == Modifiers::default()
            }
            Action::Check(_) | Action::Expand(_) => true,
            _ => false,
        }
    }

    /// Whether `target` is activated by its own means: no pointer is needed.
    pub fn activates(&self, target: &Probe) -> bool {
        let own = match self {
            Action::Expand(_) => target.expands || target.activation.is_some(),
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
            Action::Click { offset, .. } => *offset,
            _ => None,
        }
    }

    /// How far a probe is to go for it.
    pub fn aim(&self) -> Aim {
        Aim { scroll: self.needs_visible(), point: self.may_point(), activation: self.may_activate(), at: self.place() }
    }

    /// Whether a disabled target refuses it.
    pub fn needs_enabled(&self) -> bool {
        !matches!(self, Action::Hover | Action::Scroll { .. })
    }

    /// Whether an invisible target refuses it. Hidden file inputs take files all the same.
    pub fn needs_visible(&self) -> bool {
        !matches!(self, Action::Upload(_))
    }

    /// Whether the target itself must be seen, not only its label: what a label is for doesn't choose, or take text.
    pub fn needs_itself(&self) -> bool {
        matches!(self, Action::Select(_) | Action::Input(_) | Action::Focus)
    }

    /// Whether what keeps a person from the target refuses it. A page may scroll behind a dialog, and a hidden file input be a
    /// button's in it.
    pub fn needs_reach(&self, target: &Probe) -> bool {
        !matches!(self, Action::Scroll { .. }) && (target.visible || self.needs_visible())
    }

    /// The gesture that does it to `target`, whose point was found where one is needed; `to` is where a drag ends.
    pub fn gesture(&self, target: &Probe, to: Option<Point>) -> Gesture {
        let at = target.point.unwrap_or_else(|| target.rect.center());
        match self {
            Action::Expand(on) if target.expands => Gesture::Expand(*on),
            Action::Click { by: ClickBy::Activation, .. } => Gesture::Invoke,
            _ if self.activates(target) => Gesture::Invoke,
            Action::Click { button, count, modifiers, offset, .. } => {
                let at = offset.map_or(at, |o| Point::new(target.rect.x + o.x, target.rect.y + o.y));
                Gesture::Click { at, button: *button, count: *count, modifiers: *modifiers }
            }
            Action::Check(_) | Action::Expand(_) => {
                Gesture::Click { at, button: Button::Left, count: 1, modifiers: Modifiers::default() }
            }
            Action::Hover => Gesture::Hover { at },
            Action::Focus => Gesture::Focus,
            Action::Input(text) if target.edit == handeye_scene::EditKind::Set => Gesture::Set(text.clone()),
            Action::Input(text) => Gesture::Replace(text.clone()),
            Action::Type { text, pace_ms } => Gesture::Type { text: text.clone(), pace_ms: *pace_ms },
            Action::Keys { chords, .. } => Gesture::Keys(chords.clone()),
            Action::Select(values) => Gesture::Choose(values.clone()),
            Action::Scroll { dx, dy } => Gesture::Scroll { at: Some(at), dx: *dx, dy: *dy },
            Action::Drag { button, duration_ms, .. } => Gesture::Drag {
                from: at,
                to: to.unwrap_or(at),
                button: *button,
                duration_ms: *duration_ms,
                modifiers: Modifiers::default(),
            },
            Action::Upload(paths) => Gesture::Upload(paths.clone()),
        }
    }
}

impl Action {
    /// The gesture that does it at a place, whatever is there. None: it needs an element.
    pub fn gesture_at(&self, at: Point) -> Option<Gesture> {
        match self {
            Action::Click { button, count, modifiers, .. } => {
                Some(Gesture::Click { at, button: *button, count: *count, modifiers: *modifiers })
            }
            Action::Hover => Some(Gesture::Hover { at }),
            Action::Scroll { dx, dy } => Some(Gesture::Scroll { at: Some(at), dx: *dx, dy: *dy }),
            Action::Drag { to: DropAt::Place(to), button, duration_ms } => Some(Gesture::Drag {
                from: at,
                to: *to,
                button: *button,
                duration_ms: *duration_ms,
                modifiers: Modifiers::default(),
            }),
            _ => None,
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

/// Refuses a place outside the screens of a desktop, which may begin left of its origin or above it.
pub fn on_screen(at: Point, screen: Rect) -> Result<(), Problem> {
    let inside = (0.0..screen.width).contains(&(at.x - screen.x)) && (0.0..screen.height).contains(&(at.y - screen.y));
    if inside || screen.width <= 0.0 {
        return Ok(());
    }
    let size = format!("{}×{}", screen.width, screen.height);
    let text = format!("{},{} is outside the screen, which is {size} pixels", at.x, at.y);
    Err(Problem::new(Code::BadRequest, text).hint("handeye screenshot screen.png --full"))
}
