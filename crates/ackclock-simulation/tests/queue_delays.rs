//! The effect of queue disciplines on TCP, as their sources state it.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// Eight long flows with 60 ms of round-trip time over 10 Mbit/s, with a buffer that would hold 1.2 s.
fn long_flows(queue: &str) -> Output {
    run(&format!(
        r#"
name = "delays"
duration = "60 s"
warm_up = "20 s"
[topology.dumbbell]
pairs = 8
bottleneck = {{ rate = "10 Mbit/s", delay = "20 ms", buffer = "1000 packets", queue = "{queue}" }}
access = {{ rate = "100 Mbit/s", delay = "5 ms" }}
[tcp]
algorithm = "sack"
[[flow]]
count = 8
start_jitter = "1 s"
"#
    ))
}

/// A long TCP flow, and datagrams that fill nearly all of the link.
fn beside_a_flood(queue: &str) -> f64 {
    let output = run(&format!(
        r#"
name = "flood"
duration = "60 s"
warm_up = "10 s"
[topology.dumbbell]
pairs = 2
bottleneck = {{ rate = "2 Mbit/s", delay = "20 ms", buffer = "50 packets", queue = "{queue}" }}
access = {{ rate = "100 Mbit/s", delay = "5 ms" }}
[tcp]
algorithm = "sack"
[[flow]]
[[udp]]
rate = "1.9 Mbit/s"
packet = "1500 bytes"
"#
    ));
    output.table("flows").unwrap().real("goodput_bit_per_s").unwrap()[0] / 1e6
}

fn run(text: &str) -> Output {
    Simulation::new(&Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}")))
        .unwrap()
        .run()
}

/// Of the bottleneck, which is the first link.
fn real(output: &Output, column: &str) -> f64 {
    output.table("links").unwrap().real(column).unwrap()[0]
}

fn count(output: &Output, column: &str) -> u64 {
    output.table("links").unwrap().count(column).unwrap()[0]
}

#[test]
fn drop_tail_lets_a_queue_stand() {
    let output = long_flows("droptail");
    let delay = real(&output, "mean_queueing_delay_s");
    assert!(delay > 0.5, "{delay}");
}

/// RFC 8289, 1 and 4.4: the standing queue is brought to the target, 5 ms, where a burst may still be longer; the link
/// stays busy. Everything dropped is dropped early.
#[test]
fn codel_brings_the_queue_to_its_target() {
    let output = long_flows("codel");
    let (delay, utilisation) = (real(&output, "mean_queueing_delay_s"), real(&output, "utilisation"));
    assert!((0.002..0.015).contains(&delay), "{delay}");
    assert!(utilisation > 0.9, "{utilisation}");
    assert!(count(&output, "dropped_early") > 50);
    assert_eq!(count(&output, "dropped_early"), count(&output, "dropped_queue"));
}

/// RFC 8033, abstract and 4.2: the mean waiting time is controlled to the reference, 15 ms; here, to a third of it.
#[test]
fn pie_holds_the_reference() {
    for (queue, reference) in [("pie", 0.015), ("pie(reference=40)", 0.040)] {
        let output = long_flows(queue);
        let (delay, utilisation) = (real(&output, "mean_queueing_delay_s"), real(&output, "utilisation"));
        assert!((delay / reference - 1.0).abs() < 1.0 / 3.0, "{queue}: {delay}");
        assert!(utilisation > 0.9, "{queue}: {utilisation}");
    }
}

/// Floyd and Jacobson 1993, 1: the average queue stays low, between the thresholds, at full use of the link.
#[test]
fn red_keeps_the_average_between_its_thresholds() {
    let output = long_flows("red(min=10,max=30)");
    let (queue, utilisation) = (real(&output, "mean_queue_packets"), real(&output, "utilisation"));
    assert!((10.0..30.0).contains(&queue), "{queue}");
    assert!(utilisation > 0.9, "{utilisation}");
    assert_eq!(count(&output, "dropped_early"), count(&output, "dropped_queue"));
}

/// Marks instead of drops, where the flows understand them; after the slow starts, in which PIE drops, the probability
/// being above that up to which it marks (RFC 8033, 5.1).
#[test]
fn ecn_spares_drops() {
    for queue in ["red(min=10,max=30)", "pie", "codel", "fq-codel"] {
        let text = format!(
            "name = \"ecn\"\nduration = \"40 s\"\nwarm_up = \"10 s\"\n[topology.dumbbell]\npairs = 4\n\
             bottleneck = {{ rate = \"10 Mbit/s\", delay = \"20 ms\", buffer = \"1000 packets\", queue = \"{queue}\" }}\n\
             access = {{ rate = \"100 Mbit/s\", delay = \"5 ms\" }}\n\
             [tcp]\nalgorithm = \"sack\"\necn = \"classic\"\n[[flow]]\ncount = 4\nstart_jitter = \"1 s\"\n"
        );
        let output = run(&text);
        let (marked, dropped) = (count(&output, "marked"), count(&output, "dropped_queue"));
        assert!(marked > 20 && dropped * 10 < marked, "{queue}: {marked} marks, {dropped} drops");
    }
}

/// `McKenney` 1990, and RFC 8290, 1.3: a flow that yields has its half of the link when it competes with one
/// that does not.
#[test]
fn fair_queues_protect_tcp_from_a_flood() {
    let alone = beside_a_flood("droptail");
    assert!(alone < 0.3, "{alone}");
    for queue in ["sfq", "fq-codel"] {
        let share = beside_a_flood(queue);
        assert!(share > 0.8, "{queue}: {share} Mbit/s of 2");
    }
}
