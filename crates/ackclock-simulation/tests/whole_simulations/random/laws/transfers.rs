//! The tables of files, pages and responses.

use ackclock_simulation::Output;
use ackclock_simulation::scenario::Scenario;

use super::{Law, ROUNDING, count, index, law, ordered, real, table};

pub fn hold(scenario: &Scenario, run: &Output) -> Law {
    let end = run.finished_at.as_secs_f64();
    let files = table(run, "transfers");
    for row in 0..real(files, "start_s").len() {
        let at = || format!("transfer {row}");
        times(files, &["start_s", "established_s", "finish_s"], row, end, "transfers")?;
        let finished = !real(files, "finish_s")[row].is_nan();
        law(!(finished && index(files, "failed")[row] == 1), || format!("{} has failed and finished", at()))?;
        let (sent, size) = (count(files, "packets_sent")[row], count(files, "packets")[row]);
        law(!finished || sent >= size, || {
            format!("{} has finished with {sent} of {size} packets sent", at())
        })?;
        let (lost, again) = (count(files, "packets_lost")[row], count(files, "retransmissions")[row]);
        law(lost <= sent + run.conservation.duplicated && again <= sent, || {
            format!("{}: sent {sent}, of them {lost} lost and {again} again", at())
        })?;
    }
    let classes = table(run, "transfer_classes");
    for row in 0..count(classes, "transfers").len() {
        let (lost, sent) = (count(classes, "packets_lost")[row], count(classes, "packets_sent")[row]);
        law(lost <= sent + run.conservation.duplicated, || {
            format!("class {row}: sent {sent}, of them {lost} lost")
        })?;
        let some = count(classes, "transfers")[row] > 0;
        for name in ["mean_time_s", "mean_goodput_bit_per_s", "goodput_bit_per_s"] {
            let value = real(classes, name)[row];
            law(value.is_finite() == some, || format!("{name} of class {row} is {value}"))?;
        }
    }
    let responses = table(run, "responses");
    for row in 0..real(responses, "request_s").len() {
        times(
            responses,
            &["request_s", "request_received_s", "first_packet_s", "finish_s"],
            row,
            end,
            "responses",
        )?;
    }
    let pages = table(run, "pages");
    for row in 0..real(pages, "start_s").len() {
        times(pages, &["start_s", "finish_s"], row, end, "pages")?;
        let (longest, total) = (real(pages, "longest_stall_s")[row], real(pages, "stall_s")[row]);
        let stalls = count(pages, "stalls")[row];
        law(stalls == 0 || longest <= total * (1.0 + ROUNDING), || {
            format!("page {row} stalls for {total} s in all, and once for {longest} s")
        })?;
    }
    let users = table(run, "users");
    let measured = (end - scenario.warm_up.as_secs_f64()) * (1.0 + ROUNDING);
    for row in 0..real(users, "waited_s").len() {
        for name in ["waited_s", "longest_stall_s", "stall_s"] {
            let value = real(users, name)[row];
            law(!(value > measured), || format!("{name} of user {row} is {value} of {measured} s"))?;
        }
    }
    Ok(())
}

/// Times of a row are in order, and not after the end.
fn times(table: &ackclock_simulation::Table, names: &[&str], row: usize, end: f64, what: &str) -> Law {
    let values: Vec<f64> = names.iter().map(|name| real(table, name)[row]).collect();
    ordered(&values, || format!("{what}, row {row}: {names:?} are out of order"))?;
    law(values.iter().all(|value| !(*value > end)), || {
        format!("{what}, row {row}: {values:?} is after {end}")
    })
}
