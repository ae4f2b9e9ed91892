//! Reads a streamed answer: server-sent events (WHATWG HTML, 9.2) with limits.

use crate::ModelError;
use crate::budget::Charge;
use crate::wire::{self, Coming};
use eventsource_stream::{EventStreamError, Eventsource};
use futures_util::{Stream, StreamExt};
use handeye_scene::Wire;
use handeye_scene::chat::{ChatReply, Delta};

/// Bytes of an answer at most.
pub(crate) const LONGEST: usize = 16 << 20;

/// Reads the answer as it comes; `tell` gets the pieces, and `charge` what it took so far, should it end too soon.
pub(crate) async fn read(
    wire: Wire,
    bytes: impl Stream<Item = Result<impl AsRef<[u8]>, reqwest::Error>> + Unpin,
    tell: &mut (dyn FnMut(Delta) + Send),
    charge: &mut Charge,
) -> Result<ChatReply, ModelError> {
    let mut length = 0_usize;
    let bounded = bytes.map(move |chunk| {
        let chunk = chunk.map_err(|e| ModelError::Dropped(e.to_string()))?;
        length = length.saturating_add(chunk.as_ref().len());
        if length > LONGEST {
            return Err(ModelError::Garbled(format!("it is longer than {LONGEST} bytes")));
        }
        Ok(chunk)
    });
    let mut events = Box::pin(bounded.eventsource());
    let mut coming = Coming::default();
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| match error {
            EventStreamError::Transport(error) => error,
            other => ModelError::Garbled(other.to_string()),
        })?;
        let told = wire::event(wire, &mut coming, &event.data);
        charge.note(coming.took());
        told?.into_iter().for_each(&mut *tell);
        if coming.is_over {
            break;
        }
    }
    // Some servers leave out the last mark; a stream without a reason to stop either was cut.
    if !coming.is_over && coming.stop.is_none() && coming.refusal.is_empty() {
        return Err(ModelError::Dropped("the stream ended before the answer did".into()));
    }
    coming.finish()
}
