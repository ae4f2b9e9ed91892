//! The port of what says where the browser may go.

use core::net::IpAddr;
use std::fmt::Debug;

/// What is said of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It may be asked for.
    Allow,
    /// It may not: why, naming the pattern or the option.
    Refuse(String),
    /// It may, if every address that this host name stands for is allowed.
    Resolve(String),
}

/// Where the browser may go. Fixed when it is opened.
pub trait Bounds: Debug + Send + Sync {
    /// Whether a document of this address may be shown.
    fn document(&self, url: &str) -> Ruling;
    /// Whether anything else may be asked for there: pictures, scripts, what scripts ask for.
    fn request(&self, url: &str) -> Ruling;
    /// Why this place in the network is out of bounds, if it is.
    fn place(&self, address: IpAddr) -> Option<String>;
    /// Whether requests that aren't for documents have bounds as well.
    fn holds_all(&self) -> bool;
}
