//! Which element a locator means.

pub mod crosshair;
pub mod described;
pub mod find;
pub mod sight;
pub mod window;

use crate::locate::find::Filter;
use crate::matching::{self, Check, Expectation, normalize};
use crate::observe::memory::Memory;
use crate::wording::roles;
use crate::wording::targets::describe;
use handeye_scene::Mask;
use handeye_scene::Node;
use handeye_scene::{
    Aim, Capture, Code, NativeId, NodeKind, Probe, Problem, Query, QueryBy, Ref, Shown, Surface, Tried, Want,
};

/// A way of naming an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Locator {
    /// By number.
    Ref(Ref),
    /// By XPath.
    Xpath(String),
    /// By CSS selector.
    Css(String),
    /// By role and, mostly, name.
    Role {
        /// ARIA role.
        role: Option<String>,
        /// Accessible name, as an expectation.
        name: Option<String>,
    },
    /// By a text that it says, whole words in any case.
    Text(String),
    /// By test id.
    TestId(String),
}

impl Locator {
    /// It, as written on a command line that a shell reads.
    pub fn words(&self) -> String {
        match self {
            Locator::Ref(r) => r.0.to_string(),
            Locator::Xpath(x) => format!("--xpath {}", as_word(x)),
            Locator::Css(s) => format!("--css {}", as_word(s)),
            Locator::TestId(t) => format!("--testid {}", as_word(t)),
            Locator::Text(t) => format!("--text {}", as_word(t)),
            Locator::Role { role, name } => {
                let role = role.as_ref().map(|r| format!("--role {}", as_word(r)));
                let name = name.as_ref().map(|n| format!("--name {}", as_word(n)));
                [role, name].into_iter().flatten().collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// Most matches of a locator that are asked for their text one by one.
const MOST: usize = 500;

/// One word of a shell's line, by the rules of POSIX (Shell Command Language 2.2.2).
fn as_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+,".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The element that was meant, and how that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Located {
    /// The element.
    pub native: NativeId,
    /// What the agent was last shown of it, where it was named by number.
    pub shown: Option<Shown>,
    /// The locator that matched.
    pub used: Locator,
    /// Locators tried before, and what came of them.
    pub tried: Vec<Tried>,
}

impl Located {
    /// What was found by what it says is held to what it said when it was looked for, as what was named by its number is to
    /// what was last shown of it: a page may relabel it as the pointer comes.
    pub(crate) fn hold_to(&mut self, before: &Capture) {
        let at = before.nodes.iter().position(|n| n.id == Some(self.native) && n.kind != NodeKind::Text);
        if let (None, Some(at)) = (&self.shown, at) {
            self.shown = Some(crate::observe::view::shown(before, at));
        }
        if let Some(shown) = &mut self.shown {
            shown.told_by_time = matching::is_told_by_time(shown, self.native, &before.nodes);
        }
    }
}

/// Finds the element that one of `locators`, tried in order, means. Each is verified against a stated expectation; several
/// matches are refused unless the expectation leaves one.
pub async fn locate(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    locators: &[Locator],
    expectation: &Expectation,
) -> Result<Located, Problem> {
    let mut tried = Vec::new();
    let mut last: Option<Problem> = None;
    for locator in locators {
        match one(surface, memory, locator, expectation, locators.len() > 1).await {
            Ok((native, shown)) => return Ok(Located { native, shown, used: locator.clone(), tried }),
            Err(problem) if matches!(problem.code, Code::NotFound | Code::Ambiguous | Code::Stale) => {
                tried.push(Tried { locator: locator.words(), outcome: problem.message.clone() });
                last = Some(problem);
            }
            Err(problem) => return Err(problem),
        }
    }
    match last {
        Some(mut problem) if tried.len() > 1 => {
            let all: Vec<String> = tried.iter().map(|t| format!("{}: {}", t.locator, t.outcome)).collect();
            problem.message = format!("none of the {} locators names the target: {}", tried.len(), all.join("; "));
            Err(problem)
        }
        Some(problem) => Err(problem),
        None => Err(Problem::new(
            Code::BadRequest,
            "no target was named: give its number, or --xpath, --css, --role with --name, --text or --testid",
        )
        .hint("handeye state")),
    }
}

async fn one(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    locator: &Locator,
    expectation: &Expectation,
    one_of_several: bool,
) -> Result<(NativeId, Option<Shown>), Problem> {
    if let Locator::Ref(number) = locator {
        let known = memory.refs.element(*number)?.clone();
        if one_of_several && surface.probe(known.native, Aim::default()).await?.is_none() {
            return Err(Problem::new(
                Code::Stale,
                format!("{} is gone", describe(*number, &known.shown.role, known.shown.words())),
            ));
        }
        return Ok((known.native, Some(known.shown)));
    }
    let matches = matches(surface, locator, &memory.mask).await?;
    if matches!(expectation, Expectation::Text(_)) && matches.len() > MOST {
        let what = format!("{} matches {} elements, too many to compare with a text", locator.words(), matches.len());
        return Err(Problem::new(Code::Ambiguous, what).hint("handeye find TEXT").hint("handeye state"));
    }
    let (mut kept, mut textless) = (Vec::new(), Vec::new());
    let mut refused = Vec::new();
    for native in &matches {
        // A single match of a single locator is verified by the act loop itself, with its own report.
        if matches.len() == 1 && !one_of_several {
            kept.push(*native);
            continue;
        }
        let Some(probe) = surface.probe(*native, Aim::default()).await? else { continue };
        match matching::check(expectation, None, &probe, &memory.mask) {
            Check::Fails { actual } => refused.push(actual),
            Check::Unverifiable => textless.push(*native),
            Check::Holds(_) => kept.push(*native),
        }
        if kept.len() > 8 {
            break;
        }
    }
    // What has no text to compare is meant only where nothing shows the text.
    if kept.is_empty() {
        kept = textless;
    }
    match kept[..] {
        [native] => {
            // An element that was shown under a number is held to what was shown, however it is named now; a name that is
            // stated is what the agent expects itself.
            let named = matches!(locator, Locator::Role { name: Some(_), .. } | Locator::Text(_));
            let known = memory.refs.number(native).and_then(|n| memory.refs.get(n)).filter(|_| !named);
            Ok((native, known.map(|k| k.shown.clone())))
        }
        [] if refused.is_empty() => {
            let role = if let Locator::Role { role, .. } = locator { role.as_deref() } else { None };
            let why = role.and_then(roles::unknown).map(|why| format!("; {why}")).unwrap_or_default();
            let what = format!("nothing matches {}{why}", locator.words());
            Err(Problem::new(Code::NotFound, what).hint("handeye state"))
        }
        [] => Err(Problem::new(
            Code::NotFound,
            format!("what {} matches doesn't show the expected text: it shows {}", locator.words(), quoted(&refused)),
        )
        .hint("handeye state")),
        _ => Err(ambiguous(surface, memory, locator, &matches, kept).await?),
    }
}

/// Every element that a locator matches: by number none, since a number is one element's; by role, name or text of what is shown.
pub async fn matches(surface: &mut dyn Surface, locator: &Locator, mask: &Mask) -> Result<Vec<NativeId>, Problem> {
    let query = |by, text: &str| Query { by, text: text.to_owned() };
    match locator {
        Locator::Ref(_) => Ok(Vec::new()),
        Locator::Xpath(x) => surface.search(&query(QueryBy::Xpath, x)).await,
        Locator::Css(s) => surface.search(&query(QueryBy::Css, s)).await,
        Locator::TestId(t) => surface.search(&query(QueryBy::TestId, t)).await,
        Locator::Role { role, name } => {
            filtered(surface, &Filter { role: role.clone(), name: name.clone(), ..Filter::default() }, mask).await
        }
        Locator::Text(text) => filtered(surface, &Filter { text: Some(text.clone()), ..Filter::default() }, mask).await,
    }
}

/// What a look shows that a filter holds of. An element may hold several texts that do.
async fn filtered(surface: &mut dyn Surface, filter: &Filter, mask: &Mask) -> Result<Vec<NativeId>, Problem> {
    let capture = surface.capture(Want::default()).await?;
    let found = filter.closest(&capture, filter.find(&capture, mask), mask);
    let mut all: Vec<NativeId> = found.into_iter().filter_map(|i| capture.nodes[i].id).collect();
    all.dedup();
    Ok(all)
}

async fn ambiguous(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    locator: &Locator,
    matches: &[NativeId],
    kept: Vec<NativeId>,
) -> Result<Problem, Problem> {
    let mut listed = Vec::new();
    let mut hints = Vec::new();
    for native in kept.into_iter().take(8) {
        let Some(probe) = surface.probe(native, Aim::default()).await? else { continue };
        let number = memory.refs.mention(native, || matching::shown_now(&probe));
        let row = probe.row.as_ref().map(|r| format!(" in row {}", crate::observe::outline::quote(&r.text, 40)));
        // What can't be operated is hardly the one that is meant.
        let disabled = if probe.enabled { "" } else { " disabled" };
        let hidden = if probe.visible { "" } else { " hidden" };
        listed.push(format!(
            "{}{disabled}{hidden}{}",
            describe(number, &probe.role, matching::shown_now(&probe).words()),
            row.unwrap_or_default()
        ));
        if hints.len() < 3 {
            hints.push(format!("handeye inspect {}", number.0).into());
        }
    }
    let mut problem = Problem::new(
        Code::Ambiguous,
        format!("{} matches {} elements: {}", locator.words(), matches.len(), listed.join(", ")),
    );
    problem.hints = hints;
    Ok(problem)
}

fn quoted(texts: &[String]) -> String {
    texts.iter().take(3).map(|t| crate::observe::outline::quote(t, 80)).collect::<Vec<_>>().join(", ")
}

/// A number whose element is gone, with the nearest live candidates, which are numbered so that they can be named next.
pub fn stale(memory: &mut Memory, number: Option<Ref>, shown: &Shown, capture: &Capture) -> Problem {
    let gone = match number {
        Some(number) => describe(number, &shown.role, shown.words()),
        None => format!("{} {}", shown.role, crate::observe::outline::quote(shown.words(), 80)),
    };
    let near = nearest(shown, capture);
    let mut problem =
        Problem::new(Code::Stale, format!("{gone} is gone: its element was removed or its document was left"));
    if near.is_empty() {
        return problem.hint("handeye state");
    }
    let mut names = Vec::new();
    for index in near {
        let node = &capture.nodes[index];
        let Some(native) = node.id else { continue };
        let number = memory.refs.mention(native, || crate::observe::view::shown(capture, index));
        names.push(describe(number, &node.role, crate::observe::view::shown(capture, index).words()));
        problem.hints.push(format!("handeye inspect {}", number.0).into());
    }
    problem.message = format!("{}; alike and live: {}", problem.message, names.join(", "));
    problem.hint("handeye state")
}

/// Live nodes most like what was shown, best first, three at most. They are compared by the words that a state shows of them.
fn nearest(shown: &Shown, capture: &Capture) -> Vec<usize> {
    let words = normalize(shown.words());
    let listed = |n: &Node| n.id.is_some() && matches!(n.kind, NodeKind::Operable | NodeKind::Frame);
    let score = |i: usize, node: &Node| {
        let live = crate::observe::view::shown(capture, i);
        let other = normalize(live.words());
        let same_role = u8::from(node.role == shown.role);
        if words.is_empty() || other.is_empty() {
            None
        } else if other == words {
            Some(4 + same_role)
        } else if !node.name.is_empty() && matching::same_name(shown, &node.role, &node.name) {
            Some(3)
        } else if other.contains(&words) || words.contains(&other) {
            Some(1 + same_role)
        } else {
            None
        }
    };
    let nodes = capture.nodes.iter().enumerate().filter(|(_, node)| listed(node));
    let mut scored: Vec<(u8, usize)> = nodes.filter_map(|(i, node)| Some((score(i, node)?, i))).collect();
    scored.sort_by_key(|(score, i)| (std::cmp::Reverse(*score), *i));
    scored.into_iter().take(3).map(|(_, i)| i).collect()
}

/// The targets other than `but` that do show an expected text, numbered so that they can be named next; three at most.
pub fn showing(memory: &mut Memory, text: &str, capture: &Capture, but: NativeId) -> Vec<(Ref, String)> {
    let filter = Filter { text: Some(text.to_owned()), ..Filter::default() };
    let found = filter.find(capture, &memory.mask);
    filter
        .closest(capture, found, &memory.mask)
        .into_iter()
        .filter(|i| capture.nodes[*i].id != Some(but))
        .take(3)
        .filter_map(|i| {
            let node = &capture.nodes[i];
            let number = memory.refs.mention(node.id?, || crate::observe::view::shown(capture, i));
            Some((number, describe(number, &node.role, crate::observe::view::shown(capture, i).words())))
        })
        .collect()
}

/// The text an element shows, for receipts.
pub fn actual(probe: &Probe) -> String {
    matching::actual_text(probe)
}
