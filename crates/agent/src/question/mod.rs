//! One question about what is in sight: the state is shown to the model once, which answers by one tool; what doesn't hold is given
//! back to it a few times.

pub mod asking;
mod extract;
pub mod learnt;
mod observe;
mod proof;

pub use asking::{QuestionPorts, Seen, Thinking};
pub use extract::extract;
pub use learnt::{Learns, Learnt};
pub use observe::{forget, observe, observe_in};
