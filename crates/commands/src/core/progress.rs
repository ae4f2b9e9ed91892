//! How far a call got, for whoever is told of a problem: read even where the call was cut off.

/// How far a call got. Gestures are counted by the session's memory, before they are sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Whether one before it in the same list got as far as doing something.
    earlier: bool,
    /// Gestures before it.
    gestures: u64,
    /// Whether it did something else than a gesture, or was about to.
    is_begun: bool,
    /// Whether a command runs that doesn't tell when it begins to do something.
    is_untold: bool,
}

impl Progress {
    /// A call begins. What the one before it in the same list came to is kept. `gestures`: so many were made until now.
    pub fn begin(&mut self, is_first: bool, gestures: u64) {
        let earlier = !is_first && self.may_have_begun(gestures);
        *self = Self { earlier, gestures, ..Self::default() };
    }

    /// A command runs that changes something: until it tells more, it may have been done at any moment.
    pub(crate) fn begin_untold(&mut self) {
        self.is_untold = true;
    }

    /// From here on the gestures of the act loop tell what was begun.
    pub(crate) fn tell_by_gestures(&mut self) {
        self.is_untold = false;
    }

    /// Something else than a gesture is about to be done.
    pub(crate) fn begin_doing(&mut self) {
        self.is_begun = true;
    }

    /// Whether the call got as far as doing something. `gestures`: so many were made until now.
    pub(crate) fn has_begun(&self, gestures: u64) -> bool {
        self.is_begun || self.gestures != gestures
    }

    /// Whether the call itself may have got as far as doing something. To be asked where it was cut off.
    pub(crate) fn may_have_begun_itself(&self, gestures: u64) -> bool {
        self.has_begun(gestures) || self.is_untold
    }

    /// Whether the call, or one before it in the same list, may have got as far as doing something. To be asked where it was cut off.
    pub fn may_have_begun(&self, gestures: u64) -> bool {
        self.may_have_begun_itself(gestures) || self.earlier
    }
}
