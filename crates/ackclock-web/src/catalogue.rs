//! The catalogue: the entries of every kind, with the ranges and meanings from which a page makes its
//! controls.

use ackclock_catalogue::{Entry, Key, Parameter};
use ackclock_simulation::entries;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// The entries of all kinds as JSON. A default or an end of a range that is no finite number is null.
#[wasm_bindgen]
pub fn catalogue() -> String {
    entries().map(row).collect::<Value>().to_string()
}

fn row(entry: &Entry) -> Value {
    json!({
        "kind": entry.kind,
        "name": entry.name,
        "title": entry.title,
        "source": entry.source,
        "parameters": entry.parameters.iter().map(parameter).collect::<Value>(),
        "table": entry.table,
        "keys": entry.keys.iter().map(key).collect::<Value>(),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name,
        "unit": parameter.unit.name(),
        "default": parameter.default,
        "min": parameter.min,
        "max": parameter.max,
        "meaning": parameter.meaning,
        "names": parameter.unit.names(),
    })
}

fn key(key: &Key) -> Value {
    json!({ "name": key.name, "meaning": key.meaning, "example": key.example, "required": key.required })
}
