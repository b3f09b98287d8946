//! The results of a run: a row for every flow and every link direction, and the tables recorded on the way.

pub(crate) mod flow_rows;
pub(crate) mod measured;
pub(crate) mod measurements;

use std::sync::Arc;

use ackclock_network::{Conservation, Graph, LinkId, LinkStats};
use ackclock_scenario::Epoch;
use ackclock_units::{Duration, Time};

use crate::facts::Network;
use crate::facts::flow_infos::FlowInfos;
use crate::recording::calls;
use crate::recording::captured::{self, CapturedArrival};
use crate::recording::epochs::{self, Sending};
use crate::summary::measurements::Measurements;
use crate::tables::digest::Digest;
use crate::tables::table::{Column, Table};

/// The tables that a run without viewers leaves out of its digest, so that this is the same as before there were films.
const FILMS: [&str; 2] = ["films", "segments"];

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
    /// The tables that the scenario did not ask for. They count in the digest, without rows.
    unrecorded: Vec<&'static str>,
    captures: Vec<CapturedArrival>,
    capture_points: Vec<LinkId>,
    graph: Arc<Graph>,
    /// The flows, if packets are captured.
    flows: FlowInfos,
    qlogs: Vec<(String, Vec<u8>)>,
}

impl Output {
    pub(crate) fn new(run: Measurements) -> Output {
        let (epochs, silences) = epoch_tables(&run);
        let Measurements { network, flows, infos, sockets, users, responses, films, .. } = run;
        let Measurements { mut recorder, mut rows, now, .. } = run;
        // They make room for the tables.
        drop(sockets);
        let stop = |flow: u32| infos.common(flow as usize).stop;
        let (calls, freezes) = calls::tables(flows.calls(run.warm_up, now, stop), run.warm_up);
        let (films, segments) =
            (films.table(run.warm_up, |flow| stop(flow).min(now)), films.segment_table(now));
        let kinds = flows.into_kinds();
        let graph = Arc::clone(network.graph());
        let capture_points: Vec<LinkId> = graph.links().filter(|link| recorder.captures(*link)).collect();
        // Capture files name the ends of flows.
        let named = if capture_points.is_empty() { FlowInfos::default() } else { infos.clone() };
        let timeouts = rows.timeout_table();
        let incidents = rows.incident_table();
        let flows = rows.into_table(infos, kinds, &graph, &mut recorder);
        let links = link_table(&network, now);
        let qlogs = std::mem::take(&mut recorder.qlogs).take();
        let unrecorded = std::mem::take(&mut recorder.unrecorded);
        let (series, captures) = recorder.into_parts();
        let mut tables = vec![("flows", flows), ("links", links), ("timeouts", timeouts)];
        tables.extend([("epochs", epochs), ("silences", silences)]);
        tables.extend([("users", users.user_table()), ("pages", users.page_table())]);
        tables.extend(series);
        tables.push(("responses", responses.table(now)));
        // Runs without it keep their digests.
        tables.extend(users.object_table().map(|objects| ("objects", objects)));
        tables.push(("calls", calls));
        tables.extend(freezes.map(|freezes| ("freezes", freezes)));
        tables.push(("incidents", incidents));
        tables.extend([("films", films), ("segments", segments)]);
        Output {
            events: run.event_count,
            conservation: network.conservation(),
            finished_at: now,
            tables,
            unrecorded,
            captures,
            capture_points,
            graph,
            flows: named,
            qlogs,
        }
    }

    /// The qlogs of flows (JSON text sequences), by flow.
    pub fn qlogs(&self) -> &[(String, Vec<u8>)] {
        &self.qlogs
    }

    /// A table by name: `flows`, `links`, `packets`, `flow_series`, `link_series`, `network_series`,
    /// `drops`, `gauges`, `flow_events`, `transfers`, `transfer_classes`, `timeouts`, `epochs`, `silences`,
    /// `users`, `pages`, `responses`, and `calls`, `incidents`, `films` and `segments`, which have no columns without a call, an
    /// incident or a film.
    /// None for a table that the scenario's `[trace]` does not ask for, for `freezes` in a run without frames, and for `objects` in one
    /// without pages of known objects.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.recorded().find(|(known, _)| *known == name).map(|(_, table)| table)
    }

    /// Takes a table, which is empty afterwards. The caller may then release its memory column by column.
    pub fn take_table(&mut self, name: &str) -> Option<Table> {
        if self.unrecorded.contains(&name) {
            return None;
        }
        self.tables.iter_mut().find(|(known, _)| *known == name).map(|(_, table)| std::mem::take(table))
    }

    /// The names of the tables that were recorded.
    pub fn table_names(&self) -> impl Iterator<Item = &'static str> {
        self.recorded().map(|(name, _)| *name)
    }

    fn recorded(&self) -> impl Iterator<Item = &(&'static str, Table)> {
        self.tables.iter().filter(|(name, _)| !self.unrecorded.contains(name))
    }

    /// A number that is equal for runs with equal tables. For different tables it differs, except with a
    /// chance of one in 2^64. Call it before a table is taken.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        let without_films = |name: &str, table: &Table| FILMS.contains(&name) && table.columns().is_empty();
        let tables = self.tables.iter().filter(|(name, table)| !without_films(name, table));
        tables.for_each(|(name, table)| digest.add(name, table));
        digest.value()
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

/// The tables `epochs` and `silences`, if the scenario requests them.
fn epoch_tables(run: &Measurements) -> (Table, Table) {
    let Some(epoch) = run.epoch else { return epochs::tables(&[], Epoch::OwnRtt) };
    let sending = |flow| {
        let measured = run.measured(flow);
        Sending {
            flow: flow as u32,
            times: run.processing.times(flow),
            from: measured.from,
            until: measured.to.max(measured.from),
            mean_rtt: measured.mean_rtt,
        }
    };
    epochs::tables(&(0..run.infos.len()).map(sending).collect::<Vec<_>>(), epoch)
}

/// A link's rate, or its mean if it varies; `None` if it is in packets.
fn bits_per_second(graph: &Graph, link: LinkId, stats: &LinkStats) -> f64 {
    if let Some(capacity) = stats.mean_capacity() {
        return capacity;
    }
    graph.edge(link).config.rate.bits_per_second().map_or(f64::NAN, |bits| bits as f64)
}

/// How a column is measured: a count or a quantity of a link direction.
enum Measure {
    Count(fn(&LinkStats) -> u64),
    Real(fn(&LinkStats) -> f64),
}

/// The measured columns of the table `links`.
const LINK_MEASURES: [(&str, Measure); 16] = [
    ("packets_offered", Measure::Count(|link| link.offered)),
    ("packets_forwarded", Measure::Count(|link| link.forwarded)),
    ("dropped_queue", Measure::Count(|link| link.dropped_queue)),
    ("dropped_loss", Measure::Count(|link| link.dropped_loss)),
    ("marked", Measure::Count(|link| link.marked)),
    ("bytes_forwarded", Measure::Count(|link| link.bytes_forwarded.get())),
    ("utilisation", Measure::Real(LinkStats::utilisation)),
    ("mean_queue_packets", Measure::Real(LinkStats::mean_queue_packets)),
    ("max_queue_packets", Measure::Count(|link| u64::from(link.max_queue_packets))),
    ("mean_queueing_delay_s", Measure::Real(LinkStats::mean_queueing_delay_secs)),
    (
        "max_queueing_delay_s",
        Measure::Real(|link| link.max_queueing_delay.map_or(f64::NAN, Duration::as_secs_f64)),
    ),
    ("dropped_early", Measure::Count(|link| link.dropped_early)),
    ("pushed_out", Measure::Count(|link| link.pushed_out)),
    ("offered_protected", Measure::Count(|link| link.offered_protected)),
    ("dropped_protected", Measure::Count(|link| link.dropped_protected)),
    ("thinned", Measure::Count(|link| link.thinned)),
];

/// The table `links`, written row by row: the statistics of all links take more memory than their columns.
fn link_table(network: &Network, now: Time) -> Table {
    let (graph, snapshot) = (network.graph(), network.snapshot(now));
    let links = graph.edges().len();
    let mut rates = Vec::with_capacity(links);
    let mut columns = LINK_MEASURES.map(|(_, measure)| match measure {
        Measure::Count(_) => Column::Count(Vec::with_capacity(links)),
        Measure::Real(_) => Column::Real(Vec::with_capacity(links)),
    });
    for link in graph.links() {
        let stats = snapshot.link_stats(link);
        rates.push(bits_per_second(graph, link, &stats));
        for (column, (_, measure)) in columns.iter_mut().zip(&LINK_MEASURES) {
            match (column, measure) {
                (Column::Count(column), Measure::Count(count)) => column.push(count(&stats)),
                (Column::Real(column), Measure::Real(quantity)) => column.push(quantity(&stats)),
                _ => unreachable!("a column is made for its measure"),
            }
        }
    }
    let table = Table::default()
        .with("link", Column::Index((0..links as u32).collect()))
        .with("name", Column::Text(graph.links().map(|link| graph.link_name(link)).collect()))
        .with("rate_bit_per_s", Column::Real(rates));
    let measured = LINK_MEASURES.iter().zip(columns);
    measured.fold(table, |table, ((name, _), column)| table.with(name, column))
}
