//! What is taken out of a recording before it is written: secrets, what was typed into fields of passwords, credentials in
//! addresses, and the environment that programs are started with.

use super::calls::{CAPTURE, FOCUSED, PERFORM, PROBE};
use super::line::{Call, Line};
use crate::matching::is_masked;
use handeye_scene::model::chord::chord;
use handeye_scene::{Capture, Chord, EditKind, Gesture, Guard, Mask, NativeId, Probe, Problem, State};
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
    /// What this command was asked to put in.
    puts: Vec<String>,
    /// What this command was told of, and whether that can be edited.
    told: Vec<(NativeId, bool)>,
    /// Whether this command asked for something that is gone.
    is_untold: bool,
    /// What this command didn't put in, and may be a password.
    unsure: Unsure,
    /// The same of all commands so far: what is said beside them may repeat it.
    ever_unsure: Unsure,
}

/// Texts that may be passwords: nobody knows what they were meant for. They are hidden where they may stand, not everywhere.
#[derive(Default)]
struct Unsure {
    texts: Vec<String>,
    mask: Mask,
}

/// How a command ended, as far as it tells what its texts were for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Ended {
    /// It did all that it was asked for.
    Done,
    /// It found something else than what was meant.
    Elsewhere,
    /// It was refused, stopped, or given up.
    Otherwise,
}

impl Ended {
    /// By its answer.
    pub(super) fn of(answer: &Value) -> Self {
        let is = |at: &str, word: &str| answer.pointer(at).is_some_and(|told| told == word);
        match () {
            () if is("/status", "ok") => Self::Done,
            () if is("/result/verdict", "contradicted") => Self::Elsewhere,
            () => Self::Otherwise,
        }
    }
}

/// What the texts of a command were meant for, as far as its probes tell.
#[derive(PartialEq)]
enum MeantFor {
    Password,
    Field,
    Unknown,
}

impl Redaction {
    pub(super) fn new(masker: Masker) -> Self {
        Self {
            masker,
            mask: Mask::default(),
            texts: Vec::new(),
            as_long: HashSet::new(),
            fields: HashSet::new(),
            focus: None,
            typed: Vec::new(),
            puts: Vec::new(),
            told: Vec::new(),
            is_untold: false,
            unsure: Unsure::default(),
            ever_unsure: Unsure::default(),
        }
    }

    /// A command begins.
    pub(super) fn begin_command(&mut self) {
        (self.puts, self.told, self.unsure) = (Vec::new(), Vec::new(), Unsure::default());
        self.is_untold = false;
    }

    /// What the command was asked to put in.
    pub(super) fn puts(&mut self, texts: Vec<String>) {
        self.puts = texts;
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
                let Some(probe) = read::<Result<Option<Probe>, Problem>>(&call.answer).and_then(Result::ok).flatten()
                else {
                    // What is gone may have been any field.
                    self.is_untold = true;
                    return;
                };
                if is_masked(&probe) {
                    self.fields.insert(probe.id);
                }
                self.told.push((probe.id, probe.edit != EditKind::None));
            }
            FOCUSED => {
                if let Some(Ok(Some(id))) = read::<Result<Option<NativeId>, Problem>>(&call.answer) {
                    self.focus = Some(id);
                    self.told.push((id, false));
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
    pub(super) fn end_of_command(&mut self, request: &Value, ended: Ended) -> bool {
        let known = self.texts.len();
        self.of_request(request.get("args").unwrap_or(&Value::Null));
        let typed = std::mem::take(&mut self.typed);
        let mut keys = ended != Ended::Done && self.of_undone(&typed, ended);
        for (to, gesture) in typed {
            // What goes on to another field by Tab may go into any.
            let goes_on = !self.fields.is_empty() && moves_focus(&gesture);
            let into_password = goes_on || to.is_some_and(|id| self.fields.contains(&id));
            if let (Gesture::Type { text, .. }, true) = (&gesture, goes_on) {
                self.texts.extend(text.split('\t').skip(1).map(str::to_owned));
            }
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
        self.texts.retain(|text| !text.is_empty());
        if self.texts.len() != known {
            self.texts.sort();
            self.texts.dedup();
            self.mask = mask(&self.masker, &self.texts);
        }
        keys
    }

    /// Learns from what was asked for and not put in, since it was refused or broke off; whether that may be a password's keys.
    fn of_undone(&mut self, typed: &[(Option<NativeId>, Gesture)], ended: Ended) -> bool {
        let was_put = |text: &String| typed.iter().any(|(_, gesture)| texts(gesture).contains(text));
        let left: Vec<String> = self.puts.iter().filter(|text| !text.is_empty() && !was_put(text)).cloned().collect();
        let meant = self.meant_for(ended);
        match (&meant, left.len()) {
            (MeantFor::Field, _) => {}
            (MeantFor::Password, 1) => self.texts.extend(left),
            // Of several, nobody knows here which was meant for what.
            _ => {
                self.ever_unsure.add(&left, &self.masker);
                self.unsure.add(&left, &self.masker);
            }
        }
        let is_key = |gesture: &Gesture| matches!(gesture, Gesture::Keys(_) | Gesture::KeyDown(_) | Gesture::KeyUp(_));
        meant != MeantFor::Field && !typed.iter().any(|(_, gesture)| is_key(gesture))
    }

    /// What the command was about, by what it was told of; where it was told of nothing, by what had the focus before.
    fn meant_for(&self, ended: Ended) -> MeantFor {
        let had_focus = self.focus.filter(|_| self.told.is_empty());
        if self.told.iter().map(|(id, _)| *id).chain(had_focus).any(|id| self.fields.contains(&id)) {
            MeantFor::Password
        } else if ended != Ended::Elsewhere && !self.is_untold && self.told.iter().any(|(_, is_edited)| *is_edited) {
            MeantFor::Field
        } else {
            MeantFor::Unknown
        }
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
            Line::Response(response) => self.answer(response),
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
            args.values_mut().for_each(|value| self.unsure.hide(value));
        }
        self.value(request);
    }

    /// The same of what belongs to it.
    pub(super) fn answer(&self, value: &mut Value) {
        self.unsure.hide(value);
        self.value(value);
    }

    /// The same of what was said beside the commands so far, by whoever calls them.
    pub(super) fn said(&self, value: &mut Value) {
        self.ever_unsure.hide(value);
        self.value(value);
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

impl Unsure {
    fn add(&mut self, texts: &[String], masker: &Masker) {
        if texts.is_empty() {
            return;
        }
        self.texts.extend_from_slice(texts);
        self.texts.sort();
        self.texts.dedup();
        self.mask = mask(masker, &self.texts);
    }

    fn hide(&self, value: &mut Value) {
        match value {
            _ if self.texts.is_empty() => {}
            Value::String(text) if self.texts.contains(text) => *text = HIDDEN.into(),
            Value::String(text) => *text = self.mask.of(text).into_owned(),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide(item)),
            Value::Object(members) => members.values_mut().for_each(|member| self.hide(member)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// A mask of those texts that are long enough to be told from others.
fn mask(masker: &Masker, texts: &[String]) -> Mask {
    let long: Vec<String> = texts.iter().filter(|text| text.chars().count() >= SHORTEST).cloned().collect();
    masker(&long)
}

/// Whether keys of a gesture may move the focus on.
fn moves_focus(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Type { text, .. } => text.contains('\t'),
        Gesture::Keys(chords) => chords.iter().any(|chord| chord.key == "Tab"),
        _ => false,
    }
}

/// What a gesture puts in.
fn texts(gesture: &Gesture) -> &[String] {
    match gesture {
        Gesture::Put { text, .. } | Gesture::Replace(text) | Gesture::Set(text) | Gesture::Type { text, .. } => {
            std::slice::from_ref(text)
        }
        Gesture::Choose(options) => options,
        _ => &[],
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
            let hidden = |word: &str| match word.chars().count() {
                0 => String::new(),
                1 => HIDDEN_KEY.to_owned(),
                // What is no key is a text that was meant to be typed.
                _ if chord(word).is_err() => HIDDEN.to_owned(),
                _ => word.to_owned(),
            };
            *text = text.split(' ').map(hidden).collect::<Vec<_>>().join(" ");
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
