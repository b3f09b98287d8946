//! Links whose rate is in packets, and the dumbbell of MesoNet (5.4) that has them.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

fn dumbbell(delay: &str, rest: &str) -> Scenario {
    let text = format!(
        r#"
        name = "mesonet"
        {rest}
        [topology.dumbbell]
        pairs = 2
        bottleneck = {{ rate = "21 packets/ms", delay = "{delay}", buffer = "20% bdp" }}
        access = {{ rate = "80 packets/ms", delay = "0 ms" }}
        "#
    );
    Scenario::from_toml(&text, &[]).unwrap()
}

fn longest_queue(output: &Output) -> u64 {
    output.table("links").unwrap().count("max_queue_packets").unwrap()[0]
}

/// Table 5-9: 20 % of the bandwidth-delay products of 42, 162 and 324 ms, found by filling the buffer.
#[test]
fn buffers_are_those_of_table_5_9() {
    for (delay, buffer) in [("21 ms", 176), ("81 ms", 680), ("162 ms", 1360)] {
        let rest = r#"
        duration = "20 s"
        [[flow]]
        algorithm = "acknak"
        count = 2
        "#;
        let output = Simulation::new(&dumbbell(delay, rest)).unwrap().run();
        assert_eq!(longest_queue(&output), buffer, "{delay} one way");
    }
}

/// 21 packets/ms transmit 210 packets in 10 ms.
#[test]
fn a_buffer_of_a_time_holds_the_packets_of_that_time() {
    let rest = "duration = \"20 s\"\n[[flow]]\nalgorithm = \"acknak\"\ncount = 2\n";
    let text = dumbbell("21 ms", rest).to_toml().replace("20% bdp", "10 ms");
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run();
    assert_eq!(longest_queue(&output), 210);
}

/// The bottleneck serves a packet in a 21st of a millisecond, whether it has 1500 bytes or 40 of TCP.
#[test]
fn a_rate_in_packets_serves_any_packet_in_the_same_time() {
    for (algorithm, mss) in [("acknak", "1460 bytes"), ("newreno", "1460 bytes"), ("newreno", "100 bytes")] {
        let rest = format!(
            r#"
            duration = "60 s"
            warm_up = "30 s"
            [tcp]
            algorithm = "{algorithm}"
            mss = "{mss}"
            initial_ssthresh = "500 packets"
            [acknak]
            initial_ssthresh = "500 packets"
            [[flow]]
            count = 2
            "#
        );
        let output = Simulation::new(&dumbbell("2 ms", &rest)).unwrap().run();
        let links = output.table("links").unwrap();
        let forwarded = links.count("packets_forwarded").unwrap()[0] as f64 / 30.0;
        let utilisation = links.real("utilisation").unwrap()[0];
        assert!(forwarded <= 21_001.0, "{algorithm}, {mss}: {forwarded} packets/s");
        let by_packets = forwarded / 21_000.0;
        assert!((by_packets - utilisation).abs() < 1e-3, "{algorithm}, {mss}: {by_packets}, {utilisation}");
        assert!(utilisation > 0.6, "{algorithm}, {mss}: {utilisation}");
        assert!(links.real("rate_bit_per_s").unwrap()[0].is_nan(), "no rate in bits");
    }
}
