//! Pointer and keys. Each call sends its events in one go, so that no other input comes between them.

use super::convert::{Fault, pixel};
use crate::windows::records::keys::{Key, is_extended, system_code};
use ::windows::Win32::UI::Input::KeyboardAndMouse as k;
use ::windows::Win32::UI::WindowsAndMessaging::{GetCursorPos, SetCursorPos};
use handeye_scene::{Button, Modifiers, Point};
use std::time::Duration;

/// One notch of the wheel, as the system counts it.
const NOTCH: i32 = 120;

/// One key down, up, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stroke {
    pub(crate) key: Key,
    pub(crate) modifiers: Modifiers,
    pub(crate) down: bool,
    pub(crate) up: bool,
    /// Whether it is a key that was asked for, not a character of a text.
    pub(crate) is_chord: bool,
}

impl Stroke {
    pub(crate) fn of(key: Key) -> Self {
        Self { key, modifiers: Modifiers::default(), down: true, up: true, is_chord: false }
    }
}

/// The strokes of a text: the end of a line is Enter, a tab is Tab.
pub(crate) fn strokes_of(text: &str) -> Vec<Stroke> {
    let lines = text.replace("\r\n", "\n");
    let key = |c| match c {
        '\n' | '\r' => Key::Virtual(0x0d),
        '\t' => Key::Virtual(0x09),
        other => Key::Character(other),
    };
    lines.chars().map(|c| Stroke::of(key(c))).collect()
}

fn send(input: &[k::INPUT]) -> Result<(), Fault> {
    // SAFETY: the events are ours and outlive the call, which is told their size.
    let sent = unsafe { k::SendInput(input, size_of::<k::INPUT>() as i32) };
    if sent as usize == input.len() {
        return Ok(());
    }
    Err(Fault::Refused("the system took no input: the screen is locked, or the window has more rights".into()))
}

fn mouse(flags: k::MOUSE_EVENT_FLAGS, at: Option<Point>, data: i32) -> k::INPUT {
    let (mut flags, mut place) = (flags, (0, 0));
    if let Some(at) = at {
        flags |= k::MOUSEEVENTF_MOVE | k::MOUSEEVENTF_ABSOLUTE | k::MOUSEEVENTF_VIRTUALDESK;
        let screen = super::listing::virtual_screen();
        // Rounded up, so that the system, which rounds down, comes to the very pixel.
        let part = |x: f64, from: f64, size: f64| ((x.round() - from) * 65536.0 / size.max(1.0)).ceil() as i32;
        place = (part(at.x, screen.x, screen.width), part(at.y, screen.y, screen.height));
    }
    k::INPUT {
        r#type: k::INPUT_MOUSE,
        Anonymous: k::INPUT_0 {
            mi: k::MOUSEINPUT {
                dx: place.0,
                dy: place.1,
                mouseData: data as u32,
                dwFlags: flags,
                time: 0,
                dwExtraInfo: 0,
            },
        },
    }
}

fn pressed(button: Button, down: bool) -> k::MOUSE_EVENT_FLAGS {
    match (button, down) {
        (Button::Left, true) => k::MOUSEEVENTF_LEFTDOWN,
        (Button::Left, false) => k::MOUSEEVENTF_LEFTUP,
        (Button::Middle, true) => k::MOUSEEVENTF_MIDDLEDOWN,
        (Button::Middle, false) => k::MOUSEEVENTF_MIDDLEUP,
        (Button::Right, true) => k::MOUSEEVENTF_RIGHTDOWN,
        (Button::Right, false) => k::MOUSEEVENTF_RIGHTUP,
    }
}

/// Moves the pointer.
pub(crate) fn point_to(to: Point) -> Result<(), Fault> {
    let to = pixel(to);
    // SAFETY: it takes numbers.
    Ok(unsafe { SetCursorPos(to.x, to.y) }?)
}

/// Where the pointer is.
pub(crate) fn pointer() -> Result<Point, Fault> {
    let mut at = Default::default();
    // SAFETY: the place is ours and outlives the call.
    unsafe { GetCursorPos(&raw mut at) }?;
    Ok(Point::new(at.x.into(), at.y.into()))
}

/// Presses and releases at a place, so many times.
pub(crate) fn click_at(at: Point, which: Button, count: u8, modifiers: Modifiers) -> Result<(), Fault> {
    let held = held(modifiers);
    let mut events: Vec<k::INPUT> = held.iter().map(|code| key(*code, true)).collect();
    events.push(mouse(Default::default(), Some(at), 0));
    for _ in 0..count.clamp(1, 3) {
        events.push(mouse(pressed(which, true), Some(at), 0));
        events.push(mouse(pressed(which, false), Some(at), 0));
    }
    events.extend(held.iter().rev().map(|code| key(*code, false)));
    send(&events)
}

/// Presses at a place, and leaves it pressed.
pub(crate) fn press(at: Point, which: Button, modifiers: Modifiers) -> Result<(), Fault> {
    let mut events: Vec<k::INPUT> = held(modifiers).iter().map(|code| key(*code, true)).collect();
    events.extend([mouse(Default::default(), Some(at), 0), mouse(pressed(which, true), Some(at), 0)]);
    send(&events)
}

/// Lets go at a place.
pub(crate) fn release(at: Point, which: Button, modifiers: Modifiers) -> Result<(), Fault> {
    let mut events = vec![mouse(Default::default(), Some(at), 0), mouse(pressed(which, false), Some(at), 0)];
    events.extend(held(modifiers).iter().rev().map(|code| key(*code, false)));
    send(&events)
}

/// One raw pointer button.
pub(crate) fn button(which: Button, down: bool) -> Result<(), Fault> {
    send(&[mouse(pressed(which, down), None, 0)])
}

/// Where a drag goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path {
    pub(crate) from: Point,
    pub(crate) to: Point,
}

/// Presses at one place, moves, releases at another if it `may_end` there, else where it was pressed; whether it ended there.
pub(crate) fn drag(
    Path { from, to }: Path,
    which: Button,
    time: Duration,
    modifiers: Modifiers,
    mut may_end: impl FnMut() -> bool,
) -> Result<bool, Fault> {
    const STEPS: u32 = 16;
    let held = held(modifiers);
    let mut begin: Vec<k::INPUT> = held.iter().map(|code| key(*code, true)).collect();
    begin.push(mouse(pressed(which, true), Some(from), 0));
    send(&begin)?;
    let moved = (1..=STEPS).try_for_each(|i| {
        std::thread::sleep(time / STEPS);
        let part = f64::from(i) / f64::from(STEPS);
        point_to(Point::new(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part))
    });
    let ends = moved.is_ok() && may_end();
    // Whatever happened, no button and no key stays down.
    let mut end = Vec::new();
    if !ends && point_to(from).is_ok() {
        end.push(mouse(Default::default(), Some(from), 0));
    }
    end.push(mouse(pressed(which, false), Some(if ends { to } else { from }), 0));
    end.extend(held.iter().rev().map(|code| key(*code, false)));
    send(&end)?;
    moved.map(|()| ends)
}

/// Turns the wheel by so many notches, right and down positive, where the pointer is.
pub(crate) fn wheel((across, down): (i32, i32)) -> Result<(), Fault> {
    let at = pointer()?;
    for (notches, flags, sign) in [(down, k::MOUSEEVENTF_WHEEL, -1), (across, k::MOUSEEVENTF_HWHEEL, 1)] {
        for _ in 0..notches.unsigned_abs().min(200) {
            send(&[mouse(flags, Some(at), NOTCH * sign * notches.signum())])?;
        }
    }
    Ok(())
}

fn held(modifiers: Modifiers) -> Vec<u16> {
    [(modifiers.ctrl, 0x11), (modifiers.alt, 0x12), (modifiers.meta, 0x5b), (modifiers.shift, 0x10)]
        .into_iter()
        .filter_map(|(is, code)| is.then_some(code))
        .collect()
}

fn key(code: u16, down: bool) -> k::INPUT {
    let mut flags = if down { k::KEYBD_EVENT_FLAGS(0) } else { k::KEYEVENTF_KEYUP };
    if is_extended(code) {
        flags |= k::KEYEVENTF_EXTENDEDKEY;
    }
    let code = system_code(code);
    // SAFETY: it takes numbers.
    let scan = unsafe { k::MapVirtualKeyW(code.into(), k::MAPVK_VK_TO_VSC) } as u16;
    k::INPUT {
        r#type: k::INPUT_KEYBOARD,
        Anonymous: k::INPUT_0 {
            ki: k::KEYBDINPUT { wVk: k::VIRTUAL_KEY(code), wScan: scan, dwFlags: flags, time: 0, dwExtraInfo: 0 },
        },
    }
}

fn unit(unit: u16, down: bool) -> k::INPUT {
    let up = if down { k::KEYBD_EVENT_FLAGS(0) } else { k::KEYEVENTF_KEYUP };
    k::INPUT {
        r#type: k::INPUT_KEYBOARD,
        Anonymous: k::INPUT_0 {
            ki: k::KEYBDINPUT {
                wVk: k::VIRTUAL_KEY(0),
                wScan: unit,
                dwFlags: k::KEYEVENTF_UNICODE | up,
                time: 0,
                dwExtraInfo: 0,
            },
        },
    }
}

/// The key that the layout has a character on, with what must be held for it.
fn on_layout(c: char) -> Option<(u16, Modifiers)> {
    let mut units = [0u16; 2];
    let [unit] = c.encode_utf16(&mut units) else { return None };
    // SAFETY: it takes a number.
    let told = unsafe { k::VkKeyScanW(*unit) };
    let [code, with] = told.to_le_bytes();
    (told != -1).then(|| {
        let has = |bit: u8| with & bit != 0;
        (u16::from(code), Modifiers { shift: has(1), ctrl: has(2), alt: has(4), meta: false })
    })
}

/// The key of the keyboard that a stroke is of; none where it is sent as the character that it is.
fn own_key(stroke: &Stroke) -> Option<u16> {
    match stroke.key {
        Key::Virtual(code) => Some(code),
        Key::Character(_) => as_key(stroke).map(|(code, _)| code),
    }
}

/// Whether the keyboard has a key for a stroke.
pub(crate) fn has_key(stroke: &Stroke) -> bool {
    own_key(stroke).is_some()
}

/// Whether the key of a stroke is down, whoever pressed it.
pub(crate) fn is_key_down(stroke: &Stroke) -> bool {
    // SAFETY: it takes a number. The highest bit says so.
    own_key(stroke).is_some_and(|code| unsafe { k::GetAsyncKeyState(system_code(code).into()) } < 0)
}

/// Sends one key stroke, all its events in one go.
pub(crate) fn send_strokes(stroke: &Stroke) -> Result<(), Fault> {
    let mut events = Vec::new();
    let mut press = |code: u16, modifiers: Modifiers| {
        let held = held(modifiers);
        if stroke.down {
            events.extend(held.iter().map(|h| key(*h, true)));
            events.push(key(code, true));
        }
        if stroke.up {
            events.push(key(code, false));
            events.extend(held.iter().rev().map(|h| key(*h, false)));
        }
    };
    match (stroke.key, as_key(stroke)) {
        (Key::Virtual(code), _) => press(code, stroke.modifiers),
        (_, Some((code, modifiers))) => press(code, modifiers),
        (Key::Character(c), None) => {
            let mut buffer = [0u16; 2];
            for part in c.encode_utf16(&mut buffer) {
                let ways = [(stroke.down, true), (stroke.up, false)];
                events.extend(ways.iter().filter(|w| w.0).map(|w| unit(*part, w.1)));
            }
        }
    }
    send(&events)
}

/// The key of a chord's character, and what is held with it; none where it is sent as the character that it is.
fn as_key(stroke: &Stroke) -> Option<(u16, Modifiers)> {
    let Key::Character(c) = stroke.key else { return None };
    let asked = stroke.modifiers;
    let (code, needed) = on_layout(c).filter(|_| stroke.is_chord)?;
    if asked.ctrl || asked.alt || asked.meta {
        // A shortcut is one of keys: what else the character would need isn't part of it.
        return Some((code, asked));
    }
    (!needed.ctrl && !needed.alt).then_some((code, Modifiers { shift: asked.shift || needed.shift, ..asked }))
}
