//! Measured sizes.

use ackclock_random::Empirical;
use serde::{Deserialize, Deserializer};

use crate::read::error::{ScenarioError, clip};

/// The most sizes of one table.
const MOST_SIZES: usize = 100_000;
/// The largest size, in packets.
const LARGEST: f64 = 1e12;

/// Sizes in packets, each with a probability in proportion to its weight.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SizeTable {
    /// The name of a table of sizes, next to the scenario; reading the scenario replaces it by the sizes.
    pub file: Option<String>,
    /// The sizes, in packets.
    #[serde(default)]
    pub packets: Vec<f64>,
    /// The relative frequency of each size; equal frequencies if omitted.
    pub weights: Option<Weights>,
}

/// Weights, which need not add up to one.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    each: Vec<f64>,
    /// The sum up to each, itself included.
    up_to: Vec<f64>,
}

impl<'de> Deserialize<'de> for Weights {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Weights, D::Error> {
        let each = Vec::<f64>::deserialize(from)?;
        let mut sum = 0.0;
        let up_to = each.iter().map(|weight| {
            sum += weight;
            sum
        });
        Ok(Weights { up_to: up_to.collect(), each })
    }
}

impl SizeTable {
    /// The distribution to draw from, in packets.
    pub(crate) fn law(&self) -> Empirical {
        let cumulative = self.weights.as_ref().map(|weights| weights.up_to.clone());
        Empirical::new(self.packets.clone(), cumulative)
    }

    /// Checks the values.
    pub(crate) fn check(&self, key: &str) -> Result<(), ScenarioError> {
        let wrong = |name: &str, message: String, found: String| {
            Err(ScenarioError::at(format!("{key}.{name}"), message).with_found(found))
        };
        if let Some(file) = &self.file {
            return wrong("file", "no file can be read here".to_owned(), clip(file));
        }
        if self.packets.is_empty() {
            let message = "found neither \"packets\", a list of sizes, nor \"file\", the name of a CSV file";
            return Err(ScenarioError::at(key, message));
        }
        let count = self.packets.len();
        if count > MOST_SIZES {
            return wrong("packets", format!("found {count} sizes; at most {MOST_SIZES}"), count.to_string());
        }
        let possible = |size: &f64| *size > 0.0 && *size <= LARGEST;
        if let Some(at) = self.packets.iter().position(|size| !possible(size)) {
            let size = self.packets[at];
            let message = format!("found {size}; a size is above zero, and {LARGEST:e} packets at most");
            return wrong(&format!("packets.{at}"), message, size.to_string());
        }
        let Some(weights) = &self.weights else { return Ok(()) };
        if weights.each.len() != count {
            let found = weights.each.len();
            let message = format!("found {found} weights for {count} sizes; each size has one");
            return wrong("weights", message, found.to_string());
        }
        if let Some(at) = weights.each.iter().position(|weight| *weight < 0.0) {
            let weight = weights.each[at];
            let message = format!("found {weight}; a weight is zero or more");
            return wrong(&format!("weights.{at}"), message, weight.to_string());
        }
        match weights.up_to.last() {
            Some(sum) if *sum > 0.0 && sum.is_finite() => Ok(()),
            sum => {
                let sum = sum.copied().unwrap_or_default();
                let message = format!("found a sum of {sum}; it is above zero, and a finite number");
                wrong("weights", message, sum.to_string())
            }
        }
    }
}
