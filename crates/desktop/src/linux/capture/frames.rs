//! The top-level trees of apps, and which of them is which window.

use crate::linux::atspi::apps::App;
use crate::linux::atspi::bus::{ACCESSIBLE, Bus, Place, Unanswered};
use crate::linux::atspi::objects;
use crate::linux::windows::window_list::Seen;
use crate::record::Record;
use futures_util::future::join_all;
use handeye_scene::Rect;
use zbus::zvariant::OwnedObjectPath;

/// One of an app's top-level trees.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) place: Place,
    pub(crate) record: Record,
}

/// The top-level trees of an app.
pub(crate) async fn frames(bus: &Bus, app: &App) -> Result<Vec<Frame>, Unanswered> {
    let children: Vec<(String, OwnedObjectPath)> = bus.ask(&app.root, ACCESSIBLE, "GetChildren", &()).await?;
    let looks = children.iter().map(async |(_, path)| {
        let place = app.root.at(path.as_str());
        let (mut record, _) = objects::look(bus, &place).await.ok()?;
        record.rect = objects::extents(bus, &place, &record).await;
        Some(Frame { place, record })
    });
    Ok(join_all(looks).await.into_iter().flatten().collect())
}

/// Pairs windows with trees: by title first, then by size. What is left over of the trees comes back too. A menu may be called like
/// its program, and so like the window that it dropped down in: that one comes first.
pub(crate) fn pair(windows: &[&Seen], mut frames: Vec<Frame>) -> (Vec<(usize, Frame)>, Vec<Frame>) {
    let mut pairs: Vec<(usize, Frame)> = Vec::new();
    let (popups, managed): (Vec<_>, Vec<_>) = windows.iter().enumerate().partition(|(_, window)| window.popup);
    for by_title in [true, false] {
        for (i, window) in managed.iter().chain(&popups).copied() {
            if pairs.iter().any(|p| p.0 == i) {
                continue;
            }
            let fits = |f: &Frame| {
                let off = f.record.rect.map_or(f64::MAX, |r| difference(window, r));
                if by_title {
                    (f.record.name == window.title && !window.title.is_empty()).then_some(off)
                } else {
                    Some(off).filter(|o| *o < 120.0)
                }
            };
            let best = frames
                .iter()
                .enumerate()
                .filter_map(|(at, f)| fits(f).map(|off| (at, off)))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((at, _)) = best {
                pairs.push((i, frames.remove(at)));
            }
        }
    }
    (pairs, frames)
}

/// By how much a tree's extents miss a window's, in pixels of width and height.
fn difference(window: &Seen, rect: Rect) -> f64 {
    let by = |r: Rect| (r.width - rect.width).abs() + (r.height - rect.height).abs();
    by(window.rect).min(by(window.outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(id: u32, title: &str, width: f64) -> Seen {
        let rect = Rect::new(0.0, 0.0, width, 100.0);
        Seen { id, top: id, title: title.into(), pid: 1, rect, outer: rect, ..Seen::default() }
    }

    fn frame(path: &str, name: &str, width: f64) -> Frame {
        let rect = Some(Rect::new(0.0, 0.0, width, 100.0));
        Frame { place: Place::new(":1.1", path), record: Record { name: name.into(), rect, ..Record::default() } }
    }

    #[test]
    fn trees_are_paired_with_windows_by_title_then_by_size() {
        let windows = [window(1, "A", 300.0), window(2, "", 500.0), window(3, "A", 400.0)];
        let windows: Vec<&Seen> = windows.iter().collect();
        let frames =
            vec![frame("/x", "A", 405.0), frame("/y", "A", 300.0), frame("/z", "", 510.0), frame("/rest", "R", 9.0)];
        let (pairs, rest) = pair(&windows, frames);
        let mut paired: Vec<(usize, &str)> = pairs.iter().map(|(i, f)| (*i, &*f.place.path)).collect();
        paired.sort();
        assert_eq!(paired, [(0, "/y"), (1, "/z"), (2, "/x")]);
        assert_eq!(rest.len(), 1);
    }

    #[test]
    fn a_menu_that_is_called_like_its_window_doesnt_take_its_tree() {
        let windows = [Seen { popup: true, ..window(1, "A", 80.0) }, window(2, "A", 300.0)];
        let windows: Vec<&Seen> = windows.iter().collect();
        let (pairs, rest) = pair(&windows, vec![frame("/w", "A", 300.0)]);
        let paired: Vec<(usize, &str)> = pairs.iter().map(|(i, f)| (*i, &*f.place.path)).collect();
        assert_eq!((paired, rest.len()), (vec![(1, "/w")], 0));
    }
}
