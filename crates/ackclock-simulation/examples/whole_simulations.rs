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
    for seed in first..last {
        under_way.send(seed)?;
        match panic::catch_unwind(AssertUnwindSafe(|| check(&text_of_seed(seed)))) {
            Ok(Ok(Outcome::Ran)) => ran += 1,
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
