//! Links: rate, delay, buffer, queue and loss of each direction.

use ackclock_network as network;
use ackclock_units::{Duration, LinkRate};
use serde::Deserialize;

use super::buffer::Buffer;
use super::limits::LONGEST_DELAY;
use super::loss::Loss;
use super::packets::PacketCount;
use super::queue::Queue;
use super::read::error::Checked;
use super::read::key::Key;
use super::read::quantity;

/// A link: its forward direction, and where the backward one differs.
///
/// A key of links is a field here and in [`Reverse`], a line in [`LinkConfig::backward`], and one in
/// `LinkConfig::network`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// The rate at which bits, or packets, are transmitted.
    #[serde(deserialize_with = "quantity::read")]
    pub rate: LinkRate,
    /// Propagation delay, one way.
    #[serde(deserialize_with = "quantity::read")]
    pub delay: Duration,
    /// The limit of the queue.
    #[serde(default, deserialize_with = "quantity::read")]
    pub buffer: Buffer,
    /// The queue length above which an arriving packet of an ECN-capable transport is marked; none for no marks.
    #[serde(default, deserialize_with = "quantity::read_option")]
    pub mark_above: Option<PacketCount>,
    /// Losses beside those of the queue.
    pub loss: Option<Loss>,
    /// The queue discipline.
    #[serde(default)]
    pub queue: Queue,
    /// Where the backward direction differs.
    #[serde(default)]
    pub reverse: Reverse,
}

/// The backward direction of a link: keys that are left out are as forward, except that nothing is lost.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reverse {
    /// The rate at which bits, or packets, are transmitted.
    #[serde(deserialize_with = "quantity::read_option")]
    pub rate: Option<LinkRate>,
    /// Propagation delay, one way.
    #[serde(deserialize_with = "quantity::read_option")]
    pub delay: Option<Duration>,
    /// The limit of the queue.
    #[serde(deserialize_with = "quantity::read_option")]
    pub buffer: Option<Buffer>,
    /// The marking threshold.
    #[serde(deserialize_with = "quantity::read_option")]
    pub mark_above: Option<PacketCount>,
    /// Losses beside those of the queue.
    pub loss: Option<Loss>,
    /// The queue discipline.
    pub queue: Option<Queue>,
}

impl LinkConfig {
    /// The backward direction, as a link whose forward direction it is.
    pub fn backward(&self) -> LinkConfig {
        let reverse = &self.reverse;
        LinkConfig {
            rate: reverse.rate.unwrap_or(self.rate),
            delay: reverse.delay.unwrap_or(self.delay),
            buffer: reverse.buffer.unwrap_or(self.buffer),
            mark_above: reverse.mark_above.or(self.mark_above),
            loss: reverse.loss.clone(),
            queue: reverse.queue.as_ref().unwrap_or(&self.queue).clone(),
            reverse: Reverse::default(),
        }
    }

    /// The forward direction in the network.
    pub(crate) fn network(&self) -> network::LinkConfig {
        network::LinkConfig::new(self.rate, self.delay)
            .with_buffer(self.buffer.size())
            .with_mark_above(self.mark_above.map(|packets| packets.0))
            .with_loss(self.loss.as_ref().map_or(network::LossModel::None, Loss::model))
            .with_queue(self.queue.discipline())
    }

    /// Refuses rates of zero and values that do not go together, in a scenario of so many flows.
    pub(super) fn check(&self, at: &Key, flows: u32) -> Checked {
        let back = at.then("reverse");
        check_rate(&at.then("rate"), self.rate)?;
        self.reverse.rate.map_or(Ok(()), |rate| check_rate(&back.then("rate"), rate))?;
        at.then("delay").at_most(self.delay, LONGEST_DELAY)?;
        self.reverse.delay.map_or(Ok(()), |delay| back.then("delay").at_most(delay, LONGEST_DELAY))?;
        self.buffer.check(&at.then("buffer"))?;
        self.reverse.buffer.map_or(Ok(()), |buffer| buffer.check(&back.then("buffer")))?;
        for (at, loss) in [(at, &self.loss), (&back, &self.reverse.loss)] {
            loss.as_ref().map_or(Ok(()), |loss| loss.check(&at.then("loss"), flows))?;
        }
        self.check_queue(at)?;
        self.backward().check_queue(&back)
    }

    /// Only drop-tail works without a buffer, and has a marking threshold.
    fn check_queue(&self, at: &Key) -> Checked {
        let name = self.queue.entry().name;
        if self.queue.is_drop_tail() {
            return Ok(());
        }
        if matches!(self.buffer, Buffer::Packets(0)) {
            let message = format!("found 0 packets; the queue {name} needs room for one at least");
            return Err(at.then("buffer").wrong("0 packets", message));
        }
        if self.mark_above.is_some() {
            let message = format!("goes with the queue \"droptail\"; {name} has rules of its own for marks");
            return Err(at.then("mark_above").error(message));
        }
        Ok(())
    }

    /// The link in a few words: rate and delay, then what limits, drops or loses packets.
    pub(super) fn in_words(&self) -> Vec<String> {
        let mut words = vec![format!("{} · {}", self.rate, self.delay)];
        let buffer = (self.buffer != Buffer::Unlimited).then(|| format!("buffer {}", self.buffer));
        let queue = (!self.queue.is_drop_tail()).then(|| self.queue.to_string());
        let lossy = self.loss.as_ref().map(|_| "lossy".to_owned());
        let more: Vec<String> = buffer.into_iter().chain(queue).chain(lossy).collect();
        if !more.is_empty() {
            words.push(more.join(" · "));
        }
        words
    }
}

fn check_rate(at: &Key, rate: LinkRate) -> Checked {
    match rate {
        LinkRate::Bits(rate) => at.rate(rate),
        LinkRate::Packets(_) if rate.is_possible() => Ok(()),
        LinkRate::Packets(_) => {
            let message = format!("found {rate}; expected more than zero, and at most 1000000 packets/ms");
            Err(at.wrong(rate, message))
        }
    }
}
