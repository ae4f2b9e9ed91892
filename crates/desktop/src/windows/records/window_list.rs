//! Top-level windows as they were seen, and how they belong together.

use crate::windows::records::classes::{Family, family};
use handeye_scene::{Point, Rect};

/// A window's handle. The system gives a handle again to another window, later.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

impl std::fmt::Display for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl std::str::FromStr for Handle {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text.trim_start_matches("0x"), 16).map(Handle)
    }
}

/// One top-level window that a person can see or bring back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// Its handle.
    pub handle: Handle,
    /// Its title.
    pub title: String,
    /// Its class.
    pub class: String,
    /// Its process.
    pub pid: u32,
    /// The thread that answers for it.
    pub thread: u32,
    /// Path of its process's program.
    pub program: String,
    /// Where it is on the screen.
    pub rect: Rect,
    /// The window that it belongs to, such as a dialog's.
    pub owner: Option<Handle>,
    /// Whether it has the keyboard.
    pub focused: bool,
    /// Whether it is minimised.
    pub minimised: bool,
    /// Whether it takes input: a dialog keeps its owner from it.
    pub enabled: bool,
    /// A menu, a list or a hint.
    pub popup: bool,
}

impl Seen {
    /// Name of its process, such as `notepad.exe`.
    pub fn process(&self) -> &str {
        self.program.rsplit(['\\', '/']).next().unwrap_or_default()
    }

    /// What must stay so for a handle to mean the same window.
    pub fn check(&self) -> String {
        format!("{} {} {}", self.class, self.pid, self.thread)
    }
}

/// Whether a point lies in a rectangle: the left and upper edges are in it.
pub fn contains(rect: Rect, p: Point) -> bool {
    p.x >= rect.x && p.y >= rect.y && p.x < rect.x + rect.width && p.y < rect.y + rect.height
}

/// What two rectangles share; none where that is nothing.
pub fn shared(one: Rect, other: Rect) -> Option<Rect> {
    let (x, y) = (one.x.max(other.x), one.y.max(other.y));
    let right = (one.x + one.width).min(other.x + other.width);
    let bottom = (one.y + one.height).min(other.y + other.height);
    (right > x && bottom > y).then(|| Rect::new(x, y, right - x, bottom - y))
}

/// The window at the end of the chain of owners.
pub fn root_of(seen: &[Seen], window: &Seen) -> Handle {
    let mut at = window;
    for _ in 0..16 {
        match at.owner.and_then(|o| seen.iter().find(|w| w.handle == o)) {
            Some(owner) => at = owner,
            None => break,
        }
    }
    at.handle
}

/// The dialog that keeps a window from taking input: the system disables what a modal dialog belongs to, and a program all of
/// its windows for one that belongs to none.
pub fn barring<'a>(seen: &'a [Seen], window: &Seen) -> Option<&'a Seen> {
    if window.enabled {
        return None;
    }
    let others = || seen.iter().filter(|w| w.enabled && !w.popup && w.handle != window.handle);
    let is_dialog = |w: &&Seen| w.thread == window.thread && family(&w.class) == Family::Dialog;
    let is_owned = |w: &&Seen| w.owner == Some(window.handle);
    let is_related = |w: &&Seen| w.owner.is_some() && root_of(seen, w) == root_of(seen, window);
    others().find(is_owned).or_else(|| others().find(is_related)).or_else(|| others().find(is_dialog))
}

/// The window, its dialogs and popups, the topmost first.
pub fn group<'a>(seen: &'a [Seen], window: &Seen) -> Vec<&'a Seen> {
    let root = root_of(seen, window);
    let ours = |w: &&Seen| root_of(seen, w) == root || w.popup && w.thread == window.thread;
    seen.iter().filter(ours).collect()
}

/// The topmost window at a place, among those that are shown.
pub fn top_at(seen: &[Seen], point: Point) -> Option<&Seen> {
    seen.iter().find(|w| !w.minimised && contains(w.rect, point))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(handle: u64, owner: Option<u64>, popup: bool) -> Seen {
        Seen { handle: Handle(handle), owner: owner.map(Handle), popup, thread: 1, ..Seen::default() }
    }

    #[test]
    fn dialogs_and_popups_belong_to_their_window() {
        let menu = Seen { thread: 1, ..window(4, None, true) };
        let other = Seen { thread: 2, ..window(5, None, false) };
        let seen = [menu, window(3, Some(2), false), window(2, Some(1), false), other, window(1, None, false)];
        assert_eq!(root_of(&seen, &seen[1]), Handle(1));
        let members: Vec<u64> = group(&seen, &seen[4]).iter().map(|w| w.handle.0).collect();
        assert_eq!(members, [4, 3, 2, 1]);
        let own = [window(6, Some(6), false)];
        assert_eq!(root_of(&own, &own[0]), Handle(6), "one that owns itself ends the chain");
    }

    #[test]
    fn a_dialog_bars_what_it_belongs_to_and_a_free_one_all_of_its_program() {
        let barred = |handle, owner| Seen { enabled: false, ..window(handle, owner, false) };
        let open = |handle, owner| Seen { enabled: true, ..window(handle, owner, false) };
        let by = |seen: &[Seen], at: usize| barring(seen, &seen[at]).map(|w| w.handle.0);
        let nested = [open(3, Some(2)), barred(2, Some(1)), open(9, None), barred(1, None)];
        assert_eq!([by(&nested, 1), by(&nested, 3), by(&nested, 0), by(&nested, 2)], [Some(3), Some(3), None, None]);
        let free = [Seen { class: "#32770".into(), ..open(4, None) }, barred(1, None), barred(2, None)];
        assert_eq!([by(&free, 1), by(&free, 2)], [Some(4), Some(4)]);
        let other = [Seen { thread: 7, ..free[0].clone() }, open(8, None), barred(1, None)];
        assert_eq!(by(&other, 2), None, "what its program disabled for reasons of its own");
    }

    #[test]
    fn handles_are_written_as_they_are_read() {
        assert_eq!("0x1f0a4".parse(), Ok(Handle(0x1f0a4)));
        assert_eq!(Handle(0x1f0a4).to_string(), "0x1f0a4");
        assert!("notepad".parse::<Handle>().is_err());
    }

    #[test]
    fn what_two_rectangles_share_is_what_shows() {
        let pane = Rect::new(10.0, 10.0, 100.0, 50.0);
        assert_eq!(shared(Rect::new(0.0, 40.0, 40.0, 40.0), pane), Some(Rect::new(10.0, 40.0, 30.0, 20.0)));
        assert_eq!(shared(pane, pane), Some(pane));
        assert_eq!(shared(Rect::new(10.0, 60.0, 40.0, 40.0), pane), None, "they only touch");
    }

    #[test]
    fn places_left_of_the_screen_are_in_windows_too() {
        let far = Seen { rect: Rect::new(-1500.0, -20.0, 400.0, 300.0), ..window(7, None, false) };
        let seen = [far];
        assert!(top_at(&seen, Point::new(-1500.0, -20.0)).is_some());
        assert!(top_at(&seen, Point::new(-1100.0, 0.0)).is_none());
    }
}
