//! Round-trip times of a round, and how they change from round to round.

/// The smallest and the largest round-trip time of a round, or their changes, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extremes {
    pub min: i64,
    pub max: i64,
}

impl Extremes {
    fn plus(self, other: Extremes) -> Extremes {
        Extremes { min: self.min + other.min, max: self.max + other.max }
    }

    pub fn minus(self, other: Extremes) -> Extremes {
        Extremes { min: self.min - other.min, max: self.max - other.max }
    }
}

/// The gradients of the latest round trips, and their sums. Sums replace the smoothed gradients of the paper so that the
/// rounds of a reduction can be left out.
#[derive(Clone, Debug)]
pub(super) struct Gradients {
    latest: Vec<Extremes>,
    /// The place of the oldest.
    tail: usize,
    sums: Extremes,
    is_filled: bool,
}

impl Gradients {
    /// Sums over `window` round trips.
    pub fn new(window: usize) -> Gradients {
        let latest = vec![Extremes::default(); window];
        Gradients { latest, tail: 0, sums: Extremes::default(), is_filled: false }
    }

    /// Forgets all.
    pub fn restart(&mut self) {
        *self = Gradients::new(self.latest.len());
    }

    /// Takes the changes of a round, and returns the sums.
    pub fn push(&mut self, change: Extremes) -> Extremes {
        let oldest = std::mem::replace(&mut self.latest[self.tail], change);
        self.sums = self.sums.plus(change.minus(oldest));
        self.tail = (self.tail + 1) % self.latest.len();
        self.is_filled |= self.tail == 0;
        self.sums
    }

    /// The sum that counts, in microseconds: of the smallest round-trip times if it rises, of the largest otherwise. Until as many
    /// rounds as are summed were measured, the missing ones are taken to be like these.
    pub fn gradient(&self) -> i64 {
        let Extremes { min, max } = self.sums;
        let sum = if min > 0 { min } else { max };
        if self.is_filled {
            sum
        } else {
            sum * round_trips(self.latest.len()) / round_trips(self.tail.max(1))
        }
    }
}

fn round_trips(count: usize) -> i64 {
    (count as u64).cast_signed()
}
