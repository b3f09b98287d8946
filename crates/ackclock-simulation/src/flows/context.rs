//! The context of a flow's endpoints: the network that takes their packets, and the event list of their timers.

use ackclock_network::{Ecn, Fate, Packet, RouteCursor};
use ackclock_transport::{Extension, Payload};
use ackclock_units::Time;

use super::end::End;
use crate::engine::Engine;
use crate::event::Event;

/// An endpoint's timer in the event list. It is lazy: a deadline that moves later costs nothing, the event that fires
/// too early is set anew then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LazyTimer {
    /// The time of the earliest event for this timer; [`Time::MAX`] for none.
    pending: Time,
    /// The time of an event that an earlier one came before and that is the timer's again once that has fired, as that of the
    /// retransmission timer after a paced departure; [`Time::MAX`] for none.
    later: Time,
}

impl LazyTimer {
    pub const NONE: LazyTimer = LazyTimer { pending: Time::MAX, later: Time::MAX };

    /// Reports whether an event must be scheduled so that `deadline` is not missed. An event that it comes before is the
    /// timer's again afterwards if `returns`.
    #[inline]
    pub fn needs(&mut self, deadline: Time, returns: bool) -> bool {
        let earlier = deadline < self.pending;
        if earlier {
            let later = if returns { self.pending } else { Time::MAX };
            *self = LazyTimer { pending: deadline, later };
        }
        earlier
    }

    /// An event fires; false if it is none of the timer's.
    #[inline]
    pub fn fires(&mut self, now: Time) -> bool {
        let current = self.pending == now;
        if current {
            *self = LazyTimer { pending: self.later, later: Time::MAX };
        }
        current
    }
}

/// The surroundings of a flow's endpoint, for one call.
pub(crate) struct FlowContext<'a> {
    pub engine: &'a mut Engine,
    pub flow: u32,
    /// Which of the flow's connections sends.
    pub incarnation: u8,
    /// Set by the sender when all data of a transfer is acknowledged, or no connection came about.
    pub closed: bool,
}

impl FlowContext<'_> {
    /// Simulated time.
    #[inline]
    pub fn now(&self) -> Time {
        self.engine.now
    }

    /// Sends a packet without an extension. `ect` is the codepoint of the flow's ECN-capable packets.
    #[expect(clippy::inline_always, reason = "a call would copy every packet once more")]
    #[inline(always)]
    pub fn send(&mut self, route: RouteCursor, size: u32, data: bool, ect: Ecn, payload: Payload) {
        let ecn = if payload.is_ecn_capable() { ect } else { Ecn::NotCapable };
        let FlowContext { flow, incarnation, .. } = *self;
        // Made anew for each use: one that a callee could keep a reference to would be made in memory first, and copied
        // from there into its slot.
        let packet = || Packet { flow, incarnation, route, size, data, ecn, payload };
        if self.engine.processing.matter && self.is_held(&packet(), None) {
            return;
        }
        let Engine { network, events, now, .. } = self.engine;
        if let Fate::Dropped { link, reason } = network.send(*now, &packet(), events) {
            self.engine.note_drop(link, reason, &packet());
        }
    }

    /// Whether the sender's processor takes the packet, to send it later.
    #[cold]
    #[inline(never)]
    fn is_held(&mut self, packet: &Packet<Payload>, extension: Option<&Extension>) -> bool {
        let Engine { processing, events, now, .. } = self.engine;
        processing.hold(*now, packet, extension, events)
    }

    /// Sends a packet of a flow with explicit feedback, all of which have an extension.
    #[inline(never)]
    pub fn send_explicit(
        &mut self,
        route: RouteCursor,
        (size, data): (u32, bool),
        ect: Ecn,
        payload: Payload,
        extension: &Extension,
    ) {
        let FlowContext { flow, incarnation, .. } = *self;
        let ecn = if payload.is_ecn_capable() { ect } else { Ecn::NotCapable };
        let packet = Packet { flow, incarnation, route, size, data, ecn, payload };
        if self.engine.processing.matter && self.is_held(&packet, Some(extension)) {
            return;
        }
        let Engine { network, events, now, .. } = self.engine;
        if let Fate::Dropped { link, reason } = network.send_with(*now, &packet, extension, events) {
            self.engine.note_drop(link, reason, &packet);
        }
    }

    /// Sends a packet with an extension, as receivers do. No processor holds it.
    #[expect(clippy::inline_always, reason = "as for `send`")]
    #[inline(always)]
    pub fn send_extended(
        &mut self,
        route: RouteCursor,
        size: u32,
        data: bool,
        payload: Payload,
        extension: &Extension,
    ) {
        let FlowContext { flow, incarnation, .. } = *self;
        let packet = Packet { flow, incarnation, route, size, data, ecn: Ecn::NotCapable, payload };
        let Engine { network, events, now, .. } = self.engine;
        if let Fate::Dropped { link, reason } = network.send_with(*now, &packet, extension, events) {
            self.engine.note_drop(link, reason, &packet);
        }
    }

    /// Makes sure that an endpoint's next deadline is in the event list.
    #[inline]
    pub fn wake(&mut self, end: End, wake: &mut LazyTimer, deadline: Time) {
        self.wake_before(end, wake, deadline, false);
    }

    /// As [`wake`](Self::wake), with an event that the deadline comes before kept for afterwards if it `returns`.
    #[inline]
    pub fn wake_before(&mut self, end: End, wake: &mut LazyTimer, deadline: Time, returns: bool) {
        if wake.needs(deadline, returns) {
            Event::Timer { flow: self.flow, end }.schedule(deadline, &mut self.engine.events);
        }
    }

    /// Lets an endpoint go on sending in another event of the same time.
    #[cold]
    #[inline(never)]
    pub fn go_on(&mut self, end: End, wake: &mut LazyTimer) {
        self.wake(end, wake, self.now());
    }
}
