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

impl Window {
    /// The window for segments of another size, of at least `least` packets.
    pub(crate) fn scale(&mut self, ratio: f64, least: f64) {
        self.cwnd = (self.cwnd * ratio).max(least);
        self.ssthresh = (self.ssthresh * ratio).max(least);
    }
}
