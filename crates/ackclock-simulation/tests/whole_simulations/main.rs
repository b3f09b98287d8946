//! Random whole simulations keep the laws of tables, twice the same, with overflow checks and debug assertions on.
//!
//! `fuzz/fuzz_targets/whole_simulations.rs` lets a fuzzer choose; `cargo run --release --example whole_simulations` takes
//! many seeds. The text of a seed that breaks a law becomes a test of its own where the cause is.

mod findings;
mod random;

use random::{Outcome, check, text_of, text_of_seed};

/// Enough for every queue, topology, application and transport; a few seconds.
const SEEDS: u64 = 300;

#[test]
fn random_whole_simulations_keep_the_laws() {
    let mut outcomes = Vec::new();
    for seed in 0..SEEDS {
        let text = text_of_seed(seed);
        outcomes.push(check(&text).unwrap_or_else(|broken| panic!("seed {seed}: {broken}\n{text}")));
    }
    let ran = outcomes.iter().filter(|outcome| **outcome == Outcome::Ran).count() as u64;
    assert!(ran > SEEDS / 2, "only {ran} of {SEEDS} scenarios ran");
}

#[test]
fn no_bytes_are_the_plainest_scenario() {
    assert_eq!(check(&text_of(&[])), Ok(Outcome::Ran), "{}", text_of(&[]));
}
