//! Pacing of window-based controllers, as in Linux (`tcp_update_pacing_rate`) or RFC 9002: at a rate that the window gives.

use ackclock_congestion::Decision;
use ackclock_units::{PacketRate, Time};

use super::Sender;
use crate::tcp::settings::Pacing;

/// The rate in slow start, in windows per round-trip time: the window doubles within one.
const SLOW_START_GAIN: f64 = 2.0;

/// The rate afterwards: above one, so that the window limits the sender and not the rate.
const AVOIDANCE_GAIN: f64 = 1.2;

/// The rate of RFC 9002, 7.7, in all phases.
const RFC9002_GAIN: f64 = 1.25;

/// Segments that leave at once at the beginning of a connection, as Linux lets the first ten.
const UNPACED: u64 = 10;

impl Sender {
    /// The rate of departures under a decision: that of the controller, or the automatic one. None before the first
    /// round-trip time.
    pub(super) fn pacing_rate(&self, decision: &Decision) -> Option<PacketRate> {
        if !self.paces_itself {
            return decision.pacing_rate;
        }
        let srtt = self.rtt.srtt();
        if srtt.is_zero() {
            return None;
        }
        if self.settings.pacing == Pacing::Rfc9002 {
            return Some(PacketRate(RFC9002_GAIN * decision.cwnd / srtt.as_secs_f64()));
        }
        // Near the threshold slow start is about to end.
        let starts = decision.cwnd < self.controller.ssthresh() / 2.0;
        let gain = if starts { SLOW_START_GAIN } else { AVOIDANCE_GAIN };
        let window = decision.cwnd.max(f64::from(self.queue.outstanding()));
        Some(PacketRate(gain * window / srtt.as_secs_f64()))
    }

    /// A segment departs: the next is due an interval later.
    #[inline]
    pub(super) fn note_departure(&mut self, now: Time) {
        if self.pacer.is_pacing() && !self.is_unpaced() {
            self.pacer.on_sent(now);
        }
    }

    /// True if this is one of the first segments, after which the next need not wait.
    fn is_unpaced(&self) -> bool {
        self.paces_itself && self.counters.segments_sent < UNPACED
    }
}
