//! Whole simulations keep the laws of tables, twice the same, whatever bytes choose the scenario.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/ackclock-simulation/tests/whole_simulations/random/mod.rs"]
mod random;

fuzz_target!(|bytes: &[u8]| {
    let text = random::text_of(bytes);
    if let Err(broken) = random::check(&text) {
        panic!("{broken}\n{text}");
    }
});
