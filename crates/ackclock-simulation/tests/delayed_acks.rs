//! Delayed acknowledgments after slow start against timelines made by hand.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;

/// The time until all of a file is acknowledged, over an idle path of 100 ms, from one packet on, and the acknowledgments.
fn acknowledged(keys: &str, packets: u32) -> (f64, u64) {
    let text = format!(
        r#"
        name = "delayed-acks"
        duration = "30 s"
        [topology.graph]
        link = [{{ from = "a", to = "b", rate = "1 Gbit/s", delay = "50 ms" }}]
        [tcp]
        algorithm = "newreno"
        initial_window = "1 packets"
        handshake = false
        segments_per_ack = 2
        ack_delay = "200 ms"
        {keys}
        [[flow]]
        from = "a"
        to = "b"
        packets = {packets}
        "#
    );
    let output = Simulation::new(&Scenario::from_toml(&text, &[]).expect("a scenario")).unwrap().run();
    let finish = output.table("flows").unwrap().real("finish_s").unwrap()[0];
    let back = output.table("links").unwrap().count("packets_forwarded").unwrap()[1];
    (finish, back)
}

const AFTER: &str = "delay_acks_after_slow_start = true";

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.005, "{found} s, not {expected} s");
}

/// Allman 1998. By hand: with an acknowledgment for each segment 1, 2 and 4 packets take a round trip each. With delayed ones the first
/// packet is acknowledged at 0.3 s, after the timer of 200 ms; the next two at 0.4 s by one acknowledgment, which makes a window of
/// three; of these the first two are acknowledged at 0.5 s, and the third with the last packet, which leaves then, at 0.6 s.
#[test]
fn in_slow_start_every_segment_is_acknowledged() {
    let (delayed, few) = acknowledged("", 7);
    let (at_once, many) = acknowledged(AFTER, 7);
    assert_near(at_once, 0.3);
    assert_near(delayed, 0.6);
    assert_eq!([many, few], [7, 4]);
}

/// From the threshold of two packets on every second segment is acknowledged, as without.
#[test]
fn after_slow_start_acknowledgments_are_delayed() {
    let keys = format!("{AFTER}\ninitial_ssthresh = \"2 packets\"");
    let (_, many) = acknowledged(&keys, 101);
    let (_, few) = acknowledged("initial_ssthresh = \"2 packets\"", 101);
    assert!((few..=few + 3).contains(&many), "{many} {few}");
}
