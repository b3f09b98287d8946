//! The numbers of nodes and link directions.

use ackclock_memory::Numbers;

/// A node, by its number in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// One direction of a link, by its number in the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub(crate) u32);

impl NodeId {
    /// The number, counted from 0 in the order of creation.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// The link direction with this number; also the target of its events.
    #[inline]
    pub fn new(index: u32) -> LinkId {
        LinkId(index)
    }

    /// The number, counted from 0 in the order of creation.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Numbers for NodeId {
    #[inline]
    fn numbers(self) -> (u64, u64) {
        self.0.numbers()
    }
    #[inline]
    fn of(numbers: (u64, u64)) -> NodeId {
        NodeId(u32::of(numbers))
    }
}

impl Numbers for LinkId {
    #[inline]
    fn numbers(self) -> (u64, u64) {
        self.0.numbers()
    }
    #[inline]
    fn of(numbers: (u64, u64)) -> LinkId {
        LinkId(u32::of(numbers))
    }
}
