//! Distributions of sizes and times.

use ackclock_units::Duration;

use crate::RandomStream;

/// The distribution of a quantity, in base units: packets, seconds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Distribution {
    /// One value.
    Constant(f64),
    /// Every value from `from` to `to` equally likely.
    Uniform {
        /// The smallest value.
        from: f64,
        /// The largest value.
        to: f64,
    },
    /// Exponential.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// Pareto: `P(X > x) = (scale / x)^shape` from `scale` on.
    Pareto {
        /// The least value.
        scale: f64,
        /// The index of the tail.
        shape: f64,
    },
    /// Log-normal.
    Lognormal {
        /// The median.
        median: f64,
        /// The standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Weibull: `P(X > x) = exp(-(x / scale)^shape)`.
    Weibull {
        /// 63 % of the values are below it.
        scale: f64,
        /// The shape; below 1 the tail is heavier than an exponential one.
        shape: f64,
    },
    /// Measured values.
    Empirical(Empirical),
}

/// Measured values, each with its weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Empirical {
    values: Vec<f64>,
    /// The sum of the weights up to each value, itself included; none if all values are equally likely.
    cumulative: Option<Vec<f64>>,
}

/// The longest time drawn, in seconds: thirty years, which no run lasts.
const LONGEST_TIME: f64 = 1e9;

impl Distribution {
    /// A value.
    pub fn draw(&self, stream: &mut RandomStream) -> f64 {
        match self {
            Distribution::Constant(value) => *value,
            Distribution::Uniform { from, to } => from + (to - from) * stream.uniform(),
            Distribution::Exponential { mean } => stream.exponential(*mean),
            Distribution::Pareto { scale, shape } => stream.pareto(*scale, *shape),
            Distribution::Lognormal { median, sigma } => stream.lognormal(*median, *sigma),
            Distribution::Weibull { scale, shape } => stream.weibull(*scale, *shape),
            Distribution::Empirical(values) => values.draw(stream),
        }
    }

    /// A whole number: a draw rounded up, at least 1 and at most `most`.
    pub fn draw_whole(&self, stream: &mut RandomStream, most: f64) -> u64 {
        whole(self.draw(stream), most)
    }

    /// The whole number that every draw returns, if there is only one.
    pub fn constant_whole(&self, most: f64) -> Option<u64> {
        if let Distribution::Constant(value) = self { Some(whole(*value, most)) } else { None }
    }

    /// A span of time drawn from a distribution in seconds.
    pub fn draw_duration(&self, stream: &mut RandomStream) -> Duration {
        Duration::from_secs_f64(self.draw(stream).min(LONGEST_TIME))
    }
}

/// A value rounded up, at least 1 and at most `most`.
fn whole(value: f64, most: f64) -> u64 {
    value.ceil().clamp(1.0, most) as u64
}

impl Empirical {
    /// Values with the cumulative sums of their weights, as many as there are values; equally likely without.
    pub fn new(values: Vec<f64>, cumulative: Option<Vec<f64>>) -> Empirical {
        Empirical { values, cumulative }
    }

    fn draw(&self, stream: &mut RandomStream) -> f64 {
        let last = self.values.len().saturating_sub(1);
        let index = match &self.cumulative {
            None => (stream.uniform() * self.values.len() as f64) as usize,
            Some(sums) => {
                let drawn = stream.uniform() * sums.last().copied().unwrap_or_default();
                sums.partition_point(|sum| *sum <= drawn)
            }
        };
        // A table that was checked is not empty.
        self.values.get(index.min(last)).copied().unwrap_or(1.0)
    }
}
