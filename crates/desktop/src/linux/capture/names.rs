//! What things without a name are called: by what is said inside them, or by their labels. Looks and probes derive it by one rule, from objects that
//! were read with all the others or asked for one by one; and so does the last look before an event.

use crate::linux::atspi::bus::{Bus, Place, Unanswered};
use crate::linux::atspi::ids::Ids;
use crate::linux::atspi::objects::{self, look};
use crate::linux::capture::content_names::{DEPTH, INSIDE, Twig, is_opened_up, name, needs_one, own};
use crate::linux::capture::labels::{self, Level};
use crate::quirks::Quirks;
use crate::record::Record;
use crate::roles::{COMBO_BOX, Part, role};
use futures_util::future::{BoxFuture, FutureExt, join, join_all};
use std::time::Duration;

/// How long the label of a field is looked for: it may take many answers of its app.
const LABEL_LIMIT: Duration = Duration::from_secs(2);

/// An object, called by what it says.
pub(crate) struct Named {
    pub(crate) record: Record,
    /// What its name is made of, where it is none of its own.
    pub(crate) parts: Vec<Place>,
    /// What it shows, where it says that in place of its name.
    pub(crate) choice: Option<String>,
}

impl Named {
    /// The object as it tells of itself.
    pub(crate) fn itself(&self) -> Record {
        let own = if self.parts.is_empty() { self.record.name.clone() } else { String::new() };
        Record { name: own, ..self.record.clone() }
    }
}

/// Looks at an object. One that needs a name gets it from what it holds.
pub(crate) async fn named(bus: &Bus, ids: &Ids, at: &Place, quirks: Quirks) -> Result<Named, Unanswered> {
    let (mut record, children) = look(bus, at).await?;
    objects::settle_tab(bus, at, &mut record, quirks).await;
    let (mut said, mut parts) = (String::new(), Vec::new());
    if needs_one(&record, quirks) {
        let twig = Twig { inside: inside(bus, at, children, quirks, DEPTH).await, record };
        (said, parts) = name(&twig, quirks);
        record = twig.record;
    }
    if said.is_empty() && labels::takes_one(&record, quirks) {
        // An app that answers slowly leaves its field without one.
        let found = tokio::time::timeout(LABEL_LIMIT, label(bus, ids, at, &mut record, quirks)).await;
        (said, parts) = found.unwrap_or_default();
    }
    if said.is_empty() {
        return Ok(Named { record, parts: Vec::new(), choice: None });
    }
    let parts = parts.iter().map(|path| at.at(path)).collect();
    let choice = labels::says_choice(&record, quirks).then(|| own(&record, quirks)).filter(|choice| !choice.is_empty());
    Ok(Named { record: Record { name: said, ..record }, parts, choice })
}

/// The label of a field.
async fn label(bus: &Bus, ids: &Ids, at: &Place, record: &mut Record, quirks: Quirks) -> (String, Vec<String>) {
    (record.labels, record.rect) = join(objects::labels(bus, at), objects::extents(bus, at, record)).await;
    let mut levels: Vec<(Record, Vec<Record>)> = Vec::new();
    let mut inner = at.clone();
    while record.labels.is_empty() && record.rect.is_some() && levels.len() < labels::LEVELS {
        let above = match ids.parent_of(&inner) {
            Some(above) => at.at(above),
            None => match objects::parent(bus, &inner).await {
                Ok(above) => at.at(&above),
                Err(_) => break,
            },
        };
        let Ok((holder, children)) = look(bus, &above).await else { break };
        if labels::is_end(&holder) {
            break;
        }
        let beside = children.iter().filter(|path| **path != *inner.path).take(labels::MOST_BESIDE * 4);
        let looks = join_all(beside.map(async |path| {
            let place = at.at(path);
            let (other, _) = look(bus, &place).await.ok()?;
            let rect = objects::extents(bus, &place, &other).await;
            Some(Record { rect, ..other })
        }));
        let shown = looks.await.into_iter().flatten().filter(|other| other.shows(quirks));
        let others = shown.take(labels::MOST_BESIDE).collect();
        levels.push((holder, others));
        inner = above;
        let told = labels::label(record, &as_levels(&levels), quirks);
        if !told.0.is_empty() {
            return told;
        }
    }
    labels::label(record, &as_levels(&levels), quirks)
}

fn as_levels(levels: &[(Record, Vec<Record>)]) -> Vec<Level<'_>> {
    levels.iter().map(|(holder, others)| Level { holder, others: others.iter().collect() }).collect()
}

/// What a record lies in, and what else is shown in each of them, as far as labels are looked for.
fn levels<'a>(records: &'a [Record], below: &[Vec<usize>], at: usize, quirks: Quirks) -> Vec<Level<'a>> {
    let mut levels = Vec::new();
    let mut inner = at;
    while let Some(above) = records[inner].parent.filter(|_| levels.len() < labels::LEVELS) {
        if labels::is_end(&records[above]) {
            break;
        }
        let shown = below[above].iter().filter(|i| **i != inner).map(|i| &records[*i]).filter(|r| r.shows(quirks));
        levels.push(Level { holder: &records[above], others: shown.take(labels::MOST_BESIDE).collect() });
        inner = above;
    }
    levels
}

/// What is in an object, as far as names are looked for.
fn inside<'a>(
    bus: &'a Bus,
    at: &'a Place,
    children: Vec<String>,
    quirks: Quirks,
    depth: usize,
) -> BoxFuture<'a, Vec<Twig>> {
    async move {
        let looks =
            join_all(children.iter().take(INSIDE * 4).map(async |path| look(bus, &at.at(path)).await.ok())).await;
        let shown = looks.into_iter().flatten().filter(|(record, _)| record.shows(quirks)).take(INSIDE);
        let twigs = shown.map(async |(record, below)| {
            let inside = match depth > 1 && is_opened_up(&record) {
                true => inside(bus, at, below, quirks, depth - 1).await,
                false => Vec::new(),
            };
            Twig { record, inside }
        });
        join_all(twigs).await
    }
    .boxed()
}

/// Names what has none of the records of a window, and takes out the texts that are said by these names.
pub(crate) fn fill(records: &mut [Record], quirks: Quirks) -> Vec<bool> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); records.len()];
    for (i, record) in records.iter().enumerate() {
        if let Some(parent) = record.parent {
            below[parent].push(i);
        }
    }
    let mut said = vec![false; records.len()];
    let lacks = |r: &Record| needs_one(r, quirks) || labels::takes_one(r, quirks);
    let unnamed: Vec<usize> = (0..records.len()).filter(|i| lacks(&records[*i])).collect();
    // All are derived from what was read: one name isn't made of another that was derived.
    let names: Vec<(usize, String, Vec<String>)> = unnamed
        .into_iter()
        .map(|i| {
            let inside = needs_one(&records[i], quirks).then(|| name(&twig(records, &below, i, DEPTH), quirks));
            let (name, parts) = match inside.filter(|(name, _)| !name.is_empty()) {
                None if labels::takes_one(&records[i], quirks) => {
                    labels::label(&records[i], &levels(records, &below, i, quirks), quirks)
                }
                found => found.unwrap_or_default(),
            };
            (i, name, parts)
        })
        .collect();
    for (i, name, parts) in names {
        // A cell that is listed by itself keeps its name.
        for part in inner(&below, i).into_iter().filter(|at| parts.contains(&records[*at].path)) {
            said[part] |= crate::roles::role(records[part].role).kind == crate::roles::Part::Text;
        }
        if !labels::says_choice(&records[i], quirks) {
            records[i].name = name;
        } else if !name.is_empty() {
            let choice = std::mem::replace(&mut records[i].name, name);
            records[i].value.get_or_insert(choice);
        }
    }
    for i in 0..records.len() {
        if records[i].role == COMBO_BOX && quirks.class_names {
            say_choice(records, &mut said, &inner(&below, i), i, quirks);
        }
    }
    said
}

/// Has what drops a list down say what it shows, which GTK 4 tells by a text in a button in it.
fn say_choice(records: &mut [Record], said: &mut [bool], within: &[usize], at: usize, quirks: Quirks) {
    let is_text = |i: &&usize| role(records[**i].role).kind == Part::Text && records[**i].rect.is_some();
    let shown = within.iter().find(is_text).map(|i| own(&records[*i], quirks)).filter(|text| !text.is_empty());
    if shown.is_some() {
        records[at].value = shown;
        within.iter().for_each(|i| said[*i] = true);
    }
}

/// All that is in a record.
fn inner(below: &[Vec<usize>], at: usize) -> Vec<usize> {
    let (mut open, mut all) = (vec![at], Vec::new());
    while let Some(next) = open.pop() {
        all.extend(&below[next]);
        open.extend(&below[next]);
    }
    all
}

/// A record with what is in it, as far as names are looked for.
fn twig(records: &[Record], below: &[Vec<usize>], at: usize, depth: usize) -> Twig {
    let inside = match depth > 0 && (depth == DEPTH || is_opened_up(&records[at])) {
        true => below[at].iter().take(INSIDE).map(|i| twig(records, below, *i, depth - 1)).collect(),
        false => Vec::new(),
    };
    Twig { record: records[at].clone(), inside }
}
