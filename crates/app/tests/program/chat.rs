//! `handeye serve` and `handeye token` as a person runs them; and the server killed at any moment of a conversation.

use handeye_chat::store::{Body, Entry, Store, verify_audit};
use handeye_testkit::home::{Home, eventually, kill};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use handeye_testkit::{Dice, trials};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long any answer may take.
const LIMIT: Duration = Duration::from_secs(60);

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(home: &Home, more: &[&str]) -> Self {
        Self::start_with(home, more, &[])
    }

    fn start_with(home: &Home, more: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = home.command(["serve", "--listen", "127.0.0.1:0"].iter().chain(more));
        command.env_remove("XDG_DATA_HOME").envs(variables.iter().copied()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("it tells no address: {line}"));
        Self { address: address.to_owned(), child }
    }

    /// Status and body; none where the connection broke off.
    fn chat(&self, token: Option<&str>, body: &Value) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(LIMIT)).ok()?;
        let body = body.to_string();
        let bearer = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        let head = format!(
            "POST /api/v1/agent/chat HTTP/1.0\r\nhost: {}\r\ncontent-type: application/json\r\n{bearer}content-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A home whose settings name a model, and a search.
fn home(model: &ModelServer, search: &str) -> Home {
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

fn said(session: &str, message: &str) -> Value {
    json!({
        "message": message, "role": "user", "agent_id": "default", "session_id": session, "user_id": "u",
        "browser_tools": [{"name": "clear_ai_styles", "description": "", "parameters": {"type": "object", "properties": {}}}]
    })
}

fn words(body: &str) -> String {
    let events = body.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
    events
        .filter_map(|event| serde_json::from_str::<Value>(event).ok()?["content"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn a_person_makes_a_token_serves_and_is_told_what_is_wrong() {
    let model = ModelServer::new(|_: &Asked| Answer::Say("你好".into()));
    let home = home(&model, "http://127.0.0.1:9/");
    let made = home.run("token create ann --json").exit(0).json();
    let token = made["token"].as_str().unwrap().to_owned();
    let server = Server::start(&home, &[]);
    let (status, body) = server.chat(Some(&token), &said("s", "hi")).unwrap();
    assert_eq!((status, words(&body).as_str()), (200, "你好"), "{body}");
    assert_eq!(server.chat(None, &said("s", "hi")).unwrap().0, 401);
    // Tokens are made and revoked while it serves; a second server isn't started on the same file.
    let listed = home.run("token list").exit(0).out;
    assert!(listed.contains("holds  ann") && !listed.contains(&token), "{listed}");
    home.run(&format!("token revoke {}", made["id"].as_str().unwrap())).exit(0);
    assert_eq!(server.chat(Some(&token), &said("s", "hi")).unwrap().0, 401);
    for (line, part) in [
        ("serve --listen 127.0.0.1:0", "another server uses"),
        ("serve --listen 0.0.0.0:0", "--behind-proxy"),
        ("serve --listen 0.0.0.0:0 --behind-proxy --trust-user-id", "this machine's own addresses alone"),
        ("serve --listen nowhere", "ADDRESS:PORT"),
        ("serve --listen 127.0.0.1:0 --database mysql://x", "takes postgres://"),
        ("serve --listen 127.0.0.1:0 --database postgres://ann:secret@127.0.0.1:1/x", "can't be opened"),
        ("token revoke token_x", "there is no token"),
        ("token", "requires a subcommand"),
    ] {
        let ran = home.run(line).exit(2);
        assert!(ran.err.contains(part) && !ran.err.contains("secret"), "{line}: {ran:?}");
    }
    kill(i32::try_from(server.child.id()).unwrap(), "TERM");
    let mut server = server;
    assert!(eventually(LIMIT, || server.child.try_wait().unwrap().is_some()));
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    std::fs::write(home.path().join(".config/handeye/handeye.toml"), "[chat]\n").unwrap();
    assert!(home.run("serve --listen 127.0.0.1:0").exit(2).err.contains("chat.models is empty"));
}

/// The tools of other servers, here of handeye's own: started as a program, and over HTTP.
#[test]
fn tools_of_other_servers_wait_for_the_person_and_are_carried_out() {
    let model = ModelServer::new(|asked: &Asked| match asked.results().is_empty() {
        true => {
            let tools = asked.body["tools"].as_array().cloned().unwrap_or_default();
            let name = tools.iter().find_map(|tool| tool.pointer("/function/name")?.as_str()).unwrap_or_default();
            Answer::Call(vec![(name.to_owned(), json!({"command": "click"}).to_string())])
        }
        false => Answer::Say(asked.results().concat()),
    });
    let home = home(&model, "http://127.0.0.1:9/");
    let mut over_http = home.command(["mcp", "--http", "127.0.0.1:0"]);
    over_http.env("HANDEYE_MCP_TOKEN", "a-token-of-the-tests").stdout(Stdio::piped());
    let mut over_http = over_http.spawn().unwrap();
    let mut url = String::new();
    BufReader::new(over_http.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let settings = home.path().join(".config/handeye/handeye.toml");
    let before = std::fs::read_to_string(&settings).unwrap();
    let program = handeye_testkit::home::program();
    for (number, reach) in [
        format!("command = [{:?}, \"mcp\"]", program.to_str().unwrap()),
        format!("url = {:?}\ntoken_env = \"OTHER_TOKEN\"", url.trim()),
    ]
    .iter()
    .enumerate()
    {
        let server = format!("[[chat.mcp]]\nname = \"own\"\ntools = [\"help\"]\n{reach}\n");
        let agent = "[[chat.agents]]\nid = \"default\"\ntools = [\"own__help\"]\n";
        std::fs::write(&settings, format!("{before}{server}{agent}")).unwrap();
        let server = Server::start_with(&home, &["--trust-user-id"], &[("OTHER_TOKEN", "a-token-of-the-tests")]);
        let session = format!("s{number}");
        let mut body = said(&session, "help");
        body["browser_tools"] = json!([]);
        let (status, told) = server.chat(None, &body).unwrap();
        assert!(status == 200 && told.contains("\"tool_name\": \"own__help\""), "{told}");
        let mut approval = said(&session, "{\"toolId\": \"x\", \"approved\": true}");
        approval["role"] = json!("function");
        let (_, told) = server.chat(None, &approval).unwrap();
        assert!(words(&told).contains("from the tool own__help=====") && words(&told).contains("expect"), "{told}");
    }
    let server = "[[chat.mcp]]\nname = \"own\"\ncommand = [\"/nowhere/at-all\"]\n";
    std::fs::write(&settings, format!("{before}{server}")).unwrap();
    let ran = home.run("serve --listen 127.0.0.1:0").exit(2);
    assert!(ran.err.contains("the server `own` of chat.mcp") && ran.err.contains("can't be started"), "{ran:?}");
    kill(i32::try_from(over_http.id()).unwrap(), "TERM");
    over_http.wait().unwrap();
}

/// A SearXNG that counts what it is asked.
fn search() -> (String, Arc<Mutex<Vec<String>>>) {
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

/// What the model says is told by what it was said last, so that the same question has the same answer.
fn script(asked: &Asked) -> Answer {
    let messages = asked.body["messages"].as_array().cloned().unwrap_or_default();
    let person = asked.from_person();
    let last = person.last().map(String::as_str).unwrap_or_default();
    let is_answered = messages.last().is_some_and(|message| message["role"] == "tool");
    let session = last.split(' ').next_back().unwrap_or_default();
    match last.split(' ').next() {
        Some("clear") if !is_answered => Answer::Call(vec![("clear_ai_styles".into(), "{}".into())]),
        Some("search") if !is_answered => {
            Answer::Call(vec![("search_web".into(), json!({"query": session}).to_string())])
        }
        _ => Answer::Say(format!("answer to {last}")),
    }
}

/// Whether an answer says this, or calls this tool.
fn is_told(told: &str, wanted: &str) -> bool {
    words(told).contains(wanted) || told.contains(wanted)
}

/// A step of the conversation, and whether an answer is what belongs to it.
fn steps(session: &str) -> Vec<(Value, String)> {
    let message = |number: usize, words: &str| {
        let mut body = said(session, &format!("{words} {session}"));
        body["request_id"] = json!(format!("r-{number}"));
        body
    };
    let result = said(session, "浏览器工具 clear_ai_styles 执行结果: {\"success\": true}");
    let mut approval = said(session, &json!({"toolId": "made_up", "approved": true}).to_string());
    approval["role"] = json!("function");
    vec![
        (message(0, "hello"), format!("answer to hello {session}")),
        (message(1, "clear"), "clear_ai_styles".into()),
        (result, format!("answer to clear {session}")),
        (message(2, "search"), "search_web".into()),
        (approval, format!("answer to search {session}")),
        (message(3, "bye"), format!("answer to bye {session}")),
    ]
}

/// Kills the server once in each trial, at a random moment of a random step; the client sends again what wasn't answered.
#[test]
fn a_killed_server_loses_and_doubles_nothing() {
    let model = ModelServer::new(script);
    let (url, searched) = search();
    let home = home(&model, &url);
    let mut dice = Dice::new(7);
    let trials = trials(6, 200);
    let mut server = Server::start(&home, &["--trust-user-id"]);
    for trial in 0..trials {
        let session = format!("s{trial}");
        let killed_at = dice.below(6);
        for (number, (body, wanted)) in steps(&session).iter().enumerate() {
            if number == killed_at {
                let pause = Duration::from_millis(dice.below(120) as u64);
                let pid = i32::try_from(server.child.id()).unwrap();
                let first = std::thread::scope(|scope| {
                    let asked = scope.spawn(|| server.chat(None, body));
                    std::thread::sleep(pause);
                    kill(pid, "KILL");
                    asked.join().unwrap()
                });
                server = Server::start(&home, &["--trust-user-id"]);
                // What was told before the end is told the same way after it.
                if let Some((200, told)) = first.filter(|(_, told)| told.contains("\\u5bf9\\u8bdd")) {
                    assert!(is_told(&told, wanted), "{session} {number}: {told}");
                }
            }
            let (status, told) = server.chat(None, body).unwrap();
            let is_interrupted = number == 4 && killed_at == 4;
            assert_eq!(status, 200, "{session} {number}: {told}");
            assert!(is_told(&told, wanted) || is_interrupted, "{session} {number}: {told}");
        }
    }
    drop(server);
    check(&home, trials, &searched.lock().unwrap());
}

/// What the database holds: each message, call and answer once, in order, in a log that nobody changed.
fn check(home: &Home, trials: usize, searched: &[String]) {
    let file = home.path().join(".local/share/handeye/chat/chat.db");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Store::open(&format!("sqlite://{}", file.display())).await.unwrap();
        let user = store.user("user_id:u").await.unwrap();
        for trial in 0..trials {
            let session = format!("s{trial}");
            let conversation = store.conversation(&user.id, &session).await.unwrap().unwrap();
            let entries = store.history(&conversation.id).await.unwrap();
            let shape: Vec<String> = entries.iter().map(told).collect();
            let wanted = [
                format!("user hello {session}"),
                format!("answer answer to hello {session} []"),
                format!("user clear {session}"),
                "answer  [clear_ai_styles done]".to_owned(),
                format!("answer answer to clear {session} []"),
                format!("user search {session}"),
                "answer  [search_web done]".to_owned(),
                format!("answer answer to search {session} []"),
                format!("user bye {session}"),
                format!("answer answer to bye {session} []"),
            ];
            assert_eq!(shape, wanted);
            assert!(
                searched.iter().filter(|query| **query == session).count() <= 1,
                "{session} was searched for twice"
            );
        }
        assert_eq!(verify_audit(&store.audit_log().await.unwrap()), None);
        store.close().await;
    });
}

fn told(entry: &Entry) -> String {
    match &entry.body {
        Body::User(text) => format!("user {text}"),
        Body::Assistant(text, calls) => {
            let calls: Vec<String> = calls.iter().map(|call| format!("{} {}", call.tool, call.status.word())).collect();
            format!("answer {text} [{}]", calls.join(", "))
        }
        Body::Page => "page".to_owned(),
    }
}
