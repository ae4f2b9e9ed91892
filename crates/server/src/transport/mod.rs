//! How calls travel between whoever makes them and a session: as lines between client and daemon, as tools for agents.

pub(crate) mod framing;
pub(crate) mod http;
pub(crate) mod lock;
pub(crate) mod mcp;
pub(crate) mod system;
pub(crate) mod view;
pub(crate) mod wait;
