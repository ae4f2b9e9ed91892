//! What a run tells, kept until it ends: whoever listens reads at their own pace, and a run goes on where nobody does.

use crate::wire::chunk::Chunk;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// What a run told so far. Its size is bound by that of an answer.
#[derive(Debug)]
pub struct RunLog {
    chunks: Mutex<Vec<Chunk>>,
    told: watch::Sender<usize>,
    /// Where an answer begins that isn't kept yet: the number of its first chunk, and of the message before it.
    unkept: Mutex<Option<(usize, i64)>>,
}

impl Default for RunLog {
    fn default() -> Self {
        Self { chunks: Mutex::default(), told: watch::Sender::new(0), unkept: Mutex::default() }
    }
}

impl RunLog {
    /// Tells something.
    pub fn push(&self, chunk: Chunk) {
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        chunks.push(chunk);
        if chunks.last() == Some(&Chunk::Done) {
            // It is kept for a while, for who lost the connection.
            chunks.shrink_to_fit();
        }
        self.told.send_replace(chunks.len());
    }

    /// The model is asked; `after`: the number of the conversation's last message.
    pub fn begin_answer(&self, after: i64) {
        let at = self.chunks.lock().unwrap_or_else(PoisonError::into_inner).len();
        *self.unkept.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, after));
    }

    /// What it answered is kept.
    pub fn end_answer(&self) {
        self.unkept.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// What was told of an answer that isn't kept, and the number of the message before it; none where nothing was.
    pub fn cut_answer(&self) -> Option<(String, i64)> {
        let (at, after) = self.unkept.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let words = chunks.iter().skip(at).filter_map(|chunk| match chunk {
            Chunk::Content(text) => Some(text.as_str()),
            _ => None,
        });
        Some((words.collect::<String>(), after)).filter(|(text, _)| !text.is_empty())
    }

    /// Whether all is told.
    pub fn is_over(&self) -> bool {
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner).last() == Some(&Chunk::Done)
    }

    /// A reader from the beginning.
    pub fn reader(self: &Arc<Self>) -> Reader {
        Reader { told: self.told.subscribe(), log: self.clone(), at: 0 }
    }
}

/// Reads what a run tells.
pub struct Reader {
    log: Arc<RunLog>,
    told: watch::Receiver<usize>,
    at: usize,
}

impl Reader {
    /// What was told since; waits until there is something. None after the end.
    pub async fn next(&mut self) -> Option<Vec<Chunk>> {
        if self.is_over() {
            return None;
        }
        let at = self.at;
        // The log that is held here holds the sender.
        self.told.wait_for(|told| *told > at).await.ok()?;
        let chunks = self.log.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        let more = chunks.get(at..).unwrap_or_default().to_vec();
        self.at = chunks.len();
        Some(more)
    }

    fn is_over(&self) -> bool {
        let chunks = self.log.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        self.at == chunks.len() && chunks.last() == Some(&Chunk::Done)
    }
}
