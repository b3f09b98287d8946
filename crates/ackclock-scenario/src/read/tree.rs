//! The tree of values between a text and the schema: read from TOML and JSON, written back to them, and
//! changed value by value.

use serde_json::{Map, Value};
use toml::de::DeTable;

use super::error::{ScenarioError, clip};

/// The deepest nesting of tables and lists; the schema needs seven.
const DEEPEST: usize = 24;

/// The tree of a TOML text.
pub(crate) fn from_toml(text: &str) -> Result<Value, ScenarioError> {
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        // The parser continues after an error and may report a second one caused by the first.
        let (_, errors) = DeTable::parse_recoverable(text);
        let error =
            errors.into_iter().min_by_key(|error| error.span().map(|span| span.start)).unwrap_or(error);
        let place = error.span().map(|span| position(text, span.start));
        let message = clip(error.message());
        ScenarioError::of_text(match place {
            Some((line, column)) => format!("line {line}, column {column}: not TOML: {message}"),
            None => format!("not TOML: {message}"),
        })
    })?;
    convert(toml::Value::Table(table), &mut Vec::new())
}

/// The tree of a JSON text. A key whose value is null counts as left out.
pub(crate) fn from_json(text: &str) -> Result<Value, ScenarioError> {
    let mut tree: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let whole = error.to_string();
        let message = whole.split(" at line ").next().unwrap_or_default();
        ScenarioError::of_text(format!("line {line}, column {column}: not JSON: {}", clip(message)))
    })?;
    tidy(&mut tree, &mut Vec::new())?;
    Ok(tree)
}

/// The tree as TOML.
pub(crate) fn to_toml(tree: &Value) -> String {
    toml::to_string(tree).expect("reading leaves only what TOML can say")
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

fn joined(path: &[String]) -> String {
    clip(&path.join("."))
}

fn too_deep(path: &[String]) -> ScenarioError {
    ScenarioError::at(joined(path), format!("tables and lists are nested deeper than {DEEPEST} levels"))
}

fn convert(value: toml::Value, path: &mut Vec<String>) -> Result<Value, ScenarioError> {
    if path.len() > DEEPEST {
        return Err(too_deep(path));
    }
    Ok(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Boolean(truth) => Value::Bool(truth),
        toml::Value::Float(number) => match serde_json::Number::from_f64(number) {
            Some(number) => Value::Number(number),
            None => return Err(not_finite(path, number)),
        },
        toml::Value::Datetime(date) => {
            let message = format!("found the date {date}; write it as a text, in quotation marks");
            return Err(ScenarioError::at(joined(path), message).with_found(date.to_string()));
        }
        toml::Value::Array(list) => {
            let mut values = Vec::with_capacity(list.len());
            for (index, element) in list.into_iter().enumerate() {
                path.push(index.to_string());
                values.push(convert(element, path)?);
                path.pop();
            }
            Value::Array(values)
        }
        toml::Value::Table(table) => {
            let mut map = Map::with_capacity(table.len());
            for (key, element) in table {
                path.push(key);
                let element = convert(element, path)?;
                map.insert(path.pop().unwrap_or_default(), element);
            }
            Value::Object(map)
        }
    })
}

fn not_finite(path: &[String], number: f64) -> ScenarioError {
    ScenarioError::at(joined(path), format!("found {number}; every number here is finite"))
        .with_found(number.to_string())
}

/// Removes nulls, and refuses values that TOML cannot express.
fn tidy(value: &mut Value, path: &mut Vec<String>) -> Result<(), ScenarioError> {
    if path.len() > DEEPEST {
        return Err(too_deep(path));
    }
    match value {
        Value::Null => {
            Err(ScenarioError::at(joined(path), "found null; expected a value").with_found("null"))
        }
        Value::Number(number) if number.as_u64().is_some_and(|n| i64::try_from(n).is_err()) => {
            let message = format!("found {number}; the largest whole number is {}", i64::MAX);
            Err(ScenarioError::at(joined(path), message).with_found(number.to_string()))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        Value::Array(list) => list.iter_mut().enumerate().try_for_each(|(index, element)| {
            path.push(index.to_string());
            tidy(element, path)?;
            path.pop();
            Ok(())
        }),
        Value::Object(table) => {
            table.retain(|_, element| !element.is_null());
            table.iter_mut().try_for_each(|(key, element)| {
                path.push(key.clone());
                tidy(element, path)?;
                path.pop();
                Ok(())
            })
        }
    }
}

/// The value of a text: what TOML reads from it, or the text itself.
pub(crate) fn value_of(text: &str, path: &str) -> Result<Value, ScenarioError> {
    let as_text = || Ok(Value::String(text.to_owned()));
    match toml::from_str::<toml::Table>(&format!("value = {text}")) {
        Ok(mut table) if table.len() == 1 => match table.remove("value") {
            None | Some(toml::Value::Datetime(_)) => as_text(),
            Some(value) => convert(value, &mut path.split('.').map(str::to_owned).collect()),
        },
        _ => as_text(),
    }
}

/// Puts `value` at a dotted path, making tables on the way.
pub(crate) fn set(tree: &mut Value, path: &str, value: Value) -> Result<(), ScenarioError> {
    let keys: Vec<&str> = path.split('.').collect();
    if keys.len() > DEEPEST || keys.iter().any(|key| key.trim().is_empty()) {
        let message = "not a path of keys, such as \"tcp.mss\" or \"flow.0.packets\"";
        return Err(ScenarioError::at(clip(path), message));
    }
    let mut place = tree;
    for (depth, key) in keys.iter().enumerate() {
        let here = || clip(&keys[..=depth].join("."));
        place = match place {
            Value::Array(list) => {
                let length = list.len();
                let element = key.parse::<usize>().ok().and_then(|index| list.get_mut(index));
                element.ok_or_else(|| {
                    let message = match length {
                        0 => "the list is empty".to_owned(),
                        1 => "there is only element 0".to_owned(),
                        _ => format!("there are only the elements 0 to {}", length - 1),
                    };
                    ScenarioError::at(here(), message).with_found(clip(key))
                })?
            }
            Value::Object(table) => table.entry(*key).or_insert_with(|| Value::Object(Map::new())),
            _ => {
                let message = format!("{:?} is a value, not a table", clip(&keys[..depth].join(".")));
                return Err(ScenarioError::at(here(), message).with_found(clip(key)));
            }
        };
    }
    *place = value;
    Ok(())
}

/// The tables of endpoint behaviour, which a flow may have too.
const ENDPOINT_TABLES: [&str; 2] = ["tcp", "acknak"];

/// The tree with `[tcp]` and `[acknak]` first, so that a mistake in them is reported there. Each flow's
/// own tables are completed from them, and `tcp` from the flow's `algorithm`.
pub(crate) fn with_tables_in_flows(tree: &Value) -> Value {
    let Value::Object(table) = tree else { return tree.clone() };
    let mut whole = Map::with_capacity(table.len());
    let (tables, others): (Vec<_>, Vec<_>) =
        table.iter().partition(|(key, _)| ENDPOINT_TABLES.contains(&key.as_str()));
    whole.extend(tables.into_iter().chain(others).map(|(key, value)| (key.clone(), value.clone())));
    if let Some(Value::Array(flows)) = whole.get_mut("flow") {
        for flow in flows.iter_mut().filter_map(Value::as_object_mut) {
            for name in ENDPOINT_TABLES {
                complete(flow, name, table.get(name).and_then(Value::as_object));
            }
        }
    }
    Value::Object(whole)
}

fn complete(flow: &mut Map<String, Value>, name: &str, defaults: Option<&Map<String, Value>>) {
    let algorithm = flow.get("algorithm").filter(|algorithm| name == "tcp" && algorithm.is_string()).cloned();
    let own = flow.entry(name).or_insert_with(|| Value::Object(Map::new()));
    // Anything but a table is left as it is, for the reader to refuse.
    let Value::Object(own) = own else { return };
    let mut merged = defaults.cloned().unwrap_or_default();
    merged.extend(own.clone());
    merged.extend(algorithm.map(|name| ("algorithm".to_owned(), name)));
    *own = merged;
}
