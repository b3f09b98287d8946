//! Names of algorithms: the check of a specification.

use ackclock_transport::{Transport, Variant};

use super::read::error::{ScenarioError, clip};

/// Checks a specification such as `sack+limited(max_ssthresh=100)+htcp`, with the names in `custom` allowed in place
/// of registered controllers.
pub(super) fn check(key: &str, spec: &str, custom: &[String]) -> Result<(), ScenarioError> {
    if spec.len() > LONGEST {
        return Err(ScenarioError::at(key, "found a text too long for an algorithm").with_found(clip(spec)));
    }
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    Variant::parse(spec, &custom).map(|_| ()).map_err(|error| ScenarioError {
        nearest: error.nearest.clone(),
        ..ScenarioError::at(key, clip_message(&error.to_string())).with_found(clip(&error.found))
    })
}

/// True for a valid specification whose transport is TCP.
pub(super) fn is_tcp(spec: &str, custom: &[String]) -> bool {
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    Variant::parse(spec, &custom).is_ok_and(|variant| matches!(variant.transport, Transport::Tcp(_)))
}

/// True for a valid specification whose transport is ACK/NAK.
pub(super) fn is_acknak(spec: &str, custom: &[String]) -> bool {
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    Variant::parse(spec, &custom).is_ok_and(|variant| variant.transport == Transport::AckNak)
}

/// No composition with all its parameters comes near this many bytes.
const LONGEST: usize = 1000;

fn clip_message(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
