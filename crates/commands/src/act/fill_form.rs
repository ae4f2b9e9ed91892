//! `fill-form`: put values into several fields, as long as each takes its own.

use crate::core::acting::act_aimed;
use crate::core::render::count;
use crate::{Command, Effect, Render, Session};
use handeye_engine::act::filling::{Filling, Takes, filling};
use handeye_engine::locate::Locator;
use handeye_engine::wording::shown::{MESSAGE, line};
use handeye_engine::{Action, AimedAt, Expectation};
use handeye_scene::{Aim, Code, Hint, Problem, Receipt, Ref, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How many fields of one call, at most.
const MOST: usize = 200;

/// Put values into several fields: texts into fields, options into lists, on or off into checkboxes and the like. All are looked at before the first, and it stops at one that isn't confirmed
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(override_usage = "handeye fill-form [OPTIONS] REF=VALUE...")]
pub struct FillForm {
    /// Numbers of fields, each with its value, such as 3="Ann Lee" 5=on 7=Red; of a list of several options one REF=VALUE for each
    #[arg(value_name = "REF=VALUE")]
    #[serde(skip)]
    words: Vec<String>,
    /// Fields in the order in which they are filled
    #[arg(skip)]
    fields: Vec<Field>,
}

/// A field, and what to put into it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Its number
    r#ref: u32,
    /// What to put in
    value: Filling,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Filled {
    /// What was done, field by field.
    pub fields: Vec<Receipt>,
    /// How many were to be filled.
    pub planned: usize,
    /// Number of the field that the rest waited for in vain; null where all were filled.
    pub stopped_at: Option<u32>,
    /// The problem that it stopped at; null where it was a verdict, or none.
    pub error: Option<Problem>,
}

impl Render for Filled {
    fn render(&self) -> String {
        let mut out: String = self.fields.iter().map(|receipt| format!("{}\n", receipt.render())).collect();
        if let Some(problem) = &self.error {
            out.push_str(&format!("error[{}]: {}\n", problem.code.word(), line(&problem.message, MESSAGE)));
        }
        out.push_str(&match self.stopped_at {
            None => format!("fill-form: {} filled", count(self.planned, "field")),
            Some(at) => {
                let done = self.fields.iter().filter(|receipt| receipt.verdict == Verdict::Confirmed).count();
                format!("fill-form: stopped at [{at}]; {done} of {} filled", self.planned)
            }
        });
        out
    }

    fn hints(&self) -> Vec<Hint> {
        let last = self.fields.last().map(|receipt| receipt.hints.clone()).unwrap_or_default();
        self.error.as_ref().map_or(last, |problem| problem.hints.clone())
    }

    fn verdict(&self) -> Verdict {
        match (self.stopped_at, self.fields.last()) {
            (None, _) => Verdict::Confirmed,
            (Some(_), Some(receipt)) if self.error.is_none() => receipt.verdict,
            (Some(_), _) => Verdict::Contradicted,
        }
    }
}

impl Command for FillForm {
    const NAME: &'static str = "fill-form";
    const EFFECT: Effect = Effect::Acts;
    type Output = Filled;

    fn refs(&self) -> Vec<u32> {
        self.fields.iter().map(|field| field.r#ref).collect()
    }

    fn normalize_args(mut self) -> Result<Self, Problem> {
        for word in std::mem::take(&mut self.words) {
            let field = read(&word)?;
            match self.fields.iter_mut().find(|known| known.r#ref == field.r#ref) {
                Some(known) => known.value = joined(&known.value, field.value),
                None => self.fields.push(field),
            }
        }
        self.check()?;
        Ok(self)
    }

    async fn run(self, session: &mut Session) -> Result<Filled, Problem> {
        self.check()?;
        let planned = self.fields.len();
        for field in &self.fields {
            action(session, field).await?;
        }
        let mut filled = Filled { fields: Vec::new(), planned, stopped_at: None, error: None };
        for field in &self.fields {
            match fill(session, field).await {
                Ok(receipt) => filled.fields.push(receipt),
                // Of what was done before, the caller must be told.
                Err(problem) if !filled.fields.is_empty() => filled.error = Some(problem),
                Err(problem) => return Err(problem),
            }
            let is_amiss = filled.fields.last().is_some_and(|receipt| receipt.verdict != Verdict::Confirmed);
            if is_amiss || filled.error.is_some() {
                filled.stopped_at = Some(field.r#ref);
                break;
            }
        }
        Ok(filled)
    }
}

impl FillForm {
    fn check(&self) -> Result<(), Problem> {
        let wrong = |what: String| Err(Problem::new(Code::BadRequest, what).hint("handeye fill-form 3=TEXT 5=on"));
        if self.fields.is_empty() {
            return wrong("what to fill in is missing".into());
        }
        if self.fields.len() > MOST {
            return wrong(format!("there are {} fields, more than {MOST}", self.fields.len()));
        }
        let mut named = HashSet::new();
        match self.fields.iter().find(|field| !named.insert(field.r#ref)) {
            Some(twice) => wrong(format!("[{}] is named twice", twice.r#ref)),
            None => Ok(()),
        }
    }
}

/// `3=Ann Lee`, as on a command line.
fn read(word: &str) -> Result<Field, Problem> {
    let wrong = || {
        let what = format!("`{word}` is no REF=VALUE, such as 3=\"Ann Lee\"");
        Problem::new(Code::BadRequest, what).hint("handeye fill-form 3=TEXT 5=on").hint("handeye state")
    };
    let (number, value) = word.split_once('=').ok_or_else(wrong)?;
    let r#ref = number.trim().trim_start_matches('[').trim_end_matches(']').parse().map_err(|_| wrong())?;
    Ok(Field { r#ref, value: Filling::Text(value.to_owned()) })
}

/// The values of one field that was named several times.
fn joined(known: &Filling, more: Filling) -> Filling {
    let texts = |value: &Filling| match value {
        Filling::On(on) => vec![on.to_string()],
        Filling::Text(text) => vec![text.clone()],
        Filling::Options(options) => options.clone(),
    };
    Filling::Options([texts(known), texts(&more)].concat())
}

/// What filling a field comes to, by what it is now.
async fn action(session: &mut Session, field: &Field) -> Result<Action, Problem> {
    let number = Ref(field.r#ref);
    let known = session.memory.refs.known(number)?.clone();
    let stale = || {
        let what = format!("{number} is gone: its element was removed or its document was left");
        Problem::new(Code::Stale, what).hint("handeye state")
    };
    let surface = session.surface()?;
    surface.turn_to(known.native);
    let probe = surface.probe(known.native, Aim::default()).await?.ok_or_else(stale)?;
    let name = handeye_engine::wording::targets::called(&probe.role, &probe.name);
    filling(&field.value, Takes::from(&probe), &format!("{number} {name}"), field.r#ref)
}

async fn fill(session: &mut Session, field: &Field) -> Result<Receipt, Problem> {
    let action = action(session, field).await?;
    let aim = AimedAt::Target(vec![Locator::Ref(Ref(field.r#ref))]);
    act_aimed(session, aim, Expectation::LastShown, action).await
}
