//! The trait of a loss recovery.

use ackclock_units::Time;

use super::super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};
use super::event::{AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction, WindowEvent};
use super::progress::Progress;
use crate::facts::TxRecord;

/// A way to recover from loss: it decides which segments were lost. `progress` is the state that all recoveries share.
pub(crate) trait LossRecovery {
    /// Takes an acknowledgment.
    fn on_ack(
        &mut self,
        ack: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Reaction;

    /// The retransmission timer expired.
    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue) {
        progress.restart(event.next, queue);
    }

    /// True if an acknowledgment of new data, outside fast recovery and with nothing selectively acknowledged, only ends
    /// the count of duplicates.
    fn is_at_rest(&self) -> bool {
        true
    }

    /// Takes an acknowledgment of new data while at rest: no segment was sent again since, and `newest` is the latest-sent
    /// of those it covers, and of all that were delivered.
    fn on_predicted(&mut self, _now: Time, _newest: SentKey) {}

    /// The deadline of its own timer; [`Time::MAX`] while it is off.
    fn deadline(&self) -> Time {
        Time::MAX
    }

    /// Its own timer expired.
    fn on_timer(&mut self, _: &AckEvent<'_>, _: &mut Progress, _: &mut RetransmissionQueue) -> Expiry {
        Expiry::Losses(Reaction::None)
    }

    /// Segments that it releases in fast recovery; none if only the window decides.
    fn budget(&self) -> Option<u32> {
        None
    }

    /// The controller has chosen the window in fast recovery: the budget follows it.
    fn on_window(&mut self, _: &WindowEvent, _: &RetransmissionQueue) {}

    /// A segment is sent in fast recovery, new or again.
    fn on_sent_in_recovery(&mut self) {}

    /// A segment that ends there is sent now, new or again; `measured`: a round-trip time is known. For a recovery with timeouts
    /// of its own.
    fn on_transmission(&mut self, _key: SentKey, _measured: bool) {}

    /// True if room in the window may be used to send again what is merely unacknowledged (RFC 6675, `NextSeg` rules 3
    /// and 4).
    fn resends_unacknowledged(&self) -> bool {
        false
    }

    /// The bounds of a segment that is sent again by those rules.
    fn resend_unacknowledged(
        &mut self,
        _: &Progress,
        _: &mut RetransmissionQueue,
        _: &TxRecord,
    ) -> Option<(u64, u64)> {
        None
    }

    /// True if a loss probe is sent now, whatever the window allows; asked once.
    fn take_probe(&mut self) -> bool {
        false
    }

    /// There is nothing more that a probe of this timeout could carry.
    fn end_probes(&mut self) {}

    /// A loss probe was sent, of new data or `again`; `next` follows it.
    fn on_probe_sent(&mut self, _next: u64, _again: bool, _rtt_samples: u64) {}

    /// True if an acknowledgment shows that a probe has repaired a loss, which is a signal of congestion.
    fn is_repaired_by_probe(&mut self, _: &ProbeAnswer) -> bool {
        false
    }

    /// New data was sent or something new was acknowledged: the next probe is due later.
    fn schedule_probe(&mut self, _: &ProbeConditions<'_>, _: &Progress, _: &RetransmissionQueue) {}

    /// New data was sent or something new was acknowledged: its own timeout is due later.
    fn schedule_timeout(&mut self, _: &AckEvent<'_>, _: &RetransmissionQueue) {}

    /// A probe was sent: the retransmission timer comes next.
    fn cancel_probe(&mut self) {}
}
