//! `ackclock-quic`: a connection over UDP sockets, an end in each process.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use ackclock_quic::Stack;
use ackclock_units::Duration;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};

/// The registry's controllers on real QUIC over UDP sockets: a sender, and a receiver in another process.
#[derive(Parser)]
#[command(name = "ackclock-quic", version, arg_required_else_help = true)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Receive one connection, and print what has arrived as JSON
    Receive {
        /// The address to listen at, such as 10.77.0.2:4433
        at: SocketAddr,
        /// The file to which the certificate is written, for the sender
        #[arg(long, value_name = "FILE")]
        certificate: PathBuf,
        /// quinn or noq
        #[arg(long, default_value = "quinn", value_parser = stacks())]
        stack: Stack,
        /// Time at the beginning that the goodput leaves out
        #[arg(long, value_name = "TIME", default_value = "0 s")]
        warm_up: Duration,
        /// Return marks
        #[arg(long)]
        ecn: bool,
    },
    /// Send as fast as the controller permits, and print what was sent as JSON
    Send {
        /// The receiver's address
        to: SocketAddr,
        /// The file with the receiver's certificate
        #[arg(long, value_name = "FILE")]
        certificate: PathBuf,
        /// A controller of the registry, such as cubic or "reno(limit=inf)"
        #[arg(long)]
        algorithm: String,
        /// quinn or noq
        #[arg(long, default_value = "quinn", value_parser = stacks())]
        stack: Stack,
        /// Time to send for
        #[arg(long = "for", value_name = "TIME", default_value = "30 s")]
        duration: Duration,
        /// Time at the beginning that means leave out
        #[arg(long, value_name = "TIME", default_value = "0 s")]
        warm_up: Duration,
        /// Packets that the receiver acknowledges together
        #[arg(long, value_name = "PACKETS", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1000))]
        segments_per_ack: u32,
        /// Send ECN-capable datagrams
        #[arg(long)]
        ecn: bool,
        /// Hold controller and stack to the contract of controllers: a call that breaks it ends the program
        #[arg(long)]
        checked: bool,
        /// The file to which the stack writes its qlog (JSON text sequence), which qvis opens
        #[arg(long, value_name = "FILE")]
        qlog: Option<PathBuf>,
    },
}

/// The stacks, by their names.
fn stacks() -> impl TypedValueParser<Value = Stack> {
    PossibleValuesParser::new(Stack::NAMES).try_map(|name| name.parse().map_err(|()| "no stack"))
}

fn main() -> ExitCode {
    match run(Options::parse().command) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("ackclock-quic: {message}");
            ExitCode::from(2)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn run(_: Command) -> Result<serde_json::Value, String> {
    Err("sockets are driven on Linux only".to_owned())
}

#[cfg(target_os = "linux")]
fn run(command: Command) -> Result<serde_json::Value, String> {
    use ackclock_quic::sockets::{Receiving, Sending, receive, send};

    match command {
        Command::Receive { at, certificate, stack, warm_up, ecn } => {
            let received = receive(&Receiving { at, stack, warm_up, ecn }, &certificate)?;
            Ok(serde_json::json!({ "bytes": received.bytes, "goodput_bit_per_s": received.goodput }))
        }
        Command::Send {
            to,
            certificate,
            algorithm,
            stack,
            duration,
            warm_up,
            segments_per_ack,
            ecn,
            checked,
            qlog,
        } => {
            if warm_up >= duration {
                return Err(format!(
                    "--warm-up {warm_up}: shorter than --for, {duration}, it leaves something to measure"
                ));
            }
            let sending =
                Sending { to, stack, algorithm, duration, warm_up, segments_per_ack, ecn, checked, qlog };
            let sent = send(&sending, &certificate)?;
            Ok(serde_json::json!({
                "packets": sent.packets,
                "lost": sent.lost,
                "losses": sent.losses,
                "mean_rtt_s": sent.mean_rtt.as_secs_f64(),
                "min_rtt_s": sent.min_rtt.as_secs_f64(),
                "max_rtt_s": sent.max_rtt.as_secs_f64(),
            }))
        }
    }
}
