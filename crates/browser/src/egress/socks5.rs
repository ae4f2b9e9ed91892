//! The SOCKS proxy of a browser that may reach public places only: all of its connections go through here (SOCKS 5, RFC 1928).
//!
//! The protocol stops requests before they are made, but not all that connects: WebSockets pass it by. What is connected to
//! here is what was looked up here, so that no server of names can answer twice differently.

use super::bounds::{Gate, NoWay};
use handeye_scene::{Bounds, Code, Launch, Problem};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

/// How long a client may take to say where it wants to go.
const HEAD: Duration = Duration::from_secs(10);
/// Pause after a connection that couldn't be taken, as when there are no descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// The protocol's version, and words of it.
const VERSION: u8 = 5;
const NO_PASSWORD: u8 = 0;
const CONNECTS: u8 = 1;

/// What the client is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Answer {
    Open = 0,
    Refused = 2,
    Unreachable = 4,
    UnknownCommand = 7,
    UnknownAddress = 8,
}

/// A place on this machine where connections come in; nothing comes through yet.
pub(crate) struct Listener {
    listener: std::net::TcpListener,
    port: u16,
}

/// The proxy; it ends with this.
pub(crate) struct Socks5 {
    task: AbortHandle,
}

impl Drop for Socks5 {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Listener {
    /// One for a browser that is to be launched, where it needs one: with a proxy of the caller's, that one decides.
    pub(crate) fn of(launch: &Launch) -> Result<Option<Self>, Problem> {
        if !is_held(launch) || launch.proxy.is_some() {
            return Ok(None);
        }
        let bind = || {
            let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
            listener.set_nonblocking(true)?;
            let port = listener.local_addr()?.port();
            Ok::<_, io::Error>(Self { listener, port })
        };
        bind().map(Some).map_err(|e| {
            Problem::new(Code::Unavailable, format!("no port can be had for the browser's connections: {e}"))
                .hint("handeye doctor")
        })
    }

    /// Lets connections through that are within `bounds`.
    pub(crate) fn serve(self, gate: Gate, bounds: Arc<dyn Bounds>) -> Result<Socks5, Problem> {
        let listener = TcpListener::from_std(self.listener)
            .map_err(|e| Problem::new(Code::Bug, format!("the browser's connections can't be taken: {e}")))?;
        let task = tokio::spawn(accept(listener, gate, bounds, super::connect::most())).abort_handle();
        Ok(Socks5 { task })
    }
}

/// Whether a browser that is launched has bounds on all it asks for.
fn is_held(launch: &Launch) -> bool {
    launch.cdp.is_none() && launch.bounds.as_ref().is_some_and(|bounds| bounds.holds_all())
}

/// The launch with what has such a browser make no connection by itself: all go to the listener, or to the caller's own proxy.
/// What the caller gives as arguments comes later, and wins.
pub(crate) fn lead(launch: &Launch, to: Option<&Listener>) -> Launch {
    let mut launch = launch.clone();
    if is_held(&launch) {
        let own = [
            // Those to this machine, too.
            "--proxy-bypass-list=<-loopback>",
            // Calls between pages would look for ways of their own; older browsers name it the second way.
            "--webrtc-ip-handling-policy=disable_non_proxied_udp",
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        ];
        launch.args.splice(0..0, own.map(str::to_owned));
    }
    if let Some(listener) = to {
        launch.proxy = Some(format!("socks5://127.0.0.1:{}", listener.port));
    }
    launch
}

/// Takes connections, at most so many at once.
async fn accept(listener: TcpListener, gate: Gate, bounds: Arc<dyn Bounds>, most: usize) {
    // They end with the task.
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if open.len() < most => {
                    open.spawn(pass(stream, gate.clone(), bounds.clone()));
                }
                Ok(_) => gate.tell_refused(&format!("connections were refused: {most} are open at once")),
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(_) = open.join_next() => {}
        }
    }
}

/// One connection, as long as both ends keep it. An error is one of either end, and ends it.
async fn pass(mut from: TcpStream, gate: Gate, bounds: Arc<dyn Bounds>) -> io::Result<()> {
    if !super::peers::is_ours(from.local_addr()?, from.peer_addr()?).await? {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let asked = tokio::time::timeout(HEAD, asked(&mut from)).await.map_err(|_| io::ErrorKind::TimedOut)??;
    let (host, port) = match asked {
        Ok(place) => place,
        Err(answer) => return say(&mut from, answer).await,
    };
    let within = match super::bounds::addresses(&*bounds, &host).await {
        Ok(addresses) => addresses,
        // The browser tells whoever asked; it asks for things of its own, too.
        Err(NoWay::Unknown(_)) => return say(&mut from, Answer::Unreachable).await,
        Err(NoWay::DeniedOrigins(why)) => {
            gate.tell_refused(&format!("a connection to {} was refused: {why}", in_words(&host, port)));
            return say(&mut from, Answer::Refused).await;
        }
    };
    let Some(mut to) = super::connect::connect(&within, port).await else {
        return say(&mut from, Answer::Unreachable).await;
    };
    say(&mut from, Answer::Open).await?;
    super::connect::carry(&mut from, &mut to).await
}

/// Where the client wants to go: a name or an address in words, and a port; or what it is to be answered.
async fn asked(from: &mut TcpStream) -> io::Result<Result<(String, u16), Answer>> {
    let [version, methods] = bytes(from).await?;
    let mut offered = vec![0; usize::from(methods)];
    from.read_exact(&mut offered).await?;
    if version != VERSION || !offered.contains(&NO_PASSWORD) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    from.write_all(&[VERSION, NO_PASSWORD]).await?;
    let [version, command, _, kind] = bytes(from).await?;
    if version != VERSION {
        return Err(io::ErrorKind::InvalidData.into());
    }
    if command != CONNECTS {
        return Ok(Err(Answer::UnknownCommand));
    }
    let host = match kind {
        1 => Ipv4Addr::from(bytes::<4>(from).await?).to_string(),
        3 => {
            let [length] = bytes(from).await?;
            let mut name = vec![0; usize::from(length)];
            from.read_exact(&mut name).await?;
            match String::from_utf8(name) {
                Ok(name) => name.trim_matches(['[', ']']).to_owned(),
                Err(_) => return Ok(Err(Answer::UnknownAddress)),
            }
        }
        4 => Ipv6Addr::from(bytes::<16>(from).await?).to_string(),
        _ => return Ok(Err(Answer::UnknownAddress)),
    };
    Ok(Ok((host, u16::from_be_bytes(bytes(from).await?))))
}

fn in_words(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

async fn bytes<const N: usize>(from: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut out = [0; N];
    from.read_exact(&mut out).await?;
    Ok(out)
}

/// Answers a client; the address that it is connected from is of no use to it.
async fn say(to: &mut TcpStream, answer: Answer) -> io::Result<()> {
    to.write_all(&[VERSION, answer as u8, 0, 1, 0, 0, 0, 0, 0, 0]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdp::link::Link;
    use crate::cdp::outbox::outbox;
    use crate::cdp::transport::Connection;
    use crate::cdp::wire::Wire;
    use crate::model::shared::Shared;
    use handeye_scene::Ruling;
    use std::net::IpAddr;
    use tokio::sync::mpsc;

    /// Lets this machine's first address through, and no other.
    #[derive(Debug)]
    struct Home;

    impl Bounds for Home {
        fn document(&self, _: &str) -> Ruling {
            Ruling::Allow
        }
        fn request(&self, _: &str) -> Ruling {
            Ruling::Allow
        }
        fn place(&self, address: IpAddr) -> Option<String> {
            (address != Ipv4Addr::LOCALHOST).then(|| format!("{address} is elsewhere"))
        }
        fn holds_all(&self) -> bool {
            true
        }
    }

    struct Way {
        shared: Arc<Shared>,
        port: u16,
        _socks5: Socks5,
    }

    fn way() -> Way {
        let launch = Launch { bounds: Some(Arc::new(Home)), ..Launch::default() };
        let listener = Listener::of(&launch).unwrap().unwrap();
        let port = listener.port;
        let wire = Wire { outgoing: outbox().0, incoming: mpsc::channel(1).1, tasks: Vec::new() };
        let shared = Shared::new(true);
        let link = Link::new(Connection::new(&wire), shared.clone());
        let socks5 = listener.serve(Gate::new(&link), Arc::new(Home)).unwrap();
        Way { shared, port, _socks5: socks5 }
    }

    /// Sends these bytes after the greeting; the stream, and the passage's answer.
    async fn ask(way: &Way, request: &[u8]) -> (TcpStream, io::Result<u8>) {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, way.port)).await.unwrap();
        stream.write_all(&[5, 2, 2, 0]).await.unwrap();
        assert_eq!(bytes(&mut stream).await.unwrap(), [5, 0]);
        stream.write_all(request).await.unwrap();
        let answer = bytes::<10>(&mut stream).await.map(|all| all[1]);
        (stream, answer)
    }

    fn named(host: &str, port: u16) -> Vec<u8> {
        [&[5, 1, 0, 3, host.len() as u8], host.as_bytes(), &port.to_be_bytes()].concat()
    }

    #[tokio::test]
    async fn what_is_within_bounds_passes_both_ways() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = server.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = server.accept().await {
                tokio::spawn(async move {
                    let mut said = Vec::new();
                    stream.read_to_end(&mut said).await.unwrap();
                    said.reverse();
                    stream.write_all(&said).await.unwrap();
                });
            }
        });
        let way = way();
        let by_address = [&[5, 1, 0, 1, 127, 0, 0, 1][..], &port.to_be_bytes()].concat();
        for request in [named("127.0.0.1", port), by_address] {
            let (mut stream, answer) = ask(&way, &request).await;
            assert_eq!(answer.unwrap(), Answer::Open as u8);
            stream.write_all(b"there and back").await.unwrap();
            stream.shutdown().await.unwrap();
            let mut heard = String::new();
            stream.read_to_string(&mut heard).await.unwrap();
            assert_eq!(heard, "kcab dna ereht");
        }
        assert!(way.shared.model().reports.notices.is_empty());
    }

    #[tokio::test]
    async fn what_is_out_of_bounds_is_not_connected_to() {
        let server = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
        server.set_nonblocking(true).unwrap();
        let port = server.local_addr().unwrap().port();
        let way = way();
        let by_address = [&[5, 1, 0, 1, 127, 0, 0, 2][..], &port.to_be_bytes()].concat();
        let six = [&[5, 1, 0, 4][..], &Ipv6Addr::LOCALHOST.octets(), &port.to_be_bytes()].concat();
        for request in [named("127.0.0.2", port), named("::1", port), named("[::1]", port), by_address, six] {
            let (_, answer) = ask(&way, &request).await;
            assert_eq!(answer.unwrap(), Answer::Refused as u8, "{request:?}");
        }
        let (_, answer) = ask(&way, &named("no.invalid", port)).await;
        assert_eq!(answer.unwrap(), Answer::Unreachable as u8);
        assert_eq!(server.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
        let told: Vec<String> = way.shared.model().reports.notices.iter().map(|n| n.text.clone()).collect();
        assert!(
            told.contains(&format!("a connection to 127.0.0.2:{port} was refused: 127.0.0.2 is elsewhere")),
            "{told:?}"
        );
        assert!(told.contains(&format!("a connection to [::1]:{port} was refused: ::1 is elsewhere")), "{told:?}");
        assert!(!told.iter().any(|text| text.contains("no.invalid")), "{told:?}");
        drop(server);
        let (_, answer) = ask(&way, &named("127.0.0.1", port)).await;
        assert_eq!(answer.unwrap(), Answer::Unreachable as u8);
    }

    #[tokio::test]
    async fn what_is_no_request_is_turned_away() {
        let way = way();
        for (request, wanted) in [
            (vec![5, 2, 0, 1, 127, 0, 0, 1, 0, 80], Some(Answer::UnknownCommand)),
            (vec![5, 1, 0, 9, 1, 1], Some(Answer::UnknownAddress)),
            (vec![5, 1, 0, 3, 2, 0xff, 0xfe, 0, 80], Some(Answer::UnknownAddress)),
            (vec![4, 1, 0, 1, 127, 0, 0, 1, 0, 80], None),
        ] {
            let (_, answer) = ask(&way, &request).await;
            assert_eq!(answer.ok(), wanted.map(|a| a as u8), "{request:?}");
        }
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, way.port)).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        let _ = stream.shutdown().await;
        let mut heard = Vec::new();
        let _ = stream.read_to_end(&mut heard).await;
        assert!(heard.is_empty());
    }

    #[tokio::test]
    async fn what_is_too_many_is_turned_away_and_told_of() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let place = listener.local_addr().unwrap();
        let wire = Wire { outgoing: outbox().0, incoming: mpsc::channel(1).1, tasks: Vec::new() };
        let shared = Shared::new(true);
        let link = Link::new(Connection::new(&wire), shared.clone());
        let _socks5 =
            Socks5 { task: tokio::spawn(accept(listener, Gate::new(&link), Arc::new(Home), 1)).abort_handle() };
        let greets = async || {
            let mut stream = TcpStream::connect(place).await.unwrap();
            let _ = stream.write_all(&[5, 1, 0]).await;
            let heard = bytes::<2>(&mut stream).await.is_ok();
            (stream, heard)
        };
        let (first, heard) = greets().await;
        assert!(heard && shared.model().reports.notices.is_empty());
        assert!(!greets().await.1);
        let told: Vec<String> = shared.model().reports.notices.iter().map(|n| n.text.clone()).collect();
        assert_eq!(told, ["connections were refused: 1 are open at once"]);
        drop(first);
        let again = async { while !greets().await.1 {} };
        tokio::time::timeout(Duration::from_secs(10), again).await.unwrap();
    }

    #[test]
    fn only_a_browser_of_ours_without_a_proxy_is_led_here() {
        let own: Option<Arc<dyn Bounds>> = Some(Arc::new(Home));
        for (bounds, proxy, cdp, here, held) in [
            (own.clone(), None, None, true, true),
            (own.clone(), Some("http://p.example:1"), None, false, true),
            (own, None, Some("http://127.0.0.1:1"), false, false),
            (None, Some("http://p.example:1"), None, false, false),
        ] {
            let (proxy, cdp) = (proxy.map(str::to_owned), cdp.map(str::to_owned));
            let launch = Launch { bounds, proxy, cdp, args: vec!["--own".into()], ..Launch::default() };
            let listener = Listener::of(&launch).unwrap();
            assert_eq!(listener.is_some(), here, "{launch:?}");
            let led = lead(&launch, listener.as_ref());
            let to = listener.map(|listener| format!("socks5://127.0.0.1:{}", listener.port));
            assert_eq!(led.proxy, to.or(launch.proxy));
            assert_eq!(led.args.len() > 1, held, "{led:?}");
            assert_eq!(led.args.last().map(String::as_str), Some("--own"));
        }
    }
}
