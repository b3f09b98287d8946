//! Scenarios of one bottleneck, and their runs.

#![allow(dead_code, reason = "each test file uses a part")]

use ackclock_quic::SimulatedStacks;
use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Column, Output, Simulation};

/// A path of one bottleneck; packets of 1500 bytes on the wire, of which QUIC and TCP alike leave 1440 to the application.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub megabits: u32,
    pub delay_ms: u32,
    pub buffer: u32,
}

pub fn scenario(path: Path, flow: &str, seconds: u32) -> Scenario {
    let Path { megabits, delay_ms, buffer } = path;
    let text = format!(
        r#"
        name = "path"
        duration = "{seconds} s"
        warm_up = "{} s"
        [[topology.graph.link]]
        from = "sender"
        to = "receiver"
        rate = "{megabits} Mbit/s"
        delay = "{delay_ms} ms"
        buffer = "{buffer} packets"
        [tcp]
        mss = "1440 B"
        header = "60 B"
        ack_delay = "25 ms"
        {flow}
        "#,
        seconds / 4
    );
    Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"))
}

pub fn flow(algorithm: &str, stack: Option<&str>) -> String {
    let stack = stack.map_or(String::new(), |stack| format!("stack = \"{stack}\"\n"));
    format!("[[flow]]\nfrom = \"sender\"\nto = \"receiver\"\nalgorithm = \"{algorithm}\"\n{stack}")
}

pub fn run(scenario: &Scenario) -> Output {
    let none = |name: &str, _: &_| panic!("no controller is called {name}");
    Simulation::with_stacks(scenario, &[], &none, &SimulatedStacks::default().checked()).unwrap().run()
}

pub fn flows(output: &Output, column: &str) -> Vec<f64> {
    let table = output.table("flows").expect("a table of flows");
    match table.column(column).expect(column) {
        Column::Real(values) => values.clone(),
        Column::Count(values) => values.iter().map(|value| *value as f64).collect(),
        other => panic!("{other:?}"),
    }
}

pub fn goodput(output: &Output) -> f64 {
    flows(output, "goodput_bit_per_s")[0] * 1e-6
}

pub const SHALLOW: Path = Path { megabits: 20, delay_ms: 20, buffer: 20 };
pub const DEEP: Path = Path { megabits: 20, delay_ms: 20, buffer: 80 };
