#![doc = include_str!("../README.md")]

mod maker;
mod supervised;

use std::fs;
use std::path::Path;

use ackclock_congestion::learning::{Activation, Layer, Policy};
use serde::Deserialize;

pub use maker::{FactoryError, Maker};

#[derive(Deserialize)]
struct Written {
    observe: Vec<String>,
    layers: Vec<WrittenLayer>,
    #[serde(default = "largest_window_packets")]
    largest_window_packets: f64,
}

#[derive(Deserialize)]
struct WrittenLayer {
    weights: Vec<Vec<f64>>,
    bias: Vec<f64>,
    activation: String,
}

/// The bound of `ackclock.gym`, used if the file has none.
fn largest_window_packets() -> f64 {
    1e4
}

/// True for the name of a policy's file rather than of an algorithm.
pub fn is_file(spec: &str) -> bool {
    Path::new(spec).extension().is_some_and(|ending| ending == "json")
}

/// Reads the policy of a file.
///
/// # Errors
/// When the file cannot be read or holds no policy, with its name.
pub fn read(path: &str) -> Result<Policy, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    from_json(&text).map_err(|error| format!("{path}: {error}"))
}

/// Reads a policy as JSON.
///
/// # Errors
/// When the text is not JSON of that kind, or [`Policy::new`] refuses it.
pub fn from_json(text: &str) -> Result<Policy, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Written { observe, layers, largest_window_packets } =
        serde_json::from_str(text).map_err(|error| format!("not a policy: {error}"))?;
    let layers = layers.into_iter().map(layer).collect::<Result<_, _>>()?;
    Policy::new(&observe, layers, largest_window_packets)
}

fn layer(WrittenLayer { weights, bias, activation }: WrittenLayer) -> Result<Layer, String> {
    let known = Activation::ALL.iter().find(|(name, _)| *name == activation);
    let (_, activation) = known.ok_or_else(|| {
        let names = Activation::ALL.map(|(name, _)| name).join(", ");
        format!("no activation is named {activation:?} (known here: {names})")
    })?;
    Ok(Layer { weights, bias, activation: *activation })
}

#[cfg(test)]
mod tests {
    use ackclock_congestion::learning::StepFacts;

    use super::*;

    const TEXT: &str = r#"{"observe": ["cwnd_packets", "lost_packets"], "layers": [
        {"weights": [[1.0, -1.0], [0.0, 2.0]], "bias": [-3.0, 0.0], "activation": "relu"},
        {"weights": [[0.5, 1.0]], "bias": [0.25], "activation": "identity"}]}"#;

    /// relu(10 - 1 - 3) = 6 and relu(2) = 2; 6 / 2 + 2 + 1/4.
    #[test]
    fn layers_follow_each_other() {
        let facts = StepFacts { cwnd: 10.0, lost: 1.0, ..StepFacts::default() };
        assert!((from_json(TEXT).unwrap().number(&facts) - 5.25).abs() < 1e-12);
    }

    #[test]
    fn wrong_files_are_refused_with_a_sentence() {
        let refusal = |from: &str, to: &str| from_json(&TEXT.replace(from, to)).unwrap_err();
        assert!(refusal("cwnd_packets", "cwnd_packet").contains("did you mean \"cwnd_packets\"?"));
        assert!(refusal("relu", "rely").contains("known here: identity, relu, tanh"));
        assert!(refusal("[0.25]", "[0.25, 1.0]").contains("layer 2: rows of weights: 1, biases: 2"));
        assert!(refusal("[[0.5, 1.0]]", "[[0.5]]").contains("a row of 1 weights; there are 2 inputs"));
        assert!(refusal("\"observe\"", "\"obsrve\"").contains("missing field `observe`"));
        assert!(refusal("0.5", "1e999").contains("not a policy"));
    }
}
