//! `handeye mcp` over pipes, called by the official clients of the Model Context Protocol: those of npm and of PyPI. What they do stands
//! in `clients/`, in their own languages; `cargo xtask test --only install` installs them.

use crate::mcp::PAGE;
use handeye_testkit::home::{self, Home};
use handeye_testkit::is_full;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which client, and by which handshake.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Client {
    Npm,
    PyPi,
    /// By the newest version that both know, in which servers make no requests.
    PyPiNewest,
}

/// A file of the folder of tools, which lies beside the folder of the program.
pub(crate) fn tool(name: &str) -> PathBuf {
    let program = home::program();
    let path = program.ancestors().nth(2).unwrap().join("tools").join(name);
    assert!(path.exists(), "{} is missing: cargo xtask test --only install", path.display());
    path
}

pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/clients").join(name)
}

/// Has a client do its steps with a server; `policy`: what its home says of who is asked.
pub(crate) fn steps(home: &Home, client: Client, policy: &str, target: &[&str], token: &str) {
    let mode = if matches!(client, Client::PyPiNewest) { "auto" } else { "legacy" };
    let mut command = match client {
        Client::Npm => {
            let mut command = Command::new("node");
            command.arg(script("client.mjs")).env("HANDEYE_TEST_MODULES", tool("mcp-npm"));
            command
        }
        Client::PyPi | Client::PyPiNewest => {
            let mut command = Command::new(tool("mcp-pypi/bin/python"));
            command.arg("-B").arg(script("client.py"));
            command
        }
    };
    // The server inherits what the client is run in.
    for (name, value) in home.command::<&str>([]).get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("HANDEYE_TEST_TOKEN", token);
    let ran = command.args([PAGE, mode, policy]).args(target).current_dir(home.work()).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    eprint!("{client:?}: {out}");
    assert!(ran.status.success() && out.ends_with("ok\n"), "{client:?}: {}\n{out}{err}", ran.status);
}

/// What a policy asks a person about: all that acts, or what is pressed by its wording.
pub(crate) const ASKED: [&str; 2] = ["acts", "acts:button:Add*"];

/// A home whose policy asks about this, if about anything.
pub(crate) fn home_that(asks: Option<&str>) -> Home {
    let home = Home::new();
    if let Some(rule) = asks {
        let own = home.path().join(".config/handeye");
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join("handeye.toml"), format!("[policy]\nask = [\"{rule}\"]\n")).unwrap();
    }
    home
}

fn over_pipes(client: Client, asks: Option<&str>) {
    started(client, asks, &["mcp".to_owned()]);
}

fn started(client: Client, asks: Option<&str>, args: &[String]) {
    let home = home_that(asks);
    let program = home::program();
    let policy = if asks.is_some() { "asks" } else { "open" };
    let target: Vec<&str> = std::iter::once(program.to_str().unwrap()).chain(args.iter().map(String::as_str)).collect();
    steps(&home, client, policy, &target, "");
    home.assert_nothing_left();
}

/// The program and arguments of a server, as a snippet of the docs names them.
fn named(server: &Value) -> Vec<String> {
    let args = server["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned());
    std::iter::once(server["command"].as_str().unwrap().to_owned()).chain(args).collect()
}

/// Whose snippet each is, and what it starts.
fn snippets() -> Vec<(&'static str, Vec<String>)> {
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mcp.md")).unwrap();
    let blocks: Vec<(&str, &str)> = docs
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.split_once('\n').map(|(kind, text)| (kind, text.trim())))
        .collect();
    let mut out = Vec::new();
    for (kind, text) in blocks {
        match kind {
            "" => out.extend(
                text.strip_prefix("claude mcp add handeye -- ")
                    .map(|line| ("Claude Code", line.split(' ').map(str::to_owned).collect())),
            ),
            "json" => {
                let value: Value = serde_json::from_str(text).unwrap();
                let (who, servers) = match value.get("servers") {
                    Some(servers) => ("VS Code", servers),
                    None => ("Claude Code and Cursor", &value["mcpServers"]),
                };
                // A server over HTTP is named by its address.
                out.extend(
                    Some(&servers["handeye"]).filter(|one| one["command"].is_string()).map(|one| (who, named(one))),
                );
            }
            "toml" => {
                let value: Value = toml::from_str(text).unwrap();
                let server = &value["mcp_servers"]["handeye"];
                out.extend(Some(server).filter(|one| one["command"].is_string()).map(|one| ("Codex", named(one))));
            }
            _ => {}
        }
    }
    out
}

#[test]
fn what_the_snippets_of_the_docs_start_serves_the_official_clients() {
    let all = snippets();
    let whose: Vec<&str> = all.iter().map(|(who, _)| *who).collect();
    // The last one hands a secret on.
    let (json, rest) = ("Claude Code and Cursor", ["VS Code", "Codex"]);
    assert_eq!(whose, ["Claude Code", json, json, rest[0], rest[1], json]);
    for (who, words) in &all {
        assert_eq!(words[0], "handeye", "{who}");
    }
    let mut lines: Vec<&[String]> = all.iter().map(|(_, words)| &words[1..]).collect();
    lines.sort();
    lines.dedup();
    for args in lines {
        started(Client::Npm, None, args);
        // Over pipes it asks a person in a test of its own.
        if is_full() {
            started(Client::PyPi, None, args);
        }
    }
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_client_of_npm_calls_every_core_tool() {
    over_pipes(Client::Npm, None);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_client_of_pypi_calls_every_core_tool() {
    over_pipes(Client::PyPi, None);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_client_of_pypi_calls_every_core_tool_by_the_newest_version() {
    over_pipes(Client::PyPiNewest, None);
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_client_of_npm_asks_a_person() {
    ASKED.iter().for_each(|rule| over_pipes(Client::Npm, Some(rule)));
}

#[test]
fn the_client_of_pypi_asks_a_person() {
    // One rule over pipes, and another by the newest version over HTTP.
    let rules = &ASKED[..if is_full() { 2 } else { 1 }];
    rules.iter().for_each(|rule| over_pipes(Client::PyPi, Some(rule)));
}

#[test]
#[ignore = "long: runs with cargo xtask test --full"]
fn the_client_of_pypi_asks_a_person_by_the_newest_version() {
    ASKED.iter().for_each(|rule| over_pipes(Client::PyPiNewest, Some(rule)));
}
