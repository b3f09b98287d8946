//! The growth of a congestion window that the sender does not use in full.
//!
//! Choices: growth is bounded while something else than the window holds the sender back, which is the draft's "FlightSize < cwnd".
//! The largest flight is taken when the sender stops, since a flight grows until then.

use ackclock_catalogue::{Entry, Key};
use ackclock_congestion::Window;

use super::super::settings::LimitedGrowth;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "limited-growth",
    title: "a window that is not used in full grows to twice the largest flight in slow start, and a segment above it later",
    source: "draft-ietf-ccwg-ratelimited-increase; Linux 6.x, tcp_cwnd_validate and tcp_is_cwnd_limited",
    table: "tcp",
    keys: &[Key::optional(
        "limited_growth",
        "\"linux\"",
        "how the window grows that the sender does not use in full: \"rate-limited\", \"linux\" or \"window\"",
    )],
    ..Entry::PLAIN
};

/// The flight that is outstanding when a sender stops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    /// Segments sent and not cumulatively acknowledged.
    pub segments: u32,
    /// SND.UNA and SND.NXT.
    pub una: u64,
    pub next: u64,
}

/// How much of its window a sender has used: the part that is small, and lies with the window in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    rule: LimitedGrowth,
    /// Linux' `is_cwnd_limited`.
    was_limited: bool,
}

/// The span of the latest window, which the rule of Linux alone looks at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LatestWindow {
    /// It ends when SND.UNA reaches this (`cwnd_usage_seq`).
    until: u64,
    /// SND.NXT when it was noted last: a sender that has sent nothing since says nothing new.
    noted: u64,
}

impl Usage {
    /// The usage of a new window, and the largest flight: "The sender MUST initialise the maxFS parameter to initcwnd".
    pub fn new(rule: LimitedGrowth, initial_window: f64) -> (Usage, u32) {
        let largest = if rule == LimitedGrowth::Linux { 0 } else { initial_window as u32 };
        (Usage { rule, was_limited: false }, largest)
    }

    /// The sender stops with this many segments outstanding. `largest` is the draft's `maxFS`. Returns false and does nothing if the
    /// rule looks at the latest window: then [`validate`](Self::validate) takes the stop.
    #[inline]
    pub fn note(self, largest: &mut u32, segments: u32) -> bool {
        let is_noted = self.rule != LimitedGrowth::Linux;
        if is_noted {
            *largest = (*largest).max(segments);
        }
        is_noted
    }

    /// `tcp_cwnd_validate`: the sender stops, `by_window` of this size or for another reason. `largest` is Linux' `max_packets_out`.
    pub fn validate(
        &mut self,
        largest: &mut u32,
        latest: &mut LatestWindow,
        (by_window, cwnd): (bool, f64),
        flight: Flight,
    ) {
        let Flight { segments, una, next } = flight;
        let by_window = by_window || f64::from(segments) + 1.0 > cwnd;
        if !by_window && next == latest.noted {
            return;
        }
        latest.noted = next;
        let is_more = !self.was_limited && segments > *largest;
        if una >= latest.until || by_window || is_more {
            (self.was_limited, *largest, latest.until) = (by_window, segments, next);
        }
    }

    /// "Upon a reduction of cwnd (for any reason), maxFS MUST be reset to zero."
    #[inline]
    pub fn on_reduction(self, largest: &mut u32) {
        if self.rule != LimitedGrowth::Linux {
            *largest = 0;
        }
    }

    /// The growth of a window that did not hold the sender back: if it may grow, and the largest flight that bounds its growth.
    pub fn growth(self, largest: u32, cwnd: f64, ssthresh: f64) -> (bool, f64) {
        let largest = f64::from(largest);
        match self.rule {
            LimitedGrowth::Window => (false, f64::INFINITY),
            LimitedGrowth::Linux => {
                (self.was_limited || (cwnd < ssthresh && cwnd < 2.0 * largest), f64::INFINITY)
            }
            LimitedGrowth::RateLimited => (cwnd < Window { cwnd, ssthresh }.growth_limit(largest), largest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender, as far as the growth of its window goes.
    struct Used {
        usage: Usage,
        largest: u32,
        latest: LatestWindow,
    }

    impl Used {
        fn new(rule: LimitedGrowth) -> Used {
            let (usage, largest) = Usage::new(rule, 10.0);
            Used { usage, largest, latest: LatestWindow::default() }
        }

        /// It stops with a window of this size and this many segments out.
        fn stop(&mut self, cwnd: f64, una: u64, next: u64) {
            let flight = Flight { segments: (next - una) as u32, una, next };
            if !self.usage.note(&mut self.largest, flight.segments) {
                self.usage.validate(&mut self.largest, &mut self.latest, (false, cwnd), flight);
            }
        }

        fn grows(&self, cwnd: f64, ssthresh: f64) -> bool {
            self.usage.growth(self.largest, cwnd, ssthresh).0
        }
    }

    /// Appendix A of the draft: from an initial window of 10 packets, a flight of 4 leaves room up to 20. A flight of 20 leaves room
    /// up to 40.
    #[test]
    fn growth_ends_at_twice_the_largest_flight_in_slow_start() {
        let mut used = Used::new(LimitedGrowth::RateLimited);
        used.stop(10.0, 0, 4);
        assert!(used.grows(14.0, f64::INFINITY) && !used.grows(20.0, f64::INFINITY));
        used.stop(20.0, 16, 36);
        assert!(used.grows(38.0, f64::INFINITY) && !used.grows(40.0, f64::INFINITY));
    }

    /// Section 3: "limit(maxFS)=SMSS+maxFS" in congestion avoidance. A reduction forgets the flights before it.
    #[test]
    fn growth_ends_a_packet_above_the_largest_flight_later() {
        let mut used = Used::new(LimitedGrowth::RateLimited);
        assert!(used.grows(10.5, 5.0) && !used.grows(11.0, 5.0));
        used.usage.on_reduction(&mut used.largest);
        used.stop(5.0, 0, 3);
        assert!(used.grows(3.9, 3.0) && !used.grows(5.0, 3.0));
    }

    /// `tcp_cwnd_validate`: the most segments out count until those are acknowledged that were out then, and nothing is noted of a
    /// sender that has sent nothing.
    #[test]
    fn in_linux_the_latest_window_counts() {
        let mut used = Used::new(LimitedGrowth::Linux);
        used.stop(10.0, 0, 6);
        used.stop(10.0, 4, 6);
        assert!(used.grows(11.0, f64::INFINITY) && !used.grows(12.0, f64::INFINITY));
        assert!(!used.grows(10.0, 10.0), "in congestion avoidance the window has to be used in full");
        used.stop(10.0, 6, 16);
        assert!(used.grows(10.0, 10.0), "all of it was used");
        used.stop(10.0, 16, 17);
        assert!(!used.grows(10.0, 10.0));
    }
}
