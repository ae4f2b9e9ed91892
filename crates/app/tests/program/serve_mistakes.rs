//! `handeye serve` as a newcomer starts it: what is mistyped is refused at once, by its name, and nothing is left behind.

use super::serving::{Server, home, said};
use handeye_testkit::home::{Home, kill};
use handeye_testkit::models::{Answer, Asked, ModelServer};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

fn talker() -> ModelServer {
    ModelServer::new(|_: &Asked| Answer::Say("好".into()))
}

fn listed(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The cause stands in the message, soon, and the folder is as it was.
#[test]
fn what_is_no_database_of_handeye_is_refused_at_once_and_left_as_it_is() {
    let home = home(&talker(), "http://127.0.0.1:9/");
    let folder = home.path().join("data");
    std::fs::create_dir_all(folder.join("folder")).unwrap();
    std::fs::write(folder.join("text.db"), "hello, this is no database at all").unwrap();
    let shop = folder.join("shop.db");
    rusqlite::Connection::open(&shop).unwrap().execute_batch("CREATE TABLE goods (id)").unwrap();
    let whole = std::fs::read(&shop).unwrap();
    std::fs::write(folder.join("half.db"), &whole[..whole.len() / 2]).unwrap();
    let before = listed(&folder);
    for (name, part) in [
        ("text.db", "is no SQLite database"),
        ("half.db", "malformed"),
        ("shop.db", "isn't a database of handeye: it has goods"),
        ("folder", "is a folder"),
        ("nowhere/chat.db", "there is no "),
    ] {
        for line in ["serve --listen 127.0.0.1:0", "serve --verify-audit", "token list"] {
            let begun = Instant::now();
            let ran = home.run(&format!("{line} --database sqlite://{}", folder.join(name).display())).exit(2);
            assert!(ran.err.contains(part) && ran.err.contains(name.split('/').next().unwrap()), "{name}: {ran:?}");
            assert!(!ran.err.contains(".lock"), "{name}: {ran:?}");
            assert!(begun.elapsed() < Duration::from_secs(8), "{name}: {:?}", begun.elapsed());
        }
    }
    let ran = home.run("serve --listen 127.0.0.1:0 --database postgres://ann:secret@127.0.0.1:1/x").exit(2);
    assert!(ran.err.contains("127.0.0.1:1") && ran.err.contains("refused") && !ran.err.contains("secret"), "{ran:?}");
    assert_eq!(listed(&folder), before);
    assert_eq!(std::fs::read(&shop).unwrap(), whole);
}

#[test]
fn a_verifying_command_makes_nothing_and_tells_what_is_missing() {
    let home = home(&talker(), "http://127.0.0.1:9/");
    let file = home.path().join("typo.db");
    let ran = home.run(&format!("serve --verify-audit --database sqlite://{}", file.display())).exit(2);
    assert!(ran.err.contains("there is no database") && ran.err.contains("typo.db") && !file.exists(), "{ran:?}");
    let ran = home.run("serve --verify-audit").exit(2);
    assert!(ran.err.contains("chat.db"), "{ran:?}");
    assert!(!home.path().join(".local/share/handeye/chat").exists());
    home.run("token create ann").exit(0);
    let last = home.run("serve --verify-audit --json").exit(0).json()["last"].as_str().unwrap().to_owned();
    home.run(&format!("serve --verify-audit --expect-audit {last}")).exit(0);
    let chat = home.path().join(".local/share/handeye/chat");
    assert_eq!(listed(&chat), ["chat.db"], "what is only read leaves nothing");
    let other = "0".repeat(64);
    let ran = home.run(&format!("serve --verify-audit --expect-audit {other} --json")).exit(1);
    assert_eq!(ran.json()["intact"], false, "{ran:?}");
    home.run("serve --verify-audit --expect-audit x").exit(2);
    let emptied = rusqlite::Connection::open(chat.join("chat.db")).unwrap();
    emptied.execute_batch("DROP TRIGGER audit_is_never_shortened; DELETE FROM audit").unwrap();
    drop(emptied);
    let told = home.run("serve --verify-audit").exit(1).out;
    assert!(
        told.contains("NOT intact") && told.contains("1 token") && told.contains("audit_is_never_shortened"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = home(&talker(), "http://127.0.0.1:9/");
    let folder = home.path().join("own");
    std::fs::create_dir(&folder).unwrap();
    let url = format!("sqlite://{}", folder.join("chat.db").display());
    let named = Server::start(&home, &["--trust-user-id", "--database", &url]);
    named.chat(None, &said("s", "hi")).unwrap();
    let default = Server::start(&home, &["--trust-user-id"]);
    default.chat(None, &said("s", "hi")).unwrap();
    for folder in [folder, home.path().join(".local/share/handeye/chat")] {
        let names = listed(&folder);
        assert_eq!(names, ["chat.db", "chat.db-shm", "chat.db-wal", "chat.lock"], "{folder:?}");
        for name in names {
            let mode = std::fs::metadata(folder.join(&name)).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{name} in {folder:?}");
        }
    }
}

fn with(home: &Home, more: &str) {
    let settings = home.path().join(".config/handeye/handeye.toml");
    let before = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, format!("{before}{more}")).unwrap();
}

#[test]
fn a_typo_in_what_guards_is_refused_and_said_as_json_where_that_is_asked_for() {
    let home = home(&talker(), "http://127.0.0.1:9/");
    let ran = home.run("serve --listen 127.0.0.1:0 --origin foo --json").exit(2);
    let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("--origin foo: is no origin") && ran.err.is_empty(), "{ran:?}");
    with(&home, "[[chat.rules]]\ntools = [\"query_databse\"]\nthen = \"deny\"\n");
    let ran = home.run("serve --listen 127.0.0.1:0").exit(2);
    assert!(ran.err.contains("query_databse"), "{ran:?}");
}

#[test]
fn conversations_are_not_put_where_a_model_can_ask() {
    let home = home(&talker(), "http://127.0.0.1:9/");
    home.run("token create ann").exit(0);
    with(&home, "[chat.query]\nurl_env = \"SHOP\"\n");
    let url = format!("sqlite://{}", home.path().join(".local/share/handeye/chat/chat.db").display());
    let mut command = home.command(["serve", "--listen", "127.0.0.1:0", "--database", &url]);
    let ran = handeye_testkit::home::run({
        command.env("SHOP", &url);
        command
    });
    let ran = ran.exit(2);
    assert!(ran.err.contains("chat.query.url_env"), "{ran:?}");
}

/// Who asks it to end is told what it waits for.
#[cfg(unix)]
#[test]
fn a_server_that_is_asked_to_end_says_what_it_waits_for() {
    use std::io::Read;
    let model = ModelServer::new(|_: &Asked| Answer::Paced("慢".repeat(30), Duration::from_millis(100)));
    let home = home(&model, "http://127.0.0.1:9/");
    let mut server = Server::start_heard(&home, &["--trust-user-id"]);
    let mut err = server.child.stderr.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| server.chat(None, &said("s", "hi")));
        while model.asked().is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        kill(i32::try_from(server.child.id()).unwrap(), "TERM");
    });
    server.child.wait().unwrap();
    let mut told = String::new();
    err.read_to_string(&mut told).unwrap();
    assert_eq!(told, "waiting for 1 answer, for 20 s at most; Ctrl-C ends it at once\n");
}

/// A Ctrl-C while answers are waited for ends them: what was said is kept, and the message may be sent again.
#[cfg(unix)]
#[test]
fn a_server_that_is_interrupted_while_it_waits_ends_at_once() {
    let model = ModelServer::new(|asked: &Asked| match asked.number % 2 {
        0 => Answer::Stall(Duration::from_secs(60)),
        _ => Answer::Say("好".into()),
    });
    let home = home(&model, "http://127.0.0.1:9/");
    for first in ["INT", "TERM"] {
        let mut server = Server::start_heard(&home, &["--trust-user-id"]);
        let mut err = BufReader::new(server.child.stderr.take().unwrap());
        let id = i32::try_from(server.child.id()).unwrap();
        let body = said(first, "hi");
        let (answer, took) = std::thread::scope(|scope| {
            let before = model.asked().len();
            let answer = scope.spawn(|| server.chat(None, &body));
            while model.asked().len() == before {
                std::thread::sleep(Duration::from_millis(20));
            }
            kill(id, first);
            // It is told before it waits.
            err.read_line(&mut String::new()).unwrap();
            std::thread::sleep(Duration::from_millis(300));
            let begun = Instant::now();
            kill(id, "INT");
            (answer.join().unwrap(), begun)
        });
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
        assert!(took.elapsed() < Duration::from_secs(10), "{:?}", took.elapsed());
        let (status, told) = answer.expect("it is answered");
        assert!(status == 200 && told.contains("\"stopping\""), "{told}");
        let server = Server::start(&home, &["--trust-user-id"]);
        let (status, told) = server.chat(None, &body).unwrap();
        assert!(status == 200 && told.contains('好'), "{told}");
    }
}
