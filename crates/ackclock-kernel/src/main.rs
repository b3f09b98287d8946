//! `ackclock-kernel`: the registry's controllers in the Linux kernel's TCP.

use std::path::Path;
use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod command;

use ackclock_kernel::Machine;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    let outcome = command::run();
    #[cfg(not(target_os = "linux"))]
    let outcome = Err(lacks());
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("ackclock-kernel: {message}");
            ExitCode::from(2)
        }
    }
}

/// A text about what this machine lacks, empty if nothing.
fn lacks() -> String {
    Machine::read(Path::new("/")).lacks().join("\n")
}
