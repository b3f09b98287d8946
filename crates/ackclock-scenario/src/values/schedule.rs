//! Schedules: a rate, a delay or a probability as a function of time.

use std::fmt;
use std::marker::PhantomData;

use ackclock_network::{Markov, Points, Profile};
use ackclock_units::Duration;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::{LONGEST_DELAY, LONGEST_RAMP, MOST_POINTS, SHORTEST_DWELL};
use crate::read::quantity::{self, Quantity, QuantityVisitor};

/// A quantity that is constant, or follows a schedule that a table `S` describes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Varying<Q, S> {
    /// Always the same: a text such as `"2 Mbit/s"`.
    Constant(Q),
    /// A table.
    Scheduled(S),
}

/// A value that is written as a text with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Text<Q>(pub Q);

impl<'de, Q: Quantity> Deserialize<'de> for Text<Q> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Text<Q>, D::Error> {
        quantity::read(from).map(Text)
    }
}

/// A probability.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Probability(pub f64);

/// A function of time: exactly one of `steps`, `ramps` and `markov`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Schedule<V> {
    /// The value from each time on.
    pub steps: Option<Vec<(Text<Duration>, V)>>,
    /// The value at each time, linear between them.
    pub ramps: Option<Vec<(Text<Duration>, V)>>,
    /// A random value.
    pub markov: Option<Chain<V>>,
    /// The period after which steps or ramps begin again.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub every: Option<Duration>,
}

/// A continuous-time Markov chain.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Chain<V> {
    /// The value of each state.
    pub states: Vec<V>,
    /// The mean time in each state; times are exponentially distributed.
    pub dwell: Vec<Text<Duration>>,
    /// True if the next state is a neighbour in the list; otherwise any other.
    #[serde(default)]
    pub neighbours: bool,
}

impl<'de, Q: Quantity, S: Deserialize<'de>> Deserialize<'de> for Varying<Q, S> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Varying<Q, S>, D::Error> {
        from.deserialize_any(TextOrTable(PhantomData))
    }
}

struct TextOrTable<Q, S>(PhantomData<(Q, S)>);

impl<'de, Q: Quantity, S: Deserialize<'de>> Visitor<'de> for TextOrTable<Q, S> {
    type Value = Varying<Q, S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} such as {:?}, or a table of a schedule", Q::WHAT, Q::EXAMPLE)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_str(text).map(Varying::Constant)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_u64(number).map(Varying::Constant)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_i64(number).map(Varying::Constant)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        QuantityVisitor(PhantomData).visit_f64(number).map(Varying::Constant)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Self::Value, A::Error> {
        S::deserialize(MapAccessDeserializer::new(table)).map(Varying::Scheduled)
    }
}

impl<V> Schedule<V> {
    /// The values with their keys.
    pub(crate) fn values(&self, at: &Key) -> Vec<(Key, &V)> {
        let mut values = Vec::new();
        for (name, points) in [("steps", &self.steps), ("ramps", &self.ramps)] {
            let points = points.iter().flatten().enumerate();
            values.extend(points.map(|(index, (_, value))| (at.then(name).then(index).then(1), value)));
        }
        let states = self.markov.iter().flat_map(|chain| &chain.states).enumerate();
        let key = |index: usize| at.then("markov").then("states").then(index);
        values.extend(states.map(|(index, value)| (key(index), value)));
        values
    }

    /// Refuses tables that do not define a function of time. Values are checked separately.
    pub(crate) fn check(&self, at: &Key) -> Checked {
        let found = [
            ("steps", self.steps.is_some()),
            ("ramps", self.ramps.is_some()),
            ("markov", self.markov.is_some()),
        ];
        let found: Vec<&str> =
            found.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| *name).collect();
        let [_] = found.as_slice() else {
            let found = if found.is_empty() { "none".to_owned() } else { found.join(" and ") };
            return Err(
                at.error(format!("found {found}; a schedule has exactly one of steps, ramps and markov"))
            );
        };
        for (name, points) in [("steps", &self.steps), ("ramps", &self.ramps)] {
            if let Some(points) = points {
                let times: Vec<Duration> = points.iter().map(|(time, _)| time.0).collect();
                check_times(&at.then(name), &times)?;
                self.check_period(at, &times)?;
            }
        }
        if let Some(points) = &self.ramps {
            let long = |pair: &[(Text<Duration>, V)]| pair[1].0.0.saturating_sub(pair[0].0.0) > LONGEST_RAMP;
            if let Some(index) = points.windows(2).position(long) {
                let message = format!("a ramp of more than {LONGEST_RAMP} ends here; put points between");
                return Err(at.then("ramps").then(index + 1).error(message));
            }
        }
        self.markov.as_ref().map_or(Ok(()), |chain| chain.check(&at.then("markov"), self.every, at))
    }

    fn check_period(&self, at: &Key, times: &[Duration]) -> Checked {
        let Some(every) = self.every else { return Ok(()) };
        let last = times.last().copied().unwrap_or_default();
        at.then("every").at_most(every, LONGEST_DELAY)?;
        if every <= last {
            let message = format!("found {every}; the schedule begins again after its last point, at {last}");
            return Err(at.then("every").wrong(every, message));
        }
        Ok(())
    }

    /// The function in whole numbers.
    pub(crate) fn profile(&self, whole: impl Fn(&V) -> u64) -> Profile {
        if let Some(chain) = &self.markov {
            let states = chain.states.iter().zip(&chain.dwell);
            let states = states.map(|(value, dwell)| (whole(value), dwell.0)).collect();
            return Profile::Markov(Markov { states, neighbours: chain.neighbours });
        }
        let points = self.steps.as_ref().or(self.ramps.as_ref()).into_iter().flatten();
        let points = points.map(|(time, value)| (time.0, whole(value))).collect();
        Profile::Points(Points { points, linear: self.ramps.is_some(), every: self.every })
    }
}

/// Checks that points begin at zero and are in order.
pub(crate) fn check_times(at: &Key, times: &[Duration]) -> Checked {
    let Some(first) = times.first() else {
        return Err(at.error("found an empty list; a schedule has one point at least"));
    };
    if times.len() > MOST_POINTS {
        return Err(at.wrong(times.len(), format!("found {} points; at most {MOST_POINTS}", times.len())));
    }
    if !first.is_zero() {
        let message = format!("found {first}; the first point is at \"0 s\"");
        return Err(at.then(0).then(0).wrong(first, message));
    }
    if let Some(index) = times.windows(2).position(|pair| pair[0] >= pair[1]) {
        let (before, here) = (times[index], times[index + 1]);
        let message = format!("found {here} after {before}; the times of a schedule ascend");
        return Err(at.then(index + 1).then(0).wrong(here, message));
    }
    let last = times.last().copied().unwrap_or_default();
    at.then(times.len() - 1).then(0).at_most(last, LONGEST_DELAY)
}

impl<V> Chain<V> {
    fn check(&self, at: &Key, every: Option<Duration>, schedule: &Key) -> Checked {
        if let Some(every) = every {
            return Err(schedule
                .then("every")
                .wrong(every, "goes with steps and ramps; a Markov chain has no period"));
        }
        let (states, dwell) = (self.states.len(), self.dwell.len());
        if !(2..=1000).contains(&states) {
            return Err(at
                .then("states")
                .wrong(states, format!("found {states} states; expected 2 to 1000")));
        }
        if states != dwell {
            let message = format!("found {dwell} times for {states} states; each state has one");
            return Err(at.then("dwell").wrong(dwell, message));
        }
        for (index, time) in self.dwell.iter().enumerate() {
            let at = at.then("dwell").then(index);
            if time.0 < SHORTEST_DWELL {
                return Err(at.wrong(time.0, format!("found {}; at least {SHORTEST_DWELL}", time.0)));
            }
            at.at_most(time.0, LONGEST_DELAY)?;
        }
        Ok(())
    }
}
