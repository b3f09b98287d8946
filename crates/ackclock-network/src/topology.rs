use crate::{Duplex, Graph, GraphError};

/// Pairs of hosts that share one bottleneck.
///
/// `src1` to `srcN` - `left` - `right` - `dst1` to `dstN`. Forward is from the sources to the destinations: on an
/// access link towards `left`, on an exit link away from `right`.
#[derive(Clone, Debug, PartialEq)]
pub struct Dumbbell {
    /// How many sources, and as many destinations.
    pub pairs: u32,
    /// The link between `left` and `right`.
    pub bottleneck: Duplex,
    /// The links between the sources and `left`.
    pub access: Duplex,
    /// The links between `right` and the destinations; as the access links where absent.
    pub exit: Option<Duplex>,
}

impl Dumbbell {
    /// Builds it. The bottleneck's directions are links 0 and 1.
    ///
    /// # Errors
    /// When a link is impossible; see [`Graph::add_link`].
    pub fn graph(&self) -> Result<Graph, GraphError> {
        let mut graph = Graph::new();
        let (left, right) = (graph.node("left"), graph.node("right"));
        graph.connect(left, right, &self.bottleneck)?;
        for pair in 1..=self.pairs {
            let source = graph.node(&format!("src{pair}"));
            graph.connect(source, left, &self.access)?;
            let destination = graph.node(&format!("dst{pair}"));
            graph.connect(right, destination, self.exit.as_ref().unwrap_or(&self.access))?;
        }
        Ok(graph)
    }
}

/// A chain of bottlenecks: one pair of hosts across all of them, and one pair across each.
///
/// Routers `r0` to `rH`; `src0` at `r0` and `dst0` at `rH`; for every hop `i` from 1, `src<i>` at `r<i-1>` and
/// `dst<i>` at `r<i>`. Forward is from the sources to the destinations.
#[derive(Clone, Debug, PartialEq)]
pub struct ParkingLot {
    /// How many bottlenecks.
    pub hops: u32,
    /// The links between neighbouring routers.
    pub link: Duplex,
    /// The links between hosts and routers.
    pub access: Duplex,
}

impl ParkingLot {
    /// Builds it. The links between the routers come first, hop by hop.
    ///
    /// # Errors
    /// When a link is impossible; see [`Graph::add_link`].
    pub fn graph(&self) -> Result<Graph, GraphError> {
        let mut graph = Graph::new();
        let routers: Vec<_> = (0..=self.hops).map(|hop| graph.node(&format!("r{hop}"))).collect();
        for neighbours in routers.windows(2) {
            graph.connect(neighbours[0], neighbours[1], &self.link)?;
        }
        let hops = self.hops as usize;
        let pairs = std::iter::once((0, hops)).chain((1..=hops).map(|hop| (hop - 1, hop)));
        for (pair, (enter, leave)) in pairs.enumerate() {
            let source = graph.node(&format!("src{pair}"));
            graph.connect(source, routers[enter], &self.access)?;
            let destination = graph.node(&format!("dst{pair}"));
            graph.connect(routers[leave], destination, &self.access)?;
        }
        Ok(graph)
    }
}
