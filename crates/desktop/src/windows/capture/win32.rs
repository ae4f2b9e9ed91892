//! Trees by window messages: works with Win32's own controls, on every Windows and under Wine.

use crate::windows::calls::{self, Fault};
use crate::windows::capture::compound;
use crate::windows::capture::controls::{
    ITEMS, TEXT, bare, captioned, check, fill, is_own, item, label, labels, lends_label, menu_item, menu_items,
};
use crate::windows::capture::hit_test;
use crate::windows::capture::tree::{Done, Hit, Part, Reading, Tree};
use crate::windows::records::classes::{Family, family, style};
use crate::windows::records::control::{Control, Detail, element, is_named_by_label};
use crate::windows::records::element::{self, Element};
use crate::windows::records::ids::{Key, Place};
use crate::windows::records::slots::Slots;
use crate::windows::records::window_list::{Handle, Seen};
use handeye_scene::{Point, Rect, State};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How long a window may take to say that it is there.
const PING: Duration = Duration::from_millis(1000);

/// Trees by window messages.
#[derive(Default)]
pub(crate) struct Win32 {
    slots: Slots,
}

/// Says of an item that lies outside of what its list shows that it is off the screen.
fn shown_in(element: &mut Element, sight: Option<Rect>) {
    let inside = element.rect.zip(sight).is_some_and(|(own, whole)| own.centered_in(&whole));
    if !inside {
        element.states = element.states.with(State::Offscreen);
    }
}

/// Says the same of a control that nothing is shown of by what it lies in.
fn shown_through(element: &mut Element, window: &Seen, of: Handle) {
    let clipped = |rect| hit_test::let_through(window, of, rect).is_none();
    if of != window.handle && element.rect.is_some_and(clipped) {
        element.states = element.states.with(State::Offscreen);
    }
}

fn facts(element: &mut Element, window: &Seen, of: Handle) {
    let told = [
        ("process".to_owned(), format!("{} (pid {})", window.process(), window.pid)),
        ("program".to_owned(), window.program.clone()),
        ("handle".to_owned(), of.to_string()),
        ("window".to_owned(), window.handle.to_string()),
        ("told by".to_owned(), "window messages".to_owned()),
    ];
    element.facts.splice(0..0, told);
}

/// What is known of a control by what lies around it.
#[derive(Default)]
struct Around {
    parent: Option<usize>,
    label: String,
    focus: Option<Handle>,
    holds: bool,
    until: Option<Instant>,
}

impl Win32 {
    /// Reads a control and what it holds; none where it went away meanwhile.
    fn part(
        &mut self,
        window: &Seen,
        of: Handle,
        told: &calls::Traits,
        around: Around,
        reading: &mut Reading,
    ) -> Result<Option<usize>, Fault> {
        let Around { parent, label, focus, holds, until } = around;
        let mut control = bare(window, of, told);
        control.label = label;
        control.holds = holds;
        control.focused = focus == Some(of);
        control.modal = control.top && window.owner.is_some() && !owner_enabled(window);
        if let Some(above) = parent.and_then(|p| reading.parts.get(p)) {
            control.enabled &= above.element.enabled;
        }
        match fill(&mut control, of) {
            Err(Fault::Gone) => return Ok(None),
            other => other?,
        }
        let at = reading.parts.len();
        let key = Key { place: Place::Window(of), check: check(told) };
        let mut made = element(&control);
        shown_through(&mut made, window, of);
        reading.parts.push(Part { key, parent, element: made });
        if let (Family::List, Detail::Choices(entries, _)) = (family(&control.class), control.detail.clone()) {
            let sight = compound::sight(of, &control.class)?;
            let numbers = self.slots.note(of, entries.iter().map(|entry| entry.text.clone()).collect());
            for ((index, entry), number) in entries.iter().enumerate().zip(numbers) {
                let mut element = element(&item(&control, of, index, entry)?);
                shown_in(&mut element, sight);
                let key = Key { place: Place::Item(of, number), check: check(told) };
                reading.parts.push(Part { key, parent: Some(at), element });
            }
        }
        if compound::has_parts(&control.class) {
            self.compound(of, &control, (at, check(told)), until.unwrap_or_else(Instant::now), reading)?;
        }
        Ok(Some(at))
    }
}

impl Win32 {
    /// Reads the parts of a compound control that was read as the part at `at`.
    fn compound(
        &mut self,
        of: Handle,
        control: &Control,
        (at, check): (usize, String),
        until: Instant,
        reading: &mut Reading,
    ) -> Result<(), Fault> {
        let read = compound::parts(of, control, until, &mut self.slots);
        let (told, whole) = match read {
            // The control itself is told of all the same.
            Err(Fault::Denied | Fault::Refused(_) | Fault::Gone) => return Ok(()),
            other => other?,
        };
        let sight = compound::sight(of, &control.class)?;
        let first = reading.parts.len();
        for part in told {
            let key = Key { place: Place::Part(of, part.id), check: check.clone() };
            let mut element = element(&part.control);
            shown_in(&mut element, sight);
            reading.parts.push(Part { key, parent: Some(part.parent.map_or(at, |p| first + p)), element });
        }
        if !whole && reading.partial.is_none() {
            let name = reading.parts.get(at).map(|p| p.element.name.clone()).unwrap_or_default();
            reading.partial =
                Some(format!("the list {name:?} is long: what is in sight of it is listed; scroll it for more"));
        }
        Ok(())
    }
}

fn owner_enabled(window: &Seen) -> bool {
    window.owner.and_then(calls::traits).is_none_or(|t| t.enabled)
}

impl Tree for Win32 {
    fn read(&mut self, window: &Seen, until: Instant) -> Result<Reading, Fault> {
        calls::answers(window.handle, PING)?;
        let mut reading = Reading::default();
        let top = calls::traits(window.handle).ok_or(Fault::Gone)?;
        let focus = calls::focus_in(window.thread);
        let around = Around { focus, holds: true, ..Around::default() };
        self.slots.keep(calls::is_there);
        self.part(window, window.handle, &top, around, &mut reading)?;
        for (at, told) in (0..).zip(menu_items(window)?) {
            let key = Key { place: Place::Menu(window.handle, vec![at]), check: told.command.to_string() };
            let element = element(&menu_item(window, told));
            reading.parts.push(Part { key, parent: Some(0), element });
        }
        let (handles, whole) = calls::children(window.handle);
        if !whole {
            reading.partial = Some(format!("only the first {} controls are listed", handles.len()));
        }
        let told: Vec<(Handle, calls::Traits)> =
            handles.into_iter().filter_map(|h| Some((h, calls::traits(h)?))).filter(|(_, t)| t.shows).collect();
        let mut places: HashMap<Handle, usize> = HashMap::from([(window.handle, 0)]);
        let mut families: HashMap<Handle, Vec<(Handle, Control)>> = HashMap::new();
        for (handle, traits) in &told {
            let parent = traits.parent.unwrap_or(window.handle);
            families.entry(parent).or_default().push((*handle, captioned(window, *handle, traits)));
        }
        let labels: HashMap<Handle, String> = families.values().flat_map(|list| labels(list)).collect();
        let classes: HashMap<Handle, &str> = told.iter().map(|(h, t)| (*h, t.class.as_str())).collect();
        let parents: HashMap<Handle, Handle> = told.iter().filter_map(|(h, t)| Some((*h, t.parent?))).collect();
        for (done, (handle, traits)) in told.iter().enumerate() {
            if Instant::now() >= until {
                reading.partial = Some(format!("{done} of {} controls were read in time", told.len()));
                break;
            }
            let parent = traits.parent.and_then(|p| places.get(&p)).copied().or(Some(0));
            // What lies in a combo box, or in what frames one, has that one's label if none of its own.
            let lends = |h: &Handle| classes.get(h).is_some_and(|class| lends_label(class));
            let way = std::iter::successors(Some(*handle), |h| parents.get(h).copied().filter(lends));
            let own = way.map_while(|h| labels.get(&h)).find(|l| !l.is_empty());
            let label = own.cloned().unwrap_or_default();
            let holds = families.contains_key(handle);
            match self.part(
                window,
                *handle,
                traits,
                Around { parent, label, focus, holds, until: Some(until) },
                &mut reading,
            ) {
                Ok(Some(at)) => {
                    places.insert(*handle, at);
                }
                // One that vanishes fails nothing else.
                Ok(None) | Err(Fault::Gone | Fault::Refused(_)) => {}
                Err(Fault::Late) => {
                    reading.partial = Some(format!("it stopped answering after {done} of {} controls", told.len()));
                    break;
                }
                Err(Fault::Denied) => return Err(Fault::Denied),
            }
        }
        Ok(reading)
    }

    fn look(&mut self, window: &Seen, key: &Key) -> Result<Option<Element>, Fault> {
        let looked = self.now(window, key);
        match looked {
            Err(Fault::Gone) => Ok(None),
            other => other,
        }
    }

    fn says(&mut self, window: &Seen, key: &Key, at: Option<Point>) -> Result<Option<String>, Fault> {
        let (Place::Window(of) | Place::Item(of, _) | Place::Part(of, _)) = &key.place else {
            let Place::Menu(_, way) = &key.place else { return Ok(None) };
            return Ok(Some(menu_now(window, way, &key.check)?.ok_or(Fault::Gone)?.name));
        };
        let told = calls::traits(*of).filter(|t| check(t) == key.check).ok_or(Fault::Gone)?;
        match &key.place {
            Place::Item(list, _) => {
                let index = self.index_of(key, false)?.ok_or(Fault::Gone)?;
                let text = calls::entry_text(*list, false, index)?.ok_or(Fault::Gone)?;
                Ok(Some(text.trim().to_owned()))
            }
            Place::Part(of, id) => compound::says(*of, id, at, &mut self.slots)?.ok_or(Fault::Gone).map(Some),
            _ => {
                let mut control = Control { label: label(window, *of, &told), ..bare(window, *of, &told) };
                // Of what holds a text that a person writes, the label is what it says.
                if !is_named_by_label(&told.class) {
                    control.text = calls::text(*of, TEXT)?;
                }
                Ok(Some(element(&control).name))
            }
        }
    }

    fn is_down(&mut self, key: &Key) -> Result<Option<bool>, Fault> {
        match &key.place {
            Place::Window(of) if calls::traits(*of).is_some_and(|t| family(&t.class) == Family::Button) => {
                calls::is_held_down(*of).map(Some)
            }
            Place::Part(of, id) => compound::is_down(*of, id),
            _ => Ok(None),
        }
    }

    fn invoke(&mut self, key: &Key) -> Result<Done, Fault> {
        match &key.place {
            Place::Item(list, ..) => match self.index_of(key, false)? {
                Some(index) => Self::chosen(*list, index),
                None => Ok(Done::Not("the item is gone".into())),
            },
            Place::Part(of, id) => compound::invoke(*of, id, &mut self.slots),
            _ => Ok(Done::Not("it has no message that stands for a click".into())),
        }
    }

    fn expand(&mut self, key: &Key, on: bool) -> Result<Done, Fault> {
        if let Place::Part(of, id) = &key.place {
            return compound::expand(*of, id, on);
        }
        let Place::Window(combo) = &key.place else { return Ok(Done::Not("it doesn't open or close".into())) };
        calls::show_list(*combo, on)?;
        Ok(Done::By("the message CB_SHOWDROPDOWN"))
    }

    fn set(&mut self, key: &Key, number: f64) -> Result<Done, Fault> {
        let Place::Window(of) = &key.place else { return Ok(Done::Not("it has no number".into())) };
        let told = calls::traits(*of).ok_or(Fault::Gone)?;
        let Some((_, low, high)) = calls::range(*of, &told.class)? else {
            return Ok(Done::Not("it has no number".into()));
        };
        if !(f64::from(low)..=f64::from(high)).contains(&number) || number.fract() != 0.0 {
            return Ok(Done::Not(format!("it takes whole numbers from {low} to {high}")));
        }
        calls::set_range(*of, &told.class, number as i32)?;
        Ok(Done::By("its position message"))
    }

    fn replace(&mut self, key: &Key, text: &str) -> Result<Done, Fault> {
        let Place::Window(field) = &key.place else { return Ok(Done::Not("it holds no text".into())) };
        let told = calls::traits(*field).ok_or(Fault::Gone)?;
        if family(&told.class) != Family::Edit {
            return Ok(Done::Not("its text can't be set".into()));
        }
        let text = text.replace("\r\n", "\n").replace('\n', "\r\n");
        calls::put_text(*field, &text, true)?;
        Ok(Done::By("the message EM_REPLACESEL"))
    }

    fn choose(&mut self, key: &Key, option: usize, says: &str) -> Result<Done, Fault> {
        let Place::Window(list) = &key.place else { return Ok(Done::Not("it holds no options".into())) };
        let told = calls::traits(*list).ok_or(Fault::Gone)?;
        if calls::entry_text(*list, family(&told.class) == Family::Combo, option)?.as_deref() != Some(says) {
            return Ok(Done::Not("its options are others now".into()));
        }
        Self::chosen(*list, option)
    }

    fn focus(&mut self, key: &Key) -> Result<bool, Fault> {
        match &key.place {
            Place::Window(control) | Place::Item(control, ..) | Place::Part(control, _) => calls::keyboard_to(*control),
            _ => Ok(false),
        }
    }

    fn reveal(&mut self, key: &Key) -> Result<(), Fault> {
        if let Place::Part(of, id) = &key.place {
            return compound::reveal(*of, id, &mut self.slots);
        }
        let Place::Item(list, ..) = &key.place else { return Ok(()) };
        match self.index_of(key, true)? {
            Some(index) => calls::reveal(*list, index),
            None => Ok(()),
        }
    }

    fn text(&mut self, key: &Key) -> Result<Option<String>, Fault> {
        match &key.place {
            Place::Window(of) => {
                let told = calls::traits(*of).ok_or(Fault::Gone)?;
                let kind = family(&told.class);
                if kind == Family::Edit && told.style & style::PASSWORD != 0 {
                    return Ok(Some(element::masked(calls::text_length(*of)?)));
                }
                let whole = calls::text(*of, usize::MAX)?;
                let read = matches!(kind, Family::Edit | Family::Combo);
                Ok(read.then(|| whole.replace("\r\n", "\n")))
            }
            _ => Ok(None),
        }
    }

    fn visible(&mut self, window: &Seen, key: &Key, rect: Rect) -> Result<Option<Rect>, Fault> {
        hit_test::visible(window, key, rect)
    }

    fn hit(&mut self, window: &Seen, key: &Key, at: Point) -> Result<Hit, Fault> {
        let Some(there) = hit_test::pointed_at(at) else { return Ok(Hit::Other(None)) };
        let is_own = match &key.place {
            Place::Window(of) if *of == window.handle => there == *of,
            Place::Window(of) => hit_test::is_hit(*of, there, at),
            // What lies in a list is no item of it.
            Place::Item(of, _) | Place::Part(of, _) | Place::Menu(of, _) if *of != there => false,
            Place::Item(list, _) => {
                let index = self.index_of(key, false)?;
                index.is_some() && calls::entry_at(*list, at)? == index.map(|index| index as u16)
            }
            Place::Part(of, id) => compound::is_at(*of, id, at, &mut self.slots)?,
            Place::Menu(_, way) => hit_test::is_menu_item_at(window, way, at)?,
            Place::Automation(_) => false,
        };
        Ok(if is_own { Hit::Own } else { Hit::Other(hit_test::cover(there)) })
    }

    fn scrolled(&mut self, at: Point) -> Option<(f64, f64)> {
        let there = calls::window_at(at)?;
        let told = calls::traits(there)?;
        let list = match family(&told.class) {
            Family::List => true,
            Family::Edit if told.style & style::MULTI_LINE != 0 => false,
            _ => return None,
        };
        calls::first_shown(there, list).ok().map(|first| (0.0, first as f64))
    }
}

impl Win32 {
    /// Where an item of a list is now. All of them are read anew, unless its text alone tells it from the others and that is to do.
    fn index_of(&mut self, key: &Key, anew: bool) -> Result<Option<usize>, Fault> {
        let Place::Item(list, number) = &key.place else { return Ok(None) };
        let told = calls::traits(*list).ok_or(Fault::Gone)?;
        if check(&told) != key.check {
            return Ok(None);
        }
        if let Some(index) = self.slots.plain_index(*list, *number).filter(|_| !anew) {
            return Ok(Some(index));
        }
        let (entries, _) = calls::entries(*list, false, told.style & style::LIST_MULTIPLE != 0, ITEMS)?;
        self.slots.note(*list, entries.into_iter().map(|entry| entry.text).collect());
        Ok(self.slots.index(*list, *number))
    }

    fn chosen(list: Handle, index: usize) -> Result<Done, Fault> {
        let told = calls::traits(list).ok_or(Fault::Gone)?;
        let combo = family(&told.class) == Family::Combo;
        let multiple = told.style & style::LIST_MULTIPLE != 0;
        let taken = calls::choose(list, combo, multiple, index)?;
        Ok(match (taken, combo) {
            (true, true) => Done::By("the message CB_SETCURSEL"),
            (true, false) => Done::By("the message LB_SETCURSEL"),
            (false, _) => Done::Not("the list didn't take it".into()),
        })
    }

    fn now(&mut self, window: &Seen, key: &Key) -> Result<Option<Element>, Fault> {
        let (of, index) = match &key.place {
            Place::Window(of) => (*of, None),
            Place::Item(of, ..) => match self.index_of(key, true)? {
                Some(index) => (*of, Some(index)),
                None => return Ok(None),
            },
            Place::Part(of, _) => (*of, None),
            Place::Menu(_, way) => return menu_now(window, way, &key.check),
            Place::Automation(_) => return Ok(None),
        };
        let Some(told) = calls::traits(of).filter(|t| check(t) == key.check && is_own(window, t)) else {
            return Ok(None);
        };
        let mut control = bare(window, of, &told);
        control.label = label(window, of, &told);
        control.holds = calls::children(of).0.into_iter().any(|h| calls::traits(h).is_some_and(|t| t.shows));
        control.focused = calls::focus_in(told.thread) == Some(of);
        control.modal = control.top && window.owner.is_some() && !owner_enabled(window);
        control.enabled &= above_enabled(&told, window);
        fill(&mut control, of)?;
        let mut made = element(&control);
        shown_through(&mut made, window, of);
        if let (Some(index), Detail::Choices(entries, _)) = (index, &control.detail)
            && let Some(entry) = entries.get(index)
        {
            made = element(&item(&control, of, index, entry)?);
            shown_in(&mut made, compound::sight(of, &control.class)?);
        }
        if let Place::Part(_, id) = &key.place {
            let Some(part) = compound::look(of, &control, id, &mut self.slots)? else { return Ok(None) };
            made = element(&part);
            shown_in(&mut made, compound::sight(of, &control.class)?);
        }
        facts(&mut made, window, of);
        Ok(Some(made))
    }
}

/// Whether everything that a control lies in takes input.
fn above_enabled(told: &calls::Traits, window: &Seen) -> bool {
    let mut at = told.parent.filter(|p| *p != window.handle).and_then(calls::traits);
    for _ in 0..64 {
        let Some(above) = at else { return true };
        if !above.enabled {
            return false;
        }
        at = above.parent.filter(|p| *p != window.handle).and_then(calls::traits);
    }
    true
}

fn menu_now(window: &Seen, way: &[u32], check: &str) -> Result<Option<Element>, Fault> {
    let [at] = way else { return Ok(None) };
    let told = menu_items(window)?.into_iter().nth(*at as usize).filter(|t| t.command.to_string() == check);
    Ok(told.map(|told| {
        let mut element = element(&menu_item(window, told));
        facts(&mut element, window, window.handle);
        element
    }))
}
