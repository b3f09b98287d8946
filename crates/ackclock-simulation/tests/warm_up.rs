//! The warm-up, which averages and counts exclude.

use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// A datagram every 10 ms for a second, the first at time zero, over a link of 1 ms.
fn run(warm_up: &str) -> Output {
    let text = format!(
        r#"
name = "warm-up"
duration = "2 s"
warm_up = "{warm_up}"

[[topology.graph.link]]
from = "a"
to = "b"
rate = "80 Mbit/s"
delay = "1 ms"

[[udp]]
from = "a"
to = "b"
rate = "800 kbit/s"
packet = "1000 bytes"
stop = "1 s"
"#
    );
    Simulation::new(&Scenario::from_toml(&text, &[]).unwrap()).unwrap().run()
}

fn count(output: &Output, column: &str) -> u64 {
    output.table("links").and_then(|links| links.count(column)).map_or(0, |values| values[0])
}

#[test]
fn without_a_warm_up_the_packets_of_time_zero_count() {
    let output = run("0 s");
    assert_eq!(count(&output, "packets_offered"), 100);
    assert_eq!(count(&output, "packets_forwarded"), 100);
}

#[test]
fn with_a_warm_up_only_what_comes_after_it_counts() {
    let output = run("505 ms");
    assert_eq!(count(&output, "packets_offered"), 49);
    assert_eq!(count(&output, "packets_forwarded"), 49);
    let cut = run("500500 us");
    assert_eq!(count(&cut, "packets_offered"), 49, "510 ms to 990 ms");
    assert_eq!(count(&cut, "packets_forwarded"), 50, "and the one under way");
}
