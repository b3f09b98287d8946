//! A connection does not know the time of day: what it does is the same whenever it begins.

use ackclock_congestion::registry;
use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;

/// The seconds that a file of 300 packets takes over a short queue, if it is asked for at this second.
fn seconds(algorithm: &str, start: u32) -> f64 {
    let text = format!(
        r#"
        name = "shifted"
        duration = "{duration} s"
        [topology.dumbbell]
        bottleneck = {{ rate = "10 Mbit/s", delay = "20 ms", buffer = "15 packets" }}
        access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
        [tcp]
        algorithm = "{algorithm}"
        [[flow]]
        packets = 300
        start = "{start} s"
        "#,
        duration = start + 60,
    );
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run();
    let transfers = output.table("transfers").unwrap();
    transfers.real("finish_s").unwrap()[0] - transfers.real("start_s").unwrap()[0]
}

/// BBR would begin with `ProbeRTT` if its smallest round trip had the age of the clock.
#[test]
fn a_file_takes_as_long_whenever_it_begins() {
    for entry in registry::entries().filter(|entry| entry.name != "xcp") {
        let algorithm =
            if entry.kind == "slow start" { format!("{}+reno", entry.name) } else { entry.name.to_owned() };
        let (early, late) =
            (seconds(&format!("rack+{algorithm}"), 0), seconds(&format!("rack+{algorithm}"), 1000));
        assert!((late - early).abs() < 1e-9, "{algorithm}: {early} s at the beginning, {late} s later");
    }
}
