//! Packets that were declared lost and are acknowledged after all (RFC 9002, 6.1).
//!
//! The RFC lets implementations raise their thresholds then, and leaves open how. The thresholds rise here as in Google's quiche
//! (`GeneralLossAlgorithm::SpuriousLossDetected`); a reduction all of whose packets arrived is undone, as in quinn, neqo and msquic.
//! Those forget a lost packet two probe timeouts after it was sent; here it counts as lost then.

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

use super::super::super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};
use super::packet::{Fate, Packet};

/// kPacketThreshold (6.1.1).
const PACKET_THRESHOLD: u64 = 3;
/// kTimeThreshold is 1 + 2^-3 (6.1.2).
const TIME_SHIFT: u32 = 3;

/// The thresholds of loss detection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    /// A packet is lost if one sent this many later is acknowledged.
    pub packets: u64,
    /// A packet is late after a round-trip time and this part of it, 2^-shift.
    shift: u32,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds { packets: PACKET_THRESHOLD, shift: TIME_SHIFT }
    }
}

impl Thresholds {
    /// The time after which a packet is late, of this round-trip time.
    pub fn delay(self, rtt: Duration) -> Duration {
        rtt + Duration::from_nanos(rtt.as_nanos() >> self.shift)
    }

    /// Raises them so that a packet would not have been declared lost: it was acknowledged `after` it was sent, and one sent as many
    /// packets `later` before it.
    fn raise(&mut self, after: Duration, later: u64, rtt: Duration) {
        self.packets = self.packets.max(later + 1);
        while self.shift > 0 && self.delay(rtt) < after {
            self.shift -= 1;
        }
    }
}

/// A packet that was declared lost, and may arrive.
#[derive(Clone, Copy, Debug)]
struct LostPacket {
    number: u64,
    key: SentKey,
    /// True if it belongs to the latest episode.
    in_episode: bool,
}

/// An acknowledgment, as far as it concerns them.
pub(super) struct Arrival {
    pub now: Time,
    /// `largest_acked_packet` before it.
    pub largest: u64,
    /// The smallest round-trip time: a copy sent later than that ago has not arrived.
    pub min_rtt: Duration,
    /// The larger of the latest and the smoothed round-trip time.
    pub rtt: Duration,
    /// Twice the probe timeout: an earlier packet will not arrive.
    pub longest: Duration,
    /// True if the thresholds rise.
    pub raises: bool,
}

/// The packets that were declared lost, and what has become of them.
#[derive(Clone, Debug, Default)]
pub(super) struct LatePackets {
    lost: VecDeque<LostPacket>,
    pub thresholds: Thresholds,
    /// True if the latest episode is undone once all of its packets have arrived.
    undoable: bool,
    /// True if the present acknowledgment is of a packet of the latest episode.
    has_arrived: bool,
    /// Packets that arrived after all, and the most packets by which a later one was earlier.
    arrived: (u32, u32),
}

impl LatePackets {
    /// True if nothing that was declared lost may still arrive.
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty()
    }

    pub fn arrived(&self) -> (u32, u32) {
        self.arrived
    }

    /// A packet is declared lost.
    pub fn note(&mut self, number: u64, key: SentKey) {
        self.lost.push_back(LostPacket { number, key, in_episode: true });
    }

    /// An episode begins with the `found` packets that were noted last.
    pub fn begin_episode(&mut self, found: usize) {
        let old = self.lost.len() - found;
        self.lost.iter_mut().take(old).for_each(|packet| packet.in_episode = false);
        self.undoable = true;
    }

    /// The latest episode is not undone.
    pub fn keep_episode(&mut self) {
        self.undoable = false;
    }

    /// True if the latest episode was spurious: all of its packets have arrived, the last of them now.
    pub fn is_spurious(&mut self) -> bool {
        let arrived = std::mem::take(&mut self.has_arrived);
        arrived && self.undoable && !self.lost.iter().any(|packet| packet.in_episode)
    }

    /// Takes an acknowledgment of new data. A packet number would say which packet arrived. A segment says it if its latest copy was
    /// declared lost, or if the copy before was and the latest is younger than a round trip. `packets` are the later transmissions.
    #[cold]
    pub fn on_ack(&mut self, ack: &Arrival, packets: &VecDeque<Packet>, queue: &RetransmissionQueue) {
        let lost = std::mem::take(&mut self.lost);
        for (place, &packet) in lost.iter().enumerate() {
            let LostPacket { number, key: (sent_at, end), in_episode } = packet;
            let has_arrived = queue.is_delivered(end);
            let waiting = packets.iter().filter(|sent| sent.fate != Fate::Lost).map(|sent| sent.key);
            let later = waiting.chain(lost.range(place + 1..).map(|other| other.key));
            let copies = later.filter(|copy| copy.1 == end && *copy > packet.key);
            if !has_arrived && ack.now.since(sent_at) <= ack.longest {
                self.lost.push_back(packet);
            } else if has_arrived && is_latest(copies, ack) {
                self.has_arrived |= in_episode;
                self.take_late(ack, number, sent_at);
            } else {
                self.undoable &= !in_episode;
            }
        }
    }

    /// A packet that was declared lost has arrived.
    fn take_late(&mut self, ack: &Arrival, number: u64, sent_at: Time) {
        let later = ack.largest.saturating_sub(number);
        let (count, most) = self.arrived;
        self.arrived = (count + 1, most.max(u32::try_from(later).unwrap_or(u32::MAX)));
        if ack.raises {
            self.thresholds.raise(ack.now.since(sent_at), later, ack.rtt);
        }
    }
}

/// True if a packet is the one of its segment that has arrived: these are the later ones.
fn is_latest(mut copies: impl Iterator<Item = SentKey>, ack: &Arrival) -> bool {
    match (copies.next(), copies.next()) {
        (None, _) => true,
        (Some((latest, _)), None) => ack.now.since(latest) < ack.min_rtt,
        _ => false,
    }
}
