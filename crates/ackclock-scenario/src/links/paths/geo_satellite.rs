//! A geostationary satellite.

use ackclock_catalogue::Entry;

/// The catalogue entry.
pub(super) const ENTRY: Entry = Entry {
    kind: "path",
    name: "geo-satellite",
    title: "a geostationary satellite: 36,000 km up and down again",
    source: "ITU-T G.114 (260 ms one way); RFC 2488; Deutschmann et al. 2019 (rates)",
    ..Entry::PLAIN
};

/// The keys of its link.
pub(super) const LINK: &str = r#"
rate = "20 Mbit/s"
# 260 ms of space, and frames.
delay = "280 ms"
buffer = "1 MB"
loss = { bernoulli = 1e-5 }
impairments = ["jitter(uniform=10 ms)"]

[reverse]
rate = "3 Mbit/s"
buffer = "200 kB"
# Requests and grants, in frames.
impairments = ["jitter(uniform=40 ms)"]
"#;
