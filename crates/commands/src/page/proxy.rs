//! How the proxy of a browser is written.

use handeye_scene::{Code, Launch, Problem};

/// What a browser wouldn't understand, or would keep silent about.
pub(super) fn check(launch: &Launch) -> Result<(), Problem> {
    if let Some(proxy) = &launch.proxy
        && !proxy.split([';', ',']).all(is_proxy)
    {
        return Err(Problem::new(
            Code::BadRequest,
            format!("`{proxy}` is no proxy: write it as SCHEME://HOST:PORT, without a user"),
        )
        .hint("handeye open URL --proxy http://127.0.0.1:3128"));
    }
    Ok(())
}

/// Whether the browser can use this as one proxy: with its scheme or without, as that of one kind of address (`https=…`) or of all.
fn is_proxy(text: &str) -> bool {
    let server = text.split_once('=').map_or(text, |(_, server)| server);
    let (scheme, place) = server.split_once("://").unwrap_or(("http", server));
    let place = place.strip_suffix('/').unwrap_or(place);
    // The colons of an address in brackets are no port's.
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, port.parse::<u16>().ok().filter(|n| *n > 0)),
        _ => (place, Some(80)),
    };
    let named = !host.is_empty() && !host.contains(|c: char| c.is_whitespace() || c == '@' || c == '/');
    let known = ["http", "https", "socks", "socks4", "socks5", "quic"].contains(&scheme);
    server == "direct://" || (known && named && port.is_some())
}

#[cfg(test)]
mod tests {
    use super::is_proxy;

    #[test]
    fn a_proxy_is_one_that_a_browser_can_use() {
        for text in
            ["proxy.example:3128", "http://127.0.0.1:8080/", "socks5://[::1]:1080", "https=a:1", "[::1]", "direct://"]
        {
            assert!(is_proxy(text), "{text}");
        }
        for text in [
            "",
            " ",
            "a b:1",
            "http://ann:pw@host:1",
            "host:99999",
            "host:0",
            "host:port",
            "ftp://host:1",
            "http://:80",
        ] {
            assert!(!is_proxy(text), "{text}");
        }
    }
}
