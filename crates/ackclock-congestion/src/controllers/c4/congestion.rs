//! The signals of congestion, and the sensitivity to them.

/// The weight of a packet in the loss rate, and of an acknowledgment in the rate of marks.
const WEIGHT: f64 = 1.0 / 16.0;
/// The largest delay threshold, in nanoseconds.
const LARGEST_DELAY_THRESHOLD: f64 = 25e6;
/// The largest reduction of the rate: beta.
const LARGEST_REDUCTION: f64 = 0.25;

/// A signal of congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Delay,
    Ecn,
    Loss,
}

/// A signal, and `beta`, the part of the rate that it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Signal {
    pub kind: Kind,
    pub beta: f64,
}

/// From 0 for a flow of up to 50 kB/s to 1 from 10 MB/s on: flows of a higher rate back off sooner, so that rates become alike.
pub(super) fn sensitivity(bytes_per_s: f64) -> f64 {
    let between = |x: f64, (from, low): (f64, f64), (to, high): (f64, f64)| {
        low + (high - low) * ((x - from) / (to - from))
    };
    let rate = bytes_per_s.clamp(50e3, 10e6);
    if rate < 1e6 { between(rate, (50e3, 0.0), (1e6, 0.92)) } else { between(rate, (1e6, 0.92), (10e6, 1.0)) }
}

/// The rates of losses and of marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    loss: f64,
    /// `ecn_alpha`.
    marks: f64,
}

impl Rates {
    /// The signal if the loss rate exceeds its threshold after these losses, of packets sent before those delivered now.
    pub fn measure_losses(&mut self, lost: f64, delivered: f64, sensitivity: f64) -> Option<Signal> {
        if lost > 0.0 {
            self.loss = 1.0 - (1.0 - self.loss) * libm::pow(1.0 - WEIGHT, lost);
        }
        let exceeds = lost > 0.0 && self.loss > 0.02 + 0.5 * (1.0 - sensitivity);
        self.loss *= libm::pow(1.0 - WEIGHT, delivered);
        exceeds.then_some(Signal { kind: Kind::Loss, beta: LARGEST_REDUCTION })
    }

    /// The signal if the rate of marks exceeds its threshold after this acknowledgment.
    pub fn measure_marks(&mut self, marked: f64, delivered: f64, sensitivity: f64) -> Option<Signal> {
        if delivered <= 0.0 {
            return None;
        }
        let part = (marked / delivered).min(1.0);
        if part >= 0.5 {
            self.marks = part;
        } else {
            self.marks += (part - self.marks) * WEIGHT;
        }
        let threshold = (2.0 - sensitivity) * 3.0 / 32.0;
        let beta = ((self.marks - threshold) / threshold).min(LARGEST_REDUCTION);
        (self.marks > threshold).then_some(Signal { kind: Kind::Ecn, beta })
    }

    /// Forgets both rates, which belong to the nominal rate before.
    pub fn restart(&mut self) {
        *self = Rates::default();
    }
}

/// The excess of a round-trip time over the largest without a queue, all in nanoseconds.
pub(super) fn delay_signal(rtt: f64, max_rtt: f64, sensitivity: f64) -> Option<Signal> {
    let part = 1.0 / 16.0 + (1.0 - sensitivity) * 3.0 / 16.0;
    let threshold = (part * max_rtt).min(LARGEST_DELAY_THRESHOLD);
    let excess = rtt - (max_rtt + threshold);
    let beta = (excess / threshold).min(LARGEST_REDUCTION);
    (excess > 0.0).then_some(Signal { kind: Kind::Delay, beta })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
    }

    /// The corners that the draft states, the middles between them, and beyond.
    #[test]
    fn the_curve_of_sensitivity() {
        for (rate, expected) in
            [(0.0, 0.0), (50e3, 0.0), (525e3, 0.46), (1e6, 0.92), (5.5e6, 0.96), (10e6, 1.0), (1e9, 1.0)]
        {
            near(sensitivity(rate), expected);
        }
    }

    /// A sixteenth of the round-trip time for the highest rates, a quarter for the lowest, 25 ms at most.
    #[test]
    fn the_excess_of_a_delay_over_its_threshold_reduces() {
        for (max_ms, sensitive, threshold_ms) in [(160.0, 1.0, 10.0), (80.0, 0.0, 20.0), (400.0, 0.0, 25.0)] {
            let beta = |over_ms: f64| {
                delay_signal(1e6 * (max_ms + over_ms), 1e6 * max_ms, sensitive)
                    .map_or(0.0, |found| found.beta)
            };
            near(beta(threshold_ms), 0.0);
            near(beta(1.1 * threshold_ms), 0.1);
            near(beta(2.0 * threshold_ms), 0.25);
        }
    }

    /// Thresholds of 2 % and 52 %: one lost packet is a sixteenth, 11 are 50.8 % and 12 are 53.9 %.
    #[test]
    fn losses_count_by_the_packet() {
        for (sensitive, lost, is_signal) in [(1.0, 1.0, true), (0.0, 11.0, false), (0.0, 12.0, true)] {
            let signal = Rates::default().measure_losses(lost, 0.0, sensitive);
            assert_eq!(signal.is_some(), is_signal);
            near(signal.map_or(0.25, |found| found.beta), 0.25);
        }
        // A packet in sixteen for long: 6.2 % after the loss, and 2.4 % sixteen packets later.
        let mut rates = Rates::default();
        let signals = |rates: &mut Rates| rates.measure_losses(1.0, 15.0, 0.9).is_some();
        assert!(!signals(&mut rates));
        assert!((0..9).any(|_| signals(&mut rates)));
    }

    /// Thresholds of 3/32 and 6/32. A part of a half or more counts at once, a smaller one by a sixteenth.
    #[test]
    fn marks_count_by_the_acknowledgment() {
        let after = |marked: f64, sensitive: f64| Rates::default().measure_marks(marked, 100.0, sensitive);
        assert_eq!(after(49.0, 1.0), None);
        assert_eq!(after(50.0, 0.0), Some(Signal { kind: Kind::Ecn, beta: 0.25 }));
        let mut rates = Rates::default();
        // 10 % of marks, of which 9.4 % are reached after 1 - (15/16)^n = 0.9375: n = 43.
        let first = (1..100).find(|_| rates.measure_marks(10.0, 100.0, 1.0).is_some());
        assert_eq!(first, Some(43));
    }
}
