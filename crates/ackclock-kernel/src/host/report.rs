//! Counts and delays of an algorithm's flows.

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::flow::Counts;

/// Counts of the kernel, `struct counters` of `bpf/datapath.bpf.c`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    /// Flows that began with the algorithm.
    pub flows: u64,
    /// The flows among them that found no free slot.
    pub refused: u64,
    pub acks: u64,
    /// Answers put into force,
    pub applied: u64,
    /// the nanoseconds since the acknowledgment that they answer, and the number of
    /// acknowledgments.
    pub lag_ns: u64,
    pub acks_late: u64,
    /// Acknowledgments taken as Reno.
    pub alone: u64,
    /// Records that did not fit into the ring.
    pub dropped: u64,
    /// Answers that were being written while they were read.
    pub torn: u64,
}

impl Counters {
    pub fn read(value: &[u8]) -> Counters {
        let mut words =
            value.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()));
        let mut next = || words.next().unwrap_or(0);
        Counters {
            flows: next(),
            refused: next(),
            acks: next(),
            applied: next(),
            lag_ns: next(),
            acks_late: next(),
            alone: next(),
            dropped: next(),
            torn: next(),
        }
    }
}

/// Delays in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// The median.
    pub p50: f64,
    /// 99 of 100 are shorter.
    pub p99: f64,
    /// 999 of 1000 are shorter.
    pub p999: f64,
}

impl Latency {
    pub(super) fn of(nanoseconds: &Histogram<u64>) -> Latency {
        let quantile = |quantile| nanoseconds.value_at_quantile(quantile) as f64 / 1e3;
        Latency { p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999) }
    }

    fn json(self) -> Value {
        json!({ "p50": self.p50, "p99": self.p99, "p99.9": self.p999 })
    }
}

/// The account of an algorithm.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name in the kernel.
    pub name: String,
    /// Flows that began, and how many of them found no free slot.
    pub flows: [u64; 2],
    /// Acknowledgments of its flows, and how many of them were taken as Reno.
    pub acks: [u64; 2],
    /// Records that did not fit into the ring.
    pub dropped: u64,
    /// Answers that could not be read, because they were being written.
    pub torn: u64,
    /// The time from an acknowledgment to the controller, in microseconds.
    pub to_controller: Latency,
    /// The time in the controller, including the answers to possible losses and marks.
    pub in_controller: Latency,
    /// The mean time from an acknowledgment until the answer is in force, in microseconds.
    pub until_applied: f64,
    /// The mean number of acknowledgments by which answers were late.
    pub acks_late: f64,
    /// Flows whose controller failed.
    pub failed: u64,
    /// The counts of flows that ended, followed by those of running flows, each with its local
    /// port.
    pub counts: Vec<(u16, Counts)>,
}

impl Report {
    /// The report as JSON, without the flows.
    pub fn json(&self) -> Value {
        let ([flows, refused], [acks, alone]) = (self.flows, self.acks);
        json!({
            "name": self.name,
            "flows": flows,
            "flows_without_slot": refused,
            "flows_with_failed_controller": self.failed,
            "acks": acks,
            "acks_as_reno": alone,
            "ring_drops": self.dropped,
            "answers_torn": self.torn,
            "to_controller_us": self.to_controller.json(),
            "in_controller_us": self.in_controller.json(),
            "until_applied_us": self.until_applied,
            "acks_late": self.acks_late,
        })
    }
}
