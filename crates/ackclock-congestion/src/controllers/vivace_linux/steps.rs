//! From gradients of the utility to changes of the rate.

/// Bytes per second of a step, for an amplifier of 1 and a gradient of 1.
const STEP: f64 = 25_000.0;
/// The first amplifier.
const LEAST_AMPLIFIER: f64 = 2.0;
/// Steps that wait for the amplifier after changes of direction at most.
const MOST_SWINGS: f64 = 2.0;
/// The part of the rate that a step may change, and what each step that is cut to it adds.
const BOUNDARY: f64 = 0.1;
const BOUNDARY_STEP: f64 = 0.07;
/// Rates closer together, as a part of the present one, have no gradient.
const LEAST_APART: f64 = 0.02;
/// The part of the rate that a step changes at least.
const LEAST_STEP: f64 = 1.1 * LEAST_APART;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    pub amplifier: f64,
    pub boundary: f64,
    /// Steps before the amplifier grows again.
    swings: f64,
}

impl Steps {
    pub fn new() -> Steps {
        Steps { amplifier: LEAST_AMPLIFIER, boundary: BOUNDARY, swings: 0.0 }
    }

    /// The next change of the rate, for rates in bytes per second and their utilities, now and before.
    pub fn step(&mut self, (rate, utility): (f64, f64), (rate_before, utility_before): (f64, f64)) -> f64 {
        let apart = rate_before - rate;
        let is_near = apart.abs() < LEAST_APART * rate;
        let slope = if is_near { 0.0 } else { (utility_before - utility) / apart };
        if (slope > 0.0) != (rate > rate_before) {
            self.swings = (self.swings + 1.0).min(MOST_SWINGS);
            (self.amplifier, self.boundary) = (LEAST_AMPLIFIER, BOUNDARY);
        } else if self.swings > 0.0 {
            self.swings -= 1.0;
        } else {
            self.amplifier += 1.0;
        }
        let size = self.bound(slope.abs() * STEP * self.amplifier, rate).max(LEAST_STEP * rate);
        if slope < 0.0 { -size } else { size }
    }

    fn bound(&mut self, size: f64, rate: f64) -> f64 {
        let most = self.boundary * rate;
        if size > most {
            self.boundary += BOUNDARY_STEP;
            return most;
        }
        self.boundary = BOUNDARY;
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of 1 MB/s upward, of a gradient of 1: amplifiers of 3, 4, 5 give steps of 75, 100 and 125 kB/s.
    #[test]
    fn the_amplifier_grows_in_one_direction() {
        let mut steps = Steps::new();
        for (size, amplifier) in [(75e3, 3.0), (100e3, 4.0), (125e3, 5.0)] {
            let found = steps.step((10e6, 10e6), (9e6, 9e6));
            // 2.2 % of 10 MB/s are more: 220 kB/s.
            assert!((found - 220e3).abs() < 1e-3 && size < found, "{found}");
            assert!((steps.amplifier - amplifier).abs() < 1e-9, "{steps:?}");
        }
        // Down: the amplifier begins again, and waits for one more step.
        assert!(steps.step((10e6, 9e6), (9e6, 10e6)) < 0.0);
        assert!((steps.amplifier - 2.0).abs() < 1e-9);
        steps.step((10e6, 10e6), (9e6, 9e6));
        assert!((steps.amplifier - 2.0).abs() < 1e-9);
        steps.step((10e6, 10e6), (9e6, 9e6));
        assert!((steps.amplifier - 3.0).abs() < 1e-9);
    }

    /// A gradient of 20 at 10 MB/s: 25 kB/s times 3 is 1.5 MB/s, of which 10 % of the rate is allowed; 25 kB/s times 4 is 2 MB/s, and 17 % is;
    /// then 24 %. Steps within the boundary begin at 10 % again: 25 kB/s times 6, for a gradient of 5, is 750 kB/s.
    #[test]
    fn the_boundary_widens_while_steps_reach_it() {
        let mut steps = Steps::new();
        for (slope, size) in [(20.0, 1e6), (20.0, 1.7e6), (20.0, 2.4e6), (5.0, 750e3), (20.0, 1e6)] {
            let found = steps.step((10e6, slope * 1e6), (9e6, 0.0));
            assert!((found - size).abs() < 1e-3, "{found}, not {size}");
        }
    }

    /// Rates that are 1.9 % apart have no gradient: the least step, upward.
    #[test]
    fn without_a_gradient_the_rate_rises() {
        let found = Steps::new().step((10e6, 0.0), (9.81e6, 1e9));
        assert!((found - 220e3).abs() < 1e-3, "{found}");
    }
}
