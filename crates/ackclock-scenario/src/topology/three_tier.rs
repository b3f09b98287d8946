//! `[topology.three_tier]`: backbone, POP and access routers, as an Internet provider's network.

use std::slice;

use ackclock_catalogue::{Entry, Key as EntryKey};
use ackclock_random::RandomStream;
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
    name: "three_tier",
    title: "backbone, POP and access routers, as in the network of an Internet provider",
    source: "mesonet",
    table: "topology.three_tier",
    keys: &[
        EntryKey::required(
            "backbone",
            "{ count = 4, link = { rate = \"1 Gbit/s\", delay = \"10 ms\" } }",
            "the number of backbone routers, each `link` between them, and their `shape`: `\"ring\"` (default: each linked to the next, the last to the first) or `\"mesh\"` (each to every other)",
        ),
        EntryKey::required(
            "pop",
            "{ count = 2, link = { rate = \"500 Mbit/s\", delay = \"2 ms\" } }",
            "the number of POP routers at each backbone router, and the `link` of each to it, or `links`",
        ),
        EntryKey::required(
            "access",
            "{ count = 2, link = { rate = \"500 Mbit/s\", delay = \"2 ms\" } }",
            "the number of access routers at each POP router, and the `link` of each to it; `links`, a list instead of `link`, are taken in turn",
        ),
        EntryKey::optional(
            "host",
            "{ count = 2, link = { rate = \"500 Mbit/s\", delay = \"2 ms\" } }",
            "the number of hosts at each access router, and the `link` of each to it, or `links`; none by default",
        ),
    ],
    ..Entry::PLAIN
};

/// An example of the table.
pub(super) const EXAMPLE: &str = r#"
[topology.three_tier]
backbone = { count = 4, link = { rate = "1 Gbit/s", delay = "10 ms" } }
pop = { count = 2, link = { rate = "500 Mbit/s", delay = "2 ms" } }
access = { count = 3, link = { rate = "100 Mbit/s", delay = "1 ms" } }
host = { count = 5, link = { rate = "10 Mbit/s", delay = "1 ms" } }
"#;

/// The most nodes of a network of three tiers, and links of its backbone.
const MOST_NODES: u64 = 2_000_000;

/// Backbone routers `b1`, `b2`, ..., POP routers `b1.p1`, ... at each of them, access routers `b1.p1.a1`, ... at each
/// POP (point of presence), and, if they have links of their own, hosts `b1.p1.a1.h1`, ... at each access router.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ThreeTier {
    /// The backbone, and the links within it.
    pub backbone: Backbone,
    /// The POP routers at each backbone router, and the link of each to it.
    pub pop: Tier,
    /// The access routers at each POP router, and the link of each to it.
    pub access: Tier,
    /// The hosts at each access router, and the link of each to it. Without it sources and receivers sit on the
    /// access routers themselves.
    pub host: Option<Tier>,
}

/// The backbone: its routers and the links between them.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Backbone {
    /// The number of routers.
    pub count: u32,
    /// The routers that are linked.
    #[serde(default)]
    pub shape: Shape,
    /// The properties of each link; a backbone of one router has no links.
    pub link: LinkConfig,
}

/// The routers of a backbone that are linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shape {
    /// Each router is linked with the next, and the last with the first.
    #[default]
    Ring,
    /// Each with every other.
    Mesh,
}

/// Routers (or hosts) below each router of the tier above.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Tier {
    /// The number at each router of the tier above.
    pub count: u32,
    /// The link from each to the router above it.
    pub link: Option<LinkConfig>,
    /// Links that the nodes below one router take in turn instead of `link`, so that their rates differ.
    #[serde(default)]
    pub links: Vec<LinkConfig>,
}

impl Tier {
    /// The links that the nodes of the tier take in turn.
    fn links(&self) -> &[LinkConfig] {
        self.link.as_ref().map_or(&self.links, slice::from_ref)
    }

    /// Refuses a tier with neither `link` nor `links`, or with both.
    fn check_links(&self, at: &Key) -> Checked {
        match (&self.link, self.links.as_slice()) {
            (None, []) => Err(at.then("link").error("missing; or a list of them, \"links\"")),
            (Some(_), [_, ..]) => {
                Err(at.then("links").error("the links are given twice; \"link\" is there too"))
            }
            _ => Ok(()),
        }
    }
}

impl Layout for ThreeTier {
    fn check(&self, at: &Key, flows: u32) -> Checked {
        for (name, count, _) in self.tiers() {
            at.then(name).then("count").within(count, MOST_FLOWS)?;
        }
        let nodes = self.node_count().max(self.backbone_links());
        if nodes > MOST_NODES {
            let message = format!(
                "found {nodes} routers, hosts or links of the backbone; at most {MOST_NODES} are possible"
            );
            return Err(at.wrong(nodes, message));
        }
        for (name, tier) in self.lower_tiers() {
            tier.check_links(&at.then(name))?;
        }
        self.tiers().try_for_each(|(name, _, links)| match links {
            [link] => link.check(&at.then(name).then("link"), flows),
            links => links
                .iter()
                .enumerate()
                .try_for_each(|(number, link)| link.check(&at.then(name).then("links").then(number), flows)),
        })
    }

    /// The backbone's links, then the links upwards, tier by tier.
    fn links<'a>(&'a self, visit: &mut dyn FnMut(String, String, &'a LinkConfig)) {
        for one in 1..=self.backbone.count {
            let others = match self.backbone.shape {
                Shape::Mesh => one + 1..self.backbone.count + 1,
                Shape::Ring => one + 1..(one + 2).min(self.backbone.count + 1),
            };
            let closing = (one == 1).then_some(self.backbone.count).filter(|last| !others.contains(last));
            for other in others.chain(closing.filter(|last| *last > 2)) {
                visit(name(&[one]), name(&[other]), &self.backbone.link);
            }
        }
        let mut above: Vec<Vec<u32>> = (1..=self.backbone.count).map(|number| vec![number]).collect();
        for (_, count, links) in self.tiers().skip(1) {
            let mut level = Vec::new();
            for parent in &above {
                for (number, link) in (1..=count).zip(links.iter().cycle()) {
                    let node = [parent.as_slice(), &[number]].concat();
                    visit(name(&node), name(parent), link);
                    level.push(node);
                }
            }
            above = level;
        }
    }

    /// The first nodes of each tier.
    fn nodes(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut above: Vec<u32> = Vec::new();
        for (_, count, _) in self.tiers() {
            let numbers = 1..=count.min(SHOWN);
            names.extend(numbers.map(|number| name(&[above.as_slice(), &[number]].concat())));
            above.push(1);
        }
        names
    }

    /// An access router and one of another POP, or a host at each; all are equally likely. They are drawn from the
    /// flow's own stream, so that they do not depend on other flows.
    fn ends(&self, _index: u32, flow: &str, seed: u64) -> Result<(String, String), &'static str> {
        let pops = self.backbone.count * self.pop.count;
        if pops < 2 {
            return Err("with only one POP");
        }
        let mut stream = RandomStream::new(seed, &format!("ends {flow}"));
        let from = stream.below(pops);
        // The POPs other than the source's.
        let to = (from + 1 + stream.below(pops - 1)) % pops;
        let mut node = |pop: u32| {
            let (backbone, pop) = (pop / self.pop.count + 1, pop % self.pop.count + 1);
            let mut numbers = vec![backbone, pop, stream.below(self.access.count) + 1];
            numbers.extend(self.host.as_ref().map(|host| stream.below(host.count) + 1));
            name(&numbers)
        };
        Ok((node(from), node(to)))
    }

    /// At most four backbone routers, and one router of each tier below the first and the last of them.
    fn sketch(&self) -> Sketch {
        let mut sketch = Sketch::default();
        let drawn = self.backbone.count.clamp(1, 4);
        let routers: Vec<usize> = (0..drawn)
            .map(|place| {
                let number = if place + 1 == drawn { self.backbone.count } else { place + 1 };
                let x = if drawn == 1 { 0.15 } else { 0.15 + 0.7 * f64::from(place) / f64::from(drawn - 1) };
                sketch.node(&name(&[number]), Role::Router, x, 0.0)
            })
            .collect();
        for ends in routers.windows(2) {
            sketch.trunk(ends[0], ends[1], Vec::new());
        }
        let shape = if self.backbone.shape == Shape::Mesh { "mesh" } else { "ring" };
        sketch.note(format!("backbone: {shape} of {}", self.backbone.count), 0.5, 0.5);
        sketch.note(self.backbone.link.in_words().join(" · "), 0.5, 0.75);
        let plural = ["POPs", "access routers", "hosts"];
        for side in [routers.first(), routers.last().filter(|_| drawn > 1)].into_iter().flatten() {
            let (mut above, x) = (*side, sketch.nodes[*side].x);
            for (letter, row) in LETTERS.iter().skip(1).zip(1..).take(self.tiers().count() - 1) {
                let node = sketch.node(&letter.to_string(), Role::Router, x, f64::from(row) * 1.2);
                sketch.wire(above, node, Vec::new());
                above = node;
            }
        }
        for (row, ((_, count, links), nodes)) in (1..).zip(self.tiers().skip(1).zip(plural)) {
            sketch.note(format!("{count} {nodes} at each"), 0.5, f64::from(row) * 1.2);
            let words: Vec<String> = links.iter().map(|link| link.in_words().join(" · ")).collect();
            sketch.note(words.join(", "), 0.5, f64::from(row) * 1.2 + 0.25);
        }
        sketch
    }
}

impl ThreeTier {
    /// The tiers below the backbone, by their keys.
    fn lower_tiers(&self) -> impl Iterator<Item = (&'static str, &Tier)> {
        let below = [("pop", Some(&self.pop)), ("access", Some(&self.access)), ("host", self.host.as_ref())];
        below.into_iter().filter_map(|(key, tier)| Some((key, tier?)))
    }

    /// Each tier's key, its number of nodes below each node of the tier above, and the links that they take in
    /// turn.
    fn tiers(&self) -> impl Iterator<Item = (&'static str, u32, &[LinkConfig])> {
        let below = self.lower_tiers().map(|(key, tier)| (key, tier.count, tier.links()));
        let backbone = slice::from_ref(&self.backbone.link);
        std::iter::once(("backbone", self.backbone.count, backbone)).chain(below)
    }

    /// The number of nodes, at most the largest number that fits.
    fn node_count(&self) -> u64 {
        let mut level = 1_u64;
        self.tiers().fold(0, |sum: u64, (_, count, _)| {
            level = level.saturating_mul(u64::from(count));
            sum.saturating_add(level)
        })
    }

    /// The number of links of the backbone.
    fn backbone_links(&self) -> u64 {
        let routers = u64::from(self.backbone.count);
        match self.backbone.shape {
            _ if routers < 3 => routers.saturating_sub(1),
            Shape::Ring => routers,
            Shape::Mesh => routers * (routers - 1) / 2,
        }
    }
}

/// The letters before the numbers in a name: backbone, POP, access router, host.
const LETTERS: [char; 4] = ['b', 'p', 'a', 'h'];

/// The name of a node by its numbers from 1, one for each tier down to its own: `b1.p2`.
fn name(numbers: &[u32]) -> String {
    let parts = LETTERS.iter().zip(numbers).map(|(letter, number)| format!("{letter}{number}"));
    parts.collect::<Vec<_>>().join(".")
}
