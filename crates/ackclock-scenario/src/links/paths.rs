//! `path` of a link: typical paths by name, which set the keys that a link leaves out.
//!
//! A path is a file in `paths/` with its catalogue entry and its keys as TOML, and a line in the list below. Forward is
//! towards the user.

mod docsis;
mod dsl;
mod five_g_driving;
mod geo_satellite;
mod leo_handover;
mod lte_driving;
mod mobile_handover;
mod wifi_home;

use ackclock_catalogue::Entry;
use serde_json::{Map, Value};

use crate::read::error::{ScenarioError, clip};
use crate::read::tree;

macro_rules! paths {
    ($($module:ident),+ $(,)?) => {
        /// The catalogue entries of the paths.
        pub static ENTRIES: &[Entry] = &[$($module::ENTRY),+];

        fn text_of(name: &str) -> Option<&'static str> {
            $(if name == $module::ENTRY.name {
                return Some($module::LINK);
            })+
            None
        }
    };
}

paths! {
    lte_driving,
    five_g_driving,
    wifi_home,
    docsis,
    dsl,
    geo_satellite,
    leo_handover,
    mobile_handover,
}

/// The tree with the keys of paths in the links that name them.
pub(crate) fn spelled_out(tree: &Value) -> Result<Value, ScenarioError> {
    let mut whole = tree.clone();
    if let Some(topology) = whole.get_mut("topology") {
        complete_all(topology, "topology")?;
    }
    Ok(whole)
}

/// Adds the keys of paths in the links that name them, in the part of a scenario at `key`.
pub(crate) fn complete_all(value: &mut Value, key: &str) -> Result<(), ScenarioError> {
    match value {
        Value::Array(list) => {
            for (index, element) in list.iter_mut().enumerate() {
                complete_all(element, &format!("{key}.{index}"))?;
            }
        }
        Value::Object(table) => {
            for (name, element) in table.iter_mut() {
                complete_all(element, &format!("{key}.{name}"))?;
            }
            if let Some(Value::String(name)) = table.get("path") {
                complete(table, &keys_of(name, &format!("{key}.path"))?);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The keys of the path of this name.
fn keys_of(name: &str, key: &str) -> Result<Map<String, Value>, ScenarioError> {
    let Some(text) = text_of(name) else {
        let name = clip(name);
        let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        let problem = format!("found {name:?}, which is no path");
        return Err(ScenarioError::unknown_name(key, &name, &problem, &known));
    };
    match tree::from_toml(text)? {
        Value::Object(keys) => Ok(keys),
        _ => unreachable!("a TOML text is a table"),
    }
}

/// Adds the keys that a table lacks, and does the same in the tables of `reverse`.
fn complete(table: &mut Map<String, Value>, keys: &Map<String, Value>) {
    for (key, value) in keys {
        match (table.get_mut(key), value) {
            (Some(Value::Object(own)), Value::Object(keys)) if key == "reverse" => complete(own, keys),
            (Some(_), _) => {}
            (None, _) => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}
