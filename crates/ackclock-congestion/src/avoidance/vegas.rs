//! The congestion avoidance of TCP Vegas (tcp-variants, 2.3.2; Brakmo and Peterson 1995).

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::Duration;

use super::reno::half;
use crate::facts::{Ack, Congestion, Needs, Signal};
use crate::round_rtt::{RoundRtt, queued};
use crate::windowed::{Avoidance, Window};

/// The smallest window in packets, as in Vegas' own implementation. With one packet alone, the round-trip time would
/// measure how long the receiver delays its acknowledgment.
const LEAST_WINDOW: f64 = 2.0;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "vegas",
    title: "TCP Vegas: keep between alpha and beta packets queued",
    source: "tcp-variants, 2.3.2, eq. 3; Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    parameters: &[
        Parameter::new(
            "alpha",
            Unit::Packets,
            1.0,
            (0.0, f64::INFINITY),
            "queued data below which the window grows by one packet per round trip",
        ),
        Parameter::new(
            "beta",
            Unit::Packets,
            3.0,
            (0.0, f64::INFINITY),
            "queued data above which the window shrinks by one packet per round trip; at least alpha",
        ),
        Parameter::new(
            "keep",
            Unit::Number,
            0.75,
            (0.0, 1.0),
            "part of the window kept after a loss detected without a timeout",
        ),
        Parameter::switch(
            "rounded",
            false,
            "1: queued data is rounded to whole packets before it is compared (ns-2)",
        ),
        Parameter::switch(
            "least_rtt",
            false,
            "1: the smallest round-trip time of a round decides (Linux); 0: the mean (ns-2)",
        ),
        Parameter::switch(
            "sent",
            false,
            "1: the actual rate is that of the packets sent in the round, the expected one that of the packets in flight \
             (Brakmo and Peterson, ns-2); 0: both are of the window",
        ),
        Parameter::switch(
            "spread",
            false,
            "1: a packet more is spread over the acknowledgments of the next round trip (ns-2); 0: it comes at once",
        ),
        Parameter::switch(
            "base_since_idle",
            false,
            "1: the base round-trip time is the smallest since nothing was in flight (Linux); 0: the smallest of all",
        ),
    ],
    check: Some(|values| {
        let (alpha, beta) = (values.get("alpha"), values.get("beta"));
        if alpha <= beta { Ok(()) } else { Err(format!("alpha={alpha} must not be above beta={beta}")) }
    }),
    companions: &[("slow start", "vegas")],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> Vegas {
    Vegas {
        rounded: values.is_on("rounded"),
        least_rtt: values.is_on("least_rtt"),
        sending: values.is_on("sent").then(Sending::default),
        spread: values.is_on("spread"),
        since_idle: values.is_on("base_since_idle").then_some(SinceIdle::default()),
        ..Vegas::new(values.get("alpha"), values.get("beta"), values.get("keep"))
    }
}

/// Changes the window once per round trip: one packet more below `alpha` packets queued, one less above `beta`, no
/// change in between.
///
/// Points that the sources leave open, and the choices made here:
/// - *The round-trip time of a round* is the mean of its samples, as in ns-2, the simulator of tcp-variants. Brakmo
///   and Peterson time one distinguished packet, which depends on chance with delayed ACKs. Linux takes the minimum,
///   which shows the queue at its emptiest and so hardly any queue behind a burst (`least_rtt`).
/// - *The difference* is compared as it is. ns-2 rounds it first (`rounded`): with 1 and 3 the window grows below half
///   a packet and shrinks from three and a half on.
/// - *The rates* are computed from the window, which limits the sender. Brakmo and Peterson count the packets sent
///   between a segment and its acknowledgment, and ns-2 compares them with the packets in flight (`sent`).
/// - *The increase* comes at once. ns-2 spreads it over the acknowledgments of the next round trip (`spread`).
/// - *The update* comes with the acknowledgment that closes the round, or not at all: a round whose closing
///   acknowledgment may not grow the window (recovery, a sender that did not fill it) decides nothing. Its difference
///   would compare a window that was not in use.
/// - *The base round-trip time* is the smallest of all packets. Small packets, with which many applications begin,
///   take less time to transmit. Linux measures it anew when it sends with nothing in flight (`base_since_idle`).
/// - *`alpha`, `beta`*: "some constant values" in tcp-variants; 1 and 3 are Brakmo and Peterson's first setting and
///   ns-2's; their second is 2 and 4.
/// - *After a loss*: neither text says which part of the window is kept. Vegas' implementation keeps three quarters
///   (`keep`) after a loss found by an acknowledgment, and ns-2 follows it. A timeout keeps half, as in RFC 5681.
#[derive(Clone, Copy, Debug)]
pub struct Vegas {
    alpha: f64,
    beta: f64,
    keep: f64,
    rounded: bool,
    least_rtt: bool,
    spread: bool,
    rtt: RoundRtt,
    /// The packets sent in each round, where they are counted (`sent`).
    sending: Option<Sending>,
    /// The base round-trip time if it is not the smallest of the whole connection (`base_since_idle`).
    since_idle: Option<SinceIdle>,
    /// The growth of the window at each acknowledgment until the next decision, in packets (`spread`).
    share: f64,
    /// The smallest round-trip time of the current round, in nanoseconds; infinite without a sample.
    least: f64,
    /// The round-trip time of the round the latest acknowledgment closed, in nanoseconds.
    closed: Option<f64>,
    /// The difference at the last decision, in packets; for traces.
    diff: f64,
}

/// Packets sent since the round began.
#[derive(Clone, Copy, Debug, Default)]
struct Sending {
    /// Since the connection began.
    delivered: f64,
    /// Sent before the round began.
    before: f64,
    /// Sent in the round that closed last.
    in_round: f64,
}

/// The smallest round-trip time since nothing was in flight.
#[derive(Clone, Copy, Debug, Default)]
struct SinceIdle {
    least: Option<Duration>,
    /// True while nothing is in flight: the next sample begins a new minimum.
    is_idle: bool,
}

impl SinceIdle {
    fn measure(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            let before = self.least.filter(|_| !self.is_idle);
            self.least = Some(before.map_or(rtt, |least| least.min(rtt)));
            self.is_idle = false;
        }
        self.is_idle |= ack.in_flight <= 0.0;
    }
}

impl Sending {
    fn measure(&mut self, ack: &Ack, closes: bool) {
        self.delivered += ack.delivered;
        if closes {
            let sent = self.delivered + ack.in_flight;
            self.in_round = sent - self.before;
            self.before = sent;
        }
    }
}

impl Vegas {
    /// `alpha` and `beta` in packets, `alpha <= beta`; `keep` is the part of the window kept after a loss.
    pub fn new(alpha: f64, beta: f64, keep: f64) -> Vegas {
        Vegas {
            alpha,
            beta,
            keep,
            rounded: false,
            least_rtt: false,
            spread: false,
            rtt: RoundRtt::default(),
            sending: None,
            since_idle: None,
            share: 0.0,
            least: f64::INFINITY,
            closed: None,
            diff: f64::NAN,
        }
    }
}

impl Vegas {
    /// Changes the window by one packet up or down, or not at all, for a round with this round-trip time.
    fn decide(&mut self, ack: &Ack, rtt: f64, window: &mut Window) {
        let base = self.since_idle.and_then(|since| since.least).unwrap_or(ack.min_rtt).as_nanos() as f64;
        self.diff = if let Some(sending) = &self.sending {
            // The packet acknowledged now was in flight when the round-trip time was measured.
            ack.in_flight + 1.0 - sending.in_round * base / rtt
        } else {
            queued(window.cwnd, base, rtt)
        };
        let diff = if self.rounded { (self.diff + 0.5).floor() } else { self.diff };
        self.share = 0.0;
        // In a round without a sample the difference is NaN, and both comparisons are false.
        if diff < self.alpha {
            if self.spread {
                self.share = 1.0 / window.cwnd;
            } else {
                window.cwnd += 1.0;
            }
        } else if diff > self.beta {
            window.cwnd = (window.cwnd - 1.0).max(LEAST_WINDOW.min(window.cwnd));
            // Shrinking is a small correction here and must not lead back to slow start.
            window.ssthresh = window.ssthresh.min(window.cwnd);
        }
    }
}

impl Default for Vegas {
    /// As in ns-2.
    fn default() -> Vegas {
        Vegas::new(1.0, 3.0, 0.75)
    }
}

impl Avoidance for Vegas {
    fn needs(&self) -> Needs {
        Needs { recovery: Some("vegas"), ..Needs::default() }
    }

    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        self.closed = self.rtt.measure(ack);
        if let Some(sending) = &mut self.sending {
            sending.measure(ack, self.closed.is_some());
        }
        if let Some(since_idle) = &mut self.since_idle {
            since_idle.measure(ack);
        }
        if !self.least_rtt {
            return;
        }
        if self.closed.is_some() {
            let least = std::mem::replace(&mut self.least, f64::INFINITY);
            self.closed = least.is_finite().then_some(least);
        }
        if let Some(rtt) = ack.rtt {
            self.least = self.least.min(rtt.as_nanos() as f64);
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        if let Some(rtt) = self.closed {
            self.decide(ack, rtt, window);
        }
        window.cwnd += self.share;
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        // The samples of this round belong to the window before the reduction.
        self.rtt.restart();
        self.least = f64::INFINITY;
        self.closed = None;
        self.share = 0.0;
        match event.signal {
            Signal::Timeout => half(used),
            Signal::Loss | Signal::Ecn => (self.keep * used).max(LEAST_WINDOW),
        }
    }

    fn scale(&mut self, ratio: f64) {
        self.diff *= ratio;
        self.share *= ratio;
        if let Some(Sending { delivered, before, in_round }) = &mut self.sending {
            for count in [delivered, before, in_round] {
                *count *= ratio;
            }
        }
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("vegas_diff_packets", self.diff);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least of 90 ms belongs to the time before nothing was in flight; afterwards 100 ms is the least of 100 and 105.
    #[test]
    fn the_least_since_the_path_was_idle_is_that_of_packets_in_flight() {
        let mut least = SinceIdle::default();
        for (millis, in_flight, expected) in
            [(90, 0.0, 90), (100, 10.0, 100), (105, 10.0, 100), (95, 10.0, 95)]
        {
            least.measure(&Ack { rtt: Some(Duration::from_millis(millis)), in_flight, ..Ack::default() });
            assert_eq!(least.least, Some(Duration::from_millis(expected)));
        }
    }
}
