//! A layer of a policy: weighted sums of its inputs, and a function of each.

/// The function taken of each weighted sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activation {
    /// The sum itself.
    Identity,
    /// The sum where it is positive, otherwise 0.
    Relu,
    /// The hyperbolic tangent of the sum.
    Tanh,
}

impl Activation {
    /// All of them by name.
    pub const ALL: [(&str, Activation); 3] =
        [("identity", Activation::Identity), ("relu", Activation::Relu), ("tanh", Activation::Tanh)];

    fn of(self, sum: f64) -> f64 {
        match self {
            Activation::Identity => sum,
            Activation::Relu => sum.max(0.0),
            Activation::Tanh => libm::tanh(sum),
        }
    }
}

/// Weighted sums of all inputs, a row of weights and a bias for each, and the function taken of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The weights of the inputs, a row for each output.
    pub weights: Vec<Vec<f64>>,
    /// The bias of each output, added to its sum.
    pub bias: Vec<f64>,
    /// The function taken of each sum.
    pub activation: Activation,
}

impl Layer {
    /// The outputs for these inputs.
    pub(super) fn outputs(&self, inputs: &[f64]) -> Vec<f64> {
        let sum = |row: &[f64]| row.iter().zip(inputs).map(|(weight, input)| weight * input).sum::<f64>();
        self.weights.iter().zip(&self.bias).map(|(row, bias)| self.activation.of(sum(row) + bias)).collect()
    }

    /// Checks the shape for this many inputs.
    pub(super) fn check(&self, inputs: usize) -> Result<(), String> {
        let outputs = self.bias.len();
        if self.weights.len() != outputs {
            let rows = self.weights.len();
            return Err(format!("rows of weights: {rows}, biases: {outputs}; each output has both"));
        }
        if let Some(row) = self.weights.iter().find(|row| row.len() != inputs) {
            return Err(format!("a row of {} weights; there are {inputs} inputs", row.len()));
        }
        let values = self.weights.iter().flatten().chain(&self.bias);
        if let Some(value) = values.copied().find(|value| !value.is_finite()) {
            return Err(format!("a weight of {value}; weights are finite"));
        }
        Ok(())
    }
}
