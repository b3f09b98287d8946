//! The controllers of this machine's flows: programs in the kernel, rings and answers, and the loop between them.

mod answers;
mod clock;
mod datapath;
mod desk;
mod report;
mod session;

pub use desk::Observer;
pub use report::{Latency, Report};
pub use session::{Algorithm, Session};
