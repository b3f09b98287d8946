//! A run's streams of random numbers, so that a reference can draw what the simulator draws.

use ackclock_random::RandomStream;
use pyo3::prelude::*;

/// The first `count` numbers, uniform over [0, 1), of the stream of this name in a run with this seed.
#[pyfunction]
#[pyo3(signature = (seed, name, count))]
pub fn uniform_numbers(seed: u64, name: &str, count: usize) -> Vec<f64> {
    let mut stream = RandomStream::new(seed, name);
    (0..count).map(|_| stream.uniform()).collect()
}
