//! Writes the JavaScript side of a module that rustc has made for wasm-bindgen: `ackclock-bindgen MODULE.wasm FOLDER`.

use std::env;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let [_, module, folder] = arguments.as_slice() else {
        return Err("usage: ackclock-bindgen MODULE.wasm FOLDER".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name("engine").typescript(true).web(true)?;
    Ok(bindgen.generate(folder)?)
}
