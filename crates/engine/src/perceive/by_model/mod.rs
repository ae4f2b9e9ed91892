//! Perceivers that ask a model: [`vision`] has it look at the pixels, [`inferred`] has it read the list of elements.
//!
//! What a model says is a claim like any other: boxes that nothing supports are dropped, and how many were is told. The texts
//! of the questions are files of `prompts/`; their first line is their name and version.

mod answer;
pub mod inferred;
pub mod vision;

use answer::Said;
use handeye_scene::chat::{ChatReply, ChatRequest, Message, Part, Stop};
use handeye_scene::{Claim, Claims, Code, ModelAccess, ModelRole, Models, Problem};
use std::time::Duration;

/// Tokens of an answer at most: a few hundred boxes.
const ANSWER: u32 = 8_000;

/// Whom to ask, and for how long.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// Asks models.
    pub models: &'a dyn Models,
    /// Where they are.
    pub access: &'a ModelAccess,
    /// How long an answer may take.
    pub limit: Duration,
}

impl Asking<'_> {
    /// What the model of a role answers.
    async fn ask(&self, role: ModelRole, parts: Vec<Part>) -> Result<ChatReply, Problem> {
        let request = ChatRequest {
            messages: vec![Message::User { parts }],
            max_tokens: ANSWER,
            temperature: Some(0.0),
            ..ChatRequest::default()
        };
        self.models.ask(self.access, role, &request, self.limit).await
    }
}

/// Name and version of a prompt.
fn version(file: &str) -> &str {
    file.lines().next().unwrap_or_default()
}

/// A prompt without its first line, with these places filled. What is put in is not searched for places.
fn filled(file: &str, places: &[(&str, &str)]) -> String {
    let mut rest = file.split_once('\n').map_or(file, |(_, text)| text);
    let mut out = String::new();
    let next = |text: &str| {
        let found = places.iter().filter_map(|(place, value)| Some((text.find(place)?, *place, *value)));
        found.min_by_key(|(at, ..)| *at)
    };
    while let Some((at, place, value)) = next(rest) {
        out.push_str(&rest[..at]);
        out.push_str(value);
        rest = &rest[at + place.len()..];
    }
    out + rest
}

/// The boxes of an answer that something supports; how many `lie` otherwise, and that the list was cut off, is noted.
fn kept((boxes, is_cut): (Vec<Said>, bool), lie: &str, claim: impl Fn(&Said) -> Option<Claim>) -> Claims {
    let claims: Vec<Claim> = boxes.iter().filter_map(claim).collect();
    let (told, dropped) = (boxes.len(), boxes.len() - claims.len());
    let unsupported = (dropped > 0).then(|| format!("{dropped} of the model's {told} boxes were left out: they {lie}"));
    let cut = is_cut.then(|| "the model's list was cut off".to_owned());
    Claims { claims, notes: unsupported.into_iter().chain(cut).collect() }
}

/// That an answer holds nothing that could be read.
fn unread(reply: &ChatReply) -> Problem {
    let text = reply.text.trim();
    let start = crate::observe::outline::quote(text, 80);
    let what = if text.is_empty() { "it is empty".to_owned() } else { format!("it begins with {start}") };
    let cut = match reply.stop {
        Stop::Length => format!(", and was cut off at its limit of {ANSWER} tokens"),
        Stop::End | Stop::Tools => String::new(),
    };
    Problem::new(Code::Unavailable, format!("the model's answer holds no list of boxes: {what}{cut}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_the_limit_cut_off_is_told_apart() {
        for (stop, is_cut) in [(Stop::Length, true), (Stop::End, false)] {
            for text in ["", "I think that"] {
                let reply = ChatReply {
                    text: text.to_owned(),
                    thinking: String::new(),
                    calls: Vec::new(),
                    stop,
                    usage: Default::default(),
                };
                let problem = unread(&reply);
                assert_eq!(problem.code, Code::Unavailable);
                assert_eq!(problem.message.contains("8000 tokens"), is_cut, "{problem}");
            }
        }
    }

    #[test]
    fn places_are_filled_once() {
        let filled = filled("name 1\na {x} b {y} {x}", &[("{x}", "{y}"), ("{y}", "2")]);
        assert_eq!(filled, "a {y} b 2 {y}");
    }

    #[test]
    fn prompts_have_a_version_and_the_places_that_are_filled() {
        for (file, places) in
            [(vision::PROMPT, &["{width}", "{height}"][..]), (inferred::PROMPT, &["{fence}", "{elements}"][..])]
        {
            let (version, text) = file.split_once('\n').unwrap();
            assert!(version.starts_with("perceive/") && version.ends_with(|c: char| c.is_ascii_digit()), "{version}");
            assert!(places.iter().all(|place| text.contains(place)));
        }
    }
}
