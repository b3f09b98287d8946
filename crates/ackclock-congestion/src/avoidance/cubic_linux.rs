//! CUBIC as in Linux.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Duration, Time};

use super::reno::LEAST_KEPT;
use super::whole_packets::{LINUX_LIMIT, WholePackets};
use crate::facts::{Ack, Congestion, Signal};
use crate::windowed::{Avoidance, Window};

/// Parts of the window are in 1024ths (`BICTCP_BETA_SCALE`), and so are the seconds of the cubic (`BICTCP_HZ`).
const SCALE: u64 = 1024;

/// Before the first loss the window grows by a packet for each 20 acknowledged, or faster.
const FIRST_COUNT: u64 = 20;

/// The window never grows by more than a packet for each two acknowledged.
const LEAST_COUNT: u64 = 2;

/// While the window is the same, the count is computed again after a 32nd of a second.
const PAUSE: Duration = Duration::from_nanos(1_000_000_000 / 32);

/// The time after the beginning of an epoch in which no delay is measured.
const NO_DELAYS: Duration = Duration::from_secs(1);

pub(crate) const ENTRY: Entry = Entry {
    kind: "avoidance",
    name: "cubic-linux",
    title: "CUBIC as in Linux: the cubic and the window of standard TCP by counts of whole packets",
    source: "Linux 6, tcp_cubic.c; Ha, Rhee and Xu, ACM SIGOPS OSR 42(5), 2008",
    parameters: &[
        Parameter::new(
            "beta",
            Unit::Number,
            717.0 / 1024.0,
            (0.0, 0.999),
            "part of the window kept after a loss or a timeout, in whole 1024ths",
        ),
        Parameter::new(
            "bic_scale",
            Unit::Number,
            41.0,
            (1.0, 1000.0),
            "steepness of the cubic, in 1024ths of 10 packets per cubic second, a whole number",
        ),
        Parameter::switch(
            "fast_convergence",
            true,
            "1: a loss below the last one's window leaves room for others",
        ),
        Parameter::switch(
            "tcp_friendliness",
            true,
            "1: at least as fast as standard TCP; 0: the cubic alone",
        ),
        LINUX_LIMIT,
    ],
    ..Entry::PLAIN
};

/// The algorithm with these parameters.
pub(crate) fn make(values: &Values) -> CubicLinux {
    CubicLinux {
        beta: (values.get("beta") * SCALE as f64).round() as u64,
        slope: values.get("bic_scale").round() as u64 * 10,
        fast_convergence: values.is_on("fast_convergence"),
        friendly: values.is_on("tcp_friendliness"),
        abc_limit: values.get("limit"),
        last_max: 0,
        cnt: 0,
        computed: None,
        delay_min: Duration::ZERO,
        epoch: None,
        idle_since: None,
        whole: WholePackets::default(),
    }
}

/// The window grows by a packet for each `count` acknowledged packets. With this count it follows the cubic, or the window of standard TCP
/// where that is larger.
///
/// - *Time* is exact to the nanosecond, where Linux counts jiffies. Linux computes the cubic once in a jiffy at most, also where the window has
///   changed.
/// - *The cube root* is exact to a 1024th of a second, where Linux takes it from a table.
/// - *After an idle time* the epoch is as old as before. The time since the last segment is the time between two acknowledgments, each
///   less its round-trip time: the acknowledgment that leaves nothing in flight, and the next one.
/// - *The packets beyond the threshold* of the acknowledgment that ends slow start are not counted.
#[derive(Clone, Copy, Debug)]
pub struct CubicLinux {
    /// In 1024ths.
    beta: u64,
    /// `cube_rtt_scale`.
    slope: u64,
    fast_convergence: bool,
    friendly: bool,
    abc_limit: f64,
    /// `last_max_cwnd`, in packets; zero before the first loss and after a timeout.
    last_max: u64,
    /// In packets.
    cnt: u64,
    /// The window for which it was computed last, and when.
    computed: Option<(u64, Time)>,
    delay_min: Duration,
    epoch: Option<Epoch>,
    /// When the last segment before an idle time was sent.
    idle_since: Option<Time>,
    whole: WholePackets,
}

/// Congestion avoidance between two reductions.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    /// `epoch_start`.
    begun: Time,
    /// `bic_K`, in 1024ths of a second, and `bic_origin_point`, in packets.
    k: u64,
    origin: u64,
    /// `ack_cnt` and `tcp_cwnd`: the window of standard TCP, and what was acknowledged since it grew.
    acked: u64,
    standard: u64,
}

impl CubicLinux {
    /// An epoch that begins with this window and `acked` packets.
    fn begin(&self, now: Time, cwnd: u64, acked: u64) -> Epoch {
        let (k, origin) = if self.last_max <= cwnd {
            (0, cwnd)
        } else {
            let cube = (1_u64 << 40) / self.slope * (self.last_max - cwnd);
            (libm::cbrt(cube as f64) as u64, self.last_max)
        };
        Epoch { begun: now, k, origin, acked, standard: cwnd }
    }

    /// The number of acknowledged packets for which the window grows by one, to follow the cubic.
    fn by_cubic(&self, now: Time, epoch: &Epoch, cwnd: u64) -> u64 {
        let t = (now.since(epoch.begun) + self.delay_min).as_nanos() * SCALE / 1_000_000_000;
        let off = u128::from(t.abs_diff(epoch.k));
        let delta = u64::try_from((u128::from(self.slope) * off * off * off) >> 40).unwrap_or(u64::MAX);
        let target =
            if t < epoch.k { epoch.origin.saturating_sub(delta) } else { epoch.origin.saturating_add(delta) };
        let count = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if self.last_max == 0 { count.min(FIRST_COUNT) } else { count }
    }

    /// The number of acknowledged packets for which the window grows by one, to follow the window of standard TCP that keeps the same part
    /// after a loss; none if that window is not larger. Moves that window on, which is in `epoch`.
    fn by_reno_friendly(&self, epoch: &mut Epoch, cwnd: u64) -> Option<u64> {
        let each = (cwnd * (8 * (SCALE + self.beta) / 3 / (SCALE - self.beta)) / 8).max(1);
        // The window of standard TCP grows by a packet as long as more than `each` are left.
        let grown = epoch.acked.saturating_sub(1) / each;
        epoch.acked -= grown * each;
        epoch.standard += grown;
        (epoch.standard > cwnd).then(|| cwnd / (epoch.standard - cwnd))
    }

    /// `bictcp_update`.
    fn update(&mut self, now: Time, cwnd: u64, acked: u64) {
        if let Some(epoch) = &mut self.epoch {
            epoch.acked += acked;
        }
        if self.computed.is_some_and(|(window, at)| window == cwnd && now.since(at) <= PAUSE) {
            return;
        }
        self.computed = Some((cwnd, now));
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin(now, cwnd, acked));
        let mut count = self.by_cubic(now, &epoch, cwnd);
        if self.friendly
            && let Some(most) = self.by_reno_friendly(&mut epoch, cwnd)
        {
            count = count.min(most);
        }
        self.cnt = count.max(LEAST_COUNT);
        self.epoch = Some(epoch);
    }
}

impl Avoidance for CubicLinux {
    /// `cubictcp_acked`, and `cubictcp_cwnd_event` for a transmission that begins.
    fn measure(&mut self, ack: &Ack, _window: &mut Window) {
        let rtt = ack.rtt.unwrap_or(ack.srtt);
        let sent = Time::from_nanos(ack.now.as_nanos().saturating_sub(rtt.as_nanos()));
        if let Some(since) = self.idle_since.take()
            && let Some(epoch) = &mut self.epoch
        {
            epoch.begun = (epoch.begun + sent.since(since.min(sent))).min(sent);
        }
        if ack.in_flight < 0.5 {
            self.idle_since = Some(sent);
        }
        let is_fresh = self.epoch.is_some_and(|epoch| ack.now.since(epoch.begun) < NO_DELAYS);
        if let Some(rtt) = ack.rtt.filter(|_| !is_fresh)
            && (self.delay_min.is_zero() || rtt < self.delay_min)
        {
            self.delay_min = rtt;
        }
    }

    fn adjust(&mut self, ack: &Ack, window: &mut Window) {
        let acked = ack.counted(self.abc_limit);
        self.update(ack.now, window.cwnd.floor() as u64, acked.floor() as u64);
        self.whole.grow(acked, self.cnt as f64, window);
    }

    fn back_off(&mut self, event: &Congestion, used: f64) -> f64 {
        let used = used.floor() as u64;
        let leaves_room = self.fast_convergence && used < self.last_max;
        self.last_max = if leaves_room { used * (SCALE + self.beta) / (2 * SCALE) } else { used };
        (self.epoch, self.idle_since) = (None, None);
        self.whole.restart();
        if event.signal == Signal::Timeout {
            (self.last_max, self.computed, self.delay_min) = (0, None, Duration::ZERO);
        }
        ((used * self.beta / SCALE) as f64).max(LEAST_KEPT)
    }

    fn scale(&mut self, ratio: f64) {
        let scaled = |packets: u64| (packets as f64 * ratio) as u64;
        self.last_max = scaled(self.last_max);
        self.computed = None;
        if let Some(epoch) = &mut self.epoch {
            (epoch.origin, epoch.standard) = (scaled(epoch.origin), scaled(epoch.standard));
            epoch.acked = scaled(epoch.acked);
        }
        self.whole.scale(ratio);
    }

    fn abc_limit(&self) -> f64 {
        self.abc_limit
    }

    fn observe(&self, gauge: &mut dyn FnMut(&'static str, f64)) {
        gauge("cubic_w_max_packets", self.last_max as f64);
        gauge("cubic_k_s", self.epoch.map_or(f64::NAN, |epoch| epoch.k as f64 / SCALE as f64));
    }
}
