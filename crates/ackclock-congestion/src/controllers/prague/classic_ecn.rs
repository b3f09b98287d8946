//! The detection of queues that mark as classic ECN does (RFC 3168), by the variation and the depth of the delay.
//!
//! After B. Briscoe and A. S. Ahmed, *TCP Prague Fall-back on Detection of a Classic ECN AQM* (arXiv:1911.00710), with
//! the constants of the authors' module for Linux. Its fixed-point numbers are real ones here.

use ackclock_units::Duration;

/// The deviation of the delay at which the score stays as it is, in microseconds: V0.
const REFERENCE_DEVIATION: f64 = 750.0;
/// The depth of the queue above which the score rises, in microseconds: D0.
const REFERENCE_DEPTH: f64 = 2_000.0;
/// The weights of both: V and D.
const WEIGHT: f64 = 0.5;
/// Up to this score the queue counts as one of L4S: `L_STICKY`.
const PURE_L4S: f64 = 8.0;
/// From this score on it counts as a classic one: `CLASSIC_ECN`.
const PURE_CLASSIC: f64 = PURE_L4S + 1.0;
/// The largest score: `C_STICKY`.
const LARGEST: f64 = PURE_CLASSIC + PURE_L4S;
/// The marked part that a classic queue stands for: a mark takes half of it.
const CLASSIC_PART: f64 = 0.625;
/// The longest average of round-trip times has 2^18 samples.
const LARGEST_SHIFT: u32 = 18;

/// The score of the queue, and the averages of round-trip times from which it comes.
#[derive(Clone, Debug)]
pub(super) struct ClassicEcn {
    /// In microseconds; none before the first sample.
    average: Option<f64>,
    /// The mean deviation from the average, in microseconds.
    deviation: f64,
    /// The average has the gain 2^-shift, the deviation half of that.
    shift: u32,
    score: f64,
}

impl ClassicEcn {
    pub fn new() -> ClassicEcn {
        ClassicEcn { average: None, deviation: 1.0, shift: LARGEST_SHIFT, score: 0.0 }
    }

    pub fn score(&self) -> f64 {
        self.score
    }

    /// Takes a round-trip time into the averages.
    pub fn sample(&mut self, rtt: Duration) {
        let micros = rtt.as_nanos() as f64 / 1e3;
        let Some(average) = &mut self.average else {
            self.average = Some(micros);
            return;
        };
        let (error, gain) = (micros - *average, 1.0 / f64::from(1_u32 << self.shift));
        *average += gain * error;
        self.deviation += gain / 2.0 * (error.abs() - self.deviation);
    }

    /// A congestion signal at this slow-start threshold: the averages are as long as several cycles of such a window.
    pub fn on_signal(&mut self, ssthresh: f64) {
        let octave = (ssthresh.clamp(1.0, f64::from(1_u32 << LARGEST_SHIFT)) as u32).ilog2();
        self.shift = (octave + octave / 2 + 1).min(LARGEST_SHIFT);
    }

    /// Updates the score, once per update of the marked part.
    pub fn judge(&mut self, min_rtt: Duration) {
        let Some(average) = self.average else { return };
        let depth = average - min_rtt.as_nanos() as f64 / 1e3;
        let variation = libm::log2(self.deviation.max(1.0) / REFERENCE_DEVIATION);
        // A deep queue is a sign of a classic one; a shallow one is no sign of L4S.
        let standing = libm::log2((depth / REFERENCE_DEPTH).max(1.0));
        self.score = (self.score + WEIGHT * variation + WEIGHT * standing).clamp(0.0, LARGEST);
    }

    /// The part of which a mark takes half, where this part `alpha` is marked.
    pub fn answered(&self, alpha: f64) -> f64 {
        let classic = (self.score.min(PURE_CLASSIC) - PURE_L4S).max(0.0);
        alpha.max(CLASSIC_PART * classic)
    }
}
