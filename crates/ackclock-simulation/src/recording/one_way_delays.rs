//! The one-way delays of the data packets of TCP connections that arrived.

use ackclock_units::Time;

use crate::recording::calls::percentiles;
use crate::tables::table::{Column, Table};

/// The shares of the packets whose delays the table of flows shows, with the names of their columns.
const PERCENTILES: [(&str, f64); 3] =
    [("one_way_delay_p50_s", 0.5), ("one_way_delay_p95_s", 0.95), ("one_way_delay_p99_s", 0.99)];

/// The delays of all flows, if the scenario asks for them.
#[derive(Default)]
pub(crate) struct OneWayDelays {
    /// By flow, in seconds, in the order of arrival; none if they are not recorded.
    by_flow: Option<Vec<Vec<f64>>>,
    /// Packets sent earlier do not count.
    from: Time,
}

impl OneWayDelays {
    /// No delays yet, of packets sent from `from` on.
    pub fn of_flows(flows: usize, from: Time) -> OneWayDelays {
        OneWayDelays { by_flow: Some(vec![Vec::new(); flows]), from }
    }

    /// True if they are recorded.
    pub fn are_recorded(&self) -> bool {
        self.by_flow.is_some()
    }

    /// A packet that was sent at `sent` arrives.
    pub fn note(&mut self, flow: u32, sent: Time, now: Time) {
        if let Some(by_flow) = &mut self.by_flow
            && sent >= self.from
        {
            by_flow[flow as usize].push(now.since(sent).as_secs_f64());
        }
    }

    /// The table of flows with the percentiles of each, if they are recorded.
    pub fn add_to(self, flows: Table) -> Table {
        let Some(by_flow) = self.by_flow else { return flows };
        let rows: Vec<[f64; 3]> = by_flow
            .into_iter()
            .map(|mut delays| percentiles(&mut delays, PERCENTILES.map(|(_, share)| share)))
            .collect();
        PERCENTILES.iter().enumerate().fold(flows, |table, (place, (name, _))| {
            table.with(name, Column::Real(rows.iter().map(|row| row[place]).collect()))
        })
    }
}
