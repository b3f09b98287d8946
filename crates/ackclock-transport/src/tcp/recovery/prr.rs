//! Proportional Rate Reduction (RFC 6937) of the sending during fast recovery. Losses are found as in RFC 6675
//! (`sack.rs`). With the window alone, half a round trip of silence would follow, or a burst after many losses.
//! Here each acknowledgment releases a share of the segments that it delivers, so that the flight approaches
//! the window chosen by the controller.

use ackclock_catalogue::Entry;

use super::super::mechanism::retransmission_queue::RetransmissionQueue;
use super::entry::{Needs, RecoveryEntry};
use super::event::{AckEvent, Reaction};
use super::loss_recovery::LossRecovery;
use super::progress::Progress;
use super::reduction::Reduction;
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
#[derive(Clone, Debug)]
pub(super) struct Prr<const CONSERVATIVE: bool> {
    sack: Sack,
    reduction: Reduction,
}

impl<const CONSERVATIVE: bool> Default for Prr<CONSERVATIVE> {
    fn default() -> Prr<CONSERVATIVE> {
        Prr { sack: Sack::default(), reduction: Reduction::new(CONSERVATIVE) }
    }
}

impl<const CONSERVATIVE: bool> LossRecovery for Prr<CONSERVATIVE> {
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction {
        self.reduction.follow(ack.settings.proportional_rate);
        self.sack.on_ack(ack, progress, queue)
    }

    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue) {
        self.sack.on_timeout(event, progress, queue);
    }

    fn is_at_rest(&self) -> bool {
        self.sack.is_at_rest()
    }

    fn reduction(&mut self) -> Option<&mut Reduction> {
        Some(&mut self.reduction)
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
