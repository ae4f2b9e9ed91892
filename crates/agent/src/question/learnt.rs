//! What was learnt of an aim: commands, each with what tells its target from all others on its page. It is used again, without the
//! model, only where each of them finds exactly one target that is what it was; else it is learnt anew.

use handeye_engine::matching::{contains, normalize};
use handeye_engine::wording::shown::{line, quote};
use handeye_scene::question::Candidate;
use handeye_scene::{Hint, Problem, Snapshot, Target};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

/// So many answers are kept; those that were used longest ago go first.
const MOST: usize = 500;
/// Bytes of a text of one that is kept.
const LONGEST: usize = 1_000;

/// Keeps what was learnt, in whatever was written last.
pub trait Learns {
    /// All of it; a problem where it is there and can't be trusted or read.
    fn read(&self) -> Result<Vec<Learnt>, Problem>;
    /// Puts this in its place.
    fn write(&self, all: &[Learnt]) -> Result<(), Problem>;
}

/// What was learnt of one aim on one kind of page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learnt {
    about: About,
    actions: Vec<Known>,
}

/// What it holds for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The page's origin.
    origin: String,
    /// Its path, with `*` for each part in which a digit stands: what deletes an item deletes an account elsewhere.
    path: String,
    /// The aim, as texts are compared.
    aim: String,
}

/// A command, and its target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    command: String,
    role: String,
    name: String,
    /// What it shows beside its name.
    says: Option<String>,
    /// The origin of its document.
    origin: String,
    /// The origin that it leads to, of a link.
    leads: Option<String>,
    expect: String,
    text: Option<String>,
    why: String,
}

/// What an answer proposed: the command, the text that its target was to show, and what is put in.
pub(super) struct Proposal {
    pub(super) command: &'static str,
    pub(super) number: u64,
    pub(super) expect: String,
    pub(super) text: Option<String>,
    pub(super) why: String,
}

impl Learnt {
    /// Whether it was learnt of this.
    pub(super) fn is_about(&self, about: &About) -> bool {
        self.about == *about
    }
}

impl About {
    /// An aim on a page; none where pages aren't told apart by origins.
    pub(super) fn of(page: &str, aim: &str) -> Option<Self> {
        let url = Url::parse(page).ok().filter(|url| ["http", "https"].contains(&url.scheme()))?;
        let part =
            |part: &str| if part.contains(|c: char| c.is_ascii_digit()) { "*".to_owned() } else { part.to_owned() };
        let path = url.path().split('/').map(part).collect::<Vec<_>>().join("/");
        let about = Self { origin: url.origin().ascii_serialization(), path, aim: normalize(aim) };
        (about.path.len() + about.aim.len() <= LONGEST).then_some(about)
    }
}

/// The commands that serve an aim, as they were learnt, where each still finds its target. `offered`: those that may be named at all.
pub(super) fn again(all: &[Learnt], about: &About, seen: &Snapshot, offered: &[&'static str]) -> Option<Vec<Proposal>> {
    let learnt = all.iter().find(|learnt| learnt.about == *about)?;
    let found = |known: &Known| {
        let target = alone(known, seen)?;
        let command = *offered.iter().find(|name| **name == known.command)?;
        let holds = !normalize(&known.expect).is_empty() && contains(target.words(), &known.expect);
        let (expect, text, why) = (known.expect.clone(), known.text.clone(), known.why.clone());
        holds.then(|| Proposal { command, number: number(target), expect, text, why })
    };
    learnt.actions.iter().map(found).collect::<Option<Vec<_>>>().filter(|found| !found.is_empty())
}

/// What is to be kept of an answer: all of it, where each target can be told by what it says.
pub(super) fn learn(about: About, proposals: &[Proposal], seen: &Snapshot) -> Option<Learnt> {
    let known = |proposal: &Proposal| {
        let target = of(proposal, seen)?;
        let known = Known {
            command: proposal.command.to_owned(),
            role: target.role.clone(),
            name: target.name.clone(),
            says: target.text.clone(),
            origin: origin(target, seen)?,
            leads: leads(target),
            expect: proposal.expect.clone(),
            text: proposal.text.clone(),
            why: line(&proposal.why, LONGEST),
        };
        let is_told = !normalize(&known.expect).is_empty() && contains(target.words(), &known.expect);
        let is_short = [&known.name, &known.expect]
            .into_iter()
            .chain(&known.says)
            .chain(&known.text)
            .all(|text| text.len() <= LONGEST);
        (is_told && is_short && alone(&known, seen).is_some()).then_some(known)
    };
    let actions = proposals.iter().map(known).collect::<Option<Vec<_>>>().filter(|actions| !actions.is_empty())?;
    Some(Learnt { about, actions })
}

/// With this in front, and nothing older about the same.
pub(super) fn with(all: Vec<Learnt>, about: &About, new: Option<Learnt>) -> Vec<Learnt> {
    let others = all.into_iter().filter(|learnt| learnt.about != *about);
    new.into_iter().chain(others).take(MOST).collect()
}

/// A proposal as a command by number, and by what tells its target from all others where something does: for lists of commands.
pub(super) fn candidate(proposal: Proposal, seen: &Snapshot) -> Candidate {
    let target = of(&proposal, seen);
    let words = target.map(|target| format!("{} {}", line(&target.role, 30), quote(target.words(), 120)));
    let run = run(Hint::command(proposal.command).arg(proposal.number.to_string()), &proposal);
    let args = wire(&proposal);
    let named = target.filter(|target| !proposal.expect.is_empty() && is_named_alone(target, seen));
    let selector = named.map(|target| {
        let by = Hint::command(proposal.command).arg("--role").arg(&target.role).arg("--name").arg(&target.name);
        self::run(by, &proposal)
    });
    Candidate { run, selector, args, r#ref: proposal.number, target: words.unwrap_or_default(), why: proposal.why }
}

fn run(hint: Hint, proposal: &Proposal) -> Hint {
    let expect = |hint: Hint| match proposal.expect.is_empty() {
        true => hint,
        false => hint.arg("--expect").arg(&proposal.expect),
    };
    match &proposal.text {
        // No text is an option.
        Some(text) if text.starts_with('-') => expect(hint).arg("--").arg(text),
        Some(text) => expect(hint.arg(text)),
        None => expect(hint),
    }
}

/// The arguments of a proposal in their wire form.
fn wire(proposal: &Proposal) -> Value {
    let mut args = json!({ "ref": proposal.number });
    match (&proposal.text, proposal.command) {
        (Some(text), "select") => args["options"] = json!([text]),
        (Some(text), _) => args["text"] = json!(text),
        (None, _) => {}
    }
    if !proposal.expect.is_empty() {
        args["expect"] = json!(proposal.expect);
    }
    args
}

fn of<'a>(proposal: &Proposal, seen: &'a Snapshot) -> Option<&'a Target> {
    seen.targets.iter().find(|target| number(target) == proposal.number)
}

fn number(target: &Target) -> u64 {
    u64::from(target.r#ref.0)
}

fn is_named_alone(target: &Target, seen: &Snapshot) -> bool {
    let name = normalize(&target.name);
    let others = seen.targets.iter().filter(|other| other.role == target.role && normalize(&other.name) == name);
    !name.is_empty() && others.count() == 1
}

/// The one target that is what it was.
fn alone<'a>(known: &Known, seen: &'a Snapshot) -> Option<&'a Target> {
    let is_it = |target: &&Target| {
        target.role == known.role
            && target.name == known.name
            && target.text == known.says
            && origin(target, seen).as_ref() == Some(&known.origin)
            && leads(target) == known.leads
    };
    let mut found = seen.targets.iter().filter(is_it);
    found.next().filter(|_| found.next().is_none())
}

fn origin(target: &Target, seen: &Snapshot) -> Option<String> {
    seen.documents.iter().find(|document| document.id == target.document).map(|document| document.origin.clone())
}

fn leads(target: &Target) -> Option<String> {
    let url = Url::parse(target.href.as_deref()?).ok()?;
    Some(url.origin().ascii_serialization())
}
