//! PCC Allegro (Dong and others, NSDI 2015): trials of two rates, in random order.

mod entry;

use ackclock_catalogue::Values;

pub(crate) use self::entry::ENTRY;
use super::monitored::{Learner, Monitored, Report};
use crate::facts::Start;

/// PCC Allegro.
pub type Allegro = Monitored<Trials>;

/// An interval takes this many round trips at least, a random number between the two.
const ROUNDS: (f64, f64) = (1.7, 2.2);

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> Allegro {
    let epsilon_min = values.get("epsilon_min");
    let learner = Trials {
        alpha: values.get("alpha"),
        margin: values.get("margin"),
        epsilon_min,
        epsilon_max: values.get("epsilon_max"),
        epsilon: epsilon_min,
        rate: 0.0,
        state: State::Starting { previous: None },
    };
    Monitored::new(learner, values.get("seed") as u64, start.initial_window, start.restart_window)
}

/// The rule of PCC Allegro.
///
/// What the paper leaves open, as far as its text could be had:
/// - *The start* doubles the rate when the results of an interval are in, as the authors' later code does, and so do steps of the rate
///   adjusting state.
/// - *The utility of its first rate* is the one in the second pair of trials.
/// - *Equal utilities* of a pair give no result; in other states they are no fall.
#[derive(Clone, Debug)]
pub struct Trials {
    alpha: f64,
    margin: f64,
    epsilon_min: f64,
    epsilon_max: f64,
    epsilon: f64,
    /// In packets per second.
    rate: f64,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// The rate doubles until the utility is below the previous one.
    Starting { previous: Option<f64> },
    /// Two pairs of trials.
    Deciding,
    /// The present rate is a step from another one, with its utility.
    Adjusting { direction: f64, steps: f64, from: f64, utility: f64 },
}

impl Trials {
    /// The throughput, which falls steeply in value at the tolerated loss, less what was lost.
    fn utility(&self, report: &Report) -> f64 {
        let sigmoid = 1.0 / (1.0 + libm::exp(self.alpha * (report.loss - self.margin)));
        report.rate * (1.0 - report.loss) * sigmoid - report.rate * report.loss
    }

    fn start(&mut self, previous: Option<f64>, report: &Report) {
        let utility = self.utility(report);
        if previous.is_some_and(|previous| utility < previous) {
            self.rate /= 2.0;
            self.state = State::Deciding;
        } else {
            self.rate *= 2.0;
            self.state = State::Starting { previous: Some(utility) };
        }
    }

    /// 1 if the faster trial of a pair was better, -1 if the slower one was, with the utility of the better one.
    fn compare(&self, one: &Report, other: &Report) -> (f64, f64) {
        let (fast, slow) = if one.rate > other.rate { (one, other) } else { (other, one) };
        let (of_fast, of_slow) = (self.utility(fast), self.utility(slow));
        let decides = fast.rate > slow.rate;
        if decides && of_fast > of_slow {
            (1.0, of_fast)
        } else if decides && of_fast < of_slow {
            (-1.0, of_slow)
        } else {
            (0.0, of_fast)
        }
    }

    fn decide(&mut self, pairs: [(f64, f64); 2], least: f64) {
        let [(first, _), (second, utility)] = pairs;
        if first * second > 0.0 {
            self.rate *= 1.0 + second * self.epsilon;
            self.adjust(second, 1.0, utility, least);
        } else {
            self.epsilon = (self.epsilon + self.epsilon_min).min(self.epsilon_max);
        }
    }

    /// Takes a step, unless the rate is at its floor.
    fn adjust(&mut self, direction: f64, steps: f64, utility: f64, least: f64) {
        let from = self.rate.max(least);
        self.rate = (from * (1.0 + direction * steps * self.epsilon_min)).max(least);
        self.epsilon = self.epsilon_min;
        self.state = if self.rate.to_bits() == from.to_bits() {
            State::Deciding
        } else {
            State::Adjusting { direction, steps, from, utility }
        };
    }
}

impl Learner for Trials {
    fn rate(&mut self) -> &mut f64 {
        &mut self.rate
    }

    fn plan(&mut self, bits: u64) -> Vec<f64> {
        if !matches!(self.state, State::Deciding) {
            return vec![self.rate];
        }
        let pair = |bit: u64| {
            let first = if bits >> bit & 1 == 1 { self.epsilon } else { -self.epsilon };
            [self.rate * (1.0 + first), self.rate * (1.0 - first)]
        };
        [pair(63), pair(62)].concat()
    }

    fn learn(&mut self, reports: &[Report], least: f64) {
        match (self.state, reports) {
            (State::Starting { previous }, [report]) => self.start(previous, report),
            (State::Deciding, [one, two, three, four]) => {
                self.decide([self.compare(one, two), self.compare(three, four)], least);
            }
            (State::Adjusting { direction, steps, from, utility: before }, [report]) => {
                let utility = self.utility(report);
                if utility < before {
                    self.rate = from;
                    self.state = State::Deciding;
                } else {
                    self.adjust(direction, steps + 1.0, utility, least);
                }
            }
            (_, others) => unreachable!("{} reports of a plan of one or four", others.len()),
        }
    }

    fn restart(&mut self) {
        (self.state, self.epsilon) = (State::Deciding, self.epsilon_min);
    }

    fn rounds(&self, drawn: f64) -> f64 {
        ROUNDS.0 + (ROUNDS.1 - ROUNDS.0) * drawn
    }

    fn scale(&mut self, ratio: f64) {
        self.rate *= ratio;
        match &mut self.state {
            State::Starting { previous: Some(utility) } => *utility *= ratio,
            State::Adjusting { from, utility, .. } => {
                *from *= ratio;
                *utility *= ratio;
            }
            State::Starting { previous: None } | State::Deciding => {}
        }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        let state = match self.state {
            State::Starting { .. } => 0.0,
            State::Deciding => 1.0,
            State::Adjusting { .. } => 2.0,
        };
        gauge("allegro_state", state);
        gauge("allegro_rate_packet_per_s", self.rate);
        gauge("allegro_epsilon", self.epsilon);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deciding(rate: f64) -> Trials {
        Trials {
            alpha: 100.0,
            margin: 0.05,
            epsilon_min: 0.01,
            epsilon_max: 0.05,
            epsilon: 0.01,
            rate,
            state: State::Deciding,
        }
    }

    fn report(rate: f64, loss: f64) -> Report {
        Report { rate, loss, gradient: 0.0, says_something: true }
    }

    /// By hand: at the margin the sigmoid is a half, and far below it is one but for e^-5.
    #[test]
    fn the_utility_falls_at_the_margin() {
        let trials = deciding(1.0);
        for (loss, utility) in [(0.0, 993.307), (0.05, 425.0), (0.1, -93.977), (1.0, -1_000.0)] {
            let found = trials.utility(&report(1_000.0, loss));
            assert!((found - utility).abs() < 1e-3, "{found}, not {utility}");
        }
    }

    /// Each pair has both rates, in the order of a random bit.
    #[test]
    fn trials_are_in_random_order() {
        let plan = |bits| deciding(1_000.0).plan(bits);
        assert_eq!(plan(0), [990.0, 1_010.0, 990.0, 1_010.0]);
        assert_eq!(plan(1 << 63), [1_010.0, 990.0, 990.0, 1_010.0]);
        assert_eq!(plan(1 << 62), [990.0, 1_010.0, 1_010.0, 990.0]);
    }

    /// The two pairs disagree: the difference grows by a hundredth, up to five, and the rate stays.
    #[test]
    fn without_a_result_the_difference_grows() {
        let mut trials = deciding(1_000.0);
        for percent in [1.0, 2.0, 3.0, 4.0, 5.0, 5.0] {
            let plan = trials.plan(1 << 63);
            assert!((plan[0] - 1_000.0 - 10.0 * percent).abs() < 1e-9, "{plan:?}");
            let reports: Vec<_> =
                plan.iter().zip([0.0, 0.0, 0.0, 0.5]).map(|(&rate, loss)| report(rate, loss)).collect();
            trials.learn(&reports, 1.0);
            assert!(matches!(trials.state, State::Deciding) && trials.rate.to_bits() == 1_000_f64.to_bits());
        }
    }

    /// Both pairs prefer the faster rate, 1010: steps of 1 %, 2 % and 3 % follow while the utility rises, and the last one is taken back.
    #[test]
    fn steps_grow_until_the_utility_falls() {
        let mut trials = deciding(1_000.0);
        let reports: Vec<_> = trials.plan(0).iter().map(|&rate| report(rate, 0.0)).collect();
        trials.learn(&reports, 1.0);
        let mut rate = 1_010.0;
        for (steps, loss) in [(1.0, 0.0), (2.0, 0.0), (3.0, 0.1)] {
            let before = rate;
            rate *= 1.0 + steps / 100.0;
            assert!((trials.plan(0)[0] - rate).abs() < 1e-9);
            trials.learn(&[report(rate, loss)], 1.0);
            if loss > 0.0 {
                assert!((trials.rate - before).abs() < 1e-9 && matches!(trials.state, State::Deciding));
            }
        }
    }

    /// Both pairs prefer the slower rate, of which the floor leaves nothing to go down to.
    #[test]
    fn no_step_goes_below_the_floor() {
        let mut trials = deciding(1_000.0);
        let reports = [990.0, 1_010.0, 990.0, 1_010.0].map(|rate| report(rate, (rate - 900.0) / 1_000.0));
        trials.learn(&reports, 995.0);
        assert!(matches!(trials.state, State::Deciding), "{:?}", trials.state);
    }
}
