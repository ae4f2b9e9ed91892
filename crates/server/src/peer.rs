//! Who is at the other end of a socket. Checked both ways: a daemon serves its own user alone, and a client doesn't hand
//! its input to a socket that someone else put in place.

use std::io;
use std::os::fd::AsFd;

/// The effective user at the other end.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn user(stream: &impl AsFd) -> io::Result<u32> {
    use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
    Ok(getsockopt(stream, PeerCredentials)?.uid())
}

/// The effective user at the other end.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn user(stream: &impl AsFd) -> io::Result<u32> {
    Ok(nix::unistd::getpeereid(stream)?.0.as_raw())
}

/// The other end's user where it isn't this process's own; none when all is well.
pub(crate) fn stranger(stream: &impl AsFd) -> io::Result<Option<u32>> {
    let other = user(stream)?;
    Ok((other != nix::unistd::geteuid().as_raw()).then_some(other))
}
