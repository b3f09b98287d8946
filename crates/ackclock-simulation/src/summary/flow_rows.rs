//! The rows of the tables `flows`, `timeouts` and `incidents`: each flow's rows are written once, into columns made
//! at the beginning.

use ackclock_network::Graph;
use ackclock_scenario::ordered;
use ackclock_transport::Incidents;
use ackclock_units::{Duration, Time};

use crate::facts::flow_infos::FlowInfos;
use crate::recording::recorder::Recorder;
use crate::summary::measured::Measured;
use crate::tables::count_column::CountColumn;
use crate::tables::table::{Column, Table};

/// The columns of the table `flows` that are measured, by flow.
pub(crate) struct FlowRows {
    established: Vec<f64>,
    finish: Vec<f64>,
    packets_sent: CountColumn,
    packets_delivered: CountColumn,
    bytes_delivered: CountColumn,
    retransmissions: CountColumn,
    timeouts: CountColumn,
    repeated_timeouts: CountColumn,
    fast_retransmits: CountColumn,
    measured: Vec<f64>,
    goodput: Vec<f64>,
    throughput: Vec<f64>,
    mean_cwnd: Vec<f64>,
    mean_rtt: Vec<f64>,
    min_rtt: Vec<f64>,
    max_rtt: Vec<f64>,
    timeouts_in_a_row: Vec<TimeoutsInARow>,
    incidents: Vec<(u32, Incidents)>,
}

/// One row of the table `timeouts`.
struct TimeoutsInARow {
    flow: u32,
    in_a_row: u32,
    timeouts: u32,
}

impl FlowRows {
    /// Rows for this many flows.
    pub fn for_flows(flows: usize) -> FlowRows {
        let reals = || vec![0.0; flows];
        let counts = || CountColumn::zeros(flows);
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
            incidents: Vec::new(),
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
        self.packets_sent.set(flow, after.counters.segments_sent);
        self.packets_delivered.set(flow, after.packets);
        self.bytes_delivered.set(flow, after.bytes);
        self.measured[flow] = measured.seconds;
        self.goodput[flow] = measured.goodput;
        self.throughput[flow] = measured.throughput;
        self.mean_cwnd[flow] = measured.mean_cwnd;
        self.mean_rtt[flow] = measured.mean_rtt;
        self.min_rtt[flow] = extreme(life.min_rtt);
        self.max_rtt[flow] = extreme(after.counters.rtt_max);
        self.retransmissions.set(flow, after.counters.retransmissions);
        self.timeouts.set(flow, u64::from(after.counters.timeouts));
        self.repeated_timeouts.set(flow, in_a_row[1..].iter().map(|count| u64::from(*count)).sum());
        self.fast_retransmits.set(flow, u64::from(after.counters.fast_retransmits));
        if after.incidents != Incidents::default() {
            self.incidents.push((flow as u32, after.incidents));
        }
        let deepest = in_a_row.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        for (before, &timeouts) in in_a_row.iter().take(deepest).enumerate() {
            let (flow, in_a_row) = (flow as u32, before as u32 + 1);
            self.timeouts_in_a_row.push(TimeoutsInARow { flow, in_a_row, timeouts });
        }
    }

    /// The table `timeouts`: a row for every flow and number of timeouts in a row, up to the largest that occurred.
    pub fn timeout_table(&mut self) -> Table {
        let rows = std::mem::take(&mut self.timeouts_in_a_row);
        let key = |row: usize| (rows[row].flow, rows[row].in_a_row);
        let order = ordered(rows.len(), &|one, other| key(one).cmp(&key(other)));
        let rows: Vec<&TimeoutsInARow> = order.iter().map(|row| &rows[*row]).collect();
        Table::default()
            .with("flow", Column::Index(rows.iter().map(|row| row.flow).collect()))
            .with("in_a_row", Column::Count(rows.iter().map(|row| u64::from(row.in_a_row)).collect()))
            .with("timeouts", Column::Count(rows.iter().map(|row| u64::from(row.timeouts)).collect()))
    }

    /// The table `incidents`: a row for every flow that had any; without one it has no columns.
    pub fn incident_table(&mut self) -> Table {
        let rows = std::mem::take(&mut self.incidents);
        if rows.is_empty() {
            return Table::default();
        }
        let order = ordered(rows.len(), &|one, other| rows[one].0.cmp(&rows[other].0));
        let rows: Vec<&(u32, Incidents)> = order.iter().map(|row| &rows[*row]).collect();
        let count = |get: fn(&Incidents) -> u32| {
            Column::Count(rows.iter().map(|(_, incidents)| u64::from(get(incidents))).collect())
        };
        Table::default()
            .with("flow", Column::Index(rows.iter().map(|(flow, _)| *flow).collect()))
            .with("window_probes", count(|incidents| incidents.window_probes))
            .with("resets", count(|incidents| incidents.resets))
            .with("fast_opens", count(|incidents| incidents.fast_opens))
            .with("fast_open_fallbacks", count(|incidents| incidents.fast_open_fallbacks))
    }

    /// The table `flows` of these flows, of the given kinds.
    pub fn into_table(
        self,
        infos: FlowInfos,
        kinds: Vec<u32>,
        graph: &Graph,
        recorder: &mut Recorder,
    ) -> Table {
        let (lost, control_lost) = recorder.take_losses();
        let delays = std::mem::take(&mut recorder.delays);
        let table = infos
            .into_table(kinds, graph)
            .with("established_s", Column::Real(self.established))
            .with("finish_s", Column::Real(self.finish))
            .with("packets_sent", Column::Count(self.packets_sent.into_counts()))
            .with("packets_delivered", Column::Count(self.packets_delivered.into_counts()))
            .with("bytes_delivered", Column::Count(self.bytes_delivered.into_counts()))
            .with("packets_lost", Column::Count(lost))
            .with("control_packets_lost", Column::Count(control_lost))
            .with("retransmissions", Column::Count(self.retransmissions.into_counts()))
            .with("timeouts", Column::Count(self.timeouts.into_counts()))
            .with("repeated_timeouts", Column::Count(self.repeated_timeouts.into_counts()))
            .with("fast_retransmits", Column::Count(self.fast_retransmits.into_counts()))
            .with("measured_s", Column::Real(self.measured))
            .with("goodput_bit_per_s", Column::Real(self.goodput))
            .with("throughput_bit_per_s", Column::Real(self.throughput))
            .with("mean_cwnd_packets", Column::Real(self.mean_cwnd))
            .with("mean_rtt_s", Column::Real(self.mean_rtt))
            .with("min_rtt_s", Column::Real(self.min_rtt))
            .with("max_rtt_s", Column::Real(self.max_rtt));
        delays.add_to(table)
    }
}
