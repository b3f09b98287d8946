//! rLEDBAT (RFC 9840) behind a bottleneck: receivers that yield, whatever their senders run.

use ackclock_simulation::Simulation;
use ackclock_simulation::scenario::Scenario;

/// Flows by the tables `tcp`, over 10 Mbit/s and 40 ms with a buffer of 200 ms: their goodputs in Mbit/s from 20 s to a minute, and the mean
/// queueing delay in ms.
fn run(flows: &[&str]) -> (Vec<f64>, f64) {
    let flows = flows.iter().map(|tcp| format!("[[flow]]\nstart_jitter = \"1 s\"\ntcp = {{ {tcp} }}\n"));
    let flows = flows.collect::<Vec<_>>().concat();
    let text = format!(
        "name = \"rledbat\"\nduration = \"60 s\"\nwarm_up = \"20 s\"\n[topology.dumbbell]\n\
         bottleneck = {{ rate = \"10 Mbit/s\", delay = \"20 ms\", buffer = \"167 packets\" }}\n\
         access = {{ rate = \"1 Gbit/s\", delay = \"0 ms\" }}\n[tcp]\ntimestamps = true\n{flows}"
    );
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let output = Simulation::new(&scenario).unwrap().run();
    let goodputs = output.table("flows").unwrap().real("goodput_bit_per_s").unwrap();
    let goodputs = goodputs.iter().map(|goodput| goodput / 1e6).collect();
    let delays = output.table("links").unwrap().real("mean_queueing_delay_s").unwrap();
    (goodputs, delays.iter().copied().fold(0.0, f64::max) * 1e3)
}

const RLEDBAT: &str = "receiver_control = \"rledbat\"";

/// Alone it fills the link, but for the slowdowns, which take a tenth of the time at most; the queue stays at the target of 60 ms, or at another.
#[test]
fn alone_it_fills_the_link_with_a_queue_of_the_target() {
    for (target, sender) in [(60.0, "cubic"), (60.0, "newreno"), (30.0, "cubic")] {
        let control = format!("algorithm = \"{sender}\", receiver_control = \"rledbat(target={target})\"");
        let (goodputs, delay) = run(&[&control]);
        assert!(goodputs[0] > 0.87 * 9.7, "{sender}: {goodputs:?}");
        assert!((0.75 * target..1.1 * target).contains(&delay), "{sender}: {delay} ms of {target}");
    }
    let (goodputs, delay) = run(&["algorithm = \"cubic\""]);
    assert!(goodputs[0] > 9.0 && delay > 120.0, "without it the buffer is full: {goodputs:?}, {delay} ms");
}

/// The sender is as greedy as the others, and yet they get nearly all: standard TCP keeps a queue longer than the target.
#[test]
fn it_yields_to_standard_tcp() {
    for sender in ["cubic", "newreno", "bbr3"] {
        for other in ["cubic", "newreno"] {
            let (goodputs, _) =
                run(&[&format!("algorithm = \"{sender}\", {RLEDBAT}"), &format!("algorithm = \"{other}\"")]);
            assert!(goodputs[1] > 9.2, "{other} with {sender}: {goodputs:?}");
            assert!(goodputs[0] > 0.01, "{sender} does not starve: {goodputs:?}");
        }
    }
}

/// Two of them share, whatever their senders run: slowdowns show both the path without a queue.
#[test]
fn two_receivers_share() {
    for senders in [["cubic", "cubic"], ["cubic", "newreno"]] {
        let (goodputs, delay) = run(&senders
            .map(|sender| format!("algorithm = \"{sender}\", {RLEDBAT}"))
            .each_ref()
            .map(String::as_str));
        assert!(goodputs[0] + goodputs[1] > 0.87 * 9.7, "{senders:?}: {goodputs:?}");
        assert!((0.5..2.0).contains(&(goodputs[0] / goodputs[1])), "{senders:?}: {goodputs:?}");
        assert!(delay < 70.0, "{delay} ms");
    }
}
