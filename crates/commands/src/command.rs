//! What a command is: one declaration, from which come the command line, its help, the wire form and the schemas.

use crate::session::Kind;
use crate::{Effect, Host, Render, Session};
use handeye_scene::{Code, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

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

    /// Puts arguments as written on a command line into the wire form: positional words to their members, relative paths to
    /// absolute ones.
    fn tidy(self) -> Result<Self, Problem> {
        Ok(self)
    }

    /// Does it.
    fn run(self, session: &mut Session) -> impl Future<Output = Result<Self::Output, Problem>> + Send;
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
}

impl Reply {
    /// Both renderings of one value.
    pub fn of<T: Serialize + Render>(output: &T) -> Result<Self, Problem> {
        let data = serde_json::to_value(output)
            .map_err(|e| Problem::new(Code::Bug, format!("can't write the result as JSON: {e}")))?;
        Ok(Self { text: output.render(), data, verdict: output.verdict() })
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
}

/// A command with its types erased: all that a front end may know.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// What a call of it does to the world, where that depends on its arguments.
    pub effect_of: Option<fn(Value) -> Result<Effect, Problem>>,
    /// The one kind of surface that it is for; none where any will do.
    pub on: Option<Kind>,
    /// Whether it opens what it is for, where that isn't open yet.
    pub opens: bool,
    /// Its arguments as a clap subcommand.
    pub cli: fn() -> clap::Command,
    /// Schema of its arguments.
    pub schema: fn() -> schemars::Schema,
    /// Schema of what it returns.
    pub output: fn() -> schemars::Schema,
    /// Parsed arguments to the wire form.
    pub from_cli: fn(&clap::ArgMatches) -> Result<Value, Problem>,
    /// Runs it.
    pub run: Run,
}

impl Entry {
    /// The entry of a command that runs on a session.
    pub const fn of<C: Command>() -> Self {
        Entry {
            name: C::NAME,
            effect: C::EFFECT,
            effect_of: if C::VARIES { Some(|args| Ok(from_wire::<C>(C::NAME, args)?.effect())) } else { None },
            on: None,
            opens: false,
            cli: || C::augment_args(clap::Command::new(C::NAME)),
            schema: || schemars::schema_for!(C),
            output: || schemars::schema_for!(C::Output),
            from_cli: |matches| to_wire(parse::<C>(matches)?.tidy()?),
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
            on: None,
            opens: false,
            cli: || C::augment_args(clap::Command::new(C::NAME)),
            schema: || schemars::schema_for!(C),
            output: || schemars::schema_for!(C::Output),
            from_cli: |matches| to_wire(parse::<C>(matches)?),
            run: Run::Host(|args, host| {
                let command: C = from_wire(C::NAME, args)?;
                Reply::of(&command.run(host)?)
            }),
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

fn from_wire<C: DeserializeOwned + JsonSchema>(name: &str, args: Value) -> Result<C, Problem> {
    // An absent `args` means none.
    let args = if args.is_null() { Value::Object(serde_json::Map::new()) } else { args };
    let wrong = |what: String| {
        Problem::new(Code::BadRequest, format!("the arguments of `{name}` are wrong: {what}"))
            .hint(format!("handeye {name} --help"))
    };
    if let Some(unknown) = unknown_member(&schemars::schema_for!(C), &args) {
        return Err(wrong(format!("there is no `{unknown}`")));
    }
    serde_json::from_value(args).map_err(|e| wrong(e.to_string()))
}

/// A member of `args` that the schema doesn't have. (`deny_unknown_fields` can't be had together with flattened members.)
fn unknown_member(schema: &schemars::Schema, args: &Value) -> Option<String> {
    let mut known = Vec::new();
    collect_properties(schema.as_value(), &mut known);
    args.as_object()?.keys().find(|k| !known.contains(&k.as_str())).cloned()
}

fn collect_properties<'a>(schema: &'a Value, known: &mut Vec<&'a str>) {
    known.extend(schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(k, _)| k.as_str()));
    for key in ["oneOf", "anyOf", "allOf"] {
        for part in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
            collect_properties(part, known);
        }
    }
}
