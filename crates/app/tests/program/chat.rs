//! `handeye serve` and `handeye token` as a person runs them.

use super::serving::{LIMIT, Server, home, said, words};
use handeye_testkit::home::{eventually, kill};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

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
        ("serve --listen 127.0.0.1:0 --database sqlite://:memory:", "keeps nothing"),
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
    let settings = home.path().join(".config/handeye/handeye.toml");
    let before = std::fs::read_to_string(&settings).unwrap();
    for (text, part) in [
        ("[chat]\n".to_owned(), "chat.models is empty"),
        (before.replace("[chat]\n", "[chat]\napproval = nan\n"), "chat.approval is NaN"),
        (before.replace("[chat]\n", "[chat]\napproval = -1\n"), "chat.approval is -1"),
        (format!("{before}timeout = nan\n"), "chat.models.timeout is NaN"),
        (format!("{before}[[chat.rules]]\nagents = [\"nobody\"]\nthen = \"allow\"\n"), "names the agent `nobody`"),
    ] {
        std::fs::write(&settings, text).unwrap();
        let ran = home.run("serve --listen 127.0.0.1:0").exit(2);
        assert!(ran.err.contains(part), "{ran:?}");
    }
}

#[test]
fn a_data_folder_may_be_called_anything() {
    let model = ModelServer::new(|_: &Asked| Answer::Say("你好".into()));
    let home = home(&model, "http://127.0.0.1:9/");
    for name in ["a#b", "c?d=e", "50%", "%41", "数据 库"] {
        let folder = home.path().join(name);
        let variables = [("XDG_DATA_HOME", folder.to_str().unwrap())];
        let server = Server::start_with(&home, &["--trust-user-id"], &variables);
        let (status, body) = server.chat(None, &said("s", "hi")).unwrap();
        assert_eq!((status, words(&body).as_str()), (200, "你好"), "{name}: {body}");
        let mut files: Vec<_> = std::fs::read_dir(folder.join("handeye/chat"))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|file| !file.ends_with("-wal") && !file.ends_with("-shm"))
            .collect();
        files.sort();
        assert_eq!(files, ["chat.db", "chat.lock"], "{name}");
        let second = home.command(["serve", "--listen", "127.0.0.1:0"]).envs(variables).output().unwrap();
        assert!(String::from_utf8_lossy(&second.stderr).contains("another server uses"), "{name}: {second:?}");
    }
}

/// What was accepted before the disk was full is there afterwards, and the rest was refused as such.
#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let model = ModelServer::new(|_: &Asked| Answer::Say("好".into()));
    let home = home(&model, "http://127.0.0.1:9/");
    let large = "x".repeat(90_000);
    let message = |number: usize| {
        let mut body = said(&format!("s{number}"), &format!("{number} {large}"));
        body["request_id"] = json!("r");
        body
    };
    let server = Server::cramped(&home, 2_048);
    let mut accepted = 0;
    let refused = loop {
        let (status, told) = server.chat(None, &message(accepted)).unwrap();
        if status != 200 || told.contains("\"error\"") {
            break told;
        }
        accepted += 1;
        assert!(accepted < 100, "it never is full");
    };
    assert!(accepted > 0 && refused.contains("\"database\""), "{accepted}: {refused}");
    // It answers still, and what needs no room works.
    assert_eq!(server.chat(None, &json!({})).unwrap().0, 422);
    server.crash();
    let server = Server::start(&home, &["--trust-user-id"]);
    let before = model.asked().len();
    for number in 0..accepted {
        let (status, told) = server.chat(None, &message(number)).unwrap();
        assert_eq!((status, words(&told).as_str()), (200, "好"));
    }
    assert_eq!(model.asked().len(), before, "it was answered, and is told again");
    let (status, told) = server.chat(None, &message(accepted)).unwrap();
    assert_eq!((status, words(&told).as_str(), model.asked().len()), (200, "好", before + 1));
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
    assert!(
        ran.err.contains("the server `own` of chat.mcp") && ran.err.contains("`/nowhere/at-all` can't be started"),
        "{ran:?}"
    );
    kill(i32::try_from(over_http.id()).unwrap(), "TERM");
    over_http.wait().unwrap();
}

/// Who runs the server follows its audit log by a command, and is told where it was changed.
#[test]
fn an_operator_follows_the_audit_log() {
    let model = ModelServer::new(|_: &Asked| Answer::Call(vec![("clear_ai_styles".into(), "{}".into())]));
    let home = home(&model, "http://127.0.0.1:9/");
    let mut server = Server::start(&home, &["--trust-user-id"]);
    let (status, told) = server.chat(None, &said("s", "clear")).unwrap();
    assert!(status == 200 && told.contains("clear_ai_styles"), "{told}");
    // While it serves, too.
    let followed = home.run("serve --verify-audit --json").exit(0).json();
    assert_eq!(followed["entries"], 1, "{followed}");
    kill(i32::try_from(server.child.id()).unwrap(), "TERM");
    server.child.wait().unwrap();
    let told = home.run("serve --verify-audit").exit(0).out;
    assert!(told.contains(followed["last"].as_str().unwrap()), "{told}");
    let file = home.path().join(".local/share/handeye/chat/chat.db");
    let mut bytes = std::fs::read(&file).unwrap();
    let (was, is) = (b"proposedcall_", b"approvedcall_");
    let at = bytes.windows(was.len()).position(|part| part == was).expect("the entry is in the file");
    bytes[at..at + is.len()].copy_from_slice(is);
    std::fs::write(&file, bytes).unwrap();
    let ran = home.run("serve --verify-audit --json").exit(2);
    assert_eq!(ran.json()["error"]["code"], "file", "{ran:?}");
    assert!(ran.out.contains("entry 1 doesn't follow"), "{ran:?}");
}
