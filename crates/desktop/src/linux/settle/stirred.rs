//! What changed since a gesture, beside what looks show: what does so by itself, and what was put on the clipboard.

use crate::linux::atspi::change_log::Object;
use crate::linux::desktop::Desktop;
use crate::linux::windows::window_list::Seen;
use crate::linux::x11::copies::{self, Copied};
use crate::roles::{Part, role};
use handeye_scene::{Cause, Mutation, NativeId, Stirred};
use std::collections::HashSet;
use std::time::Instant;

pub(crate) async fn stirred(desktop: &Desktop) -> Stirred {
    let since = desktop.bus.change_log(|log| log.since());
    let copied = copied(desktop).await.map(|copied| on_clipboard(&copied));
    let mutations = menus(desktop).await.into_iter().chain(copied).collect();
    let mut self_changing = ids(desktop, &since.restless);
    self_changing.extend(closed_menus(desktop).await);
    Stirred { self_changing, mutations, unnamed: true, unnamed_by_input: true, ..Stirred::default() }
}

/// What changed since the gesture, and may have done so by itself: what was watched for too short a time is watched on.
pub(crate) async fn unsure(desktop: &Desktop) -> HashSet<NativeId> {
    loop {
        let since = desktop.bus.change_log(|log| log.since());
        let left = since.until.map(|until| until.saturating_duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            Some(left) => drop(desktop.bus.next_event(left).await),
            None => {
                let mut found = ids(desktop, &[since.restless, since.unsure].concat());
                let late = since.late.iter().filter(|(bus, path)| !is_of_target(desktop, bus, path));
                late.for_each(|(bus, path)| found.extend(said_by(desktop, bus, path)));
                found.extend(desktop.ids.untold_bars());
                return found;
            }
        }
    }
}

/// Whether the app that was acted on put something on the clipboard, which no event of it tells.
pub(crate) async fn has_copied(desktop: &Desktop) -> bool {
    let Some(window) = desktop.gesture.acted_in else { return false };
    let asked = desktop.display.run(move |side| copies::has_copied(&side.server, &mut side.clip, window)).await;
    asked.unwrap_or(false)
}

/// What the app that was acted on put on the clipboard, if anything.
async fn copied(desktop: &Desktop) -> Option<Copied> {
    let window = desktop.gesture.acted_in?;
    let asked = desktop.display.run(move |side| copies::copied(&side.server, &mut side.clip, window)).await;
    // A display that doesn't answer tells of nothing.
    asked.ok().flatten()
}

/// That a menu or a list of the app came up: not every toolkit tells of what is in it. That one is closed says nothing of what was
/// chosen in it.
async fn menus(desktop: &Desktop) -> Option<Mutation> {
    let before = &desktop.gesture.begun.as_ref()?.seen;
    let pid = before.iter().find(|w| Some(w.id) == desktop.gesture.acted_in)?.pid;
    let after = desktop.seen().await.ok()?;
    let is_open = |seen: &[Seen]| seen.iter().any(|w| w.menu && w.pid == pid);
    (!is_open(before) && is_open(&after)).then(|| Mutation {
        near: None,
        own: false,
        inside: false,
        tag: "window".into(),
        property: "menu".into(),
        from: "closed".into(),
        to: "open".into(),
        cause: Cause::Input,
    })
}

/// What was in the menus that closed when an item of one was pressed: they do that by themselves, whatever it does. They are
/// documents of their own, or lie in the item's.
async fn closed_menus(desktop: &Desktop) -> HashSet<NativeId> {
    let mut found = HashSet::new();
    let gesture = &desktop.gesture;
    let (Some(begun), Some(target), true) = (&gesture.begun, &gesture.target, gesture.chooses) else { return found };
    let Some(pid) = begun.seen.iter().find(|w| Some(w.id) == gesture.acted_in).map(|w| w.pid) else { return found };
    let is_menu = |w: &&Seen| w.menu && (w.pid == pid || w.pid == 0);
    // A display that doesn't answer tells of nothing.
    let Ok(after) = desktop.seen().await else { return found };
    let mut menus = begun.seen.iter().filter(is_menu).peekable();
    // What opened in place of one is an effect.
    if menus.peek().is_none() || after.iter().any(|w| is_menu(&w)) {
        return found;
    }
    found.extend(menus.filter_map(|w| desktop.ids.shown_in(w.id)).map(|document| NativeId::new(document, 0)));
    let items = desktop.ids.at_path(&target.bus, &target.path);
    found.extend(items.flat_map(|item| desktop.ids.in_menus(item.document())));
    found
}

fn on_clipboard(copied: &Copied) -> Mutation {
    Mutation {
        near: None,
        own: false,
        inside: false,
        tag: "desktop".into(),
        property: "clipboard".into(),
        from: String::new(),
        to: copied.kinds.clone(),
        cause: Cause::Input,
    }
}

/// Whether an object is what the gesture went to, or lies in it: what that says is its answer, however late.
fn is_of_target(desktop: &Desktop, bus: &str, path: &str) -> bool {
    /// How far up it is looked for.
    const MOST: usize = 16;
    let Some(target) = desktop.gesture.target.as_ref().filter(|target| &*target.bus == bus) else { return false };
    let around = |path: &String| desktop.ids.parent_of(&target.at(path)).map(str::to_owned);
    std::iter::successors(Some(path.to_owned()), around).take(MOST).any(|path| *path == *target.path)
}

/// What looks call these objects, what is right in them, and what is named by them.
fn ids(desktop: &Desktop, objects: &[Object]) -> HashSet<NativeId> {
    let mut found = HashSet::new();
    for (bus, path) in objects {
        found.extend(desktop.ids.right_in(bus, path));
        found.extend(said_by(desktop, bus, path));
    }
    found
}

/// What looks call an object, and what is named by it.
fn said_by<'a>(desktop: &'a Desktop, bus: &'a str, path: &'a str) -> impl Iterator<Item = NativeId> + 'a {
    let own = desktop.ids.at_path(bus, path);
    own.flat_map(move |id| std::iter::once(id).chain(named_by(desktop, bus, id)))
}

/// The control right around an object, which may be called by what it holds.
fn named_by<'a>(desktop: &'a Desktop, bus: &'a str, id: NativeId) -> impl Iterator<Item = NativeId> + 'a {
    let parent = desktop.ids.get(id).map(|known| known.parent.as_str()).unwrap_or_default();
    desktop.ids.at_path(bus, parent).filter(|around| {
        desktop.ids.get(*around).is_some_and(|known| matches!(role(known.role).kind, Part::Operable | Part::Maybe))
    })
}
