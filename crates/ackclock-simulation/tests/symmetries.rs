//! Results depend on no name and no unit: neither the number of a flow, nor the direction called forward, nor the unit of time.

use ackclock_congestion::registry;
use ackclock_simulation::scenario::Scenario;
use ackclock_simulation::{Output, Simulation};

/// A path on which everything is the same in both directions.
struct Path {
    /// Times are divided by this, and rates multiplied.
    faster: u64,
    /// Groups of the scenario, with `FILE` for the keys of a file of 600 packets.
    groups: String,
}

impl Path {
    fn plain() -> Path {
        Path { faster: 1, groups: "[[flow]]\nFILE".to_owned() }
    }

    fn run(&self, algorithm: &str) -> Output {
        let time = |millis: u64| format!("\"{} ns\"", millis * 1_000_000 / self.faster);
        let text = format!(
            r#"
            name = "symmetries"
            duration = {duration}
            [topology.dumbbell]
            bottleneck = {{ rate = "{rate} Mbit/s", delay = {delay}, buffer = "15 packets" }}
            access = {{ rate = "{access} Mbit/s", delay = {short} }}
            [tcp]
            algorithm = "{algorithm}"
            rto_initial = {second}
            rto_min = {second}
            rto_max = {duration}
            syn_timeout = {second}
            ack_delay = {ack}
            clock_granularity = {tick}
            {groups}
            "#,
            duration = time(60_000),
            rate = 10 * self.faster,
            access = 100 * self.faster,
            delay = time(20),
            short = time(1),
            second = time(1000),
            ack = time(200),
            tick = time(1),
            groups = self.groups.replace("FILE", "packets = 600"),
        );
        let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Simulation::new(&scenario).unwrap().run()
    }
}

/// How the last flow went: packets sent, retransmissions, timeouts, and the seconds that it took, of the minute that a file may take.
fn course(run: &Output) -> ([u64; 3], f64) {
    let flows = run.table("flows").unwrap();
    let counts = ["packets_sent", "retransmissions", "timeouts"]
        .map(|name| *flows.count(name).unwrap().last().unwrap());
    let time = |name| *flows.real(name).unwrap().last().unwrap();
    let seconds = time("finish_s") - time("start_s");
    (counts, if seconds.is_nan() { f64::INFINITY } else { seconds })
}

/// Every algorithm of the catalogue, with a recovery.
fn algorithms() -> impl Iterator<Item = (&'static str, String)> {
    let entries = registry::entries().filter(|entry| entry.name != "xcp");
    entries.map(|entry| {
        let more = if entry.kind == "slow start" { "+reno" } else { "" };
        (entry.name, format!("sack+{}{more}", entry.name))
    })
}

#[test]
fn backward_is_as_forward() {
    let backward = Path { groups: "[[flow]]\nbackward = true\nFILE".to_owned(), ..Path::plain() };
    for (name, algorithm) in algorithms() {
        assert_eq!(course(&Path::plain().run(&algorithm)), course(&backward.run(&algorithm)), "{name}");
    }
}

/// Three flows with lower numbers begin when the last one is long over.
#[test]
fn the_number_of_a_flow_is_a_name() {
    let later = Path {
        groups: "[[flow]]\ncount = 3\nstart = \"59 s\"\nFILE\n[[flow]]\nFILE".to_owned(),
        ..Path::plain()
    };
    for (name, algorithm) in algorithms() {
        assert_eq!(course(&Path::plain().run(&algorithm)), course(&later.run(&algorithm)), "{name}");
    }
}

/// Algorithms whose sources have constants in seconds that matter within a second: a reference round trip, ticks of a clock, a target of
/// delay, the length of a probe, a rate in bytes, or random numbers by the time.
const WITH_SECONDS: [&str; 13] = [
    "hybla",
    "cubic-linux",
    "fast",
    "lp-linux",
    "bbr1",
    "bbr3",
    "c4",
    "cdg",
    "ledbat-plus-plus",
    "subpacket",
    "allegro",
    "vivace",
    "vivace-linux",
];

/// On a path of twice the rate and half the delays the same happens in half the time, but for whole nanoseconds.
#[test]
fn the_unit_of_time_is_a_name() {
    let twice = Path { faster: 2, ..Path::plain() };
    for (name, algorithm) in algorithms().filter(|(name, _)| !WITH_SECONDS.contains(name)) {
        let ((counts, seconds), (counts_twice, seconds_twice)) =
            (course(&Path::plain().run(&algorithm)), course(&twice.run(&algorithm)));
        assert_eq!(counts, counts_twice, "{name}");
        assert!((seconds - 2.0 * seconds_twice).abs() < 1e-5, "{name}: {seconds} and {seconds_twice} s");
    }
}
