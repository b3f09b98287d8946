//! The tables recorded over time.

use ackclock_simulation::Output;
use ackclock_simulation::scenario::Scenario;

use super::{Law, ROUNDING, count, index, law, real, recorded, table, text};

pub fn hold(scenario: &Scenario, run: &Output) -> Law {
    let end = run.finished_at.as_secs_f64();
    let over_time =
        ["flow_series", "link_series", "network_series", "packets", "drops", "gauges", "flow_events"];
    for (name, table) in recorded(run, over_time) {
        let times = real(table, "time_s");
        law(times.is_sorted(), || format!("times of {name} are not in order"))?;
        law(times.last().is_none_or(|last| *last <= end), || format!("{name} goes on after the end"))?;
    }
    for (_, silences) in recorded(run, ["silences"]) {
        let (starts, lengths) = (real(silences, "start_s"), real(silences, "length_s"));
        for (start, length) in starts.iter().zip(lengths) {
            let is_within = start + length <= end * (1.0 + ROUNDING);
            law(is_within, || format!("a silence from {start} s for {length} s"))?;
        }
    }
    let flows = scenario.flow_count();
    sums(scenario, run)?;
    let mut by_flow =
        recorded(run, ["flow_series", "drops", "flow_events", "timeouts", "epochs", "silences"]);
    law(by_flow.all(|(_, table)| index(table, "flow").iter().all(|flow| *flow < flows)), || {
        "a row is of no flow".to_owned()
    })
}

/// The parts of a series add up to what the tables of the whole run have: exactly where the last sample is at the end, else to no
/// more.
fn sums(scenario: &Scenario, run: &Output) -> Law {
    let Some(interval) = scenario.trace.interval else { return Ok(()) };
    let (flows, series) = (table(run, "flows"), table(run, "network_series"));
    let is_last = real(series, "time_s").last() == Some(&run.finished_at.as_secs_f64());
    let agree = |part: f64, whole: f64| {
        let room = ROUNDING * whole.abs() + 1e-3;
        part <= whole + room && (!is_last || part >= whole - room)
    };
    for name in ["packets_sent", "retransmissions", "timeouts", "packets_delivered"] {
        let part: u64 = count(series, name).iter().sum();
        let rows = count(flows, name).iter().enumerate();
        let whole: u64 = rows.filter(|(row, _)| !is_silent(scenario, *row)).map(|(_, count)| count).sum();
        law(agree(part as f64, whole as f64), || format!("{name} add up to {part} of {whole}"))?;
    }
    if let Some(events) = run.table("flow_events") {
        let kinds = text(events, "event");
        for (kind, total) in [("timeout", "timeouts"), ("recovery", "fast_retransmits")] {
            let rows = count(events, "count").iter().enumerate();
            let part: u64 = rows.filter(|(row, _)| kinds.get(*row) == kind).map(|(_, count)| count).sum();
            let whole: u64 = count(flows, total).iter().sum();
            law(agree(part as f64, whole as f64), || format!("{kind} happened {part} times of {whole}"))?;
        }
    }
    grow(run, "retransmissions")?;
    if scenario.warm_up.is_zero() {
        arrivals(run, interval.as_secs_f64(), &agree)?;
    }
    Ok(())
}

/// True for the row of datagrams that nothing acknowledges, which are not in the series.
fn is_silent(scenario: &Scenario, row: usize) -> bool {
    let mut first = scenario.flows().len();
    scenario.udp.iter().any(|group| {
        let rows = first..first + group.count as usize;
        first = rows.end;
        group.sharing.is_none() && rows.contains(&row)
    })
}

/// The bits that arrive of a flow in all intervals are those of its goodput.
fn arrivals(run: &Output, interval: f64, agree: &dyn Fn(f64, f64) -> bool) -> Law {
    let Some(series) = run.table("flow_series") else { return Ok(()) };
    let flows = table(run, "flows");
    let mut bits = vec![0.0; count(flows, "packets_sent").len()];
    let rows = index(series, "flow").iter().zip(real(series, "goodput_bit_per_s"));
    rows.for_each(|(flow, rate)| bits[*flow as usize] += rate * interval);
    let measured = real(flows, "measured_s").iter().zip(real(flows, "goodput_bit_per_s"));
    for (flow, (part, (seconds, goodput))) in bits.iter().zip(measured).enumerate() {
        let whole = seconds * goodput;
        law(whole.is_nan() || agree(*part, whole), || {
            format!("flow {flow}: {part} bits arrive in the intervals, {whole} in all")
        })?;
    }
    Ok(())
}

/// A count since the start never falls.
fn grow(run: &Output, name: &str) -> Law {
    let Some(series) = run.table("flow_series") else { return Ok(()) };
    let mut latest = vec![0; count(table(run, "flows"), "packets_sent").len()];
    for (flow, value) in index(series, "flow").iter().zip(count(series, name)) {
        let before = std::mem::replace(&mut latest[*flow as usize], *value);
        law(before <= *value, || format!("{name} of flow {flow} fall from {before} to {value}"))?;
    }
    Ok(())
}
