//! The stacks' own logs, translated to the qlog that qvis opens.
//!
//! quinn writes qlog 0.3, with the sizes of packets in fields that qvis does not read, and round-trip times in seconds
//! instead of qlog's milliseconds. noq writes main schema 13, which qvis refuses. Both become qlog 0.3: packets sent,
//! received and lost, with their acknowledgments, and the metrics of the recovery.

use std::io;

use ackclock_simulation::stack::{Log, qlog_header};
use serde_json::{Map, Number, Value, json};

/// The first byte of each record of a JSON text sequence (RFC 7464).
const SEPARATOR: u8 = 0x1e;

/// Events by their names in main schema 13 and in qlog 0.3. Others are left out.
const EVENTS: [(&str, &str); 4] = [
    ("quic:packet_sent", "transport:packet_sent"),
    ("quic:packet_received", "transport:packet_received"),
    ("quic:packet_lost", "recovery:packet_lost"),
    ("quic:recovery_metrics_updated", "recovery:metrics_updated"),
];

/// Takes the log of a stack, a JSON text sequence, and writes its translation.
pub(super) struct Translated {
    to: Log,
    title: &'static str,
    /// The unit of the stack's round-trip times, in milliseconds.
    rtt_unit: f64,
    /// The beginning of an incomplete record.
    record: Vec<u8>,
    is_headed: bool,
}

impl Translated {
    /// The log of the stack of this title, which writes round-trip times in units of this many milliseconds.
    pub fn new(to: Log, title: &'static str, rtt_unit: f64) -> Translated {
        Translated { to, title, rtt_unit, record: Vec::new(), is_headed: false }
    }

    /// Writes a complete record. The first record describes the log.
    fn finish(&mut self) -> io::Result<()> {
        let text = self.record.strip_prefix(&[SEPARATOR]).unwrap_or(&self.record);
        let record = if self.is_headed {
            translated(&serde_json::from_slice(text)?, self.rtt_unit)
        } else {
            Some(qlog_header(self.title, "QUIC"))
        };
        self.is_headed = true;
        self.record.clear();
        record.map_or(Ok(()), |record| writeln!(self.to, "{}{record}", char::from(SEPARATOR)))
    }
}

impl io::Write for Translated {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.record.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.finish()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// An event of either schema in qlog 0.3; none if it is of another kind.
fn translated(event: &Value, rtt_unit: f64) -> Option<Value> {
    let name = EVENTS.into_iter().find(|(new, old)| event["name"] == *new || event["name"] == *old)?.1;
    let data = if name == "recovery:metrics_updated" {
        metrics(&event["data"], rtt_unit)
    } else {
        packet(&event["data"])
    };
    Some(json!({ "time": event["time"], "name": name, "data": data }))
}

/// A packet: type and number, its size in bytes, the packets that it acknowledges, and the reason why it counts as
/// lost.
fn packet(data: &Value) -> Value {
    let (header, raw) = (&data["header"], &data["raw"]["length"]);
    let mut packet = Map::new();
    let named = json!({ "packet_type": header["packet_type"], "packet_number": header["packet_number"] });
    packet.insert("header".to_owned(), named);
    let size = if raw.is_null() { &header["length"] } else { raw };
    if !size.is_null() {
        packet.insert("raw".to_owned(), json!({ "length": size }));
    }
    let is_ack = |frame: &&Value| frame["frame_type"] == "ack";
    let acks: Vec<&Value> = data["frames"].as_array().into_iter().flatten().filter(is_ack).collect();
    if !acks.is_empty() {
        packet.insert("frames".to_owned(), json!(acks));
    }
    if let Some(trigger) = data.get("trigger") {
        packet.insert("trigger".to_owned(), trigger.clone());
    }
    Value::Object(packet)
}

/// The metrics that changed, without the number of the path, since there is only one.
fn metrics(data: &Value, rtt_unit: f64) -> Value {
    let mut metrics = data.clone();
    if let Some(metrics) = metrics.as_object_mut() {
        metrics.remove("path_id");
        for key in ["min_rtt", "smoothed_rtt", "latest_rtt", "rtt_variance"] {
            if let Some(Value::Number(rtt)) = metrics.get_mut(key) {
                // To the nanosecond.
                let nanos = (rtt.as_f64().unwrap_or_default() * rtt_unit * 1e6).round();
                *rtt = Number::from_f64(nanos / 1e6).unwrap_or(0.into());
            }
        }
    }
    metrics
}
