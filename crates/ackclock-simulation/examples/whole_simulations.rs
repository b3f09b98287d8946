//! Runs random whole simulations of many seeds, and prints those that break a law, panic or take long:
//! `cargo run --release --example whole_simulations 0 20000`. A single seed prints its scenario first. A seed that takes
//! longer than half a minute of the machine's time ends the program.

#[path = "../tests/whole_simulations/random/mod.rs"]
mod random;

use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use random::{Outcome, check, text_of_seed};

/// Features of scenarios, each with the text of a scenario that has it.
const FEATURES: &[(&str, &str)] = &[
    ("outages", "outage = "),
    ("varying rates", "rate = {"),
    ("impairments", "impairments = [\""),
    ("tunnels", "tunnel = "),
    ("typical paths", "{ path = "),
    ("ECMP", "ecmp_seed"),
    ("losses", "loss = "),
    ("lists of nodes", "from = [\""),
    ("arrivals", "arrivals = "),
    ("pools", "pool = "),
    ("pipelining", "pipelining = true"),
    ("own servers", "own_servers = true"),
    ("requests", "request = "),
    ("patience", "patience = "),
    ("sources of a rate", "write_rate = "),
    ("on/off", "\non = "),
    ("spans", "active = "),
    ("stops", "stop = "),
    ("resets", "close_by_reset = true"),
    ("Fast Open", "fast_open = true"),
    ("sharing", "sharing = "),
    ("ECN", "ecn = "),
    ("systems", "system = "),
    ("ACK/NAK", "acknak+"),
    ("TFRC", "tfrc"),
    ("datagrams", "[[udp]]"),
    ("calls", "[[call]]"),
    ("drawn values", "[draw."),
    ("warm-up", "warm_up = "),
    ("captures", "\npackets = ["),
    ("qlogs", "qlog = true"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let first: u64 = arguments.next().ok_or("which seed, or from which to which?")?.parse()?;
    let last = if let Some(last) = arguments.next() {
        last.parse()?
    } else {
        println!("{}", text_of_seed(first));
        first + 1
    };
    let under_way = watch();
    let (mut ran, mut refused, mut long, mut broken) = (0, 0, 0, 0);
    let mut with = vec![0; FEATURES.len()];
    for seed in first..last {
        under_way.send(seed)?;
        let text = text_of_seed(seed);
        match panic::catch_unwind(AssertUnwindSafe(|| check(&text))) {
            Ok(Ok(Outcome::Ran)) => {
                ran += 1;
                with.iter_mut()
                    .zip(FEATURES)
                    .for_each(|(count, (_, key))| *count += u64::from(text.contains(key)));
            }
            Ok(Ok(Outcome::Refused(error))) => {
                refused += 1;
                eprintln!("seed {seed} is refused: {error}");
            }
            Ok(Ok(Outcome::Long)) => long += 1,
            Ok(Err(law)) => {
                broken += 1;
                println!("seed {seed}: {law}");
            }
            Err(_) => {
                broken += 1;
                println!("seed {seed}: panics");
            }
        }
    }
    let with: Vec<_> =
        with.iter().zip(FEATURES).map(|(count, (name, _))| format!("{name} {count}")).collect();
    println!("with {}", with.join(", "));
    println!("{ran} ran, {refused} were refused, {long} were too long, {broken} broke a law");
    if broken > 0 { Err("a law is broken".into()) } else { Ok(()) }
}

/// Takes the seeds as they begin. A thread ends the program where the next one is too long in coming.
fn watch() -> Sender<u64> {
    let (sender, seeds) = mpsc::channel();
    thread::spawn(move || {
        let mut under_way = None;
        loop {
            match seeds.recv_timeout(Duration::from_secs(30)) {
                Ok(seed) => under_way = Some(seed),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    println!("seed {}: takes too long", under_way.unwrap_or_default());
                    process::exit(3);
                }
            }
        }
    });
    sender
}
