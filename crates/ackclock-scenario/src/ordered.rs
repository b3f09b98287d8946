//! Rows in order: one sort for all tables, since each type of rows that is sorted has a sort's code of its own.

use std::cmp::Ordering;

/// The numbers below `count` in the order that `compare` gives; those that are equal stay as they are.
pub fn ordered(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}
