//! What consoles said, for who asks.

use crate::cdp::link::Link;
use handeye_scene::model::activity::Wanted;
use handeye_scene::{Batch, Console, Look, Message};

/// The consoles of every tab.
pub(crate) struct Consoles {
    pub(crate) link: Link,
}

impl Console for Consoles {
    fn messages(&mut self, look: Look, errors: bool, wanted: Wanted<Message>) -> Batch<Message> {
        let mut model = self.link.model();
        let console = &mut model.reports.console;
        let mut items = Vec::new();
        for entry in console.all.iter_mut() {
            let asked = (look != Look::New || !entry.given) && (!errors || entry.message.is_error());
            if asked && wanted(&entry.message) {
                entry.given |= look != Look::Kept;
                items.push(entry.message.clone());
            }
        }
        let lost = if errors { &mut console.lost.1 } else { &mut console.lost.0 };
        let forgotten = match look {
            Look::New => std::mem::take(lost),
            Look::All | Look::Kept => console.all.first(),
        };
        Batch { items, forgotten }
    }
}
