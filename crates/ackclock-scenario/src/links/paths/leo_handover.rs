//! A constellation in low orbit with hand-over each 15 s.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "leo-handover",
    title: "a constellation in low orbit: each 15 s another satellite, with another rate and delay, after a gap",
    source: "Mohan et al. 2024 and Garcia et al. 2023 (Starlink: slots of 15 s); Michel et al. 2022 (rates, delays)",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
# Eight satellites, then the same again.
rate = { steps = [["0 s", "120 Mbit/s"], ["15 s", "70 Mbit/s"], ["30 s", "160 Mbit/s"], ["45 s", "100 Mbit/s"], ["60 s", "50 Mbit/s"], ["75 s", "140 Mbit/s"], ["90 s", "90 Mbit/s"], ["105 s", "180 Mbit/s"]], every = "120 s" }
delay = { steps = [["0 s", "18 ms"], ["15 s", "27 ms"], ["30 s", "16 ms"], ["45 s", "22 ms"], ["60 s", "31 ms"], ["75 s", "19 ms"], ["90 s", "24 ms"], ["105 s", "15 ms"]], every = "120 s" }
outage = { spans = [["0 s", "50 ms"]], every = "15 s" }
buffer = "800 kB"
loss = { bernoulli = 1e-4 }
impairments = ["jitter(exponential=1 ms)"]

[reverse]
rate = { steps = [["0 s", "12 Mbit/s"], ["15 s", "8 Mbit/s"], ["30 s", "16 Mbit/s"], ["45 s", "10 Mbit/s"]], every = "60 s" }
buffer = "200 kB"
impairments = ["jitter(exponential=2 ms)"]
"#;
