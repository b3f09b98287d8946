//! Which nodes and link directions a topology has, and which nodes reach each other, without laying it out.

use std::collections::{BTreeMap, BTreeSet};

use super::topology::Topology;

/// Names shown in a message and tried as the nearest one; further ones of a generated topology are alike.
const SHOWN: u32 = 8;

/// The nodes and links of a topology, by name.
pub(super) enum Places<'a> {
    Generated { topology: &'a Topology },
    Graph { part: BTreeMap<&'a str, usize>, directions: BTreeSet<(&'a str, &'a str)> },
}

impl<'a> Places<'a> {
    pub fn new(topology: &'a Topology) -> Places<'a> {
        let Topology::Graph(graph) = topology else { return Places::Generated { topology } };
        let mut neighbours: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut directions = BTreeSet::new();
        for (from, to) in graph.link.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())) {
            for (here, there) in [(from, to), (to, from)] {
                neighbours.entry(here).or_default().push(there);
                directions.insert((here, there));
            }
        }
        Places::Graph { part: parts(&neighbours), directions }
    }

    /// Whether there is a node of this name.
    pub fn has_node(&self, name: &str) -> bool {
        match self {
            Places::Graph { part, .. } => part.contains_key(name),
            Places::Generated { topology: Topology::Dumbbell(dumbbell) } => {
                let end = numbered(name, "src").or(numbered(name, "dst"));
                matches!(name, "left" | "right")
                    || end.is_some_and(|pair| (1..=dumbbell.pairs).contains(&pair))
            }
            Places::Generated { topology: Topology::ParkingLot(lot) } => {
                let number = ["r", "src", "dst"].iter().find_map(|prefix| numbered(name, prefix));
                number.is_some_and(|number| number <= lot.hops)
            }
            Places::Generated { topology: Topology::ThreeTier(tiers) } => tiers.has_node(name),
            Places::Generated { .. } => false,
        }
    }

    /// Whether there is a link direction of this name.
    pub fn has_link(&self, name: &str) -> bool {
        let Some((from, to)) = name.split_once("->") else { return false };
        match self {
            Places::Graph { directions, .. } => directions.contains(&(from, to)),
            Places::Generated { topology } => {
                self.has_node(from)
                    && self.has_node(to)
                    && (adjacent(topology, from, to) || adjacent(topology, to, from))
            }
        }
    }

    /// Whether packets get from one node to the other and back; links lead both ways, so one implies the other.
    pub fn connected(&self, one: &str, other: &str) -> bool {
        match self {
            Places::Graph { part, .. } => part.get(one) == part.get(other),
            Places::Generated { .. } => true,
        }
    }

    /// Names of nodes: all of a graph, the first ones of a generated topology.
    pub fn nodes(&self) -> Vec<String> {
        match self {
            Places::Graph { part, .. } => part.keys().map(|name| (*name).to_owned()).collect(),
            Places::Generated { topology: Topology::Dumbbell(dumbbell) } => {
                let ends = |pair| [format!("src{pair}"), format!("dst{pair}")];
                let routers = ["left".to_owned(), "right".to_owned()];
                routers.into_iter().chain((1..=dumbbell.pairs.min(SHOWN)).flat_map(ends)).collect()
            }
            Places::Generated { topology: Topology::ParkingLot(lot) } => {
                let names = |n| [format!("r{n}"), format!("src{n}"), format!("dst{n}")];
                (0..=lot.hops.min(SHOWN)).flat_map(names).collect()
            }
            Places::Generated { topology: Topology::ThreeTier(tiers) } => tiers.first_nodes(SHOWN),
            Places::Generated { .. } => Vec::new(),
        }
    }

    /// Names of link directions: all of a graph, the first ones of a generated topology.
    pub fn links(&self) -> Vec<String> {
        match self {
            Places::Graph { directions, .. } => {
                directions.iter().map(|(from, to)| super::link_name(from, to)).collect()
            }
            Places::Generated { .. } => {
                let nodes = self.nodes();
                let pairs = nodes.iter().flat_map(|from| nodes.iter().map(move |to| (from, to)));
                pairs
                    .map(|(from, to)| super::link_name(from, to))
                    .filter(|name| self.has_link(name))
                    .collect()
            }
        }
    }
}

/// Whether a generated topology has a link written from `from` to `to`.
fn adjacent(topology: &Topology, from: &str, to: &str) -> bool {
    match topology {
        Topology::Dumbbell(_) => match (from, to) {
            ("left", "right") => true,
            (from, "left") => numbered(from, "src").is_some(),
            ("right", to) => numbered(to, "dst").is_some(),
            _ => false,
        },
        Topology::ParkingLot(lot) => match (numbered(from, "r"), numbered(to, "r")) {
            (Some(here), Some(there)) => there.checked_sub(here) == Some(1),
            (None, Some(router)) => {
                numbered(from, "src").is_some_and(|pair| router == pair.saturating_sub(1))
            }
            (Some(router), None) => {
                numbered(to, "dst").is_some_and(|pair| router == if pair == 0 { lot.hops } else { pair })
            }
            (None, None) => false,
        },
        Topology::ThreeTier(tiers) => tiers.adjacent(from, to),
        Topology::Graph(_) => false,
    }
}

/// The number after the prefix, where the name is exactly that.
fn numbered(name: &str, prefix: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits).then_some(number)
}

/// Numbers the connected parts of a graph.
fn parts<'a>(neighbours: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeMap<&'a str, usize> {
    let mut part: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, start) in neighbours.keys().enumerate() {
        let mut waiting = vec![*start];
        while let Some(node) = waiting.pop() {
            if !part.contains_key(node) {
                part.insert(node, number);
                waiting.extend(&neighbours[node]);
            }
        }
    }
    part
}
