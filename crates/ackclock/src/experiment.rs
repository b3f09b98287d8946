//! Experiments built in code rather than written as a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use ackclock_congestion::{CongestionControl, Start};
use ackclock_simulation::scenario::{Scenario, ScenarioError};
use ackclock_simulation::{Output, Simulation};
use ackclock_units::{Duration, Rate};
use serde_json::{Value, json};

type Maker = Arc<dyn Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync>;

/// Flows on a network, and the controllers that the caller brings.
///
/// It holds the values of a scenario under the keys that scenario files have; they are checked together by
/// [`scenario`](Self::scenario) and [`run`](Self::run).
#[derive(Clone)]
pub struct Experiment {
    tree: Value,
    values: Vec<(String, String)>,
    controllers: BTreeMap<String, Maker>,
}

impl Experiment {
    /// Flows over one bottleneck of this rate and round-trip time, where `buffer_packets` may wait. The other
    /// links are ten times as fast. It simulates 30 s until [`duration`](Self::duration) says otherwise.
    pub fn dumbbell(rate: Rate, round_trip: Duration, buffer_packets: u32) -> Experiment {
        let bottleneck = json!({
            "rate": rate.to_string(),
            "delay": round_trip.mul_f64(0.5).to_string(),
            "buffer": format!("{buffer_packets} packets"),
        });
        let faster = Rate::from_bits_per_second(rate.bits_per_second().saturating_mul(10));
        let access = json!({ "rate": faster.to_string(), "delay": "0 s" });
        let tree = json!({
            "name": "experiment",
            "duration": "30 s",
            "topology": { "dumbbell": { "pairs": 0, "bottleneck": bottleneck, "access": access } },
            "flow": [],
        });
        Experiment { tree, values: Vec::new(), controllers: BTreeMap::new() }
    }

    /// A bulk flow of a further pair of hosts, with an algorithm as in `cubic`, `rack+reno` or `vegas(alpha=2, beta=4)`.
    pub fn flow(mut self, algorithm: &str) -> Experiment {
        if let Some(flows) = self.tree["flow"].as_array_mut() {
            flows.push(json!({ "algorithm": algorithm }));
            self.tree["topology"]["dumbbell"]["pairs"] = json!(flows.len());
        }
        self
    }

    /// Adds one of the caller's own controllers under a name, which algorithms may then use like any other. `make` is
    /// called once per connection, with the window that it begins with.
    pub fn controller(
        mut self,
        name: &str,
        make: impl Fn(&Start) -> Box<dyn CongestionControl> + Send + Sync + 'static,
    ) -> Experiment {
        self.controllers.insert(name.to_owned(), Arc::new(make));
        self
    }

    /// The simulated time.
    pub fn duration(self, duration: Duration) -> Experiment {
        self.set("duration", &duration.to_string())
    }

    /// The seed of all random streams.
    pub fn seed(self, seed: u64) -> Experiment {
        self.set("seed", &seed.to_string())
    }

    /// A value under a key of scenario files, as in `set("tcp.mss", "1000 bytes")` or `set("flow.0.start", "1 s")`.
    pub fn set(mut self, key: &str, value: &str) -> Experiment {
        self.values.push((key.to_owned(), value.to_owned()));
        self
    }

    /// The scenario, checked.
    ///
    /// # Errors
    /// When a key or a name does not exist, or a value cannot be right; the error has the key and the nearest name.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        let custom: Vec<String> = self.controllers.keys().cloned().collect();
        let values = self.values.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        Scenario::from_json(&self.tree.to_string(), &custom)?.with_all(values)
    }

    /// Simulates it.
    ///
    /// # Errors
    /// As [`scenario`](Self::scenario), and when a flow goes over another stack (the key `stack`).
    pub fn run(&self) -> Result<Output, ScenarioError> {
        let scenario = self.scenario()?;
        let names: Vec<&str> = self.controllers.keys().map(String::as_str).collect();
        let make = |name: &str, start: &Start| self.controllers[name](start);
        Ok(Simulation::with_controllers(&scenario, &names, &make)?.run())
    }
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Experiment")
            .field("tree", &self.tree)
            .field("values", &self.values)
            .field("controllers", &self.controllers.keys())
            .finish()
    }
}
