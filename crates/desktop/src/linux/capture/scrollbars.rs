//! What the scroll bars of a window stand at.

use crate::linux::capture::app_cache;
use crate::linux::capture::frames::{frames, pair};
use crate::linux::capture::tree;
use crate::linux::desktop::Desktop;
use crate::linux::windows::window_list::Seen;

/// Sum of what the scroll bars of a window stand at, across and down; none where it has none.
pub(crate) async fn scrolled(desktop: &mut Desktop, window: &Seen) -> Option<(f64, f64)> {
    let apps = desktop.apps_of(window.pid).await.ok()?;
    let mut sum: Option<(f64, f64)> = None;
    for app in apps {
        let frames = frames(&desktop.bus, &app).await.ok()?;
        let cache = if app.quirks.cache { app_cache::cache(&desktop.bus, &app.root).await.ok()? } else { None };
        let (pairs, _) = pair(&[window], frames);
        for (_, frame) in pairs {
            let bars = tree::bars(&desktop.bus, &frame.place, cache.as_ref(), app.quirks).await.ok()?;
            for (down, value) in bars {
                let at = sum.get_or_insert((0.0, 0.0));
                if down { at.1 += value } else { at.0 += value }
            }
        }
    }
    sum
}
