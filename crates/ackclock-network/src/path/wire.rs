//! The wire: from a packet's departure to its arrival at the far end.

use ackclock_units::{Duration, Time};

use super::impairment::Impairment;
use super::impairment::transit::Transit;
use super::profile::Cursor;

/// Propagation, and the impairments on the way. Packets keep their order, unless an impairment displaces them.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    delay: Duration,
    /// The propagation delay in nanoseconds, if it varies.
    varying: Option<Cursor>,
    impairments: Vec<Impairment>,
    overtaking: bool,
    /// The latest arrival of the packets in order.
    last: Time,
}

impl Wire {
    pub(super) fn new(delay: Duration, varying: Option<Cursor>) -> Wire {
        Wire { delay, varying, impairments: Vec::new(), overtaking: false, last: Time::ZERO }
    }

    pub(super) fn add(&mut self, impairment: Impairment) {
        self.impairments.push(impairment);
    }

    pub(super) fn allow_overtaking(&mut self) {
        self.overtaking = true;
    }

    /// The transit of a packet that departs now. Departures come in order.
    pub(crate) fn carry(&mut self, departure: Time, flow: u32) -> Transit {
        let delay = match &mut self.varying {
            Some(varying) if departure < Time::MAX => Duration::from_nanos(varying.value_at(departure)),
            _ => self.delay,
        };
        let mut transit =
            Transit { flow, arrival: departure + delay, lost: false, displaced: false, behind: 0, copies: 0 };
        for impairment in &mut self.impairments {
            impairment.act(&mut transit);
        }
        if !transit.displaced {
            if self.overtaking && transit.arrival < self.last {
                transit.displaced = true;
            } else {
                self.last = self.last.max(transit.arrival);
                transit.arrival = self.last;
            }
        }
        transit
    }
}
