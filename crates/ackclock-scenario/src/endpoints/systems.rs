//! `system` of `[tcp]`: the settings of operating systems by name, for keys that are left out.
//!
//! A system is a file in `systems/` with its catalogue entry and its keys as TOML, and a line in the list below.

mod freebsd;
mod linux;
mod quic;
mod windows;

use ackclock_catalogue::Entry;
use serde_json::{Map, Value};

use crate::read::error::{ScenarioError, clip};
use crate::read::tree;

macro_rules! systems {
    ($($module:ident),+ $(,)?) => {
        /// The catalogue entries of the systems.
        pub static ENTRIES: &[Entry] = &[$($module::ENTRY),+];

        fn text_of(name: &str) -> Option<&'static str> {
            $(if name == $module::ENTRY.name {
                return Some($module::KEYS);
            })+
            None
        }
    };
}

systems! {
    linux,
    windows,
    freebsd,
    quic,
}

/// The tree with the keys of systems in `[tcp]` and in the tables `tcp` of flows that name them. Flows of HTTP/3 that name none have
/// those of QUIC.
pub(crate) fn spelled_out(tree: &Value) -> Result<Value, ScenarioError> {
    let mut whole = tree.clone();
    if let Some(table) = whole.get_mut("tcp") {
        complete(table, "tcp")?;
    }
    for (index, flow) in whole.get_mut("flow").and_then(Value::as_array_mut).into_iter().flatten().enumerate()
    {
        if is_http3(flow)
            && let Value::Object(flow) = flow
        {
            let table = flow.entry("tcp").or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(table) = table {
                table.entry("system").or_insert_with(|| quic::ENTRY.name.into());
            }
        }
        if let Some(table) = flow.get_mut("tcp") {
            complete(table, &format!("flow.{index}.tcp"))?;
        }
    }
    Ok(whole)
}

/// True if the browsers of a group speak HTTP/3.
fn is_http3(flow: &Value) -> bool {
    let http = flow.get("http");
    http.is_some_and(|http| http == "3" || http.get("version").is_some_and(|version| version == "3"))
}

/// Adds the keys of the system that a table names, unless the table has them.
pub(super) fn complete(table: &mut Value, at: &str) -> Result<(), ScenarioError> {
    let Value::Object(table) = table else { return Ok(()) };
    let Some(Value::String(name)) = table.get("system") else { return Ok(()) };
    for (key, value) in keys_of(name, &format!("{at}.system"))? {
        table.entry(key).or_insert(value);
    }
    Ok(())
}

/// The keys of the system of this name.
fn keys_of(name: &str, key: &str) -> Result<Map<String, Value>, ScenarioError> {
    let Some(text) = text_of(name) else {
        let name = clip(name);
        let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        let problem = format!("found {name:?}, which is no system");
        return Err(ScenarioError::unknown_name(key, &name, &problem, &known));
    };
    match tree::from_toml(text)? {
        Value::Object(keys) => Ok(keys),
        _ => unreachable!("a TOML text is a table"),
    }
}
