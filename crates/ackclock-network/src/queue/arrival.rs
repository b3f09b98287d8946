//! Rules of active queue management that decide when a packet comes, so that its departure is known at once.

use ackclock_units::{Bytes, Time};

use super::pie::PieState;
use super::red::RedState;
use crate::{Ecn, LinkConfig, Occupancy, Queue, RandomStream};

/// A packet that comes to a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comer {
    pub(crate) now: Time,
    pub(crate) size: u32,
    pub(crate) ecn: Ecn,
}

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may wait, if there is room.
    Pass,
    /// It is marked, or dropped if it may not be marked.
    MarkOrDrop,
    /// It is dropped.
    Drop,
}

/// A rule at work.
#[derive(Clone, Debug)]
pub(crate) enum ArrivalRule {
    Red(RedState),
    Pie(PieState),
}

impl ArrivalRule {
    /// The rule of a link direction's queue, if it has such a one.
    pub(crate) fn new(config: &LinkConfig, random: impl FnOnce() -> RandomStream) -> Option<ArrivalRule> {
        match &config.queue {
            Queue::Red(rule) => {
                let usual = config.rate.transmission_time(Bytes::new(u64::from(rule.packet)));
                Some(ArrivalRule::Red(RedState::new(*rule, usual, random())))
            }
            Queue::Pie(rule) => Some(ArrivalRule::Pie(PieState::new(*rule, random()))),
            _ => None,
        }
    }

    /// Whether a packet may wait that finds so much waiting, on a link direction that falls idle at `free_at`, or has:
    /// whether it is marked, or none if it is dropped.
    pub(crate) fn admits(&mut self, comer: &Comer, waiting: Occupancy, free_at: Time) -> Option<bool> {
        let verdict = match self {
            ArrivalRule::Red(red) => red.meet(comer, waiting, free_at),
            ArrivalRule::Pie(pie) => pie.meet(comer, waiting, free_at),
        };
        match verdict {
            Verdict::Pass => Some(false),
            Verdict::MarkOrDrop if comer.ecn != Ecn::NotCapable => Some(true),
            Verdict::MarkOrDrop | Verdict::Drop => None,
        }
    }
}
