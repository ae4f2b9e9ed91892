//! What a model server does.

use std::time::Duration;

/// What a model server does.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Says something.
    Say(String),
    /// Says something, and waits for so long before each piece of it.
    Paced(String, Duration),
    /// Calls tools: name and arguments as text.
    Call(Vec<(String, String)>),
    /// Declines.
    Refuse(String),
    /// Fails with this status, these headers and this body.
    Fail(u16, &'static str, String),
    /// Answers with this body, of this media type, whatever the wire.
    Raw(&'static str, String),
    /// Ends the connection in the middle of an answer that says this.
    Cut(String),
    /// Says nothing for so long, then ends the connection.
    Stall(Duration),
}
