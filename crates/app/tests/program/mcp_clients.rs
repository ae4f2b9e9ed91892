//! `handeye mcp` over pipes, called by the official clients of the Model Context Protocol: those of npm and of PyPI. What they do stands
//! in `clients/`, in their own languages; `cargo xtask test --only install` installs them.

use crate::mcp::PAGE;
use handeye_testkit::home::{self, Home};
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
fn tool(name: &str) -> PathBuf {
    let program = home::program();
    let path = program.ancestors().nth(2).unwrap().join("tools").join(name);
    assert!(path.exists(), "{} is missing: cargo xtask test --only install", path.display());
    path
}

fn script(name: &str) -> PathBuf {
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
    let home = home_that(asks);
    let program = home::program();
    let policy = if asks.is_some() { "asks" } else { "open" };
    steps(&home, client, policy, &[program.to_str().unwrap(), "mcp"], "");
    home.assert_nothing_left();
}

#[test]
fn the_client_of_npm_calls_every_core_tool() {
    over_pipes(Client::Npm, None);
}

#[test]
fn the_client_of_pypi_calls_every_core_tool() {
    over_pipes(Client::PyPi, None);
}

#[test]
fn the_client_of_pypi_calls_every_core_tool_by_the_newest_version() {
    over_pipes(Client::PyPiNewest, None);
}

#[test]
fn the_client_of_npm_asks_a_person() {
    ASKED.iter().for_each(|rule| over_pipes(Client::Npm, Some(rule)));
}

#[test]
fn the_client_of_pypi_asks_a_person() {
    ASKED.iter().for_each(|rule| over_pipes(Client::PyPi, Some(rule)));
}

#[test]
fn the_client_of_pypi_asks_a_person_by_the_newest_version() {
    ASKED.iter().for_each(|rule| over_pipes(Client::PyPiNewest, Some(rule)));
}
