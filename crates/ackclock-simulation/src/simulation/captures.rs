//! Packets that are captured without an event of their own, or out of order.

use ackclock_network::{LinkId, Passed};

use super::Simulation;
use crate::engine::Engine;

impl Simulation {
    /// Records the packets that have gone on from a captured link direction without an event. To be called once in each connection of a
    /// flow: packets have only the last bits of its number.
    #[cold]
    pub(crate) fn capture_passed(&mut self) {
        let Engine { network, recorder, .. } = &mut self.engine;
        for Passed { time, link, packet, extension, .. } in network.take_passed() {
            recorder.capture(time, link, (packet, extension));
        }
    }

    #[cold]
    pub(super) fn capture_out_of_order(&mut self, target: LinkId) {
        if let Some((link, packet, extension)) =
            self.engine.network.out_of_order_head(target, self.engine.now)
            && self.engine.recorder.captures(link)
        {
            self.engine.recorder.capture(self.engine.now, link, (packet, extension));
        }
    }
}
