//! The table `calls`.

use ackclock_units::Time;

use crate::flows::{CallSummary, Flows};
use crate::records::{Column, Table};

/// A row for each call, of its packets sent from `from` on. Without a call it has no columns.
pub(crate) fn table(flows: &Flows, from: Time) -> Table {
    let calls = (0..flows.len()).filter_map(|flow| Some((flow as u32, flows.call(flow)?.summary(from))));
    let calls: Vec<(u32, CallSummary)> = calls.collect();
    if calls.is_empty() {
        return Table::default();
    }
    let count =
        |get: &dyn Fn(&CallSummary) -> u64| Column::Count(calls.iter().map(|call| get(&call.1)).collect());
    let real =
        |get: &dyn Fn(&CallSummary) -> f64| Column::Real(calls.iter().map(|call| get(&call.1)).collect());
    Table::default()
        .with("flow", Column::Index(calls.iter().map(|call| call.0).collect()))
        .with("packets_delivered", count(&|call| call.delivered))
        .with("packets_lost", count(&|call| call.lost))
        .with("loss", real(&CallSummary::loss))
        .with("loss_of_seconds_p95", real(&|call| call.loss_of_seconds(0.95)))
        .with("loss_of_seconds_max", real(&|call| call.loss_of_seconds(1.0)))
        .with("delay_min_s", real(&|call| call.delay(0.0)))
        .with("delay_p50_s", real(&|call| call.delay(0.5)))
        .with("delay_p95_s", real(&|call| call.delay(0.95)))
        .with("delay_p99_s", real(&|call| call.delay(0.99)))
        .with("delay_max_s", real(&|call| call.delay(1.0)))
}
