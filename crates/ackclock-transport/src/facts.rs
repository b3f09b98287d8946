//! The facts that every transport makes alike for its controller, TCP's sender and the adapters to other stacks: samples of
//! the delivery rate, packet-timed round trips, and congestion episodes with the suspension of growth after them.
//!
//! Amounts are counts of one unit, the packets of TCP or the bytes of QUIC: samples are in the unit that was counted.

mod episodes;
mod rate_sampler;

pub use episodes::{SignalFilter, Suspension};
pub use rate_sampler::{RateSampler, RateState, TxRecord};
