//! A link direction's part in cut-through and in ingress buffers.

use ackclock_units::{Duration, LinkRate, Time};

use super::busy_periods::BusyPeriods;
use super::hop_by_hop::ServedBefore;
use super::ingress_buffer::{IngressBuffer, PendingArrival};
use super::{Forwards, Link};
use crate::Occupancy;

impl Link {
    /// Allows cut-through: all packets come from one other link direction.
    pub(crate) fn set_cut_through(&mut self) {
        self.cut_through = true;
    }

    #[inline]
    pub(crate) fn is_cut_through(&self) -> bool {
        self.cut_through
    }

    /// Records that the next link direction of some packets has cut-through or an ingress buffer.
    pub(crate) fn set_forwards_early(&mut self) {
        self.forwards = Forwards::Early;
    }

    /// Notes packets that go on early. All take the general path of admission, so that the usual one need not look.
    pub(crate) fn note_early(&mut self) {
        self.forwards = Forwards::Noted;
        self.drop_tail_only = false;
    }

    #[inline]
    pub(crate) fn forwards_early(&self) -> bool {
        self.forwards != Forwards::ByEvents
    }

    #[inline]
    pub(crate) fn notes_early(&self) -> bool {
        self.forwards == Forwards::Noted
    }

    /// Collects arriving packets in an ingress buffer, which admits each within `slack` of its arrival.
    pub(crate) fn set_ingress_buffer(&mut self, slack: Duration) {
        self.has_ingress_buffer = true;
        self.cold.ingress.set_slack(slack);
    }

    #[inline]
    pub(crate) fn has_ingress_buffer(&self) -> bool {
        self.has_ingress_buffer
    }

    #[inline]
    pub(crate) fn ingress(&mut self) -> &mut IngressBuffer {
        &mut self.cold.ingress
    }

    /// The packets in the ingress buffer.
    pub(crate) fn pending(&self) -> impl Iterator<Item = PendingArrival> {
        self.cold.ingress.pending()
    }

    /// Adds a packet to the ingress buffer. Returns the time at which to schedule an event that admits it, if none is
    /// scheduled early enough.
    #[inline]
    pub(crate) fn buffer_ingress(&mut self, packet: PendingArrival) -> Option<Time> {
        self.cold.ingress.push(packet)
    }

    /// True if no packet from `upstream` ever waits here: each departs before the next arrives, and no packets come
    /// from elsewhere. Only rates in packets allow this decision.
    pub(crate) fn keeps_up_with(&self, upstream: &Link) -> bool {
        let interval = |link: &Link| match link.cold.rate {
            LinkRate::Packets(rate) => Some(rate.interval()),
            LinkRate::Bits(_) => None,
        };
        let faster = interval(self).zip(interval(upstream)).is_some_and(|(own, other)| own <= other);
        self.cut_through && faster
    }

    /// Lets a packet cut through that will arrive at `arrival` from the upstream link direction, and returns its
    /// departure. None if the packet would have to wait, if a packet before it comes hop by hop, or if cut-through is
    /// not `allowed`; then the packet comes hop by hop too.
    #[inline]
    pub(crate) fn serve_cut_through(&mut self, arrival: Time, size: u32, allowed: bool) -> Option<Time> {
        if self.hop_by_hop.any_coming() || self.period.end > arrival || !allowed {
            self.hop_by_hop.add();
            return None;
        }
        if !self.hop_by_hop.is_none() {
            self.remember_those_served();
        }
        Some(self.serve_at_once(arrival, size))
    }

    /// Records the arrival of a packet that came hop by hop.
    #[inline]
    pub(crate) fn on_hop_by_hop_arrival(&mut self) {
        self.hop_by_hop.on_arrival(self.cut_through);
    }

    /// Keeps the busy periods of packets that came hop by hop, before the busy period of a packet that cuts through
    /// replaces them.
    #[inline(never)]
    fn remember_those_served(&mut self) {
        self.hop_by_hop.on_cut_through();
        let packets = self.admitted_since();
        let periods = std::mem::replace(&mut self.cold.periods, BusyPeriods::new());
        let before = if self.mixed_sizes { periods } else { BusyPeriods::new() };
        self.cold.served_before_cut_through =
            ServedBefore { period: self.period, packets, size: self.size, before };
    }

    /// The queue now: the packets that have arrived and wait.
    pub(crate) fn queue(&mut self, now: Time) -> Occupancy {
        if let Some(path) = self.path_mut() {
            return path.transmitter.waiting(now);
        }
        if self.cut_through && !self.hop_by_hop.served_last() {
            return self.cold.served_before_cut_through.waiting(now);
        }
        self.occupancy(now)
    }
}
