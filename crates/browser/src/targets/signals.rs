//! What the script in a document signals.

use crate::model::Model;
use crate::page::SIGNAL;
use crate::protocol::json::parse;
use crate::protocol::{BindingCalled, HeldSignal, MovedSignal, Signal};
use handeye_scene::Event;

/// Takes what a document's script tells.
pub(super) fn signalled(model: &mut Model, session: &str, called: &BindingCalled) {
    if called.name != SIGNAL {
        return;
    }
    match parse::<Signal>(&called.payload) {
        Ok(Signal { guard: Some(guard), .. }) => model.guard.signals.push(guard),
        // A document that must not be read says nothing this way either.
        Ok(Signal { held: Some(_), .. }) if model.is_read_denied_in(session, called.execution_context_id) => {}
        Ok(Signal { held: Some(HeldSignal { role, name, message }), .. }) => {
            model.happened(Event::FormHeld { role, name, message });
        }
        Ok(Signal { moved: Some(MovedSignal { input, motion, later, itself }), .. }) => {
            let itself = itself || model.navigates_itself_in(session, called.execution_context_id);
            let (input, motion, later) = (input && !itself, motion && !itself, later && !itself);
            let moved = &mut model.gesture.moved;
            moved.by_input |= input;
            moved.by_motion |= motion;
            moved.later |= later;
            moved.by_itself |= itself;
            // What never rests isn't waited for.
            if itself {
                return;
            }
        }
        _ => {}
    }
    model.touch();
}
