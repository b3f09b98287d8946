//! The capacity of a transmitter whose rate varies: the exact integral of the rate over time, in integers.

use ackclock_units::Time;

use super::profile::{Cursor, Segment};

/// The work that a transmitter can have done since the start, as a function of time.
///
/// Its unit is half a bit at a billionth, `rate * nanoseconds * 2`, in which the integral of a linear ramp over whole
/// nanoseconds is a whole number. Read forwards.
#[derive(Clone, Debug)]
pub(super) struct RateIntegral {
    rate: Cursor,
    /// 1 while the transmitter works, 0 during outages.
    up: Option<Cursor>,
    /// The present piece: part of a segment of `rate`, and of one of `up`.
    start: Time,
    end: Time,
    works: bool,
    /// The work done at the start of the piece.
    done: u128,
    /// No piece begins at this time or later.
    until: Time,
}

impl RateIntegral {
    pub(super) fn new(rate: Cursor, up: Option<Cursor>, until: Time) -> RateIntegral {
        let mut integral =
            RateIntegral { rate, up, start: Time::ZERO, end: Time::ZERO, works: true, done: 0, until };
        integral.set_piece();
        integral
    }

    fn set_piece(&mut self) {
        self.end = self.rate.segment().end;
        if let Some(up) = &self.up {
            self.end = self.end.min(up.segment().end);
            self.works = up.segment().from > 0;
        }
    }

    fn advance(&mut self) {
        self.done = self.done_at(self.end);
        self.start = self.end;
        for cursor in [Some(&mut self.rate), self.up.as_mut()].into_iter().flatten() {
            if cursor.segment().end <= self.start {
                cursor.advance();
            }
        }
        self.set_piece();
    }

    /// The work done at a time within the piece.
    fn done_at(&self, time: Time) -> u128 {
        if !self.works {
            return self.done;
        }
        let segment = self.rate.segment();
        self.done + area(segment, time) - area(segment, self.start)
    }

    /// The work done at `time`, which is not before the start of the present piece.
    pub(super) fn at(&mut self, time: Time) -> u128 {
        debug_assert!(time >= self.start, "a rate is integrated forwards");
        while self.end <= time && self.end < Time::MAX {
            self.advance();
        }
        self.done_at(time)
    }

    /// The first instant at which `work` is done; [`Time::MAX`] if that is after the end of the run.
    pub(super) fn first_with(&mut self, work: u128) -> Time {
        while self.end < Time::MAX && self.done_at(self.end) < work {
            self.advance();
            if self.start >= self.until {
                return Time::MAX;
            }
        }
        let segment = self.rate.segment();
        if segment.from == segment.to {
            return self.first_at_constant_rate(work);
        }
        let (mut low, mut high) = (self.start.as_nanos(), self.end.as_nanos());
        while low < high {
            let middle = u64::midpoint(low, high);
            if self.done_at(Time::from_nanos(middle)) >= work {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Time::from_nanos(low)
    }

    fn first_at_constant_rate(&self, work: u128) -> Time {
        let missing = work.saturating_sub(self.done);
        if missing == 0 {
            return self.start;
        }
        let per_nanosecond = if self.works { 2 * u128::from(self.rate.segment().from) } else { 0 };
        if per_nanosecond == 0 {
            return Time::MAX;
        }
        let nanos = u64::try_from(missing.div_ceil(per_nanosecond)).unwrap_or(u64::MAX);
        Time::from_nanos(self.start.as_nanos().saturating_add(nanos))
    }
}

/// Twice the integral of the rate from the start of a segment to a time within it, rounded down.
fn area(segment: &Segment, time: Time) -> u128 {
    let span = time.since(segment.start).as_nanos();
    let level = 2 * u128::from(segment.from) * u128::from(span);
    if segment.from == segment.to {
        return level;
    }
    let whole = i128::from(segment.end.since(segment.start).as_nanos());
    let change = i128::from(segment.to) - i128::from(segment.from);
    let ramp = (change * i128::from(span) * i128::from(span)).div_euclid(whole);
    level.saturating_add_signed(ramp)
}
