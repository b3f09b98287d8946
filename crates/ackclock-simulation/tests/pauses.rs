//! A run that pauses gives the same tables as one that does not, and agents set windows between two steps of a run.

use ackclock_congestion::{Ack, Congestion, CongestionControl, Decision, Event, Needs, Start};
use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Actions, Meaning, Simulation, Span, StepFacts, World};
use ackclock_units::{Duration, PacketRate, Time};

fn built_in(name: &str) -> Scenario {
    let path = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Scenario::from_toml(&text, &["agent".to_owned()]).unwrap_or_else(|error| panic!("{error}"))
}

/// Many kinds of links and flows: drop-tail shared with datagrams, ingress buffers, pull queues, users.
#[test]
fn pauses_change_nothing() {
    for (name, duration) in
        [("two-megabit", "20 s"), ("ten-flows-dumbbell", "3 s"), ("l4s-home", "3 s"), ("wifi-home", "3 s")]
    {
        let scenario = built_in(name).with_all([("duration", duration), ("warm_up", "1 s")]).unwrap();
        let expected = Simulation::new(&scenario).unwrap().run().digest();
        for pause in [Duration::from_nanos(1_234_567), Duration::from_millis(250)] {
            let mut paused = Simulation::new(&scenario).unwrap();
            while !paused.run_until(paused.now() + pause) {}
            assert_eq!(paused.now(), paused.end());
            assert_eq!(paused.finish().digest(), expected, "{name} paused every {pause}");
        }
    }
}

/// Time stands at the pause, also where nothing happens, and does not run backwards.
#[test]
fn time_passes_until_the_pause() {
    let mut simulation = Simulation::new(&built_in("two-megabit")).unwrap();
    let pause = Time::ZERO + Duration::from_nanos(3_000_000_001);
    assert!(!simulation.run_until(pause));
    assert_eq!(simulation.now(), pause);
    let events = simulation.event_count();
    assert!(!simulation.run_until(Time::ZERO));
    assert_eq!((simulation.now(), simulation.event_count()), (pause, events));
    assert!(simulation.run_until(Time::MAX));
    assert_eq!(simulation.now(), simulation.end());
}

/// The initial window until the first acknowledgment, this one afterwards, one packet after a timeout.
#[derive(Clone)]
struct Fixed(f64, f64);

impl CongestionControl for Fixed {
    fn needs(&self) -> Needs {
        Needs::default()
    }
    fn on_ack(&mut self, _ack: &Ack) -> Decision {
        self.0 = self.1;
        self.decision()
    }
    fn on_congestion(&mut self, signal: &Congestion) -> Decision {
        assert!(!signal.restart, "the test is of runs without a timeout");
        self.0 = self.1;
        self.decision()
    }
    fn on_event(&mut self, _event: &Event) -> Decision {
        self.decision()
    }
    fn decision(&self) -> Decision {
        Decision::window(self.0)
    }
    fn ssthresh(&self) -> f64 {
        f64::INFINITY
    }
    fn observe(&self, _gauge: &mut dyn FnMut(&'static str, f64)) {}
}

/// A flow over 8 Mbit/s and 40 ms there and back, with a random loss in a hundred packets.
fn lossy() -> Scenario {
    let text = r#"
name = "lossy"
duration = "20 s"
[topology.dumbbell]
pairs = 1
bottleneck = { rate = "8 Mbit/s", delay = "20 ms", buffer = "100 packets", loss = { bernoulli = 0.01 } }
access = { rate = "100 Mbit/s", delay = "0 ms" }
[tcp]
algorithm = "agent"
mss = "960 bytes"
header = "40 bytes"
segments_per_ack = 1
[[flow]]
"#;
    Scenario::from_toml(text, &["agent".to_owned()]).unwrap_or_else(|error| panic!("{error}"))
}

/// Numbers that are windows in packets.
const PACKETS: Actions =
    Actions { meaning: Meaning::Packets, largest_window: 1e4, largest_rate: PacketRate(1e6) };

#[test]
fn an_agent_of_one_window_is_the_controller_of_that_window() {
    let (scenario, window) = (lossy(), 20.0);
    let make = |_: &str, start: &Start| -> Box<dyn CongestionControl> {
        Box::new(Fixed(start.initial_window, window))
    };
    let expected = Simulation::with_controllers(&scenario, &["agent"], &make).unwrap().run().digest();
    for span in [Span::RoundTrip, Span::Interval(Duration::from_millis(7))] {
        let mut world = World::new(&scenario, "agent", PACKETS, span).unwrap();
        let mut lost = 0.0;
        while !world.step(&[window]) {
            world.each_facts(|facts| lost += facts.lost);
        }
        assert!(lost > 0.0);
        assert_eq!(world.finish().digest(), expected);
    }
}

/// A packet takes 1 ms at the bottleneck and 0.08 ms at each access link, its acknowledgment 0.04 and 0.0032 ms, and the delay is
/// 40 ms there and back: 20 packets in each round trip of 41.2064 ms, no queue, none lost.
#[test]
fn the_facts_of_a_step_are_those_of_its_flow() {
    let scenario = lossy().with("topology.dumbbell.bottleneck.loss.bernoulli", "0.0").unwrap();
    let span = Span::Interval(Duration::from_micros(412_064));
    let mut world = World::new(&scenario, "agent", PACKETS, span).unwrap();
    for _ in 0..10 {
        world.step(&[20.0]);
    }
    let mut facts = StepFacts::default();
    world.each_facts(|shown| facts = *shown);
    assert_eq!((facts.lost, facts.signals, facts.cwnd, facts.segment_bytes), (0.0, 0.0, 20.0, 960.0));
    assert_eq!((facts.delivered, facts.rtt_count), (200.0, 200.0));
    assert_eq!(facts.rtt_last, Duration::from_nanos(41_206_400));
    assert!((facts.rtt_sum_s / facts.rtt_count - 0.041_206_4).abs() < 1e-9, "{facts:?}");
}

#[test]
fn a_world_without_an_agent_is_refused() {
    let message = World::new(&built_in("two-megabit"), "agent", PACKETS, Span::RoundTrip).err().unwrap();
    assert_eq!(message, r#"no flow of "two-megabit" has the algorithm "agent""#);
}
