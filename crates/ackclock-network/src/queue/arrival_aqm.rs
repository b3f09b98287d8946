//! Active queue management that decides when a packet arrives, so that its departure time is known at once.

use ackclock_units::{Bytes, Time};

use super::arriving::{Arriving, Verdict};
use super::pie::PieState;
use super::red::RedState;
use crate::{Ecn, LinkConfig, Occupancy, Queue, RandomStream};

/// The state of one queue's algorithm.
#[derive(Clone, Debug)]
pub(crate) enum ArrivalAqm {
    Red(RedState),
    Pie(PieState),
}

impl ArrivalAqm {
    /// The algorithm of a link direction's queue; none if that queue does not decide on arrival.
    pub(crate) fn new(config: &LinkConfig, random: impl FnOnce() -> RandomStream) -> Option<ArrivalAqm> {
        match &config.queue {
            Queue::Red(red) => {
                let usual = config.rate.transmission_time(Bytes::new(u64::from(red.packet)));
                Some(ArrivalAqm::Red(RedState::new(*red, usual, random())))
            }
            Queue::Pie(pie) => Some(ArrivalAqm::Pie(PieState::new(*pie, random()))),
            _ => None,
        }
    }

    /// Admits, marks or drops an arriving packet: `Some(true)` if it is marked, none if it is dropped. `waiting` is the
    /// queue before it, and `free_at` the time at which the transmitter falls idle or did so.
    #[expect(clippy::inline_always, reason = "of its two callers one is for links that vary")]
    #[inline(always)]
    pub(crate) fn admits(&mut self, arriving: &Arriving, waiting: Occupancy, free_at: Time) -> Option<bool> {
        let verdict = match self {
            ArrivalAqm::Red(red) => red.on_arrival(arriving, waiting, free_at),
            ArrivalAqm::Pie(pie) => pie.on_arrival(arriving, waiting, free_at),
        };
        match verdict {
            Verdict::Pass => Some(false),
            Verdict::MarkOrDrop if arriving.ecn != Ecn::NotCapable => Some(true),
            Verdict::MarkOrDrop | Verdict::Drop => None,
        }
    }
}
