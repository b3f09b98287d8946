//! The laws of the tables of every run, as docs/results.md describes them.

#![expect(clippy::neg_cmp_op_on_partial_ord, reason = "a value that is not a number breaks no law")]

mod films;
mod flows;
mod links;
mod series;
mod transfers;

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Table, Texts};

/// A law that does not hold, if any.
type Law = Result<(), String>;

/// Room for rounding, relative.
const ROUNDING: f64 = 1e-9;

/// Holds a run to all laws.
///
/// # Errors
/// With the law that does not hold, and where.
pub fn hold(scenario: &Scenario, run: &Output) -> Law {
    conservation(run)?;
    for name in run.table_names() {
        values(name, table(run, name))?;
    }
    flows::hold(scenario, run)?;
    links::hold(scenario, run)?;
    transfers::hold(scenario, run)?;
    films::hold(scenario, run)?;
    series::hold(scenario, run)
}

/// Two runs are the same, to the last bit.
///
/// # Errors
/// With the table that differs.
pub fn equal(first: &Output, second: &Output) -> Law {
    let facts = |run: &Output| (run.events, run.conservation, run.finished_at);
    law(facts(first) == facts(second), || "two runs of a scenario differ".to_owned())?;
    law(first.captures() == second.captures(), || "two runs capture different packets".to_owned())?;
    for name in first.table_names() {
        for ((column, one), (_, two)) in
            table(first, name).columns().iter().zip(table(second, name).columns())
        {
            law(same(one, two), || format!("two runs differ in {name}.{column}"))?;
        }
    }
    Ok(())
}

fn same(one: &Column, two: &Column) -> bool {
    match (one, two) {
        (Column::Real(one), Column::Real(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.to_bits() == two.to_bits())
        }
        _ => one == two,
    }
}

/// Two runs have the same flows and links: what they record changes neither.
///
/// # Errors
/// With the column that differs.
pub fn alike(plain: &Output, recorded: &Output) -> Law {
    for name in ["flows", "links"] {
        let columns = table(plain, name).columns().iter().zip(table(recorded, name).columns());
        for ((column, one), (_, two)) in columns {
            law(same(one, two), || format!("recording changes {name}.{column}: {one:?} and {two:?}"))?;
        }
    }
    Ok(())
}

/// Sent is delivered, dropped or in flight.
fn conservation(run: &Output) -> Law {
    let counts = run.conservation;
    let ended =
        counts.delivered + counts.dropped_queue + counts.dropped_loss + counts.thinned + counts.in_flight;
    law(counts.sent + counts.duplicated == ended, || format!("packets are not conserved: {counts:?}"))
}

/// Real numbers are finite and not negative; not a number only in columns that may have no value.
fn values(name: &str, table: &Table) -> Law {
    for (column, values) in table.columns() {
        let Column::Real(values) = values else { continue };
        if name == "gauges" && *column == "value" {
            // A gauge is its controller's own: it may be negative, and infinite where there is no limit.
            continue;
        }
        let (lacking, unlimited) = (may_lack(name, column), *column == "ssthresh_packets");
        let right = |value: f64| {
            (value.is_finite() && (value >= 0.0 || *column == "qoe_bit_per_s"))
                || (value.is_nan() && lacking)
                || (value == f64::INFINITY && unlimited)
        };
        if let Some(row) = values.iter().position(|value| !right(*value)) {
            return Err(format!("{name}.{column} is {} in row {row}", values[row]));
        }
    }
    Ok(())
}

/// Columns that have a value in every row, of those that describe every row of their table.
fn may_lack(name: &str, column: &str) -> bool {
    let always: &[&str] = match name {
        "flows" => &["start_s", "measured_s"],
        "links" => &["utilisation", "mean_queue_packets", "mean_queueing_delay_s"],
        "transfers" | "pages" => &["start_s"],
        "responses" => &["request_s"],
        "films" => &["start_s", "waited_s", "stalls", "stall_s", "longest_stall_s"],
        "segments" => &["request_s", "rate_bit_per_s", "buffer_at_request_s"],
        "silences" => &["start_s", "length_s"],
        _ => &["time_s"],
    };
    !always.contains(&column)
}

fn law(holds: bool, otherwise: impl FnOnce() -> String) -> Law {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// These are in order, leaving out those that are not numbers.
fn ordered(values: &[f64], otherwise: impl FnOnce() -> String) -> Law {
    let known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    law(known.is_sorted_by(|one, two| *one <= two + ROUNDING * two.abs()), || {
        format!("{}: {values:?}", otherwise())
    })
}

fn table<'a>(run: &'a Output, name: &str) -> &'a Table {
    run.table(name).unwrap_or_else(|| panic!("no table {name}"))
}

/// Those of the tables that were recorded.
fn recorded<'a, const N: usize>(
    run: &'a Output,
    names: [&'static str; N],
) -> impl Iterator<Item = (&'static str, &'a Table)> {
    names.into_iter().filter_map(|name| Some((name, run.table(name)?)))
}

fn real<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    table.real(name).unwrap_or_else(|| panic!("no column {name} of real numbers"))
}

fn count<'a>(table: &'a Table, name: &str) -> &'a [u64] {
    table.count(name).unwrap_or_else(|| panic!("no column {name} of counts"))
}

fn index<'a>(table: &'a Table, name: &str) -> &'a [u32] {
    match table.column(name) {
        Some(Column::Index(values)) => values,
        _ => panic!("no column {name} of indices"),
    }
}

fn text<'a>(table: &'a Table, name: &str) -> &'a Texts {
    match table.column(name) {
        Some(Column::Text(values)) => values,
        _ => panic!("no column {name} of texts"),
    }
}
