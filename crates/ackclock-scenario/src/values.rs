//! Values of keys in several tables: distributions, schedules, sizes of packets, windows.

pub(crate) mod distribution;
pub(crate) mod packets;
pub(crate) mod schedule;
pub(crate) mod size_table;
pub(crate) mod spans;
pub(crate) mod window;
