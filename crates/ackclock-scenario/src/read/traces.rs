//! Traces of links in files: Mahimahi's, and tables of rate, delay and loss over time.

use serde_json::{Map, Value, json};

use super::csv::{self, Columns, Shape};
use super::error::{ScenarioError, clip};

/// The most lines of a trace.
const MOST_LINES: usize = 2_000_000;

const COURSE: Shape = Shape {
    needed: &["time_s", "time_ms"],
    optional: &[
        &["rate_bit_per_s", "rate_kbit_per_s", "rate_mbit_per_s", "rate_gbit_per_s"],
        &["delay_s", "delay_ms", "delay_us"],
        &["loss"],
    ],
};

/// The units of those columns, in the order of their names; a share of packets has none.
const TIMES: &[&str] = &["s", "ms"];
const UNITS: [(&str, &[&str]); 3] =
    [("rate", &["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]), ("delay", &["s", "ms", "us"]), ("loss", &[])];

/// Reads the text of a file that a key names.
pub(super) type TextOf<'a> = &'a dyn Fn(&str, &str) -> Result<String, ScenarioError>;

/// Replaces names of files in the tables of links by their contents.
pub(super) fn take_over(value: &mut Value, key: &str, read: TextOf<'_>) -> Result<(), ScenarioError> {
    match value {
        Value::Array(list) => {
            for (index, element) in list.iter_mut().enumerate() {
                take_over(element, &format!("{key}.{index}"), read)?;
            }
        }
        Value::Object(table) => {
            if let Some(Value::Object(rate)) = table.get_mut("rate")
                && let Some(Value::String(file)) = rate.get("trace")
            {
                let key = format!("{key}.rate.trace");
                let times = opportunities(&read(file, &key)?, &key, file)?;
                rate.remove("trace");
                rate.insert("opportunities".to_owned(), Value::from(times));
            }
            if let Some(schedule) = table.get("schedule").cloned() {
                let key = format!("{key}.schedule");
                let course = course(&schedule, &key, read)?;
                table.remove("schedule");
                for (name, value) in course {
                    if table.contains_key(&name) {
                        let message =
                            format!("the file has {name}, and so has the table; one of them is enough");
                        return Err(ScenarioError::at(key, message));
                    }
                    table.insert(name, value);
                }
            }
            // A link's loss may also be a schedule, which names no file.
            for (name, element) in table.iter_mut().filter(|(name, _)| *name != "loss") {
                take_over(element, &format!("{key}.{name}"), read)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The times of a trace in Mahimahi's format: a line for each opportunity, in whole milliseconds.
///
/// Errors quote nothing but such times: a file that is no trace may be any file.
fn opportunities(text: &str, key: &str, file: &str) -> Result<Vec<u32>, ScenarioError> {
    let file = clip(file);
    let wrong =
        |line: usize, message: String| Err(ScenarioError::at(key, format!("{file}, line {line}: {message}")));
    let mut times: Vec<u32> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Ok(time) = line.trim().parse::<u32>() else {
            return wrong(
                number,
                format!("found {}; expected a time in whole milliseconds", kind(line.trim())),
            );
        };
        if let Some(before) = times.last().filter(|before| **before > time) {
            return wrong(number, format!("found {time} after {before}; the times of a trace ascend"));
        }
        times.push(time);
        if times.len() > MOST_LINES {
            return wrong(number, format!("the trace is too long; at most {MOST_LINES} lines"));
        }
    }
    match times.last() {
        None => {
            Err(ScenarioError::at(key, format!("{file}: the file is empty; expected a time on each line")))
        }
        Some(0) => {
            Err(ScenarioError::at(key, format!("{file}: the last time is 0; a trace lasts for some time")))
        }
        Some(_) => Ok(times),
    }
}

/// Refuses times that do not begin at zero and ascend: the row, and what is wrong.
fn check_times(times: &[f64]) -> Result<(), (usize, String)> {
    match times.first() {
        Some(first) if *first > 0.0 => {
            return Err((0, format!("found {first} as the first time; a table of a link begins at 0")));
        }
        _ => {}
    }
    match times.windows(2).position(|pair| pair[0] >= pair[1]) {
        Some(before) => {
            let (earlier, here) = (times[before], times[before + 1]);
            Err((before + 1, format!("found {here} after {earlier}; the times of a table ascend")))
        }
        None => Ok(()),
    }
}

/// The kind of a line that is no time, of which nothing is quoted.
fn kind(line: &str) -> &'static str {
    match line.parse::<f64>() {
        _ if line.is_empty() => "an empty line",
        Ok(number) if number < 0.0 => "a number below zero",
        Ok(number) if number.fract() != 0.0 => "a number that is not whole",
        Ok(number) if number.is_finite() => "a number that is too large, or not written as a whole one",
        _ => "a text",
    }
}

/// The keys of a link that a table over time represents: steps of rate, delay and loss.
fn course(schedule: &Value, key: &str, read: TextOf<'_>) -> Result<Map<String, Value>, ScenarioError> {
    let Value::Object(settings) = schedule else {
        return Err(ScenarioError::at(
            key,
            "expected a table with the name of a file, such as { file = \"drive.csv\" }",
        ));
    };
    if let Some(other) = settings.keys().find(|name| !["file", "every"].contains(&name.as_str())) {
        return Err(ScenarioError::unknown_key(format!("{key}.{other}"), other, &["file", "every"]));
    }
    let Some(Value::String(file)) = settings.get("file") else {
        return Err(ScenarioError::at(format!("{key}.file"), "missing; expected the name of a CSV file"));
    };
    let key = format!("{key}.file");
    let Columns { needed: times, optional, lines } = csv::read(&read(file, &key)?, &COURSE, &key, file)?;
    let wrong = |row: usize, message: String| {
        let line = lines.get(row).copied().unwrap_or_default();
        ScenarioError::at(&key, format!("{}, line {line}: {message}", clip(file)))
    };
    check_times(&times.values).map_err(|(row, message)| wrong(row, message))?;
    let mut keys = Map::new();
    for ((name, units), column) in UNITS.into_iter().zip(optional) {
        let Some(column) = column else { continue };
        if let Some(row) = column.values.iter().position(|value| name == "loss" && *value > 1.0) {
            let share = column.values[row];
            return Err(wrong(row, format!("found {share} for loss; expected a share of packets, 0 to 1")));
        }
        let points = times.values.iter().zip(&column.values).map(|(time, value)| {
            let value = units.get(column.unit).map_or(json!(value), |unit| json!(format!("{value} {unit}")));
            json!([format!("{time} {}", TIMES[times.unit]), value])
        });
        let mut steps = Map::from_iter([("steps".to_owned(), points.collect())]);
        if let Some(every) = settings.get("every") {
            steps.insert("every".to_owned(), every.clone());
        }
        let steps = Value::Object(steps);
        keys.insert(name.to_owned(), if name == "loss" { json!({ "schedule": steps }) } else { steps });
    }
    if keys.is_empty() {
        let message = format!(
            "{}: expected a column rate_bit_per_s, delay_s or loss in addition to time_s",
            clip(file)
        );
        return Err(ScenarioError::at(key, message));
    }
    Ok(keys)
}
