//! The window of a window-based controller.

/// The two numbers of window-based congestion control (RFC 5681, 2), in packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The congestion window.
    pub cwnd: f64,
    /// The slow-start threshold: slow start below it, avoidance from it on (RFC 5681, 3.1). Infinite until
    /// something is known.
    pub ssthresh: f64,
}

/// The reduction of a window in a congestion episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// The window before.
    pub before: Window,
    /// The part of the packets in use that the avoidance keeps: Reno's half, CUBIC's 0.7.
    pub share: f64,
}

impl Window {
    /// The bound of growth of a window that is not used in full and whose largest flight was this
    /// (draft-ietf-ccwg-ratelimited-increase, 3): what slow start or avoidance would make of the acknowledgments of that flight.
    #[inline]
    pub fn growth_limit(&self, largest_flight: f64) -> f64 {
        if self.cwnd < self.ssthresh { 2.0 * largest_flight } else { largest_flight + 1.0 }
    }

    /// A window that was not validated (RFC 7661, 4.4) falls to `most` packets, and begins avoidance at `ssthresh`; both are
    /// `least` at least.
    pub(crate) fn limit(&mut self, (most, ssthresh): (f64, f64), least: f64) {
        self.cwnd = self.cwnd.min(most.max(least));
        self.ssthresh = ssthresh.max(least);
    }

    /// The window for segments of another size, of at least `least` packets.
    pub(crate) fn scale(&mut self, ratio: f64, least: f64) {
        self.cwnd = (self.cwnd * ratio).max(least);
        self.ssthresh = (self.ssthresh * ratio).max(least);
    }
}
