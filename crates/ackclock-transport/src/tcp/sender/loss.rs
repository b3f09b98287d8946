//! Outstanding and lost segments: the retransmission queue with its scoreboard, and the recovery.

mod newly_acked;

use std::mem::offset_of;
use std::ops::Range;

use ackclock_units::Time;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::super::recovery::{
    AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction, Recovery, RecoveryState, WindowEvent,
};
use super::super::settings::Settings;
use crate::facts::{RateState, TxRecord};
use crate::flow::{Counters, TIMEOUTS_IN_A_ROW};
use crate::wire::{Flags, Header, SackBlocks};

pub(super) use newly_acked::NewlyAcked;

/// At most this many segments of one acknowledgment are examined one by one before anything is changed.
const MOST: u32 = 4;

/// The segments outstanding, and the recovery of those that are lost.
///
/// The fields needed while nothing is lost come first.
#[repr(C)]
pub(super) struct Loss {
    /// Segments counted as delivered for duplicate ACKs, until a cumulative ACK covers them.
    dupack_credit: u32,
    /// True with `Settings::refines_acks`, or if a session sees acknowledgments.
    refines_acks: bool,
    /// True with RFC 3042's limited transmit: then the segments in the network are those of the pipe. Without it,
    /// as long as no loss is known, they are all outstanding ones.
    limited_transmit: bool,
    queue: RetransmissionQueue,
    recovery: RecoveryState,
    /// The latest selective acknowledgments, and the acknowledgment with which they came.
    last_sack: SackBlocks,
    last_sack_at: u64,
    /// Data segments sent again.
    retransmissions: u64,
    /// Most senders have none.
    timeouts: Option<Box<Timeouts>>,
}

/// Expiries of the retransmission timer, and their numbers by position in a row.
#[derive(Clone, Copy, Debug, Default)]
struct Timeouts {
    count: u32,
    in_a_row: [u32; TIMEOUTS_IN_A_ROW],
}

impl Loss {
    /// The bytes at the beginning that are needed while nothing is lost.
    pub const NEEDED: usize = offset_of!(Loss, queue) + RetransmissionQueue::NEEDED;

    /// Nothing outstanding. With `sampled`, the state in which each segment is sent is kept.
    pub fn new(una: u64, recovery: Recovery, settings: &Settings, sampled: bool) -> Loss {
        let mut queue = RetransmissionQueue::new(una, settings.mss);
        if sampled {
            queue = queue.with_samples();
        }
        if recovery.needs().send_times {
            queue = queue.by_clock();
        }
        Loss {
            dupack_credit: 0,
            refines_acks: settings.refines_acks(),
            // Segments that are neither acknowledged nor lost are in flight (RFC 9002, B.2), in all phases.
            limited_transmit: settings.limited_transmit || recovery.needs().probe_timeouts,
            queue,
            recovery: RecoveryState::new(recovery),
            last_sack: SackBlocks::default(),
            last_sack_at: 0,
            retransmissions: 0,
            timeouts: None,
        }
    }

    #[inline]
    pub fn queue(&self) -> &RetransmissionQueue {
        &self.queue
    }

    #[inline]
    pub fn recovery(&self) -> &RecoveryState {
        &self.recovery
    }

    #[inline]
    pub fn refines_acks(&self) -> bool {
        self.refines_acks
    }

    /// Has every acknowledgment examined in full.
    pub fn refine_acks(&mut self) {
        self.refines_acks = true;
    }

    /// Segments in the network, as far as the recovery in use can infer.
    #[inline]
    pub fn in_network(&self) -> u32 {
        self.recovery.in_network(&self.queue, self.limited_transmit)
    }

    /// Segments in the network while no duplicates are counted.
    #[inline]
    pub fn in_network_at_rest(&self) -> u32 {
        if self.limited_transmit { self.queue.pipe() } else { self.queue.outstanding() }
    }

    /// Adds its counts.
    pub fn counters(&self, others: Counters) -> Counters {
        let Timeouts { count, in_a_row } = self.timeouts.as_deref().copied().unwrap_or_default();
        Counters {
            retransmissions: self.retransmissions,
            timeouts: count,
            timeouts_in_a_row: in_a_row,
            ..others
        }
    }

    /// The steps of long walks since the last call.
    #[inline]
    pub fn take_walked(&mut self) -> u32 {
        self.queue.take_walked()
    }

    /// The memory of the first segment, of the next one to be added, and of the order of sending.
    #[inline]
    pub fn memory(&self) -> [Range<*const u8>; 3] {
        let [first, last] = self.queue.ends();
        [first, last, self.queue.clock()]
    }

    // Acknowledgments.

    /// True if no loss is known or suspected, and an acknowledgment of new data only resets the recovery's count of
    /// duplicates.
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        !self.queue.has_sacked()
            && !self.queue.has_lost()
            && self.recovery.is_at_rest()
            && !self.queue.has_sent_again()
    }

    /// Takes an acknowledgment of new data that was all sent once, while at rest. Returns the number of segments, and
    /// the record of the last. Does nothing for any other acknowledgment. With `is_full`, samples may be kept or
    /// sending times judged.
    #[expect(clippy::inline_always, reason = "once for each kind of prediction")]
    #[inline(always)]
    pub fn acknowledge_plain(
        &mut self,
        now: Time,
        acknowledgment: u64,
        is_full: bool,
    ) -> Option<(u32, TxRecord)> {
        // An acknowledgment of one segment covers no segment for which a duplicate was counted.
        let most = if self.dupack_credit > 0 { 1 } else { MOST };
        let (covered, newest) = self.queue.acknowledge_plain(acknowledgment, most, is_full)?;
        if self.dupack_credit > 0 {
            self.dupack_credit = self.dupack_credit.min(self.queue.outstanding());
        }
        if is_full {
            self.recovery.on_predicted(now, newest.sent_at(), acknowledgment);
        }
        Some((covered, newest))
    }

    /// Applies the cumulative and selective acknowledgments to the retransmission queue. Of a segment sent again no
    /// later than `certain_until`, the latest copy arrived. `sampled` is true where samples are usually kept.
    #[expect(clippy::inline_always, reason = "what is not asked of the summary is not gathered")]
    #[inline(always)]
    pub fn acknowledge(
        &mut self,
        (acknowledgment, sack): (u64, &SackBlocks),
        advanced: bool,
        certain_until: Option<Time>,
        sampled: bool,
    ) -> NewlyAcked {
        let mut newly = if advanced {
            self.queue.acknowledge_all(acknowledgment, certain_until)
        } else {
            NewlyAcked::new(certain_until)
        };
        if !sack.is_empty() {
            let known = if acknowledgment == self.last_sack_at { &self.last_sack } else { &SackBlocks::NONE };
            for (start, end) in sack.news(acknowledgment, known) {
                let next = if sampled {
                    self.queue.select_next_sampled(start, end)
                } else {
                    self.queue.select_next(start, end).map(|sent| (sent, RateState::default()))
                };
                if let Some((sent, rate)) = next {
                    newly.take_selective(&sent, rate);
                } else if !self.queue.is_selected(start, end) {
                    newly = self.queue.select_all(start, end, newly);
                }
            }
            // The rest of a segment that is covered in part may come with the next acknowledgment.
            (self.last_sack_at, self.last_sack) = (acknowledgment, *sack);
            if newly.has_parts {
                self.last_sack = SackBlocks::NONE;
            }
        }
        newly
    }

    /// RFC 5681, section 2; with SACK, RFC 6675, section 2: any acknowledgment with new selective information.
    #[inline]
    pub fn is_duplicate(&self, header: &Header, has_news: bool, newly: &NewlyAcked, sack: bool) -> bool {
        if sack {
            return newly.selective > 0;
        }
        !has_news
            && header.acknowledgment == self.queue.una()
            && !self.queue.is_empty()
            && !header.flags.has(Flags::FIN)
    }

    /// Segments delivered by the evidence of this acknowledgment. Without SACK a duplicate stands for one segment,
    /// which the cumulative acknowledgment that covers it later does not count again. The first unacknowledged
    /// segment is never among these. After a restart, duplicates come from segments that were sent again needlessly.
    #[inline]
    pub fn count_delivered(
        &mut self,
        newly: &NewlyAcked,
        advanced: bool,
        duplicate: bool,
        sack: bool,
    ) -> u32 {
        if sack {
            return newly.delivered;
        }
        if advanced {
            let known = self.dupack_credit.min(newly.cumulative.saturating_sub(1));
            self.dupack_credit = (self.dupack_credit - known).min(self.queue.outstanding());
            return newly.cumulative - known;
        }
        let credit =
            duplicate && !self.recovery.is_restart() && self.dupack_credit + 1 < self.queue.outstanding();
        self.dupack_credit += u32::from(credit);
        u32::from(credit)
    }

    /// Lets the recovery, which is known to be `recovery`, declare segments lost, which may begin an episode.
    #[expect(clippy::inline_always, reason = "a recovery that is known is called at once")]
    #[inline(always)]
    pub fn on_ack(&mut self, recovery: Recovery, ack: &AckEvent<'_>) -> Reaction {
        self.recovery.on_ack(recovery, ack, &mut self.queue)
    }

    /// Takes the state in which the latest-sent lost segment was sent, if samples are kept.
    pub fn take_latest_lost(&mut self) -> Option<RateState> {
        self.queue.take_latest_lost()
    }

    /// A mark has reduced the window: a recovery that limits the sending itself brings it down until more than `next` is acknowledged.
    pub fn reduce_for_mark(&mut self, next: u64) {
        if self.recovery.needs().sees_sent {
            self.recovery.reduce_for_mark(next);
        }
    }

    /// True if a recovery that limits the sending itself brings the window down.
    #[inline]
    pub fn is_reducing(&self) -> bool {
        self.recovery.is_reducing()
    }

    /// The controller has chosen the window: a recovery that limits the sending itself lets segments go towards it.
    #[expect(clippy::inline_always, reason = "what the event holds passes in registers")]
    #[inline(always)]
    pub fn on_window(&mut self, event: &WindowEvent) {
        if let Some(reduction) = self.recovery.reduction() {
            reduction.on_window(event, &self.queue);
        }
    }

    // Timers and episodes.

    /// The retransmission timer expired: the first segment has timed out. Returns the number of segments declared
    /// lost.
    pub fn on_timeout(&mut self, event: &AckEvent<'_>) -> u32 {
        self.queue.mark_head_timed_out();
        let pipe_before = self.queue.pipe();
        let (rules, progress) = self.recovery.rules();
        rules.on_timeout(event, progress, &mut self.queue);
        pipe_before - self.queue.pipe()
    }

    /// Counts a timeout that follows `before` others in a row.
    pub fn note_timeout(&mut self, before: u32) {
        let timeouts = self.timeouts.get_or_insert_default();
        timeouts.count += 1;
        timeouts.in_a_row[(before as usize).min(TIMEOUTS_IN_A_ROW - 1)] += 1;
    }

    /// The recovery's own timer expired.
    pub fn on_timer(&mut self, event: &AckEvent<'_>) -> Expiry {
        match self.recovery.probes() {
            Some((probes, progress)) => probes.on_timer(event, progress, &mut self.queue),
            None => Expiry::Losses(Reaction::None),
        }
    }

    /// Everything outstanding is presumed lost.
    pub fn restart(&mut self, next: u64) {
        self.recovery.restart(next, &mut self.queue);
    }

    /// Releases memory from a time with a far larger flight.
    pub fn tighten(&mut self) {
        self.queue.tighten();
    }

    /// The latest episode was spurious: nothing is lost.
    pub fn undo(&mut self) {
        self.recovery.undo(&mut self.queue);
    }

    /// Another signal came since the latest episode: what arrives does not undo it.
    pub fn keep_episode(&mut self) {
        self.recovery.keep_episode();
    }

    /// The recovery's latest episode, which is undone, was for nothing.
    pub fn forget_episode(&mut self) {
        self.recovery.forget_episode();
    }

    /// Releases memory: everything is acknowledged, and the next transfer may be far off, unless the connection `stays_open`: then
    /// the memory of a few segments is kept.
    pub fn release(&mut self, stays_open: bool) {
        if !stays_open || !self.queue.is_small() {
            self.queue.release();
        }
    }

    /// Data of a SYN is acknowledged: the first segment will begin at `una`.
    pub fn begin_at(&mut self, una: u64) {
        self.queue.begin_at(una);
    }

    /// Ends the connection, of which nothing remains; `next` is the next sequence number.
    pub fn end(&mut self, next: u64, mss: u16) {
        self.queue = RetransmissionQueue::new(next, mss);
        self.recovery = RecoveryState::new(self.recovery.recovery());
    }

    // Sending.

    /// Notes that new data up to `end` is sent.
    #[inline]
    pub fn push(&mut self, end: u64, record: &TxRecord) {
        self.queue.push(end, record);
    }

    /// Notes that a segment is sent, with or without data, and perhaps `again`.
    pub fn on_sent(&mut self, is_data: bool, again: bool) {
        self.retransmissions += u64::from(is_data && again);
        if let Some(reduction) = self.recovery.reduction() {
            reduction.on_sent();
        }
    }

    /// The number of segments that may be sent in fast recovery, if the recovery counts them itself.
    #[inline]
    pub fn budget(&mut self) -> Option<u32> {
        self.recovery.reduction().map(|reduction| reduction.budget())
    }

    /// As [`budget`](Self::budget), for what only looks.
    pub fn budget_of_reduction(&self) -> Option<u32> {
        self.recovery.clone().reduction().map(|reduction| reduction.budget())
    }

    /// Data segments sent again so far.
    pub fn retransmissions(&self) -> u64 {
        self.retransmissions
    }

    /// Notes that data of a SYN is sent again.
    pub fn note_syn_data_again(&mut self) {
        self.retransmissions += 1;
    }

    /// True if a retransmission is due whatever the window allows. True only once.
    pub fn take_forced(&mut self) -> bool {
        let forced = self.recovery.is_forced();
        self.recovery.set_forced(false);
        forced
    }

    /// It is due still.
    pub fn keep_forced(&mut self) {
        self.recovery.set_forced(true);
    }

    /// Sends the first lost segment again. Returns its bounds.
    pub fn resend_lost(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        self.queue.resend_lost(record)
    }

    /// Sends a segment again that is merely unacknowledged. Returns its bounds.
    pub fn resend_unacknowledged(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        let (rules, progress) = self.recovery.rules();
        rules.resend_unacknowledged(progress, &mut self.queue, record)
    }

    // Loss probes.

    /// True if a loss probe is sent now, whatever the window allows. True only once.
    pub fn take_probe(&mut self) -> bool {
        self.recovery.probes().is_some_and(|(probes, _)| probes.take_probe())
    }

    /// Sends the last segment again, as a loss probe. Returns its bounds.
    pub fn resend_tail(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        self.queue.resend_tail(record)
    }

    /// Sends the first segment again, as the probe of a timeout. Returns its bounds.
    pub fn resend_head(&mut self, record: &TxRecord) -> Option<(u64, u64)> {
        self.queue.resend_head(record)
    }

    /// Notes that a loss probe was sent, of new data or `again`; `next` follows it.
    pub fn on_probe_sent(&mut self, next: u64, again: bool, rtt_samples: u64) {
        if let Some((probes, _)) = self.recovery.probes() {
            probes.on_probe_sent(next, again, rtt_samples);
        }
    }

    /// Notes that a probe was sent: the retransmission timer comes next.
    pub fn cancel_probe(&mut self) {
        if let Some((probes, _)) = self.recovery.probes() {
            probes.cancel_probe();
        }
    }

    /// Ends the probes of this timeout, since there is nothing more to carry.
    pub fn end_probes(&mut self) {
        if let Some((probes, _)) = self.recovery.probes() {
            probes.end_probes();
        }
    }

    /// True if an acknowledgment shows that a probe has repaired a loss.
    #[inline]
    pub fn is_repaired_by_probe(&mut self, answer: &ProbeAnswer) -> bool {
        self.recovery.is_repaired_by_probe(answer)
    }

    /// Schedules the next probe later.
    #[inline]
    pub fn schedule_probe(&mut self, conditions: &ProbeConditions<'_>) {
        self.recovery.schedule(conditions, &self.queue);
    }

    /// Notes that the segment that ends at `end` is sent now, if its time matters. `measured` is true if a
    /// round-trip time is known.
    pub fn on_transmission(&mut self, now: Time, end: u64, measured: bool) {
        if let Some((probes, _)) = self.recovery.probes() {
            probes.on_transmission((now, end), measured);
        }
    }
}
