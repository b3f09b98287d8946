//! The results of a run, as typed arrays.

use ackclock_simulation::{Column, Output};
use js_sys::{Array, Float64Array, Object, Reflect, Uint32Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The results of one simulation.
#[wasm_bindgen]
pub struct Results(pub(crate) Output);

#[wasm_bindgen]
impl Results {
    /// The digest of all tables, as sixteen hexadecimal digits.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.0.digest())
    }

    /// Data packets delivered to applications.
    #[wasm_bindgen(js_name = packetsDelivered)]
    pub fn packets_delivered(&self) -> f64 {
        self.0.packets_delivered() as f64
    }

    /// The simulated time at the end, in seconds.
    #[wasm_bindgen(js_name = finishedAtS)]
    pub fn finished_at_s(&self) -> f64 {
        self.0.finished_at.as_secs_f64()
    }

    /// The names of the tables.
    #[wasm_bindgen(js_name = tableNames)]
    pub fn table_names(&self) -> Vec<String> {
        self.0.table_names().map(str::to_owned).collect()
    }

    /// A table as an object of columns: numbers as `Float64Array` (counts too, which are exact to 2^53), numbers of flows
    /// and links as `Uint32Array`, names as an array of texts. Undefined where there is no such table.
    ///
    /// # Errors
    /// None: an object without a prototype of its own takes every column.
    pub fn table(&self, name: &str) -> Result<JsValue, JsValue> {
        let Some(table) = self.0.table(name) else { return Ok(JsValue::UNDEFINED) };
        let columns = Object::new();
        for (name, column) in table.columns() {
            Reflect::set(&columns, &(*name).into(), &array(column))?;
        }
        Ok(columns.into())
    }
}

fn array(column: &Column) -> JsValue {
    match column {
        Column::Real(values) => Float64Array::from(values.as_slice()).into(),
        Column::Count(values) => {
            let values: Vec<f64> = values.iter().map(|value| *value as f64).collect();
            Float64Array::from(values.as_slice()).into()
        }
        Column::Index(values) => Uint32Array::from(values.as_slice()).into(),
        Column::Text(texts) => texts.iter().map(JsValue::from_str).collect::<Array>().into(),
    }
}
