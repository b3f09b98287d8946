//! The part of a packet's headers that a queue may read.

/// The part of a packet's headers that a queue may read, as a router does: sequence numbers, the flags that open and
/// close connections, and the marks of senders and routers.
#[expect(clippy::struct_excessive_bools, reason = "bits of headers, by their names")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderView {
    /// The first sequence number that the packet occupies.
    pub first: u64,
    /// The sequence number after the last that it occupies; equal to `first` if it occupies none, like a pure
    /// acknowledgment.
    pub end: u64,
    /// The packet requests or accepts a connection (SYN).
    pub opens: bool,
    /// The packet ends the connection of its sender (FIN), or the whole connection (RST).
    pub closes: bool,
    /// The acknowledgment number of a segment that carries nothing else: no data, no flag. None for every other packet, and
    /// for acknowledgments that are not cumulative.
    pub acknowledgment: Option<u64>,
    /// The sender has marked the packet to be dropped first, as a field of the IP header could.
    pub drop_first: bool,
    /// A router on the way has marked the packet In (in profile), as routers do in the DS field of the IP header (RFC
    /// 2475, section 2.3.2). The network fills it in.
    pub in_profile: bool,
}
