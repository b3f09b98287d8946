//! Congestion episodes: at most one per round trip, and no growth in a round trip with one.

/// The filter of congestion signals: at most one signal per round trip begins an episode, since a second
/// one reports the same congestion.
#[derive(Clone, Copy, Debug, Default)]
pub struct SignalFilter {
    /// After a signal, the first round trip in which a signal counts again.
    signal_from_round: u64,
}

impl SignalFilter {
    /// True if a signal in this round trip begins an episode.
    #[inline]
    pub fn admits(&self, round: u64) -> bool {
        round >= self.signal_from_round
    }

    /// An episode begins.
    #[inline]
    pub fn begin(&mut self, round: u64) {
        self.signal_from_round = round + 1;
    }

    /// A timeout ends every episode: the next signal begins another.
    pub fn time_out(&mut self) {
        self.signal_from_round = 0;
    }
}

/// The suspension of growth for the round trip in which an episode begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Suspension {
    /// After a signal, the first round trip in which the window grows.
    growth_from_round: u64,
}

impl Suspension {
    /// Begins an episode. With `restart`, slow start begins at once; otherwise the window does not grow
    /// in this round trip.
    #[inline]
    pub fn begin(&mut self, round: u64, restart: bool) {
        self.growth_from_round = if restart { 0 } else { round + 1 };
    }

    /// True if the window must not grow in this round trip.
    #[inline]
    pub fn applies(&self, round: u64) -> bool {
        round < self.growth_from_round
    }

    /// Lets the window grow at once: the latest episode was spurious, or a timeout ended it.
    pub fn end(&mut self) {
        self.growth_from_round = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_signal_begins_an_episode_in_a_round_trip() {
        let mut filter = SignalFilter::default();
        assert!(filter.admits(0));
        filter.begin(4);
        assert!(!filter.admits(4) && filter.admits(5));
        filter.time_out();
        assert!(filter.admits(4));
    }

    #[test]
    fn the_window_rests_for_the_round_trip_of_an_episode() {
        let mut suspension = Suspension::default();
        assert!(!suspension.applies(0));
        suspension.begin(4, false);
        assert!(suspension.applies(4) && !suspension.applies(5));
        suspension.end();
        assert!(!suspension.applies(4));
        suspension.begin(4, true);
        assert!(!suspension.applies(4), "a restart is slow start at once");
    }
}
