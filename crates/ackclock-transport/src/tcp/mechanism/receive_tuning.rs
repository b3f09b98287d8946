//! Tuning of the receive buffer as in Linux (`tcp_rcv_space_adjust`), after Fisk and Feng, "Dynamic right-sizing in TCP" (2001):
//! a buffer holds twice what the application reads in a round trip, and more while that grows.

use ackclock_units::{Duration, Time};

use super::super::settings::Settings;
use super::super::timestamp;
use crate::wire::Header;

/// The segments of the initial window with which the first measurement is compared (`TCP_INIT_CWND`).
const INITIAL_SEGMENTS: u64 = 10;

/// The number of segments added to twice the measurement.
const CUSHION: u64 = 16;

/// The measurements of a receiver.
#[derive(Clone, Debug)]
pub(crate) struct ReceiveTuning {
    /// The largest buffer, in bytes.
    most: u64,
    mss: u64,
    timestamps: bool,
    /// The estimate of the round-trip time in eighths of nanoseconds; zero before the first (`rcv_rtt_est`).
    rtt: u64,
    /// The latest timestamp echoed to the receiver.
    echo: u32,
    /// The window being filled: the sequence number after it, and the time at which filling began.
    round: Option<(u64, Time)>,
    /// The bytes that the application read in the last measured round trip (`rcvq_space`).
    space: u64,
    /// The sequence number and the time at which the present measurement began.
    from: u64,
    since: Time,
}

impl ReceiveTuning {
    /// The tuning of a buffer that begins with this many bytes and grows up to `most`.
    pub fn new(most: u64, size: u64, settings: &Settings) -> ReceiveTuning {
        let mss = u64::from(settings.mss);
        ReceiveTuning {
            most,
            mss,
            timestamps: settings.timestamps,
            rtt: 0,
            echo: 0,
            round: None,
            space: size.min(INITIAL_SEGMENTS * mss),
            from: 1,
            since: Time::ZERO,
        }
    }

    /// Measures the round-trip time when data arrives: by the timestamp echoed (`tcp_rcv_rtt_measure_ts`), or as the
    /// time in which a window is filled (`tcp_rcv_rtt_measure`). `next` is expected after the data, and the latest
    /// advertised window has `window` bytes.
    pub fn measure_rtt(&mut self, now: Time, segment: &Header, next: u64, window: u64) {
        if self.timestamps {
            let echo = segment.timestamps.echo;
            if echo != self.echo && u64::from(segment.length) >= self.mss {
                let micros = timestamp(now).wrapping_sub(echo).max(1);
                self.take_rtt(Duration::from_micros(micros.into()), false);
            }
            self.echo = echo;
            return;
        }
        let (end, since) = *self.round.get_or_insert((next + window, now));
        if next >= end {
            self.take_rtt(now.since(since).max(Duration::from_nanos(1)), true);
            self.round = Some((next + window, now));
        }
    }

    /// Updates the estimate: the smallest round-trip time measured by windows, or the average of eight measured by
    /// timestamps (`tcp_rcv_rtt_update`).
    fn take_rtt(&mut self, rtt: Duration, by_window: bool) {
        let sample = rtt.as_nanos();
        if self.rtt == 0 || sample * 8 < self.rtt {
            self.rtt = sample * 8;
        } else if !by_window {
            self.rtt = self.rtt - self.rtt / 8 + sample;
        }
    }

    /// The smallest size that the buffer should have when the application has read up to `read`; zero for no change. It
    /// is computed once per round trip: twice the bytes read in it, plus sixteen segments, so that a loss does not
    /// close the window. If the bytes read grew since the last round trip, the size is raised by twice the relative
    /// growth, because the acknowledgment sent now takes effect in the round trip after the next.
    pub fn size(&mut self, now: Time, read: u64) -> u64 {
        if self.rtt == 0 || now.since(self.since).as_nanos() < self.rtt / 8 {
            return 0;
        }
        let copied = read - self.from;
        (self.from, self.since) = (read, now);
        if copied <= self.space {
            return 0;
        }
        let window = 2 * copied + CUSHION * self.mss;
        let growth = u128::from(window) * u128::from(copied - self.space) / u128::from(self.space);
        self.space = copied;
        let wanted = u128::from(window) + 2 * growth;
        u64::try_from(wanted).map_or(self.most, |bytes| bytes.min(self.most)) / self.mss * self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without timestamps each window that is filled is a measurement: the first takes 300 ms, the second 100 ms, and the smallest is
    /// kept.
    #[test]
    fn each_filled_window_measures_anew() {
        let settings = Settings { timestamps: false, ..Settings::default() };
        let mut tuning = ReceiveTuning::new(1_000_000, 10_000, &settings);
        let measured =
            [(0, 1), (150, 5001), (300, 10_001), (350, 15_001), (400, 20_001)].map(|(millis, next)| {
                let now = Time::ZERO + Duration::from_millis(millis);
                tuning.measure_rtt(now, &Header::default(), next, 10_000);
                tuning.rtt / 8 / 1_000_000
            });
        assert_eq!(measured, [0, 0, 300, 300, 100]);
    }
}
