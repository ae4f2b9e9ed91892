//! `handeye serve` as a person starts it, with settings of the test's own, and what a client of the plain wire sends to it.

use handeye_testkit::home::Home;
use handeye_testkit::models::ModelServer;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long any answer may take.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// A server, as a person starts it.
pub(super) struct Server {
    pub(super) child: Child,
    pub(super) address: String,
}

impl Server {
    pub(super) fn start(home: &Home, more: &[&str]) -> Self {
        Self::start_with(home, more, &[])
    }

    pub(super) fn start_with(home: &Home, more: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::at("127.0.0.1:0", home, more, variables)
    }

    /// One that listens at an address of the caller's.
    pub(super) fn at(address: &str, home: &Home, more: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = home.command(["serve", "--listen", address].iter().chain(more));
        command.env_remove("XDG_DATA_HOME").envs(variables.iter().copied());
        Self::of(command)
    }

    /// One whose files can't grow beyond so many blocks of 512 bytes, as on a full disk.
    pub(super) fn cramped(home: &Home, blocks: u32) -> Self {
        let mut command = home.command::<&str>([]);
        let program = command.get_program().to_owned();
        let shell = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" serve --listen 127.0.0.1:0 --trust-user-id");
        let mut in_shell = Command::new("sh");
        in_shell.args(["-c", &shell]).arg(program);
        command.env_remove("XDG_DATA_HOME");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => in_shell.env(name, value),
                None => in_shell.env_remove(name),
            };
        }
        Self::of(in_shell)
    }

    /// One whose words beside its address are kept.
    pub(super) fn start_heard(home: &Home, more: &[&str]) -> Self {
        let mut command = home.command(["serve", "--listen", "127.0.0.1:0"].iter().chain(more));
        command.env_remove("XDG_DATA_HOME").stderr(Stdio::piped());
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("it tells no address: {line}"));
        Self { address: address.to_owned(), child }
    }

    /// Ends it as a crash does.
    pub(super) fn crash(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// What a request without a body is answered, as JSON.
    #[track_caller]
    pub(super) fn ask(&self, token: &str, line: &str) -> Value {
        let head = format!("{line} HTTP/1.0\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\r\n", self.address);
        let (status, body) = self.send(&head).expect("it answers");
        assert_eq!(status, 200, "{line}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    fn send(&self, request: &str) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(LIMIT)).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }

    /// Status and body; none where the connection broke off.
    pub(super) fn chat(&self, token: Option<&str>, body: &Value) -> Option<(u16, String)> {
        self.post("/api/v1/agent/chat", token, &body.to_string())
    }

    /// The same of another route.
    pub(super) fn post(&self, path: &str, token: Option<&str>, body: &str) -> Option<(u16, String)> {
        let bearer = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!(
            "POST {path} HTTP/1.0\r\nhost: {}\r\ncontent-type: application/json\r\n{bearer}content-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        self.send(&format!("{head}{body}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A home whose settings name a model, and a search.
pub(super) fn home(model: &ModelServer, search: &str) -> Home {
    let home = Home::new();
    let folder = home.path().join(".config/handeye");
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "[chat]\nrequests_per_minute = 100000\n[chat.search]\nurl = \"{search}\"\n[[chat.models]]\nname = \"claude-3-opus\"\nurl = \"{}\"\n",
        model.url()
    );
    std::fs::write(folder.join("handeye.toml"), text).unwrap();
    home
}

pub(super) fn said(session: &str, message: &str) -> Value {
    json!({
        "message": message, "role": "user", "agent_id": "default", "session_id": session, "user_id": "u",
        "browser_tools": [{"name": "clear_ai_styles", "description": "", "parameters": {"type": "object", "properties": {}}}]
    })
}

pub(super) fn words(body: &str) -> String {
    let events = body.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
    events
        .filter_map(|event| serde_json::from_str::<Value>(event).ok()?["content"].as_str().map(str::to_owned))
        .collect()
}

/// A SearXNG that counts what it is asked.
pub(super) fn search() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/search", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = asked.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            noted.lock().unwrap().push(line.split(['=', '&']).nth(1).unwrap_or_default().to_owned());
            let body = "{\"results\": []}";
            let _ =
                write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    (url, asked)
}
