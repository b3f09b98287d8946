//! The flows of a scenario one by one, in an order that never changes.

use std::collections::BTreeMap;

use ackclock_random::RandomStream;
use ackclock_units::Duration;

use super::Settings;
use crate::endpoints::algorithm::{self, mixed};
use crate::read::error::{Checked, ScenarioError};
use crate::read::key::Key;
use crate::read::limits::MOST_FLOWS;
use crate::topology::{Role, Sketch};
use crate::traffic::applications::Application;
use crate::traffic::call::{CallGroup, CallSpec};
use crate::traffic::ends::Ends;
use crate::traffic::{FlowGroup, FlowSpec, UdpGroup, UdpSpec};

impl Settings {
    /// Refuses controllers that neither the registry nor the caller has: a scenario may have been read with names that
    /// the simulating program does not know.
    ///
    /// # Errors
    /// The flow whose controller does not exist.
    pub fn check_controllers(&self, custom: &[&str]) -> Result<(), ScenarioError> {
        let custom: Vec<String> = custom.iter().map(|name| (*name).to_owned()).collect();
        for (index, group) in self.flow.iter().enumerate() {
            for name in group.algorithm_names() {
                let key = Key::top("flow").then(index).then("algorithm");
                algorithm::check(&key, name, &custom)?;
                if let Some(parts) = algorithm::composed(name, &custom) {
                    let message = "only classes in Python can be a slow start or an avoidance";
                    return Err(key.wrong(parts, message));
                }
            }
        }
        Ok(())
    }

    /// The slow starts and avoidances of the caller with what they are composed with, as `mine+reno`, for a caller that makes
    /// them: controllers by these names.
    pub fn composed(&self, custom: &[&str]) -> Vec<String> {
        let custom: Vec<String> = custom.iter().map(|name| (*name).to_owned()).collect();
        let names = self.flow.iter().flat_map(FlowGroup::algorithm_names);
        names.filter_map(|name| algorithm::composed(name, &custom)).collect()
    }

    /// Refuses congestion controls of calls that neither the catalogue nor the caller has.
    ///
    /// # Errors
    /// The call whose congestion control does not exist.
    pub fn check_media(&self, custom: &[&str]) -> Result<(), ScenarioError> {
        let custom: Vec<String> = custom.iter().map(|name| (*name).to_owned()).collect();
        for (index, group) in self.call.iter().enumerate() {
            group.check_algorithm(&Key::top("call").then(index), &custom)?;
        }
        Ok(())
    }

    /// Refuses flows over other stacks, for a program that has none.
    ///
    /// # Errors
    /// At the first flow with the key `stack`.
    pub fn without_stacks(&self) -> Result<(), ScenarioError> {
        let found = self.flow.iter().enumerate().find_map(|(index, group)| Some((index, group.stack?)));
        let Some((index, stack)) = found else { return Ok(()) };
        let message =
            format!("{stack} is no part of this program: the package ackclock-quic has it, see docs/quic.md");
        Err(Key::top("flow").then(index).then("stack").wrong(stack, message))
    }

    /// Sets the number of flows of each group, and the times of their arrivals.
    ///
    /// # Errors
    /// When the keys of an application contradict each other.
    pub(crate) fn settle(&mut self) -> Checked {
        let Settings { seed, duration, flow, .. } = self;
        for (index, group) in flow.iter_mut().enumerate() {
            group.settle(index, *seed, *duration, MOST_FLOWS)?;
        }
        Ok(())
    }

    /// The number of flows: TCP, UDP and calls.
    pub fn flow_count(&self) -> u32 {
        self.call.iter().map(|group| group.count).fold(self.flow_count_without_calls(), u32::saturating_add)
    }

    fn flow_count_without_calls(&self) -> u32 {
        self.udp.iter().map(|group| group.count).fold(self.tcp_flow_count(), u32::saturating_add)
    }

    fn tcp_flow_count(&self) -> u32 {
        self.count_flows(|_| true)
    }

    /// The network as a drawing, with the groups of flows below the sending nodes: by name, or by kind if they have
    /// none.
    pub fn sketch(&self) -> Sketch {
        let mut senders: BTreeMap<String, usize> = BTreeMap::new();
        let mut sent: Vec<Vec<(String, u32)>> = Vec::new();
        let mut count = |source: String, group: Option<&str>, kind: &str| {
            let sender = *senders.entry(source).or_insert(sent.len());
            if sender == sent.len() {
                sent.push(Vec::new());
            }
            let groups = &mut sent[sender];
            let name = group.unwrap_or(kind);
            match groups.iter_mut().find(|(known, _)| known == name) {
                Some((_, flows)) => *flows += 1,
                None => groups.push((name.to_owned(), 1)),
            }
        };
        self.each_flow(|flow| count(flow.source, flow.group.name.as_deref(), FLOW));
        self.each_udp_flow(|flow| count(flow.source, flow.group.name.as_deref(), "UDP"));
        self.each_call(|call| count(call.source, call.group.name.as_deref(), CALL));
        let mut sketch = self.topology.sketch();
        for node in sketch.nodes.iter_mut().filter(|node| node.role == Role::Host) {
            node.note = in_words(senders.get(&node.name).map_or(&[], |sender| &sent[*sender]));
        }
        sketch
    }

    /// The number of flows that send files.
    pub fn file_senders(&self) -> u32 {
        self.count_flows(|group| group.application.sends_files())
    }

    /// The number of flows that send one file each.
    pub fn one_file_senders(&self) -> u32 {
        self.count_flows(|group| matches!(group.application, Application::File(_)))
    }

    fn count_flows(&self, of: impl Fn(&FlowGroup) -> bool) -> u32 {
        let groups = self.flow.iter().filter(|group| of(group));
        groups.map(|group| group.count.saturating_mul(group.application.flows())).fold(0, u32::saturating_add)
    }

    /// The TCP flows, in file order.
    pub fn flows(&self) -> Vec<FlowSpec<'_>> {
        let mut flows = Vec::new();
        self.each_flow(|flow| flows.push(flow));
        flows
    }

    /// The UDP flows, in file order.
    pub fn udp_flows(&self) -> Vec<UdpSpec<'_>> {
        let mut flows = Vec::new();
        self.each_udp_flow(|flow| flows.push(flow));
        flows
    }

    /// The calls, in file order.
    pub fn calls(&self) -> Vec<CallSpec<'_>> {
        let mut calls = Vec::new();
        self.each_call(|call| calls.push(call));
        calls
    }

    /// Visits the TCP flows one by one, in file order: a list of a million takes half a gigabyte.
    pub fn each_flow<'a>(&'a self, mut visit: impl FnMut(FlowSpec<'a>)) {
        self.visit_flows(&mut visit);
    }

    /// As [`Settings::each_flow`], compiled once.
    fn visit_flows<'a>(&'a self, visit: &mut dyn FnMut(FlowSpec<'a>)) {
        // The flows of a group whose size is random are always numbered.
        let counted = |group: &FlowGroup| if group.is_open() { group.count.max(2) } else { group.count };
        let mut names =
            Numbering::new(TCP, self.flow.iter().map(|group| (group.name.as_deref(), counted(group))));
        let mut indices = 0..;
        let mut places = 0..;
        for group in &self.flow {
            let mixed = mixed(&group.algorithms, group.ends().pairs(&self.topology));
            for number in 0..group.count {
                let name = names.next(group.name.as_deref(), counted(group), number + 1);
                let arrival = group.arrival_times.get(number as usize).copied().unwrap_or_default();
                let start = self.start_of(&name, group.start + arrival, group.start_jitter);
                let share = mixed.get(number as usize).map(|share| &group.algorithms[*share as usize]);
                let algorithm = share.map_or(&group.tcp.algorithm, |share| &share.name);
                let places_of_each = group.places_of_each();
                let mut ends = (String::new(), String::new());
                for connection in 0..group.application.flows() {
                    let user = group.application.has_users().then(|| (name.clone(), connection));
                    let connection_name =
                        user.as_ref().map_or(name.clone(), |_| format!("{name}.{}", connection + 1));
                    if connection < places_of_each {
                        let (place, number) =
                            (places.next().unwrap_or_default(), number * places_of_each + connection);
                        let drawn_by = if places_of_each > 1 { &connection_name } else { &name };
                        ends = group.ends().of(&self.topology, place, number, drawn_by, self.seed);
                    }
                    let (source, destination) = ends.clone();
                    visit(FlowSpec {
                        index: indices.next().unwrap_or_default(),
                        name: connection_name,
                        source,
                        destination,
                        user,
                        start,
                        algorithm,
                        group,
                    });
                }
            }
        }
    }

    /// Visits the UDP flows one by one, in file order.
    pub fn each_udp_flow<'a>(&'a self, mut visit: impl FnMut(UdpSpec<'a>)) {
        self.visit_udp_flows(&mut visit);
    }

    /// As [`Settings::each_udp_flow`], compiled once.
    fn visit_udp_flows<'a>(&'a self, visit: &mut dyn FnMut(UdpSpec<'a>)) {
        let groups: Vec<AlikeFlows> = self.udp.iter().map(AlikeFlows::of_udp).collect();
        self.visit_alike(UDP, (self.tcp_flow_count(), self.tcp_places()), &groups, &mut |group, flow| {
            let AlikeFlow { index, name, ends: (source, destination), start } = flow;
            visit(UdpSpec { index, name, source, destination, start, group: &self.udp[group] });
        });
    }

    /// Visits the calls one by one, in file order.
    pub fn each_call<'a>(&'a self, mut visit: impl FnMut(CallSpec<'a>)) {
        let groups: Vec<AlikeFlows> = self.call.iter().map(AlikeFlows::of_call).collect();
        let datagrams = self.udp.iter().map(|group| group.count).fold(0, u32::saturating_add);
        let first = (self.flow_count_without_calls(), self.tcp_places().saturating_add(datagrams));
        self.visit_alike(CALL, first, &groups, &mut |group, flow| {
            let AlikeFlow { index, name, ends: (source, destination), start } = flow;
            visit(CallSpec { index, name, source, destination, start, group: &self.call[group] });
        });
    }

    /// The number of pairs of nodes that the TCP flows take.
    fn tcp_places(&self) -> u32 {
        let places = self.flow.iter().map(|group| group.count.saturating_mul(group.places_of_each()));
        places.fold(0, u32::saturating_add)
    }

    /// Visits the flows of groups of datagrams or calls, each with the number of its group. The first flow has the number and place `first`.
    fn visit_alike(
        &self,
        kind: &'static str,
        first: (u32, u32),
        groups: &[AlikeFlows],
        visit: &mut dyn FnMut(usize, AlikeFlow),
    ) {
        let (mut indices, mut places) = (first.0.., first.1..);
        let mut names = Numbering::new(kind, groups.iter().map(|group| (group.name, group.count)));
        for (at, group) in groups.iter().enumerate() {
            for number in 0..group.count {
                let index = indices.next().unwrap_or_default();
                let name = names.next(group.name, group.count, number + 1);
                let place = places.next().unwrap_or_default();
                let ends = group.ends.of(&self.topology, place, number, &name, self.seed);
                let start = self.start_of(&name, group.start, group.start_jitter);
                visit(at, AlikeFlow { index, name, ends, start });
            }
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

/// A group of `[[udp]]` or `[[call]]`: its name, and where and when its flows begin.
struct AlikeFlows<'a> {
    name: Option<&'a str>,
    count: u32,
    ends: Ends<'a>,
    start: Duration,
    start_jitter: Duration,
}

/// One of the flows of a group.
struct AlikeFlow {
    index: u32,
    name: String,
    ends: (String, String),
    start: Duration,
}

impl<'a> AlikeFlows<'a> {
    fn of_udp(group: &'a UdpGroup) -> AlikeFlows<'a> {
        let UdpGroup { name, count, start, start_jitter, .. } = group;
        AlikeFlows {
            name: name.as_deref(),
            count: *count,
            ends: group.ends(),
            start: *start,
            start_jitter: *start_jitter,
        }
    }

    fn of_call(group: &'a CallGroup) -> AlikeFlows<'a> {
        let CallGroup { name, count, start, start_jitter, .. } = group;
        AlikeFlows {
            name: name.as_deref(),
            count: *count,
            ends: group.ends(),
            start: *start,
            start_jitter: *start_jitter,
        }
    }
}

/// The name of flows in nameless groups; several are numbered.
pub(crate) const TCP: &str = "tcp";
pub(crate) const UDP: &str = "udp";
pub(crate) const CALL: &str = "call";

/// Gives flows their names: a group's own name, numbered where the group has more than one flow; the flows of
/// nameless groups share one numbering, so that their names differ.
struct Numbering {
    default: &'static str,
    nameless: u32,
    given: u32,
}

impl Numbering {
    fn new<'a>(default: &'static str, groups: impl Iterator<Item = (Option<&'a str>, u32)>) -> Numbering {
        let nameless =
            groups.filter(|(name, _)| name.is_none()).fold(0, |sum: u32, (_, n)| sum.saturating_add(n));
        Numbering { default, nameless, given: 0 }
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

/// A flow of a group without a name.
const FLOW: &str = "flow";

/// The most groups drawn below a node; the flows of further groups are counted together.
const MOST_GROUPS: usize = 3;

/// The groups that a node sends, in words: "2 flows + 1 UDP", "ping + up × 4".
fn in_words(groups: &[(String, u32)]) -> String {
    if groups.len() > MOST_GROUPS {
        let flows: u32 = groups.iter().map(|(_, flows)| flows).sum();
        return format!("{flows} flows");
    }
    let words = groups.iter().map(|(name, flows)| match (name.as_str(), flows) {
        (FLOW, 1) => "1 flow".to_owned(),
        (FLOW, flows) => format!("{flows} flows"),
        ("UDP", flows) => format!("{flows} UDP"),
        (name, 1) => name.to_owned(),
        (name, flows) => format!("{name} × {flows}"),
    });
    words.collect::<Vec<_>>().join(" + ")
}

/// A list of names, stored one behind the other in one text. A string for each would take four times as much
/// memory.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    /// The end of each name.
    ends: Vec<u32>,
}

impl Names {
    /// No names yet, with room for this many.
    pub fn with_capacity(names: usize) -> Names {
        Names { text: String::new(), ends: Vec::with_capacity(names) }
    }

    /// Adds a name.
    ///
    /// # Panics
    /// If all names together have 4 GB or more.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).expect("names of less than 4 GB"));
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A name by its number.
    ///
    /// # Panics
    /// If there are not this many.
    pub fn get(&self, name: usize) -> &str {
        let begins = name.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[begins..self.ends[name] as usize]
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(each: I) -> Names {
        let mut names = Names::default();
        each.into_iter().for_each(|name| names.push(name));
        names
    }
}
