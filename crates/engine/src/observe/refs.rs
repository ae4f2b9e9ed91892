//! Refs: which number belongs to which element, and what the agent was last shown of it.

use handeye_scene::{Claim, Code, DocumentId, NativeId, Problem, Rect, Ref, Shown, TargetId};
use std::collections::{BTreeMap, HashMap};

/// No surface mints this id.
const NOWHERE: NativeId = NativeId(u64::MAX);

/// One numbered element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// How the surface names it.
    pub native: NativeId,
    /// The last element, where the number stands for a fold: a stretch of the list, not an element.
    pub until: Option<NativeId>,
    /// Role and name as the agent last saw them.
    pub shown: Shown,
}

/// One numbered rectangle of pixels: something that is no element to its surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// The document that it was seen in; of a desktop, the window.
    pub document: DocumentId,
    /// What was said of it.
    pub claim: Claim,
    /// Where its anchors were.
    pub anchors: Vec<(NativeId, Rect)>,
    /// What it looked like.
    pub looks: Looks,
    /// On a page, the element that lay at its middle: what takes a press there, with or without a look of its own.
    pub hit: Option<NativeId>,
}

/// What a region looked like when it was shown, by which it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Looks {
    /// Its own pixels, as a number; none where they couldn't be had.
    pub own: Option<u64>,
    /// What lies level with it in the same thing, which tells it from others that look alike.
    pub row: Option<(Rect, u64)>,
}

impl Region {
    /// Whether a later look shows the same thing. One that was told from elements is known by these, wherever it is now; one
    /// that was told from pixels by its pixels, at its place.
    fn is(&self, later: &Region) -> bool {
        let (was, now) = (&self.claim, &later.claim);
        let is_named_alike = (self.document, was.source, &was.role) == (later.document, now.source, &now.role);
        is_named_alike
            && match was.anchors.is_empty() {
                false => was.anchors == now.anchors && was.name == now.name,
                true => (was.rect, self.looks, self.hit) == (now.rect, later.looks, later.hit) && was.name == now.name,
            }
    }
}

/// Every number given out for a surface. Numbers are given when an element is first shown, and never again.
#[derive(Debug, Clone, Default)]
pub struct RefTable {
    known: BTreeMap<u32, Known>,
    /// The last number given out in the session, for whichever surface.
    last: u32,
    by_native: HashMap<NativeId, Ref>,
    by_stretch: HashMap<(NativeId, NativeId), Ref>,
    /// Those of regions; none where the surface is another one since.
    regions: BTreeMap<u32, Option<Region>>,
}

impl RefTable {
    /// The number of an element that is being shown as `role` and `name`: its own if it has one, else a new one. What else
    /// was last shown of it stands.
    pub fn show(&mut self, native: NativeId, role: &str, name: &str) -> Ref {
        let was = self.number(native).and_then(|n| self.get(n)).map(|k| k.shown.clone()).unwrap_or_default();
        self.show_as(native, Shown { role: role.to_owned(), name: name.to_owned(), ..was })
    }

    /// The number of an element of which all this is being shown: its own if it has one, else a new one.
    pub fn show_as(&mut self, native: NativeId, shown: Shown) -> Ref {
        if let Some(&known) = self.by_native.get(&native) {
            self.note(known, |was| *was = shown);
            return known;
        }
        let minted = self.mint(Known { native, until: None, shown });
        self.by_native.insert(native, minted);
        minted
    }

    /// The number of the fold that holds what is listed from `first` to `last`.
    pub fn fold(&mut self, first: NativeId, last: NativeId, name: &str) -> Ref {
        if let Some(&known) = self.by_stretch.get(&(first, last)) {
            return known;
        }
        let shown = Shown::named("fold", name);
        let minted = self.mint(Known { native: first, until: Some(last), shown });
        self.by_stretch.insert((first, last), minted);
        minted
    }

    /// The number of a region that is being shown: its own if it was shown before and is the same still, else a new one.
    pub fn show_region(&mut self, region: Region) -> Ref {
        let same = self.regions.iter_mut().rev().find(|(_, known)| known.as_ref().is_some_and(|k| k.is(&region)));
        if let Some((number, known)) = same {
            *known = Some(region);
            return Ref(*number);
        }
        self.last += 1;
        self.regions.insert(self.last, Some(region));
        Ref(self.last)
    }

    /// The last number that was given out.
    pub fn last(&self) -> Ref {
        Ref(self.last)
    }

    /// The region that a number stands for.
    pub fn region(&self, number: Ref) -> Option<&Region> {
        self.regions.get(&number.0)?.as_ref()
    }

    /// Whether a number was given out for this surface.
    pub fn has(&self, number: Ref) -> bool {
        self.known.contains_key(&number.0) || self.regions.contains_key(&number.0)
    }

    /// What a number that can be acted on stands for.
    pub fn target(&self, number: Ref) -> Result<TargetId, Problem> {
        match self.regions.get(&number.0) {
            Some(Some(_)) => Ok(TargetId::Region(number)),
            Some(None) => {
                Err(Problem::new(Code::Stale, format!("{number} was seen on a surface that is no longer open"))
                    .hint("handeye state"))
            }
            None => self.element(number).map(|known| TargetId::Element(known.native)),
        }
    }

    /// Notes of a number that a part of what its element shows was shown anew.
    pub fn note(&mut self, number: Ref, change: impl FnOnce(&mut Shown)) {
        if let Some(known) = self.known.get_mut(&number.0) {
            change(&mut known.shown);
        }
    }

    fn mint(&mut self, known: Known) -> Ref {
        self.last += 1;
        self.known.insert(self.last, known);
        Ref(self.last)
    }

    /// Goes on after the numbers that were given out for another surface.
    pub fn go_on_after(&mut self, other: &RefTable) {
        self.last = self.last.max(other.last);
    }

    /// The number of an element that a message names: its own if it has one, which keeps what it was last shown as.
    pub fn mention(&mut self, native: NativeId, shown: impl FnOnce() -> Shown) -> Ref {
        self.number(native).unwrap_or_else(|| self.show_as(native, shown()))
    }

    /// Parts every number from its element: the surface is another one, which may name other elements the same.
    pub fn part(&mut self) {
        self.by_native.clear();
        self.by_stretch.clear();
        for known in self.known.values_mut() {
            known.native = NOWHERE;
        }
        self.regions.values_mut().for_each(|region| *region = None);
    }

    /// The number of an element that was shown before.
    pub fn number(&self, native: NativeId) -> Option<Ref> {
        self.by_native.get(&native).copied()
    }

    /// What is known of a number.
    pub fn get(&self, number: Ref) -> Option<&Known> {
        self.known.get(&number.0)
    }

    /// What is known of a number that must have been given out.
    pub fn known(&self, number: Ref) -> Result<&Known, Problem> {
        if self.regions.contains_key(&number.0) {
            let what = format!("{number} is a place that was told from pixels or from other targets, not an element");
            return Err(Problem::new(Code::Unsupported, what)
                .hint(format!("handeye get rect {}", number.0))
                .hint(format!("handeye click {}", number.0)));
        }
        self.get(number).ok_or_else(|| {
            let given = match self.last {
                0 => "no numbers were given out in this session yet".to_owned(),
                n => format!("this session has given out 1 to {n}"),
            };
            Problem::new(Code::NotFound, format!("there is no target {number}: {given}")).hint("handeye state")
        })
    }

    /// The element that a number names.
    pub fn element(&self, number: Ref) -> Result<&Known, Problem> {
        let known = self.known(number)?;
        if known.until.is_some() {
            let text = format!("{number} is a fold, not an element: {}", known.shown.name);
            return Err(Problem::new(Code::BadRequest, text).hint(format!("handeye state --within {}", number.0)));
        }
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handeye_scene::Source;

    #[test]
    fn a_number_never_comes_to_mean_an_element_of_another_surface() {
        let mut refs = RefTable::default();
        let first = NativeId::new(DocumentId(1), 1);
        assert_eq!(refs.show(first, "button", "Delete"), Ref(1));
        refs.part();
        assert_ne!(refs.get(Ref(1)).map(|k| k.native), Some(first));
        assert_eq!(refs.show(first, "button", "Delete"), Ref(2));
    }

    #[test]
    fn a_region_keeps_its_number_while_it_is_the_same() {
        let mut refs = RefTable::default();
        let element = NativeId::new(DocumentId(1), 1);
        let read = |name: &str, x: f64, own: u64| Region {
            document: DocumentId(1),
            claim: Claim::new(Source::Ocr, "text", name, Rect::new(x, 0.0, 40.0, 12.0)),
            anchors: Vec::new(),
            looks: Looks { own: Some(own), row: None },
            hit: None,
        };
        let border = |x: f64, own: u64| Region {
            claim: Claim {
                anchors: vec![element],
                ..Claim::new(Source::Structure, "column border", "Name", Rect::new(x, 0.0, 4.0, 20.0))
            },
            ..read("Name", x, own)
        };
        assert_eq!(refs.show(element, "button", "Save"), Ref(1));
        assert_eq!(refs.show_region(read("OK", 5.0, 7)), Ref(2));
        assert_eq!(refs.show_region(read("OK", 5.0, 7)), Ref(2));
        // Other pixels, another place, another text: another thing.
        assert_eq!(refs.show_region(read("OK", 5.0, 8)), Ref(3));
        assert_eq!(refs.show_region(read("OK", 9.0, 7)), Ref(4));
        // What is told from elements is known by them.
        assert_eq!(refs.show_region(border(50.0, 1)), Ref(5));
        assert_eq!(refs.show_region(border(80.0, 2)), Ref(5));
        assert_eq!(refs.region(Ref(5)).map(|r| r.claim.rect.x), Some(80.0));
        assert_eq!(refs.target(Ref(5)), Ok(TargetId::Region(Ref(5))));
        assert_eq!(refs.target(Ref(1)), Ok(TargetId::Element(element)));
        assert_eq!(refs.element(Ref(5)).map_err(|p| p.code), Err(Code::Unsupported));
        refs.part();
        assert_eq!(refs.target(Ref(5)).map_err(|p| p.code), Err(Code::Stale));
        assert!(refs.has(Ref(5)) && refs.has(Ref(1)) && !refs.has(Ref(6)));
        assert_eq!(refs.show_region(border(80.0, 2)), Ref(6));
    }

    #[test]
    fn numbers_of_two_surfaces_never_collide() {
        let (mut page, mut desktop) = (RefTable::default(), RefTable::default());
        let same = NativeId::new(DocumentId(1), 1);
        assert_eq!(page.show(same, "button", "Save"), Ref(1));
        desktop.go_on_after(&page);
        assert_eq!(desktop.show(same, "button", "Quit"), Ref(2));
        assert_eq!((desktop.get(Ref(1)), page.get(Ref(2))), (None, None));
        page.go_on_after(&desktop);
        assert_eq!(page.show(same, "button", "Save"), Ref(1));
        assert_eq!(page.show(NativeId::new(DocumentId(1), 2), "link", "More"), Ref(3));
    }

    #[test]
    fn a_mention_does_not_count_as_shown() {
        let mut refs = RefTable::default();
        let a = NativeId::new(DocumentId(1), 1);
        refs.show(a, "button", "Delete");
        assert_eq!(refs.mention(a, || Shown::named("button", "Delete all")), Ref(1));
        assert_eq!(refs.get(Ref(1)).map(|k| k.shown.name.as_str()), Some("Delete"));
    }

    #[test]
    fn a_number_is_never_reused_and_stays_with_its_element() {
        let mut refs = RefTable::default();
        let a = NativeId::new(DocumentId(1), 1);
        let b = NativeId::new(DocumentId(1), 2);
        assert_eq!(refs.show(a, "button", "Approve"), Ref(1));
        assert_eq!(refs.show(b, "button", "Delete"), Ref(2));
        assert_eq!(refs.show(a, "button", "Delete"), Ref(1));
        assert_eq!(refs.get(Ref(1)).map(|k| k.shown.name.as_str()), Some("Delete"));
        assert_eq!(refs.get(Ref(0)), None);
        assert_eq!(refs.get(Ref(3)), None);
    }
}
