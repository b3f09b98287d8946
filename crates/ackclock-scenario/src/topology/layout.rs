//! The trait of a layout.

use super::sketch::Sketch;
use crate::links::link::LinkConfig;
use crate::read::error::Checked;
use crate::read::key::Key;

/// The most names of each kind of node that a message shows.
pub(super) const SHOWN: u32 = 8;

/// A shape of network: its nodes and links, and the pairs of nodes that flows connect.
pub(crate) trait Layout {
    /// Refuses a network that cannot be built. `at` is the layout's own key, `flows` the number of flows.
    fn check(&self, at: &Key, flows: u32) -> Checked;

    /// Visits each link with its two ends, in an order that never changes.
    fn links<'a>(&'a self, visit: &mut dyn FnMut(String, String, &'a LinkConfig));

    /// Names of nodes for a message: all, or the first few of each kind if the others are alike.
    fn nodes(&self) -> Vec<String>;

    /// The number of pairs of nodes that flows use in turn if they name none.
    fn pairs(&self) -> u32 {
        1
    }

    /// The source and destination of flow number `index`, called `flow`, if it names none; an error such
    /// as "in a graph" if every flow has to name them.
    fn ends(&self, index: u32, flow: &str, seed: u64) -> Result<(String, String), &'static str>;

    /// The seed of the hash that spreads flows over paths of equally few links; none if all flows between two nodes take one.
    fn ecmp_seed(&self) -> Option<u64> {
        None
    }

    /// The network as a drawing, in which a few nodes stand for many.
    fn sketch(&self) -> Sketch;
}

/// The name of the link direction from one node to another.
pub fn link_name(from: &str, to: &str) -> String {
    format!("{from}->{to}")
}
