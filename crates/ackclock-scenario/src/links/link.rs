//! Links: rate, delay, buffer, queue and loss of each direction.

use ackclock_network as network;
use ackclock_network::Profile;
use ackclock_units::{Duration, LinkRate, Time};
use serde::Deserialize;

use super::buffer::Buffer;
use super::impairments::Impairment;
use super::loss::Loss;
use super::queue::Queue;
use super::rate::VaryingRate;
use super::tunnel::Tunnel;
use crate::read::error::Checked;
use crate::read::key::Key;
use crate::read::limits::LONGEST_DELAY;
use crate::read::quantity;
use crate::values::packets::PacketCount;
use crate::values::schedule::{Schedule, Text, Varying};
use crate::values::spans::Spans;

/// A propagation delay that may vary.
type VaryingDelay = Varying<Duration, Schedule<Text<Duration>>>;

/// A link: its forward direction, and the keys in which the backward direction differs.
///
/// A key of links is a field here and in [`Reverse`], a line in [`LinkConfig::backward`], and one in
/// `LinkConfig::network`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LinkConfig {
    /// The rate at which bits, or packets, are transmitted.
    pub rate: VaryingRate,
    /// Propagation delay, one way.
    pub delay: VaryingDelay,
    /// The limit of the queue.
    #[serde(default, deserialize_with = "quantity::read")]
    pub buffer: Buffer,
    /// The queue length above which an arriving packet of an ECN-capable transport is marked; none for no marks.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub ecn_threshold: Option<PacketCount>,
    /// Losses in addition to the queue's.
    pub loss: Option<Loss>,
    /// The queue discipline.
    #[serde(default)]
    pub queue: Queue,
    /// Times in which nothing is transmitted.
    pub outage: Option<Spans>,
    /// Effects on packets other than waiting, transmission and propagation.
    #[serde(default)]
    pub impairments: Vec<Impairment>,
    /// The tunnel from one end to the other.
    pub tunnel: Option<Tunnel>,
    /// The name of a typical path, whose keys are those that are left out here.
    pub path: Option<String>,
    /// The keys in which the backward direction differs.
    #[serde(default)]
    pub reverse: Reverse,
}

/// The backward direction of a link. Keys that are left out are as in the forward direction, except that
/// nothing is lost and nothing impaired.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Reverse {
    /// The rate at which bits, or packets, are transmitted.
    pub rate: Option<VaryingRate>,
    /// Propagation delay, one way.
    pub delay: Option<VaryingDelay>,
    /// The limit of the queue.
    #[serde(deserialize_with = "quantity::read_option")]
    pub buffer: Option<Buffer>,
    /// The marking threshold.
    #[serde(deserialize_with = "quantity::read_option")]
    pub ecn_threshold: Option<PacketCount>,
    /// Losses in addition to the queue's.
    pub loss: Option<Loss>,
    /// The queue discipline.
    pub queue: Option<Queue>,
    /// Times in which nothing is transmitted.
    pub outage: Option<Spans>,
    /// Effects on packets other than waiting, transmission and propagation.
    pub impairments: Vec<Impairment>,
    /// The tunnel from one end to the other.
    pub tunnel: Option<Tunnel>,
}

impl LinkConfig {
    /// A link whose forward direction is this link's backward direction.
    pub fn backward(&self) -> LinkConfig {
        let reverse = &self.reverse;
        LinkConfig {
            rate: reverse.rate.as_ref().unwrap_or(&self.rate).clone(),
            delay: reverse.delay.as_ref().unwrap_or(&self.delay).clone(),
            buffer: reverse.buffer.unwrap_or(self.buffer),
            ecn_threshold: reverse.ecn_threshold.or(self.ecn_threshold),
            loss: reverse.loss.clone(),
            queue: reverse.queue.as_ref().unwrap_or(&self.queue).clone(),
            outage: reverse.outage.as_ref().or(self.outage.as_ref()).cloned(),
            impairments: reverse.impairments.clone(),
            tunnel: reverse.tunnel.as_ref().or(self.tunnel.as_ref()).cloned(),
            path: self.path.clone(),
            reverse: Reverse::default(),
        }
    }

    /// True if nothing varies.
    pub fn is_plain(&self) -> bool {
        matches!((&self.rate, &self.delay), (Varying::Constant(_), Varying::Constant(_)))
            && self.outage.is_none()
            && self.impairments.is_empty()
            && self.tunnel.is_none()
            && self.loss.as_ref().and_then(Loss::profile).is_none()
    }

    /// The rate, or its mean, which does not depend on the length of a run.
    pub fn mean_rate(&self) -> LinkRate {
        self.rate.mean()
    }

    /// The delay as a function of time in nanoseconds, if it varies.
    fn delay_profile(&self) -> Option<Profile> {
        match &self.delay {
            Varying::Constant(_) => None,
            Varying::Scheduled(schedule) => Some(schedule.profile(|delay| delay.0.as_nanos())),
        }
    }

    /// The number of changes of its schedules in a run.
    pub(crate) fn segments(&self, duration: Duration) -> f64 {
        let profiles = [self.rate.profile(), self.delay_profile(), self.outage.as_ref().map(Spans::profile)];
        let loss = self.loss.as_ref().and_then(Loss::profile);
        profiles.iter().flatten().chain(&loss).map(|profile| profile.changes(duration)).sum()
    }

    /// The forward direction in the network, in a run of this length.
    pub fn network(&self, duration: Duration) -> network::LinkConfig {
        let varying = self.delay_profile();
        let delay = match (&self.delay, &varying) {
            (Varying::Constant(delay), _) => *delay,
            (_, profile) => Duration::from_nanos(profile.as_ref().map_or(0, Profile::least)),
        };
        let path = network::PathConfig {
            rate: self.rate.profile(),
            opportunities: self.rate.opportunities(),
            up: self.outage.as_ref().map(Spans::profile),
            delay: varying,
            impairments: self.impairments.iter().map(Impairment::part).collect(),
            tunnel: self.tunnel.as_ref().map(Tunnel::part),
            until: Time::ZERO + duration,
        };
        network::LinkConfig::new(self.rate.mean(), delay)
            .with_path(path)
            .with_buffer(self.buffer.size(self.rate.mean()))
            .with_ecn_threshold(self.ecn_threshold.map(|packets| packets.0))
            .with_loss(self.loss.as_ref().map_or(network::LossModel::None, Loss::model))
            .with_queue(self.queue.discipline().clone())
    }

    /// Refuses rates of zero and values that contradict each other, in a scenario with this many flows.
    pub(crate) fn check(&self, at: &Key, flows: u32) -> Checked {
        let back = at.then("reverse");
        self.rate.check(&at.then("rate"))?;
        self.reverse.rate.as_ref().map_or(Ok(()), |rate| rate.check(&back.then("rate")))?;
        check_delay(&at.then("delay"), &self.delay)?;
        self.reverse.delay.as_ref().map_or(Ok(()), |delay| check_delay(&back.then("delay"), delay))?;
        for (at, outage) in [(at, &self.outage), (&back, &self.reverse.outage)] {
            outage.as_ref().map_or(Ok(()), |outage| outage.check_outage(&at.then("outage")))?;
        }
        self.buffer.check(&at.then("buffer"))?;
        self.reverse.buffer.map_or(Ok(()), |buffer| buffer.check(&back.then("buffer")))?;
        for (at, loss) in [(at, &self.loss), (&back, &self.reverse.loss)] {
            loss.as_ref().map_or(Ok(()), |loss| loss.check(&at.then("loss"), flows))?;
        }
        self.check_queue(at, flows)?;
        self.check_path(at)?;
        let backward = self.backward();
        backward.check_queue(&back, flows)?;
        backward.check_path(&back)
    }

    /// Refuses keys that cannot be combined with a trace, a shaper, or a queue that chooses the next
    /// packet.
    fn check_path(&self, at: &Key) -> Checked {
        let has = |name: &str| self.impairments.iter().position(|one| one.entry().name == name);
        let trace = self.rate.opportunities().is_some();
        if trace && self.outage.is_some() {
            let message = "goes with a rate; in a trace an outage is a time without opportunities";
            return Err(at.then("outage").error(message));
        }
        if matches!(self.buffer, Buffer::Packets(0) | Buffer::PacketsAndBytes(0, _))
            && (trace || has("shaper").is_some())
        {
            let message =
                "found 0 packets; a packet waits for an opportunity, or for tokens: one packet at least";
            return Err(at.then("buffer").wrong("0 packets", message));
        }
        if let Some(index) = has("thinning")
            && !self.queue.decides_on_arrival()
        {
            let name = self.queue.entry().name;
            let message =
                format!("thinning goes with queues that are first in, first out; the queue {name} is not");
            return Err(at.then("impairments").then(index).error(message));
        }
        Ok(())
    }

    /// Only drop-tail works without a buffer, and has a marking threshold. A queue whose buffer depends on flows is
    /// drop-tail if the buffer of the link is smaller.
    fn check_queue(&self, at: &Key, flows: u32) -> Checked {
        let name = self.queue.entry().name;
        if self.queue.is_drop_tail() {
            return Ok(());
        }
        if matches!(self.buffer, Buffer::Packets(0) | Buffer::PacketsAndBytes(0, _)) {
            let message = format!("found 0 packets; the queue {name} needs room for one at least");
            return Err(at.then("buffer").wrong("0 packets", message));
        }
        if self.ecn_threshold.is_some() {
            let message = format!("goes with the queue \"droptail\"; {name} has rules of its own for marks");
            return Err(at.then("ecn_threshold").error(message));
        }
        let Some(needed) = self.queue.discipline().buffer_of(flows).map(f64::ceil) else { return Ok(()) };
        let is_enough = match self.buffer {
            Buffer::Unlimited => true,
            Buffer::Packets(packets) => f64::from(packets) >= needed,
            Buffer::Bytes(_) | Buffer::BdpFraction(_) | Buffer::Time(_) | Buffer::PacketsAndBytes(..) => {
                false
            }
        };
        if is_enough {
            return Ok(());
        }
        // A link without a scenario knows no flows.
        let most = if flows == u32::MAX {
            ": expected \"unlimited\"".to_owned()
        } else {
            format!(
                ", of {needed} packets for the {flows} flows of this scenario: expected \"unlimited\", or as many"
            )
        };
        let message = format!(
            "found {}; the queue {name} has a buffer of its own{most}; with a smaller one it is drop-tail",
            self.buffer
        );
        Err(at.then("buffer").wrong(self.buffer, message))
    }

    /// The link in a few words: rate and delay, then the limits, drops and losses of packets.
    pub(crate) fn in_words(&self) -> Vec<String> {
        let mut words = vec![format!("{} · {}", self.rate.in_words(), self.delay_in_words())];
        words[0] = self.path.iter().fold(words[0].clone(), |words, path| format!("{path}: {words}"));
        let buffer = (self.buffer != Buffer::Unlimited).then(|| format!("buffer {}", self.buffer.in_words()));
        let queue = (!self.queue.is_drop_tail()).then(|| self.queue.to_string());
        let lossy = self.loss.as_ref().map(|_| "lossy".to_owned());
        let outage = self.outage.as_ref().map(|_| "outages".to_owned());
        let impairments = self.impairments.iter().map(|one| one.entry().name.to_owned());
        let tunnel = self.tunnel.as_ref().map(|tunnel| format!("tunnel {tunnel}"));
        let more: Vec<String> = buffer
            .into_iter()
            .chain(queue)
            .chain(lossy)
            .chain(outage)
            .chain(impairments)
            .chain(tunnel)
            .collect();
        if !more.is_empty() {
            words.push(more.join(" · "));
        }
        words
    }

    fn delay_in_words(&self) -> String {
        let Varying::Scheduled(schedule) = &self.delay else { return constant(&self.delay).to_string() };
        let values = schedule.values(&Key::top(""));
        let delays = || values.iter().map(|(_, delay)| delay.0);
        match (delays().min(), delays().max()) {
            (Some(least), Some(most)) => format!("{least} to {most}"),
            _ => String::new(),
        }
    }
}

fn constant(delay: &VaryingDelay) -> Duration {
    match delay {
        Varying::Constant(delay) => *delay,
        Varying::Scheduled(_) => Duration::ZERO,
    }
}

fn check_delay(at: &Key, delay: &VaryingDelay) -> Checked {
    let schedule = match delay {
        Varying::Constant(delay) => return at.at_most(*delay, LONGEST_DELAY),
        Varying::Scheduled(schedule) => schedule,
    };
    schedule.check(at)?;
    schedule.values(at).into_iter().try_for_each(|(key, delay)| key.at_most(delay.0, LONGEST_DELAY))
}
