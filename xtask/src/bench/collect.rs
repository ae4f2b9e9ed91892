//! `cargo xtask bench collect`: how many pages of a list the collector gets through in a second.

use crate::{
    cleanup,
    run::{self, Fail, Outcome},
    site::Site,
};
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

const HELP: &str = "\
Measure how many pages of a list `handeye collect` gets through in a second, without a pause between them.

Usage: cargo xtask bench collect [--pages N] [--binary PATH] [--check]

The list is the bench's own, with adverts between its 20 items on a page; so is the model, which picks what is an item.

Options:
  --pages N      pages of the list (default 100)
  --binary PATH  measure this handeye instead of building one
  --check        exit with 1 where an item is lost or doubled, or the model was asked more than six times
";

/// Items of a page.
const EACH: usize = 20;
/// Most answers of the model.
const MOST: u64 = 6;
/// Longest that the collection may take.
const LIMIT: Duration = Duration::from_secs(1_800);

#[derive(Debug, clap::Args)]
#[command(override_help = HELP)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 100, value_parser = run::parse_count)]
    pages: usize,
    #[arg(long)]
    binary: Option<PathBuf>,
    #[arg(long)]
    check: bool,
}

pub(crate) fn main(options: Options) -> Outcome {
    let Options { pages, binary, check } = options;
    let binary = binary.map_or_else(|| run::build_handeye(true), Ok)?;
    let (folder, _later) = run::scratch("collect")?;
    for page in 1..=pages {
        std::fs::write(folder.join(format!("{page}.html")), list(page, pages))?;
    }
    let (site, model) = (Site::serve(&folder)?, model()?);
    let settings = folder.join("handeye.toml");
    std::fs::write(&settings, format!("[models]\nurl = \"http://{model}/v1\"\nmodel = \"bench\"\n"))?;
    let session = format!("bench-collect-{}", std::process::id());
    let mut close = Command::new(&binary);
    close.args(["--session", &session, "close"]);
    let _close = cleanup::later(move || {
        // Without a session there is nothing to close.
        let _ = run::limited(&mut close, Duration::from_secs(20));
    });
    let out = folder.join("out.jsonl");
    let url = format!("http://127.0.0.1:{}/1.html", site.port());
    let mut collect = Command::new(&binary);
    collect.args(["--session", &session, "collect", &url, "--want", "items", "--rate", "1000", "--json", "--config"]);
    let ran = run::limited(collect.arg(&settings).arg("-o").arg(&out), LIMIT)?;
    if ran.code != Some(0) {
        return Err(Fail::new(format!("handeye collect failed: {}{}", ran.stdout, ran.stderr)));
    }
    let report: Value = serde_json::from_str(&ran.stdout).map_err(|e| Fail::new(format!("no report: {e}")))?;
    let number = |name: &str| report[name].as_f64().unwrap_or(f64::NAN);
    println!(
        "{} pages, {} items: {:.1} pages/s, {:.1} s with the first pages and the {} answers of the model",
        number("pages"),
        number("items"),
        number("pages_per_second"),
        number("seconds"),
        number("model_calls")
    );
    let is_whole = is_whole(&out, pages)?;
    let calls = report["model_calls"].as_u64().unwrap_or(u64::MAX);
    println!("every item once: {}", if is_whole { "yes" } else { "NO" });
    if check && !(is_whole && calls <= MOST) {
        return Err(Fail::new("items are lost or doubled, or the model was asked too often"));
    }
    Ok(())
}

/// A page of the list.
fn list(page: usize, pages: usize) -> String {
    let mut cards = String::new();
    for item in (page - 1) * EACH + 1..=page * EACH {
        let _ =
            write!(cards, "<li class=card><h3><a href=/item/{item}>Item 项目 {item}</a></h3><p>About {item}</p></li>");
        if item.is_multiple_of(7) {
            let _ = write!(cards, "<li class=\"card ad\"><h3><a href=/offer/{item}>Offer {item}</a></h3></li>");
        }
    }
    let next = if page < pages { format!("<a href=/{}.html>Next ›</a>", page + 1) } else { String::new() };
    format!("<!doctype html><meta charset=utf-8><title>List</title><h1>Items</h1><ul>{cards}</ul><p>{next}</p>")
}

/// Whether what was written holds each item once.
fn is_whole(out: &Path, pages: usize) -> Outcome<bool> {
    let text = std::fs::read_to_string(out)?;
    let read = |line: &str| serde_json::from_str::<Value>(line).ok()?["url"].as_str()?.rsplit('/').next()?.parse().ok();
    let mut found: Vec<usize> = text.lines().filter_map(read).collect();
    let lines = found.len();
    found.sort_unstable();
    Ok(lines == text.lines().count() && found == (1..=pages * EACH).collect::<Vec<_>>())
}

/// A model that picks all items of what it was shown last; where it listens.
fn model() -> Outcome<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Whoever asked learns of what failed here.
            thread::spawn(move || drop(answer(stream)));
        }
    });
    Ok(address)
}

fn answer(mut stream: TcpStream) -> Outcome {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        if let Some((_, value)) = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            length = value.trim().parse().map_err(|_| Fail::new("a length is no number"))?;
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let asked: Value = serde_json::from_slice(&body).map_err(|e| Fail::new(e.to_string()))?;
    let messages = asked["messages"].as_array().into_iter().flatten();
    let told: Vec<&str> = messages.filter_map(|message| message["content"].as_str()).collect();
    let told = told.join("\n");
    let (marks, texts): (Vec<u64>, Vec<&str>) = items(&told).into_iter().unzip();
    let picked = json!({"mark_ids": marks, "expected_texts": texts, "reasoning": "they are items"});
    let function = json!({"name": "pick_items", "arguments": picked.to_string()});
    let call = json!({"id": "call_0", "type": "function", "function": function});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}], "usage": usage});
    let body = body.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len())?;
    Ok(())
}

/// The items of the last page in a conversation, with their numbers.
fn items(told: &str) -> Vec<(u64, &str)> {
    let state = told.rsplit("=====data").find(|part| part.contains("\npage \"")).unwrap_or_default();
    state.lines().filter_map(item).collect()
}

/// The item of a line such as `[5] link "Item 1"`.
fn item(line: &str) -> Option<(u64, &str)> {
    let (number, rest) = line.trim_start().strip_prefix('[')?.split_once("] link \"")?;
    let name = rest.split_once('"')?.0;
    Some((number.parse().ok()?, name)).filter(|_| name.starts_with("Item "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_of_the_last_page_are_picked() {
        let told = "=====data a from x=====\npage \"List\"\n[1] link \"Item 项目 1\"\n=====end a=====\n=====data b from x=====\npage \"List\"\n[7] link \"Item 项目 21\"\n[8] link \"Offer 21\"\n=====end b=====";
        assert_eq!(items(told), [(7, "Item 项目 21")]);
        assert!(list(2, 2).contains("/item/40>") && !list(2, 2).contains("Next"));
    }
}
