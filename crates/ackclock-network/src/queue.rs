//! Queue disciplines: which packets are dropped or marked, and the order of service.

pub(crate) mod arriving;
pub(crate) mod buffer;
pub(crate) mod counters;
pub(crate) mod discipline;
pub(crate) mod disciplines;
pub(crate) mod parts;
pub(crate) mod scheduler;
#[cfg(test)]
mod testing;
