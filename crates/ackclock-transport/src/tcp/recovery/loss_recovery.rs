//! The traits of loss recoveries: one that all implement, and one for those that also send loss probes.
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

    /// True if an acknowledgment of new data, outside fast recovery and with nothing selectively acknowledged, only
    /// resets the count of duplicates.
    fn is_at_rest(&self) -> bool;

    /// The account of the segments that it releases in fast recovery; `None` if the window alone decides.
    fn reduction(&mut self) -> Option<&mut Reduction>;

    /// True if room in the window may be used to send segments again that are merely unacknowledged (RFC 6675,
    /// `NextSeg` rules 3 and 4).
    fn resends_unacknowledged(&self) -> bool;

    /// The bounds of a segment sent again by these rules.
    fn resend_unacknowledged(
        &mut self,
        progress: &Progress,
        queue: &mut RetransmissionQueue,
        record: &TxRecord,
    ) -> Option<(u64, u64)>;
}

/// A recovery by the times of sending, with a timer of its own. The timer finds losses that no acknowledgment will
/// show, and sends probes when nothing comes back. Its [`Needs`](super::Needs) include `send_times`.
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

    /// Takes an acknowledgment of new data while at rest: no segment was sent again since. `newest` is the latest-sent
    /// segment that it covers, and the latest-sent of all delivered segments.
    fn on_predicted(&mut self, now: Time, newest: SentKey);

    /// Notes that a segment with this key is sent now, new or again; `measured` is true if a round-trip time is known.
    /// Called only if its timer replaces the retransmission timer.
    fn on_transmission(&mut self, key: SentKey, measured: bool);

    /// Schedules the next probe later, since new data was sent or acknowledged.
    fn schedule(
        &mut self,
        conditions: &ProbeConditions<'_>,
        progress: &Progress,
        queue: &RetransmissionQueue,
    );

    /// True if a probe is sent now, whatever the window allows; asked once.
    fn take_probe(&mut self) -> bool;

    /// Notes that a probe was sent, of new data or `again`; `next` follows it.
    fn on_probe_sent(&mut self, next: u64, again: bool, rtt_samples: u64);

    /// Notes that a probe has left: the retransmission timer comes next, if there is one.
    fn cancel_probe(&mut self);

    /// Ends the probes of this timeout, since there is nothing more to carry.
    fn end_probes(&mut self);

    /// True if an acknowledgment shows that a probe has repaired a loss. That is a signal of congestion.
    fn is_repaired_by_probe(&mut self, answer: &ProbeAnswer) -> bool;
}
