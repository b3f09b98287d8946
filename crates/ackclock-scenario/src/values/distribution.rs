//! Random quantities: file sizes, think times.

use ackclock_random::Distribution as Law;
use ackclock_units::Duration;
use serde::Deserialize;

use super::packets::Packets;
use super::size_table::SizeTable;
use crate::read::error::ScenarioError;
use crate::read::quantity::{self, Quantity};

/// The distribution of a quantity.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", bound(deserialize = "Q: Quantity"))]
#[non_exhaustive]
pub enum Distribution<Q> {
    /// Always the same.
    #[serde(deserialize_with = "quantity::read")]
    Constant(Q),
    /// Every value between two equally likely.
    Uniform(Uniform<Q>),
    /// Memoryless.
    Exponential(Exponential<Q>),
    /// Heavy-tailed: `P(X > x) = (scale / x)^shape` from `scale` on.
    Pareto(Pareto<Q>),
    /// Its logarithm is normally distributed.
    Lognormal(Lognormal<Q>),
    /// `P(X > x) = exp(-(x / scale)^shape)`.
    Weibull(Weibull<Q>),
    /// As measured: sizes of files, each with its weight.
    Table(SizeTable),
}

/// Every value between two equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "Q: Quantity"))]
#[non_exhaustive]
pub struct Uniform<Q> {
    /// The smallest.
    #[serde(deserialize_with = "quantity::read")]
    pub from: Q,
    /// The largest.
    #[serde(deserialize_with = "quantity::read")]
    pub to: Q,
}

/// Memoryless.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "Q: Quantity"))]
#[non_exhaustive]
pub struct Exponential<Q> {
    /// The mean.
    #[serde(deserialize_with = "quantity::read")]
    pub mean: Q,
}

/// A Pareto distribution, by its mean or by its scale.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "Q: Quantity"))]
#[non_exhaustive]
pub struct Pareto<Q> {
    /// The mean, which exists above a shape of 1: `scale shape / (shape - 1)`.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub mean: Option<Q>,
    /// The least value.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub scale: Option<Q>,
    /// The index of the tail; the variance is infinite up to 2.
    pub shape: f64,
}

/// A log-normal distribution, by its median and the standard deviation of its logarithm.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "Q: Quantity"))]
#[non_exhaustive]
pub struct Lognormal<Q> {
    /// The median; the mean is `median exp(sigma^2 / 2)`.
    #[serde(deserialize_with = "quantity::read")]
    pub median: Q,
    /// The standard deviation of the natural logarithm.
    pub sigma: f64,
}

/// By its scale and shape.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "Q: Quantity"))]
#[non_exhaustive]
pub struct Weibull<Q> {
    /// The scale: 63 % of the values are below it.
    #[serde(deserialize_with = "quantity::read")]
    pub scale: Q,
    /// Below 1 the tail is heavier than an exponential one.
    pub shape: f64,
}

/// A quantity that can be drawn as a real number of base units.
pub trait Drawn: Quantity + Copy {
    /// True if a table may describe its distribution.
    const HAS_TABLES: bool;
    /// Base units: packets, or seconds.
    fn base(self) -> f64;
}

impl Drawn for Packets {
    const HAS_TABLES: bool = true;
    fn base(self) -> f64 {
        self.0
    }
}

impl Drawn for Duration {
    const HAS_TABLES: bool = false;
    fn base(self) -> f64 {
        self.as_secs_f64()
    }
}

impl<Q: Drawn> Distribution<Q> {
    /// The distribution to draw from, in base units: packets, or seconds.
    pub fn law(&self) -> Law {
        match self {
            Distribution::Constant(value) => Law::Constant(value.base()),
            Distribution::Uniform(Uniform { from, to }) => Law::Uniform { from: from.base(), to: to.base() },
            Distribution::Exponential(exponential) => Law::Exponential { mean: exponential.mean.base() },
            Distribution::Pareto(pareto) => Law::Pareto { scale: pareto.least(), shape: pareto.shape },
            Distribution::Lognormal(Lognormal { median, sigma }) => {
                Law::Lognormal { median: median.base(), sigma: *sigma }
            }
            Distribution::Weibull(Weibull { scale, shape }) => {
                Law::Weibull { scale: scale.base(), shape: *shape }
            }
            Distribution::Table(table) => Law::Empirical(table.law()),
        }
    }

    /// Checks the values.
    pub(crate) fn check(&self, key: &str) -> Result<(), ScenarioError> {
        match self {
            Distribution::Constant(value) => positive(&format!("{key}.constant"), value.base()),
            Distribution::Uniform(range) => {
                positive(&format!("{key}.uniform.to"), range.to.base())?;
                if range.from.base() > range.to.base() {
                    let message = "it is not above \"to\"";
                    return Err(ScenarioError::at(format!("{key}.uniform.from"), message));
                }
                Ok(())
            }
            Distribution::Exponential(exponential) => {
                positive(&format!("{key}.exponential.mean"), exponential.mean.base())
            }
            Distribution::Pareto(pareto) => pareto.check(&format!("{key}.pareto")),
            Distribution::Lognormal(lognormal) => {
                positive(&format!("{key}.lognormal.median"), lognormal.median.base())?;
                shaped(&format!("{key}.lognormal.sigma"), lognormal.sigma, 0.0)
            }
            Distribution::Weibull(weibull) => {
                positive(&format!("{key}.weibull.scale"), weibull.scale.base())?;
                shaped(&format!("{key}.weibull.shape"), weibull.shape, LEAST_SHAPE)
            }
            Distribution::Table(table) if Q::HAS_TABLES => table.check(&format!("{key}.table")),
            Distribution::Table(_) => {
                let message = "only sizes of files can be in a table; expected another distribution";
                Err(ScenarioError::at(format!("{key}.table"), message))
            }
        }
    }
}

/// Below this shape a draw could leave the range of numbers.
const LEAST_SHAPE: f64 = 0.05;
/// The largest meaningful shape or sigma.
const MOST_SHAPE: f64 = 1000.0;

impl<Q: Drawn> Pareto<Q> {
    /// The least value, in base units.
    pub fn least(&self) -> f64 {
        match (self.scale, self.mean) {
            (Some(scale), _) => scale.base(),
            (None, Some(mean)) => mean.base() * (self.shape - 1.0) / self.shape,
            (None, None) => 0.0,
        }
    }

    fn check(&self, key: &str) -> Result<(), ScenarioError> {
        shaped(&format!("{key}.shape"), self.shape, LEAST_SHAPE)?;
        match (self.mean, self.scale) {
            (None, None) => {
                Err(ScenarioError::at(key, "found neither \"mean\" nor \"scale\"; one is needed"))
            }
            (Some(_), Some(_)) => {
                Err(ScenarioError::at(key, "found \"mean\" and \"scale\"; one follows from the other"))
            }
            (None, Some(scale)) => positive(&format!("{key}.scale"), scale.base()),
            (Some(_), None) if self.shape <= 1.0 => {
                let message = format!(
                    "found a mean with a shape of {}; there is none up to a shape of 1 (give the scale instead)",
                    self.shape
                );
                Err(ScenarioError::at(format!("{key}.mean"), message))
            }
            (Some(mean), None) => positive(&format!("{key}.mean"), mean.base()),
        }
    }
}

fn positive(key: &str, value: f64) -> Result<(), ScenarioError> {
    if value > 0.0 {
        return Ok(());
    }
    Err(ScenarioError::at(key, "found zero; it is more than that").with_found(value.to_string()))
}

fn shaped(key: &str, value: f64, least: f64) -> Result<(), ScenarioError> {
    if (least..=MOST_SHAPE).contains(&value) {
        return Ok(());
    }
    let message = format!("found {value}; expected a number from {least} to {MOST_SHAPE}");
    Err(ScenarioError::at(key, message).with_found(value.to_string()))
}
