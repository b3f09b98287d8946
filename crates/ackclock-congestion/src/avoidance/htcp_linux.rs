//! H-TCP as in Linux.

use ackclock_catalogue::{Entry, Parameter, Values};
use ackclock_units::{Duration, Time};

use super::reno::LEAST_KEPT;
use super::whole_packets::LINUX_LIMIT;
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

/// Growth and back-off factors are in 128ths.
const ONE: f64 = 128.0;
/// A half.
const BETA_MIN: f64 = 64.0;
/// Four fifths.
const BETA_MAX: f64 = 102.0;

/// The time after a loss during which the window grows as standard TCP's.
const LOW_SPEED: Duration = Duration::from_secs(1);
/// Round-trip times up to this one are too short to show a queue.
const SHORT_RTT: Duration = Duration::from_millis(10);
/// The longest round-trip time rises by at most this at a sample.
const RTT_STEP: Duration = Duration::from_millis(20);

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "htcp-linux",
    title: "H-TCP as in Linux: growth by the time since the recovery, by whole packets",
    source: "Linux 6, tcp_htcp.c; Shorten and Leith, PFLDnet 2004",
    parameters: &[
        Parameter::switch(
            "rtt_scaling",
            true,
            "1: growth is in proportion to the shortest round-trip time over 100 ms, from 0.1 to 2; 0: it is not",
        ),
        Parameter::switch(
            "bandwidth_switch",
            true,
            "1: half is kept where the throughput changed by more than a fifth, and at the loss after; 0: it is not",
        ),
        LINUX_LIMIT,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> HtcpLinux {
    HtcpLinux {
        scales: values.is_on("rtt_scaling"),
        switches: values.is_on("bandwidth_switch"),
        abc_limit: values.get("limit"),
        alpha: ONE,
        beta: BETA_MIN,
        adapts: false,
        counted: 0.0,
        recovered: None,
        min_rtt: Duration::ZERO,
        max_rtt: Duration::ZERO,
        throughput: Throughput::default(),
    }
}

/// Growth that accelerates with the time since the last recovery ended, in whole packets per round trip, and a back-off to
/// the ratio of the shortest to the longest round-trip time.
///
/// - *The growth factor* is rounded down to a whole number before and after scaling, and computed anew when the window
///   grows.
/// - *The acknowledgment at which the window grows* is not counted itself.
/// - *The throughput* is sampled at most once per round trip, after a window of packets, and smoothed with a weight of
///   a quarter. Its largest value since the last loss is compared with the largest between the two losses before.
/// - *The longest round-trip time* fades by a twentieth of the queueing delay at each loss.
/// - *A timeout* keeps as much as a loss.
///
/// Linux counts time in ticks of 1 to 10 ms; here it is exact, and throughputs are not whole.
#[derive(Clone, Copy, Debug)]
pub struct HtcpLinux {
    scales: bool,
    switches: bool,
    abc_limit: f64,
    /// Packets per round trip, in 128ths.
    alpha: f64,
    /// The part kept at the last loss, in 128ths.
    beta: f64,
    /// `modeswitch`: the next loss may keep more than a half.
    adapts: bool,
    /// Packets acknowledged since the window last grew.
    counted: f64,
    /// When the last recovery ended; the latest acknowledgment while one lasts, the first acknowledgment before any
    /// recovery.
    recovered: Option<Time>,
    min_rtt: Duration,
    max_rtt: Duration,
    throughput: Throughput,
}

/// Packets per second.
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    /// Packets delivered since `since`.
    packets: f64,
    since: Option<Time>,
    mean: f64,
    /// The largest mean since the last loss.
    max: f64,
    /// The largest mean between the two losses before.
    old_max: f64,
}

impl HtcpLinux {
    fn since_recovery(&self, now: Time) -> Duration {
        self.recovered.map_or(Duration::ZERO, |recovered| now.since(recovered))
    }

    fn measure_rtt(&mut self, rtt: Duration, min_rtt: Duration, recovering: bool) {
        self.min_rtt = min_rtt;
        if recovering {
            return;
        }
        self.max_rtt = self.max_rtt.max(min_rtt);
        if rtt > self.max_rtt && rtt <= self.max_rtt + RTT_STEP {
            self.max_rtt = rtt;
        }
    }

    fn measure_throughput(&mut self, ack: &Ack, cwnd: f64) {
        let rounds = self.since_recovery(ack.now).as_nanos().checked_div(self.min_rtt.as_nanos());
        let grows = (self.alpha / ONE).floor().max(1.0);
        let throughput = &mut self.throughput;
        let since = *throughput.since.get_or_insert(ack.now);
        if ack.recovering {
            throughput.packets = 0.0;
            throughput.since = Some(ack.now);
            return;
        }
        throughput.packets += ack.delivered;
        let elapsed = ack.now.since(since);
        let Some(rounds) = rounds else { return };
        if throughput.packets < cwnd - grows || elapsed < self.min_rtt {
            return;
        }
        let sample = throughput.packets / elapsed.as_secs_f64();
        if rounds <= 3 {
            throughput.mean = sample;
            throughput.max = sample;
        } else {
            throughput.mean = (3.0 * throughput.mean + sample) / 4.0;
            throughput.max = throughput.max.max(throughput.mean);
        }
        throughput.packets = 0.0;
        throughput.since = Some(ack.now);
    }

    fn renew_beta(&mut self) {
        let Throughput { max, old_max, .. } = self.throughput;
        self.throughput.old_max = max;
        self.beta = BETA_MIN;
        if self.switches && !(4.0 * old_max..=6.0 * old_max).contains(&(5.0 * max)) {
            self.adapts = false;
        } else if self.adapts && self.min_rtt > SHORT_RTT {
            let ratio = self.min_rtt.as_secs_f64() / self.max_rtt.as_secs_f64();
            self.beta = (ONE * ratio).floor().clamp(BETA_MIN, BETA_MAX);
        } else {
            self.adapts = true;
        }
    }

    fn renew_alpha(&mut self, now: Time) {
        let since = self.since_recovery(now);
        let mut factor = 1.0;
        if since > LOW_SPEED {
            let beyond = since.as_secs_f64() - LOW_SPEED.as_secs_f64();
            factor += (10.0 * beyond + beyond * beyond / 4.0).floor();
        }
        if self.scales && !self.min_rtt.is_zero() {
            // Eighths of 100 ms over the round-trip time.
            let scale = (8.0 / (10.0 * self.min_rtt.as_secs_f64())).floor().clamp(4.0, 80.0);
            factor = (8.0 * factor / scale).floor().max(1.0);
        }
        self.alpha = 2.0 * factor * (ONE - self.beta);
    }
}

impl Avoidance for HtcpLinux {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        if self.recovered.is_none() || ack.recovering {
            self.recovered = Some(ack.now);
        }
        if let Some(rtt) = ack.rtt {
            self.measure_rtt(rtt, ack.min_rtt, ack.recovering);
        }
        self.measure_throughput(ack, window.cwnd.floor());
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        if self.counted * self.alpha >= ONE * window.cwnd.floor() {
            window.cwnd += 1.0;
            self.counted = 0.0;
            self.renew_alpha(ack.now);
        } else {
            self.counted += ack.counted(self.abc_limit);
        }
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        self.renew_beta();
        self.renew_alpha(event.now);
        self.max_rtt = self.min_rtt + self.max_rtt.saturating_sub(self.min_rtt).mul_f64(0.95);
        self.recovered = Some(event.now);
        self.counted = 0.0;
        (used.floor() * self.beta / ONE).floor().max(LEAST_KEPT)
    }

    fn scale(&mut self, ratio: f64) {
        self.counted *= ratio;
        let Throughput { packets, mean, max, old_max, .. } = &mut self.throughput;
        for count in [packets, mean, max, old_max] {
            *count *= ratio;
        }
    }

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("htcp_alpha_packets", self.alpha / ONE);
        gauge("htcp_beta", self.beta / ONE);
    }
}

#[cfg(test)]
mod tests {
    use ackclock_catalogue::Part;

    use super::*;

    /// 60 packets that a burst acknowledges after a tenth of the round trip of 100 ms are no 6000 packets/s: with the rest of the round
    /// trip they are 100, or 1000 packets/s.
    #[test]
    fn throughput_is_measured_over_a_round_trip_at_least() {
        let mut htcp = make(&Part::of(&ENTRY).values());
        htcp.min_rtt = Duration::from_millis(100);
        htcp.recovered = Some(Time::ZERO);
        for (millis, delivered, mean) in [(0, 0.0, 0.0), (10, 60.0, 0.0), (100, 40.0, 1000.0)] {
            let now = Time::ZERO + Duration::from_millis(millis);
            htcp.measure_throughput(&Ack { now, delivered, ..Ack::default() }, 50.0);
            assert!((htcp.throughput.mean - mean).abs() < 1e-9, "{:?}", htcp.throughput);
        }
    }
}
