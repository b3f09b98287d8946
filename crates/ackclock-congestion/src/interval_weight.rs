//! The weights of the average loss interval, by which TFRC and NADA know the loss.

/// The weight of the `i`-th of `n` intervals, counted from the most recent, which is 0 (RFC 5348, 5.4).
pub fn interval_weight(i: usize, n: usize) -> f64 {
    if 2 * i < n { 1.0 } else { 2.0 * (n - i) as f64 / (n as f64 + 2.0) }
}
