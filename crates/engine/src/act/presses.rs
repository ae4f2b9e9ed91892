//! Whether the rules about targets let an action press what it would.

use crate::act::action::Action;
use crate::act::attempt::Act;
use crate::act::request::Asked;
use crate::matching;
use crate::policy::origin;
use crate::policy::targets::{self, Ruling};
use handeye_scene::{NativeId, PressBy, Pressed, Probe, Problem, TargetRule};

/// What an action presses of what it is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presses {
    /// Nothing; or nothing before the focus moves, and then the surface looks by itself.
    Nothing,
    /// It, so.
    By(PressBy),
    /// Nobody can say: keys move the focus before others press.
    Untold,
}

/// What a key does where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    /// It leaves what has the focus, or holds another key's meaning.
    Leaves,
    /// It is one of a text.
    Text,
    Enter,
    /// Whatever else.
    Acts,
}

impl Key {
    fn of(key: &str, plain: bool) -> Self {
        match key {
            "Tab" | "Escape" | "Shift" | "Control" | "Alt" | "AltGraph" | "Meta" => Key::Leaves,
            "Enter" | "NumpadEnter" => Key::Enter,
            _ if plain && key.chars().count() == 1 => Key::Text,
            _ => Key::Acts,
        }
    }

    fn typed(c: char) -> Self {
        match c {
            '\n' | '\r' => Key::Enter,
            '\t' => Key::Leaves,
            _ => Key::Text,
        }
    }
}

/// `inside`: the surface judges each event of the gesture once more, so that only the first focus counts here.
fn presses(action: &Action, inside: bool) -> Presses {
    let keys: Vec<Key> = match action {
        Action::Hover | Action::Scroll { .. } | Action::Focus => return Presses::Nothing,
        Action::Input(_) | Action::Upload(_) => return Presses::By(PressBy::Keys),
        // What is chosen is held to the rules by name.
        Action::Select(_) => return Presses::By(PressBy::Pointer),
        Action::Keys { chords, .. } => chords
            .iter()
            .map(|chord| {
                let held = chord.modifiers;
                Key::of(&chord.key, !held.ctrl && !held.alt && !held.meta)
            })
            .collect(),
        Action::Type { text, .. } => text.chars().map(Key::typed).collect(),
        Action::Drag { .. } => return Presses::By(PressBy::Drag),
        _ => return Presses::By(PressBy::Pointer),
    };
    let stays = keys.iter().position(|key| *key == Key::Leaves).unwrap_or(keys.len());
    let moves = keys.iter().position(|key| *key != Key::Text).unwrap_or(keys.len());
    if !inside && keys.iter().skip(moves + 1).any(|key| *key != Key::Leaves) {
        return Presses::Untold;
    }
    match keys.get(..stays).unwrap_or_default() {
        [] => Presses::Nothing,
        keys if keys.contains(&Key::Enter) => Presses::By(PressBy::Enter),
        _ => Presses::By(PressBy::Keys),
    }
}

/// Roles that take a press of what lies in them, on surfaces that don't tell so by themselves.
const TAKERS: [&str; 11] = [
    "button",
    "checkbox",
    "combobox",
    "link",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "option",
    "radio",
    "tab",
    "togglebutton",
];

impl Act<'_> {
    /// Whether the surface judges each event by itself.
    fn is_judged_inside(&mut self) -> bool {
        self.surface.web().is_some()
    }

    /// Refuses to do it to what the rules name.
    pub(super) async fn permit_press(&mut self, id: NativeId) -> Result<(), Problem> {
        if self.rules.is_empty() {
            return Ok(());
        }
        match presses(&self.request.action, self.is_judged_inside()) {
            Presses::Nothing => Ok(()),
            Presses::By(by) => self.permit(id, by).await,
            Presses::Untold => {
                self.untold("which of these keys press something else can't be told: send them one by one")
            }
        }
    }

    /// The same of an element that it is known of what is chosen in it.
    pub(super) async fn permit_on(&mut self, probe: &Probe) -> Result<(), Problem> {
        self.permit_press(probe.id).await?;
        let Action::Select(wanted) = &self.request.action else { return Ok(()) };
        let options = matching::choices(&probe.options, wanted).into_iter();
        let chosen: Vec<Pressed> =
            options.map(|(label, _)| Pressed { role: "option".into(), words: vec![label] }).collect();
        self.permit_words(probe.id, &chosen)
    }

    /// Refuses to drop something on what the rules name.
    pub(super) async fn permit_drop(&mut self, id: NativeId) -> Result<(), Problem> {
        if self.rules.is_empty() { Ok(()) } else { self.permit(id, PressBy::Pointer).await }
    }

    /// Refuses to press nobody knows what, on a surface that doesn't look by itself.
    pub(super) fn permit_unknown(&mut self, what: &str) -> Result<(), Problem> {
        let judges = self.rules.is_empty() || self.is_judged_inside();
        if judges || presses(&self.request.action, false) == Presses::Nothing {
            return Ok(());
        }
        self.untold(what)
    }

    /// Refuses to press what is called so in the document of an element.
    pub(super) fn permit_words(&mut self, near: NativeId, pressed: &[Pressed]) -> Result<(), Problem> {
        if self.rules.is_empty() || presses(&self.request.action, true) == Presses::Nothing {
            return Ok(());
        }
        let origin = self.surface.origin(near.document()).map(|origin| origin::of_document(&origin));
        match targets::rule(self.rules, origin.as_deref(), pressed) {
            Ruling::Allow => Ok(()),
            Ruling::Deny(rule, named) => Err(targets::refused(self.request.action.verb(), named, rule)),
            Ruling::Ask(rule, named) => {
                let problem = targets::refused(self.request.action.verb(), named, rule);
                Err(self.ask(rule, Some(named.clone()), origin.clone(), problem))
            }
        }
    }

    async fn permit(&mut self, id: NativeId, by: PressBy) -> Result<(), Problem> {
        let mut pressed = self.surface.pressed(id, by).await?;
        if !self.is_judged_inside() {
            pressed.extend(self.around(id));
        }
        self.permit_words(id, &pressed)
    }

    /// What an element lies in and takes the press.
    fn around(&self, id: NativeId) -> Vec<Pressed> {
        let nodes = &self.before.nodes;
        let own = nodes.iter().position(|node| node.id == Some(id));
        let up = |at: &usize| nodes.get(*at).and_then(|node| node.parent);
        let above = std::iter::successors(own.as_ref().and_then(up), up).filter_map(|at| nodes.get(at));
        let takes = above.filter(|node| TAKERS.contains(&node.role.as_str()));
        takes.map(|node| Pressed { role: node.role.clone(), words: vec![node.name.clone()] }).collect()
    }

    fn untold(&mut self, what: &str) -> Result<(), Problem> {
        let origin = (!self.is_judged_inside()).then_some("desktop:");
        let Some(rule) = targets::strictest(self.rules, origin) else { return Ok(()) };
        let problem = targets::untold(self.request.action.verb(), what, rule);
        Err(if rule.asks { self.ask(rule, None, origin.map(str::to_owned), problem) } else { problem })
    }

    /// Notes what a person can agree to.
    fn ask(
        &mut self,
        rule: &TargetRule,
        pressed: Option<Pressed>,
        origin: Option<String>,
        problem: Problem,
    ) -> Problem {
        *self.asks = Some(Asked { rule: rule.written.clone(), pressed, origin });
        problem
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::action::ClickBy;
    use handeye_scene::{Button, Chord, Modifiers};

    fn keys(written: &str) -> Action {
        let chord = |key: &str| {
            let (ctrl, key) = key.strip_prefix("ctrl+").map_or((false, key), |key| (true, key));
            Chord { modifiers: Modifiers { ctrl, ..Modifiers::default() }, key: key.to_owned() }
        };
        Action::Keys { chords: written.split(' ').map(chord).collect(), written: written.to_owned() }
    }

    fn typed(text: &str) -> Action {
        Action::Type { text: text.to_owned(), pace_ms: 0 }
    }

    #[test]
    fn each_kind_of_action_presses_what_it_is_done_to_as_far_as_that_can_be_told() {
        use PressBy::{Enter, Keys, Pointer};
        let click = Action::Click {
            button: Button::Left,
            count: 1,
            modifiers: Modifiers::default(),
            by: ClickBy::Best,
            offset: None,
        };
        let by = Presses::By;
        // The action; what it presses where each event is judged again; and where none is.
        for (action, inside, alone) in [
            (click, by(Pointer), by(Pointer)),
            (Action::Check(true), by(Pointer), by(Pointer)),
            (Action::Expand(true), by(Pointer), by(Pointer)),
            (Action::Hover, Presses::Nothing, Presses::Nothing),
            (Action::Focus, Presses::Nothing, Presses::Nothing),
            (Action::Scroll { dx: 0.0, dy: 9.0 }, Presses::Nothing, Presses::Nothing),
            (Action::Input("x".into()), by(Keys), by(Keys)),
            (Action::Select(vec!["x".into()]), by(Pointer), by(Pointer)),
            (Action::Upload(Vec::new()), by(Keys), by(Keys)),
            (keys("Tab"), Presses::Nothing, Presses::Nothing),
            (keys("Tab Tab"), Presses::Nothing, Presses::Nothing),
            (keys("Escape"), Presses::Nothing, Presses::Nothing),
            (keys("Enter"), by(Enter), by(Enter)),
            (keys("NumpadEnter"), by(Enter), by(Enter)),
            (keys("ArrowDown"), by(Keys), by(Keys)),
            (keys("ctrl+a"), by(Keys), by(Keys)),
            (keys("a b"), by(Keys), by(Keys)),
            (keys("a Enter"), by(Enter), by(Enter)),
            (keys("a Tab"), by(Keys), by(Keys)),
            (keys("Tab Enter"), Presses::Nothing, Presses::Untold),
            (keys("a Tab Enter"), by(Keys), Presses::Untold),
            (keys("Enter Enter"), by(Enter), Presses::Untold),
            (keys("ctrl+a x"), by(Keys), Presses::Untold),
            (typed("Ann"), by(Keys), by(Keys)),
            (typed("Ann\n"), by(Enter), by(Enter)),
            (typed("Ann\tLee"), by(Keys), Presses::Untold),
            (typed(""), Presses::Nothing, Presses::Nothing),
        ] {
            assert_eq!(presses(&action, true), inside, "{action:?}");
            assert_eq!(presses(&action, false), alone, "{action:?}");
        }
    }
}
