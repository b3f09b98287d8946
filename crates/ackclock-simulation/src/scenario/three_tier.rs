//! `[topology.three_tier]`: backbone, POP and access routers, as an Internet provider's network.

use ackclock_network::RandomStream;
use serde::Deserialize;

use super::topology::LinkConfig;

/// Backbone routers `b1`, `b2`, ..., POP routers `b1.p1`, ... at each of them, access routers `b1.p1.a1`, ... at each
/// POP (point of presence), and, where they have links of their own, hosts `b1.p1.a1.h1`, ... at each access router.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
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

/// The backbone: its routers and how they are connected.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backbone {
    /// How many routers.
    pub count: u32,
    /// Which of them are linked.
    #[serde(default)]
    pub shape: Shape,
    /// Each of the links. A backbone of one router has none.
    pub link: LinkConfig,
}

/// Which routers of a backbone are linked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Each with the next, and the last with the first.
    #[default]
    Ring,
    /// Each with every other.
    Mesh,
}

/// Routers (or hosts) below those of the tier above.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// How many at each router of the tier above.
    pub count: u32,
    /// The link from each to the router above it.
    pub link: LinkConfig,
}

/// A node by the numbers in its name, from 1: backbone, POP, access router, host.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place<'a>(&'a [u32]);

/// The letters before the numbers.
const LETTERS: [char; 4] = ['b', 'p', 'a', 'h'];

impl ThreeTier {
    /// Nodes below each of the tier above: at most four numbers, the last missing without hosts.
    pub(super) fn counts(&self) -> Vec<u32> {
        let below = [Some(&self.pop), Some(&self.access), self.host.as_ref()];
        let below = below.into_iter().flatten().map(|tier| tier.count);
        std::iter::once(self.backbone.count).chain(below).collect()
    }

    /// How many nodes there are; as many as fit.
    pub(super) fn nodes(&self) -> u64 {
        let mut level = 1_u64;
        self.counts().iter().fold(0, |sum: u64, count| {
            level = level.saturating_mul(u64::from(*count));
            sum.saturating_add(level)
        })
    }

    /// How many links the backbone has.
    pub(super) fn backbone_links(&self) -> u64 {
        let routers = u64::from(self.backbone.count);
        match self.backbone.shape {
            _ if routers < 3 => routers.saturating_sub(1),
            Shape::Ring => routers,
            Shape::Mesh => routers * (routers - 1) / 2,
        }
    }

    /// Gives each link's ends and properties: the backbone's links, then the links upwards, tier by tier.
    pub(super) fn each_link<'a>(&'a self, take: &mut dyn FnMut(String, String, &'a LinkConfig)) {
        for one in 1..=self.backbone.count {
            let others = match self.backbone.shape {
                Shape::Mesh => one + 1..self.backbone.count + 1,
                Shape::Ring => one + 1..(one + 2).min(self.backbone.count + 1),
            };
            let closing = (one == 1).then_some(self.backbone.count).filter(|last| !others.contains(last));
            for other in others.chain(closing.filter(|last| *last > 2)) {
                take(Place(&[one]).name(), Place(&[other]).name(), &self.backbone.link);
            }
        }
        let tiers = [Some(&self.pop), Some(&self.access), self.host.as_ref()];
        let mut above: Vec<Vec<u32>> = (1..=self.backbone.count).map(|number| vec![number]).collect();
        for tier in tiers.into_iter().flatten() {
            let mut level = Vec::new();
            for parent in &above {
                for number in 1..=tier.count {
                    let node = [parent.as_slice(), &[number]].concat();
                    take(Place(&node).name(), Place(parent).name(), &tier.link);
                    level.push(node);
                }
            }
            above = level;
        }
    }

    /// Whether two backbone routers are linked, the lower number first.
    fn linked(&self, one: u32, other: u32) -> bool {
        let closes = one == 1 && other == self.backbone.count;
        one < other && (self.backbone.shape == Shape::Mesh || other - one == 1 || closes)
    }

    /// Whether there is a node of this name.
    pub(super) fn has_node(&self, name: &str) -> bool {
        parse(name).is_some_and(|numbers| {
            let counts = self.counts();
            numbers.len() <= counts.len()
                && numbers.iter().zip(&counts).all(|(number, count)| (1..=*count).contains(number))
        })
    }

    /// Whether there is a link that is written from one node to the other.
    pub(super) fn adjacent(&self, from: &str, to: &str) -> bool {
        let (Some(from), Some(to)) = (parse(from), parse(to)) else { return false };
        match (from.as_slice(), to.as_slice()) {
            ([one], [other]) => self.linked(*one, *other),
            ([above @ .., _], below) => above == below,
            ([], _) => false,
        }
    }

    /// Names of nodes: the first few of each tier.
    pub(super) fn first_nodes(&self, most: u32) -> Vec<String> {
        let mut names = Vec::new();
        let mut above: Vec<u32> = Vec::new();
        for count in self.counts() {
            names.extend(
                (1..=count.min(most)).map(|number| Place(&[above.as_slice(), &[number]].concat()).name()),
            );
            above.push(1);
        }
        names
    }

    /// The ends of a flow that names none: an access router, and one of another POP, or a host at each, all equally
    /// likely. Drawn from the flow's own stream, so that the ends of a flow do not depend on what other flows there
    /// are.
    pub(super) fn ends(&self, flow: &str, seed: u64) -> (String, String) {
        let mut stream = RandomStream::new(seed, &format!("ends {flow}"));
        let (backbone, pops) = (self.backbone.count, self.pop.count);
        let from = stream.below(backbone * pops);
        // The POPs other than that one.
        let to = (from + 1 + stream.below(backbone * pops - 1)) % (backbone * pops);
        let mut node = |pop: u32| {
            let mut numbers = vec![pop / pops + 1, pop % pops + 1, stream.below(self.access.count) + 1];
            numbers.extend(self.host.as_ref().map(|host| stream.below(host.count) + 1));
            Place(&numbers).name()
        };
        (node(from), node(to))
    }

    /// Whether flows that name no ends can be given some.
    pub(super) fn has_two_pops(&self) -> bool {
        u64::from(self.backbone.count) * u64::from(self.pop.count) >= 2
    }
}

impl Place<'_> {
    fn name(self) -> String {
        let parts = LETTERS.iter().zip(self.0).map(|(letter, number)| format!("{letter}{number}"));
        parts.collect::<Vec<_>>().join(".")
    }
}

/// The numbers in a name that is exactly what [`Place::name`] makes of them.
fn parse(name: &str) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = name
        .split('.')
        .zip(LETTERS)
        .map(|(part, letter)| part.strip_prefix(letter)?.parse::<u32>().ok())
        .collect();
    numbers.filter(|numbers| Place(numbers).name() == name)
}
