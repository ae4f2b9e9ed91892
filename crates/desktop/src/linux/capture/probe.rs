//! Facts about one element.

use crate::linux::atspi::bus::{Bus, Place, Unanswered};
use crate::linux::atspi::ids::{Known, Tree};
use crate::linux::atspi::objects::{self, ACTION};
use crate::linux::atspi::scroll_into_view;
use crate::linux::capture::cells;
use crate::linux::capture::drop_downs;
use crate::linux::capture::names::{Named, named};
use crate::linux::capture::reach::{self, Hit};
use crate::linux::capture::screen_place;
use crate::linux::desktop::Desktop;
use crate::linux::windows::arrange;
use crate::linux::windows::relations::{as_cover, barring};
use crate::linux::windows::window_list::process;
use crate::record::{Interfaces, Record, bit, is_text, node};
use crate::roles::{CELL, CHOICES, COMBO_BOX, NUMBERS, ON_RELEASE, Part, role};
use handeye_scene::{Aim, EditKind, NativeId, OptionItem, Probe, Problem, Said, State, States, Texts};
use std::time::Duration;

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
/// How long a rectangle must stand still.
const STILL: Duration = Duration::from_millis(15);

/// Where an object is now; none where it is gone.
async fn resolved(desktop: &Desktop, at: &Place, pid: u32) -> Result<Option<Place>, Problem> {
    match cells::resolve(&desktop.bus, at).await {
        Ok(place) => Ok(Some(place)),
        Err(Unanswered::Gone) if !desktop.bus.is_lost() => Ok(None),
        Err(other) => Err(desktop.unanswered(other, pid)),
    }
}

pub(crate) async fn examine(desktop: &mut Desktop, id: NativeId, aim: Aim) -> Result<Option<Probe>, Problem> {
    let Some(known) = desktop.ids.get(id).cloned() else { return Ok(None) };
    let tree = desktop.tree_of(id)?;
    let seen = desktop.seen().await?;
    if tree.window.is_some_and(|window| !seen.iter().any(|w| w.id == window)) {
        return Ok(None);
    }
    let Some(mut place) = resolved(desktop, &known.place, tree.pid).await? else { return Ok(None) };
    let Some(mut named) = record(desktop, &place, &known, &tree).await? else { return Ok(None) };
    let is_row = aim.scroll && ROWS.contains(&named.record.role);
    let is_away = is_row
        && (!named.record.shows(tree.quirks) || objects::extents(&desktop.bus, &place, &named.record).await.is_none());
    if is_away && scroll_into_view::into_sight(&desktop.bus, &place, &named.record).await {
        // What is in sight may be another object than before.
        let Some(again) = resolved(desktop, &known.place, tree.pid).await? else { return Ok(None) };
        place = again;
        let Some(now) = record(desktop, &place, &known, &tree).await? else { return Ok(None) };
        named = now;
    }
    let told = objects::value(&desktop.bus, &place, &named.itself(), TEXT_MOST).await;
    let value = told.or_else(|| named.choice.clone());
    let walks = named.record.role == COMBO_BOX && tree.quirks.walks_lists;
    let value = match value {
        None if walks && tree.quirks.choice_as_name => Some(named.record.name.trim().to_owned()),
        None if walks => drop_downs::shown(&desktop.bus, &place, tree.quirks).await,
        value => value,
    };
    let mut record = Record { value, ..named.record };
    record.rect = screen_place::on_screen(&desktop.bus, &tree, &seen, &place, &record).await;
    let actions = actions(&desktop.bus, &place, &record).await;
    let mut probe = as_probe(id, &tree, &record, &actions);
    if record.has(bit::FOCUSED) && record.interfaces.has(Interfaces::TEXT) {
        probe.caret = objects::caret(&desktop.bus, &place).await;
    }
    let own = seen.iter().find(|w| Some(w.id) == tree.window);
    probe.behind = own.and_then(|own| barring(&seen, own)).map(as_cover);
    let (id, class) =
        futures_util::future::join(objects::accessible_id(&desktop.bus, &place), objects::class(&desktop.bus, &place))
            .await;
    for (what, text) in [("automation id", &id), ("class", &class)] {
        probe.facts.extend(text.iter().map(|text| (what.to_owned(), text.clone())));
    }
    probe.testid = id;
    if CHOICES.contains(&record.role) {
        probe.options = match walks {
            true => drop_downs::options(&desktop.bus, &desktop.ids, &place, &record, tree.quirks).await,
            false => options(&desktop.bus, &place).await.into_iter().map(|(_, option)| option).collect(),
        };
        if !probe.options.is_empty() && probe.edit == EditKind::None {
            probe.edit = EditKind::Select;
        }
    }
    if aim.point && !(aim.activation && probe.activation.is_some()) {
        make_ready(desktop, &mut probe, &place, &tree, &record, aim).await?;
    }
    Ok(Some(probe))
}

/// The object as it is now; none when it is gone, or another one took its place.
async fn record(desktop: &Desktop, place: &Place, known: &Known, tree: &Tree) -> Result<Option<Named>, Problem> {
    let Known { role, parent, .. } = known;
    // A cell is where its table says.
    let placed = parent.is_empty() || cells::parse(&known.place.path).is_some();
    let look = async {
        let found = named(&desktop.bus, &desktop.ids, place, tree.quirks).await?;
        let above = if placed { Ok(parent.clone()) } else { objects::parent(&desktop.bus, place).await };
        Ok::<_, Unanswered>((found, above?))
    };
    match look.await {
        // What it says may be another row's by now.
        Ok(_) if desktop.sorting.doubted.has(place) => Ok(None),
        Ok((found, above)) => {
            let same = |r: &Record| r.role == *role && above == *parent && !r.has(bit::DEFUNCT);
            Ok(Some(found).filter(|found| same(&found.record)))
        }
        Err(Unanswered::Gone) if !desktop.bus.is_lost() => Ok(None),
        Err(other) => Err(desktop.unanswered(other, tree.pid)),
    }
}

/// Names of its actions.
pub(crate) async fn actions(bus: &Bus, place: &Place, record: &Record) -> Vec<String> {
    if !record.interfaces.has(Interfaces::ACTION) {
        return Vec::new();
    }
    // All of them at once come with names in the user's language.
    let count = match bus.property(place, ACTION, "NActions").await {
        Ok(count) => i32::try_from(count).unwrap_or_default().min(ACTIONS_MOST),
        Err(_) => 0,
    };
    let names = (0..count).map(async |i| bus.ask::<_, String>(place, ACTION, "GetName", &(i,)).await);
    futures_util::future::join_all(names).await.into_iter().map(Result::unwrap_or_default).collect()
}

fn as_probe(id: NativeId, tree: &Tree, record: &Record, actions: &[String]) -> Probe {
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
    // A button that counts is one that LibreOffice draws in a bar: its action waits for no dialog, and its place is told without
    // the menu bar above.
    let is_drawn = record.role == 43 && record.interfaces.has(Interfaces::VALUE);
    let blocks = tree.quirks.actions_block && matches!(record.role, 35 | 43 | 88) && !is_drawn;
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
pub(crate) async fn options(bus: &Bus, place: &Place) -> Vec<(usize, OptionItem)> {
    let Ok((list, mut children)) = objects::look(bus, place).await else { return Vec::new() };
    // A combo box holds a menu or a list, and that holds the options.
    for _ in 0..2 {
        let [only] = &children[..] else { break };
        match objects::look(bus, &place.at(only)).await {
            Ok((inner, below)) if !below.is_empty() && !matches!(inner.role, 32 | 35) => children = below,
            _ => break,
        }
    }
    let looks = children.iter().take(OPTIONS_MOST).map(async |path| objects::look(bus, &place.at(path)).await.ok());
    let found = futures_util::future::join_all(looks).await;
    // Where several may be chosen, each says it of itself.
    let chosen = if list.role == COMBO_BOX { objects::chosen(bus, place).await } else { None };
    let is_chosen = |r: &Record| chosen.as_ref().is_some_and(|(path, name)| *path == r.path || name == r.name.trim());
    let option = |(at, looked): (usize, Option<(Record, Vec<String>)>)| {
        let (record, _) = looked?;
        let label = record.name.trim().to_owned();
        let choosable = matches!(record.role, 8 | 32 | 35 | 45 | 56 | 91);
        (choosable && !label.is_empty()).then(|| {
            let selected = record.has(bit::SELECTED) || record.has(bit::CHECKED) || is_chosen(&record);
            let disabled = !record.has(bit::ENABLED) && !record.has(bit::SENSITIVE);
            (at, OptionItem { index: 0, value: label.clone(), label, selected, disabled })
        })
    };
    let options = found.into_iter().enumerate().filter_map(option);
    options.enumerate().map(|(index, (at, option))| (at, OptionItem { index, ..option })).collect()
}

/// Makes the element ready for the pointer as far as `aim` allows, and finds a place that hits it.
async fn make_ready(
    desktop: &mut Desktop,
    probe: &mut Probe,
    place: &Place,
    tree: &Tree,
    record: &Record,
    aim: Aim,
) -> Result<(), Problem> {
    let seen = desktop.seen().await?;
    let window = seen.iter().find(|w| Some(w.id) == tree.window);
    if aim.scroll && record.rect.is_some_and(|r| window.is_some_and(|w| !r.centered_in(&w.rect))) {
        const ANYWHERE: u32 = 6;
        let asked = desktop.bus.ask::<_, bool>(place, "org.a11y.atspi.Component", "ScrollTo", &(ANYWHERE,)).await;
        if asked == Ok(true) {
            tokio::time::sleep(STILL * 2).await;
        }
    }
    let before = screen_place::on_screen(&desktop.bus, tree, &seen, place, record).await;
    tokio::time::sleep(STILL).await;
    let after = screen_place::on_screen(&desktop.bus, tree, &seen, place, record).await;
    probe.still = before == after;
    let Some(rect) = after else { return Ok(()) };
    probe.rect = rect;
    let mut hit = reach::hit(desktop, rect, tree, (place, record.role)).await?;
    if aim.scroll
        && let (Hit::Covered(_), Some(window)) = (&hit, window.filter(|w| !w.popup).map(|w| w.id))
    {
        // Its window may lie under others, or be minimised: it is raised, and nothing else is.
        let raised = desktop
            .display
            .run(move |side| arrange::activate(&side.server, window))
            .await
            .map_err(|e| e.problem("raise a window"))?;
        if raised {
            hit = reach::hit(desktop, rect, tree, (place, record.role)).await?;
        }
    }
    match hit {
        Hit::At(point, _) => probe.point = Some(point),
        Hit::Covered(cover) => probe.cover = cover,
    }
    Ok(())
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
