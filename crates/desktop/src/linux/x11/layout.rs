//! What keys stand for in the layout in use, which may be one of four.

use crate::linux::x11::server::{Fault, Server};
use x11rb::errors::{ConnectionError, ReplyError};
use x11rb::protocol::xkb::{ConnectionExt as _, ID, KeySymMap, KeyType, MapPart};
use x11rb::protocol::xproto::{Keycode, Keysym, ModMask};

/// Where the state of the keyboard tells which layout is in use (XKB protocol, 2.2.2).
const GROUP: u16 = 13;
/// What a key's own number of layouts says of those beyond it (XKB protocol, 4.3.3).
const OUT_OF_RANGE: u8 = 0xc0;
const CLAMP: u8 = 0x40;
const REDIRECT: u8 = 0x80;

/// Where the symbols of the layout in use come from.
pub(crate) enum Layout {
    /// The keyboard extension tells the symbols of each.
    Told { group: u8, types: Vec<KeyType>, first: Keycode, keys: Vec<KeySymMap> },
    /// The core protocol tells of the first and the second.
    Core { second: bool },
}

/// The layout in use, by the state of the keyboard.
pub(crate) fn layout(server: &Server, state: u16) -> Result<Layout, Fault> {
    let group = (state >> GROUP & 3) as u8;
    let core = Layout::Core { second: group == 1 };
    if !server.xkb {
        return Ok(core);
    }
    let parts = MapPart::KEY_TYPES | MapPart::KEY_SYMS;
    let (keyboard, none) = (u16::from(ID::USE_CORE_KBD), 0_u16.into());
    let asked =
        server.connection.xkb_get_map(keyboard, parts, 0_u16.into(), 0, 0, 0, 0, 0, 0, 0, 0, none, 0, 0, 0, 0, 0, 0)?;
    let reply = match asked.reply() {
        Ok(reply) => reply,
        Err(error) if is_of_no_use(&error) => return Ok(core),
        Err(error) => return Err(error.into()),
    };
    Ok(match (reply.map.types_rtrn, reply.map.syms_rtrn) {
        (Some(types), Some(keys)) => Layout::Told { group, types, first: reply.first_key_sym, keys },
        _ => core,
    })
}

/// Whether the keyboard extension doesn't tell in a way that can be read, while the display is there as before.
fn is_of_no_use(error: &ReplyError) -> bool {
    matches!(error, ReplyError::X11Error(_) | ReplyError::ConnectionError(ConnectionError::ParseError(_)))
}

impl Layout {
    /// The plain and the shifted symbol of a key, of which the core protocol tells `symbols`.
    pub(crate) fn levels(&self, code: Keycode, symbols: &[Keysym]) -> [Keysym; 2] {
        match self {
            Layout::Core { second } => core_levels(symbols, *second),
            Layout::Told { group, types, first, keys } => {
                let key = code.checked_sub(*first).and_then(|at| keys.get(usize::from(at)));
                key.map_or([0; 2], |key| told_levels(key, types, *group))
            }
        }
    }
}

/// The layout that a key has for one that is in use: its own where it has so many, else what it says.
fn own_group(info: u8, group: u8) -> Option<u8> {
    let count = info & 0x0f;
    match (count, info & OUT_OF_RANGE) {
        (0, _) => None,
        _ if group < count => Some(group),
        (_, CLAMP) => Some(count - 1),
        (_, REDIRECT) => Some(info >> 4 & 3).map(|to| if to < count { to } else { 0 }),
        _ => Some(group % count),
    }
}

fn told_levels(key: &KeySymMap, types: &[KeyType], group: u8) -> [Keysym; 2] {
    let Some(group) = own_group(key.group_info, group).map(usize::from) else { return [0; 2] };
    let at = |level: usize| {
        let inside = level < usize::from(key.width);
        key.syms.get(group * usize::from(key.width) + level).copied().filter(|_| inside).unwrap_or(0)
    };
    let kind = key.kt_index.get(group).and_then(|kind| types.get(usize::from(*kind)));
    // What Shift does not lead to another level leaves the symbol as it is.
    let shifted = kind.and_then(|kind| kind.map.iter().find(|entry| entry.active && entry.mods_mask == ModMask::SHIFT));
    [at(0), shifted.map_or(0, |entry| at(usize::from(entry.level)))]
}

/// The same by the core protocol. A key that has nothing in the second layout means there what it does in the first.
fn core_levels(symbols: &[Keysym], second: bool) -> [Keysym; 2] {
    let at = |i: usize| symbols.get(i).copied().unwrap_or(0);
    match [at(2), at(3)] {
        [0, 0] => [at(0), at(1)],
        levels if second => levels,
        _ => [at(0), at(1)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use x11rb::protocol::xkb::KTMapEntry;

    #[test]
    fn keys_mean_what_the_layout_in_use_says() {
        let entry = |mods_mask, level| KTMapEntry { active: true, mods_mask, level, ..KTMapEntry::default() };
        let two = KeyType {
            num_levels: 2,
            map: vec![entry(ModMask::LOCK, 1), entry(ModMask::SHIFT, 1)],
            ..KeyType::default()
        };
        let types = [KeyType { num_levels: 1, ..KeyType::default() }, two];
        let key = |kt_index, group_info, width, syms: &[Keysym]| KeySymMap {
            kt_index,
            group_info,
            width,
            syms: syms.to_vec(),
        };
        let four = key([1; 4], 4, 2, &[0x71, 0x51, 0x71, 0x51, 0x61, 0x41, 0x6ca, 0x6ea]);
        let of = |group| told_levels(&four, &types, group);
        assert_eq!([of(0), of(2), of(3)], [[0x71, 0x51], [0x61, 0x41], [0x6ca, 0x6ea]]);
        let enter = key([0; 4], 1, 1, &[0xff0d]);
        assert_eq!(told_levels(&enter, &types, 3), [0xff0d, 0], "a key of one layout has it in all");
        assert_eq!(told_levels(&key([0; 4], 0, 0, &[]), &types, 0), [0, 0]);
        assert_eq!([own_group(2, 3), own_group(2 | CLAMP, 2), own_group(0x12 | REDIRECT, 3)], [Some(1); 3]);
    }

    #[test]
    fn what_the_extension_refuses_or_garbles_is_asked_of_the_core_protocol() {
        let garbled = x11rb::errors::ParseError::InvalidValue;
        assert!(is_of_no_use(&ReplyError::from(garbled)));
        assert!(!is_of_no_use(&ReplyError::from(ConnectionError::UnknownError)));
    }

    #[test]
    fn the_core_protocol_tells_of_two_layouts() {
        let (small, large) = (0x6c6, 0x6e6);
        assert_eq!(core_levels(&[0x66, 0x46, small, large, 0, 0], false), [0x66, 0x46]);
        assert_eq!(core_levels(&[0x66, 0x46, small, large, 0, 0], true), [small, large]);
        assert_eq!(core_levels(&[0xff0d, 0, 0, 0], true), [0xff0d, 0]);
        assert_eq!(core_levels(&[0x31], true), [0x31, 0]);
    }
}
