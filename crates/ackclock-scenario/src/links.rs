//! Links: rate, buffer, queue, losses and impairments, and links of measured paths by name.

pub(crate) mod buffer;
pub(crate) mod impairments;
pub(crate) mod link;
pub(crate) mod lone_link;
pub(crate) mod loss;
pub(crate) mod paths;
pub(crate) mod queue;
pub(crate) mod rate;
pub(crate) mod tunnel;
