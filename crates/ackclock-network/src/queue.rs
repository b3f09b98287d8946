//! Queue disciplines: the packets dropped or marked, and the order of service.

mod active_flows;
pub(crate) mod admission;
pub(crate) mod arrival_aqm;
pub(crate) mod arriving;
mod backlogs;
pub(crate) mod budgets;
pub(crate) mod buffer;
pub(crate) mod classes;
pub(crate) mod cobalt;
pub(crate) mod codel;
pub(crate) mod counters;
mod deficit;
mod droptail;
pub(crate) mod drr;
pub(crate) mod dualpi2;
mod fifo;
pub(crate) mod flow_monitor;
pub(crate) mod flow_proportional;
mod flow_table;
pub(crate) mod fq_codel;
pub(crate) mod fq_pie;
mod new_and_old;
pub(crate) mod pie;
pub(crate) mod priority;
pub(crate) mod protect;
pub(crate) mod red;
pub(crate) mod rio;
pub(crate) mod scheduler;
pub(crate) mod sfq;
#[cfg(test)]
mod testing;
mod turns;
pub(crate) mod weighted_priority;
pub(crate) mod xcp;

use ackclock_catalogue::{Entry, Part};
use ackclock_units::{Bytes, Duration, LinkRate};

use self::admission::{Admission, AdmissionQueue};
use self::budgets::{BudgetQueue, Budgets};
use self::buffer::BufferSize;
use self::classes::{ClassQueue, Classes};
use self::cobalt::{Cobalt, CobaltQueue};
use self::codel::{Codel, CodelQueue};
use self::drr::{Drr, DrrQueues};
use self::dualpi2::{DualPi2, DualQueues};
use self::flow_proportional::{FlowProportional, ProportionalQueue};
use self::fq_codel::{FlowQueues, FqCodel};
use self::fq_pie::{FqPie, PieQueues};
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
pub enum Queue {
    /// First in, first out, with tail drop.
    #[default]
    DropTail,
    /// Random early detection.
    Red(Red),
    /// RED with In and Out packets.
    Rio(Rio),
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

        impl From<&Part> for Queue {
            /// The discipline that `part` names, with its parameters.
            fn from(part: &Part) -> Queue {
                let values = part.values();
                match part.entry().name {
                    name if name == droptail::ENTRY.name => Queue::DropTail,
                    name if name == priority::ENTRY.name => Queue::Priority,
                    $(name if name == $module::ENTRY.name => Queue::$discipline($module::make(&values)),)+
                    name => unreachable!("{name} is no queue"),
                }
            }
        }
    };
}

disciplines! {
    red::Red,
    rio::Rio,
    pie::Pie,
    codel::Codel,
    dualpi2::DualPi2,
    fq_codel::FqCodel,
    fq_pie::FqPie,
    cobalt::Cobalt,
    drr::Drr,
    weighted_priority::WeightedPriority,
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
    pub(crate) fn scheduler(
        &self,
        buffer: BufferSize,
        rate: LinkRate,
        random: RandomStream,
    ) -> Option<Box<dyn Scheduler>> {
        match self {
            Queue::DropTail | Queue::Red(_) | Queue::Pie(_) => None,
            Queue::Rio(rule) => Some(Box::new(RioQueue::new(rule, buffer, rate, random))),
            Queue::Codel(rule) => Some(Box::new(CodelQueue::new(*rule, buffer))),
            Queue::DualPi2(rule) => Some(Box::new(DualQueues::new(*rule, buffer))),
            Queue::FqPie(rule) => Some(Box::new(PieQueues::new(*rule, buffer, random))),
            Queue::Cobalt(rule) => {
                let frame = rate.transmission_time(Bytes::new(cobalt::FRAME));
                Some(Box::new(CobaltQueue::new(*rule, buffer, random, frame)))
            }
            Queue::Drr(rule) => Some(Box::new(DrrQueues::new(*rule, buffer, random))),
            Queue::Priority => Some(Box::new(PriorityQueue::new(buffer))),
            Queue::WeightedPriority(rule) => Some(Box::new(WeightedQueues::new(rule, buffer))),
            Queue::FqCodel(rule) => Some(Box::new(FlowQueues::new(*rule, buffer, random))),
            Queue::Sfq(config) => Some(Box::new(Buckets::new(config, buffer, random))),
            Queue::Classes(config) => Some(Box::new(ClassQueue::new(config, buffer))),
            Queue::FlowProportional(config) => Some(Box::new(ProportionalQueue::new(*config, buffer))),
            Queue::Admission(config) => Some(Box::new(AdmissionQueue::new(*config, buffer))),
            Queue::Budgets(config) => Some(Box::new(BudgetQueue::new(config, buffer))),
            Queue::Xcp(rule) => Some(Box::new(XcpQueue::new(*rule, buffer, rate))),
            Queue::Protect(config) => Some(Box::new(Gateway::new(config, buffer, random))),
        }
    }
}
