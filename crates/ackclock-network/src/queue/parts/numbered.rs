//! A list in order of arrival, indexed by arrival number.

use std::collections::VecDeque;

/// Values in order of arrival, any of which can be removed by its number. A removed value leaves
/// its place occupied until all values before it, or all behind it, have left.
#[derive(Clone, Debug)]
pub(crate) struct Numbered<T> {
    /// The values from number `first` on. The first and the last place always hold a value.
    places: VecDeque<Option<T>>,
    first: u64,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered { places: VecDeque::new(), first: 0 }
    }
}

impl<T: Clone> Numbered<T> {
    /// Appends a value. Its number must be greater than all before.
    pub(crate) fn push(&mut self, number: u64, value: T) {
        if self.places.is_empty() {
            self.first = number;
        }
        self.places.resize((number - self.first) as usize, None);
        self.places.push_back(Some(value));
    }

    /// Removes a value.
    pub(crate) fn remove(&mut self, number: u64) -> Option<T> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let value = self.places.get_mut(place)?.take();
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
        /// Against a map in order, with numbers that are left out.
        #[test]
        fn it_is_a_map_in_order(acts in prop::collection::vec((1_u64..3, 0_u64..12, 0_u8..4), 0..200)) {
            let (mut numbered, mut known, mut next) = (Numbered::default(), BTreeMap::new(), 0);
            for (step, back, act) in acts {
                if act < 2 {
                    next += step;
                    let packet = queued(next as u32, Time::ZERO, Ecn::NotCapable);
                    numbered.push(next, packet);
                    known.insert(next, packet);
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
