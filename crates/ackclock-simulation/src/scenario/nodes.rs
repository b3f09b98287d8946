//! The ends of flows: one node, or several in turn.

use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

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
        // An empty list is refused before anybody asks.
        self.names.get(flow as usize % self.names.len().max(1)).map_or("", String::as_str)
    }

    /// The key of one name, where the nodes are at `key`.
    pub(super) fn key(&self, key: &str, index: usize) -> String {
        if self.is_list { format!("{key}.{index}") } else { key.to_owned() }
    }
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
