//! One end of a connection that carries data both ways: a sender and a receiver that share its segments (RFC 9293).
//!
//! Every segment acknowledges what has arrived. A segment with data carries the acknowledgment that is due now or after
//! the delay (RFC 9293, 3.8.6.3). Without data to send, the receiver acknowledges as on its own. Each way closes with a
//! FIN of its own.

use std::ops::Range;
use std::sync::Arc;

use ackclock_congestion::CongestionControl;
use ackclock_units::Time;

use super::info::TcpInfo;
use super::mechanism::fast_open::Cookie;
use super::receiver::Receiver;
use super::recovery::Recovery;
use super::sender::Sender;
use super::settings::Settings;
use crate::Transfer;
use crate::wire::{ByteCounters, CongestionHeader, Flags, Header, SackBlocks, Segment, Way};

/// One end of a TCP connection with data both ways. It is driven like a [`Sender`]: by [`on_segment`](Self::on_segment)
/// and [`on_timer`](Self::on_timer), then by [`poll_transmit`](Self::poll_transmit) until it has nothing to send, and
/// by [`next_wake`](Self::next_wake).
pub struct Connection {
    sender: Sender,
    receiver: Receiver,
    /// The direction of the segments it sends: the end that opens sends [`Way::ToReceiver`].
    way: Way,
    /// The sequence number of the other side's FIN.
    peer_fin: Option<u64>,
    /// Answers to a SYN, and when the latest was sent.
    answers: (u32, Time),
    /// An acknowledgment is due at once, whatever the state of the receiver.
    ack_due: bool,
}

impl Connection {
    /// The end that opens, at `transfer.start`. It stays open until [`close`](Self::close).
    pub fn opening(
        settings: &Arc<Settings>,
        recovery: Recovery,
        controller: Box<dyn CongestionControl>,
        transfer: Transfer,
    ) -> Connection {
        let mut sender = Sender::new(Arc::clone(settings), recovery, controller, transfer);
        sender.keep_open();
        // The sender answers the other side's SYN; the receiver only waits for data.
        let mut receiver = Receiver::new(without_handshake(settings), recovery.uses_sack());
        receiver.await_option();
        Connection {
            sender,
            receiver,
            way: Way::ToReceiver,
            peer_fin: None,
            answers: (0, Time::ZERO),
            ack_due: false,
        }
    }

    /// The end that waits for the other to open, and has nothing to send before [`write`](Self::write).
    pub fn listening(
        settings: &Arc<Settings>,
        recovery: Recovery,
        controller: Box<dyn CongestionControl>,
    ) -> Connection {
        let transfer = Transfer { start: Time::MAX, stop: Time::MAX, packets: Some(0) };
        // The receiver answers the SYN: the sender is established with it.
        let mut sender = Sender::new(without_handshake(settings), recovery, controller, transfer);
        sender.keep_open();
        let mut receiver = Receiver::new(Arc::clone(settings), recovery.uses_sack());
        receiver.await_option();
        Connection {
            sender,
            receiver,
            way: Way::ToSender,
            peer_fin: None,
            answers: (0, Time::ZERO),
            ack_due: false,
        }
    }

    /// The cookie that its host shares among the connections to its server.
    pub fn keep_cookie(&mut self, cookie: Cookie) {
        self.sender.keep_cookie(cookie);
    }

    /// Opens a connection whose transfer has no time of its own.
    pub fn open(&mut self, now: Time) {
        self.sender.open(now);
    }

    /// The application writes this many more packets.
    pub fn write(&mut self, now: Time, packets: u64) {
        self.sender.write(now, packets);
    }

    /// The application writes this many more bytes; the last segment may be short.
    pub fn write_bytes(&mut self, now: Time, bytes: u64) {
        self.sender.write_bytes(now, bytes);
    }

    /// The application writes nothing more: a FIN follows the last byte.
    pub fn close(&mut self, now: Time) {
        self.sender.close(now);
    }

    /// Takes a reset, or any segment after one. Returns true if it was such a segment.
    fn take_reset(&mut self, now: Time, header: &Header) -> bool {
        let was_reset = self.receiver.is_reset();
        let concerns = was_reset || header.flags.has(Flags::RST);
        if concerns {
            self.receiver.on_segment(now, header);
            if self.receiver.is_reset() && !was_reset {
                self.sender.end_by_reset(now);
            }
        }
        concerns
    }

    /// Takes a segment that arrived, with its selective acknowledgments.
    pub fn on_segment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        if self.take_reset(now, header) {
            return;
        }
        if header.flags.has(Flags::SYN.with(Flags::ACK)) {
            self.take_syn_ack(now, header, sack);
            return;
        }
        if header.flags.has(Flags::SYN) {
            self.sender.begin_window(header.window);
            self.receiver.on_segment(now, header);
            // RFC 7413, 4.2.2: data in the SYN may be answered before the handshake is complete.
            let has_data = self.receiver.is_half_open() && self.receiver.expected() > 1;
            if has_data && self.sender.established_at().is_none() {
                self.accept(now, None);
            }
            return;
        }
        if self.way == Way::ToReceiver && self.sender.established_at().is_none() {
            // In SYN-SENT only a SYN is accepted (RFC 9293, 3.10.7.3).
            return;
        }
        if header.acknowledgment > self.sender.next_sequence() {
            // It acknowledges what was not sent. RFC 9293, 3.10.7.4, answers it; Linux (`tcp_ack`) does not.
            self.sender.discard_byte_counters();
            return;
        }
        self.take_data(now, header);
        if self.receiver.is_established()
            && self.sender.established_at().is_none()
            && self.way == Way::ToSender
        {
            let is_pure = header.length == 0 && !header.flags.has(Flags::FIN) && sack.is_empty();
            self.accept(now, is_pure.then(|| header.ace()));
        }
        self.take_acknowledgment(now, header, sack);
    }

    /// Takes the answer to its SYN.
    fn take_syn_ack(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        self.sender.on_segment(now, header, sack);
        if self.sender.established_at().is_none() {
            return;
        }
        if !self.sender.has_ecn() {
            self.receiver.mute();
        }
        self.receiver.on_syn_ack(header);
    }

    /// The handshake of a listening end is complete as far as its sender goes. The answer to a SYN that was sent once measures a round
    /// trip (RFC 6298, 3, by Karn's rule). An acknowledgment without data may say by its field ACE how the answer arrived.
    fn accept(&mut self, now: Time, ace: Option<u8>) {
        let round_trip = (self.answers.0 == 1).then(|| now.since(self.answers.1));
        self.sender.accept(now, round_trip);
        let (agreed, permitted) = (self.receiver.has_ecn(), self.receiver.permits_ecn());
        self.sender.take_handshake(agreed, permitted, ace);
    }

    fn take_data(&mut self, now: Time, header: &Header) {
        if header.flags.has(Flags::FIN) {
            self.peer_fin = Some(header.sequence + u64::from(header.length));
            self.ack_due = true;
        }
        let expected = self.receiver.expected();
        if header.length > 0 {
            self.receiver.note_timeout(|| self.sender.timeout());
        }
        self.receiver.on_segment(now, &Header { flags: header.flags.without(Flags::FIN), ..*header });
        // The data missing before the FIN has arrived.
        self.ack_due |= self.receiver.expected() > expected && self.has_received_all();
    }

    /// RFC 5681, section 2: an acknowledgment that comes with data is no duplicate. If it acknowledges nothing new, it
    /// does not concern the sender, unless it has selective information (RFC 6675, section 2).
    fn take_acknowledgment(&mut self, now: Time, header: &Header, sack: &SackBlocks) {
        let has_data = header.length > 0 || header.flags.has(Flags::FIN);
        if has_data && header.acknowledgment <= self.sender.unacknowledged() && sack.is_empty() {
            self.sender.take_window(header);
            self.sender.discard_byte_counters();
            return;
        }
        let flags = header.flags.without(Flags::FIN);
        let header = Header { length: 0, flags, ..*header };
        if self.sender.has_feedback() {
            self.sender.on_any_segment(now, &header, sack);
        } else {
            self.sender.on_segment(now, &header, sack);
        }
    }

    /// The next segment to send.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Segment> {
        let answers_syn = self.receiver.is_half_open() && self.receiver.has_reply();
        if !answers_syn && let Some(transmission) = self.sender.poll_transmit(now) {
            let header = *transmission;
            if header.flags.has(Flags::RST) {
                self.receiver.end_by_reset(now);
                return Some(Segment::from(Header { way: self.way_of(&header), ..header }));
            }
            let mut segment = Segment::from(Header { way: self.way_of(&header), ..header });
            if header.flags.has(Flags::SYN) {
                segment.window = self.receiver.window(now, self.receiver.expected());
                return Some(segment);
            }
            return Some(self.piggyback(now, segment));
        }
        let reply = if std::mem::take(&mut self.ack_due) {
            self.receiver.reply(now)
        } else {
            self.receiver.poll_transmit(now)?.into()
        };
        if reply.flags.has(Flags::SYN) {
            self.answers = (self.answers.0 + 1, now);
        }
        let sequence = match reply.flags {
            flags if flags.has(Flags::SYN) => 0,
            flags if flags.has(Flags::RST) => reply.sequence,
            _ => self.sender.next_sequence(),
        };
        let acknowledgment = self.acknowledgment(reply.acknowledgment);
        let way = self.way_of(&reply.header);
        let mut header = Header { sequence, acknowledgment, way, ..reply.header };
        if !self.sender.permits_ecn() && !header.flags.has(Flags::SYN) {
            header.flags = header.flags.without(Flags::ECT);
        }
        Some(Segment { header, sack: reply.sack })
    }

    /// Adds the acknowledgment of all data that has arrived to a segment of the sender.
    fn piggyback(&mut self, now: Time, segment: Segment) -> Segment {
        self.ack_due = false;
        let reply = if self.receiver.is_half_open() {
            self.receiver.reply_while_half_open(now)
        } else {
            self.receiver.reply(now)
        };
        let mut header = segment.header;
        if header.length > 0 {
            self.receiver.note_sent_data(now);
        }
        header.acknowledgment = self.acknowledgment(reply.acknowledgment);
        // The sender alone decides whether its segments are ECN-capable.
        header.flags = header.flags.with(reply.flags.without(Flags::ECT));
        header.way = self.way_of(&reply.header);
        let is_pure = header.length == 0 && !header.flags.has(Flags::FIN) && reply.sack.is_empty();
        if let Some(ace) = self.receiver.take_handshake_ace().filter(|_| is_pure) {
            header = header.with_ace(ace);
            header.way = self.way_of(&header);
        }
        header.window = reply.window;
        if reply.timestamps.echo > 0 {
            header.timestamps.echo = reply.timestamps.echo;
        }
        Segment { header, sack: reply.sack }
    }

    /// The direction of this end's segments, with the flag AE of a header made by its sender or receiver.
    fn way_of(&self, header: &Header) -> Way {
        self.way.with_ae(header.way.has_ae())
    }

    /// The acknowledgment to send if the receiver expects `next`. The FIN takes a sequence number that the receiver
    /// does not see.
    fn acknowledgment(&self, next: u64) -> u64 {
        next + u64::from(self.peer_fin == Some(next))
    }

    /// The `AccECN` option of the latest segment, if it has one.
    pub fn take_byte_counters(&mut self) -> Option<ByteCounters> {
        self.receiver.take_byte_counters()
    }

    /// Keeps the byte counters of the segment that is taken next.
    pub fn keep_byte_counters(&mut self, counters: &ByteCounters) {
        self.receiver.note_option();
        self.sender.keep_byte_counters(counters);
    }

    /// Sends the `AccECN` option no more.
    pub fn stop_byte_counters(&mut self) {
        self.receiver.stop_byte_counters();
    }

    /// The congestion header of a segment that is sent now.
    pub fn congestion_header(&mut self, is_data: bool) -> CongestionHeader {
        let reverse_feedback = self.receiver.reverse_feedback();
        CongestionHeader { reverse_feedback, ..self.sender.congestion_header(is_data) }
    }

    /// Takes the congestion header of a segment that arrives, before the segment itself; a full segment has this many bytes on the
    /// wire.
    pub fn on_congestion_header(&mut self, header: &CongestionHeader, size: f64) {
        self.receiver.take_granted(header.delta_throughput);
        self.sender.keep_feedback(header, size);
    }

    /// The deadline at which [`on_timer`](Self::on_timer) is to be called; [`Time::MAX`] for never.
    pub fn next_wake(&self) -> Time {
        self.sender.next_wake().min(self.receiver.next_wake())
    }

    /// Lets time pass: every timer that has expired by `now` takes effect.
    pub fn on_timer(&mut self, now: Time) {
        if now >= self.sender.next_wake() {
            self.sender.on_timer(now);
        }
        if now >= self.receiver.next_wake() {
            self.receiver.on_timer(now);
        }
    }

    /// The memory beyond the connection itself that a segment needs, to be prefetched.
    pub fn memory_beyond(&self) -> [Range<*const u8>; 4] {
        let [controller, first, last, _, _] = self.sender.memory_beyond(false);
        [controller, first, last, self.receiver.memory_beyond()]
    }

    /// True if all data of the other side and its FIN have arrived.
    pub fn has_received_all(&self) -> bool {
        self.peer_fin == Some(self.receiver.expected())
    }

    /// The steps of long walks that both halves have taken since the last call.
    pub fn take_walked(&mut self) -> u32 {
        self.sender.take_walked().saturating_add(self.receiver.take_walked())
    }

    /// The state of the half that sends, by the names of Linux.
    pub fn info(&self) -> TcpInfo {
        self.sender.info()
    }

    /// The half that sends.
    pub fn sender(&self) -> &Sender {
        &self.sender
    }

    /// The half that receives.
    pub fn receiver(&self) -> &Receiver {
        &self.receiver
    }
}

/// The settings of a half whose handshake is done by the other half.
fn without_handshake(settings: &Settings) -> Arc<Settings> {
    Arc::new(Settings { handshake: false, ..settings.clone() })
}
