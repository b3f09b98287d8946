//! Impairments: what happens to packets on a link direction besides waiting, transmission and propagation.
//!
//! Circuit breakers and policers act when a packet arrives, shapers when its transmission is to begin, thinning in the queue, and all others on
//! the wire, between departure and arrival, in the order of the scenario.

mod aggregation;
mod circuit_breaker;
mod duplication;
mod jitter;
mod overtaking;
mod policer;
mod reordering;
mod retransmission;
mod shaper;
mod spraying;
mod thinning;
pub(crate) mod token_bucket;
pub(super) mod transit;

use ackclock_catalogue::{Entry, Part};

use self::aggregation::Aggregation;
pub(crate) use self::circuit_breaker::CircuitBreaker;
use self::duplication::Duplication;
use self::jitter::Jitter;
use self::overtaking::Overtaking;
pub(crate) use self::policer::Policer;
use self::reordering::Reordering;
use self::retransmission::Retransmission;
pub(crate) use self::shaper::Shaper;
use self::spraying::Spraying;
pub(crate) use self::thinning::{Place, Thinning};
use self::transit::Transit;
use crate::RandomStream;

/// Lists the impairments, a line each: `module::Impairment`, which names the variant and the type of its
/// state.
///
/// A module has a constant `ENTRY` and a type with `new(values, stream)`.
macro_rules! impairments {
    ($($module:ident::$impairment:ident),+ $(,)?) => {
        /// The catalogue entries of the impairments.
        pub static ENTRIES: &[Entry] = &[$($module::ENTRY),+];

        /// The state of an impairment.
        #[derive(Clone, Debug)]
        pub(crate) enum Impairment {
            $($impairment($impairment),)+
        }

        /// True if a part is an impairment, not an entry of another list of the catalogue.
        pub(crate) fn is_impairment(part: &Part) -> bool {
            let entry = part.entry();
            ENTRIES.iter().any(|known| (known.kind, known.name) == (entry.kind, entry.name))
        }

        impl Impairment {
            /// The impairment that `part` names, with its parameters. Graphs accept only impairments here.
            pub(crate) fn new(part: &Part, stream: RandomStream) -> Impairment {
                match part.entry().name {
                    $(name if name == $module::ENTRY.name => {
                        Impairment::$impairment($impairment::new(&part.values(), stream))
                    })+
                    name => unreachable!("{name} is no impairment"),
                }
            }
        }
    };
}

impairments! {
    jitter::Jitter,
    aggregation::Aggregation,
    retransmission::Retransmission,
    reordering::Reordering,
    spraying::Spraying,
    overtaking::Overtaking,
    duplication::Duplication,
    thinning::Thinning,
    circuit_breaker::CircuitBreaker,
    policer::Policer,
    shaper::Shaper,
}

impl Impairment {
    /// Acts on a packet on the wire.
    pub(super) fn act(&mut self, transit: &mut Transit) {
        match self {
            Impairment::Jitter(jitter) => jitter.act(transit),
            Impairment::Aggregation(aggregation) => aggregation.act(transit),
            Impairment::Retransmission(retransmission) => retransmission.act(transit),
            Impairment::Reordering(reordering) => reordering.act(transit),
            Impairment::Spraying(spraying) => spraying.act(transit),
            Impairment::Duplication(duplication) => duplication.act(transit),
            Impairment::Overtaking(_)
            | Impairment::Thinning(_)
            | Impairment::CircuitBreaker(_)
            | Impairment::Policer(_)
            | Impairment::Shaper(_) => {}
        }
    }
}
