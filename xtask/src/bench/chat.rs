//! `cargo xtask bench chat`: many streams of `handeye serve` at once, each with a call that a person approves.

mod client;
mod model;

use crate::{
    cleanup, procs,
    run::{self, Fail, Outcome},
};
use client::{Came, Client};
use model::{Model, STACK};
use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

const HELP: &str = "\
Measure the chat backend under many paced streams at once, each with a tool call that is approved.

Usage: cargo xtask bench chat [--streams N] [--pace MS] [--pieces N] [--ramp S] [--database URL] [--binary PATH] [--check]

Each client says something; the model, which is the bench's own, answers in pieces that hold the moment when they were
sent, and calls a tool; the client approves it after a while, and the model answers in pieces again. It prints how long
events took from the model through the server to the client, and the memory of the server for each stream (Linux only).

Options:
  --streams N     clients at once (default 2000)
  --pace MS       time between two pieces of an answer (default 500)
  --pieces N      pieces of an answer (default 40)
  --ramp S        seconds in which the clients begin one after the other (default 15)
  --database URL  keep conversations there, as `handeye serve --database` takes it (default: a SQLite file)
  --binary PATH   measure this handeye instead of building one
  --check         exit with 1 where a stream takes more than 50 KB, or one of them failed
";

/// Most memory that a stream may take, in bytes.
const MOST: f64 = 50_000.0;

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 2000, value_parser = run::parse_count)]
    streams: usize,
    #[arg(long, default_value_t = 500, value_parser = run::parse_count)]
    pace: usize,
    #[arg(long, default_value_t = 40, value_parser = run::parse_count)]
    pieces: usize,
    #[arg(long, default_value_t = 15, value_parser = run::parse_count)]
    ramp: usize,
    #[arg(long)]
    database: Option<String>,
    #[arg(long)]
    binary: Option<PathBuf>,
    #[arg(long)]
    check: bool,
}

pub(super) fn main(options: Options) -> Outcome {
    if !cfg!(target_os = "linux") {
        return Err(Fail::usage("bench chat reads /proc: it runs on Linux only"));
    }
    let binary = options.binary.clone().map_or_else(|| run::build_handeye(true), Ok)?;
    let start = Instant::now();
    let model = Model::start(start, options.pieces, Duration::from_millis(options.pace as u64))?;
    let server = Server::start(&binary, &model, options.database.as_deref())?;
    let tools = std::fs::read_to_string(run::root().join("fixtures/chat/browser_tools.json"))?;
    let tools: Arc<serde_json::Value> = Arc::new(serde_json::from_str(&tools).map_err(|e| Fail::new(e.to_string()))?);
    let idle = procs::held_mib(server.pid).unwrap_or_default();
    let clients: Vec<_> = (0..options.streams)
        .map(|number| {
            let client = Client { address: server.address.clone(), number, tools: tools.clone(), start };
            let wait = Duration::from_secs_f64(options.ramp as f64 * number as f64 / options.streams as f64);
            let body = move || {
                thread::sleep(wait);
                client.talk()
            };
            thread::Builder::new().stack_size(STACK).spawn(body)
        })
        .collect::<Result<_, _>>()?;
    let mut peak = idle;
    while clients.iter().any(|client| !client.is_finished()) {
        peak = procs::held_mib(server.pid).unwrap_or_default().max(peak);
        thread::sleep(Duration::from_millis(200));
    }
    let mut all = Came::default();
    for client in clients {
        all.add(client.join().unwrap_or_else(|_| Came::failed("a client of the bench panicked")));
    }
    told(&all, &options, &model, (peak - idle) * 1024.0 * 1024.0 / options.streams as f64, idle)
}

/// Prints the figures.
fn told(all: &Came, options: &Options, model: &Model, memory: f64, idle: f64) -> Outcome {
    let mut delays = all.delays.clone();
    delays.sort_by(f64::total_cmp);
    let at =
        |part: f64| delays.get(((delays.len() as f64 - 1.0) * part).max(0.0) as usize).copied().unwrap_or(f64::NAN);
    println!(
        "{} streams at once, {} pieces each, one in {} ms; {} approved, {} carried out, {} failed",
        options.streams,
        2 * options.pieces,
        options.pace,
        all.approved,
        model.searched(),
        all.failures.len()
    );
    println!("events: {}", delays.len());
    println!("event delay, ms: median {:.1}, p99 {:.1}, most {:.1}", at(0.5), at(0.99), at(1.0));
    println!(
        "memory of the server: {idle:.0} MiB idle, {:.1} KB a stream (at most {:.0})",
        memory / 1000.0,
        MOST / 1000.0
    );
    for why in all.failures.iter().take(5) {
        println!("failed: {why}");
    }
    let is_whole = all.failures.is_empty() && all.approved == options.streams && model.searched() == options.streams;
    if options.check && (!is_whole || memory > MOST) {
        return Err(Fail::new("over the limit, or not all of it came"));
    }
    Ok(())
}

/// `handeye serve` in a home of its own; ended when dropped.
struct Server {
    address: Arc<str>,
    pid: u32,
    _end: (cleanup::Later, cleanup::Later),
}

impl Server {
    fn start(binary: &PathBuf, model: &Model, database: Option<&str>) -> Outcome<Self> {
        let (home, folder) = run::scratch("chat")?;
        let folder_of_settings = home.join(".config/handeye");
        std::fs::create_dir_all(&folder_of_settings)?;
        let text = format!(
            "[chat]\nrequests_per_minute = 1000000\n[chat.search]\nurl = \"http://{0}/search\"\n[[chat.models]]\nname = \"claude-3-opus\"\nurl = \"http://{0}/v1\"\n",
            model.address
        );
        std::fs::write(folder_of_settings.join("handeye.toml"), text)?;
        let mut command = Command::new(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--trust-user-id"]);
        if let Some(url) = database {
            command.args(["--database", url]);
        }
        command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join(".config")).env("XDG_DATA_HOME", &home);
        let mut child = command.current_dir(&home).stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let pid = child.id();
        let out = child.stdout.take();
        let end = cleanup::later(move || {
            // Already ended is as good.
            let _ = child.kill();
            let _ = child.wait();
        });
        let mut line = String::new();
        if let Some(out) = out {
            BufReader::new(out).read_line(&mut line)?;
        }
        let address = line.trim().strip_prefix("http://").ok_or_else(|| Fail::new("handeye serve doesn't start"))?;
        Ok(Self { address: address.into(), pid, _end: (end, folder) })
    }
}
