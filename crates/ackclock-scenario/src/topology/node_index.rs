//! The nodes and links of a topology by name.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use ackclock_memory::ByKey;

use super::Topology;
use super::layout::link_name;

/// The nodes and links of a topology by name. They are collected when first needed, since most
/// scenarios name none.
pub(crate) struct NodeIndex<'a> {
    topology: &'a Topology,
    laid_out: OnceCell<Connectivity>,
}

/// Nodes by number, the links between them, and the connected parts that they form.
#[derive(Default)]
struct Connectivity {
    numbers: BTreeMap<String, usize>,
    directions: ByKey<(usize, usize), ()>,
    /// By node: a node of the same part. The node that represents the part refers to itself.
    parent: Vec<usize>,
}

impl<'a> NodeIndex<'a> {
    pub fn new(topology: &'a Topology) -> NodeIndex<'a> {
        NodeIndex { topology, laid_out: OnceCell::new() }
    }

    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    fn laid_out(&self) -> &Connectivity {
        self.laid_out.get_or_init(|| Connectivity::of(self.topology))
    }

    /// True for the name of a node.
    pub fn has_node(&self, name: &str) -> bool {
        self.laid_out().numbers.contains_key(name)
    }

    /// True for the name of a link direction, `from->to`.
    pub fn has_link(&self, name: &str) -> bool {
        name.split_once("->").is_some_and(|(from, to)| self.laid_out().has_link(from, to))
    }

    /// True if there is a path between two nodes; links lead both ways.
    pub fn connected(&self, one: &str, other: &str) -> bool {
        let graph = self.laid_out();
        match (graph.numbers.get(one), graph.numbers.get(other)) {
            (Some(one), Some(other)) => graph.part(*one) == graph.part(*other),
            _ => false,
        }
    }

    /// Names of nodes for a message.
    pub fn nodes(&self) -> Vec<String> {
        self.topology.layout().1.nodes()
    }

    /// Names of link directions between these nodes for a message.
    pub fn links(&self) -> Vec<String> {
        let nodes = self.nodes();
        let graph = self.laid_out();
        let mut places = vec![None; graph.parent.len()];
        for (place, name) in nodes.iter().enumerate() {
            if let Some(number) = graph.numbers.get(name) {
                places[*number] = Some(place);
            }
        }
        let shown = graph.directions.iter().filter_map(|((from, to), ())| Some((places[from]?, places[to]?)));
        let mut ordered: ByKey<(usize, usize), ()> = ByKey::new();
        for link in shown {
            ordered.insert(link, ());
        }
        ordered.iter().map(|((from, to), ())| link_name(&nodes[from], &nodes[to])).collect()
    }
}

impl Connectivity {
    fn of(topology: &Topology) -> Connectivity {
        let mut graph = Connectivity::default();
        topology.layout().1.links(&mut |from, to, _| {
            let (from, to) = (graph.node(from), graph.node(to));
            graph.directions.insert((from, to), ());
            graph.directions.insert((to, from), ());
            let (one, other) = (graph.part(from), graph.part(to));
            graph.parent[one] = other;
            // Shortens the way for the next search.
            graph.parent[from] = other;
            graph.parent[to] = other;
        });
        graph
    }

    fn node(&mut self, name: String) -> usize {
        let next = self.parent.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.parent.push(next);
        }
        number
    }

    fn has_link(&self, from: &str, to: &str) -> bool {
        match (self.numbers.get(from), self.numbers.get(to)) {
            (Some(from), Some(to)) => self.directions.contains((*from, *to)),
            _ => false,
        }
    }

    /// The node that represents the part of the network in which a node is.
    fn part(&self, mut node: usize) -> usize {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }
}
