//! `system` of `[tcp]`: the settings of operating systems.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::{SYSTEMS, Scenario, ScenarioError};
use ackclock_units::Duration;

fn read(tcp: &str, flow: &str) -> Result<Scenario, ScenarioError> {
    let text = format!(
        "name = \"x\"\nduration = \"2 s\"\n[tcp]\n{tcp}\n[topology.dumbbell]\npairs = 1\n\
         bottleneck = {{ rate = \"5 Mbit/s\", delay = \"10 ms\", buffer = \"50 packets\" }}\n\
         access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }}\n[[flow]]\n{flow}\n"
    );
    Scenario::from_toml(&text, &[])
}

#[test]
fn each_stack_runs_and_its_keys_can_be_replaced() {
    for entry in SYSTEMS {
        let scenario = read(&format!("system = \"{}\"", entry.name), "").unwrap();
        // QUIC has probe timeouts, without a least one.
        let is_quic = entry.name == "quic";
        assert_eq!(scenario.tcp.settings.rto.min < Duration::from_secs(1), !is_quic, "{}", entry.name);
        assert_eq!(scenario.tcp.algorithm.starts_with("rfc9002+"), is_quic, "{}", entry.name);
        let avoidance = if is_quic { "+reno" } else { "+cubic" };
        assert!(scenario.tcp.algorithm.contains(avoidance), "{}", entry.name);
        assert!(Simulation::new(&scenario).unwrap().run().packets_delivered() > 100, "{}", entry.name);
        let other = read(&format!("system = \"{}\"\nrto_min = \"500 ms\"", entry.name), "").unwrap();
        assert_eq!(other.tcp.settings.rto.min, Duration::from_millis(500), "{}", entry.name);
    }
}

/// A flow's system replaces the keys of `[tcp]`, and its own keys and algorithm those of its system.
#[test]
fn a_flow_has_a_stack_of_its_own() {
    let scenario = read(
        "system = \"linux\"",
        "tcp = { system = \"windows\", segments_per_ack = 1 }\nalgorithm = \"bbr3\"",
    )
    .unwrap();
    let tcp = &scenario.flow[0].tcp;
    assert_eq!((tcp.settings.rto.min, tcp.settings.segments_per_ack), (Duration::from_millis(300), 1));
    assert_eq!((tcp.algorithm.as_str(), tcp.settings.timestamps), ("bbr3", false));
    assert_eq!(scenario.tcp.settings.rto.min, Duration::from_millis(200));
}

#[test]
fn a_mistake_gets_the_nearest_name() {
    let error = read("system = \"lunix\"", "").unwrap_err();
    assert_eq!(error.key.as_deref(), Some("tcp.system"));
    assert!(error.to_string().contains("linux"), "{error}");
}
