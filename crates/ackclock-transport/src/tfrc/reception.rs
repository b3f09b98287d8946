//! Missing packets, and the time from which they count as lost (RFC 5348, 5.1 and 5.2).

use ackclock_units::{Duration, Time};

/// Consecutive packets that have not arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// The first missing one.
    pub start: u64,
    /// The number after the last missing packet.
    pub end: u64,
    /// The last packet before the gap, and its arrival.
    before: (u64, Time),
    /// The first arrived packet after the gap, and its arrival.
    after: (u64, Time),
    /// The number of packets from behind the gap that arrived.
    above: u32,
}

impl Gap {
    /// The nominal arrival of a missing packet, interpolated between the arrivals around the gap (5.2).
    pub fn nominal_arrival(&self, sequence: u64) -> Time {
        let share = (sequence - self.before.0) as f64 / (self.after.0 - self.before.0) as f64;
        self.before.1 + Duration::from_secs_f64(self.after.1.since(self.before.1).as_secs_f64() * share)
    }
}

/// The arrivals from which losses are found.
#[derive(Clone, Debug)]
pub(super) struct Reception {
    /// The highest number so far, and its arrival.
    highest: Option<(u64, Time)>,
    /// The packets missing and not lost yet, in order.
    gaps: Vec<Gap>,
    /// The number of packets from behind a gap that turn it into a loss.
    threshold: u32,
}

impl Reception {
    pub fn new(threshold: u32) -> Reception {
        Reception { highest: None, gaps: Vec::new(), threshold }
    }

    /// The highest number so far.
    pub fn highest(&self) -> u64 {
        self.highest.map_or(0, |(sequence, _)| sequence)
    }

    /// Takes an arrival. Returns false if the packet had arrived before, or was given up.
    pub fn arrive(&mut self, now: Time, sequence: u64) -> bool {
        let is_first = self.highest.is_none();
        let (highest, at) = *self.highest.get_or_insert((sequence, now));
        if sequence > highest {
            if sequence > highest + 1 {
                let (before, after) = ((highest, at), (sequence, now));
                self.gaps.push(Gap { start: highest + 1, end: sequence, before, after, above: 0 });
            }
            self.highest = Some((sequence, now));
        } else if !is_first && !self.fill(sequence) {
            return false;
        }
        for gap in self.gaps.iter_mut().filter(|gap| gap.end <= sequence) {
            gap.above += 1;
        }
        true
    }

    /// The oldest gap that has become a loss; below `lost_below` every gap is one.
    pub fn next_loss(&mut self, lost_below: u64) -> Option<Gap> {
        let is_lost = |gap: &&Gap| gap.above >= self.threshold || gap.start < lost_below;
        let gap = *self.gaps.first().filter(is_lost)?;
        self.gaps.remove(0);
        Some(gap)
    }

    /// Removes a late packet from its gap. Returns false if no gap contains it.
    fn fill(&mut self, sequence: u64) -> bool {
        let Some(at) = self.gaps.iter().position(|gap| (gap.start..gap.end).contains(&sequence)) else {
            return false;
        };
        let gap = self.gaps.remove(at);
        let parts = [Gap { end: sequence, ..gap }, Gap { start: sequence + 1, ..gap }];
        let left = parts.into_iter().filter(|part| part.start < part.end);
        self.gaps.splice(at..at, left);
        true
    }
}
