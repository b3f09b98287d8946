//! A trained policy: layers of weights from observations of a step to a number, which changes the window by a factor.

use ackclock_catalogue::nearest;
use ackclock_units::PacketRate;

use super::action::{Actions, Meaning};
use super::layer::Layer;
use super::step_facts::{OBSERVATIONS, StepFacts};

/// A trained policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The places of the observations in [`OBSERVATIONS`].
    observe: Vec<usize>,
    layers: Vec<Layer>,
    largest_window: f64,
}

impl Policy {
    /// The policy of these layers, which observes the quantities of these names. Windows have at most `largest_window` packets.
    ///
    /// # Errors
    /// When no observation has such a name, or the shapes of the layers do not fit each other.
    pub fn new(observe: &[String], layers: Vec<Layer>, largest_window: f64) -> Result<Policy, String> {
        let observe: Vec<usize> = observe.iter().map(|name| place_of(name)).collect::<Result<_, _>>()?;
        let mut inputs = observe.len();
        for (number, layer) in (1..).zip(&layers) {
            layer.check(inputs).map_err(|wrong| format!("layer {number}: {wrong}"))?;
            inputs = layer.bias.len();
        }
        if layers.is_empty() || inputs != 1 {
            let outputs = if layers.is_empty() { 0 } else { inputs };
            return Err(format!("the last layer has {outputs} outputs; a policy has one action"));
        }
        if !(largest_window.is_finite() && largest_window >= 1.0) {
            return Err(format!("a largest window of {largest_window} packets; it has at least one"));
        }
        Ok(Policy { observe, layers, largest_window })
    }

    /// The number for the facts of a step, which [`Meaning::Factor`] gives a meaning.
    pub fn number(&self, facts: &StepFacts) -> f64 {
        let inputs = self.observe.iter().map(|place| OBSERVATIONS[*place].of(facts)).collect();
        let outputs: Vec<f64> =
            self.layers.iter().fold(inputs, |values: Vec<f64>, layer| layer.outputs(&values));
        outputs[0]
    }

    /// The meaning of its numbers, and the bound of its windows.
    pub fn actions(&self) -> Actions {
        // No rate is asked for.
        let largest_rate = PacketRate(1.0);
        Actions { meaning: Meaning::Factor, largest_window: self.largest_window, largest_rate }
    }
}

fn place_of(name: &str) -> Result<usize, String> {
    let names = || OBSERVATIONS.iter().map(|shown| shown.name);
    names().position(|known| known == name).ok_or_else(|| {
        let hint =
            nearest(name, names()).map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
        format!("no observation is named {name:?}{hint}")
    })
}
