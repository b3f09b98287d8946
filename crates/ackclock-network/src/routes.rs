use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::error::Error;
use std::fmt;

use ackclock_units::Duration;

use crate::{Graph, LinkId, NodeId, RouteCursor};

/// Ends a route in the table.
pub(crate) const END: u32 = u32::MAX;

/// Static routes, computed as they are asked for.
///
/// A route is a run of link numbers in one table, closed by an end mark, so that a packet finds its next link by its
/// cursor alone. Trees of shortest paths are kept per source; a leaf of the graph borrows its only neighbour's,
/// which makes a dumbbell of a thousand pairs a matter of two trees.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    table: Vec<u32>,
    found: BTreeMap<(NodeId, NodeId), RouteCursor>,
    /// Per source node: the link by which each node is reached, or [`END`].
    trees: BTreeMap<NodeId, Box<[u32]>>,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
}

impl Routes {
    pub(crate) fn new(graph: &Graph) -> Routes {
        let nodes = graph.node_names().len();
        let (mut outgoing, mut incoming) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (link, edge) in graph.edges().iter().enumerate() {
            outgoing[edge.from.index()].push(link as u32);
            incoming[edge.to.index()].push(link as u32);
        }
        // The one entry is an end mark, so that a cursor made for no network cannot be mistaken for a route.
        Routes { table: vec![END], found: BTreeMap::new(), trees: BTreeMap::new(), outgoing, incoming }
    }

    /// The link at a cursor, [`END`] at the end.
    #[inline]
    pub(crate) fn link(&self, route: RouteCursor) -> LinkId {
        LinkId(self.table[route.0 as usize])
    }

    pub(crate) fn path(&self, route: RouteCursor) -> impl Iterator<Item = LinkId> {
        self.table[route.0 as usize..].iter().take_while(|link| **link != END).map(|link| LinkId(*link))
    }

    pub(crate) fn find(
        &mut self,
        graph: &Graph,
        source: NodeId,
        destination: NodeId,
    ) -> Result<RouteCursor, RouteError> {
        if let Some(route) = self.found.get(&(source, destination)) {
            return Ok(*route);
        }
        let path = self.search(graph, source, destination).ok_or_else(|| RouteError {
            source: graph.node_name(source).to_owned(),
            destination: graph.node_name(destination).to_owned(),
        })?;
        let start = u32::try_from(self.table.len()).expect("a route table below 2^32 entries");
        self.table.extend(path);
        self.table.push(END);
        self.found.insert((source, destination), RouteCursor(start));
        Ok(RouteCursor(start))
    }

    fn search(&mut self, graph: &Graph, source: NodeId, destination: NodeId) -> Option<Vec<u32>> {
        if source == destination {
            return None;
        }
        // Every way out of a leaf begins with its only link, and every way into one ends with it.
        let first = only(&self.outgoing[source.index()]);
        let root = first.map_or(source, |link| graph.edge(LinkId(link)).to);
        let last = if root == destination { None } else { only(&self.incoming[destination.index()]) };
        let mut node = last.map_or(destination, |link| graph.edge(LinkId(link)).from);
        let mut path: Vec<u32> = last.into_iter().collect();
        if node != root {
            let tree = self.trees.entry(root).or_insert_with(|| tree(graph, &self.outgoing, root));
            while node != root {
                let link = tree[node.index()];
                if link == END {
                    return None;
                }
                path.push(link);
                node = graph.edge(LinkId(link)).from;
            }
        }
        path.extend(first);
        path.reverse();
        Some(path)
    }
}

fn only(links: &[u32]) -> Option<u32> {
    if let [link] = links { Some(*link) } else { None }
}

/// For every node the link by which it is best reached from `root`: breadth first, so that a node's own distance is
/// final before anything is reached through it.
fn tree(graph: &Graph, outgoing: &[Vec<u32>], root: NodeId) -> Box<[u32]> {
    const FAR: (u32, Duration) = (u32::MAX, Duration::MAX);
    let mut by = vec![END; outgoing.len()].into_boxed_slice();
    let mut distance = vec![FAR; outgoing.len()];
    distance[root.index()] = (0, Duration::ZERO);
    let mut waiting = VecDeque::from([root]);
    while let Some(node) = waiting.pop_front() {
        let (hops, delay) = distance[node.index()];
        for &link in &outgoing[node.index()] {
            let edge = graph.edge(LinkId(link));
            let reached = edge.to.index();
            let through = (hops + 1, delay + edge.config.delay);
            if distance[reached] == FAR {
                waiting.push_back(edge.to);
            }
            if through < distance[reached] || (through == distance[reached] && link < by[reached]) {
                distance[reached] = through;
                by[reached] = link;
            }
        }
    }
    by
}

/// There is no way from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteError {
    /// The name of the node to start from.
    pub source: String,
    /// The name of the node that is not reached.
    pub destination: String,
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.source == self.destination {
            return write!(f, "node {} is source and destination at once", self.source);
        }
        write!(f, "no links lead from {} to {}", self.source, self.destination)
    }
}

impl Error for RouteError {}
