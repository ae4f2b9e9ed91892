//! Whose connections come in on a port of this machine: any user may use it.

use std::io;
use std::net::SocketAddr;

/// Whether the other end of a connection to `own` is of this user, or of the one who may do all.
#[cfg(target_os = "linux")]
pub(crate) async fn is_ours(own: SocketAddr, peer: SocketAddr) -> io::Result<bool> {
    let user = nix::unistd::geteuid().as_raw();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        let rows = match tokio::fs::read_to_string(table).await {
            Ok(rows) => rows,
            // The second is there only where the machine has it.
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(e),
        };
        if let Some(owner) = rows.lines().find_map(|row| owner(row, peer, own)) {
            return Ok(owner == user || owner == 0);
        }
    }
    Ok(false)
}

/// Others have no such table.
#[cfg(not(target_os = "linux"))]
pub(crate) async fn is_ours(_own: SocketAddr, _peer: SocketAddr) -> io::Result<bool> {
    Ok(true)
}

/// The user whose socket this row of `/proc/net/tcp` (proc(5)) tells of, if it is connected from `local` to `remote`. One that
/// nobody holds any more is nobody's, though the row says user 0.
#[cfg(target_os = "linux")]
fn owner(row: &str, local: SocketAddr, remote: SocketAddr) -> Option<u32> {
    let mut words = row.split_whitespace().skip(1);
    if address(words.next()?)? != local || address(words.next()?)? != remote {
        return None;
    }
    // The state, queues, timer and retries.
    let user = words.nth(4)?.parse().ok()?;
    let is_held = words.nth(1)? != "0";
    is_held.then_some(user)
}

/// `0100007F:1F90` is 127.0.0.1:8080: words of four bytes in the machine's order. One of the new kind may stand for an old one.
#[cfg(target_os = "linux")]
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let mut bytes = Vec::new();
    for at in (0..host.len()).step_by(8) {
        bytes.extend(u32::from_str_radix(host.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    }
    let ip = match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(four) => four.into(),
        Err(_) => std::net::IpAddr::from(<[u8; 16]>::try_from(bytes.as_slice()).ok()?).to_canonical(),
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    fn at(text: &str) -> SocketAddr {
        text.parse().expect("it is an address")
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn a_row_tells_whose_socket_it_is() {
        let (client, server) = (at("127.0.0.1:49152"), at("127.0.0.1:8080"));
        let row = "   3: 0100007F:C000 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 71234 1 0 20 4 30 10 -1";
        assert_eq!(owner(row, client, server), Some(1000));
        assert_eq!(owner(row, server, client), None, "the other end");
        assert_eq!(owner(row, at("127.0.0.1:49153"), server), None);
        assert_eq!(owner(row, at("127.0.0.2:49152"), server), None);
        let left = row.replace("71234", "0").replace("1000", "0");
        assert_eq!(owner(&left, client, server), None, "nobody holds it");
        let six = row
            .replace("0100007F:C", "0000000000000000FFFF00000100007F:C")
            .replace("0100007F:1", "0000000000000000FFFF00000100007F:1");
        assert_eq!(owner(&six, client, server), Some(1000));
        assert_eq!(address("00000000000000000000000001000000:0050"), Some(at("[::1]:80")));
        for other in
            ["", "  sl  local_address rem_address   st tx_queue", "3: 0100007F:C000", "3: é:1 é:2 01", "3: 01:1 :"]
        {
            assert_eq!(owner(other, client, server), None, "{other}");
        }
    }

    #[tokio::test]
    async fn a_connection_of_this_test_is_ours() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let own = listener.local_addr().unwrap();
        let client = tokio::net::TcpStream::connect(own).await.unwrap();
        let (_server, peer) = listener.accept().await.unwrap();
        assert!(is_ours(own, peer).await.unwrap());
        assert_eq!(client.local_addr().unwrap(), peer);
        drop(client);
        assert!(!is_ours(own, at("127.0.0.1:1")).await.unwrap());
    }
}
