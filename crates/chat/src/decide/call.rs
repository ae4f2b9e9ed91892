//! A call that a model makes, and how far it is.

use handeye_scene::Question;

/// Where a call is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In the person's browser, by the client.
    Browser,
    /// Here.
    Server,
    /// Nowhere: it can't be made.
    Nowhere,
}

impl Side {
    /// Its word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Browser => "browser",
            Self::Server => "server",
            Self::Nowhere => "nowhere",
        }
    }

    /// What a word in the database means.
    pub fn of(word: &str) -> Option<Self> {
        [Self::Browser, Self::Server, Self::Nowhere].into_iter().find(|side| side.word() == word)
    }
}

/// How far a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The client wasn't told of it yet.
    Queued,
    /// It waits for the person.
    Offered,
    /// The person agreed, and it isn't carried out yet.
    Approved,
    /// It is being carried out, or was when the server ended.
    Running,
    /// It is carried out, or failed.
    Done,
    /// The person refused.
    Rejected,
    /// It came to nothing: the person went on, or the page changed.
    Void,
}

impl Status {
    const ALL: [Status; 7] =
        [Self::Queued, Self::Offered, Self::Approved, Self::Running, Self::Done, Self::Rejected, Self::Void];

    /// Its word in the database and on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Offered => "offered",
            Self::Approved => "approved",
            Self::Running => "running",
            Self::Done => "done",
            Self::Rejected => "rejected",
            Self::Void => "void",
        }
    }

    /// What a word in the database means.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Whether nothing more will come of it.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Rejected | Self::Void)
    }
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its id, which no other call has.
    pub id: String,
    /// The message that makes it.
    pub turn: i64,
    /// Its place among the calls of that message.
    pub place: i64,
    /// The tool.
    pub tool: String,
    /// Where it is carried out.
    pub side: Side,
    /// The arguments, as the client is told of them.
    pub arguments: String,
    /// Hash of what is proposed.
    pub hash: String,
    /// How far it is.
    pub status: Status,
    /// The address of the page that it is proposed on.
    pub page: Option<String>,
    /// What the client called it.
    pub client_ref: Option<String>,
    /// What came of it.
    pub result: Option<String>,
    /// Whether that is a failure.
    pub failed: bool,
    /// When it can't be approved any more, in milliseconds since 1970.
    pub expires: i64,
    /// What the person is asked about it; none where they aren't asked here, or not yet.
    pub question: Option<Box<Question>>,
    /// The number of the conversation's next message when the client was told of it; 0 before.
    pub offered: i64,
}

/// How far a clock may be set back without a question that waits coming to nothing by it, in milliseconds.
const SLACK: i64 = 60_000;

impl Call {
    /// Whether nobody answered in time. `waits`: for how long a call waits. One that waits until later than it could by now is of before
    /// the clock was set back, and nobody knows for how long it has waited.
    pub fn is_late(&self, now: i64, waits: i64) -> bool {
        let latest = now.saturating_add(waits).saturating_add(SLACK);
        self.status == Status::Offered && !(now..=latest).contains(&self.expires)
    }
}
