//! The list of queue disciplines, each a file.

mod admission;
mod budgets;
mod cake;
mod classes;
mod cobalt;
mod codel;
mod drop_head;
mod drop_priority;
mod droptail;
mod drr;
mod dualpi2;
mod flow_proportional;
mod fq_codel;
mod fq_pie;
mod marker;
mod pie;
mod priority;
mod protect;
mod red;
mod rio;
mod sfq;
mod weighted_priority;
mod xcp;

use ackclock_catalogue::{Entry, Part, SpecError, names, nearest};
use ackclock_units::Duration;

pub use self::cake::{AckFilter, Framing, Isolation, LinkLayer, Tins};
pub use self::dualpi2::DualOrder;
use super::discipline::{Built, Discipline, Site};

/// Lists the disciplines, a line each: `module::Discipline`, which names the variant and the type
/// of its settings.
macro_rules! disciplines {
    ($($module:ident::$discipline:ident),+ $(,)?) => {
        $(pub use self::$module::$discipline;)+

        /// The discipline of a link direction's queue.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Queue {
            $(#[doc = concat!("[`", stringify!($discipline), "`] with its settings.")]
            $discipline($discipline),)+
        }

        /// The catalogue entries of the disciplines.
        pub static QUEUES: &[Entry] = &[$($discipline::ENTRY),+];

        $(impl Default for $discipline {
            /// The defaults of the entry.
            fn default() -> $discipline {
                $discipline::make(&Part::of(&$discipline::ENTRY).values())
            }
        })+

        impl TryFrom<&Part> for Queue {
            type Error = SpecError;

            /// The discipline that `part` names, with its parameters.
            ///
            /// # Errors
            /// When the part is of another list of the catalogue.
            fn try_from(part: &Part) -> Result<Queue, SpecError> {
                let (entry, values) = (part.entry(), part.values());
                match (entry.kind, entry.name) {
                    $(("queue", name) if name == $discipline::ENTRY.name => {
                        Ok(Queue::$discipline($discipline::make(&values)))
                    })+
                    (_, name) => {
                        let known: Vec<&str> = names(QUEUES).collect();
                        Err(SpecError::unknown("queue", name, &known, nearest(name, known.iter().copied())))
                    }
                }
            }
        }

        impl Queue {
            /// Bytes that a queue takes before the first packet.
            pub fn memory(&self) -> u64 {
                match self { $(Queue::$discipline(settings) => settings.memory(),)+ }
            }

            /// The packets that wait at most when each of this many flows has its share of the buffer; none if the
            /// buffer does not depend on flows.
            pub fn buffer_of(&self, flows: u32) -> Option<f64> {
                match self { $(Queue::$discipline(settings) => settings.buffer_of(flows),)+ }
            }

            /// The period at which a queue updates its drop probability, if it does so
            /// periodically.
            pub fn update_period(&self) -> Option<Duration> {
                match self { $(Queue::$discipline(settings) => settings.update_period(),)+ }
            }

            /// True if a queue decides on a packet at its arrival, and serves in order of arrival.
            pub fn decides_on_arrival(&self) -> bool {
                match self { $(Queue::$discipline(_) => $discipline::ON_ARRIVAL,)+ }
            }

            /// The queue of a link direction.
            pub(crate) fn build(&self, site: &Site<'_>) -> Built {
                match self { $(Queue::$discipline(settings) => settings.build(site),)+ }
            }
        }
    };
}

disciplines! {
    droptail::DropTail,
    red::Red,
    rio::Rio,
    marker::Marker,
    pie::Pie,
    codel::Codel,
    dualpi2::DualPi2,
    fq_codel::FqCodel,
    fq_pie::FqPie,
    cobalt::Cobalt,
    cake::Cake,
    drr::Drr,
    weighted_priority::WeightedPriority,
    drop_head::DropHead,
    drop_priority::DropPriority,
    sfq::Sfq,
    protect::Protect,
    classes::Classes,
    budgets::Budgets,
    flow_proportional::FlowProportional,
    admission::Admission,
    xcp::Xcp,
    priority::Priority,
}

impl Default for Queue {
    /// First in, first out, with tail drop.
    fn default() -> Queue {
        Queue::DropTail(DropTail)
    }
}

impl Queue {
    /// True for first in, first out, with tail drop.
    pub fn is_drop_tail(&self) -> bool {
        matches!(self, Queue::DropTail(_))
    }
}

#[cfg(test)]
mod tests {
    use ackclock_units::{LinkRate, Rate};

    use super::*;

    #[test]
    fn a_queue_is_built_to_decide_when_its_discipline_says() {
        let rate = LinkRate::from(Rate::from_bits_per_second(8_000_000));
        for entry in QUEUES {
            let queue = Queue::try_from(&Part::of(entry)).unwrap();
            let is_pulled = matches!(queue.build(&Site { rate, seed: 1, link: "a->b" }), Built::Pulled(_));
            assert_ne!(is_pulled, queue.decides_on_arrival(), "{}", entry.name);
        }
    }
}
