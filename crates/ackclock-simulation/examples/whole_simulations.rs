//! Runs random whole simulations of many seeds, and prints those that break a law, panic or take long:
//! `cargo run --release --example whole_simulations 0 20000`. A single seed prints its scenario first. A seed that takes
//! longer than half a minute of the machine's time ends the program.

#[path = "../tests/whole_simulations/random/mod.rs"]
mod random;

use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
    let under_way = watch(first);
    let (mut ran, mut refused, mut long, mut broken) = (0, 0, 0, 0);
    for seed in first..last {
        under_way.store(seed, Ordering::Relaxed);
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

/// The seed that is under way, watched by a thread that ends the program where it stays the same for too long.
#[expect(clippy::disallowed_methods, reason = "the watch is outside every simulation")]
fn watch(first: u64) -> Arc<AtomicU64> {
    let under_way = Arc::new(AtomicU64::new(first));
    let current = Arc::clone(&under_way);
    thread::spawn(move || {
        let mut before = u64::MAX;
        loop {
            let seed = current.load(Ordering::Relaxed);
            if seed == before {
                println!("seed {seed}: takes too long");
                process::exit(3);
            }
            before = seed;
            thread::sleep(Duration::from_secs(30));
        }
    });
    under_way
}
