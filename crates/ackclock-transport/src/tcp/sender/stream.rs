//! The application's data, and the other side's room for it.

use ackclock_units::Time;

use crate::wire::{Flags, Header};

/// The first data byte: the SYN takes sequence number 0.
pub(super) const FIRST_BYTE: u64 = 1;

/// The part of a segment's header that differs from segment to segment.
pub(super) struct NextSegment {
    pub sequence: u64,
    pub length: u16,
    pub flags: Flags,
}

/// The sequence numbers of data that is sent, and of data that may be sent.
#[repr(C)]
pub(super) struct Stream {
    /// The next sequence number to send (SND.NXT).
    next: u64,
    /// The sequence number after the last byte that the application writes; `u64::MAX` while that is open.
    limit: u64,
    last_sent_at: Time,
    /// Segments with data sent, retransmissions included.
    segments_sent: u64,
    /// The receive window the other side advertised, in bytes.
    peer_window: u32,
    /// The latest timestamp of the other side.
    echo: u32,
}

impl Stream {
    /// Data up to `limit`, for a receiver with a window of `peer_window` bytes.
    pub fn new(limit: u64, peer_window: u32) -> Stream {
        Stream { next: FIRST_BYTE, limit, last_sent_at: Time::ZERO, segments_sent: 0, peer_window, echo: 0 }
    }

    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    #[inline]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    #[inline]
    pub fn last_sent_at(&self) -> Time {
        self.last_sent_at
    }

    #[inline]
    pub fn segments_sent(&self) -> u64 {
        self.segments_sent
    }

    #[inline]
    pub fn peer_window(&self) -> u32 {
        self.peer_window
    }

    #[inline]
    pub fn echo(&self) -> u32 {
        self.echo
    }

    /// The application writes more.
    pub fn write(&mut self, bytes: u64) {
        self.limit = self.limit.saturating_add(bytes);
    }

    /// The application writes nothing more. Returns true if that cuts off the transfer, before all or any of it was
    /// sent.
    pub fn stop(&mut self) -> bool {
        let has_size = self.limit < u64::MAX;
        let is_cut = self.next < self.limit && (has_size || self.next == FIRST_BYTE);
        self.limit = self.limit.min(self.next);
        is_cut
    }

    /// The sequence number after all data to send, and after the FIN if the stream `closes`.
    #[inline]
    pub fn end(&self, closes: bool) -> u64 {
        self.limit.saturating_add(u64::from(closes))
    }

    /// The end of a full segment of new data, if the application has more data and the receiver more room than that.
    #[inline]
    pub fn end_of_full(&self, mss: u16, una: u64) -> Option<u64> {
        let end = self.next + u64::from(mss);
        (end < self.limit && end <= una + u64::from(self.peer_window)).then_some(end)
    }

    /// The sequence number after the next segment of new data, of `most` bytes; none if the receive window has no room for it.
    #[inline]
    pub fn end_of_next(&self, most: u64, una: u64, closes: bool) -> Option<u64> {
        let payload = (self.limit - self.next).min(most);
        let room = (una + u64::from(self.peer_window)).saturating_sub(self.next);
        // The FIN goes with the last byte. It goes alone if the application closed later, or if the receive window, in
        // which it takes a place, has no room left.
        let is_last = closes && self.next + payload == self.limit;
        let fin = u64::from(is_last && payload < room);
        (payload <= room && payload + fin > 0).then(|| self.next + payload + fin)
    }

    /// Sends new data up to `end`. Returns its bounds.
    #[inline]
    pub fn advance(&mut self, end: u64) -> (u64, u64) {
        let start = std::mem::replace(&mut self.next, end);
        (start, end)
    }

    /// Notes that a segment is sent, with or without data.
    #[inline]
    pub fn on_sent(&mut self, now: Time, is_data: bool) {
        self.segments_sent += u64::from(is_data);
        self.last_sent_at = now;
    }

    /// Data goes with a SYN.
    pub fn on_sent_in_syn(&mut self) {
        self.segments_sent += 1;
    }

    /// The connection opens: the next segment is not the first after a silence.
    pub fn open(&mut self, now: Time) {
        self.last_sent_at = now;
    }

    /// Takes the receive window of an acknowledgment that is not below `una`. One of new data was sent later than those before, and
    /// counts whatever it says (RFC 9293, 3.10.7.4, by SND.WL2). Of two that acknowledge the same, the one with the further right edge
    /// was sent later, as receivers do not take a window back.
    #[inline]
    pub fn take_window(&mut self, header: &Header, una: u64) {
        let is_later = header.acknowledgment > una;
        if is_later || (header.acknowledgment == una && header.window >= self.peer_window) {
            self.peer_window = header.window;
        }
    }

    /// Sets the window from a SYN, or from an acknowledgment of new data.
    #[inline]
    pub fn set_window(&mut self, window: u32) {
        self.peer_window = window;
    }

    /// The timestamp that the next segment echoes.
    #[inline]
    pub fn set_echo(&mut self, timestamp: u32) {
        self.echo = timestamp;
    }
}
