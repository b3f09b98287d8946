//! Comparisons of real numbers, neither of them NaN: they take one instruction, [`f64::max`] and [`f64::min`] take
//! five.

/// The larger of two numbers.
#[inline]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers.
#[inline]
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::{larger, smaller};

    #[test]
    fn of_two_numbers_one_is_larger() {
        for (a, b) in [(1.0, 2.0), (2.0, 1.0), (f64::INFINITY, 1.0), (3.0, 3.0)] {
            assert_eq!((larger(a, b), smaller(a, b)), (a.max(b), a.min(b)));
        }
    }
}
