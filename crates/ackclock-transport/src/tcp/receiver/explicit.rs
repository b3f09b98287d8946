//! Explicit feedback: the receiver returns the changes that routers granted.

use super::Receiver;

impl Receiver {
    /// Takes the change of the throughput that a packet brings. The changes of packets acknowledged
    /// together add up.
    pub fn take_granted(&mut self, delta_throughput: f32) {
        let granted = &mut self.options.get_or_insert_default().granted;
        *granted = Some(granted.unwrap_or(0.0) + delta_throughput);
    }

    /// The feedback of the reply that is sent now, infinite for none.
    pub fn reverse_feedback(&mut self) -> f32 {
        let granted = self.options.as_mut().and_then(|options| options.granted.take());
        granted.unwrap_or(f32::INFINITY)
    }
}
