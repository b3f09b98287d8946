//! The receive buffer (RFC 9293, 3.8.6): data waits in it until the application reads it, and the remaining room is the
//! window.

use ackclock_units::{Rate, Time};

use super::super::settings::Settings;
use super::receive_tuning::ReceiveTuning;
use crate::wire::Header;

/// The sequence number of the first byte of data.
const FIRST_BYTE: u64 = 1;

/// Bits times nanoseconds in a byte times a second.
const BIT_NANOS: u128 = 8_000_000_000;

/// A buffer, and the application that reads it. The sender sends whole segments, so room for a part of one does not
/// count. The window moves by whole segments, which avoids small ones (RFC 9293, 3.8.6.2.2).
#[derive(Clone, Debug)]
pub(crate) struct ReceiveBuffer {
    /// The rate at which the application reads; none if it reads at once.
    rate: Option<Rate>,
    mss: u64,
    /// The bytes for which there is room, in whole segments.
    size: u64,
    /// The right edge of the advertised window, which never moves back: the sequence number after its last (RCV.NXT +
    /// RCV.WND).
    edge: u64,
    /// The latest advertised window (RCV.WND), counted from the byte expected then.
    window: u64,
    /// How far the application had read when it began to read the data that is in the buffer now.
    read: u64,
    since: Time,
    tuning: Option<ReceiveTuning>,
}

impl ReceiveBuffer {
    /// None if the application reads at once, the size does not change and nothing else bounds the window: the settings then give
    /// it.
    pub fn of(settings: &Settings) -> Option<ReceiveBuffer> {
        let initial = settings.initial_receive_window;
        if settings.read_rate.is_none() && initial.is_none() && settings.receiver_control.is_none() {
            return None;
        }
        let mss = u64::from(settings.mss);
        let whole = |bytes: u32| (u64::from(bytes) / mss).max(1) * mss;
        let most = whole(settings.receive_window);
        let size = initial.map_or(most, whole).min(most);
        let window = size.min(whole(settings.first_window()));
        Some(ReceiveBuffer {
            rate: settings.read_rate,
            mss,
            size,
            edge: FIRST_BYTE + window,
            window,
            read: FIRST_BYTE,
            since: Time::ZERO,
            tuning: initial.map(|_| ReceiveTuning::new(most, size, settings)),
        })
    }

    /// True if a segment is acceptable when `next` is expected (RFC 9293, 3.10.7.4, table 6).
    pub fn accepts(&self, segment: &Header, next: u64) -> bool {
        let end = segment.end();
        if end == segment.sequence {
            return next <= segment.sequence && segment.sequence <= self.edge;
        }
        end <= self.edge
    }

    /// Takes data that arrives in order. `next` was expected before it, and `then` is expected after it.
    pub fn on_data(&mut self, now: Time, segment: &Header, next: u64, then: u64) {
        if self.read_by(now, next) == next {
            (self.read, self.since) = (next, now);
        }
        let read = self.read_by(now, then);
        if let Some(tuning) = &mut self.tuning {
            tuning.measure_rtt(now, segment, then, self.window);
            self.size = self.size.max(tuning.size(now, read));
        }
    }

    /// The right edge of the window that an acknowledgment of `next` advertises now. The window is the room for whole
    /// segments, of `most` bytes at most; its edge never moves back.
    pub fn advertise(&mut self, now: Time, next: u64, most: u64) -> u64 {
        let unread = next - self.read_by(now, next);
        let room = self.size.saturating_sub(unread).min(most) / self.mss * self.mss;
        self.edge = self.edge.max(next + room);
        self.window = self.edge.saturating_sub(next);
        self.edge
    }

    /// The time of a window update without data: when the application has read enough for the window to move by two
    /// segments or by half the buffer, as in 4.4BSD (`tcp_output`). [`Time::MAX`] if it has less than that to read, or the window is as
    /// large as `most` bytes permit.
    pub fn update_at(&self, now: Time, next: u64, most: u64) -> Time {
        let Some(rate) = self.rate else { return Time::MAX };
        let half = self.size / 2 / self.mss * self.mss;
        let step = half.clamp(self.mss, 2 * self.mss).min(most);
        let room = (self.edge.saturating_sub(next) + step).next_multiple_of(self.mss);
        let read = (next + room).saturating_sub(self.size);
        if read > next || room > most {
            return Time::MAX;
        }
        let bits = u128::from(read.saturating_sub(self.read)) * BIT_NANOS;
        let nanos = bits.div_ceil(u128::from(rate.bits_per_second()));
        let at = u128::from(self.since.as_nanos()) + nanos;
        u64::try_from(at).map_or(Time::MAX, |at| Time::from_nanos(at).max(now))
    }

    /// The sequence number after the last byte that the application has read by now, if `next` is expected.
    fn read_by(&self, now: Time, next: u64) -> u64 {
        let Some(rate) = self.rate else { return next };
        let nanos = u128::from(now.since(self.since).as_nanos());
        let bytes = nanos * u128::from(rate.bits_per_second()) / BIT_NANOS;
        next.min(self.read.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX)))
    }
}
