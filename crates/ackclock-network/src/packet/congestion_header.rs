//! The congestion header that queues with explicit feedback read and write.

/// The congestion header of a packet, as a router reads it: the state of the flow, and the change of rate that routers
/// grant it.
///
/// The fields are those of XCP (draft-falk-xcp-spec-03, section 2), as real numbers in seconds and bytes.
#[derive(Debug, PartialEq)]
pub struct CongestionHeader<'a> {
    /// The sender's estimate of the round-trip time, in seconds (RTT); zero while it has none.
    pub rtt: f64,
    /// The time between two packets of the flow, in seconds (X).
    pub spacing: f64,
    /// The change of the throughput that the packet asks for, in bytes per second (`Delta_Throughput`). Routers lower it.
    pub delta_throughput: &'a mut f32,
}
