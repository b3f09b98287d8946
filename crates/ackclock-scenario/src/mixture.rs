//! Groups whose flows run different algorithms over the same traffic.

use serde::Deserialize;

/// So many flows of a group run this algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Share {
    /// The algorithm.
    pub name: String,
    /// The number of flows that run it.
    pub count: u32,
}

/// By flow of a group: which of the shares it belongs to.
///
/// Flow `k` goes over pair `k` modulo `pairs`. The flows of one pair after the other, each goes to the share that is
/// furthest behind its part, so that every pair, and every stretch of its flows, has all shares in proportion.
pub(super) fn mixed(shares: &[Share], pairs: usize) -> Vec<u32> {
    let total: u32 = shares.iter().map(|share| share.count).sum();
    let pairs = pairs.max(1);
    let mut by_flow = vec![0; total as usize];
    let mut given = vec![0_u32; shares.len()];
    let in_turn = (0..pairs).flat_map(|pair| (pair..total as usize).step_by(pairs));
    for (flow, passed) in in_turn.zip(1_i64..) {
        // Its part of the flows passed so far, times the total so that this is a whole number.
        let behind = |share: usize| {
            i64::from(shares[share].count) * passed - i64::from(given[share]) * i64::from(total)
        };
        let open = (0..shares.len()).filter(|share| given[*share] < shares[*share].count);
        // The first of those equally far behind.
        if let Some(next) = open.rev().max_by_key(|share| behind(*share)) {
            given[next] += 1;
            by_flow[flow] = next as u32;
        }
    }
    by_flow
}
