//! Paths of equally few links, over which flows are spread by a hash (ECMP; RFC 2992).

use ackclock_memory::ByKey;

use crate::queue::parts::flow_hash::mixed;
use crate::{Graph, LinkId, NodeId};

const UNREACHED: u32 = u32::MAX;

/// The choices of routers among the links by which a destination is equally near.
#[derive(Clone, Debug)]
pub(crate) struct EqualCost {
    seed: u64,
    /// By destination: the number of links from each node to it, or [`UNREACHED`].
    distances: ByKey<NodeId, Box<[u32]>>,
}

impl EqualCost {
    /// Routers whose hash has this seed.
    pub(crate) fn new(seed: u64) -> EqualCost {
        EqualCost { seed, distances: ByKey::new() }
    }

    /// The links of a flow's packets from `source` to `destination`: at each router one of those that lead nearer, chosen by a hash of
    /// the flow, of where it goes and of the router, so that routers choose independently of each other. None if there is no path.
    pub(crate) fn links(
        &mut self,
        graph: &Graph,
        outgoing: &[Vec<u32>],
        (source, destination): (NodeId, NodeId),
        flow: u32,
    ) -> Option<Vec<u32>> {
        let seed = self.seed;
        let distances = self.distances.get_or_insert_with(destination, || distances(graph, destination));
        if source == destination || distances[source.index()] == UNREACHED {
            return None;
        }
        let (mut links, mut node) = (Vec::new(), source);
        while node != destination {
            let nearer = distances[node.index()] - 1;
            let leads_nearer = |link: &&u32| distances[graph.edge(LinkId(**link)).to.index()] == nearer;
            let choices: Vec<u32> = outgoing[node.index()].iter().filter(leads_nearer).copied().collect();
            let link = choices[choice(seed, [flow, destination.0, node.0], choices.len())];
            links.push(link);
            node = graph.edge(LinkId(link)).to;
        }
        Some(links)
    }
}

/// One of `count` choices, by a hash of these numbers.
fn choice(seed: u64, numbers: [u32; 3], count: usize) -> usize {
    let hash = numbers.into_iter().fold(mixed(seed), |hash, number| {
        mixed(hash.wrapping_add((u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    });
    ((u128::from(hash) * count as u128) >> 64) as usize
}

/// The number of links from each node to `destination`: nodes one link further away follow from the links of those before, until there
/// are none.
fn distances(graph: &Graph, destination: NodeId) -> Box<[u32]> {
    let mut distances = vec![UNREACHED; graph.node_names().len()].into_boxed_slice();
    distances[destination.index()] = 0;
    for distance in 0.. {
        let mut grows = false;
        for edge in graph.edges() {
            let is_next = distances[edge.to.index()] == distance && distances[edge.from.index()] == UNREACHED;
            if is_next {
                distances[edge.from.index()] = distance + 1;
                grows = true;
            }
        }
        if !grows {
            break;
        }
    }
    distances
}
