//! What consoles said.

use super::ring::Ring;
use handeye_scene::Message;
use handeye_scene::model::activity::MESSAGES;

/// What was heard of consoles.
pub(crate) struct ConsoleLog {
    pub(crate) all: Ring<Entry>,
    /// How many were forgotten before they were given, since that was last told: of all, and of errors.
    pub(crate) lost: (u64, u64),
}

/// One message.
pub(crate) struct Entry {
    pub(crate) message: Message,
    /// Whether it was told.
    pub(crate) given: bool,
}

impl Default for ConsoleLog {
    fn default() -> Self {
        Self { all: Ring::new(MESSAGES), lost: (0, 0) }
    }
}

impl ConsoleLog {
    pub(crate) fn add(&mut self, message: Message) {
        if let Some(Entry { message, given: false }) = self.all.going() {
            self.lost.0 += 1;
            self.lost.1 += u64::from(message.is_error());
        }
        self.all.push(Entry { message, given: false });
    }
}
