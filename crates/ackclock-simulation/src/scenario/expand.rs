//! From groups and shapes to single flows and link directions, in an order that never changes.

use ackclock_network::RandomStream;
use ackclock_units::Duration;

use super::Settings;
use super::mixture::mixed;
use super::nodes::Nodes;
use super::topology::{Direction, Dumbbell, Graph, LinkConfig, ParkingLot, Topology};
use super::traffic::{FlowGroup, FlowSpec, UdpSpec};
use super::validate::MOST_FLOWS;

/// One direction of one link of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSpec<'a> {
    /// Its name, `from->to`.
    pub name: String,
    /// The node packets come from.
    pub from: String,
    /// The node packets go to.
    pub to: String,
    /// What is between them.
    pub direction: Direction<'a>,
}

/// The name of the link direction from one node to another.
pub fn link_name(from: &str, to: &str) -> String {
    format!("{from}->{to}")
}

impl Topology {
    /// All link directions: for every link in order, first the direction it is written in, then the way back.
    ///
    /// A dumbbell begins with the bottleneck, a parking lot with its chain; then come the hosts' links, for each
    /// pair the source's and the destination's.
    pub fn links(&self) -> Vec<LinkSpec<'_>> {
        let mut links = Vec::new();
        self.each_link(&mut |from, to, link| {
            let name = link_name(&from, &to);
            links.push(LinkSpec { name, from: from.clone(), to: to.clone(), direction: link.forward() });
            let name = link_name(&to, &from);
            links.push(LinkSpec { name, from: to, to: from, direction: link.backward() });
        });
        links
    }

    /// Gives each link's ends and properties, in order.
    pub(super) fn each_link<'a>(&'a self, take: &mut dyn FnMut(String, String, &'a LinkConfig)) {
        match self {
            Topology::Dumbbell(Dumbbell { pairs, bottleneck, access, exit }) => {
                take("left".to_owned(), "right".to_owned(), bottleneck);
                for pair in 1..=*pairs {
                    take(format!("src{pair}"), "left".to_owned(), access);
                    take("right".to_owned(), format!("dst{pair}"), exit.as_ref().unwrap_or(access));
                }
            }
            Topology::ParkingLot(ParkingLot { hops, link, access }) => {
                for hop in 1..=*hops {
                    take(format!("r{}", hop - 1), format!("r{hop}"), link);
                }
                for pair in 0..=*hops {
                    let (first, last) = if pair == 0 { (0, *hops) } else { (pair - 1, pair) };
                    take(format!("src{pair}"), format!("r{first}"), access);
                    take(format!("r{last}"), format!("dst{pair}"), access);
                }
            }
            Topology::ThreeTier(tiers) => tiers.each_link(take),
            Topology::Graph(Graph { link }) => {
                for edge in link {
                    take(edge.from.clone(), edge.to.clone(), &edge.link);
                }
            }
        }
    }

    /// The source and destination that flow number `index`, called `name`, takes if it names none; none in a graph.
    /// In three tiers they are drawn from the flow's own stream under `seed`.
    pub fn ends(&self, index: u32, name: &str, seed: u64) -> Option<(String, String)> {
        let pair = match self {
            Topology::ThreeTier(tiers) => return Some(tiers.ends(name, seed)),
            Topology::Dumbbell(dumbbell) => index % dumbbell.pairs.max(1) + 1,
            Topology::ParkingLot(lot) => index % lot.hops.saturating_add(1).max(1),
            Topology::Graph(_) => return None,
        };
        Some((format!("src{pair}"), format!("dst{pair}")))
    }
}

impl Settings {
    /// Sets what follows from what is written.
    pub(super) fn settle(&mut self) {
        let Settings { seed, duration, flow, .. } = self;
        for (index, group) in flow.iter_mut().enumerate() {
            group.settle(index, *seed, *duration, MOST_FLOWS);
        }
    }

    /// How many flows there are, TCP and UDP.
    pub fn flow_count(&self) -> u32 {
        self.udp.iter().map(|group| group.count).fold(self.tcp_flow_count(), u32::saturating_add)
    }

    fn tcp_flow_count(&self) -> u32 {
        self.count_flows(|_| true)
    }

    /// How many flows send files.
    pub(crate) fn file_senders(&self) -> u32 {
        self.count_flows(FlowGroup::sends_files)
    }

    fn count_flows(&self, of: impl Fn(&FlowGroup) -> bool) -> u32 {
        let groups = self.flow.iter().filter(|group| of(group));
        groups.map(|group| group.count.saturating_mul(group.flows_each())).fold(0, u32::saturating_add)
    }

    /// The TCP flows one by one, in file order.
    pub fn flows(&self) -> Vec<FlowSpec<'_>> {
        // A group whose size is left to chance is numbered however many there are.
        let counted = |group: &FlowGroup| if group.is_open() { group.count.max(2) } else { group.count };
        let mut names =
            Names::new("tcp", self.flow.iter().map(|group| (group.name.as_deref(), counted(group))));
        let mut flows = Vec::new();
        let mut places = 0..;
        for group in &self.flow {
            let mixed = mixed(&group.algorithms, self.pairs(group));
            for number in 0..group.count {
                let name = names.next(group.name.as_deref(), counted(group), number + 1);
                let ends =
                    Ends { from: group.from.as_ref(), to: group.to.as_ref(), backward: group.backward };
                let (source, destination) = self.ends(ends, places.next().unwrap_or_default(), number, &name);
                let arrival = group.arrival_times.get(number as usize).copied().unwrap_or_default();
                let start = self.start_of(&name, group.start + arrival, group.start_jitter);
                let share = mixed.get(number as usize).map(|share| &group.algorithms[*share as usize]);
                let algorithm = share.map_or(&group.tcp.algorithm, |share| &share.name);
                for connection in 0..group.flows_each() {
                    let user = group.pool.as_ref().map(|_| (name.clone(), connection));
                    flows.push(FlowSpec {
                        index: flows.len() as u32,
                        name: user.as_ref().map_or(name.clone(), |_| format!("{name}.{}", connection + 1)),
                        source: source.clone(),
                        destination: destination.clone(),
                        user,
                        start,
                        algorithm,
                        group,
                    });
                }
            }
        }
        flows
    }

    /// The UDP flows one by one, in file order.
    pub fn udp_flows(&self) -> Vec<UdpSpec<'_>> {
        let first = self.tcp_flow_count();
        let mut places = self.flow.iter().map(|group| group.count).fold(0, u32::saturating_add)..;
        let mut names = Names::new("udp", self.udp.iter().map(|group| (group.name.as_deref(), group.count)));
        let mut flows = Vec::new();
        for group in &self.udp {
            for number in 0..group.count {
                let index = first + flows.len() as u32;
                let name = names.next(group.name.as_deref(), group.count, number + 1);
                let ends =
                    Ends { from: group.from.as_ref(), to: group.to.as_ref(), backward: group.backward };
                let (source, destination) = self.ends(ends, places.next().unwrap_or_default(), number, &name);
                let start = self.start_of(&name, group.start, group.start_jitter);
                flows.push(UdpSpec { index, name, source, destination, start, group });
            }
        }
        flows
    }

    /// The ends of the flow, or user, that comes at `place` of all, and is number `number` of its group.
    fn ends(&self, ends: Ends<'_>, place: u32, number: u32, name: &str) -> (String, String) {
        let (source, destination) = match (ends.from, ends.to) {
            (Some(from), Some(to)) => (from.of(number).to_owned(), to.of(number).to_owned()),
            // In a graph both ends are given: reading refuses anything else.
            _ => self.topology.ends(place, name, self.seed).unwrap_or_default(),
        };
        if ends.backward { (destination, source) } else { (source, destination) }
    }

    /// How many pairs of nodes the flows of a group take in turn.
    fn pairs(&self, group: &FlowGroup) -> usize {
        match (&group.from, &group.to, &self.topology) {
            (Some(from), Some(to), _) => from.names().len().max(to.names().len()),
            (_, _, Topology::Dumbbell(dumbbell)) => dumbbell.pairs as usize,
            (_, _, Topology::ParkingLot(lot)) => lot.hops as usize + 1,
            (_, _, Topology::ThreeTier(_) | Topology::Graph(_)) => 1,
        }
    }

    /// A flow's start: its group's or its arrival, and its own draw of the jitter.
    fn start_of(&self, name: &str, start: Duration, jitter: Duration) -> Duration {
        if jitter.is_zero() {
            return start;
        }
        let mut stream = RandomStream::new(self.seed, &format!("start {name}"));
        start + jitter.mul_f64(stream.uniform())
    }
}

/// The ends that a group names.
#[derive(Clone, Copy)]
struct Ends<'a> {
    from: Option<&'a Nodes>,
    to: Option<&'a Nodes>,
    backward: bool,
}

/// Gives flows their names: a group's own name, numbered where the group has more than one flow; the flows of
/// nameless groups share one numbering, so that two nameless groups do not meet.
struct Names {
    default: &'static str,
    nameless: u32,
    given: u32,
}

impl Names {
    fn new<'a>(default: &'static str, groups: impl Iterator<Item = (Option<&'a str>, u32)>) -> Names {
        let nameless =
            groups.filter(|(name, _)| name.is_none()).fold(0, |sum: u32, (_, n)| sum.saturating_add(n));
        Names { default, nameless, given: 0 }
    }

    fn next(&mut self, name: Option<&str>, count: u32, number: u32) -> String {
        match name {
            Some(name) if count == 1 => name.to_owned(),
            Some(name) => format!("{name}{number}"),
            None if self.nameless == 1 => self.default.to_owned(),
            None => {
                self.given += 1;
                format!("{}{}", self.default, self.given)
            }
        }
    }
}
