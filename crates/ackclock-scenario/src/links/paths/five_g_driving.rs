//! 5G in a moving car.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "5g-driving",
    title: "5G in a moving car: hundreds of Mbit/s that fall to a few behind a building",
    source: "Narayanan et al. 2021 (rates, outages of millimetre waves); 3GPP TS 38.214 (10 % block errors, slots of 0.5 ms)",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
# Any state may follow any other: line of sight is lost and found at once.
rate = { markov = { states = ["5 Mbit/s", "40 Mbit/s", "150 Mbit/s", "400 Mbit/s"], dwell = ["500 ms", "1 s", "2 s", "1 s"] } }
delay = "12 ms"
outage = { up = "15 s", down = "250 ms" }
buffer = "4 MB"
impairments = ["retransmission(probability=0.1, after=4 ms, attempts=4)", "aggregation(period=500 us)"]

[reverse]
rate = { markov = { states = ["2 Mbit/s", "10 Mbit/s", "30 Mbit/s"], dwell = ["500 ms", "1 s", "1 s"] } }
buffer = "1 MB"
impairments = ["retransmission(probability=0.1, after=4 ms, attempts=4)", "aggregation(period=2.5 ms)"]
"#;
