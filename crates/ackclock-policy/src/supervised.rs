//! A controller that answers from a thread of its own: where it does not return, its connection goes on as Reno.

use std::str::FromStr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ackclock_congestion::registry::ControllerSpec;
use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs, Start};

/// The time that an answer may take: that of the kernel's program.
const PATIENCE: Duration = Duration::from_millis(200);

/// A request to the thread.
enum Ask {
    Ack(Ack),
    Congestion(Congestion),
    Event(Event),
    Gauges,
    Copy,
}

/// An answer of the thread.
enum Told {
    Decision(Decision, f64),
    Gauges(Vec<(&'static str, f64)>),
    Copy(Box<dyn CongestionControl>),
}

/// A controller in a thread, or Reno in its place.
pub(crate) struct Supervised {
    line: Mutex<Line>,
    start: Start,
    needs: Needs,
    decision: Decision,
    ssthresh: f64,
    /// The controller from when the other one did not answer.
    reserve: Option<Box<dyn CongestionControl>>,
}

struct Line {
    asks: Sender<Ask>,
    told: Receiver<Told>,
}

impl Supervised {
    pub fn boxed(inner: Box<dyn CongestionControl>, start: &Start) -> Box<dyn CongestionControl> {
        Box::new(Supervised::of(inner, *start))
    }

    fn of(inner: Box<dyn CongestionControl>, start: Start) -> Supervised {
        let (needs, decision, ssthresh) = (inner.needs(), inner.decision(), inner.ssthresh());
        let line = Mutex::new(begin(inner));
        Supervised { line, start, needs, decision, ssthresh, reserve: None }
    }

    /// The answer; none if it does not come, or the controller has panicked.
    fn ask(&self, ask: Ask) -> Option<Told> {
        let line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        line.asks.send(ask).ok()?;
        line.told.recv_timeout(PATIENCE).ok()
    }

    fn decide(&mut self, ask: Ask, instead: impl FnOnce(&mut dyn CongestionControl) -> Decision) -> Decision {
        if self.reserve.is_none() {
            if let Some(Told::Decision(decision, ssthresh)) = self.ask(ask) {
                (self.decision, self.ssthresh) = (decision, ssthresh);
                return decision;
            }
            eprintln!("ackclock: a controller does not return; its connection goes on as Reno");
        }
        let reserve = self.reserve.get_or_insert_with(|| reno(self.start, self.decision.cwnd, self.ssthresh));
        self.decision = instead(reserve.as_mut());
        self.ssthresh = reserve.ssthresh();
        self.decision
    }
}

/// Reno, from the window in force on.
fn reno(start: Start, cwnd: f64, ssthresh: f64) -> Box<dyn CongestionControl> {
    let start = Start { initial_window: cwnd.max(1.0), initial_ssthresh: ssthresh.max(1.0), ..start };
    ControllerSpec::from_str("reno")
        .map_or_else(|_| unreachable!("Reno is registered"), |spec| spec.build(&start))
}

/// Begins the thread of a controller; it ends with the line.
fn begin(mut controller: Box<dyn CongestionControl>) -> Line {
    let (asks, asked) = channel();
    let (tells, told) = channel();
    thread::spawn(move || {
        while let Ok(ask) = asked.recv() {
            let answer = match ask {
                Ask::Ack(ack) => Told::Decision(controller.on_ack(&ack), controller.ssthresh()),
                Ask::Congestion(signal) => {
                    Told::Decision(controller.on_congestion(&signal), controller.ssthresh())
                }
                Ask::Event(event) => Told::Decision(controller.on_event(&event), controller.ssthresh()),
                Ask::Gauges => {
                    let mut gauges = Vec::new();
                    controller.observe(&mut |name, value| gauges.push((name, value)));
                    Told::Gauges(gauges)
                }
                Ask::Copy => Told::Copy(controller.clone()),
            };
            if tells.send(answer).is_err() {
                return;
            }
        }
    });
    Line { asks, told }
}

impl CongestionControl for Supervised {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn on_ack(&mut self, ack: &Ack) -> Decision {
        self.decide(Ask::Ack(*ack), |reserve| reserve.on_ack(ack))
    }

    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        self.decide(Ask::Congestion(*signal), |reserve| reserve.on_congestion(signal))
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        self.decide(Ask::Event(*event), |reserve| reserve.on_event(event))
    }

    fn decision(&self) -> Decision {
        self.decision
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        if let Some(reserve) = &self.reserve {
            return reserve.observe(gauge);
        }
        if let Some(Told::Gauges(gauges)) = self.ask(Ask::Gauges) {
            for (name, value) in gauges {
                gauge(name, value);
            }
        }
    }
}

impl Clone for Supervised {
    fn clone(&self) -> Supervised {
        let copied = match &self.reserve {
            None => self.ask(Ask::Copy),
            Some(_) => None,
        };
        if let Some(Told::Copy(controller)) = copied {
            return Supervised::of(controller, self.start);
        }
        let reserve =
            self.reserve.clone().unwrap_or_else(|| reno(self.start, self.decision.cwnd, self.ssthresh));
        let mut copy = Supervised::of(reserve.clone(), self.start);
        copy.reserve = Some(reserve);
        copy
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "windows are whole numbers here")]
#[expect(clippy::while_immutable_condition, reason = "a controller that hangs is what is tested")]
mod tests {
    use super::*;

    /// Answers `left` acknowledgments by its window, and no more.
    #[derive(Clone)]
    struct Hangs {
        left: u32,
    }

    impl CongestionControl for Hangs {
        fn needs(&self) -> Needs {
            Needs::default()
        }

        fn on_ack(&mut self, _: &Ack) -> Decision {
            while self.left == 0 {
                thread::park();
            }
            self.left -= 1;
            Decision::window(20.0)
        }

        fn on_congestion(&mut self, _: &Congestion) -> Decision {
            panic!("a mistake of its author")
        }

        fn on_event(&mut self, _: &Event) -> Decision {
            Decision::window(20.0)
        }

        fn decision(&self) -> Decision {
            Decision::window(20.0)
        }

        fn ssthresh(&self) -> f64 {
            f64::INFINITY
        }

        fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
            gauge("left", f64::from(self.left));
        }
    }

    fn supervised(left: u32) -> Box<dyn CongestionControl> {
        Supervised::boxed(Box::new(Hangs { left }), &Start::default())
    }

    fn ack() -> Ack {
        Ack { acks: 1, delivered: 1.0, advanced: true, window_limited: true, ..Ack::default() }
    }

    fn loss() -> Congestion {
        Congestion {
            now: Ack::default().now,
            signal: ackclock_congestion::Signal::Loss,
            flight: 20.0,
            restart: false,
            repeated: false,
        }
    }

    #[test]
    fn a_controller_that_hangs_is_followed_by_reno() {
        let mut controller = supervised(1);
        assert_eq!(controller.on_ack(&ack()).cwnd, 20.0);
        // Slow start: a packet more for each acknowledged one (RFC 5681, 3.1).
        assert_eq!(controller.on_ack(&ack()).cwnd, 21.0);
        // Half of what was in flight (RFC 5681, equation 4).
        assert_eq!(controller.on_congestion(&loss()).cwnd, 10.0);
        assert_eq!(controller.ssthresh(), 10.0);
        assert_eq!(controller.clone().decision().cwnd, 10.0);
    }

    #[test]
    fn so_is_one_that_panics() {
        let mut controller = supervised(1);
        assert_eq!(controller.on_congestion(&loss()).cwnd, 10.0);
    }

    #[test]
    fn one_that_answers_is_itself() {
        let mut controller = supervised(5);
        assert_eq!(controller.on_ack(&ack()).cwnd, 20.0);
        let mut left = 0.0;
        controller.clone().observe(&mut |_, value| left = value);
        assert_eq!(left, 4.0);
    }
}
