//! Controllers that decide nothing: a window and a rate set from outside, and one that wants to be woken.

use std::sync::{Arc, Mutex};

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs};
use ackclock_units::{Duration, PacketRate, Time};

#[derive(Clone, Debug)]
pub struct Fixed(Arc<Mutex<(f64, Option<PacketRate>)>>);

impl Fixed {
    pub fn window(cwnd: f64) -> Fixed {
        Fixed(Arc::new(Mutex::new((cwnd, None))))
    }

    /// With a rate in packets per second as well.
    pub fn paced(cwnd: f64, rate: f64) -> Fixed {
        let fixed = Fixed::window(cwnd);
        fixed.set_rate(rate);
        fixed
    }

    pub fn set_rate(&self, rate: f64) {
        self.0.lock().unwrap().1 = Some(PacketRate(rate));
    }
}

impl CongestionControl for Fixed {
    fn needs(&self) -> Needs {
        Needs { samples: true, pacing: true, ..Needs::default() }
    }

    fn on_ack(&mut self, _ack: &Ack) -> Decision {
        self.decision()
    }

    fn on_congestion(&mut self, _signal: &Congestion) -> Decision {
        self.decision()
    }

    fn on_event(&mut self, _event: &Event) -> Decision {
        self.decision()
    }

    fn decision(&self) -> Decision {
        let (cwnd, pacing_rate) = *self.0.lock().unwrap();
        Decision { cwnd, pacing_rate, wake: None }
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

/// One packet at a time, and awake at even intervals.
#[derive(Clone, Debug)]
pub struct Wakeful {
    pub interval: Duration,
    pub next: Time,
}

impl CongestionControl for Wakeful {
    fn needs(&self) -> Needs {
        Needs { pacing: true, ..Needs::default() }
    }

    fn on_ack(&mut self, _ack: &Ack) -> Decision {
        self.decision()
    }

    fn on_congestion(&mut self, _signal: &Congestion) -> Decision {
        self.decision()
    }

    fn on_event(&mut self, event: &Event) -> Decision {
        if let Event::Deadline { now } = event {
            self.next = *now + self.interval;
        }
        self.decision()
    }

    fn decision(&self) -> Decision {
        Decision { wake: Some(self.next), ..Decision::window(1.0) }
    }

    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}
