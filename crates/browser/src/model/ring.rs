//! A list that keeps the last so many of what was put in, each under a number that is never reused.

use std::collections::VecDeque;

/// The last so many.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    items: VecDeque<T>,
    most: usize,
    /// Number of the first that is kept.
    first: u64,
}

impl<T> Ring<T> {
    pub(crate) fn new(most: usize) -> Self {
        Self { items: VecDeque::new(), most, first: 0 }
    }

    /// The one that goes when the next is added.
    pub(crate) fn going(&self) -> Option<&T> {
        self.items.front().filter(|_| self.items.len() == self.most)
    }

    /// Every one, oldest first.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.items.iter_mut()
    }

    /// Adds one; its number.
    pub(crate) fn push(&mut self, item: T) -> u64 {
        if self.items.len() == self.most {
            self.items.pop_front();
            self.first += 1;
        }
        self.items.push_back(item);
        self.next() - 1
    }

    /// Number of the oldest that is kept.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// Number that the next will have.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.items.len() as u64
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.items.get(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.items.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// Those from a number on, oldest first.
    pub(crate) fn since(&self, number: u64) -> impl Iterator<Item = (u64, &T)> {
        let skip = usize::try_from(number.saturating_sub(self.first)).unwrap_or(usize::MAX);
        (self.first..).zip(&self.items).skip(skip)
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    #[test]
    fn the_oldest_are_forgotten_and_numbers_stay() {
        let mut ring = Ring::new(3);
        let numbers: Vec<u64> = (10..15).map(|n| ring.push(n)).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!((ring.first(), ring.next()), (2, 5));
        assert_eq!((ring.get(1), ring.get(2), ring.get(4), ring.get(5)), (None, Some(&12), Some(&14), None));
        let since = |n| ring.since(n).map(|(n, v)| (n, *v)).collect::<Vec<_>>();
        assert_eq!(since(0), [(2, 12), (3, 13), (4, 14)]);
        assert_eq!(since(4), [(4, 14)]);
        assert_eq!(since(9), []);
    }
}
