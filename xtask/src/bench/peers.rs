//! `cargo xtask bench peers`: handeye beside today's tools, in the same browser and the same run.

use super::figures::median;
use super::mcp::Mcp;
use crate::{
    cdp::{Browser, Page},
    cleanup, install,
    run::{self, Fail, Outcome},
    site::Site,
};
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

const HELP: &str = "\
Measure handeye beside agent-browser, playwright-mcp and chrome-devtools-mcp, which npm installs into the target folder. They
need Node.js 20 or newer.

Usage: cargo xtask bench peers [--rounds N] [--rows N] [--binary PATH]

All are attached to one browser, one after the other in each round, on a page of table rows that each have a link, a button
and a checkbox. It prints one table:
  state     from asking for a snapshot of the freshly loaded page until it is there, in ms on the wall, and its characters
  click     from asking for a click on a button that it named until the answer, in ms
  relabel   of as many buttons as there were rounds that the page relabelled to \"Delete\" between snapshot and click: how
            many were clicked all the same
  dead      of as many clicks on a button without any effect: how many were told as done, with no word of doubt
A command line's time holds its process start; an MCP server runs all the time. Medians.

Options:
  --rounds N     how often (default 5)
  --rows N       rows of the table (default 300)
  --binary PATH  measure this handeye instead of building one
";

/// The peers, in exactly these versions.
const PEERS: [(&str, &str); 3] =
    [("agent-browser", "0.41.2"), ("@playwright/mcp", "0.0.83"), ("chrome-devtools-mcp", "1.11.0")];
/// Longest that one call may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What the table tells of one tool.
#[derive(Default)]
struct Figures {
    state: Vec<f64>,
    size: usize,
    click: Vec<f64>,
    relabelled: usize,
    dead: usize,
}

/// A tool that is attached to the browser.
trait Tool {
    fn name(&self) -> &str;
    /// The page as the tool tells it.
    fn state(&mut self) -> Outcome<String>;
    /// Clicks the button that the state calls so; what the tool says. An error of the tool is an answer, too.
    fn click(&mut self, state: &str, name: &str) -> Outcome<Answer>;
}

/// What a tool says of a click.
struct Answer {
    done: bool,
}

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 5, value_parser = run::parse_count)]
    rounds: usize,
    #[arg(long, default_value_t = 300, value_parser = run::parse_count)]
    rows: usize,
    #[arg(long)]
    binary: Option<PathBuf>,
}

pub(super) fn main(options: Options) -> Outcome {
    let Options { rounds, rows, binary } = options;
    let rows = rows.max(3);
    let binary = binary.map_or_else(|| run::build_handeye(true), Ok)?;
    let peers = installed()?;
    let (folder, _folder) = run::scratch("peers")?;
    std::fs::write(folder.join("index.html"), page(rows))?;
    let site = Site::serve(&folder)?;
    let url = format!("http://127.0.0.1:{}/index.html", site.port());
    let browser = Browser::launch()?;
    let mut eye = browser.page()?;
    eye.load(&url)?;
    let mut tools: Vec<Box<dyn Tool>> = vec![
        Box::new(CommandLine::handeye(&binary, &url, browser.port)?),
        Box::new(CommandLine::agent_browser(&peers, browser.port)?),
        Box::new(Server::playwright(&peers, browser.port)?),
        Box::new(Server::devtools(&peers, browser.port)?),
    ];
    let mut figures: Vec<Figures> = tools.iter().map(|_| Figures::default()).collect();
    for round in 0..rounds {
        for turn in 0..tools.len() {
            let at = (turn + round) % tools.len();
            eprint!("\rround {} of {rounds}: {:<24}", round + 1, tools[at].name());
            measure(tools[at].as_mut(), &mut figures[at], &mut eye, &url)?;
        }
    }
    eprintln!("\r{:60}\r", "");
    println!("{rows} rows, {} elements, {rounds} rounds, one browser", 3 * rows + 2);
    println!("{:<30}{:>10}{:>12}{:>10}{:>10}{:>8}", "", "state, ms", "characters", "click, ms", "relabel", "dead");
    for (tool, figures) in tools.iter().zip(&figures) {
        println!(
            "{:<30}{:>10.0}{:>12}{:>10.0}{:>10}{:>8}",
            tool.name(),
            median(&figures.state),
            figures.size,
            median(&figures.click),
            format!("{}/{rounds}", figures.relabelled),
            format!("{}/{rounds}", figures.dead)
        );
    }
    Ok(())
}

/// One round of one tool.
fn measure(tool: &mut dyn Tool, figures: &mut Figures, eye: &mut Page, url: &str) -> Outcome {
    eye.load(url)?;
    let begun = Instant::now();
    let state = tool.state()?;
    figures.state.push(begun.elapsed().as_secs_f64() * 1000.0);
    figures.size = state.chars().count();

    let begun = Instant::now();
    tool.click(&state, "Buy item 2")?;
    figures.click.push(begun.elapsed().as_secs_f64() * 1000.0);
    let log = log(eye)?;
    if log != "Buy item 2" {
        return Err(Fail::new(format!("{} was to click Buy item 2; the page says `{log}`", tool.name())));
    }
    figures.dead += usize::from(tool.click(&state, "Dead")?.done);
    // What the tool was shown as "Buy item 3" says something else as it clicks.
    eye.evaluate("document.querySelectorAll('button')[2].textContent = 'Delete'; log.textContent = ''")?;
    tool.click(&state, "Buy item 3")?;
    figures.relabelled += usize::from(self::log(eye)? == "Delete");
    Ok(())
}

/// What the page says was clicked.
fn log(eye: &mut Page) -> Outcome<String> {
    Ok(eye.evaluate("log.textContent")?.0.as_str().unwrap_or_default().to_owned())
}

/// Rows of a link, a button that is noted as it is clicked, and a checkbox; and a button that does nothing.
fn page(rows: usize) -> String {
    let mut page = super::page::table(rows);
    page = page.replace(
        "</html>",
        "<button id=dead>Dead</button><p id=log></p><script>\
         for (const button of document.querySelectorAll('td button')) button.onclick = () => { log.textContent = button.textContent }\
         </script></html>",
    );
    page
}

/// The peers' folder of modules, filled by npm once.
fn installed() -> Outcome<PathBuf> {
    install::recent_node("chrome-devtools-mcp")?;
    let folder = run::target_dir()?.join("tools").join("peers");
    let is_there = |(name, version): &(&str, &str)| {
        let manifest = folder.join("node_modules").join(name).join("package.json");
        std::fs::read_to_string(manifest).is_ok_and(|text| text.contains(&format!("\"version\": \"{version}\"")))
    };
    if !PEERS.iter().all(is_there) {
        println!("installing agent-browser, playwright-mcp and chrome-devtools-mcp by npm once");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
        let npm = install::npm().ok_or_else(|| Fail::usage("npm is missing: apt-get install npm"))?;
        let mut command = Command::new(npm);
        command.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
        command.args(PEERS.map(|(name, version)| format!("{name}@{version}"))).current_dir(&folder);
        run::checked(&mut command)?;
    }
    Ok(folder.join("node_modules"))
}

/// A tool that is called by a process each time.
struct CommandLine {
    name: String,
    binary: PathBuf,
    /// Words before each command.
    before: Vec<String>,
    state: Vec<String>,
    /// What a number is written with.
    mark: &'static str,
    _close: cleanup::Later,
}

impl CommandLine {
    fn handeye(binary: &Path, url: &str, port: u16) -> Outcome<Self> {
        let session = format!("peers-{}", std::process::id());
        let before = vec!["--session".to_owned(), session];
        let tool = Self::new("handeye", binary, before, &["state"], "");
        tool.ran(&["open", url, "--cdp", &format!("http://127.0.0.1:{port}")])?;
        Ok(tool)
    }

    fn agent_browser(modules: &Path, port: u16) -> Outcome<Self> {
        let binary = modules.join(".bin").join("agent-browser");
        let session = format!("peers-{}", std::process::id());
        let before = vec!["--session".to_owned(), session, "--cdp".to_owned(), port.to_string()];
        Ok(Self::new(&format!("agent-browser {}", PEERS[0].1), &binary, before, &["snapshot", "-i"], "@"))
    }

    fn new(name: &str, binary: &Path, before: Vec<String>, state: &[&str], mark: &'static str) -> Self {
        let mut close = Command::new(binary);
        close.args(&before).arg("close");
        let close = cleanup::later(move || {
            // Without a session there is nothing to close.
            let _ = run::limited(&mut close, Duration::from_secs(20));
        });
        let state = state.iter().map(ToString::to_string).collect();
        Self { name: name.to_owned(), binary: binary.to_owned(), before, state, mark, _close: close }
    }

    fn run(&self, words: &[&str]) -> Outcome<run::Ran> {
        run::limited(Command::new(&self.binary).args(&self.before).args(words), LIMIT)
    }

    fn ran(&self, words: &[&str]) -> Outcome<String> {
        let ran = self.run(words)?;
        match ran.code {
            Some(0) => Ok(ran.stdout),
            _ => Err(Fail::new(format!("{} {} failed: {}{}", self.name, words.join(" "), ran.stdout, ran.stderr))),
        }
    }
}

impl Tool for CommandLine {
    fn name(&self) -> &str {
        &self.name
    }

    fn state(&mut self) -> Outcome<String> {
        self.ran(&self.state.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn click(&mut self, state: &str, name: &str) -> Outcome<Answer> {
        let number = number(state, name, &self.name)?;
        let ran = self.run(&["click", &format!("{}{number}", self.mark)])?;
        Ok(Answer { done: ran.code == Some(0) })
    }
}

/// A tool that is a server of the Model Context Protocol.
struct Server {
    name: String,
    mcp: Mcp,
    snapshot: &'static str,
    click: &'static str,
    /// What a click calls its target.
    target: &'static str,
    /// The page that every call must name, where it must.
    page: Option<u64>,
}

impl Server {
    fn playwright(modules: &Path, port: u16) -> Outcome<Self> {
        let mut command = Command::new("node");
        command.arg(modules.join("@playwright/mcp/cli.js"));
        command.arg(format!("--cdp-endpoint=http://127.0.0.1:{port}"));
        let name = format!("playwright-mcp {}", PEERS[1].1);
        // It keeps what it notes of pages in the folder that it runs in.
        let mcp = Mcp::start(command.current_dir(modules))?;
        let mut server =
            Self { name, mcp, snapshot: "browser_snapshot", click: "browser_click", target: "ref", page: None };
        server.target = if server.mcp.takes("browser_click", "ref")? { "ref" } else { "target" };
        Ok(server)
    }

    fn devtools(modules: &Path, port: u16) -> Outcome<Self> {
        let mut command = Command::new(modules.join(".bin").join("chrome-devtools-mcp"));
        command.args(["--browserUrl", &format!("http://127.0.0.1:{port}"), "--no-usage-statistics"]);
        let name = format!("chrome-devtools-mcp {}", PEERS[2].1);
        let mut mcp = Mcp::start(command.current_dir(modules))?;
        let page = match mcp.takes("take_snapshot", "pageId")? {
            true => first_page(&mcp.call("list_pages", json!({}))?.0),
            false => None,
        };
        Ok(Self { name, mcp, snapshot: "take_snapshot", click: "click", target: "uid", page })
    }
}

impl Tool for Server {
    fn name(&self) -> &str {
        &self.name
    }

    fn state(&mut self) -> Outcome<String> {
        let arguments = self.page.map_or_else(|| json!({}), |page| json!({ "pageId": page }));
        let (text, failed) = self.mcp.call(self.snapshot, arguments)?;
        if failed { Err(Fail::new(format!("{}: {text}", self.name))) } else { Ok(text) }
    }

    fn click(&mut self, state: &str, name: &str) -> Outcome<Answer> {
        let number = number(state, name, &self.name)?;
        let mut arguments = json!({ self.target: number });
        if self.click == "browser_click" {
            arguments["element"] = json!(name);
        }
        if let Some(page) = self.page {
            arguments["pageId"] = json!(page);
        }
        let (_, failed) = self.mcp.call(self.click, arguments)?;
        Ok(Answer { done: !failed })
    }
}

/// The number of the page of ours in a list: `1: http://127.0.0.1:…`.
fn first_page(list: &str) -> Option<u64> {
    let ours = list.lines().find(|line| line.contains("http://127.0.0.1"))?;
    ours.split_once(':')?.0.trim().parse().ok()
}

/// The number that a snapshot gives the button of this name: `[5] button "…"`, `[ref=e5]`, `uid=1_5`.
fn number(state: &str, name: &str, tool: &str) -> Outcome<String> {
    let quoted = format!("\"{name}\"");
    let line = state.lines().find(|line| line.contains("button") && line.contains(&quoted));
    let found = line.and_then(|line| {
        let after = |mark: &str| line.split_once(mark).map(|(_, rest)| rest);
        let rest = after("ref=").or_else(|| after("uid=")).or_else(|| after("["))?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        Some(rest[..end].to_owned())
    });
    found.ok_or_else(|| Fail::new(format!("{tool} names no button {quoted}")))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_button_is_found_in_every_tools_words() {
        for (state, wanted) in [
            ("[4] button \"Buy\"\n[5] button \"Buy item 3\"", "5"),
            ("- button \"Buy item 3\" [ref=e12]", "e12"),
            ("  uid=1_7 button \"Buy item 3\"", "1_7"),
        ] {
            assert_eq!(number(state, "Buy item 3", "it").ok().as_deref(), Some(wanted));
        }
        assert!(number("[5] link \"Buy item 3\"", "Buy item 3", "it").is_err());
    }
}
