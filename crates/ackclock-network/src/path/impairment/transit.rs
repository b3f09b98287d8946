//! A packet on the wire, on which impairments act.

use ackclock_units::Time;

/// A packet on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transit {
    /// Its flow, with its incarnation.
    pub(crate) flow: u32,
    /// Its arrival at the far end, before order is kept.
    pub(crate) arrival: Time,
    /// It is lost at the far end.
    pub(crate) lost: bool,
    /// It leaves the order of the others: packets behind it may arrive before it.
    pub(crate) displaced: bool,
    /// It waits at the far end until so many packets behind it have arrived, at most until `arrival`.
    pub(crate) behind: u32,
    /// Copies of it that arrive with it.
    pub(crate) copies: u32,
}
