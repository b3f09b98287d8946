//! The part of a transport header that a queue may read.

/// The part of a transport header that a queue may read: sequence numbers, the SYN flag and the drop priority, as a router does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeaderView {
    /// The first sequence number that the packet occupies.
    pub first: u64,
    /// The sequence number after the last that it occupies; equal to `first` if it occupies none, as a pure
    /// acknowledgment.
    pub end: u64,
    /// The packet requests or accepts a connection (SYN).
    pub opens: bool,
    /// The acknowledgment number of a segment that carries nothing else: no data, no flag. None for every other packet, and
    /// for acknowledgments that are not cumulative.
    pub acknowledgment: Option<u64>,
    /// The sender has marked the packet to be dropped first: low drop priority, as in a field of the IP header.
    pub drop_first: bool,
}
