//! The rows of the tables `flows` and `timeouts`: a flow's are written once, into columns that are there from the beginning.

use ackclock_network::Graph;
use ackclock_units::{Duration, Time};

use crate::flow_infos::FlowInfos;
use crate::flows::{Flows, Kind};
use crate::measured::Measured;
use crate::records::{Column, Table};
use crate::texts::Texts;
use crate::trace::Recorder;

/// The columns of the table `flows` that are measured, by flow.
///
/// They begin as zeros, of which the system stores nothing until a page of them is written to: columns of what never
/// happens take no memory.
#[derive(Default)]
pub(crate) struct FlowRows {
    established: Vec<f64>,
    finish: Vec<f64>,
    packets_sent: Vec<u64>,
    packets_delivered: Vec<u64>,
    bytes_delivered: Vec<u64>,
    retransmissions: Vec<u64>,
    timeouts: Vec<u64>,
    repeated_timeouts: Vec<u64>,
    fast_retransmits: Vec<u64>,
    measured: Vec<f64>,
    goodput: Vec<f64>,
    throughput: Vec<f64>,
    mean_cwnd: Vec<f64>,
    mean_rtt: Vec<f64>,
    min_rtt: Vec<f64>,
    max_rtt: Vec<f64>,
    timeouts_in_a_row: Vec<TimeoutsInARow>,
}

/// A row of the table `timeouts`.
struct TimeoutsInARow {
    flow: u32,
    in_a_row: u32,
    timeouts: u32,
}

impl FlowRows {
    /// Rows for so many flows.
    pub fn for_flows(flows: usize) -> FlowRows {
        let reals = || vec![0.0; flows];
        let counts = || vec![0; flows];
        FlowRows {
            established: reals(),
            finish: reals(),
            packets_sent: counts(),
            packets_delivered: counts(),
            bytes_delivered: counts(),
            retransmissions: counts(),
            timeouts: counts(),
            repeated_timeouts: counts(),
            fast_retransmits: counts(),
            measured: reals(),
            goodput: reals(),
            throughput: reals(),
            mean_cwnd: reals(),
            mean_rtt: reals(),
            min_rtt: reals(),
            max_rtt: reals(),
            timeouts_in_a_row: Vec::new(),
        }
    }

    /// Writes the row of a flow.
    pub fn write(&mut self, flow: usize, measured: &Measured) {
        let Measured { ref life, ref after, .. } = *measured;
        let moment = |time: Option<Time>| time.map_or(f64::NAN, Time::as_secs_f64);
        let extreme = |rtt: Duration| if rtt.is_zero() { f64::NAN } else { rtt.as_secs_f64() };
        let in_a_row = &after.counters.timeouts_in_a_row;
        self.established[flow] = moment(life.established_at);
        self.finish[flow] = moment(life.finished_at);
        self.packets_sent[flow] = after.counters.segments_sent;
        self.packets_delivered[flow] = after.packets;
        self.bytes_delivered[flow] = after.bytes;
        self.measured[flow] = measured.seconds;
        self.goodput[flow] = measured.goodput;
        self.throughput[flow] = measured.throughput;
        self.mean_cwnd[flow] = measured.mean_cwnd;
        self.mean_rtt[flow] = measured.mean_rtt;
        self.min_rtt[flow] = extreme(life.min_rtt);
        self.max_rtt[flow] = extreme(after.counters.rtt_max);
        set(&mut self.retransmissions[flow], after.counters.retransmissions);
        set(&mut self.timeouts[flow], u64::from(after.counters.timeouts));
        set(&mut self.repeated_timeouts[flow], in_a_row[1..].iter().map(|count| u64::from(*count)).sum());
        set(&mut self.fast_retransmits[flow], u64::from(after.counters.fast_retransmits));
        let deepest = in_a_row.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        for (before, &timeouts) in in_a_row.iter().take(deepest).enumerate() {
            let (flow, in_a_row) = (flow as u32, before as u32 + 1);
            self.timeouts_in_a_row.push(TimeoutsInARow { flow, in_a_row, timeouts });
        }
    }

    /// The table `timeouts`: a row for every flow and number of timeouts in a row, up to the most there were.
    pub fn timeout_table(&mut self) -> Table {
        let mut rows = std::mem::take(&mut self.timeouts_in_a_row);
        rows.sort_unstable_by_key(|row| (row.flow, row.in_a_row));
        Table::default()
            .with("flow", Column::Index(rows.iter().map(|row| row.flow).collect()))
            .with("in_a_row", Column::Count(rows.iter().map(|row| u64::from(row.in_a_row)).collect()))
            .with("timeouts", Column::Count(rows.iter().map(|row| u64::from(row.timeouts)).collect()))
    }

    /// The table `flows`.
    pub fn into_table(
        self,
        infos: &FlowInfos,
        flows: &Flows,
        graph: &Graph,
        recorder: &mut Recorder,
    ) -> Table {
        let numbers = 0..infos.len();
        let algorithms = infos.commons().iter().map(|common| &*common.algorithm);
        let kinds = numbers.clone().map(|flow| flows.kind(flow) as u32).collect();
        let node = |rows| Column::Text(Texts::shared(graph.node_names().iter().map(|name| &**name), rows));
        let (lost, control_lost) = recorder.take_losses();
        Table::default()
            .with("flow", Column::Index(numbers.map(|flow| flow as u32).collect()))
            .with("name", Column::Text(Texts::of_each(infos.names())))
            .with("kind", Column::Text(Texts::shared(Kind::NAMES, kinds)))
            .with(
                "algorithm",
                Column::Text(Texts::shared(algorithms, infos.iter().map(|info| info.common).collect())),
            )
            .with("source", node(infos.iter().map(|info| info.source.index() as u32).collect()))
            .with("destination", node(infos.iter().map(|info| info.destination.index() as u32).collect()))
            .with("start_s", Column::Real(infos.iter().map(|info| info.start.as_secs_f64()).collect()))
            .with("established_s", Column::Real(self.established))
            .with("finish_s", Column::Real(self.finish))
            .with("packets_sent", Column::Count(self.packets_sent))
            .with("packets_delivered", Column::Count(self.packets_delivered))
            .with("bytes_delivered", Column::Count(self.bytes_delivered))
            .with("packets_lost", Column::Count(lost))
            .with("control_packets_lost", Column::Count(control_lost))
            .with("retransmissions", Column::Count(self.retransmissions))
            .with("timeouts", Column::Count(self.timeouts))
            .with("repeated_timeouts", Column::Count(self.repeated_timeouts))
            .with("fast_retransmits", Column::Count(self.fast_retransmits))
            .with("measured_s", Column::Real(self.measured))
            .with("goodput_bit_per_s", Column::Real(self.goodput))
            .with("throughput_bit_per_s", Column::Real(self.throughput))
            .with("mean_cwnd_packets", Column::Real(self.mean_cwnd))
            .with("mean_rtt_s", Column::Real(self.mean_rtt))
            .with("min_rtt_s", Column::Real(self.min_rtt))
            .with("max_rtt_s", Column::Real(self.max_rtt))
    }
}

/// Writes a count, but no zero: a column of zeros takes no memory.
fn set(count: &mut u64, value: u64) {
    if value > 0 {
        *count = value;
    }
}
