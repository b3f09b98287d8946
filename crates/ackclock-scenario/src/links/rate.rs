//! `rate` of a link: constant, a schedule, or a trace of delivery opportunities.

use ackclock_network::{Opportunities, Profile};
use ackclock_units::{Bytes, Duration, LinkRate, PacketRate, Rate};
use serde::Deserialize;

use crate::read::error::{Checked, clip};
use crate::read::key::Key;
use crate::read::limits::MOST_POINTS;
use crate::read::quantity;
use crate::values::packets::LARGEST_PACKET;
use crate::values::schedule::{Chain, Schedule, Text, Varying};

/// The rate of a link.
pub type VaryingRate = Varying<LinkRate, RateTable>;

/// A rate that varies: a schedule, or the delivery opportunities of a trace.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RateTable {
    /// The rate from each time on.
    pub steps: Option<Vec<(Text<Duration>, Text<LinkRate>)>>,
    /// The rate at each time, linear between them.
    pub ramps: Option<Vec<(Text<Duration>, Text<LinkRate>)>>,
    /// A random rate.
    pub markov: Option<Chain<Text<LinkRate>>>,
    /// The period after which steps or ramps begin again.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub every: Option<Duration>,
    /// The name of a trace in Mahimahi's format, next to the scenario; reading the scenario copies its times
    /// into `opportunities`.
    pub trace: Option<String>,
    /// The times of delivery opportunities in milliseconds.
    pub opportunities: Option<Vec<u32>>,
    /// The bytes of an opportunity.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub opportunity: Option<Bytes>,
}

/// Thousandths of packets per second in the rate's whole numbers.
const MILLIPACKETS: f64 = 1000.0;

/// A rate in the units of networks: bits, or thousandths of packets, per second.
fn whole(rate: LinkRate) -> u64 {
    match rate {
        LinkRate::Bits(rate) => rate.bits_per_second(),
        LinkRate::Packets(PacketRate(rate)) => (rate * MILLIPACKETS).round() as u64,
    }
}

impl RateTable {
    fn schedule(&self) -> Schedule<Text<LinkRate>> {
        let RateTable { steps, ramps, markov, every, .. } = self.clone();
        Schedule { steps, ramps, markov, every }
    }

    fn is_trace(&self) -> bool {
        self.trace.is_some() || self.opportunities.is_some()
    }

    fn check(&self, at: &Key) -> Checked {
        if self.is_trace() {
            return self.check_trace(at);
        }
        if let Some(size) = self.opportunity {
            return Err(at.then("opportunity").wrong(size, "goes with a trace"));
        }
        let schedule = self.schedule();
        schedule.check(at)?;
        let values = schedule.values(at);
        for (key, rate) in &values {
            // A rate of zero is an outage, so a constant rate must not be zero.
            if whole(rate.0) > 0 {
                check_constant(key, rate.0)?;
            }
        }
        if values.iter().all(|(_, rate)| whole(rate.0) == 0) {
            return Err(at.error("found rates of zero only; at least one is above zero"));
        }
        let in_packets = |rate: &Text<LinkRate>| matches!(rate.0, LinkRate::Packets(_));
        match values.iter().find(|(_, rate)| in_packets(rate) != in_packets(values[0].1)) {
            Some((key, rate)) => {
                let message = format!(
                    "found {} together with {}; rates are all in bits, or all in packets",
                    rate.0, values[0].1.0
                );
                Err(key.wrong(rate.0, message))
            }
            None => Ok(()),
        }
    }

    fn check_trace(&self, at: &Key) -> Checked {
        let others = [
            ("steps", self.steps.is_some()),
            ("ramps", self.ramps.is_some()),
            ("markov", self.markov.is_some()),
            ("every", self.every.is_some()),
        ];
        if let Some((name, _)) = others.iter().find(|(_, is_there)| *is_there) {
            return Err(at.then(name).error("a trace of delivery opportunities has no schedule in addition"));
        }
        if let Some(file) = &self.trace {
            return Err(at.then("trace").wrong(clip(file), "no file can be read here"));
        }
        if let Some(size) = self.opportunity
            && !(1..=LARGEST_PACKET).contains(&size.get())
        {
            let message = format!("found {size}; expected 1 to {LARGEST_PACKET} bytes");
            return Err(at.then("opportunity").wrong(size, message));
        }
        let at = at.then("opportunities");
        let times = self.opportunities.as_deref().unwrap_or_default();
        if times.len() > MOST_POINTS {
            return Err(at.wrong(times.len(), format!("found {} times; at most {MOST_POINTS}", times.len())));
        }
        if let Some(index) = times.windows(2).position(|pair| pair[0] > pair[1]) {
            let message =
                format!("found {} after {}; the times of a trace ascend", times[index + 1], times[index]);
            return Err(at.then(index + 1).wrong(times[index + 1], message));
        }
        match times.last() {
            None => Err(at.error("found an empty list; a trace has one opportunity at least")),
            Some(0) => Err(at.wrong(0, "found 0 as the last time; a trace lasts for some milliseconds")),
            Some(_) => Ok(()),
        }
    }

    fn opportunities(&self) -> Option<Opportunities> {
        // With a size given by the scenario, only the bytes of packets count.
        let (size, header) = self
            .opportunity
            .map_or((Opportunities::SIZE, Opportunities::HEADER), |size| (size.get() as u32, 0));
        Some(Opportunities { times: self.opportunities.as_deref()?.into(), size, header })
    }
}

impl VaryingRate {
    /// Refuses rates that no link can have.
    pub(crate) fn check(&self, at: &Key) -> Checked {
        match self {
            Varying::Constant(rate) => check_constant(at, *rate),
            Varying::Scheduled(table) => table.check(at),
        }
    }

    /// The schedule in whole numbers, if there is one.
    pub(crate) fn profile(&self) -> Option<Profile> {
        match self {
            Varying::Scheduled(table) if !table.is_trace() => {
                Some(table.schedule().profile(|rate| whole(rate.0)))
            }
            _ => None,
        }
    }

    /// The delivery opportunities, if there are any.
    pub(crate) fn opportunities(&self) -> Option<Opportunities> {
        match self {
            Varying::Constant(_) => None,
            Varying::Scheduled(table) => table.opportunities(),
        }
    }

    /// The rate, or its mean, which does not depend on the length of a run.
    pub(crate) fn mean(&self) -> LinkRate {
        let table = match self {
            Varying::Constant(rate) => return *rate,
            Varying::Scheduled(table) => table,
        };
        let bits = |rate: f64| LinkRate::Bits(Rate::from_bits_per_second(rate.round().max(1.0) as u64));
        if let Some(trace) = table.opportunities() {
            return bits(trace.mean_rate());
        }
        let schedule = table.schedule();
        let mean = schedule.profile(|rate| whole(rate.0)).mean();
        match schedule.values(&Key::top("")).first() {
            Some((_, Text(LinkRate::Packets(_)))) => {
                LinkRate::Packets(PacketRate((mean / MILLIPACKETS).max(1e-3)))
            }
            _ => bits(mean),
        }
    }

    /// The rate in a few words.
    pub(crate) fn in_words(&self) -> String {
        let table = match self {
            Varying::Constant(rate) => return rate.to_string(),
            Varying::Scheduled(table) => table,
        };
        if let Some(trace) = table.opportunities() {
            let mean = Rate::from_bits_per_second((trace.mean_rate() / 1e4).round() as u64 * 10_000);
            return format!("trace, mean {mean}");
        }
        let schedule = table.schedule();
        let values = schedule.values(&Key::top(""));
        let rates = || values.iter().map(|(_, rate)| rate.0);
        let by = |one: &LinkRate, two: &LinkRate| whole(*one).cmp(&whole(*two));
        match (rates().min_by(by), rates().max_by(by)) {
            (Some(least), Some(most)) => format!("{least} to {most}"),
            _ => String::new(),
        }
    }
}

fn check_constant(at: &Key, rate: LinkRate) -> Checked {
    match rate {
        LinkRate::Bits(rate) => at.rate(rate),
        LinkRate::Packets(_) if rate.is_possible() => Ok(()),
        LinkRate::Packets(_) => {
            let message = format!("found {rate}; expected more than zero, and at most 1000000 packets/ms");
            Err(at.wrong(rate, message))
        }
    }
}
