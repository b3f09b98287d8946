//! Reasons for dropping a packet.

/// The reason for which a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// The circuit breaker of its flow was open.
    Tripped,
    /// A later acknowledgment of its flow took its place in the queue (RFC 3449, 5.2.1).
    Thinned,
}

impl DropReason {
    /// The name in tables: "queue", "early", "pushed out", "loss", "policed", "tripped" or "thinned".
    pub fn name(self) -> &'static str {
        match self {
            DropReason::Queue => "queue",
            DropReason::Early => "early",
            DropReason::PushedOut => "pushed out",
            DropReason::Loss => "loss",
            DropReason::Policed => "policed",
            DropReason::Tripped => "tripped",
            DropReason::Thinned => "thinned",
        }
    }
}
