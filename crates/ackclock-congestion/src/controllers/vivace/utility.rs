//! The value of what an interval showed.

use crate::controllers::monitored::Report;

/// A utility of the rate in Mbit/s, of the gradient of the delay and of the loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Utility {
    pub exponent: f64,
    /// The prices of a delay that grows by a second per second, and of a loss.
    pub latency: f64,
    pub loss: f64,
    /// Gradients of the delay below this are noise.
    pub tolerance: f64,
}

impl Utility {
    /// The gradient of the delay, without noise.
    pub fn gradient(&self, report: &Report) -> f64 {
        if report.gradient.abs() < self.tolerance { 0.0 } else { report.gradient }
    }

    /// The utility of a report, where a packet has this many megabits.
    pub fn of(&self, report: &Report, megabits: f64) -> f64 {
        let rate = report.rate * megabits;
        let price = self.latency * self.gradient(report) + self.loss * report.loss;
        libm::pow(rate, self.exponent) - rate * price
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, at 32 Mbit/s with the exponent 4/5: 16, less 32 (900 g + 11.35 L).
    #[test]
    fn delays_and_losses_cost() {
        let utility = Utility { exponent: 0.8, latency: 900.0, loss: 11.35, tolerance: 0.01 };
        let of = |gradient, loss| {
            utility.of(&Report { rate: 3_200.0, loss, gradient, says_something: true }, 0.01)
        };
        for (gradient, loss, value) in [
            (0.0, 0.0, 16.0),
            (0.009, 0.0, 16.0),
            (-0.009, 0.0, 16.0),
            (0.02, 0.0, 16.0 - 576.0),
            (-0.02, 0.0, 16.0 + 576.0),
            (0.0, 0.1, 16.0 - 36.32),
        ] {
            assert!(
                (of(gradient, loss) - value).abs() < 1e-9,
                "{} at {gradient}, {loss}",
                of(gradient, loss)
            );
        }
    }
}
