//! The results of a run: a row for every flow and every link direction, and the tables recorded on the way.

use ackclock_network::{Conservation, Graph, LinkId, LinkStats};
use ackclock_units::{Duration, Time};

use crate::calls;
use crate::captured::{self, CapturedArrival};
use crate::digest::Digest;
use crate::epochs::{self, Sending};
use crate::flow_infos::FlowInfos;
use crate::measurements::Measurements;
use crate::packet::Network;
use crate::records::{Column, Table};
use crate::scenario::Epoch;

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
    /// The flows, where packets are captured.
    flows: FlowInfos,
    qlogs: Vec<(String, Vec<u8>)>,
}

impl Output {
    pub(crate) fn new(run: Measurements) -> Output {
        let (epochs, silences) = epoch_tables(&run);
        let Measurements { mut network, flows, infos, sockets, users, responses, .. } = run;
        let Measurements { mut recorder, mut rows, at_warm_up, now, .. } = run;
        // They make room for the tables.
        drop(sockets);
        let calls = calls::table(&flows, run.warm_up);
        let kinds = flows.into_kinds();
        let graph = network.graph().clone();
        let capture_points: Vec<LinkId> = graph.links().filter(|link| recorder.captures(*link)).collect();
        // Capture files name the ends of flows.
        let named = if capture_points.is_empty() { FlowInfos::default() } else { infos.clone() };
        let timeouts = rows.timeout_table();
        let incidents = rows.incident_table();
        let flows = rows.into_table(infos, kinds, &at_warm_up, &graph, &mut recorder);
        let links = link_table(&mut network, now);
        let qlogs = std::mem::take(&mut recorder.qlogs).take();
        let (series, captures) = recorder.into_parts();
        let mut tables = vec![("flows", flows), ("links", links), ("timeouts", timeouts)];
        tables.extend([("epochs", epochs), ("silences", silences)]);
        tables.extend([("users", users.user_table()), ("pages", users.page_table())]);
        tables.extend(series);
        tables.push(("responses", responses.table(now)));
        tables.push(("calls", calls));
        tables.push(("incidents", incidents));
        Output {
            events: run.event_count,
            conservation: network.conservation(),
            finished_at: now,
            tables,
            captures,
            capture_points,
            graph,
            flows: named,
            qlogs,
        }
    }

    /// The qlogs of flows over other stacks (JSON text sequences), by flow.
    pub fn qlogs(&self) -> &[(String, Vec<u8>)] {
        &self.qlogs
    }

    /// A table by name: `flows`, `links`, `packets`, `flow_series`, `link_series`, `network_series`,
    /// `drops`, `gauges`, `transfers`, `transfer_classes`, `timeouts`, `epochs`, `silences`,
    /// `users`, `pages`, `responses`, and `calls` and `incidents`, which have no columns without a call or an incident.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|(known, _)| *known == name).map(|(_, table)| table)
    }

    /// Takes a table away, which is empty afterwards: its memory may be released column by column.
    pub fn take_table(&mut self, name: &str) -> Option<Table> {
        self.tables.iter_mut().find(|(known, _)| *known == name).map(|(_, table)| std::mem::take(table))
    }

    /// The tables' names.
    pub fn table_names(&self) -> impl Iterator<Item = &'static str> {
        self.tables.iter().map(|(name, _)| *name)
    }

    /// A number that is equal for runs with equal tables, and otherwise different but for one chance in 2^64; to be asked for
    /// before a table is taken away.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::new();
        self.tables.iter().for_each(|(name, table)| digest.add(name, table));
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

/// The tables `epochs` and `silences`, where the scenario asks for them.
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

/// A link's rate, or its mean where it varies; nothing where it is in packets.
fn bits_per_second(graph: &Graph, link: LinkId, stats: &LinkStats) -> f64 {
    if let Some(capacity) = stats.mean_capacity() {
        return capacity;
    }
    graph.edge(link).config.rate.bits_per_second().map_or(f64::NAN, |bits| bits as f64)
}

fn link_table(network: &mut Network, now: Time) -> Table {
    let links: Vec<LinkId> = network.graph().links().collect();
    let snapshot = network.snapshot(now);
    let stats: Vec<_> = links.iter().map(|link| snapshot.link_stats(*link)).collect();
    let graph = network.graph();
    let counts = |get: &dyn Fn(&LinkStats) -> u64| Column::Count(stats.iter().map(get).collect());
    let reals = |get: &dyn Fn(&LinkStats) -> f64| Column::Real(stats.iter().map(get).collect());
    Table::default()
        .with("link", Column::Index(links.iter().map(|link| link.index() as u32).collect()))
        .with("name", Column::Text(links.iter().map(|link| graph.link_name(*link)).collect()))
        .with(
            "rate_bit_per_s",
            Column::Real(
                links.iter().zip(&stats).map(|(link, stats)| bits_per_second(graph, *link, stats)).collect(),
            ),
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
