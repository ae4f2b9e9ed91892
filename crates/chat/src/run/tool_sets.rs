//! The tools of a request, the client's and ours, with their schemas compiled. Clients send the same ones with each request, and many of
//! them the same: what was compiled lately is shared.

use crate::decide::schema::Checks;
use crate::tools::ServerTool;
use crate::wire::{ChatError, ErrorCode, ToolSpec};
use handeye_commands::core::chat_settings::ChatAgent;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Sets that are kept.
const SETS: usize = 64;
/// Bytes of the definitions that they come from and of the patterns in them, of all together.
const BYTES: usize = 16 << 20;
/// How long schemas may take to be compiled.
const COMPILING: Duration = Duration::from_secs(10);

/// What a run may call.
pub(super) struct ToolSet {
    /// The client's tools, then ours.
    pub(super) specs: Vec<ToolSpec>,
    /// What calls of them are held to.
    pub(super) checks: Checks,
    /// Those that are carried out here.
    pub(super) ours: Vec<Arc<dyn ServerTool>>,
}

impl ToolSet {
    fn theirs(&self) -> &[ToolSpec] {
        self.specs.get(..self.specs.len() - self.ours.len()).unwrap_or_default()
    }
}

/// One that is kept.
struct Kept {
    agent: String,
    bytes: usize,
    set: Arc<ToolSet>,
}

/// The sets of late, the latest last.
pub(super) struct ToolSets {
    ours: Vec<Arc<dyn ServerTool>>,
    kept: Mutex<VecDeque<Kept>>,
}

impl ToolSets {
    pub(super) fn new(ours: Vec<Arc<dyn ServerTool>>) -> Self {
        Self { ours, kept: Mutex::default() }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, VecDeque<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What an agent may call, asked by a client that has these tools. What isn't known yet is compiled aside: it takes its time.
    pub(super) async fn of(
        self: &Arc<Self>,
        agent: &ChatAgent,
        theirs: Vec<ToolSpec>,
    ) -> Result<Arc<ToolSet>, ChatError> {
        if let Some(set) = self.known(&agent.id, &theirs) {
            return Ok(set);
        }
        let (sets, agent) = (self.clone(), agent.clone());
        let made = tokio::task::spawn_blocking(move || sets.make(&agent, &theirs));
        let slow =
            |_| ChatError::new(ErrorCode::BadTool, "the schemas of `browser_tools` take too long to be compiled");
        let made = tokio::time::timeout(COMPILING, made).await.map_err(slow)?;
        made.unwrap_or_else(|_| Err(ChatError::new(ErrorCode::Bug, "the schemas of the tools couldn't be compiled")))
    }

    fn make(&self, agent: &ChatAgent, theirs: &[ToolSpec]) -> Result<Arc<ToolSet>, ChatError> {
        if let Some(set) = self.known(&agent.id, theirs) {
            return Ok(set);
        }
        self.refuse_ours(theirs)?;
        let may =
            |tool: &&Arc<dyn ServerTool>| agent.tools.as_ref().is_none_or(|names| names.contains(&tool.spec().name));
        let ours: Vec<Arc<dyn ServerTool>> = self.ours.iter().filter(may).cloned().collect();
        let specs: Vec<ToolSpec> = theirs.iter().cloned().chain(ours.iter().map(|tool| tool.spec().clone())).collect();
        let checks = Checks::compile(theirs, &specs[theirs.len()..])?;
        let written: usize = theirs.iter().map(|tool| tool.description.len() + tool.parameters.python().len()).sum();
        let bytes = written + checks.patterns();
        let set = Arc::new(ToolSet { specs, checks, ours });
        self.keep(Kept { agent: agent.id.clone(), bytes, set: set.clone() });
        Ok(set)
    }

    /// One of the client's can't have the name of one of ours, whether the agent has that or not.
    fn refuse_ours(&self, theirs: &[ToolSpec]) -> Result<(), ChatError> {
        let is_ours = |tool: &ToolSpec| self.ours.iter().any(|known| known.spec().name == tool.name);
        let Some(at) = theirs.iter().position(is_ours) else { return Ok(()) };
        let field = format!("browser_tools[{at}].name");
        let what = format!("`{field}` `{}` is the name of a tool of the server", theirs[at].name);
        Err(ChatError::new(ErrorCode::BadTool, what).at(field))
    }

    fn known(&self, agent: &str, theirs: &[ToolSpec]) -> Option<Arc<ToolSet>> {
        let mut kept = self.kept();
        let at = kept.iter().rposition(|known| known.agent == agent && known.set.theirs() == theirs)?;
        let known = kept.remove(at)?;
        let set = known.set.clone();
        kept.push_back(known);
        Some(set)
    }

    fn keep(&self, new: Kept) {
        let mut kept = self.kept();
        kept.push_back(new);
        let mut bytes: usize = kept.iter().map(|known| known.bytes).sum();
        while bytes > BYTES || kept.len() > SETS {
            let Some(oldest) = kept.pop_front() else { return };
            bytes -= oldest.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Json;
    use serde_json::json;

    fn tool(name: &str, about: &str) -> ToolSpec {
        let parameters = Json::from(&json!({"type": "object"}));
        ToolSpec { name: name.into(), description: about.into(), parameters }
    }

    #[test]
    fn the_same_tools_are_compiled_once_and_others_are_not_taken_for_them() {
        let sets = ToolSets::new(Vec::new());
        let agent = |id: &str| ChatAgent { id: id.into(), ..ChatAgent::default() };
        let of = |id: &str, tools: &[ToolSpec]| sets.make(&agent(id), tools).expect("they are tools");
        let first = of("a", &[tool("t", "")]);
        assert!(Arc::ptr_eq(&first, &of("a", &[tool("t", "")])));
        for (id, tools) in [
            ("b", vec![tool("t", "")]),
            ("a", vec![]),
            ("a", vec![tool("t", "x")]),
            ("a", vec![tool("t", ""), tool("u", "")]),
        ] {
            let other = of(id, &tools);
            assert!(!Arc::ptr_eq(&first, &other));
            assert_eq!(other.specs, tools);
        }
    }

    #[test]
    fn what_is_kept_has_bounds() {
        let sets = ToolSets::new(Vec::new());
        let first = sets.make(&ChatAgent::default(), &[tool("t", "")]).expect("it is a tool");
        for number in 0..SETS + 5 {
            sets.make(&ChatAgent::default(), &[tool("t", &format!("{number} "))]).expect("it is a tool");
        }
        assert_eq!(sets.kept().len(), SETS);
        assert!(!Arc::ptr_eq(&first, &sets.make(&ChatAgent::default(), &[tool("t", "")]).expect("it is a tool")));
        for number in 0..SETS {
            let about = format!("{number}").repeat(400_000);
            sets.make(&ChatAgent::default(), &[tool("t", &about)]).expect("it is a tool");
        }
        assert!(sets.kept().iter().map(|known| known.bytes).sum::<usize>() <= BYTES);
    }
}
