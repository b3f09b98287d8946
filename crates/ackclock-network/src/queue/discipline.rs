//! The trait of a queue discipline: settings with an entry in the catalogue, from which queues are made.

use ackclock_catalogue::{Entry, Values};
use ackclock_units::{Duration, LinkRate};

use super::arriving::ArrivalAqm;
use super::scheduler::Scheduler;
use crate::RandomStream;

/// The settings of a queue discipline.
pub(crate) trait Discipline: Sized {
    /// The entry in the catalogue.
    const ENTRY: Entry;
    /// True if the discipline decides when a packet arrives, so that the link knows when the packet departs.
    /// Other disciplines decide when the transmitter falls idle.
    const ON_ARRIVAL: bool = false;
    /// The settings with these values of the entry's parameters.
    fn make(values: &Values) -> Self;
    /// A queue of this discipline.
    fn build(&self, site: &Site<'_>) -> Built;
    /// Bytes that a queue takes before the first packet.
    fn memory(&self) -> u64 {
        0
    }
    /// The packets that wait at most when each of this many flows has its share of the buffer; none if the buffer does not
    /// depend on flows.
    fn buffer_of(&self, _flows: u32) -> Option<f64> {
        None
    }
    /// The period at which a queue updates its drop probability, if it does so periodically.
    fn update_period(&self) -> Option<Duration> {
        None
    }
}

/// The link direction in front of which a queue stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<'a> {
    pub(crate) rate: LinkRate,
    /// The seed of the run, and the name of the link direction: the random stream of the queue follows from both.
    pub(crate) seed: u64,
    pub(crate) link: &'a str,
}

impl Site<'_> {
    /// The random stream of the queue.
    pub(crate) fn random(&self) -> RandomStream {
        RandomStream::new(self.seed, &format!("queue {}", self.link))
    }
}

/// The queue of a link direction. The variants differ in when it decides on a packet.
#[derive(Debug)]
pub(crate) enum Built {
    /// First in, first out, with tail drop: the link itself.
    DropTail,
    /// Decides when a packet arrives; the link then knows when it departs.
    OnArrival(Box<dyn ArrivalAqm>),
    /// Decides when the transmitter pulls a packet.
    Pulled(Box<dyn Scheduler>),
}

impl Built {
    /// A queue that decides when a packet arrives.
    pub(crate) fn on_arrival(aqm: impl ArrivalAqm + 'static) -> Built {
        Built::OnArrival(Box::new(aqm))
    }

    /// A queue from which the transmitter pulls.
    pub(crate) fn pulled(queue: impl Scheduler + 'static) -> Built {
        Built::Pulled(Box::new(queue))
    }
}
