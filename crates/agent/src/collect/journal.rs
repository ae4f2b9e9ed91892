//! The checkpoint: a line for what is collected, one for the rule, one for each page, added when the page is done, and one for each
//! output. What is written out is made from it. Pure: the lines and how they are read.

use crate::collect::fields::Field;
use crate::collect::paging::Way;
use crate::collect::rule::Rule;
use handeye_engine::chain::digest;
use handeye_scene::collect::{Item, RuleCheck};
use handeye_scene::{Code, Problem};
use serde::{Deserialize, Serialize};

/// The version of the form.
const VERSION: u32 = 1;

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Job(Job),
    Settled(Box<Settled>),
    Page(PageLine),
    Written(Written),
}

/// What is collected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Job {
    version: u32,
    /// The address of the first page.
    pub url: String,
    /// What is wanted.
    pub want: String,
    /// Fields.
    pub fields: Vec<String>,
}

impl Job {
    /// One of this form.
    pub fn new(url: &str, want: &str, fields: &[String]) -> Self {
        Self { version: VERSION, url: url.to_owned(), want: want.to_owned(), fields: fields.to_vec() }
    }
}

/// What the model was needed for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// The rule.
    pub rule: Rule,
    /// Where fields stand.
    pub fields: Vec<Field>,
    /// The way to the next page; none where there is one page.
    pub way: Option<Way>,
    /// How the rule was held to the model's picks.
    pub checks: Vec<RuleCheck>,
    /// Answers of the model.
    pub calls: u32,
    /// What else came up.
    pub warnings: Vec<String>,
}

/// A page that is done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageLine {
    /// Its number, from 1.
    pub number: u32,
    /// Its address.
    pub url: String,
    /// Items that no page before it had.
    pub items: Vec<Item>,
    /// Addresses of all items that it shows.
    pub shown: Vec<String>,
}

/// What was written out, by which it is known again: nothing else is written over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Its size.
    pub bytes: u64,
    /// Its digest.
    pub sha256: String,
}

impl Written {
    /// Of what is written out.
    pub fn of(content: &[u8]) -> Self {
        Self { bytes: content.len() as u64, sha256: digest(content) }
    }
}

/// A checkpoint that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Journal {
    /// What is collected.
    pub job: Job,
    /// What the model was needed for, once that is over.
    pub settled: Option<Settled>,
    /// Pages that are done.
    pub pages: Vec<PageLine>,
    /// What was written out.
    pub written: Vec<Written>,
    /// Bytes of all whole lines.
    pub length: u64,
    /// Whether a line at the end was cut short.
    pub is_torn: bool,
}

/// A line that says what is collected.
pub fn job_line(job: &Job) -> Result<String, Problem> {
    written(&Line::Job(job.clone()))
}

/// A line for what the model was needed for.
pub fn settled_line(settled: &Settled) -> Result<String, Problem> {
    written(&Line::Settled(Box::new(settled.clone())))
}

/// A line for a page.
pub fn page_line(page: &PageLine) -> Result<String, Problem> {
    written(&Line::Page(page.clone()))
}

/// A line for what is going to be written out.
pub fn written_line(own: &Written) -> Result<String, Problem> {
    written(&Line::Written(own.clone()))
}

fn written(line: &Line) -> Result<String, Problem> {
    let text = serde_json::to_string(line);
    text.map(|text| text + "\n").map_err(|e| Problem::new(Code::Bug, format!("a checkpoint can't be written: {e}")))
}

/// Reads a checkpoint; none where not even its first line is whole. Only its last line may be cut short: that is what a process
/// leaves which is killed as it writes.
pub fn read(bytes: &[u8]) -> Result<Option<Journal>, Problem> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut journal: Option<Journal> = None;
    let mut length = 0;
    for (at, line) in lines.iter().enumerate() {
        let is_last = at + 1 == lines.len();
        let parsed = match line.ends_with(b"\n") {
            true => serde_json::from_slice::<Line>(line).map_err(|e| e.to_string()),
            false => Err("it is cut short".to_owned()),
        };
        let placed = parsed.and_then(|line| place(&mut journal, line));
        match placed {
            Ok(()) => length += line.len() as u64,
            Err(_) if is_last && !line.ends_with(b"\n") => {
                if let Some(journal) = &mut journal {
                    journal.is_torn = true;
                }
            }
            Err(why) => return Err(Problem::new(Code::File, format!("line {} is damaged: {why}", at + 1))),
        }
    }
    if let Some(journal) = &mut journal {
        journal.length = length;
    }
    Ok(journal)
}

fn place(journal: &mut Option<Journal>, line: Line) -> Result<(), String> {
    match (journal, line) {
        (journal @ None, Line::Job(job)) if job.version == VERSION => {
            *journal =
                Some(Journal { job, settled: None, pages: Vec::new(), written: Vec::new(), length: 0, is_torn: false });
            Ok(())
        }
        (None, Line::Job(job)) => Err(format!("it is of version {}, and {VERSION} is known here", job.version)),
        (Some(journal), Line::Settled(settled)) if journal.settled.is_none() => {
            journal.settled = Some(*settled);
            Ok(())
        }
        (Some(journal), Line::Page(page))
            if journal.settled.is_some() && page.number as usize == journal.pages.len() + 1 =>
        {
            journal.pages.push(page);
            Ok(())
        }
        (Some(journal), Line::Written(own)) if journal.settled.is_some() => {
            journal.written.push(own);
            Ok(())
        }
        _ => Err("it isn't what comes next".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_testkit::fuzz::survive;
    use handeye_testkit::trials;

    fn settled() -> Settled {
        let way = Some(Way::Next { label: Some("下一页".into()) });
        Settled { rule: Rule::default(), fields: Vec::new(), way, checks: Vec::new(), calls: 2, warnings: Vec::new() }
    }

    fn page(number: u32) -> PageLine {
        let item = Item { url: format!("http://a/{number}"), title: "单\n".into(), page: number, ..Item::default() };
        PageLine { number, url: "http://a".into(), shown: vec![item.url.clone()], items: vec![item] }
    }

    fn lines() -> Vec<String> {
        let job = Job::new("http://a", "x", &["date".into()]);
        vec![
            job_line(&job).unwrap(),
            settled_line(&settled()).unwrap(),
            page_line(&page(1)).unwrap(),
            written_line(&Written::of(b"one")).unwrap(),
            page_line(&page(2)).unwrap(),
        ]
    }

    #[test]
    fn a_checkpoint_that_is_cut_anywhere_holds_its_whole_lines() {
        let text = lines().concat();
        let ends: Vec<usize> = lines()
            .iter()
            .scan(0, |at, line| {
                Some({
                    *at += line.len();
                    *at
                })
            })
            .collect();
        for cut in 0..=text.len() {
            let journal = read(&text.as_bytes()[..cut]).unwrap();
            let whole = ends.iter().filter(|end| **end <= cut).count();
            let Some(journal) = journal else {
                assert_eq!(whole, 0, "{cut}");
                continue;
            };
            let has = 1 + usize::from(journal.settled.is_some()) + journal.pages.len() + journal.written.len();
            assert_eq!((has, journal.length as usize), (whole, ends[whole - 1]), "{cut}");
            assert_eq!(journal.is_torn, cut != ends[whole - 1], "{cut}");
        }
    }

    #[test]
    fn what_is_damaged_before_its_end_is_named() {
        let whole = lines();
        for (at, wrong) in [(0, "{}\n"), (1, "x\n"), (2, &*whole[4]), (1, &*whole[2]), (1, &*whole[3]), (2, &*whole[1])]
        {
            let mut lines = whole.clone();
            lines[at] = wrong.to_owned();
            let problem = read(lines.concat().as_bytes()).unwrap_err();
            assert!(problem.message.starts_with(&format!("line {} is damaged", at + 1)), "{}", problem.message);
        }
        let newer = whole[0].replace("\"version\":1", "\"version\":2") + &whole[1];
        assert!(read(newer.as_bytes()).unwrap_err().message.contains("version 2"));
    }

    #[test]
    fn no_file_keeps_the_reader() {
        let text = lines().concat();
        survive("checkpoint", 73, trials(300, 100_000), move |m| m.text(&[&text]), |text| drop(read(text.as_bytes())));
    }
}
