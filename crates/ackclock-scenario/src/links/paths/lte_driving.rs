//! LTE in a moving car.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "lte-driving",
    title: "LTE in a moving car: the rate changes by a factor of fifty within seconds, behind a deep buffer",
    source: "Winstein et al. 2013 (rates, outages); Jiang et al. 2012 (buffers); 3GPP TS 36.213 and 36.321 (10 % block errors, 8 ms)",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
# A random walk over rates, 400 ms each on average: the traces of Winstein et al. change as far within a second.
rate = { markov = { states = ["300 kbit/s", "1 Mbit/s", "3 Mbit/s", "6 Mbit/s", "10 Mbit/s", "16 Mbit/s"], dwell = ["400 ms", "400 ms", "400 ms", "400 ms", "400 ms", "400 ms"], neighbours = true } }
delay = "25 ms"
outage = { up = "20 s", down = "400 ms" }
buffer = "750 kB"
# A subframe, and hybrid ARQ after eight of them: one block in ten is corrupted.
impairments = ["retransmission(probability=0.1, after=8 ms, attempts=4)", "aggregation(period=1 ms)"]

[reverse]
rate = { markov = { states = ["200 kbit/s", "600 kbit/s", "2 Mbit/s", "5 Mbit/s"], dwell = ["400 ms", "400 ms", "400 ms", "400 ms"], neighbours = true } }
buffer = "250 kB"
impairments = ["retransmission(probability=0.1, after=8 ms, attempts=4)", "aggregation(period=5 ms)"]
"#;
