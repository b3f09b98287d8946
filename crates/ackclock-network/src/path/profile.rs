//! Functions of time: steps, linear ramps, periodic repetitions of both, and Markov-modulated values.

use std::sync::Arc;

use ackclock_units::{Duration, Time};

use crate::RandomStream;

/// A non-negative integer as a function of time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Profile {
    /// Values at points in time.
    Points(Points),
    /// A random value that a continuous-time Markov chain modulates.
    Markov(Markov),
}

impl Profile {
    /// The expected number of changes in `duration`.
    pub fn changes(&self, duration: Duration) -> f64 {
        match self {
            Profile::Points(Points { points, every, .. }) => {
                points.len() as f64 * every.map_or(1.0, |every| (duration / every).max(1.0))
            }
            Profile::Markov(Markov { states, .. }) => {
                let total: Duration = states.iter().fold(Duration::ZERO, |sum, (_, dwell)| sum + *dwell);
                states.len() as f64 * (duration / total)
            }
        }
    }
}

/// Values at points in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points {
    /// The points in ascending order of time; the first is at zero.
    pub points: Arc<[(Duration, u64)]>,
    /// True if the value changes linearly between points, false if it keeps a point's value until the next.
    pub linear: bool,
    /// The period after which the points repeat; none to keep the last value.
    pub every: Option<Duration>,
}

/// A continuous-time Markov chain: it stays in a state for an exponentially distributed time, then changes to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Markov {
    /// The value and the mean dwell time of each state.
    pub states: Arc<[(u64, Duration)]>,
    /// True if the next state is one of the two neighbours in the list, false if it is any other state, all with the
    /// same probability.
    pub neighbours: bool,
}

/// A span of time over which a value is constant or linear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) start: Time,
    /// The end; [`Time::MAX`] if the segment has none, and then the value is constant.
    pub(crate) end: Time,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

impl Segment {
    /// The value at a time within the segment.
    pub(crate) fn value_at(&self, time: Time) -> u64 {
        if self.from == self.to {
            return self.from;
        }
        let (part, whole) = (time.since(self.start).as_nanos(), self.end.since(self.start).as_nanos());
        let change = i128::from(self.to) - i128::from(self.from);
        (i128::from(self.from) + change * i128::from(part) / i128::from(whole)) as u64
    }
}

impl Profile {
    /// The function, from its start. Random ones draw from `stream`.
    pub(crate) fn cursor(&self, stream: RandomStream) -> Cursor {
        let mut source = match self {
            Profile::Points(points) => Source::Points { points: points.clone(), cycle: Time::ZERO, next: 0 },
            Profile::Markov(markov) => {
                let mut stream = stream;
                let state = markov.first(&mut stream);
                Source::Markov { markov: markov.clone(), stream, state, at: Time::ZERO }
            }
        };
        let segment = source.next();
        Cursor { source, segment }
    }

    /// The mean over time: over a period where there is one, else to the last point, or the last value where that mean is zero;
    /// of a random value the expected one. It is a property of the profile, whatever the length of a run.
    pub fn mean(&self) -> f64 {
        match self {
            Profile::Points(points) => points.mean(),
            Profile::Markov(markov) => markov.mean(),
        }
    }

    /// The smallest value.
    pub fn least(&self) -> u64 {
        match self {
            Profile::Points(points) => {
                points.points.iter().map(|(_, value)| *value).min().unwrap_or_default()
            }
            Profile::Markov(markov) => {
                markov.states.iter().map(|(value, _)| *value).min().unwrap_or_default()
            }
        }
    }
}

impl Points {
    fn mean(&self) -> f64 {
        let (latest, last) = self.points.last().copied().unwrap_or_default();
        let whole = self.every.unwrap_or(latest).as_nanos();
        let ends = self.points.iter().skip(1).map(|(time, value)| (time.as_nanos(), *value));
        let mut area = 0.0;
        for ((time, value), (end, reached)) in self.points.iter().zip(ends.chain([(whole, last)])) {
            let start = time.as_nanos();
            if start >= whole {
                break;
            }
            let (value, reached) = (*value as f64, if self.linear { reached } else { *value } as f64);
            let (span, cut) = ((end - start) as f64, end.min(whole) - start);
            let at_cut = value + (reached - value) * cut as f64 / span.max(1.0);
            area += f64::midpoint(value, at_cut) * cut as f64;
        }
        if area > 0.0 { area / whole as f64 } else { last as f64 }
    }
}

impl Markov {
    /// The share of the time spent in this state, times a constant. A random walk between neighbours enters the inner
    /// states twice as often as the two at the ends.
    fn weight(&self, state: usize) -> f64 {
        let inner = self.neighbours && state > 0 && state + 1 < self.states.len();
        self.states[state].1.as_secs_f64() * if inner { 2.0 } else { 1.0 }
    }

    fn mean(&self) -> f64 {
        let states = 0..self.states.len();
        let total: f64 = states.clone().map(|state| self.weight(state)).sum();
        states.map(|state| self.weight(state) * self.states[state].0 as f64).sum::<f64>() / total
    }

    /// A state from the stationary distribution.
    fn first(&self, stream: &mut RandomStream) -> usize {
        let total: f64 = (0..self.states.len()).map(|state| self.weight(state)).sum();
        let mut rest = stream.uniform() * total;
        for state in 0..self.states.len() {
            rest -= self.weight(state);
            if rest < 0.0 {
                return state;
            }
        }
        self.states.len() - 1
    }

    fn next(&self, state: usize, stream: &mut RandomStream) -> usize {
        let count = self.states.len();
        if !self.neighbours {
            let other = stream.below(count as u32 - 1) as usize;
            return other + usize::from(other >= state);
        }
        match state {
            0 => 1,
            last if last + 1 == count => last - 1,
            inner => inner + 1 - 2 * usize::from(stream.bernoulli(0.5)),
        }
    }
}

/// A function of time, evaluated at times that do not decrease.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    source: Source,
    segment: Segment,
}

#[derive(Clone, Debug)]
enum Source {
    Points { points: Points, cycle: Time, next: usize },
    Markov { markov: Markov, stream: RandomStream, state: usize, at: Time },
}

impl Cursor {
    /// The present segment.
    pub(crate) fn segment(&self) -> &Segment {
        &self.segment
    }

    /// Goes on to the next segment.
    pub(crate) fn advance(&mut self) {
        self.segment = self.source.next();
    }

    /// The value at `time`. Calls come in ascending order of time.
    pub(crate) fn value_at(&mut self, time: Time) -> u64 {
        while self.segment.end <= time && self.segment.end < Time::MAX {
            self.advance();
        }
        self.segment.value_at(time)
    }
}

impl Source {
    fn next(&mut self) -> Segment {
        match self {
            Source::Points { points, cycle, next } => {
                let Points { points, linear, every } = points;
                if *next == points.len() {
                    *next = 0;
                    *cycle += every.unwrap_or(Duration::MAX);
                }
                let (time, from) = points[*next];
                *next += 1;
                let (end, to) = match (points.get(*next), every) {
                    (Some((time, value)), _) => (*cycle + *time, if *linear { *value } else { from }),
                    (None, Some(every)) => (*cycle + *every, from),
                    (None, None) => (Time::MAX, from),
                };
                Segment { start: *cycle + time, end, from, to }
            }
            Source::Markov { markov, stream, state, at } => {
                let (value, mean) = markov.states[*state];
                let dwell = Duration::from_secs_f64(stream.exponential(mean.as_secs_f64()));
                let start = *at;
                *at += dwell.max(Duration::from_nanos(1));
                *state = markov.next(*state, stream);
                Segment { start, end: *at, from: value, to: value }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of the way up from 1000 to 2000, and down from 2000 to 1000.
    #[test]
    fn a_ramp_has_its_values_in_proportion() {
        for (from, to, expected) in [(1000, 2000, 1250), (2000, 1000, 1750), (700, 700, 700)] {
            let ramp = Segment { start: Time::from_nanos(50), end: Time::from_nanos(150), from, to };
            assert_eq!(ramp.value_at(Time::from_nanos(75)), expected);
        }
    }
}
