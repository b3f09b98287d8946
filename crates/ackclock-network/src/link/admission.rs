//! Admission to a link direction: the buffer, active queue management, marks and losses.

use ackclock_units::{Duration, Time};

use super::Link;
use super::busy_periods::buffer_time;
use super::offer::Offer;
use crate::packet::attributes::PacketAttributes;
use crate::packet::header::flow_of;
use crate::queue::arriving::Arriving;
use crate::{BufferSize, DropReason, Ecn, Occupancy};

impl Link {
    pub(crate) fn set_buffer(&mut self, buffer: BufferSize) {
        self.cold.buffer = buffer;
        self.buffer_time = buffer_time(buffer, self.size, self.period.transmission);
    }

    /// Admits a packet of this size if the buffer has space; counts it as dropped if not.
    #[inline]
    fn admits(&mut self, now: Time, size: u32) -> bool {
        let wait = self.wait(now);
        wait.is_zero() || self.admits_after(wait, now, size)
    }

    /// [`Link::admits`] for a transmitter that is busy for the time of a `wait`.
    #[inline]
    pub(crate) fn admits_after(&mut self, wait: Duration, now: Time, size: u32) -> bool {
        if size != self.size || self.mixed_sizes {
            return self.admits_among_sizes(now, size);
        }
        if wait > self.buffer_time {
            self.cold.dropped_queue += 1;
            return false;
        }
        self.longest_wait = self.longest_wait.max(wait);
        true
    }

    /// [`Link::admits`] for a queue in which packets of several sizes wait.
    #[inline(never)]
    fn admits_among_sizes(&mut self, now: Time, size: u32) -> bool {
        let waiting = self.occupancy(now);
        if !self.cold.buffer.admits(size, waiting) {
            self.cold.dropped_queue += 1;
            return false;
        }
        self.max_waiting = self.max_waiting.max(waiting.packets + 1);
        true
    }

    /// Admits a packet to a link direction that may lose or mark it. Returns whether it will be lost, and whether the
    /// queue marks it.
    ///
    /// # Errors
    /// The reason for which the packet is dropped.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        offer: &Offer,
        attributes: &PacketAttributes,
    ) -> Result<(bool, bool), DropReason> {
        self.admit_where::<false>(offer, attributes)
    }

    /// [`Link::admit`] for a link direction on which something varies.
    ///
    /// # Errors
    /// As [`Link::admit`].
    #[inline(never)]
    pub(crate) fn admit_on_path(
        &mut self,
        offer: &Offer,
        attributes: &PacketAttributes,
    ) -> Result<(bool, bool), DropReason> {
        self.admit_where::<true>(offer, attributes)
    }

    #[expect(clippy::inline_always, reason = "one copy for links that do not vary, within their only caller")]
    #[inline(always)]
    fn admit_where<const VARIES: bool>(
        &mut self,
        offer: &Offer,
        attributes: &PacketAttributes,
    ) -> Result<(bool, bool), DropReason> {
        let marked_early = self.apply_aqm::<VARIES>(offer, attributes.ecn);
        let Offer { now, size, .. } = *offer;
        let fits = |link: &mut Link| {
            if VARIES { link.path_admits(now, size) } else { link.admits(now, size) }
        };
        let admitted = marked_early.is_some() && fits(self);
        let process = self.cold.loss.as_mut();
        let lost =
            process.is_some_and(|process| process.loses(now, attributes.flow, attributes.data, admitted));
        let Some(marked_early) = marked_early else {
            self.cold.dropped_queue += 1;
            self.cold.dropped_early += 1;
            return Err(DropReason::Early);
        };
        if !admitted {
            return Err(DropReason::Queue);
        }
        let threshold = self.cold.ecn_threshold.filter(|_| attributes.ecn != Ecn::NotCapable);
        let marked = marked_early
            || threshold.is_some_and(|threshold| self.waiting::<VARIES>(now).packets > threshold);
        self.cold.marked += u64::from(marked);
        Ok((lost, marked))
    }

    /// Applies active queue management to an arriving packet: true if it is marked, none if it is dropped.
    #[expect(clippy::inline_always, reason = "as its caller")]
    #[inline(always)]
    fn apply_aqm<const VARIES: bool>(&mut self, offer: &Offer, ecn: Ecn) -> Option<bool> {
        if self.cold.aqm.is_none() {
            return Some(false);
        }
        let waiting = self.waiting::<VARIES>(offer.now);
        let Offer { now, size, .. } = *offer;
        let arriving = Arriving { now, size, buffer: self.cold.buffer };
        self.cold.aqm.as_mut()?.on_arrival(&arriving, waiting, self.period.end).marks(ecn)
    }

    /// The decision of a scripted loss model on a packet that is offered.
    pub(crate) fn loses_by_script(&mut self, flow_key: u32, data: bool) -> bool {
        let script = self.cold.loss.as_mut().filter(|process| process.is_scripted());
        script.is_some_and(|script| script.loses(Time::ZERO, flow_of(flow_key), data, true))
    }

    /// The decision of a random loss model on a packet whose transmission begins.
    pub(crate) fn loses_at_random(&mut self, now: Time, flow_key: u32) -> bool {
        let chance = self.cold.loss.as_mut().filter(|process| !process.is_scripted());
        chance.is_some_and(|chance| chance.loses(now, flow_of(flow_key), true, true))
    }

    /// The queue that a packet finds on arrival.
    #[inline]
    fn waiting<const VARIES: bool>(&mut self, now: Time) -> Occupancy {
        match &mut self.cold.path {
            Some(path) if VARIES => path.transmitter.waiting(now),
            _ => self.occupancy(now),
        }
    }

    /// The queue that a packet finds on arrival, on a link where nothing varies. A packet whose transmission ends now
    /// has departed, and the one behind it no longer waits.
    pub(super) fn occupancy(&mut self, now: Time) -> Occupancy {
        if self.period.end <= now {
            return Occupancy::default();
        }
        self.mixed_sizes = self.mixed_sizes && self.cold.periods.retire(now);
        if self.mixed_sizes {
            self.cold.periods.waiting(now, self.admitted_since(), self.size)
        } else {
            self.period.waiting(now, self.size)
        }
    }
}
