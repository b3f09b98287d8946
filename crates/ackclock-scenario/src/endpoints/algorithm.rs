//! Names of algorithms: the check of a specification, and groups whose flows run different ones.

use ackclock_transport::{Controller, Transport, Variant};
use serde::Deserialize;

use crate::read::error::{ScenarioError, clip};

/// Checks a specification such as `sack+limited(max_ssthresh=100)+htcp`, with the names in `custom` allowed instead
/// of registered controllers.
pub(crate) fn check(key: &str, spec: &str, custom: &[String]) -> Result<(), ScenarioError> {
    if spec.len() > LONGEST {
        return Err(ScenarioError::at(key, "found a text too long for an algorithm").with_found(clip(spec)));
    }
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    Variant::parse(spec, &custom).map(|_| ()).map_err(|error| ScenarioError {
        nearest: error.nearest.clone(),
        ..ScenarioError::at(key, clip_message(&error.to_string())).with_found(clip(&error.found))
    })
}

/// The parts of a specification of which one or both are the caller's own, without the transport: `mine+reno`.
pub(crate) fn composed(spec: &str, custom: &[String]) -> Option<String> {
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    match Variant::parse(spec, &custom).ok()?.controller {
        Controller::Custom(name) => (!custom.contains(&name.as_str())).then_some(name),
        _ => None,
    }
}

/// True for a valid specification whose transport is TCP.
pub(crate) fn is_tcp(spec: &str, custom: &[String]) -> bool {
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    Variant::parse(spec, &custom).is_ok_and(|variant| matches!(variant.transport, Transport::Tcp(_)))
}

/// True for a valid specification whose transport is ACK/NAK.
pub(crate) fn is_acknak(spec: &str, custom: &[String]) -> bool {
    let custom: Vec<&str> = custom.iter().map(String::as_str).collect();
    Variant::parse(spec, &custom).is_ok_and(|variant| variant.transport == Transport::AckNak)
}

/// The most bytes of a specification. No composition with all its parameters comes near it.
const LONGEST: usize = 1000;

fn clip_message(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A part of a group's flows that runs its own algorithm over the same traffic.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Share {
    /// The algorithm.
    pub name: String,
    /// The number of flows that run it.
    pub count: u32,
}

/// For each flow of a group, the share to which it belongs.
///
/// Flow `k` goes over pair `k` modulo `pairs`. Pair by pair, each flow goes to the share that is furthest behind
/// its part. So every pair, and every stretch of its flows, has all shares in proportion.
pub(crate) fn mixed(shares: &[Share], pairs: usize) -> Vec<u32> {
    let total: u32 = shares.iter().map(|share| share.count).sum();
    let pairs = pairs.max(1);
    let mut by_flow = vec![0; total as usize];
    let mut given = vec![0_u32; shares.len()];
    let in_turn = (0..pairs).flat_map(|pair| (pair..total as usize).step_by(pairs));
    for (flow, passed) in in_turn.zip(1_i64..) {
        // Its part of the flows assigned so far, times the total to make it a whole number.
        let behind = |share: usize| {
            i64::from(shares[share].count) * passed - i64::from(given[share]) * i64::from(total)
        };
        let open = (0..shares.len()).filter(|share| given[*share] < shares[*share].count);
        // The first of the shares that are equally far behind.
        if let Some(next) = open.rev().max_by_key(|share| behind(*share)) {
            given[next] += 1;
            by_flow[flow] = next as u32;
        }
    }
    by_flow
}
