//! Any links between named nodes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::LazyLock;

use ackclock_catalogue::{Entry, Key as EntryKey};
use serde::de::{self, MapAccess};
use serde::{Deserialize, Deserializer};

use super::layout::{Layout, link_name};
use super::sketch::{Role, Sketch};
use crate::links::link::LinkConfig;
use crate::read::error::{Checked, clip};
use crate::read::flatten::{self, Part};
use crate::read::key::Key;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "topology",
    name: "graph",
    title: "any links between named nodes",
    source: "common practice",
    table: "topology.graph",
    keys: &[
        EntryKey::required(
            "link",
            "[{ from = \"client\", to = \"server\", rate = \"2 Mbit/s\", delay = \"20 ms\" }]",
            "the links: their ends `from` and `to` and the keys of every link",
        ),
        EntryKey::optional(
            "ecmp_seed",
            "1",
            "the seed of the hash by which routers spread flows over paths of equally few links; without it all flows between two nodes \
             take one",
        ),
    ],
    ..Entry::PLAIN
};

/// An example of the table.
pub(super) const EXAMPLE: &str = r#"
[[topology.graph.link]]
from = "client"
to = "gateway"
rate = "2 Mbit/s"
delay = "20 ms"

[[topology.graph.link]]
from = "gateway"
to = "server"
rate = "10 Mbit/s"
delay = "10 ms"
"#;

/// The most nodes of a drawing.
const MOST_DRAWN: usize = 24;

/// Any links; the nodes are those that links name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Graph {
    /// The links.
    pub link: Vec<GraphLink>,
    /// The seed of the hash that spreads flows over paths of equally few links; none if all take one.
    pub ecmp_seed: Option<u64>,
}

/// A link of a [`Graph`], written as `from` and `to` together with the keys of every link.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GraphLink {
    /// The node at one end.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// The properties of the link.
    pub link: LinkConfig,
}

/// The names of a link's ends.
#[derive(Default)]
struct Ends {
    from: Option<String>,
    to: Option<String>,
}

impl Part for Ends {
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, table: &mut A) -> Result<bool, A::Error> {
        match key {
            "from" => self.from = Some(table.next_value()?),
            "to" => self.to = Some(table.next_value()?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl<'de> Deserialize<'de> for GraphLink {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GraphLink, D::Error> {
        static KEYS: LazyLock<Vec<&str>> =
            LazyLock::new(|| [&["from", "to"], flatten::keys_of::<LinkConfig>()].concat());
        let (ends, link) = flatten::read(deserializer, Ends::default(), &KEYS)?;
        let missing = |name| move || de::Error::missing_field(name);
        let (from, to) = (ends.from.ok_or_else(missing("from"))?, ends.to.ok_or_else(missing("to"))?);
        Ok(GraphLink { from, to, link })
    }
}

impl Layout for Graph {
    fn check(&self, at: &Key, flows: u32) -> Checked {
        let at = at.then("link");
        if self.link.is_empty() {
            return Err(at.error("found an empty list; a graph has links"));
        }
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (index, edge) in self.link.iter().enumerate() {
            let at = at.then(index);
            check_node_name(&at.then("from"), &edge.from)?;
            check_node_name(&at.then("to"), &edge.to)?;
            let (low, high) = (edge.from.as_str().min(&edge.to), edge.from.as_str().max(&edge.to));
            if low == high {
                return Err(at.wrong(low, format!("a link from {low:?} to itself")));
            }
            if let Some(first) = seen.insert(link_name(low, high), index) {
                let message =
                    format!("a second link between {low:?} and {high:?}; number {first} is there already");
                return Err(at.wrong(link_name(&edge.from, &edge.to), message));
            }
            edge.link.check(&at, flows)?;
        }
        Ok(())
    }

    fn links<'a>(&'a self, visit: &mut dyn FnMut(String, String, &'a LinkConfig)) {
        for edge in &self.link {
            visit(edge.from.clone(), edge.to.clone(), &edge.link);
        }
    }

    fn nodes(&self) -> Vec<String> {
        self.numbers().into_keys().collect()
    }

    fn ends(&self, _index: u32, _flow: &str, _seed: u64) -> Result<(String, String), &'static str> {
        Err("in a graph")
    }

    fn ecmp_seed(&self) -> Option<u64> {
        self.ecmp_seed
    }

    /// Nodes from left to right by their distance from the first one; nothing for a large graph.
    fn sketch(&self) -> Sketch {
        let mut sketch = Sketch::default();
        let numbers = self.numbers();
        if numbers.len() > MOST_DRAWN {
            return sketch;
        }
        let depths = self.depths(&numbers);
        let drawn: Vec<usize> = numbers.keys().map(|name| sketch.node(name, Role::Host, 0.0, 0.0)).collect();
        for edge in &self.link {
            let (from, to) = (numbers[&edge.from], numbers[&edge.to]);
            // Links lead from left to right, away from the first node.
            let (left, right) = if depths[from] <= depths[to] { (from, to) } else { (to, from) };
            let ways = [&edge.link, &edge.link.backward()].map(|link| link.in_words().join(" · "));
            let words = match ways {
                [there, back] if there == back => vec![there],
                [there, back] if left == from => vec![format!("→ {there}"), format!("← {back}")],
                [there, back] => vec![format!("← {there}"), format!("→ {back}")],
            };
            sketch.wire(drawn[left], drawn[right], words);
        }
        #[cfg(feature = "layers")]
        sketch.in_layers();
        #[cfg(not(feature = "layers"))]
        sketch.in_columns(&depths);
        sketch
    }
}

impl Graph {
    /// The nodes' names with their places in alphabetical order.
    fn numbers(&self) -> BTreeMap<String, usize> {
        let mut numbers = BTreeMap::new();
        for name in self.link.iter().flat_map(|edge| [&edge.from, &edge.to]) {
            if !numbers.contains_key(name) {
                numbers.insert(name.clone(), 0);
            }
        }
        numbers.values_mut().enumerate().for_each(|(place, number)| *number = place);
        numbers
    }

    /// The distance in links of each node, by number, from the first node of its part of the graph.
    fn depths(&self, numbers: &BTreeMap<String, usize>) -> Vec<usize> {
        let mut neighbours = vec![Vec::new(); numbers.len()];
        for edge in &self.link {
            let (from, to) = (numbers[&edge.from], numbers[&edge.to]);
            neighbours[from].push(to);
            neighbours[to].push(from);
        }
        let mut depths = vec![None; numbers.len()];
        for root in self.link.iter().map(|edge| numbers[&edge.from]) {
            let mut front = VecDeque::from([(root, 0)]);
            while let Some((node, depth)) = front.pop_front() {
                if depths[node].is_none() {
                    depths[node] = Some(depth);
                    front.extend(neighbours[node].iter().map(|next| (*next, depth + 1)));
                }
            }
        }
        depths.into_iter().map(Option::unwrap_or_default).collect()
    }
}

fn check_node_name(at: &Key, name: &str) -> Checked {
    if name.is_empty() || name.trim() != name || name.contains("->") || name.contains(char::is_control) {
        let name = clip(name);
        let message = format!("found {name:?}; a node's name is a text without \"->\", not empty");
        return Err(at.wrong(name, message));
    }
    Ok(())
}
