//! The packets that come hop by hop to a link direction to which others cut through.

use ackclock_units::Time;

use super::busy_periods::{BusyPeriod, BusyPeriods};
use crate::Occupancy;

/// The number of packets on the way here whose arrival is an event, and whether the last packet
/// served came hop by hop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HopByHop(u32);

impl HopByHop {
    pub(crate) const NONE: HopByHop = HopByHop(0);
    const SERVED_LAST: u32 = 1;
    const COMING: u32 = 2;

    /// True if no packet is coming hop by hop, and the last packet served did not either.
    #[inline]
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(crate) fn any_coming(self) -> bool {
        self.0 >= Self::COMING
    }

    /// True if the last packet served came hop by hop. Then no packet has been served before its
    /// arrival.
    #[inline]
    pub(crate) fn served_last(self) -> bool {
        self.0 & Self::SERVED_LAST != 0
    }

    #[inline]
    pub(crate) fn add(&mut self) {
        self.0 += Self::COMING;
    }

    /// Counts an arrival. `cut_through` is true if other packets enter the link direction by
    /// cut-through.
    #[inline]
    pub(crate) fn on_arrival(&mut self, cut_through: bool) {
        let counted = u32::from(cut_through);
        self.0 = (self.0 - Self::COMING * counted) | counted;
    }

    #[inline]
    pub(crate) fn on_cut_through(&mut self) {
        self.0 = 0;
    }
}

/// The packets that came hop by hop before one cut through. They may still wait; packets that cut
/// through never wait.
#[derive(Clone, Debug)]
pub(crate) struct ServedBefore {
    /// The last busy period, of `packets` packets of `size` bytes, and the busy periods that it
    /// follows without a pause.
    pub(crate) period: BusyPeriod,
    pub(crate) packets: u64,
    pub(crate) size: u32,
    pub(crate) before: BusyPeriods,
}

impl ServedBefore {
    pub(crate) fn nothing() -> ServedBefore {
        ServedBefore { period: BusyPeriod::NONE, packets: 0, size: 0, before: BusyPeriods::new() }
    }

    pub(crate) fn waiting(&mut self, now: Time) -> Occupancy {
        if self.before.retire(now) {
            self.before.waiting(now, self.packets, self.size)
        } else {
            self.period.waiting(now, self.size)
        }
    }
}
