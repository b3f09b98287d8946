//! Packets by the number of their arrival.

use std::collections::VecDeque;

use crate::packet::queued_packet::QueuedPacket;

/// Packets in order of arrival, any of which can be removed by its number. A packet that was removed keeps its place until those before
/// it, or those behind it, have left.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbered {
    /// The packets from `first` on; the first and the last place hold one.
    places: VecDeque<Option<QueuedPacket>>,
    first: u64,
}

impl Numbered {
    /// Appends a packet with a number greater than all before.
    pub(super) fn push(&mut self, number: u64, packet: QueuedPacket) {
        if self.places.is_empty() {
            self.first = number;
        }
        self.places.resize((number - self.first) as usize, None);
        self.places.push_back(Some(packet));
    }

    /// Removes a packet.
    pub(super) fn remove(&mut self, number: u64) -> Option<QueuedPacket> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let packet = self.places.get_mut(place)?.take();
        while let Some(None) = self.places.front() {
            self.places.pop_front();
            self.first += 1;
        }
        while let Some(None) = self.places.back() {
            self.places.pop_back();
        }
        packet
    }

    /// The number of the oldest packet.
    pub(super) fn first(&self) -> Option<u64> {
        (!self.places.is_empty()).then_some(self.first)
    }

    /// The number of the latest packet.
    pub(super) fn last(&self) -> Option<u64> {
        Some(self.first + (self.places.len() as u64).checked_sub(1)?)
    }

    /// The packets with their numbers.
    #[cfg(test)]
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &QueuedPacket)> {
        let places = self.places.iter().enumerate();
        places.filter_map(|(place, packet)| Some((self.first + place as u64, packet.as_ref()?)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ackclock_units::Time;
    use proptest::prelude::*;

    use super::super::testing::queued;
    use super::*;
    use crate::Ecn;

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
