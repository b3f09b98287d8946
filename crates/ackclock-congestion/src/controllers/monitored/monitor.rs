//! Monitor intervals: when each was sent, and what became of its packets.

use ackclock_units::{Duration, Time};

use crate::facts::Ack;

/// Acknowledgments after which a loss is found.
const LATE: usize = 3;

/// A plan: rates to try one after the other, and the intervals in which they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Monitor {
    plan: Vec<f64>,
    /// Those that have begun.
    intervals: Vec<Interval>,
    /// When the packets of the last acknowledgments were sent, in nanoseconds, the latest acknowledgment first.
    sent: [Option<u64>; LATE],
    /// When the packet of the third acknowledgment before the present one was sent.
    late: Option<u64>,
}

/// A monitor interval.
#[derive(Clone, Debug)]
struct Interval {
    rate: f64,
    /// When it began, and when it is to end, in nanoseconds.
    begin: u64,
    until: u64,
    end: Option<u64>,
    delivered: f64,
    lost: f64,
    is_limited: bool,
    line: Line,
}

impl Interval {
    fn contains(&self, sent: u64) -> bool {
        sent >= self.begin && self.end.is_none_or(|end| sent < end)
    }
}

/// The results of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// The rate tried, in packets per second.
    pub rate: f64,
    /// The part of the packets that was lost.
    pub loss: f64,
    /// The slope of the round-trip times over the times of sending: seconds per second.
    pub gradient: f64,
    /// Packets were counted, and the application did not limit them.
    pub says_something: bool,
}

impl Monitor {
    /// True while there is no plan.
    pub fn is_empty(&self) -> bool {
        self.plan.is_empty()
    }

    pub fn set_plan(&mut self, plan: Vec<f64>) {
        self.plan = plan;
    }

    /// Forgets plan and intervals.
    pub fn void(&mut self) {
        self.plan.clear();
        self.intervals.clear();
    }

    /// Sends the plan again.
    pub fn repeat(&mut self) {
        self.intervals.clear();
    }

    /// The rate of the first interval without a report.
    pub fn first_rate(&self) -> Option<f64> {
        self.intervals.first().map(|first| first.rate)
    }

    /// The rate of the interval that is being sent.
    pub fn rate(&self) -> Option<f64> {
        self.intervals.last().filter(|last| last.end.is_none()).map(|last| last.rate)
    }

    /// Counts an acknowledgment.
    pub fn take(&mut self, ack: &Ack) {
        self.late = self.sent[LATE - 1];
        if let Some(late) = self.late
            && let Some(interval) = self.of(late)
        {
            interval.lost += ack.lost;
        }
        let sent = ack.rtt.map(|rtt| ack.now.as_nanos().saturating_sub(rtt.as_nanos()));
        if let Some(place) = sent.or(self.sent[0])
            && let Some(interval) = self.of(place)
        {
            interval.delivered += ack.delivered;
            interval.is_limited |= ack.rate.is_some_and(|sample| sample.app_limited);
            if let Some(rtt) = ack.rtt {
                interval.line.add((place - interval.begin) as f64 / 1e9, rtt.as_secs_f64());
            }
        }
        if sent.is_some() {
            self.sent.rotate_right(1);
            self.sent[0] = sent;
        }
    }

    fn of(&mut self, sent: u64) -> Option<&mut Interval> {
        self.intervals.iter_mut().find(|interval| interval.contains(sent))
    }

    /// The reports of all intervals of the plan, once the results of the last one are in.
    pub fn reports(&self) -> Option<Vec<Report>> {
        let end = self.intervals.last()?.end?;
        let is_in = self.late.is_some_and(|late| late >= end);
        (is_in && self.intervals.len() == self.plan.len())
            .then(|| self.intervals.iter().map(Interval::report).collect())
    }

    /// The report of the first interval, once its results are in; it leaves the plan.
    pub fn take_report(&mut self) -> Option<Report> {
        let end = self.intervals.first()?.end?;
        if self.late.is_none_or(|late| late < end) {
            return None;
        }
        self.plan.remove(0);
        Some(self.intervals.remove(0).report())
    }

    /// Adds a rate to the plan.
    pub fn add(&mut self, rate: f64) -> f64 {
        self.plan.push(rate);
        rate
    }

    /// Ends the present interval if its time has passed. The rate of the next one if it is to begin now.
    pub fn next(&mut self, now: Time) -> Option<f64> {
        if let Some(last) = self.intervals.last_mut()
            && last.end.is_none()
        {
            if now.as_nanos() < last.until {
                return None;
            }
            last.end = Some(now.as_nanos());
        }
        self.plan.get(self.intervals.len()).copied()
    }

    pub fn begin(&mut self, now: Time, rate: f64, length: Duration) {
        self.intervals.push(Interval {
            rate,
            begin: now.as_nanos(),
            until: (now + length).as_nanos(),
            end: None,
            delivered: 0.0,
            lost: 0.0,
            is_limited: false,
            line: Line::default(),
        });
    }

    /// The plan for packets of another size.
    pub fn scale(&mut self, ratio: f64) {
        for rate in &mut self.plan {
            *rate *= ratio;
        }
        for Interval { rate, delivered, lost, .. } in &mut self.intervals {
            for packets in [rate, delivered, lost] {
                *packets *= ratio;
            }
        }
    }
}

impl Interval {
    fn report(&self) -> Report {
        let counted = self.delivered + self.lost;
        Report {
            rate: self.rate,
            loss: if counted > 0.0 { self.lost / counted } else { 0.0 },
            gradient: self.line.slope(),
            says_something: counted > 0.0 && !self.is_limited,
        }
    }
}

/// A line through points, by least squares.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    count: f64,
    mean_x: f64,
    mean_y: f64,
    /// Sums of squares and of products of the distances from the means.
    xx: f64,
    xy: f64,
}

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        let (from_x, from_y) = (x - self.mean_x, y - self.mean_y);
        self.mean_x += from_x / self.count;
        self.mean_y += from_y / self.count;
        self.xx += from_x * (x - self.mean_x);
        self.xy += from_x * (y - self.mean_y);
    }

    /// Zero while all points have one `x`.
    fn slope(self) -> f64 {
        if self.xx > 0.0 { self.xy / self.xx } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::RateSample;

    fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// A packet sent each millisecond, with this round-trip time in microseconds; one after each of `lost` is lost with them.
    fn path(monitor: &mut Monitor, packets: std::ops::Range<u64>, rtt_us: impl Fn(u64) -> u64, lost: &[u64]) {
        for packet in packets {
            let rtt = Duration::from_micros(rtt_us(packet));
            let lost = if lost.contains(&packet) { 1.0 } else { 0.0 };
            monitor.take(&Ack {
                now: at(packet) + rtt,
                delivered: 1.0,
                lost,
                rtt: Some(rtt),
                ..Ack::default()
            });
        }
    }

    /// An interval of the packets sent from 100 ms to 150 ms: those found lost with the packets 103 to 152 were sent in it. Its results are
    /// in with the packet of 153 ms, the third after its end.
    #[test]
    fn deliveries_and_losses_belong_to_the_interval_of_their_sending() {
        let mut monitor = Monitor::default();
        monitor.set_plan(vec![1_000.0]);
        path(&mut monitor, 0..100, |_| 50_000, &[]);
        assert_eq!(monitor.next(at(100)), Some(1_000.0));
        monitor.begin(at(100), 1_000.0, Duration::from_millis(50));
        assert_eq!(monitor.next(at(149)), None);
        assert_eq!(monitor.rate(), Some(1_000.0));
        assert_eq!((monitor.next(at(150)), monitor.rate()), (None, None));
        path(&mut monitor, 100..153, |_| 50_000, &[102, 103, 120, 152]);
        assert_eq!(monitor.reports(), None);
        path(&mut monitor, 153..154, |_| 50_000, &[153]);
        let report = monitor.reports().unwrap()[0];
        assert!((report.loss - 3.0 / 53.0).abs() < 1e-12, "{report:?}");
        assert!(report.says_something && report.gradient.abs() < 1e-12, "{report:?}");
    }

    /// Packets sent each millisecond into a queue that grows by 0.2 ms for each.
    #[test]
    fn the_gradient_is_over_the_times_of_sending() {
        let mut monitor = Monitor::default();
        monitor.set_plan(vec![1_000.0]);
        monitor.begin(at(0), 1_000.0, Duration::from_millis(50));
        assert_eq!(monitor.next(at(50)), None);
        path(&mut monitor, 0..54, |packet| 50_000 + 200 * packet, &[]);
        let report = monitor.reports().unwrap()[0];
        assert!((report.gradient - 0.2).abs() < 1e-9, "{report:?}");
    }

    /// An interval that the application limited, or in which nothing was counted, teaches nothing.
    #[test]
    fn intervals_of_nothing_and_limited_ones_say_nothing() {
        let mut monitor = Monitor::default();
        monitor.set_plan(vec![1_000.0, 1_000.0]);
        monitor.begin(at(0), 1_000.0, Duration::from_millis(5));
        assert_eq!(monitor.next(at(5)), Some(1_000.0));
        monitor.begin(at(5), 1_000.0, Duration::from_millis(5));
        assert_eq!(monitor.next(at(10)), None);
        let rtt = Some(Duration::from_millis(50));
        let limited = RateSample { app_limited: true, ..RateSample::default() };
        monitor.take(&Ack { now: at(52), delivered: 1.0, rtt, rate: Some(limited), ..Ack::default() });
        path(&mut monitor, 10..14, |_| 50_000, &[]);
        let reports = monitor.reports().unwrap();
        assert!(reports.iter().all(|report| !report.says_something), "{reports:?}");
    }
}
