//! Connections of the tools, which follow nothing by themselves.

use reqwest::ClientBuilder;
use std::time::Duration;

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);

/// Has connections encrypted by something.
pub(super) fn encryption() {
    // Another part of the program may have chosen before; either will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// What connections are made by.
pub(super) fn connections() -> ClientBuilder {
    encryption();
    reqwest::Client::builder()
        .connect_timeout(CONNECTING)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("handeye/", env!("CARGO_PKG_VERSION")))
}
