//! The command line.

mod kernel;
mod measure;
mod run;

use clap::{Parser, Subcommand};

/// Congestion controllers of Ackclock in the TCP of this machine's kernel.
#[derive(Debug, Parser)]
#[command(name = "ackclock-kernel", version, arg_required_else_help = true)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what this machine lacks, in sentences
    Check,
    /// Register algorithms with the kernel, and control the flows that choose them, until Ctrl-C
    Run(run::Options),
    /// Measure one algorithm over an emulated link between two name spaces, and print the account as JSON
    Measure(measure::Options),
}

/// Runs the command of the arguments.
pub(crate) fn run() -> Result<(), String> {
    match Options::parse().command {
        Command::Check => check(),
        Command::Run(options) => run::run(&options),
        Command::Measure(options) => measure::run(&options),
    }
}

fn check() -> Result<(), String> {
    let lacks = crate::lacks();
    if lacks.is_empty() {
        println!("Nothing is missing: `ackclock-kernel run cubic` registers ack_cubic.");
        return Ok(());
    }
    Err(lacks)
}
