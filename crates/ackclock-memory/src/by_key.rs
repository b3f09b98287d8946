//! Maps in the order of their keys, all on one tree.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use ackclock_units::Time;

/// A key as two numbers in the same order.
pub trait Numbers: Copy {
    /// The numbers, of which the first decides the order.
    fn numbers(self) -> (u64, u64);
    /// The key of these numbers.
    fn of(numbers: (u64, u64)) -> Self;
}

impl Numbers for u32 {
    fn numbers(self) -> (u64, u64) {
        (0, u64::from(self))
    }
    fn of((_, number): (u64, u64)) -> u32 {
        number as u32
    }
}

impl Numbers for u64 {
    fn numbers(self) -> (u64, u64) {
        (0, self)
    }
    fn of((_, number): (u64, u64)) -> u64 {
        number
    }
}

impl Numbers for usize {
    fn numbers(self) -> (u64, u64) {
        (0, self as u64)
    }
    fn of((_, number): (u64, u64)) -> usize {
        number as usize
    }
}

impl Numbers for Time {
    fn numbers(self) -> (u64, u64) {
        (0, self.as_nanos())
    }
    fn of((_, number): (u64, u64)) -> Time {
        Time::from_nanos(number)
    }
}

/// Two keys of one number each.
impl<A: Numbers, B: Numbers> Numbers for (A, B) {
    fn numbers(self) -> (u64, u64) {
        (self.0.numbers().1, self.1.numbers().1)
    }
    fn of((one, other): (u64, u64)) -> (A, B) {
        (A::of((0, one)), B::of((0, other)))
    }
}

/// A map in the order of its keys, like a [`BTreeMap`]. Its tree holds only the places of values, so the trees of all
/// value types are one type, whose large code is compiled once.
#[derive(Clone)]
pub struct ByKey<K, V> {
    places: BTreeMap<(u64, u64), u32>,
    values: Vec<Option<V>>,
    /// Places without a value.
    free: Vec<u32>,
    keys: PhantomData<K>,
}

impl<K, V> Default for ByKey<K, V> {
    fn default() -> ByKey<K, V> {
        ByKey { places: BTreeMap::new(), values: Vec::new(), free: Vec::new(), keys: PhantomData }
    }
}

impl<K: Numbers, V> ByKey<K, V> {
    /// An empty map.
    pub fn new() -> ByKey<K, V> {
        ByKey::default()
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// True if the key has a value.
    pub fn contains(&self, key: K) -> bool {
        self.places.contains_key(&key.numbers())
    }

    /// The value of a key.
    pub fn get(&self, key: K) -> Option<&V> {
        self.values[*self.places.get(&key.numbers())? as usize].as_ref()
    }

    /// The value of a key, to change.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.values[*self.places.get(&key.numbers())? as usize].as_mut()
    }

    /// The value of a key, made now if there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = self.place(key);
        self.values[place as usize].get_or_insert_with(make)
    }

    /// The index of a key's value in `values`, allocated now if the key has none.
    fn place(&mut self, key: K) -> u32 {
        let next = self.free.last().copied().unwrap_or(self.values.len() as u32);
        let place = *self.places.entry(key.numbers()).or_insert(next);
        if place == next && self.free.pop().is_none() {
            self.values.push(None);
        }
        place
    }

    /// The value at an index returned by [`place_of`](Self::place_of), until its key is removed.
    pub fn at(&self, place: u32) -> Option<&V> {
        self.values.get(place as usize)?.as_ref()
    }

    /// As [`at`](Self::at), to change.
    pub fn at_mut(&mut self, place: u32) -> Option<&mut V> {
        self.values.get_mut(place as usize)?.as_mut()
    }

    /// Sets the value of a key. Returns the previous value, if there was one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        if let Some(held) = self.get_mut(key) {
            return Some(std::mem::replace(held, value));
        }
        self.get_or_insert_with(key, || value);
        None
    }

    /// Removes a key. Returns its value.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let place = self.places.remove(&key.numbers())?;
        self.free.push(place);
        self.values[place as usize].take()
    }

    /// The keys with their values, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.places
            .iter()
            .filter_map(|(key, place)| Some((K::of(*key), self.values[*place as usize].as_ref()?)))
    }

    /// The first key with its value.
    pub fn first(&self) -> Option<(K, &V)> {
        self.iter().next()
    }

    /// The last key with its value.
    pub fn last(&self) -> Option<(K, &V)> {
        self.iter().next_back()
    }

    /// Keeps the keys with values for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(K, &V) -> bool) {
        let gone: Vec<K> =
            self.iter().filter(|(key, value)| !keep(*key, value)).map(|(key, _)| key).collect();
        for key in gone {
            self.remove(key);
        }
    }
}

impl<K: Numbers, V: Default> ByKey<K, V> {
    /// The index of a key's value, the default if there is none yet. [`at`](Self::at) reads the value by it without a search.
    pub fn place_of(&mut self, key: K) -> u32 {
        let place = self.place(key);
        self.values[place as usize].get_or_insert_default();
        place
    }

    /// The value of a key, the default if there is none yet.
    pub fn entry(&mut self, key: K) -> &mut V {
        self.get_or_insert_with(key, V::default)
    }
}

impl<K: Numbers + fmt::Debug, V: fmt::Debug> fmt::Debug for ByKey<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against the standard library's map, with keys of two numbers that repeat.
        #[test]
        fn it_is_a_map_in_order(acts in prop::collection::vec((0_u32..5, 0_u32..4, 0_u8..6), 0..200)) {
            let (mut map, mut known) = (ByKey::new(), BTreeMap::new());
            for (number, (one, other, act)) in acts.into_iter().enumerate() {
                let key = (u64::from(one), other);
                match act {
                    0 | 1 => prop_assert_eq!(map.insert(key, number), known.insert(key, number)),
                    2 => prop_assert_eq!(map.remove(key), known.remove(&key)),
                    3 => {
                        *map.entry(key) += number;
                        *known.entry(key).or_default() += number;
                    }
                    4 => {
                        map.retain(|key, value| key.1 != other || value % 2 == 0);
                        known.retain(|key, value| key.1 != other || *value % 2 == 0);
                    }
                    _ => prop_assert_eq!(map.get(key), known.get(&key)),
                }
                prop_assert!(map.iter().eq(known.iter().map(|(key, value)| (*key, value))));
                prop_assert_eq!((map.len(), map.last().map(|(key, _)| key)), (known.len(), known.keys().last().copied()));
            }
        }
    }
}
