//! Copies of packets: what counts packets counts each once.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;

fn scenario(algorithm: &str) -> String {
    format!(
        r#"
        name = "copies"
        duration = "20 s"
        [[topology.graph.link]]
        from = "left"
        to = "right"
        rate = "10 Mbit/s"
        delay = "5 ms"
        impairments = ["duplication(probability=1)"]
        reverse = {{ impairments = ["duplication(probability=1)"] }}
        [[flow]]
        algorithm = "{algorithm}"
        count = 20
        packets = 30
        from = "left"
        to = "right"
        start_jitter = "5 s"
        "#
    )
}

#[test]
fn files_over_a_path_that_duplicates_are_delivered_once() {
    for algorithm in ["cubic", "newreno+reno"] {
        let output = Simulation::new(&Scenario::from_toml(&scenario(algorithm), &[]).unwrap()).unwrap().run();
        assert!(output.conservation.holds());
        assert_eq!(output.packets_delivered(), 20 * 30, "{algorithm}");
        let finished = output.table("flows").and_then(|flows| flows.real("finish_s")).unwrap();
        assert!(finished.iter().all(|time| time.is_finite()), "{algorithm}");
    }
}

/// The ACK/NAK transport has a reply for each packet that is sent, and no copies.
#[test]
fn the_acknak_transport_is_refused_there() {
    let error = Scenario::from_toml(&scenario("acknak+reno"), &[]).unwrap_err();
    assert_eq!(error.key.as_deref(), Some("flow.0.algorithm"));
    assert!(error.message.contains("left->right"), "{}", error.message);
}
