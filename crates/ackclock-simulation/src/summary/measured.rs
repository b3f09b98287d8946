//! The measurements of one flow, from its counts and times.

use ackclock_units::{Duration, Time};

use crate::facts::counts::{Baseline, ConnectionTimes, Snapshot};
use crate::facts::flow_infos::FlowInfos;
use crate::flows::endpoints::Endpoints;
use crate::flows::sockets::Sockets;

/// A flow to be measured: its endpoints, and the other data that results need.
pub(crate) struct Measuring<'a> {
    pub flow: usize,
    pub endpoints: &'a dyn Endpoints,
    pub infos: &'a FlowInfos,
    pub sockets: &'a Sockets,
    /// The counts at the end of the warm-up.
    pub before: Baseline,
    pub warm_up: Time,
    pub now: Time,
}

/// The measurements of one flow between the end of the warm-up and its own end.
pub(crate) struct Measured {
    pub from: Time,
    pub to: Time,
    pub life: ConnectionTimes,
    pub after: Snapshot,
    pub seconds: f64,
    /// Mean rates of arrival in bits per second: of payload, and on the wire.
    pub goodput: f64,
    pub throughput: f64,
    pub mean_cwnd: f64,
    pub mean_rtt: f64,
}

impl Measured {
    /// The measurements of a flow that has not begun.
    pub fn nothing() -> Measured {
        Measured {
            from: Time::ZERO,
            to: Time::ZERO,
            life: ConnectionTimes::default(),
            after: Snapshot::default(),
            seconds: 0.0,
            goodput: f64::NAN,
            throughput: f64::NAN,
            mean_cwnd: f64::NAN,
            mean_rtt: f64::NAN,
        }
    }
}

impl Measuring<'_> {
    pub fn measured(&self) -> Measured {
        let Measuring { flow, endpoints, infos, sockets, ref before, warm_up, now } = *self;
        let common = infos.common(flow);
        let life = self.life();
        let from = infos.get(flow).start.max(warm_up);
        let to = life.closed_at.map_or_else(
            || endpoints.measured_until(common.stop, now),
            |closed| closed.max(endpoints.delivered_at().min(now)),
        );
        let after = sockets.total(flow, &endpoints.snapshot(now));
        let has_window = endpoints.gauges().is_some();
        let seconds = to.since(from).as_secs_f64();
        let windowed_only = |value: f64| if has_window { value } else { f64::NAN };
        Measured {
            from,
            to,
            life,
            after,
            seconds,
            goodput: mean_over((after.arrived - before.arrived) as f64 * 8.0, seconds),
            throughput: mean_over((after.wire - before.wire) as f64 * 8.0, seconds),
            mean_cwnd: windowed_only(mean_over(
                after.counters.cwnd_seconds - before.cwnd_seconds,
                self.busy_seconds(&after).unwrap_or(seconds),
            )),
            mean_rtt: windowed_only(mean_rtt(before, &after, life.min_rtt)),
        }
    }

    /// The times of a flow's connection. A flow that sends file after file has none; its transfers have their
    /// own.
    fn life(&self) -> ConnectionTimes {
        let present = self.endpoints.life();
        match self.sockets.get(self.flow) {
            Some(socket) if self.sockets.repeats(self.flow) => {
                ConnectionTimes { min_rtt: socket.min_rtt(&present), ..ConnectionTimes::default() }
            }
            // All that it has written may be acknowledged, and more comes.
            _ if self.endpoints.stays_open() => {
                ConnectionTimes { closed_at: None, finished_at: None, ..present }
            }
            _ => present,
        }
    }

    /// The time in seconds in which a flow's connections were open and not idle, where that is not the flow's time.
    fn busy_seconds(&self, after: &Snapshot) -> Option<f64> {
        if self.sockets.repeats(self.flow) {
            let socket = self.sockets.get(self.flow)?;
            return Some(socket.open(&self.endpoints.life(), self.now) - socket.open_at_warm_up);
        }
        after.busy.map(|busy| (busy - self.before.busy).as_secs_f64())
    }
}

/// The mean over a time in seconds; none over no time.
pub(crate) fn mean_over(total: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { total / seconds } else { f64::NAN }
}

/// The mean of the round-trip times from the end of the warm-up on. `min_rtt` is the smallest of the whole
/// connection, so only rounding can take the mean below it.
fn mean_rtt(before: &Baseline, after: &Snapshot, min_rtt: Duration) -> f64 {
    let samples = after.counters.rtt_samples - before.rtt_samples;
    if samples == 0 || after.counters.rtt_total == Duration::MAX {
        // No round-trip time was measured, or their sum exceeds 64 bits of nanoseconds.
        return f64::NAN;
    }
    let mean = (after.counters.rtt_total - before.rtt_total).as_secs_f64() / samples as f64;
    mean.max(min_rtt.as_secs_f64()).min(after.counters.rtt_max.as_secs_f64())
}
