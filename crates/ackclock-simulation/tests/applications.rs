//! Every application that `ackclock-application` lists can be written in a scenario, and runs.

use ackclock_application::ENTRIES;
use ackclock_catalogue::Entry;
use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::{Scenario, UdpGroup};

/// A scenario with a group that has the required keys of an application, as its entry writes them.
fn scenario(entry: &Entry) -> String {
    let required = entry.keys.iter().filter(|key| key.required);
    let keys: Vec<String> = required.map(|key| format!("{} = {}", key.name, key.example)).collect();
    format!(
        r#"
        name = "applications"
        duration = "20 s"
        topology.dumbbell.bottleneck = {{ rate = "1 Mbit/s", delay = "10 ms", buffer = "20 packets" }}
        topology.dumbbell.access = {{ rate = "10 Mbit/s", delay = "1 ms" }}
        [[{}]]
        {}
        "#,
        entry.table,
        keys.join("\n        "),
    )
}

#[test]
fn every_listed_application_is_read_from_its_keys_and_sends() {
    for entry in ENTRIES {
        let forgotten = format!(
            "{0:?} is listed in ackclock-application, but no scenario can ask for it: give its keys a file in \
             ackclock-scenario/src/traffic/applications/ and a line in applications.rs",
            entry.name
        );
        let read = Scenario::from_toml(&scenario(entry), &[]);
        let scenario = read.unwrap_or_else(|error| panic!("{error}; {forgotten}"));
        let names: Vec<&str> = match entry.table {
            "udp" => scenario.udp.iter().map(UdpGroup::application).collect(),
            _ => scenario.flow.iter().map(|group| group.application.name()).collect(),
        };
        assert_eq!(names, [entry.name], "{forgotten}");
        assert!(
            Simulation::new(&scenario).unwrap().run().packets_delivered() > 0,
            "{} sends nothing",
            entry.name
        );
    }
}

#[test]
fn optional_keys_of_applications_are_read_too() {
    for entry in ENTRIES {
        for key in entry.keys.iter().filter(|key| !key.required && key.name != "packets") {
            let text = format!("{}\n{} = {}\n", scenario(entry), key.name, key.example);
            // What needs a further key is refused for that, not as unknown.
            if let Err(error) = Scenario::from_toml(&text, &[]) {
                assert!(!error.message.contains("unknown key"), "{}.{}: {error}", entry.name, key.name);
            }
        }
    }
}
