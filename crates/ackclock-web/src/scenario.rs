//! Scenarios and their errors, as a page sees them.

use ackclock_simulation::scenario::{self, ScenarioError, Sketch};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// A valid, immutable description of one simulation. An invalid one throws JSON with the error's `message`, `key`, `found`
/// and `nearest`.
#[wasm_bindgen]
pub struct Scenario(pub(crate) scenario::Scenario);

#[wasm_bindgen]
impl Scenario {
    /// Reads TOML; `custom` are the names of the page's own algorithms.
    ///
    /// # Errors
    /// As the reader of scenarios, as JSON.
    #[wasm_bindgen(js_name = fromToml)]
    pub fn from_toml(text: &str, custom: Vec<String>) -> Result<Scenario, String> {
        scenario::Scenario::from_toml(text, &custom).map(Scenario).map_err(|error| shown(&error))
    }

    /// Reads the same schema as JSON.
    ///
    /// # Errors
    /// As [`from_toml`](Self::from_toml).
    #[wasm_bindgen(js_name = fromJson)]
    pub fn from_json(text: &str, custom: Vec<String>) -> Result<Scenario, String> {
        scenario::Scenario::from_json(text, &custom).map(Scenario).map_err(|error| shown(&error))
    }

    /// The scenario as TOML, as read.
    #[wasm_bindgen(js_name = toToml)]
    pub fn to_toml(&self) -> String {
        self.0.to_toml()
    }

    /// The scenario as JSON, as read.
    #[wasm_bindgen(js_name = toJson)]
    pub fn to_json(&self) -> String {
        self.0.to_json()
    }

    /// The simulated time, in seconds.
    #[wasm_bindgen(getter, js_name = durationS)]
    pub fn duration_s(&self) -> f64 {
        self.0.duration.as_secs_f64()
    }

    /// The number of flows, TCP and UDP.
    #[wasm_bindgen(getter, js_name = flowCount)]
    pub fn flow_count(&self) -> u32 {
        self.0.flow_count()
    }

    /// A drawing of the network, as JSON: nodes with their places, and links between them by number. x goes from 0 to 1,
    /// y counts rows from the top.
    pub fn sketch(&self) -> String {
        let Sketch { nodes, links, .. } = self.0.sketch();
        let node = |node: scenario::SketchNode| json!({ "name": node.name, "role": node.role.name(), "x": node.x, "y": node.y, "note": node.note });
        let link = |link: scenario::SketchLink| json!({ "from": link.from, "to": link.to, "trunk": link.trunk, "label": link.label });
        let nodes: Value = nodes.into_iter().map(node).collect();
        let links: Value = links.into_iter().map(link).collect();
        json!({ "nodes": nodes, "links": links }).to_string()
    }
}

pub(crate) fn shown(error: &ScenarioError) -> String {
    let ScenarioError { key, found, message, nearest, .. } = error;
    json!({ "message": message, "key": key, "found": found, "nearest": nearest }).to_string()
}
