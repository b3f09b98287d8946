//! The algorithms by name, and controllers composed of them.

mod own_parts;
mod spec;

pub use own_parts::OwnParts;
pub use spec::ControllerSpec;

use ackclock_catalogue::Entry;

use crate::{avoidance, controllers, slow_start};

/// All algorithms: slow starts, then avoidances, then whole controllers.
pub fn entries() -> impl Iterator<Item = &'static Entry> + Clone {
    slow_start::ENTRIES.iter().chain(avoidance::ENTRIES).chain(controllers::ENTRIES)
}
