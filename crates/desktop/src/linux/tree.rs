//! Trees of accessible objects as records: in bulk where the app has a cache, else node by node with joined calls.

use super::bulk::{Cache, from_cache, in_bulk};
use super::bus::{ACCESSIBLE, Bus, Place, Unanswered};
use crate::quirks::Quirks;
use crate::record::{Interfaces, Record, bit, is_text};
use crate::roles::{COMBO_BOX, NUMBERS, PASSWORD, Part, TAB, TEXTS, role};
use futures_util::StreamExt;
use futures_util::future::{join_all, join3, join5};
use handeye_scene::Rect;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};
use tokio::time::sleep;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};

/// How many nodes of an app are asked about at once where each is asked by itself.
const AT_ONCE: usize = 16;
/// Places and texts that are asked for together: an app answers one after the other, and many at once hold nobody up.
const PIPELINED: usize = 1024;
/// Most nodes of one window.
pub(super) const MOST_NODES: usize = 20_000;
/// Most children of one node; a spreadsheet has 2³¹.
pub(super) const MOST_CHILDREN: usize = 2_000;
/// How long one window may take.
pub(super) const BUDGET: Duration = Duration::from_millis(4000);
const TEXT: &str = "org.a11y.atspi.Text";
/// Characters of a text that are read for a look.
const TEXT_MOST: i32 = 500;

/// What was read of a window.
#[derive(Default, Clone)]
pub(crate) struct Reading {
    /// The objects, parents before children, in reading order.
    pub(crate) records: Vec<Record>,
    /// What is missing, in words.
    pub(crate) partial: Option<String>,
}

pub(super) fn record(
    path: String,
    interfaces: &[String],
    name: String,
    role: u32,
    description: String,
    states: &[u32],
) -> Record {
    Record {
        path,
        parent: None,
        role,
        name,
        description,
        states: bits(states),
        interfaces: Interfaces::named(interfaces.iter().map(String::as_str)),
        rect: None,
        value: None,
        labels: Vec::new(),
    }
}

/// The two halves of a state set.
pub(crate) fn bits(states: &[u32]) -> u64 {
    let half = |i: usize| u64::from(states.get(i).copied().unwrap_or_default());
    half(0) | half(1) << 32
}

/// Reads what is shown of the window at `frame`; of its tables all (`rows`), or what is in sight.
pub(crate) async fn read(
    bus: &Bus,
    frame: &Place,
    cached: Option<&mut Cache>,
    quirks: Quirks,
    rows: bool,
) -> Result<Reading, Unanswered> {
    let mut reading = match cached.filter(|c| c.records.contains_key(&*frame.path)) {
        Some(cache) => in_bulk(bus, cache, frame, quirks).await,
        None => walk(bus, frame, quirks).await?,
    };
    let begun = Instant::now();
    super::bars::leave_out_unused(bus, frame, &mut reading.records).await;
    super::cells::add(bus, frame, &mut reading, quirks, rows).await;
    settle_tabs(&mut reading.records, quirks);
    fill(bus, frame, &mut reading.records, quirks).await?;
    super::unseen::leave_out(bus, frame, &mut reading.records, quirks).await;
    if begun.elapsed() > BUDGET && reading.partial.is_none() {
        reading.partial = Some("some places and texts weren't told in time".into());
    }
    Ok(reading)
}

/// Has tabs say which of them is chosen.
fn settle_tabs(records: &mut [Record], quirks: Quirks) {
    for i in (0..records.len()).filter(|_| quirks.tabs_focused) {
        let bar = records[i].parent.filter(|_| records[i].role == TAB);
        if let Some(bar) = bar {
            let has_keyboard = records[bar].has(bit::FOCUSED);
            records[i].take_for_chosen(has_keyboard);
        }
    }
}

/// The same for one object by itself.
pub(super) async fn settle_tab(bus: &Bus, at: &Place, record: &mut Record, quirks: Quirks) {
    if quirks.tabs_focused && record.role == TAB && record.has(bit::FOCUSED) {
        let Ok(bar) = parent(bus, at).await else { return };
        let told = bus.ask::<_, Vec<u32>>(&at.at(&bar), ACCESSIBLE, "GetState", &()).await;
        record.take_for_chosen(told.is_ok_and(|states| bits(&states) & bit::FOCUSED != 0));
    }
}

/// Paths of an object's children; none where it doesn't tell.
pub(super) async fn children_of(bus: &Bus, at: &Place) -> Vec<String> {
    let children: Vec<(String, OwnedObjectPath)> =
        bus.ask(at, ACCESSIBLE, "GetChildren", &()).await.unwrap_or_default();
    children.iter().take(MOST_CHILDREN).map(|c| c.1.as_str().to_owned()).collect()
}

/// A node on the way: its record, and its children's places among the nodes.
struct Visit {
    record: Record,
    children: Vec<usize>,
}

/// Level by level, the nodes of a level joined.
async fn walk(bus: &Bus, frame: &Place, quirks: Quirks) -> Result<Reading, Unanswered> {
    let begun = Instant::now();
    let mut partial = None;
    let mut visits: Vec<Visit> = Vec::new();
    let mut level: Vec<(String, Option<usize>)> = vec![(frame.path.to_string(), None)];
    let mut met = HashSet::new();
    while !level.is_empty() {
        // What holds what it lies in is shown once.
        level.retain(|(path, _)| met.insert(path.clone()));
        let whole = level.len();
        let left = BUDGET.saturating_sub(begun.elapsed());
        let asked = futures_util::stream::iter(std::mem::take(&mut level))
            .map(async |(path, parent)| (look(bus, &frame.at(&path)).await, parent))
            .buffered(AT_ONCE)
            .take_until(sleep(left));
        let answers: Vec<_> = asked.collect().await;
        let cut = answers.len() < whole;
        if visits.is_empty() && cut {
            return Err(Unanswered::Late);
        }
        for (answer, parent) in answers {
            let (record, children) = match answer {
                Ok(seen) => seen,
                // What vanished meanwhile is left out; a window that doesn't answer at all is a problem.
                Err(Unanswered::Gone) if parent.is_some() => continue,
                Err(Unanswered::Late) if parent.is_some() => {
                    partial = Some("the app answered some calls too late".to_owned());
                    continue;
                }
                Err(other) => return Err(other),
            };
            if parent.is_some() && !record.shows(quirks) {
                continue;
            }
            let manages = record.hides_children();
            visits.push(Visit { record, children: Vec::new() });
            let index = visits.len() - 1;
            if let Some(parent) = parent {
                visits[parent].children.push(index);
            }
            if !manages {
                level.extend(children.into_iter().take(MOST_CHILDREN).map(|path| (path, Some(index))));
            }
        }
        if visits.len() >= MOST_NODES || cut || begun.elapsed() > BUDGET {
            partial = Some(format!("only the upper levels, {} nodes, were read in time", visits.len()));
            break;
        }
    }
    Ok(Reading { records: in_order(visits), partial })
}

/// Parents before children, siblings in order.
fn in_order(mut visits: Vec<Visit>) -> Vec<Record> {
    let mut records = Vec::with_capacity(visits.len());
    let mut open: Vec<(usize, Option<usize>)> = if visits.is_empty() { Vec::new() } else { vec![(0, None)] };
    while let Some((index, parent)) = open.pop() {
        let visit = &mut visits[index];
        let mut record = std::mem::take(&mut visit.record);
        record.parent = parent;
        records.push(record);
        let at = records.len() - 1;
        open.extend(visit.children.iter().rev().map(|c| (*c, Some(at))));
    }
    records
}

/// One node and the paths of its children, by calls that are sent together.
pub(crate) async fn look(bus: &Bus, at: &Place) -> Result<(Record, Vec<String>), Unanswered> {
    let name = bus.text_property(at, ACCESSIBLE, "Name");
    let number = bus.ask::<_, u32>(at, ACCESSIBLE, "GetRole", &());
    let states = bus.ask::<_, Vec<u32>>(at, ACCESSIBLE, "GetState", &());
    let interfaces = bus.ask::<_, Vec<String>>(at, ACCESSIBLE, "GetInterfaces", &());
    let description = bus.text_property(at, ACCESSIBLE, "Description");
    let one = join5(name, number, states, interfaces, description);
    let children = bus.ask::<_, Vec<(String, OwnedObjectPath)>>(at, ACCESSIBLE, "GetChildren", &());
    // The children of a spreadsheet are not asked for before its states are known.
    let (name, number, states, interfaces, description) = one.await;
    let (states, number) = (bits(&states?), number?);
    let record = record(
        at.path.to_string(),
        &interfaces.unwrap_or_default(),
        name?,
        number,
        description.unwrap_or_default(),
        &[],
    );
    let record = Record { states, ..record };
    let children = if record.hides_children() { Vec::new() } else { children.await.unwrap_or_default() };
    Ok((record, children.into_iter().map(|(_, path)| path.as_str().to_owned()).collect()))
}

/// Places and texts of the records that an agent is told of, all asked for together.
async fn fill(bus: &Bus, frame: &Place, records: &mut [Record], quirks: Quirks) -> Result<(), Unanswered> {
    let wanted: Vec<usize> = (0..records.len())
        .filter(|i| is_wanted(&records[*i], quirks) && super::cells::parse(&records[*i].path).is_none())
        .collect();
    let asked = wanted.iter().copied().map(async |i: usize| {
        let record = &records[i];
        let at = frame.at(&record.path);
        let labelled =
            async { if super::labels::takes_one(record, quirks) { labels(bus, &at).await } else { Vec::new() } };
        join3(extents(bus, &at, record), value(bus, &at, record, TEXT_MOST), labelled).await
    });
    let answers = futures_util::stream::iter(asked.collect::<Vec<_>>()).buffered(PIPELINED).take_until(sleep(BUDGET));
    let answers: Vec<_> = answers.collect().await;
    for (i, (rect, value, labels)) in wanted.into_iter().zip(answers) {
        (records[i].rect, records[i].value, records[i].labels) = (rect, value, labels);
    }
    Ok(())
}

fn is_wanted(record: &Record, quirks: Quirks) -> bool {
    let what = role(record.role);
    // What isn't shown is found by where it lies.
    let is_placed = (quirks.showing_missing || super::hit::bounds(record.role, quirks))
        && record.interfaces.has(Interfaces::COMPONENT);
    is_placed
        || what.kind != Part::Holder
        || record.is_active()
        || !crate::quirks::name(&record.name, quirks).is_empty()
}

/// Where it is, as its toolkit says.
pub(crate) async fn extents(bus: &Bus, at: &Place, record: &Record) -> Option<Rect> {
    rect(told_extents(bus, at, record).await?)
}

/// The rectangle that extents tell of.
pub(super) fn rect((x, y, width, height): (i32, i32, i32, i32)) -> Option<Rect> {
    // What isn't shown is at the end of the world.
    let there = x > i32::MIN / 2 && width > 0 && height > 0;
    there.then(|| Rect::new(x.into(), y.into(), width.into(), height.into()))
}

/// What its toolkit says of where it is: left, top, width, height.
pub(super) async fn told_extents(bus: &Bus, at: &Place, record: &Record) -> Option<(i32, i32, i32, i32)> {
    if !record.interfaces.has(Interfaces::COMPONENT) {
        return None;
    }
    let told = bus.ask::<_, ((i32, i32, i32, i32),)>(at, "org.a11y.atspi.Component", "GetExtents", &(0_u32,)).await;
    Some(told.ok()?.0)
}

/// What labels it, by its toolkit's own word: path and text of each.
pub(crate) async fn labels(bus: &Bus, at: &Place) -> Vec<(String, String)> {
    const LABELLED_BY: u32 = 2;
    /// A field has one as a rule.
    const MOST: usize = 4;
    type Relation = (u32, Vec<(String, OwnedObjectPath)>);
    let told: Vec<Relation> = bus.ask(at, ACCESSIBLE, "GetRelationSet", &()).await.unwrap_or_default();
    let paths = told.into_iter().filter(|(kind, _)| *kind == LABELLED_BY).flat_map(|(_, objects)| objects);
    let asked = paths.take(MOST).map(async |(_, path)| {
        let said = bus.text_property(&at.at(path.as_str()), ACCESSIBLE, "Name").await.ok()?;
        (!said.trim().is_empty()).then(|| (path.as_str().to_owned(), said))
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// Its text or number.
pub(crate) async fn value(bus: &Bus, at: &Place, record: &Record, most: i32) -> Option<String> {
    if record.role == PASSWORD && record.interfaces.has(Interfaces::TEXT) {
        // How long it is, which every toolkit tells: what it says is nobody's business.
        return Some("•".repeat(usize::try_from(count(bus, at).await?).ok()?.min(1000)));
    }
    let labelled = !record.name.trim().is_empty();
    if record.interfaces.has(Interfaces::TEXT) && (TEXTS.contains(&record.role) || is_text(record) || !labelled) {
        return text(bus, at, most).await;
    }
    if record.role == COMBO_BOX && record.interfaces.has(Interfaces::SELECTION) {
        let (_, chosen) = chosen(bus, at).await?;
        return Some(chosen);
    }
    if NUMBERS.contains(&record.role) && record.interfaces.has(Interfaces::VALUE) {
        let number = f64::try_from(bus.property(at, "org.a11y.atspi.Value", "CurrentValue").await.ok()?).ok()?;
        // A date has a number, too, which nobody is shown.
        let shown = if record.interfaces.has(Interfaces::TEXT) { text(bus, at, most).await } else { None };
        return shown.filter(|text| is_date(text)).or_else(|| Some(number.to_string()));
    }
    None
}

/// Whether a text reads as a date or a time: numbers with something between them that no number has.
pub(super) fn is_date(text: &str) -> bool {
    let groups = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let apart = text.trim().trim_start_matches('-').contains(['-', '/', ':']);
    groups >= 2 && apart || groups >= 3 && text.matches('.').count() >= 2
}

/// How many characters a text has, as its toolkit counts them.
async fn count(bus: &Bus, at: &Place) -> Option<i32> {
    i32::try_from(bus.property(at, TEXT, "CharacterCount").await.ok()?).ok()
}

/// How many characters stand before the caret.
pub(crate) async fn caret(bus: &Bus, at: &Place) -> Option<i32> {
    i32::try_from(bus.property(at, TEXT, "CaretOffset").await.ok()?).ok()
}

/// The beginning of a text, at most `most` characters; all of it where that is negative.
async fn text(bus: &Bus, at: &Place, most: i32) -> Option<String> {
    let count = count(bus, at).await?;
    if count == 0 {
        return Some(String::new());
    }
    // LibreOffice refuses an end beyond the end.
    let end = if most < 0 || count <= most { -1 } else { most };
    let told: String = bus.ask(at, TEXT, "GetText", &(0_i32, end)).await.ok()?;
    // A field of GTK 4.8 knows no end but a number.
    if told.is_empty() && end < 0 { bus.ask(at, TEXT, "GetText", &(0_i32, count)).await.ok() } else { Some(told) }
}

/// The first chosen child: its path and name.
pub(crate) async fn chosen(bus: &Bus, at: &Place) -> Option<(String, String)> {
    let (_, path): (String, OwnedObjectPath) = bus
        .ask::<_, ((String, OwnedObjectPath),)>(at, "org.a11y.atspi.Selection", "GetSelectedChild", &(0_i32,))
        .await
        .ok()?
        .0;
    let name = bus.text_property(&at.at(path.as_str()), ACCESSIBLE, "Name").await.ok()?;
    Some((path.as_str().to_owned(), name.trim().to_owned()))
}

/// Its accessible id; only some toolkits have such a thing.
pub(crate) async fn accessible_id(bus: &Bus, at: &Place) -> Option<String> {
    bus.text_property(at, ACCESSIBLE, "AccessibleId").await.ok().filter(|id| !id.is_empty())
}

/// Its class, where its toolkit tells one.
pub(crate) async fn class(bus: &Bus, at: &Place) -> Option<String> {
    let told: HashMap<String, String> = bus.ask(at, ACCESSIBLE, "GetAttributes", &()).await.ok()?;
    told.get("class").filter(|class| !class.is_empty()).cloned()
}

/// Where it lies in the tree: the path of its parent.
pub(crate) async fn parent(bus: &Bus, at: &Place) -> Result<String, Unanswered> {
    let value: OwnedValue = bus.property(at, ACCESSIBLE, "Parent").await?;
    let (_, path) = <(String, OwnedObjectPath)>::try_from(value).map_err(|_| Unanswered::Gone)?;
    Ok(path.as_str().to_owned())
}

/// The scroll bars of a window: whether each is upright, and what it stands at.
pub(crate) async fn bars(
    bus: &Bus,
    frame: &Place,
    cached: Option<&Cache>,
    quirks: Quirks,
) -> Result<Vec<(bool, f64)>, Unanswered> {
    const SCROLL_BAR: u32 = 48;
    const UPRIGHT: u64 = 1 << 29;
    let reading = match cached.filter(|c| c.records.contains_key(&*frame.path)) {
        Some(cache) => from_cache(cache, frame, quirks),
        None => walk(bus, frame, quirks).await?,
    };
    let asked = reading.records.iter().filter(|r| r.role == SCROLL_BAR).map(async |record| {
        let value = bus.property(&frame.at(&record.path), "org.a11y.atspi.Value", "CurrentValue").await.ok()?;
        Some((record.has(UPRIGHT), f64::try_from(value).ok()?))
    });
    Ok(join_all(asked).await.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn dates_are_told_from_numbers() {
        for date in ["2024-05-06", "6.5.2024", "5/6/24", "12:30", "Mon 12:30"] {
            assert!(is_date(date), "{date}");
        }
        for number in ["", "10", "-5", "1.5", "10 pt", "1,000.5", "-1.5 %"] {
            assert!(!is_date(number), "{number}");
        }
    }
}
