//! The growth of a congestion window that the sender does not use in full.
//!
//! Choices: growth is bounded while something else than the window holds the sender back, which is the draft's "FlightSize < cwnd".
//! A flight grows until an acknowledgment arrives, which notes it.

use ackclock_catalogue::{Entry, Key};
use ackclock_congestion::Window;

pub(crate) const ENTRY: Entry = Entry {
    kind: "mechanism",
    name: "limited-growth",
    title: "a window that is not used in full grows to twice the largest flight in slow start, and a segment above it later",
    source: "draft-ietf-ccwg-ratelimited-increase; RFC 7661; Linux 6.x, tcp_cwnd_validate and tcp_is_cwnd_limited",
    table: "tcp",
    keys: &[Key::optional(
        "limited_growth",
        "\"linux\"",
        "how the window grows that the sender does not use in full: \"rate-limited\", \"rfc7661\", \"linux\" or \"window\"",
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

/// The largest flight of the draft, `maxFS`, which every acknowledgment may raise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargestFlight(u32);

impl LargestFlight {
    /// "The sender MUST initialise the maxFS parameter to initcwnd."
    pub fn new(initial_window: f64) -> LargestFlight {
        LargestFlight(initial_window as u32)
    }

    /// This many segments were outstanding.
    #[inline]
    pub fn note(&mut self, segments: u32) {
        self.0 = self.0.max(segments);
    }

    /// "Upon a reduction of cwnd (for any reason), maxFS MUST be reset to zero."
    #[inline]
    pub fn reset(&mut self) {
        self.0 = 0;
    }

    /// The growth of a window that does not hold the sender back: if it may grow, and the largest flight that bounds its growth.
    pub fn growth(self, window: Window) -> (bool, f64) {
        let largest = f64::from(self.0);
        (window.cwnd < window.growth_limit(largest), largest)
    }
}

/// The use of the latest window, which the rule of Linux looks at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LatestWindow {
    /// It was used in full (`is_cwnd_limited`).
    was_limited: bool,
    /// The most segments that were outstanding (`max_packets_out`).
    most: u32,
    /// It ends when SND.UNA reaches this (`cwnd_usage_seq`).
    until: u64,
    /// SND.NXT when it was noted last: a sender that has sent nothing since says nothing new.
    noted: u64,
}

impl LatestWindow {
    /// `tcp_cwnd_validate`: the sender stops, `by_window` of this size or for another reason.
    pub fn validate(&mut self, (by_window, cwnd): (bool, f64), flight: Flight) {
        let Flight { segments, una, next } = flight;
        let by_window = by_window || f64::from(segments) + 1.0 > cwnd;
        if !by_window && next == self.noted {
            return;
        }
        self.noted = next;
        let is_more = !self.was_limited && segments > self.most;
        if una >= self.until || by_window || is_more {
            (self.was_limited, self.most, self.until) = (by_window, segments, next);
        }
    }

    /// `tcp_is_cwnd_limited`, of a window that does not hold the sender back now.
    pub fn may_grow(self, Window { cwnd, ssthresh }: Window) -> bool {
        self.was_limited || (cwnd < ssthresh && cwnd < 2.0 * f64::from(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW_START: f64 = f64::INFINITY;

    fn may_grow(flight: LargestFlight, cwnd: f64, ssthresh: f64) -> bool {
        flight.growth(Window { cwnd, ssthresh }).0
    }

    /// Appendix A of the draft: from an initial window of 10 packets, a flight of 4 leaves room up to 20. A flight of 20 leaves room
    /// up to 40.
    #[test]
    fn growth_ends_at_twice_the_largest_flight_in_slow_start() {
        let mut flight = LargestFlight::new(10.0);
        flight.note(4);
        assert!(may_grow(flight, 14.0, SLOW_START) && !may_grow(flight, 20.0, SLOW_START));
        flight.note(20);
        assert!(may_grow(flight, 38.0, SLOW_START) && !may_grow(flight, 40.0, SLOW_START));
    }

    /// Section 3: "limit(maxFS)=SMSS+maxFS" in congestion avoidance. A reduction forgets the flights before it.
    #[test]
    fn growth_ends_a_packet_above_the_largest_flight_later() {
        let mut flight = LargestFlight::new(10.0);
        assert!(may_grow(flight, 10.5, 5.0) && !may_grow(flight, 11.0, 5.0));
        flight.reset();
        flight.note(3);
        assert!(may_grow(flight, 3.9, 3.0) && !may_grow(flight, 5.0, 3.0));
    }

    /// `tcp_cwnd_validate`: the most segments out count until those are acknowledged that were out then, and nothing is noted of a
    /// sender that has sent nothing.
    #[test]
    fn in_linux_the_latest_window_counts() {
        let mut latest = LatestWindow::default();
        let mut stop = |una: u64, next: u64| {
            latest.validate((false, 10.0), Flight { segments: (next - una) as u32, una, next });
            latest
        };
        let grows = |latest: LatestWindow, cwnd, ssthresh| latest.may_grow(Window { cwnd, ssthresh });
        assert!(grows(stop(0, 6), 11.0, SLOW_START));
        let latest = stop(4, 6);
        assert!(grows(latest, 11.0, SLOW_START) && !grows(latest, 12.0, SLOW_START));
        assert!(!grows(latest, 10.0, 10.0), "in congestion avoidance the window has to be used in full");
        assert!(grows(stop(6, 16), 10.0, 10.0), "all of it was used");
        assert!(!grows(stop(16, 17), 10.0, 10.0));
    }
}
