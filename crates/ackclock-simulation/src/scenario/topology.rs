//! `[topology]`: nodes and links, as a dumbbell, a parking lot, three tiers of routers or any graph.

use ackclock_units::{Duration, LinkRate};
use serde::Deserialize;

use super::queue::Queue;
use super::read::quantity::{self, Buffer, PacketCount};
use super::three_tier::ThreeTier;

/// `[topology]`: exactly one of the four.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a scenario has one")]
pub enum Topology {
    /// Pairs of hosts on either side of one link.
    Dumbbell(Dumbbell),
    /// A chain of links: one flow over all of them, one across each.
    ParkingLot(ParkingLot),
    /// Backbone, POP and access routers.
    ThreeTier(ThreeTier),
    /// Links between named nodes.
    Graph(Graph),
}

/// Hosts `src1`..`srcN` and `dst1`..`dstN` around the link `left->right`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dumbbell {
    /// How many pairs of hosts.
    #[serde(default = "one")]
    pub pairs: u32,
    /// The link between the routers.
    pub bottleneck: LinkConfig,
    /// The links from each source to `left` and from `right` to each destination.
    pub access: LinkConfig,
    /// The links from `right` to each destination, where they are not as `access`.
    pub exit: Option<LinkConfig>,
}

/// Routers `r0`..`rH` in a chain; `src0` to `dst0` over all hops, and for every hop i `src{i}` at `r{i-1}` to
/// `dst{i}` at `r{i}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParkingLot {
    /// How many links the chain has.
    pub hops: u32,
    /// Each link of the chain.
    pub link: LinkConfig,
    /// The links between hosts and routers.
    pub access: LinkConfig,
}

/// Any links; nodes are what links name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    /// The links.
    pub link: Vec<GraphLink>,
}

/// A link of a [`Graph`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "GraphLinkKeys")]
pub struct GraphLink {
    /// The node at one end.
    pub from: String,
    /// The node at the other end.
    pub to: String,
    /// What is between them.
    pub link: LinkConfig,
}

/// The keys of a graph's link as they stand in the file: `from` and `to` beside those of every link.
#[derive(Deserialize)]
#[serde(rename = "GraphLink", deny_unknown_fields)]
struct GraphLinkKeys {
    from: String,
    to: String,
    #[serde(deserialize_with = "quantity::read")]
    rate: LinkRate,
    #[serde(deserialize_with = "quantity::read")]
    delay: Duration,
    #[serde(default, deserialize_with = "quantity::read")]
    buffer: Buffer,
    #[serde(default, deserialize_with = "quantity::read_option")]
    mark_above: Option<PacketCount>,
    loss: Option<Loss>,
    #[serde(default)]
    queue: Queue,
    #[serde(default)]
    reverse: Reverse,
}

impl From<GraphLinkKeys> for GraphLink {
    fn from(keys: GraphLinkKeys) -> GraphLink {
        let GraphLinkKeys { from, to, rate, delay, buffer, mark_above, loss, queue, reverse } = keys;
        GraphLink { from, to, link: LinkConfig { rate, delay, buffer, mark_above, loss, queue, reverse } }
    }
}

/// A link: its forward direction, and where the backward one differs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// How fast bits, or packets, leave.
    #[serde(deserialize_with = "quantity::read")]
    pub rate: LinkRate,
    /// Propagation delay, one way.
    #[serde(deserialize_with = "quantity::read")]
    pub delay: Duration,
    /// How much may wait.
    #[serde(default, deserialize_with = "quantity::read")]
    pub buffer: Buffer,
    /// A packet that finds more waiting is marked, if it is of an ECN-capable transport; none for no marks.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub mark_above: Option<PacketCount>,
    /// Losses that are not the queue's.
    pub loss: Option<Loss>,
    /// Which packets are dropped, and which goes next.
    #[serde(default)]
    pub queue: Queue,
    /// Where the backward direction differs.
    #[serde(default)]
    pub reverse: Reverse,
}

/// The backward direction of a link: what is left out is as forward, except that nothing is lost.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reverse {
    /// How fast bits, or packets, leave.
    #[serde(deserialize_with = "quantity::read_option")]
    pub rate: Option<LinkRate>,
    /// Propagation delay, one way.
    #[serde(deserialize_with = "quantity::read_option")]
    pub delay: Option<Duration>,
    /// How much may wait.
    #[serde(deserialize_with = "quantity::read_option")]
    pub buffer: Option<Buffer>,
    /// The marking threshold.
    #[serde(deserialize_with = "quantity::read_option")]
    pub mark_above: Option<PacketCount>,
    /// Losses that are not the queue's.
    pub loss: Option<Loss>,
    /// Which packets are dropped, and which goes next.
    pub queue: Option<Queue>,
}

/// One direction of a link, complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction<'a> {
    /// How fast bits, or packets, leave.
    pub rate: LinkRate,
    /// Propagation delay.
    pub delay: Duration,
    /// How much may wait.
    pub buffer: Buffer,
    /// The marking threshold.
    pub mark_above: Option<PacketCount>,
    /// Losses that are not the queue's.
    pub loss: Option<&'a Loss>,
    /// Which packets are dropped, and which goes next.
    pub queue: &'a Queue,
}

impl LinkConfig {
    /// The direction the link is written in.
    pub fn forward(&self) -> Direction<'_> {
        Direction {
            rate: self.rate,
            delay: self.delay,
            buffer: self.buffer,
            mark_above: self.mark_above,
            loss: self.loss.as_ref(),
            queue: &self.queue,
        }
    }

    /// The direction back.
    pub fn backward(&self) -> Direction<'_> {
        Direction {
            rate: self.reverse.rate.unwrap_or(self.rate),
            delay: self.reverse.delay.unwrap_or(self.delay),
            buffer: self.reverse.buffer.unwrap_or(self.buffer),
            mark_above: self.reverse.mark_above.or(self.mark_above),
            loss: self.reverse.loss.as_ref(),
            queue: self.reverse.queue.as_ref().unwrap_or(&self.queue),
        }
    }
}

/// Losses of a link direction beside those of its queue.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// Each packet is lost with this probability.
    Bernoulli(f64),
    /// A good and a bad state, each with its own probability of loss.
    GilbertElliott(GilbertElliott),
    /// Chosen packets are lost.
    Scripted(Script),
}

/// The two-state Markov chain of Gilbert (1960) and Elliott (1963), stepped once per packet.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GilbertElliott {
    /// Probability to go from the good state to the bad one, per packet.
    pub good_to_bad: f64,
    /// Probability to go from the bad state to the good one, per packet.
    pub bad_to_good: f64,
    /// Probability of loss in the good state.
    #[serde(default)]
    pub loss_good: f64,
    /// Probability of loss in the bad state.
    #[serde(default = "certain")]
    pub loss_bad: f64,
}

/// Which packets of which flow are lost.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The flow's number, from 0 in the order of the file, TCP before UDP.
    pub flow: u32,
    /// Ordinals, from 1, among the data packets of that flow offered to this link direction.
    pub packets: Vec<u64>,
}

fn one() -> u32 {
    1
}

fn certain() -> f64 {
    1.0
}
