//! How a browser is started: behind a proxy, with arguments of the caller, and with certificates that nobody vouches for.

use crate::session_set::site;
use handeye_testkit::live::Live;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// A proxy that answers everything itself, naming what it was asked for.
fn proxy() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut first = String::new();
            let mut lines = BufReader::new(stream.try_clone().unwrap());
            let _ = lines.read_line(&mut first);
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|n| n > 2) {
                line.clear();
            }
            let body = format!("<title>Proxy</title><h1>{}</h1>", first.trim());
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length:";
            let _ = write!(stream, "{head} {}\r\n\r\n{body}", body.len());
        }
    });
    port
}

#[test]
fn a_browser_is_launched_as_asked() {
    let live = Live::closed(site);
    let port = proxy();
    live.ok(&format!("open http://site.test/page --proxy http://127.0.0.1:{port} --browser-arg=--lang=fr --browser-arg=--user-agent=Arg/1"));
    assert_eq!(live.ok("get text --css h1"), "GET http://site.test/page HTTP/1.1");
    live.ok(&format!("open {}", live.site.at("/")));
    assert!(live.ok("get text --css '#sent'").ends_with("|Arg/1"));
    assert!(live.problem("open about:blank --ignore-tls-errors").contains("has a browser already"));
    live.ok("sessions stop default");
    let wrong = live.problem("open about:blank --proxy http://ann:secret@127.0.0.1:1");
    assert!(wrong.starts_with("error[bad_request]: ") && wrong.contains("is no proxy"), "{wrong}");
}

/// A server whose certificate nobody vouches for. It ends with what is returned.
fn sealed(folder: &std::path::Path) -> (Ended, u16) {
    let openssl = |line: &str| {
        let mut command = Command::new("openssl");
        command.args(line.split(' ')).current_dir(folder).stderr(Stdio::null()).stdin(Stdio::null());
        command
    };
    let mut make =
        openssl("req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=sealed.test");
    std::fs::write(folder.join("page.html"), "<title>Sealed</title><h1>Inside</h1>").unwrap();
    assert!(make.stdout(Stdio::null()).status().unwrap().success());
    let mut server = openssl("s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -WWW");
    let mut child = Ended(server.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(child.0.stdout.take().unwrap()).lines().map_while(Result::ok);
    let port = lines.find_map(|line| line.strip_prefix("ACCEPT ")?.rsplit(':').next()?.parse().ok()).unwrap();
    // It goes on to say what it is asked, which somebody must read.
    std::thread::spawn(move || lines.count());
    (child, port)
}

/// Ends a program when it is no longer wanted.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn certificates_that_nobody_vouches_for_are_taken_when_asked_only() {
    let live = Live::closed(site);
    let (_server, port) = sealed(&live.home.work());
    let address = format!("https://127.0.0.1:{port}/page.html");
    let refused = live.problem(&format!("open {address}"));
    assert!(refused.contains("net::ERR_CERT_AUTHORITY_INVALID"), "{refused}");
    live.run("sessions stop default");
    live.ok(&format!("open {address} --ignore-tls-errors"));
    assert_eq!(live.ok("get text --css h1"), "Inside");
}
