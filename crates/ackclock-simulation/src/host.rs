//! The hosts at the ends of flows: the sockets that applications send by, and the time that processors take.

pub(crate) mod processing;
pub(crate) mod sockets;

pub(crate) use processing::HostProcessing;
pub(crate) use sockets::{SocketConfig, Sockets, TransferBaseline};
