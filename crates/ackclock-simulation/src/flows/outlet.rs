//! Where a flow's packets and deadlines go.

use ackclock_network::{Ecn, EventList, Fate, Packet, RouteCursor};
use ackclock_transport::{Extension, Payload};
use ackclock_units::Time;

use super::End;
use crate::event::Event;
use crate::host::HostProcessing;
use crate::parcel::Carrier;
use crate::trace::Recorder;

/// An endpoint's timer in the event list. It is lazy: a deadline that moves later costs nothing, the event that fires
/// too early is set anew then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wake {
    /// When the earliest event for this timer is due; [`Time::MAX`] for none.
    pending: Time,
}

impl Wake {
    pub const NONE: Wake = Wake { pending: Time::MAX };

    /// Whether an event must be scheduled so that `deadline` is not missed.
    #[inline]
    pub fn needs(&mut self, deadline: Time) -> bool {
        let earlier = deadline < self.pending;
        if earlier {
            self.pending = deadline;
        }
        earlier
    }

    /// An event fires; false if a later one replaced it.
    pub fn fires(&mut self, now: Time) -> bool {
        let current = self.pending == now;
        if current {
            self.pending = Time::MAX;
        }
        current
    }
}

/// What an end of a flow sends by.
pub(crate) struct Outlet<'a> {
    pub network: &'a mut Carrier,
    pub events: &'a mut EventList,
    pub recorder: &'a mut Recorder,
    pub processing: &'a mut HostProcessing,
    pub now: Time,
    pub flow: u32,
    /// Which of the flow's connections sends.
    pub incarnation: u8,
    /// Set by the sender when all data of a transfer is acknowledged, or no connection came about.
    pub closed: bool,
}

impl Outlet<'_> {
    #[expect(clippy::inline_always, reason = "a call would copy every packet once more")]
    #[inline(always)]
    pub fn send(&mut self, route: RouteCursor, size: u32, data: bool, payload: Payload) {
        let ecn = if payload.is_ecn_capable() { Ecn::Capable0 } else { Ecn::NotCapable };
        let Outlet { flow, incarnation, .. } = *self;
        // Made anew for each who wants it: one that somebody might keep a reference to would be made in memory first, and
        // copied from there into its slot.
        let packet = || Packet { flow, incarnation, route, size, data, ecn, payload };
        if self.processing.matter && self.processing.hold(self.now, &packet(), self.events) {
            return;
        }
        if let Fate::Dropped { link, reason } = self.network.send(self.now, &packet(), self.events) {
            self.recorder.drop_packet(self.now, link, reason, &packet());
        }
    }

    /// Sends a packet with an extension, as receivers do. No processor holds it.
    pub fn send_extended(
        &mut self,
        route: RouteCursor,
        size: u32,
        data: bool,
        payload: Payload,
        extension: &Extension,
    ) {
        let Outlet { flow, incarnation, now, .. } = *self;
        let packet = Packet { flow, incarnation, route, size, data, ecn: Ecn::NotCapable, payload };
        if let Fate::Dropped { link, reason } = self.network.send_with(now, &packet, extension, self.events) {
            self.recorder.drop_packet(now, link, reason, &packet);
        }
    }

    /// Makes sure that an endpoint's next deadline is in the event list.
    #[inline]
    pub fn wake(&mut self, end: End, wake: &mut Wake, deadline: Time) {
        if wake.needs(deadline) {
            Event::Timer { flow: self.flow, end }.schedule(deadline, self.events);
        }
    }
}
