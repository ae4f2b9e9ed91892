//! Connecting to places, and keeping connections as long as they are of use.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::Duration;
use tokio::io::{AsyncWriteExt, copy};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// How long a place may take to answer, at all its addresses.
const CONNECT: Duration = Duration::from_secs(20);
/// How long an address has before the next one is tried beside it (RFC 8305).
const STAGGER: Duration = Duration::from_millis(250);
/// How long a place may go on talking to a client that has ended.
const LINGER: Duration = Duration::from_secs(5);
/// A place is asked whether it is still there after so many seconds of silence, so often, and so many times in vain.
#[cfg(target_os = "linux")]
const ALIVE: (u32, u32, u32) = (60, 15, 4);
/// Connections at once where descriptors aren't scarce.
const MOST: usize = 1000;
/// Each takes two descriptors, and half of all are for other things.
#[cfg(unix)]
const SHARE: u64 = 4;

/// How many connections may be open at once.
pub(crate) fn most() -> usize {
    #[cfg(unix)]
    if let Ok((soft, _)) = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE) {
        return usize::try_from(soft / SHARE).unwrap_or(MOST).clamp(1, MOST);
    }
    MOST
}

/// Connects to the first of these addresses that answers: one that doesn't hides no other.
pub(crate) async fn connect(addresses: &[IpAddr], port: u16) -> Option<TcpStream> {
    let race = async {
        // They end with this.
        let mut tries = JoinSet::new();
        let mut left = addresses.iter();
        loop {
            match left.next() {
                Some(address) => drop(tries.spawn(TcpStream::connect(SocketAddr::new(*address, port)))),
                None if tries.is_empty() => return None,
                None => {}
            }
            tokio::select! {
                ended = tries.join_next() => {
                    if let Some(Ok(Ok(stream))) = ended {
                        return Some(stream);
                    }
                }
                () = tokio::time::sleep(STAGGER), if left.len() > 0 => {}
            }
        }
    };
    let stream = tokio::time::timeout(CONNECT, race).await.ok().flatten()?;
    keep_alive(&stream);
    Some(stream)
}

/// A place that is gone without a word is noticed.
fn keep_alive(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::socket::{setsockopt, sockopt};
        let (idle, every, times) = ALIVE;
        // Where it can't be had, the connection works as well.
        let _ = setsockopt(stream, sockopt::KeepAlive, &true);
        let _ = setsockopt(stream, sockopt::TcpKeepIdle, &idle);
        let _ = setsockopt(stream, sockopt::TcpKeepInterval, &every);
        let _ = setsockopt(stream, sockopt::TcpKeepCount, &times);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// Carries both ways, until both ends have ended, or [`LINGER`] after the client has.
pub(crate) async fn carry(client: &mut TcpStream, place: &mut TcpStream) -> io::Result<()> {
    carry_within(LINGER, client, place).await
}

async fn carry_within(linger: Duration, client: &mut TcpStream, place: &mut TcpStream) -> io::Result<()> {
    // Small messages are not to wait for more.
    let _ = (client.set_nodelay(true), place.set_nodelay(true));
    let ((mut asks, mut is_told), (mut says, mut hears)) = (client.split(), place.split());
    let there = async {
        copy(&mut asks, &mut hears).await?;
        hears.shutdown().await
    };
    let back = async {
        copy(&mut says, &mut is_told).await?;
        is_told.shutdown().await
    };
    tokio::pin!(there, back);
    tokio::select! {
        ended = &mut there => {
            ended?;
            tokio::time::timeout(linger, back).await.map_err(|_| io::ErrorKind::TimedOut)?
        }
        ended = &mut back => {
            ended?;
            there.await
        }
    }
}

/// Whether an address, of those that others may have, is this machine's own: what is sent there would be sent from there.
pub(crate) fn is_own(address: IpAddr) -> bool {
    let any = SocketAddr::new(if address.is_ipv4() { [0; 4].into() } else { [0; 16].into() }, 0);
    // Nothing is sent by this; the port is of no account.
    let from = || {
        let socket = UdpSocket::bind(any)?;
        socket.connect((address, 9))?;
        socket.local_addr()
    };
    !address.is_loopback() && from().is_ok_and(|from| from.ip().to_canonical() == address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpSocket};
    use tokio::time::Instant;

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (one, listener.accept().await.unwrap().0)
    }

    #[tokio::test]
    async fn an_address_that_does_not_answer_hides_no_other() {
        let lives = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = lives.local_addr().unwrap().port();
        // A place that takes no more connections leaves them waiting.
        let dead = Ipv4Addr::new(127, 0, 0, 2);
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((dead, port).into()).unwrap();
        let _full = socket.listen(0).unwrap();
        let mut waiting = Vec::new();
        let is_full = async {
            loop {
                let one = tokio::time::timeout(STAGGER * 2, TcpStream::connect((dead, port))).await;
                let Ok(one) = one else { return };
                waiting.push(one);
            }
        };
        tokio::time::timeout(Duration::from_secs(20), is_full).await.unwrap();
        let start = Instant::now();
        let stream = connect(&[dead.into(), dead.into(), Ipv4Addr::LOCALHOST.into()], port).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap().ip(), Ipv4Addr::LOCALHOST);
        assert!(start.elapsed() < CONNECT / 4, "{:?}", start.elapsed());
        drop(lives);
        assert!(connect(&[Ipv4Addr::LOCALHOST.into()], port).await.is_none());
        assert!(connect(&[], port).await.is_none());
    }

    #[tokio::test]
    async fn a_silent_place_does_not_keep_a_connection_whose_client_has_ended() {
        let (mut client, mut inner) = pair().await;
        let (mut outer, mut place) = pair().await;
        let carried = tokio::spawn(async move {
            carry_within(Duration::from_millis(200), &mut inner, &mut outer).await.map_err(|e| e.kind())
        });
        client.write_all(b"last words").await.unwrap();
        drop(client);
        let mut heard = String::new();
        place.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, "last words");
        let ended = tokio::time::timeout(Duration::from_secs(10), carried).await.unwrap().unwrap();
        assert_eq!(ended, Err(io::ErrorKind::TimedOut));
    }

    #[tokio::test]
    async fn a_client_that_has_ended_hears_what_a_place_still_says() {
        let (mut client, mut inner) = pair().await;
        let (mut outer, mut place) = pair().await;
        let carried = tokio::spawn(async move { carry(&mut inner, &mut outer).await });
        client.shutdown().await.unwrap();
        place.write_all(b"at last").await.unwrap();
        drop(place);
        let mut heard = String::new();
        client.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, "at last");
        carried.await.unwrap().unwrap();
    }

    #[test]
    fn this_machine_has_addresses_of_its_own() {
        let out = UdpSocket::bind("0.0.0.0:0").unwrap();
        // Where it has a way out, the address that it goes by is its own.
        if out.connect("8.8.8.8:9").is_ok() {
            assert!(is_own(out.local_addr().unwrap().ip()));
        }
        assert!(!is_own([8, 8, 8, 8].into()));
        assert!(!is_own(Ipv4Addr::LOCALHOST.into()), "bounds themselves tell of these");
    }

    #[cfg(unix)]
    #[test]
    fn descriptors_are_left_for_other_things() {
        use nix::sys::resource::{Resource, getrlimit};
        let (soft, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert!(most() as u64 * SHARE <= soft.max(SHARE) && (1..=MOST).contains(&most()));
    }
}
