//! The packets sent in `ProbeRTT`, whose low delivery rates do not measure the bandwidth
//! (`MarkConnectionAppLimited`).

/// The packets sent after `from` and up to `until` deliveries; none before the first `ProbeRTT`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldDown {
    from: f64,
    until: f64,
}

impl Default for HeldDown {
    fn default() -> HeldDown {
        HeldDown { from: f64::INFINITY, until: 0.0 }
    }
}

impl HeldDown {
    /// `ProbeRTT` begins after this many deliveries.
    pub fn begin(&mut self, delivered: f64) {
        self.from = delivered;
    }

    /// Extends `ProbeRTT` until the packets in flight now have been delivered.
    pub fn extend(&mut self, delivered: f64, in_flight: f64) {
        self.until = (delivered + in_flight).max(1.0);
    }

    /// True if a packet sent after `prior_delivered` deliveries was sent in `ProbeRTT`.
    pub fn contains(&self, prior_delivered: f64) -> bool {
        (self.from..=self.until).contains(&prior_delivered)
    }

    /// The counts for segments of another size.
    pub fn scale(&mut self, ratio: f64) {
        self.from *= ratio;
        self.until *= ratio;
    }
}
