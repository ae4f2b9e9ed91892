//! Refs: which number belongs to which element, and what the agent was last shown of it.

use handeye_scene::{Code, NativeId, Problem, Ref, Shown};
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

/// Every number given out for a surface. Numbers are given when an element is first shown, and never again.
#[derive(Debug, Clone, Default)]
pub struct Book {
    known: BTreeMap<u32, Known>,
    /// The last number given out in the session, for whichever surface.
    last: u32,
    by_native: HashMap<NativeId, Ref>,
    by_stretch: HashMap<(NativeId, NativeId), Ref>,
}

impl Book {
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
    pub fn go_on_after(&mut self, other: &Book) {
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
    use handeye_scene::DocumentId;

    #[test]
    fn a_number_never_comes_to_mean_an_element_of_another_surface() {
        let mut book = Book::default();
        let first = NativeId::new(DocumentId(1), 1);
        assert_eq!(book.show(first, "button", "Delete"), Ref(1));
        book.part();
        assert_ne!(book.get(Ref(1)).map(|k| k.native), Some(first));
        assert_eq!(book.show(first, "button", "Delete"), Ref(2));
    }

    #[test]
    fn numbers_of_two_surfaces_never_collide() {
        let (mut page, mut desktop) = (Book::default(), Book::default());
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
        let mut book = Book::default();
        let a = NativeId::new(DocumentId(1), 1);
        book.show(a, "button", "Delete");
        assert_eq!(book.mention(a, || Shown::named("button", "Delete all")), Ref(1));
        assert_eq!(book.get(Ref(1)).map(|k| k.shown.name.as_str()), Some("Delete"));
    }

    #[test]
    fn a_number_is_never_reused_and_stays_with_its_element() {
        let mut book = Book::default();
        let a = NativeId::new(DocumentId(1), 1);
        let b = NativeId::new(DocumentId(1), 2);
        assert_eq!(book.show(a, "button", "Approve"), Ref(1));
        assert_eq!(book.show(b, "button", "Delete"), Ref(2));
        assert_eq!(book.show(a, "button", "Delete"), Ref(1));
        assert_eq!(book.get(Ref(1)).map(|k| k.shown.name.as_str()), Some("Delete"));
        assert_eq!(book.get(Ref(0)), None);
        assert_eq!(book.get(Ref(3)), None);
    }
}
