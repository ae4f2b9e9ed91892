//! What a command is: one declaration, from which come the command line, its help, the wire form and the schemas.

use crate::core::aims::Aiming;
use crate::core::session::Kind;
use crate::core::steps::Plan;
use crate::core::wrong_args;
use crate::{Effect, Host, Render, Session};
use handeye_scene::{Code, Hint, Problem, Ref, Verdict};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// A command that runs on a session.
pub trait Command: clap::Args + Serialize + DeserializeOwned + JsonSchema + Send + Sized + 'static {
    /// Its name on the command line and on the wire.
    const NAME: &'static str;
    /// What it does to the world.
    const EFFECT: Effect;
    /// Whether [`Command::effect`] depends on what is asked for.
    const VARIES: bool = false;
    /// What it returns.
    type Output: Serialize + JsonSchema + Render;

    /// What this call of it does to the world.
    fn effect(&self) -> Effect {
        Self::EFFECT
    }

    /// Whether this call of it asks language or vision models, so that the caller's keys go with it.
    fn asks_models(&self) -> bool {
        false
    }

    /// The targets that it names by number, of whichever surface: the call is for the surface that gave them out.
    fn refs(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Puts arguments as written on a command line into the wire form: positional words to their members.
    fn normalize_args(self) -> Result<Self, Problem> {
        Ok(self)
    }

    /// Makes relative paths absolute where the caller is: what runs the command has a working folder of its own.
    fn resolve_paths(self) -> Result<Self, Problem> {
        Ok(self)
    }

    /// Does it.
    fn run(self, session: &mut Session) -> impl Future<Output = Result<Self::Output, Problem>> + Send;
}

/// A command that is a list of others.
pub trait StepsCommand: clap::Args + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What it returns.
    type Output: Serialize + JsonSchema + Render;
    /// The others.
    fn plan(self) -> Result<Plan, Problem>;
}

/// A command that stands for the one that serves an aim.
pub trait AimCommand: clap::Args + Serialize + DeserializeOwned + JsonSchema + 'static {
    /// Its name.
    const NAME: &'static str;
    /// What it returns.
    type Output: Serialize + JsonSchema + Render;
    /// The aim.
    fn aiming(self) -> Result<Aiming, Problem>;
}

/// What a command returned, types erased.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// For people and models.
    pub text: String,
    /// For programs.
    pub data: Value,
    /// Decides the exit status.
    pub verdict: Verdict,
    /// Commands to run next.
    pub hints: Vec<Hint>,
}

impl Reply {
    /// Both renderings of one value.
    pub fn of<T: Serialize + Render>(output: &T) -> Result<Self, Problem> {
        let data = serde_json::to_value(output)
            .map_err(|e| Problem::new(Code::Bug, format!("can't write the result as JSON: {e}")))?;
        Ok(Self { text: output.render(), data, verdict: output.verdict(), hints: output.hints() })
    }
}

/// A boxed run of a command.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<Reply, Problem>> + Send + 'a>>;

/// Where a command runs.
pub enum Run {
    /// In the session's daemon.
    Session(for<'a> fn(Value, &'a mut Session) -> Running<'a>),
    /// Where the user is: it needs no session, or handles all of them.
    Host(fn(Value, &dyn Host) -> Result<Reply, Problem>),
    /// In the session's daemon, as calls of other commands, each of which passes through every layer.
    Steps(fn(Value) -> Result<Plan, Problem>),
    /// In the session's daemon, as a look and the command that serves an aim, each of which passes through every layer.
    Aim(fn(Value) -> Result<Aiming, Problem>),
}

/// A command with its types erased: all that a front end may know.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// What a call of it does to the world, where that depends on its arguments.
    pub effect_of: Option<fn(Value) -> Result<Effect, Problem>>,
    /// The targets that a call of it names by number. Arguments that are wrong name none: running it tells what is wrong.
    pub refs: fn(&Value) -> Vec<Ref>,
    /// The one kind of surface that it is for; none where any will do.
    pub on: Option<Kind>,
    /// Whether it opens what it is for, where that isn't open yet.
    pub opens: bool,
    /// Whether a call of it asks language or vision models, so that the caller's keys go with it.
    pub asks_models: fn(&Value) -> bool,
    /// Its arguments as a clap subcommand.
    pub cli: fn() -> clap::Command,
    /// Schema of its arguments, which is built once.
    pub schema: fn() -> Arc<Value>,
    /// Schema of what it returns, likewise.
    pub output: fn() -> Arc<Value>,
    /// Whether arguments are in the wire form.
    pub check: fn(&Value) -> Result<(), Problem>,
    /// Arguments in the wire form, with relative paths made absolute where this is called.
    pub resolve_paths: fn(Value) -> Result<Value, Problem>,
    /// Parsed arguments to the wire form, with relative paths made absolute.
    pub from_cli: fn(&clap::ArgMatches) -> Result<Value, Problem>,
    /// Runs it.
    pub run: Run,
}

/// Whether a call states a text: where the target turns out to have none, a model judges its picture by it.
fn describes(args: &Value) -> bool {
    args.get("expect").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
}

impl Entry {
    /// The entry of a command that runs on a session.
    pub const fn of<C: Command>() -> Self {
        Entry {
            name: C::NAME,
            effect: C::EFFECT,
            effect_of: if C::VARIES { Some(|args| Ok(from_wire::<C>(C::NAME, args)?.effect())) } else { None },
            refs: |args| {
                let command = from_wire::<C>(C::NAME, args.clone());
                command.map_or_else(|_| Vec::new(), |command| command.refs().into_iter().map(Ref).collect())
            },
            on: None,
            opens: false,
            asks_models: |args| {
                describes(args) || from_wire::<C>(C::NAME, args.clone()).is_ok_and(|command| command.asks_models())
            },
            cli: || C::augment_args(clap::Command::new(C::NAME)),
            schema: || schema_of::<C>(C::NAME, "arguments"),
            output: || schema_of::<C::Output>(C::NAME, "output"),
            check: |args| from_wire::<C>(C::NAME, args.clone()).map(drop),
            resolve_paths: |args| to_wire(from_wire::<C>(C::NAME, args)?.resolve_paths()?),
            from_cli: |matches| to_wire(parse::<C>(matches)?.normalize_args()?.resolve_paths()?),
            run: Run::Session(|args, session| {
                Box::pin(async move {
                    let command: C = from_wire(C::NAME, args)?;
                    Reply::of(&command.run(session).await?)
                })
            }),
        }
    }

    /// The same for one kind of surface alone.
    pub const fn on(self, kind: Kind) -> Self {
        Entry { on: Some(kind), ..self }
    }

    /// The same, opening what it is for where that isn't open yet.
    pub const fn opening(self) -> Self {
        Entry { opens: true, ..self }
    }

    /// The entry of a command that runs where the user is.
    pub const fn host<C: crate::HostCommand>() -> Self {
        Entry {
            name: C::NAME,
            effect: Effect::Manages,
            effect_of: None,
            refs: |_| Vec::new(),
            on: None,
            opens: false,
            asks_models: |_| false,
            cli: || C::augment_args(clap::Command::new(C::NAME)),
            schema: || schema_of::<C>(C::NAME, "arguments"),
            output: || schema_of::<C::Output>(C::NAME, "output"),
            check: |args| from_wire::<C>(C::NAME, args.clone()).map(drop),
            resolve_paths: Ok,
            from_cli: |matches| to_wire(parse::<C>(matches)?),
            run: Run::Host(|args, host| {
                let command: C = from_wire(C::NAME, args)?;
                Reply::of(&command.run(host)?)
            }),
        }
    }

    /// The entry of a command that stands for the one that serves an aim.
    pub const fn aim<C: AimCommand>() -> Self {
        Entry {
            name: C::NAME,
            effect: Effect::Acts,
            effect_of: None,
            refs: |_| Vec::new(),
            on: None,
            opens: false,
            asks_models: |_| true,
            cli: || C::augment_args(clap::Command::new(C::NAME)),
            schema: || schema_of::<C>(C::NAME, "arguments"),
            output: || schema_of::<C::Output>(C::NAME, "output"),
            check: |args| from_wire::<C>(C::NAME, args.clone()).and_then(C::aiming).map(drop),
            resolve_paths: |args| to_wire(from_wire::<C>(C::NAME, args)?),
            from_cli: |matches| to_wire(parse::<C>(matches)?),
            run: Run::Aim(|args| from_wire::<C>(C::NAME, args)?.aiming()),
        }
    }

    /// The entry of a command that is a list of others.
    pub const fn steps<C: StepsCommand>() -> Self {
        Entry {
            name: C::NAME,
            effect: Effect::Acts,
            effect_of: None,
            refs: |_| Vec::new(),
            on: None,
            opens: false,
            asks_models: |_| false,
            cli: || C::augment_args(clap::Command::new(C::NAME)),
            schema: || schema_of::<C>(C::NAME, "arguments"),
            output: || schema_of::<C::Output>(C::NAME, "output"),
            check: |args| from_wire::<C>(C::NAME, args.clone()).map(drop),
            resolve_paths: |args| to_wire(from_wire::<C>(C::NAME, args)?),
            from_cli: |matches| to_wire(parse::<C>(matches)?),
            run: Run::Steps(|args| from_wire::<C>(C::NAME, args)?.plan()),
        }
    }
}

fn parse<C: clap::Args>(matches: &clap::ArgMatches) -> Result<C, Problem> {
    C::from_arg_matches(matches).map_err(|e| Problem::new(Code::BadRequest, e.to_string().trim().to_owned()))
}

fn to_wire<C: Serialize>(command: C) -> Result<Value, Problem> {
    serde_json::to_value(command)
        .map_err(|e| Problem::new(Code::Bug, format!("can't write the arguments as JSON: {e}")))
}

fn from_wire<C: DeserializeOwned + JsonSchema>(name: &'static str, args: Value) -> Result<C, Problem> {
    // An absent `args` means none.
    let args = if args.is_null() { Value::Object(serde_json::Map::new()) } else { args };
    let wrong = |what: String| {
        Problem::new(Code::BadRequest, format!("the arguments of `{name}` are wrong: {what}"))
            .hint(format!("handeye {name} --help"))
    };
    let known = members::<C>(name);
    if let Some(unknown) = args.as_object().and_then(|args| args.keys().find(|key| !known.contains(key.as_str()))) {
        return Err(wrong(format!("there is no `{unknown}`")));
    }
    C::deserialize(&args).or_else(|e| {
        // Some programs write every value as a text.
        let schema = schema_of::<C>(name, "arguments");
        let unquoted = wrong_args::with_numbers(&schema, &args).and_then(|args| C::deserialize(&args).ok());
        unquoted.ok_or_else(|| wrong(wrong_args::told::<C>(&args, &e.to_string())))
    })
}

/// The schema of a type that stands for this of a command. It is built once.
fn schema_of<T: JsonSchema>(name: &'static str, what: &'static str) -> Arc<Value> {
    static BUILT: Mutex<BTreeMap<(&str, &str), Arc<Value>>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    built.entry((name, what)).or_insert_with(|| Arc::new(schemars::schema_for!(T).to_value())).clone()
}

/// Names of members.
type Members = Arc<HashSet<String>>;

/// The members that a command's schema has. (`deny_unknown_fields` can't be had together with
/// flattened members.)
fn members<C: JsonSchema>(name: &'static str) -> Members {
    static KNOWN: Mutex<BTreeMap<String, Members>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(members) = known.get(name) {
        return members.clone();
    }
    let mut members = HashSet::new();
    collect_properties(&schema_of::<C>(name, "arguments"), &mut members);
    let members = Arc::new(members);
    known.insert(name.to_owned(), members.clone());
    members
}

fn collect_properties(schema: &Value, known: &mut HashSet<String>) {
    known.extend(schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(k, _)| k.clone()));
    for key in ["oneOf", "anyOf", "allOf"] {
        for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            collect_properties(part, known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::find::Find;

    #[test]
    fn schemas_are_built_once() {
        let (one, two) = (Entry::of::<Find>(), Entry::of::<Find>());
        assert!(Arc::ptr_eq(&(one.schema)(), &(two.schema)()));
        assert!(Arc::ptr_eq(&(one.output)(), &(two.output)()));
        assert_ne!((one.schema)(), (one.output)());
    }
}
