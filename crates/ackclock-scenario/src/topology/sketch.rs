//! A drawing of a network: nodes at places, and the links between them.

use std::cmp::Ordering;

/// A drawing of a network. The x coordinate goes from 0 at the left to 1 at the right, the y coordinate from row 0
/// downwards.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sketch {
    /// The nodes, and texts at the places of nodes.
    pub nodes: Vec<SketchNode>,
    /// The links.
    pub links: Vec<SketchLink>,
}

/// A node of a drawing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SketchNode {
    /// Its name, or a text.
    pub name: String,
    /// The kind of node.
    pub role: Role,
    /// From 0 at the left to 1 at the right.
    pub x: f64,
    /// The row, from 0 at the top.
    pub y: f64,
    /// A remark below it.
    pub note: String,
}

/// The kind of a node in a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A host, where flows begin and end.
    Host,
    /// A router.
    Router,
    /// A text, or an ellipsis for nodes that are left out.
    Text,
}

impl Role {
    /// The name: "host", "router" or "text".
    pub fn name(self) -> &'static str {
        match self {
            Role::Host => "host",
            Role::Router => "router",
            Role::Text => "text",
        }
    }
}

/// A link of a drawing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SketchLink {
    /// The number of the node at one end.
    pub from: usize,
    /// The number of the node at the other end.
    pub to: usize,
    /// True if drawn thick: a bottleneck, or a link that the traffic of many nodes shares.
    pub trunk: bool,
    /// Lines of text at the link: the first above it, others below.
    pub label: Vec<String>,
}

impl Sketch {
    /// Adds a node: its number.
    pub(super) fn node(&mut self, name: &str, role: Role, x: f64, y: f64) -> usize {
        self.nodes.push(SketchNode { name: name.to_owned(), role, x, y, note: String::new() });
        self.nodes.len() - 1
    }

    /// Adds a remark without a node.
    pub(super) fn note(&mut self, note: String, x: f64, y: f64) {
        self.nodes.push(SketchNode { name: String::new(), role: Role::Text, x, y, note });
    }

    /// Adds a link.
    pub(super) fn wire(&mut self, from: usize, to: usize, label: Vec<String>) {
        self.links.push(SketchLink { from, to, trunk: false, label });
    }

    /// Adds a thick link.
    pub(super) fn trunk(&mut self, from: usize, to: usize, label: Vec<String>) {
        self.links.push(SketchLink { from, to, trunk: true, label });
    }
}

/// The numbers below `count`, sorted by `compare`; equal ones keep their order. All tables use this one
/// sort, since sorting each type of row would compile the code again.
pub fn ordered(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}
