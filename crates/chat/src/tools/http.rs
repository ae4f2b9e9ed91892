//! Connections of the tools, which follow nothing by themselves.

use reqwest::ClientBuilder;
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);

/// What connections are made by.
pub(super) fn connections() -> ClientBuilder {
    // Another part of the program may have chosen before; either will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECTING)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("handeye/", env!("CARGO_PKG_VERSION")))
}
