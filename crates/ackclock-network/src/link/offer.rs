//! A packet offered to a link direction.

use ackclock_units::Time;

use crate::{LinkId, RouteCursor};

/// A packet offered to a link direction.
#[derive(Clone, Copy)]
pub(crate) struct Offer {
    pub(crate) link: LinkId,
    pub(crate) now: Time,
    pub(crate) route: RouteCursor,
    pub(crate) size: u32,
}
