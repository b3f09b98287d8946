//! No life makes a controller of the registry break the conformance contract, whatever it is composed of.

#![no_main]

use ackclock_congestion::conformance::Connection;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| Connection::from_bytes(bytes).run());
