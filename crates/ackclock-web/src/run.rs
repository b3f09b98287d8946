//! A run that advances in steps, so that a worker can report progress, draw, or stop in between.

use ackclock_congestion::Start;
use ackclock_simulation::Simulation;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::controller::{self, Host, PageController};
use crate::results::Results;
use crate::scenario::{Scenario, shown};

/// A simulation on its way.
#[wasm_bindgen]
pub struct Run(Simulation);

#[wasm_bindgen]
impl Run {
    /// A simulation at its beginning. `custom` are the names of the page's own algorithms, which `host` makes: one host at a
    /// time, that of the last run begun.
    ///
    /// # Errors
    /// The error that the constructor of an own algorithm throws, or, as the text of [`Scenario::from_toml`], a name that is not known.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &Scenario, custom: Vec<String>, host: Host) -> Result<Run, JsValue> {
        controller::begin(host);
        if !custom.is_empty() {
            controller::declare();
        }
        let names: Vec<&str> = custom.iter().map(String::as_str).collect();
        let make = |name: &str, start: &Start| PageController::boxed(name, start);
        let simulation =
            Simulation::with_controllers(&scenario.0, &names, &make).map_err(|error| shown(&error))?;
        controller::failure().map_or(Ok(Run(simulation)), Err)
    }

    /// Processes this many events. Returns true at the end of the run.
    ///
    /// # Errors
    /// The error that an own algorithm throws.
    pub fn advance(&mut self, events: u32) -> Result<bool, JsValue> {
        let over = self.0.advance(u64::from(events));
        controller::failure().map_or(Ok(over), Err)
    }

    /// The simulated time so far, in seconds.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        self.0.now().as_secs_f64()
    }

    /// Events that have happened.
    #[wasm_bindgen(getter)]
    pub fn events(&self) -> f64 {
        self.0.event_count() as f64
    }

    /// Ends the run here.
    pub fn finish(self) -> Results {
        Results(self.0.finish())
    }
}
