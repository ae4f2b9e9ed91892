//! What an element lies in, up to the top of its tree.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place, ROOT};
use crate::linux::atspi::ids::Tree;
use crate::linux::atspi::objects::{self, children_of, parent, placed};
use crate::linux::geometry::moved;
use futures_util::future::join_all;
use handeye_scene::Rect;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How deep an element may lie in its window.
const DEPTH: usize = 48;
/// How long what an element lies in is taken to be the same.
const MOMENT: Duration = Duration::from_millis(800);

/// One of those that an element lies in, itself included.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) place: Place,
    pub(crate) role: u32,
    /// Where it is on the screen.
    pub(crate) rect: Option<Rect>,
}

/// What an element was found to lie in a moment ago: it is asked for when a place is chosen, and again right before the press.
#[derive(Default)]
pub(crate) struct Lines(Mutex<Option<Kept>>);

/// When it was found, of which element, and what it lies in.
type Kept = (Instant, Place, Vec<(Place, u32)>);

impl Lines {
    pub(crate) fn get(&self, place: &Place) -> Option<Vec<(Place, u32)>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, of, above) = kept.as_ref()?;
        (of == place && since.elapsed() < MOMENT).then(|| above.clone())
    }

    pub(crate) fn keep(&self, place: &Place, above: &[(Place, u32)]) {
        let kept = (Instant::now(), place.clone(), above.to_vec());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }
}

/// An element and what it lies in; none where an app doesn't tell.
pub(crate) async fn links(
    bus: &Bus,
    lines: &Lines,
    tree: &Tree,
    place: &Place,
    shift: (f64, f64),
) -> Option<Vec<Link>> {
    let known = lines.get(place);
    let above = match known {
        Some(above) => above,
        None => {
            let above = above(bus, tree, place).await?;
            lines.keep(place, &above);
            above
        }
    };
    let asked = above.into_iter().map(async |(place, role)| {
        let rect = objects::extents(bus, &place, &placed()).await;
        Link { place, role, rect: rect.map(|r| moved(r, shift)) }
    });
    Some(join_all(asked).await)
}

/// The objects that an element lies in, itself the first, each with its role; none where an app doesn't tell.
async fn above(bus: &Bus, tree: &Tree, place: &Place) -> Option<Vec<(Place, u32)>> {
    let mut places = vec![place.clone()];
    while places.len() < DEPTH && places[places.len() - 1] != tree.frame {
        let at = &places[places.len() - 1];
        match parent(bus, at).await {
            Ok(path) if path != ROOT && !path.ends_with("/null") && *path != *at.path => {
                places.push(at.at(&path));
            }
            Ok(_) => break,
            Err(_) => return None,
        }
    }
    // A popover of GTK 3 lies in its window, and says that it lies in what opened it.
    let tops = children_of(bus, &tree.frame).await;
    if let Some(at) = places.iter().position(|p| tops.iter().any(|top| **top == *p.path)) {
        places.truncate(at + 1);
        places.push(tree.frame.clone());
    }
    let asked = places.into_iter().map(async |place| {
        let role = bus.ask::<_, u32>(&place, ACCESSIBLE, "GetRole", &()).await.ok()?;
        Some((place, role))
    });
    join_all(asked).await.into_iter().collect()
}
