//! The congestion control of a receiver, if it has one.

use ackclock_units::Time;

use super::super::mechanism::rledbat::ReceiverControl;
use super::Receiver;
use crate::wire::Header;

impl Receiver {
    /// Takes the data of a segment, and tells the control of the window what has arrived.
    #[inline]
    pub(super) fn take_data(&mut self, now: Time, segment: &Header) {
        if segment.length == 0 || self.control_mut().is_none() {
            return self.on_data(now, segment);
        }
        let before = self.arrived_bytes();
        self.on_data(now, segment);
        let new = self.arrived_bytes().saturating_sub(before);
        if let Some(control) = self.control_mut() {
            control.on_data(now, segment, new);
        }
    }

    fn control_mut(&mut self) -> Option<&mut ReceiverControl> {
        self.options.as_mut()?.control.as_deref_mut()
    }
}
