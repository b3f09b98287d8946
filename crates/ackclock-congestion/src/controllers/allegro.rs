//! PCC Allegro (Dong and others, NSDI 2015): trials of two rates, in random order.

mod entry;

use ackclock_catalogue::Values;

pub(crate) use self::entry::ENTRY;
use super::monitored::{Learner, Monitored, Next, Report};
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
/// The text of the paper, as far as it could be had, leaves open:
/// - *The utility of the first rate* of rate adjusting is the one in the second pair of trials.
/// - *Equal utilities* of a pair give no result; in other states they are no fall.
/// - *At the lowest rate* there is no step down: decisions are made.
/// - *After a timeout* the first rate without a result is tried again.
#[derive(Clone, Debug)]
pub struct Trials {
    alpha: f64,
    margin: f64,
    epsilon_min: f64,
    epsilon_max: f64,
    epsilon: f64,
    /// In packets per second; of the last interval, where intervals are continuous.
    rate: f64,
    state: State,
}

/// A rate and its utility.
type Known = (f64, f64);

#[derive(Clone, Copy, Debug)]
enum State {
    /// The rate doubles in each interval, until a utility is below the previous one.
    Starting { previous: Option<Known> },
    /// Two pairs of trials.
    Deciding,
    /// A step in each interval, until a utility is below the previous one: the steps taken, and those whose results are in.
    Adjusting { direction: f64, taken: f64, known: f64, previous: Known },
}

impl Trials {
    /// The throughput, which falls steeply in value at the tolerated loss, less what was lost.
    fn utility(&self, report: &Report) -> f64 {
        let sigmoid = 1.0 / (1.0 + libm::exp(self.alpha * (report.loss - self.margin)));
        report.rate * (1.0 - report.loss) * sigmoid - report.rate * report.loss
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
        if first * second <= 0.0 {
            self.epsilon = (self.epsilon + self.epsilon_min).min(self.epsilon_max);
            return;
        }
        self.rate = (self.rate * (1.0 + second * self.epsilon)).max(least);
        self.epsilon = self.epsilon_min;
        let previous = (self.rate, utility);
        self.state = State::Adjusting { direction: second, taken: 0.0, known: 0.0, previous };
        if self.step(least) == Next::Afresh {
            self.state = State::Deciding;
        }
    }

    /// The next step of rate adjusting, unless the rate is at its floor.
    fn step(&mut self, least: f64) -> Next {
        let State::Adjusting { direction, taken, .. } = &mut self.state else { return Next::Wait };
        *taken += 1.0;
        let rate = (self.rate * (1.0 + *direction * *taken * self.epsilon_min)).max(least);
        if rate.to_bits() == self.rate.to_bits() {
            self.state = State::Deciding;
            return Next::Afresh;
        }
        self.rate = rate;
        Next::Rate(rate)
    }

    /// Goes back to the rate before, and decides there.
    fn fall_back(&mut self, rate: f64) -> bool {
        (self.rate, self.state) = (rate, State::Deciding);
        true
    }
}

impl Learner for Trials {
    fn rate(&mut self) -> &mut f64 {
        &mut self.rate
    }

    fn is_continuous(&self) -> bool {
        !matches!(self.state, State::Deciding)
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

    fn next(&mut self, least: f64) -> Next {
        if matches!(self.state, State::Starting { .. }) {
            self.rate *= 2.0;
            return Next::Rate(self.rate);
        }
        self.step(least)
    }

    fn learn(&mut self, reports: &[Report], least: f64) -> bool {
        if let [one, two, three, four] = reports {
            self.decide([self.compare(one, two), self.compare(three, four)], least);
            return true;
        }
        let utility = self.utility(&reports[0]);
        let present = (reports[0].rate, utility);
        match &mut self.state {
            State::Starting { previous: Some((rate, before)) }
            | State::Adjusting { previous: (rate, before), .. }
                if utility < *before =>
            {
                let rate = *rate;
                return self.fall_back(rate.max(least));
            }
            State::Starting { previous } => *previous = Some(present),
            State::Adjusting { known, previous, .. } => (*known, *previous) = (*known + 1.0, present),
            State::Deciding => {}
        }
        false
    }

    fn go_back(&mut self, rate: f64) {
        self.rate = rate;
        if let State::Adjusting { taken, known, .. } = &mut self.state {
            *taken = *known + 1.0;
        }
    }

    fn restart(&mut self, _least: f64) {}

    fn rounds(&self, drawn: f64) -> f64 {
        ROUNDS.0 + (ROUNDS.1 - ROUNDS.0) * drawn
    }

    fn scale(&mut self, ratio: f64) {
        self.rate *= ratio;
        if let State::Starting { previous: Some((rate, utility)) }
        | State::Adjusting { previous: (rate, utility), .. } = &mut self.state
        {
            *rate *= ratio;
            *utility *= ratio;
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

    /// Both pairs prefer the faster rate, 1010: steps of 1 %, 2 % and 3 % follow each other. When the utility of the second has fallen,
    /// the rate is the first one's again.
    #[test]
    fn steps_grow_until_a_utility_falls() {
        let mut trials = deciding(1_000.0);
        let reports: Vec<_> = trials.plan(0).iter().map(|&rate| report(rate, 0.0)).collect();
        trials.learn(&reports, 1.0);
        let mut rates = trials.plan(0);
        for _ in 0..2 {
            let Next::Rate(rate) = trials.next(1.0) else { panic!("{:?}", trials.state) };
            rates.push(rate);
        }
        for (rate, expected) in rates.iter().zip([1_020.1, 1_040.502, 1_071.717_06]) {
            assert!((rate - expected).abs() < 1e-9, "{rate}, not {expected}");
        }
        assert!(!trials.learn(&[report(rates[0], 0.0)], 1.0));
        assert!(trials.learn(&[report(rates[1], 0.1)], 1.0));
        assert!((trials.rate - rates[0]).abs() < 1e-9 && matches!(trials.state, State::Deciding));
    }

    /// A step that said nothing is tried again, and the next one is two steps' worth again.
    #[test]
    fn a_step_that_said_nothing_is_tried_again() {
        let mut trials = deciding(1_000.0);
        let reports: Vec<_> = trials.plan(0).iter().map(|&rate| report(rate, 0.0)).collect();
        trials.learn(&reports, 1.0);
        let first = trials.plan(0)[0];
        let second = trials.next(1.0);
        trials.go_back(first);
        assert_eq!((trials.plan(0), trials.next(1.0)), (vec![first], second));
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
