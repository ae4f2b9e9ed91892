//! A call of a tool as the command that it means, and what a caller may write wrong there.

use super::port::{Asked, Options};
use super::{answer, tools};
use handeye_commands::core::schema;
use handeye_commands::dispatch::find;
use handeye_commands::{Entry, ReturnState};
use handeye_scene::{Backend, Code, Hint, Problem};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The command and arguments that a call of a tool means.
pub(super) fn asked(tool: &str, mut args: Map<String, Value>) -> Result<Asked, Problem> {
    if tool != tools::RUN {
        let entry = find(tool).ok_or_else(|| unknown(tool))?;
        let options = options(entry, &mut args)?;
        return Ok(Asked { entry, args: Value::Object(args), options });
    }
    let entry = named(&args)?;
    args.remove("command");
    let mut inner = match args.remove("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(inner)) => inner,
        Some(_) => return Err(Problem::new(Code::BadRequest, "`arguments` is an object").hint(help(entry))),
    };
    // Beside the arguments, or among them as for a tool of its own.
    args.extend(options_among(entry, &mut inner));
    let options = Options {
        return_state: take::<ReturnState>(&mut args, "return_state")?,
        timeout: take::<f64>(&mut args, "timeout")?,
        window: take::<String>(&mut args, "window")?,
        backend: take::<Backend>(&mut args, "backend")?,
    };
    match args.keys().next() {
        None => Ok(Asked { entry, args: Value::Object(inner), options }),
        Some(stray) => {
            let message = format!("`run` has no `{stray}`: what a command takes goes into `arguments`");
            Err(Problem::new(Code::BadRequest, message).hint(help(entry)))
        }
    }
}

fn options(entry: &Entry, args: &mut Map<String, Value>) -> Result<Options, Problem> {
    let mut given = options_among(entry, args);
    Ok(Options {
        return_state: take::<ReturnState>(&mut given, "return_state")?,
        timeout: take::<f64>(&mut given, "timeout")?,
        window: take::<String>(&mut given, "window")?,
        backend: take::<Backend>(&mut given, "backend")?,
    })
}

/// Takes the options of every command out of arguments, but for what the command itself calls so.
fn options_among(entry: &Entry, args: &mut Map<String, Value>) -> Map<String, Value> {
    let schema = schema::whole(&(entry.schema)());
    let own = |name: &str| schema.get("properties").is_some_and(|members| members.get(name).is_some());
    let theirs = tools::OPTIONS.iter().filter(|name| !own(name));
    theirs.filter_map(|name| Some(((*name).to_owned(), args.remove(*name)?))).collect()
}

fn take<T: DeserializeOwned>(args: &mut Map<String, Value>, name: &str) -> Result<Option<T>, Problem> {
    let Some(value) = args.remove(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let wrong = |e| Problem::new(Code::BadRequest, format!("`{name}` is wrong: {e}"));
    serde_json::from_value(value).map(Some).map_err(wrong)
}

/// The command that `run` and `help` name.
pub(super) fn named(args: &Map<String, Value>) -> Result<&'static Entry, Problem> {
    match args.get("command") {
        Some(Value::String(name)) => find(name).ok_or_else(|| unknown(name)),
        _ => Err(Problem::new(Code::BadRequest, "`command` is the name of a command").hint("handeye help")),
    }
}

fn unknown(name: &str) -> Problem {
    Problem::new(Code::BadRequest, format!("there is no command `{}`", answer::shortened(name))).hint("handeye help")
}

fn help(entry: &Entry) -> Hint {
    Hint::command(entry.name).arg("--help")
}
