//! `[topology]`: nodes and links, as one of several layouts.
//!
//! A layout is a file in `topology/` with its catalogue entry, its keys, its [`Layout`] and an example, and a line in the
//! list below.

#[cfg(any(test, not(feature = "layers")))]
mod columns;
mod dumbbell;
mod graph;
#[cfg(feature = "layers")]
mod layers;
mod layout;
mod node_index;
mod parking_lot;
mod sketch;
mod star;
mod three_tier;

use std::borrow::Cow;

use ackclock_catalogue::Entry;
use serde::Deserialize;

pub use dumbbell::Dumbbell;
pub use graph::{Graph, GraphLink};
pub use layout::link_name;
pub(super) use node_index::NodeIndex;
pub use parking_lot::ParkingLot;
pub use sketch::{Role, Sketch, SketchLink, SketchNode, ordered};
pub use star::Star;
pub use three_tier::{Backbone, Shape, ThreeTier, Tier};

use layout::Layout;

use crate::links::link::LinkConfig;
use crate::read::error::Checked;
use crate::read::key::Key;

macro_rules! layouts {
    ($($(#[$doc:meta])* $module:ident: $layout:ident),* $(,)?) => {
        /// `[topology]`: exactly one layout.
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[expect(clippy::large_enum_variant, reason = "a scenario has one")]
        #[non_exhaustive]
        pub enum Topology {
            $($(#[$doc])* $layout($layout),)*
        }

        impl Topology {
            /// The layouts' catalogue entries.
            pub const ENTRIES: &[Entry] = &[$($module::ENTRY),*];

            /// Each layout's key with an example of its table: a TOML text that begins with `[topology.`.
            pub const EXAMPLES: &[(&str, &str)] = &[$((stringify!($module), $module::EXAMPLE)),*];

            /// The layout and its key.
            fn layout(&self) -> (&'static str, &dyn Layout) {
                match self {
                    $(Topology::$layout(layout) => (stringify!($module), layout),)*
                }
            }
        }

        #[cfg(test)]
        mod tests {
            use crate::read::flatten::keys_of;

            #[test]
            fn entries_have_the_names_and_the_keys_of_their_tables() {
                $(
                    let entry = super::$module::ENTRY;
                    assert_eq!((entry.kind, entry.name), ("topology", stringify!($module)));
                    let keys: Vec<&str> = entry.keys.iter().map(|key| key.name).collect();
                    assert_eq!(keys, keys_of::<super::$layout>(), "keys of topology/{}.rs", entry.name);
                )*
            }
        }
    };
}

layouts! {
    /// Pairs of hosts on either side of one link.
    dumbbell: Dumbbell,
    /// A chain of links: one flow over all of them, one across each.
    parking_lot: ParkingLot,
    /// Backbone, POP and access routers.
    three_tier: ThreeTier,
    /// Hosts around one switch.
    star: Star,
    /// Links between named nodes.
    graph: Graph,
}

/// One direction of one link of a scenario.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LinkSpec<'a> {
    /// Its name, `from->to`.
    pub name: String,
    /// The node from which packets come.
    pub from: String,
    /// The node to which packets go.
    pub to: String,
    /// Its properties, as those of a forward direction.
    pub direction: Cow<'a, LinkConfig>,
}

impl Topology {
    /// All link directions: for every link in the layout's order, forward and backward.
    pub fn links(&self) -> Vec<LinkSpec<'_>> {
        let mut links = Vec::new();
        self.layout().1.links(&mut |from, to, link| {
            let (forward, backward) = (Cow::Borrowed(link), Cow::Owned(link.backward()));
            let (name, back) = (link_name(&from, &to), link_name(&to, &from));
            links.push(LinkSpec { name, from: from.clone(), to: to.clone(), direction: forward });
            links.push(LinkSpec { name: back, from: to, to: from, direction: backward });
        });
        links
    }

    /// Visits each link direction, in the order of [`Topology::links`].
    pub fn directions(&self, visit: &mut dyn FnMut(&str, &str, &LinkConfig)) {
        self.layout().1.links(&mut |from, to, link| {
            visit(&from, &to, link);
            visit(&to, &from, &link.backward());
        });
    }

    /// The seed of the hash that spreads flows over paths of equally few links; none if all flows between two nodes take one.
    pub fn ecmp_seed(&self) -> Option<u64> {
        self.layout().1.ecmp_seed()
    }

    /// The network as a drawing.
    pub fn sketch(&self) -> Sketch {
        self.layout().1.sketch()
    }

    /// Refuses a network that cannot be built.
    pub(super) fn check(&self, at: &Key, flows: u32) -> Checked {
        let (name, layout) = self.layout();
        layout.check(&at.then(name), flows)
    }

    /// The number of pairs of nodes that flows use in turn if they name none.
    pub(super) fn pairs(&self) -> u32 {
        self.layout().1.pairs()
    }

    /// The source and destination of flow number `index`, called `flow`, if it names none; an error if every flow
    /// has to name them.
    pub(super) fn ends(&self, index: u32, flow: &str, seed: u64) -> Result<(String, String), &'static str> {
        self.layout().1.ends(index, flow, seed)
    }
}
