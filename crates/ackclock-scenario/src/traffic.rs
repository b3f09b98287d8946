//! `[[flow]]` and `[[udp]]`: the senders, the receivers, the traffic and its times.
//!
//! Long because both groups are checked and laid out by the same rules.

pub(crate) mod applications;
pub(crate) mod arrivals;
pub(crate) mod call;
pub(crate) mod ends;
pub(crate) mod page;
pub(crate) mod pool;
mod stack;

use std::sync::LazyLock;

use ackclock_application::{Datagrams, LayeredDatagrams, Spacing, Spurts};
use ackclock_network::{CLASSES, Ecn};
use ackclock_random::RandomStream;
use ackclock_transport::Stack;
use ackclock_transport::tcp::Sharing;
use ackclock_units::{Bytes, Duration, Rate, Time};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::endpoints::acknak::AckNakConfig;
use crate::endpoints::algorithm::{self, Share};
use crate::endpoints::tcp::TcpConfig;
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::{MOST_FLOWS, SHORTEST_MEAN_GAP};
use crate::read::{flatten, quantity};
use crate::topology::NodeIndex;
use crate::traffic::applications::{Application, FlowIdentity, Written, check_spurts};
use crate::traffic::arrivals::Arrivals;
use crate::traffic::ends::{Ends, Nodes};
use crate::traffic::pool::Pool;
use crate::values::distribution::Distribution;
use crate::values::packets::LARGEST_PACKET;

/// The headers of IPv4 and UDP, in bytes.
const UDP_HEADERS: u64 = 28;
/// The most algorithms of one group.
const MOST_SHARES: usize = 100;

/// `[[flow]]`: a group of equal flows whose packets are acknowledged: TCP connections, or those of the transport that
/// their algorithm names.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[non_exhaustive]
pub struct FlowGroup {
    /// The flow's name; with `count` above one it is followed by 1, 2, ...
    pub name: Option<String>,
    /// The number of flows or users as written; if omitted, it follows from the arrivals or the algorithms, or is one.
    #[serde(rename = "count")]
    pub written_count: Option<u32>,
    /// The number of flows or users.
    #[serde(skip)]
    pub count: u32,
    /// The sending nodes, taken in turn; pairs of the topology if omitted.
    pub from: Option<Nodes>,
    /// The receiving nodes, taken in turn; given if and only if `from` is.
    pub to: Option<Nodes>,
    /// True if data goes the other way, from the receiving to the sending node.
    #[serde(default)]
    pub backward: bool,
    /// The group's own algorithm, which it keeps when others are compared; already in `tcp.algorithm` too.
    pub algorithm: Option<String>,
    /// The group's own algorithms, this many flows of each, instead of `algorithm`.
    #[serde(default)]
    pub algorithms: Vec<Share>,
    /// The implementation of QUIC that its flows use, instead of the simulator's TCP.
    #[serde(default, deserialize_with = "stack_name")]
    pub stack: Option<Stack>,
    /// The application of its flows or users, from the keys of one of the applications.
    #[serde(skip)]
    pub application: Application,
    /// Those keys.
    #[serde(skip)]
    written: Written,
    /// When to start.
    #[serde(default, deserialize_with = "quantity::read")]
    pub start: Duration,
    /// A uniformly distributed part of this is added to the start, drawn for each flow.
    #[serde(default, deserialize_with = "quantity::read")]
    pub start_jitter: Duration,
    /// The times at which flows arrive, counted from `start`; all at once if omitted.
    pub arrivals: Option<Arrivals>,
    /// The times of the arrivals; none if there are no arrivals.
    #[serde(skip)]
    pub arrival_times: Vec<Duration>,
    /// The time at which it stops sending new data.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub stop: Option<Duration>,
    /// The class of its packets, there and back, in queues that distinguish classes: 0 is the lowest, 7 the highest.
    #[serde(default)]
    pub priority: u8,
    /// The time that the sender takes over each packet; zero if omitted.
    pub send_overhead: Option<Distribution<Duration>>,
    /// The endpoints' behaviour, complete: the group's `tcp = {..}` over `[tcp]`.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// The endpoints' behaviour if the algorithm names the ACK/NAK transport: the group's `acknak = {..}` over
    /// `[acknak]`.
    #[serde(default)]
    pub acknak: AckNakConfig,
}

/// The keys of a group that do not belong to its application.
struct Own(FlowGroup);

impl<'de> Deserialize<'de> for Own {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Own, D::Error> {
        FlowGroup::deserialize(from).map(Own)
    }
}

impl<'de> Deserialize<'de> for FlowGroup {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<FlowGroup, D::Error> {
        static KEYS: LazyLock<Vec<&str>> =
            LazyLock::new(|| [flatten::keys_of::<Own>(), &Written::keys()].concat());
        let (written, Own(group)) = flatten::read(from, Written::default(), &KEYS)?;
        Ok(FlowGroup { written, ..group })
    }
}

/// `[[udp]]`: unresponsive senders that are alike.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UdpGroup {
    /// The flow's name; with `count` above one it is followed by 1, 2, ...
    pub name: Option<String>,
    /// The number of flows.
    #[serde(default = "one")]
    pub count: u32,
    /// The sending nodes, taken in turn; pairs of the topology if omitted.
    pub from: Option<Nodes>,
    /// The receiving nodes, taken in turn; given if and only if `from` is.
    pub to: Option<Nodes>,
    /// True if data goes the other way, from the receiving to the sending node.
    #[serde(default)]
    pub backward: bool,
    /// The rate on the wire while sending.
    #[serde(deserialize_with = "quantity::read")]
    pub rate: Rate,
    /// The largest size of a packet on the wire.
    #[serde(default = "thousand_bytes", deserialize_with = "quantity::read")]
    pub packet: Bytes,
    /// The size of a message on the wire, sent at once in packets of at most `packet` bytes; one packet if omitted.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub message: Option<Bytes>,
    /// The spacing of messages.
    #[serde(default)]
    pub pattern: Pattern,
    /// The ECN codepoint of its packets.
    #[serde(default)]
    pub ecn: Codepoint,
    /// The length of talk spurts, outside which nothing is sent. If omitted, there is one spurt without end.
    pub on: Option<Distribution<Duration>>,
    /// The length of the silences between them; given if and only if `on` is.
    pub off: Option<Distribution<Duration>>,
    /// True if the delay and the loss of each packet are recorded, for the table `calls`.
    #[serde(default)]
    pub call: bool,
    /// `"congestion-manager"`: datagrams wait in the socket for the window of the macroflow of their hosts.
    #[serde(default, deserialize_with = "crate::endpoints::tcp::read_sharing")]
    pub sharing: Option<Sharing>,
    /// The weight of a flow among those of its macroflow.
    #[serde(default = "weight_of_one")]
    pub sharing_weight: f64,
    /// The ascending rates from which the source chooses by the callbacks of the Congestion Manager; none for a
    /// constant rate.
    #[serde(default, deserialize_with = "quantity::read_list")]
    pub layers: Vec<Rate>,
    /// The source is called when the rate is below or above these parts of the rate told last.
    #[serde(default = "no_thresholds")]
    pub rate_thresholds: [f64; 2],
    /// When to start.
    #[serde(default, deserialize_with = "quantity::read")]
    pub start: Duration,
    /// A uniformly distributed part of this is added to the start, drawn for each flow.
    #[serde(default, deserialize_with = "quantity::read")]
    pub start_jitter: Duration,
    /// The class of its packets in queues that distinguish classes: 0 is the lowest, 7 the highest.
    #[serde(default)]
    pub priority: u8,
    /// When to stop.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub stop: Option<Duration>,
}

/// The spacing of a UDP sender's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pattern {
    /// Evenly.
    #[default]
    Constant,
    /// As a Poisson process of the same mean rate.
    Poisson,
}

/// The ECN codepoint of datagrams (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Codepoint {
    /// Not ECN-capable.
    #[default]
    Off,
    /// ECT(0).
    Ect0,
    /// ECT(1), which queues for L4S treat as L4S (RFC 9331, section 4.1).
    Ect1,
}

impl Codepoint {
    /// The field of the IP header.
    pub fn field(self) -> Ecn {
        match self {
            Codepoint::Off => Ecn::NotCapable,
            Codepoint::Ect0 => Ecn::Capable0,
            Codepoint::Ect1 => Ecn::Capable1,
        }
    }
}

/// One flow of `[[flow]]`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FlowSpec<'a> {
    /// Its number over all flows of the scenario: the flows of `[[flow]]` in file order, then the flows of
    /// `[[udp]]`.
    pub index: u32,
    /// Its name, which no other flow of the scenario has.
    pub name: String,
    /// The sending node.
    pub source: String,
    /// The receiving node.
    pub destination: String,
    /// If it belongs to a user: the user's name, and the number of the connection in the pool, from 0.
    pub user: Option<(String, u32)>,
    /// When it starts.
    pub start: Duration,
    /// The algorithm it runs.
    pub algorithm: &'a str,
    /// Everything it has in common with the other flows of its group.
    pub group: &'a FlowGroup,
}

/// One UDP flow of a scenario.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UdpSpec<'a> {
    /// Its number over all flows of the scenario, after the flows of `[[flow]]`.
    pub index: u32,
    /// Its name, which no other flow of the scenario has.
    pub name: String,
    /// The sending node.
    pub source: String,
    /// The receiving node.
    pub destination: String,
    /// When it starts.
    pub start: Duration,
    /// Everything it has in common with the other flows of its group.
    pub group: &'a UdpGroup,
}

/// The parts of a scenario that a group is checked against.
pub(super) struct GroupContext<'a> {
    /// The end of the run.
    pub duration: Duration,
    /// `[tcp]`.
    pub tcp: &'a TcpConfig,
    /// `[acknak]`.
    pub acknak: &'a AckNakConfig,
    pub nodes: &'a NodeIndex<'a>,
    /// The caller's own algorithms.
    pub custom: &'a [String],
}

impl FlowGroup {
    /// The number of flows that run this algorithm.
    pub fn count_of(&self, algorithm: &str) -> u32 {
        let shares = self.algorithms.iter().filter(|share| share.name == algorithm).map(|share| share.count);
        let count = if self.algorithms.is_empty() { self.count } else { shares.sum() };
        count.saturating_mul(self.application.flows())
    }

    /// The number of pairs of nodes that each of its flows or users takes.
    pub(crate) fn places_of_each(&self) -> u32 {
        self.application.pool().map_or(1, Pool::places)
    }

    /// The algorithms of its flows.
    pub fn algorithm_names(&self) -> impl Iterator<Item = &str> {
        let own = self.algorithms.is_empty().then_some(self.tcp.algorithm.as_str());
        own.into_iter().chain(self.algorithms.iter().map(|share| share.name.as_str()))
    }

    /// True if the number of its flows is left to chance.
    pub(super) fn is_open(&self) -> bool {
        self.written_count.is_none()
            && self.algorithms.is_empty()
            && matches!(self.arrivals, Some(Arrivals::Poisson(_)))
    }

    /// The time after `start` in which flows can arrive, in a run until `end`.
    pub(super) fn arrival_span(&self, end: Duration) -> Duration {
        self.stop.map_or(end, |stop| stop.min(end)).saturating_sub(self.start)
    }

    /// Sets the values that follow from the written ones: the application, the number of flows, and their arrivals.
    /// `group` is its number.
    ///
    /// # Errors
    /// When the keys of its application contradict each other.
    pub(super) fn settle(&mut self, group: usize, seed: u64, end: Duration, most: u32) -> Checked {
        self.application = Application::of(&self.written, &Key::top("flow").then(group))?;
        let of_shares = || self.algorithms.iter().fold(0, |sum: u32, share| sum.saturating_add(share.count));
        let by_shares = (!self.algorithms.is_empty()).then(of_shares);
        let count = self.written_count.or(by_shares);
        if let Some(arrivals) = &self.arrivals {
            let name = self.name.clone().unwrap_or_else(|| format!("of group {group}"));
            let stream = RandomStream::new(seed, &format!("arrivals {name}"));
            let count = count.map(|count| count.min(most));
            self.arrival_times = arrivals.times(stream, count, self.arrival_span(end), most);
        }
        let by_arrivals = self.arrivals.is_some().then_some(self.arrival_times.len() as u32);
        self.count = count.or(by_arrivals).unwrap_or(1);
        Ok(())
    }
}

impl FlowGroup {
    /// The nodes that its flows connect. Who fetches opens the connection, where its data goes to.
    pub(super) fn ends(&self) -> Ends<'_> {
        let backward = self.backward != self.application.is_fetched();
        Ends { from: self.from.as_ref(), to: self.to.as_ref(), backward }
    }

    /// Refuses values that no flow can have; `written` is the group's table.
    pub(super) fn check(&self, at: &Key, context: &GroupContext<'_>, written: &Value) -> Checked {
        let GroupContext { duration, tcp, acknak, nodes, custom } = *context;
        self.ends().check(at, nodes)?;
        check_times(at, self.start, self.start_jitter, self.stop, duration)?;
        check_priority(at, self.priority)?;
        self.send_overhead.as_ref().map_or(Ok(()), |time| time.check(&at.then("send_overhead")))?;
        self.check_algorithms(at, written, custom)?;
        self.application.check_algorithms(at, self.algorithm_names(), custom)?;
        self.check_stack(at, custom)?;
        if self.tcp != *tcp {
            self.tcp.check(&at.then("tcp"), custom)?;
        }
        if self.tcp.settings.delay_fin_ack && self.application.is_two_way() {
            let own = written["tcp"].get("delay_fin_ack").is_some();
            let table = if own { at.then("tcp") } else { Key::top("tcp") };
            let message =
                format!("a connection with data both ways, as that of {at}, acknowledges a FIN at once");
            return Err(table.then("delay_fin_ack").error(message));
        }
        if self.acknak != *acknak {
            self.acknak.check(&at.then("acknak"))?;
        }
        Ok(())
    }

    /// Refuses algorithms that do not exist, or that are given twice; `written` is the group's table.
    fn check_algorithms(&self, at: &Key, written: &Value, custom: &[String]) -> Checked {
        let own = match (&self.algorithm, self.algorithms.as_slice()) {
            (None, []) => return Ok(()),
            (Some(algorithm), []) => {
                algorithm::check(&at.then("algorithm"), algorithm, custom)?;
                "algorithm"
            }
            (Some(_), _) => {
                let message = format!("the algorithm is given twice; {at}.algorithm is there too");
                return Err(at.then("algorithms").error(message));
            }
            (None, shares) => {
                for (index, share) in shares.iter().enumerate() {
                    algorithm::check(&at.then("algorithms").then(index).then("name"), &share.name, custom)?;
                }
                "algorithms"
            }
        };
        if written["tcp"].get("algorithm").is_some() {
            let message = format!("the algorithm is given twice; {at}.{own} is there too");
            return Err(at.then("tcp").then("algorithm").error(message));
        }
        Ok(())
    }

    /// Refuses arrivals and algorithms that leave the number of flows open or contradict each other; `end` is the
    /// end of the run.
    pub(super) fn check_arrivals(&self, at: &Key, end: Duration) -> Checked {
        let shares_key = at.then("algorithms");
        if self.algorithms.len() > MOST_SHARES {
            let message = format!("found {} algorithms; at most {MOST_SHARES}", self.algorithms.len());
            return Err(shares_key.error(message));
        }
        let shares = self.algorithms.iter().map(|share| u64::from(share.count)).sum::<u64>();
        let mixed = !self.algorithms.is_empty();
        if mixed && shares == 0 {
            let message = "found no flow of any algorithm; at least one has a count above zero";
            return Err(shares_key.error(message));
        }
        if let Some(arrivals) = &self.arrivals {
            // If flows are counted, some may arrive after the end.
            let most = if self.is_open() { f64::from(MOST_FLOWS) } else { f64::INFINITY };
            arrivals.check(&at.then("arrivals"), self.arrival_span(end), most)?;
        }
        let times = match &self.arrivals {
            Some(Arrivals::At(times)) => Some(times.len() as u64),
            _ => None,
        };
        let counts = [
            (self.written_count.map(u64::from), "count"),
            (mixed.then_some(shares), "algorithms"),
            (times, "arrivals.at"),
        ];
        let mut counts = counts.into_iter().filter_map(|(count, key)| Some((count?, key)));
        let Some((count, first)) = counts.next() else { return Ok(()) };
        match counts.find(|(other, _)| *other != count) {
            None => Ok(()),
            Some((other, key)) => {
                let message = format!("found {other} flows; by {at}.{first} there are {count}");
                Err(at.then(key).wrong(other, message))
            }
        }
    }
}

impl UdpGroup {
    /// Makes the application of one of its flows, which sends nothing after `stop`.
    pub fn install(&self, at: &FlowIdentity<'_>, stop: Time) -> Box<dyn ackclock_application::Application> {
        if !self.layers.is_empty() {
            let times = (at.start, stop);
            return Box::new(LayeredDatagrams::new(times, self.message(), self.rate, self.layers.clone()));
        }
        let spacing = match self.pattern {
            Pattern::Constant => Spacing::constant(self.rate, self.message()),
            Pattern::Poisson => {
                let mean_gap = self.rate.transmission_time(self.message());
                Spacing::Poisson { mean_gap, random: at.random("datagrams") }
            }
        };
        let source = Datagrams::new(at.start, stop, spacing);
        match (&self.on, &self.off) {
            (Some(on), Some(off)) => {
                Box::new(source.in_spurts(Spurts::new(on.law(), off.law(), at.random("spurts"), at.start)))
            }
            _ => Box::new(source),
        }
    }

    /// The name of its application, as in [`ackclock_application::ENTRIES`].
    pub fn application(&self) -> &'static str {
        if self.layers.is_empty() { "datagrams" } else { "layered-datagrams" }
    }

    /// The size of a message on the wire.
    pub fn message(&self) -> Bytes {
        self.message.unwrap_or(self.packet)
    }

    /// The nodes that its flows connect.
    pub(crate) fn ends(&self) -> Ends<'_> {
        Ends { from: self.from.as_ref(), to: self.to.as_ref(), backward: self.backward }
    }

    /// Refuses values that no sender can have, in a run until `end`.
    pub(super) fn check(&self, at: &Key, end: Duration, nodes: &NodeIndex<'_>) -> Checked {
        self.ends().check(at, nodes)?;
        check_times(at, self.start, self.start_jitter, self.stop, end)?;
        check_priority(at, self.priority)?;
        at.then("rate").rate(self.rate)?;
        for (name, size) in [("packet", self.packet), ("message", self.message())] {
            if !(UDP_HEADERS..=LARGEST_PACKET).contains(&size.get()) {
                let message = format!(
                    "found {size}; a {name} has {UDP_HEADERS} (its headers) to {LARGEST_PACKET} bytes on the wire"
                );
                return Err(at.then(name).wrong(size, message));
            }
        }
        check_spurts(at, "talk spurts", self.on.as_ref(), self.off.as_ref())?;
        let message = self.message();
        let gap = self.rate.transmission_time(message);
        if self.pattern == Pattern::Poisson && gap < SHORTEST_MEAN_GAP {
            let highest = Rate::from_bits_per_second(message.get() * 80_000_000);
            let text = format!(
                "found {}, a mean gap of {gap} between packets of {message}; a Poisson process has a mean gap of at \
                 least {SHORTEST_MEAN_GAP}, so a rate of at most {highest}",
                self.rate
            );
            return Err(at.then("rate").wrong(self.rate, text));
        }
        Ok(())
    }
}

/// Refuses a class that queues do not distinguish.
fn check_priority(at: &Key, priority: u8) -> Checked {
    let highest = CLASSES - 1;
    if usize::from(priority) <= highest {
        return Ok(());
    }
    let message = format!("found {priority}; classes are 0, the lowest, to {highest}");
    Err(at.then("priority").wrong(priority, message))
}

/// Refuses a start after the end of the run, and a stop before the start.
fn check_times(
    at: &Key,
    start: Duration,
    jitter: Duration,
    stop: Option<Duration>,
    end: Duration,
) -> Checked {
    if start >= end {
        let message = format!("found {start}; the run is over after {end}, so this would never start");
        return Err(at.then("start").wrong(start, message));
    }
    match stop {
        Some(stop) if stop <= start + jitter => {
            let latest = if jitter.is_zero() { "the start" } else { "the latest start" };
            let message = format!("found {stop}; it comes after {latest}, {}", start + jitter);
            Err(at.then("stop").wrong(stop, message))
        }
        _ => Ok(()),
    }
}

fn weight_of_one() -> f64 {
    1.0
}

/// By default every change is called back.
fn no_thresholds() -> [f64; 2] {
    [1.0, 1.0]
}

fn one() -> u32 {
    1
}

fn thousand_bytes() -> Bytes {
    Bytes::new(1000)
}

/// Reads the name of a stack.
fn stack_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Stack>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    text.trim().parse().map(Some).map_err(|()| de::Error::unknown_variant(&text, &Stack::NAMES))
}
