//! The traits of a loss recovery: `LossRecovery`, which every one has, and `Probes`, for those that find
//! losses by the times of sending.
//!
//! No method has a default: a recovery that leaves one out would be another recovery.

use ackclock_units::Time;

use super::super::mechanism::retransmission_queue::{RetransmissionQueue, SentKey};
use super::event::{AckEvent, Expiry, ProbeAnswer, ProbeConditions, Reaction};
use super::progress::Progress;
use super::reduction::Reduction;
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
    fn on_timeout(&mut self, event: &AckEvent<'_>, progress: &mut Progress, queue: &mut RetransmissionQueue);

    /// True if an acknowledgment of new data, outside fast recovery and with nothing selectively acknowledged, only ends
    /// the count of duplicates.
    fn is_at_rest(&self) -> bool;

    /// The account of the segments that it lets go in fast recovery; none if the window alone decides.
    fn reduction(&mut self) -> Option<&mut Reduction>;

    /// True if room in the window may be used to send again what is merely unacknowledged (RFC 6675, `NextSeg` rules 3
    /// and 4).
    fn resends_unacknowledged(&self) -> bool;

    /// The bounds of a segment that is sent again by those rules.
    fn resend_unacknowledged(
        &mut self,
        progress: &Progress,
        queue: &mut RetransmissionQueue,
        record: &TxRecord,
    ) -> Option<(u64, u64)>;
}

/// A recovery by the times of sending, with a timer of its own: for losses that no acknowledgment will show,
/// and for probes when nothing comes back. Its [`Needs`](super::Needs) say `send_times`.
pub(crate) trait Probes {
    /// The deadline of its timer; [`Time::MAX`] while it is off.
    fn deadline(&self) -> Time;

    /// Its timer expired.
    fn on_timer(
        &mut self,
        event: &AckEvent<'_>,
        progress: &mut Progress,
        queue: &mut RetransmissionQueue,
    ) -> Expiry;

    /// Takes an acknowledgment of new data while at rest: no segment was sent again since, and `newest` is the latest-sent
    /// of those it covers, and of all that were delivered.
    fn on_predicted(&mut self, now: Time, newest: SentKey);

    /// A segment that ends there is sent now, new or again; `measured`: a round-trip time is known. Asked of those whose timer takes
    /// the place of the retransmission timer.
    fn on_transmission(&mut self, key: SentKey, measured: bool);

    /// New data was sent or something new was acknowledged: the next probe is due later.
    fn schedule(
        &mut self,
        conditions: &ProbeConditions<'_>,
        progress: &Progress,
        queue: &RetransmissionQueue,
    );

    /// True if a probe is sent now, whatever the window allows; asked once.
    fn take_probe(&mut self) -> bool;

    /// A probe was sent, of new data or `again`; `next` follows it.
    fn on_probe_sent(&mut self, next: u64, again: bool, rtt_samples: u64);

    /// A probe has left: the retransmission timer comes next, where there is one.
    fn cancel_probe(&mut self);

    /// There is nothing more that a probe of this timeout could carry.
    fn end_probes(&mut self);

    /// True if an acknowledgment shows that a probe has repaired a loss, which is a signal of congestion.
    fn is_repaired_by_probe(&mut self, answer: &ProbeAnswer) -> bool;
}
