//! `cargo xtask eval --tasks`: the judged task set. Scripted jobs on pages and apps that others wrote, each step of them
//! held against the real condition of the page or app, which an eye of its own looks at.
//!
//! The tasks are data: `eval/tasks/*.toml` (`set`). A step's command line is run by handeye (`runner`) on a page
//! (`pages`) or a desktop (`desktop`); what it says is held against what the eye saw (`ending`), and added up (`table`).

mod desktop;
mod ending;
mod line;
mod packages;
mod pages;
mod runner;
mod set;
mod table;

use crate::{
    run::{self, Fail, Outcome},
    site::Site,
};
use runner::Stand;
use set::{FOLDER, RefTable, Set};
use std::path::{Path, PathBuf};
use table::Table;

pub(crate) fn main(only: Option<&str>, binary: Option<PathBuf>, check: bool) -> Outcome {
    let set = Set::read(&run::root().join(FOLDER), only)?;
    let binary = binary.map_or_else(|| run::build_handeye(true), Ok)?;
    let target = run::target_dir()?.join("eval-tasks");
    std::fs::create_dir_all(&target)?;
    let table = run_all(&set, &std::path::absolute(binary)?, &target)?;
    table.print();
    let results = target.join("results.json");
    std::fs::write(&results, format!("{:#}\n", table.json()))?;
    println!("\nwritten to {}", results.display());
    match table.fault() {
        Some(fault) if check => Err(Fail::new(fault)),
        _ => Ok(()),
    }
}

/// Pages first: they are quicker.
fn run_all(set: &Set, binary: &Path, target: &Path) -> Outcome<Table> {
    let mut table = Table::default();
    let (pages, apps): (Vec<&RefTable>, Vec<&RefTable>) = set.books.iter().partition(|book| book.app.is_empty());
    if !pages.is_empty() {
        let packages = packages::install(&run::root().join(FOLDER), target)?;
        let site = Site::serve_all(vec![run::root().join(FOLDER).join("pages"), packages])?;
        for book in pages {
            let mut stand = pages::Pages::new(binary, &site, book)?;
            book_of(book, &mut stand, &mut table);
        }
    }
    if !apps.is_empty() {
        if !cfg!(target_os = "linux") {
            println!("\nthe tasks on apps need X11 and AT-SPI: they run on Linux only");
            return Ok(table);
        }
        for book in apps {
            if run::on_path(&[&book.app[0]]).is_none() {
                table.left_out(book, &format!("there is no {}: cargo xtask test --only install", book.app[0]));
                continue;
            }
            let mut stand = desktop::Apps::new(binary, book);
            book_of(book, &mut stand, &mut table);
        }
    }
    Ok(table)
}

/// Runs the tasks of one file.
fn book_of(book: &RefTable, stand: &mut dyn Stand, table: &mut Table) {
    println!("\n{} ({})", book.title, book.file);
    for task in &book.tasks {
        let done = runner::task(stand, task);
        println!("  {}", done.line());
        table.add(book, done);
    }
}
