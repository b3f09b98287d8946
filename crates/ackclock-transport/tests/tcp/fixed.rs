//! Controllers that decide nothing: a window and a rate set from outside, and one that wants to be woken.

use std::sync::{Arc, Mutex};

use ackclock_congestion::{Ack, Congestion, CongestionControl};
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
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _event: &Congestion) {}

    fn cwnd(&self) -> f64 {
        self.0.lock().unwrap().0
    }

    fn pacing_rate(&self) -> Option<PacketRate> {
        self.0.lock().unwrap().1
    }

    fn clone_box(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

/// One packet at a time, and awake at even intervals.
#[derive(Clone, Debug)]
pub struct Wakeful {
    pub interval: Duration,
    pub next: Time,
}

impl CongestionControl for Wakeful {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _event: &Congestion) {}

    fn cwnd(&self) -> f64 {
        1.0
    }

    fn deadline(&self) -> Option<Time> {
        Some(self.next)
    }

    fn on_deadline(&mut self, now: Time) {
        self.next = now + self.interval;
    }

    fn clone_box(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}
