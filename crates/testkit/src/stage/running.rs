//! A browser that ran before handeye came.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A browser of the test's own; it ends with the test.
pub struct Running {
    child: Child,
    folder: TempDir,
}

impl Running {
    /// With this page open.
    pub fn start(url: &str) -> Self {
        Self::with(url, &[])
    }

    /// With this page open and these arguments more.
    pub fn with(url: &str, more: &[&str]) -> Self {
        let folder = tempfile::Builder::new().prefix("he-running").tempdir().unwrap();
        let browser = handeye_browser::find(None).unwrap();
        let mut command = Command::new(browser);
        command.args(["--headless=new", "--remote-debugging-port=0", "--no-first-run", "--site-per-process"]);
        command.args(more);
        command.arg(format!("--user-data-dir={}", folder.path().display()));
        if nix::unistd::geteuid().is_root() {
            command.arg("--no-sandbox");
        }
        let child = command.arg(url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Self { child, folder }
    }

    /// Whether it still runs.
    pub fn is_there(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Where it is reached.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.told().0)
    }

    /// The same as the address of its socket.
    pub fn socket(&self) -> String {
        let (port, path) = self.told();
        format!("ws://127.0.0.1:{port}{path}")
    }

    /// The port and the path that it says it listens at.
    fn told(&self) -> (String, String) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let note = std::fs::read_to_string(self.folder.path().join("DevToolsActivePort")).unwrap_or_default();
            if let Some((port, path)) = note.split_once('\n') {
                return (port.to_owned(), path.trim_end().to_owned());
            }
            assert!(Instant::now() < deadline, "the browser doesn't come");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Addresses of its pages; an error when it is gone.
    pub fn pages(&self) -> std::io::Result<Vec<String>> {
        let endpoint = self.endpoint();
        let authority = endpoint.trim_start_matches("http://");
        let mut stream = TcpStream::connect(authority)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let request = format!("GET /json/list HTTP/1.1\r\nHost: {authority}\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            match line.split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().unwrap();
                }
                None if line.trim().is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let list: Vec<serde_json::Value> = serde_json::from_slice(&body).unwrap();
        let pages = list.iter().filter(|t| t["type"] == "page");
        Ok(pages.map(|t| t["url"].as_str().unwrap_or_default().to_owned()).collect())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
