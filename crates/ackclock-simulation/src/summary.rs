//! The results of a run: a row for every flow and every link direction, and the tables recorded on the way.

use ackclock_network::{Conservation, Graph, LinkId, LinkStats};
use ackclock_units::{Duration, Time};

use crate::captured::{self, CapturedArrival};
use crate::epochs::{self, Sending};
use crate::flow_infos::{FlowInfo, FlowInfos};
use crate::flows::counts::{Baseline, ConnectionTimes, Snapshot};
use crate::measurements::Measurements;
use crate::records::{Column, Table};
use crate::scenario::Epoch;
use crate::trace::Losses;

/// A finished run.
#[derive(Debug)]
pub struct Output {
    /// Events that happened.
    pub events: u64,
    /// The fate of all packets; always [`Conservation::holds`].
    pub conservation: Conservation,
    /// Simulated time at the end.
    pub finished_at: Time,
    tables: Vec<(&'static str, Table)>,
    captures: Vec<CapturedArrival>,
    capture_points: Vec<LinkId>,
    graph: Graph,
    flows: FlowInfos,
}

impl Output {
    pub(crate) fn new(mut run: Measurements) -> Output {
        let measured = measured(&run);
        let flows = flow_table(&run, &measured);
        let timeouts = timeout_table(&run);
        let (epochs, silences) = epoch_tables(&run, &measured);
        let links = link_table(&mut run);
        let graph = run.network.graph().clone();
        let recorder = std::mem::take(&mut run.recorder);
        let capture_points = graph.links().filter(|link| recorder.captures(*link)).collect();
        let (series, captures) = recorder.into_parts();
        let mut tables = vec![("flows", flows), ("links", links), ("timeouts", timeouts)];
        tables.extend([("epochs", epochs), ("silences", silences)]);
        tables.extend([("users", run.users.user_table()), ("pages", run.users.page_table())]);
        tables.extend(series);
        tables.push(("responses", run.responses.table(run.now)));
        Output {
            events: run.event_count,
            conservation: run.network.conservation(),
            finished_at: run.now,
            tables,
            captures,
            capture_points,
            graph,
            flows: run.infos,
        }
    }

    /// A table by name: `flows`, `links`, `packets`, `flow_series`, `link_series`, `network_series`,
    /// `drops`, `gauges`, `transfers`, `transfer_classes`, `timeouts`, `epochs`, `silences`,
    /// `users`, `pages`, `responses`.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|(known, _)| *known == name).map(|(_, table)| table)
    }

    /// The tables' names.
    pub fn table_names(&self) -> impl Iterator<Item = &'static str> {
        self.tables.iter().map(|(name, _)| *name)
    }

    /// The captured packets as pcapng files, by capture point.
    pub fn captures(&self) -> Vec<(String, Vec<u8>)> {
        let file = |link: &LinkId| {
            (self.graph.link_name(*link), captured::file_of(*link, &self.captures, &self.graph, &self.flows))
        };
        self.capture_points.iter().map(file).collect()
    }

    /// Data packets delivered to applications, each counted once.
    pub fn packets_delivered(&self) -> u64 {
        self.table("flows")
            .and_then(|flows| flows.count("packets_delivered"))
            .map_or(0, |column| column.iter().sum())
    }
}

/// The measurements of one flow between the end of the warm-up and its own end.
struct Measured {
    from: Time,
    to: Time,
    life: ConnectionTimes,
    after: Snapshot,
    seconds: f64,
    goodput: f64,
    throughput: f64,
    mean_cwnd: f64,
    mean_rtt: f64,
}

fn measure(run: &Measurements, flow: usize) -> Measured {
    let info = run.infos.get(flow);
    let life = life(run, flow);
    let from = info.start.max(run.warm_up);
    let endpoints = run.flows.get(flow);
    let to = life.closed_at.map_or_else(
        || endpoints.measured_until(info.common.stop, run.now),
        |closed| closed.max(endpoints.delivered_at()),
    );
    let before = run.at_warm_up.get(flow).copied().unwrap_or_default();
    let after = run.snapshot(flow);
    let has_window = endpoints.gauges().is_some();
    let seconds = to.since(from).as_secs_f64();
    let bytes = (after.bytes - before.bytes) as f64;
    let packets = (after.packets - before.packets) as f64;
    let header = packets * f64::from(info.common.header);
    let windowed_only = |value: f64| if has_window { value } else { f64::NAN };
    let mean_cwnd = mean_cwnd_while_open(run, flow, &before, &after);
    Measured {
        from,
        to,
        life,
        after,
        seconds,
        goodput: mean_over(bytes * 8.0, seconds),
        throughput: mean_over((bytes + header) * 8.0, seconds),
        mean_cwnd: mean_cwnd.unwrap_or_else(|| {
            windowed_only(mean_over(after.counters.cwnd_seconds - before.cwnd_seconds, seconds))
        }),
        mean_rtt: windowed_only(mean_rtt(&before, &after, life.min_rtt)),
    }
}

/// The mean over a time in seconds; none over no time.
fn mean_over(total: f64, seconds: f64) -> f64 {
    if seconds > 0.0 { total / seconds } else { f64::NAN }
}

/// The mean of the round-trip times from the end of the warm-up on. They are some of those of which `min_rtt` is the least, so
/// that rounding alone can take the quotient out of their bounds.
fn mean_rtt(before: &Baseline, after: &Snapshot, min_rtt: Duration) -> f64 {
    let samples = after.counters.rtt_samples - before.rtt_samples;
    if samples == 0 || after.counters.rtt_total == Duration::MAX {
        // None was measured, or their sum is above 64 bits of nanoseconds.
        return f64::NAN;
    }
    let mean = (after.counters.rtt_total - before.rtt_total).as_secs_f64() / samples as f64;
    mean.max(min_rtt.as_secs_f64()).min(after.counters.rtt_max.as_secs_f64())
}

/// The times of a flow's connection. A flow that sends file after file has none: they are those of its transfers.
fn life(run: &Measurements, flow: usize) -> ConnectionTimes {
    let present = run.flows.get(flow).life();
    match run.sockets.get(flow) {
        Some(socket) if run.sockets.repeats(flow) => {
            ConnectionTimes { min_rtt: socket.min_rtt(&present), ..ConnectionTimes::default() }
        }
        _ => present,
    }
}

/// The mean window of a flow that sends file after file, over the time that its connections were open.
fn mean_cwnd_while_open(run: &Measurements, flow: usize, before: &Baseline, after: &Snapshot) -> Option<f64> {
    let socket = run.sockets.get(flow).filter(|_| run.sockets.repeats(flow))?;
    let open = socket.open(&run.flows.get(flow).life(), run.now) - socket.open_at_warm_up;
    Some(mean_over(after.counters.cwnd_seconds - before.cwnd_seconds, open))
}

fn measured(run: &Measurements) -> Vec<Measured> {
    (0..run.infos.len()).map(|flow| measure(run, flow)).collect()
}

fn flow_table(run: &Measurements, measured: &[Measured]) -> Table {
    let flows = &run.infos;
    let seconds = |time: Option<Time>| time.map_or(f64::NAN, Time::as_secs_f64);
    let graph = run.network.graph();
    let text = |get: &dyn Fn(usize, &FlowInfo) -> String| {
        Column::Text(flows.iter().enumerate().map(|(flow, info)| get(flow, info)).collect())
    };
    let counted =
        |get: &dyn Fn(&Snapshot) -> u64| Column::Count(measured.iter().map(|m| get(&m.after)).collect());
    let averaged = |get: &dyn Fn(&Measured) -> f64| Column::Real(measured.iter().map(get).collect());
    let lost = |get: &dyn Fn(&Losses) -> u64| {
        Column::Count((0..flows.len()).map(|flow| get(&run.recorder.losses(flow))).collect())
    };
    let kinds = (0..flows.len()).map(|flow| run.flows.kind(flow).name().to_owned());
    let moments = |get: &dyn Fn(&ConnectionTimes) -> Option<Time>| {
        Column::Real(measured.iter().map(|m| seconds(get(&m.life))).collect())
    };
    let extreme_rtt = |get: &dyn Fn(&Measured) -> Duration| {
        let value = |m| Some(get(m)).filter(|rtt| !rtt.is_zero()).map_or(f64::NAN, Duration::as_secs_f64);
        Column::Real(measured.iter().map(value).collect())
    };

    Table::default()
        .with("flow", Column::Index((0..flows.len() as u32).collect()))
        .with("name", text(&|flow, _| flows.name(flow).to_owned()))
        .with("kind", Column::Text(kinds.collect()))
        .with("algorithm", text(&|_, info| info.common.algorithm.clone()))
        .with("source", text(&|_, info| graph.node_name(info.source).to_owned()))
        .with("destination", text(&|_, info| graph.node_name(info.destination).to_owned()))
        .with("start_s", Column::Real(flows.iter().map(|info| info.start.as_secs_f64()).collect()))
        .with("established_s", moments(&|life| life.established_at))
        .with("finish_s", moments(&|life| life.finished_at))
        .with("packets_sent", counted(&|s| s.counters.segments_sent))
        .with("packets_delivered", counted(&|s| s.packets))
        .with("bytes_delivered", counted(&|s| s.bytes))
        .with("packets_lost", lost(&|losses| losses.data))
        .with("control_packets_lost", lost(&|losses| losses.control))
        .with("retransmissions", counted(&|s| s.counters.retransmissions))
        .with("timeouts", counted(&|s| u64::from(s.counters.timeouts)))
        .with(
            "repeated_timeouts",
            counted(&|s| s.counters.timeouts_in_a_row[1..].iter().map(|count| u64::from(*count)).sum()),
        )
        .with("fast_retransmits", counted(&|s| u64::from(s.counters.fast_retransmits)))
        .with("measured_s", averaged(&|m| m.seconds))
        .with("goodput_bit_per_s", averaged(&|m| m.goodput))
        .with("throughput_bit_per_s", averaged(&|m| m.throughput))
        .with("mean_cwnd_packets", averaged(&|m| m.mean_cwnd))
        .with("mean_rtt_s", averaged(&|m| m.mean_rtt))
        .with("min_rtt_s", extreme_rtt(&|m| m.life.min_rtt))
        .with("max_rtt_s", extreme_rtt(&|m| m.after.counters.rtt_max))
}

/// A row for every flow and number of timeouts in a row, up to the most there were.
fn timeout_table(run: &Measurements) -> Table {
    let (mut flows, mut in_a_row, mut timeouts) = (Vec::new(), Vec::new(), Vec::new());
    for flow in 0..run.infos.len() {
        let counted = run.snapshot(flow).counters.timeouts_in_a_row;
        let deepest = counted.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        for (before, count) in counted.into_iter().take(deepest).enumerate() {
            flows.push(flow as u32);
            in_a_row.push(before as u64 + 1);
            timeouts.push(u64::from(count));
        }
    }
    Table::default()
        .with("flow", Column::Index(flows))
        .with("in_a_row", Column::Count(in_a_row))
        .with("timeouts", Column::Count(timeouts))
}

/// The tables `epochs` and `silences`, where the scenario asks for them.
fn epoch_tables(run: &Measurements, measured: &[Measured]) -> (Table, Table) {
    let sending = |(flow, measured): (usize, &Measured)| Sending {
        flow: flow as u32,
        times: run.processing.times(flow),
        from: measured.from,
        until: measured.to.max(measured.from),
        mean_rtt: measured.mean_rtt,
    };
    match run.epoch {
        Some(epoch) => epochs::tables(&measured.iter().enumerate().map(sending).collect::<Vec<_>>(), epoch),
        None => epochs::tables(&[], Epoch::OwnRtt),
    }
}

/// A link's rate; nothing where it is in packets.
fn bits_per_second(graph: &Graph, link: LinkId) -> f64 {
    graph.edge(link).config.rate.bits_per_second().map_or(f64::NAN, |bits| bits as f64)
}

fn link_table(run: &mut Measurements) -> Table {
    let now = run.now;
    let links: Vec<LinkId> = run.network.graph().links().collect();
    let snapshot = run.network.snapshot(now);
    let stats: Vec<_> = links.iter().map(|link| snapshot.link_stats(*link)).collect();
    let graph = run.network.graph();
    let counts = |get: &dyn Fn(&LinkStats) -> u64| Column::Count(stats.iter().map(get).collect());
    let reals = |get: &dyn Fn(&LinkStats) -> f64| Column::Real(stats.iter().map(get).collect());
    Table::default()
        .with("link", Column::Index(links.iter().map(|link| link.index() as u32).collect()))
        .with("name", Column::Text(links.iter().map(|link| graph.link_name(*link)).collect()))
        .with(
            "rate_bit_per_s",
            Column::Real(links.iter().map(|link| bits_per_second(graph, *link)).collect()),
        )
        .with("packets_offered", counts(&|s| s.offered))
        .with("packets_forwarded", counts(&|s| s.forwarded))
        .with("dropped_queue", counts(&|s| s.dropped_queue))
        .with("dropped_loss", counts(&|s| s.dropped_loss))
        .with("marked", counts(&|s| s.marked))
        .with("bytes_forwarded", counts(&|s| s.bytes_forwarded.get()))
        .with("utilisation", reals(&|s| s.utilisation()))
        .with("mean_queue_packets", reals(&|s| s.mean_queue_packets()))
        .with("max_queue_packets", counts(&|s| u64::from(s.max_queue_packets)))
        .with("mean_queueing_delay_s", reals(&|s| s.mean_queueing_delay_secs()))
        .with(
            "max_queueing_delay_s",
            reals(&|s| s.max_queueing_delay.map_or(f64::NAN, Duration::as_secs_f64)),
        )
        .with("dropped_early", counts(&|s| s.dropped_early))
        .with("pushed_out", counts(&|s| s.pushed_out))
        .with("offered_protected", counts(&|s| s.offered_protected))
        .with("dropped_protected", counts(&|s| s.dropped_protected))
}
