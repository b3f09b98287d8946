//! Runs a scenario file and writes every byte of its tables, so that runs of different builds can be compared:
//! `cargo run --example tables scenario.toml > tables.bin`.

use std::io::{self, Write};

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Simulation, Table};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which scenario?")?;
    let scenario = Scenario::from_toml(&std::fs::read_to_string(path)?, &[])?;
    let run = Simulation::new(&scenario)?.run();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut names: Vec<_> = run.table_names().collect();
    names.sort_unstable();
    for name in names {
        for (column, values) in run.table(name).into_iter().flat_map(Table::columns) {
            writeln!(out, "{name} {column}")?;
            match values {
                Column::Real(values) => values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?,
                Column::Count(values) => values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?,
                Column::Index(values) => values.iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))?,
                Column::Text(values) => values.iter().try_for_each(|v| writeln!(out, "{v}"))?,
            }
        }
    }
    Ok(out.flush()?)
}
