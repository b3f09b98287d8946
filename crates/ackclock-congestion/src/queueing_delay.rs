//! The queueing delay as LEDBAT measures it (RFC 6817, 2.4.2), by round-trip times.

use std::collections::VecDeque;

use ackclock_units::{Duration, Time};

/// Minutes of which the smallest delays are kept: `BASE_HISTORY`.
const BASE_HISTORY: usize = 10;
/// The latest delays, of which the smallest is the current one: `CURRENT_FILTER`.
const CURRENT_FILTER: usize = 4;

const MINUTE_NANOS: u64 = 60_000_000_000;

/// The smallest of the latest delays, and the smallest of the last ten minutes.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueingDelay {
    /// The minute of the latest of the base delays.
    minute: Option<u64>,
    base_delays: VecDeque<Duration>,
    current_delays: VecDeque<Duration>,
}

impl QueueingDelay {
    pub(crate) fn measure(&mut self, now: Time, delay: Duration) {
        let minute = now.as_nanos() / MINUTE_NANOS;
        if self.minute != Some(minute) {
            self.minute = Some(minute);
            push(&mut self.base_delays, delay, BASE_HISTORY);
        }
        if let Some(least) = self.base_delays.back_mut() {
            *least = delay.min(*least);
        }
        push(&mut self.current_delays, delay, CURRENT_FILTER);
    }

    /// The base delay in nanoseconds; infinite before the first sample (RFC 6817, 2.4.2).
    pub(crate) fn base(&self) -> f64 {
        if self.base_delays.is_empty() { f64::INFINITY } else { least(&self.base_delays).as_nanos() as f64 }
    }

    /// The current delay less the base delay, in nanoseconds.
    pub(crate) fn nanos(&self) -> f64 {
        (least(&self.current_delays) - least(&self.base_delays)).as_nanos() as f64
    }
}

fn least(delays: &VecDeque<Duration>) -> Duration {
    delays.iter().min().copied().unwrap_or(Duration::ZERO)
}

/// Appends a delay, and drops the oldest of more than `most`.
fn push(delays: &mut VecDeque<Duration>, delay: Duration, most: usize) {
    if delays.len() == most {
        delays.pop_front();
    }
    delays.push_back(delay);
}
