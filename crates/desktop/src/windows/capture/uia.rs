//! Trees by UI Automation: what lies in each part of a window is asked for at once, part after part, within a budget.

use crate::windows::calls::{self, Automation, Fault, Live, Missing};
use crate::windows::capture::controls;
use crate::windows::capture::tree::{Done, Hit, Part, Reading, Tree};
use crate::windows::records::automation::{Record, Shows, activation, element, kind, shows};
use crate::windows::records::element::Element;
use crate::windows::records::ids::{Key, Place};
use crate::windows::records::window_list::{Seen, shared};
use handeye_scene::{Cover, Point, Rect};
use std::collections::HashMap;
use std::time::Instant;

/// Elements of one window that are read at most.
const MOST: usize = 6000;
/// How deep parts of a window are asked for one by one, before the rest of each comes at once.
const APART: usize = 3;
/// How deep a tree may be.
const DEEPEST: usize = 120;
/// Elements that are kept to be found again.
const KEPT: usize = 60_000;
/// Parts that hold others, of which each is asked for by itself.
const PARTS: [i32; 5] = [kind::WINDOW, kind::PANE, kind::GROUP, kind::CUSTOM, kind::DOCUMENT];

/// Trees by UI Automation.
pub(crate) struct Uia {
    automation: Automation,
    kept: HashMap<Place, Live>,
}

/// What must stay so for a runtime id to mean the same element.
fn check(live: &Live, record: &Record) -> String {
    format!("{} {} {}", record.kind, record.class, live.pid())
}

/// A control of its own is what window messages know it as, so that it has one number whoever tells of it.
fn own_key(live: &Live) -> Option<Key> {
    let handle = live.own_handle()?;
    Some(Key { place: Place::Window(handle), check: controls::check(&calls::traits(handle)?) })
}

impl Uia {
    /// Reaches UI Automation.
    pub(crate) fn start() -> Result<Self, Missing> {
        Ok(Self { automation: Automation::start()?, kept: HashMap::new() })
    }

    /// Adds an element to what was read; its index.
    fn add(&mut self, live: &Live, parent: Option<usize>, items: Vec<(String, bool)>, reading: &mut Reading) -> usize {
        let mut record = live.record();
        record.items = items;
        let at = reading.parts.len();
        // A part of a control may name its window: the first is the control.
        let own = own_key(live).filter(|key| !reading.parts.iter().any(|part| part.key == *key));
        let key = own.unwrap_or_else(|| {
            let id = self.automation.runtime_id(live).unwrap_or_default();
            Key { place: Place::Automation(id), check: check(live, &record) }
        });
        if key.place != Place::Automation(Vec::new()) {
            self.kept.insert(key.place.clone(), live.clone());
        }
        reading.parts.push(Part { key, parent, element: element(&record) });
        at
    }

    /// Reads what lies in an element, asking part by part.
    fn apart(&mut self, of: &Live, parent: usize, depth: usize, until: Instant, reading: &mut Reading) {
        let children = match self.automation.children(of) {
            Ok(children) => children,
            // One that vanished fails nothing else.
            Err(Fault::Gone | Fault::Refused(_)) => return,
            Err(_) => {
                reading.partial = Some("a part of it didn't answer in time".into());
                return;
            }
        };
        for child in children {
            if is_enough(until, reading) {
                return;
            }
            if depth < APART && PARTS.contains(&child.record().kind) {
                let at = self.add(&child, Some(parent), Vec::new(), reading);
                self.apart(&child, at, depth + 1, until, reading);
                continue;
            }
            match self.automation.whole(&child) {
                Ok(whole) => self.at_once(&whole, Some(parent), 0, until, reading),
                Err(Fault::Gone | Fault::Refused(_)) => {}
                Err(_) => reading.partial = Some("a part of it didn't answer in time".into()),
            }
        }
    }

    /// Reads an element and what was asked for with it.
    fn at_once(&mut self, of: &Live, parent: Option<usize>, depth: usize, until: Instant, reading: &mut Reading) {
        if is_enough(until, reading) || depth > DEEPEST {
            return;
        }
        let children = self.automation.asked_children(of).unwrap_or_default();
        let at = self.add(of, parent, items(&children), reading);
        for child in children {
            self.at_once(&child, Some(at), depth + 1, until, reading);
        }
    }

    fn live(&mut self, key: &Key) -> Result<Live, Fault> {
        match (self.kept.get(&key.place), &key.place) {
            (Some(live), _) => Ok(live.clone()),
            // Window messages told of it.
            (None, Place::Window(handle)) => self.automation.window(*handle),
            _ => Err(Fault::Gone),
        }
    }

    /// The items of a list that can be chosen now.
    fn choices(&self, of: &Live) -> Vec<Live> {
        let Ok(whole) = self.automation.whole(of) else { return Vec::new() };
        let direct = self.automation.asked_children(&whole).unwrap_or_default();
        let within = |child: &Live| match child.record().kind {
            kind::LIST_ITEM => vec![child.clone()],
            kind::LIST => self.automation.asked_children(child).unwrap_or_default(),
            _ => Vec::new(),
        };
        direct.iter().flat_map(within).filter(|l| l.record().kind == kind::LIST_ITEM).collect()
    }
}

/// Whether no more is to be read.
fn is_enough(until: Instant, reading: &mut Reading) -> bool {
    let count = reading.parts.len();
    if count >= MOST {
        reading.partial = Some(format!("only the first {count} elements are listed"));
    } else if Instant::now() >= until {
        reading.partial = Some(format!("{count} elements were read in time, and not all"));
    }
    reading.partial.is_some()
}

fn items(children: &[Live]) -> Vec<(String, bool)> {
    let records = children.iter().map(Live::record);
    records.filter(|r| r.kind == kind::LIST_ITEM).map(|r| (r.name, r.selected == Some(true))).collect()
}

impl Tree for Uia {
    fn read(&mut self, window: &Seen, until: Instant) -> Result<Reading, Fault> {
        if self.kept.len() > KEPT {
            // What is asked for again is read again.
            self.kept.clear();
        }
        let mut reading = Reading::default();
        let top = self.automation.window(window.handle)?;
        let at = self.add(&top, None, Vec::new(), &mut reading);
        self.apart(&top, at, 0, until, &mut reading);
        Ok(reading)
    }

    fn look(&mut self, window: &Seen, key: &Key) -> Result<Option<Element>, Fault> {
        if matches!(key.place, Place::Automation(_)) && !self.kept.contains_key(&key.place) {
            self.read(window, Instant::now() + std::time::Duration::from_secs(4))?;
        }
        let known = match self.live(key) {
            Ok(known) => known,
            Err(Fault::Gone) => return Ok(None),
            Err(other) => return Err(other),
        };
        let now = match self.automation.anew(&known) {
            Ok(now) => now,
            Err(Fault::Gone) => return Ok(None),
            Err(other) => return Err(other),
        };
        let mut record = now.record();
        let same = match &key.place {
            Place::Window(_) => own_key(&now).as_ref() == Some(key),
            _ => check(&now, &record) == key.check,
        };
        if !same {
            return Ok(None);
        }
        if matches!(record.kind, kind::LIST | kind::COMBO_BOX) {
            let told = self.choices(&now).into_iter().map(|item| item.record());
            record.items = told.map(|r| (r.name, r.selected == Some(true))).collect();
        }
        record.enabled &= window.enabled;
        let mut made = element(&record);
        let own = now.own_handle().map(|h| ("handle".to_owned(), h.to_string()));
        let told = [
            ("process".to_owned(), format!("{} (pid {})", window.process(), window.pid)),
            ("program".to_owned(), window.program.clone()),
            ("window".to_owned(), window.handle.to_string()),
            ("told by".to_owned(), "UI Automation".to_owned()),
        ];
        made.facts.extend(told.into_iter().chain(own));
        self.kept.insert(key.place.clone(), now);
        Ok(Some(made))
    }

    fn says(&mut self, _: &Seen, key: &Key, _: Option<Point>) -> Result<Option<String>, Fault> {
        let known = self.live(key)?;
        let now = self.automation.anew(&known)?;
        Ok(Some(element(&now.record()).name))
    }

    fn is_down(&mut self, _: &Key) -> Result<Option<bool>, Fault> {
        Ok(None)
    }

    fn invoke(&mut self, key: &Key) -> Result<Done, Fault> {
        let live = self.live(key)?;
        match activation(&live.record()) {
            Some(pattern) => {
                live.activate(pattern)?;
                Ok(Done::By(pattern))
            }
            None => Ok(Done::Not("it has no pattern that stands for a click".into())),
        }
    }

    fn expand(&mut self, key: &Key, on: bool) -> Result<Done, Fault> {
        self.live(key)?.expand(on)?;
        Ok(Done::By("ExpandCollapsePattern"))
    }

    fn set(&mut self, key: &Key, number: f64) -> Result<Done, Fault> {
        let live = self.live(key)?;
        match live.record().range {
            Some((_, low, high)) if !(low..=high).contains(&number) => {
                Ok(Done::Not(format!("it takes numbers from {low} to {high}")))
            }
            Some(_) => {
                live.set_number(number)?;
                Ok(Done::By("RangeValuePattern"))
            }
            None => Ok(Done::Not("it has no number".into())),
        }
    }

    fn replace(&mut self, key: &Key, text: &str) -> Result<Done, Fault> {
        let live = self.live(key)?;
        if !live.record().patterns.value {
            return Ok(Done::Not("its text can't be set".into()));
        }
        live.set_text(text)?;
        Ok(Done::By("ValuePattern"))
    }

    fn choose(&mut self, key: &Key, option: usize, says: &str) -> Result<Done, Fault> {
        let live = self.live(key)?;
        match self.choices(&live).get(option) {
            Some(item) if item.record().name != says => Ok(Done::Not("its options are others now".into())),
            Some(item) => {
                item.activate("SelectionItemPattern")?;
                Ok(Done::By("SelectionItemPattern"))
            }
            None => Ok(Done::Not("the option is gone".into())),
        }
    }

    fn focus(&mut self, key: &Key) -> Result<bool, Fault> {
        match self.live(key)?.take_keyboard() {
            Ok(()) => Ok(true),
            Err(Fault::Refused(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    fn reveal(&mut self, key: &Key) -> Result<(), Fault> {
        match self.live(key)?.show_itself() {
            // What can't be scrolled by itself is where it is.
            Err(Fault::Refused(_)) => Ok(()),
            other => other,
        }
    }

    fn text(&mut self, key: &Key) -> Result<Option<String>, Fault> {
        let known = self.live(key)?;
        let live = self.automation.anew(&known)?;
        let record = live.record();
        if record.password {
            return Ok(element(&record).value);
        }
        let lines = |text: String| text.replace("\r\n", "\n").replace('\r', "\n");
        if let Some(value) = record.value.clone().filter(|v| !v.is_empty() || record.kind == kind::EDIT) {
            return Ok(Some(lines(value)));
        }
        if record.patterns.text {
            return live.all_text().map(lines).map(Some);
        }
        Ok(record.legacy_value.filter(|v| !v.is_empty()).map(lines))
    }

    fn visible(&mut self, window: &Seen, key: &Key, rect: Rect) -> Result<Option<Rect>, Fault> {
        let known = self.live(key)?;
        let mut area = shared(rect, calls::virtual_screen());
        let mut holder = self.automation.around(&known);
        for _ in 0..DEEPEST {
            let Some(around) = holder.filter(|around| around.own_handle() != Some(window.handle)) else { break };
            let record = around.record();
            match (shows(&record), record.rect) {
                (Shows::Anywhere, _) => return Ok(area),
                (Shows::Inside, Some(inner)) => area = area.and_then(|area| shared(area, inner)),
                // One without a place of its own hides nothing.
                _ => {}
            }
            holder = self.automation.around(&around);
        }
        Ok(area.and_then(|area| shared(area, window.rect)))
    }

    fn hit(&mut self, window: &Seen, key: &Key, at: Point) -> Result<Hit, Fault> {
        let root = calls::window_at(at).and_then(calls::own_window);
        if root != Some(window.handle) {
            let name = root.map(calls::caption).unwrap_or_default();
            return Ok(Hit::Other(root.map(|_| Cover { id: None, role: "window".into(), name })));
        }
        let known = self.live(key)?;
        let own = self.automation.runtime_id(&known);
        let there = self.automation.at(at)?;
        let mut inner = Some(there.clone());
        // What lies in it is part of it.
        for _ in 0..DEEPEST {
            let Some(element) = inner else { break };
            if own.is_some() && self.automation.runtime_id(&element) == own {
                return Ok(Hit::Own);
            }
            inner = self.automation.around(&element);
        }
        let told = element(&there.record());
        Ok(Hit::Other(Some(Cover { id: None, role: told.role.into(), name: told.name })))
    }

    fn scrolled(&mut self, at: Point) -> Option<(f64, f64)> {
        let mut inner = self.automation.at(at).ok();
        for _ in 0..DEEPEST {
            let element = inner?;
            if let Some(far) = element.scrolled() {
                return Some(far);
            }
            inner = self.automation.around(&element);
        }
        None
    }
}
