//! QUIC's loss detection (RFC 9002, sections 6 and 7.6) on TCP's segments: packet and time thresholds, probe timeouts instead of retransmission timeouts, and persistent congestion.
//!
//! Every transmission is a packet, numbered in the order of sending. A receiver of TCP acknowledges segments, not
//! packets. If a segment was sent more than once, its latest copy counts as acknowledged once the smallest round-trip
//! time has passed since it was sent (RFC 8985, 6.2, step 2); before that, no copy does.

mod late;
mod packet;

use std::collections::VecDeque;

use ackclock_catalogue::Entry;
use ackclock_units::{Duration, Time};

use super::super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};
use super::super::mechanism::rtt::RttEstimator;
use super::super::settings::Settings;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction};
use super::loss_recovery::{LossRecovery, Probes};
use super::progress::{Phase, Progress};
use super::reduction::Reduction;
use crate::facts::TxRecord;
use late::{Arrival, LatePackets};
use packet::{Fate, Packet};

pub(super) const ENTRY: RecoveryEntry = RecoveryEntry {
    entry: Entry {
        kind: "recovery",
        name: "rfc9002",
        title: "QUIC's loss detection: packet and time thresholds, probe timeouts, persistent congestion",
        source: "RFC 9002",
        ..Entry::PLAIN
    },
    needs: Needs { send_times: true, sees_sent: true, probe_timeouts: true, ..Needs::SACK },
};

/// kPersistentCongestionThreshold (7.6.1).
const PERSISTENT_CONGESTION_THRESHOLD: u64 = 3;
/// The packets sent at a probe timeout, if there is data for both (6.2.4).
const PROBES: u32 = 2;

/// The resolution of timers, as of times in QUIC's frames (RFC 9000, 19.3).
const MICROSECOND: Duration = Duration::from_micros(1);

/// The meaning of the next expiry of the loss detection timer (A.8: one at a time).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// Packets within the time threshold are late now.
    Loss,
    /// A probe timeout.
    Probe,
}

/// The loss detection. Its state is stored separately, like that of `rack`.
pub(super) type Rfc9002 = Box<State>;

/// The state of the loss detection (A.3).
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The packets by number, beginning with the third before `largest_acked`, or as many more as the threshold is higher.
    packets: VecDeque<Packet>,
    /// The number of the first of them.
    first: u64,
    /// The position of `largest_acked_packet` in `packets`; none before the first.
    largest_acked: Option<usize>,
    /// `time_of_last_ack_eliciting_packet`.
    last_sent_at: Time,
    /// `loss_detection_timer`; [`Time::MAX`] while it is off.
    timer: Time,
    due: Due,
    pto_count: u32,
    /// The number of probes to be sent now.
    probes: u32,
    /// True if a segment that was not lost was sent again: some packets here may have a later copy.
    copied: bool,
    /// `congestion_recovery_start_time`.
    recovery_start: Option<Time>,
    /// The packets declared lost that may arrive, and the thresholds.
    late: LatePackets,
}

impl Default for State {
    fn default() -> State {
        State {
            packets: VecDeque::new(),
            first: 0,
            largest_acked: None,
            last_sent_at: Time::ZERO,
            timer: Time::MAX,
            due: Due::Loss,
            pto_count: 0,
            probes: 0,
            copied: false,
            recovery_start: None,
            late: LatePackets::default(),
        }
    }
}

/// The packets that one event has found lost.
#[derive(Default)]
struct Found {
    /// The time at which the latest of them was sent.
    latest: Option<Time>,
    /// Their number.
    count: usize,
    /// True if they establish persistent congestion (7.6.2).
    persistent: bool,
    /// The time at which the first packet that may become late was sent.
    waiting: Option<Time>,
}

impl LossRecovery for Rfc9002 {
    /// A.7: `OnAckReceived`.
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        if !ack.advanced && !ack.duplicate {
            return Reaction::None;
        }
        self.pto_count = 0;
        let largest = self.first + self.largest_acked.unwrap_or(0) as u64;
        if let Some(newest) = ack.newest {
            self.advance(newest);
        }
        if !self.late.is_empty() {
            self.look_at_lost(ack, largest, queue);
        }
        let newest = self.largest_acked.map(|place| self.packets[place].key.0);
        // 7.3.2, B.5: a packet sent in the recovery period is acknowledged.
        let ends = progress.phase == Phase::Fast && newest > self.recovery_start;
        if ends || queue.una() >= progress.recover {
            progress.phase = Phase::Open;
        }
        let reaction = self.detect(ack, progress, queue);
        let is_spurious = self.late.is_spurious();
        if is_spurious && reaction == Reaction::None && ack.settings.adapt_loss_thresholds {
            return Reaction::Undo;
        }
        reaction
    }

    /// The retransmission timer is off, since this recovery's own timer replaces it.
    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue) {
        progress.restart(event.next, queue);
    }

    fn is_at_rest(&self) -> bool {
        let waits = self.due == Due::Loss && self.timer < Time::MAX;
        !waits && self.probes == 0 && self.pto_count == 0
    }

    fn reduction(&mut self) -> Option<&mut Reduction> {
        None
    }

    fn resends_unacknowledged(&self) -> bool {
        false
    }

    fn resend_unacknowledged(
        &mut self,
        _: &Progress,
        _: &mut RetransmissionQueue,
        _: &TxRecord,
    ) -> Option<(u64, u64)> {
        None
    }
}

impl Probes for Rfc9002 {
    #[inline]
    fn on_predicted(&mut self, _now: Time, newest: SentKey) {
        self.advance(newest);
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.timer
    }

    /// A.9: `OnLossDetectionTimeout`.
    fn on_timer(
        &mut self,
        event: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Expiry {
        self.timer = Time::MAX;
        if self.due == Due::Loss {
            return Expiry::Losses(self.detect(event, progress, queue));
        }
        self.pto_count += 1;
        self.probes = PROBES;
        Expiry::Probe
    }

    fn on_transmission(&mut self, key: SentKey, measured: bool) {
        self.last_sent_at = key.0;
        self.packets.push_back(Packet { key, measured, fate: Fate::Waiting });
    }

    fn take_probe(&mut self) -> bool {
        let is_due = self.probes > 0;
        self.probes = self.probes.saturating_sub(1);
        is_due
    }

    fn end_probes(&mut self) {
        self.probes = 0;
    }

    fn on_probe_sent(&mut self, _next: u64, again: bool, _rtt_samples: u64) {
        self.copied |= again;
    }

    /// A.8: `SetLossDetectionTimer`. The timer of the time threshold has precedence over the probe timeout.
    #[cold]
    #[inline(never)]
    fn schedule(&mut self, conditions: &ProbeConditions<'_>, _: &Progress, queue: &RetransmissionQueue) {
        if self.due == Due::Loss && self.timer < Time::MAX {
            return;
        }
        self.due = Due::Probe;
        let ProbeConditions { now, rtt, settings, .. } = *conditions;
        self.timer = if queue.pipe() == 0 {
            Time::MAX
        } else {
            let factor = 1_u64.checked_shl(self.pto_count).unwrap_or(u64::MAX);
            (self.last_sent_at + probe_timeout(rtt, settings).saturating_mul(factor)).max(now)
        };
    }
    fn cancel_probe(&mut self) {}

    fn is_repaired_by_probe(&mut self, _: &ProbeAnswer) -> bool {
        false
    }
}

impl State {
    /// Packets that arrived after they were declared lost, and the most packets sent later that arrived before one.
    pub(super) fn arrived_late(&self) -> (u32, u32) {
        self.late.arrived()
    }

    /// The recovery period was for nothing: a loss of packets sent before it is a signal again.
    pub(super) fn forget_episode(&mut self) {
        self.recovery_start = None;
    }

    /// Packets of the latest episode that arrive after all do not undo it.
    pub(super) fn keep_episode(&mut self) {
        self.late.keep_episode();
    }

    /// 6.1: an acknowledgment may be of packets that were declared lost; `largest` is the largest acknowledged before it.
    #[cold]
    fn look_at_lost(&mut self, ack: &AckEvent<'_>, largest: u64, queue: &RetransmissionQueue) {
        let arrival = Arrival {
            now: ack.now,
            largest,
            min_rtt: ack.path_min_rtt,
            rtt: largest_rtt(ack),
            longest: probe_timeout(ack.rtt, ack.settings).saturating_mul(2),
            raises: ack.settings.adapt_loss_thresholds,
        };
        self.late.on_ack(&arrival, &self.packets, queue);
    }

    /// Notes that a packet was acknowledged, perhaps with a higher number than all before.
    fn advance(&mut self, newest: SentKey) {
        let from = self.largest_acked.map_or(0, |place| place + 1);
        let is_above = self.largest_acked.is_none_or(|place| newest > self.packets[place].key);
        let place = if is_above {
            self.packets.iter().skip(from).position(|packet| packet.key == newest)
        } else {
            None
        };
        if let Some(place) = place {
            self.packets[from + place].fate = Fate::Delivered;
            self.largest_acked = Some(from + place);
        }
    }

    /// Forgets packets from which nothing more can be learnt.
    fn forget(&mut self) {
        while let Some(place) = self.largest_acked
            && place as u64 > self.late.thresholds.packets
        {
            self.packets.pop_front();
            self.first += 1;
            self.largest_acked = Some(place - 1);
        }
        self.copied &= self.largest_acked.is_none_or(|place| place + 1 < self.packets.len());
    }

    /// Settles the packets from `place` on whose segments arrived: it is not known which copy did.
    fn settle_from(&mut self, place: usize, queue: &RetransmissionQueue) {
        for packet in self.packets.range_mut(place..) {
            if packet.fate == Fate::Waiting && queue.is_delivered(packet.key.1) {
                packet.fate = Fate::Delivered;
            }
        }
    }

    /// True if a packet's segment arrived, and no later packet up to `largest` carried it: then this packet arrived.
    fn is_delivered(&self, place: usize, largest: usize, queue: &RetransmissionQueue) -> bool {
        let end = self.packets[place].key.1;
        let mut later = self.packets.range(place + 1..=largest);
        queue.is_delivered(end) && !(self.copied && later.any(|packet| packet.key.1 == end))
    }

    /// A.10 and B.8: declares packets lost by the thresholds, and sets the timer for those that may be lost later.
    fn detect(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        let delay = self.late.thresholds.delay(largest_rtt(ack));
        let delay = delay.round_up_to(MICROSECOND).max(ack.settings.rto.granularity);
        let found = self.find(ack, delay, queue);
        self.forget();
        if let Some(waiting) = found.waiting {
            (self.timer, self.due) = (waiting + delay, Due::Loss);
        } else if self.due == Due::Loss {
            self.timer = Time::MAX;
        }
        if found.persistent {
            self.recovery_start = None;
            self.late.keep_episode();
            progress.begin_restart(ack.next);
            return Reaction::PersistentCongestion;
        }
        // There is no reaction to losses of packets sent before the present recovery period.
        if found.latest.is_none() || found.latest <= self.recovery_start {
            return Reaction::None;
        }
        self.recovery_start = Some(ack.now);
        self.late.begin_episode(found.count);
        progress.enter_fast(ack.next);
        Reaction::Episode { restart: false }
    }

    fn find(&mut self, ack: &AckEvent<'_>, delay: Duration, queue: &mut RetransmissionQueue) -> Found {
        let mut found = Found::default();
        if self.copied {
            self.settle_from(self.largest_acked.map_or(0, |place| place + 1), queue);
        }
        let Some(largest) = self.largest_acked else { return found };
        let duration = probe_timeout(ack.rtt, ack.settings).saturating_mul(PERSISTENT_CONGESTION_THRESHOLD);
        let threshold = usize::try_from(self.late.thresholds.packets).unwrap_or(usize::MAX);
        // The sending time of the first lost packet after the last one that was delivered.
        let mut since: Option<Time> = None;
        for place in 0..largest {
            let Packet { key: (sent_at, _), measured, fate } = self.packets[place];
            let is_late = place + threshold <= largest || sent_at + delay <= ack.now;
            match fate {
                Fate::Lost => {}
                Fate::Delivered => since = None,
                Fate::Waiting if self.is_delivered(place, largest, queue) => {
                    self.packets[place].fate = Fate::Delivered;
                    since = None;
                }
                Fate::Waiting if is_late => {
                    self.packets[place].fate = Fate::Lost;
                    queue.declare_lost(self.packets[place].key);
                    self.late.note(self.first + place as u64, self.packets[place].key);
                    found.count += 1;
                    found.latest = found.latest.max(Some(sent_at));
                    if measured {
                        found.persistent |= sent_at.since(*since.get_or_insert(sent_at)) > duration;
                    }
                }
                Fate::Waiting => found.waiting = found.waiting.or(Some(sent_at)),
            }
        }
        found
    }
}

/// 6.1.2: the larger of the latest and the smoothed round-trip time.
fn largest_rtt(ack: &AckEvent<'_>) -> Duration {
    let largest = ack.rtt.latest().max(ack.rtt.srtt());
    // 6.2.2: kInitialRtt, a third of the initial timeout.
    if largest.is_zero() { ack.settings.rto.initial / 3 } else { largest }
}

/// 6.2.1, without back-off.
fn probe_timeout(rtt: &RttEstimator, settings: &Settings) -> Duration {
    let max_ack_delay = if settings.segments_per_ack > 1 { settings.ack_delay } else { Duration::ZERO };
    rtt.timeout(&settings.rto).round_up_to(MICROSECOND) + max_ack_delay
}

#[cfg(test)]
mod tests {
    use super::super::super::settings::Settings;
    use super::*;
    use crate::facts::RateState;

    /// Section 7.6.3, in tenths of a second. The period from 1 s to 8 s is longer than three times 2 s; if the first sample, at
    /// 1.2 s, is the first of all, it begins with packet 3, and six seconds are not longer.
    #[test]
    fn the_example_of_persistent_congestion() {
        assert_eq!(example(0), Reaction::PersistentCongestion);
        assert_eq!(example(12), Reaction::Episode { restart: false });
    }

    /// The reaction to the acknowledgment of packet 9, where round-trip times are known from that tenth of a second on.
    fn example(measured_from: u64) -> Reaction {
        let at = |tenths: u64| Time::ZERO + Duration::from_millis(100 * tenths);
        let settings = Settings::default();
        let mut rtt = RttEstimator::new(&settings.rto);
        // A first sample of two thirds of a second, and four times half of that, make two seconds.
        rtt.sample(Duration::from_nanos(666_666_667), 1, &settings.rto);
        let mut queue = RetransmissionQueue::new(0, 1);
        let (mut recovery, mut progress) = (Rfc9002::default(), Progress::new());
        let mut reaction = Reaction::None;
        for (number, tenths) in (1_u64..).zip([0, 10, 20, 30, 40, 50, 60, 80, 120]) {
            queue.push(number, &TxRecord::new(at(tenths), 0, RateState::default()));
            recovery.on_transmission((at(tenths), number), tenths >= measured_from);
            if [1, 9].contains(&number) {
                queue.select(number - 1, number, |_, _| {});
                let timer = AckEvent::timer(at(tenths + 2), number + 1, 1, &rtt, &settings);
                let ack = AckEvent { duplicate: true, newest: Some((at(tenths), number)), ..timer };
                reaction = recovery.on_ack(&ack, &mut progress, &mut queue);
            }
        }
        assert_eq!((queue.pipe(), recovery.pto_count), (0, 0), "packets 2 to 8 are lost");
        reaction
    }
}
