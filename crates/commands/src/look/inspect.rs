//! `inspect`: everything about one target.

use crate::core::args::TargetArgs;
use crate::{Command, Effect, Render, Session};
use handeye_engine::locate::{Located, locate, stale};
use handeye_engine::observe::diff::words;
use handeye_engine::observe::outline::{quote, round};
use handeye_engine::wording::shown::{address, line as line_of, word};
use handeye_engine::{Expectation, Memory};
use handeye_scene::{
    Aim, Code, Cover, EditKind, OptionItem, Point, Probe, Problem, Shown, Surface, Target, Texts, Via, Want,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Show everything about one target
#[derive(Debug, clap::Args, Serialize, Deserialize, JsonSchema)]
pub struct Inspect {
    #[command(flatten)]
    #[serde(flatten)]
    target: TargetArgs,
    /// Read the page by handeye's own script, or by the browser's accessibility tree (ax)
    #[arg(long, value_name = "script|ax", value_parser = crate::core::args::parse_via, default_value = "script", hide_default_value = true)]
    #[serde(default, skip_serializing_if = "crate::core::args::is_usual")]
    via: Via,
}

/// Everything about one target.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Inspected {
    /// As in the state.
    #[serde(flatten)]
    target: Target,
    /// What it says.
    texts: Texts,
    /// Tag name.
    tag: String,
    /// Input type.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Test id attribute.
    testid: Option<String>,
    /// Rendered and not hidden.
    visible: bool,
    /// Not disabled.
    enabled: bool,
    /// On or off, where that applies.
    checked: Option<bool>,
    /// How its content is edited.
    edit: EditKind,
    /// Options of a select.
    options: Vec<OptionItem>,
    /// What its row is about, where it is in one.
    row: Option<String>,
    /// A point at which a pointer hits it; none when it is covered or out of view.
    point: Option<Point>,
    /// What covers it.
    covered_by: Option<String>,
    /// What its own action is called, where the surface prefers that to the pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    activation: Option<String>,
    /// What else the surface tells of it, name and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(String, String)>,
}

impl Render for Inspected {
    fn render(&self) -> String {
        let t = &self.target;
        let mut out = format!("{} {} {}", t.r#ref, handeye_scene::model::role::known(&t.role), quote(&t.name, 500));
        let mut line = |key: &str, value: String| {
            if !value.is_empty() {
                let _ = write!(out, "\n  {key}: {}", line_of(&value, 5_000));
            }
        };
        let quoted = |s: &str| if s.is_empty() { String::new() } else { quote(s, 1500) };
        line(
            "tag",
            format!(
                "{}{}",
                word(&self.tag, 60),
                self.kind.as_ref().map(|k| format!(" type={}", word(k, 40))).unwrap_or_default()
            ),
        );
        line("text", quoted(&self.texts.text));
        line("value", quoted(&self.texts.value));
        line("placeholder", quoted(&self.texts.placeholder));
        line("title", quoted(&self.texts.title));
        line("alt", quoted(&self.texts.alt));
        line("href", t.href.as_deref().map(address).unwrap_or_default());
        line("test id", quoted(self.testid.as_deref().unwrap_or_default()));
        line("row", quoted(self.row.as_deref().unwrap_or_default()));
        line("states", words(t.states));
        line("visible", self.visible.to_string());
        line("enabled", self.enabled.to_string());
        line(
            "rect",
            format!("{},{},{},{}", round(t.rect.x), round(t.rect.y), round(t.rect.width), round(t.rect.height)),
        );
        line("point", self.point.map(|p| format!("{},{}", round(p.x), round(p.y))).unwrap_or_default());
        line("covered by", self.covered_by.clone().unwrap_or_default());
        line("xpath", t.xpath.as_deref().map(|x| word(x, 1_000)).unwrap_or_default());
        let options: Vec<String> = self
            .options
            .iter()
            .map(|o| format!("{}{}", quote(&o.label, 80), if o.selected { " selected" } else { "" }))
            .collect();
        line("options", options.join(", "));
        line("activation", self.activation.clone().unwrap_or_default());
        for (key, value) in &self.facts {
            line(key, value.clone());
        }
        out
    }
}

impl Command for Inspect {
    const NAME: &'static str = "inspect";
    const EFFECT: Effect = Effect::Reads;
    type Output = Inspected;

    fn refs(&self) -> Vec<u32> {
        self.target.refs()
    }
    async fn run(self, session: &mut Session) -> Result<Inspected, Problem> {
        let (surface, memory, _) = session.parts()?;
        let aim = Aim { scroll: false, point: true, ..Aim::default() };
        let (_, mut probe) = probe(surface, memory, &self.target, aim).await?;
        if self.via == Via::Ax {
            say_as_the_browser(surface, &mut probe).await?;
        }
        let target = as_target(&probe, memory);
        Ok(Inspected {
            target,
            texts: probe.texts,
            tag: probe.tag,
            kind: probe.kind,
            testid: probe.testid,
            visible: probe.visible,
            enabled: probe.enabled,
            checked: probe.checked,
            edit: probe.edit,
            options: probe.options,
            row: probe.row.map(|r| r.text),
            point: probe.point,
            activation: probe.activation,
            facts: probe.facts,
            covered_by: probe.cover.map(|c: Cover| format!("{} {}", c.role, quote(&c.name, 80))),
        })
    }
}

/// Puts what the browser's accessibility tree says of an element in the place of what the page's script says.
async fn say_as_the_browser(surface: &mut dyn Surface, probe: &mut Probe) -> Result<(), Problem> {
    let want = Want { scope: Some(probe.id), via: Via::Ax, ..Want::default() };
    let capture = surface.capture(want).await?;
    let node = capture.nodes.into_iter().find(|n| n.id == Some(probe.id)).ok_or_else(|| {
        let text = format!("the browser's accessibility tree doesn't list {} {}", probe.role, quote(&probe.name, 80));
        Problem::new(Code::NotFound, text).hint("handeye state --via ax")
    })?;
    (probe.role, probe.name, probe.states) = (node.role, node.name, node.states);
    if let Some(value) = node.value {
        probe.texts.value = value;
    }
    Ok(())
}

/// Finds the target that is meant and looks at it; gone is a problem.
pub async fn probe(
    surface: &mut dyn Surface,
    memory: &mut Memory,
    target: &TargetArgs,
    aim: Aim,
) -> Result<(Located, Probe), Problem> {
    let located = locate(surface, memory, &target.locators()?, &Expectation::Any).await?;
    match surface.probe(located.native, aim).await? {
        Some(probe) => Ok((located, probe)),
        None => {
            let capture = surface.capture(Want::default()).await?;
            let number = memory.refs.number(located.native);
            Err(stale(memory, number, &located.shown.clone().unwrap_or_default(), &capture))
        }
    }
}

/// What was looked at as a target, noted as shown.
pub fn as_target(probe: &Probe, memory: &mut Memory) -> Target {
    let known = memory.refs.number(probe.id).and_then(|n| memory.refs.get(n));
    let self_changing = known.is_some_and(|k| k.shown.self_changing);
    let shown = Shown { self_changing, ..handeye_engine::matching::shown_now(probe) };
    Target::of(probe, memory.refs.show_as(probe.id, shown))
}
