//! Where a browser with bounds may go: the ruling on its requests, and the proxy that its connections go through.

pub(crate) mod bounds;
pub(crate) mod connect;
pub(crate) mod peers;
pub(crate) mod socks5;
