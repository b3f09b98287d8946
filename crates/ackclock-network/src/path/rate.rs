//! The capacity of a transmitter whose rate varies: the exact integral of the rate over time, in integers.

use ackclock_units::Time;

use super::profile::{Cursor, Segment};

/// The work that a transmitter can have done since the start, as a function of time.
///
/// Its unit is half a billionth of a bit, `rate * nanoseconds * 2`. In this unit the integral of a linear
/// ramp over whole nanoseconds is a whole number. Times of queries do not decrease.
#[derive(Clone, Debug)]
pub(super) struct RateIntegral {
    rate: Cursor,
    /// 1 while the transmitter works, 0 during outages.
    up: Option<Cursor>,
    /// The start of the present piece, which is part of a segment of `rate` and of a segment of `up`.
    start: Time,
    end: Time,
    works: bool,
    /// The work done at the start of the piece.
    done: u128,
    /// The work done at its end, unless it has none.
    done_by_end: u128,
    /// The area of the rate's segment up to the start of the piece.
    area_before: u128,
    /// No piece begins at this time or later.
    until: Time,
}

impl RateIntegral {
    pub(super) fn new(rate: Cursor, up: Option<Cursor>, until: Time) -> RateIntegral {
        let (start, end) = (Time::ZERO, Time::ZERO);
        let (done, done_by_end, area_before) = (0, 0, 0);
        let mut integral =
            RateIntegral { rate, up, start, end, works: true, done, done_by_end, area_before, until };
        integral.set_piece();
        integral
    }

    fn set_piece(&mut self) {
        self.end = self.rate.segment().end;
        if let Some(up) = &self.up {
            self.end = self.end.min(up.segment().end);
            self.works = up.segment().from > 0;
        }
        self.area_before = area(self.rate.segment(), self.start);
        if self.end < Time::MAX {
            self.done_by_end = self.done_at(self.end);
        }
    }

    fn advance(&mut self) {
        self.done = self.done_by_end;
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
        self.done + area(self.rate.segment(), time) - self.area_before
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
        while self.end < Time::MAX && self.done_by_end < work {
            self.advance();
            if self.start >= self.until {
                return Time::MAX;
            }
        }
        let segment = self.rate.segment();
        if segment.from == segment.to { self.first_at_constant_rate(work) } else { self.first_on_ramp(work) }
    }

    /// The first instant of a piece on a ramp at which `work` is done, which is no more than is done at the piece's end.
    fn first_on_ramp(&self, work: u128) -> Time {
        if !self.works || work <= self.done {
            return self.start;
        }
        let segment = self.rate.segment();
        let guess = segment.start.as_nanos() + root(segment, work - self.done + self.area_before);
        let has = |nanos: u64| self.done_at(Time::from_nanos(nanos)) >= work;
        Time::from_nanos(first_near(guess, self.start.as_nanos(), self.end.as_nanos(), has))
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

/// The nanoseconds from the start of a ramp after which it has this area, but for the rounding of floating-point numbers.
fn root(segment: &Segment, area: u128) -> u64 {
    let whole = segment.end.since(segment.start).as_nanos() as f64;
    let (from, area) = (segment.from as f64, area as f64);
    let change = (segment.to as f64 - from) / whole;
    (area / (from + (from * from + change * area).max(0.0).sqrt())).ceil() as u64
}

/// The first number from `start` on that `has`, which all numbers after it do, `end` among them: steps of doubling length
/// from `guess` find two numbers around it, and halving finds it between them.
fn first_near(guess: u64, start: u64, end: u64, has: impl Fn(u64) -> bool) -> u64 {
    let guess = guess.clamp(start, end);
    let (mut low, mut high) = (start, end);
    let mut step = 1;
    if has(guess) {
        high = guess;
        while high > low {
            let probe = high - step.min(high - low);
            if !has(probe) {
                low = probe + 1;
                break;
            }
            high = probe;
            step *= 2;
        }
    } else {
        low = guess + 1;
        while low < high {
            let probe = low + (step - 1).min(high - low);
            if has(probe) {
                high = probe;
                break;
            }
            low = probe + 1;
            step *= 2;
        }
    }
    while low < high {
        let middle = u64::midpoint(low, high);
        if has(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use ackclock_units::Duration;

    use super::super::profile::{Points, Profile};
    use super::{RateIntegral, first_near};
    use crate::RandomStream;
    use ackclock_units::Time;

    #[test]
    fn the_first_number_is_found_from_any_guess() {
        for first in 0..20 {
            for guess in 0..30 {
                assert_eq!(
                    first_near(guess, 0, 19.max(first), |number| number >= first),
                    first,
                    "from {guess}"
                );
            }
        }
    }

    /// By definition: the work is done at the instant, and not a nanosecond before. Ramps up from zero, down to zero, and
    /// with the largest and smallest slopes, by packets of 40 to 1500 bytes.
    #[test]
    fn the_instant_is_the_first_at_which_the_work_is_done() {
        let second = Duration::from_secs(1);
        let points = [(0, 0), (1, 100_000_000), (2, 1), (3, 10_000_000_000), (7, 9_999_999_999), (8, 0)];
        let points = points.map(|(seconds, rate)| (second * seconds, rate));
        let profile = Profile::Points(Points { points: points.into(), linear: true, every: None });
        let integral = || {
            let stream = |name: &str| RandomStream::new(1, name);
            RateIntegral::new(profile.cursor(stream("rate")), None, Time::ZERO + second * 9)
        };
        let (mut by_work, mut by_time, mut work) = (integral(), integral(), 0);
        for packet in 0_u32.. {
            work += u128::from(40 + packet % 5 * 365) * 16_000_000_000 * u128::from(1 + packet % 700);
            let first = by_work.first_with(work);
            if first == Time::MAX {
                assert!(packet > 1000, "{packet} packets");
                break;
            }
            assert!(by_time.at(Time::from_nanos(first.as_nanos() - 1)) < work, "packet {packet}");
            assert!(by_time.at(first) >= work, "packet {packet}");
        }
    }
}
