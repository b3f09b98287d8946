//! Work between two looks at signals and progress is bounded by steps, not by events alone, however large a window is.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;
use ackclock_units::{Duration, Time};

const WINDOW: u64 = 1_000_000;

/// Events of a look.
const EVENTS: u64 = 1000;

/// The most steps of a look, and of a run, in which the first window is sent at once and `tcp` and `link` decide what
/// becomes of it.
fn steps(algorithm: &str, tcp: &str, link: &str, duration: &str) -> (u64, u64) {
    let text = format!(
        r#"
name = "work"
duration = "{duration}"
[tcp]
initial_window = "{WINDOW} packets"
handshake = false
segments_per_ack = 1
{tcp}
[[topology.graph.link]]
from = "a"
to = "b"
rate = "10 Gbit/s"
delay = "10 ms"
{link}
[[flow]]
from = "a"
to = "b"
algorithm = "{algorithm}"
"#
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&scenario).unwrap();
    let (mut before, mut most) = (0, 0);
    loop {
        let is_over = simulation.advance(EVENTS);
        most = most.max(simulation.steps() - before);
        before = simulation.steps();
        if is_over {
            return (most, before);
        }
    }
}

/// The steps that take as long as the events of a look, and the walks of the last few events, several windows each.
const MOST: u64 = 64 * EVENTS + 16 * 4 * WINDOW;

/// Each acknowledgment shows that the timeout before it was spurious; the next one is a microsecond away.
#[test]
fn spurious_timeouts_with_a_large_window() {
    let rto = "timestamps = true\nrto_min = \"1 us\"\nrto_initial = \"1 us\"\nrto_max = \"1 us\"";
    let (most, all) = steps("sack", rto, "", "20.3 ms");
    assert!(all > 4 * MOST, "the walks are longer than a look allows: {all}");
    assert!(most <= MOST, "{most} of {all} steps in a look");
}

/// Every other packet of the first window is lost; RACK waits for late ones with each acknowledgment.
#[test]
fn holes_in_a_large_window() {
    let lossy = "loss = { bernoulli = 0.5 }";
    for algorithm in ["sack", "prr", "rack"] {
        let (most, all) = steps(algorithm, "", lossy, "400 ms");
        assert!(most <= MOST, "{algorithm}: {most} of {all} steps in a look");
    }
}

/// The data packets that a source has sent, of which each event sends all that it may at once, after a look of `EVENTS`.
fn sent_in_a_look(source: &str) -> u64 {
    let text = format!(
        r#"
name = "burst"
duration = "1 s"
[[topology.graph.link]]
from = "a"
to = "b"
rate = "10 Gbit/s"
delay = "10 ms"
buffer = "100 packets"
{source}
from = "a"
to = "b"
"#
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&scenario).unwrap();
    while simulation.now() < Time::ZERO + Duration::from_millis(20) && !simulation.advance(1) {}
    simulation.advance(EVENTS);
    simulation.finish().table("flows").unwrap().count("packets_sent").unwrap()[0]
}

/// A window of a thousand million packets, which one acknowledgment or timer lets go.
#[test]
fn bursts_of_any_length() {
    let window = "initial_window = \"1e9 packets\"";
    for source in [
        format!("[tcp]\n{window}\n[[flow]]\nalgorithm = \"sack\""),
        format!("[tcp]\n{window}\n[[flow]]\nalgorithm = \"rack\""),
        format!("[acknak]\n{window}\n[[flow]]\nalgorithm = \"acknak\""),
    ] {
        let sent = sent_in_a_look(&source);
        // Sixteen events between two looks at the steps, of 16,384 packets each; more than one of them is sent.
        assert!((16_385..=17 * 16_384 + 2 * EVENTS).contains(&sent), "{sent} packets sent:\n{source}");
    }
}

/// A burst that several events send departs at one time: fifty thousand packets of 1.2 us each, one after the other, and the
/// acknowledgment of the last.
#[test]
fn a_burst_is_sent_whole_at_one_time() {
    for (algorithm, packets) in [("sack", 50_000), ("newreno", 16_384), ("rack", 32_768), ("acknak", 50_000)]
    {
        let text = format!(
            r#"
name = "burst"
duration = "1 s"
[tcp]
initial_window = "{packets} packets"
handshake = false
mss = "1460 bytes"
segments_per_ack = 1
[acknak]
initial_window = "{packets} packets"
packet = "1500 bytes"
[[topology.graph.link]]
from = "a"
to = "b"
rate = "10 Gbit/s"
delay = "10 ms"
[[flow]]
from = "a"
to = "b"
packets = {packets}
algorithm = "{algorithm}"
"#
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
        let output = Simulation::new(&scenario).unwrap().run();
        let flows = output.table("flows").unwrap();
        let finish = flows.real("finish_s").unwrap()[0];
        let opened = if algorithm == "acknak" { flows.real("established_s").unwrap()[0] } else { 0.0 };
        let last = f64::from(packets) * 1.2e-6 + 0.02 + 32e-9;
        assert_eq!(flows.count("packets_sent").unwrap()[0], packets as u64, "{algorithm}");
        assert!((finish - opened - last).abs() < 1e-9, "{algorithm}: {finish} s for {last} s");
    }
}
