//! `from`, `to` and `backward` of a group: the nodes that its flows connect.

use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use crate::read::error::{Checked, clip};
use crate::read::key::Key;
use crate::topology::{NodeIndex, Topology};

/// Names of nodes, in TOML a text or a list of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    names: Vec<String>,
    is_list: bool,
}

impl Nodes {
    /// The names, as written.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The node that flow number `flow` of a group takes.
    pub fn of(&self, flow: u32) -> &str {
        // Reading refuses an empty list.
        self.names.get(flow as usize % self.names.len().max(1)).map_or("", String::as_str)
    }

    /// The key of one name, if the nodes are at `at`.
    fn key(&self, at: &Key, index: usize) -> Key {
        if self.is_list { at.then(index) } else { at.clone() }
    }

    /// Refuses names of nodes that do not exist.
    fn check(&self, at: &Key, nodes: &NodeIndex<'_>) -> Checked {
        if self.names.is_empty() {
            return Err(at.error("found an empty list; at least one node is needed"));
        }
        match self.names.iter().position(|name| !nodes.has_node(name)) {
            None => Ok(()),
            Some(index) => {
                let name = clip(&self.names[index]);
                let problem = format!("there is no node {name:?}");
                Err(self.key(at, index).unknown(&name, &problem, &nodes.nodes()))
            }
        }
    }
}

/// The ends of the flows of a group.
#[derive(Clone, Copy)]
pub(crate) struct Ends<'a> {
    pub from: Option<&'a Nodes>,
    pub to: Option<&'a Nodes>,
    pub backward: bool,
}

impl Ends<'_> {
    /// Refuses nodes that do not exist, cannot reach each other or do not pair up. Also refuses a group that
    /// names no nodes if the topology has no pairs of its own.
    pub fn check(self, at: &Key, nodes: &NodeIndex<'_>) -> Checked {
        let (from_key, to_key) = (at.then("from"), at.then("to"));
        let (from, to) = match (self.from, self.to) {
            (Some(from), Some(to)) => (from, to),
            (Some(_), None) => {
                return Err(to_key.error("missing; a flow that names \"from\" names \"to\" too"));
            }
            (None, Some(_)) => {
                return Err(from_key.error("missing; a flow that names \"to\" names \"from\" too"));
            }
            (None, None) => {
                return nodes.topology().ends(0, "", 0).map(|_| ()).map_err(|place| {
                    from_key.error(format!("missing; {place} every flow names the nodes it goes from and to"))
                });
            }
        };
        from.check(&from_key, nodes)?;
        to.check(&to_key, nodes)?;
        let (sources, destinations) = (from.names.len(), to.names.len());
        if sources != destinations && sources > 1 && destinations > 1 {
            let message = format!(
                "found {destinations} nodes and {sources} in \"from\"; expected as many, or a single one"
            );
            return Err(to_key.wrong(destinations, message));
        }
        (0..sources.max(destinations) as u32).try_for_each(|pair| {
            check_pair(&to.key(&to_key, pair as usize % destinations), from.of(pair), to.of(pair), nodes)
        })
    }

    /// The source and destination of a flow: number `place` of all flows, and number `number` of its group.
    pub fn of(self, topology: &Topology, place: u32, number: u32, name: &str, seed: u64) -> (String, String) {
        let (source, destination) = match (self.from, self.to) {
            (Some(from), Some(to)) => (from.of(number).to_owned(), to.of(number).to_owned()),
            // Reading refuses groups that name no ends if the topology has no pairs.
            _ => topology.ends(place, name, seed).unwrap_or_default(),
        };
        if self.backward { (destination, source) } else { (source, destination) }
    }

    /// The number of pairs of nodes that the flows take in turn.
    pub fn pairs(self, topology: &Topology) -> usize {
        match (self.from, self.to) {
            (Some(from), Some(to)) => from.names.len().max(to.names.len()),
            _ => topology.pairs() as usize,
        }
    }
}

/// Refuses a source and a destination between which no packet gets through; `at` is the destination's key.
fn check_pair(at: &Key, from: &str, to: &str, nodes: &NodeIndex<'_>) -> Checked {
    if from == to {
        return Err(at.wrong(to, format!("a flow from {from:?} to itself")));
    }
    if !nodes.connected(from, to) {
        let message = format!("node {to:?} cannot be reached from {from:?}: no links lead there");
        return Err(at.wrong(to, message));
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Nodes, D::Error> {
        struct NodesVisitor;
        impl<'de> Visitor<'de> for NodesVisitor {
            type Value = Nodes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a node, or a list of them")
            }

            fn visit_str<E>(self, name: &str) -> Result<Nodes, E> {
                Ok(Nodes { names: vec![name.to_owned()], is_list: false })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Nodes, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Nodes { names, is_list: true })
            }
        }
        from.deserialize_any(NodesVisitor)
    }
}
