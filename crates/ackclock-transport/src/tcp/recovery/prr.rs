//! Proportional Rate Reduction (RFC 6937) of the sending during fast recovery. Losses are found as RFC 6675 does
//! (`sack.rs`). The window alone would cause half a round trip of silence, and a burst after a burst of losses;
//! here each acknowledgment releases a share of the segments it delivers, so that the flight approaches the
//! window that the controller has chosen.

use ackclock_catalogue::Entry;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction, WindowEvent};
use super::loss_recovery::LossRecovery;
use super::progress::Progress;
use super::sack::Sack;
use crate::facts::TxRecord;

pub(super) const ENTRY: RecoveryEntry = RecoveryEntry {
    entry: Entry {
        kind: "recovery",
        name: "prr",
        title: "SACK's, with proportional rate reduction (PRR-SSRB)",
        source: "RFC 6937, RFC 6675",
        ..Entry::PLAIN
    },
    needs: Needs { sees_sent: true, ..Needs::SACK },
};

pub(super) const ENTRY_CRB: RecoveryEntry = RecoveryEntry {
    entry: Entry {
        kind: "recovery",
        name: "prr-crb",
        title: "SACK's, with proportional rate reduction and the conservative bound (PRR-CRB)",
        ..ENTRY.entry
    },
    ..ENTRY
};

/// PRR-SSRB: below the target, one segment more than was delivered is sent, as in slow start (RFC 6937, section 3).
pub(super) type SlowStartBound = Prr<false>;

/// PRR-CRB: below the target, no more than was delivered is sent, which conserves packets strictly.
pub(super) type ConservativeBound = Prr<true>;

/// RFC 6675's recovery with proportional rate reduction.
#[derive(Clone, Debug, Default)]
pub(super) struct Prr<const CONSERVATIVE: bool> {
    sack: Sack,
    reduction: Reduction,
}

impl<const CONSERVATIVE: bool> LossRecovery for Prr<CONSERVATIVE> {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        self.sack.on_ack(ack, progress, queue)
    }

    fn budget(&self) -> Option<u32> {
        Some(self.reduction.budget())
    }

    fn on_window(&mut self, event: &WindowEvent, queue: &RetransmissionQueue) {
        self.reduction.on_window(event, queue, CONSERVATIVE);
    }

    fn on_sent_in_recovery(&mut self) {
        self.reduction.on_sent();
    }

    fn resends_unacknowledged(&self) -> bool {
        self.sack.resends_unacknowledged()
    }

    fn resend_unacknowledged(
        &mut self,
        progress: &Progress,
        queue: &mut RetransmissionQueue,
        record: &TxRecord,
    ) -> Option<(u64, u64)> {
        self.sack.resend_unacknowledged(progress, queue, record)
    }
}

/// The account of one recovery, in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reduction {
    /// Delivered during recovery (`prr_delivered`).
    delivered: u32,
    /// Sent during recovery (`prr_out`).
    out: u32,
    /// Outstanding when recovery began (`RecoverFS`).
    flight: u32,
    /// The segments that may still be sent (`sndcnt`).
    may_send: u32,
}

impl Reduction {
    /// The controller has chosen the window to arrive at (`ssthresh`), after an acknowledgment.
    pub fn on_window(&mut self, event: &WindowEvent, queue: &RetransmissionQueue, conservative: bool) {
        if event.begins {
            *self = Reduction { flight: queue.outstanding(), ..Reduction::default() };
        }
        self.on_ack(event.delivered, queue.pipe(), event.cwnd, conservative);
    }

    /// An acknowledgment delivered segments and leaves `pipe` in the network; recovery is to end with `target`.
    fn on_ack(&mut self, delivered: u32, pipe: u32, target: f64, conservative: bool) {
        self.delivered += delivered;
        let banked = i64::from(self.delivered) - i64::from(self.out);
        let may_send = if f64::from(pipe) > target {
            let share = f64::from(self.delivered) * target / f64::from(self.flight.max(1));
            share.ceil() as i64 - i64::from(self.out)
        } else {
            let bound = if conservative { banked } else { banked.max(i64::from(delivered)) + 1 };
            bound.min(target as i64 - i64::from(pipe))
        };
        self.may_send = u32::try_from(may_send).unwrap_or(0);
    }

    /// A segment is sent, new or again; the first retransmission goes out whatever the budget is.
    pub fn on_sent(&mut self) {
        self.out += 1;
        self.may_send = self.may_send.saturating_sub(1);
    }

    /// The segments that may be sent now.
    pub fn budget(&self) -> u32 {
        self.may_send
    }
}
