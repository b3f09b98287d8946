//! An instant that may not have come yet.

use ackclock_units::Time;

/// An instant that may not have come yet, in the eight bytes of a time: senders and receivers hold several of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(Time);

impl Moment {
    /// It has not come.
    pub const NEVER: Moment = Moment(Time::MAX);

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

    /// It comes now, unless it has come.
    #[inline]
    pub fn come(&mut self, now: Time) {
        self.0 = self.0.min(now);
    }
}

impl From<Time> for Moment {
    #[inline]
    fn from(time: Time) -> Moment {
        Moment(time)
    }
}
