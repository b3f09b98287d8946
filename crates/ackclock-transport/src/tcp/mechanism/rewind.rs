//! Rings of which few elements are in use.

use std::collections::VecDeque;

/// Restarts an empty ring at the beginning of its memory. A ring walks through all of its capacity:
/// with one element in use, each new one would lie in memory that has not been touched for long.
#[inline]
pub(crate) fn rewind<T: Copy>(ring: &mut VecDeque<T>) {
    if ring.is_empty() {
        ring.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_element_at_a_time_stays_in_its_place() {
        let mut ring = VecDeque::with_capacity(8);
        let mut places = (0..20).map(|n| {
            ring.push_back(n);
            let place = std::ptr::from_ref(&ring[0]);
            ring.pop_front();
            rewind(&mut ring);
            place
        });
        let first = places.next();
        assert!(places.all(|place| Some(place) == first));
    }
}
