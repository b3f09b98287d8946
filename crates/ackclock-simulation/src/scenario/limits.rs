//! The limits of a scenario.

/// The most flows of a scenario, and pairs of a dumbbell.
pub(super) const MOST_FLOWS: u32 = 1_000_000;
