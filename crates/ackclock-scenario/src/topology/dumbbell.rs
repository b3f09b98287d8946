//! A dumbbell: hosts `src1`..`srcN` and `dst1`..`dstN` around the link `left->right`.

use ackclock_catalogue::{Entry, Key as EntryKey};
use serde::Deserialize;

use super::layout::{Layout, SHOWN};
use super::sketch::{Role, Sketch};
use crate::links::link::LinkConfig;
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::MOST_FLOWS;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "topology",
    name: "dumbbell",
    title: "pairs of hosts on either side of one link that all flows share",
    source: "common practice",
    table: "topology.dumbbell",
    keys: &[
        EntryKey::optional("pairs", "10", "the number of sources, and of destinations; 1 by default"),
        EntryKey::required(
            "bottleneck",
            "{ rate = \"10 Mbit/s\", delay = \"10 ms\" }",
            "the link `left->right`",
        ),
        EntryKey::required(
            "access",
            "{ rate = \"10 Mbit/s\", delay = \"10 ms\" }",
            "the links from each source to `left`, and from `right` to each destination",
        ),
        EntryKey::optional(
            "exit",
            "{ rate = \"10 Mbit/s\", delay = \"10 ms\" }",
            "the links from `right` to each destination; as `access` by default",
        ),
    ],
    ..Entry::PLAIN
};

/// An example of the table.
pub(super) const EXAMPLE: &str = r#"
[topology.dumbbell]
pairs = 10
bottleneck = { rate = "2 Mbit/s", delay = "20 ms" }
access = { rate = "10 Mbit/s", delay = "10 ms" }
"#;

/// Hosts `src1`..`srcN` and `dst1`..`dstN` around the link `left->right`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Dumbbell {
    /// The number of pairs of hosts.
    #[serde(default = "one")]
    pub pairs: u32,
    /// The link between the routers.
    pub bottleneck: LinkConfig,
    /// The links from each source to `left` and from `right` to each destination.
    pub access: LinkConfig,
    /// The links from `right` to each destination, if they differ from `access`.
    pub exit: Option<LinkConfig>,
}

impl Layout for Dumbbell {
    fn check(&self, at: &Key, flows: u32) -> Checked {
        at.then("pairs").within(self.pairs, MOST_FLOWS)?;
        self.bottleneck.check(&at.then("bottleneck"), flows)?;
        self.access.check(&at.then("access"), flows)?;
        self.exit.as_ref().map_or(Ok(()), |exit| exit.check(&at.then("exit"), flows))
    }

    /// The bottleneck, then for each pair the source's link and the destination's.
    fn links<'a>(&'a self, visit: &mut dyn FnMut(String, String, &'a LinkConfig)) {
        visit("left".to_owned(), "right".to_owned(), &self.bottleneck);
        let exit = self.exit.as_ref().unwrap_or(&self.access);
        for pair in 1..=self.pairs {
            visit(format!("src{pair}"), "left".to_owned(), &self.access);
            visit("right".to_owned(), format!("dst{pair}"), exit);
        }
    }

    fn nodes(&self) -> Vec<String> {
        let hosts = (1..=self.pairs.min(SHOWN)).flat_map(|pair| [format!("src{pair}"), format!("dst{pair}")]);
        ["left".to_owned(), "right".to_owned()].into_iter().chain(hosts).collect()
    }

    fn pairs(&self) -> u32 {
        self.pairs
    }

    fn ends(&self, index: u32, _flow: &str, _seed: u64) -> Result<(String, String), &'static str> {
        let pair = index % self.pairs.max(1) + 1;
        Ok((format!("src{pair}"), format!("dst{pair}")))
    }

    fn sketch(&self) -> Sketch {
        let mut sketch = Sketch::default();
        let rows: Vec<u32> =
            if self.pairs <= 4 { (1..=self.pairs).collect() } else { vec![1, 2, 0, self.pairs] };
        let last = rows.len() as f64 - 1.0;
        let left = sketch.node("left", Role::Router, 0.28, last / 2.0);
        let right = sketch.node("right", Role::Router, 0.72, last / 2.0);
        sketch.trunk(left, right, self.bottleneck.in_words());
        for (pair, row) in rows.into_iter().zip(0..) {
            let row = f64::from(row);
            if pair == 0 {
                sketch.node("⋮", Role::Text, 0.0, row);
                sketch.node("⋮", Role::Text, 1.0, row);
                continue;
            }
            let source = sketch.node(&format!("src{pair}"), Role::Host, 0.0, row);
            let destination = sketch.node(&format!("dst{pair}"), Role::Host, 1.0, row);
            sketch.wire(source, left, Vec::new());
            sketch.wire(right, destination, Vec::new());
        }
        let access = format!("access: {}", self.access.in_words().join(" · "));
        sketch.note(access, 0.28, last.max(0.4) + 0.7);
        if let Some(exit) = self.exit.as_ref().filter(|exit| **exit != self.access) {
            sketch.note(format!("exit: {}", exit.in_words().join(" · ")), 0.72, last.max(0.4) + 0.7);
        }
        sketch
    }
}

fn one() -> u32 {
    1
}
