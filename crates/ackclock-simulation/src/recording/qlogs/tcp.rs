//! The qlog of a simulated TCP sender: qlog 0.3 as a JSON text sequence, with the event names of QUIC, which qvis draws.
//!
//! TCP numbers bytes, QUIC packets. Here every segment that occupies sequence numbers is a packet with a new number,
//! even if its bytes are sent again. An acknowledgment lists the packets that it acknowledges first.

use std::collections::BTreeMap;
use std::io::Write;

use ackclock_transport::{Flags, Header, SackBlocks};
use ackclock_units::{Duration, Time};
use serde_json::{Map, Value, json};

use super::memory::Memory;
use crate::facts::counts::Gauges;

/// The first byte of each record of a JSON text sequence (RFC 7464).
const SEPARATOR: char = '\u{1e}';

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
    to: Memory,
    /// Payload bytes of a full segment.
    mss: f64,
    /// Packets sent so far.
    sent: u64,
    /// Packets received so far.
    received: u64,
    /// The segments not acknowledged, by first sequence number.
    outstanding: BTreeMap<u64, Outstanding>,
    /// The metrics in the log.
    metrics: Map<String, Value>,
}

/// A segment not acknowledged.
struct Outstanding {
    /// The sequence number after it.
    end: u64,
    /// The number of the packet that last carried it.
    number: u64,
}

impl TcpLog {
    /// A log with its header.
    pub fn new(title: &str, mss: u16, to: Memory) -> TcpLog {
        let header = header(title, "TCP");
        let mut log = TcpLog {
            to,
            mss: f64::from(mss),
            sent: 0,
            received: 0,
            outstanding: BTreeMap::new(),
            metrics: Map::new(),
        };
        log.write(&header);
        log
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
                self.event(now, "recovery:packet_lost", &json!({ "header": named(lost.number) }));
            }
        }
        let mut packet = json!({ "header": named(number), "raw": { "length": size } });
        if header.length > 0 {
            let stream = json!({ "frame_type": "stream", "stream_id": 0, "offset": header.sequence, "length": header.length });
            packet["frames"] = json!([stream]);
        }
        self.event(now, "transport:packet_sent", &packet);
    }

    /// A segment arrives, in a packet of this many bytes.
    pub fn on_received(&mut self, now: Time, header: &Header, sack: &SackBlocks, size: u32) {
        let mut packet = json!({ "header": named(self.received), "raw": { "length": size } });
        self.received += 1;
        let acknowledged = self.take_acknowledged(header.acknowledgment, sack);
        if !acknowledged.is_empty() {
            packet["frames"] = json!([{ "frame_type": "ack", "acked_ranges": ranges(acknowledged) }]);
        }
        self.event(now, "transport:packet_received", &packet);
    }

    /// The numbers of the packets that an acknowledgment is the first to acknowledge.
    fn take_acknowledged(&mut self, acknowledgment: u64, sack: &SackBlocks) -> Vec<u64> {
        let blocks = sack.iter(acknowledgment).filter(|block| block.0 > acknowledgment);
        let mut numbers = Vec::new();
        for (start, end) in std::iter::once((0, acknowledgment)).chain(blocks) {
            let within = |(_, segment): &(&u64, &Outstanding)| segment.end <= end;
            let keys: Vec<u64> =
                self.outstanding.range(start..end).filter(within).map(|(key, _)| *key).collect();
            numbers.extend(
                keys.iter().filter_map(|key| self.outstanding.remove(key)).map(|segment| segment.number),
            );
        }
        numbers
    }

    /// Logs the metrics that changed.
    pub fn on_metrics(&mut self, now: Time, gauges: &Gauges) {
        let bytes = |packets: f64| packets.is_finite().then(|| json!((packets * self.mss).round() as u64));
        let time = |time: Duration| (!time.is_zero()).then(|| json!(millis(time)));
        let all = [
            ("congestion_window", bytes(gauges.cwnd)),
            ("ssthresh", bytes(gauges.ssthresh)),
            ("bytes_in_flight", bytes(gauges.in_flight)),
            ("latest_rtt", time(gauges.latest_rtt)),
            ("smoothed_rtt", time(gauges.srtt)),
            ("rtt_variance", time(gauges.rttvar)),
        ];
        let changed: Map<String, Value> = all
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .filter(|(name, value)| self.metrics.get(name) != Some(value))
            .collect();
        if changed.is_empty() {
            return;
        }
        self.metrics.extend(changed.clone());
        self.event(now, "recovery:metrics_updated", &Value::Object(changed));
    }

    fn event(&mut self, now: Time, name: &str, data: &Value) {
        let time = millis(now.since(Time::ZERO));
        self.write(&json!({ "time": time, "name": name, "data": data }));
    }

    fn write(&mut self, record: &Value) {
        writeln!(self.to, "{SEPARATOR}{record}").expect("memory takes all");
    }
}

/// The header of a packet with data of an established connection.
fn named(number: u64) -> Value {
    json!({ "packet_type": "1RTT", "packet_number": number })
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
