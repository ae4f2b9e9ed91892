//! What drops a list down, of toolkits that tell of neither choice nor options by an interface: what it shows, and what it lists.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place};
use crate::linux::atspi::ids::Ids;
use crate::linux::atspi::objects::{bits, children_of, extents, placed};
use crate::linux::capture::names::named;
use crate::quirks::Quirks;
use crate::record::{Record, bit};
use crate::roles::{COMBO_BOX, Part, role};
use futures_util::future::join_all;
use handeye_scene::OptionItem;

/// So many objects of one are looked at.
const ASKED: usize = 600;
/// Roles of options: list item, menu item, item of a tree.
const OPTIONS: [u32; 3] = [32, 35, 91];

/// An option of a list that is open.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) place: Place,
    pub(crate) label: String,
}

/// What one shows, where its toolkit tells of it by a text in it alone.
pub(crate) async fn shown(bus: &Bus, at: &Place, quirks: Quirks) -> Option<String> {
    let mut open = vec![at.clone()];
    let mut next = 0;
    while next < open.len() && open.len() < ASKED {
        let one = open[next].clone();
        next += 1;
        let number = bus.ask::<_, u32>(&one, ACCESSIBLE, "GetRole", &()).await.ok()?;
        if role(number).kind == Part::Text {
            let name = bus.text_property(&one, ACCESSIBLE, "Name").await.unwrap_or_default();
            let name = crate::quirks::name(&name, quirks);
            // What it would say of nothing has no size.
            if !name.is_empty() && extents(bus, &one, &placed()).await.is_some() {
                return Some(name);
            }
        } else if !OPTIONS.contains(&number) {
            open.extend(children_of(bus, &one).await.iter().map(|path| one.at(path)));
        }
    }
    None
}

/// What one lists, as far as it is open or tells of it all the same.
pub(crate) async fn listed(bus: &Bus, ids: &Ids, at: &Place, quirks: Quirks) -> Vec<Listed> {
    let (mut open, mut found) = (vec![at.clone()], Vec::new());
    let mut next = 0;
    while next < open.len() && open.len() < ASKED {
        let one = open[next].clone();
        next += 1;
        let children: Vec<Place> = children_of(bus, &one).await.iter().map(|path| one.at(path)).collect();
        let asked = children.iter().map(async |child| bus.ask::<_, u32>(child, ACCESSIBLE, "GetRole", &()).await.ok());
        let roles = join_all(asked).await;
        let (options, others): (Vec<_>, Vec<_>) = children
            .into_iter()
            .zip(roles)
            .filter_map(|(child, number)| Some((child, number?)))
            .partition(|(_, number)| OPTIONS.contains(number));
        let labels = options.into_iter().map(async |(place, _)| {
            let label = named(bus, ids, &place, quirks).await.ok()?.record.name.trim().to_owned();
            (!label.is_empty()).then_some(Listed { place, label })
        });
        found.extend(join_all(labels).await.into_iter().flatten());
        open.extend(others.into_iter().map(|(child, _)| child));
    }
    found
}

/// Which of these has the keyboard.
pub(crate) async fn focused(bus: &Bus, options: &[Listed]) -> Option<usize> {
    let asked = options.iter().map(async |option| {
        let states: Vec<u32> = bus.ask(&option.place, ACCESSIBLE, "GetState", &()).await.ok()?;
        Some(bits(&states) & bit::FOCUSED != 0)
    });
    join_all(asked).await.into_iter().position(|has| has == Some(true))
}

/// What can be chosen in one that is closed, as far as that is told: what it shows at least.
pub(crate) async fn options(bus: &Bus, ids: &Ids, at: &Place, record: &Record, quirks: Quirks) -> Vec<OptionItem> {
    let Some(value) = record.value.clone().filter(|_| record.role == COMBO_BOX) else { return Vec::new() };
    let mut labels: Vec<String> = listed(bus, ids, at, quirks).await.into_iter().map(|option| option.label).collect();
    if !labels.contains(&value) {
        labels.insert(0, value.clone());
    }
    let option = |(index, label): (usize, String)| OptionItem {
        index,
        value: label.clone(),
        selected: label == value,
        disabled: false,
        label,
    };
    labels.into_iter().enumerate().map(option).collect()
}
