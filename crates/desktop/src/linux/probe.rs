//! Facts about one element, and where a pointer hits it.

use super::bus::{Place, Unanswered};
use super::hit::There;
use super::ids::{Known, Tree};
use super::names::{Named, named};
use super::sight::{barring, group};
use super::surface::Linux;
use super::tree;
use super::windows::{Seen, process};
use crate::quirks::Extents;
use crate::record::{Interfaces, Record, bit, is_text, node};
use crate::roles::{CELL, CHOICES, COMBO_BOX, MENUS, NUMBERS, ON_RELEASE, Part, role};
use handeye_scene::{
    Aim, Cover, EditKind, NativeId, OptionItem, Point, Probe, Problem, Rect, Said, State, States, Texts,
};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

pub(crate) const ACTION: &str = "org.a11y.atspi.Action";
/// Names of actions that do what a click does, most telling first. Where something can be selected and activated, as a colour of
/// GTK 3, activating it takes it and closes its dialog.
const CLICKS: [&str; 6] = ["click", "press", "toggle", "jump", "select", "activate"];
/// The name of an action that opens what is closed, and closes what is open.
const EXPAND_OR_CONTRACT: &str = "expand or contract";
/// Characters of a text that a probe holds.
const TEXT_MOST: i32 = 20_000;
/// Actions that are looked at.
const ACTIONS_MOST: i32 = 12;
/// Options that are listed.
const OPTIONS_MOST: usize = 200;
/// Roles of what a pane holds more of than is in sight: list item, cell, row, item of a tree.
const ROWS: [u32; 4] = [32, CELL, 90, 91];
/// How long a place of an element is looked for.
const LOOKS: Duration = Duration::from_millis(3000);
/// How long a rectangle must stand still.
const STILL: Duration = Duration::from_millis(15);

/// A place that a pointer hits, or what is there instead.
pub(crate) enum Hit {
    At(Point, Window),
    Covered(Option<Cover>),
}

impl Linux {
    /// Where an object is now; none where it is gone.
    async fn resolved(&self, at: &Place, pid: u32) -> Result<Option<Place>, Problem> {
        match super::cells::resolve(&self.bus, at).await {
            Ok(place) => Ok(Some(place)),
            Err(Unanswered::Gone) if !self.bus.is_lost() => Ok(None),
            Err(other) => Err(self.unanswered(other, pid)),
        }
    }

    pub(crate) async fn examine(&mut self, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
        let Some(known) = self.ids.get(id).cloned() else { return Ok(None) };
        let tree = self.tree_of(id)?;
        let seen = self.seen().await?;
        if tree.window.is_some_and(|window| !seen.iter().any(|w| w.id == window)) {
            return Ok(None);
        }
        let Some(mut place) = self.resolved(&known.place, tree.pid).await? else { return Ok(None) };
        let Some(mut named) = self.record(&place, &known, &tree).await? else { return Ok(None) };
        let is_row = aim.scroll && ROWS.contains(&named.record.role);
        let is_away = is_row
            && (!named.record.shows(tree.quirks) || tree::extents(&self.bus, &place, &named.record).await.is_none());
        if is_away && super::scroll::into_sight(&self.bus, &place, &named.record).await {
            // What is in sight may be another object than before.
            let Some(again) = self.resolved(&known.place, tree.pid).await? else { return Ok(None) };
            place = again;
            let Some(now) = self.record(&place, &known, &tree).await? else { return Ok(None) };
            named = now;
        }
        let value = tree::value(&self.bus, &place, &named.itself(), TEXT_MOST).await;
        let mut record = Record { value, ..named.record };
        record.rect = self.on_screen(&tree, &seen, &place, &record).await;
        let actions = self.actions(&place, &record).await;
        let mut probe = self.as_probe(id, &tree, &record, &actions);
        if record.has(bit::FOCUSED) && record.interfaces.has(Interfaces::TEXT) {
            probe.caret = tree::caret(&self.bus, &place).await;
        }
        let own = seen.iter().find(|w| Some(w.id) == tree.window);
        probe.behind = own.and_then(|own| barring(&seen, own)).map(as_cover);
        let (id, class) =
            futures_util::future::join(tree::accessible_id(&self.bus, &place), tree::class(&self.bus, &place)).await;
        for (what, text) in [("automation id", &id), ("class", &class)] {
            probe.facts.extend(text.iter().map(|text| (what.to_owned(), text.clone())));
        }
        probe.testid = id;
        if CHOICES.contains(&record.role) {
            probe.options = self.options(&place).await.into_iter().map(|(_, option)| option).collect();
            if !probe.options.is_empty() && probe.edit == EditKind::None {
                probe.edit = EditKind::Select;
            }
        }
        if aim.point && !(aim.activation && probe.activation.is_some()) {
            self.aim(&mut probe, &place, &tree, &record, aim).await?;
        }
        Ok(Some(probe))
    }

    /// The object as it is now; none when it is gone, or another one took its place.
    async fn record(&self, place: &Place, known: &Known, tree: &Tree) -> Result<Option<Named>, Problem> {
        let Known { role, parent, .. } = known;
        // A cell is where its table says.
        let placed = parent.is_empty() || super::cells::parse(&known.place.path).is_some();
        let look = async {
            let found = named(&self.bus, place, tree.quirks).await?;
            let above = if placed { Ok(parent.clone()) } else { tree::parent(&self.bus, place).await };
            Ok::<_, Unanswered>((found, above?))
        };
        match look.await {
            // What it says may be another row's by now.
            Ok(_) if self.doubted.has(place) => Ok(None),
            Ok((found, above)) => {
                let same = |r: &Record| r.role == *role && above == *parent && !r.has(bit::DEFUNCT);
                Ok(Some(found).filter(|found| same(&found.record)))
            }
            Err(Unanswered::Gone) if !self.bus.is_lost() => Ok(None),
            Err(other) => Err(self.unanswered(other, tree.pid)),
        }
    }

    /// Names of its actions.
    pub(crate) async fn actions(&self, place: &Place, record: &Record) -> Vec<String> {
        if !record.interfaces.has(Interfaces::ACTION) {
            return Vec::new();
        }
        // All of them at once come with names in the user's language.
        let count = match self.bus.property(place, ACTION, "NActions").await {
            Ok(count) => i32::try_from(count).unwrap_or_default().min(ACTIONS_MOST),
            Err(_) => 0,
        };
        let names = (0..count).map(async |i| self.bus.ask::<_, String>(place, ACTION, "GetName", &(i,)).await);
        futures_util::future::join_all(names).await.into_iter().map(Result::unwrap_or_default).collect()
    }

    fn as_probe(&self, id: NativeId, tree: &Tree, record: &Record, actions: &[String]) -> Probe {
        let what = role(record.role);
        let document = id.document();
        let made = node(record, id, document, None, tree.quirks);
        let (name, value) = match &made {
            Some(n) => (n.name.clone(), n.value.clone().unwrap_or_default()),
            None => (crate::quirks::name(&record.name, tree.quirks), String::new()),
        };
        let inner = record.role == crate::roles::FRAME && record.path != *tree.frame.path;
        let states: States = made.map_or_else(States::default, |n| n.states);
        let has = |b| record.has(b);
        let visible = record.shows(tree.quirks) && record.rect.is_some();
        let blocks = tree.quirks.actions_block && matches!(record.role, 35 | 43 | 88);
        let late = tree.quirks.acts_late && (ON_RELEASE.contains(&record.role) || record.role == 88);
        let pointed = visible && (blocks || late);
        let text = if is_text(record) { String::new() } else { name.clone() };
        let name_said = name.clone();
        Probe {
            id,
            document,
            role: if inner { "region" } else { what.word }.to_owned(),
            name,
            texts: Texts { text, value, title: record.description.trim().to_owned(), ..Texts::default() },
            tag: String::new(),
            kind: (record.role == crate::roles::PASSWORD).then(|| "password".to_owned()),
            href: None,
            testid: None,
            xpath: String::new(),
            states,
            rect: record.rect.unwrap_or_default(),
            visible,
            enabled: record.enabled(tree.quirks),
            edit: edit_kind(record),
            checked: (record.is_switch() || record.role == CELL && actions.iter().any(|a| a == "toggle"))
                .then(|| has(bit::CHECKED) || record.role == 62 && has(bit::PRESSED)),
            options: Vec::new(),
            point: None,
            cover: None,
            behind: None,
            still: true,
            activation: click_action(record, actions).filter(|_| !pointed).map(|i| actions[i].clone()),
            expands: has(bit::EXPANDABLE) && expand_action(actions, !has(bit::EXPANDED)).is_some(),
            facts: facts(tree, record, actions),
            row: None,
            row_texts: Vec::new(),
            // A text is what it says.
            said: (what.kind == Part::Text).then_some(Said { text: name_said, cut: false }),
            at_rest: None,
            hint: None,
            caret: None,
            leads: None,
        }
    }

    /// What can be chosen in it, each with its place among the children.
    pub(super) async fn options(&self, place: &Place) -> Vec<(usize, OptionItem)> {
        let Ok((list, mut children)) = tree::look(&self.bus, place).await else { return Vec::new() };
        // A combo box holds a menu or a list, and that holds the options.
        for _ in 0..2 {
            let [only] = &children[..] else { break };
            match tree::look(&self.bus, &place.at(only)).await {
                Ok((inner, below)) if !below.is_empty() && !matches!(inner.role, 32 | 35) => children = below,
                _ => break,
            }
        }
        let looks =
            children.iter().take(OPTIONS_MOST).map(async |path| tree::look(&self.bus, &place.at(path)).await.ok());
        let found = futures_util::future::join_all(looks).await;
        // Where several may be chosen, each says it of itself.
        let chosen = if list.role == COMBO_BOX { tree::chosen(&self.bus, place).await } else { None };
        let is_chosen =
            |r: &Record| chosen.as_ref().is_some_and(|(path, name)| *path == r.path || name == r.name.trim());
        let option = |(at, looked): (usize, Option<(Record, Vec<String>)>)| {
            let (record, _) = looked?;
            let label = record.name.trim().to_owned();
            let choosable = matches!(record.role, 8 | 32 | 35 | 45 | 56 | 91);
            (choosable && !label.is_empty()).then(|| {
                let selected = record.has(bit::SELECTED) || record.has(bit::CHECKED) || is_chosen(&record);
                let disabled = !record.has(bit::ENABLED) && !record.has(bit::SENSITIVE);
                (at, OptionItem { value: label.clone(), label, selected, disabled })
            })
        };
        found.into_iter().enumerate().filter_map(option).collect()
    }

    /// Makes the element ready for the pointer as far as `aim` allows, and finds a place that hits it.
    async fn aim(
        &mut self,
        probe: &mut Probe,
        place: &Place,
        tree: &Tree,
        record: &Record,
        aim: Aim,
    ) -> Result<(), Problem> {
        let seen = self.seen().await?;
        let window = seen.iter().find(|w| Some(w.id) == tree.window);
        if aim.scroll && record.rect.is_some_and(|r| window.is_some_and(|w| !r.centered_in(&w.rect))) {
            const ANYWHERE: u32 = 6;
            let asked = self.bus.ask::<_, bool>(place, "org.a11y.atspi.Component", "ScrollTo", &(ANYWHERE,)).await;
            if asked == Ok(true) {
                tokio::time::sleep(STILL * 2).await;
            }
        }
        let before = self.on_screen(tree, &seen, place, record).await;
        tokio::time::sleep(STILL).await;
        let after = self.on_screen(tree, &seen, place, record).await;
        probe.still = before == after;
        let Some(rect) = after else { return Ok(()) };
        probe.rect = rect;
        let mut hit = self.hit(rect, tree, (place, record.role)).await?;
        if aim.scroll
            && let (Hit::Covered(_), Some(window)) = (&hit, window.filter(|w| !w.popup).map(|w| w.id))
        {
            // Its window may lie under others, or be minimised: it is raised, and nothing else is.
            let raised =
                self.display.run(move |side| side.activate(window)).await.map_err(|e| e.problem("raise a window"))?;
            if raised {
                hit = self.hit(rect, tree, (place, record.role)).await?;
            }
        }
        match hit {
            Hit::At(point, _) => probe.point = Some(point),
            Hit::Covered(cover) => probe.cover = cover,
        }
        Ok(())
    }

    /// A place of `rect`, where an element is, at which a pointer hits it.
    pub(crate) async fn hit(&self, rect: Rect, tree: &Tree, (place, role): (&Place, u32)) -> Result<Hit, Problem> {
        let seen = self.seen().await?;
        let (expected, in_popup) = match self.expected(&seen, rect, tree, (place, role)).await {
            Ok(expected) => expected,
            Err(cover) => return Ok(Hit::Covered(cover)),
        };
        let line = if in_popup { None } else { Some(self.line(tree, &seen, place, rect).await) };
        let Some(part) = line.as_ref().map_or(Some(rect), |line| line.part) else { return Ok(Hit::Covered(None)) };
        let (mut cover, mut inner) = (None, None);
        let begun = Instant::now();
        for point in super::hit::places(part) {
            // An app that is slow to say what lies there is no reason to click elsewhere.
            if begun.elapsed() > LOOKS {
                break;
            }
            let top =
                self.display.run(move |side| side.top_at(point)).await.map_err(|e| e.problem("tell what is there"))?;
            if top != Some(expected.top) {
                cover = cover.or(top.and_then(|top| seen.iter().find(|w| w.top == top)));
                continue;
            }
            let there = match &line {
                Some(line) => self.there(line, point).await,
                None => There::It,
            };
            match there {
                There::It => return Ok(Hit::At(point, expected.top)),
                There::Other(other) => inner = inner.or(other),
            }
        }
        Ok(Hit::Covered(inner.or(cover.map(as_cover))))
    }

    /// The window that a pointer must hit to hit an element at `rect`, and whether it is a popup of its own; or what bars it.
    async fn expected(
        &self,
        seen: &[Seen],
        rect: Rect,
        tree: &Tree,
        (place, role): (&Place, u32),
    ) -> Result<(Seen, bool), Option<Cover>> {
        let own = seen.iter().find(|w| Some(w.id) == tree.window).ok_or(None)?;
        let popup = self.popup_of(seen, own, rect, tree, (place, role)).await;
        let in_popup = popup.is_some();
        let expected = popup.unwrap_or_else(|| own.clone());
        // What is outside an open menu gets no click: it closes the menu. Its bar does.
        let of_menus = own.popup || in_popup || matches!(role, 8 | 35 | 45) || MENUS.contains(&role);
        if let Some(menu) = seen.iter().find(|w| w.menu && !of_menus) {
            return Err(Some(as_cover(menu)));
        }
        match barring(seen, &expected) {
            Some(dialog) => Err(Some(as_cover(dialog))),
            None => Ok((expected, in_popup)),
        }
    }

    /// The child of the root that a pointer must hit at a place to hit the element, if it does.
    pub(crate) async fn window_at(
        &self,
        at: Point,
        tree: &Tree,
        (place, role): (&Place, u32),
    ) -> Result<Option<Window>, Problem> {
        let seen = self.seen().await?;
        let there = Rect::new(at.x, at.y, 1.0, 1.0);
        let Ok((expected, _)) = self.expected(&seen, there, tree, (place, role)).await else { return Ok(None) };
        let top = self.display.run(move |side| side.top_at(at)).await.map_err(|e| e.problem("tell what is there"))?;
        Ok(top.filter(|top| *top == expected.top))
    }

    /// What a pointer would hit at a place instead of the element, within its window: asked right before a gesture. `Some(None)`:
    /// something that can't be named.
    pub(crate) async fn hit_instead(
        &self,
        at: Point,
        tree: &Tree,
        (place, role): (&Place, u32),
    ) -> Result<Option<Option<Cover>>, Problem> {
        let seen = self.seen().await?;
        let there = Rect::new(at.x, at.y, 1.0, 1.0);
        let Ok((_, in_popup)) = self.expected(&seen, there, tree, (place, role)).await else {
            return Ok(Some(None));
        };
        if in_popup {
            return Ok(None);
        }
        let line = self.line(tree, &seen, place, there).await;
        Ok(match self.there(&line, at).await {
            There::It => None,
            There::Other(other) => Some(other),
        })
    }
}

impl Linux {
    /// The popup that an element is in: what a menu or a list holds is in one while that is open. A popup that merely lies over
    /// an element is none of its own.
    async fn popup_of(
        &self,
        seen: &[Seen],
        own: &Seen,
        rect: Rect,
        tree: &Tree,
        (place, role): (&Place, u32),
    ) -> Option<Seen> {
        if own.popup {
            return None;
        }
        let listed = matches!(role, 8 | 32 | 33 | 35 | 45 | 59 | 91 | crate::roles::CELL);
        let popup = group(seen, own).into_iter().find(|w| w.popup && listed && rect.centered_in(&w.rect))?.clone();
        let above = Place::new(&place.bus, &tree::parent(&self.bus, place).await.ok()?);
        if self.drops_down(&above).await || tree.quirks.extents == Extents::Surface {
            return Some(popup);
        }
        let record = Record { interfaces: Interfaces::named(["Component"].into_iter()), ..Record::default() };
        let list = self.on_screen(tree, seen, &above, &record).await?;
        is_popups_own(list, popup.rect).then_some(popup)
    }

    /// Whether an object is a menu, or of what a combo box drops down. A bar of menus isn't.
    async fn drops_down(&self, object: &Place) -> bool {
        /// Lists lie this deep in what is dropped down.
        const DEPTH: usize = 6;
        let mut at = object.clone();
        for _ in 0..DEPTH {
            match self.bus.ask::<_, u32>(&at, super::bus::ACCESSIBLE, "GetRole", &()).await {
                Ok(role) if MENUS.contains(&role) || role == COMBO_BOX => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
            match tree::parent(&self.bus, &at).await {
                Ok(above) => at = at.at(&above),
                Err(_) => return false,
            }
        }
        false
    }
}

/// Whether a list at `list` is what a popup shows: it fills the popup, and stands out of it by its border at most. One that a menu
/// happens to lie over may end within it, too.
fn is_popups_own(list: Rect, popup: Rect) -> bool {
    /// The border, or a button to scroll by.
    const OUT: f64 = 12.0;
    const IN: f64 = 24.0;
    let near = |list: f64, popup: f64| (-OUT..=IN).contains(&(list - popup));
    near(list.x, popup.x)
        && near(list.y, popup.y)
        && near(popup.x + popup.width, list.x + list.width)
        && near(popup.y + popup.height, list.y + list.height)
}

/// A window as what covers.
pub(crate) fn as_cover(window: &Seen) -> Cover {
    let name = if window.title.is_empty() { process(window.pid) } else { window.title.clone() };
    Cover { id: None, role: if window.popup { "popup".into() } else { "window".into() }, name }
}

fn edit_kind(record: &Record) -> EditKind {
    if matches!(record.role, 51 | 52) && record.interfaces.has(Interfaces::VALUE) {
        EditKind::Set
    } else if record.role == CELL && record.has(bit::EDITABLE) && record.interfaces.has(Interfaces::TEXT) {
        EditKind::Cell
    } else if record.has(bit::EDITABLE) && (is_text(record) || record.interfaces.has(Interfaces::TEXT)) {
        EditKind::Text
    } else {
        EditKind::None
    }
}

/// Which action stands for a click, where one does. A field's `activate` would be Enter.
pub(crate) fn click_action(record: &Record, actions: &[String]) -> Option<usize> {
    let pressable = matches!(role(record.role).word, "button" | "togglebutton" | "checkbox" | "radio" | "link" | "tab")
        || role(record.role).word.starts_with("menuitem");
    if !pressable {
        return None;
    }
    CLICKS.iter().find_map(|c| actions.iter().position(|a| a.eq_ignore_ascii_case(c)))
}

/// Which action opens it, or closes it.
pub(crate) fn expand_action(actions: &[String], on: bool) -> Option<usize> {
    let names = [EXPAND_OR_CONTRACT, if on { "expand" } else { "collapse" }];
    names.iter().find_map(|c| actions.iter().position(|a| a.eq_ignore_ascii_case(c)))
}

fn facts(tree: &Tree, record: &Record, actions: &[String]) -> Vec<(String, String)> {
    let mut facts = vec![
        ("process".to_owned(), format!("{} (pid {})", process(tree.pid), tree.pid)),
        ("object".to_owned(), format!("{} {}", tree.frame.bus, record.path)),
        ("role number".to_owned(), record.role.to_string()),
    ];
    if let Some(window) = tree.window {
        facts.push(("window".to_owned(), format!("{window:#x}")));
    }
    if !actions.is_empty() {
        facts.push(("actions".to_owned(), actions.join(", ")));
    }
    if NUMBERS.contains(&record.role) {
        facts.push(("number".to_owned(), record.value.clone().unwrap_or_default()));
    }
    facts
}

/// Whether the element has the keyboard.
pub(crate) fn is_focused(probe: &Probe) -> bool {
    probe.states.has(State::Focused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_under_a_menu_is_not_the_menus() {
        let popup = Rect::new(100.0, 200.0, 420.0, 320.0);
        for (list, own) in [
            (Rect::new(100.0, 200.0, 420.0, 320.0), true),
            (Rect::new(101.0, 216.0, 418.0, 288.0), true),
            (Rect::new(92.0, 190.0, 436.0, 340.0), true),
            (Rect::new(101.0, 201.0, 402.0, 318.0), true),
            // A menu that came up in its first row.
            (Rect::new(97.0, 190.0, 180.0, 120.0), false),
            (Rect::new(97.0, 190.0, 420.0, 120.0), false),
            (Rect::new(150.0, 200.0, 370.0, 320.0), false),
            (Rect::new(60.0, 150.0, 500.0, 400.0), false),
        ] {
            assert_eq!(is_popups_own(list, popup), own, "{list:?}");
        }
    }
}
