//! PCC Vivace (Dong and others, NSDI 2018): gradient ascent on a utility of rate, delay and loss.

mod entry;
mod steps;
mod utility;

use ackclock_catalogue::Values;

pub(crate) use self::entry::ENTRY;
use self::steps::Steps;
use self::utility::Utility;
use super::monitored::{Learner, Monitored, Next, Report};
use crate::facts::Start;

/// PCC Vivace.
pub type Vivace = Monitored<Gradient>;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values, start: &Start) -> Vivace {
    let learner = Gradient {
        utility: Utility {
            exponent: values.get("exponent"),
            latency: values.get("latency"),
            loss: values.get("loss"),
            tolerance: values.get("tolerance"),
        },
        epsilon: values.get("epsilon"),
        steps: Steps::new(values.get("theta"), values.get("omega"), values.get("delta")),
        megabits: values.get("packet_size") * 8e-6,
        rate: 0.0,
        state: State::Starting { previous: None },
        suspect: None,
    };
    Monitored::new(learner, values.get("seed") as u64, start.initial_window, start.restart_window)
}

/// The rule of PCC Vivace.
///
/// The text of the paper, as far as it could be had, leaves open:
/// - *The start* doubles the rate when the results of an interval are in, and halves it when the utility fell, as the authors' code does.
/// - *A pair* is tried in random order, as there, and the rate between the two while its results are awaited.
/// - *An abnormal pair* would raise the rate, and its faster half lost less or had the smaller gradient of the delay. It is tried once more,
///   and the means of the utilities of both count.
/// - *A utility gradient of zero* moves nothing, and ends a direction.
/// - *The timeout of an interval*, which halves the rate, is the transport's. It ends the start, and no direction.
#[derive(Clone, Debug)]
pub struct Gradient {
    utility: Utility,
    epsilon: f64,
    steps: Steps,
    /// Of a packet.
    megabits: f64,
    /// In packets per second.
    rate: f64,
    state: State,
    /// The utility gradient of an abnormal pair that is tried again.
    suspect: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// The rate doubles until the utility is below the previous one.
    Starting {
        previous: Option<f64>,
    },
    Learning,
}

impl Gradient {
    fn start(&mut self, previous: Option<f64>, report: &Report, least: f64) {
        let utility = self.utility.of(report, self.megabits);
        if previous.is_some_and(|previous| utility < previous) {
            self.rate = (self.rate / 2.0).max(least);
            self.state = State::Learning;
        } else {
            self.rate *= 2.0;
            self.state = State::Starting { previous: Some(utility) };
        }
    }

    fn learn_pair(&mut self, one: &Report, other: &Report, least: f64) {
        let (fast, slow) = if one.rate > other.rate { (one, other) } else { (other, one) };
        let apart = (fast.rate - slow.rate) * self.megabits;
        let rise = self.utility.of(fast, self.megabits) - self.utility.of(slow, self.megabits);
        let slope = if apart > 0.0 { rise / apart } else { 0.0 };
        let is_abnormal = slope > 0.0
            && (fast.loss < slow.loss || self.utility.gradient(fast) < self.utility.gradient(slow));
        let slope = match self.suspect.take() {
            Some(before) => f64::midpoint(before, slope),
            None if is_abnormal => {
                self.suspect = Some(slope);
                return;
            }
            None => slope,
        };
        let step = self.steps.step(slope, self.rate * self.megabits) / self.megabits;
        self.rate = (self.rate + step).max(least);
    }
}

impl Learner for Gradient {
    fn rate(&mut self) -> &mut f64 {
        &mut self.rate
    }

    fn plan(&mut self, bits: u64) -> Vec<f64> {
        if self.state != State::Learning {
            return vec![self.rate];
        }
        let first = if bits >> 63 == 1 { self.epsilon } else { -self.epsilon };
        vec![self.rate * (1.0 + first), self.rate * (1.0 - first)]
    }

    fn is_continuous(&self) -> bool {
        false
    }

    fn next(&mut self, _least: f64) -> Next {
        Next::Wait
    }

    fn learn(&mut self, reports: &[Report], least: f64) -> bool {
        match (self.state, reports) {
            (State::Starting { previous }, [report]) => self.start(previous, report, least),
            (State::Learning, [one, other]) => self.learn_pair(one, other, least),
            (_, others) => unreachable!("{} reports of a plan of one or two", others.len()),
        }
        true
    }

    fn go_back(&mut self, _rate: f64) {}

    fn restart(&mut self, least: f64) {
        self.rate = (self.rate / 2.0).max(least);
        self.state = State::Learning;
        self.suspect = None;
    }

    fn rounds(&self, _drawn: f64) -> f64 {
        1.0
    }

    fn scale(&mut self, ratio: f64) {
        self.rate *= ratio;
        self.megabits /= ratio;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("vivace_is_starting", f64::from(u8::from(self.state != State::Learning)));
        gauge("vivace_rate_packet_per_s", self.rate);
        gauge("vivace_steps", self.steps.signed());
        gauge("vivace_boundary", self.steps.boundary());
    }
}
