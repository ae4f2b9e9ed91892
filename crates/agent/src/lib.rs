//! The one loop of model, tools, consent and limits, by which a model works on a task with the commands of handeye.
//!
//! What it is: a model perceives, decides by calling tools, and each call is carried out as a verified action; what came of it is
//! given back as the tool's result ([`run`]). The tools are made from the one list of commands ([`tools`]); what a call may be
//! is decided in [`decide`]; a [`ledger`] of constraints, facts and open questions is kept beside the conversation, which is cut
//! down when it grows long ([`transcript`]).
//!
//! What it must never contain: a concrete surface, sockets, printing, the environment; what a single command does (`commands`);
//! how a model is reached (`models`). Commands are carried out by a port ([`port::Hands`]), which passes the policy as every
//! other caller does.
//!
//! Start reading at [`run`].

pub mod brain;
pub mod collect;
pub mod decide;
pub mod evidence;
pub mod fence;
pub mod finish;
pub mod index;
pub mod job;
pub mod ledger;
pub mod meanwhile;
pub mod never;
pub mod own;
pub mod port;
pub mod prompt;
pub mod question;
pub mod recall;
pub mod repeats;
pub mod result;
pub mod run;
pub mod steps_told;
pub mod tools;
pub mod transcript;

pub use brain::Brain;
pub use port::{Asks, Hand, Hands, Ports};
pub use question::{Learns, Learnt, QuestionPorts, Seen, Thinking, extract, forget, observe, observe_in};
pub use recall::{Recalled, Recalls};
pub use run::work;
