//! Reasons for dropping a packet.

/// The reason for which a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The buffer was full (tail drop).
    Queue,
    /// Active queue management dropped it before the buffer was full.
    Early,
    /// It was queued, and removed from the full buffer in favour of another packet.
    PushedOut,
    /// The link lost it.
    Loss,
    /// A policer found no tokens for it.
    Policed,
}
