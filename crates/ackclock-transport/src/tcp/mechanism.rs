//! The mechanisms of TCP endpoints, one a file, each with its own state.

pub(crate) mod rate_sampler;
pub(crate) mod retransmission_queue;
pub(crate) mod rtt;
pub(crate) mod sequence_ranges;
