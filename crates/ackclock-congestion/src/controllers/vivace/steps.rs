//! From gradients of the utility to changes of the rate: the confidence amplifier, and the boundary of a change.

/// Decisions in one direction up to which each adds one to the amplifier; later ones add two.
const SLOWLY: f64 = 3.0;

/// Decisions in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// Mbit/s of a first step, for a gradient of 1.
    theta: f64,
    /// The part of the rate that a first step may change, and what each step that reached its boundary adds to it.
    omega: f64,
    delta: f64,
    /// 1 up, -1 down; 0 before the first decision.
    direction: f64,
    count: f64,
    /// By how many increments the boundary is above the first one.
    widened: f64,
}

/// The amplifier of the decision of this number in one direction.
fn amplifier(count: f64) -> f64 {
    if count <= SLOWLY { count } else { 2.0 * count - SLOWLY }
}

impl Steps {
    pub fn new(theta: f64, omega: f64, delta: f64) -> Steps {
        Steps { theta, omega, delta, direction: 0.0, count: 0.0, widened: 0.0 }
    }

    pub fn restart(&mut self) {
        (self.direction, self.count, self.widened) = (0.0, 0.0, 0.0);
    }

    /// The part of the rate that the next step in the same direction may change.
    pub fn boundary(&self) -> f64 {
        self.omega + self.widened * self.delta
    }

    /// The number of decisions in one direction, negative for those down.
    pub fn signed(&self) -> f64 {
        self.direction * self.count
    }

    /// The change of a rate in Mbit/s for this gradient of the utility.
    pub fn step(&mut self, slope: f64, rate: f64) -> f64 {
        if slope * self.direction <= 0.0 {
            self.restart();
        }
        if slope.abs() <= 0.0 {
            return 0.0;
        }
        self.direction = slope.signum();
        self.count += 1.0;
        let wanted = amplifier(self.count) * self.theta * slope.abs();
        let most = self.boundary() * rate;
        if wanted > most {
            self.widened += 1.0;
            return self.direction * most;
        }
        while self.widened > 0.0 && wanted <= (self.boundary() - self.delta) * rate {
            self.widened -= 1.0;
        }
        self.direction * wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With steps of 1 Mbit/s at 1000 Mbit/s, far within the boundary: 1, 2, 3, then 5, 7, 9, and 1 again after a change of direction.
    #[test]
    fn confidence_amplifies_steps_in_one_direction() {
        let mut steps = Steps::new(1.0, 0.05, 0.1);
        let mut go = |slope: f64| steps.step(slope, 1_000.0);
        assert_eq!([1.0; 6].map(&mut go).to_vec(), [1.0, 2.0, 3.0, 5.0, 7.0, 9.0]);
        assert_eq!([-1.0, -1.0, 0.0, -1.0].map(&mut go).to_vec(), [-1.0, -2.0, 0.0, -1.0]);
    }

    /// At 100 Mbit/s steep gradients change 5 %, 15 % and 25 % of the rate. A step of 12 Mbit/s then needs the boundary of 15 % alone, and
    /// a change of direction begins at 5 % again.
    #[test]
    fn the_boundary_widens_while_steps_reach_it() {
        let mut steps = Steps::new(1.0, 0.05, 0.1);
        for (slope, change, boundary) in [
            (1e3, 5.0, 0.15),
            (1e3, 15.0, 0.25),
            (1e3, 25.0, 0.35),
            (12.0 / 5.0, 12.0, 0.15),
            (1e3, 15.0, 0.25),
            (-1e3, -5.0, 0.15),
        ] {
            let changed = steps.step(slope, 100.0);
            assert!((changed - change).abs() < 1e-9, "{changed}, not {change}");
            assert!((steps.boundary() - boundary).abs() < 1e-9, "{}, not {boundary}", steps.boundary());
        }
    }
}
