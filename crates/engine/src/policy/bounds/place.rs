//! Places in the network that aren't public: IANA's registries of special-purpose addresses.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is, when it isn't a public one.
pub(super) fn apart(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(ip) => apart4(ip),
        IpAddr::V6(ip) => apart6(ip),
    }
}

fn apart4(ip: Ipv4Addr) -> Option<&'static str> {
    Some(match ip.octets() {
        [0 | 127, ..] => "this machine",
        [10, ..] | [192, 168, ..] | [172, 16..=31, ..] => "a private network",
        [169, 254, ..] => "of its own link, where clouds keep their metadata",
        // Clouds answer at some of these as well.
        [100, 64..=127, ..] => "a network behind a carrier",
        [168, 63, 129, 16] => "a cloud's own service",
        [192, 0, 0 | 2, _] | [198, 51, 100, _] | [203, 0, 113, _] | [198, 18..=19, ..] => "reserved",
        [224..=239, ..] => "a group of machines",
        [240..=255, ..] => "reserved",
        _ => return None,
    })
}

fn apart6(ip: Ipv6Addr) -> Option<&'static str> {
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        apart4(Ipv4Addr::new(a, b, c, d))
    };
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Some("this machine"),
        // IPv4 addresses in other words: mapped, compatible, translated, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => of(high, low),
        [0x2002, high, low, ..] => of(high, low),
        [0x64, 0xff9b, ..] | [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Some("a private network"),
        [0xfe80..=0xfebf, ..] => Some("of its own link"),
        [0xff00..=0xffff, ..] => Some("a group of machines"),
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x100, 0, 0, 0 | 1, ..] | [0x3fff, 0..=0xfff, ..] => {
            Some("reserved")
        }
        _ => None,
    }
}
