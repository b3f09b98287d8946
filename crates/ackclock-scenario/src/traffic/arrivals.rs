//! The arrivals of the flows of a group that do not all start together.

use std::fmt;
use std::str::FromStr;

use ackclock_random::RandomStream;
use ackclock_units::{Duration, ParseQuantityError, split_quantity};
use serde::Deserialize;

use crate::read::error::{ScenarioError, clip};
use crate::read::quantity::{self, Quantity};

/// The times at which the flows of a group start, counted from the group's `start`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Arrivals {
    /// As a Poisson process: the gaps before the first flow and between flows are exponentially distributed.
    Poisson(PoissonArrivals),
    /// At these times, a flow each.
    #[serde(deserialize_with = "quantity::read_list")]
    At(Vec<Duration>),
    /// The name of a table of times, next to the scenario; reading the scenario replaces it by the times.
    File(String),
}

/// A Poisson process, by its rate, by rates that change, or by its mean gap.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PoissonArrivals {
    /// The mean number of flows that arrive in a given time.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub rate: Option<FlowRate>,
    /// The rates from given times on, counted from the group's `start`; the first from zero on.
    #[serde(default)]
    pub rates: Vec<RateStep>,
    /// The mean time from one flow to the next.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub mean_gap: Option<Duration>,
}

/// A rate of arrivals from some time on: `["10 s", "5 flows/s"]`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct RateStep(
    #[serde(deserialize_with = "quantity::read")] pub Duration,
    #[serde(deserialize_with = "quantity::read")] pub FlowRate,
);

/// Flows per second: `"5 flows/s"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowRate(pub f64);

/// The units of a [`FlowRate`], and their lengths in seconds.
const UNITS: [(&str, f64); 4] =
    [("flows/ms", 0.001), ("flows/s", 1.0), ("flows/min", 60.0), ("flows/h", 3600.0)];

impl Quantity for FlowRate {
    const WHAT: &'static str = "a rate of arrivals";
    const EXAMPLE: &'static str = "5 flows/s";
}

impl FromStr for FlowRate {
    type Err = ParseQuantityError;
    fn from_str(text: &str) -> Result<FlowRate, ParseQuantityError> {
        let (number, unit) = split_quantity(text)?;
        match UNITS.iter().find(|(name, _)| *name == unit) {
            Some((_, seconds)) if number > 0.0 && (number / seconds).is_finite() => {
                Ok(FlowRate(number / seconds))
            }
            Some(_) => {
                Err(ParseQuantityError::new(format!("found {text:?}; a rate of arrivals is above zero")))
            }
            None => {
                let units = UNITS.map(|(name, _)| name).join(", ");
                let text = clip(text);
                Err(ParseQuantityError::new(format!(
                    "found {text:?}; expected a rate of arrivals such as \"5 flows/s\" (units: {units})"
                )))
            }
        }
    }
}

impl fmt::Display for FlowRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} flows/s", self.0)
    }
}

impl PoissonArrivals {
    /// The mean gap in seconds. [`Arrivals::check`] has made sure that it is given.
    fn mean_gap_secs(&self) -> f64 {
        match (self.mean_gap, self.rate) {
            (Some(gap), _) => gap.as_secs_f64(),
            (None, rate) => rate.map_or(f64::INFINITY, |rate| rate.0.recip()),
        }
    }

    /// The mean number of arrivals within `span`.
    fn expected(&self, span: Duration) -> f64 {
        if self.rates.is_empty() {
            return span.as_secs_f64() / self.mean_gap_secs();
        }
        // Each step changes the rate for all of the time after it.
        let mut before = 0.0;
        let steps = self.rates.iter().map(|RateStep(from, FlowRate(rate))| {
            let change = rate - std::mem::replace(&mut before, *rate);
            change * span.saturating_sub(*from).as_secs_f64()
        });
        steps.sum()
    }

    /// The times in seconds at which flows arrive, without an end.
    fn times(&self, mut stream: RandomStream) -> impl Iterator<Item = f64> {
        let (gap, mut step, mut time) = (self.mean_gap_secs(), 0, 0.0);
        std::iter::repeat_with(move || {
            if self.rates.is_empty() {
                time += stream.exponential(gap);
                return time;
            }
            // The expected number of arrivals until the next one is exponentially distributed, whatever
            // the rates.
            let mut expected = stream.exponential(1.0);
            loop {
                let FlowRate(rate) = self.rates[step].1;
                let until = self.rates.get(step + 1).map_or(f64::INFINITY, |next| next.0.as_secs_f64());
                let in_step = rate * (until - time);
                if expected <= in_step {
                    time += expected / rate;
                    return time;
                }
                (expected, time, step) = (expected - in_step, until, step + 1);
            }
        })
    }

    fn check(&self, key: &str) -> Result<(), ScenarioError> {
        let wrong = |message| Err(ScenarioError::at(format!("{key}.rates"), message));
        match (self.rate, self.mean_gap) {
            (None, None) if self.rates.is_empty() => Err(ScenarioError::at(
                key,
                "found neither \"rate\", \"rates\" nor \"mean_gap\"; one is needed",
            )),
            (None, None) if !self.rates[0].0.is_zero() => wrong("the first rate holds from \"0 s\" on"),
            (None, None) if self.rates.windows(2).any(|pair| pair[0].0 >= pair[1].0) => {
                wrong("times of changes ascend")
            }
            (None, None) => Ok(()),
            _ if !self.rates.is_empty() => {
                wrong("goes without \"rate\" and \"mean_gap\", which hold for all of the time")
            }
            (Some(_), Some(_)) => {
                Err(ScenarioError::at(key, "found \"rate\" and \"mean_gap\"; one follows from the other"))
            }
            (None, Some(gap)) if gap.is_zero() => {
                let message = "found zero; expected more than that";
                Err(ScenarioError::at(format!("{key}.mean_gap"), message).with_found(gap.to_string()))
            }
            _ => Ok(()),
        }
    }
}

impl Arrivals {
    /// Checks the arrivals, which last at most `span`.
    pub(crate) fn check(&self, key: &str, span: Duration, most: f64) -> Result<(), ScenarioError> {
        match self {
            Arrivals::Poisson(poisson) => {
                let key = format!("{key}.poisson");
                poisson.check(&key)?;
                let expected = poisson.expected(span);
                if expected > most {
                    let message = format!("{expected:.0} flows would arrive; at most {most} are possible");
                    return Err(ScenarioError::at(key, message).with_found(format!("{expected:.0}")));
                }
                Ok(())
            }
            Arrivals::At(times) if times.is_empty() => Err(ScenarioError::at(
                format!("{key}.at"),
                "found an empty list; it has a time for each flow",
            )),
            Arrivals::At(times) if times.iter().all(|time| *time >= span) => {
                let message = "all of these times are after the end of the run";
                Err(ScenarioError::at(format!("{key}.at"), message))
            }
            Arrivals::At(_) => Ok(()),
            Arrivals::File(name) => {
                Err(ScenarioError::at(format!("{key}.file"), "no file can be read here")
                    .with_found(clip(name)))
            }
        }
    }

    /// The arrival times of `count` flows. Without `count`, those within `span`, at most `most + 1`.
    pub(crate) fn times(
        &self,
        stream: RandomStream,
        count: Option<u32>,
        span: Duration,
        most: u32,
    ) -> Vec<Duration> {
        match self {
            Arrivals::Poisson(poisson) => {
                let process =
                    poisson.times(stream).map(|time| Duration::from_secs_f64(time.min(LONGEST_WAIT)));
                match count {
                    Some(count) => process.take(count as usize).collect(),
                    None => process.take_while(|time| *time < span).take(most as usize + 1).collect(),
                }
            }
            Arrivals::At(times) => times.clone(),
            Arrivals::File(_) => Vec::new(),
        }
    }
}

/// The most seconds: thirty years, longer than any run.
const LONGEST_WAIT: f64 = 1e9;
