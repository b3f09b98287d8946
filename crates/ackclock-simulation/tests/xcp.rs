//! XCP end to end: the equilibrium that its authors state, and what the link is without it.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

fn run(changes: &[(&str, &str)]) -> Output {
    let text = include_str!("../../../scenarios/explicit-control.toml");
    let mut scenario = Scenario::from_toml(text, &[]).unwrap();
    for (key, value) in changes {
        scenario = scenario.with(key, value).unwrap();
    }
    Simulation::new(&scenario).unwrap().run()
}

/// A column of the table of links, for a link direction.
fn link(output: &Output, row: usize, column: &str) -> f64 {
    let links = output.table("links").unwrap();
    links.real(column).map_or_else(|| links.count(column).unwrap()[row] as f64, |values| values[row])
}

/// A column for the bottleneck, the forward direction of the second link.
fn bottleneck(output: &Output, column: &str) -> f64 {
    link(output, 2, column)
}

fn goodputs(output: &Output) -> Vec<f64> {
    output.table("flows").unwrap().real("goodput_bit_per_s").unwrap().to_vec()
}

/// Jain's index.
fn fairness(rates: &[f64]) -> f64 {
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    rates.iter().sum::<f64>().powi(2) / (rates.len() as f64 * squares)
}

/// Katabi et al., sections 1 and 5: "fair bandwidth allocation, high utilization, small standing queue size, and near-zero packet
/// drops", with round-trip times from 40 to 200 ms.
#[test]
fn the_equilibrium_is_a_full_link_an_empty_queue_and_equal_shares() {
    let output = run(&[]);
    assert!(bottleneck(&output, "utilisation") > 0.98, "{}", bottleneck(&output, "utilisation"));
    assert!(bottleneck(&output, "dropped_queue") < 0.5);
    // The bandwidth-delay product of the mean round trip is 450 packets.
    assert!(
        bottleneck(&output, "mean_queue_packets") < 15.0,
        "{}",
        bottleneck(&output, "mean_queue_packets")
    );
    let rates = goodputs(&output);
    assert!(fairness(&rates) > 0.99, "{rates:?}");
}

/// Standard TCP on the same path favours the shortest round trip and fills the queue.
#[test]
fn standard_tcp_is_far_from_it() {
    let output =
        run(&[("tcp.algorithm", "sack"), ("topology.graph.link.1.queue", "droptail"), ("duration", "60 s")]);
    assert!(fairness(&goodputs(&output)) < 0.95, "{:?}", goodputs(&output));
    assert!(bottleneck(&output, "dropped_queue") > 0.5);
    assert!(bottleneck(&output, "mean_queue_packets") > 50.0);
}

/// A path none of whose queues speaks XCP: standard TCP, to the packet.
#[test]
fn without_routers_the_sender_is_standard_tcp() {
    let droptail = ("topology.graph.link.1.queue", "droptail");
    let [xcp, reno] = ["sack+xcp", "sack+reno"]
        .map(|algorithm| run(&[droptail, ("tcp.algorithm", algorithm), ("duration", "25 s")]));
    assert_eq!(goodputs(&xcp), goodputs(&reno));
}

/// A user with requests and responses has the feedback on both ways.
#[test]
fn data_both_ways_carries_feedback_both_ways() {
    let scenario = r#"
        name = "both-ways"
        duration = "20 s"
        warm_up = "5 s"
        [topology.dumbbell]
        pairs = 2
        bottleneck = { rate = "10 Mbit/s", delay = "20 ms", buffer = "100 packets", queue = "xcp" }
        access = { rate = "1 Gbit/s", delay = "2 ms" }
        [tcp]
        algorithm = "xcp"
        [[flow]]
        name = "users"
        count = 2
        request = { size = { constant = "10 packets" } }
        response = { size = { constant = "100000 packets" } }
        start_jitter = "100 ms"
    "#;
    let output = Simulation::new(&Scenario::from_toml(scenario, &[]).unwrap()).unwrap().run();
    // The responses go backwards over the bottleneck.
    assert!(link(&output, 1, "utilisation") > 0.5, "{}", link(&output, 1, "utilisation"));
    assert!(link(&output, 1, "dropped_queue") < 0.5);
}
