//! The context of a flow's endpoints: the network that takes their packets, and the event list of their timers.

use ackclock_network::{Ecn, Fate, Packet, RouteCursor};
use ackclock_transport::{Extension, Payload};
use ackclock_units::Time;

use crate::engine::Engine;
use crate::engine::event::Event;
use crate::facts::End;

/// The most packets that one event sends. The rest of a longer burst follows in another event of the same time, so that
/// the work of an event does not depend on the window. Realistic windows are smaller, so other packets of the same time
/// rarely come in between.
pub(crate) const MOST_AT_ONCE: u32 = 1 << 14;

/// Up to this many packets belong to the work of their event.
const FEW_AT_ONCE: u32 = 16;

/// The steps of a walk that take as long as sending a packet.
pub(crate) const STEPS_PER_PACKET: u32 = 32;

/// An endpoint's timer in the event list. It is lazy: moving the deadline later costs nothing, and an event that fires
/// too early is scheduled again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LazyTimer {
    /// The time of the earliest event for this timer; [`Time::MAX`] for none.
    pending: Time,
}

impl LazyTimer {
    pub const NONE: LazyTimer = LazyTimer { pending: Time::MAX };

    /// True if an event must be scheduled so that `deadline` is not missed.
    #[inline]
    pub fn needs(&mut self, deadline: Time) -> bool {
        let earlier = deadline < self.pending;
        if earlier {
            self.pending = deadline;
        }
        earlier
    }

    /// Handles an event that fires. Returns false if the event is not the timer's.
    #[inline]
    pub fn fires(&mut self, now: Time) -> bool {
        let current = self.pending == now;
        if current {
            self.pending = Time::MAX;
        }
        current
    }
}

/// The timer of a sender that may be paced: paced departures come before a deadline that remains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacedTimer {
    earliest: LazyTimer,
    /// The time of a later event that is kept for reuse when an earlier one is scheduled, such as the retransmission
    /// timer's during a paced departure; [`Time::MAX`] for none.
    later: Time,
}

impl PacedTimer {
    pub const NONE: PacedTimer = PacedTimer { earliest: LazyTimer::NONE, later: Time::MAX };

    /// True if an event must be scheduled so that `deadline` is not missed. If `returns`, a later pending event
    /// remains the timer's after the earlier one.
    #[inline]
    pub fn needs(&mut self, deadline: Time, returns: bool) -> bool {
        let before = self.earliest.pending;
        let earlier = self.earliest.needs(deadline);
        if earlier {
            self.later = if returns { before } else { Time::MAX };
        }
        earlier
    }

    /// Handles an event that fires. Returns false if the event is not the timer's.
    #[inline]
    pub fn fires(&mut self, now: Time) -> bool {
        let current = self.earliest.fires(now);
        if current {
            self.earliest.pending = std::mem::replace(&mut self.later, Time::MAX);
        }
        current
    }
}

/// The parts of the simulation that a flow's endpoint can use during one call.
pub(crate) struct FlowContext<'a> {
    pub engine: &'a mut Engine,
    pub flow: u32,
    /// The number of the flow's present connection.
    pub incarnation: u8,
    /// Set by the sender when all data of a transfer is acknowledged, or when no connection was established. A sender
    /// of datagrams sets it when [`poll_update`](super::endpoints::Endpoints::poll_update) may have news for its
    /// application, and a server when it has sent all that was written to it.
    pub closed: bool,
}

impl FlowContext<'_> {
    /// Simulated time.
    #[inline]
    pub fn now(&self) -> Time {
        self.engine.now
    }

    /// Charges the work of an event that sends `packets` packets at once.
    #[inline]
    pub fn charge_burst(&mut self, packets: u32) {
        if packets > FEW_AT_ONCE {
            self.charge(packets * STEPS_PER_PACKET);
        }
    }

    /// Charges the work of an event with the steps of long walks.
    #[inline]
    pub fn charge(&mut self, steps: u32) {
        if steps > 0 {
            self.engine.steps += u64::from(steps);
        }
    }

    /// Sends a packet without an extension.
    #[expect(clippy::inline_always, reason = "a call would copy every packet once more")]
    #[inline(always)]
    pub fn send(&mut self, route: RouteCursor, size: u32, data: bool, ecn: Ecn, payload: Payload) {
        let FlowContext { flow, incarnation, .. } = *self;
        // Made again for each use. If a callee could keep a reference to the packet, it would be built in memory first
        // and copied from there into its slot.
        let packet = || Packet { flow, incarnation, route, size, data, ecn, payload };
        if self.engine.processing.matter && self.is_taken(&packet(), None) {
            return;
        }
        let Engine { network, events, now, .. } = self.engine;
        if let Fate::Dropped { link, reason } = network.send(*now, &packet(), events) {
            self.engine.note_refusal(link, reason);
        }
    }

    /// True if the sender's processor holds the packet and sends it later, or if it is sent now, with the time.
    #[cold]
    #[inline(never)]
    fn is_taken(&mut self, packet: &Packet<Payload>, extension: Option<&Extension>) -> bool {
        let Engine { network, processing, recorder, events, now, .. } = self.engine;
        let is_timed = recorder.delays.are_recorded()
            && packet.data
            && extension.is_none()
            && matches!(packet.payload, Payload::Tcp(_));
        let sent_at = is_timed.then_some(Extension::SentAt(*now));
        if processing.hold(*now, packet, sent_at.as_ref().or(extension), events) {
            return true;
        }
        recorder.qlogs.on_sent(*now, packet);
        let Some(sent_at) = sent_at else { return false };
        if let Fate::Dropped { link, reason } = network.send_with(*now, packet, &sent_at, events) {
            self.engine.note_refusal(link, reason);
        }
        true
    }

    /// A packet that was sent at `sent` arrives.
    #[cold]
    pub fn note_delay(&mut self, sent: Time) {
        let Engine { recorder, now, .. } = self.engine;
        recorder.delays.note(self.flow, sent, *now);
    }

    /// Sends a packet with an extension, as either end may.
    #[inline(never)]
    pub fn send_with(
        &mut self,
        route: RouteCursor,
        (size, data): (u32, bool),
        ecn: Ecn,
        payload: Payload,
        extension: &Extension,
    ) {
        let FlowContext { flow, incarnation, .. } = *self;
        let packet = Packet { flow, incarnation, route, size, data, ecn, payload };
        if self.engine.processing.matter && self.is_taken(&packet, Some(extension)) {
            return;
        }
        let Engine { network, events, now, .. } = self.engine;
        if let Fate::Dropped { link, reason } = network.send_with(*now, &packet, extension, events) {
            self.engine.note_refusal(link, reason);
        }
    }

    /// Sends a packet with an extension and without data, as receivers of one-way data do. No processor holds it.
    #[expect(clippy::inline_always, reason = "as for `send`")]
    #[inline(always)]
    pub fn send_reply(
        &mut self,
        route: RouteCursor,
        size: u32,
        ecn: Ecn,
        payload: Payload,
        extension: &Extension,
    ) {
        let FlowContext { flow, incarnation, .. } = *self;
        let packet = Packet { flow, incarnation, route, size, data: false, ecn, payload };
        let Engine { network, events, now, .. } = self.engine;
        if let Fate::Dropped { link, reason } = network.send_with(*now, &packet, extension, events) {
            self.engine.note_refusal(link, reason);
        }
    }

    /// Makes sure that an endpoint's next deadline is in the event list.
    #[inline]
    pub fn wake(&mut self, end: End, timer: &mut LazyTimer, deadline: Time) {
        if timer.needs(deadline) {
            self.schedule(end, deadline);
        }
    }

    /// Makes sure that a sender's next deadline is in the event list. If `returns`, a later pending event is kept for
    /// afterwards.
    #[inline]
    pub fn wake_sender(&mut self, timer: &mut PacedTimer, deadline: Time, returns: bool) {
        if timer.needs(deadline, returns) {
            self.schedule(End::Sender, deadline);
        }
    }

    /// Has the senders of other flows look at the session's news at once.
    #[cold]
    pub fn tell(&mut self, flows: &[u32]) {
        let now = self.now();
        for flow in flows {
            Event::Timer { flow: *flow, end: End::Sender }.schedule(now, &mut self.engine.events);
        }
    }

    #[inline(never)]
    fn schedule(&mut self, end: End, deadline: Time) {
        Event::Timer { flow: self.flow, end }.schedule(deadline, &mut self.engine.events);
    }
}
