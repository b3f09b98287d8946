//! Work between two looks at signals and progress is bounded by steps, not by events alone, however large a window is.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;
use ackclock_transport::tcp::walked;

const WINDOW: u64 = 100_000;

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
ack_every = 1
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
    let mut simulation = Simulation::new(&scenario);
    let begun = walked();
    let (mut before, mut most) = (begun, 0);
    loop {
        let is_over = simulation.advance(EVENTS);
        most = most.max(walked() - before);
        before = walked();
        if is_over {
            return (most, before - begun);
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
