//! Chores of the project: `cargo xtask test`, `demo`, `tidy`, `generate`, `bench`, `eval`, `fuzz`.
//!
//! It drives the `handeye` binary and other tools as a person at a shell would, so it depends on none of the
//! project's crates. It must stay quick to build: few dependencies, no async runtime. Start reading at
//! [`COMMANDS`]; what the commands share is in `run` (child processes), `install` (what the machine lacks),
//! `cleanup` (nothing stays behind) and `site` (the pages of the demo).

// It is a program at a shell: printing is what it is for.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod cdp;
mod cleanup;
mod demo;
mod desk;
mod eval;
mod fuzz;
mod generate;
mod install;
mod png;
mod procs;
mod run;
mod site;
mod slowest;
mod steps;
mod tasks;
mod test;
mod tidy;
mod wine;

use run::{Fail, Outcome};
use std::process::ExitCode;

/// A chore: its name, one line about it, its help, and what runs it.
struct Chore {
    name: &'static str,
    about: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
}

const COMMANDS: &[Chore] = &[
    Chore {
        name: "test",
        about: "install what is missing, then run every check and test",
        help: test::HELP,
        run: test::main,
    },
    Chore {
        name: "demo",
        about: "install what is missing, build, and do a whole job in a real browser",
        help: demo::HELP,
        run: demo::main,
    },
    Chore { name: "tidy", about: "check the rules that no compiler checks", help: tidy::HELP, run: tidy::main },
    Chore {
        name: "generate",
        about: "write the files generated from the commands' declarations",
        help: generate::HELP,
        run: generate::main,
    },
    Chore {
        name: "bench",
        about: "measure the cost of a state against a bare walk of the page",
        help: bench::HELP,
        run: bench::main,
    },
    Chore {
        name: "eval",
        about: "run the judged task set, or the outside evaluation kit: MiniWoB tasks and real pages",
        help: eval::HELP,
        run: eval::main,
    },
    Chore {
        name: "fuzz",
        about: "feed generated input to everything that reads what comes from outside",
        help: fuzz::HELP,
        run: fuzz::main,
    },
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(name) = args.first() else {
        eprint!("{}", usage());
        return ExitCode::from(2);
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        match args.get(1).and_then(|of| COMMANDS.iter().find(|chore| chore.name == of)) {
            Some(chore) => print!("{}", chore.help),
            None => print!("{}", usage()),
        }
        return ExitCode::SUCCESS;
    }
    let Some(chore) = COMMANDS.iter().find(|chore| chore.name == name) else {
        eprintln!("xtask: no command `{name}`\n");
        eprint!("{}", usage());
        return ExitCode::from(2);
    };
    if args.iter().skip(1).take_while(|arg| *arg != "--").any(|arg| arg == "--help" || arg == "-h") {
        print!("{}", chore.help);
        return ExitCode::SUCCESS;
    }
    cleanup::on_interrupt();
    let outcome = (chore.run)(&args[1..]);
    cleanup::run_all();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Fail { message, code }) => {
            eprintln!("\nxtask {name}: {message}");
            ExitCode::from(code)
        }
    }
}

fn usage() -> String {
    let mut text = String::from("Chores of the project.\n\nUsage: cargo xtask COMMAND [OPTIONS]\n\nCommands:\n");
    for chore in COMMANDS {
        text.push_str(&format!("  {:<10}{}\n", chore.name, chore.about));
    }
    text.push_str("\n`cargo xtask COMMAND --help` tells more.\n");
    text
}
