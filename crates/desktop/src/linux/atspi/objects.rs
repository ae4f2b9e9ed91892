//! Single objects: what an app tells of one when it is asked.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place, Unanswered};
use crate::quirks::Quirks;
use crate::record::{Interfaces, Record, bit, is_text};
use crate::roles::{COMBO_BOX, NUMBERS, PASSWORD, TAB, TEXTS};
use futures_util::future::{join_all, join5};
use handeye_scene::{Point, Rect};
use std::collections::HashMap;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};

/// Most children of one node; a spreadsheet has 2³¹.
pub(crate) const MOST_CHILDREN: usize = 2_000;
const TEXT: &str = "org.a11y.atspi.Text";
pub(crate) const COMPONENT: &str = "org.a11y.atspi.Component";
pub(crate) const ACTION: &str = "org.a11y.atspi.Action";

pub(crate) fn record(
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

/// Has a tab that is looked at by itself say whether it is the chosen one.
pub(crate) async fn settle_tab(bus: &Bus, at: &Place, record: &mut Record, quirks: Quirks) {
    if quirks.tabs_focused && record.role == TAB && record.has(bit::FOCUSED) {
        let Ok(bar) = parent(bus, at).await else { return };
        let told = bus.ask::<_, Vec<u32>>(&at.at(&bar), ACCESSIBLE, "GetState", &()).await;
        record.take_for_chosen(told.is_ok_and(|states| bits(&states) & bit::FOCUSED != 0));
    }
}

/// Paths of an object's children; none where it doesn't tell.
pub(crate) async fn children_of(bus: &Bus, at: &Place) -> Vec<String> {
    let children: Vec<(String, OwnedObjectPath)> =
        bus.ask(at, ACCESSIBLE, "GetChildren", &()).await.unwrap_or_default();
    children.iter().take(MOST_CHILDREN).map(|c| c.1.as_str().to_owned()).collect()
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

/// Where it is, as its toolkit says.
pub(crate) async fn extents(bus: &Bus, at: &Place, record: &Record) -> Option<Rect> {
    rect(told_extents(bus, at, record).await?)
}

/// The rectangle that extents tell of.
pub(crate) fn rect((x, y, width, height): (i32, i32, i32, i32)) -> Option<Rect> {
    // What isn't shown is at the end of the world.
    let there = x > i32::MIN / 2 && width > 0 && height > 0;
    there.then(|| Rect::new(x.into(), y.into(), width.into(), height.into()))
}

/// What its toolkit says of where it is: left, top, width, height.
pub(crate) async fn told_extents(bus: &Bus, at: &Place, record: &Record) -> Option<(i32, i32, i32, i32)> {
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

/// Every value that the interfaces of an element tell, whatever its role, with what tells it, the most direct first. Of a password
/// none is.
pub(crate) async fn values(bus: &Bus, at: &Place, record: &Record) -> Vec<(String, String)> {
    let mut told = Vec::new();
    if record.role == PASSWORD {
        return told;
    }
    if record.interfaces.has(Interfaces::VALUE) {
        // What a slider says of its number comes with newer toolkits only.
        let said = bus.text_property(at, "org.a11y.atspi.Value", "Text").await.unwrap_or_default();
        let number = bus.property(at, "org.a11y.atspi.Value", "CurrentValue").await.ok();
        let number = number.and_then(|value| f64::try_from(value).ok()).map(|number| number.to_string());
        let value = Some(said).filter(|said| !said.trim().is_empty()).or(number);
        told.extend(value.map(|value| ("accessible value".to_owned(), value)));
    }
    if record.interfaces.has(Interfaces::TEXT) {
        told.extend(text(bus, at, -1).await.map(|text| ("accessible text".to_owned(), text)));
    }
    if record.interfaces.has(Interfaces::SELECTION) {
        told.extend(chosen(bus, at).await.map(|(_, name)| ("selection".to_owned(), name)));
    }
    told
}

/// Whether a text reads as a date or a time: numbers with something between them that no number has.
pub(crate) fn is_date(text: &str) -> bool {
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

/// The object that a toolkit finds at a place of the screen, asked of one that it lies in. None: none, or it can't tell.
pub(crate) async fn found_at(bus: &Bus, of: &Place, at: Point, shift: (f64, f64)) -> Result<Option<Place>, Unanswered> {
    let at = ((at.x - shift.0) as i32, (at.y - shift.1) as i32, 0_u32);
    let (_, path) = bus.ask::<_, ((String, OwnedObjectPath),)>(of, COMPONENT, "GetAccessibleAtPoint", &at).await?.0;
    let path = path.as_str();
    Ok((!path.ends_with("/null") && *path != *of.path).then(|| of.at(path)))
}

/// Something that may be asked for its extents.
pub(crate) fn placed() -> Record {
    Record { interfaces: Interfaces::named(["Component"].into_iter()), ..Record::default() }
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
