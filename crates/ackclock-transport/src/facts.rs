//! The facts that TCP's sender and the adapters to other stacks compute alike for their controllers: samples of the
//! delivery rate, packet-timed round trips, and congestion episodes with the suspension of growth after them.
//!
//! Amounts are counts of one unit, packets in TCP or bytes in QUIC, and samples are in that unit.

mod episodes;
mod rate_sampler;

pub use episodes::{SignalFilter, Suspension};
pub use rate_sampler::{RateSampler, RateState, TxRecord};
