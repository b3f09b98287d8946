//! The state of a receiver for mechanisms that few receivers use.

use ackclock_units::Time;

use super::super::mechanism::accurate_ecn::OfHandshake;
use super::super::mechanism::byte_counters::BytesReceived;
use super::super::mechanism::quick_acks::QuickAcks;
use super::super::mechanism::receive_buffer::ReceiveBuffer;
use super::super::mechanism::rledbat::ReceiverControl;
use super::super::mechanism::transactions::ConnectionCount;
use super::super::settings::Settings;
use super::misbehaviour::Misbehaviour;

/// The state of mechanisms that few receivers use.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    /// Data that arrived again, to be reported once (RFC 2883).
    pub duplicate: Option<(u64, u64)>,
    /// Bytes that were acknowledged as in order and have not arrived.
    pub concealed: u64,
    /// Bytes that arrived and were given up with a connection that was reset.
    pub given_up: u64,
    /// When new data arrived last, once the sender has given the connection up; time zero before there was any.
    pub arrived_at: Option<Time>,
    pub misbehaviour: Misbehaviour,
    pub buffer: Option<ReceiveBuffer>,
    /// The acknowledgment to send first, with the echo as it was before the latest packet.
    pub unechoed: Option<u64>,
    /// The sum of the changes of the throughput that routers granted, since the last reply.
    pub granted: Option<f32>,
    /// The sequence number of a reset that answers a segment after the end.
    pub reset_at: u64,
    /// The ECN of the handshake, if acknowledgments are accurate about marks (RFC 9768, 3.1).
    pub handshake: OfHandshake,
    /// Bytes by codepoint, if acknowledgments count them (RFC 9768, 3.2.3).
    pub bytes: Option<BytesReceived>,
    /// The connection count of the client, if the connection is a transaction (RFC 1644).
    pub transaction: Option<ConnectionCount>,
    /// True if segments of a slow start are acknowledged at once.
    pub sees_slow_start: bool,
    pub quick: Option<QuickAcks>,
    /// The control of the window; with it there is a buffer, too.
    pub control: Option<Box<ReceiverControl>>,
}

impl Options {
    /// None if the settings use none of these mechanisms.
    pub fn of(settings: &Settings, sack: bool) -> Option<Box<Options>> {
        let misbehaviour = Misbehaviour::of(settings);
        let buffer = ReceiveBuffer::of(settings);
        let bytes = BytesReceived::of(settings);
        let sees_slow_start = settings.delay_acks_after_slow_start;
        let quick = QuickAcks::of(settings);
        let control = ReceiverControl::of(settings).map(Box::new);
        let has_any = (settings.dsack && sack)
            || misbehaviour != Misbehaviour::default()
            || buffer.is_some()
            || bytes.is_some()
            || sees_slow_start
            || quick.is_some();
        let options =
            Options { misbehaviour, buffer, bytes, sees_slow_start, quick, control, ..Options::default() };
        has_any.then(|| Box::new(options))
    }

    /// True if there is nothing to report except that all data has arrived.
    pub fn is_plain(&self) -> bool {
        let is_usual = self.buffer.is_none() && !self.sees_slow_start && self.quick.is_none();
        is_usual
            && self.arrived_at.is_none()
            && self.duplicate.is_none()
            && self.unechoed.is_none()
            && self.misbehaviour == Misbehaviour::default()
    }
}
