//! An instant that may not have come yet.

use ackclock_units::Time;

/// An instant that may not have come yet, stored in the eight bytes of a time since senders and receivers hold
/// several of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OnceTime(Time);

impl OnceTime {
    /// It has not come.
    pub const NEVER: OnceTime = OnceTime(Time::MAX);

    /// The instant, if it has come.
    #[inline]
    pub fn get(self) -> Option<Time> {
        self.has_come().then_some(self.0)
    }

    /// True if it has come.
    #[inline]
    pub fn has_come(self) -> bool {
        self.0 < Time::MAX
    }

    /// The instant, or `now` if it has not come.
    #[inline]
    pub fn or(self, now: Time) -> Time {
        self.0.min(now)
    }

    /// Sets the instant to now, unless it has come already.
    #[inline]
    pub fn come(&mut self, now: Time) {
        self.0 = self.0.min(now);
    }
}

impl From<Time> for OnceTime {
    #[inline]
    fn from(time: Time) -> OnceTime {
        OnceTime(time)
    }
}
