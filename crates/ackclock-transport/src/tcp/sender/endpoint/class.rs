//! The classes of senders for which the processing of acknowledgments is compiled separately.

use super::super::super::recovery::Recovery;

/// The class of a sender, by the work that its acknowledgments need. Nearly all senders belong to three
/// classes. The code is compiled for each of these, without the branches that the class decides.
#[derive(Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each decides on work by itself")]
pub(super) struct SenderClass {
    pub recovery: Recovery,
    /// True if the controller uses samples.
    pub sampled: bool,
    /// Marks are echoed.
    pub ecn: bool,
    /// `Settings::refines_acks`.
    pub refined: bool,
    /// True if feedback of routers came with the acknowledgment.
    pub explicit: bool,
}

/// RFC 6675's recovery, and a controller that needs only losses and round-trip times.
pub(super) const USUAL: SenderClass =
    SenderClass { recovery: Recovery::Sack, sampled: false, ecn: false, refined: false, explicit: false };

/// The same class with a recovery that detects losses by time.
const BY_TIME: SenderClass = SenderClass { recovery: Recovery::BY_TIME, ..USUAL };

/// The same class with a controller that uses samples, such as BBR.
const SAMPLED: SenderClass = SenderClass { sampled: true, ..BY_TIME };

impl SenderClass {
    /// The class of senders that detect losses by time, with settings like these.
    #[expect(clippy::inline_always, reason = "as for `is_compiled`")]
    #[inline(always)]
    pub fn by_time(self) -> SenderClass {
        SenderClass { refined: self.refined, ..BY_TIME }
    }

    /// The class of senders that detect losses by time and take samples.
    #[expect(clippy::inline_always, reason = "as for `is_compiled`")]
    #[inline(always)]
    pub fn sampled_by_time(self) -> SenderClass {
        SenderClass { refined: self.refined, ..SAMPLED }
    }

    /// True if the code is compiled for this class separately.
    #[expect(clippy::inline_always, reason = "the answer is known where it is asked")]
    #[inline(always)]
    pub fn is_compiled(self) -> bool {
        self == USUAL || self == self.by_time() || self == self.sampled_by_time()
    }
}
