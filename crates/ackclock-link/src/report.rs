//! The report of a run, for people and for programs.

use std::fmt;

use ackclock_network::LinkStats;
use ackclock_units::Duration;
use serde_json::{Value, json};

use crate::lateness::Lateness;

/// A direction of the link.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Direction {
    /// Its name, such as `a->b`.
    pub name: String,
    /// The statistics of the link.
    pub stats: LinkStats,
    /// The lateness of its deliveries.
    pub lateness: Lateness,
    /// Packets that the host did not take at the far end.
    pub refused: u64,
}

/// The report of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Forward and backward.
    pub directions: [Direction; 2],
    /// The lateness above which the host counts as late.
    pub tolerance: Duration,
    /// The number of spans of [`Report::SPAN`] in which a hundredth of the packets were later than
    /// that.
    pub late_spans: u64,
    /// The host's own part of a round trip, if it was measured and subtracted from the delay.
    pub host_delay: Option<Duration>,
}

/// The part of a round-trip time by which 99 % of the packets may be late.
const TOLERATED: u64 = 100;
/// The smallest tolerance: hosts wake after tens of microseconds.
const LEAST_TOLERANCE: Duration = Duration::from_micros(100);

impl Report {
    /// The span after which lateness is checked.
    pub const SPAN: Duration = Duration::from_secs(5);

    /// The lateness that a round-trip time tolerates: a hundredth, since goodputs and loss periods change in proportion.
    pub fn tolerance(round_trip: Duration) -> Duration {
        Duration::from_nanos(round_trip.as_nanos() / TOLERATED).max(LEAST_TOLERANCE)
    }

    /// True if the host kept the link's time.
    pub fn is_on_time(&self) -> bool {
        self.late_spans == 0
            && self.directions.iter().all(|direction| direction.lateness.quantile(0.99) <= self.tolerance)
    }

    /// The warning about a host that is too late.
    pub fn warning(late: Duration, tolerance: Duration) -> String {
        format!(
            "the host does not keep time: 1 % of the packets are later than {late}, a hundredth of the round-trip time is \
             {tolerance}; results depend on the host. An idle processor helps, and --spin"
        )
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        let directions: Vec<Value> = self.directions.iter().map(Direction::to_json).collect();
        json!({
            "directions": directions,
            "tolerance_s": self.tolerance.as_secs_f64(),
            "late_spans": self.late_spans,
            "host_delay_s": self.host_delay.map(Duration::as_secs_f64),
            "on_time": self.is_on_time(),
        })
    }
}

impl Direction {
    fn to_json(&self) -> Value {
        let Direction { stats, lateness, .. } = self;
        let late = |part| lateness.quantile(part).as_secs_f64();
        json!({
            "name": self.name,
            "span_s": stats.span.as_secs_f64(),
            "offered": stats.offered,
            "delivered": stats.forwarded,
            "bytes_delivered": stats.bytes_forwarded.get(),
            "dropped_queue": stats.dropped_queue,
            "dropped_early": stats.dropped_early,
            "dropped_loss": stats.dropped_loss,
            "thinned": stats.thinned,
            "marked": stats.marked,
            "utilisation": stats.utilisation(),
            "mean_queue_packets": stats.mean_queue_packets(),
            "mean_queueing_delay_s": stats.mean_queueing_delay_secs(),
            "max_queue_packets": stats.max_queue_packets,
            "lateness_p50_s": late(0.5),
            "lateness_p99_s": late(0.99),
            "lateness_p99_9_s": late(0.999),
            "lateness_max_s": lateness.most().as_secs_f64(),
            "refused_by_host": self.refused,
        })
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Direction { name, stats, lateness, refused } = self;
        let megabytes = stats.bytes_forwarded.get() as f64 * 1e-6;
        write!(f, "{name}: {} packets, {megabytes:.1} MB delivered", stats.forwarded)?;
        write!(
            f,
            "; dropped by the queue {}, lost {}, marked {}",
            stats.dropped_queue, stats.dropped_loss, stats.marked
        )?;
        let delay = Duration::from_secs_f64(stats.mean_queueing_delay_secs());
        write!(f, "; used {:.1} %, waiting {} ms on average", 100.0 * stats.utilisation(), millis(delay))?;
        if *refused > 0 {
            write!(f, "; the host refused {refused}")?;
        }
        let late = |part| micros(lateness.quantile(part));
        let most = micros(lateness.most());
        write!(
            f,
            "\n  late by p50 {} us, p99 {} us, p99.9 {} us, at most {most} us",
            late(0.5),
            late(0.99),
            late(0.999)
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for direction in self.directions.iter().filter(|direction| direction.stats.offered > 0) {
            writeln!(f, "{direction}")?;
        }
        if self.is_on_time() {
            write!(f, "the host kept time (p99 of at most {})", self.tolerance)
        } else {
            let worst = |direction: &Direction| direction.lateness.quantile(0.99);
            let late = self.directions.iter().map(worst).max().unwrap_or_default();
            write!(
                f,
                "warning: {} ({} spans of {})",
                Report::warning(late, self.tolerance),
                self.late_spans,
                Report::SPAN
            )
        }
    }
}

fn micros(duration: Duration) -> u64 {
    duration.as_nanos().div_ceil(1000)
}

fn millis(duration: Duration) -> String {
    format!("{:.2}", duration.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use ackclock_network::LinkStats;
    use ackclock_units::Duration;

    use super::{Direction, Lateness, Report};

    fn report(late: &[u64]) -> Report {
        let directions = ["a->b", "b->a"].map(|name| {
            let mut lateness = Lateness::default();
            for micros in late {
                lateness.record(Duration::from_micros(*micros));
            }
            let mut stats = LinkStats::default();
            stats.offered = 1;
            Direction { name: name.to_owned(), stats, lateness, refused: 0 }
        });
        let tolerance = Report::tolerance(Duration::from_millis(40));
        Report { directions, tolerance, late_spans: 0, host_delay: None }
    }

    #[test]
    fn a_host_may_be_late_by_a_hundredth_of_a_round_trip() {
        assert_eq!(Report::tolerance(Duration::from_millis(40)), Duration::from_micros(400));
        assert_eq!(
            Report::tolerance(Duration::from_millis(1)),
            Duration::from_micros(100),
            "hosts wake late"
        );
        assert!(report(&[50; 100]).is_on_time());
        assert!(report(&[[50; 199].as_slice(), &[9000]].concat()).is_on_time(), "one in two hundred");
        let late = report(&[[50; 90].as_slice(), &[9000; 10]].concat());
        assert!(!late.is_on_time());
        assert!(late.to_string().contains("warning: the host does not keep time"), "{late}");
        assert_eq!(late.to_json()["on_time"], false);
    }
}
