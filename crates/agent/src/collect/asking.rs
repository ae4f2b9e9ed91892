//! What the model is asked: examples on the first page, all items on the pages that the rule is held to.

use crate::collect::pick::{self, Checked, Example, Pick};
use crate::collect::port::{CollectPorts, Stop};
use crate::collect::rule::Page;
use crate::collect::site::Site;
use crate::fence;
use crate::prompt::Prompt;
use crate::transcript::Transcript;
use handeye_engine::wording::shown;
use handeye_scene::chat::{ChatRequest, Stop as Ended, Tool};
use handeye_scene::collect::StoppedBy;
use handeye_scene::{Code, Problem};
use std::collections::BTreeSet;
use url::Url;

/// Answers of the model at most, whatever the number of pages.
pub const CALLS: u32 = 6;
/// Examples that are enough.
const EXAMPLES: usize = 3;
/// Answers about one page at most.
const ANSWERS: u32 = 3;
/// Tokens of one answer at most.
const ANSWER: u32 = 8_192;
/// Characters of the conversation at most.
const CONVERSATION: usize = 160_000;

/// The prompt.
pub fn prompt() -> Prompt {
    let text = include_str!("../prompts/collect.md");
    let (version, text) = text.split_once('\n').unwrap_or(("", text));
    Prompt { version, text }
}

/// How much of a page is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// A few items.
    Examples,
    /// All of them.
    All,
}

/// A conversation with the model.
pub struct Asking<'a> {
    ports: &'a CollectPorts<'a>,
    site: &'a Site<'a>,
    talk: Transcript,
    tools: Vec<Tool>,
    fields: &'a [String],
    /// Answers so far.
    pub calls: u32,
}

/// What the model picks of a page.
#[derive(Debug, Default)]
pub struct Picked {
    /// What holds, each item once.
    pub good: Vec<Example>,
    /// What leads to the next page.
    pub next: Option<String>,
    /// What the model says of it.
    pub reasoning: String,
    /// Whether the page was too long to be shown as a whole.
    pub is_folded: bool,
    /// Whether all of its last answer holds.
    pub is_clean: bool,
    /// Where those of its last answer lead that don't.
    pub doubtful: BTreeSet<Url>,
}

impl<'a> Asking<'a> {
    /// One about what is wanted.
    pub fn new(ports: &'a CollectPorts<'a>, site: &'a Site<'a>, want: &str, fields: &'a [String]) -> Self {
        let mut text = format!("What is to be collected: {want}");
        if !fields.is_empty() {
            text.push_str(&format!("\nFields of each item: {}", fields.join(", ")));
        }
        Self { ports, site, talk: Transcript::new(&text), tools: vec![pick::tool(fields)], fields, calls: 0 }
    }

    /// Whether the model may be asked again.
    pub fn may_ask(&self) -> bool {
        self.calls < CALLS
    }

    /// Lets the model pick items of a page. Pairs that don't hold are given back, until enough hold.
    pub fn pick(&mut self, page: &Page, number: u32, wanted: Wanted) -> Result<Picked, Stop> {
        let (text, marks, is_folded) = self.site.state()?;
        let from = fence::origin(page.url.as_str());
        self.talk.shown("state", fence::fenced(&from, &text));
        self.talk.say(match wanted {
            Wanted::Examples => {
                "This is the first page of the list. Pick 3 to 5 of its items as examples, from different places of the list, and name what leads to the next page."
                    .to_owned()
            }
            Wanted::All => format!(
                "This is page {number} of the list. Pick ALL items that it shows, not just examples. Leave out what is no item."
            ),
        });
        let mut picked = Picked { is_folded, ..Picked::default() };
        for _ in 0..ANSWERS {
            if !self.may_ask() {
                break;
            }
            let Some((call, checked)) = self.once(page, &marks, &from)? else { continue };
            picked.reasoning = call.reasoning;
            picked.is_clean = checked.wrong.is_empty();
            picked.next = checked.next.or(picked.next);
            picked.doubtful = checked.doubtful.into_iter().collect();
            if wanted == Wanted::All && picked.is_clean {
                picked.good.clear();
            }
            for example in checked.good {
                if !picked.good.iter().any(|known| known.url == example.url) {
                    picked.good.push(example);
                }
            }
            let is_enough = match wanted {
                Wanted::Examples => picked.good.len() >= EXAMPLES || picked.is_clean,
                Wanted::All => picked.is_clean,
            };
            if is_enough {
                break;
            }
        }
        Ok(picked)
    }

    /// Asks once more about a page on which the rule says otherwise.
    pub fn differs(&mut self, too_many: &[String], missing: &[String]) {
        let list = |items: &[String]| match items {
            [] => "none".to_owned(),
            items => items.iter().take(20).map(|item| shown::quote(item, 120)).collect::<Vec<_>>().join(", "),
        };
        let data = format!(
            "taken by the rule, not by you: {}\ntaken by you, not by the rule: {}",
            list(too_many),
            list(missing)
        );
        self.talk.shown("rule", fence::fenced("the rule", &data));
    }

    /// One answer; none where nothing of it can be used.
    fn once(
        &mut self,
        page: &Page,
        marks: &std::collections::BTreeMap<u64, pick::Mark>,
        from: &str,
    ) -> Result<Option<(Pick, Checked)>, Stop> {
        self.site.goes_on()?;
        self.talk.compact(CONVERSATION, "");
        let request = ChatRequest {
            system: Some(prompt().text.to_owned()),
            messages: self.talk.messages(),
            tools: self.tools.clone(),
            max_tokens: ANSWER,
            temperature: None,
        };
        let brain = self.ports.brain.clone().map_err(|problem| Stop::of(StoppedBy::Model, problem))?;
        let left = self.ports.limit.saturating_sub(self.site.elapsed());
        self.calls += 1;
        let reply = match brain.ask(&request, left, self.ports.cancelled) {
            Ok(reply) => reply,
            Err(problem) => {
                self.site.goes_on()?;
                // What came can't be read: that is a fault of the answer, and the next one may be sound.
                if problem.code == Code::Unavailable && self.calls < CALLS {
                    self.tell(&format!("the answer can't be used: {}", shown::line(&problem.message, 200)));
                    return Ok(None);
                }
                return Err(Stop::of(StoppedBy::Model, problem));
            }
        };
        let calls = self.talk.answered(&reply.text, &reply.calls);
        if calls.is_empty() {
            self.tell("it calls nothing");
            self.talk.say(if reply.stop == Ended::Length {
                "Your answer was cut off. Call `pick_items` alone, with fewer words."
            } else {
                "Answer by calling `pick_items`."
            });
            return Ok(None);
        }
        let mut used = None;
        for (call, written) in calls.iter().zip(&reply.calls) {
            if used.is_some() {
                self.talk.result(&call.id, "not looked at: one call is enough".to_owned(), None, true);
                continue;
            }
            match pick::read(&written.name, &written.arguments, self.fields) {
                Err(why) => {
                    self.tell(&format!("given back: {}", shown::line(&why, 200)));
                    self.talk.result(&call.id, format!("nothing was taken: {why}"), None, true);
                }
                Ok(picked) => {
                    let checked = pick::check(&picked, marks, page);
                    let told: Vec<&str> = checked.wrong.iter().chain(&checked.unread).map(String::as_str).collect();
                    let (good, wrong) = (checked.good.len(), told.len());
                    let more = if wrong > 0 { format!("; {wrong} don't match") } else { String::new() };
                    self.tell(&format!("{good} picks hold{more}"));
                    let body = (wrong > 0).then(|| fence::fenced(from, &told.join("\n")));
                    let head = if wrong > 0 {
                        format!("{good} hold; these don't match, and don't count:")
                    } else {
                        format!("{good} hold")
                    };
                    self.talk.result(&call.id, head, body, wrong > 0);
                    used = Some((picked, checked));
                }
            }
        }
        Ok(used)
    }

    fn tell(&self, what: &str) {
        (self.ports.tell)(&format!("  model [{}/{CALLS}]: {what}", self.calls));
    }
}

/// Addresses of what was picked.
pub fn urls(picked: &[Example]) -> BTreeSet<Url> {
    picked.iter().map(|example| example.url.clone()).collect()
}

/// What is wrong where nothing that was picked holds.
pub fn nothing(picked: &Picked) -> Stop {
    let said = shown::line(&picked.reasoning, 300);
    let said = if said.is_empty() { String::new() } else { format!("; it says: {said}") };
    let text = format!("the model picks no item of the first page that holds{said}");
    Stop::of(StoppedBy::Model, Problem::new(Code::NotFound, text).hint("handeye collect --help"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_has_a_version_and_the_rule_about_marks() {
        let Prompt { version, text } = prompt();
        assert_eq!(version, "agent/collect 1");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains("`mark_ids`, `expected_texts` and `reasoning` go together") && text.contains("=====data")
        );
    }
}
