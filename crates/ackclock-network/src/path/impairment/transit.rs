//! A packet on the wire, on which impairments act.

use ackclock_units::Time;

/// A packet on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transit {
    /// Its flow, with its incarnation.
    pub(crate) flow: u32,
    /// Its arrival at the far end, before packets are put in order.
    pub(crate) arrival: Time,
    /// True if it is lost at the far end.
    pub(crate) lost: bool,
    /// True if packets behind it may arrive before it.
    pub(crate) displaced: bool,
    /// The number of packets behind it that arrive before it, unless `arrival` comes first.
    pub(crate) behind: u32,
    /// Copies of it that arrive with it.
    pub(crate) copies: u32,
}
