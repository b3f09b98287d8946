//! The packets of `ProbeRTT`, whose low delivery rates are no samples of the bandwidth (`MarkConnectionAppLimited`).

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

    /// It lasts until more is delivered than is in flight now.
    pub fn extend(&mut self, delivered: f64, in_flight: f64) {
        self.until = (delivered + in_flight).max(1.0);
    }

    /// True if a packet sent after `prior_delivered` deliveries is of `ProbeRTT`.
    pub fn contains(&self, prior_delivered: f64) -> bool {
        (self.from..=self.until).contains(&prior_delivered)
    }

    /// The counts for segments of another size.
    pub fn scale(&mut self, ratio: f64) {
        self.from *= ratio;
        self.until *= ratio;
    }
}
