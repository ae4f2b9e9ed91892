//! What is found of a claim at one look.

use super::claim::{Claim, Manner, State};
use crate::Session;
use crate::core::args::TargetArgs;
use crate::look::get;
use crate::look::inspect::probe;
use handeye_engine::locate::matches;
use handeye_engine::observe::verify::Comparison;
use handeye_scene::{Aim, Code, NativeId, Probe, Problem, Want};
use serde_json::{Value, json};

/// Matches that are asked one by one whether they are visible, at most.
const MOST: usize = 500;

/// What one look found.
#[derive(Default)]
pub(super) struct Look {
    pub(super) holds: bool,
    pub(super) found: Value,
    pub(super) probe: Option<Box<Probe>>,
    pub(super) reason: Option<String>,
}

impl Look {
    fn at(probe: Probe, found: Value, holds: bool) -> Self {
        Self { holds, found, probe: Some(Box::new(probe)), reason: None }
    }

    fn of(found: Value, holds: bool) -> Self {
        Self { holds, found, ..Self::default() }
    }
}

impl Claim {
    /// Looks once.
    pub(super) async fn look(&self, session: &mut Session) -> Result<Look, Problem> {
        let mask = session.memory.mask.clone();
        match self {
            Claim::Text { target, expected, manner } if target.target.is_empty() => {
                on_page(session, expected, *manner).await
            }
            Claim::Text { target, expected, manner } => {
                let probe = match there(session, &target.target).await? {
                    Ok(probe) => probe,
                    Err(missing) => return Ok(missing),
                };
                let text = mask.of(&shown(session, Some(probe.id)).await?).into_owned();
                let text =
                    if text.trim().is_empty() && probe.visible { mask.of(&probe.name).into_owned() } else { text };
                let holds = manner.holds(&text, expected);
                Ok(Look::at(probe, json!(text), holds))
            }
            Claim::Value { target, expected, manner } => {
                let probe = match there(session, &target.target).await? {
                    Ok(probe) => probe,
                    Err(missing) => return Ok(missing),
                };
                let value = mask.of(&get::held(session, &probe).await?.0).into_owned();
                let holds = manner.holds(&value, expected);
                Ok(Look::at(probe, json!(value), holds))
            }
            Claim::Visible(State { target, not }) => Ok(match there(session, target).await? {
                Ok(probe) => {
                    let visible = probe.visible;
                    Look::at(probe, json!(visible), visible != *not)
                }
                // What isn't there isn't to be seen.
                Err(missing) => Look { holds: *not, ..missing },
            }),
            Claim::Enabled(State { target, not }) => Ok(match there(session, target).await? {
                Ok(probe) => {
                    let enabled = probe.enabled;
                    Look::at(probe, json!(enabled), enabled != *not)
                }
                Err(missing) => missing,
            }),
            Claim::Checked(State { target, not }) => Ok(match there(session, target).await? {
                Ok(probe) => {
                    let reason = probe.checked.is_none().then(|| "it is nothing that is on or off".to_owned());
                    let holds = probe.checked.is_some_and(|checked| checked != *not);
                    Look { reason, ..Look::at(probe.clone(), json!(probe.checked), holds) }
                }
                Err(missing) => missing,
            }),
            Claim::Count { target, expected, visible, not } => {
                let number = counted(session, &target.target, *visible).await?;
                Ok(Look::of(json!(number), expected.amount()?.holds(number) != *not))
            }
            Claim::Url { expected, manner } => {
                let url = mask.of(&session.web()?.location().await?.0).into_owned();
                let holds = manner.comparison().holds_of_address(&url, expected) != manner.not;
                Ok(Look::of(json!(url), holds))
            }
            Claim::Title { expected, manner } => {
                let title = mask.of(&session.web()?.location().await?.1).into_owned();
                let holds = manner.holds(&title, expected);
                Ok(Look::of(json!(title), holds))
            }
        }
    }
}

/// The target that is meant; where there is none yet, or no longer, what a look finds then. A number that was never given out is
/// a problem.
async fn there(session: &mut Session, target: &TargetArgs) -> Result<Result<Probe, Look>, Problem> {
    let (surface, memory, _) = session.parts()?;
    match probe(surface, memory, target, Aim::default()).await {
        Ok((_, probe)) => Ok(Ok(probe)),
        Err(problem) if problem.code == Code::Stale || problem.code == Code::NotFound && target.r#ref.is_none() => {
            Ok(Err(Look { reason: Some(problem.message), ..Look::default() }))
        }
        Err(problem) => Err(problem),
    }
}

/// What a target, or all there is, shows to be read.
async fn shown(session: &mut Session, of: Option<NativeId>) -> Result<String, Problem> {
    match session.surface()?.web() {
        Some(web) => web.shown_text(of).await,
        None => get::text(session, of).await,
    }
}

/// Whether anything on the page says a text: a target, a run of text, or all that is read in one go.
async fn on_page(session: &mut Session, expected: &str, manner: Manner) -> Result<Look, Problem> {
    let comparison = manner.comparison();
    let mask = session.memory.mask.clone();
    let capture = session.surface()?.capture(Want::default()).await?;
    let said = capture.nodes.iter().flat_map(|node| [Some(node.name.as_str()), node.value.as_deref()]).flatten();
    let mut saying = said.map(|text| mask.of(text)).find(|text| comparison.holds(text, expected)).map(Into::into);
    if saying.is_none() && comparison == Comparison::Contains {
        // A text may go on over the end of an element.
        let whole = mask.of(&shown(session, None).await?).into_owned();
        saying = comparison.holds(&whole, expected).then(|| expected.to_owned());
    }
    let reason = saying.is_none().then(|| "nothing on the page says it".to_owned());
    Ok(Look { holds: saying.is_some() != manner.not, found: json!(saying), probe: None, reason })
}

/// How many elements the one locator matches.
async fn counted(session: &mut Session, target: &TargetArgs, visible: bool) -> Result<u64, Problem> {
    let locators = target.locators()?;
    let (surface, memory, _) = session.parts()?;
    let mut found: Vec<NativeId> = Vec::new();
    for locator in &locators {
        found.extend(matches(surface, locator, &memory.mask).await?);
    }
    if !visible {
        return Ok(found.len() as u64);
    }
    if found.len() > MOST {
        let what = format!("{} elements match, too many to ask each whether it is visible", found.len());
        return Err(Problem::new(Code::Ambiguous, what).hint("handeye verify count --help"));
    }
    let mut seen = 0;
    for native in found {
        seen += u64::from(surface.probe(native, Aim::default()).await?.is_some_and(|probe| probe.visible));
    }
    Ok(seen)
}
