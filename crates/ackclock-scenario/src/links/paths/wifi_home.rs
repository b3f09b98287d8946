//! Wi-Fi at home, with aggregation and contention.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "wifi-home",
    title: "Wi-Fi at home: frames aggregate packets for milliseconds, neighbours take turns, corrupted frames are repeated",
    source: "IEEE 802.11-2020 (frames of at most 5.484 ms, 7 attempts); Hoeiland-Joergensen et al. 2017 (aggregation, contention)",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
# What is left when one, two or several neighbours contend.
rate = { markov = { states = ["90 Mbit/s", "45 Mbit/s", "20 Mbit/s"], dwell = ["1 s", "500 ms", "200 ms"] } }
delay = "1 ms"
buffer = "256 packets"
# A frame of 4 ms; waiting for the channel; a repetition after 2 ms.
impairments = ["retransmission(probability=0.1, after=2 ms, attempts=7)", "jitter(exponential=1 ms)", "aggregation(period=4 ms)"]

[reverse]
impairments = ["retransmission(probability=0.1, after=2 ms, attempts=7)", "jitter(exponential=1 ms)", "aggregation(period=4 ms)"]
"#;
