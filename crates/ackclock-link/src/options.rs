//! The command line.

use std::path::PathBuf;

use ackclock_units::Duration;
use clap::Parser;

/// An emulated link between two network name spaces, until Ctrl-C.
///
/// Quantities are written as in scenarios, and so are the values of --set: what TOML reads from a text, or else the text itself.
/// Name spaces that do not exist are made, and removed at the end.
#[derive(Clone, Debug, Parser)]
#[command(name = "ackclock-link", version, arg_required_else_help = true)]
#[non_exhaustive]
pub struct Options {
    /// The name space at one end; packets from it go forward
    #[arg(value_name = "A")]
    pub near: String,
    /// The name space at the other end
    #[arg(value_name = "B")]
    pub far: String,
    /// Transmission rate, such as "20 Mbit/s", or { trace = "lte.down" }
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Propagation delay, one way, such as "20 ms"
    #[arg(long, value_name = "TIME")]
    pub delay: Option<String>,
    /// Limit of the queue, such as "20 packets" or "64 kB"; unlimited if left out
    #[arg(long, value_name = "SIZE")]
    pub buffer: Option<String>,
    /// Queue discipline, such as "fq-codel" or "red(min=5, max=15)"; first in, first out if left out
    #[arg(long, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// Probability of loss forward, such as 0.01, or a table such as { schedule = .. }
    #[arg(long, value_name = "LOSS")]
    pub loss: Option<String>,
    /// Queue length above which ECN-capable packets are marked, such as "10 packets"
    #[arg(long, value_name = "SIZE")]
    pub ecn_threshold: Option<String>,
    /// A typical path, such as lte-driving, whose keys are those that are left out
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Any key of a scenario's links, such as reverse.rate="1 Mbit/s"; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Seed of random losses and queues
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Address of A
    #[arg(long, value_name = "ADDRESS/LENGTH", default_value = "10.77.0.1/24")]
    pub near_address: String,
    /// Address of B
    #[arg(long, value_name = "ADDRESS/LENGTH", default_value = "10.77.0.2/24")]
    pub far_address: String,
    /// Largest packet in bytes
    #[arg(long, default_value_t = 1500, value_parser = clap::value_parser!(u32).range(576..=65_535))]
    pub mtu: u32,
    /// End after this time, such as "30 s"
    #[arg(long = "for", value_name = "TIME", default_value = "24 h")]
    pub duration: Duration,
    /// Keep one processor busy for this long before each packet is due, so that it is on time
    #[arg(long, value_name = "TIME", default_value = "0 s")]
    pub spin: Duration,
    /// Measure for a second what the host adds to a round trip between programs of real-time priority, and take it off the delay
    #[arg(long)]
    pub calibrate: bool,
    /// Write each dropped packet to a CSV file
    #[arg(long, value_name = "FILE")]
    pub drops: Option<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}
