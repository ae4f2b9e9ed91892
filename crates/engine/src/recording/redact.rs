//! What is taken out of a recording before it is written: secrets, what was typed into fields of passwords, credentials in
//! addresses, and the environment that programs are started with.

use super::calls::{CAPTURE, FOCUSED, PERFORM, PROBE};
use super::line::{Call, Line};
use crate::matching::is_masked;
use handeye_scene::{Capture, Chord, Gesture, Guard, Mask, NativeId, Probe, Problem, State};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// What stands in place of a text.
const HIDDEN: &str = "(hidden)";
/// What stands in place of one character.
const HIDDEN_KEY: &str = "•";
/// Fewer characters can't be told from other texts: such a text is hidden where it stands alone.
const SHORTEST: usize = 4;

/// Makes a mask that hides texts in all forms in which they may be written.
pub type Masker = Arc<dyn Fn(&[String]) -> Mask + Send + Sync>;

/// What is known to be hidden, so far.
pub(super) struct Redaction {
    masker: Masker,
    mask: Mask,
    /// Texts to hide.
    texts: Vec<String>,
    /// Of these, what was typed into fields of passwords: how long it was is told by answers, so a replay must type as much.
    as_long: HashSet<String>,
    /// Fields of passwords.
    fields: HashSet<NativeId>,
    /// What has the focus, as far as anything told.
    focus: Option<NativeId>,
    /// What was typed in this command, by where it went.
    typed: Vec<(Option<NativeId>, Gesture)>,
}

impl Redaction {
    pub(super) fn new(masker: Masker) -> Self {
        let (texts, typed, as_long) = (Vec::new(), Vec::new(), HashSet::new());
        Self { masker, mask: Mask::default(), texts, as_long, fields: HashSet::new(), focus: None, typed }
    }

    /// Learns from a call what is a password's field, and what was typed where.
    pub(super) fn learn(&mut self, call: &Call) {
        match call.name.as_str() {
            CAPTURE => {
                let Some(Ok(capture)) = read::<Result<Capture, Problem>>(&call.answer) else { return };
                for node in capture.nodes {
                    let Some(id) = node.id else { continue };
                    if node.extra.kind.as_deref() == Some("password") {
                        self.fields.insert(id);
                    }
                    if node.states.has(State::Focused) {
                        self.focus = Some(id);
                    }
                }
            }
            PROBE => {
                let Some(Ok(Some(probe))) = read::<Result<Option<Probe>, Problem>>(&call.answer) else { return };
                if is_masked(&probe) {
                    self.fields.insert(probe.id);
                }
            }
            FOCUSED => {
                if let Some(Ok(Some(id))) = read::<Result<Option<NativeId>, Problem>>(&call.answer) {
                    self.focus = Some(id);
                }
            }
            PERFORM => {
                let Some((gesture, guard)) = read::<(Gesture, Guard)>(&call.args) else { return };
                self.typed.push((guard.target.or(self.focus), gesture));
            }
            _ => {}
        }
    }

    /// Learns what a command was to type that must not be written; whether its single keys are to be hidden.
    pub(super) fn end_of_command(&mut self, request: &Value, calls: &[Call]) -> bool {
        let known = self.texts.len();
        self.of_request(request.get("args").unwrap_or(&Value::Null));
        let mut keys = false;
        for (to, gesture) in std::mem::take(&mut self.typed) {
            let into_password = to.is_some_and(|id| self.fields.contains(&id));
            match gesture {
                Gesture::Put { text, .. } => self.texts.push(text),
                Gesture::Replace(text) | Gesture::Set(text) | Gesture::Type { text, .. } if into_password => {
                    self.as_long.insert(text.clone());
                    self.texts.push(text);
                }
                Gesture::Keys(chords) if into_password => {
                    keys = true;
                    self.texts.push(chords.iter().filter(|c| is_text(c)).map(|c| c.key.as_str()).collect());
                }
                Gesture::KeyDown(_) | Gesture::KeyUp(_) if into_password => keys = true,
                _ => {}
            }
        }
        // A refused `type` performs nothing, yet its argument may be meant for the field that has the focus.
        if !calls.iter().any(|call| call.name == PERFORM) && self.focus.is_some_and(|id| self.fields.contains(&id)) {
            let text = request.pointer("/args/text").and_then(Value::as_str);
            self.texts.extend(text.map(str::to_owned));
            keys = true;
        }
        self.texts.retain(|text| !text.is_empty());
        if self.texts.len() != known {
            self.texts.sort();
            self.texts.dedup();
            let long: Vec<String> =
                self.texts.iter().filter(|text| text.chars().count() >= SHORTEST).cloned().collect();
            self.mask = (self.masker)(&long);
        }
        keys
    }

    /// Arguments that hold secrets by their names.
    fn of_request(&mut self, args: &Value) {
        let secrets = args.get("secrets").and_then(Value::as_array).into_iter().flatten();
        let named = secrets.filter_map(|secret| secret.get("value")).chain(args.get("password"));
        self.texts.extend(named.filter_map(Value::as_str).map(str::to_owned));
    }

    /// Takes everything out of a line that must not be written.
    pub(super) fn redact(&self, line: &mut Line, keys_hidden: bool) {
        match line {
            Line::Request(request) => self.request(request, keys_hidden),
            Line::Call(call) => {
                if keys_hidden && call.name == PERFORM {
                    hide_chords(&mut call.args);
                }
                self.value(&mut call.args);
                self.value(&mut call.answer);
            }
            Line::Response(response) => self.value(response),
            Line::Recording { .. } | Line::Cancelled | Line::LeftOut(_) | Line::Full(_) => {}
        }
    }

    /// The same of a command.
    pub(super) fn request(&self, request: &mut Value, keys_hidden: bool) {
        if let Some(args) = request.get_mut("args").and_then(Value::as_object_mut) {
            // All of the user's environment, which a replay has no use for.
            args.remove("environment");
            for name in ["keys", "key"] {
                args.get_mut(name).filter(|_| keys_hidden).into_iter().for_each(hide_keys);
            }
        }
        self.value(request);
    }

    pub(super) fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.value(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&self, text: &mut String) {
        if self.texts.iter().any(|hidden| hidden == text) {
            let length = if self.as_long.contains(text) { text.chars().count() } else { 0 };
            *text = if length > 0 { HIDDEN_KEY.repeat(length) } else { HIDDEN.into() };
            return;
        }
        let masked = self.mask.of(text);
        if masked != text.as_str() {
            *text = masked.into_owned();
        }
        if let Some(plain) = without_credentials(text) {
            *text = plain;
        }
    }
}

/// Whether a text is what stands in place of one that was hidden, or holds it.
pub fn is_hidden(text: &str) -> bool {
    text.contains(HIDDEN) || text.contains(HIDDEN_KEY)
}

/// Whether a chord is a character that is typed.
fn is_text(chord: &Chord) -> bool {
    let held = chord.modifiers;
    !held.alt && !held.ctrl && !held.meta && chord.key.chars().count() == 1
}

/// Puts a mark in place of each single key that is written.
fn hide_keys(value: &mut Value) {
    match value {
        Value::String(text) => {
            let single = |word: &str| if word.chars().count() == 1 { HIDDEN_KEY.to_owned() } else { word.to_owned() };
            *text = text.split(' ').map(single).collect::<Vec<_>>().join(" ");
        }
        Value::Array(items) => items.iter_mut().for_each(hide_keys),
        _ => {}
    }
}

/// The same of the chords of a gesture.
fn hide_chords(args: &mut Value) {
    let Some((mut gesture, guard)) = read::<(Gesture, Guard)>(args) else { return };
    let hide = |chord: &mut Chord| {
        if is_text(chord) {
            chord.key = HIDDEN_KEY.into();
        }
    };
    match &mut gesture {
        Gesture::Keys(chords) => chords.iter_mut().for_each(hide),
        Gesture::KeyDown(chord) | Gesture::KeyUp(chord) => hide(chord),
        _ => return,
    }
    if let Ok(hidden) = serde_json::to_value((gesture, guard)) {
        *args = hidden;
    }
}

/// An address without the user and the password in it; none where it has none (RFC 3986, section 3.2.1).
fn without_credentials(text: &str) -> Option<String> {
    let (mut out, mut rest, mut found) = (String::new(), text, false);
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(|c: char| c.is_whitespace() || "/?#\"'<>".contains(c)).unwrap_or(after.len());
        let (authority, more) = after.split_at(end);
        match authority.rsplit_once('@') {
            Some((user, host)) if user.contains(':') => {
                found = true;
                out.push_str(HIDDEN);
                out.push('@');
                out.push_str(host);
            }
            _ => out.push_str(authority),
        }
        rest = more;
    }
    out.push_str(rest);
    found.then_some(out)
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}
