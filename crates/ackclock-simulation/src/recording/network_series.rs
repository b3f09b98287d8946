//! Time series of the network as a whole, independent of the number of flows.

use ackclock_units::Time;

use crate::facts::counts::{Gauges, Snapshot};
use crate::tables::table::{Column, Table};

/// Sums and means over all flows whose packets are acknowledged.
#[derive(Default)]
pub(crate) struct NetworkSeries {
    time: Vec<f64>,
    active: Vec<u64>,
    cwnd: Vec<f64>,
    srtt: Vec<f64>,
    in_flight: Vec<f64>,
    sent: Vec<u64>,
    retransmissions: Vec<u64>,
    timeouts: Vec<u64>,
    delivered: Vec<u64>,
    goodput: Vec<f64>,
    /// The counts of all flows at the last sample.
    before: Sum,
    /// The counts of flows that are over and no longer sampled.
    over: Sum,
}

/// A flow whose packets are acknowledged, at the time of a sample.
pub(crate) struct FlowSample {
    pub counts: Snapshot,
    pub gauges: Gauges,
    pub is_open: bool,
}

/// The sums of the flows' counts.
#[derive(Clone, Copy, Default)]
struct Sum {
    sent: u64,
    retransmissions: u64,
    timeouts: u64,
    packets: u64,
    bytes: u64,
}

impl Sum {
    fn add(&mut self, flow: &Snapshot) {
        self.sent += flow.counters.segments_sent;
        self.retransmissions += flow.counters.retransmissions;
        self.timeouts += u64::from(flow.counters.timeouts);
        self.packets += flow.packets;
        self.bytes += flow.arrived;
    }
}

impl NetworkSeries {
    /// Adds the counts of a flow that is over and no longer sampled.
    pub fn fold(&mut self, counts: &Snapshot) {
        self.over.add(counts);
    }

    /// Takes a sample, `span` seconds after the last.
    pub fn sample(&mut self, now: Time, flows: impl Iterator<Item = FlowSample>, span: f64) {
        let (mut active, mut cwnd, mut in_flight) = (0_u64, 0.0, 0.0);
        let (mut measured, mut srtt) = (0_u64, 0.0);
        let mut new = self.over;
        for FlowSample { counts, gauges, is_open } in flows {
            new.add(&counts);
            if is_open {
                active += 1;
                cwnd += gauges.cwnd;
                in_flight += gauges.in_flight;
                measured += u64::from(!gauges.srtt.is_zero());
                srtt += gauges.srtt.as_secs_f64();
            }
        }
        self.time.push(now.as_secs_f64());
        self.active.push(active);
        self.cwnd.push(cwnd / active as f64);
        self.srtt.push(srtt / measured as f64);
        self.in_flight.push(in_flight);
        let old = std::mem::replace(&mut self.before, new);
        self.sent.push(new.sent - old.sent);
        self.retransmissions.push(new.retransmissions - old.retransmissions);
        self.timeouts.push(new.timeouts - old.timeouts);
        self.delivered.push(new.packets - old.packets);
        self.goodput.push((new.bytes - old.bytes) as f64 * 8.0 / span);
    }

    pub fn into_table(self) -> Table {
        Table::default()
            .with("time_s", Column::Real(self.time))
            .with("flows_active", Column::Count(self.active))
            .with("mean_cwnd_packets", Column::Real(self.cwnd))
            .with("mean_srtt_s", Column::Real(self.srtt))
            .with("in_flight_packets", Column::Real(self.in_flight))
            .with("packets_sent", Column::Count(self.sent))
            .with("retransmissions", Column::Count(self.retransmissions))
            .with("timeouts", Column::Count(self.timeouts))
            .with("packets_delivered", Column::Count(self.delivered))
            .with("goodput_bit_per_s", Column::Real(self.goodput))
    }
}
