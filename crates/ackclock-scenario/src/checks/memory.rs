//! The estimated memory of a run, from its scenario.

use ackclock_congestion::Start;
use ackclock_transport::{Controller, Transport, Variant};
use ackclock_units::{Bytes, Duration};

use crate::read::error::Checked;
use crate::read::key::Key;
use crate::settings::Settings;
use crate::traffic::FlowGroup;
use crate::traffic::applications::Application;
use crate::traffic::call::CallGroup;

/// Bytes of a flow's row of the tables, its name, start and nodes.
const ROW: u64 = 200;

/// Bytes of a row of the table `transfers`.
const TRANSFER: u64 = 60;

/// Bytes of a user in addition to the connections of the pool: the application and its records.
const USER: u64 = 500;

/// Bytes of a sample of a flow, of one quantity of its controller, of a link direction, and of the network.
const FLOW_SAMPLE: u64 = 68;
const GAUGE_SAMPLE: u64 = 24;
const LINK_SAMPLE: u64 = 36;
const NETWORK_SAMPLE: u64 = 80;

/// The lifetime of a flow that sends one short file: some round trips and its last timer.
const LIFE: Duration = Duration::from_secs(1);

/// Bytes of the two ends of a flow without packets in flight, its controller, application and socket included.
fn ends(transport: Option<Transport>, group: &FlowGroup) -> u64 {
    match transport {
        Some(Transport::AckNak) => 500,
        Some(Transport::Tfrc) => 1000,
        _ if group.application.is_two_way() => 3600,
        // Controllers of the caller's own come with TCP.
        Some(Transport::Tcp(_)) | None => 1200,
    }
}

/// Room for the first packets in flight. The system stores only the pages that packets touch.
const FIRST_PACKETS: u64 = 1_180_000;
/// Bytes of a flow of datagrams, its source included.
const DATAGRAMS: u64 = 300;
/// Bytes of a call without its packets, and of each of its packets and frames in its records.
const CALL: u64 = 3000;
const CALL_PACKET: u64 = 24;
/// A call's quantities that change over time.
const CALL_GAUGES: u64 = 8;

impl Settings {
    /// The memory of flows, of the queues of all link directions, and of the time series. It leaves out packets in
    /// flight beyond the first, and records whose number is not known beforehand: drops, captured packets, qlogs, files
    /// of sources that think.
    pub fn memory_estimate(&self) -> Bytes {
        let mut queues = 0_u64;
        self.topology.directions(&mut |_, _, link| {
            queues = queues.saturating_add(link.queue.discipline().memory());
        });
        let groups = self.flow.iter().map(|group| self.flow_memory(group)).fold(0, u64::saturating_add);
        let datagrams: u64 = self.udp.iter().map(|group| u64::from(group.count) * (ROW + DATAGRAMS)).sum();
        let calls = self.call.iter().map(|group| self.call_memory(group)).fold(0, u64::saturating_add);
        let parts = [FIRST_PACKETS, groups, datagrams, calls, queues, self.series_memory()];
        Bytes::new(parts.into_iter().fold(0, u64::saturating_add))
    }

    /// The memory of a group of calls, with a record for each packet that the highest rate sends.
    fn call_memory(&self, group: &CallGroup) -> u64 {
        let seconds = self.duration.as_secs_f64();
        let packets =
            group.max_rate.bits_per_second() as f64 / 8.0 / group.packet.get() as f64 + group.frame_rate;
        u64::from(group.count) * (ROW + CALL + (packets * seconds) as u64 * CALL_PACKET)
    }

    /// The memory of a group of flows, and of the ends of flows that live at the same time.
    fn flow_memory(&self, group: &FlowGroup) -> u64 {
        let film = group.application.film().map_or(0, |film| film.memory(self.duration));
        let user = film + if group.application.has_users() { USER } else { 0 };
        let users = u64::from(group.count).saturating_mul(user);
        let each = Settings::algorithms(group).map(|(count, variant)| {
            let transport = variant.as_ref().map(|variant| variant.transport);
            let living = self.living(group, count, variant.as_ref());
            let row = ROW + if self.records_transfer(group) { TRANSFER } else { 0 };
            count * row + living * ends(transport, group)
        });
        users + each.sum::<u64>()
    }

    /// The algorithms of a group, each with its number of flows; none for a controller of the caller's.
    fn algorithms(group: &FlowGroup) -> impl Iterator<Item = (u64, Option<Variant>)> {
        let numbered = |name| (u64::from(group.count_of(name)), Variant::parse(name, &[]).ok());
        group.algorithm_names().map(numbered)
    }

    /// The number of flows of a group with an algorithm that live at the same time.
    fn living(&self, group: &FlowGroup, count: u64, variant: Option<&Variant>) -> u64 {
        if variant.is_some_and(|variant| self.folds(group, variant)) { living(group, count) } else { count }
    }

    /// True if the flows of a group are folded into their rows when they are over: TCP connections of one file, for
    /// which no log and no epoch is recorded.
    fn folds(&self, group: &FlowGroup, variant: &Variant) -> bool {
        let is_watched = self.trace.epoch.is_some() || self.trace.qlog;
        matches!(group.application, Application::File(_))
            && matches!(variant.transport, Transport::Tcp(_))
            && group.send_overhead.is_none()
            && !is_watched
    }

    /// True if each transfer of a group has a row.
    fn records_transfer(&self, group: &FlowGroup) -> bool {
        self.trace.transfers && group.application.sends_files()
    }

    /// The memory of the time series at the end of the run.
    fn series_memory(&self) -> u64 {
        let Some(interval) = self.trace.interval else { return 0 };
        let mut sample = NETWORK_SAMPLE;
        if self.trace.flows {
            sample += self.flow.iter().map(|group| self.flow_sample(group)).sum::<u64>();
            sample += self.udp.iter().map(|group| u64::from(group.count) * FLOW_SAMPLE).sum::<u64>();
            let call = FLOW_SAMPLE + CALL_GAUGES * GAUGE_SAMPLE;
            sample += self.call.iter().map(|group| u64::from(group.count) * call).sum::<u64>();
        }
        if self.trace.links {
            self.topology.directions(&mut |_, _, _| sample += LINK_SAMPLE);
        }
        (self.duration / interval * sample as f64) as u64
    }

    /// The memory of a sample of the flows of a group that live at the same time.
    fn flow_sample(&self, group: &FlowGroup) -> u64 {
        let each = Settings::algorithms(group).map(|(count, variant)| {
            let living = self.living(group, count, variant.as_ref());
            living * (FLOW_SAMPLE + variant.map_or(0, gauges) * GAUGE_SAMPLE)
        });
        each.sum()
    }

    /// Refuses a scenario that would take more than its limit.
    pub(crate) fn check_memory(&self) -> Checked {
        let (needed, limit) = (self.memory_estimate(), self.memory_limit);
        if needed <= limit {
            return Ok(());
        }
        let (divisor, unit) = unit(needed);
        let amount = needed.get() as f64 / divisor;
        let message = format!(
            "found a limit of {}; flows, queues and time series take about {amount:.1} {unit} \
             without packets in flight. Make them fewer or smaller, \
             or set memory_limit = \"{:.0} {unit}\" if the machine has that much",
            readable(limit),
            amount.ceil()
        );
        Err(Key::top("memory_limit").wrong(limit, message))
    }
}

/// How many flows of a group of files live at the same time: as many as arrive during one flow's life.
fn living(group: &FlowGroup, flows: u64) -> u64 {
    let span = group.arrival_times.last().copied().unwrap_or_default().max(group.start_jitter);
    if span <= LIFE { flows } else { (flows as f64 * (LIFE / span)).ceil() as u64 }
}

/// The number of internal quantities that an algorithm records.
fn gauges(variant: Variant) -> u64 {
    match variant.controller {
        Controller::Known(spec) => {
            let mut gauges = 0;
            spec.build(&Start::default()).observe(&mut |_, _| gauges += 1);
            gauges
        }
        Controller::Tfrc(_) => 2,
        Controller::Custom(_) => 0,
    }
}

/// The largest unit that is not larger than a size, in bytes, and its name.
fn unit(size: Bytes) -> (f64, &'static str) {
    match size.get() {
        0..1_000 => (1.0, "bytes"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    }
}

/// A size as people write it: 2 GB.
fn readable(size: Bytes) -> String {
    let (divisor, unit) = unit(size);
    format!("{} {unit}", size.get() as f64 / divisor)
}
