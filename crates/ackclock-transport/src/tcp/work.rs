//! The work of the scoreboards: steps through lists, as a measure that does not depend on time. Long walks are counted
//! always, so that who drives a sender can bound the work between two looks at the clock; single steps in tests only.

use std::cell::Cell;

thread_local! {
    static WALKED: Cell<u64> = const { Cell::new(0) };
    #[cfg(test)]
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Walks of so few steps belong to the work of their event.
const FEW: usize = 16;

/// Counts the steps of a walk that may be as long as a window, or of work that takes as long. It changes nothing that is
/// computed.
#[inline]
pub fn walk(steps: usize) {
    count(steps);
    if steps > FEW {
        note(steps);
    }
}

#[cold]
fn note(steps: usize) {
    WALKED.set(WALKED.get().wrapping_add(steps as u64));
}

/// The steps of long walks of this thread so far, modulo 2^64.
pub fn walked() -> u64 {
    WALKED.get()
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
