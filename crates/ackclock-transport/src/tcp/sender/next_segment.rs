//! A segment that is about to be sent.

use crate::wire::Flags;

/// The part of a segment's header that differs from segment to segment.
pub(super) struct NextSegment {
    pub sequence: u64,
    pub length: u16,
    pub flags: Flags,
}
