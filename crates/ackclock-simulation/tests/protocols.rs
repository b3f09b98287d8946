//! Every protocol that the catalogue lists can be asked for by its keys, as its entry writes them.

use ackclock_catalogue::Entry;
use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::{PROTOCOLS, Scenario};

fn scenario(entry: &Entry) -> String {
    let keys: Vec<String> = entry.keys.iter().map(|key| format!("{} = {}", key.name, key.example)).collect();
    let file = if entry.table == "flow" { "packets = 10" } else { "" };
    format!(
        r#"
        name = "protocols"
        duration = "20 s"
        topology.dumbbell.bottleneck = {{ rate = "1 Mbit/s", delay = "10 ms", buffer = "20 packets" }}
        topology.dumbbell.access = {{ rate = "10 Mbit/s", delay = "1 ms" }}
        [[{}]]
        {file}
        {}
        "#,
        entry.table,
        keys.join("\n        "),
    )
}

#[test]
fn every_listed_protocol_is_read_from_its_keys_and_carries_packets() {
    for entry in PROTOCOLS {
        let scenario = Scenario::from_toml(&scenario(entry), &[]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        match scenario.without_stacks() {
            Ok(()) => {
                let delivered = Simulation::new(&scenario).unwrap().run().packets_delivered();
                assert!(delivered >= 10, "{}: {delivered} packets", entry.name);
            }
            // Another program has these.
            Err(error) => assert!(error.message.starts_with(entry.name), "{error}"),
        }
    }
}
