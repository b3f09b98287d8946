//! The tables recorded over time.

use ackclock_simulation::Output;
use ackclock_simulation::scenario::Scenario;

use super::{Law, ROUNDING, index, law, real, table};

pub fn hold(scenario: &Scenario, run: &Output) -> Law {
    let end = run.finished_at.as_secs_f64();
    for name in ["flow_series", "link_series", "network_series", "packets", "drops", "gauges"] {
        let times = real(table(run, name), "time_s");
        law(times.is_sorted(), || format!("times of {name} are not in order"))?;
        law(times.last().is_none_or(|last| *last <= end), || format!("{name} goes on after the end"))?;
    }
    let silences = table(run, "silences");
    let (starts, lengths) = (real(silences, "start_s"), real(silences, "length_s"));
    for (start, length) in starts.iter().zip(lengths) {
        law(start + length <= end * (1.0 + ROUNDING), || format!("a silence from {start} s for {length} s"))?;
    }
    let flows = scenario.flow_count();
    let flow_of = |name| index(table(run, name), "flow").iter().all(|flow| *flow < flows);
    law(["flow_series", "drops", "timeouts", "epochs", "silences"].into_iter().all(flow_of), || {
        "a row is of no flow".to_owned()
    })
}
