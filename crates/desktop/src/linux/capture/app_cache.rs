//! What an app's cache tells of its windows, all at once.

use crate::linux::atspi::bus::{Bus, Place, Unanswered};
use crate::linux::atspi::objects::{MOST_CHILDREN, children_of, look, record};
use crate::linux::capture::reading::{BUDGET, MOST_NODES, Reading};
use crate::quirks::Quirks;
use crate::record::{Record, bit};
use crate::roles::{HEADERS, MENU};
use futures_util::future::join_all;
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use zbus::zvariant::OwnedObjectPath;

/// One entry of `Cache.GetItems`: object, app, parent, index, children, interfaces, name, role, description, states.
type Item = (
    (String, OwnedObjectPath),
    (String, OwnedObjectPath),
    (String, OwnedObjectPath),
    i32,
    i32,
    Vec<String>,
    String,
    u32,
    String,
    Vec<u32>,
);

/// The older entry, with the children in it.
type OldItem = (
    (String, OwnedObjectPath),
    (String, OwnedObjectPath),
    (String, OwnedObjectPath),
    Vec<(String, OwnedObjectPath)>,
    Vec<String>,
    String,
    u32,
    String,
    Vec<u32>,
);

/// The cache of an app, by path.
pub(crate) struct Cache {
    pub(crate) records: HashMap<String, Record>,
    pub(crate) children: HashMap<String, Vec<String>>,
    /// Parents that don't tell the order of their children: GTK 3 doesn't of menus.
    unordered: HashSet<String>,
    /// How many children each says it has; GTK 4 puts only those into the cache that someone asked for before. Less than none:
    /// it doesn't say, as lists of GTK 3 don't.
    counts: HashMap<String, i32>,
}

impl Cache {
    /// Whether the children of a node have to be asked for.
    fn lacks(&self, record: &Record) -> bool {
        let known = self.children.get(&record.path).map_or(0, Vec::len);
        let count = self.counts.get(&record.path).copied().unwrap_or(0);
        !record.hides_children()
            && (known > 0 && self.unordered.contains(&record.path)
                // What GTK 4 has closed stays in the cache, and is no child any more.
                || usize::try_from(count) != Ok(known))
    }
}

/// The cache of an app; none where it has none.
pub(crate) async fn cache(bus: &Bus, app: &Place) -> Result<Option<Cache>, Unanswered> {
    let at = app.at("/org/a11y/atspi/cache");
    let answer = match bus.call_within(&at, "org.a11y.atspi.Cache", "GetItems", &(), BUDGET).await {
        Ok(answer) => answer,
        Err(Unanswered::Gone) => return Ok(None),
        Err(Unanswered::Late) => {
            // One that is too large to be told in time is read from the top; its app is busy, not stuck.
            bus.excuse(app);
            return Ok(None);
        }
        Err(other) => return Err(other),
    };
    let body = answer.body();
    let mut cache =
        Cache { records: HashMap::new(), children: HashMap::new(), unordered: HashSet::new(), counts: HashMap::new() };
    if let Ok(items) = body.deserialize::<Vec<Item>>() {
        let mut ordered: Vec<(i32, String, String)> = Vec::new();
        for (object, _, parent, index, count, interfaces, name, role, description, states) in items {
            let path = object.1.as_str().to_owned();
            cache.counts.insert(path.clone(), count);
            ordered.push((index, parent.1.as_str().to_owned(), path.clone()));
            cache.records.insert(path.clone(), record(path, &interfaces, name, role, description, &states));
        }
        ordered.sort();
        for (index, parent, path) in ordered {
            if index < 0 {
                cache.unordered.insert(parent.clone());
            }
            cache.children.entry(parent).or_default().push(path);
        }
    } else if let Ok(items) = body.deserialize::<Vec<OldItem>>() {
        for (object, _, _, children, interfaces, name, role, description, states) in items {
            let path = object.1.as_str().to_owned();
            cache.children.insert(path.clone(), children.iter().map(|c| c.1.as_str().to_owned()).collect());
            cache.records.insert(path.clone(), record(path, &interfaces, name, role, description, &states));
        }
    }
    Ok(Some(cache).filter(|c| !c.records.is_empty()))
}

/// What the cache tells, and what it lacks by calls that are sent together, level by level.
pub(crate) async fn in_bulk(bus: &Bus, cache: &mut Cache, frame: &Place, quirks: Quirks) -> Reading {
    let begun = Instant::now();
    let mut asked: HashSet<String> = HashSet::new();
    loop {
        let mut reading = from_cache(cache, frame, quirks);
        let has_shown =
            |r: &Record| reading.records.iter().any(|o| o.parent.is_some_and(|p| reading.records[p].path == r.path));
        // A menu that is closed shows none of its items, in whatever order; one that is open may be new to the cache as a whole.
        let is_open = |r: &Record| r.role != MENU || r.has(bit::SELECTED) || has_shown(r);
        let lacking: Vec<String> = reading
            .records
            .iter()
            .filter(|r| cache.lacks(r) && !asked.contains(&r.path) && is_open(r))
            .map(|r| r.path.clone())
            .collect();
        if lacking.is_empty() {
            return reading;
        }
        if begun.elapsed() > BUDGET {
            reading.partial = Some(format!("only {} nodes were read in time", reading.records.len()));
            return reading;
        }
        let children = join_all(lacking.iter().map(async |path| children_of(bus, &frame.at(path)).await)).await;
        asked.extend(lacking.iter().cloned());
        let known = |path: &String| cache.records.contains_key(path);
        let new: Vec<String> = children.iter().flatten().filter(|path| !known(path)).cloned().collect();
        let looks = join_all(new.iter().map(async |path| look(bus, &frame.at(path)).await.ok())).await;
        for (record, below) in looks.into_iter().flatten() {
            cache.counts.insert(record.path.clone(), i32::try_from(below.len()).unwrap_or(i32::MAX));
            cache.records.insert(record.path.clone(), record);
        }
        cache.children.extend(lacking.into_iter().zip(children));
    }
}

pub(crate) fn from_cache(cache: &Cache, frame: &Place, quirks: Quirks) -> Reading {
    let mut reading = Reading::default();
    // Paths and the index of the record that they are children of, the next one last.
    let mut open: Vec<(&str, Option<usize>)> = vec![(&frame.path, None)];
    let mut met = HashSet::new();
    while let Some((path, parent)) = open.pop() {
        let Some(found) = cache.records.get(path) else { continue };
        // What holds what it lies in is shown once.
        if !met.insert(path) {
            continue;
        }
        // A closed menu's items are in the tree, and hidden with all that is in them.
        if parent.is_some() && !found.shows(quirks) {
            continue;
        }
        if reading.records.len() >= MOST_NODES {
            reading.partial = Some(format!("it has more than {MOST_NODES} nodes"));
            break;
        }
        reading.records.push(Record { parent, ..found.clone() });
        let index = reading.records.len() - 1;
        // Of a table's children the cache holds those that someone asked for, and the headers.
        let manages = found.hides_children();
        let listed = |path: &&String| !manages || cache.records.get(*path).is_some_and(|r| HEADERS.contains(&r.role));
        if let Some(children) = cache.children.get(path) {
            open.extend(
                children
                    .iter()
                    .filter(listed)
                    .take(MOST_CHILDREN)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .map(|c| (c.as_str(), Some(index))),
            );
        }
    }
    reading
}
