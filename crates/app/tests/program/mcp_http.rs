//! `handeye mcp --http`: the official clients over HTTP, and who isn't let in.

use crate::mcp::PAGE;
use crate::mcp_clients::{ASKED, Client, home_that, steps};
use handeye_testkit::home::{Home, eventually, kill};
use handeye_testkit::is_full;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

const TOKEN: &str = "a-token-of-the-tests";
/// How long any answer may take.
const LIMIT: Duration = Duration::from_secs(60);

/// A server over HTTP.
pub(crate) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    address: String,
}

impl Server {
    pub(crate) fn new(home: &Home) -> Self {
        Self::with(home, &[])
    }

    fn with(home: &Home, more: &[&str]) -> Self {
        let mut command = home.command(["mcp", "--http", "127.0.0.1:0"].iter().chain(more));
        command.env("HANDEYE_MCP_TOKEN", TOKEN).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("it tells no address: {line}")).to_owned();
        Self { child, out, address }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Sends a request and gives back the status and the body.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        answer(self.send("POST", headers, body))
    }

    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n"
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        head.extend(headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")));
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        // A request that is refused may be answered, and hung up on, before it was read to its end.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        stream
    }

    /// Asks it to end, and checks that it does in good order.
    pub(crate) fn end(mut self) {
        kill(i32::try_from(self.child.id()).unwrap(), "TERM");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "a token that was given isn't printed");
    }
}

impl Drop for Server {
    /// A test that stops midway leaves no server behind; one that ended isn't there to be killed.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The status and the whole of an answer. One that is refused before all of it was read may be cut off after it.
fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut got = Vec::new();
    let read = stream.read_to_end(&mut got);
    let got = String::from_utf8_lossy(&got).into_owned();
    let status = got.split(' ').nth(1).and_then(|word| word.parse().ok());
    (status.unwrap_or_else(|| panic!("no status: {got:?} {read:?}")), got)
}

/// A call by the version that needs no handshake.
pub(crate) fn call(tool: &str, args: Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": args, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string()
}

pub(crate) fn shown() -> String {
    format!("Bearer {TOKEN}")
}

pub(crate) const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");
pub(crate) const METHOD: (&str, &str) = ("Mcp-Method", "tools/call");

/// With each policy; else with the one of that number alone.
fn over_http(client: Client, only: usize) {
    for (number, asks) in std::iter::once(None).chain(ASKED.map(Some)).enumerate() {
        if is_full() || number == only {
            over_http_where(client, asks);
        }
    }
}

fn over_http_where(client: Client, asks: Option<&str>) {
    let home = home_that(asks);
    let policy = if asks.is_some() { "asks" } else { "open" };
    let server = Server::new(&home);
    steps(&home, client, policy, &[&server.url()], TOKEN);
    server.end();
    home.assert_nothing_left();
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_client_of_npm_works_over_http() {
    over_http(Client::Npm, 0);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_client_of_pypi_works_over_http() {
    over_http(Client::PyPi, 1);
}

#[test]
fn the_client_of_pypi_works_over_http_by_the_newest_version() {
    over_http(Client::PyPiNewest, 2);
}

#[test]
fn who_shows_no_token_or_comes_from_a_page_is_refused() {
    let home = Home::new();
    let server = Server::new(&home);
    let version = call("run", json!({"command": "version"}));
    let (name, shown) = ("Mcp-Name", shown());
    let whole = [("Authorization", shown.as_str()), VERSION, METHOD, (name, "run")];
    let (status, got) = server.post(&whole, &version);
    assert!(status == 200 && got.contains(env!("CARGO_PKG_VERSION")), "{got}");
    let wrong = format!("{shown}x");
    let with = |more: (&'static str, &'static str)| whole.iter().copied().chain([more]).collect::<Vec<_>>();
    let cases = [
        (401, whole.iter().copied().skip(1).collect()),
        (401, whole.iter().copied().skip(1).chain([("Authorization", wrong.as_str())]).collect()),
        (403, with(("Origin", "http://evil.example"))),
        (403, with(("Origin", "null"))),
        (403, with(("Host", "evil.example"))),
    ];
    for (wanted, headers) in cases {
        let (status, got) = server.post(&headers, &version);
        assert_eq!(status, wanted, "{headers:?}: {got}");
        assert!(!got.contains(env!("CARGO_PKG_VERSION")), "{got}");
    }
    // What is no request is an error, and the server goes on.
    for body in ["", "hello", "[]", "{\"jsonrpc\":\"2.0\"}"] {
        let (status, got) = server.post(&whole, body);
        assert!((400..500).contains(&status), "{body}: {got}");
    }
    assert_eq!(server.post(&whole, &version).0, 200);
    server.end();
}

#[test]
fn who_hangs_up_in_mid_call_cancels_it() {
    let home = Home::new();
    let server = Server::new(&home);
    let shown = shown();
    let headers = |name| [("Authorization", shown.as_str()), VERSION, METHOD, ("Mcp-Name", name)];
    let (status, got) = server.post(&headers("open"), &call("open", json!({"url": PAGE})));
    assert!(status == 200 && got.contains("Shop"), "{got}");
    let waiting = server.send("POST", &headers("wait"), &call("wait", json!({"seconds": 300})));
    std::thread::sleep(Duration::from_millis(500));
    drop(waiting);
    let (status, got) =
        server.post(&headers("run"), &call("run", json!({"command": "get", "arguments": {"what": "title"}})));
    assert!(status == 200 && got.contains("Shop"), "the call before it was waited for: {got}");
    // One that goes on when the server is asked to end is ended with it.
    let waiting = server.send("POST", &headers("wait"), &call("wait", json!({"seconds": 300})));
    std::thread::sleep(Duration::from_millis(500));
    server.end();
    drop(waiting);
    home.assert_nothing_left();
}

/// A client that shakes hands, and by hand.
struct Guest<'a> {
    server: &'a Server,
    session: String,
}

impl<'a> Guest<'a> {
    fn new(server: &'a Server) -> Self {
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
        }});
        let (status, got) = server.post(&[("Authorization", &shown())], &hello.to_string());
        assert_eq!(status, 200, "{got}");
        let named =
            got.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
        let guest = Self { server, session: named.unwrap_or_else(|| panic!("no session: {got}")) };
        let (status, got) = guest.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(status, 202, "{got}");
        guest
    }

    fn headers(&self) -> [(&'static str, String); 2] {
        [("Authorization", shown()), ("Mcp-Session-Id", self.session.clone())]
    }

    fn send(&self, method: &str, more: &[(&str, &str)], body: &str) -> TcpStream {
        let own = self.headers();
        let headers: Vec<_> =
            own.iter().map(|(name, value)| (*name, value.as_str())).chain(more.iter().copied()).collect();
        self.server.send(method, &headers, body)
    }

    fn post(&self, message: &Value) -> (u16, String) {
        answer(self.send("POST", &[], &message.to_string()))
    }

    fn begin(&self, id: u64, tool: &str, args: &Value) -> TcpStream {
        let params = json!({"name": tool, "arguments": args});
        self.send(
            "POST",
            &[],
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string(),
        )
    }

    /// A call, and what came of it.
    fn call(&self, id: u64, tool: &str, args: &Value) -> Value {
        let (status, got) = answer(self.begin(id, tool, args));
        assert_eq!(status, 200, "{got}");
        result(&got, id)
    }

    fn title(&self, id: u64) -> Value {
        self.call(id, "run", &json!({"command": "get", "arguments": {"what": "title"}}))["content"][0]["text"].clone()
    }

    fn leave(self) {
        let (status, got) = answer(self.send("DELETE", &[], ""));
        assert_eq!(status, 202, "{got}");
    }
}

/// The result among the events of an answer.
pub(crate) fn result(got: &str, id: u64) -> Value {
    let events = got.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data:")?.trim()).ok());
    let mut answers = events.filter(|event| event["id"] == id);
    let found = answers.next().unwrap_or_else(|| panic!("no answer to {id}: {got}"));
    found["result"].clone()
}

fn page(title: &str) -> Value {
    json!({"url": format!("data:text/html,<title>{title}</title><button>Go</button>")})
}

#[test]
fn clients_that_shake_hands_have_sessions_of_their_own() {
    let home = Home::new();
    let server = Server::new(&home);
    let (one, other) = (Guest::new(&server), Guest::new(&server));
    assert_ne!(one.session, other.session);
    one.call(1, "open", &page("One"));
    other.call(1, "open", &page("Other"));
    assert_eq!((one.title(2), other.title(2)), (json!("One"), json!("Other")));
    // What is given to daemons, and to what they launch, holds no token.
    for pid in home.processes().into_iter().filter(|pid| *pid != i32::try_from(server.child.id()).unwrap()) {
        for file in ["environ", "cmdline"] {
            let told = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&told).contains(TOKEN), "{file} of {pid}");
        }
    }
    // A resource shows what its own client was shown.
    one.call(3, "state", &json!({}));
    let read = json!({"jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": {"uri": "handeye://state"}});
    assert!(result(&one.post(&read).1, 4)["contents"][0]["text"].as_str().unwrap().contains("One"));
    assert!(other.post(&read).1.contains("no state was shown yet"));
    // A client that shakes no hands has opened nothing.
    let shown = shown();
    let headers = [("Authorization", shown.as_str()), VERSION, METHOD, ("Mcp-Name", "state")];
    let (status, got) = server.post(&headers, &call("state", json!({})));
    assert!(status == 200 && got.contains("not_found"), "{got}");

    // A session ends with its client, and no other does.
    let before = home.processes().len();
    let gone = one.session.clone();
    one.leave();
    assert!(eventually(LIMIT, || home.processes().len() < before), "its browser goes on");
    let left = Guest { server: &server, session: gone };
    assert_eq!(answer(left.begin(5, "state", &json!({}))).0, 404);
    assert_eq!(other.title(6), "Other");
    server.end();
    home.assert_nothing_left();
}

#[test]
fn a_session_that_was_named_is_shared_by_all_and_goes_on() {
    let home = Home::new();
    let server = Server::with(&home, &["--session", "both"]);
    let (one, other) = (Guest::new(&server), Guest::new(&server));
    one.call(1, "open", &page("Both"));
    one.leave();
    assert_eq!(other.title(2), "Both");
    server.end();
    assert_eq!(home.run("get title --session both").exit(0).out, "Both\n");
    home.run("close --session both").exit(0);
    home.assert_nothing_left();
}

#[test]
fn answers_of_concurrent_clients_dont_mix() {
    let home = Home::new();
    let server = Server::new(&home);
    let commands = ["click", "state", "input", "keys", "scroll", "drag"];
    std::thread::scope(|scope| {
        for command in commands {
            let server = &server;
            scope.spawn(move || {
                let guest = Guest::new(server);
                for id in 1..20 {
                    let told = guest.call(id, "help", &json!({"command": command}));
                    let text = told["content"][0]["text"].as_str().unwrap_or_default();
                    assert!(text.starts_with(&format!("{command}: ")), "{text}");
                }
            });
        }
    });
    server.end();
}

#[test]
fn a_call_that_nobody_comes_back_to_is_cancelled_and_one_is_answered_who_does() {
    let home = Home::new();
    let server = Server::new(&home);
    let guest = Guest::new(&server);
    guest.call(1, "open", &page("Waits"));
    // Hung up on, and asked for again by the number of the event that came before: the answer comes.
    let mut waiting = BufReader::new(guest.begin(2, "wait", &json!({"seconds": 3})));
    let mut event = String::new();
    while !event.starts_with("id:") {
        event.clear();
        assert_ne!(waiting.read_line(&mut event).unwrap(), 0, "it hung up");
    }
    drop(waiting);
    let last = event.trim_start_matches("id:").trim();
    let (status, got) = answer(guest.send("GET", &[("Last-Event-ID", last)], ""));
    assert_eq!((status, &result(&got, 2)["isError"]), (200, &json!(false)), "{got}");

    // Nobody is waited for longer than ten seconds: how they are counted, a test of the sessions tells without them.
    if is_full() {
        let waiting = guest.begin(3, "wait", &json!({"seconds": 300}));
        std::thread::sleep(Duration::from_millis(500));
        drop(waiting);
        assert_eq!(guest.title(4), "Waits", "the call before it was waited for");
    }
    server.end();
    home.assert_nothing_left();
}

#[test]
fn many_sessions_many_words_and_none_at_all_are_borne() {
    let home = Home::new();
    let server = Server::new(&home);
    // Those who never say what they want, or never finish saying it, are hung up on.
    let silent = TcpStream::connect(&server.address).unwrap();
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ").unwrap();
    let shown = shown();
    let begun = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: {shown}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{{"
    );
    let mut unfinished = TcpStream::connect(&server.address).unwrap();
    unfinished.write_all(begun.as_bytes()).unwrap();

    // One session more than there is room for ends the one that was silent for longest.
    let guests: Vec<Guest<'_>> = (0..33).map(|_| Guest::new(&server)).collect();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(guests[0].post(&ping).0, 404);
    assert_eq!(guests[1].post(&ping).0, 200);
    assert_eq!(guests[32].post(&ping).0, 200);

    // A body that is too long, too deep, or no JSON.
    let long = "x".repeat(65 * 1024 * 1024);
    assert_eq!(guests[1].post(&json!({"jsonrpc": "2.0", "id": 2, "method": long})).0, 413);
    for (body, code) in
        [("[".repeat(100_000), -32_700), ("\u{0}\u{ffff}".to_owned(), -32_700), ("[]".to_owned(), -32_600)]
    {
        let (status, got) = answer(guests[1].send("POST", &[], &body));
        let told: Value = serde_json::from_str(got.rsplit("\r\n\r\n").next().unwrap()).unwrap_or_default();
        assert_eq!((status, &told["error"]["code"], &told["id"]), (400, &json!(code), &Value::Null), "{got}");
    }
    let (status, got) = answer(guests[1].send("PUT", &[], ""));
    assert_eq!(status, 405, "{got}");
    for (path, wanted) in [("/", 404), ("/mcp/other", 404)] {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: {shown}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        assert_eq!(answer(stream).0, wanted, "{path}");
    }
    assert_eq!(guests[1].post(&ping).0, 200);

    // Half a minute later they are hung up on.
    for mut stream in [silent, slow, unfinished].into_iter().filter(|_| is_full()) {
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let mut got = Vec::new();
        stream.read_to_end(&mut got).expect("it is hung up on");
        assert!(!String::from_utf8_lossy(&got).contains("200 OK"));
    }
    server.end();
}

#[test]
fn only_this_machine_is_listened_on_and_weak_tokens_are_refused() {
    let home = Home::new();
    for address in
        ["0.0.0.0:0", "[::]:0", "nonsense", "127.0.0.1", "127.0.0.1:99999", "localhost", "localhost.example.com:0"]
    {
        let ran = home.run(&format!("mcp --http {address}"));
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert!(ran.err.contains("bad_request"), "{ran:?}");
    }
    for token in ["short", "sixteen letters and a space"] {
        let mut command = home.command(["mcp", "--http", "127.0.0.1:0"]);
        let ran = command.env("HANDEYE_MCP_TOKEN", token).output().unwrap();
        assert_eq!(ran.status.code(), Some(2), "{token}");
    }
}
