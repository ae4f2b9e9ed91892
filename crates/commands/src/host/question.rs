//! `extract` and `observe`: one question to the configured model about what is in sight.

use crate::host::do_task::read_schema;
use crate::{Host, HostCommand, Render};
use handeye_engine::wording::shown::line;
use handeye_scene::question::{Extract as Extracted, Extracting, Observed, Observing};
use handeye_scene::{Code, Problem, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::PathBuf;

/// Characters of one text.
const TEXT: usize = 300;

/// Read data from the page in the form of a schema, each value with the target that shows it
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "The model is that of the role agent (`handeye models list`); it sees the state of the session. Its data must\nsatisfy the schema, and each value must be shown by the text that is named for it: what isn't is given back\nto the model twice, and then named as unproven.\n\nExit status: 0 every value is proven; 1 some aren't; 2 a problem.\n\nExamples:\n  handeye extract --schema product.json --json\n  handeye extract \"the three cheapest\" --schema list.json --json"
)]
pub struct Extract {
    /// What is wanted, where the schema doesn't say all
    #[arg(value_name = "WHAT")]
    #[serde(default)]
    want: Option<String>,
    /// JSON Schema of the data
    #[arg(long, value_name = "FILE")]
    schema: PathBuf,
}

impl HostCommand for Extract {
    const NAME: &'static str = "extract";
    type Output = Extracted;

    fn run(self, host: &dyn Host) -> Result<Extracted, Problem> {
        host.extract(&Extracting { want: self.want, schema: read_schema(&self.schema)? })
    }
}

impl Render for Extracted {
    fn render(&self) -> String {
        let mut out = serde_json::to_string_pretty(&self.data).unwrap_or_default();
        for source in &self.sources {
            let number = source.r#ref.map(|number| format!("[{number}] ")).unwrap_or_default();
            let _ = write!(out, "\n{} {number}{}", line(&source.path, TEXT), line(&source.text, TEXT));
        }
        for fault in &self.unproven {
            let _ = write!(out, "\nunproven {}: {}", line(&fault.path, TEXT), line(&fault.reason, TEXT));
        }
        warned(&mut out, &self.warnings);
        answers(&mut out, &self.model, self.model_calls);
        out
    }

    fn verdict(&self) -> Verdict {
        if self.unproven.is_empty() { Verdict::Confirmed } else { Verdict::Unverifiable }
    }
}

/// Name actions on the page that serve an aim, as commands that aren't run
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
#[command(
    after_help = "The model is that of the role agent (`handeye models list`); it sees the state of the session. Each candidate is\nheld to what its target shows. Nothing is done.\n\nWhat was found is kept, by the page's origin and path and the aim's words: where each candidate still finds exactly\none target of that role that shows the same, no model is asked the next time; else it is asked anew.\n\nExit status: 0 there are some; 1 there is none; 2 a problem.\n\nExamples:\n  handeye observe \"log in\"\n  handeye observe \"find the settings of notifications\" --json"
)]
pub struct Observe {
    /// The aim, in your words
    #[arg(value_name = "AIM")]
    aim: String,
    /// Ask the model, also where it was learnt before
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    anew: bool,
}

impl HostCommand for Observe {
    const NAME: &'static str = "observe";
    type Output = Observed;

    fn run(self, host: &dyn Host) -> Result<Observed, Problem> {
        if self.aim.trim().is_empty() {
            return Err(Problem::new(Code::BadRequest, "the aim is empty: say what is to be done")
                .hint("handeye observe --help"));
        }
        host.observe(&Observing { aim: self.aim, anew: self.anew })
    }
}

impl Render for Observed {
    fn render(&self) -> String {
        let told = |c: &handeye_scene::question::Candidate| {
            format!("{}\n  {}: {}", c.run, line(&c.target, TEXT), line(&c.why, TEXT))
        };
        let mut out = match &self.reason {
            Some(reason) => format!("nothing to do: {}", line(reason, TEXT)),
            None => self.candidates.iter().map(told).collect::<Vec<_>>().join("\n"),
        };
        if self.learnt {
            warned(&mut out, &self.warnings);
            out.push_str("\nlearnt before, and found again: no model was asked");
            return out;
        }
        warned(&mut out, &self.warnings);
        answers(&mut out, &self.model, self.model_calls);
        out
    }

    fn verdict(&self) -> Verdict {
        if self.candidates.is_empty() { Verdict::NoEffect } else { Verdict::Confirmed }
    }
}

fn warned(out: &mut String, warnings: &[String]) {
    for warning in warnings {
        let _ = write!(out, "\nwarning: {}", line(warning, TEXT));
    }
}

fn answers(out: &mut String, model: &str, calls: u32) {
    let _ = write!(out, "\n{calls} answers of {}", line(model, 80));
}
