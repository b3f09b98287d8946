//! Tables and traces in files next to a scenario are copied into its tree, so that a scenario needs no other
//! file once it is read.

use std::collections::BTreeMap;

use serde_json::{Number, Value, json};

use super::csv::{self, Column, Columns, Shape};
use super::error::{ScenarioError, clip};
use super::traces;

/// Reads a file that a scenario names.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, Unreadable>;

/// The reason why a file that a scenario names cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The reason, after the file's name.
    pub reason: String,
    /// Names of files that do exist in its folder.
    pub others: Vec<String>,
}

/// Reads no file: a scenario that names one is refused.
pub(crate) fn none(_: &str) -> Result<String, Unreadable> {
    Err(Unreadable { reason: "no file can be read here".to_owned(), others: Vec::new() })
}

const SIZES: Shape = Shape { needed: &["size_packets"], optional: &[&["weight"]] };
const STARTS: Shape = Shape { needed: &["start_s", "start_ms"], optional: &[] };

/// Replaces names of files by their contents: traces and schedules of links, sizes of files, times of arrivals.
///
/// A table that is not of the right form stays as it is; the reader refuses it.
pub(crate) fn take_over(tree: &mut Value, read: ReadFile) -> Result<(), ScenarioError> {
    if let Some(topology) = tree.get_mut("topology") {
        take_over_links(topology, "topology", read)?;
    }
    let Some(Value::Array(flows)) = tree.get_mut("flow") else { return Ok(()) };
    for (index, flow) in flows.iter_mut().enumerate() {
        if let Some(Value::Object(table)) = flow.pointer_mut("/size/table")
            && let Some(Value::String(file)) = table.get("file")
        {
            let key = format!("flow.{index}.size.table");
            if let Some(other) = ["packets", "weights"].iter().find(|name| table.contains_key(**name)) {
                let message = format!("found \"file\" and {other:?}; the file is all there is to say");
                return Err(ScenarioError::at(key, message).with_found(clip(file)));
            }
            *table = sizes(&contents(file, &format!("{key}.file"), &SIZES, read)?);
        }
        if let Some(Value::Object(arrivals)) = flow.get_mut("arrivals")
            && arrivals.len() == 1
            && let Some(Value::String(file)) = arrivals.get("file")
        {
            let key = format!("flow.{index}.arrivals.file");
            let Column { unit, values } = contents(file, &key, &STARTS, read)?.needed;
            let unit = ["s", "ms"][unit];
            let times: Vec<Value> = values.iter().map(|time| json!(format!("{time} {unit}"))).collect();
            arrivals.clear();
            arrivals.insert("at".to_owned(), Value::Array(times));
        }
    }
    Ok(())
}

/// Replaces names of files by their contents in the links of the part of a scenario at `key`.
pub(crate) fn take_over_links(part: &mut Value, key: &str, read: ReadFile) -> Result<(), ScenarioError> {
    traces::take_over(part, key, &|file, key| text_of(file, key, read))
}

fn contents(file: &str, key: &str, shape: &Shape, read: ReadFile) -> Result<Columns, ScenarioError> {
    csv::read(&text_of(file, key, read)?, shape, key, file)
}

/// The text of the file that `key` names.
fn text_of(file: &str, key: &str, read: ReadFile) -> Result<String, ScenarioError> {
    let text = read(file).map(|text| match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    });
    text.map_err(|Unreadable { reason, others }| {
        let problem = format!("{}: {reason}", clip(file));
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        match others.as_slice() {
            [] => ScenarioError::at(key, problem).with_found(clip(file)),
            others => ScenarioError::unknown_name(key, &clip(file), &problem, others),
        }
    })
}

/// The distribution that a table of sizes describes: each size once, in ascending order, with its weight if
/// weights differ.
fn sizes(columns: &Columns) -> serde_json::Map<String, Value> {
    // Numbers of zero or more have the same order as their bits.
    let mut by_size: BTreeMap<u64, f64> = BTreeMap::new();
    for (row, size) in columns.needed.values.iter().enumerate() {
        let weight = columns.optional[0].as_ref().map_or(1.0, |weights| weights.values[row]);
        *by_size.entry((size + 0.0).to_bits()).or_default() += weight;
    }
    let list = |values: &mut dyn Iterator<Item = f64>| Value::Array(values.map(number).collect());
    let mut table = serde_json::Map::new();
    table.insert("packets".to_owned(), list(&mut by_size.keys().map(|bits| f64::from_bits(*bits))));
    let first = by_size.values().next().copied().unwrap_or_default();
    // If all weights are zero, that is a mistake, and the reader refuses it.
    if by_size.values().any(|weight| *weight <= 0.0 || weight.total_cmp(&first).is_ne()) {
        table.insert("weights".to_owned(), list(&mut by_size.values().copied()));
    }
    table
}

/// A number as usually written: whole numbers without a point.
fn number(value: f64) -> Value {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value < LARGEST_EXACT {
        return Value::from(value as u64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}
