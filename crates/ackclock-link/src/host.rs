//! The host: name spaces, TUN devices, signals and priority.

pub(crate) mod namespace;
pub(crate) mod privilege;
pub(crate) mod scheduling;
pub(crate) mod signals;
pub(crate) mod tun;
