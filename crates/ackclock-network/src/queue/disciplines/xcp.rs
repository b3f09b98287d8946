//! The router of the explicit control protocol (XCP): feedback in the headers of departing packets, instead of drops.

use ackclock_catalogue::{Entry, Parameter, Unit, Values};
use ackclock_units::{Bytes, Duration, LinkRate, Time};

use crate::packet::congestion_header::CongestionHeader;
use crate::packet::queued_packet::{Discard, QueuedPacket};
use crate::queue::discipline::{Built, Discipline, Site};
use crate::queue::parts::fifo::Fifo;
use crate::queue::scheduler::Scheduler;
use crate::{BufferSize, DropReason, Occupancy};

/// XCP (draft-falk-xcp-spec-03, section 4; Katabi, Handley and Rohrs 2002, section 3.5): first in, first out, with tail drop.
///
/// A control interval is the average round-trip time of the flows. Once per interval the efficiency controller computes
/// the change of the whole traffic that fills the link and drains the queue. The fairness controller distributes the
/// change over the departing packets: an increase in equal parts to all flows, a decrease in proportion to their rates.
/// If the change is small, it shuffles: it takes from all flows in proportion and gives to all in equal parts.
///
/// Packets without a congestion header count as traffic and are left alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Xcp {
    /// The part of the spare capacity that is distributed in a control interval.
    pub alpha: f64,
    /// The part of the persistent queue that is drained in a control interval.
    pub beta: f64,
    /// The part of the traffic that is shuffled in a control interval.
    pub gamma: f64,
    /// The shortest interval over which the smallest queue counts as persistent (`ALLOWED_QUEUE`).
    pub allowed_queue: Duration,
    /// The shortest control interval (`MIN_INTERVAL`).
    pub min_interval: Duration,
    /// The largest round-trip time that counts in full (`MAX_INTERVAL`).
    pub max_interval: Duration,
    /// The control interval while no traffic states a round-trip time.
    pub initial_interval: Duration,
}

const fn interval(name: &'static str, default: f64, meaning: &'static str) -> Parameter {
    Parameter::new(name, Unit::Milliseconds, default, (0.001, 1e6), meaning)
}

impl Discipline for Xcp {
    const ENTRY: Entry = Entry {
        kind: "queue",
        name: "xcp",
        title: "the router of the explicit control protocol: feedback in congestion headers",
        source: "draft-falk-xcp-spec-03; Katabi, Handley and Rohrs, SIGCOMM 2002",
        parameters: &[
            Parameter::new(
                "alpha",
                Unit::Number,
                0.4,
                (0.0, 1.0),
                "the part of the spare capacity handed out per interval",
            ),
            Parameter::new(
                "beta",
                Unit::Number,
                0.226,
                (0.0, 1.0),
                "the part of the persistent queue drained per interval",
            ),
            Parameter::new(
                "gamma",
                Unit::Number,
                0.1,
                (0.0, 1.0),
                "the part of the traffic shuffled per interval",
            ),
            interval("allowed_queue", 2.0, "the shortest interval for the persistent queue (ALLOWED_QUEUE)"),
            interval("min_interval", 1.0, "the shortest control interval (MIN_INTERVAL)"),
            interval("max_interval", 1000.0, "the largest round-trip time that counts (MAX_INTERVAL)"),
            interval(
                "initial_interval",
                50.0,
                "the control interval while no packet states a round-trip time",
            ),
        ],
        ..Entry::PLAIN
    };

    fn make(values: &Values) -> Xcp {
        Xcp {
            alpha: values.get("alpha"),
            beta: values.get("beta"),
            gamma: values.get("gamma"),
            allowed_queue: values.duration("allowed_queue"),
            min_interval: values.duration("min_interval"),
            max_interval: values.duration("max_interval"),
            initial_interval: values.duration("initial_interval"),
        }
    }

    fn build(&self, site: &Site<'_>) -> Built {
        Built::pulled(XcpQueue::new(*self, site.rate))
    }
}

/// The size of a packet in bytes from which the capacity of a link with a rate in packets is computed.
const FRAME: u64 = 1500;

/// The arrivals of a control interval.
#[derive(Clone, Copy, Debug, Default)]
struct Arrivals {
    /// Bytes of all packets.
    bytes: f64,
    /// The sum of the packets' X, in seconds.
    spacing: f64,
    /// The sum of X times the round-trip time.
    spacing_by_rtt: f64,
}

/// The feedback of a control interval: what is left of it in bytes per second, and the part for one packet.
#[derive(Clone, Copy, Debug, Default)]
struct Feedback {
    /// The increase and the decrease not distributed yet (`residue_pos_fbk`, `residue_neg_fbk`).
    increase: f64,
    decrease: f64,
    /// The increase per second of X (Cp), and the decrease per byte (Cn).
    per_spacing: f64,
    per_byte: f64,
}

/// The state of one queue.
///
/// Its two timers are lazy. Nothing that they read changes between packets, so an expired timer takes effect before the
/// next packet arrives or departs.
#[derive(Clone, Debug)]
pub(crate) struct XcpQueue {
    rule: Xcp,
    /// Bytes per second.
    capacity: f64,
    waiting: Fifo,
    arrivals: Arrivals,
    feedback: Feedback,
    /// The average round-trip time in seconds, and the control interval.
    average_rtt: f64,
    interval: Duration,
    control_at: Time,
    /// The persistent queue, and the smallest queue since it was last estimated, in bytes.
    persistent: f64,
    least: u64,
    queue_at: Time,
}

impl XcpQueue {
    pub(crate) fn new(rule: Xcp, rate: LinkRate) -> XcpQueue {
        let first = Time::ZERO + rule.initial_interval;
        XcpQueue {
            rule,
            capacity: FRAME as f64 / rate.transmission_time(Bytes::new(FRAME)).as_secs_f64(),
            waiting: Fifo::default(),
            arrivals: Arrivals::default(),
            feedback: Feedback::default(),
            average_rtt: rule.initial_interval.as_secs_f64(),
            interval: rule.initial_interval,
            control_at: first,
            persistent: 0.0,
            least: 0,
            queue_at: first,
        }
    }

    /// Applies the timers that have expired by now, at equal times the control timer first. Expiries that change nothing but the
    /// next one are passed over together, so that a long silence takes no longer than a short one.
    fn advance(&mut self, now: Time) {
        while self.control_at.min(self.queue_at) <= now {
            if self.control_at <= self.queue_at {
                if self.has_nothing_to_control() {
                    self.control_at = after(self.control_at, self.interval, now);
                } else {
                    self.control();
                }
            } else if self.has_known_queue() {
                // The control timer may change the period.
                let last = now.min(Time::from_nanos(self.control_at.as_nanos() - 1));
                self.queue_at = after(self.queue_at, self.queue_interval(), last);
            } else {
                self.estimate_queue();
            }
        }
    }

    /// True without traffic since the last control interval, which had none either.
    fn has_nothing_to_control(&self) -> bool {
        self.arrivals.bytes <= 0.0
            && self.arrivals.spacing <= 0.0
            && self.average_rtt.to_bits() == self.rule.initial_interval.as_secs_f64().to_bits()
            && self.interval == self.rule.initial_interval.max(self.rule.min_interval)
            && self.feedback.increase <= 0.0
            && self.feedback.decrease <= 0.0
    }

    /// True if the queue has been what it is for an interval.
    fn has_known_queue(&self) -> bool {
        self.least == self.waiting.bytes() && self.persistent.to_bits() == (self.least as f64).to_bits()
    }

    /// The control timer expires (4.2, lines 7 to 19).
    ///
    /// With traffic but no packet that states a round-trip time, the initial interval stands for the average, and no
    /// packet can receive an increase.
    fn control(&mut self) {
        let Arrivals { bytes, spacing, spacing_by_rtt } = std::mem::take(&mut self.arrivals);
        self.average_rtt =
            if spacing > 0.0 { spacing_by_rtt / spacing } else { self.rule.initial_interval.as_secs_f64() };
        self.feedback = Feedback::default();
        if bytes > 0.0 {
            let traffic = bytes / self.interval.as_secs_f64();
            let change = self.rule.alpha * (self.capacity - traffic)
                - self.rule.beta * self.persistent / self.average_rtt;
            let shuffled = (self.rule.gamma * traffic - change.abs()).max(0.0);
            let increase = shuffled + change.max(0.0);
            let decrease = shuffled + (-change).max(0.0);
            let per_spacing = if spacing > 0.0 { increase / spacing } else { 0.0 };
            self.feedback = Feedback { increase, decrease, per_spacing, per_byte: decrease / bytes };
        }
        self.interval = Duration::from_secs_f64(self.average_rtt).max(self.rule.min_interval);
        self.control_at += self.interval;
    }

    /// The queue timer expires (4.5, lines 33 to 36).
    fn estimate_queue(&mut self) {
        self.persistent = self.least as f64;
        self.least = self.waiting.bytes();
        self.queue_at += self.queue_interval();
    }

    /// The interval until the next estimate of the persistent queue: half the propagation delay there and back.
    fn queue_interval(&self) -> Duration {
        let propagation = self.average_rtt - self.waiting.bytes() as f64 / self.capacity;
        Duration::from_secs_f64(propagation.max(0.0) / 2.0).max(self.rule.allowed_queue)
    }

    /// Grants a packet of this many bytes its feedback, and subtracts it from the rest (4.3, lines 20 to 31).
    fn grant(&mut self, size: f64, header: &mut CongestionHeader<'_>) {
        let left = &mut self.feedback;
        let mut increase = left.increase.min(left.per_spacing * header.spacing);
        let mut decrease = left.decrease.min(left.per_byte * size);
        let feedback = increase - decrease;
        let asked = f64::from(*header.delta_throughput);
        if asked >= feedback {
            *header.delta_throughput = feedback as f32;
        } else {
            // A previous router allows less, or the sender asks for less: the difference remains to be distributed.
            decrease = left.decrease.min(decrease + (feedback - asked));
            increase = asked + decrease;
        }
        left.increase = (left.increase - increase).max(0.0);
        left.decrease = (left.decrease - decrease).max(0.0);
        if left.increase <= 0.0 {
            left.per_spacing = 0.0;
        }
        if left.decrease <= 0.0 {
            left.per_byte = 0.0;
        }
    }
}

/// The first expiry after `last` of a timer that expires at `at` and every period from then on.
fn after(at: Time, period: Duration, last: Time) -> Time {
    at + period.saturating_mul(last.since(at).as_nanos() / period.as_nanos() + 1)
}

impl Scheduler for XcpQueue {
    fn stamps(&self) -> bool {
        true
    }

    /// A packet arrives (4.1, lines 2 to 6).
    fn note_header(&mut self, now: Time, header: &CongestionHeader<'_>) {
        self.advance(now);
        if header.rtt > 0.0 {
            self.arrivals.spacing += header.spacing;
            self.arrivals.spacing_by_rtt +=
                header.spacing * header.rtt.min(self.rule.max_interval.as_secs_f64());
        }
    }

    fn enqueue(&mut self, now: Time, packet: QueuedPacket, buffer: BufferSize, discards: &mut Vec<Discard>) {
        self.advance(now);
        self.arrivals.bytes += f64::from(packet.size);
        if buffer.is_exceeded(self.waiting.occupancy().with(packet.size)) {
            discards.push((packet, DropReason::Queue));
        } else {
            self.waiting.push(packet);
        }
    }

    /// The queue that a departing packet leaves behind may be the smallest of the interval (4.5, line 32).
    fn dequeue(&mut self, now: Time, _discards: &mut Vec<Discard>) -> Option<QueuedPacket> {
        self.advance(now);
        let packet = self.waiting.pop();
        self.least = self.least.min(self.waiting.bytes());
        packet
    }

    /// A packet departs. One whose flow has no estimate of its round-trip time is granted nothing.
    fn stamp(&mut self, packet: &QueuedPacket, header: &mut CongestionHeader<'_>) {
        if header.rtt > 0.0 {
            self.grant(f64::from(packet.size), header);
        } else {
            *header.delta_throughput = header.delta_throughput.min(0.0);
        }
    }

    fn occupancy(&self) -> Occupancy {
        self.waiting.occupancy()
    }
}

#[cfg(test)]
mod tests;
