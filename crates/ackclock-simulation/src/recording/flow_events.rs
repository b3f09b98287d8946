//! The events of flows between two samples: connections requested again, timeouts, episodes of losses, slow starts left.

use ackclock_transport::Counters;
use ackclock_units::Time;

use crate::facts::counts::Gauges;
use crate::tables::table::{Column, Table};

/// The counts of a flow at its last sample.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Connections so far, each of which has a first SYN.
    connections: u32,
    syns_again: u32,
    timeouts: u32,
    fast_retransmits: u32,
    spurious: u32,
    /// True if its window was below its threshold.
    in_slow_start: bool,
}

impl Seen {
    const NOTHING: Seen = Seen {
        connections: 1,
        syns_again: 0,
        timeouts: 0,
        fast_retransmits: 0,
        spurious: 0,
        in_slow_start: false,
    };
}

/// The table `flow_events`: a row for each flow, kind of event and interval in which it happened.
#[derive(Default)]
pub(crate) struct FlowEvents {
    time: Vec<f64>,
    flow: Vec<u32>,
    event: Vec<&'static str>,
    count: Vec<u64>,
    /// By flow.
    seen: Vec<Seen>,
}

impl FlowEvents {
    /// Records of this many flows, without events.
    pub fn of_flows(flows: usize) -> FlowEvents {
        FlowEvents { seen: vec![Seen::NOTHING; flows], ..FlowEvents::default() }
    }

    /// A flow opens a further connection.
    pub fn begin_connection(&mut self, flow: usize) {
        if let Some(seen) = self.seen.get_mut(flow) {
            seen.connections += 1;
        }
    }

    /// Notes what has happened to a flow since its last sample; `counters` are those of all its connections.
    pub fn sample(&mut self, now: Time, flow: usize, gauges: &Gauges, counters: &Counters) {
        let before = self.seen[flow];
        let &Counters { syns, timeouts, fast_retransmits, spurious, .. } = counters;
        let syns_again = syns.saturating_sub(before.connections).max(before.syns_again);
        let in_slow_start = gauges.cwnd < gauges.ssthresh;
        self.seen[flow] = Seen { syns_again, timeouts, fast_retransmits, spurious, in_slow_start, ..before };
        let left = u32::from(before.in_slow_start && !in_slow_start);
        let happened = [
            ("SYN sent again", syns_again - before.syns_again),
            ("timeout", timeouts - before.timeouts),
            ("recovery", fast_retransmits - before.fast_retransmits),
            ("spurious", spurious - before.spurious),
            ("slow start left", left),
        ];
        for (event, count) in happened.into_iter().filter(|(_, count)| *count > 0) {
            self.time.push(now.as_secs_f64());
            self.flow.push(flow as u32);
            self.event.push(event);
            self.count.push(u64::from(count));
        }
    }

    pub fn into_table(self) -> Table {
        Table::default()
            .with("time_s", Column::Real(self.time))
            .with("flow", Column::Index(self.flow))
            .with("event", Column::Text(self.event.into_iter().collect()))
            .with("count", Column::Count(self.count))
    }
}
