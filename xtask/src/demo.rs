//! `cargo xtask demo`: a whole job in a real browser, with every command line and its real output, and every outcome
//! checked.

use crate::{
    cleanup, install,
    install::Need,
    picture, procs,
    run::{self, Fail, Outcome, Ran},
    site::Site,
};
use std::{
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

pub(crate) const HELP: &str = "\
Install what is missing, build handeye, and do a whole job in a real browser with visible output.

Usage: cargo xtask demo [URL] [--release]

Without URL it serves a bundled order page, with a payment page of another site in an iframe and widgets in shadow
roots, fills it in, goes to the next page, is refused where the page relabelled the button in between, and checks
every outcome. All of it is traced: the trace is verified, replayed, opened in the browser, and found out when a byte of it is changed. With URL it opens that page, prints its state and takes a screenshot.
Screenshots are kept in .demo/. Nothing is left running.

Options:
  --release   build with optimizations (takes longer)

Exit status: 0 everything came out as it should, 1 something differs, 2 something is missing.
";

/// Longest that one command may take, starting the browser included.
const LIMIT: Duration = Duration::from_secs(90);

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    url: Option<String>,
    #[arg(long)]
    release: bool,
}

pub(crate) fn main(options: Options) -> Outcome {
    let Options { url, release } = options;
    println!("# what the demo needs");
    install::ensure(&[Need::Browser, Need::LatinFont, Need::ChineseFont])?;
    let binary = run::build_handeye(release)?;
    let pictures = run::root().join(".demo");
    std::fs::create_dir_all(&pictures)?;

    let shell = Shell::new(binary);
    let session = shell.guard();
    let outcome = match url {
        Some(url) => look(&shell, &url, &pictures),
        None => order(&shell, &pictures),
    };
    let outcome = outcome.and_then(|()| shell.left_behind());
    // After a failure the session is still open: its guard closes it.
    drop(session);
    outcome?;
    println!("\ndemo: everything came out as it should; nothing was left running; screenshots are in .demo/");
    Ok(())
}

/// Opens a page of the person's choice and shows what handeye sees.
fn look(shell: &Shell, url: &str, pictures: &Path) -> Outcome {
    say("Open the page, read it, and take a picture of it");
    shell.run(&["open", url])?.is(0)?;
    shell.run(&["state"])?.is(0)?;
    shell.picture(&pictures.join("page.png"), &[])?;
    shell.run(&["close"])?.is(0)
}

/// The whole job on the bundled pages.
fn order(shell: &Shell, pictures: &Path) -> Outcome {
    let fixtures = run::root().join("fixtures");
    let (site, pay) = (Site::serve(&fixtures)?, Site::serve(&fixtures)?);
    let url = format!("http://127.0.0.1:{}/order/index.html?live&pay={}", site.port(), pay.port());
    let trace = pictures.join("trace");
    // One of an earlier run would be in the way.
    let _ = std::fs::remove_dir_all(&trace);
    let trace = trace.to_string_lossy().into_owned();

    say("Open the page and read it as a numbered list");
    shell.run(&["open", &url, "--trace", &trace])?.is(0)?;
    let state = shell.run(&["state"])?;
    state.is(0)?;
    let name = state.number("textbox", "Name")?;
    let fruit = state.number("combobox", "Fruit")?;
    let next = state.number("button", "下一页")?;
    let card = state.number("textbox", "Card number")?;
    let check = state.number("button", "Check card 检查")?;
    let more = state.number("button", "More 增加")?;
    let wrap = state.number("button", "Wrap it 包装")?;

    say("Fill it in: plain fields, an open and a closed shadow root, a page of another site");
    shell.confirmed(&["input", &name, "Ann Lee 李安"])?;
    shell.confirmed(&["select", &fruit, "Pear"])?;
    shell.confirmed(&["click", &more])?;
    shell.confirmed(&["click", &wrap])?;
    shell.confirmed(&["input", &card, "4242 4242 4242 4242"])?;
    shell.confirmed(&["click", &check, "--expect", "检查"])?;

    say("Ask for values and texts");
    shell.run(&["get", "value", &name])?.says("Ann Lee 李安")?;
    shell.run(&["get", "value", &fruit])?.says("Pear")?;
    shell.run(&["get", "text", "--css", "#log"])?.says("wrap on")?;
    shell.run(&["find", "--role", "button", "--name", "下一页"])?.says(&format!("[{next}]"))?;

    say("Take pictures: what is in view, one element, the whole page");
    let (width, height) = shell.picture(&pictures.join("page.png"), &[])?;
    let element = shell.picture(&pictures.join("element.png"), &[&next])?;
    let full = shell.picture(&pictures.join("full.png"), &["--full"])?;
    if element.0 >= width || element.1 >= height {
        return Err(Fail::new(format!("the picture of one button is {element:?}, as large as the view")));
    }
    if full.0 < width || full.1 < height {
        return Err(Fail::new(format!("the picture of the whole page is {full:?}, smaller than the view")));
    }

    say("Click 下一页, which leads to another page: confirmed");
    shell.confirmed(&["click", &next, "--expect", "下一页"])?.says("page.html")?;
    let state = shell.run(&["state"])?;
    state.is(0)?;
    let next_there = state.number("button", "下一页")?;

    say("The number of the page before is refused, not guessed at");
    shell.run(&["click", &next])?.is(2)?;

    say("Now the page gives that very button another label, between our look and our click");
    if site.tell("relabel", r#"{"from": "下一页", "to": "删除订单 Delete order"}"#) == 0 {
        return Err(Fail::new("no page listens for its new label"));
    }
    println!("(the page relabels [{next_there}] 下一页 to 删除订单 Delete order)");
    wait_for(|| Ok(shell.quiet(&["get", "text", &next_there])?.stdout.contains("删除订单")))?;
    let refused = shell.run(&["click", &next_there, "--expect", "下一页"])?;
    refused.is(1)?;
    refused.has("删除订单")?;

    say("The same click with nothing stated is refused too: the agent was last shown 下一页");
    let refused = shell.run(&["click", &next_there])?;
    refused.is(1)?;
    refused.has("删除订单")?;

    say("The page itself saw no click on it");
    let log = shell.run(&["get", "text", "--css", "#log"])?;
    log.is(0)?;
    if log.ran.stdout.contains("click") {
        return Err(Fail::new("the page saw a click that should have been withheld"));
    }

    say("Close: the browser and the daemon end");
    shell.run(&["close"])?.is(0)?;
    traced(shell, Path::new(&trace))
}

/// What the trace of the job proves, and shows.
fn traced(shell: &Shell, folder: &Path) -> Outcome {
    let (trace, page) = (folder.to_string_lossy(), folder.join("trace.html"));
    say("The trace of all that is intact, and comes to the same verdicts again, without a page");
    shell.run(&["trace", "verify", &trace])?.says("intact")?;
    shell.run(&["trace", "replay", &trace])?.says("calls alike")?;

    say("It is one page, which the browser shows from a file");
    shell.run(&["trace", "show", &trace])?.says("saved")?;
    shell.run(&["open", &format!("file://{}", page.display())])?.is(0)?;
    shell.run(&["verify", "text", "every byte is as it was written"])?.is(0)?;
    shell.run(&["verify", "text", "--css", "#timeline", "下一页"])?.is(0)?;
    shell.run(&["errors"])?.says("no new errors")?;
    shell.run(&["close"])?.is(0)?;

    say("One byte of it is changed, and the line is named");
    let lines = folder.join("trace.jsonl");
    let mut bytes = std::fs::read(&lines)?;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&lines, bytes)?;
    let edited = shell.run(&["trace", "verify", &trace])?;
    edited.is(1)?;
    edited.has("edited")
}

fn say(what: &str) {
    println!("\n# {what}");
}

fn wait_for(mut done: impl FnMut() -> Outcome<bool>) -> Outcome {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(10) {
        if done()? {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(Fail::new("the page did not change within 10 s"))
}

/// Runs command lines of handeye in a session of their own, and can tell what they left running.
struct Shell {
    binary: PathBuf,
    session: String,
    mark: String,
}

impl Shell {
    fn new(binary: PathBuf) -> Self {
        let id = std::process::id();
        Self { binary, session: format!("demo-{id}"), mark: format!("HANDEYE_DEMO_MARK={id}") }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(["--session", &self.session]).args(words);
        // Whatever the command starts inherits it; that is how we find what is left.
        if let Some((name, value)) = self.mark.split_once('=') {
            command.env(name, value);
        }
        command
    }

    /// Closes the session when dropped or interrupted, if it is still open.
    fn guard(&self) -> cleanup::Later {
        let mut close = self.command(&["close"]);
        let mark = self.mark.clone();
        cleanup::later(move || {
            if !procs::marked(&mark).is_empty() {
                // Closing may be what is broken: then the processes are ended below.
                let _ = run::limited(&mut close, Duration::from_secs(20));
            }
            procs::end_all(&mark);
        })
    }

    /// Runs without a word.
    fn quiet(&self, words: &[&str]) -> Outcome<Ran> {
        run::limited(&mut self.command(words), LIMIT)
    }

    /// Runs, and shows the command line and what it printed.
    fn run(&self, words: &[&str]) -> Outcome<Shown> {
        let mut line = Command::new("handeye");
        line.args(words);
        let line = run::shown(&line);
        println!("$ {line}");
        let ran = self.quiet(words)?;
        print!("{}", ran.stdout);
        for text in ran.stderr.lines() {
            println!("(stderr) {text}");
        }
        if ran.code != Some(0) {
            println!("(exit status {})", ran.code.map_or("unknown".into(), |code| code.to_string()));
        }
        Ok(Shown { line, ran })
    }

    fn confirmed(&self, words: &[&str]) -> Outcome<Shown> {
        let shown = self.run(words)?;
        shown.is(0)?;
        shown.has("confirmed")?;
        Ok(shown)
    }

    /// Takes a screenshot and says how large it is.
    fn picture(&self, path: &Path, more: &[&str]) -> Outcome<(u32, u32)> {
        // One of an earlier run proves nothing.
        let _ = std::fs::remove_file(path);
        let relative = path.strip_prefix(run::root()).unwrap_or(path).to_string_lossy().into_owned();
        let words = [&["screenshot", relative.as_str()], more].concat();
        self.run(&words)?.is(0)?;
        let (width, height) = picture::size(path)?;
        println!("({relative}: {width} x {height} pixels)");
        Ok((width, height))
    }

    /// Fails when a process that we started, or that one of them started, still runs.
    fn left_behind(&self) -> Outcome {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(5) {
            if procs::marked(&self.mark).is_empty() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        let names: Vec<String> = procs::marked(&self.mark)
            .iter()
            .map(|pid| format!("{pid} {}", procs::program(*pid).unwrap_or_default().display()))
            .collect();
        procs::end_all(&self.mark);
        Err(Fail::new(format!("left running, and ended now: {}", names.join(", "))))
    }
}

/// A command line that was run and shown.
struct Shown {
    line: String,
    ran: Ran,
}

impl Shown {
    /// Fails unless it ended with this exit status.
    fn is(&self, code: i32) -> Outcome {
        if self.ran.code == Some(code) {
            return Ok(());
        }
        Err(Fail::new(format!("`{}` should end with exit status {code}, not {:?}", self.line, self.ran.code)))
    }

    /// Fails unless it printed this somewhere.
    fn has(&self, text: &str) -> Outcome {
        if self.ran.stdout.contains(text) || self.ran.stderr.contains(text) {
            return Ok(());
        }
        Err(Fail::new(format!("`{}` should say `{text}`", self.line)))
    }

    /// Both: it ended well and printed this.
    fn says(&self, text: &str) -> Outcome {
        self.is(0)?;
        self.has(text)
    }

    /// The number of a target in the state that it printed.
    fn number(&self, role: &str, name: &str) -> Outcome<String> {
        number(&self.ran.stdout, role, name)
            .ok_or_else(|| Fail::new(format!("`{}` lists no {role} \"{name}\"", self.line)))
    }
}

/// The number in a line such as `  [5] textbox "Card number" required`.
fn number(state: &str, role: &str, name: &str) -> Option<String> {
    state.lines().find_map(|line| {
        let (number, rest) = line.trim_start().strip_prefix('[')?.split_once(']')?;
        let rest = rest.trim_start().strip_prefix(role)?.strip_prefix(" \"")?;
        let (found, _) = rest.split_once('"')?;
        (found == name).then(|| number.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_read_off_a_state() {
        let state = "page \"Order\" http://x/  3 targets\n[1] textbox \"Name\" required\n[2] iframe \"Pay\" http://y/\n  [15] textbox \"Card number\"\ntext \"Name\"\n";
        assert_eq!(number(state, "textbox", "Name").as_deref(), Some("1"));
        assert_eq!(number(state, "textbox", "Card number").as_deref(), Some("15"));
        assert_eq!(number(state, "textbox", "Card"), None);
        assert_eq!(number(state, "text", "Name"), None);
    }
}
