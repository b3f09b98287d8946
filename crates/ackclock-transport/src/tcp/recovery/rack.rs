//! RACK-TLP (RFC 8985): a segment is lost if a later one was delivered, and it had enough time to arrive late. Unlike
//! three duplicates, the clock also shows the loss of a retransmission. If nothing comes back at all, a probe is sent
//! after two round-trip times, to cause an acknowledgment.
//!
//! If receivers report duplicates (RFC 2883), the reordering window grows by a quarter of the smallest round-trip time
//! with each round trip that brings a report.

use ackclock_catalogue::Entry;
use ackclock_units::{Duration, Time};

use super::super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};
use super::super::settings::{LossProbeWait, RackRtt, Settings};
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction};
use super::loss_recovery::{LossRecovery, Probes};
use super::progress::{Phase, Progress};
use super::reduction::Reduction;
use crate::facts::TxRecord;

/// It reduces the window as in RFC 6937, bounded by slow start. It does not use the retransmissions of RFC 6675's
/// `NextSeg` rules 3 and 4 (RFC 8985, 9.2).
pub(super) const ENTRY: RecoveryEntry = RecoveryEntry {
    entry: Entry {
        kind: "recovery",
        name: "rack",
        title: "losses found by the clock, tails probed (RACK-TLP), with proportional rate reduction",
        source: "RFC 8985, RFC 6937",
        ..Entry::PLAIN
    },
    needs: Needs { send_times: true, sees_sent: true, ..Needs::SACK },
};

/// The meaning of the next expiry of RACK-TLP's timer (section 8: one at a time).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// Segments within the reordering window are late now.
    Reordering,
    /// Nothing has arrived for long: a loss probe is due.
    Probe,
}

/// RACK-TLP. Its state is stored separately: it is larger than that of all other recoveries, and their senders would
/// carry it otherwise.
pub(super) type Rack = Box<State>;

/// The state of RACK-TLP (section 5.3).
#[derive(Clone, Debug)]
pub(super) struct State {
    /// `RACK.xmit_ts` and `RACK.end_seq`: the latest-sent segment known to be delivered.
    newest: SentKey,
    /// `RACK.rtt`.
    rtt: Duration,
    /// `RACK.fack`: the highest sequence number acknowledged in either way.
    fack: u64,
    reordering_seen: bool,
    /// Reorderings seen, and the largest in segments (Linux' `reord_seen` and `reordering`).
    reorderings: (u32, u32),
    /// Its timer; [`Time::MAX`] while it is off.
    timer: Time,
    due: Due,
    /// True if a probe is to be sent now.
    probe_due: bool,
    /// `TLP.end_seq`, and `TLP.is_retrans`.
    probed: Option<(u64, bool)>,
    /// How many round-trip times of data had been measured when the last probe was sent: the next probe needs another
    /// one (section 7.3). None before the first probe, for which the SYN's suffices.
    samples_at_probe: Option<u64>,
    reduction: Reduction,
    reordering: ReorderingWindow,
}

/// The adaptation of the reordering window to duplicates (section 6.2, step 4).
#[derive(Clone, Debug)]
struct ReorderingWindow {
    /// `RACK.dsack_round`: reports that come before this is acknowledged belong to the same round trip.
    round: u64,
    /// `RACK.reo_wnd_mult`.
    multiplier: u32,
    /// `RACK.reo_wnd_persist`: the number of recoveries until the window has its first size again.
    persists: u32,
}

/// Linux' `TCP_TIMEOUT_MIN_US`.
const LEAST_TIMER: Duration = Duration::from_millis(2);

/// A window that has grown lasts for this many recoveries without a report.
const PERSISTS: u32 = 16;

impl ReorderingWindow {
    /// Takes an acknowledgment, which may report a duplicate or end a recovery.
    fn update(&mut self, una: u64, next: u64, has_duplicate: bool, ends_recovery: bool) {
        if has_duplicate && una >= self.round {
            self.round = next;
            self.multiplier += 1;
            self.persists = PERSISTS;
        } else if ends_recovery {
            self.persists = self.persists.saturating_sub(1);
            if self.persists == 0 {
                self.multiplier = 1;
            }
        }
    }
}

impl Default for State {
    fn default() -> State {
        State {
            newest: (Time::ZERO, 0),
            rtt: Duration::ZERO,
            fack: 0,
            reordering_seen: false,
            reorderings: (0, 0),
            timer: Time::MAX,
            due: Due::Reordering,
            probe_due: false,
            probed: None,
            samples_at_probe: None,
            reduction: Reduction::default(),
            reordering: ReorderingWindow { round: 0, multiplier: 1, persists: 0 },
        }
    }
}

impl LossRecovery for Rack {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        let was_open = progress.phase == Phase::Open;
        if ack.advanced && queue.una() >= progress.recover {
            progress.phase = Phase::Open;
        }
        let ends_recovery = !was_open && progress.phase == Phase::Open;
        self.reordering.update(queue.una(), ack.next, ack.has_duplicate, ends_recovery);
        // Steps 2 and 3.
        if let Some(sent) = ack.newest {
            let measured = match ack.settings.rack_rtt {
                RackRtt::LatestSent => sent.0,
                RackRtt::Linux => ack.highest_sent_at.unwrap_or(sent.0),
            };
            self.rtt = ack.now.since(measured);
            self.newest = self.newest.max(sent);
        }
        let fack = self.fack.max(queue.highest_acknowledged());
        if ack.lowest_once < self.fack {
            self.note_reordering(fack - ack.lowest_once, ack.settings.mss);
        }
        self.fack = fack;
        self.detect(ack, progress, queue)
    }

    /// Section 6.3: at a timeout, the first outstanding segment and all segments older than a round-trip time
    /// are lost.
    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue) {
        let wait = self.rtt + self.reordering_window(event, Phase::Restart, queue);
        self.forget_probe();
        self.timer = Time::MAX;
        queue.declare_head_lost();
        queue.declare_old_lost(event.now, wait);
        progress.begin_restart(event.next);
    }

    /// True if no reordering timer runs and no probe is under way. If, besides, no segment is lost, sent again or selectively
    /// acknowledged, every outstanding segment was sent after the latest delivered one, so none can become late.
    fn is_at_rest(&self) -> bool {
        let is_waiting = self.due == Due::Reordering && self.timer < Time::MAX;
        !is_waiting && !self.probe_due && self.probed.is_none()
    }

    fn reduction(&mut self) -> Option<&mut Reduction> {
        Some(&mut self.reduction)
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

impl Probes for Rack {
    #[inline]
    fn deadline(&self) -> Time {
        self.timer
    }

    /// The timer expires: late segments are lost, or a probe is due. The probe is sent if no other is in the network
    /// and a round-trip time was measured since the last one (section 7.3).
    fn on_timer(
        &mut self,
        event: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Expiry {
        self.timer = Time::MAX;
        let is_probe = self.due == Due::Probe;
        let measured = match self.samples_at_probe {
            Some(samples) => event.rtt_samples > samples,
            None => !event.rtt.srtt().is_zero(),
        };
        self.probe_due = is_probe && self.probed.is_none() && measured;
        if is_probe { Expiry::Probe } else { Expiry::Losses(self.detect(event, progress, queue)) }
    }

    #[inline]
    fn on_predicted(&mut self, now: Time, newest: SentKey) {
        self.rtt = now.since(newest.0);
        self.newest = self.newest.max(newest);
        self.fack = self.fack.max(newest.1);
    }

    fn on_transmission(&mut self, _key: SentKey, _measured: bool) {}

    fn end_probes(&mut self) {
        self.probe_due = false;
    }

    fn take_probe(&mut self) -> bool {
        std::mem::take(&mut self.probe_due)
    }

    fn on_probe_sent(&mut self, next: u64, again: bool, rtt_samples: u64) {
        self.probed = Some((next, again));
        self.samples_at_probe = Some(rtt_samples);
    }

    /// Section 7.4.2: a probe has repaired a loss by itself, which still is a signal of congestion. An
    /// acknowledgment that reports a duplicate of it (case 1), or repeats the latest without any block (case 2), shows that the
    /// probe was needless.
    #[inline]
    fn is_repaired_by_probe(&mut self, answer: &ProbeAnswer) -> bool {
        let una = answer.una;
        let Some((end, again)) = self.probed.filter(|(end, _)| una >= *end) else { return false };
        let is_duplicate = answer.duplicated.is_some_and(|duplicate| duplicate.1 == end);
        if !again || una > end || answer.repeats || is_duplicate {
            self.probed = None;
        }
        again && una > end && !is_duplicate
    }

    /// Section 7.2: while nothing is lost, a probe is due two round-trip times from now, and not later than the
    /// retransmission timer. If segments may become late before then, no probe is needed: only one timer runs (section
    /// 8), and theirs has precedence.
    #[inline]
    fn schedule(
        &mut self,
        conditions: &ProbeConditions<'_>,
        progress: &Progress,
        queue: &RetransmissionQueue,
    ) {
        let ProbeConditions { now, cwnd, rto_deadline, rtt, settings } = *conditions;
        let outstanding = queue.outstanding();
        let unwanted = cwnd < 1.0 || !settings.loss_probes;
        if progress.phase != Phase::Open || queue.has_sacked() || outstanding == 0 || unwanted {
            self.stop_probe_timer();
            return;
        }
        if self.due == Due::Reordering && self.timer < Time::MAX {
            return;
        }
        let srtt = rtt.srtt();
        let interval = if srtt.is_zero() {
            Duration::from_secs(1)
        } else {
            srtt + srtt + probe_delay(outstanding == 1, settings)
        };
        self.timer = (now + interval).min(rto_deadline);
        self.due = Due::Probe;
    }

    #[inline]
    fn cancel_probe(&mut self) {
        self.stop_probe_timer();
    }
}

/// The time beyond two round trips after which a probe is due, of a lone segment or of several. The budget for a delayed
/// acknowledgment is the longest that the receiver delays one.
#[inline]
fn probe_delay(is_alone: bool, settings: &Settings) -> Duration {
    match (settings.loss_probe_wait, is_alone) {
        (LossProbeWait::Rfc8985, true) if settings.segments_per_ack > 1 => settings.ack_delay,
        (LossProbeWait::Rfc8985, _) => Duration::ZERO,
        (LossProbeWait::Linux, true) => settings.rto.min,
        (LossProbeWait::Linux, false) => LEAST_TIMER,
    }
}

impl State {
    /// Step 3: a segment that was sent once arrived this many bytes below the highest that had arrived.
    #[cold]
    fn note_reordering(&mut self, below: u64, mss: u16) {
        self.reordering_seen = true;
        let segments = below.div_ceil(u64::from(mss.max(1))) + 1;
        let (count, largest) = self.reorderings;
        self.reorderings = (count + 1, largest.max(u32::try_from(segments).unwrap_or(u32::MAX)));
    }

    /// Reorderings seen, and the largest in segments.
    pub fn reorderings(&self) -> (u32, u32) {
        self.reorderings
    }

    /// Section 6.2, step 5: the time until which some segments are not late yet; none if no segment waits.
    fn wait_for_late(&mut self, until: Option<Time>) {
        if let Some(until) = until {
            self.timer = until;
            self.due = Due::Reordering;
        } else if self.due == Due::Reordering {
            self.timer = Time::MAX;
        }
    }

    /// No probe is scheduled any more.
    #[inline]
    fn stop_probe_timer(&mut self) {
        if self.due == Due::Probe {
            self.timer = Time::MAX;
        }
    }

    /// Section 7.1: fast recovery or the restart after a timeout begins.
    fn forget_probe(&mut self) {
        self.probed = None;
        self.probe_due = false;
    }

    /// Section 6.2, step 4.
    fn reordering_window(&self, ack: &AckEvent<'_>, phase: Phase, queue: &RetransmissionQueue) -> Duration {
        let recovering = phase != Phase::Open;
        let enough = || queue.has_sacked_segments(ack.settings.duplicate_threshold);
        if !self.reordering_seen && (recovering || enough()) {
            return Duration::ZERO;
        }
        let multiplied = ack.path_min_rtt.saturating_mul(u64::from(self.reordering.multiplier));
        (multiplied / 4).min(ack.rtt.srtt())
    }

    /// Step 5, for acknowledgments and for the reordering timer: declares late segments lost, and sets the timer for
    /// the others.
    fn detect(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        let wait = self.rtt + self.reordering_window(ack, progress.phase, queue);
        let found = queue.declare_late_lost(self.newest, ack.now, wait);
        let slack = ack.settings.reordering_timer_slack;
        self.wait_for_late(found.latest_waiting.map(|sent_at| sent_at + wait + slack));
        match progress.phase {
            // A retransmission that is lost is a second indication of congestion (sections 3.4 and 9.3).
            Phase::Fast if !found.again || !ack.settings.reduce_again => Reaction::None,
            Phase::Open | Phase::Fast if found.lost => {
                self.reduction.follow(ack.settings.proportional_rate);
                progress.enter_fast(ack.next);
                self.stop_probe_timer();
                self.forget_probe();
                Reaction::Episode { restart: false }
            }
            _ => Reaction::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::RateState;
    use crate::tcp::mechanism::rtt::RttEstimator;

    const MSS: u64 = 100;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    /// Section 3.5: one segment, and two more just before its timer of a second expires, with a round-trip time of
    /// 200 ms. Only the first is given up; a fourth, older than a round trip, would be as well.
    #[test]
    fn at_a_timeout_what_was_just_sent_is_not_given_up() {
        for (sent, lost) in [(vec![0, 900, 950], 1), (vec![0, 100, 900, 950], 2)] {
            let settings = Settings::default();
            let mut rtt = RttEstimator::new(&settings.rto);
            rtt.sample(Duration::from_millis(200), 1, &settings.rto);
            let mut progress = Progress::new();
            let mut rack = Rack::new(State { rtt: Duration::from_millis(200), ..State::default() });
            let mut queue = RetransmissionQueue::new(1, MSS as u16).by_clock();
            for (segment, millis) in (1..).zip(&sent) {
                queue.push(1 + segment * MSS, &TxRecord::new(at(*millis), 0, RateState::default()));
            }
            let event = AckEvent::timer(at(1000), 1 + sent.len() as u64 * MSS, 1, &rtt, &settings);
            rack.on_timeout(&event, &mut progress, &mut queue);
            assert_eq!(queue.pipe() as usize, sent.len() - lost);
            assert_eq!(progress.phase, Phase::Restart);
        }
    }

    /// Section 6.2, step 2: `RACK.segment` is the most recently sent of all that were delivered, and `RACK.fack` the highest, also
    /// where header prediction takes the acknowledgments.
    #[test]
    fn predicted_acknowledgments_move_the_newest_segment_forward() {
        let mut rack = Rack::new(State::default());
        for (sent, end, newest, fack) in [(10, 100, 10, 100), (30, 300, 30, 300), (20, 200, 30, 300)] {
            rack.on_predicted(at(100), (at(sent), end));
            assert_eq!((rack.newest, rack.fack), ((at(newest), fack), fack));
            assert_eq!(rack.rtt, Duration::from_millis(100 - sent), "of the latest");
        }
    }
}
