#![doc = include_str!("../README.md")]

mod emulator;
mod keys;
mod lateness;
mod options;
mod packet;
mod report;

#[cfg(target_os = "linux")]
mod calibration;
#[cfg(target_os = "linux")]
mod clock;
#[cfg(target_os = "linux")]
mod event_loop;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod run;

pub use emulator::{Dropped, Emulator, End, Outgoing};
pub use keys::link;
pub use lateness::Lateness;
pub use options::Options;
pub use packet::{Header, mark};
pub use report::{Direction, Report};

#[cfg(target_os = "linux")]
pub use run::run;

/// Fails on other systems than Linux.
///
/// # Errors
/// Always.
#[cfg(not(target_os = "linux"))]
pub fn run(_: &Options) -> Result<(), String> {
    Err("an emulated link needs Linux, whose name spaces and TUN devices it uses".to_owned())
}
