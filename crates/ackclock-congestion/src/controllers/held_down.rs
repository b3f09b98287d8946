//! The packets of `ProbeRTT`, whose low delivery rates are no samples of the bandwidth (`MarkConnectionAppLimited`).

/// Samples of packets sent after this many deliveries, and before this many.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeldDown {
    from: f64,
    until: f64,
}

impl HeldDown {
    /// `ProbeRTT` begins after this many deliveries.
    pub fn begin(&mut self, delivered: f64) {
        self.from = delivered;
    }

    /// It lasts until all that is in flight now is delivered.
    pub fn extend(&mut self, delivered: f64, in_flight: f64) {
        self.until = (delivered + in_flight).max(1.0);
    }

    /// True if a packet sent after `prior_delivered` deliveries is of `ProbeRTT`.
    pub fn contains(&self, prior_delivered: f64) -> bool {
        (self.from..self.until).contains(&prior_delivered)
    }

    /// The counts for segments of another size.
    pub fn scale(&mut self, ratio: f64) {
        self.from *= ratio;
        self.until *= ratio;
    }
}
