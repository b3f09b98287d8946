//! Static routes.

mod equal_cost;

use std::collections::{BTreeMap, VecDeque};
use std::error::Error;
use std::fmt;

use ackclock_memory::ByKey;
use ackclock_units::Duration;

use self::equal_cost::EqualCost;
use crate::{Graph, LinkId, NodeId, RouteCursor};

/// The end mark of a route in the table.
pub(crate) const END: u32 = u32::MAX;

/// Static routes, each computed at the first request.
///
/// A route is a sequence of link numbers in one table, followed by an end mark, so that a cursor alone determines a
/// packet's next link. There is one shortest-path tree per source. A leaf of the graph uses the tree of its only
/// neighbour and is in no tree itself, so a dumbbell with a thousand pairs of hosts needs two trees of two nodes.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    table: Vec<u32>,
    found: BTreeMap<(NodeId, NodeId), RouteCursor>,
    /// By source node: the link by which each inner node is reached, or [`END`].
    trees: ByKey<NodeId, Box<[u32]>>,
    /// The index of each node in a tree; [`END`] for a leaf, which no shortest route passes through.
    inner: Vec<u32>,
    inner_count: usize,
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
    /// The spreading of flows over paths of equally few links, if they are spread.
    equal_cost: Option<Box<EqualCost>>,
}

impl Routes {
    pub(crate) fn new(graph: &Graph) -> Routes {
        let nodes = graph.node_names().len();
        let (mut outgoing, mut incoming) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
        for (link, edge) in graph.edges().iter().enumerate() {
            outgoing[edge.from.index()].push(link as u32);
            incoming[edge.to.index()].push(link as u32);
        }
        let is_leaf = |node: usize| match (only(&outgoing[node]), only(&incoming[node])) {
            (Some(out), Some(back)) => graph.edge(LinkId(out)).to == graph.edge(LinkId(back)).from,
            _ => false,
        };
        let mut count = 0;
        let inner = (0..nodes).map(|node| {
            let place = if is_leaf(node) { END } else { count };
            count += u32::from(place != END);
            place
        });
        let inner = inner.collect();
        Routes {
            // The first entry is an end mark, so that a cursor that belongs to no network does not point into a
            // route.
            table: vec![END],
            found: BTreeMap::new(),
            trees: ByKey::new(),
            inner,
            inner_count: count as usize,
            outgoing,
            incoming,
            equal_cost: None,
        }
    }

    /// Spreads flows over paths of equally few links, by a hash with this seed.
    pub(crate) fn spread(&mut self, seed: u64) {
        self.equal_cost = Some(Box::new(EqualCost::new(seed)));
    }

    /// The route of a flow.
    pub(crate) fn find_for(
        &mut self,
        graph: &Graph,
        (source, destination): (NodeId, NodeId),
        flow: u32,
    ) -> Result<RouteCursor, RouteError> {
        let Routes { table, outgoing, equal_cost: Some(equal_cost), .. } = self else {
            return self.find(graph, source, destination);
        };
        let links = equal_cost
            .links(graph, outgoing, (source, destination), flow)
            .ok_or_else(|| RouteError::new(graph, source, destination))?;
        let is_laid =
            |start: &usize| table[*start..].starts_with(&links) && table[start + links.len()] == END;
        let begins = |start: &usize| table[start - 1] == END;
        match (1..table.len()).filter(begins).find(is_laid) {
            Some(start) => Ok(RouteCursor(start as u32)),
            None => Ok(lay(table, &links)),
        }
    }

    /// The link at a cursor, [`END`] at the end.
    #[inline]
    pub(crate) fn link(&self, route: RouteCursor) -> LinkId {
        LinkId(self.table[route.0 as usize])
    }

    /// The link `count` hops before a cursor on its route.
    pub(crate) fn link_before(&self, route: RouteCursor, count: u32) -> LinkId {
        self.link(RouteCursor(route.0 - count))
    }

    /// The number of entries in the table.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// All routes computed so far.
    pub(crate) fn all(&self) -> impl Iterator<Item = &[u32]> {
        self.table.split(|link| *link == END).filter(|route| !route.is_empty())
    }

    /// The next link after a link on each route through it; none if the route ends.
    pub(crate) fn after(&self, id: LinkId) -> impl Iterator<Item = Option<LinkId>> {
        self.all().filter_map(move |route| {
            let place = route.iter().position(|link| *link == id.0)?;
            Some(route.get(place + 1).map(|link| LinkId(*link)))
        })
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
        let path = self
            .search(graph, source, destination)
            .ok_or_else(|| RouteError::new(graph, source, destination))?;
        let route = lay(&mut self.table, &path);
        self.found.insert((source, destination), route);
        Ok(route)
    }

    fn search(&mut self, graph: &Graph, source: NodeId, destination: NodeId) -> Option<Vec<u32>> {
        if source == destination {
            return None;
        }
        // Every route from a leaf begins with its only link, and every route to a leaf ends with its only link.
        let first = only(&self.outgoing[source.index()]);
        let root = first.map_or(source, |link| graph.edge(LinkId(link)).to);
        let last = if root == destination { None } else { only(&self.incoming[destination.index()]) };
        let mut node = last.map_or(destination, |link| graph.edge(LinkId(link)).from);
        let mut path: Vec<u32> = last.into_iter().collect();
        if node != root {
            let Routes { trees, inner, inner_count, outgoing, .. } = self;
            let tree = trees.get_or_insert_with(root, || tree(graph, outgoing, inner, *inner_count, root));
            while node != root {
                let link = inner_place(inner, node).map_or(END, |place| tree[place]);
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

/// Adds a route to the table.
fn lay(table: &mut Vec<u32>, path: &[u32]) -> RouteCursor {
    let start = u32::try_from(table.len()).expect("a route table below 2^32 entries");
    table.extend(path);
    table.push(END);
    RouteCursor(start)
}

fn only(links: &[u32]) -> Option<u32> {
    if let [link] = links { Some(*link) } else { None }
}

/// The index of a node in a tree; none for a leaf.
fn inner_place(inner: &[u32], node: NodeId) -> Option<usize> {
    let place = inner[node.index()];
    (place != END).then_some(place as usize)
}

/// The shortest-path tree from `root`: for every inner node the link by which it is reached. Breadth first, so that a
/// node's distance is final before any node is reached through it. The tree from a leaf is empty, since its
/// neighbour's tree is used instead. If the neighbour is a leaf too, there are no other nodes.
fn tree(graph: &Graph, outgoing: &[Vec<u32>], inner: &[u32], count: usize, root: NodeId) -> Box<[u32]> {
    const FAR: (u32, Duration) = (u32::MAX, Duration::MAX);
    let mut by = vec![END; count].into_boxed_slice();
    let mut distance = vec![FAR; count];
    let Some(start) = inner_place(inner, root) else { return by };
    distance[start] = (0, Duration::ZERO);
    let mut waiting = VecDeque::from([(root, start)]);
    while let Some((node, place)) = waiting.pop_front() {
        let (hops, delay) = distance[place];
        for &link in &outgoing[node.index()] {
            let edge = graph.edge(LinkId(link));
            let Some(reached) = inner_place(inner, edge.to) else { continue };
            let through = (hops + 1, delay + edge.config.delay);
            if distance[reached] == FAR {
                waiting.push_back((edge.to, reached));
            }
            if through < distance[reached] || (through == distance[reached] && link < by[reached]) {
                distance[reached] = through;
                by[reached] = link;
            }
        }
    }
    by
}

/// The error when two nodes of a route are not connected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteError {
    /// The name of the source node.
    pub source: String,
    /// The name of the destination, which is not reached.
    pub destination: String,
}

impl RouteError {
    fn new(graph: &Graph, source: NodeId, destination: NodeId) -> RouteError {
        let [source, destination] = [source, destination].map(|node| graph.node_name(node).to_owned());
        RouteError { source, destination }
    }
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
