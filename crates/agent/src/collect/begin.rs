//! How a collection begins: anew, or from the checkpoint of one that was left.

use crate::collect::journal::{self, Job, Journal};
use crate::collect::port::CollectPorts;
use handeye_engine::wording::shown::{address, line};
use handeye_scene::collect::Collecting;
use handeye_scene::{Code, Problem};
use url::Url;

/// What is collected, and what there is of it.
pub(super) struct Begun {
    pub(super) job: Job,
    pub(super) journal: Option<Journal>,
    /// Whether the checkpoint holds the rest of a first line alone.
    pub(super) has_rest: bool,
}

/// What is collected: what was asked for, or what was begun.
pub(super) fn begin(asked: &Collecting, ports: &CollectPorts<'_>) -> Result<Begun, Problem> {
    let name = ports.store.name();
    let damaged = |mut problem: Problem| {
        problem.message = format!("the checkpoint {name} can't be read: {}", problem.message);
        problem
    };
    let there = ports.store.read()?;
    let is_there = there.is_some();
    let bytes = there.unwrap_or_default();
    let kept = journal::read(&bytes).map_err(damaged)?;
    let has_rest = kept.is_none() && !bytes.is_empty();
    match (kept, asked.resume) {
        (None, true) if is_there => {
            let why = if has_rest { "its first line is cut short" } else { "it is empty" };
            let text = format!("{name} is no checkpoint to go on from: {why}; begin anew, without --resume");
            Err(Problem::new(Code::File, text).hint("handeye collect --help"))
        }
        (None, true) => Err(Problem::new(Code::NotFound, format!("there is no checkpoint {name} to go on from"))
            .hint("handeye collect --help")),
        (Some(_), false) => {
            let text = format!(
                "{name} is the checkpoint of a collection that didn't come to its end: add --resume, or remove the file"
            );
            Err(Problem::new(Code::BadRequest, text))
        }
        (Some(journal), true) => {
            let is_same = |given: &Option<String>, kept: &str| given.as_deref().is_none_or(|given| given == kept);
            let has_url = asked.url.as_deref().map(first_page).transpose()?;
            if has_url.is_some_and(|url| url.as_str() != journal.job.url)
                || !is_same(&asked.want, &journal.job.want)
                || !asked.fields.is_empty() && asked.fields != journal.job.fields
            {
                let kept = format!("{} wanting {}", address(&journal.job.url), line(&journal.job.want, 200));
                let text = format!("{name} is the checkpoint of another collection: {kept}");
                return Err(Problem::new(Code::BadRequest, text));
            }
            ports.store.may_write(&journal.written)?;
            Ok(Begun { job: journal.job.clone(), journal: Some(journal), has_rest })
        }
        (None, false) => {
            let missing = |what: &str| {
                Problem::new(Code::BadRequest, format!("{what} is missing"))
                    .hint("handeye collect URL --want \"project pages\"")
            };
            let url = asked.url.as_deref().ok_or_else(|| missing("the address of the list"))?;
            let want = asked.want.as_deref().map(str::trim).filter(|want| !want.is_empty());
            let want = want.ok_or_else(|| missing("what is to be collected (--want)"))?;
            let job = Job::new(first_page(url)?.as_str(), want, &asked.fields);
            ports.store.may_write(&[])?;
            Ok(Begun { job, journal: None, has_rest })
        }
    }
}

/// The address of the first page.
pub(super) fn first_page(written: &str) -> Result<Url, Problem> {
    let wrong = |why: &str| {
        Problem::new(Code::BadRequest, format!("{} is no address of a list: {why}", address(written)))
            .hint("handeye collect https://shop.example/list --want \"product pages\"")
    };
    let url = Url::parse(written).map_err(|e| wrong(&e.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong("it must begin with http:// or https://"));
    }
    Ok(url)
}
