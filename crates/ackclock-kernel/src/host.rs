//! The controllers of this machine's flows: programs in the kernel, rings and answers, and the loop between them.

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
