//! The counts of flows at the end of the warm-up, from which averages are taken.

use crate::flows::counts::Baseline;

/// The counts at the end of the warm-up of all flows that had any.
#[derive(Debug, Default)]
pub(crate) struct Baselines {
    /// In the order of flows.
    each: Vec<(u32, Baseline)>,
}

impl Baselines {
    /// The counts of some flows, in their order.
    pub fn new(each: impl Iterator<Item = (u32, Baseline)>) -> Baselines {
        Baselines { each: each.collect() }
    }

    /// The counts of a flow; zeros where it had not begun.
    pub fn of(&self, flow: usize) -> Baseline {
        let found = self.each.binary_search_by_key(&flow, |(of, _)| *of as usize);
        found.map_or_else(|_| Baseline::default(), |place| self.each[place].1)
    }
}
