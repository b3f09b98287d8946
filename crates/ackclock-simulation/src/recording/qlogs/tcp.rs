//! The qlog of a simulated TCP sender: qlog 0.3 as a JSON text sequence, with the event names of QUIC, which qvis draws.
//!
//! TCP numbers bytes, QUIC packets. Here every segment that occupies sequence numbers is a packet with a new number,
//! even if its bytes are sent again. An acknowledgment lists the packets that it acknowledges first.
//!
//! Events are types that are written at once: trees of values took most of the time of a logged run.

use std::collections::BTreeMap;

use ackclock_transport::{Flags, Header, SackBlocks};
use ackclock_units::{Duration, Time};
use serde::Serialize;
use serde_json::{Value, json};

use crate::facts::counts::Gauges;

/// The first byte of each record of a JSON text sequence (RFC 7464).
const SEPARATOR: u8 = 0x1e;

/// The header of a sender's log. Times are in milliseconds since the beginning of the run.
pub fn header(title: &str, protocol: &str) -> Value {
    json!({
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "title": title,
        "trace": {
            "vantage_point": { "name": "sender", "type": "client" },
            "common_fields": { "protocol_type": [protocol], "time_format": "relative", "reference_time": 0 },
        },
    })
}

/// The log of one connection after another of a flow.
pub(super) struct TcpLog {
    text: Vec<u8>,
    /// Payload bytes of a full segment.
    mss: f64,
    /// Packets sent so far.
    sent: u64,
    /// Packets received so far.
    received: u64,
    /// The segments not acknowledged, by first sequence number.
    outstanding: BTreeMap<u64, Outstanding>,
    /// The metrics in the log.
    metrics: Metrics,
}

/// A segment not acknowledged.
struct Outstanding {
    /// The sequence number after it.
    end: u64,
    /// The number of the packet that last carried it.
    number: u64,
}

/// An event. Its fields, and those of its data, are written in the order of their declaration.
#[derive(Serialize)]
struct Event<'a, Data> {
    time: f64,
    name: &'a str,
    data: Data,
}

/// A packet sent or received.
#[derive(Serialize)]
struct Packet {
    header: Named,
    raw: Raw,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<[Frame; 1]>,
}

/// A lost packet.
#[derive(Serialize)]
struct Lost {
    header: Named,
}

/// The header of a packet with data of an established connection.
#[derive(Serialize)]
struct Named {
    packet_type: &'static str,
    packet_number: u64,
}

#[derive(Serialize)]
struct Raw {
    length: u32,
}

#[derive(Serialize)]
#[serde(tag = "frame_type", rename_all = "lowercase")]
enum Frame {
    Stream {
        stream_id: u8,
        offset: u64,
        length: u16,
    },
    Ack {
        /// With both ends, in order.
        acked_ranges: Vec<(u64, u64)>,
    },
}

/// The metrics of a sender, in bytes and milliseconds, as far as they are known, or have changed.
#[derive(Clone, Copy, Default, PartialEq, Serialize)]
struct Metrics {
    #[serde(skip_serializing_if = "Option::is_none")]
    congestion_window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ssthresh: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_in_flight: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    smoothed_rtt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rtt_variance: Option<f64>,
}

impl Metrics {
    /// The metrics of a sender with full segments of `mss` bytes.
    fn of(gauges: &Gauges, mss: f64) -> Metrics {
        let bytes = |packets: f64| packets.is_finite().then(|| (packets * mss).round() as u64);
        let time = |time: Duration| (!time.is_zero()).then(|| millis(time));
        Metrics {
            congestion_window: bytes(gauges.cwnd),
            ssthresh: bytes(gauges.ssthresh),
            bytes_in_flight: bytes(gauges.in_flight),
            latest_rtt: time(gauges.latest_rtt),
            smoothed_rtt: time(gauges.srtt),
            rtt_variance: time(gauges.rttvar),
        }
    }

    /// Takes over the metrics that are known now, and returns those that changed, if any did.
    fn update(&mut self, now: &Metrics) -> Option<Metrics> {
        let changed = Metrics {
            congestion_window: replaced(&mut self.congestion_window, now.congestion_window),
            ssthresh: replaced(&mut self.ssthresh, now.ssthresh),
            bytes_in_flight: replaced(&mut self.bytes_in_flight, now.bytes_in_flight),
            latest_rtt: replaced(&mut self.latest_rtt, now.latest_rtt),
            smoothed_rtt: replaced(&mut self.smoothed_rtt, now.smoothed_rtt),
            rtt_variance: replaced(&mut self.rtt_variance, now.rtt_variance),
        };
        (changed != Metrics::default()).then_some(changed)
    }
}

/// A metric that is known and differs from the one before, which it replaces.
fn replaced<T: Copy + PartialEq>(before: &mut Option<T>, now: Option<T>) -> Option<T> {
    let changed = now.filter(|_| now != *before);
    *before = changed.or(*before);
    changed
}

impl TcpLog {
    /// A log with its header.
    pub fn new(title: &str, mss: u16) -> TcpLog {
        let mut log = TcpLog {
            text: Vec::new(),
            mss: f64::from(mss),
            sent: 0,
            received: 0,
            outstanding: BTreeMap::new(),
            metrics: Metrics::default(),
        };
        log.write(&header(title, "TCP"));
        log
    }

    /// The text of the log.
    pub fn into_text(self) -> Vec<u8> {
        self.text
    }

    /// A segment leaves, in a packet of this many bytes. If it was sent before, the earlier packet counts as lost.
    pub fn on_sent(&mut self, now: Time, header: &Header, size: u32) {
        if header.flags.has(Flags::SYN) {
            // This is another connection of the flow.
            self.outstanding.retain(|start, _| *start == header.sequence);
        }
        let number = self.sent;
        self.sent += 1;
        if header.end() > header.sequence {
            let segment = Outstanding { end: header.end(), number };
            if let Some(lost) = self.outstanding.insert(header.sequence, segment) {
                self.event(now, "recovery:packet_lost", Lost { header: named(lost.number) });
            }
        }
        let stream = Frame::Stream { stream_id: 0, offset: header.sequence, length: header.length };
        let frames = (header.length > 0).then_some([stream]);
        self.event(
            now,
            "transport:packet_sent",
            Packet { header: named(number), raw: Raw { length: size }, frames },
        );
    }

    /// A segment arrives, in a packet of this many bytes.
    pub fn on_received(&mut self, now: Time, header: &Header, sack: &SackBlocks, size: u32) {
        let number = self.received;
        self.received += 1;
        let acknowledged = self.take_acknowledged(header.acknowledgment, sack);
        let frames = (!acknowledged.is_empty()).then(|| [Frame::Ack { acked_ranges: ranges(acknowledged) }]);
        let packet = Packet { header: named(number), raw: Raw { length: size }, frames };
        self.event(now, "transport:packet_received", packet);
    }

    /// The numbers of the packets that an acknowledgment is the first to acknowledge.
    fn take_acknowledged(&mut self, acknowledgment: u64, sack: &SackBlocks) -> Vec<u64> {
        let blocks = sack.iter(acknowledgment).filter(|block| block.0 > acknowledgment);
        let mut numbers = Vec::new();
        for (start, end) in std::iter::once((0, acknowledgment)).chain(blocks) {
            let within = self.outstanding.extract_if(start..end, |_, segment| segment.end <= end);
            numbers.extend(within.map(|(_, segment)| segment.number));
        }
        numbers
    }

    /// Logs the metrics that changed.
    pub fn on_metrics(&mut self, now: Time, gauges: &Gauges) {
        if let Some(changed) = self.metrics.update(&Metrics::of(gauges, self.mss)) {
            self.event(now, "recovery:metrics_updated", changed);
        }
    }

    fn event(&mut self, now: Time, name: &str, data: impl Serialize) {
        self.write(&Event { time: millis(now.since(Time::ZERO)), name, data });
    }

    fn write(&mut self, record: &impl Serialize) {
        self.text.push(SEPARATOR);
        serde_json::to_writer(&mut self.text, record).expect("memory takes all, and every key is a text");
        self.text.push(b'\n');
    }
}

fn named(number: u64) -> Named {
    Named { packet_type: "1RTT", packet_number: number }
}

fn millis(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e6
}

/// Numbers as ranges with both ends, in order.
fn ranges(mut numbers: Vec<u64>) -> Vec<(u64, u64)> {
    numbers.sort_unstable();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.1 + 1 == number => last.1 = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}
