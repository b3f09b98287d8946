//! A parking lot: a chain of links with one flow over all of them and cross traffic on each.

use ackclock_catalogue::{Entry, Key as EntryKey};
use serde::Deserialize;

use super::layout::{Layout, SHOWN};
use super::sketch::{Role, Sketch};
use crate::links::link::LinkConfig;
use crate::read::error::Checked;
use crate::read::key::Key;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "topology",
    name: "parking_lot",
    title: "a chain of links with one flow over all of them, and cross traffic on each",
    source: "Floyd, Connections with Multiple Congested Gateways, 1991",
    table: "topology.parking_lot",
    keys: &[
        EntryKey::required("hops", "3", "the number of links of the chain"),
        EntryKey::required("link", "{ rate = \"10 Mbit/s\", delay = \"10 ms\" }", "each link of the chain"),
        EntryKey::required(
            "access",
            "{ rate = \"10 Mbit/s\", delay = \"10 ms\" }",
            "the links between hosts and routers",
        ),
    ],
    ..Entry::PLAIN
};

/// An example of the table.
pub(super) const EXAMPLE: &str = r#"
[topology.parking_lot]
hops = 3
link = { rate = "2 Mbit/s", delay = "20 ms" }
access = { rate = "10 Mbit/s", delay = "10 ms" }
"#;

/// The most links of the chain.
const MOST_HOPS: u32 = 10_000;

/// Routers `r0`..`rH` in a chain; `src0` to `dst0` over all hops, and for every hop i `src{i}` at `r{i-1}` to
/// `dst{i}` at `r{i}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ParkingLot {
    /// The number of links of the chain.
    pub hops: u32,
    /// Each link of the chain.
    pub link: LinkConfig,
    /// The links between hosts and routers.
    pub access: LinkConfig,
}

impl Layout for ParkingLot {
    fn check(&self, at: &Key, flows: u32) -> Checked {
        at.then("hops").within(self.hops, MOST_HOPS)?;
        self.link.check(&at.then("link"), flows)?;
        self.access.check(&at.then("access"), flows)
    }

    /// The chain, then for each pair the source's link and the destination's.
    fn links<'a>(&'a self, visit: &mut dyn FnMut(String, String, &'a LinkConfig)) {
        for hop in 1..=self.hops {
            visit(format!("r{}", hop - 1), format!("r{hop}"), &self.link);
        }
        for pair in 0..=self.hops {
            let (first, last) = if pair == 0 { (0, self.hops) } else { (pair - 1, pair) };
            visit(format!("src{pair}"), format!("r{first}"), &self.access);
            visit(format!("r{last}"), format!("dst{pair}"), &self.access);
        }
    }

    fn nodes(&self) -> Vec<String> {
        let names = |n| [format!("r{n}"), format!("src{n}"), format!("dst{n}")];
        (0..=self.hops.min(SHOWN)).flat_map(names).collect()
    }

    fn pairs(&self) -> u32 {
        self.hops + 1
    }

    fn ends(&self, index: u32, _flow: &str, _seed: u64) -> Result<(String, String), &'static str> {
        let pair = index % self.pairs();
        Ok((format!("src{pair}"), format!("dst{pair}")))
    }

    /// At most five hops are drawn; the last stands for those left out.
    fn sketch(&self) -> Sketch {
        let mut sketch = Sketch::default();
        let drawn = self.hops.clamp(1, 5);
        let step = 0.72 / f64::from(drawn);
        let number = |place: u32| if place == drawn { self.hops } else { place };
        let at = |place: u32| 0.14 + step * f64::from(place);
        let routers: Vec<usize> = (0..=drawn)
            .map(|place| sketch.node(&format!("r{}", number(place)), Role::Router, at(place), 0.6))
            .collect();
        for place in 1..=drawn {
            let (here, there) = (routers[place as usize - 1], routers[place as usize]);
            sketch.trunk(here, there, Vec::new());
            let pair = number(place);
            // Destinations are a row lower, so that narrow drawings have room for both.
            let source = sketch.node(&format!("src{pair}"), Role::Host, at(place) - 0.72 * step, 1.6);
            let destination = sketch.node(&format!("dst{pair}"), Role::Host, at(place) - 0.28 * step, 2.5);
            sketch.wire(source, here, Vec::new());
            sketch.wire(there, destination, Vec::new());
        }
        let source = sketch.node("src0", Role::Host, 0.0, 0.6);
        let destination = sketch.node("dst0", Role::Host, 1.0, 0.6);
        sketch.wire(source, routers[0], Vec::new());
        sketch.wire(routers[drawn as usize], destination, Vec::new());
        sketch.note(self.link.in_words().join(" · "), 0.5, 0.0);
        let hops = self.hops;
        let words = format!("{hops} hops, each with its own cross traffic; one path over all of them");
        sketch.note(words, 0.5, 3.2);
        sketch
    }
}
