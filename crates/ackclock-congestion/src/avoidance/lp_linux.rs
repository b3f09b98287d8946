//! TCP-LP as in Linux.

use ackclock_catalogue::{Entry, Values};

use super::reno::LEAST_KEPT;
use super::whole_packets::WholePackets;
use crate::facts::{Ack, Congestion};
use crate::windowed::{Avoidance, Window};

/// Nanoseconds of a tick of TCP timestamps.
const TICK: u64 = 1_000_000;
/// A smoothed delay above this many hundredths of the range of delays shows congestion.
const THRESHOLD: u64 = 15;
/// Round trips after a reduction in which the window does not grow, and may fall to one packet.
const INFERENCE: u64 = 3;

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "lp-linux",
    title: "TCP-LP as in Linux: the range of delays begins anew with each reduction, which leaves the threshold",
    source: "Linux 6, tcp_lp.c; Kuzmanovic and Knightly, INFOCOM 2003",
    parameters: &[],
    ..Entry::PLAIN
};

/// The algorithm, which has no parameters.
pub(crate) fn make(_values: &Values) -> LpLinux {
    LpLinux {
        whole: WholePackets::default(),
        clock: Clock::default(),
        delay: None,
        inference: 0,
        reduced: None,
        infers: false,
    }
}

/// Standard TCP in whole packets that halves its window, in either phase, when the smoothed delay passes 15 % of a range of
/// delays. The range then begins anew, from the smoothed delay to twice that.
///
/// - *Delays* are those of TCP timestamps, in ticks of a millisecond: here from the sending of a packet to its acknowledgment.
/// - *The first delay counts as congestion*: it is both ends of the range. It comes once two acknowledgments differ in both
///   timestamps, by which Linux estimates the rate of the receiver's clock; here both clocks run alike.
/// - *The slow-start threshold* does not change at these reductions, so the window then doubles until it reaches the
///   threshold.
/// - *No growth in either phase* for three round trips after a reduction.
/// - *In recovery* the window is not reduced, since the recovery sets it.
/// - *An indication* waits until the window limits the sender; Linux acts at once.
#[derive(Clone, Copy, Debug)]
pub struct LpLinux {
    whole: WholePackets,
    clock: Clock,
    /// None before the first.
    delay: Option<Delay>,
    /// Three times the latest round-trip time, in ticks.
    inference: u64,
    /// The tick of the last reduction.
    reduced: Option<u64>,
    /// The last reduction is at most one inference time ago.
    infers: bool,
}

/// Timestamps in ticks: of the sending of the packet acknowledged last, and of its acknowledgment.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    before: Option<(u64, u64)>,
    is_known: bool,
}

impl Clock {
    fn observe(&mut self, sent: u64, now: u64) {
        self.is_known |= self.before.is_some_and(|(before, then)| before != sent && then != now);
        self.before = Some((sent, now));
    }
}

/// Delays in ticks.
#[derive(Clone, Copy, Debug)]
struct Delay {
    /// In eighths.
    smoothed: u64,
    least: u64,
    /// The second largest delay; the largest is `reserved`.
    most: u64,
    reserved: u64,
}

impl Delay {
    fn new(first: u64) -> Delay {
        Delay { smoothed: 8 * first, least: first, most: first, reserved: first }
    }

    fn take_sample(&mut self, delay: u64) {
        self.least = self.least.min(delay);
        if delay > self.reserved {
            self.most = self.reserved;
            self.reserved = delay;
        } else {
            self.most = self.most.max(delay);
        }
        self.smoothed = self.smoothed - self.smoothed / 8 + delay;
    }

    fn is_short(&self) -> bool {
        self.smoothed / 8 < self.least + THRESHOLD * (self.most - self.least) / 100
    }

    fn restart(&mut self) {
        self.least = self.smoothed / 8;
        self.most = self.smoothed / 4;
        self.reserved = self.most;
    }
}

impl LpLinux {
    fn take_sample(&mut self, sent: u64, now: u64) {
        self.clock.observe(sent, now);
        let delay = now - sent;
        if delay == 0 {
            return;
        }
        self.inference = INFERENCE * delay;
        if !self.clock.is_known {
            return;
        }
        match &mut self.delay {
            Some(known) => known.take_sample(delay),
            None => self.delay = Some(Delay::new(delay)),
        }
    }
}

impl Avoidance for LpLinux {
    fn measure(&mut self, ack: &Ack, window: &mut Window) {
        let now = ack.now.as_nanos() / TICK;
        if let Some(rtt) = ack.rtt {
            self.take_sample(ack.now.as_nanos().saturating_sub(rtt.as_nanos()) / TICK, now);
        }
        self.infers = self.reduced.is_some_and(|reduced| now - reduced < self.inference);
        let may_act = ack.suspended || ack.may_grow();
        let Some(delay) = self.delay.as_mut().filter(|delay| may_act && !delay.is_short()) else { return };
        delay.restart();
        self.reduced = Some(now);
        if !ack.suspended {
            window.cwnd = if self.infers { 1.0 } else { (window.cwnd / 2.0).floor().max(1.0) };
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        self.whole.grow(ack.delivered, window.cwnd.floor(), window);
    }

    fn pauses(&self) -> bool {
        self.infers
    }

    fn back_off(&mut self, _event: &Congestion, used: f64) -> f64 {
        self.whole.restart();
        (used / 2.0).floor().max(LEAST_KEPT)
    }

    fn scale(&mut self, ratio: f64) {
        self.whole.scale(ratio);
    }

    fn abc_limit(&self) -> f64 {
        f64::INFINITY
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("lp_delay_s", self.delay.map_or(f64::NAN, |delay| delay.smoothed as f64 / 8e3));
    }
}
