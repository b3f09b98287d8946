//! Queue disciplines: the packets dropped or marked, and the order of service.

mod active_flows;
pub(crate) mod admission;
pub(crate) mod arrival_aqm;
pub(crate) mod arriving;
mod backlogs;
pub(crate) mod budgets;
pub(crate) mod buffer;
mod by_class;
mod candidates;
pub(crate) mod classes;
pub(crate) mod cobalt;
pub(crate) mod codel;
pub(crate) mod counters;
mod deficit;
pub(crate) mod drop_priority;
mod droptail;
pub(crate) mod drr;
pub(crate) mod dualpi2;
mod fifo;
pub(crate) mod flow_monitor;
pub(crate) mod flow_proportional;
mod flow_table;
mod flows_by_class;
pub(crate) mod fq_codel;
pub(crate) mod fq_pie;
pub(crate) mod marker;
mod new_and_old;
mod numbered;
mod packet_lists;
pub(crate) mod pie;
pub(crate) mod priority;
pub(crate) mod protect;
pub(crate) mod red;
pub(crate) mod rio;
pub(crate) mod scheduler;
pub(crate) mod sfq;
mod short_flows;
#[cfg(test)]
mod testing;
mod turns;
pub(crate) mod weighted_priority;
pub(crate) mod xcp;

use ackclock_catalogue::{Entry, Part, SpecError, names, nearest};
use ackclock_units::{Bytes, Duration, LinkRate};

use self::admission::{Admission, AdmissionQueue};
use self::budgets::{BudgetQueue, Budgets};
use self::classes::{ClassQueue, Classes};
use self::cobalt::{Cobalt, CobaltQueue};
use self::codel::{Codel, CodelQueue};
use self::drop_priority::{DropPriority, DropPriorityQueue};
use self::drr::{Drr, DrrQueues};
use self::dualpi2::{DualPi2, DualQueues};
use self::flow_proportional::{FlowProportional, ProportionalQueue};
use self::fq_codel::{FlowQueues, FqCodel};
use self::fq_pie::{FqPie, PieQueues};
use self::marker::{Marker, MarkerQueue};
use self::pie::Pie;
use self::priority::PriorityQueue;
use self::protect::{Gateway, Protect};
use self::red::Red;
use self::rio::{Rio, RioQueue};
use self::scheduler::Scheduler;
use self::sfq::{Buckets, Sfq};
use self::weighted_priority::{WeightedPriority, WeightedQueues};
use self::xcp::{Xcp, XcpQueue};
use crate::RandomStream;

/// The discipline of a link direction's queue.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Queue {
    /// First in, first out, with tail drop.
    #[default]
    DropTail,
    /// Random early detection.
    Red(Red),
    /// RED with In and Out packets.
    Rio(Rio),
    /// First in, first out, marking packets In and Out.
    Marker(Marker),
    /// The proportional integral controller, enhanced.
    Pie(Pie),
    /// Controlled delay.
    Codel(Codel),
    /// The dual queue for L4S and others, coupled by PI2.
    DualPi2(DualPi2),
    /// Flow queueing with controlled delay.
    FqCodel(FqCodel),
    /// Flow queueing with PIE.
    FqPie(FqPie),
    /// `CoDel` and BLUE.
    Cobalt(Cobalt),
    /// Deficit round robin.
    Drr(Drr),
    /// Packets marked by their senders are dropped first.
    DropPriority(DropPriority),
    /// Strict priority of classes.
    Priority,
    /// Classes that share the link by weights.
    WeightedPriority(WeightedPriority),
    /// Stochastic fairness queueing.
    Sfq(Sfq),
    /// A gateway that protects retransmissions.
    Protect(Protect),
    /// Service classes by how much a drop would cost a flow.
    Classes(Classes),
    /// Drops only where flows can sustain them.
    Budgets(Budgets),
    /// A buffer in proportion to the number of flows.
    FlowProportional(FlowProportional),
    /// New flows only while there are few.
    Admission(Admission),
    /// The router of the explicit control protocol.
    Xcp(Xcp),
}

/// Lists the disciplines with parameters, a line each: `module::Discipline`, which is the variant and its settings.
///
/// A module has a constant `ENTRY` and a function `make` that takes the values of its parameters.
macro_rules! disciplines {
    ($($module:ident::$discipline:ident),+ $(,)?) => {
        /// The catalogue entries of the disciplines, drop-tail first, strict priority last.
        pub static ENTRIES: &[Entry] = &[droptail::ENTRY, $($module::ENTRY,)+ priority::ENTRY];

        impl TryFrom<&Part> for Queue {
            type Error = SpecError;

            /// The discipline that `part` names, with its parameters.
            ///
            /// # Errors
            /// When the part is of another list of the catalogue.
            fn try_from(part: &Part) -> Result<Queue, SpecError> {
                let (entry, values) = (part.entry(), part.values());
                match (entry.kind, entry.name) {
                    ("queue", name) if name == droptail::ENTRY.name => Ok(Queue::DropTail),
                    ("queue", name) if name == priority::ENTRY.name => Ok(Queue::Priority),
                    $(("queue", name) if name == $module::ENTRY.name => {
                        Ok(Queue::$discipline($module::make(&values)))
                    })+
                    (_, name) => {
                        let known: Vec<&str> = names(ENTRIES).collect();
                        Err(SpecError::unknown("queue", name, &known, nearest(name, known.iter().copied())))
                    }
                }
            }
        }
    };
}

disciplines! {
    red::Red,
    rio::Rio,
    marker::Marker,
    pie::Pie,
    codel::Codel,
    dualpi2::DualPi2,
    fq_codel::FqCodel,
    fq_pie::FqPie,
    cobalt::Cobalt,
    drr::Drr,
    weighted_priority::WeightedPriority,
    drop_priority::DropPriority,
    sfq::Sfq,
    protect::Protect,
    classes::Classes,
    budgets::Budgets,
    flow_proportional::FlowProportional,
    admission::Admission,
    xcp::Xcp,
}

impl Queue {
    /// Bytes that it takes before the first packet.
    pub fn memory(&self) -> u64 {
        match self {
            Queue::Sfq(config) => Buckets::memory(config),
            Queue::Protect(Protect { buckets: Some(buckets), .. }) => Buckets::memory(buckets),
            Queue::FqCodel(rule) => FlowQueues::memory(rule),
            Queue::FqPie(rule) => PieQueues::memory(rule),
            Queue::Drr(rule) => DrrQueues::memory(*rule),
            _ => 0,
        }
    }

    /// The period at which it updates its drop probability, if it does so periodically.
    pub fn update_period(&self) -> Option<Duration> {
        match self {
            Queue::Pie(rule) => Some(rule.update),
            Queue::DualPi2(rule) => Some(rule.update_period()),
            Queue::FqPie(rule) => Some(rule.update),
            _ => None,
        }
    }

    /// The queue of a link direction from which the transmitter pulls; none for disciplines that decide on arrival. Draws from `random`.
    pub(crate) fn scheduler(&self, rate: LinkRate, random: RandomStream) -> Option<Box<dyn Scheduler>> {
        match self {
            Queue::DropTail | Queue::Red(_) | Queue::Pie(_) => None,
            Queue::Rio(rule) => Some(Box::new(RioQueue::new(rule, rate, random))),
            Queue::Marker(rule) => Some(Box::new(MarkerQueue::new(*rule))),
            Queue::Codel(rule) => Some(Box::new(CodelQueue::new(*rule))),
            Queue::DualPi2(rule) => Some(Box::new(DualQueues::new(*rule))),
            Queue::FqPie(rule) => Some(Box::new(PieQueues::new(*rule, random))),
            Queue::Cobalt(rule) => {
                let frame = rate.transmission_time(Bytes::new(cobalt::FRAME));
                Some(Box::new(CobaltQueue::new(*rule, random, frame)))
            }
            Queue::Drr(rule) => Some(Box::new(DrrQueues::new(*rule, random))),
            Queue::DropPriority(DropPriority) => Some(Box::new(DropPriorityQueue::default())),
            Queue::Priority => Some(Box::new(PriorityQueue::default())),
            Queue::WeightedPriority(rule) => Some(Box::new(WeightedQueues::new(rule))),
            Queue::FqCodel(rule) => Some(Box::new(FlowQueues::new(*rule, random))),
            Queue::Sfq(config) => Some(Box::new(Buckets::new(config, random))),
            Queue::Classes(config) => Some(Box::new(ClassQueue::new(config))),
            Queue::FlowProportional(config) => Some(Box::new(ProportionalQueue::new(*config))),
            Queue::Admission(config) => Some(Box::new(AdmissionQueue::new(*config))),
            Queue::Budgets(config) => Some(Box::new(BudgetQueue::new(config))),
            Queue::Xcp(rule) => Some(Box::new(XcpQueue::new(*rule, rate))),
            Queue::Protect(config) => Some(Box::new(Gateway::new(config, random))),
        }
    }
}
