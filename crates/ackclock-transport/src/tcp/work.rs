//! The work of the scoreboards: steps through lists, counted in tests only, as a measure that does not depend on time.

#[cfg(test)]
use std::cell::Cell;

#[cfg(test)]
thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts steps.
#[cfg(test)]
pub(super) fn count(steps: usize) {
    STEPS.set(STEPS.get() + steps as u64);
}

/// Nothing is counted.
#[cfg(not(test))]
#[inline]
pub(super) fn count(_steps: usize) {}

/// The steps of this thread so far.
#[cfg(test)]
pub(super) fn steps() -> u64 {
    STEPS.get()
}

#[cfg(test)]
mod tests;
