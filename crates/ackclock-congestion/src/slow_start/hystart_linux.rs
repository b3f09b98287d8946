//! `HyStart` as in Linux: slow start that ends by the delay of a round trip or the length of its train of acknowledgments.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};

use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{SlowStart, Window};

pub(crate) const ENTRY: Entry = Entry {
    kind: "slow start",
    name: "hystart-linux",
    title: "HyStart as in Linux: slow start that ends when delays rise, or acknowledgments come for half a round trip",
    source: "Ha and Rhee 2011; Linux 6.x, net/ipv4/tcp_cubic.c",
    parameters: &[
        Parameter::new(
            "low_window",
            Unit::Packets,
            16.0,
            (1.0, f64::INFINITY),
            "window below which it does nothing (hystart_low_window)",
        ),
        Parameter::new(
            "ack_delta",
            Unit::Milliseconds,
            2.0,
            (0.0, 1e6),
            "largest gap of a train of acknowledgments (hystart_ack_delta_us); 0 leaves only those of one instant",
        ),
        Parameter::new(
            "min_samples",
            Unit::Number,
            8.0,
            (0.0, 1e6),
            "samples of a round before its delay is tested (HYSTART_MIN_SAMPLES)",
        ),
        Parameter::new("train", Unit::Number, 1.0, (0.0, 1.0), "1: by the train; 0: not"),
        Parameter::new("delay", Unit::Number, 1.0, (0.0, 1.0), "1: by the rise of the delay; 0: not"),
        Parameter::new(
            "paced",
            Unit::Number,
            0.0,
            (0.0, 1.0),
            "1: packets are paced, and the train is as long as a round trip",
        ),
    ],
    ..Entry::PLAIN
};

/// The least and the largest rise of the delay, in nanoseconds (`HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`).
const DELAY_THRESHOLDS: (f64, f64) = (4e6, 16e6);

/// Acknowledgments may be delayed by the receiver's or the sender's aggregation (`hystart_ack_delay`): a millisecond at
/// rates below 2 Gbit/s.
const ACK_DELAY: f64 = 1e6;

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> HyStartLinux {
    HyStartLinux {
        low_window: values.get("low_window"),
        ack_delta: 1e6 * values.get("ack_delta"),
        min_samples: values.get("min_samples"),
        by_train: values.is_on("train"),
        by_delay: values.is_on("delay"),
        paced: values.is_on("paced"),
        found: false,
        round_left: f64::NEG_INFINITY,
        round_start: 0.0,
        last_ack: 0.0,
        round_min: f64::INFINITY,
        samples: 0.0,
        delay_min: f64::INFINITY,
    }
}

/// Slow start by all packets acknowledged. It ends where a round's acknowledgments, each at most `ack_delta` after the
/// last, go on for longer than half of the smallest delay (of all of it where packets are paced), or where the smallest delay of
/// a round is above that of the connection by an eighth (4 ms at least, 16 ms at most).
///
/// Choices:
/// - *A round* is counted in packets: it ends with the first acknowledgment above what was in flight at its beginning. As in Linux, rounds
///   are counted while the window is `low_window` or more.
/// - *Delays in the second after a reduction* are discarded in Linux, and count here.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing on or off")]
pub struct HyStartLinux {
    low_window: f64,
    /// In nanoseconds, as all times here.
    ack_delta: f64,
    min_samples: f64,
    by_train: bool,
    by_delay: bool,
    paced: bool,
    /// The end of slow start was found.
    found: bool,
    /// Packets to be delivered until the round ends with the one after them.
    round_left: f64,
    round_start: f64,
    last_ack: f64,
    round_min: f64,
    samples: f64,
    delay_min: f64,
}

impl HyStartLinux {
    /// `hystart_update`.
    fn update(&mut self, ack: &Ack, delay: f64) {
        let now = ack.now.as_nanos() as f64;
        if self.round_left < 0.0 {
            self.round_left = ack.in_flight;
            (self.round_start, self.last_ack) = (now, now);
            (self.round_min, self.samples) = (f64::INFINITY, 0.0);
        }
        if self.by_train && now - self.last_ack <= self.ack_delta {
            self.last_ack = now;
            let longest = self.delay_min + ACK_DELAY;
            let longest = if self.paced { longest } else { longest / 2.0 };
            self.found |= now - self.round_start > longest;
        }
        if self.by_delay {
            self.round_min = self.round_min.min(delay);
            if self.samples < self.min_samples {
                self.samples += f64::from(ack.acks);
            } else {
                let (least, most) = DELAY_THRESHOLDS;
                let rise = (self.delay_min / 8.0).clamp(least, most);
                self.found |= self.round_min > self.delay_min + rise;
            }
        }
    }
}

impl SlowStart for HyStartLinux {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        self.round_left -= ack.delivered;
        let Some(rtt) = ack.rtt else { return };
        let delay = rtt.as_nanos() as f64;
        self.delay_min = self.delay_min.min(delay);
        if !self.found && window.cwnd < window.ssthresh && window.cwnd >= self.low_window {
            self.update(ack, delay);
            if self.found {
                window.ssthresh = window.cwnd;
            }
        }
    }

    fn grow(&mut self, ack: &Ack, window: &mut Window) {
        window.cwnd = (window.cwnd + ack.delivered).min(window.ssthresh);
    }

    /// A timeout begins anew (`bictcp_reset`, `bictcp_hystart_reset`).
    fn on_congestion(&mut self, event: &Congestion) {
        if event.signal == Signal::Timeout {
            self.found = false;
            self.round_left = f64::NEG_INFINITY;
            self.delay_min = f64::INFINITY;
        }
    }

    fn scale(&mut self, ratio: f64) {
        self.round_left *= ratio;
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("hystart_found", f64::from(u8::from(self.found)));
    }
}

#[cfg(test)]
mod tests {
    use ackclock_catalogue::Part;

    use super::*;

    /// The round ends when the same bytes are acknowledged, in twice as many packets.
    #[test]
    fn the_rest_of_a_round_is_as_many_bytes() {
        let mut hystart = make(&Part::of(&ENTRY).values());
        hystart.round_left = 30.0;
        hystart.scale(2.0);
        assert_eq!(hystart.round_left.to_bits(), 60.0_f64.to_bits());
    }
}
