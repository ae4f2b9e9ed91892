//! By which input a gesture is made, and which events that comes to.

/// Events of a pointer that the guard stops.
pub(crate) const STOPPED: [&str; 9] =
    ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu", "dblclick", "dragstart"];
const STOPPED_KEYS: [&str; 6] = ["keydown", "keypress", "beforeinput", "textInput", "keyup", "submit"];

/// By which input a gesture is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Pointer,
    Keyboard,
    /// The press is held to the target, the release to where the drag is to end, if that is an element.
    Drag,
    /// The pointer is only put on the target.
    Hover,
    /// The wheel is turned over the target, or over something in it.
    Wheel,
    /// Raw input, which is held to the rules about targets alone.
    Free,
}

impl Mode {
    /// Its word in the page script.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Mode::Pointer => "pointer",
            Mode::Keyboard => "keyboard",
            Mode::Drag => "drag",
            Mode::Hover => "hover",
            Mode::Wheel => "wheel",
            Mode::Free => "free",
        }
    }

    /// Whether something may be pressed by it.
    pub(crate) fn presses(self) -> bool {
        !matches!(self, Mode::Hover | Mode::Wheel)
    }

    /// The events that are judged.
    pub(crate) fn types(self) -> Vec<&'static str> {
        match self {
            Mode::Pointer => STOPPED.to_vec(),
            Mode::Keyboard => STOPPED_KEYS.to_vec(),
            Mode::Drag => vec!["pointerdown", "mousedown", "dragstart", "pointerup", "mouseup", "drop"],
            Mode::Hover => vec!["pointerover", "mouseover", "pointermove", "mousemove"],
            Mode::Wheel => vec!["wheel"],
            Mode::Free => STOPPED.into_iter().chain(STOPPED_KEYS).chain(["drop"]).collect(),
        }
    }

    /// Whether an event that was let through means that the gesture came to its end, or that there is none to tell by.
    pub(crate) fn ends(self, kind: &str) -> bool {
        self != Mode::Pointer || matches!(kind, "click" | "auxclick" | "contextmenu" | "dblclick")
    }

    /// Whether an event that was let through is part of what the gesture is for: with a pointer, from the press on.
    pub(crate) fn is_heard(self, kind: &str) -> bool {
        self != Mode::Pointer || matches!(kind, "mousedown" | "mouseup") || self.ends(kind)
    }

    /// Whether a stopped event means that the gesture missed. Keys that bubble elsewhere after the text went in don't.
    pub(crate) fn is_fault(self, kind: &str) -> bool {
        self != Mode::Keyboard || !matches!(kind, "keyup" | "click" | "submit")
    }
}
