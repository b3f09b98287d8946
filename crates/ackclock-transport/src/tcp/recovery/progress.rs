//! The state that all recoveries share: the phase of the sender, and its counts of duplicate acknowledgments.

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::super::settings::FastRetransmitBeyond;
use super::event::AckEvent;

/// The phase of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No loss is known.
    Open,
    /// Fast recovery.
    Fast,
    /// Lost segments are retransmitted in slow start, after a timeout (or any loss under Tahoe).
    Restart,
}

/// The progress of loss recovery.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub(super) phase: Phase,
    /// True if a retransmission is due whatever the window allows.
    pub(super) force_resend: bool,
    /// Duplicate ACKs in a row.
    pub(super) duplicates: u32,
    /// Segments that have left the network by the evidence of duplicate ACKs (the "inflation" of RFC 5681). Below zero,
    /// more have been acknowledged in NewReno's recovery than duplicates were counted.
    pub(super) inflation: i32,
    /// The next sequence number when the last episode began (RFC 6582's `recover`, RFC 6675's `RecoveryPoint`).
    pub(super) recover: u64,
    /// The next sequence number when the last restart began.
    pub(super) restarted_at: u64,
    /// A mark has reduced the window, and a proportional reduction brings it down until more than this is acknowledged; zero otherwise.
    pub(super) marked_until: u64,
}

impl Progress {
    pub(super) fn new() -> Progress {
        Progress {
            phase: Phase::Open,
            force_resend: false,
            duplicates: 0,
            inflation: 0,
            recover: 0,
            restarted_at: 0,
            marked_until: 0,
        }
    }

    /// Begins fast recovery: a retransmission is sent at once.
    pub(super) fn enter_fast(&mut self, next: u64) {
        self.phase = Phase::Fast;
        self.recover = next;
        self.marked_until = 0;
        self.force_resend = true;
    }

    /// The timer expired, or Tahoe lost a packet: everything outstanding is presumed lost.
    pub(super) fn restart(&mut self, next: u64, queue: &mut RetransmissionQueue) {
        queue.declare_all_lost();
        self.begin_restart(next);
    }

    pub(super) fn begin_restart(&mut self, next: u64) {
        self.phase = Phase::Restart;
        self.marked_until = 0;
        self.recover = next;
        self.restarted_at = next;
        self.duplicates = 0;
        self.inflation = 0;
        self.force_resend = true;
    }

    /// Takes an acknowledgment without SACK (RFC 5681, 3.2). An acknowledgment of new data ends fast recovery. Returns
    /// true for the duplicate that means a loss.
    pub(super) fn take(&mut self, ack: &AckEvent<'_>, queue: &RetransmissionQueue) -> bool {
        if ack.advanced {
            if self.phase == Phase::Fast {
                self.phase = Phase::Open;
            }
            self.advance(queue.una());
        } else if ack.duplicate {
            self.count_duplicate(queue);
            return self.is_loss(ack, queue);
        }
        false
    }

    /// Takes an acknowledgment of new data outside fast recovery: the count of duplicates restarts, and a restart may
    /// be complete.
    fn advance(&mut self, una: u64) {
        self.duplicates = 0;
        self.inflation = 0;
        if una >= self.recover {
            self.phase = Phase::Open;
        }
    }

    /// True if this is the duplicate ACK that means a loss, without SACK. Segments that a restart sends again
    /// needlessly cause duplicates, too. These may still arrive when everything that the restart covers is
    /// acknowledged, so more than that must be acknowledged (RFC 6582, section 4), unless the setting differs.
    fn is_loss(&self, ack: &AckEvent<'_>, queue: &RetransmissionQueue) -> bool {
        let is_beyond = match ack.settings.fast_retransmit_beyond {
            FastRetransmitBeyond::Nothing => self.phase != Phase::Fast,
            FastRetransmitBeyond::Restart => self.phase == Phase::Open && queue.una() > self.restarted_at,
            FastRetransmitBeyond::Recover => self.phase == Phase::Open && queue.una() > self.recover,
        };
        let usual = ack.settings.duplicate_threshold;
        // The threshold may fall when the last new data is sent (early retransmit).
        let is_early = ack.duplicate_threshold < usual && self.duplicates >= ack.duplicate_threshold;
        is_beyond && (self.duplicates == usual || is_early)
    }

    /// Counts a duplicate ACK: one more segment has left the network, at most as many as are in it. After a restart it
    /// is unknown which copy left.
    fn count_duplicate(&mut self, queue: &RetransmissionQueue) {
        self.duplicates += 1;
        if self.phase != Phase::Restart {
            self.inflation = (self.inflation + 1).min(queue.pipe().cast_signed());
        }
    }
}
