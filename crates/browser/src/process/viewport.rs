//! The viewport of pages in browsers of ours.

use handeye_scene::Launch;

/// Viewport of pages in browsers of ours, CSS pixels.
pub(crate) const VIEWPORT: (u32, u32) = (1280, 720);

/// The viewport of pages in a browser of ours.
pub(crate) fn own_viewport(launch: &Launch) -> Option<(u32, u32)> {
    if launch.context {
        return launch.viewport;
    }
    (launch.cdp.is_none() && (!launch.headed || launch.viewport.is_some())).then(|| launch.viewport.unwrap_or(VIEWPORT))
}
