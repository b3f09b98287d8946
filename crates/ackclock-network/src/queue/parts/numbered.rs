//! A list in order of arrival, indexed by number.

use std::collections::VecDeque;

/// Values in order of arrival, any of which can be removed by its number. One that was removed keeps its place until those before
/// it, or those behind it, have left, or the list is made [dense](Self::make_dense).
#[derive(Clone, Debug)]
pub(crate) struct Numbered<T> {
    /// The values from number `first` on. The first and the last place always hold a value.
    places: VecDeque<Option<T>>,
    first: u64,
    /// The values.
    count: usize,
}

/// As many places without a value cost little.
const FEW: usize = 64;

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { places: VecDeque::new(), first: 0, count: 0 }
    }
}

impl<T: Clone> Numbered<T> {
    /// Appends a value: its number, one above the greatest.
    pub(crate) fn push(&mut self, value: T) -> u64 {
        self.places.push_back(Some(value));
        self.count += 1;
        self.first + self.places.len() as u64 - 1
    }

    /// True if most of many places have no value.
    pub(crate) fn is_sparse(&self) -> bool {
        self.places.len() > 2 * self.count + FEW
    }

    /// Numbers the values anew, from zero: their numbers before, in order.
    pub(crate) fn make_dense(&mut self) -> Vec<u64> {
        let places = std::mem::take(&mut self.places);
        let (numbers, values) =
            (self.first..).zip(places).filter_map(|(number, value)| Some((number, Some(value?)))).unzip();
        (self.first, self.places) = (0, values);
        numbers
    }

    /// A value that has not been removed, to change.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.places.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)?.as_mut()
    }

    /// The places of values, of those present and of those removed.
    #[cfg(test)]
    pub(crate) fn places(&self) -> usize {
        self.places.len()
    }

    /// Removes a value.
    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let value = self.places.get_mut(place)?.take();
        self.count -= usize::from(value.is_some());
        while let Some(None) = self.places.front() {
            self.places.pop_front();
            self.first += 1;
        }
        while let Some(None) = self.places.back() {
            self.places.pop_back();
        }
        value
    }

    /// The value with this number, unless it was removed.
    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        self.places.get(usize::try_from(number.checked_sub(self.first)?).ok()?)?.as_ref()
    }

    /// The number of the oldest value.
    pub(crate) fn first(&self) -> Option<u64> {
        (!self.places.is_empty()).then_some(self.first)
    }

    /// The number of the latest value.
    pub(crate) fn last(&self) -> Option<u64> {
        Some(self.first + (self.places.len() as u64).checked_sub(1)?)
    }

    /// The values with their numbers.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &T)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(place, value)| Some((self.first + place as u64, value.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ackclock_units::Time;
    use proptest::prelude::*;

    use super::*;
    use crate::Ecn;
    use crate::queue::testing::queued;

    proptest! {
        /// Against a map in order, which is numbered anew sometimes.
        #[test]
        fn it_is_a_map_in_order(acts in prop::collection::vec((0_u32..9, 0_u64..12, 0_u8..5), 0..200)) {
            let (mut numbered, mut known, mut next) = (Numbered::default(), BTreeMap::new(), 0);
            for (slot, back, act) in acts {
                if act < 2 {
                    let packet = queued(slot, Time::ZERO, Ecn::NotCapable);
                    next = numbered.push(packet);
                    prop_assert_eq!(known.insert(next, packet), None);
                } else if act == 4 {
                    let numbers = numbered.make_dense();
                    prop_assert!(numbers.iter().eq(known.keys()));
                    known = (0..).zip(std::mem::take(&mut known).into_values()).collect();
                    prop_assert_eq!(numbered.places(), known.len());
                } else {
                    let number = if act == 2 { u64::saturating_sub(next, back) } else { known.keys().next().copied().unwrap_or(0) };
                    prop_assert_eq!(numbered.remove(number), known.remove(&number));
                }
                prop_assert_eq!(numbered.first(), known.keys().next().copied());
                prop_assert_eq!(numbered.last(), known.keys().next_back().copied());
                prop_assert!(numbered.iter().eq(known.iter().map(|(number, packet)| (*number, packet))));
            }
        }
    }
}
