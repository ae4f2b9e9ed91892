//! What both backends make of a record: one element as an agent is told of it.

use crate::roles::Part;
use handeye_scene::{
    DocumentId, EditKind, Extra, NativeId, Node, NodeKind, OptionItem, Probe, Rect, Said, State, States, Texts,
};

/// One element, whichever interface told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Element {
    /// ARIA role.
    pub role: &'static str,
    /// What it is to an agent.
    pub part: Part,
    /// Whether it takes the keyboard or a choice, by what it says of itself.
    pub active: bool,
    /// Its name.
    pub name: String,
    /// What it holds; passwords come masked.
    pub value: Option<String>,
    /// What a hint says of it.
    pub title: Option<String>,
    /// Its states.
    pub states: States,
    /// Where it is on the screen, where that is known.
    pub rect: Option<Rect>,
    /// Whether it and all it lies in are shown.
    pub shows: bool,
    /// Whether it can be operated now.
    pub enabled: bool,
    /// How its content is edited.
    pub edit: EditKind,
    /// On, off, or neither applies.
    pub checked: Option<bool>,
    /// Whether it hides what it holds.
    pub password: bool,
    /// What of its own stands for a click.
    pub activation: Option<&'static str>,
    /// Whether it opens and closes by itself.
    pub expands: bool,
    /// What can be chosen in it.
    pub options: Vec<OptionItem>,
    /// The id that its program gave it.
    pub automation_id: Option<String>,
    /// Its class.
    pub class: String,
    /// What else is told of it.
    pub facts: Vec<(String, String)>,
}

impl Default for Element {
    fn default() -> Self {
        Self {
            role: "group",
            part: Part::Holder,
            active: false,
            name: String::new(),
            value: None,
            title: None,
            states: States::default(),
            rect: None,
            shows: true,
            enabled: true,
            edit: EditKind::None,
            checked: None,
            password: false,
            activation: None,
            expands: false,
            options: Vec::new(),
            automation_id: None,
            class: String::new(),
            facts: Vec::new(),
        }
    }
}

/// Labels of options that a node holds.
const FIRST_OPTIONS: usize = 5;

/// What stands for a password of so many characters.
pub fn masked(count: usize) -> String {
    "•".repeat(count.min(256))
}

impl Element {
    /// As a node; none where it says nothing to an agent.
    pub fn node(&self, id: NativeId, parent: Option<usize>) -> Option<Node> {
        let kind = self.part.node(self.active);
        let nothing = kind != NodeKind::Operable && self.name.is_empty() && self.value.is_none();
        if nothing || self.part == Part::Holder && self.role == "group" {
            return None;
        }
        Some(self.told(id, parent, kind))
    }

    /// As what holds or moves others, for perceivers, where it says nothing to an agent: none where it is no such thing.
    pub fn holder(&self, id: NativeId) -> Option<Node> {
        let is_one = self.part == Part::Holder && ["grid", "scrollbar", "tree"].contains(&self.role);
        let is_placed = self.rect.is_some_and(|r| r.width > 0.0 && r.height > 0.0);
        (is_one && is_placed && self.node(id, None).is_none()).then(|| self.told(id, None, NodeKind::Item))
    }

    fn told(&self, id: NativeId, parent: Option<usize>, kind: NodeKind) -> Node {
        let labels = self.options.iter().take(FIRST_OPTIONS).map(|o| o.label.clone());
        Node {
            id: Some(id),
            document: id.document(),
            parent,
            kind,
            role: self.role.to_owned(),
            name: self.name.clone(),
            value: self.value.clone().filter(|v| !v.is_empty() && v.trim() != self.name),
            states: self.states,
            rect: self.rect.unwrap_or_default(),
            extra: Extra {
                kind: self.password.then(|| "password".to_owned()),
                options: (!self.options.is_empty()).then(|| u32::try_from(self.options.len()).unwrap_or(u32::MAX)),
                opts: labels.collect(),
                title: self.title.clone().filter(|t| *t != self.name),
                testid: self.automation_id.clone(),
                ..Extra::default()
            },
        }
    }

    /// As facts about one element, before a point of it was looked for.
    pub fn probe(&self, id: NativeId, document: DocumentId) -> Probe {
        let holds_text = matches!(self.edit, EditKind::Text);
        let mut facts = self.facts.clone();
        for (what, text) in [("class", Some(&self.class)), ("automation id", self.automation_id.as_ref())] {
            facts.extend(text.filter(|t| !t.is_empty()).map(|t| (what.to_owned(), t.clone())));
        }
        Probe {
            id,
            document,
            role: self.role.to_owned(),
            name: self.name.clone(),
            texts: Texts {
                text: if holds_text { String::new() } else { self.name.clone() },
                value: self.value.clone().unwrap_or_default(),
                title: self.title.clone().unwrap_or_default(),
                ..Texts::default()
            },
            tag: String::new(),
            kind: self.password.then(|| "password".to_owned()),
            href: None,
            testid: self.automation_id.clone(),
            xpath: String::new(),
            states: self.states,
            rect: self.rect.unwrap_or_default(),
            visible: self.shows && self.rect.is_some_and(|r| r.width > 0.0 && r.height > 0.0),
            enabled: self.enabled,
            edit: self.edit,
            checked: self.checked,
            options: self.options.clone(),
            point: None,
            cover: None,
            behind: None,
            still: true,
            row: None,
            row_texts: Vec::new(),
            activation: self.activation.map(str::to_owned),
            expands: self.expands,
            // A text is what it says: all of it is held.
            said: (self.role == "text").then(|| Said { text: self.name.clone(), cut: false }),
            hint: None,
            caret: None,
            at_rest: None,
            leads: None,
            facts,
        }
    }

    /// Whether it has the keyboard.
    pub fn is_focused(&self) -> bool {
        self.states.has(State::Focused)
    }
}

/// What an element is to an agent, on one line.
#[cfg(test)]
pub(crate) fn shown(element: &Element) -> String {
    let Some(node) = element.node(NativeId::new(DocumentId(1), 1), None) else { return "nothing".into() };
    let words: Vec<&str> = node.states.iter().map(State::word).collect();
    let by = element.activation.unwrap_or("-");
    let Node { kind, role, name, value, .. } = &node;
    format!("{kind:?} {role} {name:?} {value:?} {:?} {by} {}", element.edit, words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_no_node() {
        let id = NativeId::new(DocumentId(1), 1);
        assert!(Element::default().node(id, None).is_none());
        let label = Element { role: "text", part: Part::Text, ..Element::default() };
        assert!(label.node(id, None).is_none());
        let named = Element { name: "Ready".into(), ..label };
        assert_eq!(named.node(id, None).map(|n| n.kind), Some(NodeKind::Text));
        let field = Element { role: "textbox", part: Part::Operable, value: Some("é".into()), ..Element::default() };
        assert_eq!(field.node(id, None).and_then(|n| n.value), Some("é".into()));
    }

    #[test]
    fn what_holds_others_without_a_name_is_told_to_perceivers() {
        let id = NativeId::new(DocumentId(1), 1);
        let rect = Some(Rect::new(0.0, 0.0, 16.0, 300.0));
        let bar = Element { role: "scrollbar", part: Part::Holder, rect, ..Element::default() };
        assert!(bar.node(id, None).is_none());
        assert_eq!(bar.holder(id).map(|n| (n.role, n.kind)), Some(("scrollbar".into(), NodeKind::Item)));
        // What has a name is a node already; what has no place, or is a mere group, tells of no handle.
        let named = Element { name: "Vertical".into(), ..bar.clone() };
        assert!(named.node(id, None).is_some() && named.holder(id).is_none());
        assert!(Element { rect: None, ..bar.clone() }.holder(id).is_none());
        assert!(Element { role: "group", ..bar }.holder(id).is_none());
    }

    #[test]
    fn what_has_no_size_is_not_visible() {
        let id = NativeId::new(DocumentId(2), 7);
        let mut element = Element { rect: Some(Rect::new(-900.0, 5.0, 10.0, 0.0)), ..Element::default() };
        assert!(!element.probe(id, DocumentId(2)).visible);
        element.rect = Some(Rect::new(-900.0, 5.0, 10.0, 4.0));
        assert!(element.probe(id, DocumentId(2)).visible);
        element.shows = false;
        assert!(!element.probe(id, DocumentId(2)).visible);
    }
}
