//! The graph of a network: named nodes, and link directions between them.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::path::impairment::is_impairment;
use crate::{EventList, LinkConfig, LinkId, NodeId};

/// One direction of a link between its nodes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edge {
    /// The node that sends.
    pub from: NodeId,
    /// The node that receives.
    pub to: NodeId,
    /// The configuration of the link direction. Link directions added one after the other with equal configurations
    /// share one.
    pub config: Arc<LinkConfig>,
}

/// The number of earlier link directions that are searched for an equal configuration, which a new one then shares. In a
/// dumbbell they are both directions of the previous access link and exit link.
const RECENT: usize = 4;

/// Nodes with names, and link directions between them.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    names: Vec<String>,
    nodes: BTreeMap<String, NodeId>,
    edges: Vec<Edge>,
    between: BTreeMap<(NodeId, NodeId), LinkId>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Graph {
        Graph::default()
    }

    /// The node of this name, created at the first call.
    ///
    /// # Panics
    /// At 2^32 nodes.
    pub fn node(&mut self, name: &str) -> NodeId {
        if let Some(node) = self.nodes.get(name) {
            return *node;
        }
        let node = NodeId(u32::try_from(self.names.len()).expect("fewer than 2^32 nodes"));
        self.names.push(name.to_owned());
        self.nodes.insert(name.to_owned(), node);
        node
    }

    /// The node of this name, if there is one.
    pub fn find_node(&self, name: &str) -> Option<NodeId> {
        self.nodes.get(name).copied()
    }

    /// The name of a node.
    pub fn node_name(&self, node: NodeId) -> &str {
        &self.names[node.index()]
    }

    /// All node names, by number.
    pub fn node_names(&self) -> &[String] {
        &self.names
    }

    /// Adds one direction of a link.
    ///
    /// # Errors
    /// If it leads from a node to itself, has a rate of zero, an impossible loss or an unknown impairment, or
    /// exists already.
    pub fn add_link(&mut self, from: NodeId, to: NodeId, config: LinkConfig) -> Result<LinkId, GraphError> {
        let complain = |reason| Err(GraphError { link: self.name_between(from, to), reason });
        if from == to {
            return complain("leads from a node to itself");
        }
        if !config.rate.is_possible() {
            return complain("has a rate of zero, or one that is out of reach");
        }
        if !config.loss.is_possible() {
            return complain("has a loss probability outside 0 to 1");
        }
        if !config.path.impairments.iter().all(is_impairment) {
            return complain("has an impairment that is none of the catalogue's");
        }
        if self.between.contains_key(&(from, to)) {
            return complain("is there already");
        }
        // Each link direction may need a second number for the events of its queue.
        if self.edges.len() >= EventList::TARGETS as usize / 2 {
            return complain("is one more than the 2^23 link directions there can be");
        }
        if !config.queue.is_drop_tail() && config.ecn_threshold.is_some() {
            return complain("has a marking threshold, which goes with drop-tail alone");
        }
        let link = LinkId(self.edges.len() as u32);
        let recent = self.edges.iter().rev().take(RECENT);
        let known = recent.map(|edge| &edge.config).find(|known| ***known == config);
        let config = known.map_or_else(|| Arc::new(config), Arc::clone);
        self.edges.push(Edge { from, to, config });
        self.between.insert((from, to), link);
        Ok(link)
    }

    /// All link directions, by number.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// One link direction.
    pub fn edge(&self, link: LinkId) -> &Edge {
        &self.edges[link.index()]
    }

    /// All link directions in order.
    pub fn links(&self) -> impl Iterator<Item = LinkId> + use<> {
        (0..self.edges.len() as u32).map(LinkId)
    }

    /// A link direction's name: `left->right`.
    pub fn link_name(&self, link: LinkId) -> String {
        let edge = self.edge(link);
        self.name_between(edge.from, edge.to)
    }

    /// The link direction of this name.
    pub fn find_link(&self, name: &str) -> Option<LinkId> {
        // A node's name may contain an arrow, so every way to split the name is tried.
        name.match_indices("->").find_map(|(at, arrow)| {
            let from = self.find_node(name[..at].trim())?;
            let to = self.find_node(name[at + arrow.len()..].trim())?;
            self.between.get(&(from, to)).copied()
        })
    }

    fn name_between(&self, from: NodeId, to: NodeId) -> String {
        format!("{}->{}", self.node_name(from), self.node_name(to))
    }
}

/// The error of a link direction that cannot be added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphError {
    /// The name of the link direction: `left->right`.
    pub link: String,
    /// The predicate of the message, such as "has a rate of zero".
    pub reason: &'static str,
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the link {} {}", self.link, self.reason)
    }
}

impl Error for GraphError {}

#[cfg(test)]
mod tests {
    use super::*;
    use ackclock_units::{Duration, Rate};

    use crate::{GilbertElliott, LossModel};

    fn config() -> LinkConfig {
        LinkConfig::new(Rate::from_bits_per_second(1_000_000), Duration::from_millis(1))
    }

    #[test]
    fn links_are_found_by_name_and_by_number() {
        let mut graph = Graph::new();
        let (a, b) = (graph.node("a"), graph.node("b"));
        let there = graph.add_link(a, b, config()).unwrap();
        let back = graph.add_link(b, a, config()).unwrap();
        assert_eq!(graph.node("a"), a, "a name stands for one node");
        assert_eq!(graph.link_name(back), "b->a");
        assert_eq!(graph.find_link("a->b"), Some(there));
        assert_eq!(graph.find_link("a -> b"), Some(there));
        assert_eq!(graph.find_link("a->c"), None);
        assert_eq!(graph.find_link("ab"), None);
    }

    #[test]
    fn an_impossible_link_is_refused_by_name() {
        let mut graph = Graph::new();
        let (a, b) = (graph.node("a"), graph.node("b"));
        let refused =
            |graph: &mut Graph, from, to, config| graph.add_link(from, to, config).unwrap_err().to_string();
        let no_rate = LinkConfig { rate: Rate::default().into(), ..config() };
        assert_eq!(
            refused(&mut graph, a, b, no_rate),
            "the link a->b has a rate of zero, or one that is out of reach"
        );
        assert_eq!(refused(&mut graph, a, a, config()), "the link a->a leads from a node to itself");
        let model = GilbertElliott { good_to_bad: 0.1, bad_to_good: f64::NAN, loss_good: 0.0, loss_bad: 1.0 };
        let lossy = config().with_loss(LossModel::GilbertElliott(model));
        assert!(refused(&mut graph, a, b, lossy).contains("outside 0 to 1"));
        graph.add_link(a, b, config()).unwrap();
        assert_eq!(refused(&mut graph, a, b, config()), "the link a->b is there already");
    }
}
