//! Where a pointer hits an element, or what keeps it from it.

use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place};
use crate::linux::atspi::ids::Tree;
use crate::linux::atspi::objects;
use crate::linux::capture::hit_test::{self, There};
use crate::linux::capture::screen_place;
use crate::linux::desktop::Desktop;
use crate::linux::geometry::places;
use crate::linux::windows::relations::{as_cover, barring, group};
use crate::linux::windows::window_list::Seen;
use crate::quirks::Extents;
use crate::record::{Interfaces, Record};
use crate::roles::{COMBO_BOX, MENUS};
use handeye_scene::{Cover, NativeId, Point, Problem, Rect};
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::Window;

/// How long a place of an element is looked for.
const LOOKS: Duration = Duration::from_millis(3000);

/// A place that a pointer hits, or what is there instead.
pub(crate) enum Hit {
    At(Point, Window),
    Covered(Option<Cover>),
}

/// A place of `rect`, where an element is, at which a pointer hits it.
pub(crate) async fn hit(
    desktop: &Desktop,
    rect: Rect,
    tree: &Tree,
    (place, role): (&Place, u32),
) -> Result<Hit, Problem> {
    let seen = desktop.seen().await?;
    let (expected, in_popup) = match expected(desktop, &seen, rect, tree, (place, role)).await {
        Ok(expected) => expected,
        Err(cover) => return Ok(Hit::Covered(cover)),
    };
    let line = if in_popup {
        None
    } else {
        Some(hit_test::line(&desktop.bus, &desktop.lines, tree, &seen, place, rect).await)
    };
    let Some(part) = line.as_ref().map_or(Some(rect), |line| line.part) else { return Ok(Hit::Covered(None)) };
    let (mut cover, mut inner) = (None, None);
    let begun = Instant::now();
    for point in places(part) {
        // An app that is slow to say what lies there is no reason to click elsewhere.
        if begun.elapsed() > LOOKS {
            break;
        }
        let top = desktop
            .display
            .run(move |side| side.server.top_at(point))
            .await
            .map_err(|e| e.problem("tell what is there"))?;
        if top != Some(expected.top) {
            cover = cover.or(top.and_then(|top| seen.iter().find(|w| w.top == top)));
            continue;
        }
        let there = match &line {
            Some(line) => hit_test::there(&desktop.bus, &desktop.apps, line, point).await,
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
    desktop: &Desktop,
    seen: &[Seen],
    rect: Rect,
    tree: &Tree,
    (place, role): (&Place, u32),
) -> Result<(Seen, bool), Option<Cover>> {
    let own = seen.iter().find(|w| Some(w.id) == tree.window).ok_or(None)?;
    let popup = popup_of(&desktop.bus, seen, own, rect, tree, (place, role)).await;
    let in_popup = popup.is_some();
    let expected = popup.unwrap_or_else(|| own.clone());
    // What is outside an open menu gets no click: it closes the menu. Its bar does.
    let of_menus = own.popup || in_popup || matches!(role, 8 | 35 | 45) || MENUS.contains(&role);
    if let Some(menu) = seen.iter().find(|w| w.menu && !of_menus) {
        return Err(Some(open_menu(desktop, menu)));
    }
    match barring(seen, &expected) {
        Some(dialog) => Err(Some(as_cover(dialog))),
        None => Ok((expected, in_popup)),
    }
}

/// An open menu or list as what covers: number 0 of what it shows stands for it.
fn open_menu(desktop: &Desktop, menu: &Seen) -> Cover {
    let id = desktop.ids.shown_in(menu.id).map(|document| NativeId::new(document, 0));
    Cover { id, role: "menu".into(), ..as_cover(menu) }
}

/// The child of the root that a pointer must hit at a place to hit the element, if it does.
pub(crate) async fn window_at(
    desktop: &Desktop,
    at: Point,
    tree: &Tree,
    (place, role): (&Place, u32),
) -> Result<Option<Window>, Problem> {
    let seen = desktop.seen().await?;
    let there = Rect::new(at.x, at.y, 1.0, 1.0);
    let Ok((expected, _)) = expected(desktop, &seen, there, tree, (place, role)).await else { return Ok(None) };
    let top =
        desktop.display.run(move |side| side.server.top_at(at)).await.map_err(|e| e.problem("tell what is there"))?;
    Ok(top.filter(|top| *top == expected.top))
}

/// What a pointer would hit at a place instead of the element, within its window: asked right before a gesture. `Some(None)`:
/// something that can't be named.
pub(crate) async fn hit_instead(
    desktop: &Desktop,
    at: Point,
    tree: &Tree,
    (place, role): (&Place, u32),
) -> Result<Option<Option<Cover>>, Problem> {
    let seen = desktop.seen().await?;
    let there = Rect::new(at.x, at.y, 1.0, 1.0);
    let Ok((_, in_popup)) = expected(desktop, &seen, there, tree, (place, role)).await else {
        return Ok(Some(None));
    };
    if in_popup {
        return Ok(None);
    }
    let line = hit_test::line(&desktop.bus, &desktop.lines, tree, &seen, place, there).await;
    Ok(match hit_test::there(&desktop.bus, &desktop.apps, &line, at).await {
        There::It => None,
        There::Other(other) => Some(other),
    })
}

/// The popup that an element is in: what a menu or a list holds is in one while that is open. A popup that merely lies over
/// an element is none of its own.
async fn popup_of(
    bus: &Bus,
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
    let above = Place::new(&place.bus, &objects::parent(bus, place).await.ok()?);
    if drops_down(bus, &above).await || tree.quirks.extents == Extents::Surface {
        return Some(popup);
    }
    let record = Record { interfaces: Interfaces::named(["Component"].into_iter()), ..Record::default() };
    let list = screen_place::on_screen(bus, tree, seen, &above, &record).await?;
    is_popups_own(list, popup.rect).then_some(popup)
}

/// Whether an object is a menu, or of what a combo box drops down. A bar of menus isn't.
async fn drops_down(bus: &Bus, object: &Place) -> bool {
    /// Lists lie this deep in what is dropped down.
    const DEPTH: usize = 6;
    let mut at = object.clone();
    for _ in 0..DEPTH {
        match bus.ask::<_, u32>(&at, ACCESSIBLE, "GetRole", &()).await {
            Ok(role) if MENUS.contains(&role) || role == COMBO_BOX => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
        match objects::parent(bus, &at).await {
            Ok(above) => at = at.at(&above),
            Err(_) => return false,
        }
    }
    false
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
