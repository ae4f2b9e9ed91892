//! What a pointer hits among Win32's own controls, and how much of each can be seen.

use crate::roles::Part;
use crate::windows::calls::{self, Fault};
use crate::windows::capture::compound;
use crate::windows::capture::controls::{lends_label, menu_items};
use crate::windows::records::classes::{Family, family, role, style};
use crate::windows::records::control::{Control, element};
use crate::windows::records::ids::{Key, Place};
use crate::windows::records::window_list::{Handle, Seen, contains, shared};
use handeye_scene::{Cover, Point, Rect};

/// How deep controls may lie in each other.
const DEEPEST: usize = 64;

/// What can be seen of an element, of all that it fills.
pub(crate) fn visible(window: &Seen, key: &Key, rect: Rect) -> Result<Option<Rect>, Fault> {
    let (own, area) = match &key.place {
        Place::Window(of) => (*of, Some(rect)),
        Place::Item(of, _) | Place::Part(of, _) => {
            let told = calls::traits(*of).ok_or(Fault::Gone)?;
            (*of, compound::sight(*of, &told.class)?.and_then(|sight| shared(sight, rect)))
        }
        Place::Menu(of, _) => (*of, Some(rect)),
        Place::Automation(_) => return Ok(None),
    };
    let area = area.and_then(|area| let_through(window, own, area));
    Ok(area.and_then(|area| shared(area, calls::virtual_screen())))
}

/// What is shown of a control by those that it lies in: no more than their own content has room for.
pub(crate) fn let_through(window: &Seen, own: Handle, area: Rect) -> Option<Rect> {
    let above = std::iter::successors(Some(own), |h| calls::parent(*h).filter(|_| *h != window.handle));
    above.skip(1).take(DEEPEST).try_fold(area, |area, holder| shared(area, calls::client_area(holder)?))
}

/// Whether a control lets the pointer through to what lies behind it: labels and groups do.
fn lets_through(told: &calls::Traits) -> bool {
    const NOTIFIES: u32 = 0x100;
    match family(&told.class) {
        Family::Static => told.style & NOTIFIES == 0,
        Family::Button => told.style & style::BUTTON_KIND == 7,
        _ => false,
    }
}

/// The control that a pointer hits at a place. Wine tells those of other programs that let it through, too.
pub(crate) fn pointed_at(at: Point) -> Option<Handle> {
    let mut there = calls::window_at(at)?;
    for _ in 0..DEEPEST {
        if calls::own_window(there) == Some(there) || !calls::traits(there).is_some_and(|told| lets_through(&told)) {
            break;
        }
        there = calls::behind(there, at)?;
    }
    Some(there)
}

/// Whether a pointer that hits `there` hits a control, or what is a part of it. One that lets the pointer through is hit where it
/// goes to nothing else than what holds it.
pub(crate) fn is_hit(own: Handle, there: Handle, at: Point) -> bool {
    let Some(told) = calls::traits(own) else { return false };
    if lets_through(&told) {
        let holds = |h: &Handle| !calls::traits(*h).is_some_and(|t| lets_through(&t));
        let holder = std::iter::successors(told.parent, |h| calls::parent(*h)).take(DEEPEST).find(holds);
        return holder == Some(there) && told.shows && contains(told.rect, at);
    }
    // A control that lies in another one is one by itself, but for the parts of a combo box.
    let is_part = |inner: Handle| {
        let is_another = calls::traits(inner).is_none_or(|t| role(&t.class, t.style).kind == Part::Operable);
        lends_label(&told.class) || !is_another
    };
    let mut inner = there;
    for _ in 0..DEEPEST {
        if inner == own {
            return true;
        }
        match calls::parent(inner).filter(|_| is_part(inner)) {
            Some(holder) => inner = holder,
            None => return false,
        }
    }
    false
}

/// Whether an item of a menu, by its number among those that are told of, lies at a place.
pub(crate) fn is_menu_item_at(window: &Seen, way: &[u32], at: Point) -> Result<bool, Fault> {
    let [nth] = way else { return Ok(false) };
    let hit = if family(&window.class) == Family::Menu {
        calls::open_item_at(window.handle, at)?
    } else {
        calls::bar_item_at(window.handle, at)
    };
    let told = menu_items(window)?.into_iter().nth(*nth as usize);
    Ok(hit.is_some() && told.map(|told| told.at) == hit)
}

/// What lies on top, in words.
pub(crate) fn cover(there: Handle) -> Option<Cover> {
    let told = calls::traits(there)?;
    if let Some(root) = calls::own_window(there).filter(|r| *r == there) {
        return Some(Cover { id: None, role: "window".into(), name: calls::caption(root) });
    }
    let mut control = Control { class: told.class, style: told.style, ..Control::default() };
    control.text = calls::caption(there);
    let element = element(&control);
    Some(Cover { id: None, role: element.role.into(), name: element.name })
}
