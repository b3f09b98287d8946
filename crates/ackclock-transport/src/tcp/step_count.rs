//! Steps through lists, as a measure of work that does not depend on time. Single steps are counted in tests only.
//! Owners of lists count the steps of walks that may be as long as a window, so that the driver of an endpoint can
//! bound the work between two checks of the clock.

/// Walks of up to this many steps belong to the work of their event.
const FEW: usize = 16;

/// The steps of long walks that have not been fetched yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LongWalks(u32);

impl LongWalks {
    /// Counts the steps of a walk that may be as long as a window. It changes nothing that is computed.
    #[inline]
    pub fn add(&mut self, steps: usize) {
        if steps > FEW {
            self.0 = self.0.saturating_add(steps as u32);
        }
    }

    /// The steps since the last call.
    #[inline]
    pub fn take(&mut self) -> u32 {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
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
