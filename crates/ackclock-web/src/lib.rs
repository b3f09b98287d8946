//! The WebAssembly binding: it converts, calls, and converts back. It does no arithmetic of its own.

#![expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands over what it has converted")]

mod catalogue;
mod controller;
mod results;
mod run;
mod scenario;

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the simulator.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
