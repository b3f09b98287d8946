//! The controllers of this machine's flows: the programs in the kernel, the rings of records and the answers, and
//! the loop that serves them.

mod answers;
mod clock;
mod controllers;
mod datapath;
mod report;
mod session;
mod watchdog;

pub use controllers::Observer;
pub use report::{Latency, Report};
pub use session::{Algorithm, Session};
