//! The smallest round-trip time, and the largest without a queue. All times are in nanoseconds.

/// Jitter above the smallest round-trip time counts up to this.
const MAX_JITTER: f64 = 250e6;

#[derive(Clone, Copy, Debug)]
pub(super) struct RoundTrips {
    /// The smallest and the largest of this era.
    era: Option<(f64, f64)>,
    /// Infinite before the first era.
    running_min: f64,
    /// Zero before the first sample.
    nominal_max: f64,
}

impl Default for RoundTrips {
    fn default() -> RoundTrips {
        RoundTrips { era: None, running_min: f64::INFINITY, nominal_max: 0.0 }
    }
}

impl RoundTrips {
    pub fn nominal_max(&self) -> f64 {
        self.nominal_max
    }

    pub fn set_nominal_max(&mut self, max: f64) {
        self.nominal_max = max;
    }

    /// Takes `kept` of the largest one, for a loss.
    pub fn reduce(&mut self, kept: f64) {
        self.nominal_max *= kept;
    }

    pub fn begin_era(&mut self) {
        self.era = None;
    }

    pub fn measure(&mut self, rtt: f64) {
        let (min, max) = self.era.unwrap_or((rtt, rtt));
        self.era = Some((min.min(rtt), max.max(rtt)));
        if self.nominal_max <= 0.0 {
            self.nominal_max = rtt;
        }
    }

    /// An era ends whose packets were sent at the nominal rate or below it: its extremes are taken at once where they widen the
    /// range, and by an eighth where they narrow it.
    pub fn take_era(&mut self) {
        let Some((min, max)) = self.era else { return };
        let is_less = min < self.running_min;
        self.running_min = if is_less { min } else { (7.0 * self.running_min + min) / 8.0 };
        let max = max.min(self.running_min + MAX_JITTER);
        let is_more = max > self.nominal_max;
        self.nominal_max = if is_more { max } else { (7.0 * self.nominal_max + max) / 8.0 };
    }

    /// The smallest one is less than two fifths of the largest.
    pub fn show_jitter(&self) -> bool {
        self.running_min < self.nominal_max * 2.0 / 5.0
    }
}
