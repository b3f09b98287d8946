//! `ackclock-link`: see the library.

use std::process::ExitCode;

use ackclock_link::{Options, run};
use clap::Parser;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("ackclock-link: {message}");
            ExitCode::from(2)
        }
    }
}
