//! `models install`: the models that read text in pictures, from files and from servers of these tests. The models themselves
//! are those that `cargo xtask test --only install` put into the target folder.

use handeye_testkit::home::{Home, Ran, eventually, finish_within, kill, program};
use handeye_testkit::is_full;
use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Longest that anything may take here.
const LIMIT: Duration = Duration::from_secs(200);
const WHEEL: &str = "rapidocr-3.10.0-py3-none-any.whl";
/// Where each file is in the wheel.
const MEMBERS: [(&str, &str); 3] = [
    ("PP-OCRv6_det_small.onnx", "rapidocr/models/PP-OCRv6_det_small.onnx"),
    ("PP-OCRv6_rec_small.onnx", "rapidocr/models/PP-OCRv6_rec_small.onnx"),
    ("PP-OCRv6_NOTICE.md", "rapidocr-3.10.0.dist-info/licenses/MODEL_LICENSES.md"),
];

/// A wheel of the models, made of what is installed, each file changed by `change`.
fn wheel(change: impl Fn(&str, &mut Vec<u8>)) -> Vec<u8> {
    let installed = program().parent().unwrap().with_file_name("models");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, member) in MEMBERS {
        let read = fs::read(installed.join(name));
        let mut bytes = read.unwrap_or_else(|e| panic!("{name}: {e} (cargo xtask test --only install installs it)"));
        change(name, &mut bytes);
        files.push((member.to_owned(), bytes));
    }
    // What pip reads of a wheel.
    let about = "Metadata-Version: 2.1\nName: rapidocr\nVersion: 3.10.0\n";
    files.push(("rapidocr-3.10.0.dist-info/METADATA".to_owned(), about.into()));
    let kind = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    files.push(("rapidocr-3.10.0.dist-info/WHEEL".to_owned(), kind.into()));
    files.push(("rapidocr-3.10.0.dist-info/RECORD".to_owned(), Vec::new()));
    archive(&files)
}

/// A ZIP archive of files that are stored as they are.
fn archive(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::<u8>::new(), Vec::<u8>::new());
    for (name, content) in files {
        let at = bytes.len() as u32;
        let size = content.len() as u32;
        let mut about = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
        about.extend([crc(content), size, size].iter().flat_map(|value| value.to_le_bytes()));
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        bytes.extend(b"PK\x03\x04".iter().chain(&about).chain(name.as_bytes()).chain(content));
        directory.extend(b"PK\x01\x02\x14\x00".iter().chain(&about).chain(&[0; 10]));
        directory.extend(at.to_le_bytes().iter().chain(name.as_bytes()));
    }
    let (at, size, count) = (bytes.len() as u32, directory.len() as u32, files.len() as u16);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend([size, at].iter().flat_map(|value| value.to_le_bytes()));
    bytes.extend([0, 0]);
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256_u32)
        .map(|start| (0..8).fold(start, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 }))
        .collect();
    !bytes.iter().fold(!0, |c, byte| table[((c ^ u32::from(*byte)) & 0xff) as usize] ^ (c >> 8))
}

/// A server of one wheel, and of an index of packages that has it.
struct Server {
    port: u16,
    /// Requests whose other end went away before all was sent.
    broken: Arc<AtomicUsize>,
}

impl Server {
    /// `most`: no more bytes of the wheel are sent, and then nothing any more.
    fn new(wheel: Vec<u8>, most: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let broken = Arc::new(AtomicUsize::new(0));
        let (wheel, count) = (Arc::new(wheel), broken.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (wheel, count) = (wheel.clone(), count.clone());
                std::thread::spawn(move || answer(stream, &wheel, most, &count));
            }
        });
        Self { port, broken }
    }

    fn at(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }
}

fn answer(mut stream: TcpStream, wheel: &[u8], most: usize, broken: &AtomicUsize) {
    let mut asked = Vec::new();
    let mut byte = [0];
    while !asked.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
        asked.push(byte[0]);
    }
    let asked = String::from_utf8_lossy(&asked).into_owned();
    let path = asked.split(' ').nth(1).unwrap_or_default();
    let page = format!("<!doctype html><html><body><a href=\"/{WHEEL}\">{WHEEL}</a></body></html>");
    let (kind, body) = if path.ends_with(".whl") { ("application/zip", wheel) } else { ("text/html", page.as_bytes()) };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let sent = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body[..body.len().min(most)]));
    if body.len() > most {
        // Until the other end goes.
        let gone = stream.read(&mut byte).map_or(true, |count| count == 0);
        broken.fetch_add(usize::from(sent.is_err() || gone), Ordering::SeqCst);
    }
}

fn folder(home: &Home) -> PathBuf {
    home.path().join("data/handeye/models")
}

fn models(home: &Home, words: &[&str]) -> Ran {
    run(command(home, words))
}

/// Runs a command that starts Python twice, which takes its time on a busy machine.
fn run(mut command: Command) -> Ran {
    finish_within(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap(), LIMIT)
}

fn command(home: &Home, words: &[&str]) -> Command {
    let mut command = home.command([&["models"], words].concat());
    command.env("XDG_DATA_HOME", home.path().join("data"));
    // Whatever this machine's pip is set to.
    command.env("PIP_CONFIG_FILE", "/dev/null").env("PIP_RETRIES", "0").env("PIP_NO_CACHE_DIR", "1");
    // It never gives up by itself.
    command.env("PIP_DEFAULT_TIMEOUT", "1000");
    for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env_remove(name);
    }
    command
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[track_caller]
fn refused(ran: Ran, says: &[&str]) {
    let ran = ran.exit(2);
    assert_eq!(ran.code(), "unavailable", "{ran:?}");
    let message = ran.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(says.iter().all(|part| message.contains(part)), "{message}");
}

/// Which files are ready, as JSON tells.
fn ready(ran: &Ran) -> Vec<bool> {
    let text = &ran.json()["text"];
    let files: Vec<bool> = text["files"].as_array().unwrap().iter().map(|file| file["ready"] == true).collect();
    assert_eq!(text["ready"] == true, files.iter().all(|ready| *ready), "{ran:?}");
    files
}

#[test]
fn the_text_models_are_installed_from_a_wheel_and_mended() {
    let home = Home::new();
    let file = home.work().join("some.whl");
    fs::write(&file, wheel(|_, _| {})).unwrap();
    assert_eq!(ready(&models(&home, &["list", "--json"]).exit(0)), [false; 3]);
    let told = models(&home, &["list"]).exit(0).out;
    assert!(told.contains("not installed in") && told.ends_with("  try: handeye models install\n"), "{told}");
    assert!(!folder(&home).exists(), "looking makes no folder");

    let ran = models(&home, &["install", "--from", "some.whl", "--json"]).exit(0);
    assert_eq!(ready(&ran), [true; 3]);
    assert_eq!(ran.json()["roles"], Value::Array(Vec::new()));
    for (name, _) in MEMBERS {
        assert!(ran.err.contains(&format!("installed: {name}\n")), "{}", ran.err);
    }
    let mut expected: Vec<&str> = MEMBERS.iter().map(|(name, _)| *name).collect();
    expected.sort_unstable();
    assert_eq!(names(&folder(&home)), expected);
    assert!(models(&home, &["list"]).exit(0).out.contains("text in pictures: installed in"));

    // One is damaged and one is missing: both are told of, and only they are taken anew.
    let damaged = folder(&home).join(MEMBERS[0].0);
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[5_000_000] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    fs::remove_file(folder(&home).join(MEMBERS[2].0)).unwrap();
    let ran = models(&home, &["list", "--json"]).exit(0);
    assert_eq!(ready(&ran), [false, true, false]);
    let fault = |at: usize| ran.json()["text"]["files"][at]["fault"].as_str().unwrap_or_default().to_owned();
    assert!(fault(0).contains("SHA-256") && fault(2).contains("missing"), "{ran:?}");
    fs::write(home.work().join("own.toml"), "[models]\nsource = \"some.whl\"\n").unwrap();
    let ran = models(&home, &["install", "--json", "--config", "own.toml"]).exit(0);
    assert_eq!(ready(&ran), [true; 3]);
    assert!(ran.err.contains(&format!("is there: {}\n", MEMBERS[1].0)), "{}", ran.err);
    // With all there, nothing is asked for: not even a wheel that isn't there.
    assert_eq!(ready(&models(&home, &["install", "--from", "none.whl", "--json"]).exit(0)), [true; 3]);
}

#[test]
fn what_is_not_the_right_wheel_is_refused_and_leaves_nothing() {
    let home = Home::new();
    let put = |name: &str, bytes: Vec<u8>| fs::write(home.work().join(name), bytes).unwrap();
    put("cut.whl", wheel(|name, bytes| bytes.truncate(if name.contains("det") { 1_000_000 } else { bytes.len() })));
    put("tampered.whl", wheel(|name, bytes| bytes[100] ^= u8::from(name.contains("det"))));
    let whole = wheel(|_, _| {});
    put("half.whl", whole[..whole.len() / 2].to_vec());
    for (name, says) in [
        ("cut.whl", "has 1000000 bytes, not 9929594"),
        ("tampered.whl", "has the SHA-256"),
        ("half.whl", "it is no wheel"),
        ("none.whl", "none.whl"),
    ] {
        refused(models(&home, &["install", "--from", name, "--json"]), &[says]);
        assert_eq!(names(&folder(&home)), [""; 0], "{name}");
    }
    // What was right before the fault is whole, and stays.
    put("later.whl", wheel(|name, bytes| bytes[100] ^= u8::from(name.contains("rec"))));
    refused(models(&home, &["install", "--from", "later.whl", "--json"]), &["rec_small.onnx has the SHA-256"]);
    assert_eq!(names(&folder(&home)), [MEMBERS[0].0]);
}

#[test]
fn pip_fetches_the_wheel_from_its_index_or_from_an_address() {
    let server = Server::new(wheel(|_, _| {}), usize::MAX);
    let home = Home::new();
    let mut install = command(&home, &["install", "--json"]);
    install.env("PIP_INDEX_URL", server.at("simple/"));
    let ran = run(install).exit(0);
    assert_eq!(ready(&ran), [true; 3]);
    assert!(ran.err.contains("fetching: "), "{}", ran.err);
    assert_eq!(names(&folder(&home)).len(), 3);
    // An address is fetched from by the test of what is interrupted, too.
    if is_full() {
        let home = Home::new();
        let ran = models(&home, &["install", "--from", &server.at(WHEEL), "--json"]).exit(0);
        assert_eq!(ready(&ran), [true; 3]);
        assert_eq!(names(&folder(&home)).len(), 3);
    }
}

#[test]
fn where_nothing_can_be_fetched_it_is_said_from_where() {
    let home = Home::new();
    // A port that nobody listens on.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut install = command(&home, &["install", "--json"]);
    install.env("PIP_INDEX_URL", format!("http://127.0.0.1:{closed}/simple/"));
    refused(run(install), &["pip couldn't fetch rapidocr==3.10.0", "rapidocr"]);
    if is_full() {
        let address = format!("http://127.0.0.1:{closed}/{WHEEL}");
        refused(models(&home, &["install", "--from", &address, "--json"]), &[&address]);
    }
    let mut install = command(&home, &["install", "--json"]);
    install.env("PATH", home.work());
    refused(run(install), &["Python 3 with pip is needed", "python3: not found"]);
    assert_eq!(names(&folder(&home)), [""; 0]);
}

#[test]
fn an_installation_that_is_interrupted_or_takes_too_long_leaves_nothing() {
    let server = Server::new(wheel(|_, _| {}), 3_000_000);
    let home = Home::new();
    let address = server.at(WHEEL);
    refused(models(&home, &["install", "--from", &address, "--timeout", "1", "--json"]), &["not done after 1 s"]);
    assert_eq!(names(&folder(&home)), [""; 0]);
    // It may have been ended before it connected.
    let server = Server::new(wheel(|_, _| {}), 3_000_000);

    let mut install = command(&home, &["install", "--from", &server.at(WHEEL), "--json"]);
    let child = install.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let fetched = || names(&folder(&home)).iter().any(|name| holds_bytes(&folder(&home).join(name), 1_000_000));
    assert!(eventually(LIMIT, fetched), "nothing is fetched");
    kill(i32::try_from(child.id()).unwrap(), "INT");
    refused(finish_within(child, LIMIT), &["it was stopped"]);
    assert_eq!(names(&folder(&home)), [""; 0]);
    assert!(eventually(LIMIT, || server.broken.load(Ordering::SeqCst) == 1), "pip goes on");
}

/// Whether the files in a folder have so many bytes together.
fn holds_bytes(folder: &Path, least: u64) -> bool {
    fn size(folder: &Path) -> u64 {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .map(|e| if e.path().is_dir() { size(&e.path()) } else { e.metadata().map_or(0, |facts| facts.len()) })
            .sum()
    }
    size(folder) >= least
}
