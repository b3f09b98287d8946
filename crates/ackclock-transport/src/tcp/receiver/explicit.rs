//! Explicit feedback: the receiver returns what routers granted.

use super::Receiver;

impl Receiver {
    /// Takes the change of the throughput that a packet brings. Those of packets acknowledged together add up.
    pub fn take_granted(&mut self, delta_throughput: f32) {
        self.granted = Some(self.granted.unwrap_or(0.0) + delta_throughput);
    }

    /// The feedback of the reply that is sent now, infinite for none.
    pub fn reverse_feedback(&mut self) -> f32 {
        self.granted.take().unwrap_or(f32::INFINITY)
    }
}
